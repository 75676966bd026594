"""Answers to the questions of audits about many worlds: the reach of misreadings, and worlds that are the same.

A command is a blueprint, and a misreading one with a few numbers changed: see `worlds.grid._kernels.readings`. The
plain twin is
`audits.measures`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.grid._kernels.grid_sets import add_to_sets, clear_sets
from deixis.worlds.grid._kernels.readings import (
    COLOR,
    NOTHING,
    NOW,
    RELATION,
    SHAPE,
    SIZE,
    VALUES,
    as_said,
    drop_clause,
    referents_now,
    shorten,
)


CLAUSE = 3  # a part is a mention and one of SHAPE, COLOR, SIZE, or this
NOUN, PHRASE, FIRST_CLAUSE, EXCHANGED, REACHED = 0, 1, 2, 3, 4  # columns of `read_carelessly`
_NONE = np.uint64(0)


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
    fits = np.empty(16, np.uint64)
    candidates = np.empty(16, np.uint64)
    chosen = np.empty(16, np.int64)
    open_ = np.empty(16, np.uint64)
    for s in range(objects.shape[0]):
        clear_sets(sets)
        for i in range(counts[s]):
            add_to_sets(sets, size, i, objects[s, i])
        c = which[s]
        said = mentions[mention_start[c] : mention_start[c + 1]]
        work = (sets, size, objects[s], counts[s], now, tree, fits, candidates, chosen, open_)
        reached = _without_parts(said, parts[part_start[c] : part_start[c + 1]], without[at[s] :], work)
        reached |= _with_other_words(said, work)
        exchanged, isomorphic = _with_exchanges(said, work)
        shorten(said, False, 0, work)
        found[s, PHRASE] = referents_now(said.shape[0], work)
        if said.shape[0] > 1:
            reached |= found[s, PHRASE]
        shorten(said, True, 0, work)
        found[s, NOUN] = referents_now(said.shape[0], work)
        shorten(said, False, 1, work)
        found[s, FIRST_CLAUSE] = referents_now(said.shape[0], work)
        found[s, EXCHANGED] = exchanged
        found[s, REACHED] = reached | isomorphic


@jit
def _without_parts(said, parts, out, work):
    """Fill `out` with what is picked out without each part; everything that any of it is."""
    now = work[NOW]
    reached = _NONE
    for k in range(parts.shape[0]):
        as_said(said, work)
        mention, slot = parts[k, 0], parts[k, 1]
        if slot == CLAUSE:
            drop_clause(mention, said.shape[0], now)
        else:
            now[mention, slot] = NOTHING
        out[k] = referents_now(said.shape[0], work)
        reached |= out[k]
    return reached


@jit
def _with_other_words(said, work):
    """Everything that is picked out when one word is taken for another of its kind."""
    now = work[NOW]
    reached = _NONE
    as_said(said, work)
    for m in range(said.shape[0]):
        for slot in range(3):
            if said[m, slot] < 0:
                continue
            for value in range(2 if slot == SIZE else VALUES):
                if value != said[m, slot]:
                    now[m, slot] = value
                    reached |= referents_now(said.shape[0], work)
            now[m, slot] = said[m, slot]
    return reached


@jit
def _with_exchanges(said, work):
    """(everything picked out when words of one kind, or relations, are exchanged; when an isomorphism does it)."""
    now = work[NOW]
    exchanged, isomorphic = _NONE, _NONE
    count = said.shape[0]
    as_said(said, work)
    for one in range(count):
        for other in range(one + 1, count):
            for slot in (SHAPE, COLOR, SIZE, RELATION):
                if said[one, slot] == said[other, slot] or (slot == RELATION and one == 0):
                    continue
                now[one, slot], now[other, slot] = said[other, slot], said[one, slot]
                found = referents_now(count, work)
                exchanged |= found
                if slot == COLOR and one > 0:
                    isomorphic |= found
                now[one, slot], now[other, slot] = said[one, slot], said[other, slot]
            if one > 0:
                for slot in (SHAPE, SIZE):
                    now[one, slot], now[other, slot] = said[other, slot], said[one, slot]
                isomorphic |= referents_now(count, work)
                for slot in (SHAPE, SIZE):
                    now[one, slot], now[other, slot] = said[one, slot], said[other, slot]
    return exchanged, isomorphic
