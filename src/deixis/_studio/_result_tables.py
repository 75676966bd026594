"""Tables and charts of results: shares by part, wrong choices by misreading and role, groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from markupsafe import Markup

from deixis._studio.model_results import dataset_of
from deixis._studio.world_pages import world_pages
from deixis.report._curves import line_of, loss_points, metric_points
from deixis.report.chart import WIDE, Axis, Chart, Figure
from deixis.report.chart_html import figure_markup


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis._studio.world_pages import ResultWords
    from deixis.judge.uncertainty import Estimate


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Models that were asked the same, side by side.

    Attributes:
        world: the name of the world that it is about.
        about: what that is.
        words: what it calls things.
        data: the name of the dataset.
        digest: of its content, if that is known.
        entry: the dataset, if it is in the library.
        models: those that were judged, with labels that differ.
        unjudged: those that were only trained so far.
        measure: the one that is looked at.
        part: the split, setting or set whose wrong choices are looked at; empty for all together.
    """

    world: str
    about: str
    words: ResultWords
    data: str
    digest: str
    entry: Entry | None
    models: Mapping[str, ModelResults]
    unjudged: Mapping[str, ModelResults]
    measure: str
    part: str

    @property
    def name(self) -> str:
        """Name in the page's own links."""
        plain = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in self.data.lower())
        return f"on-{plain[:40]}-{self.digest[:6]}"

    @property
    def measures(self) -> Mapping[str, str]:
        """The measures of its world that any of its models has."""
        found = {measure for judged in self.models.values() for measure in judged.measures}
        return {measure: name for measure, name in self.words.measures.items() if measure in found}

    @property
    def parts(self) -> list[str]:
        """The splits, settings or sets that any model was asked."""
        return list(dict.fromkeys(part for judged in self.models.values() for part in judged.scores))

    @property
    def comparable(self) -> dict[str, ModelResults]:
        """The models whose verdicts on single examples by the measure are kept."""
        found = self.models.items()
        return {label: judged for label, judged in found if judged.rows is not None and self.measure in judged.measures}

    def size(self, part: str) -> int:
        """The largest number of examples of a part that a model was asked."""
        found = [judged.scores[part] for judged in self.models.values() if part in judged.scores]
        return max((estimate.rows for one in found for estimate in one.values()), default=0)

    def best(self, part: str) -> float:
        """The highest score on a part."""
        scores = [judged.scores.get(part, {}).get(self.measure) for judged in self.models.values()]
        return max((one.mean for one in scores if one is not None and not math.isnan(one.mean)), default=math.nan)


class Confusion(NamedTuple):
    """Shares of each kind of wrong choice among the wrong choices of every model."""

    title: str
    head: str  # what its names are
    asks: str  # which of the filters shows them
    names: dict[str, str]  # what they are called for people
    totals: list[float]  # by column
    counts: list[list[float]]  # by name and column

    @property
    def highest(self) -> float:
        """The largest share, above 0."""
        shares = [n / total for row in self.counts for n, total in zip(row, self.totals, strict=True) if total]
        return max(shares, default=0) or 1


def subjects_of(library: Library, found: Sequence[ModelResults], *, measure: str = "", part: str = "") -> list[Subject]:
    """Models by what they were asked.

    Args:
        library: where their datasets may be.
        found: the models.
        measure: the one to look at, in worlds that have it; otherwise their first.
        part: the split, setting or set whose wrong choices are looked at, where there is one of this name.
    """
    by_subject: dict[tuple[str, str], list[ModelResults]] = {}
    for judged in found:
        by_subject.setdefault(judged.subject, []).append(judged)
    subjects = []
    for some in by_subject.values():
        world, labels = some[0].world, labels_of(some)
        parts = {part for judged in some for part in judged.scores}
        subjects.append(
            Subject(
                world=world,
                about=world_pages(world).about_inside,
                words=some[0].words,
                data=some[0].data,
                digest=some[0].digest,
                entry=dataset_of(library, some[0]),
                models={label: judged for label, judged in labels.items() if judged.scores},
                unjudged={label: judged for label, judged in labels.items() if not judged.scores},
                measure=_measure(some, measure),
                part=part if part in parts else "",
            )
        )
    return subjects


def _measure(some: Sequence[ModelResults], asked: str) -> str:
    """The measure that is asked for where any model has it; otherwise the first of the world that one has."""
    had = {measure for judged in some for measure in judged.measures}
    return asked if asked in had else next(measure for measure in some[0].words.measures if measure in had)


def labels_of(some: Sequence[ModelResults]) -> dict[str, ModelResults]:
    """Names for models that differ, as short as can be."""
    names = [judged.model for judged in some]
    if len(set(names)) < len(names):  # one person may have done several tasks
        names = [f"{judged.model}, {judged.task}" if judged.task else judged.model for judged in some]
    labels: dict[str, ModelResults] = {}
    for judged, name in zip(some, names, strict=True):
        folder = judged.entry.title
        label = name
        if names.count(name) > 1:
            label = folder if folder.startswith(label) else f"{label}, {folder}"
        labels[label if label not in labels else f"{label} ({judged.key})"] = judged
    return labels


