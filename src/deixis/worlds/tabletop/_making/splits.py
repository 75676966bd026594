"""Test sets by rule: what each holds out, so that nothing of it is ever seen in training.

| test set | its examples have | no example of train, dev and test has |
|---|---|---|
| `pairs` | a table on which cubes and cones are red, green, purple or cyan, and cylinders and rings the other four | any such solid (CLEVR's CoGenT: condition A in training, B here) |
| `relations` | two relations in one expression that are a pair of `PAIRS` | such a pair |
| `deeper` | a chain of three relations | a chain of more than two |
| `more` | 11 to 15 solids on a table | more than 10 |
| `camera` | a camera from the other side and higher up | such a camera |

Every test set is as training is in everything but its own subject, so a drop has one reason.
"""  # noqa: E501 (a table)

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.tabletop._schema import BEHIND, FRONT, LEFT, NEAR, RIGHT


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.expression.description import Expression
    from deixis.worlds.tabletop._solids import Camera, Tabletop


TESTS = {
    "pairs": "colours of shapes that no solid of training has",
    "relations": "pairs of relations that no expression of training has",
    "deeper": "chains of three relations",
    "more": "11 to 15 solids on a table",
    "camera": "a camera from the other side and higher up",
}
PAIRS = frozenset(map(frozenset, ((LEFT, BEHIND), (RIGHT, NEAR), (FRONT, "same color"))))
USUAL_DEPTH, USUAL_MOST = 2, 10
HALF = frozenset(("gray", "blue", "brown", "yellow"))
ANGULAR, ROUND = frozenset(("cube", "cone")), frozenset(("cylinder", "torus"))


class Turn(NamedTuple):
    """From where cameras look: ranges of azimuth and elevation in degrees, both ends included."""

    azimuth: tuple[int, int]
    elevation: tuple[int, int]


USUAL_TURN = Turn((285, 345), (28, 38))
OTHER_TURN = Turn((105, 165), (42, 50))


def is_usual_pair(color: str, shape: str) -> bool:
    """Return whether a colour and a shape go together in training (condition A)."""
    return _is_free(shape) or (shape in ANGULAR) == (color in HALF)


def is_held_out_pair(color: str, shape: str) -> bool:
    """Return whether a colour and a shape go together in the test set `pairs` only (condition B)."""
    return not is_usual_pair(color, shape)


def _is_free(shape: str) -> bool:
    """Whether solids of a shape have all colours everywhere."""
    return shape not in ANGULAR and shape not in ROUND


def shows_other_turn(camera: Camera) -> bool:
    """Return whether a camera is outside the range of training."""
    (left, right), (low, high) = USUAL_TURN
    return not (left <= camera.azimuth <= right and low <= camera.elevation <= high)


def relation_pairs(expression: Expression) -> Iterator[frozenset[str]]:
    """Yield the pairs of relations in an expression that are held out."""
    for one, other in combinations(sorted(set(expression.relations())), 2):
        if (pair := frozenset((one, other))) in PAIRS:
            yield pair


def subjects_of(expression: Expression, tables: Iterable[Tabletop]) -> tuple[str, ...]:
    """Return the test sets that an example belongs to by the rules, none if it may be trained on."""
    tables = tuple(tables)
    solids = [solid for table in tables for solid in table.solids]
    found = {
        "pairs": any(is_held_out_pair(one.color, one.shape) for one in solids),
        "relations": any(True for _ in relation_pairs(expression)),
        "deeper": expression.depth > USUAL_DEPTH,
        "more": any(len(table.solids) > USUAL_MOST for table in tables),
        "camera": any(shows_other_turn(table.camera) for table in tables),
    }
    return tuple(name for name, does in found.items() if does)
