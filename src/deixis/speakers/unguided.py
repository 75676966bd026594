"""The speaker that does not look at the distractors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from deixis.distractors.contrast import Options
    from deixis.seeds import Stream


__all__ = ["Random"]


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
        return tuple(sorted(rng.shuffled(range(total))[:count]))
