from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from deixis._kernels.ops import Op
from deixis.errors import SchemaError, UnknownName
from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related, compile_expression, decompile
from deixis.expression.program import MAX_MENTIONS
from deixis.schema import Attribute, Relation, Schema, Which
from deixis.testing import expressions, the
from deixis.worlds.grid.scene import GRID


PHOTO = Schema(
    name="photo",
    attributes=(
        Attribute(name="name", values=("cup", "table")),
        Attribute(name="height", values=("1", "2"), is_ordered=True),
    ),
    relations=(Relation(name="on"), Relation(name="near")),
)


@given(expressions())
def test_a_program_says_what_the_expression_says(expression):
    """Decompiling a compiled grid expression gives the same expression."""
    assert decompile(compile_expression(expression, GRID), GRID) == expression


@given(expressions(PHOTO))
def test_programs_serve_any_schema(expression):
    """Compiling and decompiling are inverse in other schemas too."""
    assert decompile(compile_expression(expression, PHOTO), PHOTO) == expression


def test_a_program_is_a_postfix_table():
    """Inner descriptions come before the clause that needs them; mentions are marked where they are complete."""
    program = compile_expression(the("circle", Related("inside", the("box"))), GRID)

    assert [Op(row[0]).name for row in program.rows.tolist()] == ["ALL", "IS", "ALL", "IS", "MARK", "RELATED", "MARK"]
    assert program.tree.tolist() == [[-1, -1], [0, GRID.relation_code("inside")]]


def test_mentions_inside_negations_and_alternatives_are_not_bound():
    """Only mentions reached through clauses alone are in the tree of those that must be different objects."""
    clause = Related("same row", the("square", Related("same column", the("circle"))))

    program = compile_expression(Description((Not(clause), AnyOf((clause, clause)), clause)), GRID)

    assert program.tree[:, 0].tolist() == [-1, 0, 1]


def test_a_program_cannot_be_changed():
    """Programs are shared through a cache, so their tables are read-only."""
    program = compile_expression(the("circle"), GRID)

    assert compile_expression(the("circle"), GRID) is program
    for table in (program.rows, program.tree):
        assert table.dtype == np.int16
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


def test_too_many_mentions_are_refused():
    """The compiled matcher has room for a dozen mentions."""
    clauses = (Related("same row", Description()),) * (MAX_MENTIONS - 1)

    assert len(compile_expression(Description(clauses), GRID).tree) == MAX_MENTIONS
    with pytest.raises(SchemaError, match=f"mentions {MAX_MENTIONS + 1} objects; at most {MAX_MENTIONS}"):
        compile_expression(Description((*clauses, clauses[0])), GRID)


def test_too_deep_nesting_is_refused():
    """Negations piled too high for the stack of the compiled resolver are refused."""
    step = Is("color", "red")
    for _ in range(16):
        step = Not(step)

    with pytest.raises(SchemaError, match="nested too deeply"):
        compile_expression(Description((step,)), GRID)


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Is("colour", "red"), UnknownName),
        (Is("color", "pink"), UnknownName),
        (Related("behind", Description()), UnknownName),
        (Extreme("weight", Which.MOST), UnknownName),
        (Extreme("color", Which.MOST), SchemaError),
        (Nth(2**15, "left"), SchemaError),
    ],
)
def test_what_the_schema_cannot_say_cannot_be_compiled(step, error):
    """Unknown names, ends of an attribute without order and ranks too high for the table are errors with a name."""
    with pytest.raises(error):
        compile_expression(Description((step,)), GRID)
