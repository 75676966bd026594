"""The program interpreter for scene graphs, over many pairs of a program and a scene.

`resolve_graphs` reads what is recorded as all there is; `judge_graphs` keeps two sets at every step, the objects that
certainly fit and those that possibly do. The plain twins are `resolution.reference` and
`worlds.photos.resolution.unknowns`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import bit, jit, lowest
from deixis._kernels.ops import Op
from deixis.worlds.photos._kernels.graph_sets import copy_set, fill_set, keep_nth, keep_related, keep_value, related


ALL, IS, EXTREME, NTH, RELATED, MARK, COPY, NOT, OR = (  # as numbers, which compiled code holds as constants
    int(op) for op in (Op.ALL, Op.IS, Op.EXTREME, Op.NTH, Op.RELATED, Op.MARK, Op.COPY, Op.NOT, Op.OR)
)
STACK, MENTIONS = 17, 16
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@jit
def _open_partners(graphs, start, parent, relation, candidates, used, open_, loose):
    """Fill `open_` with the candidates that the parent stands in the relation to and that are not used; whether any."""
    found = _NONE
    for w in range(candidates.shape[0]):
        open_[w] = _NONE
        rest = candidates[w] & ~used[w]
        while rest != _NONE:
            i = lowest(rest)
            rest &= rest - _ONE
            if related(graphs, start, parent, relation, 64 * w + i, loose):
                open_[w] |= bit(i)
        found |= open_[w]
    return found != _NONE


@jit
def _take(open_):
    """Take the first object out of a set, or -1 when it is empty."""
    for w in range(open_.shape[0]):
        if open_[w] != _NONE:
            i = lowest(open_[w])
            open_[w] &= open_[w] - _ONE
            return 64 * w + i
    return -1


@jit
def _matchable(graphs, start, tree, candidates, chosen, open_, used, root, loose):
    """Return whether mention 0 can be `root` with all mentions matched to different objects."""
    mentions = tree.shape[0]
    used[:] = _NONE
    used[root >> 6] |= bit(root & 63)
    chosen[0] = root
    level = 1
    fresh = True
    while level >= 1:
        if level == mentions:
            return True
        if fresh:
            parent = chosen[tree[level, 0]]
            _open_partners(graphs, start, parent, tree[level, 1], candidates[level], used, open_[level], loose)
        pick = _take(open_[level])
        if pick < 0:
            level -= 1
            if level >= 1:
                used[chosen[level] >> 6] &= ~bit(chosen[level] & 63)
            fresh = False
            continue
        chosen[level] = pick
        used[pick >> 6] |= bit(pick & 63)
        level += 1
        fresh = True
    return False


@jit
def _keep_matchable(graphs, start, tree, candidates, chosen, open_, used, members, loose):
    """Take out of a set the objects for which the mentions cannot be matched to different objects."""
    if tree.shape[0] <= 2:  # a mention and its parent differ already
        return
    for w in range(members.shape[0]):
        rest = members[w]
        while rest != _NONE:
            i = lowest(rest)
            rest &= rest - _ONE
            if not _matchable(graphs, start, tree, candidates, chosen, open_, used, 64 * w + i, loose):
                members[w] &= ~bit(i)


@jit
def _run(graphs, start, n, rows, tree, stack, candidates, chosen, open_, used):
    """Leave in stack[0] what one program picks out of one scene."""
    top = -1
    for r in range(rows.shape[0]):
        op, a, b = rows[r, 0], rows[r, 1], rows[r, 2]
        if op == ALL:
            top += 1
            fill_set(stack[top], n)
        elif op == IS:
            if not keep_value(graphs, start, stack[top], a, b, False) and top == 0:
                return  # nothing is left of what is described, and no later step adds to it
        elif op == NTH:
            copy_set(stack[top], stack[top + 1])
            keep_nth(graphs, start, stack[top], stack[top + 1], a, b)
        elif op == RELATED:
            top -= 1
            keep_related(graphs, start, stack[top], a, stack[top + 1], False)
        elif op == MARK:
            copy_set(stack[top], candidates[a])
        elif op == COPY:
            top += 1
            copy_set(stack[top - 1 - a], stack[top])
        elif op == NOT:
            top -= 1
            for w in range(stack.shape[1]):
                stack[top, w] &= ~stack[top + 1, w]
        elif op == OR:
            top -= 1
            for w in range(stack.shape[1]):
                stack[top, w] |= stack[top + 1, w]
        else:  # DROP
            top -= 1
            copy_set(stack[top + 1], stack[top])
    _keep_matchable(graphs, start, tree, candidates, chosen, open_, used, stack[0], False)


@jit
def _judge(graphs, start, n, rows, tree, sure, maybe, sure_of, maybe_of, chosen, open_, used):
    """Leave in sure[0] and maybe[0] what one program certainly and possibly picks out of one scene."""
    top = -1
    for r in range(rows.shape[0]):
        op, a, b = rows[r, 0], rows[r, 1], rows[r, 2]
        if op == ALL:
            top += 1
            fill_set(sure[top], n)
            fill_set(maybe[top], n)
        elif op == IS:
            keep_value(graphs, start, sure[top], a, b, False)
            if not keep_value(graphs, start, maybe[top], a, b, True) and top == 0:
                return
        elif op == NTH:
            keep_nth(graphs, start, sure[top], maybe[top], a, b)
        elif op == RELATED:
            top -= 1
            keep_related(graphs, start, sure[top], a, sure[top + 1], False)
            keep_related(graphs, start, maybe[top], a, maybe[top + 1], True)
        elif op == MARK:
            copy_set(sure[top], sure_of[a])
            copy_set(maybe[top], maybe_of[a])
        elif op == COPY:
            top += 1
            copy_set(sure[top - 1 - a], sure[top])
            copy_set(maybe[top - 1 - a], maybe[top])
        elif op == NOT:
            top -= 1
            for w in range(sure.shape[1]):
                sure[top, w] &= ~maybe[top + 1, w]
                maybe[top, w] &= ~sure[top + 1, w]
        elif op == OR:
            top -= 1
            for w in range(sure.shape[1]):
                sure[top, w] |= sure[top + 1, w]
                maybe[top, w] |= maybe[top + 1, w]
        else:  # DROP
            top -= 1
            copy_set(sure[top + 1], sure[top])
            copy_set(maybe[top + 1], maybe[top])
    _keep_matchable(graphs, start, tree, sure_of, chosen, open_, used, sure[0], False)
    _keep_matchable(graphs, start, tree, maybe_of, chosen, open_, used, maybe[0], True)


@jit
def resolve_graphs(graphs, rows, row_start, tree, tree_start, which, scenes, out):
    """Fill `out` with what each program picks out of its scene.

    Shapes:
        graphs: see `Graphs`.
        rows: int16 [row, 3] of all programs, row_start: int64 [program + 1]; tree and tree_start likewise.
        which, scenes: int64 [pair], the numbers of program and scene.
        out: uint64 [pair, word].
    """
    words = out.shape[1]
    stack = np.empty((STACK + 1, words), np.uint64)
    candidates = np.empty((MENTIONS, words), np.uint64)
    open_ = np.empty((MENTIONS, words), np.uint64)
    chosen = np.empty(MENTIONS, np.int64)
    used = np.empty(words, np.uint64)
    for k in range(scenes.shape[0]):
        p, start, end = which[k], graphs.scene_ptr[scenes[k]], graphs.scene_ptr[scenes[k] + 1]
        own_rows, own_tree = rows[row_start[p] : row_start[p + 1]], tree[tree_start[p] : tree_start[p + 1]]
        _run(graphs, start, end - start, own_rows, own_tree, stack, candidates, chosen, open_, used)
        for w in range(words):
            out[k, w] = stack[0, w]


@jit
def judge_graphs(graphs, rows, row_start, tree, tree_start, which, scenes, certain, possible):
    """Fill `certain` and `possible` with what each program picks out of its scene, in the shapes above."""
    words = certain.shape[1]
    sure = np.empty((STACK + 1, words), np.uint64)
    maybe = np.empty((STACK + 1, words), np.uint64)
    sure_of = np.empty((MENTIONS, words), np.uint64)
    maybe_of = np.empty((MENTIONS, words), np.uint64)
    open_ = np.empty((MENTIONS, words), np.uint64)
    chosen = np.empty(MENTIONS, np.int64)
    used = np.empty(words, np.uint64)
    for k in range(scenes.shape[0]):
        p, start, end = which[k], graphs.scene_ptr[scenes[k]], graphs.scene_ptr[scenes[k] + 1]
        own_rows, own_tree = rows[row_start[p] : row_start[p + 1]], tree[tree_start[p] : tree_start[p + 1]]
        _judge(graphs, start, end - start, own_rows, own_tree, sure, maybe, sure_of, maybe_of, chosen, open_, used)
        for w in range(words):
            certain[k, w] = sure[0, w]
            possible[k, w] = maybe[0, w]
