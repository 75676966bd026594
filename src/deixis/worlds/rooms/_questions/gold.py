"""Right answers about rooms of 3D Shapes: the image that a caption describes, or a caption that tells images apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset, DeixisError
from deixis.prompts.answers import Unparsable, parse_caption, parse_choice
from deixis.prompts.question import Judgement
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.mentions import judge as judge_caption
from deixis.worlds.rooms.scene import FACTORS, PLACES, RoomScene


if TYPE_CHECKING:
    from collections.abc import Mapping


SHARES = ("discriminativity", "optimal_discriminativity")
FURTHER = ("contrastive_efficiency", "relevance", "mentioned_features", "false_features")


def contrast(one: int, other: int) -> tuple[str, ...]:
    """The features in which captions can tell two images apart."""
    names = zip(FACTORS, _spoken_factors(one), _spoken_factors(other), strict=True)
    return tuple(name for name, mine, others in names if mine != others)


@dataclass(frozen=True, slots=True)
class RoomGold:
    """Images shown together, one of which is meant.

    Attributes:
        images: numbers of images, in the order in which they are shown.
        target: the place of the one that is meant.
        caption: one that describes it and no other.
        set: the set of pairs that it is from.
    """

    images: tuple[int, ...]
    target: int
    caption: str
    set: str
    answer: str

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the images: A, B and so on."""
        return tuple(ascii_uppercase[: len(self.images)])

    @property
    def right(self) -> str:
        """The label of the image, or a caption that does it."""
        return self.labels[self.target] if self.answer == "choose" else self.caption

    @property
    def choices(self) -> tuple[str, ...]:
        """The labels, where one of them is wanted."""
        return self.labels if self.answer == "choose" else ()

    @property
    def groups(self) -> Mapping[str, str]:
        """The set of pairs."""
        return {"set": self.set}

    def judge(self, text: str | None) -> Judgement:
        """Judge a choice, or a caption by the pragmatic metrics, where features contrast by caption words."""
        nothing = {"right_image": 0.0}
        if self.answer == "caption":
            nothing = dict.fromkeys(SHARES, 0.0) | dict.fromkeys(FURTHER, nan)
        if text is None:
            return Judgement("unanswered", nothing)
        try:
            return self._choice(text) if self.answer == "choose" else self._caption(text, nothing)
        except Unparsable as fault:
            return Judgement("unparsable", nothing, fault=str(fault))

    def _choice(self, text: str) -> Judgement:
        said = parse_choice(text, self.labels)
        chosen = self.labels.index(said)
        if chosen == self.target:
            return Judgement("right", {"right_image": 1.0}, said=said)
        heard = judge_caption(self.caption, RoomScene(self.images[self.target])).true
        telling = contrast(self.images[self.target], self.images[chosen])
        misreadings = tuple(name.replace("_", " ") for name in telling if name in heard)
        return Judgement("wrong", {"right_image": 0.0}, said=said, misreadings=misreadings)

    def _caption(self, text: str, nothing: Mapping[str, float]) -> Judgement:
        said = parse_caption(text)
        target = self.images[self.target]
        others = [image for place, image in enumerate(self.images) if place != self.target]
        scores = score_captions([said], np.array([target]), np.array([others]), by="expression")
        if not scores.mentioned[0] and not scores.false[0]:
            return Judgement("unparsable", nothing, said=said, fault="a caption that speaks of no feature")
        is_found, is_false = bool(scores.is_discriminative[0]), bool(scores.false[0])
        measures = {
            "discriminativity": float(is_found),
            "optimal_discriminativity": float(scores.is_optimal[0]),
            "contrastive_efficiency": float(scores.efficiency()[0]),
            "relevance": float(scores.relevance[0]),
            "mentioned_features": float(scores.mentioned[0]),
            "false_features": float(scores.false[0]),
        }
        heard = judge_caption(said, RoomScene(target)).true
        unsaid = () if is_found else self._unsaid(target, others, heard)
        return Judgement("right" if is_found and not is_false else "wrong", measures, said=said, misreadings=unsaid)

    @staticmethod
    def _unsaid(target: int, others: list[int], heard: tuple[str, ...]) -> tuple[str, ...]:
        """The features that would have told the target from an image that the caption fits as well."""
        telling = [name for other in others for name in contrast(target, other) if name not in heard]
        return tuple(name.replace("_", " ") for name in dict.fromkeys(telling))

    def to_plain(self) -> dict[str, Any]:
        """The images as plain values."""
        return {"images": list(self.images), "target": self.target, "caption": self.caption, "set": self.set}

    @classmethod
    def from_plain(cls, values: Mapping[str, Any], answer: str) -> RoomGold:
        """Return the gold of a line of JSON, or raise `BrokenDataset` if it is none."""
        try:
            images = tuple(RoomScene(image).id for image in values["images"])
            target = int(values["target"])
            if not 2 <= len(images) <= len(ascii_uppercase) or not 0 <= target < len(images):
                raise BrokenDataset(f"{len(images)} images, of which number {target} is meant")
            return cls(images, target, str(values["caption"]), str(values["set"]), answer)
        except (DeixisError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise BrokenDataset(f"these are no images of rooms: {error}") from error


def _spoken_factors(image: int) -> tuple[object, ...]:
    """Return the factors as captions distinguish them: fifteen orientations share eleven phrases."""
    *hues, place = RoomScene(image).factors
    return *hues, PLACES[place]
