"""What audits ask of many worlds: what the misreadings of a command reach, and which worlds are the same.

A command is a blueprint (`worlds.grid.blueprint`): for every mention shape, color, size word, parent and relation, -1
where nothing is said. A misreading is a blueprint with a few numbers changed, so none has to be written out. The plain
twin is `audits.measures`.
"""

from __future__ import annotations

import numpy as np

from deixis.kernels.bitsets import jit
from deixis.kernels.grid_sets import COLOR_0, add_to_sets, clear_sets, related_to, towards
from deixis.kernels.match import keep_matchable


__all__ = ["EXCHANGED", "FIRST_CLAUSE", "NOUN", "PHRASE", "REACHED", "read_carelessly"]

SHAPE, COLOR, SIZE, PARENT, RELATION = 0, 1, 2, 3, 4
CLAUSE = 3  # a part is a mention and one of SHAPE, COLOR, SIZE, or this
NOUN, PHRASE, FIRST_CLAUSE, EXCHANGED, REACHED = 0, 1, 2, 3, 4  # columns of `read_carelessly`
NOTHING, GONE = -1, -2
VALUES = 4  # of shape and color
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@jit
def read_carelessly(objects, counts, size, mentions, mention_start, parts, part_start, which, without, at, found):
    """Fill `without` with what each scene's command picks out without each of its parts, and `found` with the rest.

    Shapes:
        objects: uint8 [scene, place, 5]; counts: integer [scene].
        mentions: int8 [mention, 5], the blueprints of all commands; mention_start: int64 [command + 1].
        parts: int64 [part, 2], mention and slot (shape, color, size, clause) of all parts; part_start likewise.
        which: int64 [scene], the number of the scene's command.
        without: uint64 [part], those of all scenes one after the other; at: int64 [scene], where each scene's start.
        found: uint64 [scene, 5]: what the noun alone picks out, the noun phrase alone, the phrase with its first
            clause; everything that some exchange of words picks out; everything that some misreading picks out.
    """
    sets = np.empty(12 + 2 * size, np.uint64)
    now = np.empty((16, 5), np.int64)
    tree = np.empty((16, 2), np.int64)
    candidates = np.empty(16, np.uint64)
    packed = np.empty(16, np.uint64)
    chosen = np.empty(16, np.int64)
    open_ = np.empty(16, np.uint64)
    for s in range(objects.shape[0]):
        clear_sets(sets)
        for i in range(counts[s]):
            add_to_sets(sets, size, i, objects[s, i])
        c = which[s]
        said = mentions[mention_start[c] : mention_start[c + 1]]
        work = (sets, size, objects[s], counts[s], now, tree, candidates, packed, chosen, open_)
        reached = _without_parts(said, parts[part_start[c] : part_start[c + 1]], without[at[s] :], work)
        reached |= _with_other_words(said, work)
        exchanged, isomorphic = _with_exchanges(said, work)
        _shortened(said, False, 0, work)
        found[s, PHRASE] = _picked(said.shape[0], work)
        if said.shape[0] > 1:
            reached |= found[s, PHRASE]
        _shortened(said, True, 0, work)
        found[s, NOUN] = _picked(said.shape[0], work)
        _shortened(said, False, 1, work)
        found[s, FIRST_CLAUSE] = _picked(said.shape[0], work)
        found[s, EXCHANGED] = exchanged
        found[s, REACHED] = reached | isomorphic


@jit
def _start(said, work):
    """Take the command as it was said."""
    now = work[4]
    for m in range(said.shape[0]):
        for slot in range(5):
            now[m, slot] = said[m, slot]


