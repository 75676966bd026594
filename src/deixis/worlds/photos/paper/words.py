"""The results of models on Cops-Ref as tables of text: Markdown for a page, CSV for a spreadsheet, plain values.

The commands behind results stand with them, and settings as files that training reads.
"""

from __future__ import annotations

import json
import re
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from deixis.report.cells import NOTHING, as_csv, as_markdown, in_one_cell, span
from deixis.report.markup import anchor
from deixis.worlds.photos.localise import FORMS, LENGTHS, SETTINGS
from deixis.worlds.photos.paper.claims import figures_of, find_shape
from deixis.worlds.photos.paper.models import published_results
from deixis.worlds.photos.paper.tables import parts_of, say


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.report.chart import Figure
    from deixis.worlds.photos.paper.claims import Claim, Finding
    from deixis.worlds.photos.paper.runs import Trial
    from deixis.worlds.photos.paper.tables import Group, Results, Row, Table


__all__ = [
    "MARKS",
    "absence_heads",
    "absence_rows",
    "commands_of",
    "errors_rows",
    "files_of_cells",
    "protocol_rows",
    "results_as_dict",
    "results_as_markdown",
    "say_verdict",
    "seeds_of",
    "settings_files",
]

MARKS = (
    ("±", "sample standard deviation over seeds"),
    ("[ ]", "one seed; 95 % interval over its examples"),
    ("( )", "published figure"),
)
SETTINGS_FOLDER = "settings"
APART = ("model", "seed")  # settings that a command says itself
PLAIN = re.compile(r"[A-Za-z0-9_-]+")
SIGNS = {"holds": "✓", "does not hold": "✗", "not measured": "?"}


def results_as_markdown(results: Results, figures: Sequence[Figure] = ()) -> str:
    """All results for a page or a paper; figures are linked as files beside it."""
    lines = ["# Models on Cops-Ref, beside what is published", "", *_about(results), ""]
    lines += ["## Does it have the paper's shape?", ""]
    for claim, finding in find_shape(figures_of(results)):
        why = results.reasons.get(claim.key)
        said = f"* {SIGNS[finding.verdict]} **{say_verdict(finding)}**: {claim.says} {_sentence(finding.numbers)}"
        lines.append(said + (f" *{in_one_cell(why)}*" if why else ""))
    for table in results.tables:
        lines += ["", f"## {table.title}", "", "Accuracy in percent; the published figure in brackets.", ""]
        lines.append(as_markdown(("", "seeds", *table.settings), _table_rows(table)))
        lines += [f"* {row.title}, {name}: {note}" for row in table.rows for name, note in row.notes.items() if note]
    lines += ["", *(f"{mark}: {meaning}  " for mark, meaning in MARKS)]
    for one in figures:
        lines += ["", f"## {one.title}", "", f"![{one.title}]({one.name}.svg)", "", one.caption]
    absence = absence_rows(results)
    if absence:
        lines += ["", "## Is it there at all?", "", _ABSENT, ""]
        lines.append(as_markdown(("", *absence_heads()), absence))
    errors = errors_rows(results)
    if errors[1]:
        lines += ["", "## Where wrong choices lie in Full", "", "Shares of wrong choices in percent.", ""]
        lines.append(as_markdown(*errors))
    lines += ["", "## Runs", "", as_markdown(*protocol_rows(results))]
    lines += ["", "## Commands", ""]
    for name, commands in commands_of(results).items():
        lines += [f"{name}:", "", "```console", *(f"$ {line}" for line in commands), "```", ""]
    return "\n".join([*lines, f"Published: {published_results().source}."]) + "\n"


_ABSENT = (
    "Accuracy of deciding from the score of the best region whether an expression fits anything: the mean of the "
    "shares of right decisions for present and absent objects, with a threshold chosen on val, and the area under the "
    "curve. A constant answer has 50. Percent."
)


def _about(results: Results) -> Iterator[str]:
    trials = results.trials
    data = sorted({f"{trial.data} ({'+'.join(trial.splits)})" for trial in trials if trial.data})
    shown = sorted({trial.features for trial in trials if trial.features})
    examples = max((share.accuracy.examples for trial in trials for share in trial.results.values()), default=0)
    said = f"{len(trials)} run{'s' if len(trials) != 1 else ''}, judged on {in_one_cell(', '.join(data))}"
    yield f"{said}, {examples:,} expressions each. What regions look like: {in_one_cell(', '.join(shown))}."


def say_verdict(finding: Finding) -> str:
    """The verdict, with a word about the noise."""
    return f"{finding.verdict}, within the noise" if finding.is_unsure else finding.verdict


