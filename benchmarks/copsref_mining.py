"""When mining by category pays: the same MattNets, with features that tell categories apart more or less well.

Run as `python -m benchmarks.copsref_mining --out FOLDER`. Features are what the scene graph says of a region, with
noise on its category of several spreads (`features = "oracle"`), so that nothing needs a GPU. What is made and trained
stands in `copsref_mining.toml`, the most important first; the same command goes on where it was stopped, and
`report.md` in the folder has the tables of whatever is finished. Checkpoints are chosen on val, and judged on test.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.copsref_mining_report import ANSWERS, COSTS, Answers, write_report
from benchmarks.plans import PlanAtScale
from deixis.learn.devices import find_device
from deixis.learn.run import BEST, write_json
from deixis.worlds.photos._recipes import recipe_from
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.making.make import make_copsref
from deixis.worlds.photos.training._evaluate import load_asks
from deixis.worlds.photos.training._grounding import learn_to_ground
from deixis.worlds.photos.training._lessons import questions_of
from deixis.worlds.photos.training._prepare import Shelf, Surroundings
from deixis.worlds.photos.training._scoring import answer
from deixis.worlds.photos.training.settings import Grounding, grounding_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.worlds.photos.data.store import CopsRef


class Job(NamedTuple):
    """One training, with its answers to the test split.

    Attributes:
        name: of its folder: the features, the run and the seed.
        how: its settings.
        begin: the name of the job whose weights it begins with, or nothing.
    """

    name: str
    how: Grounding
    begin: str


class Plan(PlanAtScale):
    """What is made and trained, at one scale."""

    path = Path(__file__).with_suffix(".toml")

    def data(self) -> dict[str, Any]:
        """Return the recipe of the dataset."""
        return {**self.facts["data"], **self.scale.get("data", {})}

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs, the most important first; what others begin with stands before them."""
        yielded: set[str] = set()
        for stage in self.scale.get("stages", self.facts["stages"]):
            for seed in stage.get("seeds", self.facts["seeds"]):
                for level in stage["levels"]:
                    for run in stage["runs"]:
                        job = self.job(run, level, seed, stage)
                        if job.name not in yielded:
                            yielded.add(job.name)
                            yield job

    def job(self, run: str, level: str, seed: int, stage: Mapping[str, Any]) -> Job:
        """Return the job of a run with the features of a level, as a stage of the plan has it."""
        said = self.facts["runs"][run]
        begins = said.get("begin", "")
        usual = {**self.facts["settings"], **(self.facts["goes on"] if begins else {})}
        settings = {**usual, **said["settings"], **stage.get("settings", {}), **self.scale.get("settings", {})}
        sizes = {**said.get("sizes", {}), **(stage.get("mined sizes", {}) if "mining" in settings else {})}
        noise = {"category_noise": self.facts["levels"][level]}
        how = grounding_of(said["model"], {**settings, **noise, "seed": seed, "sizes": sizes})
        folder = f"{stage.get('folder', 'all')}/{level}"
        before = f"{stage.get('begins in', stage.get('folder', 'all'))}/{level}/{begins}-{seed}"
        return Job(f"{folder}/{run}-{seed}", how, before if begins else "")


def train(job: Job, dataset: CopsRef, out: Path, around: Surroundings) -> None:
    """Train a model, and keep its answers to test (`Answers`), also of choices among the target's category alone."""
    folder = out / job.name
    if (folder / ANSWERS).exists():
        return
    begin = out / job.begin / BEST if job.begin else None
    start = time.process_time()
    learn_to_ground(job.how, dataset, folder, begin=begin, around=around)
    trained = time.process_time()
    np.savez_compressed(folder / ANSWERS, **judge(folder / BEST, dataset, around)._asdict())
    seconds = {"training": trained - start, "answers": time.process_time() - trained}
    write_json(folder / COSTS, {key: round(spent, 1) for key, spent in seconds.items()})


def judge(checkpoint: Path, dataset: CopsRef, around: Surroundings) -> Answers:
    """Ask a model all expressions of test that fit something."""
    asks = load_asks(checkpoint, dataset, find_device(around.device), around)
    table, expressions = asks.ready.table, asks.ready.arrays.expressions
    rows = expressions.rows("test")
    rows = rows[expressions.target[rows] >= 0]
    questions = questions_of(expressions, asks.ready.said, rows, table.device)
    category = asks.ready.arrays.regions.category
    target, choices = expressions.target[rows][:, None], []
    for within in (False, True):
        choice = np.zeros((len(rows), len(SETTINGS)), np.int64)
        for some, found in answer(asks.model, table, questions, within_category=within):
            choice[some.cpu().numpy()] = found.choice.cpu().numpy()
        choices.append(choice)
    return Answers(
        right=choices[0] == target,
        alike=category[choices[0]] == category[target],
        right_within=choices[1] == target,
        image=expressions.image[rows],
    )


def main(arguments: list[str] | None = None) -> int:
    """Make, train, judge and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copsref_mining", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for data, runs and the report")
    parser.add_argument("--scale", default="cpu", help="cpu or tiny")
    parser.add_argument("--workers", type=int, default=1, help="processes that make data")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no more is begun")
    options = parser.parse_args(arguments)
    deadline = time.monotonic() + options.seconds
    plan = Plan.read(options.scale)
    make_copsref(recipe_from(plan.data()), options.out / "data", workers=options.workers)
    dataset = open_copsref(options.out / "data")
    around = Surroundings(device=options.device, cache=options.out / "features", shelf=Shelf())
    for job in plan.jobs():
        if time.monotonic() > deadline:
            break
        start = time.monotonic()
        train(job, dataset, options.out / "runs", around)
        print(f"{time.strftime('%H:%M:%S')}  {job.name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    write_report(plan.facts["levels"], plan.facts["seeds"], dataset, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
