"""Solids that come between a place and a lamp, as `tabletop._render.plain_light` defines it.

Sets of solids are the bits of a word, one for each.
"""

from __future__ import annotations

import math

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.tabletop._render._kernels.rays import (
    BEVEL,
    BOUND,
    CONE,
    COSINE,
    CYLINDER,
    FAR,
    HALF,
    HEIGHT,
    MIDDLE,
    REACH,
    RING_RADIUS,
    RING_THICKNESS,
    SHAPE,
    SINE,
    SPHERE,
    TORUS,
    X,
    Y,
)


ACROSS, ALONG, STRENGTH, WIDE, CASTS = 3, 6, 9, 12, 13  # numbers of a lamp, after its place
PLACES = 16  # of a lamp that are looked at where only some of its corners are seen
CORNER = 0.9  # how far towards its corners a lamp is looked at first
_STEPS = 8  # into which the way past a torus is cut
_ONE = np.uint64(1)


@jit
def _crosses_cube(half, ox, oy, oz, dx, dy, dz):
    enter, leave = 0.0, 1.0
    whole, half = half, half * (1 - 0.5 * BEVEL)
    for k in range(3):
        o, d = ox, dx
        if k == 1:
            o, d = oy, dy
        elif k == 2:
            o, d, half = oz, dz, whole
        if d > 0:
            first, last = (-half - o) / d, (half - o) / d
        elif d < 0:
            first, last = (half - o) / d, (-half - o) / d
        elif abs(o) > half:
            return False
        else:
            continue
        enter, leave = max(enter, first), min(leave, last)
    return enter < leave


@jit
def _crosses_round(shape, half, ox, oy, oz, dx, dy, dz):
    """Whether a stretch crosses an upright cylinder or cone: where it is at their heights and inside their sides."""
    enter, leave = 0.0, 1.0
    if dz > 0:
        enter, leave = max(enter, (-half - oz) / dz), min(leave, (half - oz) / dz)
    elif dz < 0:
        enter, leave = max(enter, (half - oz) / dz), min(leave, (-half - oz) / dz)
    elif abs(oz) > half:
        return False
    if enter >= leave:
        return False
    g, h = half, 0.0  # radius at the height of the stretch: g + t * h
    if shape == CONE:
        g, h = 0.5 * (half - oz), -0.5 * dz
    a = dx * dx + dy * dy - h * h
    b = ox * dx + oy * dy - g * h
    c = ox * ox + oy * oy - g * g
    ends = min((a * enter + 2 * b) * enter, (a * leave + 2 * b) * leave) + c
    if ends <= 0:  # one of its ends is inside
        return True
    if a <= 0:
        return False
    t = -b / a
    return enter < t < leave and (a * t + 2 * b) * t + c < 0


@jit
def _crosses_torus(half, ox, oy, oz, dx, dy, dz):
    ring, tube = RING_RADIUS * half, RING_THICKNESS * half
    outer = ring + tube
    a = dx * dx + dy * dy
    b = ox * dx + oy * dy
    rest = b * b - a * (ox * ox + oy * oy - outer * outer)
    if rest <= 0:
        return False
    root = math.sqrt(rest)
    enter, leave = max(0.0, (-b - root) / a), min(1.0, (-b + root) / a)
    if dz > 0:
        enter, leave = max(enter, (-tube - oz) / dz), min(leave, (tube - oz) / dz)
    elif dz < 0:
        enter, leave = max(enter, (tube - oz) / dz), min(leave, (-tube - oz) / dz)
    elif abs(oz) > tube:
        return False
    if enter >= leave:
        return False
    inner = ring * ring - tube * tube
    step = (leave - enter) / _STEPS
    before, lowest, after, last = FAR, FAR, FAR, FAR
    for k in range(_STEPS + 1):  # where the quartic that is negative inside is lowest
        t = enter + k * step
        flat = (a * t + 2 * b) * t + ox * ox + oy * oy
        z = oz + t * dz
        whole = flat + z * z + inner
        value = whole * whole - 4 * ring * ring * flat
        if value <= 0:
            return True
        if value < lowest:
            before, lowest, after = last, value, FAR
        elif after == FAR:
            after = value
        last = value
    if max(before, after) == FAR:
        return False
    bend = before + after - 2 * lowest
    return lowest - 0.125 * (after - before) * (after - before) / bend < 0  # of a parabola through three of its points


