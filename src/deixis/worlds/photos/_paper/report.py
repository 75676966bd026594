"""Part `paper` of photos: Tables 3 and 4 of the Cops-Ref paper for runs of models, and whether its claims hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.report._cells import NOTHING, as_csv, span
from deixis.report._results.cells import PERCENT, Cell, PublishedFigure
from deixis.report._results.document import (
    Claims,
    Differences,
    Listing,
    Paragraph,
    Report,
    Section,
    Terms,
    write_report,
)
from deixis.report._results.tables import Head, Table, differences_in, entries_of, explain_marks, table_as_text
from deixis.report.output import Output, TextTable
from deixis.worlds.photos._paper.claims import claims_about
from deixis.worlds.photos._paper.commands import command_blocks, commands_of, settings_files
from deixis.worlds.photos._paper.figures import results_figures
from deixis.worlds.photos._paper.models import CHANCE, published_results, read_notes
from deixis.worlds.photos._paper.runs import (
    about_model,
    features_of,
    groups_of,
    is_grounding_run,
    measure_parts,
    measure_setting,
    read_grounding_run,
    share_of_wrong,
)
from deixis.worlds.photos.localise import FORMS, LENGTHS, SETTINGS


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.report._results.cells import Measurement
    from deixis.report._results.groups import Group
    from deixis.report._runs import Run
    from deixis.worlds.photos._paper.models import KnownTable


SIGNS = {"holds": "yes", "does not hold": "NO", "not measured": "?"}
ABSENCE = {"accuracy": "right decisions", "area under the curve": "area"}
ABSENCE_SETTINGS = ("Full", "WithoutDist")
ABSENCE_ABOUT = (
    "Some expressions fit nothing that is shown. A model says so when the score of the best region is below a "
    "threshold chosen on val. Right decisions are the mean of two shares, for present and for absent objects; a "
    "constant answer has 50. The area under the curve does not depend on a threshold."
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Runs beside what is published.

    Attributes:
        groups: runs that differ in their seeds only, in the order of the tables.
        tables: Tables 3 and 4.
        retrievers: runs that find images only.
        reasons: sentences about claims, by their keys.
    """

    groups: tuple[Group[Run], ...]
    tables: tuple[Table, ...]
    retrievers: tuple[Run, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs."""
        return (*(run for group in self.groups for run in group.runs), *self.retrievers)


def recognises(folder: Path) -> bool:
    """Return whether a folder holds a run of a grounding model."""
    return is_grounding_run(folder)


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Compare models with what is published of Cops-Ref."""
    del progress
    reasons = read_notes(notes) if notes is not None else {}
    found = compare_runs([read_grounding_run(folder) for folder in runs], reasons=reasons)
    made = report_of(found)
    files = write_report(made, out) if out is not None else []
    return Output(values=made.to_dict(), blocks=list(_blocks(found)), files=files)


def compare_runs(runs: Sequence[Run], *, reasons: Mapping[tuple[str, str, str], str] | None = None) -> Comparison:
    """Put runs into Tables 3 and 4 beside what is published.

    Runs of one model that differ only in their seeds are one row; other settings that differ make a row of their own.

    Args:
        runs: in any order.
        reasons: sentences by table, row and setting; and by `claims`, the key of a claim, and `why`.

    Raises:
        RecipeError: when none of the runs was judged, or two of one row have the same seed.
    """
    judged = [run for run in runs if run.results.scores]
    if not judged:
        raise RecipeError("none of these runs was judged; name the folders that deixis evaluate wrote to with --out")
    given = dict(reasons or {})
    groups = groups_of(judged)
    return Comparison(
        groups=groups,
        tables=tuple(_table(known, groups, given) for known in published_results().tables),
        retrievers=tuple(run for run in runs if not run.results.scores),
        reasons={row: sentence for (table, row, _), sentence in given.items() if table == "claims"},
    )


def _table(known: KnownTable, groups: Sequence[Group[Run]], reasons: Mapping[tuple[str, str, str], str]) -> Table:
    rows: list[Head] = []
    cells: dict[tuple[str, str], Cell] = {}

    def add(
        title: str, found: Mapping[str, Measurement | None], published: Mapping[str, float], seeds: int, key: str
    ) -> None:
        rows.append(Head(title, title, note=f"{seeds} seed{'s' if seeds != 1 else ''}" if seeds else ""))
        for name in known.settings:
            cells[title, name] = Cell(
                model=title,
                part=name,
                metric="accuracy",
                measured=found.get(name),
                published=(PublishedFigure(published[name]),) if name in published else (),
                reason=reasons.get((known.key, key, name.lower()), ""),
            )

    own_rows = {row.key for table in published_results().tables for row in table.rows}
    for row in known.rows:
        own = [group for group in groups if group.key == row.key]
        if row.key == CHANCE:  # on the data that most runs were judged on
            usual = next((group for group in groups if not group.differs), groups[0])
            add(
                row.title, {name: measure_setting(usual, name, "chance") for name in SETTINGS}, row.published, 0, CHANCE
            )
        for group in own:
            title = ", ".join((row.title, *group.differs))
            found = {name: measure_setting(group, name) for name in known.settings}
            add(title, found, row.published, len(group.runs), "" if group.differs else row.key)
        if not own and row.key != CHANCE:
            add(row.title, {}, row.published, 0, row.key)
    for group in groups if known.key == "table3" else ():  # what has no row in either table stands below
        if group.key not in own_rows:
            add(group.label, {name: measure_setting(group, name) for name in known.settings}, {}, len(group.runs), "")
    return Table(
        key=known.key,
        title=known.title,
        caption="Accuracy in percent",
        rows=tuple(rows),
        columns=tuple(Head(name, name) for name in known.settings),
        cells=cells,
    )


# -------------------------------------------------------------------------------- the report


def report_of(found: Comparison) -> Report:
    """Everything that is reported of some runs."""
    claims = claims_about(found)
    drawn = results_figures(found)
    data = sorted(
        {f"{run.results.data} ({'+'.join(run.judged.texts('splits'))})" for run in found.runs if run.results.data}
    )
    features = sorted({features_of(run) for run in found.runs} - {""})
    verdicts = [claim.verdict for _, claim in claims]
    absence, errors = _absence(found), _errors(found)
    return Report(
        title="Models on Cops-Ref",
        about=[f"Judged on {', '.join(data)} · region features: {', '.join(features)}"],
        tiles={
            f"run{'s' if len(found.runs) != 1 else ''}": len(found.runs),
            "claims hold": verdicts.count("holds"),
            "do not hold": verdicts.count("does not hold"),
            "not measured": verdicts.count("not measured"),
        },
        sections=[
            Section("shape", "Claims of the paper", [Claims([claim for _, claim in claims])]),
            *(Section(one.key, one.title, [one, Differences(differences_in([one]))]) for one in found.tables),
            Section("marks", "Marks", [Terms(explain_marks(found.tables, {}))]),
            Section("parts", "By logic form and by length", [one for one in drawn if one.name != "curves"]),
            Section(
                "absence", "Expressions that fit nothing", [Paragraph(ABSENCE_ABOUT), absence] if absence.rows else []
            ),
            Section("errors", "Where wrong choices lie", [errors] if errors.rows else []),
            Section("curves", "Training", [one for one in drawn if one.name == "curves"]),
            Section("runs", "Runs", [_runs(found)]),
            Section("commands", "Commands", list(command_blocks(found))),
        ],
        source=published_results().source,
        entries=list(entries_of(found.tables)),
        values={
            "claims": [{"key": key, **claim._asdict()} for key, claim in claims],
            "parts": list(_parts(found)),
            "runs": [
                {
                    "folder": run.folder,
                    "model": group.label,
                    "seed": run.seed,
                    "features": features_of(run),
                    "steps": run.steps,
                    "seconds": run.seconds,
                    "device": run.device,
                    "not there": about_model(run).inner("telling what is there").values,
                }
                for group in found.groups
                for run in group.runs
            ],
            "commands": commands_of(found),
        },
        files=_files(found),
    )


def _blocks(found: Comparison) -> Iterator[str | TextTable]:
    """The same for a terminal; intervals are left to the files."""
    for table in found.tables:
        yield f"{table.title}; accuracy in percent, with the deviation over seeds"
        yield table_as_text(table, spread="deviation")
    absence = _absence(found)
    if absence.rows:
        yield "Expressions that fit nothing; percent"
        yield absence.as_text()
    yield "Claims of the paper:"
    for _, claim in claims_about(found):
        yield f"{SIGNS[claim.verdict]:>4}  {claim.says} {claim.verdict_words.capitalize()}: {claim.numbers}."


def _absence(found: Comparison) -> Listing:
    """Whether models tell expressions that fit something from others that fit nothing, in percent."""
    rows = []
    for group in found.groups:
        told = [about_model(run).inner("telling what is there") for run in group.runs]
        cells = [
            _several([one.inner(setting).share(name) for one in told if setting in one.values])
            for setting in ABSENCE_SETTINGS
            for name in ABSENCE
        ]
        if any(one != NOTHING for one in cells):
            rows.append([group.label, *cells])
    heads = ["", *(f"{setting}, {name}" for setting in ABSENCE_SETTINGS for name in ABSENCE.values())]
    return Listing("Percent", heads, rows, range(1, len(heads)))


def _errors(found: Comparison) -> Listing:
    """Where wrong choices among all distractors lie, and how many are of the target's category."""
    named = {name for run in found.runs for name in run.results.roles.get("Full", {})}
    places = sorted(named, key=lambda name: _place(name, ("right image", *SETTINGS)))
    rows = []
    for group in found.groups:
        shares = [one for run in group.runs if (one := share_of_wrong(run, places))]
        if shares:
            rows.append([group.label, *(_several(column) for column in zip(*shares, strict=True))])
    heads = ["", *places, "of the target’s category"]
    return Listing(
        "Percent of wrong choices in Full: in the right image, or in a distractor image",
        heads,
        rows,
        range(1, len(heads)),
    )


def _several(shares: Sequence[float]) -> str:
    if not shares:
        return NOTHING
    values = [100 * share for share in shares]
    return PERCENT.write(fmean(values)) + (f" ± {PERCENT.write(stdev(values))}" if len(values) > 1 else "")


def _runs(found: Comparison) -> Listing:
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
    named = [(group.label, run) for group in found.groups for run in group.runs]
    named += [("SCAN, finds images", run) for run in found.retrievers]
    rows = [
        [
            run.folder,
            label,
            NOTHING if run.seed is None else str(run.seed),
            features_of(run) or NOTHING,
            *(f"{one:,}" if one else NOTHING for one in (run.size, run.steps, run.best_step, run.batch_size)),
            span(run.seconds),
            f"{run.examples_per_second:,.0f}" if run.examples_per_second else NOTHING,
            run.device or NOTHING,
        ]
        for label, run in named
    ]
    return Listing("How runs were made", heads, rows, (2, 4, 5, 6, 7, 9))


def _parts(found: Comparison) -> Iterator[dict[str, Any]]:
    """The accuracy in Full by logic form and by length, as plain values."""
    for by, known in (("form", FORMS), ("length", LENGTHS)):
        for group in found.groups:
            for name, one in sorted(measure_parts(group, by).items(), key=lambda pair: _place(pair[0], known)):
                yield Cell(model=group.label, part=name, metric="accuracy", measured=one).entry(f"by {by}")


def _place(name: str, known: Sequence[str]) -> tuple[int, str]:
    return (known.index(name) if name in known else len(known), name)


def _files(found: Comparison) -> dict[str, str]:
    """Further files by name: accuracy by part and absence as CSV, and the settings of every group."""
    parts = list(_parts(found))
    absent = []
    for group in found.groups:
        for run in group.runs:
            told = about_model(run).inner("telling what is there")
            for setting in SETTINGS:
                if setting in told.values:
                    names = ("accuracy", "found", "denied", "area under the curve")
                    shares = (round(100 * told.inner(setting).share(name), 4) for name in names)
                    absent.append((group.label, run.folder, run.seed, setting, *shares))
    heads = ("row", "run", "seed", "setting", "right decisions", "of what is there", "of what is not", "area")
    return {
        "parts.csv": as_csv(list(parts[0]) if parts else (), (list(one.values()) for one in parts)),
        "not-there.csv": as_csv(heads, absent),
        **settings_files(found),
    }
