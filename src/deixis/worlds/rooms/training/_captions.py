"""Captions as arrays of numbers, and the contexts that a speaker learns from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.rooms.captions import frames
from deixis.worlds.rooms.pairs import Images, draw_contexts, partition
from deixis.worlds.rooms.vocabulary import encode_captions


if TYPE_CHECKING:
    from deixis.worlds.rooms.captions import Grammar
    from deixis.worlds.rooms.training.settings import Captioning, Game


LONGEST = 26  # words of the longest exhaustive caption, and its end
SIMILAR = 3  # features that similar images share at least


class Lesson(NamedTuple):
    """Contexts with a caption of their target.

    Shapes:
        images: int64 [context, image], the target first.
        captions: uint8 [context, LONGEST], of the targets, without the start, with the end, filled up.
        short: uint8 [context, LONGEST], others that leave things out.
    """

    images: np.ndarray
    captions: np.ndarray
    short: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.images)


def images_of(seed: int) -> Images:
    """Return the division of the images into train, tune, validation and test."""
    return partition(seed=seed)


def lessons(how: Captioning | Game, part: str, *, count: int | None = None) -> Lesson:
    """The contexts of a part of the images, and for each one of the captions of its target.

    Args:
        how: seeds, how many captions of each image, how many distractors, and whether they are similar.
        part: `train`, `tune` or `validation`.
        count: how many contexts; by default as many as there are images times captions.
    """
    among = getattr(images_of(how.data_seed), part)
    each = getattr(how, "captions", 5)
    total = len(among) * each if count is None else count
    seed = derive(how.data_seed, "lessons", part)
    shared = SIMILAR if getattr(how, "pairs", "random") == "similar" else ()
    images = draw_contexts(total, seed=seed, distractors=how.distractors, shared=shared, among=among)
    if part == "train":  # each image as often as any other, with captions that differ
        images[:, 0] = np.repeat(among, each)[:total]
        clash = (images[:, 1:] == images[:, :1]).any(1)
        images[clash, 1:] = draw_contexts(
            total, seed=derive(seed, "again"), distractors=how.distractors, among=_without(among, images[clash, 0])
        )[clash, 1:]
    each = each if part == "train" else 1
    return Lesson(
        images,
        _chosen_captions(images[:, 0], each, derive(seed, "captions"), "exhaustive"),
        _chosen_captions(images[:, 0], each, derive(seed, "short captions"), "short"),
    )


def _chosen_captions(images: np.ndarray, each: int, seed: int, grammar: Grammar) -> np.ndarray:
    return caption_tokens(images, _caption_numbers(len(images), each, seed, len(frames(grammar))), grammar)


def _without(among: np.ndarray, left_out: np.ndarray) -> np.ndarray:
    return np.setdiff1d(among, left_out)


def _caption_numbers(total: int, each: int, seed: int, count: int) -> np.ndarray:
    """Choose a caption of each target, all of an image different: int64 [total]."""
    groups = -(-total // each)
    counter = np.arange(groups * count, dtype=np.uint64) * GOLDEN_WORD + np.uint64(seed)
    order = np.argsort(mix_words(counter).reshape(groups, count), axis=1, kind="stable")
    return order[:, :each].ravel()[:total]


def caption_tokens(images: np.ndarray, numbers: np.ndarray, grammar: Grammar = "exhaustive") -> np.ndarray:
    """Captions as numbers of words: uint8 [image, LONGEST], without the start, with the end, filled up.

    Shapes:
        images, numbers: int64 [image].
    """
    different, place = np.unique(images, return_inverse=True)
    return encode_captions(different, grammar, length=LONGEST + 1)[place, numbers, 1:]
