"""Pictures of solids on a table, pixel by pixel, as `tabletop._render.plain_light` defines them."""

from __future__ import annotations

import math

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.tabletop._render._kernels.light import (
    find_near,
    first_hit,
    gloom,
    lamp_light,
    soften,
    surroundings,
    table_light,
)
from deixis.worlds.tabletop._render._kernels.rays import (
    BLUE,
    BOUND,
    FAR,
    GREEN,
    IS_SHINY,
    MIDDLE,
    RED,
    SHAPE,
    TORUS,
    X,
    Y,
    aim,
    hit,
)
from deixis.worlds.tabletop._render._kernels.shade import CASTS, STRENGTH, find_blockers, is_hidden, noise, seen_share


TILE = 8
HORIZON = -1e-3  # steepness above which a ray meets no table
LARGE = 256  # pixels across from which shadows are looked for at every fourth pixel first
UNLIKE = 0.5  # shares of a lamp that differ more are not mixed
LIFT = 1e-5  # from a surface, so that it does not shade itself
MIXED = 8  # places looked at in a pixel that shows more than one thing
GLOSSY = 4  # places looked at in a pixel of a shiny solid
OFFSETS = np.array([[1, 5], [9, 15], [5, 11], [13, 1], [3, 13], [11, 7], [7, 3], [15, 9]], np.float64) / 16
SPREAD = 1.3  # how far apart the places are, in pixels
DUSK, NIGHT = 0.4, 0.85  # steepness of mirrored rays at which the sky begins to be dark, and is
CORE, CORE_EDGE = 6.0, 0.988  # brightness of a mirrored lamp, and the cosine of the angle where it ends
HALO, HALO_EDGE = 0.15, 0.8  # the same of the glow around it
ROUGH = 0.05  # how far rays are scattered by shiny surfaces
_ONE = np.uint64(1)


@jit
def matte(solids, lamps, sky, near, shades, n, px, py, pz, nx, ny, nz, column, row, sample):
    """Light that a matte solid sends back."""
    r, g, b = surroundings(solids, lamps, sky, near[n], n, px, py, pz, nx, ny, nz)
    for k in range(lamps.shape[0]):
        light = lamp_light(lamps, k, px, py, pz, nx, ny, nz)
        if light > 0:
            x, y, z = px + LIFT * nx, py + LIFT * ny, pz + LIFT * nz
            light *= seen_share(solids, lamps, k, shades[n, k], x, y, z, column, row, sample)
            r += light * lamps[k, STRENGTH]
            g += light * lamps[k, STRENGTH + 1]
            b += light * lamps[k, STRENGTH + 2]
    return r * solids[n, RED], g * solids[n, GREEN], b * solids[n, BLUE]


@jit
def mirror_light(solids, lamps, sky, near, shades, n, px, py, pz, dx, dy, dz):
    """Light that comes to a place of a shiny solid from a direction: solids and table, lit simply, lamps and sky."""
    m, t, nx, ny, nz = first_hit(solids, n, px, py, pz, dx, dy, dz)
    if m >= 0:
        x, y, z = px + t * dx, py + t * dy, pz + t * dz
        r, g, b = surroundings(solids, lamps, sky, np.uint64(0), m, x, y, z, nx, ny, nz)
        x, y, z = x + LIFT * nx, y + LIFT * ny, z + LIFT * nz
        for k in range(lamps.shape[0]):
            light = lamp_light(lamps, k, x, y, z, nx, ny, nz)
            if light > 0 and not is_hidden(solids, shades[m, k], x, y, z, lamps[k, 0], lamps[k, 1], lamps[k, 2]):
                r += light * lamps[k, STRENGTH]
                g += light * lamps[k, STRENGTH + 1]
                b += light * lamps[k, STRENGTH + 2]
        return r * solids[m, RED], g * solids[m, GREEN], b * solids[m, BLUE]
    if dz < HORIZON:
        t = -pz / dz
        x, y = px + t * dx, py + t * dy
        around = (_ONE << np.uint64(n)) | near[n]
        r, g, b = table_light(solids, sky, near[n], x, y)
        for k in range(lamps.shape[0]):
            light = lamp_light(lamps, k, x, y, 0.0, 0.0, 0.0, 1.0)
            if lamps[k, CASTS] and is_hidden(solids, around, x, y, LIFT, lamps[k, 0], lamps[k, 1], lamps[k, 2]):
                continue
            r += light * lamps[k, STRENGTH]
            g += light * lamps[k, STRENGTH + 1]
            b += light * lamps[k, STRENGTH + 2]
        free = max(0.0, min(1.0, 2 - 2 * gloom(solids, n, x, y)))  # nothing shines out from under a solid
        return r * free, g * free, b * free
    dark = max(0.0, min(1.0, (dz - DUSK) / (NIGHT - DUSK)))
    dark = 1 - 0.85 * dark * dark * (3 - 2 * dark)
    r, g, b = dark * sky[0], dark * sky[1], dark * sky[2]
    for k in range(lamps.shape[0]):
        lx, ly, lz = lamps[k, 0] - px, lamps[k, 1] - py, lamps[k, 2] - pz
        close = (dx * lx + dy * ly + dz * lz) / math.sqrt(lx * lx + ly * ly + lz * lz)
        if close > HALO_EDGE:
            halo = (close - HALO_EDGE) / (1 - HALO_EDGE)
            halo *= halo
            halo *= halo * HALO
            core = max(0.0, (close - CORE_EDGE) / (1 - CORE_EDGE))
            core *= core * CORE
            r += halo * lamps[k, STRENGTH] + core
            g += halo * lamps[k, STRENGTH + 1] + core
            b += halo * lamps[k, STRENGTH + 2] + core
    return r, g, b


