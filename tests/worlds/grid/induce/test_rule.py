"""Rules: what they find, what they do, and how they are said."""

from __future__ import annotations

import pytest

from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.induce import Operation, Rule
from deixis.worlds.grid.induce.edits import DrawBeside, Enlarge, Move, Paint, Reshape, edits_of
from deixis.worlds.grid.induce.rule import length_of
from deixis.worlds.grid.language import parse


SCENE = grid("""
    r○1 .   b□1
    .   .   .
    g○1 .   .
""")


def test_a_rule_finds_one_object_and_changes_it():
    """The published example: what is in the same row as a red circle becomes red."""
    rule = Rule(parse("the object that is in the same row as the red circle"), Paint("red"))

    assert rule.apply(SCENE) == grid("r○1 . r□1\n. . .\ng○1 . .")


@pytest.mark.parametrize("text", ["the circle", "the yellow circle", "the blue square"])
def test_a_rule_has_no_output_where_it_cannot_be_followed(text):
    """Several objects, none, or an edit that would change nothing."""
    assert Rule(parse(text), Paint("blue")).apply(SCENE) is None


@pytest.mark.parametrize(
    ("edit", "english", "wording"),
    [
        (Paint("red"), "; paint it red.", "DRAW the circle WITH RED COLOR"),
        (Enlarge(), "; make it one size larger.", "ENLARGE the circle"),
        (Reshape("box"), "; turn it into a box of the same color around its cell.", "TO A SAME COLORED BOX"),
        (Reshape("square"), "; turn it into a square of the same color and size.", "TO A SAME COLORED SQUARE"),
        (DrawBeside("down"), "; draw a blue square of size 4 in the cell below it.", "OF SIZE 4 BELOW the circle"),
        (Move("left"), "; move it one cell to the left.", "MOVE the circle TO THE LEFT BY ONE CELL"),
        (Move("up", "until blocked"), "; move it up until the edge or another object stops it.", "UP UNTIL BLOCKED"),
    ],
)
def test_a_rule_is_said_plainly_and_as_published(edit, english, wording):
    """Both wordings name the object and what becomes of it."""
    rule = Rule(parse("the circle"), edit)

    assert rule.english() == f"Find the circle{english}"
    assert wording in rule.wording()


def test_different_edits_are_said_differently():
    """No two rules have the same words."""
    rules = [Rule(parse("the circle"), edit) for operation in Operation for edit in edits_of(operation)]

    assert len({rule.english() for rule in rules}) == len({rule.wording() for rule in rules}) == len(rules)


def test_the_order_of_clauses_makes_no_other_rule():
    """Rules that differ only in the order of their clauses mean the same."""
    one = "the circle that is in the same row as a red square and inside of a big box"
    two = "the circle that is inside of a big box and in the same row as a red square"

    assert Rule(parse(one), Enlarge()).means(Rule(parse(two), Enlarge()))
    assert not Rule(parse(one), Enlarge()).means(Rule(parse(two), Paint("red")))


@pytest.mark.parametrize(
    ("text", "length"),
    [("the circle", 1), ("the small red circle", 3), ("the object that is in the same row as a red square", 3)],
)
def test_the_length_counts_words_and_clauses(text, length):
    """'object' says nothing and counts for nothing."""
    assert length_of(parse(text)) == length
