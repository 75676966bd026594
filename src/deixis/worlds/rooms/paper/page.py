"""The results of speakers of rooms as files: a page that needs nothing else, the same as Markdown, tables, figures."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.report.cells import NO_REASON, NOTHING, write_files
from deixis.report.chart_html import figure_markup
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.markup import Themes, details, element, number, table, text
from deixis.report.palette import color_pair
from deixis.report.skeleton import frame_page, resource
from deixis.seeds import Stream, derive
from deixis.worlds.rooms.judging.marked import mark_caption
from deixis.worlds.rooms.judging.pages import RULES, legend, marked_words, picture
from deixis.worlds.rooms.pairs import CATEGORIES, SETS
from deixis.worlds.rooms.paper.figures import speaker_figures
from deixis.worlds.rooms.paper.runs import METRICS, read_captions
from deixis.worlds.rooms.paper.tables import far_of, speakers_as_csv, speakers_as_dict
from deixis.worlds.rooms.paper.words import (
    ABOUT,
    SEEDS,
    SEEDS_ARE,
    SOURCE,
    TIMES,
    all_commands,
    marks,
    say_measured,
    say_published,
    say_seeds,
    say_set,
    say_shift,
    seed_rows,
    speakers_as_markdown,
    time_rows,
    together,
    wide_rows,
)


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.report.chart import Figure
    from deixis.report.skeleton import Section
    from deixis.worlds.rooms.paper.runs import Line
    from deixis.worlds.rooms.paper.tables import SpeakerResults, Variant


__all__ = ["Example", "examples_of", "speakers_page", "write_speakers"]

SHOWN = ("shape", "floor_hue", "shape+object_hue", "random two", "object", "background")  # two sets of each category
SPREAD = re.compile(r"( ±.*| \(.*\))$")  # what follows a mean


@dataclass(frozen=True, kw_only=True)
class Example:
    """What the main speakers say of one image beside another, by their labels."""

    part: str
    images: tuple[int, ...]
    lines: Mapping[str, Line]


def examples_of(results: SpeakerResults) -> list[Example]:
    """One pair of images of some sets, drawn by lot among those that every main speaker has a caption of.

    Raises:
        BrokenDataset: when captions cannot be read.
    """
    spoken = {one.label: read_captions(one.said[0]) for one in results.main}
    spoken = {label: sets for label, sets in spoken.items() if sets}
    found = []
    for part in SHOWN:
        by_images = [{line.images: line for line in sets.get(part, ())} for sets in spoken.values()]
        common = sorted(set.intersection(*map(set, by_images))) if by_images else []
        if common:
            images = common[Stream(derive(0, "examples", part)).below(len(common))]
            lines = {label: lines[images] for label, lines in zip(spoken, by_images, strict=True)}
            found.append(Example(part=part, images=images, lines=lines))
    return found


def write_speakers(results: SpeakerResults, out: Path) -> list[Path]:
    """Write results into a folder; equal runs give equal bytes.

    Args:
        results: what to show.
        out: the folder, made where there is none; each file is replaced only when it is whole.

    Returns:
        The files: report.html, report.md, tables.csv, report.json, and every figure as PNG and SVG.

    Raises:
        DeixisError: when matplotlib is not installed.
        BrokenDataset: when captions cannot be read.
    """
    examples, drawn = examples_of(results), speaker_figures(results)
    figures = [(f"{one.name}.svg", one.title) for one in drawn]
    files: dict[str, str | bytes] = {
        "report.html": speakers_page(results, examples, drawn),
        "report.md": speakers_as_markdown(results, examples, figures),
        "tables.csv": speakers_as_csv(results),
        "report.json": json.dumps(speakers_as_dict(results), indent=2, ensure_ascii=False) + "\n",
    }
    files |= {f"{one.name}.{form}": draw_figure(one, form, theme="reader") for one in drawn for form in FORMATS}
    return write_files(files, out)


def speakers_page(results: SpeakerResults, examples: Sequence[Example], figures: Sequence[Figure]) -> str:
    """The results as one HTML page; equal runs give equal text.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    themes = Themes()
    shown = [one for one in results.variants if not one.is_restyled]
    tones = {one.label: themes.name(*color_pair(place)) for place, one in enumerate(shown)}
    tones |= {one.label: tones.get(one.letter, "var(--line)") for one in results.variants if one.is_restyled}
    figure, *curves = map(figure_markup, figures)
    sections: dict[str, Section] = {
        "table1": ("Table 1", _table_1(results, tones) + _legend(results)),
        "seeds": ("Each seed", _seeds(results)),
        "differences": ("Where ours differ", _reasons(results)),
        "everybody": ("Beside variants and other speakers", _everybody(results, tones)),
        "redundancy": ("What is said in vain", figure),
        "examples": ("Examples", _examples(examples, tones)),
        "curves": ("Training", "\n".join(curves)),
        "time": ("Time", _time(results)),
        "commands": ("Commands", _commands(results)),
    }
    return frame_page(
        title="Speakers on A3DS",
        header=_header(results),
        sections=sections,
        footer=element("p", f"Made by deixis {text(__version__)}. This page needs no connection."),
        rules=resource("page.css", package="deixis.worlds.rooms.paper") + RULES + themes.rules(),
        styles=("report.css", "audit.css", "results.css"),
    )


