"""The plain definition of an episode: the states that actions lead to, the allowed actions, and the rewards.

A journey is a world, a command and the actions so far; everything about it follows from carrying these out with
`worlds.grid.simulate`. The compiled twin, which the environments use, is `worlds.grid._kernels.environment`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from deixis.worlds.grid.actions import Action, Manner, plan_to_letters
from deixis.worlds.grid.simulate import simulate


if TYPE_CHECKING:
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.environment.options import Success
    from deixis.worlds.grid.scene import Agent, GridScene
    from deixis.worlds.grid.simulate import Outcome


__all__ = ["Journey", "keeps_manner", "reward"]


@dataclass(frozen=True)
class Journey:
    """A world with a command, and the actions that were taken in it.

    Attributes:
        scene: the world at the start.
        target: the object that is meant.
        manner: how it is to be done.
        plan: the actions that are right.
        actions: those taken so far.
    """

    scene: GridScene
    target: int
    manner: Manner
    plan: Plan
    actions: Plan = ()

    def after(self, action: Action) -> Journey:
        """Return the journey one action later."""
        return Journey(self.scene, self.target, self.manner, self.plan, (*self.actions, action))

    @cached_property
    def now(self) -> Outcome:
        """The state after the actions."""
        return simulate(self.scene, self.actions)

    @cached_property
    def goal(self) -> Outcome:
        """The state after the plan."""
        return simulate(self.scene, self.plan)

    @property
    def distance(self) -> int:
        """Number of cells from the agent to the target, plus those from every object to its goal."""
        agent, target = self.now.agent, self.now.objects[self.target]
        to_target = abs(agent.row - target.row) + abs(agent.column - target.column)
        pairs = zip(self.now.objects, self.goal.objects, strict=True)
        return to_target + sum(abs(one.row - two.row) + abs(one.column - two.column) for one, two in pairs)

    @property
    def allowed(self) -> tuple[Action, ...]:
        """The actions that do something, which turns and pauses always do."""
        return tuple(action for action in Action if self._does_something(action))

    def _does_something(self, action: Action) -> bool:
        if action not in (Action.WALK, Action.PUSH, Action.PULL):
            return True
        later = simulate(self.scene, (*self.actions, action))
        return (later.bumped, later.missed) == (self.now.bumped, self.now.missed)

    def has_succeeded(self, success: Success) -> bool:
        """Return whether the actions are, or lead to, the requested plan."""
        if success == "exact":
            return self.actions == self.plan
        is_there = self.now.cells == self.goal.cells
        return is_there and (success == "got-there" or keeps_manner(self.scene, self.actions, self.target, self.manner))


def keeps_manner(scene: GridScene, actions: Plan, target: int, manner: Manner) -> bool:
    """Return whether every act, a walk, push or pull, is done in a manner, regardless of other actions.

    Spinning asks for four turns to the left in a row between any two acts and before the first; caution for a look to
    the left and to the right just before every act; hesitation for a pause just after every act. Who zigzags does not
    walk twice in a row across, or along, the board, except in the row or column in which the target stood.
    """
    letters = plan_to_letters(actions)
    match manner:
        case Manner.SPINNING:
            return all("LLLL" in before for before in re.split("[WPQ]", letters)[:-1])
        case Manner.CAUTIOUSLY:
            return all(letters[:place].endswith("LRRL") for place in _acts(letters))
        case Manner.HESITANTLY:
            return all(letters[place + 1 : place + 2] == "S" for place in _acts(letters))
        case Manner.ZIGZAGGING:
            trail, goal = simulate(scene, actions).trail, scene.objects[target]
            walks = [trail[place] for place, letter in enumerate(letters) if letter == "W"]
            return not any(_goes_on(one, two, goal.row, goal.column) for one, two in pairwise(walks))
    return True


def reward(before: Journey, after: Journey, *, done: bool, success: Success, discount: float | None) -> float:
    """Return the reward of a step.

    Args:
        before: one action ago, or the same journey where the action was to stop.
        after: now.
        done: whether the episode has ended, by stopping or at its goal.
        success: what counts as such.
        discount: of the potential, which is minus the distance, in units of that at the start, and 0 once the episode
            has ended; None where progress is not rewarded.
    """
    earned = float(done and after.has_succeeded(success))
    if discount is None:
        return earned
    start = Journey(before.scene, before.target, before.manner, before.plan)
    left = 0 if done else after.distance
    return earned + (before.distance - discount * left) / max(start.distance, 1)


def _acts(letters: str) -> list[int]:
    return [place for place, letter in enumerate(letters) if letter in "WPQ"]


def _goes_on(one: Agent, two: Agent, row: int, column: int) -> bool:
    """Return whether two walks, from where the agent was each time, go the same way with the target aslant."""
    return one.facing % 2 == two.facing % 2 and two.row != row and two.column != column
