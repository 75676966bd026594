"""What the finished picture bears out: things may hide the foot of a tree, or the larger half of a large box."""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.scene.graph import Box


__all__ = ["is_borne_out", "sizes_in_doubt"]

RESTING = ("on", "on top of", "riding")
SLACK_PX = 3
OPPOSITES = {"large": "small", "tall": "short"}


def is_borne_out(relation: str, box: Box, other: Box) -> bool:
    """Whether the boxes of what can be seen agree with a relation: what rests on something reaches down to it."""
    across = min(box.x + box.w, other.x + other.w) - max(box.x, other.x)
    down = min(box.y + box.h, other.y + other.h) - max(box.y, other.y)
    if relation in RESTING or relation.endswith(" on"):
        return across > 0 and box.y + box.h >= other.y - SLACK_PX
    if relation in ("in front of", "behind"):
        return across > 0 and down > 0
    return True


def sizes_in_doubt(names: Sequence[str], words: Sequence[Sequence[str]], boxes: Sequence[Box]) -> set[int]:
    """The things called large or small, tall or short, next to another of their name that looks the other way round."""
    doubtful: set[int] = set()
    for large, small in OPPOSITES.items():
        for one, box in enumerate(boxes):
            if large not in words[one]:
                continue
            for other, rest in enumerate(boxes):
                if names[one] != names[other] or small not in words[other]:
                    continue
                is_so = box.area > rest.area if large == "large" else box.h > rest.h
                if not is_so:
                    doubtful |= {one, other}
    return doubtful
