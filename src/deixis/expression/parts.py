"""The parts of an expression, and the three edits from which all misreadings are made.

A part is one removable piece: a word for a value, a size word or rank, a clause, a negation, an alternative. It is
addressed by the way down to it: `(3,)` is step 3 of the whole, `(3, 0)` step 0 of what step 3 relates to.
Distractors, necessity, splits, error attribution and highlighting are short functions over `parts` and the edits
below:

    without(expression, part)          leave a part out
    replacing(expression, part, step)  say something else in its place
    swapping(expression, one, other)   exchange two parts

`exchanging` builds on them: it swaps all words of some attributes between two noun phrases. `adding` is no misreading:
it says one thing more, as somebody does who was not understood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related, Step


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression


__all__ = ["Address", "Part", "adding", "exchanging", "mention_at", "parts", "replacing", "swapping", "without"]

Address: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["value", "selector", "clause", "negation", "alternative"]


@dataclass(frozen=True, slots=True)
class Part:
    """One removable piece of an expression: where it is and what it says."""

    address: Address
    step: Step

    @property
    def kind(self) -> Kind:
        """Kind of the part."""
        match self.step:
            case Is():
                return "value"
            case Extreme() | Nth():
                return "selector"
            case Related():
                return "clause"
            case Not():
                return "negation"
            case AnyOf():  # pragma: no branch (the last kind of step)
                return "alternative"

    @property
    def attribute(self) -> str | None:
        """The attribute the piece is about, for words of values and sizes."""
        return self.step.attribute if isinstance(self.step, Is | Extreme) else None


def parts(expression: Expression) -> Iterator[Part]:
    """Every part, outer before inner, in the order of the steps."""
    yield from _parts(expression.steps, ())


def without(expression: Expression, part: Part) -> Expression:
    """The expression with one part left out.

    Leaving out what is negated leaves out the negation; leaving out one of two alternatives leaves the other.
    """
    return Description(_edit_steps(expression.steps, part.address, None))


def replacing(expression: Expression, part: Part, step: Step) -> Expression:
    """The expression with something else said in the place of one part."""
    return Description(_edit_steps(expression.steps, part.address, step))


def swapping(expression: Expression, one: Part, other: Part) -> Expression:
    """Return the expression with two parts exchanged, neither of which may lie inside the other."""
    short, long = sorted((one.address, other.address), key=len)
    if long[: len(short)] == short:
        raise SchemaError("a part cannot be swapped with itself or with something inside it")
    return replacing(replacing(expression, one, other.step), other, one.step)


def adding(expression: Expression, address: Address, step: Step) -> Expression:
    """Return the expression with one step more in the mention at an address.

    Values come first, then what compares, then clauses; the new step is the last of its kind.

    Example:
        >>> import deixis as dx
        >>> print(adding(dx.parse("the small circle"), (), Is("color", "red")))
        [shape=circle, color=red, size=least]
    """
    said = mention_at(expression, address).steps
    place = sum(_rank(one) <= _rank(step) for one in said)
    return _with_mention(expression, address, Description((*said[:place], step, *said[place:])))


def exchanging(expression: Expression, one: Address, other: Address, attributes: frozenset[str]) -> Expression:
    """The expression with all words of some attributes exchanged between two noun phrases.

    `one` and `other` are addresses of mentions: `()` is the whole, `(3,)` what step 3 relates to. A word that only
    one of the phrases has moves to the other: 'a red circle … a small square' becomes 'a circle … a small red
    square'.
    """
    outer, inner = sorted((one, other), key=len)  # editing the outer phrase first would shift the way to the inner one
    words_out = _words(mention_at(expression, outer), attributes)
    words_in = _words(mention_at(expression, inner), attributes)
    for address, words in ((inner, words_out), (outer, words_in)):
        mention = _with_words(mention_at(expression, address), words, attributes)
        expression = _with_mention(expression, address, mention)
    return expression


def mention_at(expression: Expression, address: Address) -> Description:
    """The description at an address: the whole for `()`, else what the clause there relates to."""
    steps: tuple[Step, ...] = expression.steps
    for index in address:
        steps = _children(_step_at(steps, index, address))
    return Description(steps)


def _parts(steps: tuple[Step, ...], above: Address) -> Iterator[Part]:
    for index, step in enumerate(steps):
        address = (*above, index)
        yield Part(address, step)
        yield from _parts(_children(step), address)


def _children(step: Step) -> tuple[Step, ...]:
    match step:
        case Related(_, to):
            return to.steps
        case Not(inner):
            return (inner,)
        case AnyOf(steps):
            return steps
        case _:
            return ()


def _step_at(steps: tuple[Step, ...], index: int, address: Address) -> Step:
    if not 0 <= index < len(steps):
        raise SchemaError(f"the expression has no part at {address}")
    return steps[index]


def _edit_steps(steps: tuple[Step, ...], address: Address, new: Step | None) -> tuple[Step, ...]:
    """Return the steps with the one at `address` replaced, or taken out if `new` is None."""
    if not address:
        raise SchemaError("a part has an address of at least one step; the whole expression is not a part")
    index, below = address[0], address[1:]
    here = _step_at(steps, index, address)
    changed = _edited_inside(here, below, new) if below else new
    return (*steps[:index], *(() if changed is None else (changed,)), *steps[index + 1 :])


def _edited_inside(step: Step, address: Address, new: Step | None) -> Step | None:
    inner = _edit_steps(_children(step), address, new)
    if isinstance(step, Related):
        return Related(step.relation, Description(inner))
    if isinstance(step, Not):
        return Not(inner[0]) if inner else None
    return AnyOf(inner) if len(inner) > 1 else inner[0]  # steps without children have no part to edit


def _words(mention: Description, attributes: frozenset[str]) -> tuple[Step, ...]:
    return tuple(s for s in mention.steps if isinstance(s, Is | Extreme) and s.attribute in attributes)


def _with_words(mention: Description, words: tuple[Step, ...], attributes: frozenset[str]) -> Description:
    """The mention with its words of these attributes replaced; values first, then selectors, then clauses.

    A mention whose words stay the same keeps their order.
    """
    if frozenset(words) == frozenset(_words(mention, attributes)):
        return mention
    kept = tuple(s for s in mention.steps if not (isinstance(s, Is | Extreme) and s.attribute in attributes))
    return Description(tuple(sorted((*words, *kept), key=_rank)))


def _rank(step: Step) -> int:
    return 0 if isinstance(step, Is) else 1 if isinstance(step, Extreme | Nth) else 2


def _with_mention(expression: Expression, address: Address, mention: Description) -> Expression:
    if not address:
        return mention
    clause = mention_at(expression, address[:-1]).steps[address[-1]]
    if not isinstance(clause, Related):
        raise SchemaError(f"there is no clause at {address}")
    part = Part(address, clause)
    return replacing(expression, part, Related(clause.relation, mention))
