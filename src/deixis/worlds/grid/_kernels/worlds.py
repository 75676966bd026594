"""Worlds for many commands: try, accept, then determiners, necessity, plan and digest.

Every try draws from a stream of its own, keyed by (command, world, try), so what is made does not depend on who makes
it, in which order, or how much of it was made before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deixis._kernels.bitsets import GOLDEN, below, bit, count, jit, mix
from deixis.worlds.grid._kernels.board import (
    DUPLICATE,
    MAX_SETS,
    NO_ROOM,
    NOTHING_MOVED,
    OK,
    READINGS_DIFFER,
    SOMETHING_MOVED,
    below_clause,
    find_cell,
    fitting,
    referents,
    say,
    start_misreading,
)
from deixis.worlds.grid._kernels.compatible import try_compatible
from deixis.worlds.grid._kernels.corrected import try_corrected
from deixis.worlds.grid._kernels.every_word import strengthen, try_every_word
from deixis.worlds.grid._kernels.form import digest_form
from deixis.worlds.grid._kernels.gscan import try_gscan
from deixis.worlds.grid._kernels.plan import TO_PUSH, plan_into
from deixis.worlds.grid._kernels.spatial import try_spatial
from deixis.worlds.grid._kernels.start import ANYHOW, LENGTHS, MOVING, STUCK, aim, choose_start, length_bin, moves


COMPATIBLE, CORRECTED, EVERY_WORD, GSCAN, SPATIAL = 0, 1, 2, 3, 4
OUTCOMES = 13
WHOLE = 1 << 32  # the share 1, in the unit of `Demands.blocked`
INSISTENCE = 60  # how many tries at a world keep to the direction and distance aimed at
_NONE = np.uint64(0)


class Worlds(NamedTuple):
    """The arrays that made worlds are written to, one row each.

    Shapes:
        objects: uint8 [world, place, 5]; roles: uint8 [world, place]; count: uint8 [world].
        agent: uint8 [world, 3], row, column, facing. codes: uint16 [world, set]; sets: uint8 [world].
        plan: uint8 [world, action]; length: uint16 [world].
        definite: uint16 [world], a bit for every mention called 'the'.
        necessary: uint32 [world], a bit for every needed part.
        digest: uint64 [world]. tries: uint32 [world]. command: int32 [world].
    """

    objects: np.ndarray
    roles: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # hides a method of tuples that nobody needs here
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


# What is noted about a world in one place; see `Worlds` for the meaning of the columns.
NOTES = np.dtype(
    [
        ("count", np.uint8),
        ("agent", np.uint8, (3,)),
        ("codes", np.uint16, (MAX_SETS,)),
        ("sets", np.uint8),
        ("length", np.uint16),
        ("definite", np.uint16),
        ("necessary", np.uint32),
        ("digest", np.uint64),
        ("form", np.uint64),
        ("tries", np.uint32),
        ("command", np.int32),
    ],
    align=True,
)


class Demands(NamedTuple):
    """The demands on worlds.

    Attributes:
        wanted: how many worlds per command.
        retries: how many tries at each world.
        size: of the grid.
        cap: how many objects a world may hold.
        fill: up to how many of them random ones are added.
        kinds: which distractors, as bits: 1 relation, 2 attribute, 4 isomorphism, 8 random; and 16 in COMPATIBLE if
            relation distractors of two clauses and more have sizes of their own.
        mode: COMPATIBLE, CORRECTED, EVERY_WORD, GSCAN or SPATIAL; only what the mode needs is compiled.
        turned: whether the agent may face anywhere, not only east.
        moving: whether what is to be pushed or pulled must really move.
        competitors: how many wrong objects overlooking any content word or clause must let through.
        exhaustive: whether reading a word as any other value must let one through as well.
        even: what comes out even over the worlds of a command, as bits: 1 directions, 2 distances, 4 plan lengths, 8
            directions and distances as often as gSCAN lists them.
        new_forms: whether no two worlds of a command may be equal up to the order of rows and columns.
        blocked: the share of worlds in which what is to be pushed or pulled must not move, of WHOLE; in all others it
            must. -1 to leave that to `moving`.
    """

    wanted: int
    retries: int = 500
    size: int = 6
    cap: int = 16
    fill: int = 13
    kinds: int = 15
    mode: int = CORRECTED
    turned: bool = False
    moving: bool = False
    competitors: int = 0
    exhaustive: bool = False
    even: int = 0
    new_forms: bool = False
    blocked: int = -1


(
    _WANTED, _RETRIES, _SIZE, _CAP, _FILL, _KINDS, _MODE, _TURNED, _MOVING, _COMPETITORS, _EXHAUSTIVE, _EVEN,
    _NEW_FORMS, _BLOCKED,
) = range(len(Demands._fields))  # fmt: skip


def make_worlds(
    blueprints: np.ndarray,
    mentions: np.ndarray,
    verbs: np.ndarray,
    manners: np.ndarray,
    keys: np.ndarray,
    asked: Demands,
    boards: np.ndarray,
    worlds: Worlds,
    outcomes: np.ndarray,
) -> int:
    """Make up to as many worlds as are asked for every command, and return the number of rows written.

    A command is given up as soon as one of its worlds is not found within so many tries; what it has until then is
    kept.

    Args:
        blueprints: int8 [command, mention, 5], what the commands say.
        mentions: int64 [command], how many mentions each has.
        verbs: int64 [command].
        manners: int64 [command].
        keys: uint64 [command], the seeds.
        asked: what is asked of the worlds.
        boards: BOARD [1], working space.
        worlds: where the worlds are written.
        outcomes: int64 [command, outcome], how the tries ended; outcome 0 is success.
    """
    boards["size"], boards["cap"] = asked.size, asked.cap
    chosen = [True if asked.mode == mode else None for mode in (COMPATIBLE, CORRECTED, EVERY_WORD, GSCAN, SPATIAL)]
    strict = True if asked.mode != EVERY_WORD and (asked.competitors or asked.exhaustive) else None
    notes = np.empty(len(worlds.digest), NOTES)
    made = _make(
        blueprints, mentions, verbs, manners, keys, np.array(asked, np.int64), *chosen, strict,
        boards, worlds.objects, worlds.roles, worlds.plan, notes, outcomes,
    )  # fmt: skip
    for column in Worlds._fields:
        if column in (NOTES.names or ()):
            getattr(worlds, column)[:made] = notes[column][:made]
    return int(made)


@jit
def _make(
    blueprints, mentions, verbs, manners, keys, asked, compatible, corrected, every_word, gscan, spatial,
    strict, boards, objects, roles, plans, notes, outcomes,
):  # fmt: skip
    """The loop of `make_worlds`.

    One of `compatible`, `corrected`, `every_word`, `gscan` and `spatial` is True, the others None; `strict` is True or
    None. Numba leaves out what stands under the test of an argument that is None, so what is not asked for is not
    compiled.
    """
    board = boards[0]
    fill, kinds, least, exhaustive = asked[_FILL], asked[_KINDS], asked[_COMPETITORS], asked[_EXHAUSTIVE] > 0
    w = 0
    for c in range(blueprints.shape[0]):
        say(board, blueprints[c], mentions[c])
        board.used[:] = 0
        first = w
        for world in range(asked[_WANTED]):
            key = mix(keys[c] + GOLDEN * np.uint64(world + 1))
            moving = _whether_to_move(asked, verbs[c], key)
            found = False
            for attempt in range(asked[_RETRIES]):
                board.rng[0] = mix(key + np.uint64(attempt))
                # only the first tries insist on a direction and distance; a command is not given up because of them
                even = asked[_EVEN] if attempt < min(INSISTENCE, asked[_RETRIES] // 2) else asked[_EVEN] & LENGTHS
                aim(board, even, keys[c], world, moving == MOVING and verbs[c] == TO_PUSH)
                if compatible is not None:
                    outcome = try_compatible(board, fill, kinds)
                if corrected is not None:
                    outcome = try_corrected(board, fill, kinds)
                if every_word is not None:
                    outcome = try_every_word(board, fill, kinds, least, exhaustive)
                if gscan is not None:
                    outcome = try_gscan(board, fill, kinds)
                    if outcome == OK and referents(board, board.said, board.everyone, False) != bit(0):
                        outcome = READINGS_DIFFER
                if spatial is not None:
                    outcome = try_spatial(board, fill, kinds)
                if strict is not None:
                    if outcome == OK:
                        outcome = strengthen(board, least, exhaustive)
                if outcome == OK:
                    outcome = _finish(board, verbs[c], manners[c], asked, even, moving, notes, first, w, plans[w])
                outcomes[c, outcome] += 1
                if outcome == OK:
                    note = notes[w]
                    note.necessary = necessary_parts(board)
                    note.tries, note.command = attempt + 1, c
                    _write(board, note, objects[w], roles[w])
                    w += 1
                    found = True
                    break
            if not found:
                break
    return w


@jit
def _whether_to_move(asked, verb, key):
    """Whether what is to be pushed or pulled in the world of a key must move, or must not."""
    if verb == 0:
        return ANYHOW
    if asked[_BLOCKED] < 0:
        return MOVING if asked[_MOVING] > 0 else ANYHOW
    return STUCK if np.int64(mix(key ^ GOLDEN) >> np.uint64(32)) < asked[_BLOCKED] else MOVING


@jit
def _finish(board, verb, manner, asked, even, moving, notes, first, w, plan):
    """Put an agent on a cell without a solid, plan for it and note both in row w; how that ended.

    Rows from `first` on hold the worlds of the same command.
    """
    note = notes[w]
    facing = below(board.rng, 4) if asked[_TURNED] else 0
    if even:
        cell = choose_start(board, even, verb, manner, facing, moving, board.used, plan)
    else:
        cell = find_cell(board)
    if cell < 0:
        return NOTHING_MOVED if even and moving == MOVING else SOMETHING_MOVED if even and moving == STUCK else NO_ROOM
    row, column = cell // board.size, cell % board.size
    note.agent[0], note.agent[1], note.agent[2] = row, column, facing
    note.digest = digest_world(board.objects, board.n, board.size, row, column, facing)
    if asked[_NEW_FORMS]:
        note.form = digest_form(board.objects, board.n, board.size, board.labels, board.lines[0], board.lines[1])
    note.length = plan_into(plan, row, column, facing, 0, verb, manner, board.objects, board.n, board.size)
    for known in range(first, w):
        if notes[known].digest == note.digest or (asked[_NEW_FORMS] and notes[known].form == note.form):
            return DUPLICATE
    # The whole world is given up where nothing moves: cells chosen so that something does would give the target away.
    if moving == MOVING and not moves(plan, note.length):
        return NOTHING_MOVED
    if moving == STUCK and moves(plan, note.length):
        return SOMETHING_MOVED
    board.used[length_bin(note.length)] += 1
    return OK


@jit
def necessary_parts(board):
    """A bit for every part of the command whose loss changes what is picked out, in the order of `expression.parts`."""
    said, misread = board.said, board.misread
    needed, place = 0, 0
    start_misreading(board)
    for k in range(board.mentions):
        for slot in range(-1 if k > 0 else 0, 3):  # the clause, then the words
            if slot >= 0 and said[k, slot] < 0:
                continue
            alive = board.everyone
            if slot < 0:
                alive &= ~below_clause(board, k)
            else:
                misread[k, slot] = -1
            needed |= (referents(board, misread, alive, False) != bit(0)) << place
            place += 1
            if slot >= 0:
                misread[k, slot] = said[k, slot]
    return needed


@jit
def _write(board, note, objects, roles):
    """Write the objects and what is known of them and of the words."""
    note.count, note.sets = board.n, board.made
    for i in range(objects.shape[0]):
        for slot in range(5):
            objects[i, slot] = board.objects[i, slot] if i < board.n else 0
        roles[i] = board.roles[i] if i < board.n else 0
    for s in range(MAX_SETS):
        note.codes[s] = board.codes[s] if s < board.made else 0
    definite = 1  # the target is; so is what at most one object fits the words of
    for k in range(1, board.mentions):
        if count(fitting(board, board.said, k, False)) <= 1:
            definite |= 1 << k
    note.definite = definite


@jit
def digest_world(objects, n, size, row, column, facing):
    """A digest of what a reader of the world sees: it does not depend on the order of the objects.

    The plain twin is in `worlds.grid.navigate.content_digest`.
    """
    total = _NONE
    for i in range(n):
        packed = _NONE
        for slot in range(5):
            packed = packed * np.uint64(256) + np.uint64(objects[i, slot])
        total += mix(packed + GOLDEN)
    digest = mix(total + GOLDEN)
    for value in (size, row, column, facing):
        digest = mix((digest + GOLDEN) ^ np.uint64(value))
    return digest
