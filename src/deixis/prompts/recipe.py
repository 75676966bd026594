"""What to ask: the frozen settings of a questionnaire, which every file made from it records."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, get_args

from deixis.errors import RecipeError
from deixis.prompts.question import ANSWERS, STYLES, Answer, Style, Task
from deixis.tasks.localise import SETTINGS


if TYPE_CHECKING:
    from deixis.tasks.localise import Setting


__all__ = ["MOST_QUESTIONS", "MOST_SHOTS", "PromptRecipe", "digest_of"]

MOST_SHOTS = 16
MOST_QUESTIONS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRecipe:
    """What to ask, and how.

    Attributes:
        task: `navigate` in grid worlds, `refer` to rooms, or `localise` in photographs.
        answer: what is wanted; by default the first of `ANSWERS`.
        style: how scenes are shown: `text`, `image`, or for grid worlds also `board`.
        shots: solved examples that go before each question; they come from the training split.
        limit: questions of each split, or of each set of pairs.
        splits: the splits to ask about, or sets of pairs; by default `test`, or all sets.
        setting: which images are shown with an expression.
        absent: of expressions about photographs, the share that fit nothing.
        seed: which examples, in which order.
    """

    task: Task
    answer: Answer | None = None
    style: Style = "text"
    shots: int = 0
    limit: int = 100
    splits: tuple[str, ...] = ()
    setting: Setting = "Full"
    absent: float = 0.25
    seed: int = 0

    def __post_init__(self) -> None:
        if self.task not in get_args(Task):
            raise RecipeError(f"unknown task {self.task!r}; known: {', '.join(ANSWERS)}")
        if self.answer is None:
            object.__setattr__(self, "answer", ANSWERS[self.task][0])
        if self.answer not in ANSWERS[self.task]:
            known = " or ".join(ANSWERS[self.task])
            raise RecipeError(f"the answer to {self.task} is {known}, not {str(self.answer)[:40]!r}")
        if self.style not in STYLES[self.task]:
            known = ", ".join(STYLES[self.task])
            raise RecipeError(f"{self.task} can be shown as {known}, not as {str(self.style)[:40]!r}")
        if self.setting not in SETTINGS:
            raise RecipeError(f"unknown setting {str(self.setting)[:40]!r}; known: {', '.join(SETTINGS)}")
        if type(self.shots) is not int or not 0 <= self.shots <= MOST_SHOTS:
            raise RecipeError(f"there can be 0 to {MOST_SHOTS} solved examples before a question, got {self.shots!r}")
        if type(self.limit) is not int or not 1 <= self.limit <= MOST_QUESTIONS:
            raise RecipeError(f"there can be 1 to {MOST_QUESTIONS:,} questions of each split, got {self.limit!r}")
        if not 0 <= self.absent <= 1:
            raise RecipeError(f"the share of expressions that fit nothing is between 0 and 1, got {self.absent!r}")

    @property
    def wanted(self) -> Answer:
        """What is wanted for an answer."""
        assert self.answer is not None
        return self.answer

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values; those that have no say in the task are left out."""
        plain = asdict(self) | {"splits": list(self.splits)}
        if self.task != "localise":
            del plain["setting"], plain["absent"]
        return plain


def digest_of(values: Any) -> str:
    """A name for exactly these plain values."""
    return sha256(json.dumps(values, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
