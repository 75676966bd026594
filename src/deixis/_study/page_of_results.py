"""The page of a study: people beside models on the same items, as one HTML file that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis._study.analysis import ALL, PEOPLE
from deixis._study.output import format_gap, interval, number, percent, result_groups
from deixis._version import __version__
from deixis.report._palette import role_of
from deixis.report._skeleton import frame_page
from deixis.report._templates import render_part
from deixis.report.chart import Axis, Chart, Series
from deixis.report.chart_html import chart_markup


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis._study.analysis import Group, StudyResults
    from deixis.judge.uncertainty import Estimate


MAX_BARS = 12  # misreadings
PARTS = "parts.html"


def results_page(results: StudyResults) -> str:
    """Return the page.

    Equal results give equal bytes.
    """
    study = results.study
    tiles = {
        "participants": results.entered,
        "to the end": results.complete,
        "left out": len(results.excluded),
        "main items": len(study.of_kind("main")),
    }
    about = (
        (
            f"Study {study.digest}: {study.task}, answer: {study.answer}; data: "
            f"{', '.join(str(one['data']) for one in study.conditions.values())}."
        ),
        (
            f"Declared beforehand: who misses more than {study.settings.attention_misses} of the "
            f"{len(study.of_kind('attention'))} attention items is left out; practice is not scored."
        ),
    )
    header = render_part(
        PARTS,
        "header",
        kicker="Deixis · study",
        title="People beside models" if results.models else "What people answered",
        about=about,
        tiles=[(what, f"{count:,}") for what, count in tiles.items()],
    )
    sections = {
        "accuracy": ("Right answers", _accuracy(results)),
        "models": ("People and models", _gaps(results)),
        "misreadings": ("Behind wrong answers", _misreadings(results)),
        "missing": ("Who is missing", _missing(results)),
        "losses": ("Left out", "".join(f"<p>{_escape(line)}</p>" for line in results.losses.lines())),
    }
    return frame_page(
        title=f"Study {study.digest}",
        header=header,
        sections=sections,
        footer=render_part(PARTS, "footer", version=__version__),
        styles=("report.css", "audit.css"),
    )


def _accuracy(results: StudyResults) -> str:
    shown = list(result_groups(results))
    charts = "".join(
        chart_markup(_chart(results, what, parts)) for what, parts in results.groups.items() if what != ALL and parts
    )
    heads = ("", "items", "answers", "right, %", "95 %", "chance, %", "alpha", "seconds")
    rows = [(name, *_cells(group)) for name, group in shown]
    caption = "Intervals are over persons and items together; alpha is Krippendorff's agreement"
    return charts + _table(heads, rows, caption, range(1, len(heads)))


def _chart(results: StudyResults, what: str, groups: Mapping[str, Group]) -> Chart:
    found: dict[str, list[Estimate]] = {PEOPLE: [group.accuracy for group in groups.values()]}
    found |= {name: [group.models[name] for group in groups.values()] for name in results.models}
    series = tuple(
        Series(
            label=name,
            values=tuple(one.mean for one in some),
            intervals=tuple((one.low, one.high) for one in some),
            color=role_of(place),
        )
        for place, (name, some) in enumerate(found.items())
    )
    return Chart(
        name=f"accuracy-{what}",
        title=f"Right answers by {what}",
        caption="Whiskers are 95 % intervals: of people over persons and items, of models over items.",
        marks="dots",
        labels=tuple(groups),
        series=series,
        axis=Axis(label="right answers", low=0.0, high=1.0),
    )


def _cells(group: Group) -> Sequence[str]:
    found = group.accuracy
    seconds = f"{group.seconds:.1f}" if group.seconds == group.seconds else "–"
    return (
        f"{group.items:,}",
        f"{found.rows:,}",
        percent(found.mean),
        interval(found),
        percent(group.chance),
        number(group.agreement.mean),
        seconds,
    )


def _gaps(results: StudyResults) -> str:
    rows = [
        (
            f"{name}, {model}",
            percent(group.accuracy.mean),
            percent(group.models[model].mean),
            format_gap(group.gaps[model]),
        )
        for name, group in result_groups(results)
        for model in results.models
    ]
    if not rows:
        return ""
    heads = ("", "people, %", "model, %", "people minus model, points")
    return _table(
        heads,
        rows,
        "Every answer is held against the model's answer to the same item; intervals are over persons and items",
        (1, 2, 3),
    )


def _misreadings(results: StudyResults) -> str:
    overall = results.overall
    names = list(overall.misreadings)[:MAX_BARS]
    if not names:
        return ""
    columns = results.groups["condition"]
    total = {what: sum(group.misreadings.values()) or 1.0 for what, group in columns.items()}
    series = tuple(
        Series(
            label=what,
            values=tuple(group.misreadings.get(name, 0.0) / total[what] for name in names),
            color=role_of(place),
        )
        for place, (what, group) in enumerate(columns.items())
    )
    chart = Chart(
        name="misreadings",
        title="Misreadings that lead to the wrong answers",
        caption="Shares of explained wrong answers; several misreadings that lead to one answer share it.",
        marks="bars",
        labels=tuple(names),
        series=series,
        axis=Axis(label="share", low=0.0),
    )
    return chart_markup(chart)


def _missing(results: StudyResults) -> str:
    rows = [
        (name, f"{group.bounds.missing:,}", percent(group.bounds.low), percent(group.bounds.high))
        for name, group in result_groups(results)
        if group.bounds.missing
    ]
    if not rows:
        return ""
    heads = ("", "answers missing", "if all were wrong, %", "if all were right, %")
    return _table(heads, rows, "Right answers, whatever the missing ones had been", (1, 2, 3))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str, numeric: Sequence[int]) -> str:
    return render_part(PARTS, "table", heads=heads, rows=rows, caption=caption, numeric=tuple(numeric))


def _escape(text: str) -> str:
    from html import escape

    return escape(text)
