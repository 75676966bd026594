"""Captions of the same images by several speakers, to be read side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.reports.a3ds_runs import read_captions
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.reports.a3ds_runs import Line
    from deixis.reports.a3ds_tables import SpeakerResults


__all__ = ["SHOWN", "Example", "examples_of"]

SHOWN = ("shape", "floor_hue", "shape+object_hue", "random two", "object", "background")  # two sets of each category


@dataclass(frozen=True, kw_only=True)
class Example:
    """What the main speakers say of one image beside another, by their labels."""

    part: str
    images: tuple[int, ...]
    lines: Mapping[str, Line]


def examples_of(results: SpeakerResults) -> list[Example]:
    """One pair of images of some sets, drawn by lot among those that every main speaker has a caption of.

    Raises:
        BrokenDataset: when captions cannot be read.
    """
    spoken = {one.label: read_captions(one.said[0]) for one in results.main}
    spoken = {label: sets for label, sets in spoken.items() if sets}
    found = []
    for part in SHOWN:
        by_images = [{line.images: line for line in sets.get(part, ())} for sets in spoken.values()]
        common = sorted(set.intersection(*map(set, by_images))) if by_images else []
        if common:
            images = common[Stream(derive(0, "examples", part)).below(len(common))]
            lines = {label: lines[images] for label, lines in zip(spoken, by_images, strict=True)}
            found.append(Example(part=part, images=images, lines=lines))
    return found
