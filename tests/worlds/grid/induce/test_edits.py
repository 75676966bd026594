"""Edits: what they do, where they cannot be made, and how they are recognised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.testing import grid_scenes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.induce.edits import (
    DrawBeside,
    Enlarge,
    Move,
    Operation,
    Paint,
    Reshape,
    apply_edit,
    edits_between,
    edits_of,
    in_reading_order,
)


if TYPE_CHECKING:
    from deixis.worlds.grid.scene import GridScene


EVERY_EDIT = tuple(edit for operation in Operation for edit in edits_of(operation))
BEFORE = """
    r○2 .   b□4
    .   g▣2 .
    .   .   y▱1
"""


@pytest.mark.parametrize(
    ("edit", "index", "after"),
    [
        (Paint("green"), 0, "g○2 . b□4\n. g▣2 .\n. . y▱1"),
        (Enlarge(), 0, "r○3 . b□4\n. g▣2 .\n. . y▱1"),
        (Reshape("square"), 0, "r□2 . b□4\n. g▣2 .\n. . y▱1"),
        (Reshape("box"), 0, "r▣1 . b□4\n. g▣2 .\n. . y▱1"),
        (Reshape("circle"), 2, "r○2 . b□4\n. g○2 .\n. . y▱1"),
        (DrawBeside("right"), 0, "r○2 b□4 b□4\n. g▣2 .\n. . y▱1"),
        (DrawBeside("up", "red", "cylinder", 3), 3, "r○2 . b□4\n. g▣2 r▱3\n. . y▱1"),
        (Move("right"), 0, ". r○2 b□4\n. g▣2 .\n. . y▱1"),
        (Move("down", "until blocked"), 0, ". . b□4\n. g▣2 .\nr○2 . y▱1"),
        (Move("down", "until blocked"), 1, "r○2 . .\n. g▣2 b□4\n. . y▱1"),
    ],
)
def test_an_edit_changes_one_thing(edit, index, after):
    """Everything else stays as it was, and boxes block nothing."""
    assert apply_edit(edit, grid(BEFORE), index) == in_reading_order(grid(after))


@pytest.mark.parametrize(
    ("edit", "index", "why"),
    [
        (Paint("red"), 0, "it is red"),
        (Enlarge(), 1, "nothing is larger than 4"),
        (Enlarge(), 2, "the box would leave the grid"),
        (Reshape("circle"), 0, "it is a circle"),
        (Reshape("box"), 2, "it is a box"),
        (DrawBeside("left"), 0, "that is off the grid"),
        (DrawBeside("down"), 1, ""),
        (DrawBeside("left"), 3, ""),
        (Move("up"), 0, "that is off the grid"),
        (Move("up", "until blocked"), 1, "it stands at the edge"),
        (Move("left"), 2, "boxes never move"),
    ],
)
def test_an_edit_that_cannot_be_made_is_none(edit, index, why):
    """There is no edit that silently changes nothing or leaves the grid."""
    assert (apply_edit(edit, grid(BEFORE), index) is None) == bool(why)


def test_nothing_is_drawn_into_a_cell_that_holds_anything():
    """Neither over a solid nor over the corner of a box."""
    scene = grid("r○1 b□1\ng▣1 .")

    assert apply_edit(DrawBeside("right"), scene, 0) is None
    assert apply_edit(DrawBeside("down"), scene, 0) is None


def test_a_solid_over_the_corner_of_a_box_cannot_become_a_second_box():
    """No two boxes start at one cell."""
    scene = grid("r○1+g▣2 .\n. .")

    assert apply_edit(Reshape("box"), scene, 0) is None
    assert apply_edit(Reshape("square"), scene, 1) is None


@given(grid_scenes(min_objects=1), st.data(), st.sampled_from(EVERY_EDIT))
def test_every_edit_is_legal_and_real(scene, data, edit):
    """What comes out differs from what went in, and no two solids share a cell, no two boxes a corner."""
    after = apply_edit(edit, scene, data.draw(st.integers(0, len(scene) - 1)))

    if after is not None:
        assert set(after.objects) != set(scene.objects)
        assert len({(o.row, o.column, o.is_box) for o in after.objects}) == len(after)


@given(grid_scenes(size=4, min_objects=1, max_objects=5), st.data())
def test_edits_are_recognised_exactly(scene, data):
    """The edits found between two scenes are those that a search through all edits and objects finds."""
    edit = data.draw(st.sampled_from(EVERY_EDIT))
    after = apply_edit(edit, scene, data.draw(st.integers(0, len(scene) - 1)))
    if after is None:
        return

    everything = [(e, i) for e in EVERY_EDIT for i in range(len(scene)) if apply_edit(e, scene, i) == after]

    found = edits_between(scene, after)
    assert sorted((repr(e), i) for e, some in found.items() for i in some) == sorted(
        (repr(e), i) for e, i in everything
    )
    assert edit in found


def test_what_appears_between_two_objects_has_two_explanations():
    """Drawn to the right of the one or to the left of the other."""
    before, after = grid("r○1 . g○1\n. . .\n. . ."), grid("r○1 b□4 g○1\n. . .\n. . .")

    assert edits_between(before, after) == {DrawBeside("right"): {0}, DrawBeside("left"): {1}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("r○1 .\n. .", "r○1 .\n. ."),
        ("r○1 .\n. .", ". .\n. ."),
        ("r○1 .\n. .", "b□4 .\n. ."),
        ("r○1 .\n. .", "r○3 .\n. ."),
        ("r○1 .\n. .", "r○1 .\n. y▣1"),
        ("r○1 .\n. .", "r○1 . .\n. . .\n. . ."),
        ("r○1 b□1\n. .", "r○2 b□2\n. ."),
    ],
)
def test_other_changes_are_no_edits(before, after):
    """Nothing, two changes at once, a jump in size or another grid is explained by no edit."""
    assert edits_between(grid(before), grid(after)) == {}


@pytest.mark.parametrize(
    "make",
    [
        lambda: Paint("pink"),
        lambda: Reshape("cone"),
        lambda: DrawBeside("north"),
        lambda: DrawBeside("up", "red", "box"),
        lambda: DrawBeside("up", size=5),
        lambda: Move("up", "two cells"),
    ],
)
def test_impossible_arguments_are_refused(make):
    """The message names what is known."""
    with pytest.raises(SchemaError, match="known: "):
        make()


@given(grid_scenes())
def test_reading_order_only_renumbers(scene: GridScene):
    """The objects stay the same."""
    assert set(in_reading_order(scene).objects) == set(scene.objects)
    assert in_reading_order(in_reading_order(scene)) == in_reading_order(scene)
