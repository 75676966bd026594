"""Language drift: from common language, from what images show, and from their captions.

- structural: log p(said) under a model of the language of captions, without images.
- semantic: log p(said | target) under the speaker before the game, which sees the target alone.
- overlap: words of the target's captions that are said, less those of the distractor's.

Beside these stand what the captions say, read and judged as in the metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.training._saying import likelihood, shift_right
from deixis.worlds.rooms.vocabulary import encode_captions, vocabulary


if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from deixis.worlds.rooms._models.speakers import CaptionLanguage, RoomSpeaker
    from deixis.worlds.rooms.training._saying import SpokenCaptions


SPECIALS = 4


def texts_of(words: np.ndarray) -> list[str]:
    """The texts of captions: int [caption, step]."""
    known = vocabulary("natural")  # the others begin it
    return [known.decode(row) for row in words.tolist()]


def score_words(words: np.ndarray, images: np.ndarray) -> dict[str, float]:
    """Score captions of images, in the metrics of A3DS.

    Shapes:
        words: int [caption, step]. images: int64 [caption, image], the target first.
    """
    texts = texts_of(words)
    scores = score_captions(texts, images[:, 0], images[:, 1:])
    efficiency = scores.efficiency()
    found = efficiency[~np.isnan(efficiency)]
    return {
        "discriminativity": float(scores.is_discriminative.mean()),
        "efficiency": float(found.mean()) if len(found) else 0.0,
        "relevance": float(scores.relevance.mean()),
        "mentioned": float(scores.mentioned.mean()),
        "false": float(scores.false.mean()),
        "words": float(np.mean([len(text.split()) for text in texts])),
    }


def merit_of(scores: Mapping[str, float]) -> float:
    """The mean of discriminativity, efficiency and relevance, by which speakers that contrast are selected."""
    return float(np.mean([scores[name] for name in ("discriminativity", "efficiency", "relevance")]))


@torch.no_grad()
def drift(
    said: SpokenCaptions, target: Tensor, language: CaptionLanguage | None, before: RoomSpeaker | None
) -> dict[str, float]:
    """Return the structural and the semantic drift of captions, where less means further.

    Args:
        said: the captions.
        target: float [caption, feature], their images.
        language: of captions.
        before: the speaker before the game.
    """
    found = {}
    words = said.words
    if language is not None:
        found["structural"] = float(likelihood(language.scores(shift_right(words)), words, said.length).mean())
    if before is not None:
        seen = before.look(target[:, None])
        found["semantic"] = float(likelihood(before.scores(seen, shift_right(words)), words, said.length).mean())
    return found


def overlap(words: np.ndarray, images: np.ndarray) -> float:
    """Words that belong to captions of the target, less those that belong to captions of the first distractor.

    Shapes:
        words: int [caption, step]. images: int64 [caption, image].
    """
    counts = [_words_in(words, images[:, column]) for column in (0, 1)]
    return float((counts[0] - counts[1]).mean())


def _words_in(words: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Count the words of each caption that occur in captions of an image: int64 [caption]."""
    known = np.zeros((len(ids), len(vocabulary("natural"))), bool)
    every = encode_captions(ids, "exhaustive", length=27).reshape(len(ids), -1)
    np.put_along_axis(known, every.astype(np.int64), values=True, axis=1)
    known[:, :SPECIALS] = False
    return np.take_along_axis(known, words.astype(np.int64), axis=1).sum(1)