def _header(results: SpeakerResults) -> str:
    said = [one for variant in results.variants for one in variant.said]
    far = results.differences
    counts = {
        "runs": len(results.runs),
        "captions judged": sum(one.contexts * len(SETS) for one in said),
        "metrics far from the published": len(far),
        "of these without a reason": sum(not one.reason for one in far),
    }
    tiles = "".join(element("li", element("b", number(n)) + element("span", what)) for what, n in counts.items())
    about = " · ".join(f"{element('b', one.letter)} {text(ABOUT[one.letter])}" for one in results.main)
    first = results.main[0].said[0]
    sets = (
        f"{len(SETS)} test sets of {number(first.contexts)} pairs, of images that no run has seen; a category is the "
        "mean of its sets."
    )
    return (
        element("p", "Deixis · models", class_="kicker")
        + element("h1", "Speakers on A3DS, beside what is published")
        + element("p", about, class_="about")
        + element("p", sets, class_="about")
        + element("ul", tiles, class_="tiles")
    )


# -------------------------------------------------------------------------------------------------------------- tables


def _table_1(results: SpeakerResults, tones: Mapping[str, str]) -> str:
    """The layout of the paper: metrics in rows, models within categories in columns; the published below ours."""
    main = results.main
    groups = "".join(
        element("th", text(part), scope="colgroup", colspan=str(len(main)), class_="model") for part in CATEGORIES
    )
    heads = "".join(
        element(
            "th",
            text(one.letter) + element("small", text(say_seeds(one).partition(":")[0])),
            scope="col",
            class_="model",
            style=f"--tone:{tones[one.label]}",
        )
        for _ in CATEGORIES
        for one in main
    )
    rows = []
    for metric, title in METRICS.items():
        cells = "".join(_cell(one, part, metric) for part in CATEGORIES for one in main)
        rows.append(element("tr", element("th", text(title), scope="row") + cells))
    head = element("thead", element("tr", element("th", "", rowspan="2") + groups) + element("tr", heads))
    caption = element("caption", "Ours, and in italics the published")
    whole = element("table", caption + head + element("tbody", "\n".join(rows)), class_="results compact")
    return element("div", whole, class_="wide breakout", tabindex="0", role="region", aria_label="Table 1")


def _cell(one: Variant, part: str, metric: str) -> str:
    ours, gap = one.measured(part, metric), far_of(one, part, metric)
    published = say_published(one, part, metric)
    theirs = element("small", text(published), class_="theirs") if published != NOTHING else ""
    if ours is None:
        return element("td", NOTHING + theirs, class_="ours")
    mark = "" if gap is None else " " + element("a", "▲" if gap > 0 else "▼", href=f"#{_place(one.letter, metric)}")
    spread = text(say_measured(ours).partition(" ")[2])
    inner = element("b", f"{ours.mean:.3f}") + mark + (element("small", spread) if spread else "") + theirs
    about = f"{ours.seeds} seed{'s' if ours.seeds != 1 else ''}"
    about += "" if gap is None else f"; {gap:+.3f} beside the published"
    return element("td", inner, class_="ours" if gap is None else "ours far", title=about)


def _place(letter: str, metric: str) -> str:
    return f"far-{letter.lower()}-{metric.replace('_', '-')}"


def _legend(results: SpeakerResults) -> str:
    terms = "".join(element("dt", text(mark)) + element("dd", text(said)) for mark, said in marks(results))
    source = element("p", text(f"Published: {SOURCE}."), class_="note")
    return element("dl", terms, class_="marked") + source


