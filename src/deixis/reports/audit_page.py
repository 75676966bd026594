"""The page of an audit: what one or several datasets really test, on one HTML page that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.datasets.store import replacing_file
from deixis.errors import RecipeError
from deixis.reports.audit_plots import audit_plots
from deixis.reports.audit_words import by_pattern, lead, left_out, repeats_table
from deixis.reports.markup import element, number, percent, text
from deixis.reports.plots import Heat, Stack, draw_plot
from deixis.reports.released import released
from deixis.reports.scorecard import column_of, defined, scorecard
from deixis.reports.skeleton import frame_page


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.audits import Audit
    from deixis.reports.plots import Plot


__all__ = ["MOST_DATASETS", "plots_markup", "write_audit_page"]

MOST_DATASETS = 6  # as many as can be told apart by colour
INTROS = {
    "needed": "A word or clause is needed when the command without it fits something else. Words that are not needed "
    "need not be understood, and a model that ignores them loses nothing.",
    "shortcuts": "A shortcut solves an example when what it keeps of the command already picks out the target alone.",
    "competitors": "Every wrong object that fits when a part is overlooked punishes the oversight.",
    "chance": "A guess is the floor that every result has to be compared with; it should not depend on the words.",
    "skew": "What can be learnt about the target without reading a word of the command.",
}
TITLES = {
    "needed": "Which words are needed",
    "shortcuts": "Shortcuts",
    "competitors": "Competitors and difficulty",
    "chance": "Chance",
    "skew": "What gives the answer away",
}


def write_audit_page(audits: Mapping[str, Audit], out: Path, *, with_published: bool = False) -> Path:
    """Write what datasets test as one HTML file; equal audits give equal bytes.

    Args:
        audits: by the name of the dataset, in the order in which to show them.
        out: the file to write; it is replaced only when all went well.
        with_published: show what is known of the released ReaSCAN data beside them.

    Returns:
        `out`.

    Raises:
        RecipeError: when there are no datasets, or more than can be told apart.
    """
    if not 1 <= len(audits) <= MOST_DATASETS:
        raise RecipeError(f"an audit page shows 1 to {MOST_DATASETS} datasets side by side, got {len(audits)}")
    page = _page(audits, with_published=with_published)
    with replacing_file(out) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")
    return out


def plots_markup(plots: Sequence[Plot]) -> str:
    """Figures side by side where there is room; those with many rows have the whole width."""
    drawn = []
    for plot in plots:
        figure = draw_plot(plot)
        is_broad = isinstance(plot, Heat) or (isinstance(plot, Stack) and len(plot.groups) > 1)
        drawn.append(figure.replace('class="plot"', 'class="plot broad"', 1) if is_broad else figure)
    return element("div", "\n".join(drawn), class_="plots")


def _page(audits: Mapping[str, Audit], *, with_published: bool) -> str:
    beside = released() if with_published else None
    columns = [column_of(name, audit) for name, audit in audits.items()]
    shown = [beside.column, *columns] if beside else columns
    plots = audit_plots(audits, beside=beside)
    plots["skew"] = [*plots.get("skew", []), *plots.get("determiners", []), *plots.get("cells", [])]
    sections = {
        "words": ("In words", _leads(audits)),
        "scorecard": ("Scorecard", scorecard(shown) + _source(with_published=with_published)),
    }
    for name, title in TITLES.items():
        body = plots_markup(plots[name]) if plots.get(name) else ""
        sections[name] = (title, element("p", INTROS[name]) + body if body else "")
    patterns = "".join(by_pattern(audit, caption=name) for name, audit in audits.items() if len(audit.patterns) > 1)
    sections |= {
        "patterns": ("By pattern", patterns),
        "repeats": ("Repeats and leaks", repeats_table(audits)),
        "left-out": ("Left out", left_out(audits)),
        "definitions": ("Definitions", defined(shown)),
    }
    names = ", ".join(audits)
    return frame_page(
        title=f"Audit of {names}",
        header=_header(audits),
        sections=sections,
        footer=element("p", f"Made by deixis {text(__version__)}. This page needs no connection."),
        styles=("report.css", "audit.css"),
    )


def _header(audits: Mapping[str, Audit]) -> str:
    if len(audits) == 1:
        ((name, audit),) = audits.items()
        title, about = f"What {text(name)} tests", f"{number(audit.examples)} examples"
        tiles = _tiles(audit)
    else:
        title = f"What {len(audits)} datasets test"
        about = " · ".join(f"{text(name)}: {number(audit.examples)} examples" for name, audit in audits.items())
        tiles = ""
    return (
        element("p", "Deixis · audit", class_="kicker")
        + element("h1", title)
        + element("p", about, class_="about")
        + (element("ul", tiles, class_="tiles") if tiles else "")
    )


def _tiles(audit: Audit) -> str:
    found = (
        (audit.words_needed().share, "of words needed"),
        (audit.clauses_needed().share, "of clauses needed"),
        (audit.all_words_needed().share, "of examples need every word"),
        (_bag(audit), "solved by a bag of words"),
        (audit.difficulty(), "errors by one oversight"),
    )
    return "".join(
        element("li", element("b", percent(share)) + element("span", what))
        for share, what in found
        if share is not None
    )


def _bag(audit: Audit) -> float | None:
    found = audit.solved().get("bag of words")
    return found.share if found is not None else None


def _leads(audits: Mapping[str, Audit]) -> str:
    cards = [
        element("article", element("h3", text(name)) + lead(audit), class_=f"lead d{place % MOST_DATASETS}")
        for place, (name, audit) in enumerate(audits.items())
    ]
    return element("div", "\n".join(cards), class_="leads")


def _source(*, with_published: bool) -> str:
    if not with_published:
        return ""
    known = released()
    count = known.column.about.split()[0]
    said = f"Hatched: published, or measured on the released test set of {count} examples ({known.source})."
    return element("p", text(said), class_="note")
