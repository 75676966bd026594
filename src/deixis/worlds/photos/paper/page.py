"""The results of models on Cops-Ref as files: a page that needs nothing else, tables, figures, settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.report.cells import write_files
from deixis.report.chart_html import figure_markup
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.markup import details, element, number, table, text
from deixis.report.skeleton import frame_page, resource
from deixis.worlds.photos.paper.claims import figures_of, find_shape
from deixis.worlds.photos.paper.figures import results_figures
from deixis.worlds.photos.paper.models import published_results
from deixis.worlds.photos.paper.words import (
    MARKS,
    absence_heads,
    absence_rows,
    commands_of,
    errors_rows,
    files_of_cells,
    protocol_rows,
    results_as_dict,
    results_as_markdown,
    seeds_of,
    settings_files,
)


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.report.chart import Figure
    from deixis.report.skeleton import Section
    from deixis.worlds.photos.paper.claims import Claim, Finding
    from deixis.worlds.photos.paper.tables import Measure, Results, Row, Table


__all__ = ["results_page", "write_results"]

CLASSES = {"holds": "holds", "does not hold": "fails", "not measured": "open"}


def write_results(results: Results, out: Path) -> list[Path]:
    """Write results into a folder; equal runs give equal bytes.

    Args:
        results: what to show.
        out: the folder, made where there is none; each file is replaced only when it is whole.

    Returns:
        The files: report.html, report.md, report.json, tables.csv, parts.csv, not-there.csv, every figure as PNG and
        SVG, and the settings of every group of runs as TOML.

    Raises:
        DeixisError: when matplotlib is not installed and there are figures to draw.
    """
    drawn = results_figures(results)
    files: dict[str, str | bytes] = {
        "report.html": results_page(results, drawn),
        "report.md": results_as_markdown(results, drawn),
        "report.json": json.dumps(results_as_dict(results), indent=2, ensure_ascii=False) + "\n",
        **files_of_cells(results),
        **settings_files(results),
    }
    files |= {f"{one.name}.{form}": draw_figure(one, form, theme="reader") for one in drawn for form in FORMATS}
    return write_files(files, out)


def results_page(results: Results, figures: Sequence[Figure] | None = None) -> str:
    """The results as one HTML page; equal runs give equal text.

    Raises:
        DeixisError: when matplotlib is not installed and there are figures to draw.
    """
    shape = find_shape(figures_of(results))
    sections: dict[str, Section] = {"shape": ("Does it have the paper’s shape?", _shape(shape, results))}
    sections |= {one.key: (text(one.title), _table(one)) for one in results.tables}
    sections["marks"] = ("Marks", _legend())
    drawn = results_figures(results) if figures is None else figures
    parts = [figure_markup(one) for one in drawn if one.name != "curves"]
    sections["parts"] = ("By logic form and by length", "\n".join(parts))
    sections["absence"] = ("Is it there at all?", _absence(results))
    sections["errors"] = ("Where wrong choices lie", _errors(results))
    curves = [figure_markup(one) for one in drawn if one.name == "curves"]
    sections["curves"] = ("Training", "\n".join(curves))
    sections["runs"] = ("Runs", _runs(results))
    sections["commands"] = ("Commands", _commands(results))
    return frame_page(
        title="Models on Cops-Ref",
        header=_header(results, shape),
        sections=sections,
        footer=element("p", text(f"Published: {published_results().source}."))
        + element("p", f"Made by deixis {text(__version__)}. This page needs no connection."),
        rules=resource("page.css", package="deixis.worlds.photos.paper"),
        styles=("report.css", "audit.css", "results.css"),
    )


def _header(results: Results, shape: Sequence[tuple[Claim, Finding]]) -> str:
    trials = results.trials
    data = ", ".join(sorted({f"{trial.data} ({'+'.join(trial.splits)})" for trial in trials if trial.data}))
    features = ", ".join(sorted({trial.features for trial in trials if trial.features}))
    verdicts = [finding.verdict for _, finding in shape]
    counts = {
        f"run{'s' if len(trials) != 1 else ''}": len(trials),
        "statements hold": verdicts.count("holds"),
        "do not hold": verdicts.count("does not hold"),
        "not measured": verdicts.count("not measured"),
    }
    tiles = "".join(element("li", element("b", number(n)) + element("span", what)) for what, n in counts.items())
    return (
        element("p", "Deixis · models", class_="kicker")
        + element("h1", "Models on Cops-Ref, beside what is published")
        + element("p", text(f"Judged on {data} · regions seen by {features}"), class_="about")
        + element("ul", tiles, class_="tiles")
    )


def _shape(shape: Sequence[tuple[Claim, Finding]], results: Results) -> str:
    items = []
    for claim, finding in shape:
        noise = element("small", "within the noise") if finding.is_unsure else ""
        why = results.reasons.get(claim.key, "")
        said = element("p", text(claim.says)) + element("p", text(finding.numbers), class_="numbers")
        said += element("p", text(why), class_="why") if why else ""
        verdict = element("b", text(finding.verdict) + noise)
        items.append(element("li", verdict + element("div", said), class_=CLASSES[finding.verdict]))
    return element("ul", "\n".join(items), class_="shape")


# -------------------------------------------------------------------------------------------------------------- tables


def _table(shown: Table) -> str:
    """Two lines of heads: the setting, and ours or published."""
    tops = "".join(element("th", text(name), scope="colgroup", colspan="2", class_="model") for name in shown.settings)
    pair = element("th", "ours", scope="col", class_="ours") + element("th", "paper", scope="col", class_="published")
    sides = pair * len(shown.settings)
    lines = [_line(row, shown.settings) for row in shown.rows]
    first = element("th", "", rowspan="2") + element("th", "seeds", rowspan="2", scope="col")
    heads = element("thead", element("tr", first + tops) + element("tr", sides))
    inner = (
        element("caption", "Accuracy in percent: ours, and what the paper says")
        + heads
        + element("tbody", "\n".join(lines))
    )
    whole = element("table", inner, class_="results settings")
    notes = "".join(
        element("li", f"{element('b', text(f'{row.title}, {name}'))}: {text(note)}")
        for row in shown.rows
        for name, note in row.notes.items()
        if note
    )
    return element("div", whole, class_="wide breakout", tabindex="0", role="region", aria_label=shown.title) + (
        element("ul", notes, class_="reasons") if notes else ""
    )


def _line(row: Row, settings: Sequence[str]) -> str:
    cells = element("th", text(row.title), scope="row") + element("td", text(seeds_of(row)))
    for name in settings:
        published = row.published.get(name)
        cells += _ours(row.cells.get(name), row.notes.get(name, ""))
        cells += element("td", "–" if published is None else f"{published:.1f}", class_="published")
    return element("tr", cells, class_=None if row.cells else "unmeasured")


def _ours(found: Measure | None, note: str) -> str:
    if found is None:
        return element("td", "–", class_="ours")
    spread = f" ± {found.deviation:.1f}" if found.deviation is not None else ""
    below = ""
    if found.deviation is None and found.high > found.low:
        below = element("small", f"[{found.low:.1f}–{found.high:.1f}]")
    how = f"{found.seeds} seed{'s' if found.seeds != 1 else ''}, {number(found.examples)} expressions"
    content = element("b", f"{found.mean:.1f}") + spread + below
    return element("td", content, class_="ours noted" if note else "ours", title=f"{how}. {note}".strip())


def _legend() -> str:
    marks = (MARKS[0], MARKS[1])
    terms = "".join(element("dt", text(mark)) + element("dd", text(said)) for mark, said in marks)
    return element("dl", terms, class_="marked")


def _absence(results: Results) -> str:
    rows = [[text(cell) for cell in row] for row in absence_rows(results)]
    if not rows:
        return ""
    about = (
        "Some expressions fit nothing that is shown. A model says so when the score of the best region is below a "
        "threshold chosen on val. Right decisions are the mean of two shares, for present and for absent objects; "
        "a constant answer has 50. The area under the curve does not depend on a threshold."
    )
    heads = ["", *map(text, absence_heads())]
    return element("p", about) + table(heads, rows, caption="Percent", numeric=range(1, len(heads)))


def _errors(results: Results) -> str:
    heads, rows = errors_rows(results)
    if not rows:
        return ""
    shown = [[text(cell) for cell in row] for row in rows]
    about = (
        "Of wrong choices among all distractors, how many lie in the right image and how many in a distractor image."
    )
    caption = "Percent of wrong choices in Full"
    return element("p", about) + table(
        [text(head) for head in heads], shown, caption=caption, numeric=range(1, len(heads))
    )


def _runs(results: Results) -> str:
    heads, rows = protocol_rows(results)
    shown = [[text(cell) for cell in row] for row in rows]
    inner = table([text(head) for head in heads], shown, caption="How runs were made", numeric=(2, 4, 5, 6, 7, 9))
    return element("div", inner, class_="runs")


def _commands(results: Results) -> str:
    about = element(
        "p", "Settings are written beside this page, in the folder settings; data and runs go by their names."
    )
    settings = settings_files(results)
    parts = []
    for name, commands in commands_of(results).items():
        lines = "\n".join(commands)
        file = next((one for one in settings if f"--settings {one} " in f"{lines} "), "")
        held = element("pre", text(f"# {file}\n{settings[file]}"), class_="commands") if file else ""
        parts.append(details(text(name), element("pre", text(lines), class_="commands") + held))
    return about + "\n".join(parts)