def seeds_of(row: Row) -> str:
    """How many seeds a row was measured with."""
    return str(row.seeds) if row.seeds else NOTHING


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _table_rows(table: Table) -> Iterator[list[str]]:
    for row in table.rows:
        cells = []
        for setting in table.settings:
            published = row.published.get(setting)
            theirs = "" if published is None else f" ({published:.1f})"
            ours = say(row.cells.get(setting))
            cells.append(f"{ours}{theirs}")
        yield [row.title, seeds_of(row), *cells]


def absence_heads() -> list[str]:
    """What stands above `absence_rows`."""
    return [f"{setting}, {name}" for setting in ("Full", "WithoutDist") for name in ("right decisions", "area")]


def absence_rows(results: Results) -> list[list[str]]:
    """For each group that was asked in vain: right decisions and area, in Full and in WithoutDist, in percent."""
    rows = []
    for group in results.groups:
        found = [
            _several([getattr(trial.absences[setting], name) for trial in group.trials if setting in trial.absences])
            for setting in ("Full", "WithoutDist")
            for name in ("accuracy", "area")
        ]
        if any(one != NOTHING for one in found):
            rows.append([group.label, *found])
    return rows


def errors_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of where wrong choices lie in Full, with how many are of the target's category."""
    found = {name for trial in results.trials if "Full" in trial.results for name in trial.results["Full"].places}
    places = sorted(found, key=lambda name: _place(name, ("right image", *SETTINGS)))
    rows = []
    for group in results.groups:
        shares = [_shares(trial, places) for trial in group.trials if "Full" in trial.results]
        if shares and any(shares):
            columns = zip(*[one for one in shares if one], strict=True)
            rows.append([group.label, *(_several(list(column)) for column in columns)])
    return ["", *places, "of the target's category"], rows


def _shares(trial: Trial, places: Sequence[str]) -> list[float]:
    result = trial.results["Full"]
    total = sum(result.places.values())
    if not total:
        return []
    return [*(result.places.get(name, 0) / total for name in places), result.categories.get("same category", 0) / total]


def _several(shares: Sequence[float]) -> str:
    if not shares:
        return NOTHING
    values = [100 * share for share in shares]
    return f"{fmean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def protocol_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of how every run was made."""
    heads = [
        "",
        "row",
        "seed",
        "features",
        "parameters",
        "steps",
        "best step",
        "batch size",
        "time",
        "expressions/s",
        "on",
    ]
    named = [(group.label, trial) for group in results.groups for trial in group.trials]
    named += [("SCAN, finds images", trial) for trial in results.retrievers]
    rows = [
        [
            trial.folder,
            label,
            NOTHING if trial.seed is None else str(trial.seed),
            trial.features or NOTHING,
            f"{trial.parameters:,}" if trial.parameters else NOTHING,
            f"{trial.updates:,}" if trial.updates else NOTHING,
            f"{trial.best_update:,}" if trial.best_update else NOTHING,
            f"{trial.batch:,}" if trial.batch else NOTHING,
            span(trial.seconds),
            f"{trial.examples_per_second:,.0f}" if trial.examples_per_second else NOTHING,
            trial.device or NOTHING,
        ]
        for label, trial in named
    ]
    return heads, rows


# ----------------------------------------------------------------------------------------------------------- as values


def files_of_cells(results: Results) -> dict[str, str]:
    """The tables, their parts, and what is not there, as CSV by file name; numbers in percent."""
    heads = ("row", "part", "mean", "deviation", "low", "high", "seeds", "examples", "published")
    tables = [
        (table.key, row.title, setting, *_numbers(row.cells.get(setting)), row.published.get(setting))
        for table in results.tables
        for row in table.rows
        for setting in table.settings
    ]
    parts = [
        (by, group.label, name, *_numbers(found), None)
        for by, known in (("forms", FORMS), ("lengths", LENGTHS))
        for group in results.groups
        for name, found in sorted(parts_of(group, by).items(), key=lambda pair: _place(pair[0], known))
    ]
    absent = [
        (group.label, trial.folder, trial.seed, setting, *(round(100 * share, 4) for share in trial.absences[setting]))
        for group in results.groups
        for trial in group.trials
        for setting in SETTINGS
        if setting in trial.absences
    ]
    return {
        "tables.csv": as_csv(("table", *heads), tables),
        "parts.csv": as_csv(("by", *heads), parts),
        "not-there.csv": as_csv(
            ("row", "run", "seed", "setting", "right decisions", "of what is there", "of what is not", "area"), absent
        ),
    }


def _place(name: str, known: Sequence[str]) -> tuple[int, str]:
    return (known.index(name) if name in known else len(known), name)