def _reasons(results: SpeakerResults) -> str:
    items = []
    for one in results.differences:
        said = element("span", text(one.reason or NO_REASON), class_=None if one.reason else "none")
        name = element("b", text(f"{one.letter}, {METRICS[one.metric]}"))
        items.append(element("li", f"{name} ({text(say_shift(one))}): {said}", id=_place(one.letter, one.metric)))
    return element("ol", "\n".join(items), class_="reasons") if items else ""


def _seeds(results: SpeakerResults) -> str:
    rows = [[text(cell) for cell in row] for row in seed_rows(results)]
    if not rows:
        return ""
    whole = table(
        [text(head) for head in SEEDS], rows, caption="Models with several seeds", numeric=range(1, len(SEEDS))
    )
    return element("p", text(SEEDS_ARE)) + element(
        "div", whole, class_="wide breakout", tabindex="0", role="region", aria_label="Each seed"
    )


def _everybody(results: SpeakerResults, tones: Mapping[str, str]) -> str:
    """A table of each category: ours, their variants, speakers that need no training, and what is published."""
    found = []
    for part in CATEGORIES:
        before, lines = "ours", []
        for kind, label, cells in wide_rows(results, part):
            starts = " starts" if kind not in (before, "variant") else ""
            tone = f"--tone:{tones[label]}" if label in tones else None
            inner = element("th", text(label), scope="row") + "".join(element("td", _spread(cell)) for cell in cells)
            lines.append(element("tr", inner, class_=kind + starts, style=tone))
            before = kind
        heads = "".join(element("th", text(head), scope="col") for head in ("model", *METRICS.values()))
        inner = element("thead", element("tr", heads)) + element("tbody", "\n".join(lines))
        whole = element("table", element("caption", text(part.capitalize())) + inner, class_="speakers")
        found.append(element("div", whole, class_="wide breakout", tabindex="0", role="region", aria_label=part))
    about = (
        "A variant is named by what sets it apart from the main runs of its letter, which are those with the most "
        "seeds. Speakers that need no training choose true features by rule, knowing the factors; nobody hears them."
    )
    return element("p", about) + "\n".join(found) + details("Discriminativity by set", _by_set(results))


def _spread(cell: str) -> str:
    found = SPREAD.search(cell)
    return text(cell) if found is None else text(cell[: found.start()]) + element("small", text(found.group().strip()))


def _by_set(results: SpeakerResults) -> str:
    rows = []
    for one in results.variants:
        found = [one.measured(name, "discriminativity") for name in SETS]
        rows.append([text(one.label), *(NOTHING if cell is None else f"{cell.mean:.3f}" for cell in found)])
    heads = ["model", *map(text, SETS)]
    return table(heads, rows, caption="Discriminativity by what the images share", numeric=range(1, len(heads)))


# --------------------------------------------------------------------------------------------------- beside the tables


def _examples(examples: Sequence[Example], tones: Mapping[str, str]) -> str:
    if not examples:
        return ""
    items = "".join(element("li", _example(one, tones)) for one in examples)
    about = (
        "The framed image is meant. Pairs were drawn by lot among those that every model has captioned, from two sets "
        "of each category; of several seeds the first speaks."
    )
    return element("p", about) + legend() + element("ul", items, class_="duels")


def _example(one: Example, tones: Mapping[str, str]) -> str:
    pictures = "".join(
        picture(image, "the target" if place == 0 else "a distractor") for place, image in enumerate(one.images)
    )
    lines = ""
    for label, line in one.lines.items():
        words = marked_words(mark_caption(line.text, one.images))
        heard = {
            None: "",
            True: element("small", "✓ understood"),
            False: element("small", "✗ misunderstood", class_="wrong"),
        }
        said = f"{words} {heard[line.is_understood]}"
        lines += element("dt", text(label), style=f"--tone:{tones[label]}") + element("dd", said)
    name = element("p", text(f"Both images have {say_set(one.part)}."), class_="set")
    return element("figure", name + pictures + element("figcaption", element("dl", lines)))


def _time(results: SpeakerResults) -> str:
    rows = [[text(cell) for cell in row] for row in time_rows(results)]
    whole = table(
        [text(head) for head in TIMES], rows, caption="Training, means over runs", numeric=range(1, len(TIMES) - 1)
    )
    said = together(results)
    return (element("p", text(said)) if said else "") + whole


def _commands(results: SpeakerResults) -> str:
    lines = "\n".join(all_commands(results))
    about = "What is not said is as it is by default. Where a word is in capitals, the file is none of those above."
    return element("p", about) + element("pre", element("code", text(lines)), class_="commands", tabindex="0")
