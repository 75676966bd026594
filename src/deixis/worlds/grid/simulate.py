"""Simulation of actions, sensible or not: the judge of plans that a model wrote.

Walking goes one cell ahead, over anything, and stops only at the edge. A push takes the solid on the agent's cell one
cell ahead, together with the agent; a pull takes it one cell back, without turning. Heavy solids (sizes 3 and 4) yield
to every second effort in the same direction: turns and pauses in between do not undo the first, walking off or
trying another direction does. A solid does not move off the grid or onto another solid; boxes neither move nor block.
The compiled twin is `deixis.worlds.grid._kernels.plan.simulate_plans`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.worlds.grid.actions import Action, Manner, Verb
from deixis.worlds.grid.plan import plan, pushes_needed
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


__all__ = ["Outcome", "got_there", "reaches", "simulate", "visited_object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The scene after the last action, and what happened on the way."""

    trail: tuple[Agent, ...]  # the agent before the first and after every action
    objects: tuple[GridObject, ...]  # where they stand at the end, numbered as before
    touched: int | None  # the first solid that was pushed or pulled, moved or not
    moved: int | None  # the last solid that changed its cell
    bumped: int  # walks into the edge, pushes and pulls against the edge or another solid
    missed: int  # pushes and pulls with no solid to hand

    @property
    def agent(self) -> Agent:
        """The agent at the end."""
        return self.trail[-1]

    @property
    def steps(self) -> int:
        """Number of actions that were carried out."""
        return len(self.trail) - 1

    @property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """The cells of everything at the end, the agent first, as (row, column)."""
        return (self.agent.row, self.agent.column), *((thing.row, thing.column) for thing in self.objects)


def simulate(scene: GridScene, actions: Iterable[Action]) -> Outcome:
    """Simulate the actions of the agent of a scene.

    Should several solids share a cell, the first of them is the one to hand.

    Raises:
        SchemaError: when the scene has no agent.
    """
    if scene.agent is None:
        raise SchemaError("the scene has no agent to carry out actions; give it one")
    run = _Run(size=scene.size, objects=list(scene.objects), agent=scene.agent)
    trail = [scene.agent]
    for action in actions:
        run.do(action)
        trail.append(run.agent)
    return Outcome(
        trail=tuple(trail),
        objects=tuple(run.objects),
        touched=run.touched,
        moved=run.moved,
        bumped=run.bumped,
        missed=run.missed,
    )


def got_there(
    scene: GridScene, actions: Iterable[Action], *, target: int, verb: Verb, manner: Manner = Manner.NONE
) -> bool:
    """Return whether the actions leave agent and objects on the very cells where the right plan leaves them.

    The way there and the final direction do not count, so a detour is forgiven.
    """
    return simulate(scene, actions).cells == simulate(scene, plan(scene, target, verb, manner)).cells


def reaches(scene: GridScene, actions: Sequence[Action], *, target: int) -> bool:
    """Return whether the agent stands on the target's cell when it first pushes or pulls, or else at the end."""
    if not 0 <= target < len(scene):
        raise SchemaError(f"no object {target} to reach; the scene has {len(scene)}")
    walking = next((i for i, action in enumerate(actions) if action in (Action.PUSH, Action.PULL)), len(actions))
    agent, goal = simulate(scene, actions[:walking]).agent, scene.objects[target]
    return (agent.row, agent.column) == (goal.row, goal.column)


def visited_object(scene: GridScene, actions: Iterable[Action]) -> int | None:
    """Return the solid that the actions seem to mean: the first one pushed or pulled, else the one they end on."""
    outcome = simulate(scene, actions)
    if outcome.touched is not None:
        return outcome.touched
    return _find_solid(outcome.objects, outcome.agent.row, outcome.agent.column)


@dataclass(slots=True, kw_only=True)
class _Run:
    """A scene in motion."""

    size: int
    objects: list[GridObject]
    agent: Agent
    strained: tuple[Action, Facing] | None = None  # the first of two efforts at a heavy solid
    touched: int | None = None
    moved: int | None = None
    bumped: int = 0
    missed: int = 0

    def do(self, action: Action) -> None:
        """Carry out one action."""
        match action:
            case Action.TURN_LEFT | Action.TURN_RIGHT:
                quarter = 1 if action == Action.TURN_RIGHT else 3
                self.agent = replace(self.agent, facing=Facing((self.agent.facing + quarter) % 4))
            case Action.WALK:
                self.walk()
            case Action.PUSH | Action.PULL:
                self.move_solid(action)

    def walk(self) -> None:
        """One cell ahead, unless that is off the grid."""
        self.strained = None
        rows, columns = self.agent.facing.step
        row, column = self.agent.row + rows, self.agent.column + columns
        if self.is_on_grid(row, column):
            self.agent = Agent(row, column, self.agent.facing)
        else:
            self.bumped += 1

    def move_solid(self, action: Action) -> None:
        """An effort at the solid under the agent, which moves it if it is light or already strained."""
        strained, self.strained = self.strained, None
        index = _find_solid(self.objects, self.agent.row, self.agent.column)
        if index is None:
            self.missed += 1
            return
        self.touched = index if self.touched is None else self.touched
        sign = 1 if action == Action.PUSH else -1
        rows, columns = self.agent.facing.step
        row, column = self.agent.row + sign * rows, self.agent.column + sign * columns
        if not self.is_on_grid(row, column) or _find_solid(self.objects, row, column) is not None:
            self.bumped += 1
            return
        effort = (action, self.agent.facing)
        if pushes_needed(self.objects[index]) == 2 and strained != effort:
            self.strained = effort
            return
        self.objects[index] = replace(self.objects[index], row=row, column=column)
        self.agent = Agent(row, column, self.agent.facing)
        self.moved = index

    def is_on_grid(self, row: int, column: int) -> bool:
        """Return whether there is such a cell."""
        return 0 <= row < self.size and 0 <= column < self.size


def _find_solid(objects: Sequence[GridObject], row: int, column: int) -> int | None:
    for index, thing in enumerate(objects):
        if thing.row == row and thing.column == column and not thing.is_box:
            return index
    return None
