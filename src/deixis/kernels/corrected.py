"""One try at a world in which every clause is needed and every distractor does what it was made for.

Unlike the released generator (see `compatible`): a size word bounds its whole class to two sizes, so that 'small' means the same read as *smaller than another* and as *smallest*;
things in the same row or column stand anywhere in it; attributes are really shared where a relation says so; a distractor set that lets a second
referent in, or that its misreading does not reach, is taken back and drawn again.
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
    below_clause,
    find_cell,
    find_place,
    fitting,
    picked,
    put,
    take_back,
    wipe,
)


__all__ = ["try_corrected"]

SAME_SIZE, SAME_COLOR, SAME_SHAPE = 3, 4, 5
MENTIONED, RELATION_SET, ATTRIBUTE_SET, ISOMORPHISM_SET, SIZE_SET, RANDOM = 1, 2, 3, 4, 5, 6
ROLE = 5  # a role is its kind, shifted by so many bits, and the number of the mention or set
OK, NO_ROOM, AMBIGUOUS_RELATION, AMBIGUOUS_ATTRIBUTE, AMBIGUOUS_ISOMORPHISM, AMBIGUOUS_RANDOM, NO_REFERENT = range(7)
IDLE_CLAUSE, READINGS_DIFFER = 7, 8
TRIES = 12  # at one distractor set
_NONE = np.uint64(0)


@jit
def _overlap(said, one, other):
    """Whether some object could belong to the classes of both phrases."""
    for slot in (SHAPE, COLOR):
        a, b = said[one, slot], said[other, slot]
        if a >= 0 and b >= 0 and a != b:
            return False
    return True


@jit
def _draw_bounds(said, low, high, rng):
    """Two sizes for every phrase with a size word, the same for classes that overlap; low, high are int64 [mention].

    Classes that overlap through others share their sizes too: each group takes the sizes drawn for its first phrase.
    """
    mentions = said.shape[0]
    for k in range(mentions):
        low[k] = high[k] = 0
        if said[k, SIZE_WORD] >= 0:
            low[k] = 1 + below(rng, 3)
            high[k] = low[k] + 1 + below(rng, 4 - low[k])
    for _ in range(mentions):
        for k in range(mentions):
            for j in range(mentions):
                if low[k] > 0 and low[j] > 0 and low[j] * 8 + high[j] < low[k] * 8 + high[k] and _overlap(said, k, j):
                    low[k], high[k] = low[j], high[j]


@jit
def _bound(said, low, shape, color):
    """A phrase with a size word whose class holds such an object, or -1."""
    for k in range(said.shape[0]):
        if low[k] > 0 and (said[k, SHAPE] < 0 or said[k, SHAPE] == shape) and (said[k, COLOR] < 0 or said[k, COLOR] == color):
            return k
    return -1


@jit
def _draw_size(said, low, high, shape, color, word, rng):
    """A size for an object, within the bounds of its class."""
    k = _bound(said, low, shape, color)
    if k >= 0:
        is_big = word == 1 or (word < 0 and below(rng, 2) == 1)
        return high[k] if is_big else low[k]
    return 1 + below(rng, 4) if word < 0 else 1 + word + below(rng, 3)


@jit
def _draw(said, words, alive, low, high, spec, rng):
    """Draw what the words leave open, so that attributes named by relations are shared; whether that worked.

    `said` are the command's own words, which bound the sizes; `words` are those of the copy that is drawn.
    """
    mentions = words.shape[0]
    for k in range(mentions - 1, -1, -1):
        if (alive >> k) & 1:
            spec[k, 0] = words[k, SHAPE] if words[k, SHAPE] >= 0 else below(rng, 3)
            spec[k, 1] = words[k, COLOR] if words[k, COLOR] >= 0 else below(rng, 4)
    for k in range(mentions - 1, 0, -1):
        parent, relation = words[k, PARENT], words[k, RELATION]
        if (alive >> k) & 1 and relation >= SAME_COLOR:
            slot = 1 if relation == SAME_COLOR else 0
            said_of_parent = words[parent, COLOR] if relation == SAME_COLOR else words[parent, SHAPE]
            if said_of_parent >= 0 and said_of_parent != spec[k, slot]:
                return False
            spec[parent, slot] = spec[k, slot]
    for k in range(mentions):
        if (alive >> k) & 1:
            spec[k, 2] = _draw_size(said, low, high, spec[k, 0], spec[k, 1], words[k, SIZE_WORD], rng)
    for k in range(mentions - 1, 0, -1):
        if (alive >> k) & 1 and words[k, RELATION] == SAME_SIZE:
            parent = words[k, PARENT]
            if _bound(said, low, spec[k, 0], spec[k, 1]) < 0:
                spec[k, 2] = spec[parent, 2]
            elif _bound(said, low, spec[parent, 0], spec[parent, 1]) < 0:
                spec[parent, 2] = spec[k, 2]
            elif spec[parent, 2] != spec[k, 2]:
                return False
    return True


@jit
def _place(board, words, alive, spec, where, kind, number, rng):
    """Put the mentions on the board in order; whether all found a place."""
    for k in range(words.shape[0]):
        if (alive >> k) & 1:
            parent = words[k, PARENT]
            anchor = where[parent] if parent >= 0 else -1
            cell = -1
            if board.n < board.cap:
                cell = find_place(board, spec[k, 0], spec[k, 2], words[k, RELATION], anchor, False, rng)
            if cell < 0:
                return False
            role = kind << ROLE | (k if kind == MENTIONED else number)
            where[k] = put(board, spec[k, 0], spec[k, 1], spec[k, 2], cell, role if kind != MENTIONED or k else 0)
    return True


@jit
def _add_set(board, said, words, alive, low, high, spec, where, kind, number, rng):
    """Place one copy that its misreading reaches and that lets no second referent in; whether that worked."""
    everyone = (1 << said.shape[0]) - 1
    before = board.n
    if not _draw(said, words, alive, low, high, spec, rng):
        return False
    if _place(board, words, alive, spec, where, kind, number, rng):
        reached = picked(board, words, alive, False) & bit(before)
        if reached and not picked(board, said, everyone, False) & ~bit(0):
            return True
    take_back(board, before)
    return False


@jit
def _add_counterparts(board, said, low, high, codes, sets, rng):
    """For every size word an object of the other size, where its class has none yet; how many sets there are afterwards."""
    for k in range(said.shape[0]):
        if said[k, SIZE_WORD] < 0 or fitting(board, said, k, False) & bit(k):
            continue
        size = high[k] if said[k, SIZE_WORD] == 0 else low[k]
        shape = said[k, SHAPE] if said[k, SHAPE] >= 0 else below(rng, 3)
        color = said[k, COLOR] if said[k, COLOR] >= 0 else below(rng, 4)
        if board.n >= board.cap:
            return -1
        cell = find_place(board, shape, size, -1, -1, False, rng)
        if cell < 0:
            return -1
        put(board, shape, color, size, cell, SIZE_SET << ROLE | sets)
        codes[sets] = SIZE_SET << 12 | k << 8
        sets += 1
    return sets


@jit
def _misread_word(said, words, rng):
    """Change one word of one phrase, the noun 'box' excepted; the code of the change, 0 if there is no word."""
    words[:, :] = said
    seen, mention = 0, -1
    for k in range(said.shape[0]):
        if 0 <= said[k, SHAPE] < BOX or said[k, COLOR] >= 0 or said[k, SIZE_WORD] >= 0:
            seen += 1
            if below(rng, seen) == 0:
                mention = k
    if mention < 0:
        return 0
    seen, slot = 0, -1
    for s in (SHAPE, COLOR, SIZE_WORD):
        if said[mention, s] >= 0 and not (s == SHAPE and said[mention, s] == BOX):
            seen += 1
            if below(rng, seen) == 0:
                slot = s
    if slot == SIZE_WORD:
        words[mention, slot] = 1 - said[mention, slot]
    elif slot == COLOR:
        words[mention, slot] = (said[mention, slot] + 1 + below(rng, 3)) % 4
    else:
        words[mention, slot] = (said[mention, slot] + 1 + below(rng, 2)) % 3
    return ATTRIBUTE_SET << 12 | mention << 8 | slot << 4 | words[mention, slot]


@jit
def _exchange_words(said, words, rng):
    """Exchange colours, or sizes and nouns, between two phrases other than the target's; the code, 0 if it changes nothing."""
    words[:, :] = said
    open_ = np.empty(16, np.int64)
    n = 0
    for k in range(1, said.shape[0]):
        if said[k, SHAPE] != BOX:
            open_[n] = k
            n += 1
    if n < 2:
        return 0
    i = below(rng, n)
    j = (i + 1 + below(rng, n - 1)) % n
    one, other = min(open_[i], open_[j]), max(open_[i], open_[j])
    by_shape = below(rng, 2)
    for k in (one, other):
        relation = said[k, RELATION]
        if (by_shape == 0 and relation == SAME_COLOR) or (by_shape == 1 and relation in (SAME_SHAPE, SAME_SIZE)):
            return 0
    differ = False
    for slot in (SHAPE, COLOR, SIZE_WORD):
        if (slot == COLOR) == (by_shape == 0):
            words[one, slot], words[other, slot] = said[other, slot], said[one, slot]
            differ = differ or said[one, slot] != said[other, slot]
    return (ISOMORPHISM_SET << 12 | one << 8 | other << 4 | by_shape) if differ else 0


