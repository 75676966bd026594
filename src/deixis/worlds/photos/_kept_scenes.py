"""Scenes of a table that are kept for a while, since images are shown with several expressions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from deixis.worlds.photos.scene.graph import GraphScene
    from deixis.worlds.photos.scene.graph_table import GraphTable


MOST = 2048


@lru_cache(maxsize=MOST)
def scene_in(table: GraphTable, number: int) -> GraphScene:
    """Return a scene of a table, the same object as before where it was asked for not long ago."""
    return table.scene(number)
