"""Options that verbs have for files of others, whichever reader reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deixis.worlds.world import Option


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


FAMILY = "files of others"
SPACE = Option(
    name="space",
    help="The space of the boxes in the answers: pixels, share (0 to 1) or 0..1000.",
    choices=("pixels", "share", "0..1000"),
)
PICTURES = Option(
    name="pictures",
    help="The folder with the image files, if they are not beside the data; only files in it are drawn.",
    kind=Path,
)
READER_OPTIONS: Mapping[str, Sequence[Option]] = {"evaluate": (SPACE,), "show": (PICTURES,)}
