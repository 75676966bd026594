"""Wants: what must be misled, by the plain definition and compiled."""

from __future__ import annotations

import numpy as np
import pytest

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.worlds.photos._wants import (
    Plausible,
    decode_wants,
    encode_wants,
    find_tempted,
    find_tempted_pairs,
    wants_of,
)
from deixis.worlds.photos.resolution.graphs import sets_of
from tests.worlds.graphs.said import crowded_table, some_said


def named(name, *more):
    return Description((Is("name", name), *more))


@pytest.fixture(scope="module")
def table():
    return crowded_table(60)


def test_compiled_wants_agree_with_the_definition(table):
    """In its own image and in others, each want of 80 expressions leads to the same things by both ways."""
    said = some_said(table, 80, seed=4)
    wants, which, scenes, targets = [], [], [], []
    for one in said:
        for want in wants_of(one.expression):
            for scene in {one.scene, (one.scene + 7) % len(table), (one.scene + 20) % len(table)}:
                which.append(len(wants))
                scenes.append(scene)
                targets.append(one.target if scene == one.scene else -1)
            wants.append(want)
    masks = find_tempted_pairs(wants, table, np.array(which), np.array(scenes), np.array(targets))

    plain = [
        find_tempted(wants[w], table.scene(s), t if t >= 0 else None)
        for w, s, t in zip(which, scenes, targets, strict=True)
    ]
    assert sets_of(masks) == plain
    assert {want.kind for want in wants} == {"word", "relation", "exchange", "phrases"}
    assert sum(map(bool, plain)) > 300


def test_every_word_and_relation_is_wanted():
    """A noun, an attribute, a rank, a negation and a relation each make a want; what is denied makes one as a whole."""
    table_there = Related("on", named("table", Is("color", "red")))
    said = named("cup", Nth(2, "left"), Not(Related("near", named("dog"))), table_there)
    codes = [want.code for want in wants_of(said) if want.kind != "exchange"]

    assert codes == ["word 0", "word 1", "word 2", "word 3.0", "word 3.1", "relation 3", "phrases"]
    assert {want.name for want in wants_of(said)} == {
        "target noun",
        "rank",
        "negation",
        "related noun",
        "related attribute",
        "relation",
        "exchange",
        "phrases unrelated",
    }


def test_a_branch_is_ignored_with_its_alternative():
    """Who ignores 'in' in 'in the sink or on the table' takes any cup where there is a sink."""
    said = named("cup", AnyOf((Related("in", named("sink")), Related("on", named("table")))))
    wants = {want.code: want for want in wants_of(said)}

    assert wants["relation 1.0"].heard == named("cup")
    assert wants["relation 1.0"].beside == ((named("sink"),),)
    assert wants["word 1.0.0"].heard == named(
        "cup", AnyOf((Related("in", Description(())), Related("on", named("table"))))
    )


def test_only_exchanges_that_are_seen_are_wanted(table):
    """An exchange that gives a name an attribute or a relation that it has nowhere is not wanted."""
    plausible = Plausible.of(table)
    said = [one.expression for one in some_said(table, 60, seed=1)]
    assert all(plausible.may_say(one) for one in said if not any(isinstance(step, AnyOf) for step in one.steps))
    nowhere = Plausible.of(table, [False] * len(table))
    related = [one for one in said if any(want.kind == "exchange" for want in wants_of(one))]

    assert len(related) > 20
    assert not any(nowhere.may_say(one) for one in related if any(s.relation == "on" for s in one.clauses))
    assert sum(len(wants_of(one, plausible)) for one in related) <= sum(len(wants_of(one)) for one in related)


def test_wants_are_read_back(table):
    """What is recorded of an image is read back for the same expression and refused for another."""
    said = named("cup", Related("on", named("table")))
    wants = wants_of(said)

    assert decode_wants(encode_wants(wants), said) == wants
    assert decode_wants("", said) == ()
    with pytest.raises(SchemaError, match="another expression"):
        decode_wants("wants: relation 4", said)
