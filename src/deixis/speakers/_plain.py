"""Speakers that go by simple rules: everything, anything, as little as can be, or by preference.

| speaker | |
|---|---|
| `Exhaustive` | all that is true |
| `Random` | true features at random, whatever the distractors |
| `Minimal` | full brevity (Dale 1989) |
| `Greedy` | the greedy way towards it (Dale 1989) |
| `Incremental` | the incremental algorithm (Dale and Reiter 1995) |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.expression.steps import Is


if TYPE_CHECKING:
    from deixis.distractors._contrast import Options
    from deixis.seeds import Stream


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """A speaker that says all true features, independent of the context."""

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:  # noqa: ARG002 (nothing is left to chance)
        """All features."""
        return tuple(range(len(there.features)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Random:
    """Says true features at random: chance, for those who say as much.

    Attributes:
        count: how many features; any number from none to all, equally likely, by default.
    """

    count: int | None = None

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 0:
            raise SchemaError(f"a speaker cannot say {self.count} features")

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:
        """So many features, all choices equally likely."""
        total = len(there.features)
        count = rng.below(total + 1) if self.count is None else min(self.count, total)
        return tuple(sorted(rng.permutation(range(total))[:count]))


@dataclass(frozen=True, slots=True)
class Minimal:
    """Says one of the shortest descriptions that fit the target alone, any of them equally likely: the ideal.

    Where no description does, it says nothing at all.
    """

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:
        """A shortest choice."""
        shortest = there.smallest()
        return rng.choice(shortest) if shortest else ()


@dataclass(frozen=True, slots=True)
class Greedy:
    """Says the feature that rules out most of what is left, again and again, until the target is alone.

    It stops when nothing more can be ruled out. Of features that rule out equally many it takes the first. With one
    distractor it is as brief as can be; with several it may say more than it takes.
    """

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:  # noqa: ARG002 (nothing is left to chance)
        """Features in the order in which they help most."""
        chosen: list[int] = []
        left = there.others
        while left:
            best = max(range(len(there.features)), key=lambda number: (left & there.rules_out[number]).bit_count())
            if not left & there.rules_out[best]:
                break
            chosen.append(best)
            left &= ~there.rules_out[best]
        return tuple(chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incremental:
    """Goes through the attributes in an order of preference and says each value that rules out something that is left.

    What was said stays said, even if it later turns out to be redundant, as in human speech. The head noun, where one
    is named, is said in any case.

    Attributes:
        preferred: attributes, the preferred ones first; those not named come last, in the order of the scene.
        head: the attribute of the noun, always said; None for no such attribute.
    """

    preferred: tuple[str, ...] = ()
    head: str | None = None

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
