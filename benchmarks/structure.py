"""Ablations of the transformer for commands of unseen structure, trained side by side on one GPU.

Run as `python -m benchmarks.structure --out FOLDER`. It makes today's `make reascan --mode compatible` at the size of
the paper, trains the variants below with each seed, in one process each, with the same steps, and evaluates them on the
test set and on A1 to C2. Checkpoints are selected on 2,000 examples of dev. The same command resumes a stopped run.
`structure.json` and the logs hold all results.

| variant | encoder blocks | word positions | supervision: plans and cells of |
|---|---|---|---|
| target | six | absolute | the target |
| shared | one, applied six times | absolute | the target |
| relative | six | relative | the target |
| both | one, applied six times | relative | the target |
| mentions | six | absolute | the target and all mentioned objects |
| all | one, applied six times | relative | the target and all mentioned objects |
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.data.store import open_dataset
from deixis.judge.uncertainty import wilson
from deixis.learn.run import BEST, write_json
from deixis.worlds.grid.data._arrays import load_plan_arrays, words_of
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.judging.navigation import align_plans
from deixis.worlds.grid.judging.verdicts import judge_all
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan
from deixis.worlds.grid.models._transformer import GridTransformerSettings
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.predict import predict
from deixis.worlds.grid.training.settings import training_of


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.data.store import Dataset
    from deixis.learn.run import Progress
    from deixis.worlds.grid.training.settings import Training


PLAIN = {"shared_blocks": False, "relative_words": False, "points_mentions": False}
SHARED, RELATIVE, MENTIONS = {"shared_blocks": True}, {"relative_words": True}, {"points_mentions": True}
VARIANTS: dict[str, dict[str, bool]] = {
    "target": {},
    "shared": SHARED,
    "relative": RELATIVE,
    "both": SHARED | RELATIVE,
    "mentions": MENTIONS,
    "all": SHARED | RELATIVE | MENTIONS,
}
HELD_OUT = ("a1", "a2", "a3", "b1", "b2", "c1", "c2")
PATTERNS = {"p1": "simple", "p2": "1-rel", "p3": "2-rel"}
TINY = {"width": 16, "heads": 2, "hidden": 16, "blocks": 2, "decoder_layers": 1}  # to try the script itself


class Job(NamedTuple):
    """A training: a variant and a seed."""

    variant: str
    seed: int

    @property
    def name(self) -> str:
        """The name of its folder, files and column."""
        return f"{self.variant}-{self.seed}"


def make_training(job: Job, options: argparse.Namespace) -> Training:
    """Settings of a variant: those of `deixis train transformer --quick`, scaled to the number of steps."""
    settings = {"norm_first": True, "points": True, "dropout": 0.1, **PLAIN, **VARIANTS[job.variant]}
    return training_of(
        "transformer",
        {
            "settings": settings | (TINY if options.tiny else {}),
            "seed": job.seed,
            "steps": options.steps,
            "cooldown": options.steps * 2 // 5,
            "easy_first": options.steps // 15,
            "rare_first": options.steps // 4,
            "eval_every": max(1, options.steps // 8),
            "save_every": 0,
            "dev_examples": 20 if options.tiny else 2000,
            "batch_size": 16 if options.tiny else 512,
            "compile": options.compile,
            "half": True,
        },
        quick=True,
    )


def begin_log(path: Path, name: str) -> Progress:
    """Let all output of this process go to a file, and return what tells progress there now and then."""
    log = path.open("a", buffering=1, encoding="utf-8")
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    told = time.monotonic()

    def progress(stage: str, done: int, total: int, note: str = "", /) -> None:
        nonlocal told
        if time.monotonic() > told + 10 or done in (0, total):
            told = time.monotonic()
            print(f"{stage} {name} {done:,} / {total:,} {note}")

    return progress


def train_variant(job: Job, options: argparse.Namespace, deadline: float) -> None:
    """Train and evaluate a variant in a process of its own, whose output goes to a log."""
    progress = begin_log(options.out / f"{job.name}.log", job.name)
    dataset, out = open_dataset(options.out / "data"), options.out / job.name
    left = max(1.0, deadline - time.monotonic())
    run = train(dataset, make_training(job, options), out, device=options.device, progress=progress, stop_after=left)
    facts = {name: run.facts[name] for name in ("settings", "seed", "steps", "batch_size", "selection", "parameters")}
    facts |= {name: run.facts[name] for name in ("seconds", "examples_per_second", "device")}
    facts["is_finished"] = run.is_finished
    scores = score_splits(dataset, out, ("test", *HELD_OUT), out / "plans", options.device)
    write_json(options.out / f"{job.name}.json", {**facts, "scores": scores})


def score_splits(dataset: Dataset, out: Path, splits: Sequence[str], plans_to: Path, device: str) -> dict[str, Any]:
    """Score the checkpoint of a run on splits of a dataset, by row of the table."""
    there = [split for split in splits if dataset.splits.get(split)]
    said = predict(out / BEST, dataset, there, plans_to, device=device, batch=8192)
    scores: dict[str, Any] = {}
    for split in there:
        asked = example_arrays(dataset.tables(split), name=split)
        plans, is_given = align_plans(asked, said[split])
        verdicts = judge_all(asked, plans, is_given=is_given)
        rows = {split.upper(): np.ones(len(asked), bool)}
        if split == "test":
            pattern = asked.of_command([one.pattern for one in asked.commands])
            rows = {name: pattern == code for code, name in PATTERNS.items()} | {"all": rows["TEST"]}
        for name, chosen in rows.items():
            count = int(chosen.sum())
            estimate = wilson(int(verdicts.exact[chosen].sum()), count)
            scores[name] = {
                "examples": count,
                "exact": estimate.mean,
                "interval": [estimate.low, estimate.high],
                "right object": float(verdicts.is_right_target[chosen].mean()),
            }
    return scores


def main(arguments: list[str] | None = None) -> int:
    """Make the data, train and evaluate the variants, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for data, runs, logs and structure.json")
    parser.add_argument("--scale", choices=("small", "medium", "paper"), default="paper")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seeds", default="1", help="seeds of each variant, e.g. 1,2,3")
    parser.add_argument("--seconds", type=float, default=86_400.0, help="after which trainings stop and are evaluated")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--tiny", action="store_true", help="small models and batches, to try the script")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    recipe = reascan(mode="compatible", scale=options.scale)
    dataset = make(recipe, options.out / "data", workers=options.workers)
    _say(start, f"{dataset.manifest['content'][:8]} {dataset.splits}")
    words = tuple(sorted({*words_of(dataset, "train"), *words_of(dataset, "dev")}))
    for split in ("train", "dev", *HELD_OUT, "test"):  # once, before all processes want them
        load_plan_arrays(dataset, split, words, channels=GridTransformerSettings().channels)
    _say(start, "arrays written")
    jobs = [Job(variant, int(seed)) for variant in options.variants.split(",") for seed in options.seeds.split(",")]
    fresh = multiprocessing.get_context("spawn")
    crew = {job.name: fresh.Process(target=train_variant, args=(job, options, start + options.seconds)) for job in jobs}
    for process in crew.values():
        process.start()
    for name, process in crew.items():
        process.join()
        _say(start, f"{name} ended with {process.exitcode}")
    found = {name: json.loads((options.out / f"{name}.json").read_text()) for name in crew if not crew[name].exitcode}
    write_json(options.out / "structure.json", {"data": dataset.manifest["content"], "runs": found})
    _print(found)
    return int(len(found) < len(crew))


def _print(found: dict[str, Any]) -> None:
    print("| exact (right object), % | examples | " + " | ".join(found) + " |")
    print("|---" * (2 + len(found)) + "|")
    rows: dict[str, Any] = next(iter(found.values()))["scores"] if found else {}
    for row in rows:
        cells = [run["scores"][row] for run in found.values()]
        shown = (f"{100 * cell['exact']:.1f} ({100 * cell['right object']:.1f})" for cell in cells)
        print(f"| {row} | {rows[row]['examples']:,} | {' | '.join(shown)} |")


def _say(start: float, what: str) -> None:
    print(f"{time.monotonic() - start:7.1f} s  {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
