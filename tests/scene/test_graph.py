from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from deixis.errors import SchemaError, UnknownName
from deixis.expression import AnyOf, Description, Is, Not, Nth, Related
from deixis.resolution import denotation
from deixis.scene.scene import Point, Scene
from deixis.worlds.photos.scene.graph import GraphScene, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.scene.vocabulary import ATTRIBUTE_TYPES, RARE, SAME, TYPE_OF, Vocabulary
from tests.scene.graphs import STREET, graphs, image, tables, thing


TABLE = GraphTable.of([STREET])
CAR = Is("name", "car")


@pytest.fixture
def street() -> GraphScene:
    return GraphScene.of(STREET, TABLE.vocabulary)


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((CAR,), {0, 3, 5}),
        ((CAR, Is("color", "red")), {0, 5}),
        ((CAR, Is("color", "red"), Is("other", "parked")), {5}),
        ((CAR, Not(Is("color", "red"))), {3}),
        ((CAR, Nth(2, "left")), {3}),
        ((CAR, Nth(1, "right")), {5}),
        ((CAR, Nth(1, "middle")), {3}),
        ((CAR, Related("near", Description((Is("name", "tree"),)))), {3}),
        ((CAR, AnyOf((Related("near", Description((Is("name", "man"),))), Is("color", "blue")))), {0, 3}),
        ((Is("name", "car"), Related("same color", Description((CAR,)))), {0, 5}),
        ((Related("on", Description((Is("name", "road"), Is("color", "gray")))),), {1, 3, 5}),
    ],
)
def test_expressions_pick_objects_out_of_a_scene_graph(street, steps, found):
    """Names, typed attributes, recorded and computed relations, ranks and negations mean what they say."""
    assert denotation(Description(steps), street) == found


def test_a_scene_graph_is_a_scene(street):
    """It answers the questions of the protocol; a position is the centre of a box, row first."""
    assert isinstance(street, Scene)
    assert street.position(3) == Point(20, 34)
    assert street.values(3, "color") == {"blue"}
    assert street.values(4, "height") == {"tall"}
    assert street.values(4, "color") == frozenset()
    assert street.outgoing(0) == (("near", 1), ("to the left of", 1))
    assert street.object_number("4") == 4


@given(table=tables())
def test_known_values_are_those_there_are(table):
    """By attribute, the known values of an object are what it has of each, none left out."""
    for number in range(len(table)):
        scene = table.scene(number)
        for index in range(len(scene)):
            held = {one.name: scene.values(index, one.name) for one in scene.schema.attributes}
            assert scene.known_values(index) == {name: values for name, values in held.items() if values}


def test_objects_share_a_value_with_others_only(street):
    """Nothing has the same color as itself, and what has no color has the same as nothing."""
    assert street.related("same color", 0, 5)
    assert not street.related("same color", 0, 0)
    assert not street.related("same color", 1, 4)
    assert not street.related("same material", 0, 5)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda scene: scene.values(0, "colour"), "unknown attribute 'colour'; did you mean 'color'"),
        (lambda scene: scene.related("nearby", 0, 1), "unknown relation 'nearby'; did you mean 'near'"),
        (lambda scene: scene.object_number("99"), "no object '99'"),
        (lambda scene: scene.vocabulary.name_code("zebra"), "unknown name 'zebra'"),
    ],
)
def test_unknown_words_are_named(street, ask, message):
    """A word that the corpus does not have is an error that says so, not an empty answer."""
    with pytest.raises(UnknownName, match=message):
        ask(street)


def test_every_word_has_one_type():
    """No word stands under two types, or 'the same size' would depend on the order of a table."""
    assert len(TYPE_OF) == sum(len(words) for words in ATTRIBUTE_TYPES.values())


