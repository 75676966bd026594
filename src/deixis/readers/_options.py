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
ORDERS = Option(
    name="orders",
    help="Of choices: ask each question in one order that is drawn, or in both that and the reverse one.",
    choices=("drawn", "both"),
)
PICTURES = Option(
    name="pictures",
    help="The folder with the image files, if they are not beside the data; only files in it are shown.",
    kind=Path,
)
ALLOW_LOSSES = Option(
    name="allow_losses",
    help="Go on although over 1 % of the examples cannot be written in the form.",
    kind=bool,
)
READER_OPTIONS: Mapping[str, Sequence[Option]] = {
    "evaluate": (SPACE,),
    "show": (PICTURES,),
    "convert": (ALLOW_LOSSES,),
    "prompts": (ORDERS, PICTURES),
}
