"""The grid part of `deixis demo`: a small dataset, its checks, its audit beside others, and a report on it."""

from __future__ import annotations

import time
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from deixis.audits._summary import summary
from deixis.data._crew import count_workers
from deixis.data.checks import CheckRequest
from deixis.data.store import MANIFEST, open_dataset
from deixis.report.output import Output
from deixis.worlds.grid._audit.run import audit_source, audit_tables
from deixis.worlds.grid._report.comparison import Comparison
from deixis.worlds.grid._report.page import write_report
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.induce import TaskRecipe, make_task
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import gscan, reascan
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.audits import Audit
    from deixis.data._crew import Progress
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.making.recipe import Recipe


TWO_CLAUSES, SIMPLE = "p3", "p1"
GSCAN = "gSCAN-style"


def demonstrate(out: Path, *, seed: int, workers: int | None, progress: Progress) -> Output:
    """Make a small ReaSCAN dataset whose every word is needed, check it, audit it beside others, and report on it.

    Args:
        out: the folder; finished datasets in it are used again.
        seed: everything random follows from it.
        workers: how many threads; the result does not depend on it.
        progress: told how far things are.
    """
    if find_spec("jinja2") is None:  # better now than when everything is made
        raise ModuleNotFoundError("the report is made of templates", name="jinja2")
    count = count_workers(workers)
    made = _make(out / "dataset", seed=seed, workers=count, progress=progress)
    source = open_source(out / "dataset")
    report = WORLD.part("checks").check(source.path, CheckRequest(workers=count, progress=progress))
    comparison = _compare(source, out / "beside", seed=seed, workers=count, progress=progress)
    page = write_report(
        out / "dataset",
        out / "report.html",
        report=report,
        comparison=comparison,
        puzzle=make_task(TaskRecipe(tasks=10, seed=seed), 5),
        seed=seed,
    )
    audits = {"dataset": comparison.whole, **comparison.two_clauses, **comparison.simple}
    plain = {name: summary(audit) for name, audit in audits.items()}
    again = "used again" if made["was complete"] else f"made in {made['seconds']:.1f} seconds"
    found = ", ".join(f"{code} {count:,}" for code, count in report.counts.items()) or "nothing found"
    return Output(
        values={"dataset": made, "checks": report.as_dict(), "audits": plain, "report": str(page)},
        blocks=[
            f"dataset: {made['path']}, {made['examples']:,} examples, {again}",
            f"checks:  {found}",
            f"audit:   {_in_short(comparison)}",
            f"report:  {page} (open it in a browser)",
            f"Next: deixis show {made['path']} --seed 1",
        ],
        code=int(report.has_errors),
    )


def _make(folder: Path, *, seed: int, workers: int, progress: Progress) -> dict[str, Any]:
    """The dataset of the demo, or the one that an earlier demo has left in the folder, whatever its mode."""
    recipe = reascan(mode="every-word", scale="small", seed=seed)
    complete = (folder / MANIFEST).exists()
    start = time.monotonic()
    kept = open_dataset(folder) if complete else None
    found = kept.manifest.get("recipe") if kept is not None else None
    if kept is not None and isinstance(found, dict) and (found.get("name"), found.get("seed")) == (recipe.name, seed):
        kept.demand_whole()
        dataset = kept
    else:
        dataset = make(recipe, folder, workers=workers, progress=progress)
    seconds = round(time.monotonic() - start, 3)
    examples = dataset.manifest["examples"]
    return {"path": str(folder), "was complete": complete, "examples": examples, "seconds": seconds}


def _compare(source: Source, folder: Path, *, seed: int, workers: int, progress: Progress) -> Comparison:
    """Return the audit of the dataset, and those of small sets made in other ways."""

    def beside(name: str, recipe: Recipe) -> Source:
        make(recipe, folder / name, workers=workers, progress=progress)
        return open_source(folder / name)

    def whole(one: Source, name: str, split: str | None = None) -> Audit:
        tell: Any = partial(progress, f"audit of {name}")
        return audit_source(one, split=split, workers=workers, progress=lambda done: tell(done, None))

    mode = str((source.dataset.manifest["recipe"] if source.dataset else {}).get("mode", "this dataset"))
    two_clauses = {}
    for other in ("compatible", "corrected"):
        if other != mode:
            recipe = reascan(mode=other, seed=seed, patterns=(TWO_CLAUSES,), hold_out=())
            two_clauses[other] = whole(beside(other, recipe), other)
    own = {pattern: audit_tables(_of_pattern(source, pattern), workers=workers) for pattern in (TWO_CLAUSES, SIMPLE)}
    if own[TWO_CLAUSES].judged:
        two_clauses[mode] = own[TWO_CLAUSES]
    simple = beside("gscan", gscan(seed=seed))
    return Comparison(
        whole=whole(source, source.path.name),
        two_clauses=two_clauses,
        simple={GSCAN: whole(simple, GSCAN)},
        colour_and_shape={
            f"{GSCAN}, yellow squares": whole(simple, GSCAN, "yellow-squares"),
            f"{mode}, simple commands": own[SIMPLE],
        },
    )


def _of_pattern(source: Source, pattern: str) -> Iterator[Any]:
    """Yield the examples of one pattern."""
    for table in source.tables():
        yield table.filter(table["pattern"].to_numpy() == pattern)


def _in_short(comparison: Comparison) -> str:
    shares = {name: audit.words_needed().share for name, audit in comparison.two_clauses.items()}
    said = ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share is not None)
    return f"content words of two-clause commands that are needed: {said}"
