"""Part `paper` of rooms: Table 1 and Figure 2 of the A3DS paper for runs of speakers."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.report._cells import NOTHING, span
from deixis.report._markup import Themes
from deixis.report._notes import read_sentences
from deixis.report._palette import color_pair
from deixis.report._results.cells import Cell, Measurement, PublishedFigure, Unit
from deixis.report._results.document import Code, Differences, Listing, Paragraph, Report, Section, Terms, write_report
from deixis.report._results.groups import say_seeds
from deixis.report._results.tables import (
    Head,
    Table,
    differences_in,
    entries_of,
    explain_marks,
    list_unexplained,
    table_as_text,
)
from deixis.report._skeleton import resource
from deixis.report.output import Output
from deixis.worlds.rooms._paper.commands import all_commands
from deixis.worlds.rooms._paper.examples import examples_block, examples_of
from deixis.worlds.rooms._paper.figures import speaker_figures
from deixis.worlds.rooms._paper.runs import (
    ALL,
    LETTERS,
    METRICS,
    PUBLISHED,
    REDUNDANT,
    groups_of,
    is_speaker,
    measure_group,
    read_speakers,
)
from deixis.worlds.rooms.judging._anchors import SPEAKERS, score_speakers
from deixis.worlds.rooms.judging._pages import RULES
from deixis.worlds.rooms.judging._published import FALSE_FEATURES, HOURS, SOURCE, TABLE_1
from deixis.worlds.rooms.judging._score import COLUMNS
from deixis.worlds.rooms.judging._summary import summarise
from deixis.worlds.rooms.pairs import CATEGORIES, SETS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.report._results.groups import Group
    from deixis.report.output import TextTable
    from deixis.worlds.rooms._paper.runs import Letter, Speaker

    References = Mapping[str, Mapping[str, Mapping[str, float]]]


SHARE, FEATURES = Unit(digits=3, far=0.05), Unit(digits=3, far=0.5, name="features")
COUNTED = ("mentioned_features", "false_features")
REFERENCES = ("random, three features", "rational (alpha 4)", "rational (alpha 16)", "incremental", "minimal")
ABOUT = {
    "B": "B learnt exhaustive captions",
    "RP": "RP is B after the reference game on random pairs",
    "SP": "SP is B after the game on similar pairs",
    "C": "C learnt captions that a rule chooses for each pair",
    "CP": "CP is C after the game",
}
BY_CATEGORY = ("discriminativity", "contrastive_efficiency", "relevance", "listener_accuracy", "literal_accuracy")
OVER_ALL = ("mentioned_features", "false_features", "contrast_gap")
SEEDS = ("model", *(METRICS[metric] for metric in (*BY_CATEGORY, *OVER_ALL)))
TIMES = ("model", "runs", "steps", "contexts each", "time of one run", "contexts a second", "memory", "device")
GIBIBYTE = 2**30
CATEGORY_MEANS = (
    "A category is the unweighted mean of its sets. Contrastive efficiency counts captions with discriminativity 1."
)
VARIANTS_ABOUT = (
    "A variant is named by what sets it apart from the main runs of its letter, those with the most seeds. Speakers "
    "that need no training choose true features by rule and know the factors; no listener hears them."
)
COMMANDS_ABOUT = "Settings that are not named have their defaults. Words in capitals stand for other files."


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Speakers beside what is published.

    Attributes:
        groups: those without differences first, at most one for each letter; then those that differ from them.
        references: the scores of speakers that need no training, by name, category and metric.
        reasons: why results differ from the published, by letter and metric.
    """

    groups: Sequence[Group[Speaker]]
    references: References = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def main(self) -> list[Group[Speaker]]:
        """At most one for each letter."""
        return [one for one in self.groups if not one.differs]

    @property
    def trained(self) -> list[Group[Speaker]]:
        """The groups without those that are other groups' runs in another style."""
        seen: set[str] = set()
        found = []
        for one in self.groups:
            homes = {speaker.home for speaker in one.runs}
            found += [] if homes <= seen else [one]
            seen |= homes
        return found


