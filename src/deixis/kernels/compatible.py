"""One try at a world as the released generator made it, faults included (specification sections 4.1 to 4.3).

Bounds: where a size word is used, its class may have two sizes only. `low` and `high` are int64 [5, 4]: rows 0 to 3 bound a color with a shape, row 4 bounds a shape of any
color; 0 where there is no bound.
"""

from __future__ import annotations

import numpy as np

from deixis.kernels.bitsets import below, bit, jit
from deixis.kernels.board import (
    BOX,
    COLOR,
    PARENT,
    RELATION,
    SHAPE,
    SIZE_WORD,
    find_cell,
    find_place,
    picked,
    put,
    wipe,
)


__all__ = ["try_compatible"]

SAME_SIZE, SAME_COLOR, SAME_SHAPE = 3, 4, 5
ANY_COLOR = 4
MENTIONED, RELATION_SET, ATTRIBUTE_SET, ISOMORPHISM_SET, SIZE_SET, RANDOM = 1, 2, 3, 4, 5, 6
ROLE = 5  # a role is its kind, shifted by so many bits, and the number of the mention or set
OK, NO_ROOM, AMBIGUOUS_RELATION, AMBIGUOUS_ATTRIBUTE, AMBIGUOUS_ISOMORPHISM, AMBIGUOUS_RANDOM, NO_REFERENT = range(7)
_NONE = np.uint64(0)


@jit
def _draw_sizes_colors_shapes(said, alive, spec, rng):
    """Draw what the words leave open; spec is int64 [mention, 3] with shape, color, size."""
    for k in range(said.shape[0]):
        if (alive >> k) & 1:
            word = said[k, SIZE_WORD]
            spec[k, 2] = 1 + below(rng, 4) if word < 0 else 1 + word + below(rng, 3)
            spec[k, 1] = said[k, COLOR] if said[k, COLOR] >= 0 else below(rng, 4)
            spec[k, 0] = said[k, SHAPE] if said[k, SHAPE] >= 0 else below(rng, 3)


@jit
def _apply_bounds(said, alive, spec, low, high):
    """Objects of a bounded class take its lower size when called small, else its upper one."""
    for k in range(said.shape[0]):
        if (alive >> k) & 1:
            shape, color = spec[k, 0], spec[k, 1]
            row = ANY_COLOR if low[ANY_COLOR, shape] > 0 else color
            if low[row, shape] > 0:
                spec[k, 2] = low[row, shape] if said[k, SIZE_WORD] == 0 else high[row, shape]


@jit
def _equal_sizes(said, alive, spec):
    """A head of 'same size' takes the size of what it is related to."""
    for k in range(1, said.shape[0]):
        if (alive >> k) & 1 and said[k, RELATION] == SAME_SIZE:
            spec[said[k, PARENT], 2] = spec[k, 2]


@jit
def _set_bounds(said, spec, low, high, rng):
    low[:, :] = 0
    high[:, :] = 0
    for k in range(said.shape[0]):
        small = 1 + below(rng, 3)
        big = small + 1 + below(rng, 4 - small)
        if said[k, SIZE_WORD] < 0:
            continue
        shape = spec[k, 0]
        if said[k, COLOR] >= 0:
            bounded = low[ANY_COLOR, shape] > 0
            low[spec[k, 1], shape] = low[ANY_COLOR, shape] if bounded else small
            high[spec[k, 1], shape] = high[ANY_COLOR, shape] if bounded else big
        else:
            for row in range(5):
                if row == ANY_COLOR or low[row, shape] > 0:
                    low[row, shape], high[row, shape] = small, big


@jit
def _place_all(board, said, alive, spec, where, kind, number, rng):
    """Put the mentions on the board in order; how many found a place before the first that did not."""
    placed = 0
    for k in range(said.shape[0]):
        if (alive >> k) & 1:
            parent = said[k, PARENT]
            anchor = where[parent] if parent >= 0 else -1
            cell = -1
            if board.n < board.cap:
                cell = find_place(board, spec[k, 0], spec[k, 2], said[k, RELATION], anchor, True, rng)
            if cell < 0:
                return placed
            role = kind << ROLE | (k if kind == MENTIONED else number)
            where[k] = put(board, spec[k, 0], spec[k, 1], spec[k, 2], cell, role if kind != MENTIONED or k else 0)
            placed += 1
    return placed


@jit
def _place_set(board, said, alive, forced, spec, where, low, high, kind, number, rng):
    """Place a distractor set: a copy of some mentions, with changed words or without one of the clauses."""
    _draw_sizes_colors_shapes(said, alive, spec, rng)
    for k in range(said.shape[0]):
        if forced[k] > 0:
            spec[k, 2] = forced[k]
    _apply_bounds(said, alive, spec, low, high)
    _equal_sizes(said, alive, spec)
    _place_all(board, said, alive, spec, where, kind, number, rng)


