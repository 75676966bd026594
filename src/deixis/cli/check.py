"""`deixis check`: what is wrong with a dataset, whoever made it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.cli.options import Address, Count, Json, On, Places, Seed, Wait, names_in
from deixis.cli.places import PATIENCE_SECONDS, at_hand, crew_for
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages


if TYPE_CHECKING:
    from typing import Any

    from deixis.datasets.a3ds_check import A3dsReport
    from deixis.datasets.checks import Report
    from deixis.datasets.copsref.check import CopsRefReport
    from deixis.datasets.sources import Source


__all__ = ["check", "check_source"]

OTHERS = ("a3ds", "copsref")  # datasets that are no grid worlds
FEW = 3  # findings of each code shown in text


def check(
    places: Places,
    /,
    *,
    select: str = "",
    thorough: bool = False,
    max_findings: Count | None = None,
    hold_out: str = "",
    sample: Count | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
) -> int:
    """Check examples: read, resolve, plan and carry out everything anew, and compare.

    The exit code is 1 when anything is found that is more than information. Datasets of ours are also compared with
    their manifest and with the split rules of their recipe.

    Args:
        places: Datasets of ReaSCAN, A3DS or Cops-Ref, at a path or an address such as s3://bucket/folder, Parquet
            files, released ReaSCAN or gSCAN files; each by itself.
        select: The beginnings of codes to look for, separated by commas, e.g. E,W2.
        thorough: Judge every row by the plain definitions, much slower.
        max_findings: How many findings of each code to list; 3 in text and 20 in JSON by default.
        hold_out: Further split rules, e.g. a1,b2, that train, dev and test must keep.
        sample: Check only so many examples, chosen at random; rows are then counted within the sample.
        seed: Which ones are chosen; 0 by default.
        workers: How many threads, one per core by default; the result does not depend on it.
        on: Work on this machine (here, the default), or have grid worlds checked on a Dask cluster.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: How many seconds to wait while the cluster has no worker; 60 by default.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.sources import open_source
    from deixis.datasets.store import kind_of
    from deixis.splits.catalogue import find_rule

    rules = tuple(find_rule(name) for name in names_in(hold_out))
    paths = [at_hand(place) for place in places]
    kinds = [kind_of(path) for path in paths]
    sources = [p if kind in OTHERS else open_source(p) for p, kind in zip(paths, kinds, strict=True)]
    threads = workers or os.cpu_count() or 1
    codes, entries = [], []
    with crew_for(on, address, workers=workers, wait=cluster_wait) as crew:
        options = {"select": names_in(select), "thorough": thorough, "workers": threads, "crew": crew}
        for place, source, kind in zip(places, sources, kinds, strict=True):
            if isinstance(source, Path):
                found = _check_rooms(source, threads) if kind == "a3ds" else _check_photographs(source)
                codes.append(found.exit_code)
                entries.append({"path": str(place), "kind": kind, **found.as_dict()})
                if not as_json:
                    _print_found(place, found, max_findings or FEW)
                continue
            report = check_source(source, rules=rules, sample=sample, seed=seed, **options)
            codes.append(report.exit_code)
            entries.append({**_plain(source, report, max_findings), "path": _name(place, source)})
            if not as_json:
                print(f"{_name(place, source)} ({source.kind}): ", end="")
                _print_report(source, report, max_findings or FEW, is_sample=sample is not None)
    if as_json:
        print_json({"problems": any(codes), "reports": entries})
    return max(codes)


