from __future__ import annotations

import json

import pytest
from hypothesis import given

from deixis.errors import SchemaError
from deixis.expression.plain import (
    expression_from_json,
    expression_from_plain,
    expression_to_json,
    expression_to_plain,
)
from deixis.testing import expressions


@given(expression=expressions())
def test_plain_values_give_the_expression_back(expression):
    """An expression written as JSON and read again is the same expression."""
    text = json.dumps(expression_to_plain(expression))

    assert expression_from_plain(json.loads(text)) == expression


@given(expression=expressions())
def test_a_line_of_json_gives_the_expression_back(expression):
    """The form that datasets store is one line, and means the same expression."""
    text = expression_to_json(expression)

    assert "\n" not in text
    assert json.loads(text) == expression_to_plain(expression)
    assert expression_from_json(text) == expression


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[7]", "nothing"])
def test_what_is_no_json_of_an_expression_is_refused(text):
    """Anything else is refused in one line."""
    with pytest.raises(SchemaError):
        expression_from_json(text)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"is": ["color", "red"]}, "list of steps"),
        ([{"is": ["color"]}], "cannot be understood"),
        ([{"is": ["color", "red"], "not": {}}], "cannot be understood"),
        ([{"rank": [True, "left"]}], "cannot be understood"),
        ([{"rank": [1, "inside"]}], "unknown side"),
        ([{"any of": [{"is": ["color", "red"]}]}], "at least two"),
        ([7], "cannot be understood"),
    ],
)
def test_what_is_no_expression_is_refused(values, complaint):
    """Plain values that say nothing are refused in a line that names them."""
    with pytest.raises(SchemaError, match=complaint):
        expression_from_plain(values)


def test_endless_nesting_is_refused():
    """An expression nested a thousand deep is refused, not followed to the end of the stack."""
    values: list = [{"is": ["color", "red"]}]
    for _ in range(1000):
        values = [{"related": "on", "to": values}]

    with pytest.raises(SchemaError, match="nested"):
        expression_from_plain(values)
