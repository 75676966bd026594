from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import BrokenDataset, RecipeError
from deixis.expression.plain import expression_to_plain
from deixis.worlds.photos.data._arrays import PAD, UNKNOWN, TextSettings, copsref_arrays, label_weights
from deixis.worlds.photos.data._region_arrays import _neighbours, region_arrays, seen_from
from deixis.worlds.photos.data._roles import ATTRIBUTE, NOUN, OTHER, RELATION, Phrases, known_phrases, roles_in
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.language import realise_reference
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.scene.graph import Box, GraphObject, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.datasets.copsref.posed import posed


VAL = TextSettings(split="val", rare=3, attributes=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("arrays") / "data"
    said = [
        replace(one, text=realise_reference(one.expression).text) if number % 2 or not one.is_there else one
        for number, one in enumerate(posed().examples)
    ]
    write_copsref(out, said, posed().scenes)
    return out


@pytest.fixture(scope="module")
def dataset(folder):
    return open_copsref(folder)


@pytest.fixture(scope="module")
def arrays(dataset):
    return copsref_arrays(dataset, VAL)


def test_every_row_is_its_example(dataset, arrays):
    """Rows stand in the order of the examples and name their image, target, split and form."""
    examples, rows, scenes = list(dataset.examples()), arrays.expressions, dataset.scenes
    ids = list(scenes.object_ids)

    assert rows.id.tolist() == [one.id for one in examples]
    assert [rows.splits[k] for k in rows.split] == [one.split for one in examples]
    assert [rows.forms[k] for k in rows.form] == [one.form for one in examples]
    assert [scenes.image_ids[k] for k in rows.image.tolist()] == [one.image_id for one in examples]
    assert [ids[k] if k >= 0 else "" for k in rows.target.tolist()] == [one.object_id for one in examples]
    assert all(arrays.regions.image[rows.target[k]] == rows.image[k] for k in np.flatnonzero(~rows.is_negative))
    assert rows.is_negative.tolist() == [not one.is_there for one in examples]
    assert 0 < rows.is_negative.sum() < len(rows)
    assert set(rows.rows("val")) | set(rows.rows("test")) == set(range(len(rows)))


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_images_of_a_setting_are_those_of_the_example(dataset, arrays, setting):
    """Each setting shows the images that the example shows in it, the right one first, each once."""
    shown = arrays.expressions.shown[setting]

    for row, example in enumerate(dataset.examples()):
        assert shown.image[shown.first[row] : shown.first[row + 1]].tolist() == example.scenes(dataset.scenes, setting)


def test_words_can_be_read_back(dataset, arrays):
    """The numbers of words give the text in lower case, cut to the steps, with rare words unknown."""
    rows = arrays.expressions

    for row, example in enumerate(dataset.examples()):
        words = example.text.lower().split()
        wanted = [word if word in arrays.vocabulary else arrays.vocabulary[UNKNOWN] for word in words[:30]]
        assert [arrays.vocabulary[k] for k in rows.words[row, : rows.count[row]]] == wanted
        assert (rows.words[row, rows.count[row] :] == PAD).all()
        assert rows.length[row] == len(words)


def test_rare_words_have_no_number_unless_they_name_a_category(dataset, arrays):
    """The vocabulary holds the words that are frequent in the split that is counted, and all words of categories."""
    counts: dict[str, int] = {}
    for example in dataset.examples("val"):
        for word in example.text.lower().split():
            counts[word] = counts.get(word, 0) + 1
    frequent = {word for word, count in counts.items() if count > 3}
    names = {word for name in arrays.regions.names for word in name.split()}

    assert set(arrays.vocabulary[2:]) == frequent | names
    assert any(count <= 3 for count in counts.values())
    assert copsref_arrays(dataset, TextSettings(vocabulary=arrays.vocabulary)).vocabulary == arrays.vocabulary


def test_labels_are_attributes_of_the_target(dataset, arrays):
    """A label holds when the graph gives the target that attribute; the most frequent words have a label."""
    rows = arrays.expressions
    assert len(arrays.labels) == 5
    assert arrays.weights.min() == 1
    assert arrays.weights.max() == 10

    for row, example in enumerate(dataset.examples()):
        words = set()
        if example.is_there:
            scene = dataset.scenes.scene(dataset.scenes.find(example.image_id))
            words = scene.words[scene.object_number(example.object_id)]
        assert {word for word, is_held in zip(arrays.labels, rows.labels[row], strict=True) if is_held} == words & set(
            arrays.labels
        )


def test_frequent_words_weigh_least():
    """Weights fall as words become more frequent, from 10 to 1; equal ones all weigh 1."""
    assert label_weights(np.array([100, 25, 4])).tolist() == pytest.approx([1, 1 + 9 * 0.1 / 0.4, 10])
    assert label_weights(np.array([7, 7])).tolist() == [1, 1]
    assert label_weights(np.zeros(0)).shape == (0,)


def test_roles_follow_what_is_said():
    """Words that the expression says as a name, an attribute or a relation get that role, and no others."""
    phrases = known_phrases(posed().scenes.vocabulary)
    for example in posed().examples:
        said = realise_reference(example.expression)
        words = said.text.lower().split()
        roles = roles_in(words, expression_to_plain(example.expression), phrases)
        for word, role in zip(words, roles, strict=True):
            if word in ("man", "woman", "dog", "cup", "table", "hat"):
                assert role == NOUN
            if word in ("red", "blue", "white", "wood", "metal", "round", "male", "striped", "wet", "small"):
                assert role == ATTRIBUTE
            if word in ("that", "and", "or", "first", "second"):
                assert role == OTHER
            if word in ("near", "holding", "same"):
                assert role == RELATION


def test_the_same_word_can_be_a_noun_or_an_attribute():
    """What the expression itself says goes before what a word is elsewhere."""
    phrases = Phrases.of({("orange",): NOUN, ("to", "the", "left", "of"): RELATION})
    words = ["the", "orange", "cup", "to", "the", "left", "of", "the", "left", "orange"]

    assert roles_in(words, None, phrases) == [0, NOUN, 0, *[RELATION] * 4, 0, 0, NOUN]
    steps = [{"is": ["name", "cup"]}, {"not": {"is": ["color", "orange"]}}]
    assert roles_in(words, steps, phrases)[:3] == [0, ATTRIBUTE, NOUN]


# -------------------------------------------------------------------------------------------------- places


@st.composite
def _boxes(draw):
    sizes = draw(st.lists(st.integers(0, 9), min_size=1, max_size=5))
    sides = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 40), st.integers(1, 40))
    boxes = draw(st.lists(sides, min_size=sum(sizes), max_size=sum(sizes)))
    kinds = draw(st.lists(st.integers(0, 2), min_size=sum(sizes), max_size=sum(sizes)))
    first = np.concatenate(([0], np.cumsum(sizes)))
    return np.array(boxes, np.float64).reshape(-1, 4), np.array(kinds, np.int32), first


