"""The navigation environments: steps per second, one at a time and many together, and Minigrid beside them.

Run as `python -m benchmarks.environments --write docs/results/environments.md`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import gymnasium
import numpy as np

import deixis.environments  # noqa: F401 (makes the environments known)
from benchmarks.machine import Row, as_markdown
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.environment.journey import Journey


if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["measure_environments"]

NAVIGATE, MINIGRID = "deixis/Navigate-v1", "MiniGrid-Empty-8x8-v0"
EPISODES, ROWS, SEED = 2_048, 1_024, 0
SECONDS = 1.0
MILLION = 1e6
ABOUT = (
    "Steps per second of CPU time of one process on one core, without compilation. Actions are sampled beforehand, all "
    f"seven equally often, so an episode ends after seven steps on average. {ROWS:,} episodes at a time, of "
    f"{EPISODES:,} different ones; observations are new arrays at every step. Each figure is the best of three runs of "
    "one second. With NEXT_STEP, a reset counts as a step as well: about one in eight."
)


def measure_environments() -> list[Row]:
    rows = []
    for observation in ("objects", "symbolic"):
        for mode in ("NEXT_STEP", "SAME_STEP"):
            rate = _vector(observation=observation, autoreset_mode=mode)
            what = f"many at a time, {observation}, {mode}"
            rows.append(Row(what, rate / MILLION, "million steps/s", at_least=1))
    rows += [
        Row(
            "the same, symbolic, dense reward",
            _vector(observation="symbolic", reward="dense") / MILLION,
            "million steps/s",
        ),
        Row(
            "the same, symbolic, without copies",
            _vector(observation="symbolic", copy=False) / MILLION,
            "million steps/s",
        ),
        Row(
            "the same, symbolic, without stopping",
            _vector(observation="symbolic", actions=6) / MILLION,
            "million steps/s",
        ),
    ]
    single = _single(gymnasium.make(NAVIGATE, episodes=EPISODES, disable_env_checker=True))
    sync = _sync()
    pictures, frames = _single(_pictures()), _single(_frames(), renders=True)
    rows += [
        Row("one at a time, symbolic", single, "steps/s"),
        Row("Gymnasium's vector of 64 such", sync, "steps/s"),
        Row("the plain definition, 20 actions", _plain(), "steps/s"),
        Row("one at a time, pictures of 192 pixels", pictures, "steps/s"),
        Row("the same, with a frame of 64 pixels a cell at every step", frames, "steps/s"),
        Row("many over one at a time, symbolic", MILLION * rows[2].value / single, "times"),
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from minigrid.wrappers import RGBImgObsWrapper
    except ImportError:
        return rows
    theirs = _single(gymnasium.make(MINIGRID, disable_env_checker=True))
    their_pictures = _single(RGBImgObsWrapper(gymnasium.make(MINIGRID, disable_env_checker=True)))
    their_frames = _single(gymnasium.make(MINIGRID, render_mode="rgb_array", disable_env_checker=True), renders=True)
    return [
        *rows,
        Row("Minigrid, empty room of 8 by 8, one at a time", theirs, "steps/s"),
        Row("the same, pictures of 64 pixels", their_pictures, "steps/s"),
        Row("the same, with a frame of 32 pixels a cell at every step", their_frames, "steps/s"),
        Row("many over Minigrid", MILLION * rows[2].value / theirs, "times"),
        Row("pictures over Minigrid's", pictures / their_pictures, "times", at_least=1),
        Row("frames over Minigrid's", frames / their_frames, "times"),
    ]


def _pictures() -> gymnasium.Env:
    return gymnasium.make(NAVIGATE, observation="rgb", episodes=EPISODES, disable_env_checker=True)


def _frames() -> gymnasium.Env:
    return gymnasium.make(NAVIGATE, render_mode="rgb_array", episodes=EPISODES, disable_env_checker=True)


def _vector(*, actions: int = 7, **options: object) -> float:
    envs = gymnasium.make_vec(NAVIGATE, num_envs=ROWS, episodes=EPISODES, **options)
    envs.reset(seed=SEED)
    drawn = np.random.default_rng(SEED).integers(0, actions, (256, ROWS))

    def run() -> int:
        for row in drawn:
            envs.step(row)
        return drawn.size

    return _best(run)


def _sync() -> float:
    envs = gymnasium.make_vec(
        NAVIGATE, num_envs=64, episodes=EPISODES, vectorization_mode="sync", disable_env_checker=True
    )
    envs.reset(seed=SEED)
    drawn = np.random.default_rng(SEED).integers(0, 7, (64, 64))

    def run() -> int:
        for row in drawn:
            envs.step(row)
        return drawn.size

    return _best(run)


def _single(env: gymnasium.Env, *, renders: bool = False) -> float:
    env.reset(seed=SEED)
    drawn = np.random.default_rng(SEED).integers(0, env.action_space.n, 512)

    def run() -> int:
        for action in drawn:
            _, _, terminated, truncated, _ = env.step(action)
            if renders:
                env.render()
            if terminated or truncated:
                env.reset()
        return len(drawn)

    return _best(run)


def _plain() -> float:
    episodes = gymnasium.make(NAVIGATE, episodes=EPISODES).unwrapped.episodes
    drawn = [Action(int(code)) for code in np.random.default_rng(SEED).integers(0, 6, 20)]
    numbers = iter(np.tile(np.arange(EPISODES), 1000).tolist())

    def run() -> int:
        n = next(numbers)
        journey = Journey(episodes.scene(n), episodes.target(n), episodes.manner(n), episodes.plan(n))
        for action in drawn:
            journey = journey.after(action)
            assert journey.allowed
            assert journey.distance >= 0
            journey.has_succeeded("got-there")
        return len(drawn)

    return _best(run)


def _best(run: Callable[[], int]) -> float:
    run()
    rates = []
    for _ in range(3):
        steps, start = 0, time.process_time()
        while (spent := time.process_time() - start) < SECONDS:
            steps += run()
        rates.append(steps / spent)
    return max(rates)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.environments", description=__doc__)
    parser.add_argument("--write", type=Path, help="write the table as Markdown")
    options = parser.parse_args(arguments)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows = measure_environments()
    packages = ", ".join(f"{name} {__import__(name).__version__}" for name in ("gymnasium",))
    text = as_markdown(
        rows, "Speed of the environments", "python -m benchmarks.environments", f"{ABOUT} With {packages}."
    )
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    return 1 if any(row.is_broken for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
