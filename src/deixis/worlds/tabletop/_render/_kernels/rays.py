"""Rays that meet solids, and the solid that each pixel shows, as `tabletop._render.plain` defines it.

Nothing here is computed by the system's mathematical library except the square root, which is exact to the last digit
by its standard: the same bytes come out on every machine.
"""

from __future__ import annotations

import math

import numpy as np

from deixis._kernels.bitsets import jit


CUBE, SPHERE, CYLINDER, CONE, TORUS = 0, 1, 2, 3, 4
SHAPE, X, Y, HALF, COSINE, SINE, REACH, HEIGHT, MIDDLE, BOUND, RED, GREEN, BLUE, IS_SHINY = range(
    14
)  # numbers of a solid
RIGHT, UP, FORWARD, FOCAL = 3, 6, 9, 12  # numbers of a camera, after its place
BEVEL, RING_RADIUS, RING_THICKNESS = 0.13, 0.8, 0.3
FAR = 1e9
NEAR = 1e-9
_PARALLEL = 1e-14
_STEPS = 1_000
_CLOSE = 1e-7


@jit
def hit_sphere(radius, ox, oy, oz, dx, dy, dz):
    """The way of a ray until it enters a sphere around the origin, -1 where it never does."""
    b = ox * dx + oy * dy + oz * dz
    rest = b * b - (ox * ox + oy * oy + oz * oz - radius * radius)
    if rest < 0:
        return -1.0
    return -b - math.sqrt(rest)


@jit
def enter_box(wide, deep, high, ox, oy, oz, dx, dy, dz):
    """The place at which a ray enters a box around the origin: distance, and the axis of the face (from 0)."""
    enter, leave, axis = -FAR, FAR, 0
    for k in range(3):
        o, d, half = ox, dx, wide
        if k == 1:
            o, d, half = oy, dy, deep
        elif k == 2:
            o, d, half = oz, dz, high
        if abs(d) < _PARALLEL:
            if abs(o) > half:
                return -1.0, 0
            continue
        if d > 0:
            first, last = (-half - o) / d, (half - o) / d
        else:
            first, last = (half - o) / d, (-half - o) / d
        if first > enter:
            enter, axis = first, k
        leave = min(leave, last)
    if enter > leave:
        return -1.0, 0
    return enter, axis


@jit
def _hit_rod(radius, half, oa, ob, oc, da, db, dc):
    """How far a ray goes until it enters the round side of a rod along its first axis, between -half and half."""
    a = db * db + dc * dc
    if a < _PARALLEL:
        return -1.0
    b = ob * db + oc * dc
    rest = b * b - a * (ob * ob + oc * oc - radius * radius)
    if rest < 0:
        return -1.0
    t = (-b - math.sqrt(rest)) / a
    if abs(oa + t * da) > half:
        return -1.0
    return t


@jit
def _hit_edges(half, bevel, ox, oy, oz, dx, dy, dz):
    """How far a ray goes until it enters one of the rounded edges and corners of a cube; -1 where it never does."""
    inner = half - bevel
    best = FAR
    for i in range(2):
        a = inner if i else -inner
        for j in range(2):
            b = inner if j else -inner
            t = _hit_rod(bevel, inner, ox, oy - a, oz - b, dx, dy, dz)
            if NEAR < t < best:
                best = t
            t = _hit_rod(bevel, inner, oy, ox - a, oz - b, dy, dx, dz)
            if NEAR < t < best:
                best = t
            t = _hit_rod(bevel, inner, oz, ox - a, oy - b, dz, dx, dy)
            if NEAR < t < best:
                best = t
            for k in range(2):
                c = inner if k else -inner
                t = hit_sphere(bevel, ox - a, oy - b, oz - c, dx, dy, dz)
                if NEAR < t < best:
                    best = t
    return best if best < FAR else -1.0


@jit
def _hit_cube(half, ox, oy, oz, dx, dy, dz):
    """Where a ray enters a cube with rounded edges around the origin: distance (-1 for nowhere) and normal."""
    t, axis = enter_box(half, half, half, ox, oy, oz, dx, dy, dz)
    if t < NEAR:
        return -1.0, 0.0, 0.0, 0.0
    bevel = BEVEL * half
    inner = half - bevel
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    if axis == 0 and abs(y) <= inner and abs(z) <= inner:
        return t, -1.0 if dx > 0 else 1.0, 0.0, 0.0
    if axis == 1 and abs(x) <= inner and abs(z) <= inner:
        return t, 0.0, -1.0 if dy > 0 else 1.0, 0.0
    if axis == 2 and abs(x) <= inner and abs(y) <= inner:
        return t, 0.0, 0.0, -1.0 if dz > 0 else 1.0
    t = _hit_edges(half, bevel, ox, oy, oz, dx, dy, dz)
    if t < NEAR:
        return -1.0, 0.0, 0.0, 0.0
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    nx = x - max(-inner, min(inner, x))
    ny = y - max(-inner, min(inner, y))
    nz = z - max(-inner, min(inner, z))
    return t, nx / bevel, ny / bevel, nz / bevel


