"""Part `pages`: those of all worlds, with a game about the solids that are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.pages import TASKS, WORDS, ReadyPages


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.tabletop._examples import TableDataset


class TablePages(ReadyPages):
    """Pages in which only expressions that fit a solid are played."""

    def numbers_to_play(self, data: TableDataset, split: str | None) -> Sequence[int]:  # type: ignore[override]
        """Return the numbers of the examples in which a solid can be pointed at."""
        return data.numbers_with_target(split)


PAGES = TablePages(world=WORLD, about=WORLD.title, short=WORLD.name, tasks=TASKS, results=WORDS)
