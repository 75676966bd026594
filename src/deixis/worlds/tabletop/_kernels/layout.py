"""Solids set on a table one by one, so that no relation between them is a close call.

The definitions are in `_geometry`; `limits` holds its margins and `frame` its frame, so that no number is written
twice. Sizes are codes: 0 small, 1 large.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deixis._kernels.bitsets import below, bit, jit


ONE = 65_536
COLUMN_UNIT = 100_000
COSINE, SINE, LOW, HIGH, AWAY, ACROSS, DOWN = range(7)  # of a frame
LEAST_GAP, NEAR_GAP, FAR_GAP, SIDE_MARGIN, DISTANCE_MARGIN, COLUMN_MARGIN, REACH, MOST_HIDDEN = range(8)  # of limits
LEFT, RIGHT, FRONT, BEHIND, NEAR = range(5)  # codes of relations
TRIES = 300  # positions for one solid
BESIDE = 3  # one in so many of them is beside another solid, as things on tables are
_NONE = np.uint64(0)


@jit
def locate(x, y, half, frame):
    """Return side, distance and column of the middle of a solid."""
    side = (y * frame[COSINE] - x * frame[SINE]) // ONE
    distance = -((x * frame[COSINE] + y * frame[SINE]) // ONE)
    depth = frame[AWAY] + (distance * frame[LOW] - half * frame[HIGH]) // ONE
    return side, distance, side * COLUMN_UNIT // depth


@jit
def gap_is_within(dx, dy, reach):
    """Return whether two solids whose middles are so far apart are within a reach."""
    return dx * dx + dy * dy <= reach * reach


@jit
def place_solids(rng, sizes, halves, radii, frame, limits, places, start, stop):
    """Set the solids from `start` to `stop` on one table, and return whether all found a place.

    Shapes:
        sizes: int64 [solid]. halves, radii: int64 [size], in thousandths.
        places: int64 [solid, 5], x, y, side, distance and column; changed in place.
    """
    reach = limits[REACH]
    for k in range(start, stop):
        found = False
        for _ in range(TRIES):
            x, y = below(rng, 2 * reach + 1) - reach, below(rng, 2 * reach + 1) - reach
            if k > start and below(rng, BESIDE) == 0:
                n = start + below(rng, k - start)
                room = radii[sizes[k]] + radii[sizes[n]] + limits[NEAR_GAP]
                x, y = places[n, 0] + below(rng, 2 * room) - room, places[n, 1] + below(rng, 2 * room) - room
                if abs(x) > reach or abs(y) > reach:
                    continue
            side, distance, column = locate(x, y, halves[sizes[k]], frame)
            if not _is_in_picture(side, distance, halves[sizes[k]], radii[sizes[k]], frame):
                continue
            places[k, 0], places[k, 1], places[k, 2], places[k, 3], places[k, 4] = x, y, side, distance, column
            if _keeps_apart(k, sizes, radii, limits, places, start):
                found = True
                break
        if not found:
            return False
    return not _hides_much(sizes, halves, radii, frame, limits, places, start, stop)


@jit
def _is_in_picture(side, distance, half, radius, frame):
    """Whether a solid is seen whole, with a little room around it."""
    near = frame[AWAY] + ((distance - radius) * frame[LOW] - 2 * half * frame[HIGH]) // ONE
    far = frame[AWAY] + ((distance + radius) * frame[LOW]) // ONE
    width = (abs(side) + radius) * COLUMN_UNIT // near
    low = -((distance - radius) * frame[HIGH] // ONE) * COLUMN_UNIT // near
    high = ((2 * half * frame[LOW] + (distance + radius) * frame[HIGH]) // ONE) * COLUMN_UNIT // far
    return width * 100 <= frame[ACROSS] * 97 and low * 100 <= frame[DOWN] * 97 and high * 100 <= frame[DOWN] * 97


@jit
def _keeps_apart(k, sizes, radii, limits, places, start):
    """Whether solid k keeps all margins towards the solids before it."""
    for n in range(start, k):
        if abs(places[k, 2] - places[n, 2]) < limits[SIDE_MARGIN]:
            return False
        if abs(places[k, 3] - places[n, 3]) < limits[DISTANCE_MARGIN]:
            return False
        if abs(places[k, 4] - places[n, 4]) < limits[COLUMN_MARGIN]:
            return False
        if (places[k, 2] < places[n, 2]) != (places[k, 4] < places[n, 4]):
            return False
        dx, dy = places[k, 0] - places[n, 0], places[k, 1] - places[n, 1]
        round_both = radii[sizes[k]] + radii[sizes[n]]
        if gap_is_within(dx, dy, limits[LEAST_GAP] - 1 + round_both):
            return False
        is_near = gap_is_within(dx, dy, limits[NEAR_GAP] + round_both)
        if not is_near and gap_is_within(dx, dy, limits[FAR_GAP] - 1 + round_both):
            return False
    return True


@jit
def _hides_much(sizes, halves, radii, frame, limits, places, start, stop):
    """Whether some solid is likely hidden by others beyond the share that is allowed, each taken for a rectangle."""
    for k in range(start, stop):
        left, right, low, high = _outline(k, sizes, halves, frame, places)
        hidden = 0
        for n in range(start, stop):
            if places[n, 3] < places[k, 3]:
                left_n, right_n, low_n, high_n = _outline(n, sizes, halves, frame, places)
                wide, tall = min(right, right_n) - max(left, left_n), min(high, high_n) - max(low, low_n)
                if wide > 0 and tall > 0:
                    hidden += wide * tall
        if hidden * 1000 > limits[MOST_HIDDEN] * (right - left) * (high - low):
            return True
    return False


@jit
def _outline(k, sizes, halves, frame, places):
    """Return the edges of the rectangle that a solid covers in the picture: left, right, low, high."""
    half = halves[sizes[k]]
    depth = frame[AWAY] + (places[k, 3] * frame[LOW] - half * frame[HIGH]) // ONE
    width = half * COLUMN_UNIT // depth
    foot = (places[k, 3] * frame[HIGH] // ONE) * COLUMN_UNIT // depth
    top = ((2 * half * frame[LOW] + places[k, 3] * frame[HIGH]) // ONE) * COLUMN_UNIT // depth
    return places[k, 4] - width, places[k, 4] + width, foot, top


@jit
def relate(places, sizes, radii, limits, start, stop, related):
    """Write down which solids of one table stand in each spatial relation to which.

    Shapes:
        related: uint64 [relation, solid], the solids to which it stands in that relation; changed in place.
    """
    for k in range(start, stop):
        for r in range(5):
            related[r, k] = _NONE
        for n in range(start, stop):
            if n == k:
                continue
            related[LEFT if places[k, 2] < places[n, 2] else RIGHT, k] |= bit(n)
            related[FRONT if places[k, 3] < places[n, 3] else BEHIND, k] |= bit(n)
            dx, dy = places[k, 0] - places[n, 0], places[k, 1] - places[n, 1]
            if gap_is_within(dx, dy, limits[NEAR_GAP] + radii[sizes[k]] + radii[sizes[n]]):
                related[NEAR, k] |= bit(n)


def limits_of(margins: Any, *, reach: int, most_hidden: float) -> np.ndarray:
    """Return the limits as kernels take them: the margins in their order, the reach, the share in thousandths."""
    return np.array([*margins, reach, round(1000 * most_hidden)], np.int64)
