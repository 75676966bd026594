"""Planning and judging many plans: are they right, where do they lead, and which misreading explains them.

The plain twins are `worlds.grid.plan` and `worlds.grid.judging.verdicts`, and for misreadings
`worlds.grid.judging._misreadings`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import bit, jit
from deixis.worlds.grid._kernels.grid_sets import BOX, add_to_sets, clear_sets
from deixis.worlds.grid._kernels.plan import plan_into, simulate_into
from deixis.worlds.grid._kernels.readings import (
    AMONG_ALL,
    COLOR,
    MOST_MENTIONS,
    NOTHING,
    NOW,
    PARENT,
    RELATION,
    SHAPE,
    SIZE,
    VALUES,
    as_said,
    drop_clause,
    referents_now,
    shorten,
)


EXACT, EXACT_CUT, GOT_THERE = 0, 1, 2  # columns of `judge_plans`
# Bits of `find_misreadings`; six for words, three of the target and three of others; fifteen for relations.
SIZE_AMONG_ALL, FLATTENED, WORD, CLAUSE = 0, 1, 2, 8
WORDS_EXCHANGED, RELATIONS_EXCHANGED, ALL_CLAUSES, ALL_BUT_NOUN, UNCLEAR = 23, 24, 25, 26, 27
_NONE = np.uint64(0)
_ZERO, _ONE = np.int64(0), np.int64(1)


@jit
def make_plans(objects, counts, sizes, agents, targets, verbs, manners, out, lengths):
    """Write the plan of every scene, with the length -1 where it does not fit.

    Shapes:
        objects: uint8 [scene, place, 5]; agents: uint8 [scene, 3]; counts, sizes, targets, verbs, manners: int64
        [scene]; a scene with a target below 0 gets the empty plan. out: uint8 [scene, action]. lengths: int64 [scene].
    """
    for n in range(lengths.shape[0]):
        lengths[n] = 0
        if targets[n] >= 0:
            row, column, facing = agents[n, 0], agents[n, 1], agents[n, 2]
            lengths[n] = plan_into(
                out[n], row, column, facing, targets[n], verbs[n], manners[n], objects[n], counts[n], sizes[n]
            )


@jit
def judge_plans(
    objects,
    counts,
    sizes,
    agents,
    targets,
    verbs,
    right,
    right_start,
    said,
    said_start,
    is_plan,
    cut,
    is_so,
    shares,
    chosen,
):
    """Compare and carry out one plan in each of many scenes.

    Shapes:
        objects: uint8 [scene, place, 5]; agents: uint8 [scene, 3]; counts, sizes, targets, verbs: int64 [scene].
        right, said: uint8 [action], all plans one after the other; right_start, said_start: int64 [scene + 1].
        is_plan: bool [scene]; what is none is wrong throughout. cut: how many actions `EXACT_CUT` compares.
        is_so: bool [scene, 3], see `EXACT`, `EXACT_CUT` and `GOT_THERE`. shares: float64 [scene], of actions that are
        right in their place. chosen: int64 [scene], the object that the plan makes for, or -1.
    """
    here, there = np.empty(3, np.uint8), np.empty(3, np.uint8)
    moved, rightly = np.empty(objects.shape[1:], np.uint8), np.empty(objects.shape[1:], np.uint8)
    for n in range(objects.shape[0]):
        is_so[n, :] = False
        shares[n] = 0.0
        chosen[n] = -1
        if not is_plan[n]:
            continue
        plan = said[said_start[n] : said_start[n + 1]]
        model = right[right_start[n] : right_start[n + 1]]
        _compare(plan, model, cut, is_so[n], shares, n)
        here[:], moved[:] = agents[n], objects[n]
        there[:], rightly[:] = agents[n], objects[n]
        simulate_into(rightly, counts[n], sizes[n], there, model)
        touched = simulate_into(moved, counts[n], sizes[n], here, plan)
        is_so[n, GOT_THERE] = _are_alike(here, there, moved, rightly, counts[n])
        if verbs[n] > 0 and touched >= 0:
            chosen[n] = touched
        else:
            chosen[n] = _standing(moved, counts[n], here, targets[n])


@jit
def _compare(plan, model, cut, is_so, shares, n):
    """Hold a plan against the right one, action by action."""
    shorter, longer = min(len(plan), len(model)), max(len(plan), len(model))
    alike, first = 0, shorter  # the first place in which they differ
    for i in range(shorter):
        if plan[i] == model[i]:
            alike += 1
        elif first == shorter:
            first = i
    is_so[EXACT] = alike == longer
    is_so[EXACT_CUT] = first >= cut or (first == shorter and min(len(plan), cut) == min(len(model), cut))
    shares[n] = alike / longer if longer > 0 else 1.0


@jit
def _are_alike(here, there, moved, rightly, count):
    """Whether agent and objects stand on the same cells; where the agent looks does not count."""
    if here[0] != there[0] or here[1] != there[1]:
        return False
    for i in range(count):
        if moved[i, 3] != rightly[i, 3] or moved[i, 4] != rightly[i, 4]:
            return False
    return True


@jit
def _standing(objects, count, agent, target):
    """What stands in the agent's cell: the target if it is there, else the first solid, else the first box, or -1."""
    if objects[target, 3] == agent[0] and objects[target, 4] == agent[1]:
        return target
    box = -1
    for i in range(count):
        if objects[i, 3] == agent[0] and objects[i, 4] == agent[1]:
            if objects[i, 0] != BOX:
                return i
            if box < 0:
                box = i
    return box


