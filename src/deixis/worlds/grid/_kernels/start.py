"""Starts of the agent: anywhere, or so that directions, distances and lengths of plans come out even.

Directions are those in which the agent sees the target: north 0, then clockwise to north-west 7.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import below, jit, mix
from deixis.worlds.grid._kernels.plan import PULL, PUSH, plan_into


DIRECTIONS, DISTANCES, LENGTHS, SITUATIONS = 1, 2, 4, 8  # what comes out even, as bits
STRIDE = 97  # a prime that no number of situations is a multiple of, so that few worlds are of many kinds, too
REPEATS = 5  # how often gSCAN has every direction and distance, but for the least distance on a line and the greatest
ANYHOW, MOVING, STUCK = 0, 1, 2  # whether what is to be pushed or pulled must move, or must not
DRAWS = 48  # at a cell for the target
BINS = 6  # of plan lengths: 1 to 10, 11 to 20, …, over 50
_DOWN = (-1, -1, 0, 1, 1, 1, 0, -1)  # from the agent to the target, by direction
_RIGHT = (0, 1, 1, 1, 0, -1, -1, -1)


@jit
def aim(board, even, key, world, pushing):
    """Draw the direction and distance at which the agent is to find the target, and a cell for the target to fit them.

    Worlds of a command take turns, from a place that depends on its key. Sets `direction` and `distance` (-1 and 0 for
    any) and `wish`, the cell (-1 for any). What is to be pushed is not put where the way beyond it leads off the grid;
    nothing is aimed at where that leaves no cell. Among situations the size of the target is settled as well (`grade`),
    so that tries that fail do not favour some sizes.
    """
    board.direction, board.distance, board.wish, board.grade = -1, 0, -1, 0
    if not even & (DIRECTIONS | DISTANCES | SITUATIONS):
        return
    size = board.size
    turn = np.int64(mix(key) >> np.uint64(40)) + world
    if even & SITUATIONS:
        _draw_situation(board, turn)
        board.grade = 1 + np.int64(mix(key + np.uint64(world)) >> np.uint64(40)) % 3
    elif even & DIRECTIONS:
        board.direction = turn % 8
        turn //= 8
    if even & DISTANCES and not even & SITUATIONS:
        least = 2 if board.direction >= 0 and board.direction % 2 == 1 else 1
        most = size - 1 if board.direction >= 0 and board.direction % 2 == 0 else 2 * size - 2
        board.distance = least + turn % (most - least + 1)
    for _ in range(DRAWS):
        direction = board.direction if board.direction >= 0 else below(board.rng, 8)
        if board.distance > 0 and not _allows(direction, board.distance, size):
            continue
        down, right = _steps(board, direction, size)
        row = max(0, down) + below(board.rng, size - abs(down))
        column = max(0, right) + below(board.rng, size - abs(right))
        beyond = row + np.sign(down) if down != 0 else column + np.sign(right)  # rows are walked last
        if not pushing or 0 <= beyond < size:
            board.wish = row * size + column
            return
    board.direction, board.distance = -1, 0


@jit
def _draw_situation(board, turn):
    """Draw a direction and a distance as often as gSCAN lists them.

    It has every distance on a line and aslant five times, the least on a line and the greatest once.
    """
    size = board.size
    line, slant = 2 + REPEATS * (size - 3), 1 + REPEATS * (2 * size - 4)
    place = turn * STRIDE % (4 * (line + slant))
    if place < 4 * line:
        board.direction = 2 * (place // line)
        place = place % line
        board.distance = 1 if place == 0 else size - 1 if place == line - 1 else 2 + (place - 1) // REPEATS
    else:
        place -= 4 * line
        board.direction = 1 + 2 * (place // slant)
        board.distance = 2 + (place % slant) // REPEATS


@jit
def _allows(direction, distance, size):
    """Whether a target can lie so far in a direction."""
    return distance < size if direction % 2 == 0 else distance >= 2


@jit
def _steps(board, direction, size):
    """(rows, columns) from the agent to the target, drawn so that direction and distance hold."""
    down, right = _DOWN[direction], _RIGHT[direction]
    if board.distance == 0:
        return down * _stride(board, size), right * _stride(board, size)
    if direction % 2 == 0:
        return down * board.distance, right * board.distance
    least, most = max(1, board.distance - size + 1), min(size - 1, board.distance - 1)
    first = least + below(board.rng, most - least + 1)
    return down * first, right * (board.distance - first)


@jit
def _stride(board, size):
    """How far apart two different rows are, were they drawn at random."""
    one = below(board.rng, size)
    other = below(board.rng, size - 1)
    return abs(one - (other if other < one else other + 1))


@jit
def choose_start(board, even, verb, manner, facing, moving, used, plan):
    """Return a random cell for the agent that fits what was aimed at, or -1.

    Args:
        board: the finished world.
        even: what is to come out even.
        verb: what is to be done to the target,
        manner: and how.
        facing: where the agent looks at the start.
        moving: MOVING where what is pushed or pulled must really move, STUCK where it must not, or ANYHOW.
        used: int64 [BINS], how often each bin of plan lengths was used; the least used is preferred.
        plan: uint8 [action], working space.
    """
    size, goal = board.size, board.objects[0]
    chosen, seen, least = -1, 0, np.int64(1) << 60
    for cell in range(size * size):
        if board.solid[cell] > 0:
            continue
        row, column = cell // size, cell % size
        down, right = np.int64(goal[3]) - row, np.int64(goal[4]) - column
        if board.direction >= 0 and (
            np.sign(down) != _DOWN[board.direction] or np.sign(right) != _RIGHT[board.direction]
        ):
            continue
        if board.distance > 0 and abs(down) + abs(right) != board.distance:
            continue
        load = 0
        if even & LENGTHS or (moving and verb > 0):
            length = plan_into(plan, row, column, facing, 0, verb, manner, board.objects, board.n, size)
            if moving and verb > 0 and moves(plan, length) != (moving == MOVING):
                continue
            if even & LENGTHS:
                load = used[length_bin(length)]
        if load < least:
            least, seen = load, 0
        if load == least:
            seen += 1
            if below(board.rng, seen) == 0:
                chosen = cell
    return chosen


@jit
def length_bin(length):
    """The bin of a length of plans."""
    return min(max(length - 1, 0) // 10, BINS - 1)


@jit
def moves(plan, length):
    """Return whether a plan pushes or pulls at all."""
    for i in range(length):
        if plan[i] == PUSH or plan[i] == PULL:
            return True
    return False
