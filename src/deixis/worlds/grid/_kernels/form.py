"""The form of a world: what is left of it when rows and columns may change places.

Permuting rows or columns keeps every relation except 'inside of', so two worlds of one form ask much the same. The
plain twin is `worlds.grid.form`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import GOLDEN, jit, mix


ROUNDS = 4  # of refinement; twice as many as tell worlds of a dozen objects apart
_256 = np.uint64(256)
_NONE = np.uint64(0)


@jit
def digest_form(objects, n, size, labels, rows, columns):
    """Return a number for a world without its agent that does not depend on the order of rows, columns and objects.

    Shapes:
        objects: uint8 [place, 5]. labels: uint64 [at least n], rows, columns: uint64 [at least size]: working space.
    """
    for i in range(n):
        thing = objects[i]
        packed = (np.uint64(thing[0]) * _256 + np.uint64(thing[1])) * _256 + np.uint64(thing[2])
        labels[i] = mix(packed + GOLDEN)
    for _ in range(ROUNDS):
        for i in range(n):
            rows[objects[i, 3]] = _NONE
            columns[objects[i, 4]] = _NONE
        for i in range(n):
            rows[objects[i, 3]] += mix(labels[i] + GOLDEN)
            columns[objects[i, 4]] += mix(labels[i] + GOLDEN + GOLDEN)
        for i in range(n):
            label = mix((labels[i] + GOLDEN) ^ rows[objects[i, 3]])
            labels[i] = mix((label + GOLDEN) ^ columns[objects[i, 4]])
    total = _NONE
    for i in range(n):
        total += mix(labels[i] + GOLDEN)
    return mix((mix(total + GOLDEN) + GOLDEN) ^ np.uint64(size))


@jit
def digest_forms(objects, counts, sizes, out):
    """Fill `out` with the number of every world.

    Shapes:
        objects: uint8 [scene, place, 5]; counts: integer [scene]; sizes: int64 [scene]. out: uint64 [scene].
    """
    labels = np.empty(64, np.uint64)
    rows = np.empty(256, np.uint64)
    columns = np.empty(256, np.uint64)
    for s in range(objects.shape[0]):
        out[s] = digest_form(objects[s], counts[s], sizes[s], labels, rows, columns)
