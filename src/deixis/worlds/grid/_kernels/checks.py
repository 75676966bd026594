"""Recorded plans held against the planner and carried out, many at once.

The plain twins are `worlds.grid.plan` and `worlds.grid.simulate`.
"""

from __future__ import annotations

import numpy as np

from deixis._kernels.bitsets import jit
from deixis.worlds.grid._kernels.plan import PULL, PUSH, longest_plan, plan_into, simulate_into


@jit
def plans_agree(objects, counts, size, agents, targets, verbs, manners, actions, starts, out):
    """Fill `out` with whether each recorded plan is the one the planner makes.

    Shapes:
        objects: uint8 [scene, place, 5]; counts, targets, verbs, manners: integers [scene]; agents: uint8 [scene, 3].
        actions: uint8 [action], all plans one after the other; plan n is `actions[starts[n]:starts[n + 1]]`.
        out: bool [scene].
    """
    made = np.empty(longest_plan(size), np.uint8)
    for n in range(out.shape[0]):
        row, column, facing = agents[n, 0], agents[n, 1], agents[n, 2]
        length = plan_into(made, row, column, facing, targets[n], verbs[n], manners[n], objects[n], counts[n], size)
        out[n] = length == starts[n + 1] - starts[n] and _equal(made, actions, starts[n], length)


@jit
def plans_reach(objects, counts, size, agents, targets, actions, starts, out):
    """Fill `out` with whether the agent stands on the target's cell when it first pushes or pulls, or else at the end.

    The shapes are those of `plans_agree`.
    """
    agent = np.empty(3, np.uint8)
    for n in range(out.shape[0]):
        last = starts[n]
        while last < starts[n + 1] and actions[last] != PUSH and actions[last] != PULL:
            last += 1
        agent[:] = agents[n]
        simulate_into(objects[n], counts[n], size, agent, actions[starts[n] : last])
        goal = objects[n, targets[n]]
        out[n] = agent[0] == goal[3] and agent[1] == goal[4]


@jit
def _equal(made, actions, start, length):
    for i in range(length):
        if made[i] != actions[start + i]:
            return False
    return True
