from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset
from deixis.worlds.photos import _index as module
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import STREET, image, tables, thing


@given(table=tables(), names=st.lists(st.integers(0, 2), max_size=3))
def test_the_index_finds_what_a_search_finds(table, names):
    """Postings, counts, bits and intersections agree with looking at every scene."""
    index = GraphIndex.of(table)
    held = [table.scene(i).names for i in range(len(table))]
    called = [table.vocabulary.names[code] for code in names]

    for code, name in enumerate(table.vocabulary.names):
        assert index.scenes_with(code).tolist() == [i for i, some in enumerate(held) if name in some]
        assert index.times_in(code).tolist() == [some.count(name) for some in held if name in some]
        assert index.has(np.arange(len(table)), code).tolist() == [name in some for some in held]
    assert index.scenes_with_all(names).tolist() == [i for i, some in enumerate(held) if set(called) <= set(some)]


@given(table=tables())
def test_objects_are_found_by_name_and_attribute(table):
    """For every name and word, exactly the objects that have both, numbered over all scenes."""
    index = GraphIndex.of(table)
    scenes = [table.scene(i) for i in range(len(table))]
    every = [(scene.names[i], scene.words[i]) for scene in scenes for i in range(len(scene))]

    for a, name in enumerate(table.vocabulary.names):
        for b, word in enumerate(table.vocabulary.words):
            found = [number for number, (called, words) in enumerate(every) if called == name and word in words]
            assert index.objects_with(a, b).tolist() == found


@pytest.mark.parametrize("most", [0, 2048])
def test_rare_categories_are_looked_up_without_bits(monkeypatch, most):
    """Categories beyond those that have a bit are found all the same."""
    monkeypatch.setattr(module, "MOST_IN_BITS", most)
    table = GraphTable.of([STREET, image(thing(0, "man"), image_id="2")])
    index = GraphIndex.of(table)
    man, car = table.vocabulary.name_code("man"), table.vocabulary.name_code("car")

    assert index.has(np.array([1, 0]), man).tolist() == [True, True]
    assert index.scenes_with_all([man, car]).tolist() == [0]


def test_a_saved_index_belongs_to_its_table(tmp_path):
    """It is mapped back for the table it was made of, and refused for another or when damaged."""
    table = GraphTable.of([STREET])
    GraphIndex.of(table).save(tmp_path / "index")
    again = GraphIndex.load(tmp_path / "index", table)

    assert again.scenes_with(0).tolist() == [0]
    with pytest.raises(BrokenDataset, match="index of another table"):
        GraphIndex.load(tmp_path / "index", GraphTable.of([STREET, image(thing(0, "man"), image_id="2")]))
    np.save(tmp_path / "index" / "scene.npy", np.full(4, 5, np.int32))
    with pytest.raises(BrokenDataset, match="scene holds a number outside 0 to 0"):
        GraphIndex.load(tmp_path / "index", table)


def test_an_empty_table_has_an_index():
    """Nothing is found in nothing."""
    assert GraphIndex.of(GraphTable.of([])).scenes_with_all([]).tolist() == []
