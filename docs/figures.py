"""Draw the figures of these pages with the toolkit's own pictures: `python docs/figures.py`, see `--help`.

Boards are drawn twice, for readers in the light and in the dark. The figures of the findings count small datasets that
are made on the way; `--released` names the public sample of released ReaSCAN examples, whose numbers are shown beside
them, and without it those figures are left as they are. `--model` asks the models that come with Deixis, which
take some minutes and need torch. `--audits` names the folder in which the commands on the page
"Which words are needed?" wrote meaning and pairs.
"""

from __future__ import annotations

import argparse
import json
import re
from html import escape
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.audits.run import audit_path
from deixis.distractors import necessity
from deixis.expression import parts, without
from deixis.report.chart import Axis, Chart, Figure, Series, make_series
from deixis.report.chart_matplotlib import draw_figure
from deixis.resolution import resolve, trace
from deixis.scene import Context
from deixis.worlds.grid._paper.published import released_audit
from deixis.worlds.grid.draw import Look, Marks, draw_svg
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import read
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import gscan, reascan


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal

    from deixis.audits import Audit
    from deixis.data.store import Dataset

    Theme = Literal["light", "dark"]


IMAGES = Path(__file__).parent / "images"
SENTENCE = "the small red circle that is in the same row as a blue square"
SCENE = grid("""
    r○1 .   b□1 .
    .   r○2 .   b□1
    r○1 .   g□1 .
    .   .   .   .
""")
TARGET = 0
INKS = {"light": ("#1F2430", "#59627A", "#0067A6"), "dark": ("#E8EBF2", "#AEB7C9", "#56A8E8")}
FONT = "font-family='system-ui, sans-serif'"
CELL, GAP, TOP = 40, 22, 44
WITH_MEANING = {
    "official_2rel_test_sample.json": "ReaSCAN, released",
    "gscan": "gSCAN-style",
    "vg": "Cops-Ref-style",
    "stars2": "Stars2, people",
    "GRE3D3-v1-descriptions.csv": "GRE3D3, people",
    "every-word": "every-word",
}
PAIRS = {
    "swap_att.json": "SugarCrepe swap_att",
    "swap_obj.json": "SugarCrepe swap_obj",
    "relations-150.json": "VALSE relations",
    "coreference-hard.json": "VALSE coreference",
}
PAIR_ROWS = {
    "same words in another order": "same words in another order",
    "right by the words alone": "text only",
    "right by the words and their order alone": "text only, with order",
}
TABLES = (0, 1, 2, 3, 4, 5)  # numbers of the examples that are shown
SIZED = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def main() -> None:
    """Draw everything that can be drawn with what is at hand."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--released", type=Path, help="released ReaSCAN examples, two clauses")
    arguments.add_argument("--model", action="store_true", help="what the shipped models understand")
    arguments.add_argument("--audits", type=Path, help="folder with the audits of other people's datasets as JSON")
    found = arguments.parse_args()
    for name, draw in CONCEPTS.items():
        for theme in ("light", "dark"):
            (IMAGES / f"{name}-{theme}.svg").write_text(draw(theme), encoding="utf-8")
    _rooms(IMAGES / "concept-context.png")
    _tables(IMAGES / "tabletop.png", IMAGES / "tabletop-looks.png")
    if found.released is not None:
        for figure in findings(found.released):
            _write_figure(figure)
    if found.model:
        _write_figure(understood())
    if found.audits is not None:
        for figure in other_datasets(found.audits):
            _write_figure(figure)


def _write_figure(figure: Figure) -> None:
    (IMAGES / f"{figure.name}-light.svg").write_bytes(draw_figure(figure, "svg"))
    (IMAGES / f"{figure.name}-dark.svg").write_bytes(draw_figure(figure, "svg", theme="dark"))


# ---------------------------------------------------------------------------------------------------- concepts


def _scene(theme: Theme) -> str:
    marks = Marks(target=TARGET, mentioned=(1,))
    return draw_svg(SCENE, marks=marks, look=Look(cell=64, theme=theme, captions=True, legend=True), title=SENTENCE)


def _competitors(theme: Theme) -> str:
    marks = Marks(target=TARGET, mentioned=(1,), distractors={2: "size", 4: "relation"})
    return draw_svg(SCENE, marks=marks, look=Look(cell=64, theme=theme, captions=True, legend=True), title=SENTENCE)


def _trace(theme: Theme) -> str:
    """What is left after every step, board by board."""
    spoken = read(SENTENCE)
    steps = list(trace(spoken.expression, SCENE).walk())
    boards = [(_said(spoken.words_of(step.part.address)), step.after, None) for step in steps]
    return _strip(boards, theme, columns=3)


def _misreadings(theme: Theme) -> str:
    """What three careless readers find."""
    spoken = read(SENTENCE)
    dropped = [part for part in parts(spoken.expression) if part.address in {(2,), (3, 1), (3,)}]
    boards = []
    for part in sorted(dropped, key=lambda part: (len(part.address), part.address)):
        found = resolve(without(spoken.expression, part), SCENE).indices
        boards.append((f"without {_said(spoken.words_of(part.address))}", found, TARGET))
    return _strip(boards, theme, columns=3)


def _necessity(theme: Theme) -> str:
    """The words of the sentence, those that are needed in solid frames and those that are idle in dotted ones."""
    ink, soft, accent = INKS[theme]
    spoken = read(SENTENCE)
    needed = {
        spoken.words_of(part.address): is_needed
        for part, is_needed in necessity(spoken.expression, Context.of(SCENE, TARGET)).items()
    }
    clause = "in the same row as a blue square"
    drawn: list[str] = []
    left, begin, top, high = 6.0, 0.0, 34, 30
    for word in ("the", "small", "red", "circle", "that is", "in the same row as a", "blue", "square"):
        wide = 7.7 * len(word) + 16
        if word in needed:
            line = f"stroke='{accent}' stroke-width='2'" if needed[word] else f"stroke='{soft}' stroke-dasharray='2 4'"
            frame = f"<rect x='{left}' y='{top}' width='{wide}' height='{high}' rx='6' fill='none' {line}/>"
            label = "needed" if needed[word] else "idle"
            drawn.append(frame + _text(label, left + wide / 2, top + high + 18, soft, 12))
        drawn.append(_text(word, left + wide / 2, top + 20, ink, 15))
        if word == "that is":
            begin = left + wide
        left += wide + 4
    label = "needed" if needed.get(clause, True) else "idle"
    drawn.append(f"<path d='M {begin + 4} 24 V 16 H {left - 6} V 24' fill='none' stroke='{accent}' stroke-width='2'/>")
    drawn.append(_text(f"the clause: {label}", (begin + left) / 2, 11, soft, 12))
    return _document(left + 4, top + high + 28, drawn, f"{SENTENCE}: small, blue and the clause are needed")


def _rooms(path: Path) -> None:
    """Two images shown together, of which one is meant."""
    from PIL import Image

    from deixis.worlds.rooms.draw import draw_rooms

    rooms = draw_rooms(np.array([163_233, 167_073]), size=192)
    sheet = Image.new("RGBA", (2 * 192 + 16, 192), (0, 0, 0, 0))
    for place, room in enumerate(rooms):
        sheet.paste(Image.fromarray(room), (place * 208, 0))
    stream = BytesIO()
    sheet.save(stream, "PNG")
    path.write_bytes(stream.getvalue())


def _tables(sheet_path: Path, looks_path: Path) -> None:
    """Tables with what is said of them, and one of them as it can be drawn."""
    from PIL import Image, ImageDraw, ImageFont

    from deixis.worlds.registry import find_world
    from deixis.worlds.tabletop._making.recipe import TabletopRecipe
    from deixis.worlds.tabletop._render.picture import draw_picture

    world = find_world("tabletop")
    recipe = TabletopRecipe(seed=3)
    examples = [world.part("recipes").draw_example(recipe, number) for number in TABLES]
    wide, high, foot = 320, 240, 62
    sheet = Image.new("RGB", (3 * (wide + 8) - 8, 2 * (high + foot) - 6), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    for place, example in enumerate(examples):
        x, y = place % 3 * (wide + 8), place // 3 * (high + foot)
        sheet.paste(Image.fromarray(draw_picture(example.scenes[0].table, wide, high)), (x, y))
        for row, line in enumerate(wrap(example.text, 44)):
            pen.text((x + 2, y + high + 3 + 17 * row), line, font=font, fill="#1f2430")
    sheet.save(sheet_path, "PNG", optimize=True)
    looks = [world.part("pictures").draw(examples[0], look=name) for name in ("target", "numbers", "boxes", "masks")]
    panels = [Image.open(BytesIO(look)).convert("RGB") for look in looks]
    panels = [panel.crop((0, panel.height - 360, 480, panel.height)).resize((wide, high)) for panel in panels]
    sheet = Image.new("RGB", (2 * wide + 8, 2 * high + 8), "white")
    for place, panel in enumerate(panels):
        sheet.paste(panel, (place % 2 * (wide + 8), place // 2 * (high + 8)))
    sheet.save(looks_path, "PNG", optimize=True)


CONCEPTS: dict[str, Callable[[Theme], str]] = {
    "concept-scene": _scene,
    "concept-trace": _trace,
    "concept-misreadings": _misreadings,
    "concept-necessity": _necessity,
    "concept-competitors": _competitors,
}


def _strip(boards: Sequence[tuple[str, Iterable[int], int | None]], theme: Theme, *, columns: int) -> str:
    """Boards side by side, each with what is said above it and what is left of the objects lit."""
    ink, soft, _ = INKS[theme]
    drawn: list[str] = []
    look = Look(cell=CELL, theme=theme, captions=True)
    width = height = 0.0
    for place, (said, lit, target) in enumerate(boards):
        svg = draw_svg(SCENE, marks=Marks(lit=frozenset(lit), target=target), look=look, title=said)
        wide, high = (float(length) for length in SIZED.search(svg).groups())  # type: ignore[union-attr]
        left, top = place % columns * (wide + GAP), place // columns * (high + TOP + GAP)
        count = len(frozenset(lit))
        drawn.append(_text(f"{place + 1}. {said}", left + wide / 2, top + 16, ink, 13))
        drawn.append(_text(f"{count} left" if target is None else _led(lit), left + wide / 2, top + 34, soft, 12))
        inner = svg[svg.index("<svg") :].replace('id="', f'id="b{place}-').replace("url(#", f"url(#b{place}-")
        inner = re.sub(r'aria-labelledby="[^"]*"', "", inner)
        drawn.append(inner.replace("<svg ", f"<svg x='{left}' y='{top + TOP}' ", 1))
        width, height = max(width, left + wide), max(height, top + TOP + high)
    return _document(width, height, drawn, "; ".join(said for said, _, _ in boards))


def _led(found: Iterable[int]) -> str:
    wrong = sorted(set(found) - {TARGET})
    return f"also fits {' and '.join(map(str, wrong))}"


def _said(words: str) -> str:
    """Words short enough to stand above a board."""
    return f"‘{words}’" if len(words) < 24 else "the clause"


def _text(words: str, x: float, y: float, ink: str, size: int) -> str:
    return f"<text x='{x}' y='{y}' text-anchor='middle' fill='{ink}' font-size='{size}' {FONT}>{escape(words)}</text>"


def _document(width: float, height: float, drawn: Iterable[str], title: str) -> str:
    size = f"width='{width:g}' height='{height:g}' viewBox='0 0 {width:g} {height:g}'"
    body = "\n".join(drawn)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' {size}>\n<title>{escape(title)}</title>\n{body}\n</svg>\n"
    )


# ---------------------------------------------------------------------------------------------------- findings


def findings(sample: Path) -> list[Figure]:
    """The figures of the article about released data: what is needed, what solves it, where things stand, gSCAN."""
    with TemporaryDirectory() as folder:
        audits = {"released": audit_path(sample, workers=1)}
        for mode in ("compatible", "corrected", "every-word"):
            recipe = reascan(mode=mode, patterns=("p3",), hold_out=())
            make(recipe, Path(folder, mode), workers=1)
            audits[mode] = audit_path(Path(folder, mode), workers=1)
        make(gscan(scale="paper"), Path(folder, "gscan"), workers=1)
        squares = audit_path(Path(folder, "gscan"), split="yellow-squares", workers=1)
    return [_needed_figure(audits), _places_figure(audits), _gscan_figure(squares)]


def _needed_figure(audits: dict[str, Audit]) -> Figure:
    def chart(name: str, title: str, axis: str, rows: dict[str, Callable[[Audit], float | None]]) -> Chart:
        series = {who: tuple(find(audit) or 0.0 for find in rows.values()) for who, audit in audits.items()}
        return Chart(
            name=name,
            title=title,
            marks="columns",
            labels=tuple(rows),
            series=make_series(series, colors="datasets"),
            axis=Axis(label=axis),
        )

    needed = chart(
        "needed",
        "Needed to find the target",
        "share that is needed",
        {
            "target’s words": lambda audit: audit.words_needed("target").share,
            "others’ words": lambda audit: audit.words_needed("other").share,
            "clauses": lambda audit: audit.clauses_needed().share,
            "all of it": lambda audit: audit.all_words_needed().share,
        },
    )
    solved = chart(
        "solved",
        "Solved without reading it all",
        "share of the examples",
        {
            "first clause alone": lambda audit: audit.shortcut_shares()["first clause alone"].share,
            "bag of words": lambda audit: audit.shortcut_shares()["bag of words"].share,
        },
    )
    return Figure(
        name="findings-needed",
        title="How much of a two-clause command is needed",
        caption=_say_numbers([needed, solved]),
        rows=((needed, solved),),
        width=7.0,
    )


def _places_figure(audits: dict[str, Audit]) -> Figure:
    """Where the object of a clause stands, in the released data and in corrected ones."""
    known = released_audit()
    charts = []
    for relation, at, place in (("same row", 2, "column"), ("same column", 1, "row")):
        counts = [
            sum(n for key, n in audits["corrected"].children.items() if key[0] == relation and key[at] == k)
            for k in range(6)
        ]
        series = {
            "released": tuple(known.places[relation]),
            "corrected": tuple(count / sum(counts) for count in counts),
        }
        charts.append(
            Chart(
                name=f"places-{place}",
                title=f"‘in the {relation} as …’",
                marks="columns",
                labels=tuple(map(str, range(6))),
                series=make_series(series, colors="datasets"),
                axis=Axis(label="share of these clauses"),
                below=Axis(label=f"{place} of the object that is mentioned", unit="count"),
            )
        )
    return Figure(
        name="findings-places",
        title="Where the object of a clause stands",
        caption=_say_numbers(charts),
        rows=(tuple(charts),),
        width=7.0,
    )


def _gscan_figure(squares: Audit) -> Figure:
    known = released_audit().sufficient
    ours = squares.colour_and_shape()
    labels = {
        "both needed": "both needed",
        "colour alone suffices": "colour suffices",
        "shape alone suffices": "noun suffices",
        "either alone suffices": "either suffices",
    }
    chart = Chart(
        name="gscan",
        title="‘yellow square’",
        marks="columns",
        labels=tuple(labels.values()),
        series=make_series(
            {
                "gSCAN, published": tuple(known[what] for what in labels),
                "gSCAN-style, made here": tuple(ours[what].share or 0.0 for what in labels),
            },
            colors="datasets",
        ),
        axis=Axis(label="share of the examples"),
    )
    return Figure(
        name="findings-gscan",
        title="Which words of ‘yellow square’ are needed",
        caption=_say_numbers([chart]),
        rows=((chart,),),
        width=5.0,
    )


def understood() -> Figure:
    """How many two-clause commands the models that come with Deixis carry out, by how boards are made."""
    models = {"M-LSTM": "m-lstm", "GCN-LSTM": "gcn-lstm", "transformer": "transformer"}
    shares: dict[str, tuple[float, ...]] = {}
    with TemporaryDirectory() as folder:
        for mode in ("compatible", "corrected", "every-word"):
            fresh = make(reascan(mode=mode, seed=7, patterns=("p3",), hold_out=()), Path(folder, mode))
            shares[mode] = tuple(_understood_in(fresh, name) for name in models.values())
    chart = Chart(
        name="understood",
        title="Two-clause commands carried out to the last action",
        marks="columns",
        labels=tuple(models),
        series=make_series(shares, colors="datasets"),
        axis=Axis(label="share of the commands"),
    )
    return Figure(
        name="findings-understood",
        title="What models have learnt from boards like the released ones",
        caption=_say_numbers([chart]),
        rows=((chart,),),
        width=5.0,
    )


def _understood_in(dataset: Dataset, model_name: str) -> float:
    import torch

    from deixis.learn.run import shipped_checkpoints
    from deixis.worlds.grid.data._arrays import load_plan_arrays
    from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
    from deixis.worlds.grid.training.predict import exact_matches, say_plans

    checkpoint = read_checkpoint(shipped_checkpoints()[model_name])
    model = load_model(checkpoint, torch.device("cpu"))
    arrays = load_plan_arrays(dataset, "train", checkpoint.vocabulary, channels=model.channels)
    return float(exact_matches(*say_plans(model, arrays, torch.device("cpu")), arrays).mean())


# ---------------------------------------------------------------------------------------------------- which words


def other_datasets(folder: Path) -> list[Figure]:
    """The figures of the article about other people's datasets: which words are needed, and pairs without a picture."""
    meanings, pairs = (
        json.loads((folder / name / "audit.json").read_text(encoding="utf-8"))["audits"]
        for name in ("meaning", "pairs")
    )
    return [_necessity_figure(meanings), _pairs_figure(pairs)]


