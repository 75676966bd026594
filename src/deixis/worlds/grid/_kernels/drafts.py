"""Guesses of how a plan goes on, from the plans towards all objects of a scene.

A guess is only ever checked against what a model says: a bad one costs time and changes nothing.
"""

from __future__ import annotations

from deixis._kernels.bitsets import jit
from deixis.worlds.grid._kernels.plan import plan_into


@jit
def plan_towards_all(plans, lengths, agents, verbs, manners, objects, counts, size):
    """Write the plans towards all objects of many scenes, each cut where there is no more room.

    Shapes:
        plans: uint8 [scene, place, action]; lengths: int64 [scene, place], -1 beyond the last object.
        agents: uint8 [scene, 3] with row, column, facing. verbs, manners, counts: int64 [scene].
        objects: uint8 [scene, place, 5].
    """
    for scene in range(plans.shape[0]):
        row, column, facing = agents[scene]
        for place in range(plans.shape[1]):
            lengths[scene, place] = -1
            if place < counts[scene]:
                length = plan_into(
                    plans[scene, place],
                    row,
                    column,
                    facing,
                    place,
                    verbs[scene],
                    manners[scene],
                    objects[scene],
                    counts[scene],
                    size,
                )
                lengths[scene, place] = plans.shape[2] if length < 0 else length


@jit
def continue_plans(said, known, drafted, plans, lengths, merits):
    """Write guesses behind what is known of many plans, and how long they are with it.

    The best plan that begins with what is known goes on as it does. Where there is none, the longest end of what is
    known that occurs in any plan decides, the best plan first.

    Shapes:
        said: uint8 [scene, action], of which `known`, int64 [scene], stand; the guess is written behind them.
        drafted: int64 [scene], the length with the guess. plans, lengths: as above. merits: float64 [scene, place].
    """
    for scene in range(said.shape[0]):
        place = _plan_with_beginning(said[scene], known[scene], plans[scene], lengths[scene], merits[scene])
        after = known[scene]
        if place < 0:
            place, after = _plan_with_end(said[scene], known[scene], plans[scene], lengths[scene], merits[scene])
        at = known[scene]
        while place >= 0 and after < lengths[scene, place] and at < said.shape[1]:
            said[scene, at] = plans[scene, place, after]
            at, after = at + 1, after + 1
        drafted[scene] = at


@jit
def _plan_with_beginning(said, known, plans, lengths, merits):
    """The best plan that begins with what is known, or -1."""
    best = -1
    for place in range(plans.shape[0]):
        if lengths[place] >= known and (best < 0 or merits[place] > merits[best]):
            at = 0
            while at < known and plans[place, at] == said[at]:
                at += 1
            best = place if at == known else best
    return best


@jit
def _plan_with_end(said, known, plans, lengths, merits):
    """The plan in which the longest end of what is known occurs, and where it goes on there; -1 without any plan."""
    best, after, longest = -1, 0, -1
    for place in range(plans.shape[0]):
        for end in range(lengths[place] + 1):
            same = 0
            while same < min(end, known) and plans[place, end - 1 - same] == said[known - 1 - same]:
                same += 1
            if same > longest or (same == longest and merits[place] > merits[best]):
                best, after, longest = place, end, same
    return best, after
