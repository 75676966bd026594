"""Edits of an expression that could make it fit one object: what may be added, left out, or said in another's place.

They are enumerated for one object, the goal, with their costs: a word costs one, to give up the noun two, a clause
three and one more for its adjective. Whether they help is for `deixis.language.suggestions` to find out.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import adding, mention_at, parts, replacing, without
from deixis.expression.steps import Extreme, Is, Nth, Related
from deixis.schema import Which


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address, Part
    from deixis.expression.steps import Side, Step
    from deixis.scene.scene import Scene

CLAUSE_COST = 3
ENDS: tuple[Side, ...] = ("left", "right", "top", "bottom")


class EditedExpression(NamedTuple):
    """An edited expression, the cost of the edits, and the addresses of parts that they left out, in their order."""

    cost: int
    expression: Expression
    left_out: tuple[Address, ...] = ()


class GoalEdits:
    """The edits for one object of a scene.

    Args:
        scene: where the object is.
        goal: its number.
        may_change: whether parts may also be left out and replaced; else only additions are made.
    """

    def __init__(self, scene: Scene, goal: int, *, may_change: bool) -> None:
        self.scene, self.goal, self.may_change = scene, goal, may_change

    def may_be_true(self, expression: Expression) -> bool:
        """Whether all values that are said of the goal itself are true of it; others cannot fit it."""
        said = (step for step in expression.steps if isinstance(step, Is))
        return all(self._has(step.attribute, step.value) for step in said)

    def words(self, expression: Expression) -> Iterator[EditedExpression]:
        """Every edit of one word, or of one part that is left out."""
        if self.may_change:
            for part in parts(expression):
                cost = 2 if self._is_noun(part) else 1
                yield EditedExpression(cost, without(expression, part), (part.address,))
                yield from (EditedExpression(cost, replacing(expression, part, step)) for step in self._instead(part))
        for address in _mentions(expression, ()):
            said = mention_at(expression, address)
            for step in self._further(said, is_goal=not address):
                yield EditedExpression(1, adding(expression, address, step))

    def clauses(self, expression: Expression) -> Iterator[EditedExpression]:
        """Every clause about the goal, with at most one word beside the noun."""
        for relation, other in self._links:
            for phrase in self._phrases(other):
                added = Description((*expression.steps, Related(relation, phrase)))
                yield EditedExpression(CLAUSE_COST + len(phrase.steps) - 1, added)

    def _further(self, said: Description, *, is_goal: bool) -> Iterator[Step]:
        """What a noun phrase could say beside what it says: of the goal what is true, of others whatever is there."""
        taken = {step.attribute for step in said.steps if isinstance(step, Is | Extreme)}
        for attribute in self.scene.schema.attributes:
            if attribute.name not in taken:
                yield from (Is(attribute.name, value) for value in self._values(attribute.name, is_goal=is_goal))
                yield from (Extreme(attribute.name, which) for which in Which if attribute.is_ordered)
        if is_goal and self._has_places and not any(isinstance(step, Nth) for step in said.steps):
            yield from (Nth(1, side) for side in ENDS)

    def _instead(self, part: Part) -> Iterator[Step]:
        """What could be said in the place of a part."""
        match part.step:
            case Is(attribute, value):
                values = self._values(attribute, is_goal=len(part.address) == 1)
                yield from (Is(attribute, other) for other in values if other != value)
            case Extreme(attribute, which):
                yield Extreme(attribute, which.other)
            case Related(relation, to):
                known = dict.fromkeys(name for name, _ in self._links) if len(part.address) == 1 else ()
                yield from (Related(name, to) for name in known if name != relation)

    def _values(self, attribute: str, *, is_goal: bool) -> list[str]:
        """The values of the goal, or of any object, in the order of the schema."""
        indices = (self.goal,) if is_goal else range(len(self.scene))
        held = frozenset().union(*(self.scene.values(index, attribute) for index in indices))
        return sorted(held, key=self.scene.schema.attribute(attribute).code)

    def _is_noun(self, part: Part) -> bool:
        head = self.scene.schema.head
        return len(part.address) == 1 and head is not None and part.attribute == head.name

    def _has(self, attribute: str, value: str) -> bool:
        covers = self.scene.schema.attribute(attribute).covers
        return any(covers(value, held) for held in self.scene.values(self.goal, attribute))

    @cached_property
    def _has_places(self) -> bool:
        try:
            self.scene.position(self.goal)
        except SchemaError:
            return False
        return True

    @cached_property
    def _links(self) -> list[tuple[str, int]]:
        """What the goal stands in a relation to, in the order of the schema."""
        others = [index for index in range(len(self.scene)) if index != self.goal]
        names = [relation.name for relation in self.scene.schema.relations]
        return [(name, other) for name in names for other in others if self.scene.related(name, self.goal, other)]

    def _phrases(self, index: int) -> Iterator[Description]:
        """The noun of an object, then the noun with one further value, then with a size word."""
        head = self.scene.schema.head
        nouns = [Is(head.name, value) for value in sorted(self.scene.values(index, head.name))] if head else []
        rest = [one for one in self.scene.schema.attributes if one is not head]
        for noun in nouns:
            yield Description((noun,))
        for noun in nouns:
            for one in rest:
                values = sorted(self.scene.values(index, one.name))
                yield from (Description((noun, Is(one.name, value))) for value in values)
                yield from (Description((noun, Extreme(one.name, which))) for which in Which if one.is_ordered)


def _mentions(said: Description, above: Address) -> Iterator[Address]:
    """The addresses of a noun phrase and of those in its clauses; negations and alternatives are left as they are."""
    yield above
    for index, step in enumerate(said.steps):
        if isinstance(step, Related):
            yield from _mentions(step.to, (*above, index))
