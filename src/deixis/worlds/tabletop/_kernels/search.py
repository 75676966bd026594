"""Tables on which an expression picks out one solid, and every misreading that is demanded leads astray.

The search sets solids on the tables first, which settles all relations for the viewer. Then it acts the expression
out: one solid becomes the target, others what it is related to. From there it changes the values of solids step by
step. In a step it takes a demand that is still open and acts out the misreading with other solids, or it gives a solid
another value; the step is taken back if the target is lost or fewer demands are met. Where this comes to no end, other
places are tried.

The program of the expression comes first. Each further program is a misreading: it belongs to a group, of which one
must be met, and is met when it picks out anything but the target alone or, if strict, when it picks out a wrong solid.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import below, bit, count, jit, lowest
from deixis.worlds.tabletop._kernels.layout import place_solids, relate
from deixis.worlds.tabletop._kernels.sets import SPATIAL, STACK, pick_out, table_with


PROGRAM, PARENT, RELATION, WORDS, AVOIDED = 0, 1, 2, 3, 7  # columns of a mention; four each of the last two
GROUP, IS_STRICT = 0, 1  # columns of a demand
SIZE, COLOR, MATERIAL, SHAPE = range(4)
PLACINGS = 100  # tries at setting all tables
OPENINGS = 60  # targets tried with one setting
REUSED = 8  # chances in 16 that a solid plays a mention that has its values already
GUIDED = 12  # of 16 steps act out an open demand; the others change one value
LOST = -(1 << 20)
_NONE = np.uint64(0)


@jit
def search_tables(
    rng,
    sizes,
    starts,
    counts,
    frames,
    limits,
    halves,
    radii,
    allowed,
    rows,
    row_start,
    demands,
    mentions,
    rounds,
    steps,
    places,
    values,
    related,
    tables,
    is_plain,
):
    """Search for tables, and return the target and the number of steps taken.

    The target is -1 if none were found.

    Shapes:
        sizes: int64 [solid]. starts: int64 [table + 1], the first solid of each.
        counts: int64 [attribute], how many values each has. allowed: bool [color, shape], the pairs that there may be.
        frames: int64 [table, 7]. limits: int64 [8]. halves, radii: int64 [size].
        rows: int16 [row, 3]. row_start: int64 [program + 1]. demands: int64 [program, 2].
        mentions: int64 [mention, 11], those of one program together, the root first.
        places: int64 [solid, 5]. values: int64 [solid, attribute]. related: uint64 [relation, solid].
        tables: uint64 [table]. These four are written.
        is_plain: take the first setting with values at random, and any solid as target.
    """
    solids, groups = len(sizes), 0
    for p in range(1, len(demands)):
        groups = max(groups, demands[p, GROUP] + 1)
    held = np.zeros((4, 8), np.uint64)
    stack = np.zeros(STACK, np.uint64)
    before = np.zeros((solids, 4), np.int64)
    met = np.zeros(groups + 1, np.bool_)
    chosen = np.zeros(16, np.int64)
    taken = 0
    for _ in range(rounds):
        if not _set_tables(rng, sizes, starts, frames, limits, halves, radii, places, related, tables):
            return -1, taken
        target = -1
        for _ in range(OPENINGS):
            _draw_values(rng, sizes, counts, allowed, values)
            k = below(rng, solids)
            if act_out(rng, 0, k, -1, counts, mentions, values, related, tables, held, chosen):
                target = k
                break
        if is_plain:
            return target, taken
        if target < 0:
            continue
        score = _judge(rows, row_start, demands, target, groups, held, values, related, places, tables, stack, met)
        for _ in range(steps):
            taken += 1
            if score == groups:
                break
            before[:] = values
            _step(
                rng, score, target, groups, rows, row_start, demands, mentions, counts,
                held, values, related, places, tables, stack, met, chosen,
            )  # fmt: skip
            now = LOST
            if _are_allowed(values, allowed):
                now = _judge(
                    rows, row_start, demands, target, groups, held, values, related, places, tables, stack, met
                )
            if now < score:
                values[:] = before
                _judge(rows, row_start, demands, target, groups, held, values, related, places, tables, stack, met)
            else:
                score = now
        if score == groups:
            return target, taken
    return -1, taken


@jit
def _set_tables(rng, sizes, starts, frames, limits, halves, radii, places, related, tables):
    """Set the solids of every table, and note their relations; whether all found a place."""
    for t in range(len(tables)):
        tables[t] = _NONE
        for k in range(starts[t], starts[t + 1]):
            tables[t] |= bit(k)
        is_set = False
        for _ in range(PLACINGS):
            if place_solids(rng, sizes, halves, radii, frames[t], limits, places, starts[t], starts[t + 1]):
                is_set = True
                break
        if not is_set:
            return False
        relate(places, sizes, radii, limits, starts[t], starts[t + 1], related)
    return True


@jit
def _draw_values(rng, sizes, counts, allowed, values):
    """Give every solid values at random that go together."""
    for k in range(len(sizes)):
        values[k, SIZE] = sizes[k]
        values[k, MATERIAL] = below(rng, counts[MATERIAL])
        while True:
            values[k, COLOR], values[k, SHAPE] = below(rng, counts[COLOR]), below(rng, counts[SHAPE])
            if allowed[values[k, COLOR], values[k, SHAPE]]:
                break


@jit
def _are_allowed(values, allowed):
    """Whether all solids have a colour and a shape that go together."""
    for k in range(len(values)):
        if not allowed[values[k, COLOR], values[k, SHAPE]]:
            return False
    return True


@jit
def hold(values, held):
    """Write down which solids have each value.

    Shapes:
        values: int64 [solid, attribute]. held: uint64 [attribute, value], changed in place.
    """
    held[:] = _NONE
    for k in range(len(values)):
        for a in range(4):
            held[a, values[k, a]] |= bit(k)


@jit
def _judge(rows, row_start, demands, target, groups, held, values, related, places, tables, stack, met):
    """Return how many groups of demands are met, or less than 0 while the expression does not pick out the target."""
    hold(values, held)
    found = pick_out(rows, row_start[0], row_start[1], held, values, related, places, tables, stack)
    met[:] = False
    if found != bit(target):
        return -count(found & ~bit(target)) - (0 if found & bit(target) else 100)
    for p in range(1, len(demands)):
        if not met[demands[p, GROUP]]:
            found = pick_out(rows, row_start[p], row_start[p + 1], held, values, related, places, tables, stack)
            if demands[p, IS_STRICT]:
                met[demands[p, GROUP]] = (found & ~bit(target)) != _NONE
            else:
                met[demands[p, GROUP]] = found != bit(target)
    number = 0
    for g in range(groups):
        number += met[g]
    return number


@jit
def _step(
    rng,
    score,
    target,
    groups,
    rows,
    row_start,
    demands,
    mentions,
    counts,
    held,
    values,
    related,
    places,
    tables,
    stack,
    met,
    chosen,
):
    """Change values: act out an open demand, take a wrong solid out, or change one value at random."""
    if score >= 0 and below(rng, 16) < GUIDED:
        p = _open_demand(rng, demands, groups, met)
        if act_out(rng, p, -1, target, counts, mentions, values, related, tables, held, chosen):
            return
    if score < 0:
        hold(values, held)
        found = pick_out(rows, row_start[0], row_start[1], held, values, related, places, tables, stack)
        wrong = found & ~bit(target)
        if wrong != _NONE and below(rng, 4):
            _change(rng, _one_of(rng, wrong), counts, values)
            return
        if not found & bit(target) and below(rng, 2):
            act_out(rng, 0, target, -1, counts, mentions, values, related, tables, held, chosen)
            return
    _change(rng, below(rng, len(values)), counts, values)


@jit
def _open_demand(rng, demands, groups, met):
    """Return a program of a group that is not met yet."""
    left = 0
    for g in range(groups):
        left += not met[g]
    skip, group = below(rng, left), 0
    for g in range(groups):
        if not met[g]:
            if skip == 0:
                group = g
                break
            skip -= 1
    found, seen = 1, 0
    for p in range(1, len(demands)):
        if demands[p, GROUP] == group:
            seen += 1
            if below(rng, seen) == 0:
                found = p
    return found


@jit
def _change(rng, k, counts, values):
    """Give a solid another colour, material or shape."""
    a = 1 + below(rng, 3)
    values[k, a] = (values[k, a] + 1 + below(rng, counts[a] - 1)) % counts[a]


@jit
def _one_of(rng, some):
    """Return a solid of a set that is not empty, at random."""
    skip = below(rng, count(some))
    while skip > 0:
        some &= ~bit(lowest(some))
        skip -= 1
    return lowest(some)


@jit
def act_out(rng, p, root, target, counts, mentions, values, related, tables, held, chosen):
    """Give solids the values that the mentions of a program ask for, and return whether there are such solids.

    Args as in `search_tables`; the first mention is played by `root`, or by any solid but the target if that is -1.
    """
    hold(values, held)
    everything = _NONE
    for t in range(len(tables)):
        everything |= tables[t]
    used, first = _NONE, -1
    for m in range(len(mentions)):
        if mentions[m, PROGRAM] != p:
            if first >= 0:
                break
            continue
        if first < 0:
            first = m
            fitting = everything if root < 0 else bit(root)
            if root < 0 and target >= 0:
                fitting &= ~bit(target)
        else:
            above, relation = chosen[mentions[m, PARENT]], mentions[m, RELATION]
            if relation < SPATIAL:
                fitting = related[relation, above]
            else:
                fitting = table_with(above, tables)
                if relation == SPATIAL:
                    fitting &= held[SIZE, values[above, SIZE]]
        if mentions[m, WORDS] >= 0:
            fitting &= held[SIZE, mentions[m, WORDS]]
        elif mentions[m, AVOIDED] >= 0:
            fitting &= ~held[SIZE, mentions[m, AVOIDED]]
        fitting &= ~used
        if fitting == _NONE:
            return False
        ready = fitting
        for a in range(1, 4):
            if mentions[m, WORDS + a] >= 0:
                ready &= held[a, mentions[m, WORDS + a]]
            elif mentions[m, AVOIDED + a] >= 0:
                ready &= ~held[a, mentions[m, AVOIDED + a]]
        k = _one_of(rng, ready if m > first and ready != _NONE and below(rng, 16) < REUSED else fitting)
        used |= bit(k)
        chosen[m - first] = k
        if first < m and mentions[m, RELATION] > SPATIAL:
            a = mentions[m, RELATION] - SPATIAL
            values[k, a] = values[chosen[mentions[m, PARENT]], a]
        for a in range(1, 4):
            if mentions[m, WORDS + a] >= 0:
                values[k, a] = mentions[m, WORDS + a]
            elif values[k, a] == mentions[m, AVOIDED + a]:
                values[k, a] = (values[k, a] + 1 + below(rng, counts[a] - 1)) % counts[a]
    return first >= 0
