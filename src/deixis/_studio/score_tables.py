"""Scores of models as one table, and what is made of it: a chart, CSV and LaTeX, with published figures beside ours."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from deixis._studio._result_tables import cell_of
from deixis.report._cells import as_csv
from deixis.report._palette import role_of
from deixis.report.chart import Axis, Chart, Series


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis._studio._result_tables import Cell, Subject
    from deixis._studio.model_results import ModelResults


MAX_CHARTED = 6  # models of ours in one chart; more cannot be told apart
UNKNOWN_SIGN = "?"
BYTE_ORDER_MARK = "\ufeff"
LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "''",
    "×": "$\\times$",
    "·": "$\\cdot$",
    "→": "$\\to$",
    "₂": "$_2$",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": "\\ldots{}",
    "α": "$\\alpha$",
    "†": "$\\dagger$",
    "‡": "$\\ddagger$",
}
LATIN = re.compile(r"[ -~À-ÏÑ-ÖØ-Ýß-ïñ-öø-ýÿ]", re.ASCII)  # without what needs another encoding of fonts


class PublishedModel(NamedTuple):
    """The published scores of one model, from 0 to 1, by part, with its name and its other names."""

    title: str
    names: frozenset[str]
    scores: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class PublishedScores:
    """The scores of models that a paper reports, by one measure.

    Attributes:
        source: what to cite.
        note: what has to be known to compare.
        models: in the order in which to show them.
    """

    source: str
    note: str = ""
    models: tuple[PublishedModel, ...]


class ScoreColumn(NamedTuple):
    """One column of scores by part, in per cent.

    `source` says where a published one is from; it is empty for ours.
    """

    name: str
    cells: Mapping[str, Cell]
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class ScoreTable:
    """Scores side by side.

    Attributes:
        name: for files and labels.
        data: what the models were asked about.
        measure: what is measured, for people.
        part: what the rows are, in one word.
        parts: the rows.
        further: rows of which only published scores are known.
        columns: ours, then the published ones.
        sizes: how many examples each part has.
        interval: where the intervals come from.
        note: what has to be known to compare with what is published.
    """

    name: str
    data: str
    measure: str
    part: str
    parts: tuple[str, ...]
    columns: tuple[ScoreColumn, ...]
    further: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    interval: str = ""
    note: str = ""

    @property
    def own(self) -> tuple[ScoreColumn, ...]:
        """The columns that were measured here."""
        return tuple(column for column in self.columns if not column.source)

    @property
    def published(self) -> tuple[ScoreColumn, ...]:
        """The columns with published scores."""
        return tuple(column for column in self.columns if column.source)

    @property
    def sources(self) -> tuple[str, ...]:
        """The papers to cite."""
        return tuple(dict.fromkeys(column.source for column in self.published))

    def best(self, part: str) -> float | None:
        """The highest score that was measured here, where there are several to compare."""
        known = [column.cells[part].mean for column in self.own if part in column.cells]
        return max((one for one in known if one is not None), default=None) if len(self.own) > 1 else None


def table_of_subject(subject: Subject, published: PublishedScores | None) -> ScoreTable:
    """Return the scores of all models of a subject by its measure, with what is published of the same parts."""
    parts, measure = tuple(subject.parts), subject.measure
    own = tuple(ScoreColumn(label, _cells_of(judged, parts, measure)) for label, judged in subject.models.items())
    own = tuple(column for column in own if column.cells)
    others = tuple(dict.fromkeys(part for one in (published.models if published else ()) for part in one.scores))
    further = () if set(others) & set(parts) else others  # figures of other parts stand below
    beside = tuple(_published_columns(published, (*parts, *further))) if published else ()
    return ScoreTable(
        name=subject.name.removeprefix("on-"),
        data=subject.data or "an unnamed dataset",
        measure=subject.measures.get(measure, measure),
        part=subject.words.part,
        parts=parts,
        further=further,
        columns=(*own, *beside),
        sizes={part: subject.size(part) for part in parts},
        interval=subject.words.interval,
        note=published.note if published and beside else "",
    )


def table_of_model(judged: ModelResults) -> ScoreTable:
    """Return all scores of one model, a column for each measure."""
    parts = tuple(judged.scores)
    columns = tuple(ScoreColumn(name, _cells_of(judged, parts, key)) for key, name in judged.measures.items())
    return ScoreTable(
        name=judged.key,
        data=judged.data or "an unnamed dataset",
        measure=f"scores of {judged.model}",
        part=judged.words.part,
        parts=parts,
        columns=tuple(column for column in columns if column.cells),
        sizes={part: max((one.rows for one in found.values()), default=0) for part, found in judged.scores.items()},
        interval=judged.words.interval,
    )


def _cells_of(judged: ModelResults, parts: tuple[str, ...], measure: str) -> dict[str, Cell]:
    known = {part: judged.scores[part][measure] for part in parts if measure in judged.scores.get(part, {})}
    return {part: cell for part, one in known.items() if (cell := cell_of(one)).mean is not None}


def _published_columns(published: PublishedScores, parts: tuple[str, ...]) -> Iterator[ScoreColumn]:
    from deixis._studio._result_tables import Cell

    for model in published.models:
        cells = {
            part: Cell(100 * model.scores[part], 100 * model.scores[part], 100 * model.scores[part], 0)
            for part in parts
            if part in model.scores
        }
        if cells:
            yield ScoreColumn(model.title, cells, published.source)


# -------------------------------------------------------------------------------- a chart


def chart_of(table: ScoreTable, published: PublishedScores | None = None) -> Chart | None:
    """Return the scores as dots with intervals, with published ones of the same models, or None if there are none.

    Rows are parts, and colours models; of a single part, rows are models.
    """
    own = table.own[:MAX_CHARTED]
    if not own:
        return None
    beside = [column for column in table.published if _is_of_ours(column, table, published)]
    if len(table.parts) == 1 and len(table.own) > 1:
        return _chart_of_models(table)
    series = [
        Series(
            label=column.name,
            values=tuple(_share(column, part) for part in table.parts),
            intervals=tuple(_interval(column, part) for part in table.parts),
            color=role_of(place),
        )
        for place, column in enumerate(own)
    ]
    series += [
        Series(
            label=f"{column.name}, published",
            values=tuple(_share(column, part) for part in table.parts),
            color="published",
        )
        for column in beside
    ]
    left_out = len(table.own) - len(own)
    return Chart(
        name=f"chart-{table.name}",
        title=f"{table.measure[:1].upper()}{table.measure[1:]} by {table.part}",
        caption="Whiskers are 95 % intervals over examples."
        + (f" The first {len(own)} of {len(table.own)} models are drawn; the table has all." if left_out else ""),
        marks="dots",
        labels=table.parts,
        series=tuple(series),
        axis=Axis(label=table.measure, low=0.0, high=1.0),
        below=Axis(label=table.part),
    )


def _chart_of_models(table: ScoreTable) -> Chart:
    (part,) = table.parts
    series = Series(
        label=table.measure,
        values=tuple(_share(column, part) for column in table.own),
        intervals=tuple(_interval(column, part) for column in table.own),
        color=role_of(0),
    )
    return Chart(
        name=f"chart-{table.name}",
        title=f"{table.measure[:1].upper()}{table.measure[1:]} on {part}",
        caption="Whiskers are 95 % intervals over examples.",
        marks="dots",
        labels=tuple(column.name for column in table.own),
        series=(series,),
        axis=Axis(label=table.measure, low=0.0, high=1.0),
        below=Axis(label="model"),
    )


def _share(column: ScoreColumn, part: str) -> float | None:
    cell = column.cells.get(part)
    return None if cell is None or cell.mean is None else cell.mean / 100


def _interval(column: ScoreColumn, part: str) -> tuple[float, float] | None:
    cell = column.cells.get(part)
    return None if cell is None or cell.mean is None or cell.low >= cell.high else (cell.low / 100, cell.high / 100)


def _is_of_ours(column: ScoreColumn, table: ScoreTable, published: PublishedScores | None) -> bool:
    """Return whether one of our models has the name of a published one."""
    known = next((one for one in (published.models if published else ()) if one.title == column.name), None)
    return known is not None and any(plain_name(one.name) in known.names for one in table.own)


def plain_name(name: str) -> str:
    """Return a name without what people write differently: `m_lstm` and `M-LSTM` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


