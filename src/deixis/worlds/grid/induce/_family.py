"""All expressions that a rule may have, as a table, and the referents of each in a scene.

The family is ReaSCAN's commands with no, one and two clauses (p1, p2, p3); of commands that differ only in the order of
their clauses it has one. That is some 156,000 expressions, too many to resolve one by one, yet they are built from 75
noun phrases and a few hundred clauses. So a scene is looked at once (`Sight`): which objects fit each phrase, and
which have a partner for each clause. An expression then picks out

    the objects of its phrase that have a partner for every clause,
    less those whose only partner for the one clause is also the only one for the other:
    every mention is a different object.

With two clauses that is exact: two sets of partners have no two different members only when both are the same single
object. The tests hold the table against `resolution.denotation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from deixis.expression.description import Description
from deixis.expression.patterns import P1, P2, P3
from deixis.expression.steps import Extreme, Is, Related
from deixis.schema import Which
from deixis.worlds.grid.commands import RELATIONS, schematics
from deixis.worlds.grid.scene import COLORS, GRID, SHAPES, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.schema import Reading
    from deixis.worlds.grid.commands import Schematic


NOTHING_SAID = -1
NOUNS = (NOTHING_SAID, *range(len(SHAPES)))
SIZE_WORDS = (NOTHING_SAID, int(Which.LEAST), int(Which.MOST))
PHRASES = np.array(
    [(noun, color, size) for size in SIZE_WORDS for color in range(-1, len(COLORS)) for noun in NOUNS], np.int8
)
CLAUSES = tuple(product(range(len(RELATIONS)), range(len(PHRASES))))  # relation, phrase
NO_CLAUSE = len(CLAUSES)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """Expressions as rows of numbers, shortest first.

    Shapes:
        phrase: int16 [expression], the noun phrase of the described object.
        clauses: int16 [expression, 2], its clauses; `NO_CLAUSE` where there is none.
        length: int8 [expression], how many parts it has.
    """

    phrase: np.ndarray
    clauses: np.ndarray
    length: np.ndarray

    def __len__(self) -> int:
        return len(self.phrase)

    def rows(self, *, shortest: int = 0, longest: int) -> np.ndarray:
        """Return the numbers of the expressions of these lengths."""
        first, last = np.searchsorted(self.length, (shortest, longest + 1))
        return np.arange(first, last)

    def expression(self, row: int) -> Expression:
        """Return an expression by its number."""
        said = (CLAUSES[number] for number in self.clauses[row].tolist() if number != NO_CLAUSE)
        clauses = (Related(RELATIONS[relation], _phrase(number)) for relation, number in said)
        return Description((*_phrase(int(self.phrase[row])).steps, *clauses))

    def keep(self, rows: np.ndarray, sight: Sight, targets: frozenset[int]) -> np.ndarray:
        """Return those of the expressions that pick out exactly one object, and one of the targets."""
        fits = np.zeros(len(rows), bool)
        for target in targets:
            fits |= self._holds_of(rows, sight, target)
        rows = rows[fits]
        return rows[np.isin(self.referents(rows, sight), list(targets))]

    def referents(self, rows: np.ndarray, sight: Sight) -> np.ndarray:
        """Return the only object that each expression picks out, -1 where it is not exactly one: int [row]."""
        sets = np.stack([self._holds_of(rows, sight, index) for index in range(sight.count)], axis=1)
        return np.where(sets.sum(axis=1) == 1, sets.argmax(axis=1), -1)

    def _holds_of(self, rows: np.ndarray, sight: Sight, index: int) -> np.ndarray:
        """Return bool [row]: whether each expression is true of one object."""
        one, other = sight.partner[index, self.clauses[rows].T]
        holds = sight.fits[index, self.phrase[rows]] & (one != NOBODY) & (other != NOBODY)
        return holds & ((one != other) | (one == SEVERAL))


NOBODY, SEVERAL = -1, -2  # in the place of the only partner


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sight:
    """Truth of every phrase and every clause in one scene.

    Shapes:
        fits: bool [object, phrase].
        partner: int8 [object, clause + 1], the only partner for a clause, `NOBODY` or `SEVERAL`; the last column is for
            a clause that is not there and asks for nothing.
    """

    fits: np.ndarray
    partner: np.ndarray

    @classmethod
    def of(cls, scene: GridScene, reading: Reading | None = None) -> Sight:
        """Look at a scene once, with size words read as the grid's schema says, or in the given way."""
        codes = np.array([thing.codes() for thing in scene.objects], np.int64).reshape(-1, 5)
        fits = _fits(codes, reading or GRID.reading)
        partners = _related(codes)[:, :, None, :] & fits[None, None, :, :]  # [relation, object, phrase, partner]
        count = partners.sum(axis=3)
        only = np.where(count == 1, partners.argmax(axis=3), np.where(count == 0, NOBODY, SEVERAL))
        only = np.moveaxis(only, 1, 0).reshape(len(codes), NO_CLAUSE)
        nothing_asked = np.full((len(codes), 1), SEVERAL)
        return cls(fits=fits.T.copy(), partner=np.hstack([only, nothing_asked]).astype(np.int8))

    @property
    def count(self) -> int:
        """Number of objects."""
        return len(self.fits)


