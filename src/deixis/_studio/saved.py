"""Files of the examples that a filter leaves: Parquet, JSON Lines, and a sheet of pictures with captions."""

from __future__ import annotations

import json
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from deixis.data._text_table import text_table
from deixis.data.store import write_parquet
from deixis.errors import DeixisError
from deixis.expression.description import describe


if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as BasicFont

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


MAX_SAVED = 100_000  # examples
MAX_PLAIN = 10_000  # examples that are read one by one
MAX_ON_SHEET = 24
EXAMPLE = "example"  # the column that holds everything as JSON
COLUMNS, CELL, GAP, MARGIN = 4, 320, 18, 24  # of a sheet; in pixels
PICTURE_HEIGHT, LINE, LETTERS, MAX_LINES = 240, 19, 42, 4
INK, QUIET, EDGE, PAPER = "#1f2430", "#525b70", "#d5dae3", "#ffffff"


def table_of_examples(entry: Entry, numbers: np.ndarray, wanted: PageQuery) -> Any:
    """Return examples as an Arrow table: number, id, split, text, meaning, and everything as JSON.

    Raises:
        DeixisError: when there are too many to be read one by one.
    """
    if len(numbers) > MAX_PLAIN:
        raise DeixisError(f"at most {MAX_PLAIN:,} of these examples can be saved here, and these are {len(numbers):,}")
    pictures = entry.pages.world.part("pictures")
    rows = []
    for number in numbers.tolist():
        example = entry.pages.find_example(entry, number, wanted)
        said = example.expression
        rows.append(
            {
                "number": number,
                "id": str(example.id),
                "split": example.split,
                "text": example.text,
                "meaning": "" if said is None else describe(said),
                EXAMPLE: json.dumps(pictures.plain(example, number=number), ensure_ascii=False),
            }
        )
    return text_table(rows, ("number", "id", "split", "text", "meaning", EXAMPLE), integers=("number",))


def as_parquet(table: Any) -> bytes:
    """Return a table as a Parquet file."""
    with TemporaryDirectory() as aside:
        path = Path(aside) / "examples.parquet"
        write_parquet(table, path)
        return path.read_bytes()


def as_lines(table: Any) -> bytes:
    """Return a table as JSON Lines, what is JSON within a row as values."""
    rows = table.to_pylist()
    told = ({**row, EXAMPLE: json.loads(row[EXAMPLE])} if EXAMPLE in row else row for row in rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in told).encode()


# -------------------------------------------------------------------------------- a sheet of pictures


def draw_sheet(entry: Entry, numbers: np.ndarray, wanted: PageQuery) -> bytes:
    """Draw the first of some examples as one PNG: their pictures in rows, with texts, splits and numbers below."""
    from PIL import Image, ImageDraw

    shown = numbers[:MAX_ON_SHEET].tolist()
    cells = [_cell(entry, number, wanted) for number in shown]
    rows = [cells[start : start + COLUMNS] for start in range(0, len(cells), COLUMNS)]
    head = [f"{entry.title}: {_share(len(shown), len(numbers))}", *wrap(_filter_words(wanted), 150)[:2]]
    top = MARGIN + 26 + LINE * (len(head) - 1) + GAP
    columns = min(COLUMNS, max(1, len(cells)))
    width = max(2 * MARGIN + columns * (CELL + GAP) - GAP, 2 * MARGIN + 2 * CELL)
    height = top + sum(max(one.height for one in row) + GAP for row in rows) + MARGIN - (GAP if rows else 0)
    sheet = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, line in enumerate(head):
        place = (MARGIN, MARGIN + (26 + LINE * (number - 1) if number else 0))
        pen.text(place, line, fill=QUIET if number else INK, font=font_of(14 if number else 20))
    for row in rows:
        for column, one in enumerate(row):
            sheet.paste(one, (MARGIN + column * (CELL + GAP), top))
        top += max(one.height for one in row) + GAP
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def _cell(entry: Entry, number: int, wanted: PageQuery) -> Image:
    """Return the picture of an example with its text below."""
    from PIL import Image, ImageDraw

    picture, fault, text, split = None, "", f"example {number:,}", ""
    try:
        example = entry.pages.find_example(entry, number, wanted)
        text, split = example.text or text, example.split
        picture = Image.open(BytesIO(draw_snapshot(entry.pages.world, example))).convert("RGB")
        picture.thumbnail((CELL - 16, PICTURE_HEIGHT))
    except DeixisError as error:
        fault = str(error)
    lines = wrap(one_line(text), LETTERS) or [""]
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES - 1], lines[MAX_LINES - 1][: LETTERS - 2] + " …"]
    cell = Image.new("RGB", (CELL, PICTURE_HEIGHT + 26 + LINE * (len(lines) + 1)), PAPER)
    pen = ImageDraw.Draw(cell)
    pen.rounded_rectangle((0, 0, CELL - 1, cell.height - 1), 10, outline=EDGE)
    if picture is not None:
        cell.paste(picture, ((CELL - picture.width) // 2, 8 + (PICTURE_HEIGHT - picture.height) // 2))
    for row, line in enumerate(wrap(one_line(fault), LETTERS)[:MAX_LINES]):
        pen.text((12, 20 + LINE * row), line, fill="#a3151f", font=font_of(14))
    for row, line in enumerate(lines):
        pen.text((12, PICTURE_HEIGHT + 14 + LINE * row), line, fill=INK, font=font_of(15))
    told = f"{one_line(split)} · {number:,}" if split else f"{number:,}"
    pen.text((12, PICTURE_HEIGHT + 16 + LINE * len(lines)), told, fill=QUIET, font=font_of(13))
    return cell


def draw_snapshot(world: World, example: Example) -> bytes:
    """Draw an example as PNG, without words where its world does that.

    Raises:
        DeixisError: when the world draws no PNG.
    """
    pictures = world.part("pictures")
    own = getattr(pictures, "snapshot", None)
    drawn: bytes = pictures.draw(example, format="png") if own is None else own(example)
    return drawn


@cache
def font_of(size: int) -> FreeTypeFont | BasicFont:
    """Return the font of pictures, the same everywhere."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def one_line(text: str) -> str:
    """Return a text on one line, as it can be drawn."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text[:600]).split())


def _share(shown: int, total: int) -> str:
    if not total:
        return "no examples match"
    few = f"{total:,} example{'' if total == 1 else 's'}"
    return few if shown == total else f"the first {shown} of {few}"


def _filter_words(wanted: PageQuery) -> str:
    said = [f"{name} = {value}" for name, value in wanted.values.items() if value]
    return one_line("; ".join(said))
