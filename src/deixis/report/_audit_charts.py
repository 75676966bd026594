"""Charts of audits by section: each shows one measure of several datasets side by side, and says what to see.

Those of what can be learnt without reading are made here: chance levels, features of targets, cells and determiners.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deixis.audits._counting import ALL, CHANCE
from deixis.report._audit_need_charts import (
    competitor_charts,
    extremes,
    needed_charts,
    patterns_of,
    shortcut_charts,
)
from deixis.report._markup import percent
from deixis.report._palette import pattern_words, role_of
from deixis.report.chart import Axis, Chart, Series, make_series


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.audits import Audit
    from deixis.report._scorecard import PublishedAudit


SKEWED = ("shape", "color", "size", "row", "column", "cell", "distance", "direction")


def audit_charts(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> dict[str, list[Chart]]:
    """Return the charts of audits by section, without those that have no number.

    Args:
        audits: by the name of the dataset, in the order in which to show them.
        beside: published figures to show with them.
    """
    made: dict[str, list[Chart | None]] = {
        "needed": needed_charts(audits, beside=beside),
        "shortcuts": shortcut_charts(audits),
        "competitors": competitor_charts(audits),
        "chance": chance_charts(audits),
        "skew": skew_charts(audits, beside=beside),
        "cells": [cells_chart(audits)],
        "determiners": [determiners_chart(audits)],
    }
    found = {name: [chart for chart in charts if chart is not None] for name, charts in made.items()}
    return {name: charts for name, charts in found.items() if charts}


def chance_charts(audits: Mapping[str, Audit]) -> list[Chart | None]:
    """Return charts of chance levels, with None for a chart without a number."""
    return [_chance(audits), _namesakes(audits)]


def skew_charts(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> list[Chart | None]:
    """Return charts of the features and places of targets, with None for a chart without a number.

    Args:
        audits: by the name of the dataset.
        beside: published figures to show with them.
    """
    return [_skew(audits), _blind(audits), *_places(audits, beside), _relations(audits, beside)]


def cells_chart(audits: Mapping[str, Audit]) -> Chart | None:
    """Return a chart of the cells of targets and other objects, or None if there are no cells."""
    boards: dict[str, tuple[float | None, ...]] = {}
    ends: dict[str, float] = {}
    across = 1 + max((max(row, column) for a in audits.values() for _, row, column, _ in a.cells), default=-1)
    for name, audit in audits.items():
        for is_target, what in ((True, "targets"), (False, "other objects")):
            counts: Counter[tuple[int, int]] = Counter()
            for (_, row, column, flag), n in audit.cells.items():
                if flag == is_target:
                    counts[row, column] += n
            if not counts:
                continue
            size = 1 + max(max(cell) for cell in counts)
            mean = counts.total() / size**2
            boards[f"{name}: {what}"] = tuple(
                counts[row, column] / mean if max(row, column) < size else None
                for row in range(across)
                for column in range(across)
            )
            ends[f"{what} of {name}"] = max(counts.values()) / mean
    if not boards:
        return None
    worst = max(ends, key=lambda which: ends[which])
    return Chart(
        marks="tiles",
        name="plot-cells",
        title="Where do targets and other objects stand?",
        caption=f"1.0 is an even spread. The fullest cell of all holds {ends[worst]:.1f} times its share ({worst}). "
        "Boxes count by their top left corner.",
        axis=Axis(
            label="objects in each cell, as a multiple of the average cell; rows downwards, columns to the right",
            unit="times",
        ),
        series=make_series(boards),
        across=across,
    )


def determiners_chart(audits: Mapping[str, Audit]) -> Chart | None:
    """Return a chart of the determiners of objects other than the target, or None if there are none."""
    found = {name: audit.determiner_shares().get("other", {}) for name, audit in audits.items()}
    labels = sorted({word for shares in found.values() for word in shares})
    if not labels:
        return None
    series: dict[str, tuple[float | None, ...]] = {}
    for name, counts in found.items():
        total = sum(counts.values())
        series[name] = tuple(counts.get(word, 0) / total for word in labels) if total else (None,) * len(labels)
    told = {
        name: audit.determiner_leak["words needed"].net
        for name, audit in audits.items()
        if "words needed" in audit.determiner_leak
    }
    return Chart(
        name="plot-determiners",
        title="‘The’ or ‘a’ before other objects",
        caption=f"The determiner tells {extremes(told, unit='bits')} about whether the words after it are needed; the "
        "target’s own is the same throughout.",
        marks="bars",
        labels=tuple(f"‘{word}’" for word in labels),
        series=make_series(series),
        axis=Axis(label="share of the phrases other than the target’s"),
    )


def _chance(audits: Mapping[str, Audit]) -> Chart | None:
    found = {name: _frequent(audit) for name, audit in audits.items()}
    lengths = sorted({length for chances in found.values() for length in chances})
    if not lengths:
        return None
    spread = {name: max(values.values()) - min(values.values()) for name, values in found.items() if values}
    return Chart(
        marks="lines",
        name="plot-chance",
        title="Does the length of the expression tell how many objects there are?",
        caption=f"The chance level differs by {extremes(spread)} between short and long expressions; a level line "
        "tells nothing.",
        axis=Axis(
            label="how often a guess among all objects is right; lengths with under half a percent of the examples "
            "left out"
        ),
        below=Axis(label="words of the expression", unit="count"),
        series=tuple(
            Series(label=name, values=tuple(chances.values()), places=tuple(chances), color=role_of(place))
            for place, (name, chances) in enumerate(found.items())
        ),
    )


def _frequent(audit: Audit) -> dict[int, float]:
    """The chance level of the lengths that are not rare."""
    return {
        length: chance.chance
        for length, chance in sorted(audit.chance_by_length.items())
        if chance.examples >= audit.judged / 200
    }


def _namesakes(audits: Mapping[str, Audit]) -> Chart | None:
    patterns = patterns_of(audits)
    found = {name: audit.chance_by_pattern for name, audit in audits.items()}
    if not any(found.values()):
        return None
    overall = {
        name: audit.chance_overall.chance_among_namesakes for name, audit in audits.items() if audit.chance_overall
    }
    return Chart(
        name="plot-namesakes",
        title="Guessing among what the noun fits",
        caption=f"A guess among the objects that fit the target’s noun is right in {extremes(overall)} of the "
        "examples.",
        marks="bars",
        labels=tuple(map(pattern_words, patterns)),
        series=make_series(
            {
                name: tuple(
                    chances[pattern].chance_among_namesakes if pattern in chances else None for pattern in patterns
                )
                for name, chances in found.items()
            }
        ),
        axis=Axis(label="how often such a guess is right; shorter is harder"),
    )


def _skew(audits: Mapping[str, Audit]) -> Chart | None:
    skews = {name: audit.skew for name, audit in audits.items()}
    known = {feature for skew in skews.values() for feature in skew}
    labels = [name for name in SKEWED if name in known] + sorted(known - set(SKEWED))
    if not labels:
        return None
    most = {name: max(found.net for found in skew.values()) for name, skew in skews.items() if skew}
    return Chart(
        name="plot-skew",
        title="What gives the target away?",
        caption=f"The most telling feature of an object tells {extremes(most, unit='bits')} about whether it is the "
        "target; 0 would be perfect.",
        marks="bars",
        labels=tuple("colour" if name == "color" else name for name in labels),
        series=make_series(
            {
                name: tuple(skew[label].net if label in skew else None for label in labels)
                for name, skew in skews.items()
            }
        ),
        axis=Axis(
            label="bits of mutual information with being the target, less what chance alone would show", unit="bits"
        ),
    )


def _blind(audits: Mapping[str, Audit]) -> Chart | None:
    found = {name: audit.reading_nothing for name, audit in audits.items()}
    if not any(ALL in blind for blind in found.values()):
        return None
    known = {reader for blind in found.values() for reader in blind} - {ALL, CHANCE}
    features = [name for name in SKEWED if name in known] + sorted(known - set(SKEWED))
    labels = [CHANCE, *features, ALL]
    gain = {name: max(blind[ALL] - blind[CHANCE], 0.0) for name, blind in found.items() if ALL in blind}
    return Chart(
        name="plot-blind",
        title="Readers who see but do not read",
        caption=f"Having learnt what targets look like and where they stand gains {extremes(gain)} over chance.",
        marks="bars",
        labels=tuple({CHANCE: "chance", ALL: "all together", "color": "colour"}.get(name, name) for name in labels),
        series=make_series({name: tuple(blind.get(label) for label in labels) for name, blind in found.items()}),
        axis=Axis(label="share of the examples in which such a reader is right"),
    )


def _places(audits: Mapping[str, Audit], beside: PublishedAudit | None) -> Iterator[Chart | None]:
    """Where the object stands that a clause mentions."""
    for relation, at, place in (("same row", 2, "column"), ("same column", 1, "row")):
        counts = {
            name: Counter(
                {
                    where: sum(n for key, n in audit.children.items() if key[0] == relation and key[at] == where)
                    for where in {key[at] for key in audit.children if key[0] == relation}
                }
            )
            for name, audit in audits.items()
        }
        size = max((where for found in counts.values() for where in found), default=-1) + 1
        if not size:
            yield None
            continue
        series: dict[str, tuple[float | None, ...]] = {}
        if beside is not None:
            known = beside.places[relation]
            series[beside.column.name] = tuple(known[k] if k < len(known) else None for k in range(size))
        for name, found in counts.items():
            series[name] = tuple(found[k] / found.total() for k in range(size)) if found else (None,) * size
        first = {name: values[0] for name, values in series.items() if values[0] is not None}
        yield Chart(
            name=f"plot-places-{place}",
            title=f"Where is ‘in the {relation} as …’?",
            caption=f"The object that such a clause mentions stands in {place} 0 in {extremes(first)} of the cases; "
            f"evenly spread, it would be {percent(1 / size)}.",
            marks="bars",
            labels=tuple(f"{place} {k}" for k in range(size)),
            series=make_series(series, published=(beside.column.name,) if beside is not None else ()),
            axis=Axis(label="share of these clauses"),
        )


def _relations(audits: Mapping[str, Audit], beside: PublishedAudit | None) -> Chart | None:
    counts: dict[str, Counter[str]] = {}
    for name, audit in audits.items():
        counts[name] = Counter()
        for (_, relation), n in audit.relations.items():
            counts[name][relation] += n
    labels = list(beside.relations) if beside else sorted({relation for found in counts.values() for relation in found})
    if not any(counts.values()):
        return None
    series: dict[str, tuple[float | None, ...]] = {}
    if beside is not None:
        series[beside.column.name] = tuple(beside.relations[label] for label in labels)
    for name, found in counts.items():
        series[name] = tuple(found[label] / found.total() for label in labels) if found else (None,) * len(labels)
    rarest = {name: min(v for v in values if v is not None) for name, values in series.items() if values[0] is not None}
    return Chart(
        name="plot-relations",
        title="Which relations are said?",
        caption=f"The rarest relation makes up {extremes(rarest)} of the clauses.",
        marks="bars",
        labels=tuple(labels),
        series=make_series(series, published=(beside.column.name,) if beside is not None else ()),
        axis=Axis(label="share of all clauses"),
    )
