"""Filter columns of the examples of a world with ready-made pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deixis._studio.filters import Facet, Lines, ranges, set_facet
from deixis._studio.library import Shelf
from deixis.data._split_names import names_in_split
from deixis.judge.verdicts import id_code
from deixis.worlds.example import scenes_of


if TYPE_CHECKING:
    from deixis.worlds.world import Examples


MANY_COUNTS = 24  # different numbers of objects, beyond which they are grouped
ENDS = (1, 2, 5, 10, 15, 20, 30, 50, 100, 200)  # last number of each group


@dataclass(frozen=True, eq=False)
class ReadyCodes:
    """Filter columns of all examples, and their numbers by their ids."""

    ids: tuple[int, ...]
    lines: Lines
    facets: tuple[Facet, ...]
    sizes: dict[str, np.ndarray]

    @cached_property
    def places(self) -> dict[int, int]:
        """The number of the example of every id."""
        return {one: number for number, one in enumerate(self.ids)}


class ReadyShelf(Shelf[ReadyCodes]):
    """The examples of a dataset, and once somebody searches, what can be asked of them."""

    data: Examples

    def read_codes(self) -> ReadyCodes:
        """Read all examples once."""
        ids: list[int] = []
        texts: list[str] = []
        splits: list[tuple[str, ...]] = []
        objects: list[int] = []
        relations: list[tuple[str, ...]] = []
        for example in self.data:
            ids.append(id_code(example.id))
            texts.append(example.text)
            splits.append(tuple(names_in_split(example.split)))
            objects.append(sum(map(len, scenes_of(example))))
            said = example.expression
            relations.append(tuple(sorted(set(said.relations()))) if said is not None else ())
        facets = [
            set_facet("split", "split", splits, list(self.data.splits)),
            set_facet("relation", "relation", relations),
        ]
        counts = np.array(objects, np.int64)
        if len(set(objects)) > 1:
            facets.append(Facet("objects", "objects", counts, *_tables_of(counts)))
        words = np.array([len(text.split()) for text in texts], np.int64)
        sizes = {"words": words, "objects": counts}
        return ReadyCodes(tuple(ids), Lines(texts), tuple(facet for facet in facets if facet.tables), sizes)


def _tables_of(counts: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return a value for every number of objects, or for groups of numbers where there are many."""
    different = np.unique(counts)
    if len(different) > MANY_COUNTS:
        return ranges(counts, ENDS, unit="objects")
    numbers = np.arange(int(counts.max(initial=0)) + 1)
    return {str(count): numbers == count for count in different.tolist()}, {}
