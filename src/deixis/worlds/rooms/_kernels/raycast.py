"""Pictures of rooms by ray casting, with `worlds.rooms._trace` as the plain definition of one ray.

A picture is made in two steps. What depends on shape, scale and orientation is cast and filtered once, into *layers*:
one for every surface and every brightness that a channel of its hue can have. What depends on the hues is then a sum of
layers, because the filter is linear; a thousand pictures share each set of them.
"""

from __future__ import annotations

import math

import numpy as np

from deixis._kernels.bitsets import jit


FLOOR, WALL, SOLID, SKY = 0, 1, 2, 3  # surfaces
CUBE, CYLINDER, BALL = 0, 1, 2  # shapes; the fourth is the pill
FIELDS = (
    "distance",
    "height",
    "target_height",
    "focal_length",
    "half_width",
    "wall_height",
    "cube_half_edge",
    "cylinder_radius",
    "cylinder_height",
    "ball_radius",
    "pill_radius",
    "pill_length",
    "lamp_x",
    "lamp_y",
    "lamp_z",
    "lamp_focus",
    "lamp_strength",
    "lamp_gloss",
    "ambient",
    "headlight",
    "wall_ambient",
    "wall_headlight",
    "wall_column",
    "wall_cell",
    "wall_relief",
    "floor_column",
    "floor_cell",
    "floor_relief",
    "stain",
    "slices",
    "stacks",
)  # the numbers of a room, in this order
(
    DISTANCE,
    HEIGHT,
    TARGET_HEIGHT,
    FOCAL_LENGTH,
    HALF_WIDTH,
    WALL_HEIGHT,
    CUBE_HALF_EDGE,
    CYLINDER_RADIUS,
    CYLINDER_HEIGHT,
    BALL_RADIUS,
    PILL_RADIUS,
    PILL_LENGTH,
    LAMP_X,
    LAMP_Y,
    LAMP_Z,
    LAMP_FOCUS,
    LAMP_STRENGTH,
    LAMP_GLOSS,
    AMBIENT,
    HEADLIGHT,
    WALL_AMBIENT,
    WALL_HEADLIGHT,
    WALL_COLUMN,
    WALL_CELL,
    WALL_RELIEF,
    FLOOR_COLUMN,
    FLOOR_CELL,
    FLOOR_RELIEF,
    STAIN,
    SLICES,
    STACKS,
) = range(len(FIELDS))

LEVELS = 6  # a channel of a hue is 0, 0.2, 0.4, 0.6, 0.8 or 1
LAYERS = 3 * LEVELS + 3  # floor, wall and solid at each level, then the sky in red, green and blue
UNIT_BITS = 6
UNIT = 1 << UNIT_BITS  # this many of a layer's numbers make one of the 255 steps of a channel
REACH = 3  # pixels to each side that the filter looks at
_HALF = UNIT // 2
_FAR = 1e9
_NEAR = 1e-6


@jit
def _hit_cube(half, ox, oy, oz, dx, dy, dz):
    """Where a ray first meets a cube that stands on the floor: distance (-1 for nowhere) and normal."""
    enter, leave, axis = -_FAR, _FAR, 0
    for k in range(3):
        o, d, low, high = ox, dx, -half, half
        if k == 1:
            o, d = oy, dy
        elif k == 2:
            o, d, low, high = oz, dz, 0.0, 2 * half
        if abs(d) < 1e-12:
            if o < low or o > high:
                return -1.0, 0.0, 0.0, 0.0
            continue
        first, last = (low - o) / d, (high - o) / d
        if first > last:
            first, last = last, first
        if first > enter:
            enter, axis = first, k
        leave = min(leave, last)
    if enter >= leave or enter < _NEAR:
        return -1.0, 0.0, 0.0, 0.0
    if axis == 0:
        return enter, -1.0 if dx > 0 else 1.0, 0.0, 0.0
    if axis == 1:
        return enter, 0.0, -1.0 if dy > 0 else 1.0, 0.0
    return enter, 0.0, 0.0, -1.0 if dz > 0 else 1.0


@jit
def _hit_ball(radius, centre, ox, oy, oz, dx, dy, dz):
    """Where a ray first meets a ball whose centre is above the origin."""
    b = ox * dx + oy * dy + (oz - centre) * dz
    rest = b * b - (ox * ox + oy * oy + (oz - centre) * (oz - centre) - radius * radius)
    if rest < 0:
        return -1.0, 0.0, 0.0, 0.0
    t = -b - math.sqrt(rest)
    if t < _NEAR:
        return -1.0, 0.0, 0.0, 0.0
    return t, (ox + t * dx) / radius, (oy + t * dy) / radius, (oz + t * dz - centre) / radius


