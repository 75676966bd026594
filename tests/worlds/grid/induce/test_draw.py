"""Sheets of tasks and pictures of matrices."""

from __future__ import annotations

from io import BytesIO
from xml.etree import ElementTree as ET

import pytest

from deixis.errors import SchemaError
from deixis.worlds.grid._pictures.look import Look
from deixis.worlds.grid._pictures.sheet import compose_sheet
from deixis.worlds.grid.induce.pixels import draw_matrix_png, draw_matrix_svg, draw_task_png, draw_task_svg, encode


SVG = "{http://www.w3.org/2000/svg}"


def layers(text: str, name: str) -> list[ET.Element]:
    return [group for group in ET.fromstring(text).iter(f"{SVG}g") if group.get("class") == name]  # noqa: S314 - ours


def test_the_answer_is_a_question_mark_until_asked_for(tasks):
    """Every object of every scene shown is drawn, those of the answer only where it is asked for."""
    task = tasks[2]
    shown = sum(len(scene) for pair in task.train for scene in (pair.input, pair.output)) + len(task.test.input)

    asked, solved = draw_task_svg(task), draw_task_svg(task, answer=True)

    assert (len(layers(asked, "object")), len(layers(asked, "question"))) == (shown, 1)
    assert (len(layers(solved, "object")), len(layers(solved, "question"))) == (shown + len(task.test.output), 0)


def test_the_rule_stands_above_where_asked_for(tasks):
    """And nowhere else in the picture."""
    rule = tasks[0].rule.english()

    assert " ".join(word.text or "" for word in layers(draw_task_svg(tasks[0], rule=True), "heading")[0]) == rule
    assert rule not in draw_task_svg(tasks[0])


def test_every_column_has_its_label(tasks):
    """Pairs are numbered, and one column is the test."""
    text = draw_task_svg(tasks[0])

    assert len(layers(text, "shown")) == len(tasks[0].train)
    assert len(layers(text, "asked")) == 1
    assert all(f">pair {number}<" in text for number in range(1, len(tasks[0].train) + 1))


def test_png_and_svg_have_the_same_size(tasks):
    """The one at two pixels to the unit; equal tasks give equal bytes."""
    from PIL import Image

    image = Image.open(BytesIO(draw_task_png(tasks[0], rule=True)))
    root = ET.fromstring(draw_task_svg(tasks[0], rule=True))  # noqa: S314 - ours

    assert image.size == (round(2 * float(root.get("width", 0))), round(2 * float(root.get("height", 0))))
    assert draw_task_png(tasks[0]) == draw_task_png(tasks[0])


def test_a_matrix_is_drawn_pixel_by_pixel(tasks):
    """Nine hundred tiles, as a picture of either kind."""
    matrix = encode(tasks[0].test.input)

    assert len(list(layers(draw_matrix_svg(matrix), "pixels")[0])) == 900
    assert draw_matrix_png(matrix).startswith(b"\x89PNG")


def test_an_empty_sheet_is_refused():
    """There is nothing to draw."""
    with pytest.raises(SchemaError, match="at least one column"):
        compose_sheet([], look=Look(), title="")
