"""Finished examples per second: sampled, checked, planned, with determiners, roles, necessity and table columns."""

from __future__ import annotations

import time

from benchmarks.machine import Row
from deixis.expression.patterns import pattern
from deixis.seeds import Stream
from deixis.worlds.grid.commands import choose_balanced, choose_uniform
from deixis.worlds.grid.making._shards import make_shard
from deixis.worlds.grid.making.recipe import Mode, Pool, Recipe, reascan


__all__ = ["measure_generation"]

PROMISED = {("compatible", "p3"): 15_000.0, ("every-word", "p3"): 300.0}
WORLDS = 180  # per command, as in the paper
COMMANDS = {"p1": 300, "p2": 300, "p3": 300}
EVERY_WORD = {"p1": 60, "p2": 60, "p3": 60, "chain": 30, "p4": 10}


def measure_generation() -> list[Row]:
    """Examples per second of processor time for every pattern and mode."""
    rows = []
    modes: tuple[Mode, ...] = ("compatible", "corrected", "every-word")
    for mode in modes:
        recipe = reascan(mode=mode, scale="small")
        for name, commands in (EVERY_WORD if mode == "every-word" else COMMANDS).items():
            rate = _rate(recipe, name, commands)
            rows.append(
                Row(f"{mode} {name}, finished examples", rate, "examples/s", at_least=PROMISED.get((mode, name)))
            )
    return rows


def _rate(recipe: Recipe, name: str, commands: int) -> float:
    choose = choose_uniform if recipe.mode == "compatible" else choose_balanced
    instructions = [i for i, _ in zip(choose(pattern(name), rng=Stream(11)), range(commands), strict=False)]
    pool = Pool(name=name, pattern=name, commands=commands, worlds=WORLDS)
    make_shard(recipe, pool, instructions[:2], 0)  # compiled before the clock starts
    made = 0
    start = time.process_time()
    for first in range(0, commands, 25):
        made += make_shard(recipe, pool, instructions[first : first + 25], first).table.num_rows
    return made / (time.process_time() - start)
