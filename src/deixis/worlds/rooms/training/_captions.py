"""Captions as arrays of numbers, and the contexts that a speaker learns from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.rooms.captions import frames
from deixis.worlds.rooms.pairs import CATEGORIES, SETS, Images, draw_contexts, partition
from deixis.worlds.rooms.speakers import TEACHERS, caption_numbers, choose_rows
from deixis.worlds.rooms.vocabulary import CaptionVocabulary, encode_captions, vocabulary


if TYPE_CHECKING:
    from deixis.worlds.rooms.captions import Grammar
    from deixis.worlds.rooms.training.settings import Captioning, Game


EXHAUSTIVE = "exhaustive"  # the teacher who says all there is
LONGEST = 26  # words of the longest exhaustive caption, and its end
SIMILAR = 3  # features that similar images share at least


class Lesson(NamedTuple):
    """Contexts with a caption of their target.

    Shapes:
        images: int64 [context, image], the target first.
        captions: uint8 [context, step], of the targets, without the start, with the end, filled up; LONGEST steps
            for exhaustive ones, as many as the longest takes for a teacher's.
        short: uint8 [context, LONGEST], others that leave things out; None for a teacher's.
    """

    images: np.ndarray
    captions: np.ndarray
    short: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.images)


def images_of(seed: int) -> Images:
    """Return the division of the images into train, tune, validation and test."""
    return partition(seed=seed)


def vocabulary_of(teacher: str) -> CaptionVocabulary:
    """The words of a teacher's captions; those of rule-based speakers need the word 'thing'."""
    return vocabulary("complete" if teacher == EXHAUSTIVE else "natural")


def lessons(how: Captioning | Game, part: str, *, count: int | None = None) -> Lesson:
    """The contexts of a part of the images, and for each a caption of its target.

    Args:
        how: seeds, how many captions of each image, how many distractors, whether they are similar, and the teacher.
        part: `train`, `tune` or `validation`.
        count: how many contexts; by default as many as there are images times captions.
    """
    among = getattr(images_of(how.data_seed), part)
    each = getattr(how, "captions", 5)
    total = len(among) * each if count is None else count
    seed = derive(how.data_seed, "lessons", part)
    images = _draw_contexts(how, part, total, seed, among)
    if how.teacher != EXHAUSTIVE:
        return Lesson(images, taught_captions(images, how.teacher, seed=derive(seed, how.teacher)))
    each = each if part == "train" else 1
    return Lesson(
        images,
        _chosen_captions(images[:, 0], each, derive(seed, "captions"), "exhaustive"),
        _chosen_captions(images[:, 0], each, derive(seed, "short captions"), "short"),
    )


def taught_captions(images: np.ndarray, teacher: str, *, seed: int) -> np.ndarray:
    """Captions that a rule-based speaker chooses, as numbers of words: uint8 [context, step].

    Features contrast by their phrases, so that what is said tells the images apart. Of a target that no phrase tells
    apart nothing is said.

    Args:
        images: int64 [context, image], the target first.
        teacher: a name in `TEACHERS`.
        seed: of what the speaker leaves to chance.
    """
    words = vocabulary_of(teacher)
    numbers = caption_numbers(choose_rows(TEACHERS[teacher], images, seed=seed, by="expression"))
    tokens = caption_tokens(images[:, 0], numbers, "partial", words=words)
    tokens[numbers < 0] = words.numbers[words.padding]
    tokens[numbers < 0, 0] = words.numbers[words.end]
    longest = int((tokens != words.numbers[words.padding]).sum(axis=1).max(initial=1))
    return np.ascontiguousarray(tokens[:, :longest])


def _draw_contexts(how: Captioning | Game, part: str, total: int, seed: int, among: np.ndarray) -> np.ndarray:
    """Targets with their distractors: int64 [context, image]."""
    pairs = getattr(how, "pairs", "random" if how.teacher == EXHAUSTIVE else "mixed")
    if pairs == "mixed":
        return mixed_contexts(total, seed=seed, distractors=how.distractors, among=among)
    shared = SIMILAR if pairs == "similar" else ()
    images = draw_contexts(total, seed=seed, distractors=how.distractors, shared=shared, among=among)
    if part == "train":  # each image as often as any other, with captions that differ
        images[:, 0] = np.repeat(among, getattr(how, "captions", 5))[:total]
        clash = (images[:, 1:] == images[:, :1]).any(1)
        images[clash, 1:] = draw_contexts(
            total, seed=derive(seed, "again"), distractors=how.distractors, among=_without(among, images[clash, 0])
        )[clash, 1:]
    return images


def mixed_contexts(count: int, *, seed: int, distractors: int, among: np.ndarray) -> np.ndarray:
    """Contexts of the kinds of the test sets, a third of each category: int64 [context, image].

    Args:
        count: how many.
        seed: which.
        distractors: images beside the target, each of which shares the features of the kind with it.
        among: the images to choose from.
    """
    rows = np.empty((count, 1 + distractors), np.int64)
    for place, names in enumerate(CATEGORIES.values()):
        third = rows[place :: len(CATEGORIES)]
        for number, name in enumerate(names):
            some = third[number :: len(names)]
            some[:] = draw_contexts(
                len(some), seed=derive(seed, "mixed", name), distractors=distractors, shared=SETS[name], among=among
            )
    return rows


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


def caption_tokens(
    images: np.ndarray,
    numbers: np.ndarray,
    grammar: Grammar = "exhaustive",
    *,
    words: CaptionVocabulary | None = None,
) -> np.ndarray:
    """Captions as numbers of words: uint8 [image, LONGEST], without the start, with the end, filled up.

    Shapes:
        images, numbers: int64 [image].
    """
    different, place = np.unique(images, return_inverse=True)
    return encode_captions(different, grammar, words=words, length=LONGEST + 1)[place, numbers, 1:]