@jit
def _place_counterpart(board, said, mention, truth, low, high, number, rng):
    """An object of the other size for a phrase with a size word, unless the world already has one."""
    word = said[mention, SIZE_WORD]
    shape, color = truth[mention, 0], truth[mention, 1]
    row = color if said[mention, COLOR] >= 0 else ANY_COLOR
    size = high[row, shape] if word == 0 else low[row, shape]
    if said[mention, SHAPE] >= 0:
        held = board.sets[shape] & board.sets[7 + size]
        if said[mention, COLOR] >= 0:
            held &= board.sets[4 + color]
        if held != _NONE:
            return
    shape = said[mention, SHAPE] if said[mention, SHAPE] >= 0 else below(rng, 3)
    color = said[mention, COLOR] if said[mention, COLOR] >= 0 else below(rng, 4)
    row = ANY_COLOR if low[ANY_COLOR, shape] > 0 else color
    if low[row, shape] > 0:
        size = low[row, shape] if word == 1 else high[row, shape]
    if board.n >= board.cap:
        return
    cell = find_place(board, shape, size, -1, -1, True, rng)
    if cell >= 0:
        put(board, shape, color, size, cell, SIZE_SET << ROLE | number)


@jit
def _relation_sets(board, said, truth, spec, where, low, high, forced, codes, rng):
    """Copies without one clause each; how many sets there are."""
    mentions = said.shape[0]
    everyone = (1 << mentions) - 1
    forced[:] = 0
    if mentions == 1:
        return 0
    if mentions == 2:
        forced[0] = truth[0, 2]
        codes[0] = RELATION_SET << 12 | 1 << 8
        _place_set(board, said, 1, forced, spec, where, low, high, RELATION_SET, 0, rng)
        return 1
    if said[2, PARENT] == 1:  # a chain: the inner clause is dropped
        codes[0] = RELATION_SET << 12 | 2 << 8
        _place_set(board, said, 3, forced, spec, where, low, high, RELATION_SET, 0, rng)
        return 1
    for child in range(1, mentions):
        codes[child - 1] = RELATION_SET << 12 | child << 8
        alive = everyone & ~(1 << child)
        _place_set(board, said, alive, forced, spec, where, low, high, RELATION_SET, child - 1, rng)
    return mentions - 1


@jit
def _changed_phrase(said, truth, changed, mention, slot, rng):
    """Copy the words and change one slot of one phrase; the new value."""
    changed[:, :] = said
    if slot == SIZE_WORD:
        changed[mention, SIZE_WORD] = 1 - said[mention, SIZE_WORD]
        return changed[mention, SIZE_WORD]
    changed[mention, SIZE_WORD] = -1
    if slot == COLOR:
        changed[mention, COLOR] = (said[mention, COLOR] + 1 + below(rng, 3)) % 4
        return changed[mention, COLOR]
    changed[mention, COLOR] = truth[mention, 1]
    changed[mention, SHAPE] = (said[mention, SHAPE] + 1 + below(rng, 2)) % 3
    return changed[mention, SHAPE]


@jit
def _attribute_set(board, said, truth, changed, spec, where, low, high, forced, codes, sets, full, rng):
    """A copy with one word changed, and the counterparts of size words; how many sets there are afterwards."""
    mentions = said.shape[0]
    boxes = 0
    for i in range(board.n):
        boxes += board.objects[i, 0] == BOX
    skipped = -1
    if full and boxes < 2:
        open_ = 0
        chosen = -1
        for k in range(mentions):
            if 0 <= said[k, SHAPE] < BOX:
                open_ += 1
                if below(rng, open_) == 0:
                    chosen = k
        if chosen < 0:
            return sets
        slots = 0
        slot = -1
        for s in (SHAPE, COLOR, SIZE_WORD):
            if said[chosen, s] >= 0:
                slots += 1
                if below(rng, slots) == 0:
                    slot = s
        value = _changed_phrase(said, truth, changed, chosen, slot, rng)
        forced[:] = 0
        if slot == SIZE_WORD:
            for k in range(mentions):
                forced[k] = truth[k, 2]
            shape, color = truth[chosen, 0], truth[chosen, 1]
            row = ANY_COLOR if low[ANY_COLOR, shape] > 0 else color
            forced[chosen] = low[row, shape] if value == 0 else high[row, shape]
        codes[sets] = ATTRIBUTE_SET << 12 | chosen << 8 | slot << 4 | value
        everyone = (1 << mentions) - 1
        _place_set(board, changed, everyone, forced, spec, where, low, high, ATTRIBUTE_SET, sets, rng)
        sets += 1
        skipped = chosen
    for k in range(mentions):
        if said[k, SIZE_WORD] >= 0 and (k != skipped or codes[sets - 1] >> 4 & 15 != SIZE_WORD):
            before = board.n
            _place_counterpart(board, said, k, truth, low, high, sets, rng)
            if board.n > before:
                codes[sets] = SIZE_SET << 12 | k << 8
                sets += 1
    return sets


