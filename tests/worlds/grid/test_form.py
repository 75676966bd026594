"""The form of a world does not depend on the order of its rows and columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deixis.testing import grid_scenes
from deixis.worlds.grid._kernels.form import digest_forms
from deixis.worlds.grid.form import form_digest, have_one_form
from deixis.worlds.grid.scene import GridBatch


def moved(scene, rows, columns):
    """The scene with its rows and columns in another order."""
    things = (replace(thing, row=rows[thing.row], column=columns[thing.column]) for thing in scene.objects)
    return replace(scene, objects=tuple(things))


@given(grid_scenes(max_objects=16), st.permutations(range(6)), st.permutations(range(6)), st.randoms())
def test_the_order_of_rows_columns_and_objects_does_not_matter(scene, rows, columns, chance):
    """A world keeps its number when its lines, or its list, are shuffled."""
    shuffled = list(moved(scene, rows, columns).objects)
    chance.shuffle(shuffled)

    assert form_digest(replace(scene, objects=tuple(shuffled))) == form_digest(scene)


@given(grid_scenes(size=3, max_objects=4), grid_scenes(size=3, max_objects=4))
def test_the_number_tells_small_worlds_apart_exactly(one, other):
    """Two worlds have the same number exactly when trying all orders of lines makes them equal."""
    assert (form_digest(one) == form_digest(other)) == have_one_form(one, other)


@given(grid_scenes(size=3, min_objects=2, max_objects=5), st.data())
def test_moving_one_object_gives_another_number_unless_lines_can_be_exchanged(scene, data):
    """Worlds that differ in one place are told apart as trying all orders does."""
    number = data.draw(st.integers(0, len(scene) - 1))
    changed = replace(scene.objects[number], row=data.draw(st.integers(0, 2)), column=data.draw(st.integers(0, 2)))
    other = replace(scene, objects=(*scene.objects[:number], changed, *scene.objects[number + 1 :]))

    assert (form_digest(scene) == form_digest(other)) == have_one_form(scene, other)


@given(st.lists(grid_scenes(max_objects=16), min_size=1, max_size=5))
def test_the_compiled_number_is_the_plain_one(scenes):
    """Both implementations agree on every world."""
    batch = GridBatch.of(scenes)
    out = np.zeros(len(scenes), np.uint64)
    digest_forms(batch.objects, batch.count, np.full(len(scenes), batch.size), out)

    assert out.tolist() == [form_digest(scene) for scene in scenes]
