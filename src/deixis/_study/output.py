"""The results of a study as lines and tables, as rows, and as the files that reports and the studio read."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deixis._study.analysis import ALL, PEOPLE, by_split
from deixis._study.judging import meets_demand
from deixis._version import __version__
from deixis.data.store import replacing_file, write_parquet
from deixis.judge.uncertainty import plain_estimates
from deixis.prompts.files import write_lines
from deixis.prompts.tasks import world_of_task
from deixis.report.output import Output, TextTable


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis._study.analysis import Group, StudyResults
    from deixis.judge.uncertainty import Estimate


RESULTS, ROWS, TABLE, EVALUATION = "people.json", "rows.jsonl", "rows.parquet", "evaluation.json"
FORM = "people"
MAX_MISREADINGS = 12
SCHEMA = pa.schema(
    [
        ("format", pa.int32()),
        ("study", pa.string()),
        ("form", pa.string()),
        ("participant", pa.string()),
        ("trial_index", pa.int32()),
        ("item", pa.string()),
        ("kind", pa.string()),
        ("condition", pa.string()),
        ("question", pa.string()),
        ("response", pa.string()),
        ("rt", pa.float64()),
        ("first", pa.float64()),
        ("blurs", pa.int32()),
        ("time_elapsed", pa.float64()),
        ("clicks", pa.list_(pa.list_(pa.float64()))),
        ("screen", pa.list_(pa.int32())),
        ("window", pa.list_(pa.int32())),
        ("outcome", pa.string()),
        ("is_right", pa.bool_()),
        ("misreading", pa.list_(pa.string())),
        ("is_excluded", pa.bool_()),
    ]
)


def tidy_rows(results: StudyResults) -> Iterator[dict[str, Any]]:
    """Yield every answer with its item and the judgement on it.

    For attention items that is whether they were met.
    """
    for one in results.judged:
        row, item = one.given.row, one.item
        is_check = item.kind == "attention"
        is_right = meets_demand(item, one.given.response) if is_check else one.is_right
        yield {
            "format": 1,
            "study": results.study.digest,
            "form": _text(row.get("form")),
            "participant": one.given.participant,
            "trial_index": one.given.place,
            "item": item.id,
            "kind": item.kind,
            "condition": item.condition,
            "question": item.question,
            "response": one.given.response,
            "rt": None if isnan(one.given.rt) else one.given.rt,
            "first": _number(row.get("first")),
            "blurs": _whole(row.get("blurs")),
            "time_elapsed": _number(row.get("time_elapsed")),
            "clicks": _lists(row.get("clicks")),
            "screen": _pair(row.get("screen")),
            "window": _pair(row.get("window")),
            "outcome": ("met" if is_right else "missed") if is_check else one.judgement.outcome,
            "is_right": is_right,
            "misreading": [] if is_check else list(one.judgement.misreadings),
            "is_excluded": one.given.participant in results.excluded,
        }


def write_results(results: StudyResults, out: Path) -> list[Path]:
    """Write results, rows and one evaluation for each condition into a folder, and return the files."""
    from deixis._study.page_of_results import results_page

    out.mkdir(parents=True, exist_ok=True)
    rows = list(tidy_rows(results))
    write_lines(out / ROWS, rows)
    write_parquet(pa.Table.from_pylist(rows, schema=SCHEMA), out / TABLE, statistics=("condition",))
    _write_json(out / RESULTS, results.to_dict())
    with replacing_file(out / "report.html") as draft:
        draft.write_text(results_page(results), encoding="utf-8", newline="\n")
    files = [out / RESULTS, out / ROWS, out / TABLE, out / "report.html"]
    for name in () if results.study.items[0].is_typed else results.study.conditions:
        folder = out / "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name)
        folder.mkdir(exist_ok=True)
        _write_json(folder / EVALUATION, _evaluation(results, name))
        files.append(folder / EVALUATION)
    return files


def _evaluation(results: StudyResults, condition: str) -> dict[str, Any]:
    """Return the results of people in a condition as the studio shows them beside those of models."""
    about = results.study.conditions[condition]
    return {
        "deixis": __version__,
        "form": FORM,
        "world": world_of_task(results.study.task).name,
        "model": f"{PEOPLE} ({results.entered - len(results.excluded)})",
        "study": results.study.digest,
        "measure": next(iter(results.counted[0].judgement.measures)),
        "data": about["data"],
        "digest": about["content"],
        "options": dict(about["options"]),
        "overall": _scores(results.groups["condition"][condition]),
        "splits": {name: _scores(group) for name, group in by_split(results, condition).items()},
    }


def _scores(group: Group) -> dict[str, Any]:
    return {
        "examples": group.accuracy.rows,
        **plain_estimates({"": {"right": group.accuracy}})[""],
        "outcomes": dict(group.outcomes),
        "misreadings": {name: round(count, 3) for name, count in group.misreadings.items()},
    }


# -------------------------------------------------------------------------------- for a terminal


def output_of(results: StudyResults) -> Output:
    """Return results for a terminal and for JSON."""
    return Output(values=results.to_dict(), blocks=list(_blocks(results)))


def _blocks(results: StudyResults) -> Iterator[str | TextTable]:
    study, overall = results.study, results.overall
    left_out = f", {len(results.excluded):,} left out by attention items" if study.of_kind("attention") else ""
    yield f"Study {study.digest}: {results.entered:,} participants, {results.complete:,} to the end{left_out}"
    heads = ("", "items", "answers", "right", "95 %", "chance", "alpha", "seconds", *results.models)
    rows = [_row(name, group, results) for name, group in result_groups(results)]
    yield TextTable(heads, rows, range(1, len(heads)))
    yield "in %, intervals over persons and items; chance is guessing among the answers shown; alpha is Krippendorff's"
    if overall.bounds.missing:
        low, high = (f"{100 * one:.1f}" for one in overall.bounds[:2])
        count = f"{overall.bounds.missing:,}"
        yield f"{count} answers are missing; whatever they had been, between {low} and {high} % are right"
    for name, gap in overall.gaps.items():
        yield f"People minus {name}, on the same items: {format_gap(gap)} points"
    if overall.misreadings:
        wrong = sum(count for outcome, count in overall.outcomes.items() if outcome != "right")
        some = list(overall.misreadings.items())[:MAX_MISREADINGS]
        rows = [[name, f"{count:.1f}", f"{100 * count / wrong:.1f}"] for name, count in some]
        yield TextTable(("wrong answer, by misreading", "n", "%"), rows, (1, 2))
    yield from results.losses.lines()


def result_groups(results: StudyResults) -> Iterator[tuple[str, Group]]:
    """Yield the groups in the order in which they are shown, with their names."""
    yield ALL, results.overall
    for what, parts in results.groups.items():
        if what != ALL and (len(parts) > 1 or what != "condition"):
            yield from ((f"{what}: {name}", group) for name, group in parts.items())


def _row(name: str, group: Group, results: StudyResults) -> list[str]:
    found = group.accuracy
    models = [percent(group.models[model].mean) for model in results.models]
    return [
        name,
        f"{group.items:,}",
        f"{found.rows:,}",
        percent(found.mean),
        interval(found),
        percent(group.chance),
        number(group.agreement.mean),
        "–" if isnan(group.seconds) else f"{group.seconds:.1f}",
        *models,
    ]


def percent(value: float) -> str:
    """Return a share in per cent, or a dash."""
    return "–" if isnan(value) else f"{100 * value:.1f}"


def interval(found: Estimate) -> str:
    """Return the ends of an interval in per cent, or a dash."""
    return "–" if isnan(found.low) else f"{100 * found.low:.1f}–{100 * found.high:.1f}"


def number(value: float) -> str:
    """Return a number with two digits, or a dash."""
    return "–" if isnan(value) else f"{value:.2f}"


def format_gap(gap: Estimate) -> str:
    """Return a difference in points, with its interval."""
    return f"{100 * gap.mean:+.1f} ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"


# -------------------------------------------------------------------------------- fields that nobody vouches for


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return value if type(value) is int and abs(value) < 1 << 31 else None


def _pair(value: object) -> list[int] | None:
    is_pair = isinstance(value, list) and len(value) == 2 and all(_whole(one) is not None for one in value)
    return value if is_pair else None  # type: ignore[return-value]


def _lists(value: object) -> list[list[float]]:
    some = value if isinstance(value, list) else []
    return [[float(part) for part in one] for one in some if isinstance(one, list) and None not in map(_number, one)]


def _write_json(path: Path, values: Any) -> None:
    with replacing_file(path) as draft:
        draft.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
