"""Part `pages`: those of all worlds, with a game about the solids that are meant."""

from __future__ import annotations

from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.pages import ReadyPages


PAGES = ReadyPages.of(WORLD)
