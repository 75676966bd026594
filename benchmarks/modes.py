"""What data teach: models trained on one mode of `make reascan` and tested on each.

Run as `python -m benchmarks.modes --out FOLDER`. It makes the set of the paper's size in the modes compatible,
corrected and every-word (a fifth of its pushes and pulls do not move), trains the same model for the same steps on each
of them and on their mixture (as many examples of each), and evaluates it on all three test sets and on C1 and C2 of the
compatible set. Checkpoints are selected on dev of the data trained on. The same command resumes a stopped run.
`modes.json` and the logs hold all results.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.structure import PATTERNS, TINY, begin_log, score_splits
from deixis.data.store import open_dataset
from deixis.learn.run import write_json
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.settings import training_of


if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from deixis.worlds.grid.making.recipe import Recipe
    from deixis.worlds.grid.training.settings import Training


MODES = ("compatible", "corrected", "every-word")
MIXTURE = "mixture"
TRANSFORMER = {"norm_first": True, "points": True, "dropout": 0.1, "shared_blocks": True, "relative_words": True}
MODELS: dict[str, dict[str, Any]] = {
    "transformer": {"settings": TRANSFORMER, "half": True},
    "gcn-lstm": {"settings": {"scaled": True}, "batch_size": 512},
}


class Job(NamedTuple):
    """A training: a model, the data that it learns from, and a seed."""

    model: str
    mode: str
    seed: int

    @property
    def name(self) -> str:
        """The name of its folder and files."""
        return f"{self.model}-{self.mode}-{self.seed}"


def recipe_of(mode: str, scale: str) -> Recipe:
    """Return the recipe of a mode; in every-word data, a fifth of the pushes and pulls do not move."""
    recipe = reascan(mode=mode, scale=scale)  # type: ignore[arg-type]
    return replace(recipe, must_move=False, blocked=0.2) if mode == "every-word" else recipe


def make_training(job: Job, options: argparse.Namespace) -> Training:
    """Settings of a model: those of `deixis train MODEL --quick`, scaled to the number of steps."""
    given = MODELS[job.model] | {"seed": job.seed, "steps": options.steps, "cooldown": options.steps * 2 // 5}
    given |= {"eval_every": max(1, options.steps // 4), "save_every": 0, "compile": options.compile}
    if job.model == "transformer":
        given |= {"easy_first": options.steps // 15, "rare_first": options.steps // 4, "batch_size": 512}
    if options.tiny:
        given |= {"dev_examples": 20, "batch_size": 16}
        given["settings"] = given["settings"] | (TINY if job.model == "transformer" else {})
    return training_of(job.model, given, quick=True)


def train_job(job: Job, options: argparse.Namespace, deadline: float) -> None:
    """Train and evaluate a model in a process of its own, whose output goes to a log."""
    progress = begin_log(options.out / f"{job.name}.log", job.name)
    data = {mode: open_dataset(options.out / "data" / mode) for mode in MODES}
    first, *also = [data[mode] for mode in (MODES if job.mode == MIXTURE else (job.mode,))]
    out, left = options.out / job.name, max(1.0, deadline - time.monotonic())
    run = train(
        first, make_training(job, options), out, device=options.device, also=also, progress=progress, stop_after=left
    )
    kept = ("settings", "seed", "steps", "batch_size", "selection", "parameters", "seconds", "device", "training")
    scores: dict[str, Any] = {}
    for mode in MODES:
        splits = ("test", "c1", "c2") if mode == "compatible" else ("test",)
        found = score_splits(data[mode], out, splits, out / f"plans-{mode}", options.device)
        scores |= {f"{mode} {row}": score for row, score in found.items()}
    facts = {name: run.facts[name] for name in kept}
    write_json(options.out / f"{job.name}.json", {**facts, "is_finished": run.is_finished, "scores": scores})


def main(arguments: list[str] | None = None) -> int:
    """Make the data, train and evaluate all models, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.modes", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for data, runs, logs and modes.json")
    parser.add_argument("--scale", choices=("small", "medium", "paper"), default="paper")
    parser.add_argument("--models", default="transformer")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--at-once", type=int, default=4, help="how many models are trained at a time")
    parser.add_argument("--seconds", type=float, default=86_400.0, help="after which trainings stop and are evaluated")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--tiny", action="store_true", help="small models and batches, to try the script")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    for mode in MODES:
        made = make(recipe_of(mode, options.scale), options.out / "data" / mode, workers=options.workers)
        _say(start, f"{mode} {made.manifest['content'][:8]} {made.splits}")
    jobs = [
        Job(model, mode, int(seed))
        for model in options.models.split(",")
        for seed in options.seeds.split(",")
        for mode in (*MODES, MIXTURE)
    ]
    codes = run_jobs(jobs, options, start + options.seconds)
    found = {job.name: json.loads((options.out / f"{job.name}.json").read_text()) for job in jobs if not codes[job]}
    write_json(options.out / "modes.json", {"steps": options.steps, "runs": found})
    _print([job for job in jobs if job.name in found], found)
    return int(len(found) < len(jobs))


def run_jobs(jobs: list[Job], options: argparse.Namespace, deadline: float) -> dict[Job, int]:
    """Run all jobs, so many at a time, and return their exit codes; no job begins after the deadline."""
    fresh = multiprocessing.get_context("spawn")
    waiting, running, codes = list(jobs), dict[Job, "BaseProcess"](), dict.fromkeys(jobs, 1)
    while waiting or running:
        while waiting and len(running) < options.at_once and time.monotonic() < deadline:
            job = waiting.pop(0)
            running[job] = fresh.Process(target=train_job, args=(job, options, deadline))
            running[job].start()
        if time.monotonic() >= deadline:
            waiting.clear()
        for job in [job for job, process in running.items() if not process.is_alive()]:
            codes[job] = running.pop(job).exitcode or 0
        time.sleep(0.5)
    return codes


def _print(jobs: list[Job], found: dict[str, Any]) -> None:
    rows = ["compatible all", "corrected all", "every-word all", "compatible C1", "compatible C2"]
    rows[1:1] = [f"compatible {name}" for name in PATTERNS.values()]
    print("| exact (right object), % | " + " | ".join(job.name for job in jobs) + " |")
    print("|---" * (1 + len(jobs)) + "|")
    for row in rows:
        cells = [found[job.name]["scores"].get(row) for job in jobs]
        shown = (f"{100 * cell['exact']:.1f} ({100 * cell['right object']:.1f})" if cell else "–" for cell in cells)
        print(f"| {row} | {' | '.join(shown)} |")


def _say(start: float, what: str) -> None:
    print(f"{time.monotonic() - start:7.1f} s  {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
