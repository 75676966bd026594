"""A grid under construction: where things stand, what fits where, and what an expression of noun phrases picks out.

A *blueprint* is an expression as integers, int8 [mention, 5]: shape, color, size word (-1 where nothing is said; size
word 0 small, 1 big), the number of the mention it is said about (-1 for the target) and the relation to it. Parents
come before children. Its plain twin is `worlds.grid._blueprint`.

Some mentions of a blueprint may be left out; `alive` has a bit for every mention that counts.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import below, jit
from deixis.worlds.grid._kernels.grid_sets import (
    BOX,
    INSIDE,
    SAME_ROW,
    SIZE_0,
    add_to_sets,
    fit_noun_and_color,
    towards,
)
from deixis.worlds.grid._kernels.match import read_blueprint


MAX_SIZE = 16  # of a grid
MAX_OBJECTS = 48
MAX_MENTIONS = 12
MAX_SETS = 32  # of distractors
MAX_WANTS = 96  # misreadings that must lead astray

SHAPE, COLOR, SIZE_WORD, PARENT, RELATION = 0, 1, 2, 3, 4  # the columns of a blueprint
SIZE = 2  # the last column of `truth` and `spec`

# Why an object is there (a role is its kind, shifted, and the number of the mention or set), and how a try ends; the
# plain twins are `worlds.grid.roles` and the names of the outcomes in `worlds.grid.making._shards`.
MENTIONED, RELATION_SET, ATTRIBUTE_SET, ISOMORPHISM_SET, SIZE_SET, RANDOM, HELPER = 1, 2, 3, 4, 5, 6, 7
ROLE = 5
OK, NO_ROOM, AMBIGUOUS_RELATION, AMBIGUOUS_ATTRIBUTE, AMBIGUOUS_ISOMORPHISM, AMBIGUOUS_RANDOM, NO_REFERENT = range(7)
IDLE_CLAUSE, READINGS_DIFFER, DUPLICATE, NOTHING_MOVED, WORD_SPARED, SOMETHING_MOVED = 7, 8, 9, 10, 11, 12

_NONE = np.uint64(0)
_ONE = np.uint64(1)

# The state of one world and the working space of its maker, in one block of memory that kernels pass by reference. (As
# a tuple of arrays the same state took four times as long to compile and a third longer to run.)
BOARD = np.dtype(
    [
        ("rng", np.uint64, (1,)),  # the state of the random numbers
        ("size", np.int64),
        ("cap", np.int64),  # how many objects it may hold
        ("n", np.int64),  # how many it holds
        ("objects", np.uint8, (MAX_OBJECTS, 5)),  # shape, color, size, row, column
        ("roles", np.uint8, (MAX_OBJECTS,)),
        ("sets", np.uint64, (12 + 2 * MAX_SIZE,)),  # see grid_sets
        ("solid", np.uint8, (MAX_SIZE * MAX_SIZE,)),  # how many solids stand on a cell
        ("corner", np.uint8, (MAX_SIZE * MAX_SIZE,)),  # how many boxes start there
        # the command: its blueprint, its number of mentions, the bits of all of them; the blueprint of a misreading
        ("said", np.int8, (MAX_MENTIONS, 5)),
        ("mentions", np.int64),
        ("everyone", np.int64),
        ("misread", np.int8, (MAX_MENTIONS, 5)),
        # the distractor sets: how many, and the code of the misreading that each was made for
        ("made", np.int64),
        ("codes", np.uint16, (MAX_SETS,)),
        # for the matcher
        ("fits", np.uint64, (MAX_MENTIONS,)),
        ("candidates", np.uint64, (MAX_MENTIONS,)),
        ("tree", np.int16, (MAX_MENTIONS, 2)),
        ("chosen", np.int64, (MAX_MENTIONS,)),
        ("open_", np.uint64, (MAX_MENTIONS,)),
        # for the makers of worlds: shape, color and size of what is mentioned and of the copy being placed; the object
        # of each mention; a size it must have, or 0; the two sizes of a bounded class, by (color or any, shape) and by
        # mention
        ("truth", np.int64, (MAX_MENTIONS, 3)),
        ("spec", np.int64, (MAX_MENTIONS, 3)),
        ("where", np.int64, (MAX_MENTIONS,)),
        ("forced", np.int64, (MAX_MENTIONS,)),
        ("low", np.int64, (5, 4)),
        ("high", np.int64, (5, 4)),
        ("lows", np.int64, (MAX_MENTIONS,)),
        ("highs", np.int64, (MAX_MENTIONS,)),
        # for every-word worlds: the misreadings that must lead astray, which of them do not yet, and the best objects
        # found so far to mend one
        ("by_bounds", np.bool_),  # whether size words stand for the two sizes of their class, not yet for a comparison
        ("wants", np.int64, (MAX_WANTS, 3)),
        ("n_wants", np.int64),
        ("open_wants", np.int64, (MAX_WANTS,)),
        ("n_open", np.int64),
        ("kept", np.uint8, (MAX_OBJECTS, 5)),
        # where the target is to lie as seen from the agent (see `start`), and a cell for it that makes that possible
        ("direction", np.int64),
        ("distance", np.int64),
        ("wish", np.int64),
        ("grade", np.int64),  # which of the three sizes that its word allows the target has, from 1; 0 for any
        # working space of `form`; how often plan lengths were used
        ("labels", np.uint64, (MAX_OBJECTS,)),
        ("lines", np.uint64, (2, MAX_SIZE)),
        ("used", np.int64, (6,)),
    ]
)


@jit
def say(board, blueprint, mentions):
    """Take the first so many mentions of a blueprint as the command that worlds are made for."""
    board.mentions = mentions
    board.everyone = (1 << mentions) - 1
    for k in range(mentions):
        for slot in range(5):
            board.said[k, slot] = blueprint[k, slot]


@jit
def start_misreading(board):
    """Start a misreading from the command's own words."""
    for k in range(board.mentions):
        for slot in range(5):
            board.misread[k, slot] = board.said[k, slot]