@jit
def _hit_side(radius, low, high, ox, oy, oz, dx, dy, dz):
    """Where a ray first meets the upright side of a round solid."""
    a = dx * dx + dy * dy
    if a < 1e-12:
        return -1.0, 0.0, 0.0, 0.0
    b = ox * dx + oy * dy
    rest = b * b - a * (ox * ox + oy * oy - radius * radius)
    if rest < 0:
        return -1.0, 0.0, 0.0, 0.0
    t = (-b - math.sqrt(rest)) / a
    z = oz + t * dz
    if t < _NEAR or z < low or z > high:
        return -1.0, 0.0, 0.0, 0.0
    return t, (ox + t * dx) / radius, (oy + t * dy) / radius, 0.0


@jit
def _hit_solid(numbers, shape, scale, ox, oy, oz, dx, dy, dz):
    """Where a ray first meets the solid: distance (-1 for nowhere) and normal."""
    if shape == CUBE:
        return _hit_cube(numbers[CUBE_HALF_EDGE] * scale, ox, oy, oz, dx, dy, dz)
    if shape == BALL:
        radius = numbers[BALL_RADIUS] * scale
        return _hit_ball(radius, radius, ox, oy, oz, dx, dy, dz)
    if shape == CYLINDER:
        radius, top = numbers[CYLINDER_RADIUS] * scale, numbers[CYLINDER_HEIGHT] * scale
        t, nx, ny, nz = _hit_side(radius, 0.0, top, ox, oy, oz, dx, dy, dz)
        if t > 0 or abs(dz) < 1e-12:
            return t, nx, ny, nz
        t = ((top if dz < 0 else 0.0) - oz) / dz
        x, y = ox + t * dx, oy + t * dy
        if t < _NEAR or x * x + y * y > radius * radius:
            return -1.0, 0.0, 0.0, 0.0
        return t, 0.0, 0.0, 1.0 if dz < 0 else -1.0
    radius = numbers[PILL_RADIUS] * scale
    low, high = radius, radius + numbers[PILL_LENGTH] * scale
    t, nx, ny, nz = _hit_side(radius, low, high, ox, oy, oz, dx, dy, dz)
    if t > 0:
        return t, nx, ny, nz
    t, nx, ny, nz = _hit_ball(radius, high, ox, oy, oz, dx, dy, dz)
    if t > 0 and nz >= 0:
        return t, nx, ny, nz
    t, nx, ny, nz = _hit_ball(radius, low, ox, oy, oz, dx, dy, dz)
    if t > 0 and nz <= 0:
        return t, nx, ny, nz
    return -1.0, 0.0, 0.0, 0.0


@jit
def _lamp(numbers, x, y, z, nx, ny, nz):
    """How much of the lamp's light a place facing along the normal gets; 0 or less where it is turned away."""
    lx, ly, lz = numbers[LAMP_X] - x, numbers[LAMP_Y] - y, numbers[LAMP_Z] - z
    length = math.sqrt(lx * lx + ly * ly + lz * lz)
    if lz <= 0:
        return 0.0
    return (nx * lx + ny * ly + nz * lz) / length * (lz / length) ** numbers[LAMP_FOCUS]


@jit
def _lamp_on_round(numbers, shape, scale, z, nx, ny, nz):
    """Light and gloss on a curved side, found at the corners of its facets and mixed between them."""
    if shape == CYLINDER:
        radius, low, high = numbers[CYLINDER_RADIUS] * scale, 0.0, 0.0
    elif shape == BALL:
        radius = numbers[BALL_RADIUS] * scale
        low = high = radius
    else:
        radius = numbers[PILL_RADIUS] * scale
        low, high = radius, radius + numbers[PILL_LENGTH] * scale
    slice_, stack = 2 * math.pi / numbers[SLICES], math.pi / numbers[STACKS]
    around = math.atan2(ny, nx) / slice_
    first = math.floor(around)
    around -= first
    is_upright = shape == CYLINDER or (shape != BALL and abs(nz) < 1e-9)
    above, below = 0.0, 0.0
    if not is_upright:
        above = math.asin(max(-1.0, min(1.0, nz))) / stack
        below = math.floor(above)
        above -= below
    light, gloss = 0.0, 0.0
    for i in range(2):
        angle = (first + i) * slice_
        for j in range(2):
            weight = (around if i else 1 - around) * (above if j else 1 - above)
            if weight == 0:
                continue
            latitude = (below + j) * stack
            mx, my, mz = math.cos(latitude) * math.cos(angle), math.cos(latitude) * math.sin(angle), math.sin(latitude)
            if is_upright:
                mx, my, mz, at = math.cos(angle), math.sin(angle), 0.0, z
            else:
                at = (high if nz > 0 else low) + mz * radius
            found = _lamp(numbers, mx * radius, my * radius, at, mx, my, mz)
            if found > 0:
                light += weight * found
                gloss += weight
    return light, gloss


