"""Drawing in SVG: lines of text that fit, labels that do not overlap, and panels beside each other."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


INK, QUIET, PAPER, GROUND, LINE, TARGET = "#1f2430", "#5c6478", "#ffffff", "#f4f5f8", "#b9bfcc", "#b3410a"
NARROW, WIDE = frozenset("iljtfrI.,;:'|!()[]{} \"`-"), frozenset("mwMW@%—…&")
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
GAP = 24  # pixels between panels, and around them
CONTROL = dict.fromkeys((*range(32), 127, 65534, 65535), " ")  # characters that XML does not have
SURROGATES = range(0xD800, 0xE000)

Area = tuple[float, float, float, float]
"""Left, top, right, bottom of something that is drawn."""


class Panel(NamedTuple):
    """A drawn piece with its size in pixels."""

    width: float
    height: float
    svg: str


def width_of(text: str, size: float) -> float:
    """The width of a line in pixels, rather too large than too small."""
    total = 0.0
    for letter in text:
        if letter in NARROW:
            total += 0.38
        elif letter in WIDE or ord(letter) > 0x2E80:
            total += 1.02
        else:
            total += 0.7 if letter.isupper() else 0.59
    return total * size


def fold(text: str, width: float, size: float) -> list[str]:
    """Return a text in lines of at most a width; a longer word is divided."""
    lines = [""]
    for word in text.split():
        for piece in _pieces(word, width, size):
            longer = f"{lines[-1]} {piece}".strip()
            if lines[-1] and width_of(longer, size) > width:
                lines.append(piece)
            else:
                lines[-1] = longer
    return lines


def _pieces(word: str, width: float, size: float) -> list[str]:
    pieces = [""]
    for letter in word:
        if pieces[-1] and width_of(pieces[-1] + letter, size) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def write(
    x: float, y: float, text: str, *, size: float, ink: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    """One line of text; y is its base line."""
    weight = ' font-weight="bold"' if bold else ""
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" fill="{ink}"{weight}'
    return f"<text {where}>{plain_text(text)}</text>"


def plain_text(text: str) -> str:
    """Return a text as XML has it."""
    clean = text.translate(CONTROL)
    if any(ord(letter) in SURROGATES for letter in clean):
        clean = "".join("\ufffd" if ord(letter) in SURROGATES else letter for letter in clean)
    return escape(clean)


def paragraph(text: str, width: float, *, size: float, ink: str = INK, bold: bool = False) -> Panel:
    """A text in as many lines as it needs."""
    lines = fold(text, width, size * (1.06 if bold else 1))
    step = size * 1.35
    drawn = (write(0, size + step * row, line, size=size, ink=ink, bold=bold) for row, line in enumerate(lines))
    return Panel(width, step * len(lines), "".join(drawn))


def stack(panels: Iterable[Panel], gap: float = 12) -> Panel:
    """Panels below each other."""
    drawn, top, width = [], 0.0, 0.0
    for panel in panels:
        drawn.append(f'<g transform="translate(0 {top:.1f})">{panel.svg}</g>')
        top, width = top + panel.height + gap, max(width, panel.width)
    return Panel(width, max(0.0, top - gap), "".join(drawn))


def arrange(panels: Sequence[Panel], columns: int) -> Panel:
    """Panels in rows of so many."""
    rows = []
    for start in range(0, len(panels), columns):
        drawn, left, height = [], 0.0, 0.0
        for panel in panels[start : start + columns]:
            drawn.append(f'<g transform="translate({left:.1f} 0)">{panel.svg}</g>')
            left, height = left + panel.width + GAP, max(height, panel.height)
        rows.append(Panel(left - GAP, height, "".join(drawn)))
    return stack(rows, GAP)


def sheet(panel: Panel, title: str) -> bytes:
    """A whole picture."""
    width, height = round(panel.width + 2 * GAP), round(panel.height + 2 * GAP)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}"><title>{plain_text(title)}</title>'
        f'<rect width="100%" height="100%" fill="{PAPER}"/><g transform="translate({GAP} {GAP})">{panel.svg}</g></svg>'
    ).encode()


# -------------------------------------------------------------------------------- labels


class Board:
    """A part of a panel on which things lie, none of them over another."""

    def __init__(self, area: Area) -> None:
        self.area = area
        self.taken: list[Area] = []

    def is_free(self, area: Area) -> bool:
        """Return whether an area is on the board and nothing lies there."""
        left, top, right, bottom = area
        if left < self.area[0] or top < self.area[1] or right > self.area[2] or bottom > self.area[3]:
            return False
        return not any(left < r and right > l and top < b and bottom > t for l, t, r, b in self.taken)  # noqa: E741

    def put(self, places: Iterable[Area]) -> Area | None:
        """Take the first of some places that is free, and return it; None where none is."""
        for area in places:
            if self.is_free(area):
                self.taken.append(area)
                return area
        return None

    def copy(self) -> Board:
        """The same board, to try something."""
        other = Board(self.area)
        other.taken = list(self.taken)
        return other


def around(thing: Area, width: float, height: float, *, inside: bool) -> list[Area]:
    """Places for a label at a thing: below, above, beside it; with `inside` in its corners first."""
    left, top, right, bottom = thing
    middle, level, gap = (left + right - width) / 2, (top + bottom - height) / 2, 3
    corners = [
        (left + gap, top + gap),
        (left, top - height - gap),
        (right - width - gap, top + gap),
        (left + gap, bottom - height - gap),
        (right - width - gap, bottom - height - gap),
        (left, bottom + gap),
        (right - width, bottom + gap),
        (right - width, top - height - gap),
    ]
    sides = [
        (middle, bottom + gap),
        (middle, top - height - gap),
        (right + gap, level),
        (left - width - gap, level),
        (left, bottom + gap),
        (right - width, bottom + gap),
        (right + gap, bottom + gap - height),
        (left - width - gap, bottom + gap - height),
    ]
    chosen = sides
    if inside:  # a label that is wider than its box stands above or below it
        fits = width + 2 * gap <= right - left and height + 2 * gap <= bottom - top
        within = [corners[k] for k in (0, 2, 3, 4)]
        beside = [corners[k] for k in (1, 7, 5, 6)]
        chosen = [*within, *beside] if fits else [*beside, *within]
    return [(x, y, x + width, y + height) for x, y in chosen]
