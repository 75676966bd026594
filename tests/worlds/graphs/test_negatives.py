from __future__ import annotations

import pytest

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import mention_at
from deixis.expression.steps import Is, Related
from deixis.resolution.reference import denotation
from deixis.worlds.photos._changes import CHANGES
from deixis.worlds.photos._cooccurrences import Cooccurrences
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._left_right import LEFT
from deixis.worlds.photos._negatives import Negation, ShownExpression, find_negatives
from deixis.worlds.photos.engine import Engine
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.resolution.unknowns import Unknowns, judge
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.scene.vocabulary import SAME
from tests.scene.graphs import image, thing
from tests.worlds.graphs.said import crowded_table, some_said


@pytest.fixture(scope="module")
def table():
    return crowded_table()


@pytest.fixture(scope="module")
def index(table):
    return GraphIndex.of(table)


@pytest.fixture(scope="module")
def shown(table):
    return [
        ShownExpression(one.expression, (one.scene, (one.scene + 1) % len(table)))
        for one in some_said(table, 80, seed=5)
    ]


@pytest.fixture(scope="module")
def negatives(shown, table, index):
    return find_negatives(shown, table, index, Negation(each=2), seed=1)


def test_nothing_fits_what_was_changed(shown, negatives, table):
    """By the plain definition a changed expression picks out nothing in any scene that is shown."""
    assert {negative.change for some in negatives for negative in some} == set(CHANGES)
    for one, some in zip(shown, negatives, strict=True):
        for negative in some:
            assert all(not denotation(negative.expression, table.scene(scene)) for scene in one.scenes)


def test_one_place_was_changed_and_is_recorded(shown, negatives):
    """The recorded parts stand in the original as recorded; a replaced part says something else now."""
    for one, some in zip(shown, negatives, strict=True):
        for negative in some:
            assert negative.expression != one.expression
            assert negative.was in negative.changed
            assert negative.now in negative.changed
            for part in negative.parts:
                assert mention_at(one.expression, part.address[:-1]).steps[part.address[-1]] == part.step
            if negative.change != "swap":
                (part,) = negative.parts
                now = mention_at(negative.expression, part.address[:-1]).steps[part.address[-1]]
                assert now != part.step
                assert type(now) is type(part.step)


def test_a_swap_moves_words_and_adds_none(shown, negatives):
    """After a swap the same words are said, of other things."""
    for one, some in zip(shown, negatives, strict=True):
        for negative in some:
            if negative.change == "swap":
                assert _words(negative.expression) == _words(one.expression)


def test_replaced_words_are_plausible(shown, negatives, table, index):
    """A new attribute is one that things of that name have somewhere, a new relation one that such things stand in."""
    seen = Cooccurrences(table, index, Facts.of(table, Engine()))
    checked = 0
    for negative in (negative for some in negatives for negative in some):
        for part in negative.parts:
            mention = mention_at(negative.expression, part.address[:-1])
            if negative.change == "attribute" and isinstance(part.step, Is) and mention.value("name"):
                assert negative.now in seen.words_with(mention.value("name"), part.step.attribute)
                checked += 1
            if negative.change == "relation" and isinstance(part.step, Related) and mention.value("name"):
                assert negative.now in seen.relations_between(mention.value("name"), part.step.to.value("name"))
                checked += 1
    assert checked > 20


def test_what_a_corpus_has_seen(table, index):
    """What is said to occur together is exactly what some scene records."""
    seen = Cooccurrences(table, index, Facts.of(table, Engine()))
    links = {
        (scene.names[i], relation, scene.names[j])
        for scene in map(table.scene, range(len(table)))
        for relation, i, j in scene.links
    }

    assert set(seen.relations_between("man", "cup")) == {r for one, r, other in links if (one, other) == ("man", "cup")}
    assert set(seen.names_before("on", "table")) == {one for one, r, other in links if (r, other) == ("on", "table")}
    assert set(seen.names_after("dog", "near")) == {other for one, r, other in links if (one, r) == ("dog", "near")}
    dogs = {
        word
        for scene in map(table.scene, range(len(table)))
        for i, n in enumerate(scene.names)
        if n == "dog"
        for word in scene.values(i, "color")
    }
    assert set(seen.words_with("dog", "color")) == dogs


def test_absence_can_be_made_certain(shown, table, index):
    """With unknowns, what is said is not there for certain, whatever is not annotated."""
    unknowns = Unknowns()
    found = find_negatives(shown, table, index, Negation(unknowns=unknowns), seed=1)

    assert any(found)
    for one, some in zip(shown, found, strict=True):
        for negative in some:
            assert not judge(negative.expression, table.scene(one.scenes[0]), unknowns).possible


