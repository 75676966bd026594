from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError, UnknownName
from deixis.expression import Description, Is, Related
from deixis.resolution import denotation
from deixis.scene import Point
from deixis.schema import Relation, Schema
from deixis.testing import grid_objects, grid_scenes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.scene import BESIDE, GRID, SHAPES, Agent, Facing, GridBatch, GridObject, GridScene


ROW = grid("""
    r○1 .   r□2
    .   r▣2 .
    r○2 .   b○3
""")


@pytest.mark.parametrize(
    ("relation", "pairs"),
    [
        ("same row", {(0, 1), (3, 4)}),
        ("same column", {(0, 3), (1, 4)}),
        ("same size", {(1, 2), (1, 3), (2, 3)}),
        ("same color", {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}),
        ("same shape", {(0, 3), (0, 4), (3, 4)}),
    ],
)
def test_same_relations_hold_both_ways_and_never_of_one_object(relation, pairs):
    """Objects that share a row, column, size, colour or shape are related, both ways, but not to themselves."""
    found = {(a, b) for a in range(5) for b in range(5) if ROW.related(relation, a, b)}

    assert found == pairs | {(b, a) for a, b in pairs}


def test_a_box_holds_its_square_borders_included():
    """Inside means within the cells a box covers, from its corner down and to the right, far edge included."""
    scene = grid("""
        b○ .         .   .
        .  r▣2+0:g○  b○  .
        .  b○        g▱  b□
        .  .         b○  .
    """)

    inside = {str(scene.position(o)) for o in range(len(scene)) if scene.related("inside", o, 2)}

    assert scene.objects[2].is_box
    assert inside == {str(Point(1, 1)), str(Point(1, 2)), str(Point(2, 1)), str(Point(2, 2))}


def test_nothing_is_inside_a_solid_and_no_box_inside_itself():
    """Only boxes have an inside, and a box needs another box to be inside of."""
    scene = grid("""
        r▣3 .   .
        .   b▣1 r○4
        .   .   .
    """)

    held = {(a, b) for a in range(3) for b in range(3) if scene.related("inside", a, b)}

    assert held == {(1, 0), (2, 0)}


def test_a_box_stands_in_the_row_of_its_corner_only():
    """A box shares rows and columns by its upper-left cell, however far it reaches."""
    scene = grid("""
        r▣2 b○
        g○  .
    """)

    assert scene.related("same row", 0, 1)
    assert scene.related("same column", 0, 2)
    assert not scene.related("same row", 0, 2)


def test_a_relation_the_schema_lacks_is_answered_with_the_nearest():
    """A misspelt relation names the one that was meant; a real one that a grid cannot compute says so."""
    scene = GridScene(ROW.objects, size=3)
    near = Schema(name="near", attributes=GRID.attributes, relations=(Relation(name="near"),))

    with pytest.raises(UnknownName, match="did you mean 'same row'"):
        scene.related("same rwo", 0, 1)
    with pytest.raises(SchemaError, match="cannot tell whether the relation 'near' holds"):
        GridScene(ROW.objects, size=3, schema=near).related("near", 0, 1)


def test_values_are_words():
    """Along every dimension an object of a grid has exactly one value, a word of the schema."""
    values = [ROW.values(1, attribute.name) for attribute in GRID.attributes]

    assert values == [{"square"}, {"red"}, {"2"}]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("ball", "red", 1), "unknown shape 'ball'"),
        (("circle", "pink", 1), "unknown color 'pink'"),
        (("circle", "red", 0), "must be 1 to 4, got 0"),
        (("box", "red", 5), "size of a box must be 1 to 4, got 5"),
    ],
)
def test_an_object_has_a_known_shape_color_and_size(wrong, message):
    """Objects outside the vocabulary of the grid are refused by name."""
    with pytest.raises(SchemaError, match=message):
        GridObject(*wrong, 0, 0)