@jit
def _hit_cylinder(half, ox, oy, oz, dx, dy, dz):
    """Where a ray enters an upright cylinder around the origin."""
    a = dx * dx + dy * dy
    b = ox * dx + oy * dy
    c = ox * ox + oy * oy - half * half
    if a > _PARALLEL:
        rest = b * b - a * c
        if rest < 0:
            return -1.0, 0.0, 0.0, 0.0
        t = (-b - math.sqrt(rest)) / a
        if t > NEAR and abs(oz + t * dz) <= half:
            return t, (ox + t * dx) / half, (oy + t * dy) / half, 0.0
    if abs(dz) < _PARALLEL:
        return -1.0, 0.0, 0.0, 0.0
    t = ((half if dz < 0 else -half) - oz) / dz
    x, y = ox + t * dx, oy + t * dy
    if t < NEAR or x * x + y * y > half * half:
        return -1.0, 0.0, 0.0, 0.0
    return t, 0.0, 0.0, 1.0 if dz < 0 else -1.0


@jit
def _hit_cone(half, ox, oy, oz, dx, dy, dz):
    """Where a ray enters an upright cone, twice as high as its base is wide from the middle, around the origin."""
    g, h = 0.5 * (half - oz), -0.5 * dz  # radius at the height of the ray: g + t * h
    a = dx * dx + dy * dy - h * h
    b = ox * dx + oy * dy - g * h
    c = ox * ox + oy * oy - g * g
    best = FAR
    rest = b * b - a * c
    if rest >= 0 and abs(a) > _PARALLEL:
        root = math.sqrt(rest)
        for sign in range(2):
            t = (-b - root) / a if sign == 0 else (-b + root) / a
            z = oz + t * dz
            if NEAR < t < best and -half <= z <= half:
                best = t
    elif abs(a) <= _PARALLEL and abs(b) > _PARALLEL:
        t = -0.5 * c / b
        if t > NEAR and abs(oz + t * dz) <= half:
            best = t
    if dz > _PARALLEL:
        t = (-half - oz) / dz
        x, y = ox + t * dx, oy + t * dy
        if NEAR < t < best and x * x + y * y <= half * half:
            return t, 0.0, 0.0, -1.0
    if best == FAR:
        return -1.0, 0.0, 0.0, 0.0
    x, y, z = ox + best * dx, oy + best * dy, oz + best * dz
    nx, ny, nz = x, y, 0.25 * (half - z)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length < _PARALLEL:
        return best, 0.0, 0.0, 1.0
    return best, nx / length, ny / length, nz / length


@jit
def _hit_torus(half, ox, oy, oz, dx, dy, dz):
    """Where a ray enters a lying torus around the origin: it walks on by its distance until it is there."""
    ring, tube = RING_RADIUS * half, RING_THICKNESS * half
    outer = ring + tube
    a = dx * dx + dy * dy
    b = ox * dx + oy * dy
    c = ox * ox + oy * oy - outer * outer
    first, last = 0.0, FAR
    if abs(dz) > _PARALLEL:
        one, other = (-tube - oz) / dz, (tube - oz) / dz
        first, last = max(first, min(one, other)), max(one, other)
    elif abs(oz) > tube:
        return -1.0, 0.0, 0.0, 0.0
    if a > _PARALLEL:
        rest = b * b - a * c
        if rest < 0:
            return -1.0, 0.0, 0.0, 0.0
        root = math.sqrt(rest)
        first, last = max(first, (-b - root) / a), min(last, (-b + root) / a)
    elif c > 0:
        return -1.0, 0.0, 0.0, 0.0
    t = first
    for _ in range(_STEPS):
        if t > last:
            return -1.0, 0.0, 0.0, 0.0
        x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
        flat = math.sqrt(x * x + y * y)
        away = flat - ring
        to_tube = math.sqrt(away * away + z * z)
        if to_tube - tube < _CLOSE:
            if t < NEAR:
                return -1.0, 0.0, 0.0, 0.0
            if flat < _PARALLEL:
                return t, 0.0, 0.0, 1.0 if z > 0 else -1.0
            return t, x / flat * away / to_tube, y / flat * away / to_tube, z / to_tube
        t += to_tube - tube
    return -1.0, 0.0, 0.0, 0.0


