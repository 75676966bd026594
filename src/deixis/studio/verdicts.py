"""The verdict on every example that a model was asked, in columns that are the same for all three worlds."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.seeds import mix_words


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["SHOWN", "Both", "Facets", "Show", "Verdicts", "Wanted", "compare", "facets_of", "rows_of"]

Show: TypeAlias = Literal["all", "right", "wrong"]
SHOWN: tuple[Show, ...] = ("wrong", "right", "all")
RIGHT_TARGET, WRONG_OBJECT, NO_OBJECT = "right target", "wrong object", "no object"


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """The verdicts on many examples; codes are numbers of the names beside them.

    Shapes:
        ids: uint64 [row]: of grids and photographs the id of the example, of 3D Shapes one of the pair of images.
        part, outcome, role, missed: int16 [row].
        chosen: int16 [row], the number of the object that was chosen, -1 where there is none or it is not told.

    Attributes:
        parts: names of splits, settings or sets.
        right: bool [row] by measure.
        outcomes: what can come of an example.
        roles: why a wrong object is there, or where it lies; empty for whatever is no wrong choice.
        misreadings: what is missed together.
        texts: what was said, where the verdicts hold it.
    """

    ids: np.ndarray
    part: np.ndarray
    parts: tuple[str, ...]
    right: Mapping[str, np.ndarray]
    outcome: np.ndarray
    outcomes: tuple[str, ...]
    role: np.ndarray
    roles: tuple[str, ...]
    missed: np.ndarray
    misreadings: tuple[tuple[str, ...], ...]
    chosen: np.ndarray
    texts: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.ids)


class Wanted(NamedTuple):
    """Which examples are to be seen; what is empty does not matter.

    Attributes:
        measure: by which an example is right or wrong.
        part: of this split, setting or set.
        show: those that are right, those that are wrong, or all.
        outcome: with which this came of it.
        role: where the wrong object has this role.
        missed: where this was missed.
    """

    measure: str
    part: str = ""
    show: Show = "all"
    outcome: str = ""
    role: str = ""
    missed: str = ""


class Facets(NamedTuple):
    """How many examples there are of every kind, among those of a part and of those that are shown."""

    right: int
    wrong: int
    outcomes: dict[str, int]
    roles: dict[str, int]
    missed: dict[str, int]


def rows_of(verdicts: Verdicts, wanted: Wanted) -> np.ndarray:
    """int64 [row]: the examples that are wanted: part by part, within each mixed, but always in the same order."""
    keep = _of_part(verdicts, wanted.part) & _is_shown(verdicts, wanted)
    if wanted.outcome:
        keep &= verdicts.outcome == _code(wanted.outcome, verdicts.outcomes)
    if wanted.role:
        keep &= verdicts.role == _code(wanted.role, verdicts.roles)
    if wanted.missed:
        holds = np.array([wanted.missed in some for some in verdicts.misreadings], bool)
        keep &= holds[verdicts.missed]
    rows = np.flatnonzero(keep)
    return rows[np.lexsort((mix_words(verdicts.ids[rows]), verdicts.part[rows]))]


def facets_of(verdicts: Verdicts, wanted: Wanted) -> Facets:
    """What else could be wanted, with counts."""
    here = _of_part(verdicts, wanted.part)
    right = int((here & verdicts.right[wanted.measure]).sum())
    keep = here & _is_shown(verdicts, wanted)
    sets = np.bincount(verdicts.missed[keep], minlength=len(verdicts.misreadings)).tolist()
    missed: dict[str, int] = {}
    for names, count in zip(verdicts.misreadings, sets, strict=True):
        for name in names:
            missed[name] = missed.get(name, 0) + count
    return Facets(
        right,
        int(here.sum()) - right,
        _counted(verdicts.outcome[keep], verdicts.outcomes),
        _counted(verdicts.role[keep], verdicts.roles),
        _sorted(missed),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Both:
    """Two models on the examples that both were asked.

    Shapes:
        first, second: int64 [example], rows of the verdicts on each.
        is_first, is_second: bool [example], whether each is right.
    """

    first: np.ndarray
    second: np.ndarray
    is_first: np.ndarray
    is_second: np.ndarray

    @property
    def quarters(self) -> dict[str, np.ndarray]:
        """bool [example] by name: both right, only the first, only the second, neither."""
        return {
            "both": self.is_first & self.is_second,
            "a": self.is_first & ~self.is_second,
            "b": ~self.is_first & self.is_second,
            "neither": ~self.is_first & ~self.is_second,
        }


def compare(first: Verdicts, second: Verdicts, *, measure: str, part: str = "") -> Both:
    """Two models example by example, in the order of `rows_of`; examples are matched by part and id."""
    sides = []
    for verdicts in (first, second):
        rows = np.flatnonzero(_of_part(verdicts, part))
        name = {name: np.uint64(_hashed(name)) for name in verdicts.parts}
        salt = np.array([name[one] for one in verdicts.parts], np.uint64)
        with np.errstate(over="ignore"):
            sides.append((rows, mix_words(verdicts.ids[rows] + salt[verdicts.part[rows]])))
    _, at, other = np.intersect1d(sides[0][1], sides[1][1], return_indices=True)
    order = np.argsort(first.part[sides[0][0][at]], kind="stable")
    rows_a, rows_b = sides[0][0][at[order]], sides[1][0][other[order]]
    return Both(
        first=rows_a,
        second=rows_b,
        is_first=first.right[measure][rows_a],
        is_second=second.right[measure][rows_b],
    )


# -------------------------------------------------------------------------------- choosing


def _of_part(verdicts: Verdicts, part: str) -> np.ndarray:
    return verdicts.part == _code(part, verdicts.parts) if part else np.ones(len(verdicts), bool)


def _is_shown(verdicts: Verdicts, wanted: Wanted) -> np.ndarray:
    if wanted.show == "all":
        return np.ones(len(verdicts), bool)
    right = verdicts.right[wanted.measure]
    return right if wanted.show == "right" else ~right


def _code(name: str, names: Sequence[str]) -> int:
    """The number of a name, or one that nothing has."""
    return names.index(name) if name in names else -9


def _counted(codes: np.ndarray, names: Sequence[str]) -> dict[str, int]:
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return _sorted({name: count for name, count in zip(names, counts, strict=False) if name and count})


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count}


def _hashed(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "little")
