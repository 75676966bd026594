"""Meanings of expressions as numbers: small programs over a vocabulary of names, attributes and relations.

A program is a line of numbers, three for each row: an operation and its two arguments. They run on a stack of sets, as
those of `expression.program` do, with operations of the same table, but say words instead of codes of a schema, so that
rare ones can be `UNKNOWN`.

| operation | arguments | |
|---|---|---|
| `ALL` | | put the set of all objects onto the stack |
| `IS` | word | keep those of the top set that it holds of |
| `NTH` | n, place in `SIDES` | keep the nth from a side |
| `RELATED` | word | take the top set away; keep those of the next that are related to it |
| `SAME` | place in `SAME_TYPES` | the same, for having a value of that dimension in common |
| `COPY` | d | put onto the stack a copy of the set that lies d below its top |
| `NOT` | | take the top set away, and its objects out of the next |
| `OR` | | take the top set away, and add its objects to the next |
| `DROP` | | take away the set below the top |
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deixis._kernels.ops import GROWTH, Op
from deixis.data.store import read_parquet
from deixis.errors import BrokenDataset, DeixisError, RecipeError, SchemaError
from deixis.expression.plain import expression_from_json
from deixis.expression.program import MAX_RANK, MAX_STACK
from deixis.expression.steps import SIDES, AnyOf, Extreme, Is, Not, Nth, Related
from deixis.worlds.photos.data._arrays import PAD, UNKNOWN
from deixis.worlds.photos.scene.vocabulary import SAME, SAME_TYPES


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.expression.description import Description, Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos.data.store import CopsRef


RELATION = "relation"  # stands where a word has its dimension
RARE = 5  # words that occur no more often are unknown; as with the words of texts


@dataclass(frozen=True, eq=False)
class Programs:
    """Many programs.

    Shapes:
        words: int32 [expression, step], `PAD` after the end. count: int32 [expression]; 0 where nobody knows what is
            meant.
    """

    words: np.ndarray
    count: np.ndarray


@dataclass(frozen=True)
class ProgramWords:
    """The words that programs say, each with its dimension: `("color", "red")`, `("relation", "on")`.

    The first is number 2: after padding and what is unknown.
    """

    words: tuple[tuple[str, str], ...]

    def __len__(self) -> int:
        return len(self.words) + 2

    @cached_property
    def numbers(self) -> dict[tuple[str, str], int]:
        """The number of every word."""
        return {word: number for number, word in enumerate(self.words, start=2)}

    @property
    def values(self) -> tuple[tuple[int, ...], ...]:
        """For each of `SAME_TYPES` the numbers of the words that are values of it."""
        return tuple(tuple(self.numbers[word] for word in self.words if word[0] == kind) for kind in SAME_TYPES)


def program_words(expressions: Iterable[Expression | None], *, rare: int = RARE) -> ProgramWords:
    """Return the words that occur more often than `rare` times, the most frequent first, equals by the alphabet."""
    counts = Counter(
        word for said in expressions if said is not None for step in said.steps for word in _words_of(step)
    )
    frequent = [word for word, count in counts.items() if count > rare]
    return ProgramWords(tuple(sorted(frequent, key=lambda word: (-counts[word], word))))


def programs_of(expressions: Iterable[Expression | None], words: ProgramWords) -> Programs:
    """Return the programs of expressions.

    Raises:
        SchemaError: when one is nested too deeply, ranks too far, or orders things by what photographs do not order.
    """
    numbers = words.numbers
    lines = [[] if said is None else _Line(numbers).of(said) for said in expressions]
    count = np.array([len(line) for line in lines], np.int32)
    table = np.full((len(lines), max((len(line) for line in lines), default=0)), PAD, np.int32)
    for row, line in enumerate(lines):
        table[row, : len(line)] = line
    return Programs(table, count)


def copsref_programs(
    dataset: CopsRef, words: ProgramWords | None = None, *, split: str = "train", rare: int = RARE
) -> tuple[ProgramWords, Programs]:
    """Return the programs of all expressions of a dataset, in the order of `copsref_arrays`, and their words.

    Args:
        dataset: where they are.
        words: their numbers, where a model has learnt them already.
        split: the one whose words are counted, where not.
        rare: words that occur no more often are unknown.

    Raises:
        BrokenDataset: when an expression cannot be read, with its row.
        RecipeError: when the split whose words are to be counted is missing.
    """
    if words is None and split not in dataset.splits:
        raise RecipeError(
            f"the words of {split!r} are to be counted, but {dataset.path.name} has only "
            f"{', '.join(dataset.splits) or 'no splits'}"
        )
    splits: list[str] = []
    said: list[Expression | None] = []
    for path in dataset.dataset.files():
        row = 0
        for table in read_parquet(path, columns=["split", "expression"]):
            splits += table.column("split").to_pylist()
            for written in table.column("expression").to_pylist():
                try:
                    said.append(expression_from_json(written) if written else None)
                except (DeixisError, ValueError, TypeError, RecursionError) as error:
                    raise BrokenDataset(f"{path.name}, row {row}: {str(error).splitlines()[0][:200]}") from error
                row += 1
    if words is None:
        counted = (one for one, its in zip(said, splits, strict=True) if its == split)
        words = program_words(counted, rare=rare)
    try:
        return words, programs_of(said, words)
    except SchemaError as error:
        raise BrokenDataset(f"{dataset.path}: {error}") from error


def _words_of(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the words of a step."""
    match step:
        case Is(attribute, value):
            yield attribute, value
        case Related(relation, to):
            if relation not in SAME:
                yield RELATION, relation
            for inner in to.steps:
                yield from _words_of(inner)
        case Not(inner):
            yield from _words_of(inner)
        case AnyOf(steps):
            for inner in steps:
                yield from _words_of(inner)


class _Line:
    """Collects the numbers of one program."""

    def __init__(self, numbers: dict[tuple[str, str], int]) -> None:
        self.numbers = numbers
        self.line: list[int] = []
        self.height = 0

    def of(self, description: Description) -> list[int]:
        self.emit(Op.ALL)
        for step in description.steps:
            self.step(step)
        return self.line

    def emit(self, op: Op, first: int = 0, second: int = 0) -> None:
        self.line += (op, first, second)
        self.height += GROWTH[op]
        if self.height > MAX_STACK:
            raise SchemaError(f"the expression is nested too deeply for a program (more than {MAX_STACK} sets at once)")

    def word(self, dimension: str, word: str) -> int:
        return self.numbers.get((dimension, word), UNKNOWN)

    def step(self, step: Step) -> None:
        match step:
            case Is(attribute, value):
                self.emit(Op.IS, self.word(attribute, value))
            case Nth(index, side):
                if index > MAX_RANK:
                    raise SchemaError(f"a rank of {index} is too high for a program; the highest is {MAX_RANK}")
                self.emit(Op.NTH, index, SIDES.index(side))
            case Related(relation, to):
                self.of(to)
                if relation in SAME:
                    self.emit(Op.SAME, SAME.index(relation))
                else:
                    self.emit(Op.RELATED, self.word(RELATION, relation))
            case Not(inner):
                self.emit(Op.COPY, 0)
                self.step(inner)
                self.emit(Op.NOT)
            case AnyOf(steps):
                self.emit(Op.COPY, 0)
                self.step(steps[0])
                for inner in steps[1:]:
                    self.emit(Op.COPY, 1)
                    self.step(inner)
                    self.emit(Op.OR)
                self.emit(Op.DROP)
            case Extreme(attribute, _):  # pragma: no branch (the last kind of step)
                raise SchemaError(f"photographs do not order things by {attribute!r}, so that cannot be in a program")
