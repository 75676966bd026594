"""Tables 3 and 4 of the Cops-Ref paper anew: every model, every source of hard negatives, on two kinds of data.

Run as `python -m benchmarks.copsref_models --out FOLDER`, with `--scale small` for two cores. What is made and trained
stands in `copsref_models.toml`: a dataset with the paper's distractor images, one in which every word is needed, and
one of other pictures, from which an encoder of regions learns. The same command goes on where it was stopped;
`report-kinds` and `report-every-word` in the folder hold the tables with means and spreads over seeds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.plans import PlanAtScale
from deixis._cli.app import main as deixis
from deixis.learn.run import BEST, read_json, write_json
from deixis.worlds.photos._recipes import recipe_from
from deixis.worlds.photos.making.make import make_copsref


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


OTHERS, ENCODER = "others", "encoder"
WIDTHS = {  # of models at small scales, as shares of `width`; at the full one they are the published ones
    "grounder": {"width": 1.0, "joint": 0.5},
    "mattnet": {"width": 1.0},
    "cm-att-erase": {"width": 1.0, "bottleneck": 0.5},
    "scan": {"width": 1.0, "word_width": 0.5},
    "tree": {"width": 1.0},
}
COUNTED = ("steps", "first_stage", "decay_from", "decay_every")  # settings that shrink with the number of steps


class Job(NamedTuple):
    """A training with its evaluation, or an evaluation alone.

    Attributes:
        data: the name of its dataset.
        name: of its folder.
        begin: the name of the job whose weights it begins with, or whose model it judges.
        run: its entry in the plan.
    """

    data: str
    name: str
    seed: int
    begin: str
    run: Mapping[str, Any]


class Plan(PlanAtScale):
    """The plan at one scale."""

    path = Path(__file__).with_suffix(".toml")

    def data(self) -> dict[str, dict[str, Any]]:
        """The recipes of the datasets, by name."""
        smaller = self.scale.get("data", {})
        return {name: {**recipe, **smaller.get(name, {})} for name, recipe in self.facts["data"].items()}

    def encoder(self) -> dict[str, Any]:
        """The settings of the encoder of regions."""
        return {**self.facts["encoder"], **self.scale.get("encoder", {})}

    def jobs(self, data: str, seeds: tuple[int, ...] | None = None, only: frozenset[str] = frozenset()) -> list[Job]:
        """The jobs on one dataset; what others begin with stands before them."""
        found = []
        for name, run in self.facts["runs"].items():
            wanted = seeds or tuple(self.facts["seeds"])
            for seed in wanted if "seeds" not in run else wanted[: len(run["seeds"])]:
                before = run.get("begin") or run.get("finds") or ""
                if not only or name in only:
                    found.append(Job(data, f"{name}-{seed}", seed, f"{before}-{seed}" if before else "", run))
        return found

    def settings(self, job: Job, features: str) -> dict[str, Any]:
        """All settings of a training, its sizes among them."""
        model, share = job.run["model"], self.scale.get("share_of_steps", 1.0)
        said = {**self.facts["settings"], **job.run.get("settings", {}), "features": features}
        for name in COUNTED:
            if name in said:
                said[name] = max(2 if name == "steps" else 1, round(said[name] * share))
        said |= self.scale.get("settings", {})
        if "batch_size" in self.scale:
            said["batch_size"] = self.scale["batch_size"]
        said.setdefault("eval_every", max(1, said["steps"] // 8))
        width = self.scale.get("width")
        sizes = {name: max(4, round(width * part)) for name, part in WIDTHS[model].items()} if width else {}
        return {**said, "sizes": {**sizes, **job.run.get("sizes", {})}}


class Bench:
    """The folder in which everything is made, and the processes that do it."""

    def __init__(self, plan: Plan, options: argparse.Namespace) -> None:
        self.plan, self.options, self.out = plan, options, options.out
        self.deadline = time.monotonic() + options.seconds
        self.features = options.features or str(self.out / ENCODER)

    def make(self) -> None:
        """Make the datasets, and train the encoder."""
        for name, values in self.plan.data().items():
            if name == OTHERS and self.options.features:
                continue
            if name == OTHERS or name in self.options.data:
                self._say(f"making {name}")
                make_copsref(recipe_from(values), self.out / name, workers=self.options.workers)
        if not self.options.features and not (self.out / ENCODER / BEST).exists():
            settings = self._write("encoder", self.plan.encoder())
            words = ["--data", str(self.out / OTHERS), "--out", str(self.out / ENCODER), "--settings", str(settings)]
            if self._run("encoder", "train", "region-encoder", *words, *self._around(time_left=False)):
                raise SystemExit(f"the encoder was not trained; see {self.out / 'encoder.log'}")

    def train(self) -> dict[str, int]:
        """Train and judge every run; what each ended with."""
        seeds = tuple(map(int, self.options.seeds.split(","))) if self.options.seeds else None
        only = frozenset(filter(None, self.options.runs.split(",")))
        ended: dict[str, Future[int]] = {}
        with ThreadPoolExecutor(self.options.at_once) as crew:
            for data in self.options.data:
                for job in self.plan.jobs(data, seeds, only):
                    before = [
                        ended[f"{data}/{name}"]
                        for name in (job.begin, f"{job.run.get('retrieves', '')}-{job.seed}")
                        if f"{data}/{name}" in ended
                    ]
                    ended[f"{data}/{job.name}"] = self._submit(crew, job, before)
        return {name: future.result() for name, future in ended.items()}

    def _submit(self, crew: ThreadPoolExecutor, job: Job, before: list[Future[int]]) -> Future[int]:
        """Take a job beside others, or at once and here where there are none."""
        if self.options.at_once > 1:
            return crew.submit(self._take, job, before)
        taken: Future[int] = Future()
        taken.set_result(self._take(job, before))
        return taken

    def report(self) -> None:
        """Write the tables of each dataset; what is swept is told on val alone, in `sweeps.json`."""
        swept = {
            f"{path.parent.parent.name}/{path.parent.name}": read_json(path).get("best", {})
            for path in sorted(self.out.glob("runs/*/sweep-*/run.json"))
        }
        write_json(self.out / "sweeps.json", swept)
        for data in self.options.data:
            found = sorted(path.parent for path in self.out.glob(f"runs/{data}/*/evaluation.json"))
            runs = [str(path) for path in found if not path.name.startswith("sweep-")]
            runs += sorted(str(path) for path in self.out.glob(f"runs/{data}/scan-[0-9]"))
            if runs:
                self._run(f"report-{data}", "report", *runs, "--out", str(self.out / f"report-{data}"))

    def _take(self, job: Job, before: list[Future[int]]) -> int:
        """Train and judge one run; other than 0 where that failed."""
        if any(one.result() for one in before) or time.monotonic() > self.deadline:
            return 3
        data, out = str(self.out / job.data), self._folder(job.data, job.name)
        log = f"{job.data}-{job.name}"
        if "retrieves" in job.run:
            retriever = self._folder(job.data, f"{job.run['retrieves']}-{job.seed}")
            judged, more = str(self._folder(job.data, job.begin)), ["--retrieve", str(retriever)]
        else:
            settings = self._write(log, self.plan.settings(job, self.features))
            begin = ["--begin", str(self._folder(job.data, job.begin))] if job.begin else []
            words = [job.run["model"], "--data", data, "--out", str(out), "--settings", str(settings), *begin]
            if code := self._run(log, "train", *words, "--seed", str(job.seed), *self._around()):
                return code
            judged, more = str(out), []
        if job.run.get("model") == "scan":  # finds images only, and is judged with what finds the object
            return 0
        around = ["--device", self.options.device, "--cache", str(self.out / "features")]
        return self._run(log, "evaluate", judged, "--data", data, "--out", str(out), *more, *around)

    def _around(self, *, time_left: bool = True) -> Iterator[str]:
        yield from ("--device", self.options.device, "--cache", str(self.out / "features"))
        if time_left and self.options.seconds < float("inf"):
            yield from ("--minutes", f"{max(0.1, (self.deadline - time.monotonic()) / 60):.1f}")

    def _folder(self, data: str, name: str) -> Path:
        return self.out / "runs" / data / name

    def _run(self, log: str, *words: str) -> int:
        """Run a command of Deixis, with its output in a log."""
        start = time.monotonic()
        with (self.out / f"{log}.log").open("a", encoding="utf-8") as file:
            print("$ deixis", *words, file=file, flush=True)
            if self.options.at_once == 1:  # here, so that libraries are loaded once
                with redirect_stdout(file), redirect_stderr(file):
                    code = deixis(list(words))
            else:
                line = [sys.executable, "-m", "deixis", *words]
                code = subprocess.run(line, stdout=file, stderr=subprocess.STDOUT, check=False).returncode  # noqa: S603
        self._say(f"{log}: {words[0]} ended with {code} after {time.monotonic() - start:.0f} s")
        return code

    def _write(self, name: str, values: Mapping[str, Any]) -> Path:
        """Write settings as TOML."""
        path = self.out / f"{name}.toml"
        tables = {key: value for key, value in values.items() if isinstance(value, dict)}
        lines = [f"{key} = {_plain(value)}" for key, value in values.items() if key not in tables]
        for key, table in tables.items():
            lines += ["", f"[{key}]", *(f"{name} = {_plain(value)}" for name, value in table.items())]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def _say(self, what: str) -> None:
        print(f"{time.strftime('%H:%M:%S')}  {what}", file=sys.stderr, flush=True)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def main(arguments: list[str] | None = None) -> int:
    """Make, train, judge and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copsref_models", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for data, runs, logs and reports")
    parser.add_argument("--scale", default="paper", help="paper, small or tiny")
    parser.add_argument("--data", type=lambda said: said.split(","), default=["kinds", "every-word"])
    parser.add_argument("--runs", default="", help="only these, e.g. mattnet,mine-random")
    parser.add_argument("--seeds", default="", help="e.g. 1,2,3")
    parser.add_argument("--features", default="", help="features instead of the encoder, e.g. lite0")
    parser.add_argument("--at-once", type=int, default=1, help="trainings side by side")
    parser.add_argument("--workers", type=int, default=1, help="processes that make data")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no more is begun")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(Plan.read(options.scale), options)
    bench.make()
    ended = bench.train()
    bench.report()
    write_json(options.out / "ended.json", ended)
    return int(any(ended.values()))


if __name__ == "__main__":
    sys.exit(main())
