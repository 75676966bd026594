"""One try at a world for a command with a spatial relation, after the published generator of Qiu et al. 2021.

The reference stands on a neighbouring cell of the target, as the relation says. What distracts:

* one or two copies of the target elsewhere, so that the relation is needed; beside each of them, by turns, nothing,
  something else, or, where the relation has a direction, the reference again in another one;
* an object of the same kind and another size for every size word;
* half of the other kinds of objects that the words of the target allow, as in gSCAN.

A try counts only if the command has one referent, however size words are read. Published worlds are not tested so: they
leave out what might be taken for the target or its reference instead.
"""

from __future__ import annotations

from deixis._kernels.bitsets import below, bit, jit
from deixis.worlds.grid._kernels.board import (
    COLOR,
    MENTIONED,
    NO_REFERENT,
    NO_ROOM,
    OK,
    RANDOM,
    READINGS_DIFFER,
    RELATION,
    RELATION_SET,
    ROLE,
    SHAPE,
    SIZE_SET,
    SIZE_WORD,
    find_cell,
    put,
    referents,
    wipe,
)
from deixis.worlds.grid._kernels.grid_sets import BOX, DOWN, NEXT_TO, NORTH_OF, RIGHT, opposite
from deixis.worlds.grid._kernels.gscan import COLORS, SHAPES, add_other_kinds, add_other_shapes, draw_beyond, draw_size


COPIES = 2  # of the target, at most
ANY = -1  # direction


@jit
def try_spatial(board, fill, kinds):
    """One try at a world for the command on the board: how it ended.

    `kinds` has bits 1 relation and 8 random. A command of another form has no world.
    """
    wipe(board)
    said = board.said
    if board.mentions != 2 or said[1, RELATION] < NEXT_TO:
        return NO_REFERENT
    for k in range(2):
        if said[k, SHAPE] < 0 or said[k, SHAPE] >= BOX:
            return NO_REFERENT
    target = board.wish if board.wish >= 0 else find_cell(board)
    _put_mentioned(board, 0, target)
    reference = _neighbour(board, target, opposite(said[1, RELATION]))
    if reference < 0:
        return NO_ROOM
    _put_mentioned(board, 1, reference)
    for k in range(2):
        if said[k, SIZE_WORD] >= 0 and not _add_counterpart(board, k):
            return NO_ROOM
    if kinds & 1:
        for _ in range(1 + below(board.rng, COPIES)):
            if not _add_copy(board):
                return NO_ROOM
    if kinds & 8 and not _add_others(board, fill):
        return NO_ROOM
    if referents(board, said, board.everyone, False) != bit(0):
        return NO_REFERENT
    return OK if referents(board, said, board.everyone, True) == bit(0) else READINGS_DIFFER


@jit
def _put_mentioned(board, k, cell):
    """Put the object of a mention on a cell; what its words leave open is drawn."""
    color, word = board.said[k, COLOR], board.said[k, SIZE_WORD]
    own = color if color >= 0 else below(board.rng, COLORS)
    size = draw_size(board, word) if k == 0 else 1 + below(board.rng, 4) if word < 0 else 1 + word + below(board.rng, 3)
    put(board, board.said[k, SHAPE], own, size, cell, (MENTIONED << ROLE | k) if k > 0 else 0)


@jit
def _neighbour(board, cell, relation):
    """A free neighbouring cell in the direction of a relation, or in any for `next to`; -1 if there is none."""
    row, column = cell // board.size, cell % board.size
    chosen, seen = -1, 0
    for direction in range(8):
        down, right = row + DOWN[direction], column + RIGHT[direction]
        if relation != NEXT_TO and relation != NORTH_OF + direction:
            continue
        if 0 <= down < board.size and 0 <= right < board.size and board.solid[down * board.size + right] == 0:
            seen += 1
            if below(board.rng, seen) == 0:
                chosen = down * board.size + right
    return chosen


@jit
def _add_counterpart(board, k):
    """Add an object of the kind of a mention that is bigger than one called small, or smaller; whether it had room."""
    thing = board.objects[k]
    cell = find_cell(board) if board.n < board.cap else -1
    if cell < 0:
        return False
    size = draw_beyond(board, thing[2], board.said[k, SIZE_WORD])
    put(board, thing[0], thing[1], size, cell, SIZE_SET << ROLE | board.made)
    board.codes[board.made] = SIZE_SET << 12 | k << 8
    board.made += 1
    return True


@jit
def _add_copy(board):
    """Add a copy of the target, and perhaps something beside it; whether there was room."""
    cell = find_cell(board) if board.n < board.cap else -1
    if cell < 0:
        return False
    thing, reference = board.objects[0], board.objects[1]
    put(board, thing[0], thing[1], thing[2], cell, RELATION_SET << ROLE | board.made)
    board.codes[board.made] = RELATION_SET << 12 | 1 << 8
    board.made += 1
    is_directed = board.said[1, RELATION] != NEXT_TO
    turn = below(board.rng, 3 if is_directed else 2)
    there = _neighbour(board, cell, NEXT_TO) if turn > 0 and board.n < board.cap else -1
    if there < 0:
        return True
    if turn == 2:
        put(board, reference[0], reference[1], reference[2], there, RANDOM << ROLE)
    else:
        size = 1 + below(board.rng, 4)
        put(board, below(board.rng, SHAPES), below(board.rng, COLORS), size, there, RANDOM << ROLE)
    return True


@jit
def _add_others(board, fill):
    """Add random objects of other kinds, as the words of the target ask for in gSCAN; whether they had room."""
    thing, limit = board.objects[0], min(fill, board.cap)
    if board.said[0, COLOR] < 0 and board.said[0, SIZE_WORD] < 0:
        for _ in range(2):
            if add_other_shapes(board, thing[0], limit) != OK:
                return False
        return True
    return add_other_kinds(board, thing[0], thing[1], thing[2], limit) == OK
