"""Pages about captions: the scores of the metrics with intervals, and captions to look at, every word marked.

`score_page` shows files or speakers side by side, feature by feature. `caption_page` shows what one speaker says: the
images side by side, and every word marked by what it does among them.
"""

from __future__ import annotations

from base64 import b64encode
from math import isnan
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.data.store import replacing_file
from deixis.report.chart import Axis, Chart, make_series
from deixis.report.chart_html import chart_markup
from deixis.report.markup import element, number, table, text
from deixis.report.skeleton import frame_page
from deixis.seeds import Stream, derive
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.judging.figures import SHARES, group_estimates
from deixis.worlds.rooms.judging.marked import MARKS, NAMES, mark_caption, telling_features
from deixis.worlds.rooms.judging.summary import GAP
from deixis.worlds.rooms.mentions import judge
from deixis.worlds.rooms.scene import RoomScene


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.rooms.judging.marked import Mark, Piece
    from deixis.worlds.rooms.judging.summary import Summary

    Captions = Mapping[str, tuple[Sequence[str], Sequence[Sequence[int]]]]


__all__ = ["RULES", "caption_page", "count_features", "legend", "marked_words", "picture", "write_score_page"]

NUMBERS = {"mentioned_features": "features said", "false_features": "false features"}
BY_FEATURE = {"mentioned": "said", "when_contrastive": "said if contrastive", "when_shared": "said if shared"}
EACH = 4  # captions of every set
SIZE = 160  # pixels along one side of a picture
RULES = """
.pairs{display:grid;gap:1.2rem;grid-template-columns:repeat(auto-fill,minmax(22rem,1fr));padding:0;list-style:none}
.pairs figure{margin:0}.pairs img{width:47%;height:auto;border-radius:.4rem;margin-right:2%}
.pairs img:first-of-type{outline:3px solid currentColor;outline-offset:1px}
.said{font-size:1.05rem;line-height:1.9;margin:.5rem 0 0}
.said span,.key span{padding:.1em .25em;border-radius:.25em;border-bottom:3px solid transparent}
.contrastive{background:light-dark(#cdeedd,#12452f);border-color:light-dark(#00805c,#3cc492)!important}
.redundant{background:light-dark(#e6e9ef,#343a47);border-color:light-dark(#8a93a6,#8a93a6)!important}
.false{background:light-dark(#fbd9d0,#5c2012);border-color:light-dark(#b84700,#ff8f5e)!important;text-decoration:line-through}
.unclear,.unknown{border-color:light-dark(#c77700,#ffb347)!important;border-bottom-style:dotted!important}
.note{opacity:.75;font-size:.9rem;margin:.2rem 0 0}
"""
WORDS: Mapping[Mark, str] = {"contrastive": "telling", "redundant": "idle", "false": "false"}


# -------------------------------------------------------------------------------- scores


def write_score_page(summaries: Mapping[str, Summary], captions: Mapping[str, int], out: Path, *, how: str) -> Path:
    """Write the page; the same scores give the same bytes.

    Args:
        summaries: of each file or speaker.
        captions: how many each has said.
        out: the file.
        how: how captions were read, one sentence.
    """
    groups = group_estimates(summaries)
    sections = {
        f"group-{place}": (text(group.capitalize()), _group(f"group-{place}", group, tables))
        for place, (group, tables) in enumerate(groups.items())
    }
    sections["features"] = ("Feature by feature", "".join(_features(name, one) for name, one in summaries.items()))
    page = frame_page(
        title="Scores of captions",
        header=_header(captions, how),
        sections=sections,
        footer=element("p", f"Made by deixis {text(__version__)}. This page needs no connection."),
        styles=("report.css", "audit.css"),
    )
    with replacing_file(out) as draft:
        draft.write_bytes(page.encode())
    return out


def _header(captions: Mapping[str, int], how: str) -> str:
    tiles = "".join(
        element("li", element("b", number(count)) + element("span", what))
        for what, count in (("files or speakers", len(captions)), ("captions", sum(captions.values())))
    )
    about = (
        "Discriminativity: the caption fits the target and no distractor. Contrastive efficiency: it says few features "
        "more than that takes. Relevance: it leaves out what tells nothing apart. Optimal discriminativity: it finds "
        "the target with the fewest features."
    )
    return (
        element("p", "Deixis · captions of 3D Shapes", class_="kicker")
        + element("h1", "Scores of captions")
        + element("p", text(about), class_="about")
        + element("p", text(how), class_="about")
        + element("ul", tiles, class_="tiles")
    )


