from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.expression.steps import Nth, Related
from deixis.worlds.photos.engine import Edge, Node, Tree
from deixis.worlds.photos.engine._choose import is_spatial_only, other_counts, says_twice, targets_of
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.language.copsref.sayings import d, n, w
from tests.scene.graphs import image, thing
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


def test_an_activity_is_not_said_twice():
    """'The man walking who is walking on the sand' says it once too often, and so does 'flying the flying kite'."""
    man = Node(0, "man", ("walking",))
    girl, kite = Node(0, "girl"), Node(1, "kite", ("flying",))

    assert says_twice(Tree((man, SHELF), (Edge(0, 1, "walking on"),)))
    assert says_twice(Tree((girl, kite), (Edge(0, 1, "flying"),)))
    assert not says_twice(Tree((man, SHELF), (Edge(0, 1, ON),)))
    assert not says_twice(Tree((girl, kite), (Edge(0, 1, "holding"),)))


def test_some_things_have_no_left_and_right():
    """Nothing is to the left of the ground or of a sleeve, and no hair to the left of a man; a man is of a tree."""
    names = ("man", "tree", "ground", "hair", "shirt")
    things = [thing(k, name, "", f"{LEFT} 1, on 1") for k, name in enumerate(names)]
    known = Facts.of(GraphTable.of([image(*things)]), PLAIN)
    code = {name: known.table.vocabulary.name_code(name) for name in names}
    left, on = (known.table.vocabulary.relation_code(relation) for relation in (LEFT, ON))

    beside = {(a, b) for a in names for b in names if known.can_relate(code[a], left, code[b])}

    assert {b for _, b in beside} == {"man", "tree"}
    assert {a for a, b in beside if b == "man"} == {"man", "tree", "ground"}
    assert all(known.can_relate(code["man"], on, code[b]) for b in names)
    free = Facts.of(known.table, replace(PLAIN, words="all"))
    assert free.can_relate(code["man"], left, code["ground"])


def test_the_color_of_people_is_not_said():
    """Who is blond may be called so; a white or black man may not, and a cup may."""
    table = GraphTable.of([image(thing(0, "man", "white blond"), thing(1, "cup", "white"), thing(2, "glass", "glass"))])
    known, words = Facts.of(table, PLAIN), table.vocabulary

    def can_be(name, word):
        return known.can_be(words.name_code(name), words.word_code(word))

    assert not can_be("man", "white")
    assert can_be("man", "blond")
    assert can_be("cup", "white")
    assert not can_be("glass", "glass")
    assert known.can_share("same color", words.name_code("cup"), words.name_code("glass"))
    assert not known.can_share("same color", words.name_code("cup"), words.name_code("man"))


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
