"""The form of a world: what is left of it when rows and columns may change places.

Permuting rows or columns keeps every relation except 'inside of', so worlds of one form ask much the same, and a
dataset should not count them as new.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING

from deixis.seeds import GOLDEN, fold, mix


if TYPE_CHECKING:
    from deixis.worlds.grid.scene import GridScene


__all__ = ["form_digest", "have_one_form"]

ROUNDS = 4  # of refinement; twice as many as tell worlds of a dozen objects apart
_WORD = (1 << 64) - 1


def have_one_form(one: GridScene, other: GridScene) -> bool:
    """Return whether exchanging rows and columns turns one world into the other, regardless of the agent.

    This is the definition, which tries every order of the rows; `form_digest` is how it is worked out.
    """
    if one.size != other.size or len(one) != len(other):
        return False
    goal = _columns(other, tuple(range(other.size)))
    return any(_columns(one, order) == goal for order in permutations(range(one.size)))


def form_digest(scene: GridScene) -> int:
    """Return a number for a world that is the same for any order of its rows, columns and objects.

    Each object is labelled by its shape, colour and size, then again and again by its label together with the labels in
    its row and in its column. Worlds of one form get the same number; others get different ones, except for rare
    symmetric worlds of at least eight like objects. The agent does not count. The compiled twin is
    `worlds.grid._kernels.form`.
    """
    labels = [mix((_pack(thing.codes()[:3]) + GOLDEN) & _WORD) for thing in scene.objects]
    for _ in range(ROUNDS):
        rows: Counter[int] = Counter()
        columns: Counter[int] = Counter()
        for thing, label in zip(scene.objects, labels, strict=True):
            rows[thing.row] += mix((label + GOLDEN) & _WORD)
            columns[thing.column] += mix((label + 2 * GOLDEN) & _WORD)
        labels = [
            fold((rows[thing.row] & _WORD, columns[thing.column] & _WORD), label)
            for thing, label in zip(scene.objects, labels, strict=True)
        ]
    total = sum(mix((label + GOLDEN) & _WORD) for label in labels)
    return fold((scene.size,), mix((total + GOLDEN) & _WORD))


def _columns(scene: GridScene, order: tuple[int, ...]) -> Counter[tuple[tuple[tuple[int, ...], int], ...]]:
    """What stands in the columns, whatever their order, when the rows are put in an order."""
    columns: dict[int, list[tuple[tuple[int, ...], int]]] = {}
    for thing in scene.objects:
        columns.setdefault(thing.column, []).append((thing.codes()[:3], order[thing.row]))
    return Counter(tuple(sorted(column)) for column in columns.values())


def _pack(codes: tuple[int, ...]) -> int:
    packed = 0
    for code in codes:
        packed = packed << 8 | code
    return packed
