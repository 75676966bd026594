"""What a speaker is: someone who chooses, of all that is true of a target, what to say.

A speaker sees the options only: which features there are and what each rules out. So it speaks about rooms, boards and
photographs alike, in contexts with any number of distractors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from deixis.distractors.contrast import Options, options
from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.scene.factors import FACTORS, PLACES, RoomScene, factors_of
from deixis.seeds import Stream, derive
from deixis.worlds.shapes.captions import caption, frames


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.distractors.contrast import By
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context


__all__ = ["Speaker", "caption_of", "choose_rows", "speak"]


class Speaker(Protocol):
    """Chooses features by number."""

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:
        """The numbers of the features to say, in order."""


def speak(speaker: Speaker, context: Context, *, rng: Stream, by: By = "label") -> Expression:
    """What a speaker says of the target of a context.

    Args:
        speaker: who.
        context: the scenes shown together.
        rng: for speakers that leave things to chance.
        by: whether features contrast by recorded values or by the widest expressions for them.
    """
    there = options(context, by=by)
    return Description(tuple(there.features[number] for number in speaker.choose(there, rng=rng)))


def caption_of(image: int, said: Iterable[str]) -> str:
    """A caption of a room that names these features and no others; empty where there are none.

    Example:
        >>> caption_of(163_233, ("object_hue",))
        'a red thing'
    """
    chosen = frozenset(said)
    if not chosen:
        return ""
    number = next(n for n, frame in enumerate(frames("partial")) if frozenset(frame.features) == chosen)
    return caption(image, number, "partial")


def choose_rows(speaker: Speaker, images: np.ndarray, *, seed: int, by: By = "label") -> np.ndarray:
    """What a speaker says of many rooms; the same as `speak` would say of each.

    Rooms that differ in the same features offer the same options, so these are made once for all of them.

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
    for row, out in enumerate(map(tuple, rules_out.tolist())):
        there = kinds.setdefault(out, Options(_NAMES, out, others))
        said[row, list(speaker.choose(there, rng=Stream(derive(seed, row))))] = True
    return said


_NAMES = tuple(Is(name, value) for name in FACTORS for value in sorted(RoomScene(0).values(0, name)))  # any values do
