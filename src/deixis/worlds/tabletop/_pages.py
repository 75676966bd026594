"""Part `pages`: the ready-made pages, with pictures whose solids are clicked, for the examples that have a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.worlds.tabletop._examples import numbers_with_target
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.pages import TASKS, WORDS, ReadyPages


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.example import Examples


@dataclass(frozen=True, eq=False)
class TablePages(ReadyPages):
    """Pages of tables, which ask nobody to point at what is not there."""

    def numbers_to_play(self, data: Examples, split: str | None) -> Sequence[int]:
        """Return the numbers of the examples in which something is meant."""
        return numbers_with_target(data, split)


PAGES = TablePages(world=WORLD, about=WORLD.title, short=WORLD.name, tasks=TASKS, results=WORDS)
