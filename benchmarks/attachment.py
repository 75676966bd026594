"""What could tell a model to which noun a second 'that is' belongs: a few examples of either reading, and nothing else.

Run as `python -m benchmarks.attachment --out FOLDER`. In *the circle that is in the same row as a square that is in the
same column as a box* the second clause belongs to the square (`nested`, what C2 asks for). Training has no command with
a clause about another object's noun, so a model may as well take it to belong to the circle (`flat`).

All examples here have one object for each reading, and these are different. A transformer is trained further on its own
kind of data, and in every second half of a batch on k examples with the answers of one reading. Commands, boards, order
and steps are the same for both readings; the answers alone differ. Test commands of the readings, without verb and
manner, are not among those shown. `attachment.json` holds all results. The model that is told the parse says its plans
without training.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from benchmarks.nested import readings
from deixis.data._ragged import Ragged
from deixis.judge.uncertainty import wilson
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn.run import checkpoint_of, write_json
from deixis.seeds import Stream, derive
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid._kernels.drafts import plan_towards_all
from deixis.worlds.grid.data._arrays import load_plan_arrays, plan_arrays
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.language import parse_instruction
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe, reascan
from deixis.worlds.grid.splits.rules import REASCAN, REASCAN_ASIDE
from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
from deixis.worlds.grid.training._data import DeviceData
from deixis.worlds.grid.training._drafts import read_scenes
from deixis.worlds.grid.training._losses import losses_of, supervision_of
from deixis.worlds.grid.training._order import Order
from deixis.worlds.grid.training.predict import exact_matches, say_plans


if TYPE_CHECKING:
    from deixis.data.store import Dataset
    from deixis.expression.description import Expression
    from deixis.learn._checkpoints import Bundle
    from deixis.worlds.grid.data._arrays import PlanArrays
    from deixis.worlds.grid.models.policy import Policy


READINGS = ("nested", "flat")
TOLD = "program"  # the model that is told the parse
WARMUP = 20  # steps
LIMIT = 120  # actions


class Items(NamedTuple):
    """Examples with an object for each reading.

    Attributes:
        expressions: what each command means, without verb and manner.
        arrays: the examples with the answers of each reading.
    """

    expressions: list[Expression]
    arrays: dict[str, PlanArrays]

    def taking(self, rows: np.ndarray) -> Items:
        """Some of them."""
        arrays = {name: some.taking(rows) for name, some in self.arrays.items()}
        return Items([self.expressions[row] for row in rows], arrays)


class Sets(NamedTuple):
    """What a model is tested on: commands of both readings, the split C2, and the test set of its own kind of data."""

    items: Items
    c2: PlanArrays
    test: PlanArrays


def nested_recipe(commands: int) -> Recipe:
    """Commands with a clause about the object of another, one board each, held out by no rule but C2's."""
    rules = (*(rule for rule in REASCAN if not rule.is_generated), *REASCAN_ASIDE)
    pool = Pool(name="nested", pattern="chain", commands=commands, worlds=1)
    return Recipe(name="nested", mode="compatible", seed=4243, pools=(pool,), hold_out=rules, dev=0.0, test=0.0, cap=24)


def read_items(dataset: Dataset, words: tuple[str, ...]) -> Items:
    """Return the examples for which the flat reading fits one object, another one, to which another plan leads."""
    arrays = plan_arrays(dataset, "train", words, channels=25)
    expressions, flat_objects = [], np.full(len(arrays), -1)
    for row, example in enumerate(one for table in dataset.tables("train") for one in examples_of(table)):
        said = parse_instruction(example.text).expression
        expressions.append(said)
        flat, _, _ = readings(blueprint(said), example.scene)
        if len(flat) == 1 and example.target not in flat:
            (flat_objects[row],) = flat
    rows = np.flatnonzero(flat_objects >= 0)
    nested = arrays.taking(rows)
    flat = _with_targets(nested, flat_objects[rows], words)
    is_other = ~exact_matches(flat.plans.values, flat.plans.start, nested)
    return Items([expressions[row] for row in rows], {"nested": nested, "flat": flat}).taking(np.flatnonzero(is_other))


def _with_targets(arrays: PlanArrays, objects: np.ndarray, words: tuple[str, ...]) -> PlanArrays:
    """Return examples with other objects as their targets, and the plans to these."""
    scenes, size, rows = read_scenes(arrays, words), isqrt(arrays.cells), np.arange(len(arrays))
    plans = np.zeros((*scenes.objects.shape[:2], LIMIT), np.uint8)
    lengths = np.zeros(plans.shape[:2], np.int64)
    plan_towards_all(plans, lengths, scenes.agents, scenes.verbs, scenes.manners, scenes.objects, scenes.counts, size)
    cell = scenes.objects[rows, objects, 3].astype(np.uint16) * size + scenes.objects[rows, objects, 4]
    plan = [plans[row, objects[row], : lengths[row, objects[row]]] for row in rows]
    return replace(arrays, target=cell, mentions=np.full_like(arrays.mentions, -1), plans=Ragged.of_lists(plan))


