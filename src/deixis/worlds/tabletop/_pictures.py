"""Part `pictures`: tables as photographs would show them, with what is meant, numbers or boxes drawn in.

| look | |
|---|---|
| `target` | with an outline around what is meant, and the expression above |
| `plain` | the picture alone |
| `numbers` | every solid with its number, for questions about pictures |
| `boxes` | every solid in its box |
| `masks` | for every pixel one more than the number of the solid that it shows, as an indexed PNG |
"""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset, RecipeError
from deixis.judge.boxes import Box
from deixis.language.explain import name_object
from deixis.prompts.question import View
from deixis.worlds.tabletop._render.ids import MAX_SIDE, boxes, draw_ids, masks, project
from deixis.worlds.tabletop._render.picture import draw_picture
from deixis.worlds.tabletop.world import LOOKS
from deixis.worlds.toolkit.pictures import PlainPictures


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image

    from deixis.scene.scene import Context, Where
    from deixis.worlds.tabletop._examples import TableExample
    from deixis.worlds.tabletop._scene import SolidScene
    from deixis.worlds.tabletop._solids import Tabletop


SIZE = 480, 360  # pixels of one table in a drawing
GAP, MARGIN, LINE = 12, 14, 22
PAPER, INK, ACCENT = "#ffffff", "#1f2430", "#ff7a1a"
PALETTE = (
    *((0, 0, 0), (230, 60, 60), (60, 120, 230), (60, 180, 75), (255, 200, 40), (150, 70, 200), (60, 200, 210)),
    *((245, 130, 48), (240, 80, 220), (128, 128, 0), (0, 128, 128), (128, 0, 0), (170, 110, 40), (190, 255, 0)),
    *((0, 0, 128), (170, 255, 195)),
)
"""Colours of an image of masks: of the table first, then of solids; after the last they begin anew."""


class TablePictures(PlainPictures):
    """Part `pictures` of tables."""

    formats = ("png", "svg")

    def draw(self, example: Any, *, format: str = "png", look: str = "target", **options: Any) -> bytes:  # noqa: A002
        """The tables side by side, always with the same bytes."""
        self.demand(format, options)
        if look not in LOOKS:
            raise RecipeError(f"a table is drawn with the look {', '.join(LOOKS[:-1])} or {LOOKS[-1]}, not {look!r}")
        if format == "svg":
            return _svg(example, look)
        if look == "masks":
            return encode_masks(np.hstack([draw_ids(scene.table, *SIZE) for scene in example.scenes]))
        panels = [_panel(scene, look, _target_in(example, place)) for place, scene in enumerate(example.scenes)]
        return _png(_under(_beside(panels), _lines_of(example, len(panels)) if look == "target" else []))

    def snapshot(self, example: TableExample) -> bytes:
        """Draw the tables alone as PNG, with what is meant in an outline."""
        panels = [_panel(scene, "target", _target_in(example, place)) for place, scene in enumerate(example.scenes)]
        return _png(_beside(panels))

    def question(self, example: TableExample, numbers: Sequence[Sequence[int]]) -> bytes | list[bytes]:
        """The table as PNG, or each of several, every solid with its number, and nothing that tells what is meant."""
        panels = [
            _with_numbers(draw_picture(one.table, *SIZE), one.table, some)
            for one, some in zip(example.scenes, numbers, strict=True)
        ]
        return _png(panels[0]) if len(panels) == 1 else [_png(panel) for panel in panels]

    def views(self, example: TableExample) -> list[View]:
        """Every table as PNG without marks, with the boxes of what is seen of its solids."""
        found = []
        for scene in example.scenes:
            known = boxes(draw_ids(scene.table, *SIZE), len(scene)).tolist()
            seen = [Box(x, y, x + width, y + height) if width else None for x, y, width, height in known]
            found.append(View.of(encode_picture(draw_picture(scene.table, *SIZE)), seen))
        return found

    def areas(self, example: TableExample) -> list[list[tuple[float, float, float, float] | None]]:
        """Return the boxes of solids in the pictures of `question`, in shares of their sides; None of hidden ones."""
        wide, high = SIZE
        found = []
        for scene in example.scenes:
            seen = boxes(draw_ids(scene.table, *SIZE), len(scene)).tolist()
            found.append([(x / wide, y / high, (x + w) / wide, (y + h) / high) if w else None for x, y, w, h in seen])
        return found

    def objects(self, context: Context, marks: Mapping[Where, str]) -> str:
        """The tables for pages: pictures whose solids are elements with numbers, and with marks as classes."""
        is_many = len(context.scenes) > 1
        return "".join(
            f'<svg class="objects-drawn" viewBox="0 0 {SIZE[0]} {SIZE[1]}" style="max-width:720px" role="img" '
            f'aria-label="Table {place + 1}, {len(scene)} solids">'
            + svg_panel(
                scene,  # type: ignore[arg-type]
                place if is_many else None,
                "numbers",
                marks={where.object: mark for where, mark in marks.items() if where.scene == place},
            )
            + "</svg>"
            for place, scene in enumerate(context.scenes)
        )