def recognises(folder: Path) -> bool:
    """Return whether a folder holds a run of a speaker."""
    return is_speaker(folder)


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Compare speakers with what is published of A3DS."""
    reasons = read_reasons(notes) if notes is not None else {}
    found = [speaker for folder in runs for speaker in read_speakers(folder)]
    compare_speakers(found, reasons=reasons)  # errors show before anything is scored
    references = reference_scores(found, progress=lambda name, done, total: progress("speakers", done, total, name))
    results = compare_speakers(found, reasons=reasons, references=references)
    made = report_of(results) if out is not None else None
    values = made.to_dict() if made else {"cells": list(_entries(results)), "runs": list(_run_entries(results))}
    return Output(values=values, blocks=list(_blocks(results)), files=write_report(made, out) if made and out else [])


def compare_speakers(
    speakers: Sequence[Speaker],
    *,
    reasons: Mapping[tuple[str, str], str] | None = None,
    references: References | None = None,
) -> Comparison:
    """Put speakers together that differ in their seeds only (see `groups_of` and `reference_scores`)."""
    return Comparison(groups=groups_of(speakers), references=references or {}, reasons=reasons or {})


def reference_scores(
    speakers: Sequence[Speaker], *, progress: Callable[[str, int, int], None] | None = None
) -> dict[str, dict[str, dict[str, float]]]:
    """Score speakers that need no training on the test sets of the first run: speaker -> category -> metric."""
    seed, count = speakers[0].how.data_seed, speakers[0].contexts
    found = score_speakers(
        seed=seed, count=count, speakers={name: SPEAKERS[name] for name in REFERENCES}, progress=progress
    )
    means = {}
    for name, scores in found.items():
        summary = summarise(scores, categories=CATEGORIES, seed=seed, resamples=2)  # the intervals are not shown
        means[name] = {
            part: {metric: table[metric].mean for metric in METRICS if metric in table}
            for part, table in summary.categories.items()
        }
    return means


def read_reasons(path: Path) -> dict[tuple[str, str], str]:
    """Read sentences from a TOML file with a table for every model: letter and metric -> sentence.

    Raises:
        RecipeError: when it is no TOML, or names a model or a metric that there is not.

    Example:
        ```toml
        [table1.RP]
        relevance = "Every word has its price here, as it had not in the paper."
        ```
    """
    found: dict[tuple[str, str], str] = {}
    letters = {letter.lower(): letter for letter in LETTERS}
    for (_, model, metric), sentence in read_sentences(path, {"table1": tuple(METRICS)}).items():
        if model.lower() not in letters:
            raise RecipeError(f"{path}, table1: there is no model {model!r}; there are: {', '.join(LETTERS)}")
        found[letters[model.lower()], metric] = sentence
    return found


# -------------------------------------------------------------------------------- cells


def published_of(letter: Letter, part: str, metric: str) -> float | None:
    """Return the published value.

    False features are published of all sets together only.
    """
    if metric == "false_features":
        return FALSE_FEATURES.get(letter) if part == ALL else None
    return TABLE_1.get(part, {}).get(letter, {}).get(metric)


def _cell(found: Comparison, group: Group[Speaker], part: str, metric: str) -> Cell:
    """A cell of a group; only groups without differences stand beside what is published."""
    value = published_of(group.runs[0].letter, part, metric) if not group.differs else None
    return Cell(
        model=group.label,
        part=part,
        metric=metric,
        measured=measure_group(group, part, metric),
        published=() if value is None else (PublishedFigure(value),),
        reason=found.reasons.get((group.label, metric), "") if value is not None else "",
        unit=FEATURES if metric in COUNTED else SHARE,
    )


def table_1(found: Comparison) -> Table:
    """Table 1 in the layout of the paper: metrics in rows, models within categories in columns."""
    parts = (*CATEGORIES, ALL)
    cells, names = {}, {}
    for group in found.main:
        for metric, title in METRICS.items():
            for part in parts:
                cells[metric, f"{part} {group.label}"] = _cell(found, group, part, metric)
                names[metric, f"{part} {group.label}"] = f"{group.label}, {title}", part
    return Table(
        key="table1",
        title="Table 1",
        caption="Means over test sets by what the images of a pair share",
        rows=tuple(Head(metric, title) for metric, title in METRICS.items()),
        columns=tuple(
            Head(f"{part} {one.label}", one.label, group=part, note=_say_seeds(one), tone=tone)
            for part in parts
            for tone, one in enumerate(found.main)
        ),
        cells=cells,
        names=names,
    )


def _say_seeds(group: Group[Speaker]) -> str:
    return f"{len(group.runs)} seeds" if len(group.runs) > 1 else f"seed {group.runs[0].how.seed}"


def wide_table(found: Comparison, part: str, heads: Mapping[str, str]) -> Table:
    """A table with a row for every group, for speakers that need no training, and for published models without runs."""
    rows: list[Head] = []
    cells: dict[tuple[str, str], Cell] = {}
    for tone, group in enumerate(found.groups):
        rows.append(Head(group.label, group.label, tone=tone))
        cells |= {(group.label, metric): _cell(found, group, part, metric) for metric in METRICS}
    for letter in PUBLISHED:
        if letter not in {group.label for group in found.main}:
            rows.append(Head(letter, letter))
            values = {metric: published_of(letter, part, metric) for metric in METRICS}
            for metric, value in values.items():
                known = () if value is None else (PublishedFigure(value),)
                cells[letter, metric] = Cell(model=letter, part=part, metric=metric, published=known, unit=SHARE)
    for name, parts in found.references.items():
        rows.append(Head(name, name, is_apart=name == REFERENCES[0]))
        cells |= {
            (name, metric): _reference(name, part, metric, value) for metric, value in parts.get(part, {}).items()
        }
    return Table(
        key=f"wide-{part}",
        title=part.capitalize(),
        caption=part.capitalize(),
        rows=tuple(rows),
        columns=tuple(Head(metric, heads[metric]) for metric in METRICS),
        cells=cells,
        names={
            (group.label, metric): (f"{group.label}, {METRICS[metric]}", part)
            for group in found.groups
            for metric in METRICS
        },
    )


def _reference(name: str, part: str, metric: str, value: float) -> Cell:
    measured = None if math.isnan(value) else Measurement(value, None, math.nan, math.nan, 1, 0)
    return Cell(model=name, part=part, metric=metric, measured=measured, unit=SHARE)


def _entries(found: Comparison) -> Iterator[dict[str, Any]]:
    """Every number of the tables and of Figure 2."""
    yield from entries_of([table_1(found)])
    for group in found.groups:
        for part in (*CATEGORIES, ALL, *SETS):
            for metric in (*METRICS, *REDUNDANT):
                if group.differs or part in SETS or metric in REDUNDANT:
                    cell = _cell(found, group, part, metric)
                    if cell.measured:
                        yield cell.entry("further")
    for name, parts in found.references.items():
        cells = (_reference(name, part, metric, value) for part in parts for metric, value in parts[part].items())
        yield from (cell.entry("further") for cell in cells if cell.measured)


# -------------------------------------------------------------------------------- the report


def report_of(found: Comparison) -> Report:
    """Everything that is reported of some speakers.

    Raises:
        BrokenDataset: when captions cannot be read.
    """
    first = found.groups[0].runs[0]
    main = table_1(found)
    far = differences_in([main])
    redundancy, *curves = speaker_figures(found)
    themes = Themes()
    tones = {one.label: themes.name(*color_pair(place)) for place, one in enumerate(found.groups)}
    examples = examples_of(found.main)
    speakers = [one for group in found.groups for one in group.runs]
    whole = training_time(found)
    seeds = seeds_listing(found)
    return Report(
        title="Speakers on A3DS",
        about=[
            " · ".join(_intro(one) for one in found.main),
            f"{len(SETS)} test sets of {first.contexts:,} pairs, of images that no run has seen. {CATEGORY_MEANS}",
        ],
        tiles={
            "runs": len({one.home for one in speakers}),
            "captions judged": sum(one.contexts * len(SETS) for one in speakers),
            "metrics far from the published": len(far),
            "of these without a reason": sum(not one.reason for one in far),
        },
        sections=[
            Section("table1", "Table 1", [main, Terms(explain_marks([main], {}))]),
            Section("seeds", "Each seed", [seeds] if seeds.rows else []),
            Section("differences", "Differences", [Differences(far)]),
            Section(
                "everybody",
                "Variants and other speakers",
                [
                    Paragraph(VARIANTS_ABOUT),
                    *(wide_table(found, part, METRICS) for part in CATEGORIES),
                    _by_set(found),
                ],
            ),
            Section("redundancy", "Redundant features", [redundancy]),
            Section("examples", "Examples", [examples_block(examples, tones)] if examples else []),
            Section("curves", "Training", curves),
            Section("time", "Time", [*([Paragraph(whole)] if whole else []), _times(found)]),
            Section("commands", "Commands", [Paragraph(COMMANDS_ABOUT), Code(all_commands(speakers))]),
        ],
        source=SOURCE,
        entries=list(_entries(found)),
        values={"runs": list(_run_entries(found))},
        themes=themes,
        rules=resource("page.css", package="deixis.worlds.rooms._paper") + RULES,
    )


def _intro(group: Group[Speaker]) -> str:
    first = group.runs[0]
    sizes = ", ".join(f"{name} {size:,}" for name, size in first.run.parameters.items())
    parts = (
        ABOUT[first.letter],
        say_seeds(one.how.seed for one in group.runs),
        f"encoder {first.encoder}" if first.encoder else "",
        sizes and f"parameters: {sizes}",
    )
    return "; ".join(filter(None, parts))


def _blocks(found: Comparison) -> Iterator[str | TextTable]:
    """The same for a terminal, without intervals."""
    for part in CATEGORIES:
        yield f"Pairs that share {part}"
        wide = wide_table(Comparison(groups=found.groups, reasons=found.reasons), part, COLUMNS)
        yield table_as_text(wide, spread="none")
    yield "d discriminativity, e contrastive efficiency where d = 1, r relevance, od optimal discriminativity,"
    yield "said and false: features per caption; heard: by the listener; literal: by one that knows word meanings only"
    yield "published: Tsvilodub and Franke 2023; files and JSON have deviations and intervals"
    yield from list_unexplained([table_1(found)], "Differ from the published")
    if whole := training_time(found):
        yield f"\n{whole}"


def seeds_listing(found: Comparison) -> Listing:
    """Every seed of groups that have several: by category, and the last ones over all sets."""

    def mean(one: Speaker, part: str, metric: str) -> str:
        known = one.run.results.scores.get(part, {}).get(metric)
        return NOTHING if known is None or math.isnan(known.mean) else f"{round(known.mean, 2) + 0.0:.2f}"

    rows = []
    for group in found.groups:
        for one in group.runs if len(group.runs) > 1 else ():
            cells = [" / ".join(mean(one, part, metric) for part in CATEGORIES) for metric in BY_CATEGORY]
            cells += [mean(one, ALL, metric) for metric in OVER_ALL]
            rows.append([f"{group.label}, seed {one.how.seed}", *cells])
    about = "Three numbers are for one, two and three shared features; one number is for all sets together"
    return Listing(about, SEEDS, rows, range(1, len(SEEDS)))


def _by_set(found: Comparison) -> Listing:
    rows = []
    for group in found.groups:
        cells = [measure_group(group, name, "discriminativity") for name in SETS]
        rows.append([group.label, *(NOTHING if one is None else SHARE.write(one.mean) for one in cells)])
    heads = ["model", *SETS]
    title = "Discriminativity by set"
    return Listing("Discriminativity by what the images share", heads, rows, range(1, len(heads)), fold=title)


def _times(found: Comparison) -> Listing:
    rows = []
    for group in found.trained:
        runs = [one.run for one in group.runs]
        memory = [run.trained.find_count("peak_bytes") for run in runs]
        rows.append(
            [
                group.label,
                str(len(runs)),
                f"{runs[0].steps:,}",
                str(group.runs[0].how.batch_size),
                _mean([run.seconds for run in runs], span),
                _mean([run.examples_per_second for run in runs], lambda speed: f"{speed:,.0f}"),
                _mean(memory, lambda size: f"{size / GIBIBYTE:.1f} GiB"),
                ", ".join(dict.fromkeys(run.device for run in runs)) or NOTHING,
            ]
        )
    return Listing("Training, means over runs", TIMES, rows, range(1, len(TIMES) - 1))


def _mean(values: Sequence[float | None], write: Callable[[float], str]) -> str:
    known = [value for value in values if value is not None]
    return write(fmean(known)) if known else NOTHING


def training_time(found: Comparison) -> str:
    """Return the training time of one of each model beside the published one, or nothing if some are missing."""
    groups = [group for group in found.main if group.runs[0].letter in PUBLISHED]
    times = [[one.run.seconds for one in group.runs if one.run.seconds is not None] for group in groups]
    if len(times) < len(PUBLISHED) or not all(times):
        return ""
    whole = span(sum(fmean(some) for some in times))
    return f"B, RP and SP of one seed: {whole} of training. Published: about {sum(HOURS.values()):g} h on one A40."


def _run_entries(found: Comparison) -> Iterator[dict[str, Any]]:
    for group in found.groups:
        for one in group.runs:
            yield {
                "folder": one.home,
                "model": group.label,
                "said": one.said,
                "checkpoint": one.checkpoint,
                "settings": asdict(one.how),
                "steps": one.run.steps,
                "legs": [leg._asdict() for leg in one.legs],
                "encoder": one.encoder,
                "device": one.run.device,
                "seconds": one.run.seconds,
            }
