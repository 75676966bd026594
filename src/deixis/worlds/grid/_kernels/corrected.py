"""One try at a world in which every clause is needed and every distractor does what it was made for.

Unlike the released generator (see `compatible`): a size word bounds its whole class to two sizes, so that 'small' means
the same read as *smaller than another* and as *smallest*; things in the same row or column stand anywhere in it;
attributes are really shared where a relation says so; a distractor set that lets a second referent in, or that its
misreading does not reach, is taken back and drawn again.

Bounds: `lows` and `highs` are int64 [mention], the two sizes of the class of a phrase with a size word; 0 for others.
"""

from __future__ import annotations

from deixis._kernels.bitsets import below, bit, jit
from deixis.worlds.grid._kernels.board import (
    AMBIGUOUS_RELATION,
    ATTRIBUTE_SET,
    COLOR,
    IDLE_CLAUSE,
    ISOMORPHISM_SET,
    MENTIONED,
    NO_REFERENT,
    NO_ROOM,
    OK,
    PARENT,
    RANDOM,
    READINGS_DIFFER,
    RELATION,
    RELATION_SET,
    ROLE,
    SHAPE,
    SIZE,
    SIZE_SET,
    SIZE_WORD,
    below_clause,
    find_cell,
    find_place,
    fitting,
    place_all,
    put,
    referents,
    start_misreading,
    take_back,
    wipe,
)
from deixis.worlds.grid._kernels.grid_sets import BOX, SAME_COLOR, SAME_SHAPE, SAME_SIZE


CONTRAST = 3  # the number of a random object that gives a misread size word something to compare with
TRIES = 12  # at one distractor set


@jit
def try_corrected(board, fill, kinds):
    """One try at a world for the command on the board: how it ended.

    `kinds` has bits 1 relation, 2 attribute, 4 isomorphism, 8 random.
    """
    said, everyone, target = board.said, board.everyone, bit(0)
    wipe(board)
    draw_bounds(board)
    if (
        not draw(board, said, everyone)
        or not place_all(board, said, everyone, board.spec, MENTIONED, False)
        or not _add_counterparts(board)
    ):
        return NO_ROOM
    if referents(board, said, everyone, False) != target:
        return NO_REFERENT
    if kinds & 1:
        for child in range(1, board.mentions):
            if not add_set(board, RELATION_SET, child):
                return AMBIGUOUS_RELATION
    if kinds & 2 and board.n + board.mentions <= board.cap:
        add_set(board, ATTRIBUTE_SET, -1)
    if kinds & 4 and board.n + board.mentions <= board.cap:
        add_set(board, ISOMORPHISM_SET, -1)
    if kinds & 8:
        fill_up(board, fill)
    if referents(board, said, everyone, False) != target:
        return NO_REFERENT
    if referents(board, said, everyone, True) != target:
        return READINGS_DIFFER
    if kinds & 1:  # a world of random distractors only makes no promise about its clauses
        for child in range(1, board.mentions):
            if referents(board, said, everyone & ~below_clause(board, child), False) == target:
                return IDLE_CLAUSE
    return OK


@jit
def _overlap(board, one, other):
    """Whether some object could belong to the classes of both phrases."""
    for slot in range(2):
        a, b = board.said[one, slot], board.said[other, slot]
        if a >= 0 and b >= 0 and a != b:
            return False
    return True


@jit
def draw_bounds(board):
    """Two sizes for every phrase with a size word, the same for classes that overlap.

    Classes that overlap through others share their sizes too: a group has the least pair drawn for one of its phrases.
    """
    low, high = board.lows, board.highs
    mentions = board.mentions
    for k in range(mentions):
        low[k] = high[k] = 0
        if board.said[k, SIZE_WORD] >= 0:
            low[k] = 1 + below(board.rng, 3)
            high[k] = low[k] + 1 + below(board.rng, 4 - low[k])
    for _ in range(mentions):
        for k in range(mentions):
            for j in range(mentions):
                if low[k] > 0 and low[j] > 0 and low[j] * 8 + high[j] < low[k] * 8 + high[k] and _overlap(board, k, j):
                    low[k], high[k] = low[j], high[j]


@jit
def bound_of(board, shape, color):
    """A phrase with a size word whose class holds such an object, or -1."""
    for k in range(board.mentions):
        said_shape, said_color = board.said[k, SHAPE], board.said[k, COLOR]
        if board.lows[k] > 0 and (said_shape < 0 or said_shape == shape) and (said_color < 0 or said_color == color):
            return k
    return -1


