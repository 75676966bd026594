from __future__ import annotations

import pytest

from deixis.errors import SchemaError
from deixis.expression.parts import mention_at
from deixis.expression.steps import Is, Related
from deixis.resolution.reference import denotation
from deixis.resolution.unknowns import Unknowns, judge
from deixis.scene.vocabulary import SAME
from deixis.worlds.graphs.index import GraphIndex
from deixis.worlds.graphs.negatives import CHANGES, Negation, Seen, Shown, find_negatives
from tests.worlds.graphs.said import crowded_table, some_said


@pytest.fixture(scope="module")
def table():
    return crowded_table()


@pytest.fixture(scope="module")
def index(table):
    return GraphIndex.of(table)


@pytest.fixture(scope="module")
def shown(table):
    return [Shown(one.expression, (one.scene, (one.scene + 1) % len(table))) for one in some_said(table, 80, seed=5)]


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
    seen = Seen(table, index)
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
    seen = Seen(table, index)
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
