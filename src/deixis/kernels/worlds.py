"""Worlds for many commands: try, accept, then determiners, necessity, plan and digest.

Every try draws from a stream of its own, keyed by (command, world, try), so what is made does not depend on who makes it, in which order, or how much of it was made before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deixis.kernels.bitsets import below, bit, count, jit, mix
from deixis.kernels.board import BOARD, COLOR, SHAPE, SIZE_WORD, below_clause, fitting, picked
from deixis.kernels.compatible import try_compatible
from deixis.kernels.corrected import try_corrected
from deixis.kernels.plan import PULL, PUSH, plan_into


__all__ = ["MAX_SETS", "OUTCOMES", "Worlds", "digest_world", "make_worlds", "necessary_parts"]

MAX_SETS = 24
DUPLICATE, NOTHING_MOVED = 9, 10
OUTCOMES = 11
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_NONE = np.uint64(0)


class Worlds(NamedTuple):
    """The arrays that made worlds are written to, one row each.

    Shapes:
        objects: uint8 [world, place, 5]; roles: uint8 [world, place]; count: uint8 [world].
        agent: uint8 [world, 3], row, column, facing. codes: uint16 [world, set]; sets: uint8 [world].
        plan: uint8 [world, action]; length: uint16 [world].
        definite: uint16 [world], a bit for every mention called 'the'. necessary: uint32 [world], a bit for every needed part.
        digest: uint64 [world]. tries: uint32 [world]. command: int32 [world].
    """

    objects: np.ndarray
    roles: np.ndarray
    count: np.ndarray
    agent: np.ndarray
    codes: np.ndarray
    sets: np.ndarray
    plan: np.ndarray
    length: np.ndarray
    definite: np.ndarray
    necessary: np.ndarray
    digest: np.ndarray
    tries: np.ndarray
    command: np.ndarray


@jit
def digest_world(objects, n, size, row, column, facing):
    """A digest of what a reader of the world sees: it does not depend on the order of the objects.

    The plain twin is `datasets.identity`.
    """
    total = _NONE
    for i in range(n):
        o = objects[i]
        packed = (((np.uint64(o[0]) * np.uint64(256) + np.uint64(o[1])) * np.uint64(256) + np.uint64(o[2])) * np.uint64(256)
                  + np.uint64(o[3])) * np.uint64(256) + np.uint64(o[4])  # fmt: skip
        total += mix(packed + _GOLDEN)
    digest = mix(total + _GOLDEN)
    for value in (size, row, column, facing):
        digest = mix((digest + _GOLDEN) ^ np.uint64(value))
    return digest


@jit
def _is_needed(board, said, alive):
    return picked(board, said, alive, False) != bit(0)


@jit
def necessary_parts(board, said, words):
    """A bit for every part of the expression whose loss changes what is picked out, in the order of `expression.parts`."""
    mentions = said.shape[0]
    everyone = (1 << mentions) - 1
    needed = np.uint32(0)
    place = 0
    for k in range(mentions):
        if k > 0:
            if _is_needed(board, said, everyone & ~below_clause(said, k)):
                needed |= np.uint32(1) << np.uint32(place)
            place += 1
        for slot in (SHAPE, COLOR, SIZE_WORD):
            if said[k, slot] >= 0:
                words[:, :] = said
                words[k, slot] = -1
                if _is_needed(board, words, everyone):
                    needed |= np.uint32(1) << np.uint32(place)
                place += 1
    return needed


@jit
def _put_agent(board, turned, rng, agent):
    """A random cell without a solid, facing east or anywhere."""
    cells = board.size * board.size
    cell = below(rng, cells)
    while board.solid[cell]:
        cell = below(rng, cells)
    agent[0], agent[1] = cell // board.size, cell % board.size
    agent[2] = below(rng, 4) if turned else 0


@jit
def _is_known(digest, worlds, first, last):
    for w in range(first, last):
        if worlds.digest[w] == digest:
            return True
    return False


@jit
def _keep(board, said, worlds, w, sets, codes, words, command, tries):
    """Write an accepted world, and what can be said about it, to row w."""
    n = board.n
    worlds.objects[w, :n] = board.objects[:n]
    worlds.objects[w, n:] = 0
    worlds.roles[w, :n] = board.roles[:n]
    worlds.roles[w, n:] = 0
    worlds.count[w] = n
    worlds.sets[w] = sets
    for s in range(sets):
        worlds.codes[w, s] = codes[s]
    definite = 1
    for k in range(1, said.shape[0]):
        if count(fitting(board, said, k, False)) <= 1:
            definite |= 1 << k
    worlds.definite[w] = definite
    worlds.necessary[w] = necessary_parts(board, said, words)
    worlds.tries[w] = tries
    worlds.command[w] = command


@jit
def make_worlds(blueprints, mentions, verbs, manners, keys, wanted, retries, size, cap, fill, kinds, mode, turned, moving, boards, worlds, outcomes):
    """Make up to `wanted` worlds for every command; the number of rows written.

    A command is given up as soon as one of its worlds is not found within `retries` tries; what it has until then is kept.

    Shapes:
        blueprints: int8 [command, mention, 5]; mentions, verbs, manners: int [command]; keys: uint64 [command].
        outcomes: int64 [command, outcome], how the tries ended; outcome 0 is success.
    """
    board = boards[0]
    board.size, board.cap = size, cap
    codes = np.zeros(MAX_SETS, np.uint16)
    rng = np.zeros(1, np.uint64)
    agent = np.zeros(3, np.int64)
    w = 0
    for c in range(blueprints.shape[0]):
        said = blueprints[c, : mentions[c]]
        words = board.words[: mentions[c]]
        first = w
        for world in range(wanted):
            found = False
            key = mix(keys[c] + _GOLDEN * np.uint64(world + 1))
            for attempt in range(retries):
                rng[0] = mix(key + np.uint64(attempt))
                if mode == 0:
                    outcome, sets = try_compatible(board, said, fill, kinds, codes, rng)
                else:
                    outcome, sets = try_corrected(board, said, fill, kinds, codes, rng)
                if outcome == 0:
                    _put_agent(board, turned, rng, agent)
                    digest = digest_world(board.objects, board.n, size, agent[0], agent[1], agent[2])
                    length = plan_into(worlds.plan[w], agent[0], agent[1], agent[2], 0, verbs[c], manners[c], board.objects, board.n, size)
                    if _is_known(digest, worlds, first, w):
                        outcome = DUPLICATE
                    elif moving and verbs[c] > 0 and not _moves(worlds.plan[w], length):
                        outcome = NOTHING_MOVED
                outcomes[c, outcome] += 1
                if outcome == 0:
                    _keep(board, said, worlds, w, sets, codes, words, c, attempt + 1)
                    worlds.agent[w, 0], worlds.agent[w, 1], worlds.agent[w, 2] = agent[0], agent[1], agent[2]
                    worlds.digest[w] = digest
                    worlds.length[w] = length
                    w += 1
                    found = True
                    break
            if not found:
                break
    return w


@jit
def _moves(plan, length):
    for i in range(length):
        if plan[i] == PUSH or plan[i] == PULL:
            return True
    return False