@jit
def _bare(solids, lamps, sky, near, shades, x, y, column, row, sample):
    """Light that the table sends back."""
    last = solids.shape[0]
    r, g, b = table_light(solids, sky, near[last], x, y)
    for k in range(lamps.shape[0]):
        light = lamp_light(lamps, k, x, y, 0.0, 0.0, 0.0, 1.0)
        if shades[last, k]:
            light *= seen_share(solids, lamps, k, shades[last, k], x, y, LIFT, column, row, sample)
        r += light * lamps[k, STRENGTH]
        g += light * lamps[k, STRENGTH + 1]
        b += light * lamps[k, STRENGTH + 2]
    return r, g, b


@jit
def _lit(solids, lamps, sky, near, shades, n, px, py, pz, nx, ny, nz, dx, dy, dz, column, row, sample):
    """Light that a solid sends back against the direction of a ray."""
    nx, ny, nz = soften(solids, n, px, py, pz, nx, ny, nz)
    if not solids[n, IS_SHINY]:
        return matte(
            solids, lamps, sky, near, shades, n, px, py, pz, nx, ny, nz, column, row, sample
        )  # fmt: skip
    facing = dx * nx + dy * ny + dz * nz
    u, v = ROUGH * (OFFSETS[sample, 0] - 0.5), ROUGH * (OFFSETS[sample, 1] - 0.5)
    dx, dy, dz = dx - 2 * facing * nx + u, dy - 2 * facing * ny + v, dz - 2 * facing * nz + (u if sample & 1 else -v)
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx / length, dy / length, dz / length
    r, g, b = mirror_light(solids, lamps, sky, near, shades, n, px, py, pz, dx, dy, dz)
    return r * solids[n, RED], g * solids[n, GREEN], b * solids[n, BLUE]


@jit
def _things(ids, x, y):
    """The set of what a pixel and those around it show: the table is 0, a solid one more than its number."""
    height, width = ids.shape
    found = np.uint64(0)
    for v in range(max(0, y - 1), min(height, y + 2)):
        for u in range(max(0, x - 1), min(width, x + 2)):
            found |= _ONE << np.uint64(ids[v, u])
    return found


@jit
def shows_table_alone(ids, left, top):
    """Return whether no pixel of a tile, or beside it, shows a solid."""
    height, width = ids.shape
    for y in range(max(0, top - 1), min(height, top + TILE + 1)):
        for x in range(max(0, left - 1), min(width, left + TILE + 1)):
            if ids[y, x]:
                return False
    return True


@jit
def survey_solids(solids, lamps, near, shades):
    """Find what may darken and shade each solid."""
    everything = (_ONE << np.uint64(solids.shape[0])) - _ONE
    for n in range(solids.shape[0]):
        x, y, own = solids[n, X], solids[n, Y], _ONE << np.uint64(n)
        among = everything if int(solids[n, SHAPE]) == TORUS else everything ^ own
        near[n] = find_near(solids, x, y, solids[n, BOUND])
        for k in range(lamps.shape[0]):
            shades[n, k] = find_blockers(solids, lamps, k, among, x, y, solids[n, MIDDLE], solids[n, BOUND])


