"""Captions of rooms word by word: what tells the target apart, what is true but idle, and what is false."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.distractors._contrast import options
from deixis.expression.steps import Is
from deixis.worlds.rooms.mentions import judge, read_mentions
from deixis.worlds.rooms.mentions._judging import said_of
from deixis.worlds.rooms.pairs import context_of
from deixis.worlds.rooms.scene import FACTORS, RoomScene


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.distractors._contrast import By
    from deixis.worlds.rooms.mentions import Judgement, Mention, Reading


Mark: TypeAlias = Literal["", "true", "contrastive", "redundant", "false", "unclear", "unknown"]
MARKS = {
    "contrastive": "true, and rules out another image",
    "redundant": "true, but rules out nothing",
    "false": "does not hold of the target",
    "unclear": "may be about several things, or is only half of an expression",
    "unknown": "not a word of captions",
}
NAMES = {
    "floor_hue": "floor colour",
    "wall_hue": "wall colour",
    "object_hue": "object colour",
    "scale": "size",
    "shape": "shape",
    "orientation": "place",
}
HOLDS = {
    "floor_hue": "the floor is {}",
    "wall_hue": "the wall is {}",
    "object_hue": "the object is {}",
    "scale": "the object is {}",
    "shape": "the object is a {}",
    "orientation": "the object stands {}",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a caption: its text, how it is marked, and why."""

    text: str
    mark: Mark = ""
    why: str = ""


def mark_caption(text: str, rooms: Sequence[int], *, by: By = "label") -> tuple[Piece, ...]:
    """A caption of the first room in stretches, each marked by what it does among the others.

    Args:
        text: the caption.
        rooms: numbers of images, the target first; by itself, what is true of it is only that.
        by: whether features contrast by recorded values or by the words that captions have for them.

    Example:
        >>> [(piece.text, piece.mark) for piece in mark_caption("a red ball", (163_233, 167_073)) if piece.mark]
        [('red', 'contrastive'), ('ball', 'redundant')]
    """
    target, reading = RoomScene(rooms[0]), read_mentions(text)
    telling = telling_features(rooms, by=by) if len(rooms) > 1 else None
    return tuple(_pieces(reading, judge(reading, target), target, telling))


def telling_features(rooms: Sequence[int], *, by: By = "label") -> dict[str, list[int]]:
    """The features that tell the target from some other image, with the places of the images that each rules out."""
    there = options(context_of(rooms), by=by)
    return {
        feature.attribute: [bit + 1 for bit in range(len(rooms) - 1) if out >> bit & 1]
        for feature, out in zip(there.features, there.rules_out, strict=True)
        if out and isinstance(feature, Is)
    }


def _pieces(
    reading: Reading, verdicts: Judgement, target: RoomScene, telling: Mapping[str, list[int]] | None
) -> Iterator[Piece]:
    """The text from the left: what says something, what nobody knows, and what stands between."""
    marked = [(mention.span, _mark(mention, verdicts, target, telling)) for mention in reading.mentions]
    marked += [(span, ("unknown", MARKS["unknown"])) for span in reading.unknown]
    at = 0
    for (start, end), (mark, why) in sorted(marked):
        if start > at:
            yield Piece(reading.text[at:start])
        yield Piece(reading.text[max(at, start) : end], mark, why)
        at = end
    if at < len(reading.text):
        yield Piece(reading.text[at:])


def _mark(
    mention: Mention, verdicts: Judgement, target: RoomScene, telling: Mapping[str, list[int]] | None
) -> tuple[Mark, str]:
    if mention in verdicts.stray:
        return "false", "a colour that the target has nowhere"
    owners = [feature for feature in FACTORS if mention.span in verdicts.spans[feature]]
    if not owners:
        return "redundant", "says again what was said before"
    names = " or ".join(NAMES[feature] for feature in owners)
    verdict = verdicts.verdicts[owners[0]]
    if len(owners) > 1 or verdict == "ambiguous":
        return "unclear", f"{names}: {MARKS['unclear']}"
    if verdict == "false":
        return "false", f"{names}: {HOLDS[owners[0]].format(said_of(target)[owners[0]])}"
    if telling is None:
        return "true", f"{names}: true"
    if owners[0] in telling:
        return "contrastive", f"{names}: true, and rules out {_images(telling[owners[0]])}"
    return "redundant", f"{names}: true, but all images share it"


def _images(places: Sequence[int]) -> str:
    return "the other image" if places == [1] else " and ".join(f"distractor {place}" for place in places)
