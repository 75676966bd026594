"""How many plans the shipped transformer says in a second of processor time of one core, by drafts and by steps.

Both ways take turns on the same examples, so that the ratio does not depend on what else the machine does.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import torch

from benchmarks.machine import Row
from deixis.learn.run import shipped_checkpoints
from deixis.worlds.grid.data._arrays import plan_arrays
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
from deixis.worlds.grid.training.predict import say_plans


if TYPE_CHECKING:
    from deixis.worlds.grid.data._arrays import PlanArrays


__all__ = ["measure_decoding"]

CPU = torch.device("cpu")
ROUNDS = 2
PROMISED = 2  # times as fast


def measure_decoding() -> list[Row]:
    """The rates of both ways, and their ratio."""
    checkpoint = read_checkpoint(shipped_checkpoints()["transformer"])
    model, words = load_model(checkpoint, CPU), checkpoint.vocabulary
    arrays, threads = _examples(words), torch.get_num_threads()
    torch.set_num_threads(1)
    seconds = np.zeros(2)
    try:
        say_plans(model, arrays.first(8), CPU, vocabulary=words)  # compiles what drafts plans
        for _ in range(ROUNDS):
            for number, vocabulary in enumerate((words, ())):
                start = time.process_time()
                say_plans(model, arrays, CPU, vocabulary=vocabulary)
                seconds[number] += time.process_time() - start
    finally:
        torch.set_num_threads(threads)
    name = f"{len(arrays):,} plans of the transformer, {np.diff(arrays.plans.start).mean():.0f} actions on average"
    return [
        Row(f"{name}, by drafts", ROUNDS * len(arrays) / seconds[0], "plans/s"),
        Row(f"{name}, action by action", ROUNDS * len(arrays) / seconds[1], "plans/s"),
        Row("plans by drafts over plans action by action", seconds[1] / seconds[0], "times", at_least=PROMISED),
    ]


def _examples(words: tuple[str, ...]) -> PlanArrays:
    pools = tuple(Pool(name=name, pattern=name, commands=300, worlds=2) for name in ("p1", "p2", "p3"))
    recipe = Recipe(mode="compatible", pools=pools, hold_out=(), dev=0.0, test=0.0, cap=24)
    with TemporaryDirectory() as folder:
        return plan_arrays(make(recipe, Path(folder) / "data", workers=1), "train", words, channels=25)


if __name__ == "__main__":
    for row in measure_decoding():
        print(f"{row.name}: {row.value:,.3g} {row.unit}")