@jit
def hit(solids, n, ox, oy, oz, dx, dy, dz):
    """The place at which a ray first enters a solid from outside: distance (-1 for nowhere) and normal.

    Shapes:
        solids: float64 [solid, number], rows of `rows_of`.
    """
    ox, oy, half = ox - solids[n, X], oy - solids[n, Y], solids[n, HALF]
    shape = int(solids[n, SHAPE])
    if shape == SPHERE:
        oz -= half
        t = hit_sphere(half, ox, oy, oz, dx, dy, dz)
        if t < NEAR:
            return -1.0, 0.0, 0.0, 0.0
        return t, (ox + t * dx) / half, (oy + t * dy) / half, (oz + t * dz) / half
    if shape == CYLINDER:
        return _hit_cylinder(half, ox, oy, oz - half, dx, dy, dz)
    if shape == CONE:
        return _hit_cone(half, ox, oy, oz - half, dx, dy, dz)
    if shape == TORUS:
        return _hit_torus(half, ox, oy, oz - RING_THICKNESS * half, dx, dy, dz)
    c, s = solids[n, COSINE], solids[n, SINE]
    t, nx, ny, nz = _hit_cube(half, c * ox + s * oy, c * oy - s * ox, oz - half, c * dx + s * dy, c * dy - s * dx, dz)
    return t, c * nx - s * ny, s * nx + c * ny, nz


@jit
def frame(solids, n, view, width, height):
    """The pixels that a solid may show on, also those beyond the picture: first and last column, first and last row."""
    left, right, top, bottom = FAR, -FAR, FAR, -FAR
    focal = view[FOCAL] * width
    for corner in range(8):
        x = solids[n, X] + (solids[n, REACH] if corner & 1 else -solids[n, REACH]) - view[0]
        y = solids[n, Y] + (solids[n, REACH] if corner & 2 else -solids[n, REACH]) - view[1]
        z = (solids[n, HEIGHT] if corner & 4 else 0.0) - view[2]
        ahead = x * view[FORWARD] + y * view[FORWARD + 1] + z * view[FORWARD + 2]
        if ahead < 1e-3:
            return -width, 2 * width, -height, 2 * height
        across = focal * (x * view[RIGHT] + y * view[RIGHT + 1] + z * view[RIGHT + 2]) / ahead
        down = -focal * (x * view[UP] + y * view[UP + 1] + z * view[UP + 2]) / ahead
        left, right = min(left, across), max(right, across)
        top, bottom = min(top, down), max(bottom, down)
    x, y = 0.5 * width - 0.5, 0.5 * height - 0.5
    first, last = max(-width, math.floor(left + x)), min(2 * width, math.ceil(right + x))
    return first, last, max(-height, math.floor(top + y)), min(2 * height, math.ceil(bottom + y))


@jit
def aim(view, width, height, column, row):
    """The direction, of length one, from the camera through a place of the picture, whose corner is (0, 0)."""
    focal = view[FOCAL] * width
    a, b = (column - 0.5 * width) / focal, (0.5 * height - row) / focal
    dx = view[FORWARD] + a * view[RIGHT] + b * view[UP]
    dy = view[FORWARD + 1] + a * view[RIGHT + 1] + b * view[UP + 1]
    dz = view[FORWARD + 2] + a * view[RIGHT + 2] + b * view[UP + 2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    return dx / length, dy / length, dz / length


@jit
def cast_ids(solids, view, ids, depths, seen, whole):
    """Find which solid the middle of every pixel shows, and how many pixels of each solid are seen.

    Shapes:
        solids: float64 [solid, number].
        view: float64 [number].
        ids: uint8 [row, column], 0 for the table and the background, else one more than the number of the solid.
        depths: float64 [row, column], how far away that is; any values.
        seen: int64 [solid], pixels that show a solid.
        whole: int64 [solid], pixels that would show it if nothing else were there and the picture had no borders.
    """
    height, width = ids.shape
    ids[:] = 0
    depths[:] = FAR
    seen[:] = 0
    for n in range(solids.shape[0]):
        first, last, top, bottom = frame(solids, n, view, width, height)
        pixels = 0
        for y in range(top, bottom + 1):
            for x in range(first, last + 1):
                dx, dy, dz = aim(view, width, height, x + 0.5, y + 0.5)
                t = hit(solids, n, view[0], view[1], view[2], dx, dy, dz)[0]
                if t < 0:
                    continue
                pixels += 1
                if 0 <= y < height and 0 <= x < width and t < depths[y, x]:
                    depths[y, x] = t
                    ids[y, x] = n + 1
        whole[n] = pixels
    for y in range(height):
        for x in range(width):
            if ids[y, x]:
                seen[np.int64(ids[y, x]) - 1] += 1