# -------------------------------------------------------------------------------- files


def as_score_csv(table: ScoreTable) -> str:
    """Return the scores as CSV, a line for each, in per cent.

    It begins with the sign by which spreadsheets tell that it is UTF-8.
    """
    heads = ("data", table.part, "examples", "column", "measure", "percent", "low", "high", "source")
    rows = [
        (
            table.data,
            part,
            cell.rows or None,
            column.name,
            table.measure,
            _digits(cell.mean),
            None if column.source else _digits(cell.low),
            None if column.source else _digits(cell.high),
            column.source or "ours",
        )
        for part in (*table.parts, *table.further)
        for column in table.columns
        if (cell := column.cells.get(part)) is not None
    ]
    return BYTE_ORDER_MARK + as_csv(heads, rows)


def as_latex(table: ScoreTable) -> str:
    """Return the scores as a table for a paper, which needs the package booktabs."""
    own, beside = table.own, table.published
    heads = " & ".join(["", *(latex_text(column.name) for column in table.columns)])
    groups = ""
    if beside:
        first = 2 + len(own)
        groups = (
            (
                f"  & \\multicolumn{{{len(own)}}}{{c}}{{measured here}} "
                f"& \\multicolumn{{{len(beside)}}}{{c}}{{published}} \\\\\n"
                f"  \\cmidrule(lr){{2-{first - 1}}} \\cmidrule(lr){{{first}-{first + len(beside) - 1}}}\n"
            )
            if own
            else ""
        )
    lines = "".join(f"  {_latex_row(table, part)} \\\\\n" for part in table.parts)
    lines += "  \\midrule\n" if table.further else ""
    lines += "".join(f"  {_latex_row(table, part)} \\\\\n" for part in table.further)
    caption = f"{latex_text(_sentence(f'{table.measure} on {table.data}, in % with 95 % intervals'))}."
    caption += "".join(f" Published: {latex_text(source)}." for source in table.sources)
    caption += f" {latex_text(table.note)}" if table.note else ""
    return (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}[t]\n"
        "  \\centering\n"
        f"  \\caption{{{caption}}}\n"
        f"  \\label{{tab:{re.sub(r'[^a-z0-9-]+', '-', table.name.lower()).strip('-') or 'scores'}}}\n"
        f"  \\begin{{tabular}}{{l{'r' * len(table.columns)}}}\n"
        "  \\toprule\n"
        f"{groups}"
        f"  {heads} \\\\\n"
        "  \\midrule\n"
        f"{lines}"
        "  \\bottomrule\n"
        "  \\end{tabular}\n"
        "\\end{table}\n"
    )


def latex_text(text: str) -> str:
    """Return a text as LaTeX sets it, on one line.

    Signs that its usual fonts lack become question marks.
    """
    kept = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return "".join(LATEX.get(sign) or (sign if LATIN.fullmatch(sign) else UNKNOWN_SIGN) for sign in kept)


def _latex_row(table: ScoreTable, part: str) -> str:
    best = table.best(part)
    cells = [latex_text(part)]
    for column in table.columns:
        cell = column.cells.get(part)
        if cell is None or cell.mean is None:
            cells.append("--")
            continue
        said = f"{cell.mean:.1f}"
        said = f"\\textbf{{{said}}}" if not column.source and cell.mean == best else said
        ends = f" {{\\scriptsize [{cell.low:.1f}, {cell.high:.1f}]}}" if cell.low < cell.high else ""
        cells.append(said + ends)
    return " & ".join(cells)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _digits(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