@jit
def draw_size(board, shape, color, word):
    """A size for an object, within the bounds of its class."""
    k = bound_of(board, shape, color)
    if k >= 0:
        is_big = word == 1 or (word < 0 and below(board.rng, 2) == 1)
        return board.highs[k] if is_big else board.lows[k]
    return 1 + below(board.rng, 4) if word < 0 else 1 + word + below(board.rng, 3)


@jit
def draw(board, words, alive):
    """Draw what the words leave open, sharing attributes where relations ask for it, and return whether it worked.

    The command's own words bound the sizes; `words` are those of the copy that is drawn.
    """
    spec = board.spec
    mentions = board.mentions
    for k in range(mentions - 1, -1, -1):
        if (alive >> k) & 1:
            spec[k, SHAPE] = words[k, SHAPE] if words[k, SHAPE] >= 0 else below(board.rng, 3)
            spec[k, COLOR] = words[k, COLOR] if words[k, COLOR] >= 0 else below(board.rng, 4)
    for k in range(mentions - 1, 0, -1):
        parent, relation = words[k, PARENT], words[k, RELATION]
        if (alive >> k) & 1 and relation >= SAME_COLOR:
            slot = COLOR if relation == SAME_COLOR else SHAPE
            if words[parent, slot] >= 0 and words[parent, slot] != spec[k, slot]:
                return False
            spec[parent, slot] = spec[k, slot]
    for k in range(mentions):
        if (alive >> k) & 1:
            spec[k, SIZE] = draw_size(board, spec[k, SHAPE], spec[k, COLOR], words[k, SIZE_WORD])
    for k in range(mentions - 1, 0, -1):
        if (alive >> k) & 1 and words[k, RELATION] == SAME_SIZE:
            parent = words[k, PARENT]
            if bound_of(board, spec[k, SHAPE], spec[k, COLOR]) < 0:
                spec[k, SIZE] = spec[parent, SIZE]
            elif bound_of(board, spec[parent, SHAPE], spec[parent, COLOR]) < 0:
                spec[parent, SIZE] = spec[k, SIZE]
            elif spec[parent, SIZE] != spec[k, SIZE]:
                return False
    return True


@jit
def _add_counterparts(board):
    """For every size word an object of the other size, where its class has none yet; whether all found a place."""
    said = board.said
    for k in range(board.mentions):
        word = said[k, SIZE_WORD]
        if word < 0 or fitting(board, said, k, False) & bit(k):
            continue
        size = board.highs[k] if word == 0 else board.lows[k]
        shape = said[k, SHAPE] if said[k, SHAPE] >= 0 else below(board.rng, 3)
        color = said[k, COLOR] if said[k, COLOR] >= 0 else below(board.rng, 4)
        if board.n >= board.cap:
            return False
        cell = find_place(board, shape, size, -1, -1, False)
        if cell < 0:
            return False
        put(board, shape, color, size, cell, SIZE_SET << ROLE | board.made)
        count_set(board, SIZE_SET << 12 | k << 8)
    return True


@jit
def _add_contrasts(board, words):
    """For every size word of a misreading an object to compare with, where there is none; whether all found a place.

    'small blue square', which nobody said, needs a bigger blue square somewhere, or it means nothing.
    """
    for k in range(board.mentions):
        word, mine = words[k, SIZE_WORD], board.spec[k, SIZE]
        if word < 0 or fitting(board, words, k, False) & bit(board.where[k]):
            continue
        shape = words[k, SHAPE] if words[k, SHAPE] >= 0 else below(board.rng, 3)
        color = words[k, COLOR] if words[k, COLOR] >= 0 else below(board.rng, 4)
        bound = bound_of(board, shape, color)
        least, most = (mine + 1, 4) if word == 0 else (1, mine - 1)
        if bound >= 0:
            least = most = board.highs[bound] if word == 0 else board.lows[bound]
        if least > most or board.n >= board.cap:
            return False
        size = least + below(board.rng, most - least + 1)
        cell = find_place(board, shape, size, -1, -1, False)
        if cell < 0:
            return False
        put(board, shape, color, size, cell, RANDOM << ROLE | CONTRAST)
    return True


@jit
def count_set(board, code):
    """Note what the distractor set just placed punishes."""
    board.codes[board.made] = code
    board.made += 1