@given(_boxes())
@settings(max_examples=60, deadline=None)
def test_neighbours_are_those_of_the_plain_definition(drawn):
    """The nearest of the same category, and those around with other categories first, image by image."""
    box, kind, first = drawn
    alike, near = _neighbours(box, kind, first)

    for start, end in pairwise(first):
        for row in range(start, end):
            middle = box[:, :2] + box[:, 2:] / 2
            others = sorted(
                (k for k in range(start, end) if k != row), key=lambda k: (((middle[k] - middle[row]) ** 2).sum(), k)
            )
            same = [k for k in others if kind[k] == kind[row]]
            different = [k for k in others if kind[k] != kind[row]]
            assert [k for k in alike[row] if k >= 0] == same[:5]
            assert [k for k in near[row] if k >= 0] == (different + same)[:5]


def test_places_are_those_of_the_formula():
    """A region at (10, 20) of 30 by 40 pixels, in an image of 100 by 200, and another seen from it."""
    things = (
        GraphObject("a", "cup", Box(10, 20, 30, 40)),
        GraphObject("b", "cup", Box(40, 60, 10, 20)),
        GraphObject("c", "hat", Box(0, 0, 10, 10)),
    )
    arrays = region_arrays(GraphTable.of([SceneGraph("1", 100, 200, things)]))

    assert arrays.place[0].tolist() == pytest.approx([0.1, 0.1, 0.39, 59 / 200, 0.06])
    from_a = [(40 - 25) / 30, (60 - 40) / 40, (50 - 25) / 30, (80 - 40) / 40, 200 / 1200]
    assert arrays.alike[0, 0].tolist() == pytest.approx(from_a)
    assert arrays.near[0].tolist() == [2, 1, -1, -1, -1]
    assert arrays.near_places[0, 1].tolist() == pytest.approx(from_a)
    assert not arrays.near_places[0, 2:].any()
    assert seen_from(arrays.box, np.array([[-1], [-1], [-1]])).tolist() == [[[0] * 5]] * 3


