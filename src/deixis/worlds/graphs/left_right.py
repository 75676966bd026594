"""Left and right as GQA has them: by a rule on boxes, not by people.

Nine in ten relations of GQA say left or right, and all of them follow from the boxes. An object A is to the left of B
when its centre lies further left and

* they stand side by side: their overlap in height is at least 0.55 of the smaller height,
* they do not stand behind each other: their overlap in width is below half of the smaller width,
* they are close: the gap between them is less than a quarter of the image's width.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from deixis.scene.graph import Link


if TYPE_CHECKING:
    from deixis.scene.graph import SceneGraph


__all__ = ["LEFT", "RIGHT", "left_right_pairs", "with_left_right"]

LEFT, RIGHT = "to the left of", "to the right of"
SIDE_BY_SIDE = 0.55  # of the smaller height
BEHIND = 0.5  # of the smaller width
NEAR = 0.25  # of the width of the image


def left_right_pairs(boxes: np.ndarray, width: float) -> np.ndarray:
    """Which objects stand to the left of which, int64 [pair, 2], sorted.

    Shapes:
        boxes: numbers [object, 4] with x, y, width and height.
    """
    x, y, w, h = np.asarray(boxes, np.float64).reshape(-1, 4).T
    centre, right, bottom = x + w / 2, x + w, y + h
    is_left = centre[:, None] < centre
    in_height = np.minimum(bottom[:, None], bottom) - np.maximum(y[:, None], y)
    in_width = np.minimum(right[:, None], right) - np.maximum(x[:, None], x)
    is_beside = np.maximum(in_height, 0) >= SIDE_BY_SIDE * np.minimum(h[:, None], h)
    is_apart = np.maximum(in_width, 0) < BEHIND * np.minimum(w[:, None], w)
    is_near = x[None, :] - right[:, None] < NEAR * width
    return np.argwhere(is_left & is_beside & is_apart & is_near)


def with_left_right(graph: SceneGraph) -> SceneGraph:
    """The graph with exactly the left and right relations that the rule gives, after its other relations."""
    pairs = left_right_pairs(np.array([thing.box for thing in graph.objects], np.float64), graph.width).tolist()
    links: list[list[Link]] = [
        [link for link in thing.relations if link.relation not in (LEFT, RIGHT)] for thing in graph.objects
    ]
    for one, other in pairs:
        links[one].append(Link(LEFT, graph.objects[other].id))
        links[other].append(Link(RIGHT, graph.objects[one].id))
    things = (replace(thing, relations=tuple(own)) for thing, own in zip(graph.objects, links, strict=True))
    return replace(graph, objects=tuple(things))
