"""Worlds in which no word can be spared.

The plan: for every content word, and for every clause, some other object must fit the command once that part is
overlooked. What is overlooked is written as a copy of the command with the word left out; the copy is acted out on the
board by objects that are there already, as far as they can be used, and by new ones where they cannot. Of several ways
to do so the one that serves most words per new object is taken. Adding objects never takes a competitor away, because
every relation and every size word asks only for *some* other object; so a part that is needed stays needed, and all
there is to watch is that no second object fits the whole command.

A *want* is one misreading that must lead astray: int64 (mention, slot, value). Slot -1 is the clause that introduces
the mention, 0 to 2 are its noun, colour and size; value -1 is the word left out, any other what it is read as.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import below, bit, count, jit, lowest
from deixis.worlds.grid._kernels.board import (
    ATTRIBUTE_SET,
    COLOR,
    HELPER,
    ISOMORPHISM_SET,
    MAX_SETS,
    MAX_WANTS,
    MENTIONED,
    NO_REFERENT,
    NO_ROOM,
    OK,
    PARENT,
    READINGS_DIFFER,
    RELATION,
    RELATION_SET,
    ROLE,
    SHAPE,
    SIZE,
    SIZE_WORD,
    WORD_SPARED,
    below_clause,
    find_place,
    place_all,
    put,
    referents,
    start_misreading,
    take_back,
    wipe,
)
from deixis.worlds.grid._kernels.corrected import add_set, bound_of, count_set, draw, draw_bounds, draw_size, fill_up
from deixis.worlds.grid._kernels.grid_sets import (
    BOX,
    INSIDE,
    SAME_COLOR,
    SAME_COLUMN,
    SAME_ROW,
    SAME_SHAPE,
    SAME_SIZE,
    SIZE_0,
)
from deixis.worlds.grid._kernels.match import partners


DROPPED = 15  # in the code of a misreading: the word is left out, not taken for another
WAYS = 4  # of acting a misreading out, for each mention, of which the best is taken
REUSED = 12  # chances in 16 that an object on the board is used again
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@jit
def try_every_word(board, fill, kinds, least, exhaustive):
    """One try at a world for the command on the board: how it ended.

    `kinds` has bits 4 isomorphism and 8 random; relation and attribute competitors are what this mode is about. `least`
    and `exhaustive` are those of `strengthen`.
    """
    said, everyone, target = board.said, board.everyone, bit(0)
    wipe(board)
    draw_bounds(board)
    if not draw(board, said, everyone) or not place_all(board, said, everyone, board.spec, MENTIONED, False):
        return NO_ROOM
    outcome = _demand_competitors(board, max(1, least), exhaustive)
    if outcome != OK:
        return outcome
    if kinds & 4 and board.n < board.cap and board.made < MAX_SETS:
        add_set(board, ISOMORPHISM_SET, -1)
    if kinds & 8:
        fill_up(board, fill)
    if referents(board, said, everyone, False) != target:
        return NO_REFERENT
    if referents(board, said, everyone, True) != target:
        return READINGS_DIFFER
    return OK


@jit
def strengthen(board, least, exhaustive):
    """Add objects to a finished world until every word and clause has `least` competitors, and return the outcome.

    Exhaustive: also one competitor for every other value that a colour or noun could be read as, and for every size
    word turned round.
    """
    for k in range(board.mentions):  # new objects keep to the sizes that are there
        board.lows[k] = board.highs[k] = 0
        if board.said[k, SIZE_WORD] >= 0:
            board.lows[k], board.highs[k] = _extremes(board, _class_of(board, board.said, k))
    outcome = _demand_competitors(board, least, exhaustive)
    if outcome == OK and referents(board, board.said, board.everyone, False) != bit(0):
        return NO_REFERENT
    return outcome


@jit
def _extremes(board, objects):
    """The smallest and the biggest size in a set of objects that is not empty."""
    low, high = 5, 0
    for size in range(1, 5):
        if board.sets[SIZE_0 + size - 1] & objects:
            low, high = min(low, size), max(high, size)
    return low, high


@jit
def _demand_competitors(board, least, exhaustive):
    """Add objects until every want is served; how that ended."""
    _list_wants(board, exhaustive)
    board.by_bounds = True  # a size word means nothing yet: there is nothing to compare with
    if referents(board, board.said, board.everyone, False) != bit(0):
        return NO_REFERENT
    _look_again(board, least)
    for w in range(board.n_wants):
        if board.wants[w, 1] == SIZE_WORD and board.wants[w, 2] < 0 and not _has_contrast(board, board.wants[w, 0]):
            if not _serve(board, w, least):
                return WORD_SPARED
            _look_again(board, least)
    board.by_bounds = False
    if referents(board, board.said, board.everyone, False) != bit(0):
        return NO_REFERENT
    _look_again(board, least)
    while board.n_open > 0:
        if not _serve(board, board.open_wants[below(board.rng, board.n_open)], least):
            return WORD_SPARED
        _look_again(board, least)
    return OK


@jit
def _list_wants(board, exhaustive):
    """All misreadings that must lead astray; the noun 'box' says nothing that 'inside of' has not said."""
    said, n = board.said, 0
    for k in range(board.mentions):
        for slot in range(-1 if k > 0 else 0, 3):
            if slot >= 0 and (said[k, slot] < 0 or (slot == SHAPE and said[k, slot] == BOX)):
                continue
            if n < MAX_WANTS:
                board.wants[n, 0], board.wants[n, 1], board.wants[n, 2] = k, slot, -1
                n += 1
            if exhaustive and slot >= 0:
                for value in range(2 if slot == SIZE_WORD else 3 if slot == SHAPE else 4):
                    if value != said[k, slot] and n < MAX_WANTS:
                        board.wants[n, 0], board.wants[n, 1], board.wants[n, 2] = k, slot, value
                        n += 1
    board.n_wants = n


@jit
def _look_again(board, least):
    """List the wants that are still open."""
    n = 0
    for w in range(board.n_wants):
        if _competitors(board, w) < _demanded_competitors(board, w, least):
            board.open_wants[n] = w
            n += 1
    board.n_open = n


@jit
def _demanded_competitors(board, w, least):
    """How many competitors a want asks for."""
    return least if board.wants[w, 2] < 0 else 1


@jit
def _competitors(board, w):
    """How many wrong objects fit the command as a want misreads it."""
    mention, slot = board.wants[w, 0], board.wants[w, 1]
    if slot < 0:
        return count(referents(board, board.said, board.everyone & ~below_clause(board, mention), False) & ~bit(0))
    start_misreading(board)
    board.misread[mention, slot] = board.wants[w, 2]
    return count(referents(board, board.misread, board.everyone, False) & ~bit(0))


@jit
def _has_contrast(board, mention):
    """Whether the class of a size word has objects of both its sizes."""
    both = _class_of(board, board.said, mention)
    low = board.sets[SIZE_0 + board.lows[mention] - 1]
    high = board.sets[SIZE_0 + board.highs[mention] - 1]
    return (both & low) != _NONE and (both & high) != _NONE


@jit
def _class_of(board, words, mention):
    """The objects of the noun and colour of a mention."""
    left = (_ONE << np.uint64(board.n)) - _ONE
    if words[mention, SHAPE] >= 0:
        left &= board.sets[words[mention, SHAPE]]
    if words[mention, COLOR] >= 0:
        left &= board.sets[4 + words[mention, COLOR]]
    return left


@jit
def _usable(board, words, k, mention, slot):
    """The objects on the board that could play mention k in a misreading of a word of `mention`."""
    left = _class_of(board, words, k)
    said = board.said[k, SIZE_WORD]
    if said >= 0:
        is_big = (said == 1) != (k == mention and slot == SIZE_WORD)
        left &= board.sets[SIZE_0 + (board.highs[k] if is_big else board.lows[k]) - 1]
    if k == mention and slot in (SHAPE, COLOR):  # it must be wrong in just that word
        left &= ~board.sets[4 * slot + board.said[k, slot]]
    return left


@jit
def _serve(board, w, least):
    """Act out one want in the best of several ways; whether there was any.

    No second object may fit the command, and the want must get one competitor more; the best way is the one that serves
    most other wants per new object.
    """
    mention, slot, value = board.wants[w, 0], board.wants[w, 1], board.wants[w, 2]
    before, made = board.n, board.made
    had = _competitors(board, w)
    best, best_cost, best_root = 0, 1, -1
    for _ in range(WAYS * board.mentions if made < MAX_SETS else 0):
        start_misreading(board)
        alive = board.everyone
        if slot < 0:
            alive &= ~below_clause(board, mention)
        else:
            board.misread[mention, slot] = value
        root = _act_out(board, board.misread, alive, mention, slot, value)
        cost = board.n - before
        if root >= 0 and cost > 0:
            score = _score(board, w, had, least)
            if score * best_cost > best * cost:
                best, best_cost, best_root = score, cost, root
                for i in range(cost):
                    for column in range(5):
                        board.kept[i, column] = board.objects[before + i, column]
        take_back(board, before)
    if best == 0:
        return False
    kind = RELATION_SET if slot < 0 else ATTRIBUTE_SET
    role = kind if best_root >= before else HELPER
    for i in range(best_cost):
        thing = board.kept[i]
        cell = np.int64(thing[3]) * board.size + np.int64(thing[4])
        put(board, thing[0], thing[1], thing[2], cell, role << ROLE | made)
    code = kind << 12 | mention << 8
    if kind == ATTRIBUTE_SET:
        code |= slot << 4 | (_read_as(board, mention, slot, best_root) if value < 0 else value)
    count_set(board, code)
    return True


@jit
def _read_as(board, mention, slot, root):
    """The value for which a word is taken by a reader who ends at `root`; DROPPED where no single one leads there."""
    start_misreading(board)
    for value in range(2 if slot == SIZE_WORD else 3 if slot == SHAPE else 4):
        if value != board.said[mention, slot]:
            board.misread[mention, slot] = value
            if referents(board, board.misread, board.everyone, False) & bit(root):
                return value
    return DROPPED


@jit
def _score(board, w, had, least):
    """How many open wants are served as the board stands; 0 if it is spoilt or want `w` has no new competitor."""
    if referents(board, board.said, board.everyone, False) & ~bit(0) or _competitors(board, w) <= had:
        return 0
    score = 1
    for i in range(board.n_open):
        other = board.open_wants[i]
        if other != w and _competitors(board, other) >= _demanded_competitors(board, other, least):
            score += 1
    return score


@jit
def _act_out(board, words, alive, mention, slot, value):
    """Put what is missing on the board for some wrong object to fit `words`; that object, or -1 if there is no way.

    Objects on the board are used again at random, if they fit.
    """
    where = board.where
    used = bit(0)
    for k in range(board.mentions):
        if not (alive >> k) & 1:
            continue
        where[k] = -1
        if below(board.rng, 16) >= REUSED:
            continue
        left = _usable(board, words, k, mention, slot) & ~used
        parent = words[k, PARENT]
        if parent >= 0 and where[parent] >= 0:
            left = partners(board.sets, board.size, board.objects, words[k, RELATION], where[parent], left)
        if left != _NONE:
            where[k] = _any_of(board, left)
            used |= bit(where[k])
    for k in range(board.mentions):
        if (alive >> k) & 1 and where[k] < 0:
            if board.n >= board.cap or not _place(board, words, alive, k, mention, slot, value):
                return -1
    if value >= 0 and slot != SIZE_WORD and board.said[mention, SIZE_WORD] >= 0 and not _add_contrast(board, mention):
        return -1
    return where[0]


@jit
def _add_contrast(board, mention):
    """Something that the object of a mention, called small or big, can be compared with; whether there is room for it.

    'small blue square', which nobody said, needs a bigger blue square somewhere, or it means nothing.
    """
    thing, word = board.objects[board.where[mention]], board.said[mention, SIZE_WORD]
    shape, color, mine = np.int64(thing[SHAPE]), np.int64(thing[COLOR]), np.int64(thing[SIZE])
    least, most = (mine + 1, 4) if word == 0 else (1, mine - 1)
    rivals = _class_of(board, board.misread, mention)
    for size in range(least, most + 1):
        if rivals & board.sets[SIZE_0 + size - 1]:
            return True
    bound = bound_of(board, shape, color)
    if bound >= 0:
        least = most = board.highs[bound] if word == 0 else board.lows[bound]
    if least > most or board.n >= board.cap:
        return False
    size = least + below(board.rng, most - least + 1)
    if (size <= mine) == (word == 0):
        return False
    cell = find_place(board, shape, size, -1, -1, False)
    if cell < 0:
        return False
    put(board, shape, color, size, cell, 0)
    return True


@jit
def _any_of(board, objects):
    """A random object of a set."""
    for _ in range(below(board.rng, count(objects))):
        objects &= objects - _ONE
    return lowest(objects)


@jit
def _place(board, words, alive, k, mention, slot, value):
    """Put an object for mention k where its relations to those already there hold; whether that worked."""
    rng, objects = board.rng, board.objects
    shape, color, size = np.int64(words[k, SHAPE]), np.int64(words[k, COLOR]), 0
    if k == mention and slot == SHAPE and value < 0:
        shape = (board.said[k, SHAPE] + 1 + below(rng, 2)) % 3
    if k == mention and slot == COLOR and value < 0:
        color = (board.said[k, COLOR] + 1 + below(rng, 3)) % 4
    for j in range(board.mentions):  # what relations say about the attributes
        relation, other = _tie(board, words, alive, k, j)
        if relation >= SAME_SIZE:
            thing = objects[other]
            if relation == SAME_SHAPE:
                if shape >= 0 and shape != thing[SHAPE]:
                    return False
                shape = np.int64(thing[SHAPE])
            elif relation == SAME_COLOR:
                if color >= 0 and color != thing[COLOR]:
                    return False
                color = np.int64(thing[COLOR])
            else:
                if size > 0 and size != thing[SIZE]:
                    return False
                size = np.int64(thing[SIZE])
    if shape < 0:
        shape = below(rng, 3)
    if color < 0:
        color = below(rng, 4)
    word = np.int64(board.said[k, SIZE_WORD])
    if word >= 0 and k == mention and slot == SIZE_WORD:
        word = 1 - word
    bound = bound_of(board, shape, color)
    if size == 0:
        if word >= 0:
            size = board.highs[k] if word == 1 else board.lows[k]
        else:
            size = draw_size(board, shape, color, -1)
    if bound >= 0 and size != board.lows[bound] and size != board.highs[bound]:
        return False
    cell = _cell_for(board, words, alive, k, shape, size)
    if cell < 0:
        return False
    board.where[k] = put(board, shape, color, size, cell, 0)
    return True


@jit
def _tie(board, words, alive, k, j):
    """(the relation between mentions k and j, the object of j), or (-1, -1) if there is none, or j has no object yet.

    The relation 'inside of' is negative where j is the one inside: -3.
    """
    if j == k or not (alive >> j) & 1 or board.where[j] < 0:
        return -1, -1
    if words[k, PARENT] == j:
        relation = np.int64(words[k, RELATION])
        return (-3 if relation == INSIDE else relation), board.where[j]
    if words[j, PARENT] == k:
        return np.int64(words[j, RELATION]), board.where[j]
    return -1, -1


@jit
def _cell_for(board, words, alive, k, shape, size):
    """A random cell where an object for mention k stands in its relations; -1 if there is none."""
    grid, objects = board.size, board.objects
    last = grid - size if shape == BOX else grid - 1
    top, bottom, left, right = 0, last, 0, last
    for j in range(board.mentions):
        relation, other = _tie(board, words, alive, k, j)
        if other < 0 or relation >= SAME_SIZE:
            continue
        row, column = np.int64(objects[other, 3]), np.int64(objects[other, 4])
        if relation == SAME_ROW:
            top, bottom = max(top, row), min(bottom, row)
        elif relation == SAME_COLUMN:
            left, right = max(left, column), min(right, column)
        elif relation == INSIDE:
            reach = np.int64(objects[other, 2])
            top, bottom = max(top, row), min(bottom, row + reach - 1)
            left, right = max(left, column), min(right, column + reach - 1)
        else:  # a box around the other
            top, bottom = max(top, row - size + 1), min(bottom, row)
            left, right = max(left, column - size + 1), min(right, column)
    chosen, seen = -1, 0
    for r in range(top, bottom + 1):
        for c in range(left, right + 1):
            cell = r * grid + c
            if (board.corner[cell] if shape == BOX else board.solid[cell]) == 0:
                seen += 1
                if below(board.rng, seen) == 0:
                    chosen = cell
    return chosen
