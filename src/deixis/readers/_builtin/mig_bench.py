"""MIG-Bench: something is to be found in one of several images.

The right box is given as shares of the image, and in one of the tasks again in thousandths. The image that it is in is
given in words only: `It is in the second image`, `locate this object in the 4th image`, `in the image-2`, `in the
source image`. What is stated of the answer goes before what the question says. In a question the image named last
counts, of those in which something is to be found: not the image that something is from, shown in or compared with.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deixis.readers._builtin._records import box_in, records_of, text_in
from deixis.readers._region_language import parse_regions
from deixis.readers.files import head_of
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord, Region


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HEAD = 32768
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
PLACES = {name: place for place, name in enumerate(ORDINALS)}
LAST = "last"
SOURCE = "source"  # the image that comes before pictures of its regions
NAMED_IMAGE = re.compile(
    rf"\b(?:(?P<word>{'|'.join(ORDINALS)}|{LAST}|{SOURCE})\s+(?:image|picture)"
    r"|(?P<nth>\d{1,2})(?:st|nd|rd|th)\s+(?:image|picture)|(?:image|picture)[\s-]*#?(?P<number>\d{1,2}))\b",
    re.IGNORECASE,
)
MENTIONED = re.compile(  # before an image that only says which thing is meant
    r"\b(?:of|from|with|to|as|like|than|(?:shown|seen|marked|given|pictured|depicted|displayed|presented|boxed|circled"
    r"|highlighted|appears?|appearing|appeared)\s+(?:in|on))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.?!])\s+")
NEAR = 40  # characters before the name of an image
EXPRESSION = re.compile(r"<\|object_ref_start\|>(.*?)<\|object_ref_end\|>", re.DOTALL)
THOUSANDTHS = re.compile(r"<\|box_start\|>\s*\((\d+),\s*(\d+)\),\s*\((\d+),\s*(\d+)\)\s*<\|box_end\|>")
AGREES = 1.5  # thousandths by which a box and its copy may differ by rounding


def sniff(path: Path) -> bool:
    """Return whether a file holds questions of MIG-Bench."""
    head = head_of(path, HEAD) if path.suffix.lower() in (".json", ".jsonl") else ""
    return all(f'"{name}"' in head for name in ("task", "images", "question", "answer", "need_format"))


def records(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the questions with their numbers."""
    return records_of(path)


def read(record: tuple[int, Any]) -> Iterator[ReadExample]:
    """Yield the example of a question."""
    number, fields = record
    question, images, info = text_in(fields, "question"), fields["images"], _statements(fields.get("additional_info"))
    if not isinstance(images, list) or not images or not all(isinstance(one, str) and one for one in images):
        raise RefusedRecord("no-image", f"images are {str(images)[:60]}")
    place = _place(info, question, len(images))
    box = box_in(_only(fields["answer"]), "answer")
    if max(box) > 1 or min(box) < 0:
        raise RefusedRecord("odd-box", f"{list(box)} are no shares of an image")
    if NAMED_IMAGE.search(info) and (copy := THOUSANDTHS.search(info)) is not None:
        apart = max(abs(1000 * one - int(other)) for one, other in zip(box, copy.groups(), strict=True))
        if apart > AGREES:
            raise RefusedRecord("spaces-differ", f"shares and thousandths differ by {apart:.0f} thousandths")
    expression = EXPRESSION.search(question)
    yield ReadExample(
        id=number,
        text=expression[1].strip() if expression else question,
        parse=parse_regions,
        images=tuple(map(Image, images)),
        boxes=(Region(place, box),),
        space="share",
        facts={"task": str(fields["task"]), "images": len(images), "place": place + 1, "question": question},
    )


def _only(answer: Any) -> Any:
    """Return a box out of the list of the only one."""
    return answer[0] if isinstance(answer, list) and len(answer) == 1 else answer


def _statements(info: Any) -> str:
    """Return what is said of the answer, without questions that are repeated there."""
    if not isinstance(info, str):
        return ""
    return " ".join(one for one in SENTENCE.split(info) if not one.rstrip().endswith("?"))


def _place(info: str, question: str, count: int) -> int:
    """Return the number of the image that is named, from 0."""
    asked = EXPRESSION.sub(" ", question)
    named = list(NAMED_IMAGE.finditer(info)) or list(NAMED_IMAGE.finditer(asked))
    if not named:
        if count == 1:
            return 0
        raise RefusedRecord("which-image", f"no image is named: {question[:80]!r}")
    places = [_place_of(one, count) for one in named]
    before = [one.string[max(one.start() - NEAR, 0) : one.start()] for one in named]
    searched = [place for text, place in zip(before, places, strict=True) if not MENTIONED.search(text)]
    if not searched and len(set(places)) > 1:
        raise RefusedRecord("which-image", f"several images are named, none to search: {question[:80]!r}")
    return (searched or places)[-1]


def _place_of(found: re.Match[str], count: int) -> int:
    if word := (found["word"] or "").lower():
        place = 0 if word == SOURCE else count - 1 if word == LAST else PLACES[word]
    else:
        place = int(found["nth"] or found["number"]) - 1
    if not 0 <= place < count:
        raise RefusedRecord("which-image", f"{found[0]!r} of {count} images")
    return place


READER = Reader(
    name="mig_bench",
    title="MIG-Bench: grounding in several images",
    task="localise",
    license="Apache-2.0 (benchmark), MIT (code); images: the terms of their sources",
    citation="Li and others (2025). Migician: revealing the magic of free-form multi-image grounding in multimodal "
    "large language models. Findings of ACL.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "no-text": "the question is empty",
        "no-image": "there is no list of images",
        "which-image": "it is not said in which of the images the box is, or in one that is not there",
        "odd-box": "the box is not four shares from 0 to 1, or has no area",
        "spaces-differ": "the box as shares and the box in thousandths are not the same",
    },
    about="Boxes are shares: the sizes of the images are not given, so answers in pixels must bring them. The text of "
    "an example is the expression where the question marks one, and the whole question otherwise. Facts: task, images "
    "(how many), place (of the right image, from 1), question.",
)
