from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related
from deixis.resolution import denotation
from deixis.schema import Which
from deixis.testing import expressions
from deixis.worlds.photos.resolution.graphs import sets_of
from deixis.worlds.photos.resolution.unknowns import Unknowns, judge, judge_graph_pairs
from deixis.worlds.photos.scene.graph import GraphScene
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import EVERYTHING, SCHEMA, STREET, graphs, tables


POLICIES = st.sampled_from(("false", "silent", "unknown"))
UNKNOWNS = st.builds(
    Unknowns, open_types=st.frozensets(st.sampled_from(("other", "color", "material"))), relations=POLICIES
)
CAR = Is("name", "car")
FULL = ("red", "wood", "round", "male", "striped", "wet")  # a word of every kind that the tests say
WORDS = GraphTable.of([EVERYTHING]).vocabulary


@pytest.fixture(scope="module")
def street() -> GraphScene:
    return GraphTable.of([STREET]).scene(0)


@pytest.mark.parametrize(
    ("steps", "certain", "possible"),
    [
        ((CAR, Is("color", "red")), {0, 5}, {0, 5}),  # the third car is blue
        ((Is("color", "red"),), {0, 5}, {0, 1, 4, 5}),  # man and tree have no color recorded
        ((CAR, Is("other", "parked")), {3, 5}, {0, 3, 5}),  # the first car may be parked all the same
        ((CAR, Not(Is("other", "parked"))), set(), {0}),
        ((CAR, Not(Is("color", "red"))), {3}, {3}),
        ((Is("name", "tree"), Related("near", Description((CAR,)))), set(), {4}),  # nothing is recorded of the tree
        ((CAR, Not(Related("near", Description((Is("name", "tree"),))))), {0, 5}, {0, 5}),
        ((Related("same color", Description((Is("name", "man"),))),), set(), {0, 2, 3, 4, 5}),
        ((CAR, Is("other", "parked"), Nth(1, "left")), set(), {0, 3}),
        ((CAR, Is("other", "parked"), Nth(1, "right")), {5}, {5}),
        ((CAR, Nth(1, "middle")), {3}, {3}),
        ((CAR, Is("other", "parked"), Nth(1, "middle")), set(), {3}),
        ((CAR, AnyOf((Is("color", "blue"), Is("other", "parked")))), {3, 5}, {0, 3, 5}),
    ],
)
def test_what_is_not_recorded_is_false_or_unknown(street, steps, certain, possible):
    """Certain objects fit by what is recorded, possible ones unless what is recorded rules them out."""
    assert judge(Description(steps), street) == (certain, possible)


def test_only_certainty_without_rivals_is_unique(street):
    """'The blue car' is one car whatever is missing; 'the first parked car from the left' is not."""
    assert judge(Description((CAR, Is("color", "blue"))), street).is_unique
    assert not judge(Description((CAR, Is("other", "parked"), Nth(1, "left"))), street).is_unique
    assert not judge(Description((CAR,)), street).is_unique


@given(table=tables(), said=expressions(SCHEMA), unknowns=UNKNOWNS)
def test_the_compiled_judgement_follows_the_definition(table, said, unknowns):
    """The kernel calls certain and possible what the plain definition does."""
    every = np.arange(len(table))

    certain, possible = judge_graph_pairs([said], table, np.zeros_like(every), every, unknowns)

    judged = [judge(said, table.scene(i), unknowns) for i in range(len(table))]
    assert sets_of(certain) == [some.certain for some in judged]
    assert sets_of(possible) == [some.possible for some in judged]


@given(graph=graphs(max_objects=5), said=expressions(SCHEMA))
def test_what_is_recorded_lies_between_certain_and_possible(graph, said):
    """Reading what is missing as false is one of the truths, so its referents lie between the two sets."""
    scene = GraphScene.of(graph, WORDS)

    certain, possible = judge(said, scene)

    assert certain <= denotation(said, scene) <= possible


@given(graph=graphs(max_objects=5), said=expressions(SCHEMA))
def test_without_unknowns_both_are_the_referents(graph, said):
    """Where nothing is missing (every object has a value of every kind said), certain and possible agree."""
    full = replace(graph, objects=tuple(replace(o, attributes=FULL) for o in graph.objects))
    scene = GraphScene.of(full, WORDS)
    closed = Unknowns(open_types=frozenset(), relations="false")
    judged = judge(said, scene, closed)

    assert judged.certain == judged.possible == denotation(said, scene)


@given(graph=graphs(max_objects=3), said=expressions(SCHEMA, max_depth=1), unknowns=UNKNOWNS, data=st.data())
def test_no_truth_behind_the_gaps_contradicts_the_judgement(graph, said, unknowns, data):
    """However the gaps are filled, what is certain fits and what fits is possible."""
    scene = GraphScene.of(graph, WORDS)
    truth = data.draw(_truths(scene, unknowns))

    certain, possible = judge(said, scene, unknowns)

    assert certain <= denotation(said, truth) <= possible


def _truths(scene: GraphScene, unknowns: Unknowns) -> st.SearchStrategy[GraphScene]:
    """Scenes in which any values and links hold besides those recorded that the unknowns leave open."""
    every = range(len(scene))
    words = [(o, word) for o in every for word in WORDS.words if _may_have(scene, unknowns, o, word)]
    pairs = [(o, p) for o in every for p in every if o != p]
    links = [(r, o, p) for r in WORDS.relations for o, p in pairs if unknowns.may_be_related(scene, r, o, p)]
    more_words = st.frozensets(st.sampled_from(words)) if words else st.just(frozenset())
    more_links = st.frozensets(st.sampled_from(links)) if links else st.just(frozenset())
    return st.builds(
        lambda extra, linked: replace(
            scene,
            words=tuple(scene.words[o] | {word for thing, word in extra if thing == o} for o in every),
            links=scene.links | linked,
        ),
        more_words,
        more_links,
    )


def _may_have(scene: GraphScene, unknowns: Unknowns, index: int, word: str) -> bool:
    return unknowns.may_have(scene, index, scene.vocabulary.type_of(word), word)


def test_certain_matchings_need_certain_objects():
    """'Near something not wet' is not certain when the only thing near may be wet, even beside another clause."""
    scene = GraphTable.of([STREET]).scene(0)
    dry = Description((Is("name", "tree"), Not(Is("other", "wet"))))
    expression = Description((CAR, Related("near", dry), Related("on", Description((Is("name", "road"),)))))

    assert judge(expression, scene) == (set(), {3})


def test_settings_are_checked(street):
    """Unknown types, settings and steps that cannot be judged are errors."""
    with pytest.raises(SchemaError, match="'smell' is no type of attributes"):
        Unknowns(open_types=frozenset(("smell",)))
    with pytest.raises(SchemaError, match="missing relations are false, silent, unknown, not 'some'"):
        Unknowns(relations="some")  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="have no order"):
        judge(Description((Extreme("size", Which.MOST),)), street)
