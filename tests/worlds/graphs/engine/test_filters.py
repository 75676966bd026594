from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.expression.steps import Nth, Related
from deixis.worlds.graphs.engine import Edge, Node, Tree
from deixis.worlds.graphs.engine.facts import Facts
from deixis.worlds.graphs.engine.filters import is_spatial_only, other_counts, targets_of
from tests.language.copsref.sayings import d, n, w
from tests.worlds.graphs.engine.images import PLAIN, shelf


CUP, SHELF, PLATE = Node(0, "cup"), Node(4, "shelf"), Node(2, "plate")
LEFT, NEAR, ON = "to the left of", "near", "on"


def facts(**changes: object) -> tuple[Facts, object]:
    engine = replace(PLAIN, **changes)
    return Facts.of(shelf(), engine), engine


def test_targets_are_large_and_have_an_outline():
    """The spoon is too small and the sky has no outline; both settings can be changed."""
    known, engine = facts()
    assert targets_of(known.photograph(0), known, engine) == [0, 1, 2, 3, 4]
    known, engine = facts(removed=frozenset(("cup",)), least_area=0.0)
    assert targets_of(known.photograph(0), known, engine) == [2, 4, 5, 6]


@pytest.mark.parametrize(
    ("tree", "dropped_by"),
    [
        (Tree((CUP, PLATE), (Edge(0, 1, LEFT),)), {"release", "strict"}),
        (Tree((Node(0, "cup", ("white",)), PLATE), (Edge(0, 1, LEFT),)), {"strict"}),
        (Tree((CUP, PLATE), (Edge(0, 1, NEAR),)), {"strict"}),
        (Tree((CUP, SHELF), (Edge(0, 1, ON),)), set()),
        (Tree((CUP, SHELF, PLATE), (Edge(0, 1, ON), Edge(0, 2, LEFT))), set()),
        (Tree((CUP, SHELF), (Edge(0, 1, "same color"),)), set()),
        (Tree((Node(0, "cup", (), ("red",)),)), set()),
    ],
)
def test_expressions_that_say_only_where_things_are_can_be_dropped(tree, dropped_by):
    """The release drops bare left and right; the strict filter drops all that have simple spatial relations only."""
    modes = ("release", "strict", "keep")

    assert {mode for mode in modes if is_spatial_only(tree, *facts(spatial_only=mode))} == dropped_by


def test_a_rank_can_be_counted_in_other_ways():
    """'the first cup that is red and near the plate': the first of the red ones, or of the red ones near the plate."""
    near = Related("near", d(n("plate")))
    rank = Nth(1, "left")

    assert other_counts(d(n("cup"), rank, w("red"), near)) == [
        d(n("cup"), w("red"), near, rank),
        d(n("cup"), w("red"), rank, near),
    ]
    assert other_counts(d(n("cup"), rank)) == []
    assert other_counts(d(n("cup"), w("red"), near)) == []