def check_source(
    source: Source, *, rules: tuple[Any, ...] = (), sample: int | None = None, seed: int = 0, **options: Any
) -> Report:
    """The report on a source, with progress on standard error.

    Args:
        source: what to check.
        rules: what must not occur in train, dev or test, beside what the recipe of the source says.
        sample: only so many examples, chosen by the seed.
        seed: which ones.
        options: as for `check_tables`.
    """
    from deixis.datasets.checks import check_dataset, check_tables, selected
    from deixis.datasets.sources import sample_rows

    if source.kind == "gscan" and not options.get("select"):  # gSCAN says 'a' whatever the world holds
        options["select"] = [code for code in selected() if code != "E601"]
    rules = tuple(dict.fromkeys((*source.rules, *rules)))
    with Stages(compiles=True) as progress:
        if sample is not None:
            table = sample_rows(source.tables(), sample, seed=seed)
            return check_tables([table] if table is not None else [], rules=rules, **options)
        tell = lambda rows: progress(source.path.name, rows, source.total)  # noqa: E731
        if source.dataset is not None:
            return check_dataset(source.dataset, rules=rules, progress=tell, **options)
        return check_tables(source.tables(), rules=rules, progress=tell, **options)


def _name(place: Path | str, source: Source) -> str:
    """What a source is called: its address, or the path of what is read."""
    return place if isinstance(place, str) else str(source.path)


def _check_rooms(folder: Path, workers: int) -> A3dsReport:
    from deixis.datasets.a3ds_check import check_a3ds

    with Stages() as progress:
        return check_a3ds(folder, workers=workers, progress=progress)


def _check_photographs(folder: Path) -> CopsRefReport:
    from deixis.datasets.copsref.check import check_copsref

    with Stages(compiles=True) as progress:
        return check_copsref(folder, progress=progress)


def _print_found(folder: Path | str, report: A3dsReport | CopsRefReport, most: int) -> None:
    numbers = [f"{value:,} {name}" for name, value in report.as_dict().items() if isinstance(value, int) and value]
    print(f"{folder}: {', '.join(numbers)}")
    if not report.counts:
        print("nothing found")
    shown: dict[str, int] = {}
    for problem in report.problems:
        if _nth(shown, problem.code) <= most:
            print(problem)


def _plain(source: Source, report: Report, most: int | None) -> dict[str, Any]:
    values: dict[str, Any] = report.as_dict()
    if most is not None:
        kept: dict[str, int] = {}
        values["findings"] = [f for f in values["findings"] if _nth(kept, f["code"]) <= most]
    return {"path": str(source.path), "kind": source.kind, **values}


def _nth(counts: dict[str, int], code: str) -> int:
    counts[code] = counts.get(code, 0) + 1
    return counts[code]


def _print_report(source: Source, report: Report, most: int, *, is_sample: bool) -> None:
    from deixis.datasets.checks import CHECKS

    what = "examples chosen at random" if is_sample else "examples"
    print(f"{report.rows:,} {what}, {len(report.checked)} checks")
    if report.shares:
        print("needed to find the target: " + ", ".join(f"{kind} {share:.1%}" for kind, share in report.shares.items()))
    if not report.counts:
        print("nothing found")
        return
    rows = [(code, f"{count:,}", CHECKS[code].message) for code, count in report.counts.items()]
    print_table(("code", "found", "what"), rows, numbers=(1,))
    errors, warnings = (sum(n for code, n in report.counts.items() if code[0] == letter) for letter in "EW")
    print(f"{errors:,} errors, {warnings:,} warnings; the first of each:")
    _print_findings(source, report, most, is_sample=is_sample)


def _print_findings(source: Source, report: Report, most: int, *, is_sample: bool) -> None:
    shown: dict[str, int] = {}
    for finding in report.findings:
        if _nth(shown, finding.code) > most:
            continue
        where = ", ".join(
            part
            for part in (
                f"row {finding.row}" if finding.row is not None else "",
                f"split {finding.split}" if finding.split else "",
                f"id {finding.id}" if finding.id is not None else "",
            )
            if part
        )
        print(f"{finding.code} {where}: {finding.detail or finding.message}" if where else str(finding))
    first = next((f.row for f in report.findings if f.row is not None), None)
    if first is not None and not is_sample:
        print(f"Look at one: deixis show {source.path} {first}")
