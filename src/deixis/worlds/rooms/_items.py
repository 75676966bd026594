"""Part `items` of rooms: their pictures as arrays, and the metrics of captions.

With pictures, PyTorch is given `picture`, or `target_picture` and `distractor_picture`: uint8 [3, row, column].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._example_rows import no_columns
from deixis.errors import SchemaError
from deixis.judge._lists import demand_alike, mean_of_known
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._summary import MAIN, METRICS
from deixis.worlds.rooms.judging._summary import columns as measured


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from deixis.judge._lists import Numbers


SIDE = 64  # pixels
PICTURES = {"image": "picture", "target": "target_picture", "distractor": "distractor_picture"}


def columns(path: Path, *, pictures: bool) -> Callable[[Any], dict[str, Any]]:
    """The pictures of the images that rows name, where they are wanted."""
    del path
    return _pictures if pictures else no_columns


def _pictures(table: Any) -> dict[str, Any]:
    return {
        name: draw_rooms(table.column(column).to_numpy().astype(np.int64), size=SIDE).transpose(0, 3, 1, 2)
        for column, name in PICTURES.items()
        if column in table.column_names and name not in table.column_names
    }


# -------------------------------------------------------------------------------- metrics


def pragmatic(captions: Sequence[str], targets: Sequence[int], distractors: Sequence[int]) -> Numbers:
    """Return how well captions of rooms tell a target from its distractor (Tsvilodub and Franke 2023).

    Args:
        captions: what was said of each target; an empty one says nothing.
        targets: the numbers of the images that are described.
        distractors: the numbers of the images that they are to be told from.

    Raises:
        SchemaError: when the lists are of different lengths or empty, or a number is not that of an image.

    Example:
        >>> pragmatic(["a tiny red block on the right"], [15], [16])["discriminativity"]
        0.0
    """
    demand_alike(captions=captions, targets=targets, distractors=distractors)
    if not all(isinstance(caption, str) for caption in captions):
        raise SchemaError("captions are texts; write an empty one where nothing was said")
    scores = score_captions(list(captions), _images(targets), _images(distractors))
    found = measured(scores)
    means: Numbers = {name: mean_of_known(found[:, METRICS.index(name)]) for name in MAIN}
    return means | {"examples": len(captions)}


def _images(numbers: Sequence[Any]) -> np.ndarray:
    """The numbers of images; `SchemaError` where they are none."""
    try:
        found = np.asarray(numbers)
    except ValueError:
        found = np.asarray("")
    if found.ndim != 1 or not np.issubdtype(found.dtype, np.integer):
        raise SchemaError("the numbers of images are whole numbers, one for each caption")
    return found


def _pragmatic(predictions: Sequence[str], references: Sequence[str]) -> Numbers:
    pairs = [text.split("/") for text in references]
    if not all(len(pair) == 2 and all(part.strip().isdigit() for part in pair) for pair in pairs):
        raise SchemaError("references must be TARGET/DISTRACTOR, the numbers of two images")
    targets, distractors = ([int(pair[place]) for pair in pairs] for place in (0, 1))
    return pragmatic(predictions, targets, distractors)


metrics: Mapping[str, Callable[..., Numbers]] = {"pragmatic": _pragmatic}