def _group(anchor: str, group: str, tables: Mapping[str, Mapping[str, Estimate]]) -> str:
    """The metrics of a category or set: bars, and a table with intervals."""
    plot = Chart(
        name=f"{anchor}-plot",
        title="The four shares of the paper's Table 1",
        caption="Every file or speaker has one bar for each metric; a dash stands for what is not defined.",
        marks="bars",
        labels=tuple(tables),
        series=make_series(
            {label: tuple(_mean(one[metric]) for one in tables.values()) for metric, label in SHARES.items()}
        ),
        axis=Axis(label="mean over captions"),
    )
    heads = ["", *map(text, (*SHARES.values(), *NUMBERS.values()))]
    rows = [[text(name), *(_cell(one[metric]) for metric in (*SHARES, *NUMBERS))] for name, one in tables.items()]
    caption = f"{group.capitalize()}: means with 95 % bootstrap intervals"
    return chart_markup(plot) + table(heads, rows, caption=caption, numeric=range(1, len(heads)))


def _features(name: str, summary: Summary) -> str:
    heads = ["", *map(text, BY_FEATURE.values()), "difference"]
    return table(
        heads, _feature_rows(summary), caption=f"{name}: how often each feature is said", numeric=range(1, len(heads))
    )


def _feature_rows(summary: Summary) -> Iterator[list[str]]:
    """How often a feature is said, and how much more often where it tells target and distractor apart."""
    for factor, shown in NAMES.items():
        found = [summary.overall[f"{kind}/{factor}"] for kind in BY_FEATURE]
        gap = _mean(summary.overall[f"{GAP}/{factor}"])
        yield [text(shown), *map(_cell, found), "–" if gap is None else f"{gap:+.3f}".replace("-", "−")]


def _mean(found: Estimate) -> float | None:
    return found.mean if found.rows and not isnan(found.mean) else None


def _cell(found: Estimate) -> str:
    if _mean(found) is None:
        return "–"
    return f"{found.mean:.3f} <small>{found.low:.3f}–{found.high:.3f}</small>"


# -------------------------------------------------------------------------------- captions


def caption_page(name: str, captions: Captions, *, seed: int = 0) -> str:
    """A page with some captions of every set; the same captions and seed give the same page.

    Args:
        name: of the speaker.
        captions: for every set the captions, and for each the numbers of its images, the target first.
        seed: which captions are shown.
    """
    header = element("h1", text(f"What {name} says")) + element(
        "p",
        "The framed image is the one that is meant. "
        f"{number(sum(len(texts) for texts, _ in captions.values()))} captions were said; these were drawn by lot.",
    )
    header += legend()
    sections = {
        f"set-{place}": (text(group), _examples(texts, images, Stream(derive(seed, "examples", group))))
        for place, (group, (texts, images)) in enumerate(captions.items())
    }
    return frame_page(
        title=f"What {name} says",
        header=header,
        sections=sections,
        footer=element("p", "Made by deixis."),
        rules=RULES,
        styles=("report.css",),
    )


def legend() -> str:
    """What the marks mean."""
    marks = " ".join(element("span", text(f"{mark}: {about}"), class_=mark) for mark, about in MARKS.items())
    return element("p", marks, class_="key")


def marked_words(pieces: Sequence[Piece]) -> str:
    """A caption with every word marked; pointing at one tells why."""
    words = "".join(
        element("span", text(piece.text), class_=piece.mark or None, title=piece.why or None) for piece in pieces
    )
    return words or text("(nothing)")


def _examples(texts: Sequence[str], images: Sequence[Sequence[int]], stream: Stream) -> str:
    chosen = stream.permutation(range(len(texts)))[:EACH]
    items = "".join(element("li", _example(texts[row], [int(one) for one in images[row]])) for row in chosen)
    return element("ul", items, class_="pairs")


def _example(said: str, rooms: Sequence[int]) -> str:
    pictures = "".join(
        picture(room, "the target" if place == 0 else "a distractor") for place, room in enumerate(rooms)
    )
    counts = ", ".join(f"{count} {about}" for about, count in count_features(said, rooms).items() if count)
    words = marked_words(mark_caption(said, rooms))
    caption = element("p", words, class_="said") + element("p", text(counts), class_="note")
    return element("figure", pictures + element("figcaption", caption))


def count_features(said: str, rooms: Sequence[int]) -> dict[str, int]:
    """How many features a caption says that tell the target apart, that do not, and falsely; each counts once."""
    judgement, telling = judge(said, RoomScene(rooms[0])), telling_features(rooms)
    contrastive = sum(feature in telling for feature in judgement.true)
    counts: dict[Mark, int] = {
        "contrastive": contrastive,
        "redundant": len(judgement.true) - contrastive,
        "false": judgement.false,
    }
    return {WORDS[mark]: count for mark, count in counts.items()}


def picture(room: int, role: str) -> str:
    """The image of a room, whole within the page; `role` is what it is there for."""
    data = b64encode(draw_png(room, size=SIZE)).decode()
    return f'<img src="data:image/png;base64,{data}" alt="{role}, image {room}" width="{SIZE}" height="{SIZE}">'
