"""Many episodes at once, stepped in place. The plain twin of all of it is `worlds.grid.environment.journey`.

Codes of objects, actions and manners are those of `worlds.grid._kernels.plan`; beside the six actions there is `stop`,
6. A cell is
row x size + column. Nothing here is checked: actions must be 0 to 6 and numbers those of episodes and rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numba as nb
import numpy as np

from deixis._kernels.bitsets import _OPTIONS, _as_passed, below, next_word
from deixis.worlds.grid._kernels.grid_sets import BOX
from deixis.worlds.grid._kernels.plan import (
    CAUTIOUSLY,
    HEAVY,
    HESITANTLY,
    PULL,
    PUSH,
    SPINNING,
    STAY,
    TURN_LEFT,
    TURN_RIGHT,
    WALK,
    ZIGZAGGING,
)


if TYPE_CHECKING:
    from collections.abc import Callable


STOP, ACTIONS = 6, 7
EXACT, MANNER, GOT_THERE = 0, 1, 2  # what counts as success
FEW = 1 << 20  # up to here 32 random bits are enough, as in `deixis.seeds.Stream`
FOUR_NOTHINGS = 0o7777  # the last four actions, an octal digit each, before there were any
LOOK_AROUND = 0o0110  # left, right, right, left


def jit(kernel: Callable[..., Any]) -> Any:
    """Compile a kernel as `bitsets.jit` does, but for arrays that are only ever borrowed.

    A stage is a tuple of two dozen arrays. Counting who holds each of them, at every call, would take several times as
    long as a step; it is needed only where arrays are made, which no kernel here does.
    """
    options: dict[str, Any] = {**_OPTIONS, "_nrt": False}
    compiled: Any = nb.njit(**options)(kernel)
    if compiled is not kernel:  # as it is where compilation is switched off
        choose = compiled.get_call_template
        compiled.get_call_template = lambda args, kws: choose([_as_passed(kind) for kind in args], kws)
    return compiled


class Play(NamedTuple):
    """The properties of all episodes, which never change.

    Shapes:
        objects: uint8 [episode, place, 5]; count, target, manner: int64 [episode]; agent: uint8 [episode, 3].
        plan: uint8 [action], the right plans one after the other; start: int64 [episode + 1].
        goal: uint8 [episode, place, 2], row and column of every object in the end; goal_agent: uint8 [episode, 2].
        words: uint16 [command, word]; which: int64 [episode], the number of its command.
    """

    objects: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # hides a method of tuples that nobody needs here
    agent: np.ndarray
    target: np.ndarray
    manner: np.ndarray
    plan: np.ndarray
    start: np.ndarray
    goal: np.ndarray
    goal_agent: np.ndarray
    words: np.ndarray
    which: np.ndarray


class Rules(NamedTuple):
    """The rules by which episodes are judged.

    Attributes:
        size: cells along one side.
        success: `EXACT`, `MANNER` or `GOT_THERE`.
        ends_at_goal: whether success ends an episode by itself, not only together with stopping.
        dense: whether progress is rewarded as well.
        discount: by which progress is discounted.
        limit: an episode is cut short after so many actions.
    """

    size: int
    success: int
    ends_at_goal: bool
    dense: bool
    discount: float
    limit: int


class Stage(NamedTuple):
    """The state of episodes, one row each, which is changed in place.

    Shapes:
        random: uint64 [row, 1], state of the stream that chooses episodes. episode: int64 [row].
        objects: uint8 [row, place, 5]; agent: uint8 [row, 3]; solid: int8 [row, cell], the first solid there, or -1.
        strained: int64 [row], the first of two efforts at a heavy solid, or -1. steps: int64 [row], actions so far.
        displaced: int64 [row], cells between where objects are and where they should be; far: int64 [row], the distance
        at the start, at least 1. on_plan: bool [row], all actions were those of the plan. spoilt: bool [row], something
        was not done in the manner that is asked for. recent: int64 [row], the last four actions. lefts: int64 [row],
        turns to the left in a row. spun, pending: bool [row], an act may, a pause must follow. axis: int64 [row], of
        the last walk: 0 across, 1 along, or
        -1.
        grid: uint8 [row, size, size, channel], see `worlds.grid._batches`, no channels where nobody wants to see it;
        words: uint16 [row, word]; mask: int8 [row, action].
        reward: float64 [row]; terminated, truncated, success: bool [row], of the last step.
    """

    random: np.ndarray
    episode: np.ndarray
    objects: np.ndarray
    agent: np.ndarray
    solid: np.ndarray
    strained: np.ndarray
    steps: np.ndarray
    displaced: np.ndarray
    far: np.ndarray
    on_plan: np.ndarray
    spoilt: np.ndarray
    recent: np.ndarray
    lefts: np.ndarray
    spun: np.ndarray
    pending: np.ndarray
    axis: np.ndarray
    grid: np.ndarray
    words: np.ndarray
    mask: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    success: np.ndarray


@jit
def draw_all(random, chosen, episodes, out):
    """Draw an episode for every row that is chosen, of so many.

    Shapes:
        random: uint64 [row, 1]. chosen: bool [row]. out: int64 [row], -1 where a row is not chosen.
    """
    for i in range(len(chosen)):
        out[i] = _draw(random[i], episodes) if chosen[i] else -1


@jit
def begin_all(play, stage, rules, numbers):
    """Begin the episodes of `numbers`, int64 [row], leaving rows below 0 as they are."""
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            _begin(play, stage, rules, i, numbers[i])


@jit
def step_all(play, stage, rules, actions, waiting, chosen):
    """Take one action in every row.

    Rows that are waiting begin a new episode instead, with the reward 0.

    Shapes:
        actions: int64 [row]. waiting, chosen: bool [row]; what is not chosen stays as it is.
    """
    for i in range(len(actions)):
        if waiting[i]:
            _begin(play, stage, rules, i, _draw(stage.random[i], len(play.count)))
        elif chosen[i]:
            _step(play, stage, rules, i, actions[i])


@jit
def distances(play, stage, out):
    """Fill `out`, int64 [row], with the number of cells that are still missing in every row."""
    for i in range(len(out)):
        out[i] = _distance(play, stage, i)


@jit
def _draw(state, limit):
    """A random number below a limit, the same as `Stream.below` gives."""
    if limit < FEW:
        return below(state, limit)
    return np.int64(next_word(state) % np.uint64(limit))


@jit
def _begin(play, stage, rules, i, n):
    """Set the scene of an episode."""
    stage.episode[i] = n
    _copy(stage.agent[i], play.agent[n])
    _copy(stage.words[i], play.words[play.which[n]])
    _copy(stage.objects[i].reshape(-1), play.objects[n].reshape(-1))
    stage.strained[i], stage.steps[i], stage.lefts[i], stage.axis[i] = -1, 0, 0, -1
    stage.on_plan[i], stage.spoilt[i], stage.spun[i], stage.pending[i] = True, False, False, False
    stage.recent[i] = FOUR_NOTHINGS
    stage.reward[i], stage.terminated[i], stage.truncated[i], stage.success[i] = 0.0, False, False, False
    _fill(stage.solid[i], -1)
    _fill(stage.grid[i].reshape(-1), 0)
    displaced = 0
    for k in range(play.count[n] - 1, -1, -1):  # of several solids on a cell, the first stays
        row, column = np.int64(stage.objects[i, k, 3]), np.int64(stage.objects[i, k, 4])
        displaced += _away(row, column, play.goal[n, k, 0], play.goal[n, k, 1])
        if stage.objects[i, k, 0] != BOX:
            stage.solid[i, row * rules.size + column] = k
        _light_object(stage, i, k, 1)
    _light_agent(stage, i, 1)
    stage.displaced[i] = displaced
    stage.far[i] = max(_distance(play, stage, i), 1)
    _write_mask(stage, rules.size, i)


@jit
def _step(play, stage, rules, i, action):
    """Take one action and judge where it leads."""
    before = _distance(play, stage, i)
    if action != STOP:
        _note(play, stage, i, action)
        _act(play, stage, rules.size, i, action)
        stage.steps[i] += 1
    is_there = _has_succeeded(play, stage, rules, i)
    done = action == STOP or (rules.ends_at_goal and is_there)
    stage.success[i] = is_there
    stage.terminated[i] = done
    stage.truncated[i] = not done and stage.steps[i] >= rules.limit
    reward = 1.0 if done and is_there else 0.0
    if rules.dense:
        after = 0 if done else _distance(play, stage, i)
        reward += (before - rules.discount * after) / stage.far[i]
    stage.reward[i] = reward
    _write_mask(stage, rules.size, i)


@jit
def _has_succeeded(play, stage, rules, i):
    """Whether what was done so far is what was asked for."""
    n = stage.episode[i]
    if rules.success == EXACT:
        return stage.on_plan[i] and stage.steps[i] == play.start[n + 1] - play.start[n]
    if stage.displaced[i] != 0:
        return False
    if stage.agent[i, 0] != play.goal_agent[n, 0] or stage.agent[i, 1] != play.goal_agent[n, 1]:
        return False
    return rules.success == GOT_THERE or not (stage.spoilt[i] or stage.pending[i])


@jit
def _note(play, stage, i, action):
    """Keep account of the plan and of the manner, before an action is carried out."""
    n = stage.episode[i]
    place = play.start[n] + stage.steps[i]
    stage.on_plan[i] = stage.on_plan[i] and place < play.start[n + 1] and play.plan[place] == action
    manner, is_act = play.manner[n], WALK <= action <= PULL
    if manner == SPINNING:
        if is_act:
            stage.spoilt[i] = stage.spoilt[i] or not stage.spun[i]
            stage.spun[i], stage.lefts[i] = False, 0
        else:
            stage.lefts[i] = stage.lefts[i] + 1 if action == TURN_LEFT else 0
            stage.spun[i] = stage.spun[i] or stage.lefts[i] >= 4
    elif manner == CAUTIOUSLY:
        stage.spoilt[i] = stage.spoilt[i] or (is_act and stage.recent[i] != LOOK_AROUND)
        stage.recent[i] = (stage.recent[i] * 8 + action) & FOUR_NOTHINGS
    elif manner == HESITANTLY:
        stage.spoilt[i] = stage.spoilt[i] or (stage.pending[i] and action != STAY)
        stage.pending[i] = is_act
    elif manner == ZIGZAGGING and action == WALK:
        axis, target = np.int64(stage.agent[i, 2]) % 2, play.target[n]
        is_aslant = stage.agent[i, 0] != play.objects[n, target, 3] and stage.agent[i, 1] != play.objects[n, target, 4]
        stage.spoilt[i] = stage.spoilt[i] or (is_aslant and stage.axis[i] == axis)
        stage.axis[i] = axis


@jit
def _act(play, stage, size, i, action):
    """Carry out one of the six actions, as `worlds.grid.simulate` says."""
    if action == STAY:
        return
    row, column, facing = np.int64(stage.agent[i, 0]), np.int64(stage.agent[i, 1]), np.int64(stage.agent[i, 2])
    if action <= TURN_RIGHT:
        _light_agent(stage, i, 0)
        stage.agent[i, 2] = (facing + (1 if action == TURN_RIGHT else 3)) % 4
        _light_agent(stage, i, 1)
        return
    strained, stage.strained[i] = stage.strained[i], -1
    new_row, new_column = _ahead(row, column, facing, -1 if action == PULL else 1)
    if not (0 <= new_row < size and 0 <= new_column < size):
        return
    if action != WALK:
        k = np.int64(stage.solid[i, row * size + column])
        if k < 0 or stage.solid[i, new_row * size + new_column] >= 0:
            return
        effort = action * 4 + facing
        if stage.objects[i, k, 2] >= HEAVY and strained != effort:
            stage.strained[i] = effort
            return
        _move(play, stage, size, i, k, new_row, new_column)
    _light_agent(stage, i, 0)
    stage.agent[i, 0], stage.agent[i, 1] = new_row, new_column
    _light_agent(stage, i, 1)


@jit
def _move(play, stage, size, i, k, row, column):
    """Put a solid on another cell, which is free."""
    n = stage.episode[i]
    old_row, old_column = np.int64(stage.objects[i, k, 3]), np.int64(stage.objects[i, k, 4])
    _light_object(stage, i, k, -1)
    stage.objects[i, k, 3], stage.objects[i, k, 4] = row, column
    _light_object(stage, i, k, 1)
    goal_row, goal_column = play.goal[n, k, 0], play.goal[n, k, 1]
    stage.displaced[i] += _away(row, column, goal_row, goal_column) - _away(old_row, old_column, goal_row, goal_column)
    stage.solid[i, row * size + column] = k
    left = -1
    for other in range(play.count[n] - 1, -1, -1):
        thing = stage.objects[i, other]
        if thing[3] == old_row and thing[4] == old_column and thing[0] != BOX:
            left = other
    stage.solid[i, old_row * size + old_column] = left


@jit
def _distance(play, stage, i):
    """Cells from the agent to the target, and of all objects to where they should be."""
    target = play.target[stage.episode[i]]
    thing = stage.objects[i, target]
    return _away(stage.agent[i, 0], stage.agent[i, 1], thing[3], thing[4]) + stage.displaced[i]


@jit
def _write_mask(stage, size, i):
    """Which actions change something; turns, pauses and stopping always may be taken."""
    row, column, facing = np.int64(stage.agent[i, 0]), np.int64(stage.agent[i, 1]), np.int64(stage.agent[i, 2])
    _fill(stage.mask[i], 1)
    is_solid = stage.solid[i, row * size + column] >= 0
    for action in (WALK, PUSH, PULL):
        new_row, new_column = _ahead(row, column, facing, -1 if action == PULL else 1)
        may = 0 <= new_row < size and 0 <= new_column < size
        if may and action != WALK:
            may = is_solid and stage.solid[i, new_row * size + new_column] < 0
        stage.mask[i, action] = may


@jit
def _ahead(row, column, facing, steps):
    """The cell so many steps ahead."""
    if facing == 0:
        return row, column + steps
    if facing == 1:
        return row + steps, column
    if facing == 2:
        return row, column - steps
    return row - steps, column


@jit
def _away(row, column, other_row, other_column):
    """Steps from one cell to another."""
    return abs(row - other_row) + abs(column - other_column)


@jit
def _copy(to, values):
    """Copy a row."""
    for k in range(len(to)):
        to[k] = values[k]


@jit
def _fill(to, value):
    """Fill a row."""
    for k in range(len(to)):
        to[k] = value


@jit
def _light_object(stage, i, k, by):
    """Add an object to the channels of its cell, or take it away."""
    channels = stage.grid.shape[3]
    if channels == 0:
        return
    thing = stage.objects[i, k]
    shape, color, size = np.int64(thing[0]), np.int64(thing[1]), np.int64(thing[2])
    apart = 1 if shape == BOX and channels == 25 else 0
    cell = stage.grid[i, thing[3], thing[4]]
    cell[size - 1 + 12 * apart] += by
    cell[4 + shape] += by
    cell[8 + color + 8 * apart] += by


@jit
def _light_agent(stage, i, value):
    """Show the agent, or take it away."""
    channels = stage.grid.shape[3]
    if channels == 0:
        return
    cell = stage.grid[i, stage.agent[i, 0], stage.agent[i, 1]]
    cell[channels - 5] = value
    cell[channels - 4 + stage.agent[i, 2]] = value