@jit
def survey_tile(solids, lamps, view, left, top, width, height, near, shades):
    """Find what may darken and shade the part of the table that a tile of the picture shows, last in each list."""
    last = solids.shape[0]
    x, y, radius = 0.0, 0.0, 0.0
    for turn in range(2):
        for corner in range(4):
            column = left + (TILE + 1 if corner & 1 else -1)
            row = top + (TILE + 1 if corner & 2 else -1)
            dx, dy, dz = aim(view, width, height, column, row)
            t = -view[2] / dz if dz < HORIZON else 1e3 * view[2]
            u, v = view[0] + t * dx, view[1] + t * dy
            if turn == 0:
                x, y = x + 0.25 * u, y + 0.25 * v
            else:
                radius = max(radius, math.sqrt((u - x) * (u - x) + (v - y) * (v - y)))
    near[last] = find_near(solids, x, y, radius)
    everything = (_ONE << np.uint64(last)) - _ONE
    for k in range(lamps.shape[0]):
        shades[last, k] = find_blockers(solids, lamps, k, everything, x, y, 0.0, radius)


@jit
def survey_shares(solids, lamps, view, left, top, width, height, shades, shares):
    """Find the shares of the lamps that are seen from the table at every second pixel of a tile.

    Shapes:
        shares: float64 [lamp, TILE / 2 + 1, TILE / 2 + 1].
    """
    last = solids.shape[0]
    shares[:] = 1.0
    steps = (2, 1) if width >= LARGE else (1, 1)
    for turn in range(2):  # every fourth pixel first; what lies between two that see all or nothing of a lamp does too
        step = steps[turn]
        for j in range(0, shares.shape[1], step):
            for i in range(0, shares.shape[2], step):
                is_between = step < steps[0]
                if turn == 1 and (not is_between or not (i & 1 or j & 1)):
                    continue
                x, y = left + 2 * i, top + 2 * j
                dx, dy, dz = aim(view, width, height, x + 0.5, y + 0.5)
                if dz >= HORIZON:
                    continue
                u, v = view[0] - view[2] / dz * dx, view[1] - view[2] / dz * dy
                for k in range(lamps.shape[0]):
                    if not shades[last, k]:
                        continue
                    if is_between:
                        a, b = i - (i & 1), j - (j & 1)
                        c, d = i + (i & 1), j + (j & 1)
                        total = shares[k, b, a] + shares[k, b, c] + shares[k, d, a] + shares[k, d, c]
                        if total % 4 == 0:
                            shares[k, j, i] = 0.25 * total
                            continue
                    shares[k, j, i] = seen_share(solids, lamps, k, shades[last, k], u, v, LIFT, x, y, 0)


@jit
def mixed_share(shares, k, i, j):
    """The share of a lamp between those of the pixels around, or -1 where these differ too much to tell."""
    a, b = i >> 1, j >> 1
    c, d = a + (i & 1), b + (j & 1)
    p, q, r, s = shares[k, b, a], shares[k, b, c], shares[k, d, a], shares[k, d, c]
    if max(p, q, r, s) - min(p, q, r, s) > UNLIKE:
        return -1.0
    return 0.25 * (p + q + r + s)


