"""Light on places from lamps, sky and the solids around, as `tabletop._render.plain_light` defines it."""

from __future__ import annotations

import math

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.tabletop._render._kernels.rays import (
    BLUE,
    BOUND,
    CONE,
    COSINE,
    CUBE,
    CYLINDER,
    FAR,
    GREEN,
    HALF,
    MIDDLE,
    REACH,
    RED,
    RING_RADIUS,
    RING_THICKNESS,
    SHAPE,
    SINE,
    SPHERE,
    TORUS,
    X,
    Y,
    hit,
)
from deixis.worlds.tabletop._render._kernels.shade import STRENGTH


GLOOM_REACH = 2.5  # halves of its height from a solid where it stops darkening the table
TINT = 1.0  # of the sky's light that a solid hides, what its own colour gives back
RIM = 0.1  # of half a height: how far from its rims a cylinder looks rounded
DOME = 0.06  # how far flat faces seem to lean outwards
_ONE = np.uint64(1)


@jit
def lamp_light(lamps, k, px, py, pz, nx, ny, nz):
    """Light of a lamp of strength one on a surface, if nothing hides it."""
    lx, ly, lz = lamps[k, 0] - px, lamps[k, 1] - py, lamps[k, 2] - pz
    facing = nx * lx + ny * ly + nz * lz
    if facing <= 0:
        return 0.0
    square = lx * lx + ly * ly + lz * lz
    return facing / (square * math.sqrt(square))


@jit
def find_near(solids, x, y, radius):
    """The set of solids that may darken the table within a radius of a place."""
    found = np.uint64(0)
    for n in range(solids.shape[0]):
        reach = solids[n, REACH] + GLOOM_REACH * solids[n, HALF] + radius
        dx, dy = solids[n, X] - x, solids[n, Y] - y
        if dx * dx + dy * dy < reach * reach:
            found |= _ONE << np.uint64(n)
    return found


@jit
def gloom(solids, n, x, y):
    """The share of the sky that a solid hides from a place on the table.

    Exact for a sphere; for the others, what a wall or a tube of endless width would hide, and less the narrower it is.
    """
    px, py, half = x - solids[n, X], y - solids[n, Y], solids[n, HALF]
    square = px * px + py * py
    reach = solids[n, REACH] + GLOOM_REACH * half
    if square > reach * reach:
        return 0.0
    fade = 1 - square / (reach * reach)
    shape = int(solids[n, SHAPE])
    if shape == SPHERE:
        whole = square + half * half
        return fade * half * half * half / (whole * math.sqrt(whole))
    if shape == TORUS:
        ring, tube = RING_RADIUS * half, RING_THICKNESS * half
        away = math.sqrt(square)
        gap, over = away - ring, away + ring
        hidden = tube * tube / (tube * tube + gap * gap)
        if gap > 0:
            return fade * hidden * ring / math.sqrt(ring * ring + gap * gap)
        return fade * min(0.9, 0.8 * hidden + 0.8 * tube * tube / (tube * tube + over * over))
    if shape == CONE:
        gap = max(0.0, math.sqrt(square) - half)
        wall = 1 - (gap + half) / math.sqrt((gap + half) * (gap + half) + 4 * half * half)
        return fade * 0.3 * wall * half / math.sqrt(0.36 * half * half + gap * gap)
    if shape == CYLINDER:
        gap = max(0.0, math.sqrt(square) - half)
    else:
        c, s = solids[n, COSINE], solids[n, SINE]
        u = max(0.0, abs(c * px + s * py) - half)
        v = max(0.0, abs(c * py - s * px) - half)
        gap = math.sqrt(u * u + v * v)
    wall = 1 - gap / math.sqrt(gap * gap + 4 * half * half)
    return fade * 0.5 * wall * half / math.sqrt(half * half + gap * gap)


@jit
def table_light(solids, sky, near, x, y):
    """Light on a place of the table from the sky and back from solids, without lamps: red, green, blue."""
    free, r, g, b = 1.0, 0.0, 0.0, 0.0
    left, n = near, 0
    while left:
        if left & _ONE:
            hidden = gloom(solids, n, x, y)
            free *= 1 - hidden
            r += hidden * solids[n, RED]
            g += hidden * solids[n, GREEN]
            b += hidden * solids[n, BLUE]
        left >>= _ONE
        n += 1
    return sky[0] * (free + TINT * r), sky[1] * (free + TINT * g), sky[2] * (free + TINT * b)