@pytest.mark.parametrize("size", [1, 0, -3, 251])
def test_a_board_has_a_sensible_size(size):
    """A board of one cell, or one too large to be kept in bytes, is refused."""
    with pytest.raises(SchemaError, match=f"at most 250, got {size}"):
        GridScene((), size=size)


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (3, 0), (0, 3)])
def test_nothing_lies_outside_the_board(row, column):
    """Objects and agents must be on the board."""
    with pytest.raises(SchemaError, match="outside the 3x3 grid"):
        GridScene((GridObject("circle", "red", 1, row, column),), size=3)
    with pytest.raises(SchemaError, match="outside the 3x3 grid"):
        GridScene((), size=3, agent=Agent(row, column))


def test_four_steps_clockwise_lead_back():
    """The four directions are one step each, clockwise from east, and cancel out."""
    steps = [facing.step for facing in Facing]

    assert steps[0] == (0, 1)
    assert (sum(row for row, _ in steps), sum(column for _, column in steps)) == (0, 0)
    assert all(after == (before[1], -before[0]) for before, after in pairwise(steps))


@given(grid_objects())
def test_an_object_survives_its_codes(thing):
    """The integers of an object say all there is to it."""
    assert GridObject.from_codes(*thing.codes()) == thing


@given(st.lists(grid_scenes(), max_size=5))
def test_a_batch_gives_its_scenes_back(scenes):
    """A batch holds as many scenes as went in, and every one can be read again."""
    batch = GridBatch.of(scenes)

    assert len(batch) == len(scenes)
    assert [batch.scene(number) for number in range(len(batch))] == scenes


def test_a_batch_holds_grids_of_one_size_and_at_most_64_objects():
    """Boards of different sizes, and boards too full for one machine word, cannot be stacked."""
    thing = GridObject("circle", "red", 1, 0, 0)

    with pytest.raises(SchemaError, match=r"one size, got \[2, 3\]"):
        GridBatch.of([GridScene((), size=2), GridScene((), size=3)])
    with pytest.raises(SchemaError, match="at most 64 objects, got 300"):
        GridBatch.of([GridScene((thing,) * 300)])


def test_the_largest_board_fits_into_bytes():
    """A box in the last cell of the largest board keeps its place in a batch."""
    scene = GridScene((GridObject("box", "red", 4, 249, 249),), size=250)

    batch = GridBatch.of([scene])

    assert batch.objects.dtype == np.uint8
    assert batch.scene(0) == scene


def test_spatial_relations_hold_of_neighbouring_cells():
    """North of is the cell above, next to any of the eight around; two cells away is neither."""
    scene = grid("""
        2:r○1 .     3:b○1
        .     0:r□2 .
        .     1:g□1 .
    """)

    assert scene.related("north of", 0, 1)
    assert scene.related("south of", 1, 0)
    assert scene.related("north west of", 2, 0)
    assert scene.related("north east of", 3, 0)
    assert {k for k in range(4) if scene.related("next to", k, 0)} == {1, 2, 3}
    assert not scene.related("north of", 2, 1)
    assert not any(scene.related(name, 0, 0) for name in ("next to", *BESIDE))


@pytest.mark.parametrize("reading", ["comparative", "superlative"])
@given(grid_scenes(), st.sampled_from(("next to", *BESIDE)), st.sampled_from(SHAPES))
def test_compiled_spatial_relations_follow_the_definition(reading, scene, relation, shape):
    """The numba and the numpy backend pick out what the plain definition does, also where mentions hang together."""
    from deixis.worlds.grid.resolution import resolve_batch, to_indices

    one = Description((Related(relation, Description((Is("shape", shape),))),))
    chain = Description((Related(relation, one), Related("next to", Description((Is("color", "red"),)))))
    batch = GridBatch.of([scene])
    for expression in (one, chain):
        plain = denotation(expression, scene, reading=reading)
        for backend in ("numba", "numpy"):
            assert to_indices(resolve_batch(expression, batch, reading=reading, backend=backend)[0, 0]) == plain
