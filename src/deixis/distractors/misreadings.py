"""Misreadings that explain a wrong choice, from slight to grave.

Distractors are made for planned misreadings (`planned_misreadings`). A reader who goes to a wrong object may have
misread in more ways. This is the whole inventory, by which pages, metrics and evaluations name a misreading:

| slip        | the misreading                                                                   | rank |
|-------------|----------------------------------------------------------------------------------|------|
| comparison  | a size word compared with everything there is, not within its own phrase         | 0    |
| attachment  | a clause about something else taken for one more about the target                | 1    |
| ignored     | one word ignored                                                                 | 2    |
| misread     | one word read as another                                                         | 2    |
| clause      | one clause ignored, with all that hangs on it                                    | 3    |
| swap        | the words for one attribute swapped between two phrases, or noun and size        | 4    |
| relations   | the relations of two clauses swapped                                             | 4    |
| clauses     | everything ignored but the target's own phrase                                   | 5    |
| noun alone  | everything ignored but the target's noun                                         | 6    |

Ranks are such that a wider misreading never hides a narrower one: whoever ignores a clause ignores all its words, and
may go wherever ignoring one of them leads. In the first two every word is heard. Of a word that leads somewhere both
when it is ignored and when it is read as another, the former counts: it takes less.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.distractors.planned_misreadings import PlannedMisreading, planned_misreadings
from deixis.expression.description import Description
from deixis.expression.parts import Part, exchanging, mention_at, parts, replacing, without
from deixis.expression.steps import Extreme, Is, Related
from deixis.resolution.reference import denotation


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.scene.scene import Scene
    from deixis.schema import Schema


__all__ = ["RANKS", "Misreading", "Slip", "leading_to", "misreading_from", "misreadings", "slightest"]

Slip: TypeAlias = Literal[
    "comparison", "attachment", "ignored", "misread", "clause", "swap", "relations", "clauses", "noun alone"
]
RANKS: dict[Slip, int] = {
    "comparison": 0,
    "attachment": 1,
    "ignored": 2,
    "misread": 2,
    "clause": 3,
    "swap": 4,
    "relations": 4,
    "clauses": 5,
    "noun alone": 6,
}


@dataclass(frozen=True, slots=True)
class Misreading:
    """One way to misread an expression.

    Attributes:
        slip: what sort of mistake it is.
        parts: what is misread: a word or a clause, or both clauses whose relations are swapped; all clauses.
        expression: what is understood.
        phrases: of swapped words, the addresses of the two mentions; else nothing.
        attributes: of swapped words, what they say; else nothing.
    """

    slip: Slip
    parts: tuple[Part, ...]
    expression: Expression
    phrases: tuple[Address, ...] = ()
    attributes: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        """Severity of the misreading, from 0 for the smallest."""
        return RANKS[self.slip]


def misreadings(
    expression: Expression, schema: Schema, *, values: Callable[[str], Iterable[str]] | None = None
) -> tuple[Misreading, ...]:
    """Every misreading of the inventory that differs from the expression, the slightest first, none listed twice.

    Args:
        expression: what is said.
        schema: of the scenes.
        values: what a word for an attribute may be misread as; by default any of its values.
    """
    found = [
        *_compared_with_all(expression),
        *_attached_to_target(expression),
        *(misreading_from(one, expression) for one in _words_and_clauses(expression, schema, values)),
        *_swapped_words(expression, schema),
        *_swapped_relations(expression),
        *(misreading_from(one, expression) for one in planned_misreadings(expression, schema, kinds=("phrase",))),
        _noun_alone(expression, schema),
    ]
    different: dict[tuple[object, ...], Misreading] = {}
    for one in found:
        if one.expression != expression:
            different.setdefault((one.slip, one.parts, one.expression), one)
    return tuple(sorted(different.values(), key=lambda one: one.rank))


def slightest(found: Iterable[Misreading]) -> tuple[Misreading, ...]:
    """Those of the lowest rank among misreadings in their order, one for each part.

    A word that is ignored comes before the same word read as another.
    """
    kept: dict[tuple[object, ...], Misreading] = {}
    for one in found:
        if kept and one.rank > next(iter(kept.values())).rank:
            break
        kept.setdefault(one.parts or (one.slip, one.phrases, one.attributes), one)
    return tuple(kept.values())


def leading_to(expression: Expression, scene: Scene, chosen: int) -> tuple[Misreading, ...]:
    """Return the smallest misreadings that pick out an object, alone or among others.

    Empty if none does.

    All have one rank. Of each part only one is given: the word ignored, if that leads there, before it read as another.
    """
    every = misreadings(expression, scene.schema)
    for rank in sorted(set(RANKS.values())):
        found = [one for one in every if one.rank == rank and chosen in denotation(one.expression, scene)]
        if found:
            return slightest(found)
    return ()


def misreading_from(planned: PlannedMisreading, expression: Expression) -> Misreading:
    """Return a planned misreading as a misreading of the inventory.

    Of exchanged words, both phrases must have had some.
    """
    first, *_ = planned.parts
    match planned.kind:
        case "phrase":
            return Misreading("clauses", planned.parts, planned.expression)
        case "relation":
            return Misreading("clause", planned.parts, planned.expression)
        case "isomorphism":
            phrases = tuple(dict.fromkeys(part.address[:-1] for part in planned.parts))
            said = tuple(dict.fromkeys(part.attribute or "" for part in planned.parts))
            return Misreading("swap", (), planned.expression, phrases, said)
    is_dropped = planned.expression == without(expression, first)
    return Misreading("ignored" if is_dropped else "misread", planned.parts, planned.expression)


def _words_and_clauses(
    expression: Expression, schema: Schema, values: Callable[[str], Iterable[str]] | None
) -> tuple[PlannedMisreading, ...]:
    """One word dropped or misread, or one clause dropped; of each word, dropping it comes first."""
    return planned_misreadings(expression, schema, kinds=("attribute", "selector", "relation"), values=values)


def _compared_with_all(expression: Expression) -> Iterator[Misreading]:
    """One size word heard before everything else in its phrase, so that it compares with everything."""
    for part in parts(expression):
        if isinstance(part.step, Extreme):
            above = part.address[:-1]
            steps = mention_at(expression, above).steps
            others = (step for place, step in enumerate(steps) if place != part.address[-1])
            yield Misreading("comparison", (part,), _with_steps(expression, above, (part.step, *others)))


def _attached_to_target(expression: Expression) -> Iterator[Misreading]:
    """One clause about something else, with all that hangs on it, heard as one more about the target."""
    for part in parts(expression):
        if isinstance(part.step, Related) and len(part.address) > 1:
            rest = without(expression, part)
            yield Misreading("attachment", (part,), Description((*rest.steps, part.step)))


def _swapped_words(expression: Expression, schema: Schema) -> Iterator[Misreading]:
    """Words for one attribute swapped between two phrases, or those that go together where neither is the target's.

    A word that one of them lacks moves there.
    """
    mentioned = _mentions(expression)
    said = tuple(dict.fromkeys(part.attribute for part in parts(expression) if part.attribute))
    for one, other in combinations(mentioned, 2):
        together = tuple(some for some in schema.exchanged if len(some) > 1) if one else ()
        for attributes in (*((name,) for name in said), *together):
            swapped = exchanging(expression, one, other, frozenset(attributes))
            yield Misreading("swap", (), swapped, (one, other), attributes)


def _swapped_relations(expression: Expression) -> Iterator[Misreading]:
    """The relations of two clauses swapped."""
    for one, other in combinations(_mentions(expression)[1:], 2):
        first, second = _clause_at(expression, one), _clause_at(expression, other)
        swapped = _with_relation(_with_relation(expression, one, second.relation), other, first.relation)
        yield Misreading("relations", (Part(one, first), Part(other, second)), swapped)


def _noun_alone(expression: Expression, schema: Schema) -> Misreading:
    heads = {attribute.name for attribute in schema.attributes if attribute.is_head}
    nouns = tuple(step for step in expression.steps if isinstance(step, Is) and step.attribute in heads)
    return Misreading("noun alone", (), Description(nouns))


def _mentions(expression: Expression) -> list[Address]:
    """The addresses of all mentions that are reached through clauses only, the target's first."""
    found: list[Address] = [()]
    for part in parts(expression):
        if isinstance(part.step, Related) and part.address[:-1] in found:
            found.append(part.address)
    return found


def _clause_at(expression: Expression, address: Address) -> Related:
    clause = mention_at(expression, address[:-1]).steps[address[-1]]
    assert isinstance(clause, Related)
    return clause


def _with_relation(expression: Expression, address: Address, relation: str) -> Expression:
    clause = _clause_at(expression, address)
    return replacing(expression, Part(address, clause), Related(relation, clause.to))


def _with_steps(expression: Expression, address: Address, steps: tuple[Step, ...]) -> Expression:
    if not address:
        return Description(steps)
    clause = _clause_at(expression, address)
    return replacing(expression, Part(address, clause), Related(clause.relation, Description(steps)))