@jit
def find_misreadings(objects, counts, sizes, mentions, mention_start, which, targets, chosen, out):
    """Fill `out` with the slightest misreadings of each scene's command that pick out the chosen object, as bits.

    Kinds of misreadings are tried in the order of their bits, words and clauses each together; only those of the first
    kind that leads to the object are named. No bit: none does.

    Shapes:
        objects: uint8 [scene, place, 5]; counts, sizes, targets: int64 [scene].
        mentions: int8 [mention, 5], the blueprints of all commands; mention_start: int64 [command + 1].
        which: int64 [scene], the number of the command, below 0 where it has no blueprint. chosen: int64 [scene], below
        0 where there is nothing to find. out: int64 [scene]; `UNCLEAR` where the command does not mean the target.
    """
    largest = 2
    for s in range(objects.shape[0]):
        largest = max(largest, sizes[s])
    sets = np.empty(12 + 2 * largest, np.uint64)
    now = np.empty((MOST_MENTIONS, 5), np.int64)
    tree = np.empty((MOST_MENTIONS, 2), np.int64)
    fits = np.empty(MOST_MENTIONS, np.uint64)
    candidates = np.empty(MOST_MENTIONS, np.uint64)
    choice = np.empty(MOST_MENTIONS, np.int64)
    open_ = np.empty(MOST_MENTIONS, np.uint64)
    for s in range(objects.shape[0]):
        out[s] = 0
        if chosen[s] < 0:
            continue
        if which[s] < 0:
            out[s] = _ONE << UNCLEAR
            continue
        clear_sets(sets)
        for i in range(counts[s]):
            add_to_sets(sets, sizes[s], i, objects[s, i])
        said = mentions[mention_start[which[s]] : mention_start[which[s] + 1]]
        work = (sets, sizes[s], objects[s], counts[s], now, tree, fits, candidates, choice, open_)
        as_said(said, work)
        if referents_now(said.shape[0], work) != bit(targets[s]):
            out[s] = _ONE << UNCLEAR
            continue
        out[s] = _slightest(said, bit(chosen[s]), work)


@jit
def _slightest(said, wanted, work):
    """The bits of the first kind of misreading that picks out what is wanted."""
    found = _by_sizes_among_all(said, wanted, work)
    if found == 0:
        found = _by_flattening(said, wanted, work)
    if found == 0:
        found = _by_words(said, wanted, work)
    if found == 0:
        found = _by_clauses(said, wanted, work)
    if found == 0:
        found = _by_exchanges(said, wanted, work)
    if found == 0:
        shorten(said, False, 0, work)
        found = _ONE << ALL_CLAUSES if _leads(said, wanted, work) else _ZERO
    if found == 0:
        shorten(said, True, 0, work)
        found = _ONE << ALL_BUT_NOUN if _leads(said, wanted, work) else _ZERO
    return found


@jit
def _leads(said, wanted, work):
    """Whether the command, as it now stands, picks out what is wanted, be it among others."""
    return referents_now(said.shape[0], work) & wanted != _NONE


@jit
def _by_sizes_among_all(said, wanted, work):
    now = work[NOW]
    as_said(said, work)
    for m in range(said.shape[0]):
        if said[m, SIZE] >= 0:
            now[m, SIZE] = said[m, SIZE] + AMONG_ALL
            if _leads(said, wanted, work):
                return _ONE << SIZE_AMONG_ALL
            now[m, SIZE] = said[m, SIZE]
    return _ZERO


@jit
def _by_flattening(said, wanted, work):
    now = work[NOW]
    as_said(said, work)
    for m in range(said.shape[0]):
        if said[m, PARENT] > 0:
            now[m, PARENT] = 0
            if _leads(said, wanted, work):
                return _ONE << FLATTENED
            now[m, PARENT] = said[m, PARENT]
    return _ZERO


@jit
def _by_words(said, wanted, work):
    now = work[NOW]
    found = _ZERO
    as_said(said, work)
    for m in range(said.shape[0]):
        for slot in range(3):
            if said[m, slot] < 0:
                continue
            for value in range(NOTHING, 2 if slot == SIZE else VALUES):
                now[m, slot] = value
                if value != said[m, slot] and _leads(said, wanted, work):
                    found |= _ONE << (WORD + slot + (3 if m > 0 else 0))
                    break
            now[m, slot] = said[m, slot]
    return found


@jit
def _by_clauses(said, wanted, work):
    found = _ZERO
    for m in range(1, said.shape[0]):
        as_said(said, work)
        drop_clause(m, said.shape[0], work[NOW])
        if _leads(said, wanted, work):
            found |= _ONE << (CLAUSE + np.int64(said[m, RELATION]))
    return found


@jit
def _by_exchanges(said, wanted, work):
    now = work[NOW]
    found = _ZERO
    as_said(said, work)
    for one in range(said.shape[0]):
        for other in range(one + 1, said.shape[0]):
            for slot in (SHAPE, COLOR, SIZE, RELATION):
                if said[one, slot] == said[other, slot] or (slot == RELATION and one == 0):
                    continue
                now[one, slot], now[other, slot] = said[other, slot], said[one, slot]
                if _leads(said, wanted, work):
                    found |= _ONE << (RELATIONS_EXCHANGED if slot == RELATION else WORDS_EXCHANGED)
                now[one, slot], now[other, slot] = said[one, slot], said[other, slot]
            if one > 0:
                for slot in (SHAPE, SIZE):
                    now[one, slot], now[other, slot] = said[other, slot], said[one, slot]
                if _leads(said, wanted, work):
                    found |= _ONE << WORDS_EXCHANGED
                for slot in (SHAPE, SIZE):
                    now[one, slot], now[other, slot] = said[one, slot], said[other, slot]
    return found