@jit
def soften(solids, n, px, py, pz, nx, ny, nz):
    """The normal that light sees: flat faces lean outwards a little, as CLEVR's do, and rims look rounded."""
    shape, half = int(solids[n, SHAPE]), solids[n, HALF]
    if shape > CYLINDER or shape == SPHERE:
        return nx, ny, nz
    x, y, z = (px - solids[n, X]) / half, (py - solids[n, Y]) / half, pz / half - 1
    if shape == CUBE:
        along = x * nx + y * ny + z * nz
        x, y, z = x - along * nx, y - along * ny, z - along * nz
        lean = DOME / math.sqrt(x * x + y * y + z * z + 1e-4)
        nx, ny, nz = nx + lean * x, ny + lean * y, nz + lean * z
    else:
        away = math.sqrt(x * x + y * y + 1e-4)
        if abs(nz) > 0.5:
            out = DOME + max(0.0, (away - (1 - RIM)) / RIM)
            nx, ny = out * x / away, out * y / away
        else:
            out = max(0.0, (abs(z) - (1 - RIM)) / RIM)
            nz = out if z > 0 else -out
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    return nx / length, ny / length, nz / length


@jit
def surroundings(solids, lamps, sky, near, own, px, py, pz, nx, ny, nz):
    """Light on the surface of a solid from the sky, the table and its neighbours: red, green, blue."""
    half = solids[own, HALF]
    above, below = 0.5 + 0.5 * nz, 0.5 - 0.5 * nz
    r, g, b = sky[0], sky[1], sky[2]
    if below > 0.01:
        gx, gy = px + nx * (pz + 0.3 * half), py + ny * (pz + 0.3 * half)  # what part of the table the surface faces
        for k in range(lamps.shape[0]):
            lx, ly, lz = lamps[k, 0] - gx, lamps[k, 1] - gy, lamps[k, 2]
            flat = math.sqrt(lx * lx + ly * ly) + 1e-9
            square = lx * lx + ly * ly + lz * lz
            light = lz / (square * math.sqrt(square)) * (0.55 + 0.45 * (nx * lx + ny * ly) / flat)
            r += light * lamps[k, STRENGTH]
            g += light * lamps[k, STRENGTH + 1]
            b += light * lamps[k, STRENGTH + 2]
        below *= min(1.0, 0.2 + 4 * pz / half)
    r, g, b = above * sky[0] + below * r, above * sky[1] + below * g, above * sky[2] + below * b
    free, cr, cg, cb = 1.0, 0.0, 0.0, 0.0
    left, n = near, 0
    while left:
        if left & _ONE and n != own:
            radius = solids[n, MIDDLE]
            dx, dy, dz = solids[n, X] - px, solids[n, Y] - py, radius - pz
            facing = nx * dx + ny * dy + nz * dz
            if facing > 0:
                square = dx * dx + dy * dy + dz * dz
                hidden = min(0.8, facing * radius * radius / (square * math.sqrt(square)))
                free *= 1 - hidden
                cr, cg, cb = cr + hidden * solids[n, RED], cg + hidden * solids[n, GREEN], cb + hidden * solids[n, BLUE]
        left >>= _ONE
        n += 1
    return r * (free + TINT * cr), g * (free + TINT * cg), b * (free + TINT * cb)


@jit
def first_hit(solids, own, px, py, pz, dx, dy, dz):
    """The first other solid that a ray meets: its number (-1 for none), the distance, and the normal."""
    best, number, nx, ny, nz = FAR, -1, 0.0, 0.0, 0.0
    for n in range(solids.shape[0]):
        x, y, z = px - solids[n, X], py - solids[n, Y], pz - solids[n, MIDDLE]
        b = x * dx + y * dy + z * dz
        outside = x * x + y * y + z * z - solids[n, BOUND] * solids[n, BOUND]
        if n == own or (outside > 0 and (b > 0 or b * b < outside)):
            continue
        t, a, c, e = hit(solids, n, px, py, pz, dx, dy, dz)
        if 0 < t < best:
            best, number, nx, ny, nz = t, n, a, c, e
    return number, best, nx, ny, nz