@jit
def wipe(board):
    """Take everything off the board."""
    board.n = 0
    board.made = 0
    board.by_bounds = False
    for i in range(12 + 2 * board.size):
        board.sets[i] = _NONE
    for cell in range(board.size * board.size):
        board.solid[cell] = 0
        board.corner[cell] = 0


@jit
def put(board, shape, color, size, cell, role):
    """Put one object on a cell, and return its number."""
    index = board.n
    thing = board.objects[index]
    thing[0], thing[1], thing[2] = shape, color, size
    thing[3], thing[4] = cell // board.size, cell % board.size
    board.roles[index] = role
    add_to_sets(board.sets, board.size, index, thing)
    if shape == BOX:
        board.corner[cell] += 1
    else:
        board.solid[cell] += 1
    board.n = index + 1
    return index


@jit
def take_back(board, n):
    """Take off the objects put last, until `n` are left."""
    for index in range(n, board.n):
        thing = board.objects[index]
        cell = np.int64(thing[3]) * board.size + np.int64(thing[4])
        if thing[0] == BOX:
            board.corner[cell] -= 1
        else:
            board.solid[cell] -= 1
    left = (_ONE << np.uint64(n)) - _ONE
    for i in range(12 + 2 * board.size):
        board.sets[i] &= left
    board.n = n


@jit
def find_place(board, shape, size, relation, parent, scan):
    """Return a cell for an object that its parent (an object number, or -1) must stand in a relation to, or -1.

    In a row or column it is the first free cell (scan) or a random one.
    """
    if parent >= 0 and relation <= INSIDE:
        row, column = np.int64(board.objects[parent, 3]), np.int64(board.objects[parent, 4])
        if relation == INSIDE:
            return _find_corner_over(board, size, row, column)
        if shape != BOX:
            if relation == SAME_ROW:
                return _find_in_line(board, row * board.size, 1, scan)
            return _find_in_line(board, column, board.size, scan)
    if shape == BOX:
        return _find_corner(board, size)
    return find_cell(board)


