"""Expressions as plain values that JSON can hold, one small object for every step, and as JSON in one line.

The values are `{"is": ["color", "red"]}`, `{"end": ["size", "least"]}`, `{"rank": [2, "left"]}`,
`{"related": "on", "to": [steps]}`, `{"not": step}` and `{"any of": [step, step]}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.schema import Which


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step


__all__ = ["expression_from_json", "expression_from_plain", "expression_to_json", "expression_to_plain"]

MAX_DEPTH = 32  # of steps within steps
ENDS = {"least": Which.LEAST, "most": Which.MOST}


def expression_to_plain(expression: Expression) -> list[dict[str, Any]]:
    """The steps as plain values."""
    return [_to_plain(step) for step in expression.steps]


def expression_from_plain(values: object, *, depth: int = 0) -> Expression:
    """Return the expression that `expression_to_plain` wrote, or raise `SchemaError` for anything else."""
    if not isinstance(values, list):
        raise SchemaError(f"an expression is a list of steps, got {_shorten(values)}")
    if depth > MAX_DEPTH:
        raise SchemaError(f"the expression is nested more than {MAX_DEPTH} deep")
    return Description(tuple(_from_plain(value, depth) for value in values))


def expression_to_json(expression: Expression) -> str:
    """The steps as JSON in one line, as datasets store them."""
    return json.dumps(expression_to_plain(expression), ensure_ascii=False, separators=(",", ":"))


def expression_from_json(text: str) -> Expression:
    """Return the expression that `expression_to_json` wrote, or raise `SchemaError` for anything else."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"an expression is stored as JSON, got {_shorten(text)}") from error
    return expression_from_plain(values)


def _to_plain(step: Step) -> dict[str, Any]:
    match step:
        case Is(attribute, value):
            return {"is": [attribute, value]}
        case Extreme(attribute, which):
            return {"end": [attribute, which.name.lower()]}
        case Nth(index, side):
            return {"rank": [index, side]}
        case Related(relation, to):
            return {"related": relation, "to": expression_to_plain(to)}
        case Not(inner):
            return {"not": _to_plain(inner)}
        case AnyOf(steps):  # pragma: no branch (the last kind of step)
            return {"any of": [_to_plain(inner) for inner in steps]}


def _from_plain(said: object, depth: int) -> Step:
    if depth > MAX_DEPTH:
        raise SchemaError(f"the expression is nested more than {MAX_DEPTH} deep")
    match said:
        case {"is": [str(attribute), str(value)], **rest} if not rest:
            return Is(attribute, value)
        case {"end": [str(attribute), "least" | "most" as end], **rest} if not rest:
            return Extreme(attribute, ENDS[end])
        case {"rank": [int(index), str(side)], **rest} if not rest and not isinstance(index, bool):
            return Nth(index, side)  # type: ignore[arg-type]  # the step itself refuses sides that it does not know
        case {"related": str(relation), "to": list(steps), **rest} if not rest:
            return Related(relation, expression_from_plain(steps, depth=depth + 1))
        case {"not": inner, **rest} if not rest:
            return Not(_from_plain(inner, depth + 1))
        case {"any of": list(steps), **rest} if not rest:
            return AnyOf(tuple(_from_plain(inner, depth + 1) for inner in steps))
    raise SchemaError(
        f"a step is one of is, end, rank, related (with to), not, any of; {_shorten(said)} cannot be understood"
    )


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
