"""Pages of the studio for files of others: those of any world, with games on examples in which one object is meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.worlds.example import context_of
from deixis.worlds.toolkit.pages import ReadyPages


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.readers._world import ReaderWorld
    from deixis.worlds.world import Examples


RIGHT = {"accuracy": "right"}  # what is answered is a box or a choice, not an object


def ready_part(world: ReaderWorld) -> ReadPages:
    """The part `pages` of a reader."""
    pages = ReadPages.of(world)
    return pages if world.reader.task == "refer" else replace(pages, results=replace(pages.results, measures=RIGHT))


class ReadPages(ReadyPages):
    """Part `pages` for files of others."""

    def numbers_to_play(self, data: Examples, split: str | None) -> Sequence[int]:
        """Return the numbers of the examples with objects of which one is meant."""
        wanted = frozenset(data.numbers(split))
        return [number for number, one in enumerate(data) if number in wanted and context_of(one) is not None]
