"""Which examples, worlds and commands are the same, and in which splits they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.audits.tally import Tally


__all__ = ["Sightings", "count_repeats"]


class Sightings(NamedTuple):
    """Some examples, as far as it takes to recognise them.

    Shapes:
        example, world, command: uint64 [example], digests. split: int64 [example], numbers of `names`, which are as
        stored: `train`, or `a1+a2` for an example of two sets.
    """

    example: np.ndarray
    world: np.ndarray
    command: np.ndarray
    split: np.ndarray
    names: tuple[str, ...]


def count_repeats(tally: Tally, pieces: Sequence[Sightings]) -> None:
    """Count what is there more than once, within each split and between every two."""
    names = tuple(dict.fromkeys(name for piece in pieces for name in piece.names))
    numbers = {name: number for number, name in enumerate(names)}
    splits = tuple(sorted({single for name in names for single in name.split("+")}))
    inside = np.array([[single in name.split("+") for single in splits] for name in names], bool)
    stored = [np.array([numbers[name] for name in piece.names], np.int64)[piece.split] for piece in pieces]
    if not pieces or not sum(map(len, stored)):
        return
    held = inside[np.concatenate(stored)]  # [example, split]
    for what in ("example", "world", "command"):
        _, which = np.unique(np.concatenate([getattr(piece, what) for piece in pieces]), return_inverse=True)
        known = np.zeros((int(which.max()) + 1, len(splits)), bool)
        for place in range(len(splits)):
            known[which[held[:, place]], place] = True
        for place, split in enumerate(splits):
            of_split = which[held[:, place]]
            different = int(known[:, place].sum())
            tally.add("different", what, split, count=different)
            tally.add("repeats", what, split, split, count=len(of_split) - different)
            for elsewhere, other in enumerate(splits):
                if elsewhere != place:
                    tally.add("repeats", what, split, other, count=int(known[of_split, elsewhere].sum()))
