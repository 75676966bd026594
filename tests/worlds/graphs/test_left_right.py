from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.photos import _left_right as left_right
from deixis.worlds.photos._left_right import (
    LEFT,
    RIGHT,
    left_right_pairs,
    loose_pairs,
    with_left_right,
    with_loose_sides,
)
from deixis.worlds.photos.data.graphs import read_graphs
from deixis.worlds.photos.scene.graph import Link
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import GQA, STREET, graphs, image, needs_graphs, thing


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        ((0, 0, 10, 20), (20, 0, 10, 20), True),
        ((0, 0, 10, 20), (20, 9, 10, 20), True),  # 11 of 20 in height: just side by side
        ((0, 0, 10, 20), (20, 10, 10, 20), False),  # half of the height is too little
        ((0, 0, 10, 20), (5, 0, 10, 20), False),  # half of the width: one behind the other
        ((0, 0, 10, 20), (6, 0, 10, 20), True),
        ((0, 0, 10, 20), (34, 0, 10, 20), True),
        ((0, 0, 10, 20), (35, 0, 10, 20), False),  # a gap of a quarter of the image
        ((0, 0, 10, 20), (0, 0, 10, 20), False),  # neither is further left
    ],
)
def test_left_follows_the_rule(one, other, holds):
    """Side by side, not behind each other, and close: each border of the rule, in an image of width 100."""
    pairs = left_right_pairs(np.array([other, one]), 100).tolist()

    assert pairs == ([[1, 0]] if holds else [])


@given(graph=graphs(max_objects=8))
def test_every_left_has_its_right(graph):
    """A is to the left of B exactly when B is to the right of A, and other relations stay."""
    sided = with_left_right(graph)
    said = {(o.id, link.relation, link.object_id) for o in sided.objects for link in o.relations}

    assert {(b, RIGHT, a) for a, relation, b in said if relation == LEFT} == {s for s in said if s[1] == RIGHT}
    assert {s for s in said if s[1] not in (LEFT, RIGHT)} == {
        (o.id, *link) for o in graph.objects for link in o.relations if link.relation not in (LEFT, RIGHT)
    }
    assert with_left_right(sided) == sided


def test_what_a_file_says_of_sides_is_replaced():
    """The rule decides, whatever was recorded before."""
    first = with_left_right(STREET).objects[0]

    assert Link("near", "1") in first.relations
    assert [link.object_id for link in first.relations if link.relation == LEFT] == ["1", "2", "3", "4", "5"]


@needs_graphs
def test_the_rule_gives_what_gqa_records():
    """On the real graphs of GQA the rule gives all of the 146 left and right relations there, and no other."""
    recorded, by_rule = [
        {
            (g.image_id, o.id, link)
            for g in some
            for o in g.objects
            for link in o.relations
            if link.relation in (LEFT, RIGHT)
        }
        for some in (list(read_graphs(GQA)), [with_left_right(graph) for graph in read_graphs(GQA)])
    ]

    assert len(recorded) == 146
    assert by_rule == recorded


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        ((0, 0, 10, 20), (20, 19, 10, 20), True),  # level by one pixel
        ((0, 0, 10, 20), (20, 20, 10, 20), False),
        ((0, 0, 10, 20), (400, 0, 10, 20), True),  # however far
        ((0, 0, 10, 20), (5, 0, 10, 20), False),  # one behind the other
    ],
)
def test_people_see_left_and_right_more_loosely(one, other, holds):
    """Things that are level at all, however far apart, may be said to be left and right of each other."""
    assert loose_pairs(np.array([other, one])).tolist() == ([[1, 0]] if holds else [])


@given(some=st.lists(graphs(max_objects=7), min_size=1, max_size=4), at_once=st.sampled_from((1, 40, 10_000)))
def test_a_loosened_table_has_every_loose_pair_and_all_else(some, at_once):
    """Scene by scene, left and right are the loose pairs, and the other relations are those that were recorded."""
    sided = image(thing(0, "car", "", f"{LEFT} 1"), thing(1, "man", "", f"{RIGHT} 0"))
    table = GraphTable.of([sided, *some])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(left_right, "PAIRS", at_once)
        loose = left_right.with_loose_sides.__wrapped__(table)

    for number in range(len(table)):
        links = loose.scene(number).links
        pairs = {(a, b) for a, b in loose_pairs(np.array(table.scene(number).boxes)).tolist()}
        assert {(a, b) for relation, a, b in links if relation == LEFT} == pairs
        assert {(b, a) for relation, a, b in links if relation == RIGHT} == pairs
        others = {link for link in table.scene(number).links if link[0] not in (LEFT, RIGHT)}
        assert {link for link in links if link[0] not in (LEFT, RIGHT)} == others


def test_a_corpus_without_sides_stays_as_it_is():
    """Where nobody says left or right there is nothing to loosen."""
    table = GraphTable.of([image(thing(0, "car", "", "near 1"), thing(1, "man"))])

    assert with_loose_sides(table) is table