def test_a_synonym_is_no_change():
    """The large cup is not changed into a big one, nor what is on the table into what is of it."""
    scenes = [
        image(thing(0, "cup", "large", "on 1"), thing(1, "table"), image_id="1"),
        image(thing(0, "cup", "big", "of 1"), thing(1, "table"), image_id="2"),
        image(thing(0, "cup", "small", "under 1"), thing(1, "table"), image_id="3"),
    ]
    table = GraphTable.of(scenes)
    said = Description((Is("name", "cup"), Is("size", "large"), Related("on", Description((Is("name", "table"),)))))
    how = Negation(each=9, in_other_words=False)

    (found,) = find_negatives([ShownExpression(said, (0,))], table, GraphIndex.of(table), how, seed=1)

    assert {negative.changed for negative in found} == {"large → small", "on → under"}


def test_what_cannot_be_said_is_not_made():
    """No noun that is none, no color of people, nothing to the left of the ground, and nothing never seen together."""
    scenes = [
        image(
            thing(0, "cup", "white", "near 1"), thing(1, "man", "old"), thing(2, "white", "", "near 1"), image_id="1"
        ),
        image(thing(0, "man", "white", f"{LEFT} 1"), thing(1, "cup"), thing(2, "ground"), image_id="2"),
        image(
            thing(0, "cup", "", f"{LEFT} 1"),
            thing(1, "ground"),
            thing(2, "dog", "wet", "near 3"),
            thing(3, "man"),
            image_id="3",
        ),
    ]
    table = GraphTable.of(scenes)
    said = Description((Is("name", "cup"), Is("color", "white"), Related("near", Description((Is("name", "man"),)))))

    (found,) = find_negatives([ShownExpression(said, (2,))], table, GraphIndex.of(table), Negation(each=9), seed=1)

    texts = {str(negative.expression) for negative in found}
    assert not any("name=white" in text or "ground" in text for text in texts)
    assert not any(negative.change == "swap" for negative in found)  # 'the cup near the white man'


def test_nothing_is_said_twice():
    """'Wearing a shirt and wearing another shirt' would give itself away: no expression that fits says it."""
    scenes = [
        image(thing(0, "man", "", "wearing 1, wearing 2"), thing(1, "shirt"), thing(2, "hat"), image_id="1"),
        image(thing(0, "man", "", "wearing 1"), thing(1, "cap"), image_id="2"),
    ]
    table = GraphTable.of(scenes)
    worn = [Related("wearing", Description((Is("name", name),))) for name in ("shirt", "hat")]
    said = Description((Is("name", "man"), *worn))
    how = Negation(changes=("noun",), each=9)

    (found,) = find_negatives([ShownExpression(said, (0,))], table, GraphIndex.of(table), how, seed=1)

    assert {negative.now for negative in found} == {"cap"}


def test_the_truth_decides_what_is_not_there():
    """What nobody wrote down may be there; where the truth is at hand, only what is false by it is made."""
    told = [image(thing(0, "cup", "red"), thing(1, "cup", "blue"), thing(2, "cup"), image_id="1")]
    true = [image(thing(0, "cup", "red"), thing(1, "cup", "blue"), thing(2, "cup", "green"), image_id="1")]
    more = image(thing(0, "cup", "green"), thing(1, "cup", "white"), image_id="2")
    table, truth = GraphTable.of([*told, more]), GraphTable.of([*true, more])
    said = Description((Is("name", "cup"), Is("color", "red")))
    how = Negation(changes=("attribute",), each=9)

    def colors(truth):
        (found,) = find_negatives([ShownExpression(said, (0,))], table, GraphIndex.of(table), how, seed=1, truth=truth)
        return {negative.now for negative in found}

    assert colors(None) == {"green", "white"}
    assert colors(truth) == {"white"}


def test_the_seed_decides(shown, negatives, table, index):
    """The same seed changes the same words, in any company; another seed other words."""
    again = find_negatives(shown[::-1], table, index, Negation(each=2), seed=1)

    assert again[::-1] == negatives
    assert find_negatives(shown, table, index, Negation(each=2), seed=2) != negatives


def test_changes_can_be_chosen(shown, table, index):
    """Only the changes that are asked for are made, at most so many of each."""
    found = find_negatives(shown, table, index, Negation(changes=("relation",)), seed=1)

    assert {negative.change for some in found for negative in some} == {"relation"}
    assert max(map(len, found)) == 1
    with pytest.raises(SchemaError, match="colour"):
        Negation(changes=("colour",))


def _words(expression):
    said = [s.value for mention in expression.mentions() for s in mention.steps if isinstance(s, Is)]
    return sorted((*said, *(r for r in expression.relations() if r not in SAME)))
