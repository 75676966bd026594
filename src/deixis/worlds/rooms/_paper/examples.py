"""Captions of the same pairs of rooms by several speakers, as part of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.report._cells import plain_words
from deixis.report._markup import element, text
from deixis.report._results.document import Custom
from deixis.seeds import Stream, derive
from deixis.worlds.rooms._paper.runs import read_captions
from deixis.worlds.rooms.judging._marked import NAMES, mark_caption
from deixis.worlds.rooms.judging._pages import legend, marked_words, picture
from deixis.worlds.rooms.pairs import SETS


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.report._results.groups import Group
    from deixis.worlds.rooms._paper.runs import Caption, Speaker
    from deixis.worlds.rooms.judging._marked import Piece


SETS_SHOWN = ("shape", "floor_hue", "shape+object_hue", "random two", "object", "background")  # two of each category
COUNTS = ("", "one feature", "two features", "three features")


@dataclass(frozen=True, kw_only=True)
class Example:
    """The captions of speakers for one image beside another, by their labels."""

    part: str
    images: tuple[int, ...]
    captions: Mapping[str, Caption]


def examples_of(groups: Sequence[Group[Speaker]]) -> list[Example]:
    """Return one pair of images of some sets, drawn by lot among those that every speaker has a caption of.

    Raises:
        BrokenDataset: when captions cannot be read.
    """
    spoken = {one.label: read_captions(one.runs[0]) for one in groups}
    spoken = {label: sets for label, sets in spoken.items() if sets}
    found = []
    for part in SETS_SHOWN:
        by_images = [{one.images: one for one in sets.get(part, ())} for sets in spoken.values()]
        common = sorted(set.intersection(*map(set, by_images))) if by_images else []
        if common:
            images = common[Stream(derive(0, "examples", part)).below(len(common))]
            captions = {label: some[images] for label, some in zip(spoken, by_images, strict=True)}
            found.append(Example(part=part, images=images, captions=captions))
    return found


def say_set(name: str) -> str:
    """Say what the two images of a pair have in common at least, by the name of their test set."""
    shared = SETS.get(name, ())
    if isinstance(shared, int):
        return f"at least {COUNTS[shared]} in common"
    *others, last = (NAMES[factor] for factor in shared)
    return f"the same {', '.join(others)}{' and ' if others else ''}{last}"


def examples_block(examples: Sequence[Example], tones: Mapping[str, str]) -> Custom:
    """Show the examples with their pictures, with `tones` as the colours of the speakers."""
    items = "".join(element("li", _figure(one, tones)) for one in examples)
    about = (
        "The framed image is the target. Pairs were drawn by lot among those that every model has captioned, from two "
        "sets of each category; of several seeds the first speaks."
    )
    html = element("p", about) + legend() + element("ul", items, class_="duels")
    return Custom(html, list(_lines(examples)))


def _figure(one: Example, tones: Mapping[str, str]) -> str:
    pictures = "".join(
        picture(image, "the target" if place == 0 else "a distractor") for place, image in enumerate(one.images)
    )
    heard = {
        None: "",
        True: element("small", "✓ understood"),
        False: element("small", "✗ misunderstood", class_="wrong"),
    }
    lines = ""
    for label, caption in one.captions.items():
        words = f"{marked_words(mark_caption(caption.text, one.images))} {heard[caption.is_understood]}"
        lines += element("dt", text(label), style=f"--tone:{tones[label]}") + element("dd", words)
    name = element("p", text(f"Both images have {say_set(one.part)}."), class_="set")
    return element("figure", name + pictures + element("figcaption", element("dl", lines)))


def _lines(examples: Sequence[Example]) -> Iterator[str]:
    yield "**Bold** is true and tells the target apart, <del>struck out</del> is false, the rest is redundant."
    for one in examples:
        images = " and ".join(str(image) for image in one.images)
        yield ""
        yield f"Images {images}, the first of which is the target; both have {say_set(one.part)}:"
        yield ""
        for label, caption in one.captions.items():
            heard = {None: "", True: " (understood)", False: " (misunderstood)"}[caption.is_understood]
            words = "".join(_mark(piece) for piece in mark_caption(caption.text, one.images))
            yield f"- {plain_words(label)}: {words or '(nothing)'}{heard}"


def _mark(piece: Piece) -> str:
    kept = plain_words(piece.text)
    before = " " if piece.text[:1].isspace() else ""
    after = " " if piece.text[-1:].isspace() and piece.text.strip() else ""
    shown = {"contrastive": f"**{kept}**", "false": f"<del>{kept}</del>"}.get(piece.mark, kept)
    return f"{before}{shown}{after}"
