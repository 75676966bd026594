"""One try at a world as gSCAN makes it: half of all other kinds of objects, for any words of the command.

A *kind* is a shape and a colour. What else there is depends only on how much the command says (gSCAN, section 3 and its
public generator):

    command              the other objects
    circle               one of the two other shapes, once, in a random colour
    red circle           5 of the 11 other kinds, once each
    small circle         5 of the 11 other kinds, twice each, other circles all bigger than the target;
                         and one bigger object of the target's kind, its counterpart
    small red circle     5 of the 11 other kinds, twice each; and the counterpart

Sizes are drawn from 1 to 4, those of a target called small from 1 to 3, of one called big from 2 to 4. Every object
stands on a random cell of its own. Nothing is rejected: the target is the only referent by construction, provided that
size words are read as gSCAN reads them, as *smallest* and *biggest*. With a colour word the comparative reading agrees,
since only two objects are of the target's kind. Without one it may not: of three circles all but the biggest are
smaller than another.
"""

from __future__ import annotations

from deixis._kernels.bitsets import below, jit
from deixis.worlds.grid._kernels.board import (
    COLOR,
    NO_REFERENT,
    NO_ROOM,
    OK,
    RANDOM,
    ROLE,
    SHAPE,
    SIZE_SET,
    SIZE_WORD,
    find_cell,
    put,
    wipe,
)
from deixis.worlds.grid._kernels.grid_sets import BOX


SHAPES, COLORS = 3, 4  # of solids; gSCAN has no boxes
OTHER_SHAPES = (SHAPES - 1) // 2  # half of them, as the others below
OTHER_KINDS = (SHAPES * COLORS - 1) // 2


@jit
def try_gscan(board, fill, kinds):
    """One try at a world for the command on the board: how it ended.

    Random objects are left out without bit 8 of `kinds`, and beyond `fill`; gSCAN itself stops at 12 objects. A command
    that gSCAN cannot say, with clauses, boxes or no noun, has no world.
    """
    shape, color, word = board.said[0, SHAPE], board.said[0, COLOR], board.said[0, SIZE_WORD]
    wipe(board)
    if board.mentions != 1 or shape < 0 or shape >= BOX:
        return NO_REFERENT
    own = color if color >= 0 else below(board.rng, COLORS)
    size = draw_size(board, word)
    if not add(board, shape, own, size, 0):
        return NO_ROOM
    if word >= 0:
        if not add(board, shape, own, draw_beyond(board, size, word), SIZE_SET << ROLE | board.made):
            return NO_ROOM
        board.codes[board.made] = SIZE_SET << 12
        board.made += 1
    if kinds & 8:
        limit = min(fill, board.cap)
        if color < 0 and word < 0:
            return add_other_shapes(board, shape, limit)
        return add_other_kinds(board, shape, own, size, limit)
    return OK


@jit
def add(board, shape, color, size, role):
    """Put an object on a random cell, the first on the one that is wished for, and return whether there was room."""
    cell = find_cell(board) if board.n < board.cap else -1
    if board.n == 0 and board.wish >= 0:
        cell = board.wish
    if cell < 0:
        return False
    put(board, shape, color, size, cell, role)
    return True


@jit
def draw_size(board, word):
    """Draw a size for the target, so that there are bigger ones beside one called small and smaller beside big."""
    if word < 0:
        return 1 + below(board.rng, 4)
    return word + (board.grade if board.grade > 0 else 1 + below(board.rng, 3))


@jit
def draw_beyond(board, size, word):
    """A size that is bigger than one called small (0), smaller than one called big (1)."""
    return size + 1 + below(board.rng, 4 - size) if word == 0 else 1 + below(board.rng, size - 1)


@jit
def add_other_shapes(board, shape, limit):
    """Add objects of half of the other shapes, in any colour and size, and return how that ended."""
    first = below(board.rng, SHAPES - 1)
    for k in range(OTHER_SHAPES):
        other = (shape + 1 + (first + k) % (SHAPES - 1)) % SHAPES
        color = below(board.rng, COLORS)
        if board.n < limit and not add(board, other, color, 1 + below(board.rng, 4), RANDOM << ROLE):
            return NO_ROOM
    return OK


@jit
def add_other_kinds(board, shape, color, size, limit):
    """Add objects of half of the other kinds, two of each for a size word, and return how that ended."""
    word, says_color = board.said[0, SIZE_WORD], board.said[0, COLOR] >= 0
    taken = 1 << (shape * COLORS + color)
    for _ in range(OTHER_KINDS):
        kind = below(board.rng, SHAPES * COLORS)
        while (taken >> kind) & 1:
            kind = below(board.rng, SHAPES * COLORS)
        taken |= 1 << kind
        rivals = word >= 0 and not says_color and kind // COLORS == shape  # for the size word
        for _ in range(1 if word < 0 else 2):
            other = draw_beyond(board, size, word) if rivals else 1 + below(board.rng, 4)
            if board.n < limit and not add(board, kind // COLORS, kind % COLORS, other, RANDOM << ROLE):
                return NO_ROOM
    return OK
