"""How many plans the shipped transformer says in a second of processor time of one core, by drafts and by steps.

Both ways take turns on the same examples, so that the ratio does not depend on what else the machine does.
`python -m benchmarks.decoding --profile` tells where the time by drafts goes, by operation, how fast a core takes the
products of the model's weights, and the rates with other batches.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import torch

from benchmarks.machine import Row
from deixis.learn._lean import PackedLinear
from deixis.learn.run import shipped_checkpoints
from deixis.worlds.grid.data._arrays import plan_arrays
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.grid.training import predict
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


def profile_decoding() -> list[Row]:
    """Shares of the time by drafts, the speed of products, and the rates with batches of other sizes."""
    checkpoint = read_checkpoint(shipped_checkpoints()["transformer"])
    model, words = load_model(checkpoint, CPU), checkpoint.vocabulary
    arrays, usual = _examples(words), predict.CPU_BATCH
    torch.set_num_threads(1)
    say_plans(model, arrays.first(8), CPU, vocabulary=words)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as found:
        say_plans(model, arrays, CPU, vocabulary=words)
    events = sorted(found.key_averages(), key=lambda one: -one.self_cpu_time_total)
    total = sum(one.self_cpu_time_total for one in events)
    rows = [Row(f"share of {one.key}", 100 * one.self_cpu_time_total / total, "%") for one in events[:8]]
    rows.append(Row("products of weights, 128 to 384 numbers, float32", _speed_of_products(), "GFLOP/s"))
    for batch in (8, 16, 32, 64, 128):
        predict.CPU_BATCH, seconds = batch, []
        for _ in range(ROUNDS):
            start = time.process_time()
            say_plans(model, arrays, CPU, vocabulary=words)
            seconds.append(time.process_time() - start)
        rows.append(Row(f"plans by drafts, {batch} examples at a time", len(arrays) / min(seconds), "plans/s"))
    predict.CPU_BATCH = usual
    return rows


@torch.inference_mode()
def _speed_of_products(rows: int = 2048, width: int = 128, outputs: int = 384) -> float:
    layer, x, seconds = PackedLinear(torch.nn.Linear(width, outputs)), torch.randn(rows, width), []
    for _ in range(200):
        start = time.process_time()
        layer(x)
        seconds.append(time.process_time() - start)
    return 2e-9 * rows * width * outputs / float(np.median(seconds))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decoding", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--profile", action="store_true", help="tell where the time goes instead")
    for row in profile_decoding() if parser.parse_args().profile else measure_decoding():
        print(f"{row.name}: {row.value:,.3g} {row.unit}")
