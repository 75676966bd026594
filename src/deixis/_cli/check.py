"""`deixis check`: find mistakes in a dataset from any source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._cli.compose import options_for
from deixis._cli.options import Address, Count, Json, On, PlacesOrNone, Seed, Wait
from deixis._cli.places import PATIENCE_SECONDS, at_hand, crew_for
from deixis._cli.printing import print_json, print_table
from deixis._cli.progress import Stages
from deixis._options import names_in
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from deixis.data.checks import Report
    from deixis.worlds.world import World


FEW = 3  # findings of each code shown in text


def check(
    places: PlacesOrNone = None,
    /,
    *,
    select: str = "",
    thorough: bool = False,
    max_findings: Count | None = None,
    sample: Count | None = None,
    codes: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
    options: Mapping[str, Any],
) -> int:
    """Check examples: read and resolve everything anew, and compare.

    The exit code is 1 when anything is found that is more than information. Datasets of ours are also compared with
    their manifest and with the split rules of their recipe, and each field of released files with what it should be.

    Args:
        places: Datasets of any world, at a path or an address such as s3://bucket/folder, Parquet files, or other
            files that a world reads. Each has a report of its own; those of one world are also checked against each
            other for examples that are in two of them.
        select: Prefixes of the codes to check, separated by commas, e.g. E,W2.
        thorough: Use the plain definitions instead of compiled checks; much slower.
        max_findings: How many findings of each code to list; 3 in text and 20 in JSON by default.
        sample: Check a random sample of this size; files are then not compared with the manifest.
        codes: List what is checked in every world, and check nothing.
        seed: Random seed of the sample; 0 by default.
        workers: How many processes or threads share the work, one per core by default; the result is the same.
        on: Who shares it: this machine (here, the default), or the workers of a Dask cluster.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: Seconds to wait while the cluster has no worker, or its scheduler is gone; 60 by default.
        as_json: Print JSON instead of text.
        options: Those of single worlds.
    """
    from deixis.data.checks import MAX_FINDINGS, CheckRequest, check_across, select_codes
    from deixis.worlds.registry import parts_of, world_of

    if codes:
        return _list_codes(as_json=as_json)
    if not places:
        raise RecipeError("check needs the PATH of a dataset, or --codes to list what is checked")
    paths = [at_hand(place) for place in places]
    worlds = [world_of(path) for path in paths]
    for place, world in zip(places, worlds, strict=True):
        options_for(world, "check", options, where=place)
        select_codes(world.part("checks").codes, names_in(select))
        if on != "here" and not world.part("checks").runs_on_clusters:
            able = ", ".join(one.name for one, checks in parts_of("checks") if checks.runs_on_clusters)
            raise RecipeError(f"--on {on} is for checks of {able} only; {place} is of {world.name}")
    reports: dict[str, Report] = {}
    with crew_for(on, address, workers=workers, wait=cluster_wait) as crew:
        request = CheckRequest(
            select=names_in(select),
            thorough=thorough,
            sample=sample,
            seed=seed or 0,
            most=max_findings or MAX_FINDINGS,
            workers=workers or os.cpu_count() or 1,
            crew=crew,
            options=options,
        )
        for place, path, world in zip(places, paths, worlds, strict=True):
            with Stages(compiles=True) as progress:
                report = world.part("checks").check(path, replace(request, progress=progress))
            name = _unlike(str(place), reports)
            reports[name] = report
            if not as_json:
                _print_report(name, path, world, report, max_findings or FEW, is_sample=sample is not None)
    across: dict[str, Report] = {}
    for one in dict.fromkeys(world.name for world in worlds):
        some = {name: report for (name, report), its in zip(reports.items(), worlds, strict=True) if its.name == one}
        if len(some) > 1:
            across[one] = check_across(some, most=max_findings or MAX_FINDINGS)
    exit_code = max(report.exit_code for report in (*reports.values(), *across.values()))
    if as_json:
        _print_json(reports, worlds, across, places)
        return exit_code
    for report in across.values():
        _print_across(report, max_findings or FEW, is_sample=sample is not None)
    return exit_code


def _list_codes(*, as_json: bool) -> int:
    """Print every code of every world with the line that it has there."""
    from deixis.worlds.registry import parts_of

    known = {world.name: dict(checks.codes) for world, checks in parts_of("checks")}
    if as_json:
        print_json({"codes": known})
        return 0
    lines: dict[tuple[str, str], list[str]] = {}
    for world, codes in known.items():
        for code, line in codes.items():
            lines.setdefault((code, line), []).append(world)
    ordered = sorted(lines.items(), key=lambda one: (one[0][0][1:], one[0]))
    print_table(("code", "found", "worlds"), [(code, line, ", ".join(some)) for (code, line), some in ordered])
    return 0


def _unlike(name: str, names: Container[str]) -> str:
    """The name, with a number where it is given twice."""
    return next(new for new in (name, *(f"{name} ({k})" for k in range(2, 1 << 20))) if new not in names)


def _print_json(
    reports: Mapping[str, Report], worlds: Sequence[World], across: Mapping[str, Report], places: Sequence[Path | str]
) -> None:
    entries = [
        {"path": str(place), "world": world.name, **report.as_dict()}
        for place, world, report in zip(places, worlds, reports.values(), strict=True)
    ]
    told: dict[str, Any] = {}
    for report in across.values():
        plain = report.as_dict()
        one = {name: plain[name] for name in ("checked", "counts", "findings")}
        told["across"] = one if "across" not in told else _merge_tables(told["across"], one)
    every = (*reports.values(), *across.values())
    errors, warnings, others = (sum(report.total(letter) for report in every) for letter in "EWI")
    numbers = {"errors": errors, "warnings": warnings, "findings": errors + warnings + others}
    print_json({"problems": bool(errors + warnings), **numbers, "reports": entries, **told})


def _merge_tables(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Merge the comparisons of two worlds into one table. Each finding names its path."""
    counts = {
        code: one["counts"].get(code, 0) + other["counts"].get(code, 0) for code in one["counts"] | other["counts"]
    }
    checked = sorted({*one["checked"], *other["checked"]})
    return {"checked": checked, "counts": counts, "findings": [*one["findings"], *other["findings"]]}


