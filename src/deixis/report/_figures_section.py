"""Figures of any examples on the page of an audit: one table for all datasets, charts, and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.audits.figures import NOTHING, ROWS
from deixis.report._audit_need_charts import extremes
from deixis.report._markup import percent
from deixis.report._palette import role_of
from deixis.report._templates import render_part
from deixis.report.chart import Axis, Chart, Series


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.audits.figures import Figure, FigureRow

    Figures = Mapping[str, Mapping[str, Figure]]


INTRO = (
    "These measures need no meaning, so every dataset has those for which it holds enough. Point at a dash for the "
    "reason, and at a measure for its definition; brackets are 95 % intervals. Blind readers learn from one half of "
    "the examples and are judged on the other; examples about one image are in the same half."
)
BLIND = ("chance", "most frequent answer", "image only", "text only", "text only, with order", "length only")
TARGETS = ("category suffices", "largest is the target", "most central is the target", "first is the target")
SENTENCES = ("shorter is right", "longer is right", "same words in another order", "people choose the right one")
TWICE = (
    "same text twice in a split",
    "same text and image twice in a split",
    "same text in another split",
    "same text and image in another split",
    "image in another split",
)


class Cell(NamedTuple):
    """One cell: its text, what stands after it in small, and a hint."""

    text: str
    small: str = ""
    hint: str = ""


def figures_table(figures: Figures) -> str:
    """The table of all figures that some dataset has, datasets side by side, under what each needs."""
    groups: dict[str, list[tuple[FigureRow, list[Cell]]]] = {}
    for name, row in ROWS.items():
        cells = [_cell(found.get(name), row) for found in figures.values()]
        if any(cell.text != NOTHING for cell in cells):
            groups.setdefault(row.needs, []).append((row, cells))
    heads = [(name, role_of(place)) for place, name in enumerate(figures)]
    return render_part("figures.html", "figures", intro=INTRO, heads=heads, groups=groups) if groups else ""


def figures_charts(figures: Figures) -> list[Chart]:
    """Charts of blind readers, candidates, sentences and duplicates, without those that have no number."""
    made = (
        _chart(
            figures,
            BLIND,
            name="plot-blind-any",
            title="What readers get who miss the image or the words",
            caption="They learn from one half and are judged on the other; whatever is above chance needs no "
            "understanding of both. Lines are 95 % intervals.",
            axis="share of the examples in which such a reader is right",
        ),
        _chart(
            figures,
            TARGETS,
            name="plot-targets-any",
            title="Which candidate is the target?",
            caption=f"No other candidate is of the category of the target in {extremes(_values(figures, TARGETS[0]))}.",
            axis="share of the examples",
        ),
        _chart(
            figures,
            SENTENCES,
            name="plot-sentences-any",
            title="What tells the right sentence?",
            caption="If both sentences are the same words in another order, neither words nor lengths can tell.",
            axis="share of the pairs, or of the votes",
        ),
        _chart(
            figures,
            TWICE,
            name="plot-twice-any",
            title="What is there twice?",
            caption="In another split means in train, where there is one.",
            axis="share of the examples",
        ),
    )
    return [chart for chart in made if chart is not None]


def figures_sentences(figures: Mapping[str, Figure], *, is_judged: bool) -> Iterator[str]:
    """Say in words what sentences, candidates and blind readers show, main numbers between double asterisks.

    Args:
        figures: of one dataset.
        is_judged: whether chance has been told with the measures that need a meaning.
    """
    value = {name: one.value for name, one in figures.items() if one.value is not None}
    if "shorter is right" in value:
        yield f"The right sentence is the shorter one in {_bold(value['shorter is right'])}, the longer one in "
        yield f"{_bold(value['longer is right'])}."
    if "same words in another order" in value:
        yield f"In {_bold(value['same words in another order'])} all sentences are the same words in another order."
    if "candidates" in value and not is_judged:
        yield f"There are {value['candidates']:.1f} candidates, so a guess is right in {_bold(value['chance'])}."
    if "category suffices" in value:
        yield f"The category of the target alone suffices in {_bold(value['category suffices'])}."
    readers = [
        f"{_bold(value[name])} by the {what} alone"
        for name, what in (("image only", "image"), ("text only", "text"), ("length only", "length"))
        if name in value
    ]
    if readers:
        chance = f", where chance is {percent(value['chance'])}" if "chance" in value else ""
        yield f"Blind readers are right in {', in '.join(readers)}{chance}."
    if 0 < value.get("meaning known", 0) < 1:
        yield f"The meaning is known of {_bold(value['meaning known'])} of the texts."


def _cell(figure: Figure | None, row: FigureRow) -> Cell:
    if figure is None or figure.value is None:
        return Cell(NOTHING, hint=figure.why if figure is not None else "not measured")
    told, _, small = figure.write(row).partition(" ")
    told = percent(figure.value) if row.unit == "share" else told
    hint = f"of {figure.of:,}" if row.unit == "share" else ""
    if row.unit == "share" and figure.low is not None and figure.high is not None:
        hint += f"; 95 % interval {100 * figure.low:.1f} to {100 * figure.high:.1f} %"
    return Cell(told, small, hint)


def _chart(figures: Figures, rows: Sequence[str], *, name: str, title: str, caption: str, axis: str) -> Chart | None:
    shown = [row for row in rows if _values(figures, row)]
    if not shown:
        return None
    series = []
    for place, (label, found) in enumerate(figures.items()):
        some = [found.get(row) for row in shown]
        values = tuple(None if one is None else one.value for one in some)
        if not any(value is not None for value in values):
            continue
        ends = tuple(
            (one.low, one.high)
            if one is not None and ROWS[row].is_blind and one.low is not None and one.high is not None
            else None
            for one, row in zip(some, shown, strict=True)
        )
        series.append(Series(label=label, values=values, color=role_of(place), intervals=ends if any(ends) else ()))
    return Chart(
        name=name,
        title=title,
        caption=caption,
        marks="bars",
        labels=tuple(shown),
        series=tuple(series),
        axis=Axis(label=axis),
    )


def _values(figures: Figures, row: str) -> dict[str, float]:
    return {name: value for name, found in figures.items() if row in found and (value := found[row].value) is not None}


def _bold(value: float) -> str:
    return f"**{percent(value)}**"
