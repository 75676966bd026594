"""The plan of an instruction: walk to the target, then push or pull it to the end of its way.

The agent first walks all columns, then all rows; nothing stands in its way. Pushing follows the direction in which it
arrived, pulling goes backwards; both end at the edge of the grid or at another solid. A manner colours every single
step of this, except zigzagging, which changes the route instead. This is the planner of gSCAN as ReaSCAN uses it; the
compiled twin is `deixis.worlds.grid._kernels.plan`.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.worlds.grid.actions import Action, Manner, Plan, Verb
from deixis.worlds.grid.scene import Facing


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.grid.scene import Agent, GridObject, GridScene


__all__ = ["plan", "pushes_needed", "room_to_move", "route", "turns"]

HEAVY = 3  # sizes from here on move only at every second push or pull


def plan(scene: GridScene, target: int, verb: Verb, manner: Manner = Manner.NONE) -> Plan:
    """Return the actions that carry out 'verb the target in this manner'.

    A box cannot be moved: pushing or pulling one is just walking to it.

    Raises:
        SchemaError: when the scene has no agent or no such target.

    Example:
        >>> from deixis.worlds.grid.drawn import grid
        >>> from deixis.worlds.grid.actions import plan_to_letters
        >>> scene = grid('''
        ...     >  .   .
        ...     .  r○3 .
        ...     .  .   .
        ... ''')
        >>> plan_to_letters(plan(scene, 0, Verb.PUSH))
        'WRWPP'
    """
    agent, thing = _agent_and_target(scene, target)
    do = _MANNERS[manner]
    facing = agent.facing
    actions: list[Action] = []
    for heading in route(agent, thing, manner):
        actions += do(turns(facing, heading), Action.WALK)
        facing = heading
    if verb == Verb.WALK or thing.is_box:
        return tuple(actions)
    heading, act = (facing, Action.PUSH) if verb == Verb.PUSH else (_opposite(facing), Action.PULL)
    efforts = pushes_needed(thing) * room_to_move(scene, target, heading)
    return (*actions, *(do((), act) * efforts))


def route(agent: Agent, goal: GridObject, manner: Manner = Manner.NONE) -> tuple[Facing, ...]:
    """Return the direction of every step to a goal: columns before rows, or both by turns when zigzagging."""
    across = (Facing.EAST if goal.column > agent.column else Facing.WEST,) * abs(goal.column - agent.column)
    along = (Facing.SOUTH if goal.row > agent.row else Facing.NORTH,) * abs(goal.row - agent.row)
    if manner != Manner.ZIGZAGGING:
        return across + along
    return tuple(step for pair in zip_longest(across, along) for step in pair if step is not None)


def turns(facing: Facing, heading: Facing) -> Plan:
    """Return the turns that bring an agent round to a heading, the short way, with half a turn to the left."""
    left = (facing - heading) % 4
    return (Action.TURN_RIGHT,) if left == 3 else (Action.TURN_LEFT,) * left


def room_to_move(scene: GridScene, index: int, heading: Facing) -> int:
    """Return how many cells a solid can be moved before it meets the edge or another solid."""
    thing = scene.objects[index]
    taken = {(other.row, other.column) for other in scene.objects if not other.is_box}
    rows, columns = heading.step
    row, column, cells = thing.row + rows, thing.column + columns, 0
    while 0 <= row < scene.size and 0 <= column < scene.size and (row, column) not in taken:
        row, column, cells = row + rows, column + columns, cells + 1
    return cells


def pushes_needed(thing: GridObject) -> int:
    """Return how many pushes or pulls move a solid by one cell."""
    return 2 if thing.size >= HEAVY else 1


def _agent_and_target(scene: GridScene, target: int) -> tuple[Agent, GridObject]:
    if scene.agent is None:
        raise SchemaError("the scene has no agent to plan for; give it one")
    if not 0 <= target < len(scene):
        raise SchemaError(f"no object {target} to plan for; the scene has {len(scene)}")
    return scene.agent, scene.objects[target]


def _opposite(facing: Facing) -> Facing:
    return Facing((facing + 2) % 4)


def _plainly(turning: Plan, act: Action) -> Plan:
    return (*turning, act)


def _spinning(turning: Plan, act: Action) -> Plan:
    """Once around on the spot before anything else."""
    return (*(Action.TURN_LEFT,) * 4, *turning, act)


def _cautiously(turning: Plan, act: Action) -> Plan:
    """Return a look to the left and to the right before going on."""
    return (*turning, Action.TURN_LEFT, Action.TURN_RIGHT, Action.TURN_RIGHT, Action.TURN_LEFT, act)


def _hesitantly(turning: Plan, act: Action) -> Plan:
    """Return a pause after every act."""
    return (*turning, act, Action.STAY)


_MANNERS: dict[Manner, Callable[[Plan, Action], Plan]] = {
    Manner.NONE: _plainly,
    Manner.ZIGZAGGING: _plainly,
    Manner.SPINNING: _spinning,
    Manner.CAUTIOUSLY: _cautiously,
    Manner.HESITANTLY: _hesitantly,
}