@jit
def _tiles(column, cell, relief, stain, along, across, turn, start):
    """How bright a surface of six-sided tiles is at a place: `turn` counts columns the other way round."""
    x, y = along / column, across / cell
    nearest, n, m = _FAR, 0, 0
    for k in range(-1, 3):
        this = math.floor(x) + k
        odd = this % 2
        row = math.floor(y - 0.5 * odd + 0.5)
        dx, dy = x - this, (y - row - 0.5 * odd) * 2 / math.sqrt(3.0)
        if dx * dx + dy * dy < nearest:
            nearest, n, m = dx * dx + dy * dy, this, 2 * row + odd
    wave = math.cos(2 * math.pi * x) + 2 * math.cos(math.pi * x) * math.cos(2 * math.pi * y)
    bright = 1 + relief * wave / 3
    n, m = (turn * n) % 10, (m - start) % 16
    place = 16 * n + m
    if place == 10 or place == 8 or place == 25 or place == 23 or place == 38:  # noqa: PLR1714  # faster than a set
        bright -= stain
    return bright


@jit
def cast_ray(numbers, shape, scale, angle, across, up):
    """Cast one ray and return the surface, the factor for its hue, and the white added to it.

    Args:
        numbers: float64, the numbers of a room as `FIELDS` lists them.
        shape: of the solid, 0 to 3.
        scale: of the solid, as a factor.
        angle: of the camera, in radians.
        across: distance from the middle of the picture to the right, in widths of the picture.
        up: distance from the middle upwards.
    """
    sine, cosine = math.sin(angle), math.cos(angle)
    far, cz = numbers[DISTANCE], numbers[HEIGHT]
    cx, cy = far * sine, -far * cosine
    rise = numbers[TARGET_HEIGHT] - cz
    length = math.sqrt(far * far + rise * rise)
    fx, fy, fz = -far * sine / length, far * cosine / length, rise / length  # forward
    ux, uy, uz = sine * fz, -cosine * fz, cosine * fy - sine * fx  # up
    a, b = across / numbers[FOCAL_LENGTH], up / numbers[FOCAL_LENGTH]
    dx, dy, dz = fx + a * cosine + b * ux, fy + a * sine + b * uy, fz + b * uz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx / length, dy / length, dz / length

    t, nx, ny, nz = _hit_solid(numbers, shape, scale, cx, cy, cz, dx, dy, dz)
    if t > 0:
        head = max(0.0, -(nx * fx + ny * fy + nz * fz))
        x, y, z = cx + t * dx, cy + t * dy, cz + t * dz
        if shape == CUBE or (shape == CYLINDER and nz != 0):
            light = max(0.0, _lamp(numbers, x, y, z, nx, ny, nz))
            gloss = 1.0 if light > 0 else 0.0
        else:
            light, gloss = _lamp_on_round(numbers, shape, scale, z, nx, ny, nz)
        shade = numbers[AMBIENT] + numbers[HEADLIGHT] * head + numbers[LAMP_STRENGTH] * light
        return SOLID, shade, numbers[LAMP_GLOSS] * gloss

    half = numbers[HALF_WIDTH]
    to_floor = -cz / dz if dz < 0 else _FAR
    to_back = (half - cy) / dy if dy > 0 else _FAR
    to_side = _FAR
    if dx != 0:
        to_side = ((half if dx > 0 else -half) - cx) / dx
    if to_floor < to_back and to_floor < to_side:
        x, y = cx + to_floor * dx, cy + to_floor * dy
        shade = numbers[AMBIENT]
        lx, ly, lz = numbers[LAMP_X] - x, numbers[LAMP_Y] - y, numbers[LAMP_Z]
        length = math.sqrt(lx * lx + ly * ly + lz * lz)
        if _hit_solid(numbers, shape, scale, x, y, 0.0, lx / length, ly / length, lz / length)[0] <= 0:
            shade += numbers[LAMP_STRENGTH] * _lamp(numbers, x, y, 0.0, 0.0, 0.0, 1.0)
        column, cell = numbers[FLOOR_COLUMN], numbers[FLOOR_CELL]
        return FLOOR, shade * _tiles(column, cell, numbers[FLOOR_RELIEF], numbers[STAIN], y, x, -1, -8), 0.0

    is_back = to_back < to_side
    t = to_back if is_back else to_side
    x, y, z = cx + t * dx, cy + t * dy, cz + t * dz
    if z > numbers[WALL_HEIGHT]:
        return SKY, 1.0, 0.0
    nx, ny = 0.0, -1.0
    if not is_back:
        nx, ny = -1.0 if dx > 0 else 1.0, 0.0
    light = max(0.0, _lamp(numbers, x, y, z, nx, ny, 0.0))
    head = max(0.0, -(nx * fx + ny * fy))
    shade = numbers[WALL_AMBIENT] + numbers[WALL_HEADLIGHT] * head + numbers[LAMP_STRENGTH] * light
    column, cell = numbers[WALL_COLUMN], numbers[WALL_CELL]
    along, turn = x if is_back else y, -1 if nx < 0 else 1
    return WALL, shade * _tiles(column, cell, numbers[WALL_RELIEF], numbers[STAIN], along, z, turn, 0), 0.0


