"""Expressions of absent things: one part says something else, and then nothing in the scenes fits.

The smallest change is that of one part: a word for a value becomes another value of its attribute, a relation another
relation, a size word or rank its opposite. Words that something in the scenes bears are tried before others, so that
no single word gives the answer away. What is proposed is resolved in every scene; only what fits nothing is kept.

    change = absence(expression, context.scenes, rng=Stream(derive(seed, "absence", number)))
    change.expression, change.part.address, change.before, change.after
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.planned_misreadings import OPPOSITE
from deixis.expression.parts import Part, mention_at, parts, replacing
from deixis.expression.steps import Extreme, Is, Not, Nth, Related
from deixis.resolution.reference import denotation


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.scene.scene import Scene
    from deixis.schema import Attribute, Schema
    from deixis.seeds import Stream


__all__ = ["Absence", "absence", "absences"]


class Absence(NamedTuple):
    """An expression that fits nothing, and the one part that makes it so.

    Attributes:
        expression: what fits nothing.
        part: the part of the original that says something else here.
        before: the word for it in the original: a value, the name of a relation, an end or a side.
        after: the word here.
    """

    expression: Expression
    part: Part
    before: str
    after: str


def absence(
    expression: Expression,
    scenes: Sequence[Scene],
    *,
    rng: Stream,
    values: Callable[[str], Iterable[str]] | None = None,
) -> Absence | None:
    """Return an expression that differs in one part and fits nothing in any of the scenes, or None if there is none.

    Args:
        expression: what is said; it may fit anything.
        scenes: where nothing may fit, all of one schema.
        rng: chooses the part and the word.
        values: the words that an attribute may be given; all of its values by default.
    """
    return next(absences(expression, scenes, rng=rng, values=values), None)


def absences(
    expression: Expression,
    scenes: Sequence[Scene],
    *,
    rng: Stream,
    values: Callable[[str], Iterable[str]] | None = None,
) -> Iterator[Absence]:
    """Yield all such expressions in random order, those in words that something in the scenes bears first."""
    if not scenes:
        return
    schema, shown = scenes[0].schema, _ShownValues(scenes)
    changeable = [part for part in parts(expression) if not _is_denied(part, expression)]
    for is_shown in (True, False):
        proposed = [
            (part, step)
            for part in changeable
            for step in _other_steps(part.step, schema, values, shown, is_shown=is_shown)
        ]
        for part, step in rng.permutation(proposed):
            changed = replacing(expression, part, step)
            if not any(denotation(changed, scene) for scene in scenes):
                yield Absence(changed, part, _word(part.step), _word(step))


class _ShownValues:
    """Values that objects of some scenes have, by attribute, worked out when they are asked for."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self.scenes = scenes
        self._values: dict[str, frozenset[str]] = {}

    def of(self, attribute: str) -> frozenset[str]:
        """Return the values of an attribute that objects of the scenes have."""
        if attribute not in self._values:
            found = (scene.values(thing, attribute) for scene in self.scenes for thing in range(len(scene)))
            self._values[attribute] = frozenset().union(*found)
        return self._values[attribute]


def _other_steps(
    step: Step,
    schema: Schema,
    values: Callable[[str], Iterable[str]] | None,
    shown: _ShownValues,
    *,
    is_shown: bool,
) -> Iterator[Step]:
    """Yield what could be said in the place of a step by changing one word that the scenes show, or do not show.

    Relations, ends and ranks count as shown.
    """
    match step:
        case Is(name, value):
            attribute, bearing = schema.attribute(name), shown.of(name)
            for other in attribute.values if values is None else values(name):
                if (other in bearing) == is_shown and not _may_both_hold(value, other, attribute):
                    yield Is(name, other)
        case _ if not is_shown:
            return
        case Related(relation, to):
            demanded = {(part.attribute, part.value) for part in to.steps if isinstance(part, Is)}
            for one in schema.relations:
                if one.name != relation and set(one.to) <= demanded:
                    yield Related(one.name, to)
        case Extreme(name, which):
            yield Extreme(name, which.other)
        case Nth(index, side):
            yield from (Nth(index, turned) for turned in OPPOSITE[side])
        case _:
            return


def _may_both_hold(one: str, other: str, attribute: Attribute) -> bool:
    """Return whether two values are the same, or one is a wider word for the other."""
    return attribute.covers(one, other) or attribute.covers(other, one)


def _is_denied(part: Part, expression: Expression) -> bool:
    """Return whether a part lies inside a negation, where saying something else may well be true."""
    above = (mention_at(expression, part.address[:k]).steps[part.address[k]] for k in range(len(part.address) - 1))
    return any(isinstance(step, Not) for step in above)


def _word(step: Step) -> str:
    match step:
        case Is(_, value):
            return value
        case Related(relation, _):
            return relation
        case Extreme(attribute, which):
            return f"{which.name.lower()} {attribute}"
        case Nth(index, side):
            return f"{index} from {side}"
        case _:
            return ""
