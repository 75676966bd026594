"""The layout of scene graphs, and sets of the objects that have a value or stand in a relation.

A set of objects of one scene is a row of words, one bit per object, as many words as the fullest scene needs. Every
question can be put loosely: what is not recorded then counts as possible, unless something that is recorded rules it
out. The plain twins are `GraphScene` and `worlds.photos.resolution.unknowns`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deixis._kernels.bitsets import bit, jit, lowest


LEFT, RIGHT, TOP, BOTTOM, MIDDLE = 0, 1, 2, 3, 4
NEVER, SILENT, ALWAYS = 0, 1, 2  # when an unrecorded relation is possible
_NONE = np.uint64(0)
_ONE = np.uint64(1)


class Graphs(NamedTuple):
    """The arrays of a table, and its known gaps.

    Shapes:
        scene_ptr, attr_ptr, edge_ptr: int64; name, attr, relation, target: int32; box: float32 [object, 4].
        word_start: int64 [dimension + 1], where the words of each dimension begin; the name is dimension 0.
        same: int64 [computed relation, 3], the words that two objects must share one of (first and end) and their
            dimension.
        is_open: bool [dimension], whether an object may have further values of it.
        is_complete: bool [relation], whether every link is recorded.
        policy: int64 [1], when a link that is not recorded is possible.
    """

    scene_ptr: np.ndarray
    name: np.ndarray
    attr_ptr: np.ndarray
    attr: np.ndarray
    edge_ptr: np.ndarray
    relation: np.ndarray
    target: np.ndarray
    box: np.ndarray
    word_start: np.ndarray
    same: np.ndarray
    is_open: np.ndarray
    is_complete: np.ndarray
    policy: np.ndarray


@jit
def fill_set(members, n):
    """Fill a set with the first n objects."""
    for w in range(members.shape[0]):
        here = n - 64 * w
        members[w] = ~_NONE if here >= 64 else (_ONE << np.uint64(here)) - _ONE if here > 0 else _NONE


@jit
def copy_set(source, members):
    """Make one set equal to another."""
    for w in range(members.shape[0]):
        members[w] = source[w]


@jit
def contains(members, index):
    """Return whether an object is in a set."""
    return (members[index >> 6] >> np.uint64(index & 63)) & _ONE != _NONE


@jit
def _has_word(attr_ptr, attr, thing, first, end):
    """Return whether an object has a word of a stretch."""
    for k in range(attr_ptr[thing], attr_ptr[thing + 1]):
        if first <= attr[k] < end:
            return True
    return False


@jit
def _share(attr_ptr, attr, one, other, first, end):
    """Return whether two objects have a word of a stretch in common."""
    for k in range(attr_ptr[one], attr_ptr[one + 1]):
        if first <= attr[k] < end and _has_word(attr_ptr, attr, other, attr[k], attr[k] + 1):
            return True
    return False


@jit
def _is_silent(edge_ptr, relation, is_complete, thing):
    """Return whether nothing is recorded of an object but relations that are complete."""
    for e in range(edge_ptr[thing], edge_ptr[thing + 1]):
        if not is_complete[relation[e]]:
            return False
    return True


@jit
def related(graphs, start, one, relation, other, loose):
    """Return whether one object of the scene that begins at `start` stands in a relation to another."""
    if one == other:
        return False
    recorded = graphs.is_complete.shape[0]
    a, b = start + one, start + other
    if relation >= recorded:
        first, end, dimension = graphs.same[relation - recorded]
        if _share(graphs.attr_ptr, graphs.attr, a, b, first, end):
            return True
        if not loose or graphs.is_open[dimension]:
            return loose
        told = _has_word(graphs.attr_ptr, graphs.attr, a, first, end)
        return not (told and _has_word(graphs.attr_ptr, graphs.attr, b, first, end))
    for e in range(graphs.edge_ptr[a], graphs.edge_ptr[a + 1]):
        if graphs.relation[e] == relation and graphs.target[e] == other:
            return True
    if not loose or graphs.is_complete[relation] or graphs.policy[0] == NEVER:
        return False
    return graphs.policy[0] == ALWAYS or _is_silent(graphs.edge_ptr, graphs.relation, graphs.is_complete, a)


@jit
def keep_value(graphs, start, members, dimension, value, loose):
    """Take the objects that lack a value out of a set, and return whether any are left."""
    first, end = graphs.word_start[dimension], graphs.word_start[dimension + 1]
    is_open = loose and graphs.is_open[dimension]
    left = _NONE
    for w in range(members.shape[0]):
        thing = start + 64 * w
        rest, here, kept = members[w], _ONE, _NONE
        while rest != _NONE:
            if rest & _ONE != _NONE:
                if dimension == 0:
                    fits = graphs.name[thing] == value
                else:
                    fits = is_open or _has_word(graphs.attr_ptr, graphs.attr, thing, first + value, first + value + 1)
                    if loose and not fits:
                        fits = not _has_word(graphs.attr_ptr, graphs.attr, thing, first, end)
                if fits:
                    kept |= here
            rest >>= _ONE
            here <<= _ONE
            thing += 1
        members[w] = kept
        left |= kept
    return left != _NONE


@jit
def _reaches(graphs, start, one, relation, others, loose):
    """Return whether an object stands in a relation to some other object of a set, each of them tried."""
    for w in range(others.shape[0]):
        rest = others[w]
        while rest != _NONE:
            i = lowest(rest)
            rest &= rest - _ONE
            if related(graphs, start, one, relation, 64 * w + i, loose):
                return True
    return False


@jit
def keep_related(graphs, start, members, relation, others, loose):
    """Take out of a set the objects that stand in the relation to nothing else in another set."""
    is_recorded = relation < graphs.is_complete.shape[0]
    for w in range(members.shape[0]):
        rest = members[w]
        while rest != _NONE:
            i = lowest(rest)
            rest &= rest - _ONE
            one = 64 * w + i
            reaches = False
            if is_recorded:
                for e in range(graphs.edge_ptr[start + one], graphs.edge_ptr[start + one + 1]):
                    other = graphs.target[e]
                    if graphs.relation[e] == relation and other != one and contains(others, other):
                        reaches = True
                        break
            if not reaches and (loose or not is_recorded):
                reaches = _reaches(graphs, start, one, relation, others, loose)
            if not reaches:
                members[w] &= ~bit(i)


@jit
def _place(graphs, thing, side):
    """How far an object's centre is from a side, up to a constant."""
    axis = 0 if side in (LEFT, RIGHT, MIDDLE) else 1
    centre = np.float64(graphs.box[thing, axis]) + np.float64(graphs.box[thing, axis + 2]) / 2
    return -centre if side in (RIGHT, BOTTOM) else centre


