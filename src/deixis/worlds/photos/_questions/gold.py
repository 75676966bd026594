"""Right answers to expressions about photographs: the number of a region, or that it is not there."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.prompts.answers import NOT_THERE, Unparsable, parse_region
from deixis.prompts.question import Judgement


if TYPE_CHECKING:
    from collections.abc import Mapping


SOMETHING_ELSE = "took something that does not fit"


class Candidate(NamedTuple):
    """A region that can be chosen, and the verdict on choosing it.

    Attributes:
        image_id, object_id: which object.
        place: where a wrong choice lies: `right image`, or the kind of its image.
        misreadings: those that explain this choice.
    """

    image_id: str
    object_id: str
    place: str = ""
    misreadings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionGold:
    """The regions of a question, numbered from 1.

    Attributes:
        text: the expression.
        candidates: all regions.
        target: the place of the one that is meant among them; None where nothing fits.
        split, form, change: where the example belongs, its form, and for what is not there what was changed.
    """

    text: str
    candidates: tuple[Candidate, ...]
    target: int | None
    split: str
    form: str
    change: str = ""

    @property
    def right(self) -> str:
        """The number of the region, or that it is not there."""
        return NOT_THERE if self.target is None else str(self.target + 1)

    @property
    def choices(self) -> tuple[str, ...]:
        """The number of every region, and that it is not there."""
        return (*(str(number) for number in range(1, len(self.candidates) + 1)), NOT_THERE)

    @property
    def groups(self) -> Mapping[str, str]:
        """Split, form, and presence of the target."""
        there = "there" if self.target is not None else f"not there: {self.change or 'unknown'} changed"
        return {"split": self.split or "all", "form": self.form or "unknown", "presence": there}

    def judge(self, text: str | None) -> Judgement:
        """Judge a choice.

        That something is not there is right for expressions that fit nothing.
        """
        if text is None:
            return Judgement("unanswered", self._measures(is_right=False))
        try:
            chosen = parse_region(text, count=len(self.candidates))
        except Unparsable as fault:
            return Judgement("unparsable", self._measures(is_right=False), fault=str(fault))
        said = NOT_THERE if chosen is None else str(chosen)
        if said == self.right:
            return Judgement("right", self._measures(is_right=True), said=said)
        if chosen is None:
            misreadings: tuple[str, ...] = ("said not there",)
        elif self.target is None:
            misreadings = (SOMETHING_ELSE,)
        else:
            misreadings = self.candidates[chosen - 1].misreadings
        return Judgement("wrong", self._measures(is_right=False), said=said, misreadings=misreadings)

    def _measures(self, *, is_right: bool) -> dict[str, float]:
        """Return the share of right answers over all, over what is there and over what is not."""
        share, is_there = float(is_right), self.target is not None
        return {"right": share, "right_region": share if is_there else nan, "right_absence": nan if is_there else share}

    def to_plain(self) -> dict[str, Any]:
        """Return the regions as plain values."""
        return {
            "text": self.text,
            "candidates": [[*one[:3], list(one.misreadings)] for one in self.candidates],
            "target": self.target,
            "split": self.split,
            "form": self.form,
            "change": self.change,
        }

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> RegionGold:
        """Return the gold of a line of JSON, or raise `BrokenDataset` where it is none."""
        try:
            candidates = tuple(
                Candidate(str(image), str(thing), str(place), tuple(map(str, misreadings)))
                for image, thing, place, misreadings in values["candidates"]
            )
            target = values["target"]
            if target is not None and (type(target) is not int or not 0 <= target < len(candidates)):
                raise BrokenDataset(f"number {target!r} of {len(candidates)} regions is meant")
            return cls(
                text=str(values["text"]),
                candidates=candidates,
                target=target,
                split=str(values["split"]),
                form=str(values["form"]),
                change=str(values["change"]),
            )
        except (LookupError, TypeError, ValueError) as error:
            raise BrokenDataset(f"these are no regions of photographs: {error}") from error
