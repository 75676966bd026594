"""What the tables and charts of results hold: models that were asked the same, side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from deixis.studio.judged import MEASURES, dataset_of
from deixis.studio.line_chart import STYLES, Line, draw_lines, swatch


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from markupsafe import Markup

    from deixis.metrics.uncertainty import Estimate
    from deixis.studio.judged import Judged, World
    from deixis.studio.library import Entry, Library


__all__ = [
    "PARTS",
    "WORLDS",
    "Cell",
    "Confusion",
    "Subject",
    "cell_of",
    "charts_of",
    "confusion_of",
    "groups_of",
    "labels_of",
    "outcomes_of",
    "shown_of",
    "subjects_of",
]

WORLDS: Mapping[World, str] = {
    "grid": "instructions in grid worlds",
    "copsref": "expressions about photographs",
    "a3ds": "captions of 3D Shapes",
}
PARTS: Mapping[World, str] = {"grid": "split", "copsref": "setting", "a3ds": "test set"}
CONFUSIONS: Mapping[tuple[World, str], tuple[str, str]] = {  # titles, and what their names are
    ("grid", "missed"): ("What was missed on the way to a wrong object", "missed"),
    ("grid", "role"): ("Why the wrong object was there", "there as"),
    ("copsref", "missed"): ("What was missed in choosing a wrong object", "missed"),
    ("copsref", "role"): ("Where the wrong object lies", "in an image shown as"),
    ("a3ds", "missed"): ("What is amiss", "amiss"),
    ("a3ds", "role"): ("", ""),
}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Models that were asked the same, side by side.

    Attributes:
        world: what about.
        data: the name of the dataset.
        digest: of its content, if that is known.
        entry: the dataset, if it is in the library.
        models: those that were judged, with labels that differ.
        unjudged: those that were only trained so far.
        measure: the one that is looked at.
        part: the split, setting or set whose wrong choices are looked at; empty for all together.
    """

    world: World
    data: str
    digest: str
    entry: Entry | None
    models: Mapping[str, Judged]
    unjudged: Mapping[str, Judged]
    measure: str
    part: str

    @property
    def name(self) -> str:
        """What it is called in the page's own links."""
        plain = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in self.data.lower())
        return f"on-{plain[:40]}-{self.digest[:6]}"

    @property
    def measures(self) -> Mapping[str, str]:
        """All measures of its world."""
        return MEASURES[self.world]

    @property
    def parts(self) -> list[str]:
        """The splits, settings or sets that any model was asked."""
        return list(dict.fromkeys(part for judged in self.models.values() for part in judged.scores))

    @property
    def comparable(self) -> dict[str, Judged]:
        """The models whose verdicts on single examples are kept."""
        return {label: judged for label, judged in self.models.items() if judged.rows is not None}

    def size(self, part: str) -> int:
        """The largest number of examples of a part that a model was asked."""
        found = [judged.scores[part] for judged in self.models.values() if part in judged.scores]
        return max((one[self.measure].rows for one in found), default=0)

    def best(self, part: str) -> float:
        """The highest score on a part."""
        scores = [judged.scores[part][self.measure].mean for judged in self.models.values() if part in judged.scores]
        return max((score for score in scores if not math.isnan(score)), default=math.nan)


class Confusion(NamedTuple):
    """How often wrong choices are of each kind, as shares of the wrong choices of every model."""

    title: str
    head: str  # what its names are
    asks: str  # which of the filters shows them
    names: list[str]
    totals: list[float]  # by column
    counts: list[list[float]]  # by name and column

    @property
    def highest(self) -> float:
        """The largest share, above 0."""
        shares = [n / total for row in self.counts for n, total in zip(row, self.totals, strict=True) if total]
        return max(shares, default=0) or 1


def subjects_of(library: Library, found: Sequence[Judged], *, measure: str = "", part: str = "") -> list[Subject]:
    """Models by what they were asked.

    Args:
        library: where their datasets may be.
        found: the models.
        measure: the one to look at, in worlds that have it; otherwise their first.
        part: the split, setting or set whose wrong choices are looked at, where there is one of this name.
    """
    by_subject: dict[tuple[str, str], list[Judged]] = {}
    for judged in found:
        by_subject.setdefault(judged.subject, []).append(judged)
    subjects = []
    for some in by_subject.values():
        world, labels = some[0].world, labels_of(some)
        parts = {part for judged in some for part in judged.scores}
        subjects.append(
            Subject(
                world=world,
                data=some[0].data,
                digest=some[0].digest,
                entry=dataset_of(library, some[0]),
                models={label: judged for label, judged in labels.items() if judged.scores},
                unjudged={label: judged for label, judged in labels.items() if not judged.scores},
                measure=measure if measure in MEASURES[world] else next(iter(MEASURES[world])),
                part=part if part in parts else "",
            )
        )
    return subjects