@jit
def _ranks(graphs, start, members, thing, side, found):
    """Count the objects of a set before, level with (itself apart) and behind one object, seen from a side."""
    found[0], found[1], found[2] = 0, 0, 0
    here = _place(graphs, start + thing, side)
    for w in range(members.shape[0]):
        rest = members[w]
        while rest != _NONE:
            i = lowest(rest)
            rest &= rest - _ONE
            if 64 * w + i != thing:
                there = _place(graphs, start + 64 * w + i, side)
                found[0 if there < here else 1 if there == here else 2] += 1


@jit
def keep_nth(graphs, start, certain, possible, index, side):
    """Take out of two sets what is not the nth from a side (or not in the middle) in any pool, or not in every pool.

    A pool is any set that holds all of `certain` and nothing but `possible`. Given the same set twice, both become the
    nth object of that set, or nothing where the rank is shared.
    """
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    sure, maybe = np.zeros_like(certain), np.zeros_like(certain)
    for w in range(possible.shape[0]):
        rest = possible[w]
        while rest != _NONE:
            i = lowest(rest)
            rest &= rest - _ONE
            _ranks(graphs, start, certain, 64 * w + i, side, low)
            _ranks(graphs, start, possible, 64 * w + i, side, high)
            if side == MIDDLE:
                fits = index == 1 and low[0] <= high[2] and low[2] <= high[0]
                always = index == 1 and low[0] == low[2] == high[0] == high[2]
            else:
                fits = low[0] <= index - 1 <= high[0]
                always = low[0] == high[0] == index - 1
            if fits and low[1] == 0:
                maybe[w] |= bit(i)
                if always and high[1] == 0 and certain[w] & bit(i) != _NONE:
                    sure[w] |= bit(i)
    copy_set(sure, certain)
    copy_set(maybe, possible)
