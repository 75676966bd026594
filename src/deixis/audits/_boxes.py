"""Right boxes of any examples: where they lie, and what finds them without looking at the image."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from deixis.audits._blind import TOO_FEW, halve, judge_labels
from deixis.audits._candidates import ninth_of
from deixis.audits._kept_values import KeptValues
from deixis.audits.figures import Figure, mean_figure, missing
from deixis.judge.boxes import Box, overlap


ENOUGH = 0.5  # overlap from which on a box counts as found
NINTHS = {f"{row} {column}": 1 for row in range(3) for column in range(3)}


class BoxCount:
    """What is counted of examples with one right box in an image whose size is known."""

    def __init__(self) -> None:
        self.boxes = array("d")  # four edges of each
        self.words = KeptValues()
        self.images = array("Q")
        self.contents = array("Q")

    def add(self, example: Any, words: list[str], image: int, content: int) -> None:
        """Count an example, unless it has no box, several, or an image of unknown size."""
        if len(example.boxes) != 1:
            return
        number, box = example.boxes[0]
        width, height = (1.0, 1.0) if example.space == "share" else (0.0, 0.0)
        if not width and number < len(example.images):
            width, height = example.images[number][1:3]
        if not (width > 0 and height > 0):
            return
        self.boxes.extend(Box(box[0] / width, box[1] / height, box[2] / width, box[3] / height))
        self.words.append(words)
        self.images.append(image)
        self.contents.append(content)

    def figures(self) -> dict[str, Figure]:
        """The figures that need right boxes and sizes of images."""
        if not self.boxes:
            return {}
        edges = np.array(self.boxes).reshape(-1, 4)
        centres = np.array([ninth_of(*_box_at(edges, number).center) for number in range(len(edges))])
        names, counts = np.unique(centres, return_counts=True)
        halves = halve(self.images, self.contents)
        found = {"most frequent ninth": mean_figure(centres == names[counts.argmax()])}
        found["ninth by the text alone"] = judge_labels(self.words, list(centres), [NINTHS] * len(edges), halves)
        if not halves.are_enough:
            return found | {"one box for all, IoU .5": missing(TOO_FEW)}
        mean = Box(*np.round(edges[halves.learnt].mean(axis=0), 9).tolist())
        hits = np.array([overlap(mean, _box_at(edges, number)) >= ENOUGH for number in halves.judged])
        return found | {"one box for all, IoU .5": mean_figure(hits, halves.groups[halves.judged])}


def _box_at(edges: np.ndarray, number: int) -> Box:
    return Box(*edges[number].tolist())
