"""Resolution of programs on some tables, the compiled twin of `deixis.resolution.reference` for this world.

A program has the rows of `deixis.expression.program`. Mentions may be the same object, so marks are passed over.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import bit, count, jit, lowest
from deixis._kernels.ops import Op


ALL, IS, NTH, RELATED, COPY, NOT, OR, DROP = (
    *(int(Op.ALL), int(Op.IS), int(Op.NTH), int(Op.RELATED)),
    *(int(Op.COPY), int(Op.NOT), int(Op.OR), int(Op.DROP)),
)
SPATIAL = 5  # relations from here on compare values: of size, colour, material, shape
STACK = 16
LEFT, RIGHT, TOP, BOTTOM, MIDDLE = range(5)  # sides, in the order of `deixis.expression.steps.SIDES`
_NONE = np.uint64(0)


@jit
def pick_out(rows, start, stop, held, values, related, places, tables, stack):
    """Return the solids that the program in the rows from `start` to `stop` picks out.

    Shapes:
        rows: int16 [row, 3].
        held: uint64 [attribute, value], the solids that have a value. values: int64 [solid, attribute].
        related: uint64 [relation, solid]. places: int64 [solid, 5].
        tables: uint64 [table], the solids of each. stack: uint64 [STACK], room to work.
    """
    everything = _NONE
    for t in range(len(tables)):
        everything |= tables[t]
    top = -1
    for row in range(start, stop):
        op = rows[row, 0]
        if op == ALL:
            top += 1
            stack[top] = everything
        elif op == IS:
            stack[top] &= held[rows[row, 1], rows[row, 2]]
        elif op == NTH:
            stack[top] = take_rank(stack[top], rows[row, 1], rows[row, 2], places, tables)
        elif op == RELATED:
            top -= 1
            stack[top] = keep_related(stack[top], rows[row, 1], stack[top + 1], held, values, related, tables)
        elif op == COPY:
            stack[top + 1] = stack[top - rows[row, 1]]
            top += 1
        elif op == NOT:
            top -= 1
            stack[top] &= ~stack[top + 1]
        elif op == OR:
            top -= 1
            stack[top] |= stack[top + 1]
        elif op == DROP:
            stack[top - 1] = stack[top]
            top -= 1
    return stack[top]


@jit
def keep_related(left, relation, others, held, values, related, tables):
    """Return the solids of a set that stand in a relation to one of some others."""
    kept, rest = _NONE, left
    while rest != _NONE:
        k = lowest(rest)
        rest &= ~bit(k)
        if relation < SPATIAL:
            there = related[relation, k]
        else:
            a = relation - SPATIAL
            there = held[a, values[k, a]] & table_with(k, tables) & ~bit(k)
        if there & others:
            kept |= bit(k)
    return kept


@jit
def table_with(k, tables):
    """Return the solids on the table of a solid."""
    for t in range(len(tables)):
        if tables[t] & bit(k):
            return tables[t]
    return _NONE


@jit
def take_rank(left, index, side, places, tables):
    """Return the solids that have a rank from a side, on each table the one."""
    found = _NONE
    axis = 3 if side in (TOP, BOTTOM) else 2
    sign = -1 if side in (RIGHT, TOP) else 1
    for t in range(len(tables)):
        here = left & tables[t]
        size, rest = count(here), here
        while rest != _NONE:
            k = lowest(rest)
            rest &= ~bit(k)
            before, after, others = 0, 0, here
            while others != _NONE:
                n = lowest(others)
                others &= ~bit(n)
                step = sign * (places[n, axis] - places[k, axis])
                before += step < 0
                after += step > 0
            wanted = after if side == MIDDLE else index - 1
            if before == wanted and before + after == size - 1:
                found |= bit(k)
    return found
