"""The frozen settings of a questionnaire, which every file made from it records."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.prompts.tasks import questions_of


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["MOST_QUESTIONS", "MOST_SHOTS", "PromptRecipe", "digest_of"]

MOST_SHOTS = 16
MOST_QUESTIONS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRecipe:
    """Settings of a questionnaire.

    Attributes:
        task: one of `known_tasks`, e.g. `navigate`.
        answer: what is wanted; by default the first that the task knows.
        style: how scenes are shown, one of those that the task knows for this answer; by default the first, which is
            `text` unless the answer is a box in a picture.
        shots: solved examples that go before each question; they come from the training split.
        limit: questions of each split, or of each set of pairs.
        splits: the splits to ask about, or sets of pairs; by default `test`, or all sets.
        seed: which examples, in which order.
        options: settings that only this task has; those that are left out have their usual values.
    """

    task: str
    answer: str | None = None
    style: str | None = None
    shots: int = 0
    limit: int = 100
    splits: tuple[str, ...] = ()
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = questions_of(self.task)
        if self.answer is None:
            object.__setattr__(self, "answer", known.answers[0])
        if self.answer not in known.answers:
            said = " or ".join(known.answers)
            raise RecipeError(f"the answer to {self.task} is {said}, not {str(self.answer)[:40]!r}")
        styles = known.styles_for(self.wanted)
        if self.style is None:
            object.__setattr__(self, "style", styles[0])
        if self.style not in styles:
            where = "" if self.style not in known.styles else f" where the answer is {self.wanted}"
            raise RecipeError(
                f"{self.task} can be shown as {', '.join(styles)}{where}, not as {str(self.style)[:40]!r}"
            )
        if type(self.shots) is not int or not 0 <= self.shots <= MOST_SHOTS:
            raise RecipeError(f"there can be 0 to {MOST_SHOTS} solved examples before a question, got {self.shots!r}")
        if type(self.limit) is not int or not 1 <= self.limit <= MOST_QUESTIONS:
            raise RecipeError(f"there can be 1 to {MOST_QUESTIONS:,} questions of each split, got {self.limit!r}")
        object.__setattr__(self, "options", known.settings(self.options))

    @property
    def wanted(self) -> str:
        """Kind of answer that is asked for."""
        assert self.answer is not None
        return self.answer

    @property
    def shown(self) -> str:
        """Style in which scenes are shown."""
        assert self.style is not None
        return self.style

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, without the folders in which files happen to lie."""
        return {
            "task": self.task,
            "answer": self.answer,
            "style": self.style,
            "shots": self.shots,
            "limit": self.limit,
            "splits": list(self.splits),
            **{name: value for name, value in self.options.items() if not isinstance(value, Path)},
            "seed": self.seed,
        }


def digest_of(values: Any) -> str:
    """A name for exactly these plain values."""
    return sha256(json.dumps(values, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
