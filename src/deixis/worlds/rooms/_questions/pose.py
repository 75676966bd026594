"""Pairs of rooms, put to a model: as lists of features, or as pictures."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from deixis.prompts.question import ClickArea, Message, Picture
from deixis.seeds import Stream, derive
from deixis.worlds.rooms._questions.gold import RoomGold
from deixis.worlds.rooms.captions import captions, words_of
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.every_word import EVERY_WORD, needed_captions
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.scene import HUES, PLACES, SCALES, SOLIDS


if TYPE_CHECKING:
    from deixis.prompts.question import Part
    from deixis.worlds.rooms.captions import Grammar


SIDE = 256  # pixels
FEATURES = {
    "floor_hue": "floor",
    "wall_hue": "wall",
    "object_hue": "object",
    "scale": "size",
    "shape": "shape",
    "orientation": "place",
}
ROOMS = f"""\
You see {{what}} of rooms, each with one object on the floor in front of a wall. A caption may speak of
- the colours of floor, wall and object: {", ".join(HUES)};
- the size of the object, from the smallest to the largest: {", ".join(SCALES)};
- its shape: {", ".join(SOLIDS)};
- its place, from right to left: {", ".join(PLACES[:7])}, and so on to {", ".join(PLACES[11:])}."""
ASKED = {
    "choose": "Which image does the caption describe? You may think first. End with one line that gives its letter, "
    "for example:\nAnswer: B",
    "caption": "Write a caption by which somebody who sees all these images finds the one that is asked for. Say "
    "nothing false and no more than is needed, in the words given above. End with one line, for example:\n"
    "Answer: a small red ball in front of a green wall",
}


FOR_PEOPLE = {
    "choose": "You see pictures of rooms, each with one object on the floor in front of a wall, and a caption. Choose "
    "the picture that the caption describes.\n\n"
    f"The sizes are called, from the smallest to the largest: {', '.join(SCALES)}. The places are called, from right "
    f"to left: {', '.join(dict.fromkeys(PLACES))}.",
    "caption": "You see pictures of rooms, each with one object on the floor in front of a wall. Write a caption by "
    "which somebody who sees all these pictures finds the one that is asked for. Say nothing false and no more than is "
    "needed.",
}


def room_instructions(answer: str, style: str) -> Message:
    """Return the instructions before the first pair."""
    what = "images" if style == "image" else "descriptions of images"
    return Message("system", ("\n\n".join((ROOMS.format(what=what), ASKED[answer])),))


def room_gold(images: tuple[int, ...], *, name: str, answer: str, seed: int) -> RoomGold | None:
    """Return a question about some images, the first being the target, or None if no caption tells it apart.

    Args:
        images: numbers of images.
        name: of the set that they are from.
        answer: what is wanted.
        seed: of their order, and of the caption.
    """
    stream = Stream(derive(seed, "rooms", *images))
    caption = needed_captions(np.array([images]))[0] if name in EVERY_WORD else _telling(images, answer, stream)
    if caption is None:
        return None
    order = stream.permutation(range(len(images)))
    return RoomGold(tuple(images[place] for place in order), order.index(0), caption, name, answer)


def room_question(gold: RoomGold, style: str) -> Message:
    """The images, and what is asked about them."""
    parts: list[Part] = []
    for label, image in zip(gold.labels, gold.images, strict=True):
        title = f"Image {label}"
        if style == "image":
            parts += [f"{title}:", Picture(_draw(image), title)]
        else:
            said = words_of(image)
            parts.append(f"{title}: " + "; ".join(f"{word} {said[name]}" for name, word in FEATURES.items()))
    wanted = f"Caption: {gold.caption}" if gold.answer == "choose" else f"Describe image {gold.labels[gold.target]}."
    return Message("user", (*parts, wanted))


def room_areas(gold: RoomGold) -> tuple[ClickArea, ...]:
    """Return every picture as a whole, for its letter."""
    return tuple(ClickArea(label, place, (0.0, 0.0, 1.0, 1.0)) for place, label in enumerate(gold.labels))


def _telling(images: tuple[int, ...], answer: str, stream: Stream) -> str | None:
    """A caption of the first image that no other fits: any short one, or for a model to write the most to the point."""
    grammars: tuple[Grammar, ...] = ("partial",) if answer == "caption" else ("short", "exhaustive")
    for grammar in grammars:
        known = captions(images[0], grammar)
        same = np.full(len(known), images[0]), np.tile(images[1:], (len(known), 1))
        scores = score_captions(known, *same, by="expression")
        worth = scores.is_discriminative * 1.0
        if answer == "caption":
            worth *= 1 + scores.is_optimal + scores.relevance
        if worth.max() > 0:
            return known[stream.choice(np.flatnonzero(worth == worth.max()).tolist())]
    return None


@lru_cache(maxsize=256)
def _draw(image: int) -> bytes:
    return draw_png(image, size=SIDE, samples=2)
