"""The frozen settings of a study, which its folder records and its analysis follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


STUDY = "study.json"
Admission: TypeAlias = Literal["links", "prolific", "anyone"]
ADMISSIONS: tuple[Admission, ...] = get_args(Admission)
MAX_ITEMS = 500
MAX_LINKS = 10_000
BOUNDS = {
    "items": (1, MAX_ITEMS),
    "practice": (0, 20),
    "attention": (0, 20),
    "attention_misses": (0, 20),
    "break_every": (0, MAX_ITEMS),
    "participants": (1, MAX_LINKS),
    "seed": (0, (1 << 63) - 1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """Settings of a study.

    Attributes:
        items: how many questions every participant is asked, practice and attention items apart.
        practice: how many questions with feedback go before them.
        attention: how many items ask for a given answer instead.
        attention_misses: how many of those a participant may miss without being left out of the analysis.
        break_every: after how many items a break is offered; 0 for never.
        participants: how many personal links are made.
        admission: who may take part: holders of a link, participants whom Prolific sends, or anyone.
        answer: the kind of answer; None for the one that the world asks of people.
        style: how scenes are shown; empty for pictures where there are some.
        splits: those that are asked about; empty for the usual ones.
        seed: of the choice of items and of everybody's order.
    """

    items: int = 40
    practice: int = 3
    attention: int = 2
    attention_misses: int = 0
    break_every: int = 20
    participants: int = 30
    admission: Admission = "links"
    answer: str | None = None
    style: str = ""
    splits: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise RecipeError(f"{name.replace('_', ' ')} of a study: {low:,} to {high:,}, got {value!r}")
        if self.admission not in ADMISSIONS:
            raise RecipeError(f"a study admits {', '.join(ADMISSIONS)}, not {str(self.admission)[:40]!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return {name: getattr(self, name) for name in self.__slots__} | {"splits": list(self.splits)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> StudySettings:
        """Return the settings that `to_dict` wrote, or raise `RecipeError`."""
        try:
            return cls(**{**values, "splits": tuple(map(str, values.get("splits", ())))})
        except TypeError as error:
            raise RecipeError(f"these are no settings of a study: {error}") from error


def is_study(folder: Path) -> bool:
    """Return whether a folder holds a study."""
    return (folder / STUDY).is_file()
