"""Content words: the parts of an expression that say something of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.expression.parts import mention_at, parts
from deixis.expression.steps import Is, Related


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.parts import Part
    from deixis.schema import Schema


__all__ = ["content_parts", "count_words", "is_implied"]


def content_parts(expression: Expression, schema: Schema) -> tuple[Part, ...]:
    """The parts of an expression, except those that only repeat what their clause has said."""
    return tuple(part for part in parts(expression) if not is_implied(part, expression, schema))


def count_words(expression: Expression, schema: Schema) -> int:
    """How many content words an expression has; a clause counts one, for its relation."""
    return len(content_parts(expression, schema))


def is_implied(part: Part, expression: Expression, schema: Schema) -> bool:
    """Whether the clause around a word already says what it says: 'box' after 'inside of', since nothing else fits."""
    above = part.address[:-1]
    if not above or not isinstance(part.step, Is):
        return False
    clause = mention_at(expression, above[:-1]).steps[above[-1]]
    said = (part.step.attribute, part.step.value)
    return isinstance(clause, Related) and said in schema.relation(clause.relation).to