@jit
def crosses(solids, n, px, py, pz, dx, dy, dz):
    """Return whether a stretch from a place, as long as its direction, crosses a solid.

    A cube has sharp edges here, and sides closer to its middle by half its bevel, which lets as much light pass below.
    """
    ox, oy, oz = px - solids[n, X], py - solids[n, Y], pz - solids[n, MIDDLE]
    a = dx * dx + dy * dy + dz * dz
    b = ox * dx + oy * dy + oz * dz
    bound = solids[n, BOUND]
    c = ox * ox + oy * oy + oz * oz - bound * bound
    rest = b * b - a * c
    if rest <= 0 or (c > 0 and (b >= 0 or (a + 2 * b + c > 0 and -b > a))):
        return False
    shape, half = int(solids[n, SHAPE]), solids[n, HALF]
    if shape == SPHERE:
        t = (-b - math.sqrt(rest)) / a
        return 0 < t < 1
    if CYLINDER <= shape <= CONE:
        return _crosses_round(shape, half, ox, oy, oz, dx, dy, dz)
    if shape == TORUS:
        return _crosses_torus(half, ox, oy, oz, dx, dy, dz)
    k, s = solids[n, COSINE], solids[n, SINE]
    return _crosses_cube(half, k * ox + s * oy, k * oy - s * ox, oz, k * dx + s * dy, k * dy - s * dx, dz)


@jit
def is_hidden(solids, blockers, px, py, pz, tx, ty, tz):
    """Return whether one of the solids of a set comes between two places."""
    left, n = blockers, 0
    while left:
        if left & _ONE and crosses(solids, n, px, py, pz, tx - px, ty - py, tz - pz):
            return True
        left >>= _ONE
        n += 1
    return False


@jit
def find_blockers(solids, lamps, k, among, x, y, z, radius):
    """Those solids of a set that may come between a lamp and the places within a radius.

    Light comes in a cone that widens from the radius to the lamp, and seen from above in a strip. A solid is in its way
    if the sphere around it meets the cone, and its circle meets the strip before the strip has risen above it.
    """
    found, left, n = np.uint64(0), among, 0
    if not lamps[k, CASTS]:
        return found
    lx, ly, lz = lamps[k, 0] - x, lamps[k, 1] - y, lamps[k, 2] - z
    square = lx * lx + ly * ly
    while left:
        if left & _ONE:
            bx, by, bz = solids[n, X] - x, solids[n, Y] - y, solids[n, MIDDLE] - z
            along = max(0.0, min(1.0, (bx * lx + by * ly + bz * lz) / (square + lz * lz)))
            loose = 1.25 * (radius + along * (lamps[k, WIDE] - radius))
            away = (bx - along * lx) ** 2 + (by - along * ly) ** 2 + (bz - along * lz) ** 2
            if away > (solids[n, BOUND] + loose) ** 2:
                left >>= _ONE
                n += 1
                continue
            along = max(0.0, min(1.0, (bx * lx + by * ly) / square))
            bx, by = bx - along * lx, by - along * ly
            loose = 1.25 * (radius + along * abs(lamps[k, WIDE] - radius))
            room = (solids[n, REACH] + loose) ** 2 - bx * bx - by * by
            if room > 0:
                first = max(0.0, along - math.sqrt(room / square))
                if z + first * lz - loose < solids[n, HEIGHT]:
                    found |= _ONE << np.uint64(n)
        left >>= _ONE
        n += 1
    return found


@jit
def noise(x, y):
    """A number from 0 to 1 for every pixel, unlike its neighbours'."""
    value = 0.06711056 * x + 0.00583715 * y
    value = 52.9829189 * (value - math.floor(value))
    return value - math.floor(value)


@jit
def seen_share(solids, lamps, k, among, px, py, pz, column, row, sample):
    """The share of a lamp that is seen from a place: of its corners, or of sixteen places where only some are seen."""
    if not among:
        return 1.0
    blockers = find_blockers(solids, lamps, k, among, px, py, pz, 0.0)
    if not blockers:
        return 1.0
    seen = 0
    for corner in range(4):
        u = CORNER if corner & 1 else -CORNER
        v = CORNER if corner & 2 else -CORNER
        x = lamps[k, 0] + u * lamps[k, ACROSS] + v * lamps[k, ALONG]
        y = lamps[k, 1] + u * lamps[k, ACROSS + 1] + v * lamps[k, ALONG + 1]
        z = lamps[k, 2] + u * lamps[k, ACROSS + 2] + v * lamps[k, ALONG + 2]
        if not is_hidden(solids, blockers, px, py, pz, x, y, z):
            seen += 1
    if seen == 0:
        return 0.0
    if seen == 4:
        return 1.0
    shift_u = noise(column, row) + 0.618034 * sample
    shift_v = noise(row + 37, column + 17) + 0.754878 * sample
    seen = 0
    for place in range(PLACES):
        reverse = ((place & 1) << 3) | ((place & 2) << 1) | ((place & 4) >> 1) | ((place & 8) >> 3)
        u = (place + 0.5) / PLACES + shift_u
        v = (reverse + 0.5) / PLACES + shift_v
        u, v = 2 * (u - math.floor(u)) - 1, 2 * (v - math.floor(v)) - 1
        x = lamps[k, 0] + u * lamps[k, ACROSS] + v * lamps[k, ALONG]
        y = lamps[k, 1] + u * lamps[k, ACROSS + 1] + v * lamps[k, ALONG + 1]
        z = lamps[k, 2] + u * lamps[k, ACROSS + 2] + v * lamps[k, ALONG + 2]
        if not is_hidden(solids, blockers, px, py, pz, x, y, z):
            seen += 1
    return seen / PLACES
