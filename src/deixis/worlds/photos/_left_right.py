"""Left and right as GQA has them, by a rule on boxes.

Nine in ten relations of GQA say left or right, and all of them follow from the boxes. An object A is to the left of B
when its centre lies further left and

* they stand side by side: their overlap in height is at least 0.55 of the smaller height,
* they do not stand behind each other: their overlap in width is below half of the smaller width,
* they are close: the gap between them is less than a quarter of the image's width.

People are less strict: two things that are level at all, however far apart, may be said to be left and right of each
other. Between the two readings lies a band of doubt; `with_loose_sides` has all that the loose one allows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from deixis.worlds.photos.scene.graph import Link


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.photos.scene.graph import SceneGraph
    from deixis.worlds.photos.scene.graph_table import GraphTable


LEFT, RIGHT = "to the left of", "to the right of"
SIDE_BY_SIDE = 0.55  # of the smaller height
BEHIND = 0.5  # of the smaller width
NEAR = 0.25  # of the width of the image
PAIRS = 4_000_000  # of objects that are compared at a time


def left_right_pairs(boxes: np.ndarray, width: float) -> np.ndarray:
    """Return the pairs of objects of which the first is to the left of the second, int64 [pair, 2], sorted.

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
    """Return the graph with exactly the left and right relations that the rule gives, after its other relations."""
    pairs = left_right_pairs(np.array([thing.box for thing in graph.objects], np.float64), graph.width).tolist()
    links: list[list[Link]] = [
        [link for link in thing.relations if link.relation not in (LEFT, RIGHT)] for thing in graph.objects
    ]
    for one, other in pairs:
        links[one].append(Link(LEFT, graph.objects[other].id))
        links[other].append(Link(RIGHT, graph.objects[one].id))
    things = (replace(thing, relations=tuple(own)) for thing, own in zip(graph.objects, links, strict=True))
    return replace(graph, objects=tuple(things))


def loose_pairs(boxes: np.ndarray) -> np.ndarray:
    """Return the pairs that people may call left and right, level at all and however far: int64 [pair, 2], sorted.

    Shapes:
        boxes: numbers [object, 4] with x, y, width and height.
    """
    count = len(np.asarray(boxes).reshape(-1, 4))
    one, other = np.divmod(np.arange(count * count), max(count, 1))
    return np.stack((one, other), axis=1)[_is_loosely_left(np.asarray(boxes, np.float64).reshape(-1, 4), one, other)]


@lru_cache(maxsize=4)
def with_loose_sides(table: GraphTable) -> GraphTable:
    """Return the table with every left and right that people may see, in place of those that are recorded.

    A corpus that records neither has none.
    """
    codes = [table.vocabulary.relation_codes.get(side) for side in (LEFT, RIGHT)]
    if codes == [None, None]:
        return table
    source = np.repeat(np.arange(table.object_count), np.diff(table.edge_ptr))
    is_kept = ~np.isin(table.relation, [code for code in codes if code is not None])
    owners, relations, targets = [source[is_kept]], [table.relation[is_kept]], [table.target[is_kept]]
    first = table.scene_ptr[table.scene_of]
    for one, other in _loosely_left(table):
        for code, owner, target in ((codes[0], one, other), (codes[1], other, one)):
            if code is not None:
                owners.append(owner)
                relations.append(np.full(len(owner), code))
                targets.append(target - first[target])
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    edge_ptr = np.zeros(table.object_count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=table.object_count), out=edge_ptr[1:])
    return replace(
        table,
        edge_ptr=edge_ptr,
        relation=np.concatenate(relations)[order].astype(table.relation.dtype),
        target=np.concatenate(targets)[order].astype(table.target.dtype),
    )


def _loosely_left(table: GraphTable) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the objects that are loosely to the left of others of their scenes, numbered in the whole table."""
    sizes = np.diff(table.scene_ptr)
    ends = np.cumsum(sizes**2)
    cuts = np.searchsorted(ends, np.arange(PAIRS, int(ends.max(initial=0)) + PAIRS, PAIRS), side="left") + 1
    begin = 0
    for cut in np.unique(np.minimum(cuts, len(sizes))).tolist():
        start, stop = int(table.scene_ptr[begin]), int(table.scene_ptr[cut])
        per_object = np.repeat(sizes[begin:cut], sizes[begin:cut])  # how many its scene has
        one = np.repeat(np.arange(start, stop), per_object)
        starts = np.cumsum(per_object) - per_object
        within = np.arange(len(one)) - np.repeat(starts, per_object)
        other = np.repeat(table.scene_ptr[table.scene_of[start:stop]], per_object) + within
        is_left = _is_loosely_left(table.box, one, other)
        yield one[is_left], other[is_left]
        begin = cut


def _is_loosely_left(boxes: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return whether each of some objects may be said to be to the left of another: bool [pair]."""
    (x, y, w, h), (their_x, their_y, their_w, their_h) = boxes[one].astype(float).T, boxes[other].astype(float).T
    is_left = x + w / 2 < their_x + their_w / 2
    is_level = np.minimum(y + h, their_y + their_h) > np.maximum(y, their_y)
    in_width = np.minimum(x + w, their_x + their_w) - np.maximum(x, their_x)
    return is_left & is_level & (np.maximum(in_width, 0) < BEHIND * np.minimum(w, their_w))
