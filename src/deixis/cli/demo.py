"""`deixis demo`: a small dataset, its checks, its audit beside others, and a report to look at."""

from __future__ import annotations

import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.cli.check import check_source
from deixis.cli.make import run_recipe
from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json
from deixis.cli.progress import Stages


if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deixis.audits import Audit
    from deixis.datasets.recipe import Recipe
    from deixis.datasets.sources import Source
    from deixis.reports.comparison import Comparison


__all__ = ["demo"]

TWO_CLAUSES, SIMPLE = "p3", "p1"
GSCAN = "gSCAN-style"


def demo(
    *, out: Path = Path("deixis-demo"), seed: Seed = 42, workers: Count | None = None, as_json: Json = False
) -> int:
    """Make a small ReaSCAN dataset whose every word is needed, check and audit it, and write a report for the browser.

    Small sets made in the other modes are audited beside it.

    Args:
        out: The folder, deixis-demo by default; finished datasets in it are used again.
        seed: Everything random follows from it; 42 by default.
        workers: How many threads; the result does not depend on it.
        as_json: Print JSON instead of text.
    """
    from deixis.audits.summary import summary
    from deixis.datasets.sources import open_source
    from deixis.reports import write_report
    from deixis.tasks.induce import TaskRecipe, make_task

    if find_spec("matplotlib") is None:  # better now than when everything is made
        raise ModuleNotFoundError("the report has charts", name="matplotlib")
    made = _make(out / "dataset", seed=seed, workers=workers)
    source = open_source(out / "dataset")
    report = check_source(source, workers=workers or os.cpu_count() or 1)
    comparison = _compare(source, out / "beside", seed=seed, workers=workers)
    page = write_report(
        out / "dataset",
        out / "report.html",
        report=report,
        comparison=comparison,
        puzzle=make_task(TaskRecipe(tasks=10, seed=seed), 5),
        seed=seed,
    )
    if as_json:
        audits = {"dataset": comparison.whole, **comparison.two_clauses, **comparison.simple}
        plain = {name: summary(audit) for name, audit in audits.items()}
        print_json({"dataset": made, "checks": report.as_dict(), "audits": plain, "report": str(page)})
        return int(report.has_errors)
    again = "used again" if made["was complete"] else f"made in {made['seconds']:.1f} seconds"
    found = ", ".join(f"{code} {count:,}" for code, count in report.counts.items()) or "nothing found"
    print(f"dataset: {made['path']}, {made['examples']:,} examples, {again}")
    print(f"checks:  {found}")
    print(f"audit:   {_in_short(comparison)}")
    print(f"report:  {page} (open it in a browser)")
    print(f"Next: deixis show {made['path']} --seed 1")
    return int(report.has_errors)


def _make(folder: Path, *, seed: int, workers: int | None) -> dict[str, Any]:
    """The dataset of the demo, or the one that an earlier demo has left in the folder, whatever its mode."""
    from deixis.datasets.recipe import reascan
    from deixis.datasets.store import MANIFEST, open_dataset

    recipe = reascan(mode="every-word", scale="small", seed=seed)
    if (folder / MANIFEST).exists():
        kept = open_dataset(folder)
        found = kept.manifest.get("recipe")
        if isinstance(found, dict) and (found.get("name"), found.get("seed")) == (recipe.name, seed):
            kept.demand_whole()
            return {"path": str(folder), "was complete": True, "examples": kept.manifest["examples"], "seconds": 0.0}
    return run_recipe(recipe, folder, workers=workers)


def _compare(source: Source, folder: Path, *, seed: int, workers: int | None) -> Comparison:
    """The audit of the dataset, and those of small sets made in other ways."""
    from deixis.audits.run import audit_source, audit_tables
    from deixis.datasets.recipe import gscan, reascan
    from deixis.datasets.sources import open_source
    from deixis.reports.comparison import Comparison

    threads = workers or os.cpu_count() or 1

    def beside(name: str, recipe: Recipe) -> Source:
        run_recipe(recipe, folder / name, workers=workers)
        return open_source(folder / name)

    def whole(one: Source, name: str, split: str | None = None) -> Audit:
        with Stages(compiles=True) as progress:
            tell: Any = partial(progress, f"audit of {name}")
            return audit_source(one, split=split, workers=threads, progress=lambda done: tell(done, None))

    mode = str((source.dataset.manifest["recipe"] if source.dataset else {}).get("mode", "this dataset"))
    two_clauses = {}
    for other in ("compatible", "corrected"):
        if other != mode:
            recipe = reascan(mode=other, seed=seed, patterns=(TWO_CLAUSES,), hold_out=())
            two_clauses[other] = whole(beside(other, recipe), other)
    own = {pattern: audit_tables(_of_pattern(source, pattern), workers=threads) for pattern in (TWO_CLAUSES, SIMPLE)}
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
    """The examples of one pattern."""
    for table in source.tables():
        yield table.filter(table["pattern"].to_numpy() == pattern)


def _in_short(comparison: Comparison) -> str:
    shares = {name: audit.words_needed().share for name, audit in comparison.two_clauses.items()}
    said = ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share is not None)
    return f"content words of two-clause commands that are needed: {said}"