def _print_report(name: str, path: Path, world: World, report: Report, most: int, *, is_sample: bool) -> None:
    what = "examples chosen at random" if is_sample else "examples"
    numbers = [
        f"{value:,} {key}" for key, value in report.facts.items() if type(value) is int and value and key != "examples"
    ]
    kind = report.facts.get("kind", world.name)
    print(f"{name} ({kind}): {', '.join([f'{report.rows:,} {what}', *numbers, f'{len(report.checked)} checks'])}")
    if report.facts.get("left out"):
        print(f"left out, since they repeat examples of train or test: {', '.join(report.facts['left out'])}")
    if report.shares:
        print("needed to find the target: " + ", ".join(f"{kind} {share:.1%}" for kind, share in report.shares.items()))
    if not report.counts:
        print("nothing found")
        return
    messages = world.part("checks").codes
    rows = [(code, f"{count:,}", messages[code]) for code, count in report.counts.items()]
    print_table(("code", "found", "what"), rows, numbers=(1,))
    totals = (("error", report.total("E")), ("warning", report.total("W")))
    print(", ".join(f"{n:,} {what}{'s' * (n != 1)}" for what, n in totals) + "; the first of each:")
    _print_findings(report, most)
    first = next((f.row for f in report.findings if f.row is not None), None)
    if first is not None and not is_sample:
        print(f"Look at one: deixis show {path} {first}")


def _print_across(report: Report, most: int, *, is_sample: bool) -> None:
    """What is in two of the datasets."""
    what = "the samples of " if is_sample else ""
    if not report.checked:
        return
    print(f"between {what}these paths: ", end="")
    print(
        ", ".join(f"{count:,} {_twice(code)}" for code, count in report.counts.items()) or "nothing is in two of them"
    )
    _print_findings(report, most)


def _twice(code: str) -> str:
    return "examples are in two splits (E401)" if code == "E401" else "examples are twice in splits of one name (W402)"


def _print_findings(report: Report, most: int) -> None:
    shown: dict[str, int] = {}
    for finding in report.findings:
        shown[finding.code] = shown.get(finding.code, 0) + 1
        if shown[finding.code] > most:
            continue
        where = ", ".join(
            part
            for part in (
                finding.path,
                finding.file,
                f"row {finding.row}" if finding.row is not None else "",
                f"split {finding.split}" if finding.split else "",
                f"id {finding.id}" if finding.id is not None else "",
            )
            if part
        )
        print(f"{finding.code} {where}: {finding.detail or finding.message}" if where else str(finding))
