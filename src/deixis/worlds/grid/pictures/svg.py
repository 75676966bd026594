"""Pictures as SVG: self-contained, readable by screen readers, safe to put into a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape
from zlib import crc32

from deixis.worlds.grid.pictures.strokes import Stroke, Words


if TYPE_CHECKING:
    from deixis.worlds.grid.pictures.strokes import XY, Ink, Layer, Outline, Picture


__all__ = ["write_svg"]

FONTS = "Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"


def write_svg(picture: Picture) -> str:
    """The picture as an SVG document; every object is a group that carries its number as `data-object`."""
    width, height = _number(picture.width), _number(picture.height)
    title, description = _text(picture.title), _text(picture.description)
    name = f"scene-{crc32((title + description).encode()):08x}"
    size = f'width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" role="img"',
        f'aria-labelledby="{name}-title {name}-desc" font-family="{FONTS}">',
        f'<title id="{name}-title">{title}</title>',
        f'<desc id="{name}-desc">{description}</desc>',
        f'<rect {size} fill="{picture.paper}"/>',
    ]
    for layer in picture.layers:
        lines += _layer(layer)
    return "\n".join([*lines, "</svg>", ""])


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
    dash = f' stroke-dasharray="{" ".join(map(_number, ink.dash))}"' if ink.dash else ""
    return f'{fill} stroke="{ink.line}" stroke-width="{_number(ink.width)}"{ends}{dash}'


def _words(words: Words) -> str:
    weight = ' font-weight="700"' if words.is_bold else ""
    return (
        f'<text x="{_number(words.x)}" y="{_number(words.baseline)}" font-size="{_number(words.size)}" '
        f'fill="{words.color}" text-anchor="{words.anchor}"{weight}>{_text(words.text)}</text>'
    )


def _text(text: str) -> str:
    return escape("".join(sign if _is_allowed(sign) else "\N{REPLACEMENT CHARACTER}" for sign in text))


def _is_allowed(sign: str) -> bool:
    """Whether XML 1.0 lets the character stand in a document at all."""
    code = ord(sign)
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def _point(point: XY) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
