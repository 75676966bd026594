"""Filter columns of the examples of a world with ready-made pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deixis._studio.filters import (
    Facet,
    Lines,
)
from deixis._studio.library import Shelf
from deixis.data._split_names import names_in_split
from deixis.judge.verdicts import id_code
from deixis.worlds.example import scenes_of


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.world import Examples


@dataclass(frozen=True, eq=False)
class ReadyCodes:
    """Filter columns of all examples, and their numbers by their ids."""

    ids: tuple[int, ...]
    lines: Lines
    facets: tuple[Facet, ...]

    @cached_property
    def places(self) -> dict[int, int]:
        """The number of the example of every id."""
        return {one: number for number, one in enumerate(self.ids)}


class ReadyShelf(Shelf[ReadyCodes]):
    """The examples of a dataset, and once somebody searches, what can be asked of them."""

    data: Examples

    def read_codes(self) -> ReadyCodes:
        """Read all examples once."""
        ids, texts, splits, objects, relations = [], [], [], [], []
        for example in self.data:
            ids.append(id_code(example.id))
            texts.append(example.text)
            splits.append(tuple(names_in_split(example.split)))
            objects.append((str(sum(map(len, scenes_of(example)))),))
            said = example.expression
            relations.append(tuple(sorted(set(said.relations()))) if said is not None else ())
        facets = [_facet("split", splits, list(self.data.splits)), _facet("relation", relations, ())]
        counts = sorted({one for (one,) in objects}, key=int)
        facets += [_facet("objects", objects, counts)] if len(counts) > 1 else []
        return ReadyCodes(tuple(ids), Lines(texts), tuple(facet for facet in facets if facet.tables))


def _facet(name: str, values: Sequence[tuple[str, ...]], known: Sequence[str]) -> Facet:
    """A facet of which every example has several values, or none."""
    sets = {one: place for place, one in enumerate(dict.fromkeys(values))}
    names = dict.fromkeys([*known, *sorted({value for some in sets for value in some})])
    tables = {value: np.array([value in some for some in sets], bool) for value in names if value}
    codes = np.fromiter((sets[one] for one in values), np.int64, len(values))
    return Facet(name, name, codes, tables if sets else {})
