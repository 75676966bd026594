"""Readers who do not read, of features whose names and values are found on the way (see `_counting.Readers`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.audits._counting import Looks, Readers


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.audits._counting import Tally


class SeenThings(NamedTuple):
    """The visible features of the objects of some examples.

    Attributes:
        names: the features.
        values: of each feature.

    Shapes:
        codes: int32 [object, feature], from 1 on the place of the value, 0 where the object has no such feature; the
        objects of all examples one after the other. start: int64 [example + 1]. target: int64 [example], the number of
        the target in its own example.
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: np.ndarray
    start: np.ndarray
    target: np.ndarray


def code_things(seen: Sequence[tuple[list[dict[str, str]], ...]], targets: Sequence[int]) -> SeenThings:
    """Return the features of the objects of every scene of every example in numbers."""
    scenes = {id(scene): scene for some in seen for scene in some}
    names = tuple(sorted({name for scene in scenes.values() for thing in scene for name in thing}))
    known: list[dict[str | None, int]] = [{None: 0} for _ in names]
    codes = {
        key: [
            [of.setdefault(thing.get(name), len(of)) for name, of in zip(names, known, strict=True)] for thing in scene
        ]
        for key, scene in scenes.items()
    }
    rows = [row for some in seen for scene in some for row in codes[id(scene)]]
    values = tuple(tuple(value for value in of if value is not None) for of in known)
    start = np.cumsum([0, *(sum(map(len, some)) for some in seen)])
    table = np.array(rows, np.int32).reshape(len(rows), len(names))
    return SeenThings(names, values, table, start, np.array(targets, np.int64))


class FeatureReaders:
    """Readers of all features that objects have."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}  # by feature, the number of every value from 1 on
        self._readers = Readers((), 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The features."""
        return tuple(self._known)

    def see(self, keys: np.ndarray, things: SeenThings) -> None:
        """Learn from half of the examples, and keep the others for judging; `keys` are scrambled digests of each."""
        if not len(things.target):
            return
        for name, values in zip(things.names, things.values, strict=True):
            known = self._known.setdefault(name, {})
            for value in values:
                known.setdefault(value, len(known) + 1)
        most = max(map(len, self._known.values()), default=0) + 1
        if len(self._known) > len(self._readers.features) or most > self._readers.learnt.shape[1]:
            self._readers.grow(self.names, 2 * most)
        codes = np.zeros((len(things.codes), len(self._known)), np.min_scalar_type(most))
        for place, name in enumerate(self._known):
            if name in things.names:
                number = things.names.index(name)
                here = [0, *(self._known[name][value] for value in things.values[number])]
                codes[:, place] = np.array(here, codes.dtype)[things.codes[:, number]]
        self._readers.see(Looks(keys, codes, things.start, things.target))

    def judge(self, tally: Tally, names: Sequence[str]) -> None:
        """Count how many objects seem best to a reader of each of these features, and of all of them."""
        self._readers.judge(tally, names)
