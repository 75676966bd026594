"""Reading what models say: forgiving about form, exact about content.

An answer may stand alone, in JSON, in a list, or after `Answer:` at the end of a long text; then only what follows
counts. Where a text gives several different answers, none, or something that was not asked for, it is not understood,
and `Unparsable` says why. Nothing is guessed: a plan with one unknown word is no plan.
"""

from __future__ import annotations

import json
import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from deixis.prompts._box_forms import Writing


__all__ = [
    "LISTED",
    "NOT_THERE",
    "Unparsable",
    "parse_boxes",
    "parse_caption",
    "parse_choice",
    "parse_region",
    "read_only",
]

T = TypeVar("T")
NOT_THERE = "not there"
LONGEST = 40_000  # letters; of a longer text the end is read
LONGEST_CAPTION = 600
KEYS = (
    "answer",
    "final_answer",
    "actions",
    "plan",
    "cell",
    "position",
    "target",
    "choice",
    "image",
    "region",
    "caption",
)

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_MARKER = re.compile(
    r"(?:^|(?<=[\n.!?*_>#]))[ \t*_>#-]*(?:(?:so|thus|hence|therefore),?[ \t]+)?(?:the[ \t]+)?(?:final[ \t]+)?"
    r"(?:answer|solution)(?:[ \t*_]*[:=][ \t*_]*|[ \t]+is[ \t]*:?[ \t]*)",
    re.IGNORECASE,
)
LISTED = re.compile(r"^[ \t]*(?:[-*•]|(?:step[ \t]+)?\d{1,3}[.):])[ \t]+", re.MULTILINE | re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:sorry|unable|not able)|i (?:can ?not|can['’]t|won['’]t|do not|don['’]t) "
    r"(?:help|assist|answer|see|view|determine|comply|provide|know)|as an ai\b|unable to (?:answer|see|determine))",
    re.IGNORECASE,
)


class Unparsable(Exception):
    """An answer that cannot be understood, with the reason in a few words."""


# -------------------------------------------------------------------------------- what was asked for


def parse_choice(text: str, labels: Collection[str]) -> str:
    """The label that an answer names: `B`, `(B)`, `Image B`, `The answer is B` and the like."""
    known = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))

    def read(piece: str, *, is_marked: bool) -> set[str]:
        thing = r"(?:the\s+)?(?:(?:image|picture|option|choice|room)\s*)?"
        if whole := re.fullmatch(rf"{thing}[(\[]?({known})[)\].:]*", piece, re.IGNORECASE):
            return {whole[1].upper()}
        first = re.match(rf"{thing}[(\[]?({known})[)\]]?(?=[.,;:!–-]|\s+(?:because|since|as)\b)", piece)
        if is_marked and first:
            return {first[1]}
        named = rf"\b(?:image|picture|option|choice)\s*[(\[]?({known})\b"
        return {found.upper() for found in re.findall(named, piece, re.IGNORECASE)}

    return read_only(text, read)


def parse_region(text: str, *, count: int) -> int | None:
    """Return the number of the region that an answer names, from 1, or None if it says that there is none."""
    number = read_only(text, _region)
    if number is not None and not 1 <= number <= count:
        raise Unparsable("a region that was not shown")
    return number


def parse_caption(text: str) -> str:
    """The caption that an answer gives: after `Answer:` or `Caption:`, in JSON, or the only line of the text."""

    def read(piece: str, *, is_marked: bool) -> set[str]:
        del is_marked
        lines = [line for line in (_bare(line) for line in piece.splitlines()) if line]
        if len(lines) > 1:
            said = [line for line in lines if re.match(r"caption\s*:", line, re.IGNORECASE)]
            if not said:
                raise Unparsable("several lines, none of them marked as the answer")
            lines = said
        return {_bare(re.sub(r"^caption\s*:\s*", "", line, flags=re.IGNORECASE)) for line in lines} - {""}

    caption = read_only(text, read)
    if len(caption) > LONGEST_CAPTION:
        raise Unparsable("a caption that is too long")
    if _REFUSAL.search(caption):
        raise Unparsable("a refusal")
    return caption


# -------------------------------------------------------------------------------- where the answer stands


def read_only(text: str, read: Callable[..., set[T]]) -> T:
    """The only answer in a text."""
    text = _plain(text)
    pieces = list(_marked_answers(text))
    found: set[T] = set()
    faults: list[str] = []
    for piece in pieces or [text]:
        said = _from_json(piece)
        try:
            found |= read(_bare(piece) if said is None else said, is_marked=bool(pieces))
        except Unparsable as fault:
            faults.append(str(fault))
    if len(found) == 1 and not (faults and pieces):
        return found.pop()
    if _REFUSAL.search(text) and not found:
        raise Unparsable("a refusal")
    raise Unparsable(faults[0] if faults else "several answers" if found else "no answer in it")


def _plain(text: str) -> str:
    """The text without thoughts, fences and marks of emphasis."""
    text = _THOUGHT.sub(" ", text[-LONGEST:])
    text = _FENCE.sub("", text).strip()
    if not text:
        raise Unparsable("nothing said")
    return text