def _numbers(found: Any) -> tuple[object, ...]:
    if found is None:
        return (None,) * 6
    spread = None if found.deviation is None else round(found.deviation, 4)
    return (round(found.mean, 4), spread, round(found.low, 4), round(found.high, 4), found.seeds, found.examples)


def results_as_dict(results: Results) -> dict[str, Any]:
    """All results as plain values, in percent."""
    names = ("mean", "deviation", "low", "high", "seeds", "examples")

    def cells(row: Row) -> dict[str, Any]:
        return {name: dict(zip(names, _numbers(found), strict=True)) for name, found in row.cells.items()}

    def parts(group: Group, by: str) -> dict[str, Any]:
        found = parts_of(group, by)
        return {name: dict(zip(names, _numbers(one), strict=True)) for name, one in found.items()}

    return {
        "source": published_results().source,
        "tables": {
            table.key: [
                {"row": row.title, "seeds": row.seeds, "ours": cells(row), "published": dict(row.published)}
                for row in table.rows
            ]
            for table in results.tables
        },
        "shape": [_said(claim, finding, results) for claim, finding in find_shape(figures_of(results))],
        "by form": {group.label: parts(group, "forms") for group in results.groups},
        "by length": {group.label: parts(group, "lengths") for group in results.groups},
        "runs": [
            {
                "folder": trial.folder,
                "row": group.label,
                "seed": trial.seed,
                "features": trial.features,
                "updates": trial.updates,
                "seconds": trial.seconds,
                "device": trial.device,
                "not there": {name: one._asdict() for name, one in trial.absences.items()},
            }
            for group in results.groups
            for trial in group.trials
        ],
        "commands": commands_of(results),
    }


def _said(claim: Claim, finding: Finding, results: Results) -> dict[str, Any]:
    return {
        "key": claim.key,
        "says": claim.says,
        "verdict": finding.verdict,
        "within the noise": finding.is_unsure,
        "numbers": finding.numbers,
        "why": results.reasons.get(claim.key, ""),
    }


# ----------------------------------------------------------------------------------------------------------- commands


def settings_files(results: Results) -> dict[str, str]:
    """For each group of runs, and each that finds images, the TOML file that it was trained with, by its name."""
    return {_file(name): _toml(trial.settings) for name, trial in _firsts(results) if trial.settings}


def commands_of(results: Results) -> dict[str, list[str]]:
    """The commands of each group of runs, and of those that find images."""
    folders = {trial.checkpoint: trial.folder for trial in results.trials if trial.checkpoint and not trial.retriever}
    found: dict[str, list[str]] = {}
    for name, first in _firsts(results):
        some = next((group.trials for group in results.groups if group.label == name), (first,))
        found[name] = [line for trial in some for line in _commands(trial, _file(name), folders)]
    return found


def _firsts(results: Results) -> Iterator[tuple[str, Trial]]:
    yield from ((group.label, group.trials[0]) for group in results.groups)
    yield from ((trial.folder, trial) for trial in results.retrievers)


def _commands(trial: Trial, file: str, folders: Mapping[str, str]) -> Iterator[str]:
    out = _word(trial.folder)
    if trial.settings:
        begin = f" --begin {_word(folders.get(trial.begins_with, 'CHECKPOINT'))}" if trial.begins_with else ""
        data = _word(trial.trained_on or "DATA")
        yield f"deixis train {trial.model} --data {data} --out {out} --settings {file} --seed {trial.seed}{begin}"
    if trial.results:
        judged = out if not trial.retriever else _word(folders.get(trial.checkpoint, "RUN"))
        judged = _word(trial.answers) if trial.answers else judged
        first = f" --retrieve {_word(folders.get(trial.retriever, 'RETRIEVER'))}" if trial.retriever else ""
        splits = "" if trial.splits == ("test",) or not trial.splits else f" --split {_word(','.join(trial.splits))}"
        yield f"deixis evaluate {judged} --data {_word(trial.data or 'DATA')} --out {out}{first}{splits}"


def _file(name: str) -> str:
    return f"{SETTINGS_FOLDER}/{anchor(name)}.toml"


def _word(value: str) -> str:
    """A word as a shell takes it."""
    return value if re.fullmatch(r"[A-Za-z0-9_./,+:-]+", value) else "'" + value.replace("'", "'\\''") + "'"


def _toml(settings: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in settings.items() if name not in APART and not isinstance(value, dict)}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in plain.items() if value is not None]
    for name, table in settings.items():
        if isinstance(table, dict) and table:
            lines += ["", f"[{_key(name)}]"]
            lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items() if value is not None]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if PLAIN.fullmatch(name) else json.dumps(name)


def _value(value: object) -> str:
    """A value of a JSON file as TOML writes it; numbers, texts, truth and lists are written alike."""
    return json.dumps(value)
