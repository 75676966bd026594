"""Statistics of files of others: as of any examples, and which share of the texts has a meaning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.worlds.toolkit.statistics import ExampleStatistics


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.readers._world import ReaderWorld
    from deixis.report.output import Output
    from deixis.worlds.toolkit.statistics import DatasetCounts


def ready_part(world: ReaderWorld) -> ReadStatistics:
    """The part `statistics` of a reader."""
    return ReadStatistics(world)


class ReadStatistics(ExampleStatistics):
    """Part `statistics` for files of others."""

    def __init__(self, world: ReaderWorld) -> None:
        super().__init__(world)
        self.reader = world.reader

    def describe(self, counted: Sequence[DatasetCounts], *, brief: bool = False) -> Output:
        """Datasets side by side, with the share of texts that have a meaning, the licence and what to cite."""
        found = super().describe(counted, brief=brief)
        about = {name: getattr(self.reader, name) for name in ("title", "license", "citation")}
        known = [one.whole.steps.total() for one in counted]
        for told, count in zip(found.values["datasets"], known, strict=True):
            told |= {"with meaning": count, "reader": self.reader.name, **about}
        notes = (
            f"{one.name}: {count:,} of {one.whole.examples:,} texts have a meaning, annotated or read by a language"
            for one, count in zip(counted, known, strict=True)
        )
        terms = f"{about['title']}; licence: {about['license']}; cite {about['citation']}"
        return replace(found, notes=(*found.notes, terms, *notes))
