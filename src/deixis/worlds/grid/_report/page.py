"""The report of a dataset: one self-contained HTML file, to be opened, mailed, printed or archived."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.data._split_names import names_in_split
from deixis.data.store import open_dataset, replacing_file
from deixis.errors import RecipeError
from deixis.report._markup import Themes, number, percent
from deixis.report._skeleton import frame_page
from deixis.report.chart_html import chart_markup
from deixis.worlds.grid._paper.statistics import how_counted
from deixis.worlds.grid._report.charts import charts
from deixis.worlds.grid._report.comparison import audit_section
from deixis.worlds.grid._report.facts import facts_of, made_section, reproduce_section
from deixis.worlds.grid._report.gallery import card, legend
from deixis.worlds.grid._report.hero import choose_hero, choose_moving, hero_section, more_section
from deixis.worlds.grid._report.proof import judge_plainly, proof_section
from deixis.worlds.grid._report.sample import Sampler
from deixis.worlds.grid._report.templates import report_part
from deixis.worlds.grid.data.statistics import statistics_of
from deixis.worlds.grid.data.table import DEMANDED


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.data.checks import Report
    from deixis.worlds.grid._report.comparison import Comparison
    from deixis.worlds.grid._report.facts import Facts
    from deixis.worlds.grid._report.sample import SampledExample
    from deixis.worlds.grid.data.statistics import Statistics
    from deixis.worlds.grid.induce import Task
    from deixis.worlds.grid.navigate import Example


SECTIONS = {
    "example": "One example",
    "made": "What was made",
    "proof": "Proof of validity",
    "audit": "What it tests: the audit",
    "gallery": "Example gallery",
    "figures": "Figures",
    "more": "More",
    "reproduce": "How to reproduce",
}
MAX_EXAMPLES = 100  # a page stays below some megabytes
CANDIDATES = 400  # examples that are looked at, from which those to show are chosen


def write_report(
    dataset: Path,
    out: Path,
    *,
    report: Report | None = None,
    comparison: Comparison | None = None,
    puzzle: Task | None = None,
    seed: int = 0,
    examples: int = 12,
) -> Path:
    """Write the report of a dataset as one HTML file, with equal bytes for equal datasets and arguments.

    Args:
        dataset: the folder of a finished dataset.
        out: the file to write; it is replaced only when all went well.
        report: what the checks found; without it the page says that they were not run.
        comparison: what its audit found, and those of others to show beside it.
        puzzle: an abstract-reasoning task to show at the end.
        seed: which examples the gallery shows follows from it.
        examples: how many the gallery shows.

    Returns:
        `out`.

    Raises:
        BrokenDataset: when the dataset cannot be read.
        DeixisError: when jinja2 is not installed.
    """
    if not 1 <= examples <= MAX_EXAMPLES:
        raise RecipeError(f"a gallery shows 1 to {MAX_EXAMPLES} examples, got {examples}")
    found = open_dataset(dataset)
    facts = facts_of(found)
    sampler = Sampler(seed=seed)
    statistics = statistics_of(
        sampler.watch(found.tables(demanded=DEMANDED)),
        sets_are_copies=how_counted(found.manifest)["sets_are_copies"],
    )
    candidates = sampler.choose(CANDIDATES)  # the first few are the same whatever their number
    shown = _PageSources(facts, statistics, candidates, examples, report, comparison, puzzle)
    with replacing_file(out) as draft:
        draft.write_text(_page(shown), encoding="utf-8", newline="\n")
    return out


class _PageSources(NamedTuple):
    """Everything that a page is made from."""

    facts: Facts
    statistics: Statistics
    candidates: list[SampledExample]
    examples: int
    report: Report | None
    comparison: Comparison | None
    puzzle: Task | None


def _in_order(sampled: list[SampledExample], facts: Facts) -> list[SampledExample]:
    """Return the examples in the order of the splits, then of the patterns."""
    order = {split.name: place for place, split in enumerate(facts.splits)}
    return sorted(
        sampled, key=lambda one: (order.get(names_in_split(one.split)[0], len(order)), one.split, one.pattern)
    )


def _page(shown: _PageSources) -> str:
    facts, statistics, report = shown.facts, shown.statistics, shown.report
    themes = Themes()
    hero = choose_hero(shown.candidates) if facts.mode == "every-word" else None
    sampled = _in_order(shown.candidates[: shown.examples], facts)
    plainly = judge_plainly(one.example for one in shown.candidates) if facts.mode == "every-word" else None
    drawn = charts(statistics, [split.name for split in facts.splits])
    bodies = {
        "example": hero_section(hero, themes) if hero is not None else "",
        "made": made_section(facts, statistics),
        "proof": proof_section(facts, statistics, report, plainly=plainly),
        "audit": audit_section(shown.comparison) if shown.comparison is not None else "",
        "gallery": _gallery(facts, sampled, themes),
        "figures": report_part("figures", drawn=list(map(chart_markup, drawn))) if drawn else "",
        "more": _more(shown, hero, themes),
        "reproduce": reproduce_section(facts),
    }
    title = f"{facts.name}, {facts.mode} mode, seed {facts.seed}"
    headings = SECTIONS | ({"example": "Every word counts"} if hero is not None else {})
    return frame_page(
        title=title,
        header=_header(facts, statistics, shown),
        sections={name: (headings[name], bodies[name]) for name in SECTIONS},
        footer=report_part("footer", facts=facts),
        rules=themes.rules(),
        styles=("report.css", "audit.css"),
    )


def _more(shown: _PageSources, hero: Example | None, themes: Themes) -> str:
    if shown.puzzle is None:
        return ""
    return more_section(choose_moving(shown.candidates, hero), shown.puzzle, themes)


def _header(facts: Facts, statistics: Statistics, shown: _PageSources) -> str:
    shares, report = statistics.shares_needed, shown.report
    tiles = [
        (number(facts.examples), "examples"),
        (number(len(statistics.texts)), "different commands"),
        (number(sum(1 for split in facts.splits if split.examples)), "splits"),
    ]
    if shown.comparison is not None and shown.comparison.whole.judged:
        tiles.append((percent(shown.comparison.whole.words_needed().share or 0), "of content words needed"))
    if "clause" in shares:
        tiles.append((percent(shares["clause"]), "of clauses needed"))
    if report is not None:
        faults = sum(count for code, count in report.counts.items() if code.startswith("E"))
        tiles.append((number(faults), "errors found"))
    return report_part("header", facts=facts, tiles=tiles)


def _gallery(facts: Facts, sampled: Sequence[SampledExample], themes: Themes) -> str:
    splits = {split.name: split.about.split(",")[0] for split in facts.splits if split.id}
    cards = [card(one, themes, number=place, splits=splits) for place, one in enumerate(sampled, start=1)]
    return report_part("gallery", legend=legend(), cards=cards)
