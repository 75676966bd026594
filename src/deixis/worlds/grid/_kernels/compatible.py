"""One try at a world as the released generator made it, faults included (specification sections 4.1 to 4.3).

Bounds: where a size word is used, its class may have two sizes only. `low` and `high` are int64 [5, 4]: rows 0 to 3
bound a color with a shape, row 4 bounds a shape of any color; 0 where there is no bound.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import below, bit, jit
from deixis.worlds.grid._kernels.board import (
    AMBIGUOUS_ATTRIBUTE,
    AMBIGUOUS_ISOMORPHISM,
    AMBIGUOUS_RANDOM,
    AMBIGUOUS_RELATION,
    ATTRIBUTE_SET,
    COLOR,
    ISOMORPHISM_SET,
    MENTIONED,
    NO_REFERENT,
    NO_ROOM,
    OK,
    PARENT,
    RANDOM,
    RELATION,
    RELATION_SET,
    ROLE,
    SHAPE,
    SIZE,
    SIZE_SET,
    SIZE_WORD,
    find_cell,
    find_place,
    place_all,
    put,
    referents,
    start_misreading,
    wipe,
)
from deixis.worlds.grid._kernels.grid_sets import BOX, INSIDE, SAME_COLOR, SAME_SIZE, SIZE_0


ANY_COLOR = 4
_NONE = np.uint64(0)


@jit
def try_compatible(board, fill, kinds):
    """One try at a world for the command on the board: how it ended.

    `kinds` has bits 1 relation, 2 attribute, 4 isomorphism, 8 random, and 16 if relation distractors of two clauses and
    more have sizes of their own.
    """
    said, everyone, others = board.said, board.everyone, ~bit(0)
    wipe(board)
    if not _place_mentioned(board):
        return NO_ROOM
    if kinds & 1 and _relation_sets(board, kinds & 16 != 0) and referents(board, said, everyone, False) & others:
        return AMBIGUOUS_RELATION
    _attribute_set(board, kinds & 2 != 0)
    if referents(board, said, everyone, False) & others:
        return AMBIGUOUS_ATTRIBUTE
    if kinds & 4 and _isomorphism_set(board) and referents(board, said, everyone, False) & others:
        return AMBIGUOUS_ISOMORPHISM
    if kinds & 8:
        _random_fill(board, fill)
    found = referents(board, said, everyone, False)
    if found & others:
        return AMBIGUOUS_RANDOM
    return OK if found else NO_REFERENT


@jit
def _place_mentioned(board):
    """Draw what is mentioned and put it on the board; whether all of it found a place."""
    said, truth = board.said, board.truth
    _draw_sizes_colors_shapes(board, said, board.everyone, truth)
    for k in range(1, board.mentions):
        parent, relation = said[k, PARENT], said[k, RELATION]
        if relation >= SAME_SIZE:
            slot = SIZE if relation == SAME_SIZE else COLOR if relation == SAME_COLOR else SHAPE
            truth[parent, slot] = truth[k, slot]
    _set_bounds(board)
    _apply_bounds(board, said, board.everyone, truth)
    _equal_sizes(board, said, board.everyone, truth)
    return place_all(board, said, board.everyone, truth, MENTIONED, True)


@jit
def _draw_sizes_colors_shapes(board, words, alive, spec):
    """Draw what the words leave open; spec is int64 [mention, 3] with shape, color, size."""
    for k in range(board.mentions):
        if (alive >> k) & 1:
            word = words[k, SIZE_WORD]
            spec[k, SIZE] = 1 + below(board.rng, 4) if word < 0 else 1 + word + below(board.rng, 3)
            spec[k, COLOR] = words[k, COLOR] if words[k, COLOR] >= 0 else below(board.rng, 4)
            spec[k, SHAPE] = words[k, SHAPE] if words[k, SHAPE] >= 0 else below(board.rng, 3)


@jit
def _set_bounds(board):
    """Draw two sizes for every phrase with a size word, for its colour and shape or for its shape in any colour."""
    said, truth, low, high = board.said, board.truth, board.low, board.high
    for row in range(5):
        for shape in range(4):
            low[row, shape] = high[row, shape] = 0
    for k in range(board.mentions):
        small = 1 + below(board.rng, 3)
        big = small + 1 + below(board.rng, 4 - small)
        if said[k, SIZE_WORD] < 0:
            continue
        shape = truth[k, SHAPE]
        if said[k, COLOR] >= 0:
            bounded = low[ANY_COLOR, shape] > 0
            low[truth[k, COLOR], shape] = low[ANY_COLOR, shape] if bounded else small
            high[truth[k, COLOR], shape] = high[ANY_COLOR, shape] if bounded else big
        else:
            for row in range(5):
                if row == ANY_COLOR or low[row, shape] > 0:
                    low[row, shape], high[row, shape] = small, big


@jit
def _bound(board, color, shape):
    """The row of `low` and `high` that may bound an object; it does so where `low` is not 0."""
    return ANY_COLOR if board.low[ANY_COLOR, shape] > 0 else color


@jit
def _apply_bounds(board, words, alive, spec):
    """Objects of a bounded class take its lower size when called small, else its upper one."""
    low, high = board.low, board.high
    for k in range(board.mentions):
        if (alive >> k) & 1:
            shape = spec[k, SHAPE]
            row = _bound(board, spec[k, COLOR], shape)
            if low[row, shape] > 0:
                spec[k, SIZE] = low[row, shape] if words[k, SIZE_WORD] == 0 else high[row, shape]


@jit
def _equal_sizes(board, words, alive, spec):
    """A head of 'same size' takes the size of what it is related to."""
    for k in range(1, board.mentions):
        if (alive >> k) & 1 and words[k, RELATION] == SAME_SIZE:
            spec[words[k, PARENT], SIZE] = spec[k, SIZE]


@jit
def _force_no_sizes(board):
    for k in range(board.mentions):
        board.forced[k] = 0


@jit
def _place_set(board, words, alive, kind, code):
    """Place a distractor set: a copy of some mentions, with changed words or without one of the clauses."""
    board.codes[board.made] = kind << 12 | code
    _draw_sizes_colors_shapes(board, words, alive, board.spec)
    for k in range(board.mentions):
        if board.forced[k] > 0:
            board.spec[k, SIZE] = board.forced[k]
    _apply_bounds(board, words, alive, board.spec)
    _equal_sizes(board, words, alive, board.spec)
    place_all(board, words, alive, board.spec, kind, True)
    board.made += 1


@jit
def _says_same_size_and_inside(board):
    """Whether the command belongs to B2."""
    said = 0
    for k in range(1, board.mentions):
        relation = board.said[k, RELATION]
        said |= (relation == SAME_SIZE) | (relation == INSIDE) << 1
    return said == 3


@jit
def _relation_sets(board, free):
    """Copies without one clause each; how many sets there are.

    In the released worlds of one, two and three clauses such copies have the sizes of what they copy (307 of 307 in the
    public sample of two clauses, 107 of 107 of three), although the published code leaves them free: it was changed
    when B1 and C2 were added. That rules out nearly all commands that say same size; those of B2 are excepted, since
    the released B2 consists of them.
    """
    _force_no_sizes(board)
    is_chain = board.mentions > 2 and board.said[2, PARENT] == 1
    is_b2 = board.mentions == 3 and _says_same_size_and_inside(board)
    if board.mentions == 2 or not (free or is_chain or is_b2):
        for k in range(board.mentions):
            board.forced[k] = board.truth[k, SIZE]
    if is_chain:  # the inner clause is dropped
        _place_set(board, board.said, 3, RELATION_SET, 2 << 8)
        return 1
    for child in range(1, board.mentions):
        _place_set(board, board.said, board.everyone & ~(1 << child), RELATION_SET, child << 8)
    return board.mentions - 1


@jit
def _attribute_set(board, full):
    """A copy with one word changed, unless there are boxes enough, and the counterparts of size words."""
    said = board.said
    boxes = 0
    for i in range(board.n):
        boxes += board.objects[i, 0] == BOX
    mention, slot = -1, -1
    if full and boxes < 2:
        mention = _draw_phrase(board)
        if mention < 0:
            return
        slot = _draw_slot(board, mention)
        value = _change_word(board, mention, slot)
        _place_set(board, board.misread, board.everyone, ATTRIBUTE_SET, mention << 8 | slot << 4 | value)
    for k in range(board.mentions):
        if said[k, SIZE_WORD] >= 0 and (k != mention or slot != SIZE_WORD):
            _place_counterpart(board, k)


@jit
def _draw_phrase(board):
    """A random mention with a noun other than 'object' and 'box'; -1 if there is none."""
    seen, chosen = 0, -1
    for k in range(board.mentions):
        if 0 <= board.said[k, SHAPE] < BOX:
            seen += 1
            if below(board.rng, seen) == 0:
                chosen = k
    return chosen


@jit
def _draw_slot(board, mention):
    """A random word of a mention: its noun, colour or size."""
    seen, chosen = 0, -1
    for slot in range(3):
        if board.said[mention, slot] >= 0:
            seen += 1
            if below(board.rng, seen) == 0:
                chosen = slot
    return chosen


@jit
def _change_word(board, mention, slot):
    """Change one word of one phrase in `misread`, and note the sizes that its objects must have; the new word."""
    said, truth, misread = board.said, board.truth, board.misread
    start_misreading(board)
    _force_no_sizes(board)
    if slot == SIZE_WORD:
        misread[mention, SIZE_WORD] = 1 - said[mention, SIZE_WORD]
        for k in range(board.mentions):
            board.forced[k] = truth[k, SIZE]
        shape = truth[mention, SHAPE]
        row = _bound(board, truth[mention, COLOR], shape)
        board.forced[mention] = board.low[row, shape] if misread[mention, SIZE_WORD] == 0 else board.high[row, shape]
        return misread[mention, SIZE_WORD]
    misread[mention, SIZE_WORD] = -1
    if slot == COLOR:
        misread[mention, COLOR] = (said[mention, COLOR] + 1 + below(board.rng, 3)) % 4
        return misread[mention, COLOR]
    misread[mention, COLOR] = truth[mention, COLOR]
    misread[mention, SHAPE] = (said[mention, SHAPE] + 1 + below(board.rng, 2)) % 3
    return misread[mention, SHAPE]


@jit
def _place_counterpart(board, mention):
    """An object of the other size for a phrase with a size word, unless the world already has one."""
    low, high = board.low, board.high
    said_shape, said_color, word = (
        board.said[mention, SHAPE],
        board.said[mention, COLOR],
        board.said[mention, SIZE_WORD],
    )
    shape, color = board.truth[mention, SHAPE], board.truth[mention, COLOR]
    row = color if said_color >= 0 else ANY_COLOR
    size = high[row, shape] if word == 0 else low[row, shape]
    if said_shape >= 0:
        held = board.sets[shape] & board.sets[SIZE_0 + size - 1]
        if said_color >= 0:
            held &= board.sets[4 + color]
        if held != _NONE:
            return
    shape = said_shape if said_shape >= 0 else below(board.rng, 3)
    color = said_color if said_color >= 0 else below(board.rng, 4)
    row = _bound(board, color, shape)
    if low[row, shape] > 0:
        size = low[row, shape] if word == 1 else high[row, shape]
    if board.n >= board.cap:
        return
    cell = find_place(board, shape, size, -1, -1, True)
    if cell >= 0:
        put(board, shape, color, size, cell, SIZE_SET << ROLE | board.made)
        board.codes[board.made] = SIZE_SET << 12 | mention << 8
        board.made += 1


@jit
def _isomorphism_set(board):
    """A copy with words exchanged between two phrases; whether there are two to exchange."""
    said, misread = board.said, board.misread
    one, other = -1, -1
    for k in range(1, board.mentions):
        if said[k, SHAPE] != BOX:
            if one < 0:
                one = k
            elif other < 0:
                other = k
    if other < 0:
        return False
    colored = said[one, COLOR] >= 0 or said[other, COLOR] >= 0
    shaped = said[one, SHAPE] >= 0 or said[other, SHAPE] >= 0
    by_color = colored if colored != shaped else below(board.rng, 2) == 0
    start_misreading(board)
    for slot in range(3):
        if (slot == COLOR) == by_color:
            misread[one, slot], misread[other, slot] = said[other, slot], said[one, slot]
    _force_no_sizes(board)
    _place_set(board, misread, board.everyone, ISOMORPHISM_SET, one << 8 | other << 4 | (0 if by_color else 1))
    return True


@jit
def _random_fill(board, fill):
    """Objects of no mentioned color and shape, until the board holds `fill`."""
    shapes, pairs = 0, 0
    for k in range(board.mentions):
        shape, color = board.truth[k, SHAPE], board.truth[k, COLOR]
        shapes |= 1 << shape
        pairs |= 1 << (4 * color + shape)
        if board.said[k, SHAPE] < 0 and board.said[k, COLOR] >= 0:
            pairs |= 15 << (4 * color)
    entries = 0
    for i in range(16):
        entries += (pairs >> i) & 1
    for i in range(4):
        entries += (shapes >> i) & 1
    if pairs & 0x7777 == 0x7777 or (entries < 3 and shapes & 7 == 7):
        return
    while board.n < min(fill, board.cap):
        shape, color, size = below(board.rng, 3), below(board.rng, 4), 1 + below(board.rng, 4)
        if (pairs >> (4 * color + shape)) & 1 or (entries < 3 and (shapes >> shape) & 1):
            continue
        row = _bound(board, color, shape)
        word = 0
        if board.low[row, shape] > 0:
            word = 1 + below(board.rng, 2)
            size = board.low[row, shape] if word == 1 else board.high[row, shape]
        cell = find_cell(board)
        if cell < 0:
            return
        put(board, shape, color, size, cell, RANDOM << ROLE | word)
