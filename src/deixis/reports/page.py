"""The report of a dataset: one HTML file that needs nothing else, to be opened, mailed, printed or archived."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.datasets.statistics import statistics_of
from deixis.datasets.store import open_dataset, replacing_file
from deixis.errors import RecipeError
from deixis.reports.charts import charts
from deixis.reports.facts import facts_of
from deixis.reports.figures import draw_chart
from deixis.reports.gallery import card, legend
from deixis.reports.markup import Themes, details, element, number, percent, table, text
from deixis.reports.proof import proof_section
from deixis.reports.sample import Sampler
from deixis.reports.sections import made_section, reproduce_section


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.datasets.checks import Report
    from deixis.datasets.statistics import Statistics
    from deixis.reports.charts import Chart
    from deixis.reports.facts import Facts
    from deixis.reports.sample import Sampled


__all__ = ["write_report"]

SECTIONS = {
    "made": "What was made",
    "proof": "Proof of validity",
    "gallery": "Example gallery",
    "figures": "Figures",
    "reproduce": "How to reproduce",
}
MAX_EXAMPLES = 100  # a page stays below some megabytes


def write_report(
    dataset: Path,
    out: Path,
    *,
    report: Report | None = None,
    seed: int = 0,
    examples: int = 12,
) -> Path:
    """Write the report of a dataset as one HTML file; equal datasets and arguments give equal bytes.

    Args:
        dataset: the folder of a finished dataset.
        out: the file to write; it is replaced only when all went well.
        report: what the checks found; without it the page says that they were not run.
        seed: which examples the gallery shows follows from it.
        examples: how many the gallery shows.

    Returns:
        `out`.

    Raises:
        BrokenDataset: when the dataset cannot be read.
        DeixisError: when matplotlib is not installed.
    """
    if not 1 <= examples <= MAX_EXAMPLES:
        raise RecipeError(f"a gallery shows 1 to {MAX_EXAMPLES} examples, got {examples}")
    found = open_dataset(dataset)
    facts = facts_of(found)
    sampler = Sampler(seed=seed)
    statistics = statistics_of(sampler.watch(found.tables()))
    sampled = _in_order(sampler.choose(examples), facts)
    page = _page(facts, statistics, sampled, report=report)
    with replacing_file(out) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")
    return out


def _in_order(sampled: list[Sampled], facts: Facts) -> list[Sampled]:
    """The examples in the order of the splits, then of the patterns."""
    order = {split.name: place for place, split in enumerate(facts.splits)}
    return sorted(sampled, key=lambda one: (order.get(one.split.split("+")[0], len(order)), one.split, one.pattern))


def _page(facts: Facts, statistics: Statistics, sampled: list[Sampled], *, report: Report | None) -> str:
    themes = Themes()
    drawn = charts(statistics, [split.name for split in facts.splits])
    bodies = {
        "made": made_section(facts, statistics),
        "proof": proof_section(facts, statistics, report),
        "gallery": _gallery(facts, sampled, themes),
        "figures": _figures(drawn, themes),
        "reproduce": reproduce_section(facts),
    }
    main = "\n".join(
        element(
            "section",
            element("h2", title, id=f"{name}-title") + "\n" + bodies[name],
            id=name,
            aria_labelledby=f"{name}-title",
        )
        for name, title in SECTIONS.items()
    )
    title = f"{facts.name}, {facts.mode} mode, seed {facts.seed}"
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"{element('title', text(title))}\n{element('style', _resource('report.css') + themes.rules())}"
    )
    links = "".join(element("a", name, href=f"#{key}") for key, name in SECTIONS.items())
    body = "\n".join(
        (
            element("a", "Skip to the content", href="#made", class_="skip"),
            element("header", _header(facts, statistics, report) + element("nav", links, aria_label="Sections")),
            element("main", main),
            element("footer", element("p", f"Made by {text(facts.made_by)}. This page needs no connection.")),
            element("script", _resource("report.js")),
        )
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _resource(name: str) -> str:
    return (files("deixis.reports") / name).read_text(encoding="utf-8")


def _header(facts: Facts, statistics: Statistics, report: Report | None) -> str:
    shares = statistics.shares_needed
    tiles = [
        (number(facts.examples), "examples"),
        (number(len(statistics.texts)), "different commands"),
        (number(sum(1 for split in facts.splits if split.examples)), "splits"),
    ]
    if "clause" in shares:
        tiles.append((percent(shares["clause"]), "of clauses needed"))
    if report is not None:
        faults = sum(count for code, count in report.counts.items() if code.startswith("E"))
        tiles.append((number(faults), "errors found"))
    counted = "".join(element("li", element("b", value) + element("span", name)) for value, name in tiles)
    about = f"{text(facts.made_by)} · recipe {element('code', text(facts.recipe_digest[:12]))}"
    return (
        element("p", "Deixis · dataset report", class_="kicker")
        + element("h1", f"{text(facts.name)}, {text(facts.mode)} mode, seed {facts.seed}")
        + element("p", about, class_="about")
        + element("ul", counted, class_="tiles")
    )


def _gallery(facts: Facts, sampled: Sequence[Sampled], themes: Themes) -> str:
    splits = {split.name: split.about.split(",")[0] for split in facts.splits if split.id}
    cards = [card(one, themes, number=place, splits=splits) for place, one in enumerate(sampled, start=1)]
    intro = (
        "A seeded sample over splits and patterns. Point at the name of an object to see it in the picture; the small "
        "numbers are those beside the objects."
    )
    return element("p", intro) + legend() + element("div", "\n".join(cards), class_="cards")


def _figures(drawn: Sequence[Chart], themes: Themes) -> str:
    return element("div", "\n".join(_figure(chart, themes) for chart in drawn), class_="figures")


def _figure(chart: Chart, themes: Themes) -> str:
    write = percent if chart.is_share else lambda value: number(int(value))
    rows = [
        [text(label), *(write(values[place]) for values in chart.series.values())]
        for place, label in enumerate(chart.labels)
    ]
    names = [text(name) for name in chart.series]
    numbers = table(["", *names], rows, caption=f"{chart.title}: {chart.axis}", numeric=range(1, len(names) + 1))
    drawing = draw_chart(chart, themes)
    caption = element("figcaption", text(chart.caption[:1].upper() + chart.caption[1:]))
    inner = element("h3", text(chart.title)) + drawing + caption + details("Numbers", numbers)
    return element("figure", inner, id=chart.name)
