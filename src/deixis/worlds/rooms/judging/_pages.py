"""Pages about captions: the scores of the metrics with intervals, and captions to look at, every word marked.

`score_page` shows files or speakers side by side, feature by feature. `caption_page` shows what one speaker says: the
images side by side, and every word marked by what it does among them.
"""

from __future__ import annotations

from base64 import b64encode
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._version import __version__
from deixis.data.store import replacing_file
from deixis.report._markup import number, text
from deixis.report._palette import role_of
from deixis.report._skeleton import frame_page
from deixis.report._templates import render_part
from deixis.report.chart import Axis, Chart, Series
from deixis.report.chart_html import chart_markup
from deixis.seeds import Stream, derive
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.judging._figures import SHARES, group_estimates
from deixis.worlds.rooms.judging._marked import MARKS, NAMES, mark_caption, telling_features
from deixis.worlds.rooms.judging._summary import GAP
from deixis.worlds.rooms.mentions import judge
from deixis.worlds.rooms.scene import RoomScene


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.rooms.judging._marked import Mark, Piece
    from deixis.worlds.rooms.judging._summary import Summary

    Captions = Mapping[str, tuple[Sequence[str], Sequence[Sequence[int]]]]


TEMPLATES = Path(__file__).parent / "templates"
KICKER = "Deixis · captions of 3D Shapes"
ABOUT = (
    "Discriminativity: the caption fits the target and no distractor. Contrastive efficiency: it says few features "
    "more than that takes. Relevance: it leaves out what tells nothing apart. Optimal discriminativity: it finds "
    "the target with the fewest features."
)
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
    """Write the page.

    The same scores give the same bytes.

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
    tiles = [("files or speakers", number(len(captions))), ("captions", number(sum(captions.values())))]
    page = frame_page(
        title="Scores of captions",
        header=render_part(
            "parts.html", "header", kicker=KICKER, title="Scores of captions", about=(ABOUT, how), tiles=tiles
        ),
        sections=sections,
        footer=render_part("parts.html", "footer", version=__version__),
        styles=("report.css", "audit.css"),
    )
    with replacing_file(out) as draft:
        draft.write_bytes(page.encode())
    return out


def _group(anchor: str, group: str, tables: Mapping[str, Mapping[str, Estimate]]) -> str:
    """The metrics of a category or set: bars, and a table with intervals."""
    series = [
        Series(
            label=label,
            values=tuple(_mean(one[metric]) for one in tables.values()),
            intervals=tuple((one[metric].low, one[metric].high) for one in tables.values()),
            color=role_of(place),
        )
        for place, (metric, label) in enumerate(SHARES.items())
    ]
    chart = Chart(
        name=f"{anchor}-plot",
        title="The four shares of the paper's Table 1",
        caption="Every file or speaker has one bar for each metric, with its 95 % interval; a dash stands for what "
        "is not defined.",
        marks="bars",
        labels=tuple(tables),
        series=tuple(series),
        axis=Axis(label="mean over captions"),
    )
    rows = [[name, *(_cell(one[metric]) for metric in (*SHARES, *NUMBERS))] for name, one in tables.items()]
    caption = f"{group.capitalize()}: means with 95 % bootstrap intervals"
    return chart_markup(chart) + _table(("", *SHARES.values(), *NUMBERS.values()), rows, caption)


def _features(name: str, summary: Summary) -> str:
    heads = ("", *BY_FEATURE.values(), "difference")
    return _table(heads, list(_feature_rows(summary)), f"{name}: how often each feature is said")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str | tuple[str, str]]], caption: str) -> str:
    numeric = range(1, len(heads))
    return render_part("parts.html", "table", heads=heads, rows=rows, caption=caption, numeric=numeric)


def _feature_rows(summary: Summary) -> Iterator[list[str | tuple[str, str]]]:
    """How often a feature is said, and how much more often where it tells target and distractor apart."""
    for factor, shown in NAMES.items():
        found = [summary.overall[f"{kind}/{factor}"] for kind in BY_FEATURE]
        gap = _mean(summary.overall[f"{GAP}/{factor}"])
        yield [shown, *map(_cell, found), "–" if gap is None else f"{gap:+.3f}".replace("-", "−")]


def _mean(found: Estimate) -> float | None:
    return found.mean if found.rows and not isnan(found.mean) else None


def _cell(found: Estimate) -> str | tuple[str, str]:
    if _mean(found) is None:
        return "–"
    return f"{found.mean:.3f}", f"{found.low:.3f}–{found.high:.3f}"


# -------------------------------------------------------------------------------- captions


def caption_page(name: str, captions: Captions, *, seed: int = 0) -> str:
    """Return a page with some captions of every set.

    The same captions and seed give the same page.

    Args:
        name: of the speaker.
        captions: for every set the captions, and for each the numbers of its images, the target first.
        seed: which captions are shown.
    """
    sections = {
        f"set-{place}": (text(group), _examples(texts, images, Stream(derive(seed, "examples", group))))
        for place, (group, (texts, images)) in enumerate(captions.items())
    }
    count = sum(len(texts) for texts, _ in captions.values())
    return frame_page(
        title=f"What {name} says",
        header=_part("header", name=name, captions=count, marks=MARKS),
        sections=sections,
        footer=render_part("parts.html", "footer", version=__version__),
        rules=RULES,
        styles=("report.css",),
    )


def legend() -> str:
    """Return the legend of the marks."""
    return _part("legend", marks=MARKS)


def marked_words(pieces: Sequence[Piece]) -> str:
    """Return a caption with every word marked, and the reason as a tooltip."""
    return _part("words", pieces=pieces)


def _examples(texts: Sequence[str], images: Sequence[Sequence[int]], stream: Stream) -> str:
    found = []
    for row in stream.permutation(range(len(texts)))[:EACH]:
        rooms = [int(one) for one in images[row]]
        counts = count_features(texts[row], rooms)
        found.append(
            {
                "pictures": "".join(
                    picture(room, "the target" if place == 0 else "a distractor") for place, room in enumerate(rooms)
                ),
                "pieces": mark_caption(texts[row], rooms),
                "counts": ", ".join(f"{count} {about}" for about, count in counts.items() if count),
            }
        )
    return _part("examples", found=found)


def _part(macro: str, **values: Any) -> str:
    return render_part("captions.html", macro, folder=TEMPLATES, **values)


def count_features(said: str, rooms: Sequence[int]) -> dict[str, int]:
    """Count the contrastive, redundant and false features of a caption, each once."""
    judgement, telling = judge(said, RoomScene(rooms[0])), telling_features(rooms)
    contrastive = sum(feature in telling for feature in judgement.true)
    counts: dict[Mark, int] = {
        "contrastive": contrastive,
        "redundant": len(judgement.true) - contrastive,
        "false": judgement.false,
    }
    return {WORDS[mark]: count for mark, count in counts.items()}


def picture(room: int, role: str) -> str:
    """Return the image of a room, embedded in the page, with its `role`."""
    return _part("picture", room=room, role=role, data=b64encode(draw_png(room, size=SIZE)).decode(), size=SIZE)
