"""Two baseline agents: one that knows the plan, and one that takes random allowed actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import SchemaError
from deixis.seeds import Stream, derive
from deixis.worlds.grid.environment.navigate import STOP, NavigateEnv


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    import gymnasium

    Agent: TypeAlias = Callable[[gymnasium.Env[Any, Any], dict[str, Any]], int]


__all__ = ["PlayedEpisode", "oracle", "play", "random_agent"]


class PlayedEpisode(NamedTuple):
    """An episode that was played to its end.

    Attributes:
        episode: its number.
        actions: what was done.
        rewards: what each action earned.
        success: whether it was what was asked for.
        truncated: whether it was cut short.
    """

    episode: int
    actions: tuple[int, ...]
    rewards: tuple[float, ...]
    success: bool
    truncated: bool


def oracle(env: gymnasium.Env[Any, Any], info: dict[str, Any]) -> int:
    """Return the next action of the plan, and stop at its end."""
    inner = _inner(env)
    plan, done = inner.episodes.plan(info["number"]), int(inner.batch.stage.steps[0])
    return int(plan[done]) if done < len(plan) else STOP


def random_agent(seed: int) -> Agent:
    """Return an agent that takes a random action among those that do something."""
    rng = Stream(derive(seed, "random agent"))

    def choose(_env: gymnasium.Env[Any, Any], info: dict[str, Any]) -> int:
        return int(rng.choice(info["action_mask"].nonzero()[0].tolist()))

    return choose


def play(
    env: gymnasium.Env[Any, Any], agent: Agent, *, seed: int | None = None, options: dict[str, Any] | None = None
) -> PlayedEpisode:
    """Play one episode to its end.

    Args:
        env: an environment of instructions on a grid.
        agent: given the environment and what `info` says, the next action.
        seed: for `reset`.
        options: likewise.
    """
    _, info = env.reset(seed=seed, options=options)
    actions: list[int] = []
    rewards: list[float] = []
    while True:
        actions.append(agent(env, info))
        _, reward, terminated, truncated, info = env.step(actions[-1])
        rewards.append(float(reward))
        if terminated or truncated:
            return PlayedEpisode(info["number"], tuple(actions), tuple(rewards), info["success"], truncated)


def _inner(env: gymnasium.Env[Any, Any]) -> NavigateEnv:
    inner = env.unwrapped
    if not isinstance(inner, NavigateEnv):
        raise SchemaError(f"this agent plays deixis/Navigate-v1, not {inner}")
    return inner