PICTURES = TablePictures()


def encode_picture(picture: np.ndarray) -> bytes:
    """A picture, uint8 [row, column, channel], as PNG."""
    from PIL import Image

    return _png(Image.fromarray(picture))


def encode_masks(ids: np.ndarray) -> bytes:
    """Ids of pixels, uint8 [row, column], as an indexed PNG: the index of a pixel is its id."""
    from PIL import Image

    image = Image.fromarray(ids, "P")
    rest = [PALETTE[1 + k % (len(PALETTE) - 1)] for k in range(255)]
    image.putpalette([part for color in (PALETTE[0], *rest) for part in color])
    return _png(image)


def decode_png(held: bytes) -> np.ndarray:
    """The pixels of a PNG: ids, uint8 [row, column], of masks, and [row, column, channel] of pictures.

    Raises:
        BrokenDataset: when there are none, or more than a picture of ours has.
    """
    from PIL import Image

    try:
        image = Image.open(BytesIO(held))
        if max(image.size) <= MAX_SIDE:
            return np.array(image)
    except (OSError, ValueError, SyntaxError) as error:
        raise BrokenDataset(f"this is no PNG that can be read: {error}") from error
    raise BrokenDataset(f"a picture has up to {MAX_SIDE} pixels a side, got {image.size[0]} x {image.size[1]}")


def middle_of(mask: np.ndarray) -> tuple[int, int]:
    """The column and row of a place that is as deep as possible inside a mask."""
    deepest, inner = mask, mask
    while inner.any():
        deepest, inner = inner, _shrink(inner)
    rows, columns = np.nonzero(deepest)
    nearest = np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2) if len(rows) else 0
    return (int(columns[nearest]), int(rows[nearest])) if len(rows) else (0, 0)


def _panel(scene: SolidScene, look: str, target: int | None) -> Image:
    from PIL import Image, ImageDraw

    picture, count = draw_picture(scene.table, *SIZE), len(scene)
    if look == "numbers":
        return _with_numbers(picture, scene.table, range(count))
    ids = draw_ids(scene.table, *SIZE)
    if look == "target" and target is not None:
        mask = ids == target + 1
        near = _grow(mask)
        far = _grow(_grow(_grow(near)))
        picture[far & ~near] = _rgb(ACCENT)
    image = Image.fromarray(picture)
    if look == "boxes":
        pen = ImageDraw.Draw(image)
        for number, (x, y, width, height) in enumerate(boxes(ids, count).tolist()):
            if width:
                color = PALETTE[1 + number % (len(PALETTE) - 1)]
                pen.rectangle((x, y, x + width - 1, y + height - 1), outline=color, width=2)
    return image


