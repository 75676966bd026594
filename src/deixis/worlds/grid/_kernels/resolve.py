"""The program interpreter for grids: many scenes, each with the program that belongs to it."""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import jit
from deixis._kernels.ops import Op
from deixis.worlds.grid._kernels.grid_sets import add_to_sets, clear_sets, nth_from, related_to, towards
from deixis.worlds.grid._kernels.match import keep_matchable


ALL, IS, EXTREME, NTH, RELATED, MARK, COPY, NOT, OR = (  # as numbers, which compiled code holds as constants
    int(op) for op in (Op.ALL, Op.IS, Op.EXTREME, Op.NTH, Op.RELATED, Op.MARK, Op.COPY, Op.NOT, Op.OR)
)
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_64 = 64


@jit
def run_program(sets, size, objects, n, rows, tree, superlative, distinct, stack, candidates, chosen, open_):
    """The set that one program picks out of one scene whose sets are filled."""
    everything = ~_NONE if n >= _64 else (_ONE << np.uint64(n)) - _ONE
    top = -1
    for r in range(rows.shape[0]):
        op, a, b = rows[r, 0], rows[r, 1], rows[r, 2]
        if op == ALL:
            top += 1
            stack[top] = everything
        elif op == IS:
            stack[top] &= sets[4 * a + b]
        elif op == EXTREME:
            stack[top] = towards(sets, stack[top], b, superlative)
        elif op == NTH:
            stack[top] = nth_from(stack[top], objects, a, b)
        elif op == RELATED:
            top -= 1
            stack[top] &= related_to(sets, size, objects, a, stack[top + 1])
        elif op == MARK:
            candidates[a] = stack[top]
        elif op == COPY:
            top += 1
            stack[top] = stack[top - 1 - a]
        elif op == NOT:
            top -= 1
            stack[top] &= ~stack[top + 1]
        elif op == OR:
            top -= 1
            stack[top] |= stack[top + 1]
        else:  # DROP
            top -= 1
            stack[top] = stack[top + 1]
    if distinct:
        return keep_matchable(sets, size, objects, tree, tree.shape[0], candidates, chosen, open_)
    return stack[0]


@jit
def resolve_grids(objects, counts, size, rows, row_start, tree, tree_start, which, superlative, distinct, out):
    """Fill `out` with what each scene's program picks out of it.

    Shapes:
        objects: uint8 [scene, place, 5]; counts: uint8 [scene].
        rows: int16 [row, 3] of all programs, row_start: int64 [program + 1]; tree and tree_start likewise.
        which: int64 [scene], the number of the scene's program.
        out: uint64 [scene].
    """
    sets = np.empty(12 + 2 * size, np.uint64)
    stack = np.empty(17, np.uint64)
    candidates = np.empty(16, np.uint64)
    chosen = np.empty(16, np.int64)
    open_ = np.empty(16, np.uint64)
    for s in range(objects.shape[0]):
        clear_sets(sets)
        for i in range(counts[s]):
            add_to_sets(sets, size, i, objects[s, i])
        p = which[s]
        out[s] = run_program(
            sets,
            size,
            objects[s],
            counts[s],
            rows[row_start[p] : row_start[p + 1]],
            tree[tree_start[p] : tree_start[p + 1]],
            superlative,
            distinct,
            stack,
            candidates,
            chosen,
            open_,
        )
