"""Compiled plans and their outcomes, whose plain twins are `worlds.grid.plan` and `worlds.grid.simulate`.

Codes. Facing: east 0, south 1, west 2, north 3. Actions: turn left 0, turn right 1, walk 2, push 3, pull 4, stay 5.
Verbs: walk 0, push 1, pull 2. Manners: none 0, zigzagging 1, spinning 2, cautiously 3, hesitantly 4.
Objects are uint8 rows of shape, color, size, row, column; shape 3 is a box, sizes 3 and 4 are heavy.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.grid._kernels.grid_sets import BOX


TURN_LEFT, TURN_RIGHT, WALK, PUSH, PULL, STAY = 0, 1, 2, 3, 4, 5
TO_WALK, TO_PUSH = 0, 1
ZIGZAGGING, SPINNING, CAUTIOUSLY, HESITANTLY = 1, 2, 3, 4
EAST, SOUTH, WEST, NORTH = 0, 1, 2, 3
HEAVY = 3


@jit
def longest_plan(size):
    """Return a bound on the number of actions of a plan on such a grid, which is not always reached."""
    steps, efforts = 2 * (size - 1), 2 * (size - 1)
    return 7 * steps + 5 * efforts  # spinning (4), half a turn (2) and the act itself (1)


@jit
def plan_into(out, agent_row, agent_column, facing, target, verb, manner, objects, count, size):
    """Write the plan into `out`, and return its length, or -1 where `out` is too short.

    `target` must be one of the first `count` objects; this is not checked.

    Shapes:
        out: uint8 [action]. objects: uint8 [place, 5].
    """
    row, column = np.int64(objects[target, 3]), np.int64(objects[target, 4])
    agent_row, agent_column, facing = np.int64(agent_row), np.int64(agent_column), np.int64(facing)
    across, along = abs(column - agent_column), abs(row - agent_row)
    sideways = EAST if column > agent_column else WEST
    lengthways = SOUTH if row > agent_row else NORTH
    at, went_across = 0, False
    while across + along > 0:
        went_across = across > 0 and (along == 0 or manner != ZIGZAGGING or not went_across)
        heading = sideways if went_across else lengthways
        at = _step(out, at, facing, heading, WALK, manner)
        facing = heading
        if went_across:
            across -= 1
        else:
            along -= 1
    if verb == TO_WALK or objects[target, 0] == BOX:
        return at
    act, sign = (PUSH, 1) if verb == TO_PUSH else (PULL, -1)
    efforts = 2 if objects[target, 2] >= HEAVY else 1
    row, column = row + sign * _rows(facing), column + sign * _columns(facing)
    while _is_free(objects, count, size, row, column):
        for _ in range(efforts):
            at = _step(out, at, facing, facing, act, manner)
        row, column = row + sign * _rows(facing), column + sign * _columns(facing)
    return at


@jit
def simulate_into(objects, count, size, agent, actions):
    """Carry out actions, changing agent and objects in place, where codes beyond `stay` do nothing.

    What comes back is the last solid that was pushed or pulled, whether or not it moved, or -1.

    Shapes:
        objects: uint8 [place, 5]. agent: uint8 [3] with row, column, facing. actions: uint8 [action].
    """
    row, column, facing = np.int64(agent[0]), np.int64(agent[1]), np.int64(agent[2])
    strained = -1  # push or pull and its direction, after the first of two efforts at a heavy solid
    touched = -1
    for action in actions:
        if action == TURN_LEFT:
            facing = (facing + 3) % 4
        elif action == TURN_RIGHT:
            facing = (facing + 1) % 4
        if action < WALK or action > PULL:
            continue
        sign = -1 if action == PULL else 1
        new_row, new_column = row + sign * _rows(facing), column + sign * _columns(facing)
        before, strained = strained, -1
        if action == WALK:
            if not (0 <= new_row < size and 0 <= new_column < size):
                continue
        else:
            index = _solid_at(objects, count, row, column)
            touched = index if index >= 0 else touched
            if index < 0 or not _is_free(objects, count, size, new_row, new_column):
                continue
            effort = np.int64(action) * 4 + facing
            if objects[index, 2] >= HEAVY and before != effort:
                strained = effort
                continue
            objects[index, 3], objects[index, 4] = new_row, new_column
        row, column = new_row, new_column
    agent[0], agent[1], agent[2] = row, column, facing
    return touched


@jit
def simulate_plans(objects, counts, size, agents, actions, starts, final_agents, final_objects):
    """Carry out one plan in each of many scenes.

    Shapes:
        objects, final_objects: uint8 [scene, place, 5]. counts: integers [scene].
        agents, final_agents: uint8 [scene, 3] with row, column, facing.
        actions: uint8 [action], all plans one after the other; plan n is `actions[starts[n]:starts[n + 1]]`.
        starts: int64 [scene + 1].
    """
    final_agents[:] = agents
    final_objects[:] = objects
    for n in range(objects.shape[0]):
        simulate_into(final_objects[n], counts[n], size, final_agents[n], actions[starts[n] : starts[n + 1]])


@jit
def _step(out, at, facing, heading, act, manner):
    """Write one act with its turns, in a manner; where writing goes on, or -1."""
    if manner == SPINNING:
        for _ in range(4):
            at = _put(out, at, TURN_LEFT)
    left = (facing - heading) % 4
    if left == 3:
        at = _put(out, at, TURN_RIGHT)
    else:
        for _ in range(left):
            at = _put(out, at, TURN_LEFT)
    if manner == CAUTIOUSLY:
        at = _put(out, _put(out, at, TURN_LEFT), TURN_RIGHT)
        at = _put(out, _put(out, at, TURN_RIGHT), TURN_LEFT)
    at = _put(out, at, act)
    if manner == HESITANTLY:
        at = _put(out, at, STAY)
    return at


@jit
def _put(out, at, action):
    """Write one action; the next place, or -1 once there was none left."""
    if at < 0 or at >= out.shape[0]:
        return -1
    out[at] = action
    return at + 1


@jit
def _rows(facing):
    """The change of row that one step ahead makes."""
    return np.int64(facing == SOUTH) - np.int64(facing == NORTH)


@jit
def _columns(facing):
    """The change of column that one step ahead makes."""
    return np.int64(facing == EAST) - np.int64(facing == WEST)


@jit
def _solid_at(objects, count, row, column):
    """The first solid on a cell, or -1."""
    for i in range(np.int64(count)):
        if objects[i, 3] == row and objects[i, 4] == column and objects[i, 0] != BOX:
            return i
    return -1


@jit
def _is_free(objects, count, size, row, column):
    """Whether a cell is on the grid and holds no solid."""
    return 0 <= row < size and 0 <= column < size and _solid_at(objects, count, row, column) < 0
