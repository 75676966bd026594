from __future__ import annotations

import pytest
from hypothesis import given

from deixis.errors import SchemaError
from deixis.testing import grid_scenes
from deixis.worlds.grid.drawn import draw_text, grid
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene


def test_a_picture_shows_what_is_where():
    """Tokens are colour, shape and size, read row by row; an agent is an arrow; a dot is an empty cell."""
    scene = grid("""
        .  r○2 .
        v  b□  .
        .  .   g▱4
    """)

    assert scene == GridScene(
        (
            GridObject("circle", "red", 2, 0, 1),
            GridObject("square", "blue", 1, 1, 1),
            GridObject("cylinder", "green", 4, 2, 2),
        ),
        size=3,
        agent=Agent(1, 0, Facing.SOUTH),
    )


def test_stand_ins_mean_the_same_as_marks():
    """A keyboard without the marks can draw the same scene."""
    assert grid("ro b/2\ngs y[3") == grid("r○ b▱2\ng□ y▣3")


def test_numbers_put_objects_in_order():
    """A token that starts with a number says which object it is, also where several share a cell."""
    scene = grid("""
        1:r○ .
        .    2:b▣+0:g○+<
    """)

    assert [thing.color for thing in scene.objects] == ["green", "red", "blue"]
    assert scene.agent == Agent(1, 1, Facing.WEST)


@given(grid_scenes(with_agent=True))
def test_a_numbered_picture_is_the_scene(scene):
    """Drawing a scene with numbers and reading the picture gives the same scene."""
    assert grid(draw_text(scene, numbered=True)) == scene


def test_a_drawing_in_reading_order_needs_no_numbers(crowd):
    """A scene numbered in reading order can be read back from a picture without numbers."""
    picture = draw_text(crowd)

    assert ":" not in picture
    assert grid(picture) == crowd


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        ("r○ .\n.", "row 1 of the picture has 1 cells, expected 2"),
        ("r○ .\n. x○", "cannot read 'x○'"),
        ("r○ .\n. rx", "cannot read 'rx'"),
        ("r○ .\n. r", "cannot read 'r'"),
        ("r○ .\n. r○²", "cannot read 'r○²'"),
        ("r○ .\n. r○12", "cannot read 'r○12'"),
        ("r○+ .\n. .", "cannot read ''"),
        (">v .\n. .", "cannot read '>v'"),
        ("x:r○ .\n. .", "cannot read 'x' in the picture as the number"),
        ("r○9 .\n. .", "must be 1 to 4, got 9"),
        ("", "grid size must be at least 2"),
    ],
)
def test_a_picture_that_cannot_be_read_says_where(picture, message):
    """A slip in a picture is answered with the cell that cannot be read."""
    with pytest.raises(SchemaError) as caught:
        grid(picture)

    assert message in str(caught.value)