def test_words_are_numbered_by_type_and_frequency():
    """The schema numbers values as the table numbers words, the most frequent first within a type."""
    words = TABLE.vocabulary

    assert words.names == ("car", "man", "road", "tree")
    assert words.words == ("red", "gray", "blue", "tall", "parked", "wet")
    assert words.relations == ("near", "on", "to the left of")
    assert [relation.name for relation in words.schema.relations[3:]] == list(SAME)
    for code, word in enumerate(words.words):
        dimension = words.schema.attribute_code(words.type_of(word))
        assert words.word_start[dimension] + words.schema.attributes[dimension].code(word) == code


def test_a_vocabulary_refuses_what_programs_cannot_number():
    """Words that stand twice, out of order or for a computed relation are errors."""
    with pytest.raises(SchemaError, match="lists the name 'car' twice"):
        Vocabulary(names=("car", "car"))
    with pytest.raises(SchemaError, match="in the order of their types"):
        Vocabulary(names=(), words=("wet", "red"))
    with pytest.raises(SchemaError, match="'same color' is computed"):
        Vocabulary(names=(), relations=("same color",))


@given(graph=graphs())
def test_a_table_gives_back_what_was_put_in(graph):
    """The scene of a table is that of the graph it was built from."""
    table = GraphTable.of([graph])
    one, other = table.scene(0), GraphScene.of(graph, table.vocabulary)

    for field in ("names", "words", "links", "boxes", "width", "height", "image_id", "object_ids", "raw_names"):
        assert getattr(one, field) == getattr(other, field)


@given(table=tables())
def test_a_saved_table_is_the_same_table(table, tmp_path_factory):
    """What is written and mapped back holds the same columns and scenes, and cannot be changed."""
    folder = tmp_path_factory.mktemp("table") / "graphs"
    table.save(folder)
    again = GraphTable.load(folder)

    assert again.vocabulary.schema == table.vocabulary.schema
    assert [again.scene(i).links for i in range(len(again))] == [table.scene(i).links for i in range(len(table))]
    assert np.array_equal(again.box, table.box)
    assert not again.name.flags.writeable


def test_the_columns_count_what_is_there():
    """Counts by name, attribute and relation, and the scene of every object."""
    table = GraphTable.of([STREET, image(thing(0, "car", "red"), image_id="2")])

    assert dict(zip(table.vocabulary.names, table.name_counts.tolist(), strict=True))["car"] == 4
    assert dict(zip(table.vocabulary.words, table.word_counts.tolist(), strict=True))["red"] == 3
    assert dict(zip(table.vocabulary.relations, table.relation_counts.tolist(), strict=True))["near"] == 3
    assert table.scene_of.tolist() == [0] * 6 + [1]
    assert table.find("2") == 1
    with pytest.raises(UnknownName, match="no scene graph of an image '3'"):
        table.find("3")


def test_words_beyond_the_limit_are_left_out_and_counted():
    """With room for two names the rarer ones become one that nobody says; rarer attributes go."""
    table = GraphTable.of([STREET], most_words=2)

    assert table.vocabulary.names == ("car", RARE)
    assert table.vocabulary.words == ("red", "parked")
    assert table.left_out["attributes"] == 4
    assert table.scene(0).names == ("car", RARE, RARE, "car", RARE, "car")


def test_graphs_that_do_not_hold_together_are_refused():
    """A table wants clean graphs: no links to missing objects, no id twice."""
    with pytest.raises(SchemaError, match="related to '7', which is missing; clean the graph first"):
        GraphTable.of([image(thing(0, "car", "", "near 7"))])
    with pytest.raises(SchemaError, match="two objects with one id"):
        SceneGraph("1", 9, 9, (thing(0, "car"), thing(0, "man")))


def test_an_empty_corpus_is_a_table():
    """No graphs, no scenes."""
    assert len(GraphTable.of([])) == 0


def test_texts_of_any_alphabet_are_kept():
    """Ids need not be ASCII."""
    table = GraphTable.of([image(thing(0, "car"), image_id="图像-1")])

    assert table.image_ids[0] == "图像-1"
    assert table.image_ids[-1] == "图像-1"
    with pytest.raises(IndexError):
        table.image_ids[1]
