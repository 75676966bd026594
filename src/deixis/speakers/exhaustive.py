"""The speaker that says everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from deixis.distractors.contrast import Options
    from deixis.seeds import Stream


__all__ = ["Exhaustive"]


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Says all that is true, whatever the context."""

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:  # noqa: ARG002 (nothing is left to chance)
        """All features."""
        return tuple(range(len(there.features)))
