"""Speakers of rooms: what they say of many rooms at once, and the captions that say it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from deixis.distractors._contrast import Options
from deixis.expression.steps import Is
from deixis.seeds import Stream, derive
from deixis.speakers._plain import Incremental, Minimal
from deixis.speakers._rational import Rational
from deixis.worlds.rooms.captions import caption, frames
from deixis.worlds.rooms.scene import FACTORS, PLACES, RoomScene, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.distractors._contrast import By
    from deixis.speakers._speaker import Speaker


__all__ = ["INCREMENTAL", "TEACHERS", "caption_numbers", "caption_of", "choose_rows"]

PREFERRED = ("shape", "object_hue", "scale", "wall_hue", "floor_hue", "orientation")  # the object first
INCREMENTAL = Incremental(preferred=PREFERRED, head="shape")
TEACHERS: Mapping[
    str, Speaker
] = {  # whose captions models learn; the word "thing" spares them a noun that says nothing
    "minimal": Minimal(),
    "incremental": Incremental(preferred=PREFERRED),
    "rational": Rational(alpha=16.0),
}


def caption_of(image: int, said: Iterable[str]) -> str:
    """Return a caption of a room with exactly these features, or an empty text if there are none.

    Example:
        >>> caption_of(163_233, ("object_hue",))
        'a red thing'
    """
    chosen = frozenset(said)
    number = int(caption_numbers(np.array([[name in chosen for name in FACTORS]]))[0])
    return caption(image, number, "partial") if chosen else ""


def caption_numbers(said: np.ndarray) -> np.ndarray:
    """Return the number of the `partial` caption that says each choice of features, -1 where nothing is said.

    Shapes:
        said: bool [row, 6]. Returns int64 [row].
    """
    return _number_of_choice()[said @ (1 << np.arange(len(FACTORS)))]


def choose_rows(speaker: Speaker, images: np.ndarray, *, seed: int, by: By = "label") -> np.ndarray:
    """Return the features that a speaker chooses for many rooms, the same as `speak` for each.

    Rooms that differ in the same features offer the same options, so these are made once for all of them, and a speaker
    who leaves nothing to chance there is asked once.

    Shapes:
        images: int64 [row, 1 + distractor], the target first. Returns bool [row, 6].
    """
    factors = factors_of(images).astype(np.int64)
    if by == "expression":
        phrases = list(dict.fromkeys(PLACES))
        factors[..., 5] = np.array([phrases.index(place) for place in PLACES])[factors[..., 5]]
    differs = factors[:, :1, :] != factors[:, 1:, :]  # [row, distractor, 6]
    rules_out = (differs * (1 << np.arange(differs.shape[1]))[None, :, None]).sum(axis=1)  # bits [row, 6]
    others = (1 << differs.shape[1]) - 1
    said = np.zeros((len(images), len(FACTORS)), bool)
    kinds: dict[tuple[int, ...], Options] = {}
    settled: dict[tuple[int, ...], list[int]] = {}
    for row, out in enumerate(map(tuple, rules_out.tolist())):
        chosen = settled.get(out)
        if chosen is None:
            if out not in kinds:
                kinds[out] = Options(_NAMES, out, others)
            rng = _CountedStream(derive(seed, row))
            chosen = list(speaker.choose(kinds[out], rng=rng))
            if rng.words == 0:
                settled[out] = chosen
        said[row, chosen] = True
    return said


@cache
def _number_of_choice() -> np.ndarray:
    """The number of the caption for each choice of features, as bits: int64 [64]."""
    numbers = np.full(1 << len(FACTORS), -1)
    for number, frame in enumerate(frames("partial")):
        numbers[sum(1 << FACTORS.index(name) for name in frame.features)] = number
    return numbers


class _CountedStream(Stream):
    """A stream that tells whether anything was drawn from it."""

    words = 0

    def word(self) -> int:
        self.words += 1
        return super().word()


_NAMES = tuple(Is(name, value) for name in FACTORS for value in sorted(RoomScene(0).values(0, name)))  # any values do