@jit
def add_set(board, kind, child):
    """Add a copy of the command that its misreading reaches, without a second referent, and return whether it is there.

    The copy lacks the clause about `child`, or has a word changed or words exchanged, drawn anew at every try.
    """
    everyone, before = board.everyone, board.n
    for _ in range(TRIES):
        if kind == RELATION_SET:
            words, alive, code = board.said, everyone & ~below_clause(board, child), kind << 12 | child << 8
        else:
            words, alive, code = board.misread, everyone, _misread(board, kind)
        if code == 0 or not draw(board, words, alive):
            continue
        placed = place_all(board, words, alive, board.spec, kind, False)
        placed = placed and (kind == RELATION_SET or _add_contrasts(board, words))
        reached = placed and referents(board, words, alive, False) & bit(before)
        if reached and not referents(board, board.said, everyone, False) & ~bit(0):
            count_set(board, code)
            return True
        take_back(board, before)
    return False


@jit
def _misread(board, kind):
    """Write a misreading of a kind to `misread`; its code, 0 if there is none."""
    start_misreading(board)
    return _misread_word(board) if kind == ATTRIBUTE_SET else _exchange_words(board)


@jit
def _misread_word(board):
    """Change one word of one phrase, the noun 'box' excepted; the code of the change, 0 if there is no word."""
    said, misread = board.said, board.misread
    seen, mention = 0, -1
    for k in range(board.mentions):
        if 0 <= said[k, SHAPE] < BOX or said[k, COLOR] >= 0 or said[k, SIZE_WORD] >= 0:
            seen += 1
            if below(board.rng, seen) == 0:
                mention = k
    if mention < 0:
        return 0
    seen, slot = 0, -1
    for s in range(3):
        if said[mention, s] >= 0 and not (s == SHAPE and said[mention, s] == BOX):
            seen += 1
            if below(board.rng, seen) == 0:
                slot = s
    if slot == SIZE_WORD:
        value = 1 - said[mention, slot]
    elif slot == COLOR:
        value = (said[mention, slot] + 1 + below(board.rng, 3)) % 4
    else:
        value = (said[mention, slot] + 1 + below(board.rng, 2)) % 3
    misread[mention, slot] = value
    return ATTRIBUTE_SET << 12 | mention << 8 | slot << 4 | value


@jit
def _exchange_words(board):
    """Exchange colours, or sizes and nouns, between two phrases, not the target's; the code, 0 if nothing changes."""
    said, misread = board.said, board.misread
    n = 0
    for k in range(1, board.mentions):
        n += said[k, SHAPE] != BOX
    if n < 2:
        return 0
    i = below(board.rng, n)
    j = (i + 1 + below(board.rng, n - 1)) % n
    one, other = _nth_solid(board, min(i, j)), _nth_solid(board, max(i, j))
    by_shape = below(board.rng, 2)
    if _is_tied(said[one, RELATION], by_shape) or _is_tied(said[other, RELATION], by_shape):
        return 0
    differ = False
    for slot in range(3):
        if (slot == COLOR) == (by_shape == 0):
            misread[one, slot], misread[other, slot] = said[other, slot], said[one, slot]
            differ = differ or said[one, slot] != said[other, slot]
    return (ISOMORPHISM_SET << 12 | one << 8 | other << 4 | by_shape) if differ else 0


@jit
def _is_tied(relation, by_shape):
    """Whether a relation fixes what would be exchanged."""
    if by_shape == 0:
        return relation == SAME_COLOR
    return SAME_SIZE <= relation <= SAME_SHAPE and relation != SAME_COLOR


@jit
def _nth_solid(board, n):
    """The nth mention, counted from 0, that is neither the target nor a box."""
    for k in range(1, board.mentions):
        if board.said[k, SHAPE] != BOX:
            if n == 0:
                return k
            n -= 1
    return -1


@jit
def fill_up(board, fill):
    """Random solids, none of which lets a second referent in, until the board holds `fill`."""
    for _ in range(8 * fill):
        if board.n >= min(fill, board.cap):
            return
        shape, color = below(board.rng, 3), below(board.rng, 4)
        bound = bound_of(board, shape, color)
        size = draw_size(board, shape, color, -1)
        word = 0 if bound < 0 else 1 if size == board.lows[bound] else 2
        cell = find_cell(board)
        if cell < 0:
            return
        before = board.n
        put(board, shape, color, size, cell, RANDOM << ROLE | word)
        if referents(board, board.said, board.everyone, False) & ~bit(0):
            take_back(board, before)
