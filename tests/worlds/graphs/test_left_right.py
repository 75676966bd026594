from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from deixis.datasets.graphs import read_graphs
from deixis.scene.graph import Link
from deixis.worlds.graphs.left_right import LEFT, RIGHT, left_right_pairs, with_left_right
from tests.scene.graphs import GQA, STREET, graphs, needs_graphs


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