def _necessity_figure(audits: dict[str, Any]) -> Figure:
    measures = {name: audits[name]["measures"] for name in WITH_MEANING}

    def chart(name: str, title: str, first: int, rows: dict[str, Callable[[Any], float | None]]) -> Chart:
        """The legend is one for both charts, so that the colours of each begin behind those of the other."""
        series = [
            Series(label=label, values=tuple(find(measures[one]) for one in WITH_MEANING), color=f"d{place}")
            for place, (label, find) in enumerate(rows.items(), start=first)
        ]
        return Chart(
            name=name,
            title=title,
            marks="columns",
            labels=tuple(WITH_MEANING.values()),
            series=tuple(series),
            axis=Axis(label="share", high=1.0),
        )

    needed = chart(
        "needed",
        "Needed to find the target",
        0,
        {
            "words of the target": lambda found: found["words needed"]["target"]["share"],
            "words of the others": lambda found: found["words needed"]["other"]["share"],
            "clauses": lambda found: found["clauses needed"]["share"],
        },
    )
    solved = chart(
        "solved",
        "Solved without reading it all",
        3,
        {
            "noun alone": lambda found: found["solved"]["noun alone"]["share"],
            "noun phrase alone": lambda found: found["solved"]["noun phrase alone"]["share"],
            "bag of words": lambda found: found["solved"]["bag of words"]["share"],
        },
    )
    return Figure(
        name="which-words-needed",
        title="How much of an expression is needed",
        caption=_say_numbers([needed, solved]),
        rows=((needed,), (solved,)),
        width=7.0,
    )


