from __future__ import annotations

import pytest

from deixis.expression.steps import AnyOf, Not, Nth, Related
from deixis.worlds.photos.engine import Edge, Node, Tree
from deixis.worlds.photos.engine._tree import NO_OBJECT
from tests.language.copsref.sayings import d, n, w


CUP, TABLE, MAN = Node(0, "cup", ("white",)), Node(1, "table"), Node(2, "man", ("tall",))
CHAIN = Tree((CUP, TABLE, MAN), (Edge(0, 1, "on"), Edge(1, 2, "near")))
EITHER = Tree((CUP, TABLE, MAN), (Edge(0, 1, "on", "or", is_true=False), Edge(0, 2, "near", "or")))
RANKED = Tree((Node(0, "cup", ("white",), (), Nth(2, "left")), MAN), (Edge(0, 1, "near"),))
DENIED = Tree((Node(0, "cup"), Node(NO_OBJECT, "table")), (Edge(0, 1, "on", "not", is_true=False),))


@pytest.mark.parametrize(
    ("tree", "expression"),
    [
        (CHAIN, d(n("cup"), w("white"), Related("on", d(n("table"), Related("near", d(n("man"), w("tall"))))))),
        (
            EITHER,
            d(n("cup"), w("white"), AnyOf((Related("on", d(n("table"))), Related("near", d(n("man"), w("tall")))))),
        ),
        (RANKED, d(n("cup"), Nth(2, "left"), w("white"), Related("near", d(n("man"), w("tall"))))),
        (DENIED, d(n("cup"), Not(Related("on", d(n("table")))))),
        (Tree((Node(0, "cup", (), ("white",)),)), d(n("cup"), Not(w("white")))),
    ],
)
def test_a_tree_says_an_expression(tree, expression):
    """The name first, then the rank, attributes, what is denied, and relations; alternatives last."""
    assert tree.expression() == expression


@pytest.mark.parametrize(
    ("tree", "forms"),
    [
        (CHAIN, ("chain",)),
        (EITHER, ("or",)),
        (RANKED, ("order", "chain")),
        (DENIED, ("not",)),
        (Tree((CUP, TABLE, MAN), (Edge(0, 1, "on"), Edge(0, 2, "near"))), ("and",)),
        (Tree((CUP, TABLE), (Edge(0, 1, "same color"),)), ("same",)),
        (Tree((CUP, TABLE, MAN), (Edge(0, 1, "same color"), Edge(0, 2, "on"))), ("same", "chain")),
    ],
)
def test_a_tree_knows_its_forms(tree, forms):
    """The form that names a composition comes first: not, same, or, order, and, chain."""
    assert tree.forms == forms


def test_the_released_files_list_objects_and_attributes_by_depth():
    """`explored_list` and `attri_used` of the release have one entry per depth, and lists of lists for two branches."""
    ids = ("a", "b", "c")

    assert CHAIN.objects_by_depth(ids) == [["a"], ["b"], ["c"]]
    assert CHAIN.attributes_by_depth() == [["white"], [""], ["tall"]]
    assert EITHER.objects_by_depth(ids) == [["a"], ["b", "c"]]
    assert EITHER.attributes_by_depth() == [["white"], [[""], ["tall"]]]
    assert DENIED.objects_by_depth(ids) == [["a"], []]
    assert (EITHER.false_relation, CHAIN.false_relation) == ("on", "")


def test_a_tree_can_be_written_down():
    """The plain values have nodes with their order, and edges with their kind and truth."""
    written = RANKED.as_dict(("a", "b", "c"))

    assert written["nodes"][0] == {
        "object": "a",
        "category": "cup",
        "used_attributes": ["white"],
        "negated_attributes": [],
        "order": {"index": 2, "from": "left"},
    }
    assert written["edges"] == [
        {"parent": 0, "child": 1, "relation": "near", "kind": "rel", "joined": "and", "truth": True}
    ]
    assert DENIED.as_dict()["nodes"][1]["object"] is None
    assert [edge.kind for tree in (DENIED, EITHER) for edge in tree.edges] == ["not_rel", "rel", "rel"]
    assert Edge(0, 1, "same color").kind == "same:color"