def shown_of(subject: Subject) -> dict[str, Any]:
    """A subject with everything that its part of the page needs."""
    models = subject.models
    parts = [subject.part] if subject.part else subject.parts
    confusions = (
        confusion_of(subject.words, "misreading", [_sum_parts(one.misreadings, parts) for one in models.values()]),
        confusion_of(subject.words, "role", [_sum_parts(one.roles, parts) for one in models.values()]),
    )
    return {
        "subject": subject,
        "cells": {
            part: {
                label: _cell(judged, part, subject.measure) if part in judged.scores else None
                for label, judged in models.items()
            }
            for part in subject.parts
        },
        "charts": charts_of({**models, **subject.unjudged}),
        "confusions": [found for found in confusions if found.names],
    }


def _cell(judged: ModelResults, part: str, measure: str) -> Cell:
    found = judged.scores[part].get(measure)
    return Cell(None, 0, 0, 0) if found is None else cell_of(found)


class Cell(NamedTuple):
    """A share with its interval, in per cent, or None if there is none."""

    mean: float | None
    low: float
    high: float
    rows: int

    @property
    def words(self) -> str:
        """All of it, to be read aloud."""
        if self.mean is None:
            return "not measured"
        if self.low >= self.high:
            return f"{self.mean:.1f} % of {self.rows:,} example{'' if self.rows == 1 else 's'}"
        return f"{self.mean:.1f} %, between {self.low:.1f} and {self.high:.1f} %, of {self.rows:,} examples"


def cell_of(found: Estimate) -> Cell:
    """An estimate as a cell of a table."""
    if math.isnan(found.mean):
        return Cell(None, 0, 0, found.rows)
    low, high = (found.mean if math.isnan(one) else one for one in (found.low, found.high))
    return Cell(100 * found.mean, 100 * low, 100 * high, found.rows)


def _sum_parts(by_part: Mapping[str, Mapping[str, float]], parts: Iterable[str]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for name, count in by_part.get(part, {}).items():
            total[name] = total.get(name, 0) + count
    return total


def confusion_of(
    words: ResultWords, asks: Literal["misreading", "role"], columns: Sequence[Mapping[str, float]]
) -> Confusion:
    """Counts side by side, the most frequent names first."""
    totals = [sum(column.values()) for column in columns]
    weight: dict[str, float] = {}
    for column, total in zip(columns, totals, strict=True):
        for name, count in column.items():
            weight[name] = weight.get(name, 0) + (count / total if total else 0)
    names = [name for name in sorted(weight, key=lambda name: (-weight[name], name)) if weight[name]]
    title, head = words.misreadings_heading if asks == "misreading" else words.roles
    counts = [[column.get(name, 0) for column in columns] for name in names]
    labels = words.misreadings if asks == "misreading" else {}
    return Confusion(title, head, asks, {name: labels.get(name, name) for name in names}, totals, counts)


def charts_of(models: Mapping[str, ModelResults]) -> Markup:
    """Return the training curves of models, or nothing if nothing was logged."""
    trained = [(label, one.run) for label, one in models.items() if one.run and (one.run.losses or one.run.evaluations)]
    losses = [line_of(label, place, loss_points(run.losses)) for place, (label, run) in enumerate(trained)]
    metrics = [
        line_of(label, place, metric_points(run.evaluations, "exact"), ring=run.best_step)
        for place, (label, run) in enumerate(trained)
    ]
    below = Axis(label="Step", unit="count", low=0)
    charts = [
        Chart(name="", title=title, marks="lines", series=tuple(lines), axis=axis, below=below)
        for title, lines, axis in (
            ("Loss by step", losses, Axis(label="loss, on a logarithmic scale", unit="value", is_log=True)),
            ("Exact match on dev by step", metrics, Axis(label="exact match; a ring is what was kept")),
        )
        if any(line.points for line in lines)
    ]
    if not charts:
        return Markup()
    caption = "Point at a chart, or use the arrow keys in it, to read values."
    figure = Figure(name="", title="", caption=caption, rows=(tuple(charts),), width=WIDE)
    return Markup(figure_markup(figure))  # noqa: S704 (escaped by its templates)


def outcomes_of(judged: ModelResults) -> list[tuple[str, list[tuple[str, float, float]]]]:
    """For every part what came of it: name, count and share."""
    found = []
    for part, counts in judged.outcomes.items():
        total = sum(counts.values()) or 1
        found.append((part, [(name, count, count / total) for name, count in counts.items() if count]))
    return found


def groups_of(judged: ModelResults) -> list[tuple[str, list[str], list[tuple[str, list[Cell | None]]]]]:
    """For every grouping: its name, the parts, and of every group the score on each part."""
    measure = next(iter(judged.measures))
    found = []
    for what, by_part in judged.groups.items():
        parts = list(by_part)
        names = dict.fromkeys(name for scores in by_part.values() for name in scores)
        rows = [
            (name, [cell_of(by_part[part][name][measure]) if name in by_part[part] else None for part in parts])
            for name in names
        ]
        if rows:
            found.append((what, parts, rows))
    return found
