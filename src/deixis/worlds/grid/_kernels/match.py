"""The reader of blueprints: what an expression as integers picks out, every mention matched to a different object.

Mentions form a tree, numbered so that a parent comes before its children. The search is plain backtracking over
candidate sets that the steps have already narrowed, so it seldom tries more than a few objects. The plain twin is
`resolution.reference`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import bit, jit, jit_inline, lowest
from deixis.worlds.grid._kernels.grid_sets import BOX, INSIDE, opposite, related_to


PARENT, RELATION = 3, 4  # of a mention in a blueprint

_NONE = np.uint64(0)
_ONE = np.uint64(1)


@jit
def partners(sets, size, objects, relation, parent, candidates):
    """The candidates that the parent stands in the relation to."""
    if relation != INSIDE:  # those that stand to the parent as it does to them, where there are sides the other way
        return candidates & related_to(sets, size, objects, opposite(relation), bit(parent))
    found = _NONE
    boxes = candidates & sets[BOX] & ~bit(parent)
    row, column = objects[parent, 3], objects[parent, 4]
    while boxes != _NONE:
        box = lowest(boxes)
        boxes &= boxes - _ONE
        b = objects[box]
        if b[3] <= row < b[3] + b[2] and b[4] <= column < b[4] + b[2]:
            found |= bit(box)
    return found


@jit
def _matchable(sets, size, objects, tree, mentions, candidates, chosen, open_, root):
    """Whether mention 0 can be `root` with all mentions matched to different objects."""
    chosen[0] = root
    used = bit(root)
    level = 1
    fresh = True
    while level >= 1:
        if level == mentions:
            return True
        if fresh:
            parent = chosen[tree[level, 0]]
            open_[level] = partners(sets, size, objects, tree[level, 1], parent, candidates[level]) & ~used
        if open_[level] == _NONE:
            level -= 1
            if level >= 1:
                used &= ~bit(chosen[level])
            fresh = False
            continue
        pick = lowest(open_[level])
        open_[level] &= open_[level] - _ONE
        chosen[level] = pick
        used |= bit(pick)
        level += 1
        fresh = True
    return False


@jit
def keep_matchable(sets, size, objects, tree, mentions, candidates, chosen, open_):
    """The objects of mention 0 for which all mentions can be matched to different objects.

    Shapes:
        tree: int [mention, 2], parent and relation.
        candidates: uint64 [mention], what the steps left for each.
        chosen: int64 [mention], open_: uint64 [mention]: working space.
    """
    roots = candidates[0]
    if mentions <= 2:  # a mention and its parent differ already: no object stands in a relation to itself
        return roots
    kept = _NONE
    while roots != _NONE:
        root = lowest(roots)
        roots &= roots - _ONE
        if _matchable(sets, size, objects, tree, mentions, candidates, chosen, open_, root):
            kept |= bit(root)
    return kept


@jit_inline
def read_blueprint(sets, size, objects, words, mentions, alive, fits, tree, candidates, chosen, open_):
    """The objects that a blueprint picks out, counting only the mentions in `alive`, which has a bit for each.

    Shapes:
        words: int [mention, 5], of which parent and relation are read; parents come before children.
        fits: uint64 [mention], the objects that fit the words of each, at least one; narrowed here by what is said of
            them.
        tree: int64 [mention, 2], candidates: uint64 [mention], chosen: int64 [mention], open_: uint64 [mention]:
            working space.
    """
    for m in range(mentions - 1, 0, -1):
        if (alive >> m) & 1:
            parent = words[m, PARENT]
            fits[parent] &= related_to(sets, size, objects, words[m, RELATION], fits[m])
            if fits[parent] == _NONE:
                return _NONE
    kept = 0
    for m in range(mentions):
        if (alive >> m) & 1:
            candidates[kept] = fits[m]
            chosen[m] = kept  # its number among the mentions that count, for a moment
            tree[kept, 0] = chosen[words[m, PARENT]] if m > 0 else -1
            tree[kept, 1] = words[m, RELATION]
            kept += 1
    return keep_matchable(sets, size, objects, tree, kept, candidates, chosen, open_)
