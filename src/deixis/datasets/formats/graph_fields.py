"""The fields that files of scene graphs share: words, boxes and the size of an image, none of them to be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.scene.graph import Box


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.scene.graph import GraphObject
    from deixis.worlds.graphs.problems import GraphReport


__all__ = ["box_of", "id_of", "is_number", "size_of", "word_of"]

LARGEST = 1_000_000  # pixels; also keeps numbers within the table
LONGEST_WORD = 200


def is_number(value: Any) -> bool:
    """Whether a value is a number that can be a coordinate."""
    return (type(value) is int or type(value) is float) and -LARGEST <= value <= LARGEST


def word_of(value: Any) -> str:
    """A name or attribute without blanks around it; empty when the value is none."""
    if not isinstance(value, str) or len(value) > LONGEST_WORD:
        return ""
    word = value.strip()
    return word if word.isprintable() else ""


def id_of(value: Any) -> str:
    """The id of an image or object, which some files write as a number; empty when the value is none."""
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) and len(value) <= LONGEST_WORD and value.isprintable() else ""


def box_of(x: Any, y: Any, w: Any, h: Any) -> Box | None:
    """The box of four numbers; None when some are none."""
    return Box(x, y, w, h) if is_number(x) and is_number(y) and is_number(w) and is_number(h) else None


def size_of(
    width: Any, height: Any, things: Sequence[GraphObject], image_id: str, report: GraphReport
) -> tuple[int, int]:
    """Width and height of an image; the reach of its boxes where they are not given."""
    if is_number(width) and is_number(height) and width >= 1 and height >= 1:
        return int(width), int(height)
    if things:
        report.add("G110", image_id)
    reach = [(thing.box.x + max(thing.box.w, 1), thing.box.y + max(thing.box.h, 1)) for thing in things]
    return max((int(x) for x, _ in reach if x >= 1), default=1), max((int(y) for _, y in reach if y >= 1), default=1)
