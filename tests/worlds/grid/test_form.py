"""The form of a world does not depend on the order of its rows and columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deixis.kernels.form import digest_forms
from deixis.scene.grid import GridBatch, GridObject, GridScene
from deixis.testing import grid_scenes
from deixis.worlds.grid.form import form_digest, have_one_form


def moved(scene, rows, columns):
    """The world with its rows and columns put in another order; boxes keep their corner."""
    things = (
        GridObject.from_codes(*thing.codes()[:3], rows[thing.row], columns[thing.column]) for thing in scene.objects
    )
    return GridScene(tuple(things), size=scene.size)


def solids_of(scene):
    """The world without its boxes, which cannot be moved about freely."""
    return GridScene(tuple(thing for thing in scene.objects if not thing.is_box), size=scene.size)


@given(grid_scenes(), st.randoms(use_true_random=False))
def test_other_orders_of_rows_and_columns_are_one_form(scene, random):
    """Whatever order rows and columns are put in, the form and its digest stay."""
    scene = solids_of(scene)
    rows, columns = list(range(scene.size)), list(range(scene.size))
    random.shuffle(rows)
    random.shuffle(columns)

    other = moved(scene, rows, columns)

    assert form_digest(other) == form_digest(scene)
    assert scene.size > 5 or have_one_form(scene, other)


@given(grid_scenes(), grid_scenes())
def test_digests_differ_where_forms_do(one, other):
    """Two worlds have the same digest exactly when they have one form."""
    one, other = solids_of(one), solids_of(other)

    if max(one.size, other.size) <= 5:
        assert (form_digest(one) == form_digest(other)) == have_one_form(one, other)


@given(grid_scenes())
def test_the_compiled_digest_is_the_plain_one(scene):
    """The kernel gives every world the number of the plain definition."""
    batch = GridBatch.of([scene])
    out = np.zeros(1, np.uint64)

    digest_forms(batch.objects, batch.count, np.array([scene.size]), out)

    assert int(out[0]) == form_digest(scene)
