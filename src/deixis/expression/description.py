"""An expression: an ordered pipeline of steps that picks out objects."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related, Step, is_selector


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["Description", "Expression", "describe"]


@dataclass(frozen=True, slots=True)
class Description:
    """A description of an object: steps that narrow a set, applied in order, starting from all objects.

    Descriptions are values: equal when their steps are equal, in the same order. `canonical` gives the same value to
    descriptions that differ only in the order of filters.
    """

    steps: tuple[Step, ...] = ()

    @property
    def clauses(self) -> tuple[Related, ...]:
        """The relations said directly of the described object, in order."""
        return tuple(step for step in self.steps if isinstance(step, Related))

    @property
    def phrase(self) -> Description:
        """The noun phrase alone, without its clauses: 'small red circle'."""
        return Description(tuple(step for step in self.steps if not isinstance(step, Related)))

    @property
    def depth(self) -> int:
        """Depth of nested clauses, 0 for a bare noun phrase."""
        return max((_depth(step) for step in self.steps), default=0)

    def value(self, attribute: str) -> str | None:
        """The value said directly of the described object, if any."""
        said = (s.value for s in self.steps if isinstance(s, Is) and s.attribute == attribute)
        return next(said, None)

    def mentions(self) -> Iterator[Description]:
        """Every description in the expression, itself first, in the order of the words."""
        yield self
        for step in self.steps:
            yield from _mentions_in(step)

    def relations(self) -> tuple[str, ...]:
        """The names of all relations said, in the order of the words."""
        return tuple(name for step in self.steps for name in _relations_in(step))

    def canonical(self) -> Description:
        """Return the same meaning with filters in a fixed order, while selectors keep their place."""
        steps: list[Step] = []
        for selecting, run in groupby((_canonical(step) for step in self.steps), key=is_selector):
            together = list(run)
            steps.extend(together if selecting else sorted(together, key=repr))
        return Description(tuple(steps))

    def __str__(self) -> str:
        return describe(self)


Expression: TypeAlias = Description


def describe(expression: Expression) -> str:
    """A compact, unambiguous notation, for logs and error messages: `[shape=circle, size=least, same row: [...]]`."""
    return "[" + ", ".join(_describe(step) for step in expression.steps) + "]"


def _describe(step: Step) -> str:
    match step:
        case Is(attribute, value):
            return f"{attribute}={value}"
        case Not(inner):
            return f"not {_describe(inner)}"
        case AnyOf(steps):
            return "(" + " or ".join(_describe(s) for s in steps) + ")"
        case Related(relation, to):
            return f"{relation}: {describe(to)}"
        case Extreme(attribute, which):
            return f"{attribute}={which.name.lower()}"
        case Nth(index, side):  # pragma: no branch (the last kind of step)
            return f"#{index} from {side}"


def _canonical(step: Step) -> Step:
    match step:
        case Not(inner):
            return Not(_canonical(inner))
        case AnyOf(steps):
            return AnyOf(tuple(sorted((_canonical(s) for s in steps), key=repr)))
        case Related(relation, to):
            return Related(relation, to.canonical())
        case _:
            return step


def _depth(step: Step) -> int:
    match step:
        case Related(_, to):
            return 1 + to.depth
        case Not(inner):
            return _depth(inner)
        case AnyOf(steps):
            return max(_depth(inner) for inner in steps)
        case _:
            return 0


def _relations_in(step: Step) -> Iterator[str]:
    match step:
        case Related(relation, to):
            yield relation
            yield from to.relations()
        case Not(inner):
            yield from _relations_in(inner)
        case AnyOf(steps):
            for inner in steps:
                yield from _relations_in(inner)


def _mentions_in(step: Step) -> Iterator[Description]:
    match step:
        case Related(_, to):
            yield from to.mentions()
        case Not(inner):
            yield from _mentions_in(inner)
        case AnyOf(steps):
            for inner in steps:
                yield from _mentions_in(inner)
