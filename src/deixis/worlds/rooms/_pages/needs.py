"""The needed words of captions, as pages tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.rooms._needed_words import needed_words
from deixis.worlds.rooms.judging._marked import NAMES


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.rooms._needed_words import SaidFeature


KINDS = {"scale": "size", "shape": "noun", "orientation": "clause"}  # of parts, as pages colour them; all others: color


class NeedRow(NamedTuple):
    """A row of the section on needed words."""

    words: str
    kind: str
    is_needed: bool
    why: str


def need_rows(text: str, rooms: Sequence[int]) -> list[NeedRow] | None:
    """Return a row for each feature that a caption of the first room mentions, or None if others fit it, too."""
    found = needed_words(text, rooms)
    if found is None:
        return None
    return [
        NeedRow(said.words, KINDS.get(said.features[0], "color"), said.is_needed, _why(said, len(rooms)))
        for said in found
    ]


def _why(said: SaidFeature, count: int) -> str:
    names = " or ".join(NAMES[feature] for feature in said.features)
    if said.is_needed:
        return f"{names}: without it, {_images(said.needed_for, count)} would fit, too"
    if said.rules_out:
        return f"{names}: what else is said rules out {_images(said.rules_out, count)}, too"
    return f"{names}: it rules out nothing"


def _images(places: Sequence[int], count: int) -> str:
    return "the other image" if count == 2 else " and ".join(f"distractor {place}" for place in places)
