"""Verdicts on chosen regions."""

from __future__ import annotations

from pathlib import Path

from deixis.worlds.world import Option


EVALUATE = (
    Option(
        name="setting",
        help="The images that were shown where an answer does not say: Full (by default), DiffCat,"
        " Cat, Cat&attr, Cat&cat, WithoutDist, or all for answers that hold in every setting.",
    ),
    Option(
        name="boxes",
        help="The coordinate space of boxes that do not say theirs: xywh, xyxy, xywh-normalised or xyxy-normalised.",
    ),
    Option(
        name="retrieve",
        help="For checkpoints: a run of scan, which first chooses the image to search.",
        kind=Path,
    ),
    Option(
        name="cache",
        help="For checkpoints: a folder for what images look like, so that it is computed once.",
        kind=Path,
    ),
)
