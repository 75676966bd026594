from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.worlds.photos.engine._forms import BUILDERS, build, lengthen
from deixis.worlds.photos.language import realise_reference
from tests.worlds.graphs.engine.images import PLAIN, chooser_for, drawn, made_up, shelf


def texts(form: str, target: int, engine=PLAIN) -> set[str]:
    """Everything that a form says of an object of the shelf, unique or not."""
    trees = drawn(BUILDERS[form], target, chooser_for(shelf(), engine=engine))
    return {realise_reference(tree.expression()).text for tree in trees}


def test_chains_follow_relations():
    """A chain goes from object to object as the image relates them, one to three relations long."""
    assert texts("chain", 3) == {
        "The red cup that is near the white plate",
        "The red cup that is near the metal plate",
        "The small cup that is near the white plate",
        "The small cup that is near the metal plate",
    }


def test_and_says_two_relations_of_the_target():
    """Both relations are the target's own, to things of different names."""
    said = texts("and", 1)

    assert "The red cup that is on the wooden shelf and near the white plate" in said
    assert all(text.count(" and ") == 1 and text.count("that") == 1 for text in said)


def test_or_has_one_branch_that_does_not_hold():
    """The false branch is a relation that others of the name have, and is said first."""
    trees = drawn(BUILDERS["or"], 0, chooser_for(shelf()))

    assert {tuple(edge.is_true for edge in tree.edges) for tree in trees} == {(False, True)}
    assert {tree.false_relation for tree in trees} == {"near"}
    assert "The white cup that is near the metal plate or on the wooden shelf" in texts("or", 0)


def test_inclusive_or_may_have_two_true_branches():
    """Where both branches may hold, both sorts are made, in either order."""
    engine = replace(PLAIN, alternatives="inclusive", false_first=0.5)
    truths = {
        tuple(edge.is_true for edge in tree.edges)
        for tree in drawn(BUILDERS["or"], 1, chooser_for(shelf(), engine=engine))
    }

    assert (True, True) in truths


def test_order_counts_all_of_the_name():
    """Ranks are counted among all cups, from either side, and the middle one of three is in the middle."""
    assert texts("order", 3) == {
        f"The {rank} that is {word} and near the {plate} plate"
        for rank in ("third cup from the left", "first cup from the right")
        for word in ("red", "small")
        for plate in ("white", "metal")
    }
    assert any(text.startswith("The cup in the middle that is red and") for text in texts("order", 1))


def test_what_stands_alone_has_no_rank():
    """A plate that is the only one is neither first nor last."""
    assert texts("order", 2) == set()


def test_same_shares_a_value():
    """The plate and the white cup have one colour, the plate and the spoon one material; the kind is not given away."""
    assert texts("same", 2) == {
        "The plate that has the same color as the small cup",
        "The plate that has the same material as the spoon",
    }


def test_same_of_the_paper_needs_a_value_of_two_alone():
    """Where exactly two must share the value, metal and white will do; where three are red, none is chosen."""
    engine = replace(PLAIN, same="pair")

    assert "The plate that has the same color as the small cup" in texts("same", 2, engine)
    assert texts("same", 1, replace(engine, seed=1)) == {"The cup that has the same color as the small cup"}


def test_not_denies_what_all_others_have():
    """All cups but the white one are red; all cups but the last are on the shelf."""
    assert texts("not", 0) == {"The cup that is not red"}
    assert texts("not", 3) == {"The cup that is not on the shelf"}
    assert texts("not", 1) == set()


def test_not_is_guarded_against_gaps():
    """A target of which no colour is known is not said to lack one, unless the guard is off."""
    chooser = chooser_for(shelf())
    chooser.photograph.words[0].clear()

    guarded = drawn(BUILDERS["not"], 0, chooser)
    chooser.engine = replace(PLAIN, guarded=False)
    unguarded = drawn(BUILDERS["not"], 0, chooser)

    assert not any(tree.nodes[0].denied for tree in guarded)
    assert any(tree.nodes[0].denied == ("red",) for tree in unguarded)


def test_a_target_without_an_attribute_is_passed_over_unless_that_is_allowed():
    """As in the release, chain, and, or and order say an attribute of the target."""
    chooser = chooser_for(shelf())
    chooser.photograph.words[3].clear()

    assert not drawn(BUILDERS["chain"], 3, chooser)
    chooser.engine = replace(PLAIN, target_attribute=False)
    assert drawn(BUILDERS["chain"], 3, chooser)


@pytest.mark.parametrize("form", BUILDERS)
def test_a_composition_keeps_the_name_of_its_form(form):
    """Whatever a form is joined with, it still names the whole, and the whole can be said."""
    engine = replace(PLAIN, composition=1.0)
    table = made_up()
    forms = set()
    for scene in range(20):
        chooser = chooser_for(table, scene, engine)
        for target in range(len(chooser.photograph.names)):
            tree = build(form, target, chooser)
            if tree and (longer := lengthen(tree, chooser)):
                realise_reference(longer.expression())
            if tree:
                realise_reference(tree.expression())
                forms.add(tree.forms)

    assert {used[0] for used in forms} == {form}
    assert form == "chain" or any(len(used) > 1 for used in forms)
