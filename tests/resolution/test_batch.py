from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.expression import AnyOf, Description, Extreme, Not, Related, compile_expression
from deixis.resolution import denotation
from deixis.schema import Which
from deixis.testing import expressions, grid_scenes, the
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.resolution import resolve_batch, resolve_pairs, to_indices
from deixis.worlds.grid.scene import GRID, GridBatch, GridObject, GridScene


BACKENDS = ["numba", "numpy"]
READINGS = ["comparative", "superlative"]
SCENES = st.lists(grid_scenes(size=5, max_objects=10), min_size=1, max_size=20)
PHRASES = expressions(kinds=frozenset({"is", "related"}), max_depth=1, max_mentions=2, in_spoken_order=True)
CLAUSES = st.builds(Related, st.sampled_from([relation.name for relation in GRID.relations]), PHRASES)
COMPETING = st.lists(CLAUSES, min_size=2, max_size=3).map(lambda clauses: Description(tuple(clauses)))


def sets_of(masks: np.ndarray) -> list[frozenset[int]]:
    return [to_indices(mask) for mask in masks[:, 0]]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("backend", BACKENDS)
@given(expression=expressions() | expressions(in_spoken_order=True))
def test_backends_follow_the_definition(full_boards, backend, reading, expression):
    """Whatever is said, either backend finds what the plain definition says, in both readings."""
    masks = resolve_batch(expression, GridBatch.of(full_boards), backend=backend, reading=reading)

    assert sets_of(masks) == [denotation(expression, scene, reading=reading) for scene in full_boards]


@pytest.mark.parametrize("backend", BACKENDS)
@given(expression=COMPETING)
def test_backends_match_mentions_to_different_objects(full_boards, backend, expression):
    """Where several clauses compete for objects, either backend still follows the definition."""
    scenes = full_boards[:40]

    masks = resolve_batch(expression, GridBatch.of(scenes), backend=backend)

    assert sets_of(masks) == [denotation(expression, scene) for scene in scenes]


@pytest.mark.parametrize("backend", BACKENDS)
@given(said=st.lists(expressions(), min_size=1, max_size=3), scenes=SCENES, data=st.data())
def test_every_scene_gets_its_own_expression(backend, said, scenes, data):
    """In a batch of pairs each scene is asked the expression that belongs to it."""
    which = np.array([data.draw(st.integers(0, len(said) - 1)) for _ in scenes])

    masks = resolve_pairs(said, GridBatch.of(scenes), which, backend=backend)

    assert sets_of(masks) == [denotation(said[w], scene) for w, scene in zip(which, scenes, strict=True)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_clauses_that_need_the_same_object_fail(backend):
    """The matcher takes back a choice that leaves a later mention without an object."""
    expression = the("circle", Related("same row", the(color="red")), Related("same row", the("square")))
    one = grid("g○ r□ .\n. . .\n. . .")
    two = grid("g○ r□ r▱\n. . .\n. . .")

    masks = resolve_batch(expression, GridBatch.of([one, two]), backend=backend)

    assert sets_of(masks) == [frozenset(), {0}]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_full_word_of_objects_is_resolved(backend):
    """Sixty-four objects fill a machine word; the last of them can be a referent."""
    things = [GridObject("circle", "red", 1 + (i == 63), i // 8, i % 8) for i in range(64)]
    batch = GridBatch.of([GridScene(tuple(things), size=8)])

    everything = resolve_batch(Description(), batch, backend=backend)
    big = resolve_batch(Description((Extreme("size", Which.MOST),)), batch, backend=backend)

    assert sets_of(everything) == [frozenset(range(64))]
    assert sets_of(big) == [{63}]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_program_can_stand_for_its_expression(backend, crowd):
    """What is compiled already need not be compiled again, and the default reading is that of the grid."""
    expression = the("object", Not(Related("inside", the("box"))), AnyOf((*the("circle").steps, *the("box").steps)))
    batch = GridBatch.of([crowd])

    masks = resolve_batch(compile_expression(expression, GRID), batch, backend=backend)

    assert masks.dtype == np.uint64
    assert sets_of(masks) == [denotation(expression, crowd)] == [{0, 2}]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_empty_batch_has_no_answers(backend):
    """No scenes give no rows, with or without expressions."""
    batch = GridBatch.of([])

    assert resolve_batch(the("circle"), batch, backend=backend).shape == (0, 1)
    assert resolve_pairs((), batch, np.zeros(0, np.int64), backend=backend).shape == (0, 1)


@pytest.mark.parametrize("which", [[1], [-1], [0, 0], [[0]]])
def test_every_scene_names_one_of_the_expressions(which, crowd):
    """A scene without an expression, or with one that does not exist, is refused before anything is read."""
    with pytest.raises(SchemaError, match="must name one of 1 expressions for each of 1 scenes"):
        resolve_pairs((the("circle"),), GridBatch.of([crowd]), np.array(which))


def test_too_many_objects_for_a_word_are_refused():
    """A batch made by hand with more than 64 places is refused."""
    batch = GridBatch(objects=np.zeros((1, 65, 5), np.uint8), count=np.array([65], np.uint8))

    with pytest.raises(SchemaError, match="at most 64 objects, got 65"):
        resolve_batch(the("circle"), batch)


def test_the_backend_is_numpy_where_there_is_no_compiler(monkeypatch, crowd):
    """Where numba cannot be imported, batches are resolved all the same."""
    batch = GridBatch.of([crowd])
    compiled = resolve_batch(the("circle"), batch)
    for name in [name for name in sys.modules if name == "numba" or ".kernels" in name]:
        monkeypatch.setitem(sys.modules, name, None)

    assert np.array_equal(resolve_batch(the("circle"), batch), compiled)


@given(st.integers(0, 2**64 - 1))
def test_a_mask_is_a_set_of_numbers(mask):
    """The numbers of a mask are its bits."""
    assert sum(1 << index for index in to_indices(mask)) == mask
