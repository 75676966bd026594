"""Test sets in which every feature that is said must be said: without any of them a caption fits a distractor, too.

The target and its distractors are all rooms that one, two or three features with two values each can make. For each of
these features some distractor differs from the target in it alone, so it has to be said; others are the same in all.
There is one minimal caption of each context, then. Every image stands to the others as the target does, so nothing but
the caption tells which is meant.

| set | distractors | features to say |
|---|---|---|
| `every-word-one` | 1 | 1, each of the six equally often |
| `every-word-two` | 3 at once | 2, any two equally often |
| `every-word-three` | 7 at once | 3, any three equally often |

Features differ by what captions say of them: orientations with one phrase do not.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import SchemaError
from deixis.seeds import derive
from deixis.worlds.rooms.captions import caption
from deixis.worlds.rooms.pairs import PAIRS, Draws, partition
from deixis.worlds.rooms.scene import FACTORS, IMAGES, PLACES, SIZES, STRIDES, factors_of
from deixis.worlds.rooms.speakers import caption_numbers


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["EVERY_WORD", "draw_every_word", "needed_captions", "needed_features"]

EVERY_WORD: Mapping[str, int] = {  # how many features have to be said
    "every-word-one": 1,
    "every-word-two": 2,
    "every-word-three": 3,
}
PHRASES = np.array([PLACES.index(place) for place in PLACES])  # orientations with one phrase have one number
ROUNDS = 500  # in which contexts are drawn anew where the images to choose from lack one of theirs


def draw_every_word(*, seed: int, count: int = PAIRS, among: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """The sets by name: int64 [context, 1 + distractors], the target first.

    Args:
        seed: which images; the same seed gives the same sets.
        count: contexts in each.
        among: the images to choose from; those held out by `partition` by default.

    Raises:
        SchemaError: when the images to choose from hold too few that differ in single features.
    """
    images = np.unique(partition(seed=seed).test if among is None else among)
    return {
        name: _draw(images, count, features, seed=derive(seed, "a3ds", name)) for name, features in EVERY_WORD.items()
    }


def needed_features(images: np.ndarray) -> np.ndarray:
    """Return which features have to be said, since some distractor differs from the target in that one alone.

    Shapes:
        images: int64 [context, 1 + distractors], the target first. Returns bool [context, 6].
    """
    factors = factors_of(images)
    factors[..., -1] = PHRASES[factors[..., -1]]
    differs = factors[:, 1:] != factors[:, :1]  # [context, distractor, 6]
    return np.asarray((differs & (differs.sum(axis=2, keepdims=True) == 1)).any(axis=1))


def needed_captions(images: np.ndarray) -> list[str]:
    """The captions that say just what has to be said, of the grammar `partial`.

    Example:
        >>> needed_captions(np.array([[163_233, 167_073]]))  # a red and a purple ball, everything else the same
        ['a red thing']
    """
    numbers = caption_numbers(needed_features(images)).tolist()
    return [
        caption(image, number, "partial") if number >= 0 else ""
        for image, number in zip(np.asarray(images)[:, 0].tolist(), numbers, strict=True)
    ]


def _draw(images: np.ndarray, count: int, features: int, *, seed: int) -> np.ndarray:
    """Contexts of all rooms that some features with two values each make: int64 [count, 2 ** features]."""
    draws = Draws(seed)
    is_there = np.zeros(IMAGES, bool)
    is_there[images] = True
    choices = np.array(list(combinations(range(len(FACTORS)), features)))
    places = choices[draws.order(count) % len(choices)]  # [context, feature]
    taken = np.arange(1 << features)[:, None] >> np.arange(features) & 1  # [room, feature]: the target's value or not
    rows = np.empty((count, 1 << features), np.int64)
    left = np.arange(count)
    for _ in range(ROUNDS):
        targets = images[draws.below(np.full(len(left), len(images)))]
        steps = np.column_stack([_step(targets, places[left, column], draws) for column in range(features)])
        rows[left] = targets[:, None] + steps @ taken.T
        left = left[~is_there[rows[left]].all(axis=1)]
        if not len(left):
            return rows
    raise SchemaError(f"among {len(images):,} images there are too few that differ in one feature; choose from more")


def _step(targets: np.ndarray, place: np.ndarray, draws: Draws) -> np.ndarray:
    """The way from each target to a room that differs in one feature, to any other value: int64 [target]."""
    sizes, strides = np.array(SIZES)[place], np.array(STRIDES)[place]
    own = targets // strides % sizes
    values = np.arange(max(SIZES))[None]
    is_other = np.where(
        (place == len(FACTORS) - 1)[:, None], PHRASES[values] != PHRASES[own][:, None], values != own[:, None]
    )
    fits = is_other & (values < sizes[:, None])
    chosen = (np.cumsum(fits, axis=1) > draws.below(fits.sum(axis=1))[:, None]).argmax(axis=1)
    return (chosen - own) * strides
