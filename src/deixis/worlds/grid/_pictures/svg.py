"""Pictures as SVG, self-contained, readable by screen readers, safe to put into a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from xml.sax.saxutils import escape
from zlib import crc32

from deixis.worlds.grid._pictures.strokes import Stroke, Words


if TYPE_CHECKING:
    from deixis.worlds.grid._pictures.strokes import XY, Ink, Layer, Outline, Picture

    Inset: TypeAlias = tuple[Layer, tuple[float, float, float, float]]


FONTS = "Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"


def write_svg(picture: Picture, *, style: str = "", inset: Inset | None = None) -> str:
    """Write the picture as an SVG document, in which every object is a group with its number as `data-object`.

    Args:
        picture: what to show.
        style: rules for the elements of the document, which then has the id `svg_name(picture)`.
        inset: a further layer, seen through a window, with the left, the top, the width and the height of the window.
    """
    width, height = plain_number(picture.width), plain_number(picture.height)
    title, description = _text(picture.title), _text(picture.description)
    name = svg_name(picture)
    size = f'width="{width}" height="{height}"'
    key = f' id="{name}"' if style else ""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg"{key} {size} viewBox="0 0 {width} {height}" role="img"',
        f'aria-labelledby="{name}-title {name}-desc" font-family="{FONTS}">',
        f'<title id="{name}-title">{title}</title>',
        f'<desc id="{name}-desc">{description}</desc>',
        *([f"<style>\n{style}\n</style>"] if style else []),
        f'<rect {size} fill="{picture.paper}"/>',
    ]
    for layer in picture.layers:
        lines += _layer(layer)
    if inset:
        layer, (left, top, wide, high) = inset
        place = f'x="{plain_number(left)}" y="{plain_number(top)}"'
        window = f'width="{plain_number(wide)}" height="{plain_number(high)}"'
        lines += [f'<svg {place} {window} overflow="hidden">', *_layer(layer), "</svg>"]
    return "\n".join([*lines, "</svg>", ""])


def svg_name(picture: Picture) -> str:
    """Return a name that follows from the picture's description, so that several can be on one page."""
    return f"scene-{crc32((_text(picture.title) + _text(picture.description)).encode()):08x}"


def plain_number(value: float) -> str:
    """Return a number with at most two decimals and no needless characters."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _layer(layer: Layer) -> list[str]:
    number = "" if layer.object is None else f' data-object="{layer.object}"'
    title = [f"<title>{_text(layer.title)}</title>"] if layer.title else []
    items = [_stroke(item) if isinstance(item, Stroke) else _words(item) for item in layer.items]
    return [f'<g class="{layer.name}"{number}>', *title, *items, "</g>"]


def _stroke(stroke: Stroke) -> str:
    return f'<path d="{_path(stroke.outline)}" {_ink(stroke.ink)}/>'


def _path(outline: Outline) -> str:
    parts = [f"M{_point(outline.start)}"]
    parts += [f"{'L' if len(piece) == 1 else 'C'}{' '.join(map(_point, piece))}" for piece in outline.pieces]
    return "".join(parts) + ("Z" if outline.is_closed else "")


def _ink(ink: Ink) -> str:
    fill = f'fill="{ink.fill or "none"}"'
    if ink.line is None:
        return fill
    ends = "" if ink.is_sharp else ' stroke-linecap="round" stroke-linejoin="round"'
    dash = f' stroke-dasharray="{" ".join(map(plain_number, ink.dash))}"' if ink.dash else ""
    return f'{fill} stroke="{ink.line}" stroke-width="{plain_number(ink.width)}"{ends}{dash}'


def _words(words: Words) -> str:
    weight = ' font-weight="700"' if words.is_bold else ""
    return (
        f'<text x="{plain_number(words.x)}" y="{plain_number(words.baseline)}" font-size="{plain_number(words.size)}" '
        f'fill="{words.color}" text-anchor="{words.anchor}"{weight}>{_text(words.text)}</text>'
    )


def _text(text: str) -> str:
    return escape("".join(sign if _is_allowed(sign) else "\N{REPLACEMENT CHARACTER}" for sign in text))


def _is_allowed(sign: str) -> bool:
    """Return whether XML 1.0 lets the character stand in a document at all."""
    code = ord(sign)
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def _point(point: XY) -> str:
    return f"{plain_number(point[0])} {plain_number(point[1])}"
