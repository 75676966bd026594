"""A listener who takes captions literally: what is said holds of an image, or it does not.

It knows what words mean and nothing of who speaks. Of the images of which nothing that is said is false it takes each
as likely as any other; where something is false of all of them, it guesses among all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.rooms.mentions import judge_rows, read_rows
from deixis.worlds.rooms.scene import factors_of


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["listen_literally"]


def listen_literally(texts: Sequence[str], images: np.ndarray) -> np.ndarray:
    """Return the probability that a literal listener chooses the target of each caption: float64 [caption].

    Args:
        texts: the captions; an empty one says nothing and holds of everything.
        images: integers [caption, image], numbers of images, the target first.

    Raises:
        SchemaError: when there are not as many captions as contexts, or a number is not that of an image.

    Example:
        >>> listen_literally(["a red ball"], np.array([[163_233, 163_233]])).tolist()
        [0.5]
    """
    images = np.asarray(images)
    if images.ndim != 2 or len(images) != len(texts):
        raise SchemaError(f"{len(texts)} captions need as many rows of images, got an array of shape {images.shape}")
    rows = read_rows(texts)
    fits = np.stack([_holds(rows, factors_of(images[:, place])) for place in range(images.shape[1])], axis=1)
    fits |= ~fits.any(axis=1, keepdims=True)
    return np.asarray(fits[:, 0] / fits.sum(axis=1))


def _holds(rows: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Whether nothing that captions say is false of an image each: bool [caption]."""
    judged = judge_rows(rows, factors)
    return ~judged.false.any(axis=1) & (judged.stray == 0)
