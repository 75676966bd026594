"""What came of an answer, and what everything that knows a right answer can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["OUTCOMES", "Gold", "Judgement", "Outcome"]

Outcome: TypeAlias = Literal["right", "wrong", "unparsable", "unanswered"]
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "unparsable", "unanswered")


class Judgement(NamedTuple):
    """The judgement on one answer.

    Attributes:
        outcome: an answer that cannot be understood is `unparsable`, never `wrong`.
        measures: by name; not a number where a measure is not defined for this answer.
        said: what was understood, in plain words.
        fault: why an answer could not be understood.
        missed: what a reader misses who answers so, each with an equal share; empty where nothing was missed.
    """

    outcome: Outcome
    measures: Mapping[str, float]
    said: str = ""
    fault: str = ""
    missed: tuple[str, ...] = ()


class Gold(Protocol):
    """A right answer, with all it takes to judge another one."""

    @property
    def right(self) -> str:
        """The answer that a model should give, as it should be written."""
        ...

    @property
    def groups(self) -> Mapping[str, str]:
        """What results are broken down by, e.g. `split` and `pattern`."""
        ...

    def judge(self, text: str | None) -> Judgement:
        """Judge what a model said; None where it said nothing."""
        ...

    def to_plain(self) -> dict[str, Any]:
        """Everything as plain values, for a line of JSON."""
        ...