def _with_numbers(picture: np.ndarray, table: Tabletop, numbers: Sequence[int]) -> Image:
    """A picture in which every solid has a number, on a part of it that is seen."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.fromarray(picture)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(15)
    found = masks(draw_ids(table, *SIZE), len(table.solids))
    for mask, number in zip(found, numbers, strict=True):
        if mask.any():
            x, y = middle_of(mask)
            half = 6 + 4 * len(str(number))
            pen.rounded_rectangle((x - half, y - 10, x + half, y + 10), 5, fill=PAPER, outline=INK)
            pen.text((x, y), str(number), font=font, fill=INK, anchor="mm")
    return image


def _beside(panels: Sequence[Image]) -> Image:
    from PIL import Image

    width = sum(panel.width for panel in panels) + GAP * (len(panels) - 1)
    sheet = Image.new("RGB", (width, panels[0].height), PAPER)
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, 0))
        left += panel.width + GAP
    return sheet


def _under(sheet: Image, lines: Sequence[str]) -> Image:
    """A drawing with lines of text above."""
    from PIL import Image, ImageDraw, ImageFont

    if not lines:
        return sheet
    head = 2 * MARGIN + LINE * len(lines) - 4
    whole = Image.new("RGB", (sheet.width, head + sheet.height), PAPER)
    whole.paste(sheet, (0, head))
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(17)
    for row, line in enumerate(lines):
        pen.text((MARGIN, MARGIN + LINE * row - 3), line, font=font, fill=INK)
    return whole


def _lines_of(example: TableExample, panels: int) -> list[str]:
    """What is said, in lines as wide as the drawing; of what fits nothing, that it does."""
    told = example.text if example.target is not None else f"{example.text} (fits nothing)"
    return wrap(told, 54 * panels)


def _svg(example: TableExample, look: str) -> bytes:
    """A drawing whose solids are elements of their own, with their names, over the picture."""
    lines = _lines_of(example, len(example.scenes)) if look == "target" else []
    head = 2 * MARGIN + LINE * len(lines) - 4 if lines else 0
    width = len(example.scenes) * (SIZE[0] + GAP) - GAP
    words = "".join(
        f'<text x="{MARGIN}" y="{MARGIN + LINE * row + 12}" font-size="17" fill="{INK}">{escape(line)}</text>'
        for row, line in enumerate(lines)
    )
    is_many = len(example.scenes) > 1
    drawn = "".join(
        f'<g transform="translate({place * (SIZE[0] + GAP)} {head})">'
        f"{svg_panel(scene, place if is_many else None, look, target=_target_in(example, place))}</g>"
        for place, scene in enumerate(example.scenes)
    )
    size = f'viewBox="0 0 {width} {head + SIZE[1]}" width="{width}" height="{head + SIZE[1]}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif"><title>{escape(example.text)}</title>'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{words}{drawn}</svg>'
    ).encode()


def svg_panel(
    scene: SolidScene,
    place: int | None,
    look: str,
    *,
    target: int | None = None,
    marks: Mapping[int, str] | None = None,
) -> str:
    """One table as elements of SVG: the picture, and over it from far to near a shape for every solid that is seen."""
    table = scene.table
    ids, count = draw_ids(table, *SIZE), len(scene)
    held = encode_masks(ids) if look == "masks" else encode_picture(draw_picture(table, *SIZE))
    code = b64encode(held).decode()
    drawn = [f'<image width="{SIZE[0]}" height="{SIZE[1]}" href="data:image/png;base64,{code}"/>']
    middles = np.array([(one.x / 1_000, one.y / 1_000, 0.0) for one in table.solids]).reshape(count, 3)
    for number in np.argsort(-project(table.camera, middles)[:, 2], kind="stable").tolist():
        mask = ids == number + 1
        if mask.any():
            is_target = number == target and look == "target"
            line = f'stroke="{ACCENT}" stroke-width="3"' if is_target else 'stroke="none"'
            points = " ".join(f"{u},{v}" for u, v in outline_of(_grow(_grow(mask)) if is_target else mask))
            mark = (marks or {}).get(number)
            signs = _svg_marks(mask, place, number, look, star=mark == "meant")
            drawn.append(
                f'<g data-object="{_key(place, number)}" class="on-picture{f" is-{escape(mark)}" if mark else ""}">'
                f"<title>{escape(name_object(scene, number))}</title>"
                f'<polygon points="{points}" fill="transparent" {line}/>{signs}</g>'
            )
    return "".join(drawn)


def _svg_marks(mask: np.ndarray, place: int | None, number: int, look: str, *, star: bool = False) -> str:
    """The box or the number of a solid, with a star if it is meant."""
    if look == "boxes":
        ((x, y, width, height),) = boxes(mask.astype(np.uint8), 1).tolist()
        color = "#{:02x}{:02x}{:02x}".format(*PALETTE[1 + number % (len(PALETTE) - 1)])
        where = f'x="{x}" y="{y}" width="{width}" height="{height}"'
        return f'<rect {where} fill="none" stroke="{color}" stroke-width="2"/>'
    if look == "numbers":
        (x, y), key = middle_of(mask), f"{'★ ' if star else ''}{_key(place, number)}"
        half = 6 + 4 * len(key)
        where = f'x="{x - half}" y="{y - 10}" width="{2 * half}" height="20" rx="5"'
        style = f'text-anchor="middle" font-size="15" style="fill:{INK}"'
        return f'<rect {where} fill="{PAPER}" stroke="{INK}"/><text x="{x}" y="{y + 5}" {style}>{key}</text>'
    return ""


def _key(place: int | None, number: int) -> str:
    """The name of a solid on pages: its number, after that of its table where there are several."""
    return str(number) if place is None else f"{place}.{number}"


def outline_of(mask: np.ndarray) -> list[tuple[int, int]]:
    """The corners of the smallest convex shape around the pixels of a mask, as columns and rows."""
    found: set[tuple[int, int]] = set()
    for row in np.flatnonzero(mask.any(axis=1)).tolist():
        columns = np.flatnonzero(mask[row]).tolist()
        found |= {(columns[0], row), (columns[0], row + 1), (columns[-1] + 1, row), (columns[-1] + 1, row + 1)}
    points = sorted(found)
    return [*_half(points), *_half(points[::-1])]


def _half(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """One side of a convex outline: points from first to last, without those where the way would turn in."""
    kept: list[tuple[int, int]] = []
    for x, y in points:
        while len(kept) > 1:
            (a, b), (c, d) = kept[-2:]
            if (c - a) * (y - b) - (d - b) * (x - a) > 0:
                break
            kept.pop()
        kept.append((x, y))
    return kept[:-1]


def _target_in(example: TableExample, place: int) -> int | None:
    target = example.target
    return target.object if target is not None and target.scene == place else None


def _grow(mask: np.ndarray) -> np.ndarray:
    """A mask and the pixels beside it."""
    wide = np.pad(mask, 1)
    grown: np.ndarray = wide[1:-1, 1:-1] | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
    return grown


def _shrink(mask: np.ndarray) -> np.ndarray:
    """The pixels of a mask whose neighbours are in it too."""
    return ~_grow(~mask) & np.pad(np.ones((mask.shape[0] - 2, mask.shape[1] - 2), bool), 1)


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _png(image: Image) -> bytes:
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
