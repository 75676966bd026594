"""Expressions as short integer tables, the form the compiled resolver runs.

A program is a postfix table of rows (operation, a, b) over a stack of object sets. The operations are those of
`_kernels.ops`:

    ALL          push the set of all objects
    IS a v       keep the objects whose attribute a has value v
    EXTREME a w  keep those towards the end w of attribute a
    NTH n s      keep the nth from side s
    RELATED r    pop a set; keep the objects that stand in relation r to something in it
    MARK n       remember the top set as that of mention n
    COPY d       push a copy of the set d places below the top
    NOT          pop a set; take its objects out of the one below
    OR           pop a set; add its objects to the one below
    DROP         take out the set below the top

Beside it stands the tree of mentions (parent, relation), which the matcher needs when every mention must be a
different object.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from deixis._kernels.ops import GROWTH, Op
from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import SIDES, AnyOf, Extreme, Is, Not, Nth, Related, Step
from deixis.schema import Which


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.schema import Schema


__all__ = ["MAX_MENTIONS", "Program", "compile_expression", "decompile"]

MAX_MENTIONS = 12  # of one expression, for the compiled matcher
MAX_STACK = 16
MAX_RANK = 2**15 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A compiled expression.

    Shapes:
        rows: int16 [row, 3], operation and two arguments.
        tree: int16 [mention, 2], parent and relation; -1 for the root. Mentions inside negations and alternatives are
            not in it: those are read on their own.
    """

    rows: np.ndarray
    tree: np.ndarray


@lru_cache(maxsize=65536)
def compile_expression(expression: Expression, schema: Schema) -> Program:
    """The program of an expression, cached by its value."""
    writer = _Writer(schema)
    writer.description(expression, parent=-1, relation=-1, is_bound=True)
    if len(writer.tree) > MAX_MENTIONS:
        raise SchemaError(f"the expression mentions {len(writer.tree)} objects; at most {MAX_MENTIONS} can be compiled")
    rows = np.array(writer.rows, np.int16).reshape(-1, 3)
    tree = np.array(writer.tree, np.int16).reshape(-1, 2)
    rows.setflags(write=False)
    tree.setflags(write=False)
    return Program(rows=rows, tree=tree)


class _Writer:
    """Collects the rows of one program."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.rows: list[tuple[int, int, int]] = []
        self.tree: list[tuple[int, int]] = []
        self.height = 0

    def emit(self, op: Op, a: int = 0, b: int = 0) -> None:
        self.rows.append((op, a, b))
        self.height += GROWTH[op]
        if self.height > MAX_STACK:
            raise SchemaError(f"the expression is nested too deeply to compile (more than {MAX_STACK} sets at once)")

    def description(self, description: Description, *, parent: int, relation: int, is_bound: bool) -> None:
        mention = -1
        if is_bound:
            mention = len(self.tree)
            self.tree.append((parent, relation))
        self.emit(Op.ALL)
        for step in description.steps:
            self.step(step, mention=mention)
        if is_bound:
            self.emit(Op.MARK, mention)

    def step(self, step: Step, *, mention: int) -> None:
        match step:
            case Is(attribute, value):
                code = self.schema.attribute_code(attribute)
                self.emit(Op.IS, code, self.schema.attributes[code].code(value))
            case Extreme(attribute, which):
                self.schema.attribute(attribute).demand_order()
                self.emit(Op.EXTREME, self.schema.attribute_code(attribute), which)
            case Nth(index, side):
                if index > MAX_RANK:
                    raise SchemaError(f"a rank of {index} is too high to compile; the highest is {MAX_RANK}")
                self.emit(Op.NTH, index, SIDES.index(side))
            case Related(relation, to):
                code = self.schema.relation_code(relation)
                self.description(to, parent=mention, relation=code, is_bound=mention >= 0)
                self.emit(Op.RELATED, code)
            case Not(inner):
                self.emit(Op.COPY, 0)
                self.step(inner, mention=-1)
                self.emit(Op.NOT)
            case AnyOf(steps):  # pragma: no branch (the last kind of step)
                self.emit(Op.COPY, 0)
                self.step(steps[0], mention=-1)
                for inner in steps[1:]:
                    self.emit(Op.COPY, 1)
                    self.step(inner, mention=-1)
                    self.emit(Op.OR)
                self.emit(Op.DROP)


def decompile(program: Program, schema: Schema) -> Expression:
    """Return the expression of a program, as the inverse of `compile_expression`."""
    stack: list[list[Step]] = []
    for op, a, b in program.rows.tolist():
        match op:
            case Op.ALL | Op.COPY:
                stack.append([])
            case Op.IS:
                attribute = schema.attributes[a]
                stack[-1].append(Is(attribute.name, attribute.values[b]))
            case Op.EXTREME:
                stack[-1].append(Extreme(schema.attributes[a].name, Which(b)))
            case Op.NTH:
                stack[-1].append(Nth(a, SIDES[b]))
            case Op.RELATED:
                to = Description(tuple(stack.pop()))
                stack[-1].append(Related(schema.relations[a].name, to))
            case Op.NOT:
                (inner,) = stack.pop()
                stack[-1].append(Not(inner))
            case Op.OR:
                alternatives = stack.pop()
                stack[-1].extend(alternatives)
            case Op.DROP:
                alternatives = stack.pop()
                stack[-1].append(AnyOf(tuple(alternatives)))
    return Description(tuple(stack.pop()))
