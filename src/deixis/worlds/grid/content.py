"""Content words: the words that an *every-word* world must not do without.

Every size, colour and noun, and every relation, counts; but the noun of 'inside of a box' does not, because nothing
else can be what something is inside of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.expression.parts import mention_at, parts
from deixis.expression.steps import Is, Related


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.parts import Part


__all__ = ["content_parts", "count_words", "is_implied"]

BOX = Is("shape", "box")


def content_parts(expression: Expression) -> tuple[Part, ...]:
    """The parts of an expression that say something of their own."""
    return tuple(part for part in parts(expression) if not is_implied(part, expression))


def count_words(expression: Expression) -> int:
    """How many content words an expression has; a clause counts one, for its relation."""
    return len(content_parts(expression))


def is_implied(part: Part, expression: Expression) -> bool:
    """Whether a part only repeats what its clause has said: the noun 'box' after 'inside of'."""
    above = part.address[:-1]
    if part.step != BOX or not above:
        return False
    clause = mention_at(expression, above[:-1]).steps[above[-1]]
    return isinstance(clause, Related) and clause.relation == "inside"