def train_further(
    checkpoint: Bundle, base: PlanArrays, shown: PlanArrays | None, options: argparse.Namespace, seed: int
) -> Policy:
    """Return the model after some steps on its own kind of data, and on some examples shown."""
    device = torch.device(options.device)
    torch.default_generator.manual_seed(derive(seed, "dropout") >> 1)
    model = load_model(checkpoint, device).train()
    if options.half:
        model.compute_in(torch.bfloat16)
    parts = [(DeviceData(some, device), some.plans) for some in (base, shown) if some is not None and len(some)]
    size = options.batch // len(parts)
    orders = [Order(plans.length, size, options.steps, derive(seed, "order", k)) for k, (_, plans) in enumerate(parts)]
    pointing = float(checkpoint.training.get("pointing") or 0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr, weight_decay=0.0)
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = options.lr * min((step + 1) / WARMUP, (options.steps - step) / options.steps)
        optimizer.zero_grad()
        for (data, _), order in zip(parts, orders, strict=True):
            rows, width = order(step)
            found = losses_of(model, data.batch(torch.from_numpy(rows).to(device), width))
            loss = found.plans + (0 if found.pointing is None else pointing * found.pointing)
            (loss / len(parts)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.compute_in(torch.float32)
    return model.eval()


def score(model: Policy, sets: Sets, words: tuple[str, ...], device: torch.device) -> dict[str, Any]:
    """Return the share of plans that are those of each reading, and the exact matches on C2 and test."""

    def say(arrays: PlanArrays) -> tuple[np.ndarray, np.ndarray]:
        return say_plans(model, arrays, device, vocabulary=words)

    said = say(sets.items.arrays["nested"])
    found = {name: exact_matches(*said, some) for name, some in sets.items.arrays.items()}
    found |= {name: exact_matches(*say(some), some) for name, some in (("c2", sets.c2), ("test", sets.test))}
    return {name: _estimate(right) for name, right in found.items()}


def _estimate(right: np.ndarray) -> dict[str, Any]:
    estimate = wilson(int(right.sum()), len(right))
    return {"exact": estimate.mean, "interval": [estimate.low, estimate.high], "examples": len(right)}


def divide(items: Items, test: int) -> tuple[Items, Items]:
    """Return what may be shown, and what is tested: examples of commands that are not shown."""
    kept = sorted(set(items.expressions), key=str)
    tested = set(Stream(derive(0, "tested")).permutation(kept)[:test])
    is_tested = np.array([said in tested for said in items.expressions])
    return items.taking(np.flatnonzero(~is_tested)), items.taking(np.flatnonzero(is_tested))


def main(arguments: list[str] | None = None) -> int:
    """Make the data, train further, print a table and write `attachment.json`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attachment", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for data and attachment.json")
    parser.add_argument("--checkpoint", default="transformer", help="a run, a file, or one that comes with deixis")
    parser.add_argument("--scale", choices=("small", "medium", "paper"), default="medium")
    parser.add_argument("--commands", type=int, default=6000, help="nested commands to make")
    parser.add_argument("--shots", default="0,10,100,1000")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--test", type=int, default=500, help="examples of each test set")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--half", action="store_true", help="products in bfloat16 while training")
    options = parser.parse_args(arguments)
    start, device = time.monotonic(), torch.device(options.device)
    checkpoint = read_checkpoint(checkpoint_of(options.checkpoint))
    words = checkpoint.vocabulary
    data = make(reascan(mode="compatible", scale=options.scale, seed=7), options.out / "data", workers=1)
    nested = make(nested_recipe(options.commands), options.out / "nested", workers=1)
    base = load_plan_arrays(data, "train", words, channels=25)
    shown, tested = divide(read_items(nested, words), options.test)
    sets = Sets(tested, *(_sample(data, split, words, options.test) for split in ("c2", "test")))
    _say(start, f"{len(shown.expressions)} examples to show, {len(tested.expressions)} to test")
    told = {
        "checkpoint": checkpoint_digest(checkpoint_of(options.checkpoint)),
        "supervision": supervision_of(load_model(checkpoint, device), float(checkpoint.training.get("pointing") or 0)),
        "data": {"base": data.manifest["content"], "nested": nested.manifest["content"]},
        "options": {name: str(value) for name, value in vars(options).items() if name != "out"},
    }
    runs = [_run("no training", "", 0, 0, score(load_model(checkpoint, device), sets, words, device))]
    parser_told = read_checkpoint(checkpoint_of(TOLD))
    if parser_told.vocabulary == words:
        model = load_model(parser_told, device)
        runs.append(_run(f"{TOLD}, no training", "", 0, 0, score(model, sets, words, device)))
    for seed in map(int, options.seeds.split(",")):
        order = np.array(Stream(derive(seed, "shown")).permutation(range(len(shown.expressions))))
        for shots in map(int, options.shots.split(",")):
            for reading in READINGS if shots else ("",):
                some = shown.taking(order[:shots]).arrays[reading] if shots else None
                model = train_further(checkpoint, base, some, options, seed)
                runs.append(_run("trained further", reading, shots, seed, score(model, sets, words, device)))
                _say(start, _row(runs[-1]))
                write_json(options.out / "attachment.json", {**told, "runs": runs})
    print("| | answers shown | examples shown | seed | nested | flat | C2 | test |\n" + "|---" * 8 + "|")
    print("\n".join(_row(run) for run in runs))
    return 0


def _sample(dataset: Dataset, split: str, words: tuple[str, ...], count: int) -> PlanArrays:
    arrays = load_plan_arrays(dataset, split, words, channels=25)
    return arrays.taking(np.sort(Stream(derive(0, split)).permutation(range(len(arrays)))[:count]))


def _run(how: str, reading: str, shots: int, seed: int, scores: dict[str, Any]) -> dict[str, Any]:
    return {"how": how, "answers": reading, "shown": shots, "seed": seed, "scores": scores}


def _row(run: dict[str, Any]) -> str:
    shares = (f"{100 * run['scores'][name]['exact']:.1f}" for name in (*READINGS, "c2", "test"))
    return f"| {run['how']} | {run['answers']} | {run['shown']:,} | {run['seed']} | {' | '.join(shares)} |"


def _say(start: float, what: str) -> None:
    print(f"{time.monotonic() - start:7.1f} s  {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
