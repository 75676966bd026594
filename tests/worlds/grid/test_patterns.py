"""Patterns: names, notations and the trees they stand for."""

from __future__ import annotations

from itertools import product

import pytest

from deixis.errors import DeixisError, RecipeError, SchemaError
from deixis.expression import Related
from deixis.expression.patterns import C1, C2, MAX_CLAUSES, P1, P2, P3, PATTERNS, Pattern, pattern, pattern_of
from deixis.testing import the
from deixis.worlds.grid.language import parse


RELEASED = {
    "p1": "$OBJ_0",
    "p2": "$OBJ_0 ^ $OBJ_1",
    "p3": "$OBJ_0 ^ $OBJ_1 & $OBJ_2",
    "p4": "$OBJ_0 ^ $OBJ_1 & $OBJ_2 & $OBJ_3",
    "chain": "$OBJ_0 ^ $OBJ_1 ^ $OBJ_2",
}


def test_the_named_patterns_are_written_as_in_the_released_files():
    """The five patterns of ReaSCAN have the notation of its files, and are found from it."""
    assert {name: known.notation for name, known in PATTERNS.items()} == RELEASED
    assert all(pattern(notation) is pattern(name) for name, notation in RELEASED.items())


@pytest.mark.parametrize(
    ("short", "parents"),
    [
        ("^", (-1, 0)),
        ("^ & & &", (-1, 0, 0, 0, 0)),
        ("^ & ^", (-1, 0, 0, 2)),
        ("^ ^ &", (-1, 0, 1, 1)),
        ("^ & & ^ &", (-1, 0, 0, 0, 3, 3)),
        ("^ ^ ^ ^ ^ ^ ^", (-1, 0, 1, 2, 3, 4, 5, 6)),
    ],
)
def test_a_short_notation_says_what_hangs_on_what(short, parents):
    """'^' hangs a clause on the phrase just before, '&' on the head of the last '^'."""
    assert pattern(short).parents == parents
    assert len(pattern(short)) == len(parents)


def test_short_and_long_notations_name_the_same_patterns():
    """Every notation of up to seven clauses stands for a pattern of its own, which its full notation and name find."""
    shorts = [" ".join(("^", *rest)) for n in range(MAX_CLAUSES) for rest in product("^&", repeat=n)]

    found = [pattern(short) for short in shorts]

    assert len({known.parents for known in found}) == len(shorts) == 2**MAX_CLAUSES - 1
    assert all(pattern(known.notation) == pattern(known.name) == known for known in found)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "p5",
        "&",
        "& ^",
        "^ ^ ^ ^ ^ ^ ^ ^",
        "^&",
        "^ and",
        "$OBJ_1",
        "$OBJ_0 $OBJ_1",
        "$OBJ_0 ^ $OBJ_2",
        "$OBJ_0 ^ $OBJ_1 &",
        "$OBJ_0 & $OBJ_1",
        "^ $OBJ_1",
        "\x00",
    ],
)
def test_an_impossible_pattern_is_refused(name):
    """A notation that hangs a clause on nothing, skips a mention or goes on too long is refused."""
    with pytest.raises(RecipeError, match="impossible pattern"):
        pattern(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the circle", P1),
        ("the circle that is inside of a box", P2),
        ("the circle that is inside of a box and in the same row as a square", P3),
        ("the circle that is inside of a box and in the same row as a square and in the same size as a box", C1),
        ("the circle that is in the same row as a square that is inside of a box", C2),
    ],
)
def test_the_pattern_of_an_expression_is_found(text, expected):
    """An expression has the pattern of its clauses."""
    assert pattern_of(parse(text)) is expected


def test_a_pattern_without_a_name_is_called_by_its_notation():
    """The name of any other pattern is its notation."""
    text = "the circle that is inside of a box and in the same row as a square that is in the same size as a box"

    assert pattern_of(parse(text)).name == "$OBJ_0 ^ $OBJ_1 & $OBJ_2 ^ $OBJ_3"


def test_an_expression_that_cannot_be_said_has_no_pattern():
    """Where a clause would return to a head already left, there is no pattern rather than a wrong one."""
    first = Related("same row", parse("a square that is inside of a box"))
    expression = the("circle", first, Related("same column", the("cylinder")))

    with pytest.raises(SchemaError, match="hang on"):
        pattern_of(expression)


@pytest.mark.parametrize(
    "parents", [(), (0,), (-1, -1), (-1, 1), (-1, 0, 2), (-1, 0, 1, 0), (-1, 0, 0, 1), (-1, 0, -1)]
)
def test_mentions_that_hang_on_nothing_are_refused(parents):
    """A pattern can only be made of parents that some command has."""
    with pytest.raises(DeixisError, match="no command has mentions that hang on"):
        Pattern("odd", parents)
