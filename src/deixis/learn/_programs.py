"""Programs over soft sets: what the parse of a text tells a model to do, without what any word means.

A program is a line of numbers, three for each row: an operation of `deixis._kernels.ops` and its two arguments. It runs
on a stack of soft sets (`deixis.learn._soft_sets`), one for each text:

| operation | arguments | |
|---|---|---|
| `ALL` | | put the set of all objects onto the stack |
| `IS` | word | keep those of the top set that it holds of |
| `EXTREME` | word | keep those of the top set that it holds of, compared with the others in it |
| `NTH` | n, side | keep the nth from a side |
| `RELATED` | word | take the top set away; keep those of the next that are related to it |
| `SAME` | dimension | the same, for having a value of the dimension in common |
| `COPY` | d | put onto the stack a copy of the set that lies d below its top |
| `NOT` | | take the top set away, and its objects out of the next |
| `OR` | | take the top set away, and add its objects to the next; both are parts of the one below |
| `DROP` | | take away the set below the top |

Which objects a word holds of, and which pairs a relation, a `Judge` says: that is what is learnt. The judge of regions
of photographs is `TreeGrounder`, that of objects with features `deixis.learn._told.ObjectReader`.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

import torch
from torch.nn import functional

from deixis._kernels.ops import GROWTH, Op
from deixis.errors import SchemaError
from deixis.expression.program import compile_expression
from deixis.learn._soft_sets import NEVER, either, nth, relate, without


if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from torch import Tensor

    from deixis.expression.description import Expression
    from deixis.schema import Schema

    Rows = TypeVar("Rows", bound=tuple[Tensor, ...])


PAD = 0  # no word, and the operation that does nothing


class ProgramRows(NamedTuple):
    """Programs as read.

    Shapes:
        op, first, second: int64 [text, row], the operation and its arguments. height: int64 [text, row], how many sets
            are on the stack before the row.
    """

    op: Tensor
    first: Tensor
    second: Tensor
    height: Tensor

    def taking(self, texts: Tensor) -> ProgramRows:
        """Some programs alone, int64 [text]."""
        return ProgramRows(*(part[texts] for part in self))


class Judge(Protocol):
    """Scores of words for the objects that some texts, int64 [pair], are about, as logarithms of probabilities.

    Every word stands in a row of the programs, so that a judge may have judged all of a text at once.

    Shapes:
        words: int64 [pair].
    """

    def holds(self, row: int, words: Tensor, pairs: Tensor) -> Tensor:
        """Whether a word holds of each object: float [pair, object]."""

    def relation(self, row: int, words: Tensor, pairs: Tensor) -> Tensor:
        """Whether a relation holds of an object and another: float [pair, object, other]."""

    def comparison(self, row: int, words: Tensor, inside: Tensor, pairs: Tensor) -> Tensor:
        """Whether a word holds of each object compared with those in a set: float [pair, object]."""

    def common(self, dimensions: Tensor, pairs: Tensor) -> Tensor:
        """Whether two objects have a value of a dimension in common: float [pair, object, other]."""

    def centres(self, pairs: Tensor) -> Tensor:
        """Where objects are, across and down: float [pair, object, 2]."""


def read_rows(lines: Tensor) -> ProgramRows:
    """Return programs as rows: int64 [text, number], three numbers for each row.

    An empty program says nothing, so that everything fits it.
    """
    rows = functional.pad(lines, (0, -lines.shape[1] % 3), value=PAD).unflatten(1, (-1, 3))
    op, first, second = rows.unbind(-1)
    growth = torch.tensor(GROWTH, device=op.device)[op]
    return ProgramRows(op, first, second, growth.cumsum(1) - growth)


def run_programs(programs: ProgramRows, there: Tensor, judge: Judge) -> Tensor:
    """Run programs, each on the objects that are there, bool [pair, object]: float [pair, object], at most 0."""
    everything = torch.zeros_like(there, dtype=torch.float32).masked_fill(~there, NEVER)
    deepest = int(programs.height.max()) + 1 if programs.height.numel() else 1
    stack = everything[:, None].expand(-1, deepest, -1)
    growth = torch.tensor(GROWTH, device=there.device)[programs.op]
    for row, present in enumerate(_present(programs.op)):
        here = ProgramRows(*(part[:, row] for part in programs))
        value = _at(stack, here.height - 1)  # what padding and DROP leave
        for op, pairs in present:
            new = _step(op, row, here.taking(pairs), pairs, stack[pairs], everything, judge)
            value = value.index_copy(0, pairs, new)
        slot = (here.height + growth[:, row] - 1).clamp(min=0)
        is_slot = torch.arange(deepest, device=slot.device) == slot[:, None]
        stack = torch.where(is_slot[..., None], value[:, None], stack)
    return stack[:, 0]


def _step(op: Op, row: int, some: ProgramRows, pairs: Tensor, sets: Tensor, everything: Tensor, judge: Judge) -> Tensor:
    """Return the set that an operation leaves on top: float [pair, object]."""
    top, below, third = (_at(sets, some.height - depth) for depth in (1, 2, 3))
    match op:
        case Op.ALL:
            return everything[pairs]
        case Op.IS:
            return top + judge.holds(row, some.first, pairs)
        case Op.EXTREME:
            return top + judge.comparison(row, some.first, top, pairs)
        case Op.NTH:
            return nth(top, judge.centres(pairs), some.first, some.second)
        case Op.RELATED:
            return below + relate(judge.relation(row, some.first, pairs), top)
        case Op.SAME:
            return below + relate(judge.common(some.first, pairs), top)
        case Op.COPY:
            return _at(sets, some.height - 1 - some.first)
        case Op.NOT:
            return without(below, top)
        case _:
            return either(third, below, top)


def _present(op: Tensor) -> list[list[tuple[Op, Tensor]]]:
    """The operations of each row that change a set, up to the last row that has any, and the pairs that have each.

    All is sorted out on the CPU and sent at once, so that a GPU is waited for once and not for every operation.
    """
    rows = op.T.cpu()  # [row, pair]
    last = int((rows != PAD).any(1).nonzero().max()) + 1 if bool((rows != PAD).any()) else 0
    found = [[(number, (row == number).nonzero()[:, 0]) for number in row.unique().tolist()] for row in rows[:last]]
    kept = [[(number, some) for number, some in row if number not in (PAD, Op.DROP, Op.MARK)] for row in found]
    every = [some for row in kept for _, some in row]
    sent = iter(torch.cat(every).to(op.device).split([len(some) for some in every]) if every else ())
    return [[(Op(number), next(sent)) for number, _ in row] for row in kept]


def _at(stack: Tensor, place: Tensor) -> Tensor:
    """One set of each stack: float [pair, depth, object] and int64 [pair] -> float [pair, object]."""
    index = place.clamp(min=0)[:, None, None].expand(-1, 1, stack.shape[2])
    return stack.gather(1, index)[:, 0]


# -------------------------------------------------------------------------------- the words of a schema


class SchemaSymbols:
    """Numbers for all that expressions over a schema say: a model is told which are the same, and no more.

    Number 0 stands for nothing. A value, an end of an ordered attribute and a relation each have a number.

    Args:
        schema: of the world.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        sizes = [len(attribute.values) for attribute in schema.attributes]
        self._values = list(accumulate(sizes, initial=1))
        self._ends = self._values[-1]
        self._relations = self._ends + 2 * len(sizes)
        self.names = (
            *((f"{one.name} {value}") for one in schema.attributes for value in one.values),
            *((f"{one.name} {end}") for one in schema.attributes for end in ("least", "most")),
            *(relation.name for relation in schema.relations),
        )

    def __len__(self) -> int:
        return len(self.names) + 1

    def line(self, expression: Expression) -> list[int]:
        """Return the program of an expression, three numbers for each row."""
        rows = compile_expression(expression, self.schema).rows.tolist()
        return [number for op, first, second in rows if op != Op.MARK for number in self._row(op, first, second)]

    def bag(self, said: Sequence[Expression]) -> list[int]:
        """Return a program for steps in no order that anybody knows: what holds by itself first, then comparisons.

        Relations are left out, since nobody knows of what.
        """
        lines = [self.line(one) for one in said]
        rows = sorted({tuple(line[at : at + 3]) for line in lines for at in range(0, len(line), 3)})
        kept = [row for op in (Op.IS, Op.EXTREME) for row in rows if row[0] == op]
        return [Op.ALL, 0, 0, *(number for row in kept for number in row)]

    def _row(self, op: int, first: int, second: int) -> tuple[int, int, int]:
        match op:
            case Op.IS:
                return op, self._values[first] + second, 0
            case Op.EXTREME:
                return op, self._ends + 2 * first + second, 0
            case Op.RELATED:
                return op, self._relations + first, 0
            case _:
                return op, first, second


def lines_of(programs: Sequence[Sequence[int]], *, width: int = 0) -> list[list[int]]:
    """Return programs padded to one width, or to that of the longest.

    Raises:
        SchemaError: when one is longer.
    """
    longest = max(width, max(map(len, programs), default=0))
    if width and longest > width:
        raise SchemaError(f"an expression has a program of {longest // 3} steps; there is room for {width // 3}")
    return [[*line, *[PAD] * (longest - len(line))] for line in programs]
