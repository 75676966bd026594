"""Captions of a speaker to look at: the images side by side, and every word marked by what it does among them."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from deixis.metrics.marked import MARKS, mark_caption
from deixis.reports.markup import element, number, text
from deixis.reports.skeleton import frame_page
from deixis.seeds import Stream, derive
from deixis.worlds.shapes.draw import draw_png


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.metrics.marked import Mark, Piece

    Captions = Mapping[str, tuple[Sequence[str], Sequence[Sequence[int]]]]


__all__ = ["RULES", "caption_page", "legend", "marked_words", "picture"]

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
    chosen = stream.shuffled(range(len(texts)))[:EACH]
    items = "".join(element("li", _example(texts[row], [int(one) for one in images[row]])) for row in chosen)
    return element("ul", items, class_="pairs")


def _example(said: str, rooms: Sequence[int]) -> str:
    pictures = "".join(
        picture(room, "the target" if place == 0 else "a distractor") for place, room in enumerate(rooms)
    )
    pieces = mark_caption(said, rooms)
    counts = ", ".join(
        f"{sum(piece.mark == mark for piece in pieces)} {about}"
        for mark, about in WORDS.items()
        if any(piece.mark == mark for piece in pieces)
    )
    caption = element("p", marked_words(pieces), class_="said") + element("p", text(counts), class_="note")
    return element("figure", pictures + element("figcaption", caption))


def picture(room: int, role: str) -> str:
    """The image of a room, whole within the page; `role` is what it is there for."""
    data = b64encode(draw_png(room, size=SIZE)).decode()
    return f'<img src="data:image/png;base64,{data}" alt="{role}, image {room}" width="{SIZE}" height="{SIZE}">'
