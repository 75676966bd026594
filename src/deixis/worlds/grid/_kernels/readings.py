"""A command as it was said or misread, and what it then picks out of a world.

A command is a blueprint (`worlds.grid._blueprint`): for every mention shape, color, size word, parent and relation, -1
where nothing is said. A misreading is a blueprint with a few numbers changed, so none has to be written out: `as_said`
copies the blueprint to working space, the reader changes it there, and `referents_now` tells what is meant now.

`work` is a tuple: sets, size, objects and count of the world; then working space: now int64 [16, 5], tree int64
[16, 2], fits, candidates uint64 [16], chosen int64 [16], open uint64 [16].
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.grid._kernels.grid_sets import fit_noun_and_color, towards
from deixis.worlds.grid._kernels.match import read_blueprint


SHAPE, COLOR, SIZE, PARENT, RELATION = 0, 1, 2, 3, 4
NOTHING, GONE = -1, -2
AMONG_ALL = 2  # added to a size word: it compares with everything there is, not with what fits the rest of its phrase
VALUES = 4  # of shape and color
NOW = 4  # the place of the blueprint in `work`
MOST_MENTIONS = 16
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@jit
def as_said(said, work):
    """Take the command as it was said."""
    now = work[NOW]
    for m in range(said.shape[0]):
        for slot in range(5):
            now[m, slot] = said[m, slot]


@jit
def referents_now(count, work):
    """Return the objects that the command picks out as it now stands, without the mentions that are gone."""
    sets, size, objects, n, now, tree, fits, candidates, chosen, open_ = work
    everything = ~_NONE if n >= 64 else (_ONE << np.uint64(n)) - _ONE
    alive = 0
    for m in range(count):
        if now[m, PARENT] == GONE:
            continue
        alive |= 1 << m
        left = fit_noun_and_color(sets, everything, now, m)
        if now[m, SIZE] >= AMONG_ALL:
            left &= towards(sets, everything, now[m, SIZE] - AMONG_ALL, False)
        elif now[m, SIZE] >= 0:
            left = towards(sets, left, now[m, SIZE], False)
        if left == _NONE:
            return _NONE
        fits[m] = left
    return read_blueprint(sets, size, objects, now, count, alive, fits, tree, candidates, chosen, open_)


@jit
def drop_clause(mention, count, now):
    """Leave out a mention and everything said of it."""
    now[mention, PARENT] = GONE
    for m in range(mention + 1, count):
        if now[m, PARENT] >= 0 and now[now[m, PARENT], PARENT] == GONE:
            now[m, PARENT] = GONE


@jit
def shorten(said, noun_only, clauses, work):
    """Keep the phrase of the target, or its noun, with so many of its clauses, the first ones, and nothing else."""
    now = work[NOW]
    as_said(said, work)
    seen = 0
    for m in range(1, said.shape[0]):
        if said[m, PARENT] == 0:
            seen += 1
            if seen > clauses:
                drop_clause(m, said.shape[0], now)
    if noun_only:
        now[0, COLOR] = NOTHING
        now[0, SIZE] = NOTHING
