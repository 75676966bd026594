"""Digests of the contents of examples, whose plain twin is `worlds.grid.navigate.content_digest`."""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import GOLDEN, jit, mix
from deixis.worlds.grid._kernels.worlds import digest_world


@jit
def digest_examples(objects, starts, sizes, agents, texts, out):
    """Fill `out` with the digest of every example: its words, and its world without the order of its objects.

    Shapes:
        objects: uint8 [object, 5], those of all worlds one after the other; starts: int64 [example + 1].
        sizes: int64 [example]. agents: uint8 [example, 3] with row, column, facing.
        texts: uint64 [example], the digest of the words. out: uint64 [example].
    """
    for n in range(out.shape[0]):
        first, last = starts[n], starts[n + 1]
        row, column, facing = np.int64(agents[n, 0]), np.int64(agents[n, 1]), np.int64(agents[n, 2])
        world = digest_world(objects[first:last], last - first, sizes[n], row, column, facing)
        out[n] = mix((texts[n] + GOLDEN) ^ world)
