"""Speakers that say as little as they can: full brevity, and the greedy way towards it (Dale 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from deixis.distractors.contrast import Options
    from deixis.seeds import Stream


__all__ = ["Greedy", "Minimal"]


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