@jit
def _fill(board, said, low, high, fill, rng):
    """Random solids, none of which lets a second referent in, until the board holds `fill`."""
    everyone = (1 << said.shape[0]) - 1
    for _ in range(8 * fill):
        if board.n >= min(fill, board.cap):
            return
        shape, color = below(rng, 3), below(rng, 4)
        bound = _bound(said, low, shape, color)
        size = _draw_size(said, low, high, shape, color, -1, rng)
        word = 0 if bound < 0 else 1 if size == low[bound] else 2
        cell = find_cell(board, rng)
        if cell < 0:
            return
        before = board.n
        put(board, shape, color, size, cell, RANDOM << ROLE | word)
        if picked(board, said, everyone, False) & ~bit(0):
            take_back(board, before)


@jit
def try_corrected(board, said, fill, kinds, codes, rng):
    """One try: (outcome, number of distractor sets). `kinds` has bits 1 relation, 2 attribute, 4 isomorphism, 8 random."""
    mentions = said.shape[0]
    everyone = (1 << mentions) - 1
    spec, where, words = board.spec, board.where, board.words[:mentions]
    low, high = board.lows, board.highs
    wipe(board)
    _draw_bounds(said, low, high, rng)
    if not _draw(said, said, everyone, low, high, spec, rng):
        return NO_ROOM, 0
    if not _place(board, said, everyone, spec, where, MENTIONED, 0, rng):
        return NO_ROOM, 0
    sets = _add_counterparts(board, said, low, high, codes, 0, rng)
    if sets < 0:
        return NO_ROOM, 0
    if picked(board, said, everyone, False) != bit(0):
        return NO_REFERENT, sets
    if kinds & 1:
        for child in range(1, mentions):
            alive = everyone & ~below_clause(said, child)
            added = False
            for _ in range(TRIES):
                if _add_set(board, said, said, alive, low, high, spec, where, RELATION_SET, sets, rng):
                    added = True
                    break
            if not added:
                return AMBIGUOUS_RELATION, sets
            codes[sets] = RELATION_SET << 12 | child << 8
            sets += 1
    for kind in (2, 4):
        if kinds & kind and board.n + mentions <= board.cap:
            for _ in range(TRIES):
                code = _misread_word(said, words, rng) if kind == 2 else _exchange_words(said, words, rng)
                role = ATTRIBUTE_SET if kind == 2 else ISOMORPHISM_SET
                if code and _add_set(board, said, words, everyone, low, high, spec, where, role, sets, rng):
                    codes[sets] = code
                    sets += 1
                    break
    if kinds & 8:
        _fill(board, said, low, high, fill, rng)
    if picked(board, said, everyone, False) != bit(0):
        return NO_REFERENT, sets
    if picked(board, said, everyone, True) != bit(0):
        return READINGS_DIFFER, sets
    if kinds & 1:  # a world of random distractors only makes no promise about its clauses
        for child in range(1, mentions):
            if picked(board, said, everyone & ~below_clause(said, child), False) == bit(0):
                return IDLE_CLAUSE, sets
    return OK, sets
