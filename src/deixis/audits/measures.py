"""The measures of an audit as plain definitions: functions of an expression and the context in which it is said.

They hold for every kind of scene. A world that works them out faster, for a million examples, must give the same
counts. Where many expressions are said of the same scenes, a `memory` of them saves time and changes no result.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from deixis.audits.audit import CLAUSE, IMPLIED, SUFFICIENT
from deixis.distractors.necessity import find_reached, is_implied
from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import Part, exchanging, mention_at, parts, replacing, without
from deixis.expression.patterns import pattern_of
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.resolution.reference import resolve


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.resolution._remembered import RememberedScenes
    from deixis.resolution.reference import Referents
    from deixis.scene.scene import Context, Where
    from deixis.schema import Schema


__all__ = [
    "AuditedPart",
    "Bag",
    "audited_parts",
    "bag_of_words_solves",
    "colour_and_shape",
    "exchanges",
    "first_clause_alone",
    "is_content_word",
    "left_without",
    "namesakes",
    "noun_alone",
    "pattern_name",
    "reached_by_misreading",
    "reorderings",
    "solves",
    "why_not_judged",
]

Bag: TypeAlias = "Callable[[Expression], tuple[Expression, ...]]"
COLOUR = "color"
NOTHING, SEVERAL, ANOTHER = "fits no object", "fits several objects", "fits another object than the target"
ODD_PATTERN = "other"


class AuditedPart(NamedTuple):
    """One part of an expression with its phrase and kind.

    Attributes:
        phrase: `target` for what is said of the target itself, `other` for what is said of anything else.
        kind: `noun`, `colour word`, `size word`, … by attribute; `clause`, `rank`, `negation`, `alternative`; or
            `implied noun` for a noun that its relation implies, such as 'box' after 'inside of'.
    """

    part: Part
    phrase: str
    kind: str


def audited_parts(expression: Expression, schema: Schema) -> tuple[AuditedPart, ...]:
    """Return every part with the phrase it belongs to and its kind, in the order of `parts`."""
    return tuple(
        AuditedPart(part, _phrase(expression, part), _kind(expression, part, schema)) for part in parts(expression)
    )


def is_content_word(kind: str) -> bool:
    """Return whether a part of this kind is a content word: no clause, and nothing implied by one."""
    return kind not in (CLAUSE, IMPLIED)


def pattern_name(expression: Expression) -> str:
    """Return the pattern of the mentions, such as `p3` or `chain`, or `other` for one that no command has."""
    try:
        return pattern_of(expression).name
    except SchemaError:
        return ODD_PATTERN


def why_not_judged(expression: Expression, context: Context, *, memory: RememberedScenes | None = None) -> str:
    """Return why an expression does not pick out the target alone, or an empty text if it does.

    Only an expression that does can be judged word by word.
    """
    found = _resolver(memory)(expression, context).objects
    if found == {context.target}:
        return ""
    return NOTHING if not found else SEVERAL if len(found) > 1 else ANOTHER


# -------------------------------------------------------------------------------- what is needed


def left_without(
    expression: Expression, context: Context, *, memory: RememberedScenes | None = None
) -> dict[Part, frozenset[Where]]:
    """For every part, what the expression picks out without it.

    A part is needed when that is something else than the target alone; whatever is not the target is a competitor that
    the part keeps away.
    """
    resolved = _resolver(memory)
    return {part: resolved(without(expression, part), context).objects for part in parts(expression)}


def colour_and_shape(expression: Expression, context: Context, *, memory: RememberedScenes | None = None) -> str | None:
    """Return which of colour word and noun suffice for the target, or None unless it has both.

    The colour suffices when the expression still picks out the target alone without the noun, and the other way round
    (ReaSCAN, section 3, item 2, about gSCAN).
    """
    head = context.scenes[context.target.scene].schema.head
    colour = _word_of_target(expression, COLOUR)
    noun = _word_of_target(expression, head.name) if head else None
    if colour is None or noun is None or colour == noun:
        return None
    colour_suffices = solves(without(expression, noun), context, memory=memory)
    shape_suffices = solves(without(expression, colour), context, memory=memory)
    return SUFFICIENT[colour_suffices + 2 * shape_suffices]


# -------------------------------------------------------------------------------- shortcuts


def solves(reading: Expression, context: Context, *, memory: RememberedScenes | None = None) -> bool:
    """Return whether a reading picks out exactly the target."""
    return _resolver(memory)(reading, context).objects == {context.target}


def noun_alone(expression: Expression, schema: Schema) -> Expression:
    """Return the expression reduced to the noun of the target.

    A noun that says nothing fits everything.
    """
    return Description(tuple(s for s in expression.steps if isinstance(s, Is) and _is_head(s, schema)))


def first_clause_alone(expression: Expression) -> Expression | None:
    """Return the noun phrase with the first of its clauses, or None if there are fewer than two."""
    if len(expression.clauses) < 2:
        return None
    places = [place for place, step in enumerate(expression.steps) if isinstance(step, Related)]
    return Description(tuple(step for place, step in enumerate(expression.steps) if place not in places[1:]))


def exchanges(expression: Expression) -> tuple[Expression, ...]:
    """Return the readings of a reader who knows the words but not their order.

    In each reading the words for one attribute change places between two of the phrases, that of the target included
    (a word that only one of them has moves to the other), or two clauses change their relations. Readings that say the
    same as the expression are left out.
    """
    clauses = [
        part.address for part in parts(expression) if isinstance(part.step, Related) and _is_bound(part, expression)
    ]
    attributes = dict.fromkeys(part.attribute for part in parts(expression) if part.attribute)
    found: dict[Expression, None] = {}
    for one, other in combinations(((), *clauses), 2):
        for attribute in attributes:
            found[exchanging(expression, one, other, frozenset((attribute,)))] = None
    for one, other in combinations(clauses, 2):
        found[_with_relations_exchanged(expression, one, other)] = None
    found.pop(expression, None)
    return tuple(found)


def reorderings(expression: Expression) -> tuple[Expression, ...]:
    """Return the readings of a reader who does not know to which phrase any of the words belongs.

    Besides the readings of `exchanges`, two phrases change places as a whole, noun and all attributes ('the cup to the
    left of the plate', 'the plate to the left of the cup'), and phrases and relations of alternatives count as those of
    other clauses do. What is denied stays as it is. Readings that say the same as the expression are left out.
    """
    clauses = [
        part.address
        for part in parts(expression)
        if isinstance(part.step, Related) and _is_bound(part, expression, through=(Related, AnyOf))
    ]
    attributes = dict.fromkeys(part.attribute for part in parts(expression) if part.attribute)
    kinds = (*(frozenset((attribute,)) for attribute in attributes), frozenset(attributes))
    found: dict[Expression, None] = {}
    for one, other in combinations(((), *clauses), 2):
        for some in kinds:
            found[exchanging(expression, one, other, some)] = None
    for one, other in combinations(clauses, 2):
        found[_with_relations_exchanged(expression, one, other)] = None
    found.pop(expression, None)
    return tuple(found)


def bag_of_words_solves(
    expression: Expression, context: Context, bag: Bag = exchanges, *, memory: RememberedScenes | None = None
) -> bool:
    """Return whether no exchange of words picks out an object other than the target.

    An expression of one phrase is always solved: the order of its words tells nothing.

    Args:
        expression: what is said.
        context: where.
        bag: the readings of who does not know the order of the words: `exchanges` or `reorderings`.
        memory: what is known about the scenes, where many expressions are said of them.
    """
    resolved = _resolver(memory)
    return all(resolved(reading, context).objects <= {context.target} for reading in bag(expression))


# -------------------------------------------------------------------------------- competitors and chance


def reached_by_misreading(
    expression: Expression, context: Context, *, memory: RememberedScenes | None = None
) -> frozenset[Where]:
    """The wrong objects that some single misreading leads to."""
    return find_reached(expression, context, memory=memory)


def namesakes(expression: Expression, context: Context, *, memory: RememberedScenes | None = None) -> frozenset[Where]:
    """The objects that fit the noun of the target, itself included."""
    schema = context.scenes[context.target.scene].schema
    return _resolver(memory)(noun_alone(expression, schema), context).objects


# -------------------------------------------------------------------------------- inside


def _resolver(memory: RememberedScenes | None) -> Callable[[Expression, Context], Referents]:
    """How expressions are resolved: by the definition, or by what is known about the scenes, with the same result."""
    return resolve if memory is None else memory.resolve


def _phrase(expression: Expression, part: Part) -> str:
    above = (_step_at(expression, part.address[: k + 1]) for k in range(len(part.address) - 1))
    return "other" if any(isinstance(step, Related) for step in above) else "target"


def _kind(expression: Expression, part: Part, schema: Schema) -> str:
    match part.step:
        case Related():
            return CLAUSE
        case Nth():
            return "rank"
        case Not():
            return "negation"
        case AnyOf():
            return "alternative"
        case Is() if _is_head(part.step, schema):
            return IMPLIED if is_implied(part, expression, schema) else "noun"
        case Is() | Extreme():  # pragma: no branch (the last kinds of step)
            return f"{'colour' if part.step.attribute == COLOUR else part.step.attribute.replace('_', ' ')} word"


def _is_head(step: Is, schema: Schema) -> bool:
    return schema.attribute(step.attribute).is_head


def _word_of_target(expression: Expression, attribute: str) -> Part | None:
    steps = enumerate(expression.steps)
    return next((Part((k,), s) for k, s in steps if isinstance(s, Is) and s.attribute == attribute), None)


def _is_bound(part: Part, expression: Expression, *, through: tuple[type, ...] = (Related,)) -> bool:
    """Whether the way down to a clause passes through clauses only, not through a negation or an alternative."""
    above = (_step_at(expression, part.address[: k + 1]) for k in range(len(part.address) - 1))
    return all(isinstance(step, through) for step in above)


def _step_at(expression: Expression, address: Address) -> object:
    return mention_at(expression, address[:-1]).steps[address[-1]]


def _with_relations_exchanged(expression: Expression, one: Address, other: Address) -> Expression:
    outer, inner = sorted((one, other), key=len)
    names = tuple(_relation_at(expression, address) for address in (outer, inner))
    for address, name in zip((inner, outer), names, strict=True):
        clause = Part(address, Related(_relation_at(expression, address), mention_at(expression, address)))
        expression = replacing(expression, clause, Related(name, mention_at(expression, address)))
    return expression


def _relation_at(expression: Expression, address: Address) -> str:
    clause = _step_at(expression, address)
    assert isinstance(clause, Related)
    return clause.relation
