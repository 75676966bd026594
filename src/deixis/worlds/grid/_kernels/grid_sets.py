"""The grid layout: which objects have a value, and which stand in a relation to a set.

`sets` is uint64 [3 * 4 + 2 * grid size]: for every value of shape, color and size, then for every row and column, the
set of objects that have it. The plain twin is `GridScene`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import bit, jit, jit_inline, lowest


COLOR_0, SIZE_0, ROW_0 = 4, 8, 12
SAME_ROW, SAME_COLUMN, INSIDE, SAME_SIZE, SAME_COLOR, SAME_SHAPE = 0, 1, 2, 3, 4, 5
NEXT_TO, NORTH_OF = 6, 7  # the eight directions, clockwise from north
DOWN = (-1, -1, 0, 1, 1, 1, 0, -1)  # by direction, from what something is related to
RIGHT = (0, 1, 1, 1, 0, -1, -1, -1)
BOX = 3
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@jit
def clear_sets(sets):
    """Empty all sets."""
    for i in range(sets.shape[0]):
        sets[i] = _NONE


@jit
def add_to_sets(sets, size, index, thing):
    """Enter one object (shape, color, size, row, column) into the sets it belongs to."""
    b = bit(index)
    sets[thing[0]] |= b
    sets[COLOR_0 + thing[1]] |= b
    sets[SIZE_0 + thing[2] - 1] |= b
    sets[ROW_0 + thing[3]] |= b
    sets[ROW_0 + size + thing[4]] |= b


@jit
def inside_of(sets, size, box):
    """Return the objects whose cell lies in the square of a box, cut off at the edge of the grid."""
    rows, columns = _NONE, _NONE
    for k in range(box[2]):
        if box[3] + k < size:
            rows |= sets[ROW_0 + box[3] + k]
        if box[4] + k < size:
            columns |= sets[ROW_0 + size + box[4] + k]
    return rows & columns


@jit
def _sharing(sets, start, values, others):
    """The objects that share a value with some other object of a set."""
    found = _NONE
    for v in range(values):
        have = sets[start + v]
        among = have & others
        if among != _NONE:
            found |= have if (among & (among - _ONE)) != _NONE else have & ~among
    return found


@jit
def opposite(relation):
    """The relation in which the other object stands, such as south of for north of, which only `inside` lacks."""
    return relation if relation < NORTH_OF else NORTH_OF + (relation - NORTH_OF + 4) % 8


@jit
def _beside(sets, size, objects, relation, others):
    """The objects on a neighbouring cell of some object of a set, in one direction or in any."""
    found = _NONE
    while others != _NONE:
        other = lowest(others)
        others &= others - _ONE
        for direction in range(8):
            if relation == NEXT_TO or relation == NORTH_OF + direction:
                row, column = objects[other, 3] + DOWN[direction], objects[other, 4] + RIGHT[direction]
                if 0 <= row < size and 0 <= column < size:
                    found |= sets[ROW_0 + row] & sets[ROW_0 + size + column]
    return found


@jit
def related_to(sets, size, objects, relation, others):
    """The objects that stand in a relation to some other object of a set."""
    if relation >= NEXT_TO:
        return _beside(sets, size, objects, relation, others)
    if relation == INSIDE:
        found = _NONE
        boxes = others & sets[BOX]
        while boxes != _NONE:
            box = lowest(boxes)
            boxes &= boxes - _ONE
            found |= inside_of(sets, size, objects[box]) & ~bit(box)
        return found
    start, values = 0, 4  # where the sets of the shared attribute stand, and how many values it has
    if relation == SAME_ROW:
        start, values = ROW_0, size
    elif relation == SAME_COLUMN:
        start, values = ROW_0 + size, size
    elif relation == SAME_SIZE:
        start = SIZE_0
    elif relation == SAME_COLOR:
        start = COLOR_0
    return _sharing(sets, start, values, others)


@jit
def towards(sets, left, which, superlative):
    """The objects of a set towards the small (0) or big (1) end of size."""
    kept = _NONE
    if superlative:
        for k in range(4):
            kept = left & sets[SIZE_0 + (k if which == 0 else 3 - k)]
            if kept != _NONE:
                return kept
        return kept
    for k in range(4):  # all but those at the far end
        far = left & sets[SIZE_0 + (3 - k if which == 0 else k)]
        if far != _NONE:
            return left & ~far
    return kept


@jit
def nth_from(left, objects, index, side):
    """Return the nth object of a set from a side (left, right, top, bottom, middle), or none where a rank is shared."""
    kept = _NONE
    axis = 3 if side in (2, 3) else 4
    rest = left
    while rest != _NONE:
        o = lowest(rest)
        rest &= rest - _ONE
        before, equal, behind = 0, 0, 0
        others = left
        while others != _NONE:
            p = lowest(others)
            others &= others - _ONE
            a, b = np.int64(objects[p, axis]), np.int64(objects[o, axis])
            equal += a == b
            before += (a > b) if side in (1, 3) else (a < b)
            behind += a > b
        if before == (behind if side == 4 else index - 1) and equal == 1:
            kept |= bit(o)
    return kept


@jit_inline
def fit_noun_and_color(sets, everything, words, mention):
    """Return the objects that fit shape and color of a mention of a blueprint, where -1 says nothing."""
    left = everything
    if words[mention, 0] >= 0:
        left &= sets[words[mention, 0]]
    if words[mention, 1] >= 0:
        left &= sets[COLOR_0 + words[mention, 1]]
    return left