@jit
def place_all(board, words, alive, spec, kind, scan):
    """Put the mentions on the board in order, up to the first without a place, and return whether all found one.

    `spec` has the shape, color and size of each; `where` remembers the object it became.
    """
    where = board.where
    for k in range(board.mentions):
        if (alive >> k) & 1:
            parent = words[k, PARENT]
            anchor = where[parent] if parent >= 0 else -1
            cell = -1
            if k == 0 and kind == MENTIONED and board.wish >= 0:
                cell = board.wish
            elif board.n < board.cap:
                cell = find_place(board, spec[k, SHAPE], spec[k, SIZE], words[k, RELATION], anchor, scan)
            if cell < 0:
                return False
            role = kind << ROLE | (k if kind == MENTIONED else board.made)
            where[k] = put(
                board, spec[k, SHAPE], spec[k, COLOR], spec[k, SIZE], cell, role if kind != MENTIONED or k else 0
            )
    return True


@jit
def find_cell(board):
    """Return a random cell without a solid, or -1."""
    cells = board.size * board.size
    for _ in range(64):
        cell = below(board.rng, cells)
        if board.solid[cell] == 0:
            return cell
    start = below(board.rng, cells)
    for k in range(cells):
        cell = (start + k) % cells
        if board.solid[cell] == 0:
            return cell
    return -1


@jit
def _find_corner(board, size):
    """A random cell where a box of this size fits and no other box starts; -1 if there is none."""
    span = board.size - size + 1
    if span < 1:
        return -1
    for _ in range(64):
        cell = below(board.rng, span) * board.size + below(board.rng, span)
        if board.corner[cell] == 0:
            return cell
    return -1


@jit
def _find_corner_over(board, size, row, column):
    """A random cell from which a box of this size covers (row, column), where no other box starts; -1 if none."""
    chosen, seen = -1, 0
    for r in range(max(0, row - size + 1), min(row, board.size - size) + 1):
        for c in range(max(0, column - size + 1), min(column, board.size - size) + 1):
            cell = r * board.size + c
            if board.corner[cell] == 0:
                seen += 1
                if below(board.rng, seen) == 0:
                    chosen = cell
    return chosen


@jit
def _find_in_line(board, start, step, scan):
    """A cell without a solid in a row or column: the first one (scan) or a random one; -1 if there is none."""
    chosen, seen = -1, 0
    for k in range(board.size):
        cell = start + k * step
        if board.solid[cell] == 0:
            if scan:
                return cell
            seen += 1
            if below(board.rng, seen) == 0:
                chosen = cell
    return chosen


@jit
def fitting(board, words, mention, superlative):
    """The objects that fit the words of one mention, its clauses left aside."""
    left = fit_noun_and_color(board.sets, (_ONE << np.uint64(board.n)) - _ONE, words, mention)
    size_word = words[mention, SIZE_WORD]
    if size_word >= 0:
        if board.by_bounds:
            left &= board.sets[SIZE_0 + (board.highs[mention] if size_word == 1 else board.lows[mention]) - 1]
        else:
            left = towards(board.sets, left, size_word, superlative)
    return left


@jit
def referents(board, words, alive, superlative):
    """The objects that a blueprint (the command's, or one as long) picks out, counting only the mentions in `alive`."""
    fits = board.fits
    for k in range(board.mentions):
        if (alive >> k) & 1:
            fits[k] = fitting(board, words, k, superlative)
            if fits[k] == _NONE:
                return _NONE
    return read_blueprint(
        board.sets,
        board.size,
        board.objects,
        words,
        board.mentions,
        alive,
        fits,
        board.tree,
        board.candidates,
        board.chosen,
        board.open_,
    )


@jit
def below_clause(board, child):
    """Return the bits of the mentions that fall away with the clause about `child`: its own and those below it."""
    gone = 1 << child
    for k in range(child + 1, board.mentions):
        if (gone >> board.said[k, PARENT]) & 1:
            gone |= 1 << k
    return gone
