"""Planned misreadings: those for which a recipe places distractors.

`misreadings` holds the larger inventory that explains wrong choices.

| kind        | the misreading                                | ReaSCAN             | A3DS            | Cops-Ref |
|-------------|-----------------------------------------------|---------------------|-----------------|----------|
| attribute   | one word for a value dropped or misread       | attribute-based     | matched on five | Cat      |
| selector    | one size word or rank dropped or turned round | the size rule       |                 | order    |
| relation    | one clause dropped                            | relation-based      |                 | Cat&cat  |
| isomorphism | words exchanged between two noun phrases      | isomorphism-based   | colours swapped |          |
| phrase      | everything but the first noun phrase dropped  | gSCAN's distractors |                 | Cat&attr |
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.expression.parts import Part, exchanging, mention_at, parts, replacing, without
from deixis.expression.steps import Extreme, Is, Nth, Related


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Side
    from deixis.schema import Schema


__all__ = ["KINDS", "MisreadingKind", "PlannedMisreading", "planned_misreadings"]

MisreadingKind: TypeAlias = Literal["attribute", "selector", "relation", "isomorphism", "phrase"]
KINDS: tuple[MisreadingKind, ...] = ("attribute", "selector", "relation", "isomorphism", "phrase")
OPPOSITE: dict[Side, tuple[Side, ...]] = {
    "left": ("right",),
    "right": ("left",),
    "top": ("bottom",),
    "bottom": ("top",),
    "middle": ("left", "right"),
}


@dataclass(frozen=True, slots=True)
class PlannedMisreading:
    """One misreading that distractors can be made for.

    Attributes:
        kind: the sort of mistake.
        parts: the parts that are misread.
        expression: what is understood.
    """

    kind: MisreadingKind
    parts: tuple[Part, ...]
    expression: Expression


def planned_misreadings(
    expression: Expression,
    schema: Schema,
    *,
    kinds: Iterable[MisreadingKind] = KINDS,
    values: Callable[[str], Iterable[str]] | None = None,
) -> tuple[PlannedMisreading, ...]:
    """Every misreading of the given kinds, each differing from the expression, none listed twice.

    Args:
        expression: what is said.
        schema: of the scenes.
        kinds: the kinds of misreading.
        values: what a word for an attribute may be misread as; by default any of its values.
    """
    among = values or (lambda name: schema.attribute(name).values)
    makers = {
        "attribute": lambda: _misread_values(expression, among),
        "selector": lambda: _misread_selectors(expression),
        "relation": lambda: _dropped_clauses(expression),
        "isomorphism": lambda: _exchanged_words(expression, schema),
        "phrase": lambda: _phrase_alone(expression),
    }
    found: dict[Expression, PlannedMisreading] = {}
    for kind in kinds:
        for misreading in makers[kind]():
            if misreading.expression != expression:
                found.setdefault(misreading.expression, misreading)
    return tuple(found.values())


def _misread_values(expression: Expression, values: Callable[[str], Iterable[str]]) -> Iterator[PlannedMisreading]:
    for part in parts(expression):
        if isinstance(part.step, Is):
            yield PlannedMisreading("attribute", (part,), without(expression, part))
            for value in values(part.step.attribute):
                other = Is(part.step.attribute, value)
                yield PlannedMisreading("attribute", (part,), replacing(expression, part, other))


def _misread_selectors(expression: Expression) -> Iterator[PlannedMisreading]:
    for part in parts(expression):
        match part.step:
            case Extreme(attribute, which):
                yield PlannedMisreading("selector", (part,), without(expression, part))
                yield PlannedMisreading(
                    "selector", (part,), replacing(expression, part, Extreme(attribute, which.other))
                )
            case Nth(index, side):
                yield PlannedMisreading("selector", (part,), without(expression, part))
                for turned in OPPOSITE[side]:
                    yield PlannedMisreading("selector", (part,), replacing(expression, part, Nth(index, turned)))


def _dropped_clauses(expression: Expression) -> Iterator[PlannedMisreading]:
    for part in parts(expression):
        if isinstance(part.step, Related):
            yield PlannedMisreading("relation", (part,), without(expression, part))


def _exchanged_words(expression: Expression, schema: Schema) -> Iterator[PlannedMisreading]:
    """Words exchanged between two of the phrases other than the target's, as the schema has it."""
    mentioned = [p.address for p in parts(expression) if isinstance(p.step, Related) and _is_bound(expression, p)]
    for one, other in combinations(mentioned, 2):
        for attributes in map(frozenset, schema.exchanged):
            swapped = exchanging(expression, one, other, attributes)
            moved = tuple(p for p in parts(expression) if p.address[:-1] in (one, other) and p.attribute in attributes)
            yield PlannedMisreading("isomorphism", moved, swapped)


def _is_bound(expression: Expression, part: Part) -> bool:
    """Whether the way down to a clause passes through clauses only, not through a negation or an alternative."""
    above: Address = part.address[:-1]
    return all(isinstance(_step_at(expression, above[: i + 1]), Related) for i in range(len(above)))


def _step_at(expression: Expression, address: Address) -> object:
    return mention_at(expression, address[:-1]).steps[address[-1]]


def _phrase_alone(expression: Expression) -> Iterator[PlannedMisreading]:
    clauses = tuple(Part((i,), s) for i, s in enumerate(expression.steps) if isinstance(s, Related))
    if clauses:
        yield PlannedMisreading("phrase", clauses, expression.phrase)