def _marked_answers(text: str) -> Iterator[str]:
    """Yield the text after each `Answer:`, to the end of its line, or of its paragraph if it begins a list."""
    places = list(_MARKER.finditer(text))
    ends = [other.start() for other in places[1:]]
    for place, end in zip_longest(places, ends, fillvalue=None):
        assert place is not None
        rest = text[place.end() : end]
        line, _, below = rest.partition("\n")
        if line.count("[") + line.count("{") > line.count("]") + line.count("}"):
            yield rest
        elif LISTED.match(line.strip()) and LISTED.match(below):
            yield rest.partition("\n\n")[0]
        elif _bare(line):
            yield line
        else:
            yield below.strip().partition("\n\n")[0]


def _bare(text: str) -> str:
    """The text without quotation marks, emphasis and a full stop around it."""
    text = text.strip().strip("*_`").strip()
    for opening, closing in (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»")):
        if len(text) > 1 and text[0] == opening and text.rstrip(".")[-1:] == closing:
            text = text.rstrip(".")[1:-1].strip()
    text = re.sub(r"^\\boxed\{(.*)\}$", r"\1", text.strip("$"))
    return text.rstrip(".").strip().strip("*_`").strip()


def _from_json(text: str) -> str | None:
    """What a JSON value says, as text; None where it is no JSON, or a plain number or word."""
    text = text.strip().rstrip(".")
    if text[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        if value.keys() >= {"row", "column"} or value.keys() >= {"row", "col"}:
            return f"row {value['row']}, column {value.get('column', value.get('col'))}"
        given = [value[key] for key in KEYS if key in value]
        if len(given) != 1:
            raise Unparsable("JSON without one 'answer'")
        value = given[0]
    if isinstance(value, dict):
        return _from_json(json.dumps(value))
    return _value_to_text(value)


def _value_to_text(value: Any) -> str:
    """Return a value of JSON as text, with commas between the items of a list."""
    if isinstance(value, list):
        if not all(isinstance(item, str | int) for item in value):
            raise Unparsable("JSON with a list of other things than words")
        return ", ".join(map(str, value)) or "nothing"
    return "" if value is None else str(value)


# -------------------------------------------------------------------------------- regions

_ABSENT = re.compile(
    r"\b(?:not (?:there|present|shown|in (?:any|the|these))|absent|none of (?:them|the|these)|no such)\b",
    re.IGNORECASE,
)
_NAMED_REGION = re.compile(
    r"\b(?:regions?|objects?|box|number|no\.)\s*[#(\[]?\s*(\d{1,5})\b|#(\d{1,5})\b", re.IGNORECASE
)
_SEVERAL = re.compile(r"\d{1,5}(?:\s*(?:,|and|or|/|&)\s*\d{1,5})+")


def _region(text: str, *, is_marked: bool) -> set[int | None]:
    whole = re.fullmatch(
        r"(?:the\s+)?(?:(?:region|object|box|number)\s*)?[#(\[]?\s*(\d{1,5})\s*[)\].:]*", text, re.IGNORECASE
    )
    if whole:
        return {int(whole[1])}
    if _SEVERAL.fullmatch(text):
        return {int(number) for number in re.findall(r"\d+", text)}
    found: set[int | None] = {int(one or other) for one, other in _NAMED_REGION.findall(text)}
    if re.fullmatch(r"none|nothing|no region", text, re.IGNORECASE) or _ABSENT.search(text):
        found.add(None)
    if is_marked and not found and (first := re.match(r"(\d{1,5})\b(?![.,]\d)", text)):
        found.add(int(first[1]))
    return found


# -------------------------------------------------------------------------------- boxes

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
_FOUR = rf"({_NUMBER})\s*,?\s+({_NUMBER})\s*,?\s+({_NUMBER})\s*,?\s+({_NUMBER})"
_COMMAS = rf"({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})"
_EDGES = (
    ("x_?1", "y_?1", "x_?2", "y_?2"),
    ("x_?min", "y_?min", "x_?max", "y_?max"),
    ("left", "top", "right", "bottom"),
)
_NAMED_EDGES = "|".join(
    r"\s*,\s*".join(rf'["\']?\b{edge}["\']?\s*[:=]\s*({_NUMBER})' for edge in edges) for edges in _EDGES
)
_TOP_FIRST = re.compile(r"[\"']box_2d[\"']")  # the order of its four numbers is another one
_TOKEN = re.compile(r"<loc_?\d{1,4}>")
_TOKENS = re.compile(r"<loc(\d{4})>\s*<loc(\d{4})>\s*<loc(\d{4})>\s*<loc(\d{4})>")
TOKENS_PER_SIDE = 1024
_BOX = re.compile(
    "|".join(
        (
            rf"[\[({{]\s*{_COMMAS}\s*[\])}}]",
            rf"[(\[]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[)\]]\s*,?\s*[(\[]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[)\]]",
            rf"<b?box>\s*{_FOUR}\s*</b?box>",
            rf"<b?box>\s*{_COMMAS}\s*</b?box>",
            rf"<({_NUMBER})>\s*<({_NUMBER})>\s*<({_NUMBER})>\s*<({_NUMBER})>",
            _NAMED_EDGES,
        )
    )
)
_BARE_BOX = re.compile(rf"{_COMMAS}|{_FOUR}")
_IMAGE_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_IMAGE = re.compile(
    rf"\b(?:({'|'.join(_IMAGE_WORDS)})\s+image|(\d{{1,3}})(?:st|nd|rd|th)\s+image|image[\"'\s:#_-]{{0,4}}(\d{{1,3}}))\b",
    re.IGNORECASE,
)
_NO_BOX = re.compile(
    r"(?:none|nothing|no box|\{?[\w\"' :]*\[\s*\]\s*\}?|null|\{[\w\"' ]*:\s*null\s*\}|\{\s*\})", re.IGNORECASE
)
MOST_BOXES = 200  # of one answer; more are none


def parse_boxes(
    text: str, *, writing: Writing = "corners"
) -> tuple[tuple[int | None, tuple[float, float, float, float]], ...]:
    """Return the boxes that an answer gives, in the order of their edges, or none if it says that nothing fits.

    Each comes with the number of the image that is named for it, from 1, or None. Boxes are read as `[x1, y1, x2, y2]`,
    `(x1, y1), (x2, y2)`, `<box>…</box>`, or under the names of their edges. A text in which no answer is marked may
    have several boxes only where it is nothing but a list.

    Args:
        text: what a model said.
        writing: the order that was asked for: `corners` as above, `box_2d` for `[top, left, bottom, right]`, or `loc`
            for location tokens, `<loc0100><loc0050><loc0400><loc0200>`, which are read as shares. Boxes that are
            clearly written in another order than was asked for are not understood.
    """
    text = _plain(text)
    pieces = list(_marked_answers(text))
    found: set[tuple[Any, ...]] = set()
    faults: list[str] = []
    for piece in pieces or [text]:
        try:
            is_list = bool(pieces) or text.lstrip()[:1] in ("[", "{", "<")
            found.add(_boxes_in(piece.strip(), writing, is_list=is_list))
        except Unparsable as fault:
            faults.append(str(fault))
    if len(found) == 1 and not faults:
        return found.pop()
    if _REFUSAL.search(text) and not found:
        raise Unparsable("a refusal")
    raise Unparsable(faults[0] if faults else "several answers")


def _boxes_in(
    piece: str, writing: Writing, *, is_list: bool
) -> tuple[tuple[int | None, tuple[float, float, float, float]], ...]:
    """The boxes of a piece of text, each with the image named last before it, or the only one that is named."""
    given = list(_tokens_in(piece) if writing == "loc" else _edges_in(piece, writing))
    is_absent = bool(_NO_BOX.fullmatch(_bare(piece)) or _ABSENT.search(piece))
    if is_absent and not given:
        return ()
    if is_absent or not given:
        raise Unparsable("several answers" if is_absent else "no answer in it")
    images = [(match.start(), _image_number(match)) for match in _IMAGE.finditer(piece)]
    boxes: dict[tuple[int | None, tuple[float, float, float, float]], None] = {}
    for place, (left, top, right, bottom) in given[: MOST_BOXES + 1]:
        before = [number for start, number in images if start < place]
        only = images[0][1] if len({number for _, number in images}) == 1 else None
        if not (left < right < float("inf") and top < bottom < float("inf")):
            raise Unparsable("a box without an area")
        boxes[before[-1] if before else only, (left, top, right, bottom)] = None
    if len(boxes) > (MOST_BOXES if is_list else 1):
        raise Unparsable("several answers")
    return tuple(sorted(boxes, key=lambda one: (one[0] or 0, one[1])))


def _edges_in(piece: str, writing: Writing) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Yield left, top, right and bottom edge of all boxes, and where in the text each stands."""
    if _TOKEN.search(piece):
        raise Unparsable("location tokens, which are not asked for")
    if writing == "corners" and _TOP_FIRST.search(piece):
        raise Unparsable("a box named box_2d, which begins with its top; left, top, right, bottom are asked for")
    found = list(_BOX.finditer(piece))
    if not found and (bare := _BARE_BOX.fullmatch(_bare(piece).rstrip(";"))):
        found = [bare]
    for match in found:
        one, two, three, four = (float(number) for number in match.groups() if number is not None)
        is_named = re.match(r"[\"'a-z]", match[0]) is not None  # the names of edges say which is which
        is_top_first = writing == "box_2d" and not is_named
        yield match.start(), (two, one, four, three) if is_top_first else (one, two, three, four)


def _tokens_in(piece: str) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Yield the same of location tokens, as shares."""
    if not _TOKENS.search(piece) and (_BOX.search(piece) or _BARE_BOX.fullmatch(_bare(piece))):
        raise Unparsable("a box without location tokens, which are asked for")
    for match in _TOKENS.finditer(piece):
        top, left, bottom, right = (int(number) / TOKENS_PER_SIDE for number in match.groups())
        yield match.start(), (left, top, right, bottom)


def _image_number(match: re.Match[str]) -> int:
    word, nth, number = match.groups()
    return _IMAGE_WORDS.index(word.lower()) + 1 if word else int(nth or number)
