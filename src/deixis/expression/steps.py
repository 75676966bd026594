"""The steps of a description, each of which narrows a set of objects.

Filters (`Is`, `Related`) judge every object by itself and commute with each other. Selectors (`Extreme`, `Nth`)
compare the objects that are left, so their place in the order matters: 'the second red glass' is not 'the second
glass, if red'. `Not` and `AnyOf` are what they contain: filters, unless there is a selector in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from deixis.expression.description import Description
    from deixis.schema import Which


__all__ = ["AnyOf", "Extreme", "Is", "Not", "Nth", "Related", "Side", "Step", "is_selector"]

Side: TypeAlias = Literal["left", "right", "top", "bottom", "middle"]
SIDES: tuple[Side, ...] = ("left", "right", "top", "bottom", "middle")


@dataclass(frozen=True, slots=True)
class Is:
    """Having a value: 'red', 'circle'."""

    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Not:
    """Failing another step: 'that is not red'."""

    step: Step


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Passing at least one of several steps: 'behind the cup or near the plate'."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if len(self.steps) < 2:
            raise SchemaError(f"an alternative needs at least two steps, got {len(self.steps)}")


@dataclass(frozen=True, slots=True)
class Related:
    """Standing in a relation to some other object that fits a description: 'in the same row as a blue square'."""

    relation: str
    to: Description


@dataclass(frozen=True, slots=True)
class Extreme:
    """Lying towards one end of an ordered attribute, compared with the objects that are left: 'small', 'big'."""

    attribute: str
    which: Which


@dataclass(frozen=True, slots=True)
class Nth:
    """The nth of the objects that are left, counted from one side: 'the second glass from the left'.

    From the middle there is only the first: the object with as many to its left as to its right.
    """

    index: int  # 1 is the outermost
    side: Side

    def __post_init__(self) -> None:
        if self.index < 1:
            raise SchemaError(f"ranks count from 1, got {self.index}")
        if self.side not in SIDES:
            raise SchemaError(f"unknown side {self.side!r}; known: {', '.join(SIDES)}")
        if self.side == "middle" and self.index != 1:
            raise SchemaError(f"the middle is one place, so its rank is 1, got {self.index}")


Step: TypeAlias = Is | Not | AnyOf | Related | Extreme | Nth


def is_selector(step: Step) -> bool:
    """Return whether the step compares the objects that are left instead of judging each by itself."""
    match step:
        case Not(inner):
            return is_selector(inner)
        case AnyOf(steps):
            return any(is_selector(inner) for inner in steps)
        case _:
            return isinstance(step, Extreme | Nth)
