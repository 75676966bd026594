"""The incremental algorithm (Dale and Reiter 1995)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.expression.steps import Is


if TYPE_CHECKING:
    from deixis.distractors.contrast import Options
    from deixis.seeds import Stream


__all__ = ["Incremental"]

USUAL = (
    "shape",
    "object_hue",
    "scale",
    "wall_hue",
    "floor_hue",
    "orientation",
)  # the object first, its shape before all


@dataclass(frozen=True, slots=True, kw_only=True)
class Incremental:
    """Goes through the attributes in an order of preference and says each value that rules out something that is left.

    What was said stays said, even if it later turns out to be redundant, as in human speech. The head noun is said in
    any case.

    Attributes:
        preferred: attributes, the preferred ones first; those not named come last, in the order of the scene.
        head: the attribute of the noun, always said; None for no such attribute.
    """

    preferred: tuple[str, ...] = USUAL
    head: str | None = "shape"

    def __post_init__(self) -> None:
        if len(set(self.preferred)) != len(self.preferred):
            raise SchemaError(f"an order of preference names an attribute twice: {', '.join(self.preferred)}")

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:  # noqa: ARG002 (nothing is left to chance)
        """Features by preference, until the target is alone."""
        attributes = [step.attribute if isinstance(step, Is) else "" for step in there.features]
        rank = {name: place for place, name in enumerate(self.preferred)}
        order = sorted(range(len(attributes)), key=lambda number: rank.get(attributes[number], len(rank)))
        chosen = [number for number in order if attributes[number] == self.head]
        left = there.left(chosen)
        for number in order:
            if left & there.rules_out[number]:
                chosen.append(number)
                left &= ~there.rules_out[number]
        return tuple(chosen)