@jit
def _picked(count, work):
    """What the command, as it now stands, picks out; mentions that are gone are passed over."""
    sets, size, objects, n, now, tree, candidates, packed, chosen, open_ = work
    everything = ~_NONE if n >= 64 else (_ONE << np.uint64(n)) - _ONE
    kept = 0
    for m in range(count):
        if now[m, PARENT] == GONE:
            continue
        left = everything
        if now[m, SHAPE] >= 0:
            left &= sets[now[m, SHAPE]]
        if now[m, COLOR] >= 0:
            left &= sets[COLOR_0 + now[m, COLOR]]
        if now[m, SIZE] >= 0:
            left = towards(sets, left, now[m, SIZE], False)
        candidates[m] = left
        chosen[m] = kept  # its number among the mentions that are left, for a moment
        tree[kept, 0] = NOTHING if m == 0 else chosen[now[m, PARENT]]
        tree[kept, 1] = now[m, RELATION]
        kept += 1
    k = kept
    for m in range(count - 1, -1, -1):
        if now[m, PARENT] == GONE:
            continue
        k -= 1
        packed[k] = candidates[m]
        if m > 0:
            candidates[now[m, PARENT]] &= related_to(sets, size, objects, now[m, RELATION], candidates[m])
    return keep_matchable(sets, size, objects, tree, kept, packed, chosen, open_)


@jit
def _drop_clause(mention, count, now):
    """Leave out a mention and everything said of it."""
    now[mention, PARENT] = GONE
    for m in range(mention + 1, count):
        if now[m, PARENT] >= 0 and now[now[m, PARENT], PARENT] == GONE:
            now[m, PARENT] = GONE


@jit
def _shortened(said, noun_only, clauses, work):
    """Keep the phrase of the target, or its noun, with so many of its clauses, the first ones, and nothing else."""
    now = work[4]
    _start(said, work)
    seen = 0
    for m in range(1, said.shape[0]):
        if said[m, PARENT] == 0:
            seen += 1
            if seen > clauses:
                _drop_clause(m, said.shape[0], now)
    if noun_only:
        now[0, COLOR] = NOTHING
        now[0, SIZE] = NOTHING


@jit
def _without_parts(said, parts, out, work):
    """Fill `out` with what is picked out without each part; everything that any of it is."""
    now = work[4]
    reached = _NONE
    for k in range(parts.shape[0]):
        _start(said, work)
        mention, slot = parts[k, 0], parts[k, 1]
        if slot == CLAUSE:
            _drop_clause(mention, said.shape[0], now)
        else:
            now[mention, slot] = NOTHING
        out[k] = _picked(said.shape[0], work)
        reached |= out[k]
    return reached


@jit
def _with_other_words(said, work):
    """Everything that is picked out when one word is taken for another of its kind."""
    now = work[4]
    reached = _NONE
    _start(said, work)
    for m in range(said.shape[0]):
        for slot in range(3):
            if said[m, slot] < 0:
                continue
            for value in range(2 if slot == SIZE else VALUES):
                if value != said[m, slot]:
                    now[m, slot] = value
                    reached |= _picked(said.shape[0], work)
            now[m, slot] = said[m, slot]
    return reached


@jit
def _with_exchanges(said, work):
    """(everything picked out when words of one kind, or relations, are exchanged; when an isomorphism does it)."""
    now = work[4]
    exchanged, isomorphic = _NONE, _NONE
    count = said.shape[0]
    _start(said, work)
    for one in range(count):
        for other in range(one + 1, count):
            for slot in (SHAPE, COLOR, SIZE, RELATION):
                if said[one, slot] == said[other, slot] or (slot == RELATION and one == 0):
                    continue
                now[one, slot], now[other, slot] = said[other, slot], said[one, slot]
                picked = _picked(count, work)
                exchanged |= picked
                if slot == COLOR and one > 0:
                    isomorphic |= picked
                now[one, slot], now[other, slot] = said[one, slot], said[other, slot]
            if one > 0:
                for slot in (SHAPE, SIZE):
                    now[one, slot], now[other, slot] = said[other, slot], said[one, slot]
                isomorphic |= _picked(count, work)
                for slot in (SHAPE, SIZE):
                    now[one, slot], now[other, slot] = said[one, slot], said[other, slot]
    return exchanged, isomorphic