@cache
def family() -> Family:
    """Return the expressions with up to two clauses."""
    tables = [table for pattern in (P1, P2, P3) for schematic in schematics(pattern) for table in _rows_of(schematic)]
    rows = np.concatenate(tables)
    rows = rows[np.argsort(rows[:, 3], kind="stable")]
    return Family(
        phrase=rows[:, 0].astype(np.int16), clauses=rows[:, 1:3].astype(np.int16), length=rows[:, 3].astype(np.int8)
    )


def _rows_of(schematic: Schematic) -> Iterator[np.ndarray]:
    """The rows of one schematic: phrase, two clauses, length; none where its clauses stand in the other order."""
    relations = [RELATIONS.index(name) for name in schematic.relations]
    if relations != sorted(relations):
        return
    options = [np.array([_number_of(p) for p in schematic.phrases(i)]) for i in range(len(schematic.forms))]
    chosen = np.stack([axis.ravel() for axis in np.meshgrid(*options, indexing="ij")], axis=1)
    fits = np.ones(len(chosen), bool)
    for one in range(chosen.shape[1]):
        for other in range(one):
            fits &= chosen[:, one] != chosen[:, other]
    nouns = PHRASES[chosen, 0]
    for place, name in enumerate(schematic.relations, start=1):
        fits &= (nouns[:, 0] != nouns[:, place]) | (name == "same shape")
    clauses = np.full((len(chosen), 2), NO_CLAUSE)
    for place, relation in enumerate(relations):
        clauses[:, place] = relation * len(PHRASES) + chosen[:, place + 1]
    length = (PHRASES[chosen] != NOTHING_SAID).sum(axis=(1, 2)) + len(relations)
    yield np.column_stack([chosen[:, 0], clauses, length])[fits]


def _fits(codes: np.ndarray, reading: Reading) -> np.ndarray:
    """bool [phrase, object]: which objects each noun phrase is true of; sizes are compared within the phrase."""
    shape, color, size = codes[:, 0], codes[:, 1], codes[:, 2]
    noun, hue, word = (PHRASES[:, place, None] for place in range(3))
    of_class = ((noun == NOTHING_SAID) | (noun == shape)) & ((hue == NOTHING_SAID) | (hue == color))
    biggest = np.where(of_class, size, 0).max(axis=1, initial=0)[:, None]
    smallest = np.where(of_class, size, 9).min(axis=1, initial=9)[:, None]
    is_comparative = reading == "comparative"
    is_small = size < biggest if is_comparative else size == smallest
    is_big = size > smallest if is_comparative else size == biggest
    return of_class & ((word != int(Which.LEAST)) | is_small) & ((word != int(Which.MOST)) | is_big)


def _related(codes: np.ndarray) -> np.ndarray:
    """bool [relation, object, object], in the order of `RELATIONS`; nothing is related to itself."""
    shape, color, size, row, column = codes.T
    same = {
        "same row": row[:, None] == row,
        "same column": column[:, None] == column,
        "inside": (shape == SHAPES.index("box"))
        & (row <= row[:, None])
        & (row[:, None] < row + size)
        & (column <= column[:, None])
        & (column[:, None] < column + size),
        "same size": size[:, None] == size,
        "same color": color[:, None] == color,
        "same shape": shape[:, None] == shape,
    }
    return np.stack([same[name] for name in RELATIONS]) & ~np.eye(len(codes), dtype=bool)


def _number_of(phrase: Description) -> int:
    shape, color = phrase.value("shape"), phrase.value("color")
    word = next((int(step.which) for step in phrase.steps if isinstance(step, Extreme)), NOTHING_SAID)
    noun = NOTHING_SAID if shape is None else SHAPES.index(shape)
    hue = NOTHING_SAID if color is None else COLORS.index(color)
    return (SIZE_WORDS.index(word) * (len(COLORS) + 1) + hue + 1) * len(NOUNS) + NOUNS.index(noun)


@cache
def _phrase(number: int) -> Description:
    noun, color, size = PHRASES[number].tolist()
    steps: list[Step] = []
    if noun != NOTHING_SAID:
        steps.append(Is("shape", SHAPES[noun]))
    if color != NOTHING_SAID:
        steps.append(Is("color", COLORS[color]))
    if size != NOTHING_SAID:
        steps.append(Extreme("size", Which(size)))
    return Description(tuple(steps))