@jit
def paint(solids, lamps, sky, view, ids, levels, out):
    """Paint a picture whose pixels are known to show certain solids.

    Shapes:
        solids: float64 [solid, number], `rows_of` and `look_rows`.
        lamps: float64 [lamp, number], `lamp_rows`.
        sky: float64 [3].
        view: float64 [number], `view_of`.
        ids: uint8 [row, column], as `cast_ids` finds them.
        levels: uint16 [step], 256 times the number in a file for light from 0 to 1.
        out: uint8 [row, column, channel].
    """
    height, width = ids.shape
    near = np.empty(solids.shape[0] + 1, np.uint64)
    shades = np.empty((solids.shape[0] + 1, lamps.shape[0]), np.uint64)
    survey_solids(solids, lamps, near, shades)
    met, rays = np.empty(MIXED, np.int64), np.empty((MIXED, 7))
    shares = np.empty((lamps.shape[0], TILE // 2 + 1, TILE // 2 + 1))
    steps = levels.shape[0] - 1
    for top in range(0, height, TILE):
        for left in range(0, width, TILE):
            survey_tile(solids, lamps, view, left, top, width, height, near, shades)
            is_dark = near[-1] > 0
            has_shades = False
            for k in range(lamps.shape[0]):
                has_shades = has_shades or shades[-1, k] > 0
            if has_shades:
                survey_shares(solids, lamps, view, left, top, width, height, shades, shares)
            is_bare = shows_table_alone(ids, left, top)
            for y in range(top, min(height, top + TILE)):
                for x in range(left, min(width, left + TILE)):
                    if not is_bare and (ids[y, x] or _things(ids, x, y) != _ONE):
                        r, g, b = paint_pixel(solids, lamps, sky, view, ids, near, shades, x, y, met, rays)
                    else:
                        dx, dy, dz = aim(view, width, height, x + 0.5, y + 0.5)
                        r, g, b = sky[0], sky[1], sky[2]
                        if dz < HORIZON:
                            u, v = view[0] - view[2] / dz * dx, view[1] - view[2] / dz * dy
                            if is_dark:
                                r, g, b = table_light(solids, sky, near[-1], u, v)
                            for k in range(lamps.shape[0]):
                                light = lamp_light(lamps, k, u, v, 0.0, 0.0, 0.0, 1.0)
                                if has_shades and shades[-1, k]:
                                    share = mixed_share(shares, k, x - left, y - top)
                                    if share < 0:
                                        share = seen_share(solids, lamps, k, shades[-1, k], u, v, LIFT, x, y, 0)
                                    light *= share
                                r += light * lamps[k, STRENGTH]
                                g += light * lamps[k, STRENGTH + 1]
                                b += light * lamps[k, STRENGTH + 2]
                        r, g, b = min(1.0, r), min(1.0, g), min(1.0, b)
                    grain = int(256 * noise(x, y))  # rounds up or down by chance, so that even light shows no bands
                    out[y, x, 0] = (np.int64(levels[int(r * steps + 0.5)]) + grain) >> 8
                    out[y, x, 1] = (np.int64(levels[int(g * steps + 0.5)]) + grain) >> 8
                    out[y, x, 2] = (np.int64(levels[int(b * steps + 0.5)]) + grain) >> 8


@jit
def paint_pixel(solids, lamps, sky, view, ids, near, shades, x, y, met, rays):
    """The light of a pixel that shows a solid: red, green and blue, each from 0 to 1.

    A pixel that shows several things is looked at in eight places, and each solid
    is lit where it is met first, a shiny one four times, and the table in the middle of where it is met.

    Shapes:
        met: int64 [place], what each place shows; any values.
        rays: float64 [place, 7], what is known of it: distance, normal and direction; any values.
    """
    height, width = ids.shape
    shown, own = _things(ids, x, y), np.int64(ids[y, x])
    samples = MIXED
    if shown == _ONE << np.uint64(own):
        samples = GLOSSY if solids[own - 1, IS_SHINY] else 1
    for sample in range(samples):
        column, row = x + 0.5, y + 0.5
        if samples > 1:
            column += SPREAD * (OFFSETS[sample, 0] - 0.5)
            row += SPREAD * (OFFSETS[sample, 1] - 0.5)
        dx, dy, dz = aim(view, width, height, column, row)
        n, t, nx, ny, nz = -1, FAR, 0.0, 0.0, 0.0
        left, m = shown >> _ONE, 0
        while left:
            if left & _ONE:
                a, b, c, d = hit(solids, m, view[0], view[1], view[2], dx, dy, dz)
                if 0 < a < t:
                    n, t, nx, ny, nz = m, a, b, c, d
            left >>= _ONE
            m += 1
        met[sample] = n
        rays[sample, 0], rays[sample, 1], rays[sample, 2], rays[sample, 3] = t, nx, ny, nz
        rays[sample, 4], rays[sample, 5], rays[sample, 6] = dx, dy, dz
    red, green, blue = 0.0, 0.0, 0.0
    u, v, bare = 0.0, 0.0, 0
    for sample in range(samples):
        n = met[sample]
        t, dx, dy, dz = rays[sample, 0], rays[sample, 4], rays[sample, 5], rays[sample, 6]
        if n < 0:
            if dz < HORIZON:
                u, v, bare = u - view[2] / dz * dx, v - view[2] / dz * dy, bare + 1
            else:
                red, green, blue = red + sky[0] / samples, green + sky[1] / samples, blue + sky[2] / samples
            continue
        enough = GLOSSY if solids[n, IS_SHINY] else 1
        earlier, all_ = 0, 0
        for other in range(samples):
            if met[other] == n:
                all_ += 1
                if other < sample:
                    earlier += 1
        if earlier >= enough:
            continue
        px, py, pz = view[0] + t * dx, view[1] + t * dy, view[2] + t * dz
        nx, ny, nz = rays[sample, 1], rays[sample, 2], rays[sample, 3]
        r, g, b = _lit(solids, lamps, sky, near, shades, n, px, py, pz, nx, ny, nz, dx, dy, dz, x, y, sample)
        weight = all_ / min(all_, enough) / samples
        red, green, blue = red + weight * min(1.0, r), green + weight * min(1.0, g), blue + weight * min(1.0, b)
    if bare:
        r, g, b = _bare(solids, lamps, sky, near, shades, view[0] + u / bare, view[1] + v / bare, x, y, 0)
        weight = bare / samples
        red, green, blue = red + weight * min(1.0, r), green + weight * min(1.0, g), blue + weight * min(1.0, b)
    return min(1.0, red), min(1.0, green), min(1.0, blue)