def test_some_images_can_be_taken_out(arrays):
    """The arrays of some images are those of all, with rows numbered anew."""
    regions, images = arrays.regions, np.array([7, 3, 140])
    some = regions.some(images)
    rows = regions.rows_of(images)

    assert some.image_ids == tuple(regions.image_ids[k] for k in images.tolist())
    assert np.array_equal(some.box, regions.box[rows])
    is_near = some.near >= 0
    assert np.array_equal(rows[some.near[is_near]], regions.near[rows][regions.near[rows] >= 0])
    words = [regions.attr[regions.attr_ptr[k] : regions.attr_ptr[k + 1]].tolist() for k in rows]
    assert [some.attr[a:b].tolist() for a, b in pairwise(some.attr_ptr)] == words
    assert some.digest != regions.digest == region_arrays(posed().scenes).digest


# -------------------------------------------------------------------------------------------------- bad input


def test_boxes_that_stick_out_are_cut():
    """A box that leaves the image by a few pixels is cut, and one without width gets a pixel."""
    things = (GraphObject("a", "cup", Box(-3, 5, 20, 300)), GraphObject("b", "cup", Box(50, 50, 0, 10)))
    arrays = region_arrays(GraphTable.of([SceneGraph("1", 100, 100, things)]))

    assert arrays.box.tolist() == [[0, 5, 17, 95], [50, 50, 1, 10]]


@pytest.mark.parametrize("box", [(200, 5, 10, 10), (-50, 5, 10, 10), (5, 5, -1, 4), (float("nan"), 1, 1, 1)])
def test_boxes_elsewhere_are_refused(box):
    """A box with no part in its image is told with the ids of both."""
    table = GraphTable.of([SceneGraph("1", 100, 100, (GraphObject("a", "cup", Box(0, 0, 5, 5)),))])
    table = replace(table, box=np.array([box], np.float32))
    with pytest.raises(BrokenDataset, match="object a of image 1 has the box"):
        region_arrays(table)
    with pytest.raises(BrokenDataset, match="0 by 100"):
        region_arrays(replace(table, width=np.array([0], np.int32)))


def test_unknown_images_and_objects_are_told(tmp_path):
    """An example about an image or an object that is not there is told with its id, and so is a missing split."""
    one = posed().there[0]
    for number, changed in enumerate((replace(one, image_id="none"), replace(one, object_id="none"))):
        write_copsref(tmp_path / str(number), [changed], posed().scenes)
        with pytest.raises(BrokenDataset, match=f"example {one.id}: .*'none'"):
            copsref_arrays(open_copsref(tmp_path / str(number)), TextSettings(split=one.split))
    with pytest.raises(RecipeError, match="words of 'train' are to be counted"):
        copsref_arrays(open_copsref(tmp_path / "0"))


def test_a_text_without_words_says_one_unknown_word(tmp_path):
    """Punctuation is no word; where nothing is left there is one step to read."""
    write_copsref(tmp_path / "data", [replace(posed().there[0], text="... !", split="train")], posed().scenes)
    rows = copsref_arrays(open_copsref(tmp_path / "data")).expressions

    assert rows.words[0, :2].tolist() == [UNKNOWN, PAD]
    assert (rows.count[0], rows.length[0]) == (1, 0)