@jit
def cast_layers(numbers, sky, shape, scale, angle, samples, weights, totals, out):
    """Cast `samples` rays a pixel along each side and filter what they see into layers.

    Shapes:
        sky: float64 [3], red, green and blue from 0 to 1.
        weights: float64 [7 * samples], of the filter for the ray `n - 3 * samples` places after the first of a pixel.
        totals: float64 [size], what the weights of a pixel sum to, less at the borders.
        out: int16 [layer, size, size].
    """
    size = out.shape[1]
    side = size * samples
    sums = np.zeros((size, LAYERS, size), np.float32)
    line = np.empty((LAYERS, size), np.float32)
    surfaces = np.empty(side, np.int64)
    values = np.empty((side, LEVELS), np.float64)
    for y in range(side):
        up = 0.5 - (y + 0.5) / side
        for x in range(side):
            surface, shade, gloss = cast_ray(numbers, shape, scale, angle, (x + 0.5) / side - 0.5, up)
            surfaces[x] = surface
            for level in range(LEVELS):
                values[x, level] = min(1.0, shade * level / (LEVELS - 1) + gloss)
        line[:] = 0
        for column in range(size):
            first = max(0, (column - REACH) * samples)
            for x in range(first, min(side, (column + REACH + 1) * samples)):
                weight = weights[x - (column - REACH) * samples] / totals[column]
                if surfaces[x] == SKY:
                    for channel in range(3):
                        line[3 * LEVELS + channel, column] += weight * sky[channel]
                else:
                    base = surfaces[x] * LEVELS
                    for level in range(LEVELS):
                        line[base + level, column] += weight * values[x, level]
        row = y // samples
        for target in range(max(0, row - REACH), min(size, row + REACH + 1)):
            weight = weights[y - (target - REACH) * samples] / totals[target]
            if weight != 0:
                for layer in range(LAYERS):
                    for column in range(size):
                        sums[target, layer, column] += weight * line[layer, column]
    for layer in range(LAYERS):
        for y in range(size):
            for x in range(size):
                out[layer, y, x] = np.int16(math.floor(sums[y, layer, x] * 255 * UNIT + 0.5))


@jit
def paint_rooms(layers, levels, places, out):
    """Paint pictures that differ in their hues alone.

    Shapes:
        layers: int16 [layer, pixel], as `cast_layers` makes them.
        levels: uint8 [picture, 3, channel], of floor, wall and solid; `LEVELS - 1` is the brightest.
        places: int64 [picture], where in `out` each goes.
        out: uint8 [place, pixel, channel].
    """
    pixels = layers.shape[1]
    planes = np.empty((3, pixels), np.uint8)  # filled one by one and woven together last: the compiler likes that best
    for n in range(places.shape[0]):
        for channel in range(3):
            floor = layers[np.int64(levels[n, 0, channel])]
            wall = layers[LEVELS + np.int64(levels[n, 1, channel])]
            solid = layers[2 * LEVELS + np.int64(levels[n, 2, channel])]
            sky = layers[3 * LEVELS + channel]
            plane = planes[channel]
            for k in range(pixels):
                total = np.int32(floor[k]) + np.int32(wall[k]) + np.int32(solid[k]) + np.int32(sky[k])
                plane[k] = np.uint8(
                    min(np.int32(255), max(np.int32(0), (total + np.int32(_HALF)) >> np.int32(UNIT_BITS)))
                )
        picture = out[places[n]]
        for k in range(pixels):
            picture[k, 0] = planes[0, k]
            picture[k, 1] = planes[1, k]
            picture[k, 2] = planes[2, k]
