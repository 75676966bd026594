"""Probes: texts without their words, their order or their relations, to see whether a model needs them.

These are the probes of Cops-Ref, section 5.2. Each is a plain function on arrays, so that it works for every model; a
model is trained and tested on what it gives.

| probe | |
|---|---|
| `deaf` | nothing is said: every text is one unknown word |
| `shuffle` | the words in random order, another one for every text |
| `obj-attr` | nouns and attributes only; the whole text where there are none |

A deaf model reads the same text always, so whatever it makes of it is one constant vector: what it scores depends on
the regions alone. In GroundeR, whose phrase is normalised over the batch, that constant is exactly zero in training, as
in the paper, and no model needs a case of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import ranks
from deixis.worlds.photos.data._arrays import PAD, UNKNOWN
from deixis.worlds.photos.data._roles import ATTRIBUTE, NOUN


if TYPE_CHECKING:
    from collections.abc import Sequence


Probe: TypeAlias = Literal["", "deaf", "shuffle", "obj-attr"]
PROBES: tuple[Probe, ...] = ("", "deaf", "shuffle", "obj-attr")


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts as numbers of words.

    Shapes:
        words: int32 [text, step], `PAD` after the end. count: int32 [text].
    """

    words: np.ndarray
    count: np.ndarray


def deaf(said: Texts) -> Texts:
    """Return texts of one unknown word each."""
    words = np.full_like(said.words, PAD)
    words[:, 0] = UNKNOWN
    return Texts(words, np.ones_like(said.count))


def shuffle_words(said: Texts, numbers: np.ndarray, *, seed: int) -> Texts:
    """The words of every text in an order that depends on the seed and the number of the text alone.

    Shapes:
        numbers: int64 [text], e.g. the ids of the examples.
    """
    rank = ranks(seed, np.asarray(numbers, np.int64), said.words.shape[1])
    rank[np.arange(said.words.shape[1]) >= said.count[:, None]] = 2  # after all others, in their order
    return Texts(np.take_along_axis(said.words, np.argsort(rank, 1, kind="stable"), 1), said.count)


def objects_and_attributes(
    said: Texts, roles: np.ndarray, *, kept: Sequence[int] = (NOUN, ATTRIBUTE)
) -> tuple[Texts, np.ndarray]:
    """Return the words of some roles, in their order, and their roles.

    A text that has none of them stays whole.

    Shapes:
        roles: int8 [text, step], see `worlds.photos.data._roles`.
    """
    steps = np.arange(said.words.shape[1])
    is_word = steps < said.count[:, None]
    is_kept = np.isin(roles, kept) & is_word
    is_kept = np.where(is_kept.any(1, keepdims=True), is_kept, is_word)
    order = np.argsort(~is_kept, 1, kind="stable")
    count = is_kept.sum(1).astype(said.count.dtype)
    is_there = steps < count[:, None]
    words = np.where(is_there, np.take_along_axis(said.words, order, 1), PAD).astype(said.words.dtype)
    return Texts(words, count), np.where(is_there, np.take_along_axis(roles, order, 1), 0).astype(roles.dtype)


def apply_probe(said: Texts, roles: np.ndarray, numbers: np.ndarray, probe: str, *, seed: int = 0) -> Texts:
    """Apply a probe to texts, or raise `RecipeError` for an unknown probe.

    Args:
        said: the texts.
        roles: of their words.
        numbers: of the texts, for `shuffle`.
        probe: one of `PROBES`; the empty one changes nothing.
        seed: for `shuffle`.
    """
    match probe:
        case "":
            return said
        case "deaf":
            return deaf(said)
        case "shuffle":
            return shuffle_words(said, numbers, seed=seed)
        case "obj-attr":
            return objects_and_attributes(said, roles)[0]
    raise RecipeError(f"unknown probe {probe!r}; known: {', '.join(name for name in PROBES if name)}")
