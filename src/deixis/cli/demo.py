"""`deixis demo`: a small dataset, its checks and a report to look at."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from deixis.cli.check import check_source
from deixis.cli.make import run_recipe
from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json


__all__ = ["demo"]


def demo(
    *, out: Path = Path("deixis-demo"), seed: Seed = 42, workers: Count | None = None, as_json: Json = False
) -> int:
    """Make a small corrected ReaSCAN dataset, check it and write a report that a browser shows.

    Args:
        out: The folder, deixis-demo by default; a finished dataset in it is used again.
        seed: Everything random follows from it; 42 by default.
        workers: How many threads; the result does not depend on it.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.recipe import reascan
    from deixis.datasets.sources import open_source
    from deixis.reports import write_report

    if find_spec("matplotlib") is None:  # better now than when everything is made
        raise ModuleNotFoundError("the report has charts", name="matplotlib")
    made = run_recipe(reascan(mode="corrected", scale="small", seed=seed), out / "dataset", workers=workers)
    report = check_source(open_source(out / "dataset"))
    page = out / "report.html"
    write_report(out / "dataset", page, report=report, seed=seed)
    if as_json:
        print_json({"dataset": made, "checks": report.as_dict(), "report": str(page)})
        return int(report.has_errors)
    again = "used again" if made["was complete"] else f"made in {made['seconds']:.1f} seconds"
    found = ", ".join(f"{code} {count:,}" for code, count in report.counts.items()) or "nothing found"
    print(f"dataset: {made['path']}, {made['examples']:,} examples, {again}")
    print(f"checks:  {found}")
    print(f"report:  {page} (open it in a browser)")
    print(f"Next: deixis show {made['path']} --seed 1")
    return int(report.has_errors)