@jit
def _isomorphism_set(board, said, changed, spec, where, low, high, forced, codes, sets, rng):
    """A copy with words exchanged between two phrases; how many sets there are afterwards."""
    mentions = said.shape[0]
    one, other = -1, -1
    for k in range(1, mentions):
        if said[k, SHAPE] != BOX:
            if one < 0:
                one = k
            elif other < 0:
                other = k
    if other < 0:
        return sets
    colored = said[one, COLOR] >= 0 or said[other, COLOR] >= 0
    shaped = said[one, SHAPE] >= 0 or said[other, SHAPE] >= 0
    by_color = colored if colored != shaped else below(rng, 2) == 0
    changed[:, :] = said
    if by_color:
        changed[one, COLOR], changed[other, COLOR] = said[other, COLOR], said[one, COLOR]
    else:
        for slot in (SHAPE, SIZE_WORD):
            changed[one, slot], changed[other, slot] = said[other, slot], said[one, slot]
    forced[:] = 0
    codes[sets] = ISOMORPHISM_SET << 12 | one << 8 | other << 4 | (0 if by_color else 1)
    everyone = (1 << mentions) - 1
    _place_set(board, changed, everyone, forced, spec, where, low, high, ISOMORPHISM_SET, sets, rng)
    return sets + 1


@jit
def _random_fill(board, said, truth, low, high, fill, rng):
    """Objects of no mentioned color and shape, until the board holds `fill`."""
    shapes = 0
    pairs = 0
    for k in range(said.shape[0]):
        shapes |= 1 << truth[k, 0]
        pairs |= 1 << (4 * truth[k, 1] + truth[k, 0])
        if said[k, SHAPE] < 0 and said[k, COLOR] >= 0:
            pairs |= 15 << (4 * truth[k, 1])
    entries = 0
    for i in range(16):
        entries += (pairs >> i) & 1
    for i in range(4):
        entries += (shapes >> i) & 1
    if pairs & 0x7777 == 0x7777 or (entries < 3 and shapes & 7 == 7):
        return
    while board.n < min(fill, board.cap):
        shape, color, size = below(rng, 3), below(rng, 4), 1 + below(rng, 4)
        if (pairs >> (4 * color + shape)) & 1 or (entries < 3 and (shapes >> shape) & 1):
            continue
        row = ANY_COLOR if low[ANY_COLOR, shape] > 0 else color
        word = 0
        if low[row, shape] > 0:
            word = 1 + below(rng, 2)
            size = low[row, shape] if word == 1 else high[row, shape]
        cell = find_cell(board, rng)
        if cell < 0:
            return
        put(board, shape, color, size, cell, RANDOM << ROLE | word)


@jit
def try_compatible(board, said, fill, kinds, codes, rng):
    """One try: (outcome, number of distractor sets). `kinds` has bits 1 relation, 2 attribute, 4 isomorphism, 8 random."""
    mentions = said.shape[0]
    everyone = (1 << mentions) - 1
    truth, spec, where, forced = board.truth, board.spec, board.where, board.forced
    low, high, changed = board.low, board.high, board.words[:mentions]
    wipe(board)
    _draw_sizes_colors_shapes(said, everyone, truth, rng)
    for k in range(1, mentions):
        parent, relation = said[k, PARENT], said[k, RELATION]
        if relation >= SAME_SIZE:
            slot = 2 if relation == SAME_SIZE else 1 if relation == SAME_COLOR else 0
            truth[parent, slot] = truth[k, slot]
    _set_bounds(said, truth, low, high, rng)
    _apply_bounds(said, everyone, truth, low, high)
    _equal_sizes(said, everyone, truth)
    if _place_all(board, said, everyone, truth, where, MENTIONED, 0, rng) < mentions:
        return NO_ROOM, 0
    sets = 0
    others = ~bit(0)
    if kinds & 1:
        sets = _relation_sets(board, said, truth, spec, where, low, high, forced, codes, rng)
        if sets and picked(board, said, everyone, False) & others:
            return AMBIGUOUS_RELATION, sets
    sets = _attribute_set(board, said, truth, changed, spec, where, low, high, forced, codes, sets, kinds & 2 != 0, rng)
    if picked(board, said, everyone, False) & others:
        return AMBIGUOUS_ATTRIBUTE, sets
    if kinds & 4 and mentions > 2:
        before = sets
        sets = _isomorphism_set(board, said, changed, spec, where, low, high, forced, codes, sets, rng)
        if sets > before and picked(board, said, everyone, False) & others:
            return AMBIGUOUS_ISOMORPHISM, sets
    if kinds & 8:
        _random_fill(board, said, truth, low, high, fill, rng)
    found = picked(board, said, everyone, False)
    if found & others:
        return AMBIGUOUS_RANDOM, sets
    return (OK if found else NO_REFERENT), sets
