"""What is remembered of every example to compare it with others: digest of its content, id, row and split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from deixis.data._memberships import AT_RANDOM
from deixis.data._split_names import names_in_split


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


NOWHERE = frozenset(("", "aside"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Contents:
    """Digests, ids and splits of examples, for the checks across examples.

    Attributes:
        names: the splits.
        alone: those that may share no content with any other split.

    Shapes:
        digest: uint64 [example]; id, row: int64 [example]; split: int64 [example], numbers of `names`.
    """

    digest: np.ndarray
    id: np.ndarray
    row: np.ndarray
    split: np.ndarray
    names: tuple[str, ...]
    alone: frozenset[str] = AT_RANDOM

    @classmethod
    def join(cls, pieces: Sequence[Contents]) -> Contents:
        """Join several into one."""
        names = tuple(dict.fromkeys(name for piece in pieces for name in piece.names))
        numbers = {name: number for number, name in enumerate(names)}
        splits = [np.array([numbers[name] for name in piece.names], np.int64)[piece.split] for piece in pieces]
        return cls(
            digest=_concatenate([piece.digest for piece in pieces], np.uint64),
            id=_concatenate([piece.id for piece in pieces], np.int64),
            row=_concatenate([piece.row for piece in pieces], np.int64),
            split=_concatenate(splits, np.int64),
            names=names,
            alone=AT_RANDOM.union(*(piece.alone for piece in pieces)),
        )

    def __len__(self) -> int:
        return len(self.digest)

    def id_at(self, place: int) -> int | str:
        """The id of an example as a plain value."""
        found = self.id[place]
        return int(found) if isinstance(found, np.integer) else found

    def split_at(self, place: int) -> str:
        """The split of an example."""
        return self.names[self.split[place]]


Clash: TypeAlias = Callable[[frozenset[str], frozenset[str], frozenset[str]], bool]
"""Whether rows in these splits may not share content, given the splits that may share none with any other."""


def is_leak(one: frozenset[str], other: frozenset[str], alone: frozenset[str]) -> bool:
    """Return whether two rows with the same content, in these splits, bring them together."""
    pairs = ((a, b) for a in one - NOWHERE for b in other - NOWHERE if a != b)
    return any(a in alone or b in alone for a, b in pairs)


def is_repeat(one: frozenset[str], other: frozenset[str], _alone: frozenset[str]) -> bool:
    """Return whether two rows with the same content, in these splits, are twice in one."""
    return bool((one & other) - NOWHERE) or one == other == {""}


CLASHES: dict[str, Clash] = {"E401": is_leak, "W402": is_repeat}


def first_clashes(contents: Contents, clash: Clash, *, apart: np.ndarray | None = None) -> dict[int, int]:
    """Return the places whose content has come before in a split with which it clashes, with the first such place.

    Args:
        contents: what is in which split.
        clash: whether two splits may not share content.
        apart: int64 [example], numbers of datasets; only places in different ones are compared. Without it, all are.
    """
    sets = [frozenset(names_in_split(name)) for name in contents.names]
    found = [[clash(one, other, contents.alone) for other in sets] for one in sets]
    clashes = np.array(found, bool).reshape(len(sets), len(sets))
    earlier: dict[int, int] = {}
    for group in _same(contents):
        seen: dict[tuple[int, int], int] = {}  # the first row of each split of each dataset
        for place in group.tolist():
            split, mine = int(contents.split[place]), -1 if apart is None else int(apart[place])
            before = (
                first
                for (other, its), first in seen.items()
                if clashes[split, other] and (apart is None or its != mine)
            )
            if (one := next(before, None)) is not None:
                earlier[place] = one
            seen.setdefault((split, mine), place)
    return earlier


def _same(contents: Contents) -> Iterator[np.ndarray]:
    """The places that share their content, ascending, for every content that occurs more than once."""
    order = np.argsort(contents.digest, kind="stable")
    ordered = contents.digest[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(ordered) else np.zeros(0, int)
    ends = np.append(starts[1:], len(ordered))
    for first, last in zip(starts[ends - starts > 1], ends[ends - starts > 1], strict=True):
        yield order[first:last]


def _concatenate(arrays: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype)