def _pairs_figure(audits: dict[str, Any]) -> Figure:
    figures = {name: audits[name]["figures"] for name in PAIRS}
    series = [
        Series(
            label=label,
            values=tuple(figures[name][row]["value"] for name in PAIRS),
            color=color,
            intervals=tuple(tuple(figures[name][row]["interval"]) for name in PAIRS),
        )
        for (label, row), color in zip(PAIR_ROWS.items(), ("d0", "d1", "d2"), strict=True)
    ]
    chart = Chart(
        name="pairs",
        title="Right and wrong captions without a picture",
        marks="columns",
        labels=tuple(PAIRS.values()),
        series=tuple(series),
        axis=Axis(label="share of the pairs", high=1.0),
    )
    caption = _say_numbers([chart])
    return Figure(name="which-words-pairs", title="Pairs of captions", caption=caption, rows=((chart,),), width=7.0)


def _say_numbers(charts: Iterable[Chart]) -> str:
    """The numbers of some charts in words."""
    return "; ".join(
        f"{chart.title}, {one.label}: "
        + ", ".join(
            f"{label} {'none' if value is None else f'{value:.1%}'}"
            for label, value in zip(chart.labels, one.values)  # noqa: B905
        )
        for chart in charts
        for one in chart.series
    )


if __name__ == "__main__":
    main()