def labels_of(some: Sequence[Judged]) -> dict[str, Judged]:
    """Names for models that differ, as short as can be."""
    names = [judged.model for judged in some]
    labels: dict[str, Judged] = {}
    for judged in some:
        folder = judged.entry.title
        label = judged.model
        if names.count(label) > 1:
            label = folder if folder.startswith(label) else f"{label}, {folder}"
        labels[label if label not in labels else f"{label} ({judged.key})"] = judged
    return labels


def shown_of(subject: Subject) -> dict[str, Any]:
    """A subject with everything that its part of the page needs."""
    models = subject.models
    parts = [subject.part] if subject.part else subject.parts
    confusions = (
        confusion_of(subject.world, "missed", [_added(one.missed, parts) for one in models.values()]),
        confusion_of(subject.world, "role", [_added(one.roles, parts) for one in models.values()]),
    )
    return {
        "subject": subject,
        "cells": {
            part: {
                label: cell_of(judged.scores[part][subject.measure]) if part in judged.scores else None
                for label, judged in models.items()
            }
            for part in subject.parts
        },
        "charts": charts_of({**models, **subject.unjudged}),
        "confusions": [found for found in confusions if found.names],
    }


class Cell(NamedTuple):
    """A share with its interval, in per cent; None where there is none."""

    mean: float | None
    low: float
    high: float
    rows: int

    @property
    def words(self) -> str:
        """All of it, to be read aloud."""
        if self.mean is None:
            return "not measured"
        return f"{self.mean:.1f} %, between {self.low:.1f} and {self.high:.1f} %, of {self.rows:,} examples"


def cell_of(found: Estimate) -> Cell:
    """An estimate as a cell of a table."""
    if math.isnan(found.mean):
        return Cell(None, 0, 0, found.rows)
    low, high = (found.mean if math.isnan(one) else one for one in (found.low, found.high))
    return Cell(100 * found.mean, 100 * low, 100 * high, found.rows)


def _added(by_part: Mapping[str, Mapping[str, float]], parts: Iterable[str]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for name, count in by_part.get(part, {}).items():
            total[name] = total.get(name, 0) + count
    return total


def confusion_of(world: World, asks: Literal["missed", "role"], columns: Sequence[Mapping[str, float]]) -> Confusion:
    """Counts side by side, the most frequent names first."""
    totals = [sum(column.values()) for column in columns]
    weight: dict[str, float] = {}
    for column, total in zip(columns, totals, strict=True):
        for name, count in column.items():
            weight[name] = weight.get(name, 0) + (count / total if total else 0)
    names = [name for name in sorted(weight, key=lambda name: (-weight[name], name)) if weight[name]]
    title, head = CONFUSIONS[world, asks]
    return Confusion(title, head, asks, names, totals, [[column.get(name, 0) for column in columns] for name in names])


def charts_of(models: Mapping[str, Judged]) -> dict[str, Any]:
    """The training curves of models, with their legend; empty where nothing was logged."""
    trained = [(label, one.training) for label, one in models.items() if one.training]
    trained = [(label, one) for label, one in trained if one.steps or one.looks]
    styles = {label: number for number, (label, _) in enumerate(trained)}
    losses = [Line(label, styles[label], [(s.update, s.loss) for s in one.steps]) for label, one in trained]
    looks = [Line(label, styles[label], [(s.update, s.exact) for s in one.looks], one.best) for label, one in trained]
    drawn: list[tuple[str, Markup]] = [
        ("Loss by updates, on a logarithmic scale", draw_lines(losses, title="Loss by updates", is_log=True)),
        (
            "Exact match on dev by updates; a ring is what was kept",
            draw_lines(looks, title="Exact match on dev by updates", is_share=True),
        ),
    ]
    return {
        "drawn": [(name, markup) for name, markup in drawn if markup],
        "legend": [(label, swatch(number % STYLES)) for label, number in styles.items()],
    }


def outcomes_of(judged: Judged) -> list[tuple[str, list[tuple[str, float, float]]]]:
    """For every part what came of it: name, count and share."""
    found = []
    for part, counts in judged.outcomes.items():
        total = sum(counts.values()) or 1
        found.append((part, [(name, count, count / total) for name, count in counts.items() if count]))
    return found


def groups_of(judged: Judged) -> list[tuple[str, list[str], list[tuple[str, list[Cell | None]]]]]:
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
