"""Parts of an expression that the target cannot be found without, and objects that each misreading leads to."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from deixis.distractors.planned_misreadings import KINDS, PlannedMisreading, planned_misreadings
from deixis.errors import AmbiguousExpression
from deixis.expression.parts import Part, mention_at, parts, without
from deixis.expression.steps import Is, Related
from deixis.resolution._remembered import RememberedScenes
from deixis.resolution.reference import denotation, resolve
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from deixis.distractors.planned_misreadings import MisreadingKind
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context, Scene
    from deixis.schema import Schema

    Denote: TypeAlias = Callable[[Expression, Scene], frozenset[int]]

__all__ = ["competitors", "content_parts", "count_words", "find_reached", "is_implied", "is_minimal", "necessity"]


def content_parts(expression: Expression, schema: Schema) -> tuple[Part, ...]:
    """The parts of an expression, except those that only repeat what their clause has said."""
    return tuple(part for part in parts(expression) if not is_implied(part, expression, schema))


def count_words(expression: Expression, schema: Schema) -> int:
    """Count the content words of an expression.

    A clause counts as one, for its relation.
    """
    return len(content_parts(expression, schema))


def is_implied(part: Part, expression: Expression, schema: Schema) -> bool:
    """Return whether the clause around a word says the same already: 'box' after 'inside of', which fits only boxes."""
    above = part.address[:-1]
    if not above or not isinstance(part.step, Is):
        return False
    clause = mention_at(expression, above[:-1]).steps[above[-1]]
    said = (part.step.attribute, part.step.value)
    return isinstance(clause, Related) and said in schema.relation(clause.relation).to


def necessity(expression: Expression, context: Context) -> dict[Part, bool]:
    """Return for each part of an expression whether the target cannot be found without it.

    A part is necessary when dropping it changes what is picked out. An expression all of whose parts are necessary is
    *minimal* for the context; ReaSCAN (section 4.2) and Cops-Ref (section 3.2) both aim at this.

    Args:
        expression: must pick out exactly the target, else `AmbiguousExpression`.
        context: the scenes shown together.
    """
    _demand_target(expression, context, resolve(expression, context).objects)
    target = frozenset((context.target,))
    return {part: resolve(without(expression, part), context).objects != target for part in parts(expression)}


def is_minimal(expression: Expression, context: Context) -> bool:
    """Return whether no part of the expression could be left out."""
    return all(necessity(expression, context).values())


def competitors(
    expression: Expression, context: Context, *, kinds: Iterable[MisreadingKind] = KINDS
) -> dict[Where, tuple[PlannedMisreading, ...]]:
    """Return the misreadings that lead to each wrong object.

    An object is listed with every misreading under which it could be taken for the target; objects that no misreading
    reaches are not listed.
    """
    _demand_target(expression, context, resolve(expression, context).objects)
    schema = context.scenes[context.target.scene].schema
    held = _NamedValues(context.scenes)
    found: dict[Where, list[PlannedMisreading]] = {}
    for misreading in planned_misreadings(expression, schema, kinds=kinds):
        for where in _led_to(misreading, held, denotation):
            if where != context.target:
                found.setdefault(where, []).append(misreading)
    return {where: tuple(misread) for where, misread in sorted(found.items())}


def find_reached(
    expression: Expression, context: Context, *, memory: RememberedScenes | None = None
) -> frozenset[Where]:
    """The wrong objects that some misreading leads to: those of `competitors`, sooner where there are many values.

    Of the values that nothing in the context has, one stands for all, since they mean the same wherever they are said.
    Where an expression has nothing but words and clauses, no other value needs to be tried: what fits with another word
    also fits without any.

    Args:
        expression: must pick out exactly the target, else `AmbiguousExpression`.
        context: the scenes shown together.
        memory: what is known about the scenes, where many expressions are said of them.
    """
    resolved = resolve if memory is None else memory.resolve
    denote = denotation if memory is None else memory.denotation
    _demand_target(expression, context, resolved(expression, context).objects)
    schema = context.scenes[context.target.scene].schema
    held = _NamedValues(context.scenes, memory)
    only_narrows = _only_narrows(expression)

    def values(name: str) -> Iterator[str]:
        if only_narrows:
            return
        known = held.names(name)
        everything = schema.attribute(name).values
        yield from (value for value in everything if value in known)
        yield from islice((value for value in everything if value not in known), 1)

    misread = planned_misreadings(expression, schema, values=values)
    return frozenset(where for one in misread for where in _led_to(one, held, denote)) - {context.target}


class _NamedValues:
    """Values that the objects of some scenes may be called by.

    Most misread words name nothing in most scenes, and need not be resolved there.
    """

    def __init__(self, scenes: Sequence[Scene], memory: RememberedScenes | None = None) -> None:
        self.scenes = scenes
        self._memory = memory or RememberedScenes()
        self._holding: dict[Is, frozenset[int]] = {}

    def may_fit(self, misreading: PlannedMisreading) -> list[int]:
        """The numbers of the scenes in which every word that something must have is held by something."""
        found = frozenset(range(len(self.scenes)))
        for word in _words_demanded(misreading.expression):
            found &= self._scenes_with(word)
        return sorted(found)

    def names(self, attribute: str) -> frozenset[str]:
        """The values of an attribute that cover what some object is recorded as."""
        return frozenset().union(*(self._memory.names(attribute, scene) for scene in self.scenes))

    def _scenes_with(self, word: Is) -> frozenset[int]:
        if (found := self._holding.get(word)) is None:
            numbered = enumerate(self.scenes)
            found = frozenset(k for k, scene in numbered if word.value in self._memory.names(word.attribute, scene))
            self._holding[word] = found
        return found


def _led_to(misreading: PlannedMisreading, held: _NamedValues, denote: Denote) -> Iterator[Where]:
    """The objects that fit what is understood, scene by scene."""
    for number in held.may_fit(misreading):
        found = denote(misreading.expression, held.scenes[number])
        yield from (Where(number, index) for index in sorted(found))


def _only_narrows(expression: Expression) -> bool:
    """Whether a description has nothing but words and clauses, so that it never fits less without one of them."""
    return all(
        isinstance(step, Is) or (isinstance(step, Related) and _only_narrows(step.to)) for step in expression.steps
    )


def _words_demanded(expression: Expression) -> Iterator[Is]:
    """The words without whose holder an expression fits nothing: not those of alternatives, nor what is denied."""
    for step in expression.steps:
        if isinstance(step, Is):
            yield step
        elif isinstance(step, Related):
            yield from _words_demanded(step.to)


def _demand_target(expression: Expression, context: Context, found: frozenset[Where]) -> None:
    if found != {context.target}:
        raise AmbiguousExpression(
            f"{expression} fits {len(found)} objects of the context; "
            "necessity is defined only where it fits the target alone"
        )
