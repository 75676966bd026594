"""Rules: what is held out, judged from the words and the mentioned objects."""

from __future__ import annotations

import pytest

from deixis.errors import DeixisError, RecipeError, UnknownName
from deixis.expression.parts import parts
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.splits.rules import Rule, phrase_key, relation_key


YELLOW_SQUARE = Rule(id="own/1", name="one", phrase="yellow square", decisive="color")


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("the yellow square", True),
        ("the small yellow square", True),
        ("the red circle that is in the same row as a big yellow square", True),
        ("the yellow circle that is in the same row as a red square", False),
        ("the yellow object", False),
        ("the square", False),
    ],
)
def test_a_phrase_is_said_of_one_object(text, held):
    """The words of a held-out phrase must stand in one noun phrase; others may stand between."""
    assert YELLOW_SQUARE.says(parse(text)) == held


def test_the_numbers_of_the_mentions_that_say_a_phrase():
    """Every mention that says the phrase is found, and its word where that must matter."""
    expression = parse("the yellow square that is in the same row as a small circle and inside of a yellow box")
    longer = parse("the circle that is in the same row as a big yellow square and in the same column as a red circle")

    assert list(YELLOW_SQUARE.mentions(expression)) == [0]
    assert list(YELLOW_SQUARE.mentions(longer)) == [1]
    (place,) = YELLOW_SQUARE.decisive_parts(longer)
    assert str(list(parts(longer))[place].step) == str(parse("the yellow object").steps[0])


def test_decisive_words_of_every_mention():
    """Where the phrase is said twice either word may be the decisive one."""
    rule = Rule(id="own/1", name="one", phrase="small circle", decisive="size")
    text = "the small circle that is in the same row as a small red circle and in the same column as a small square"

    assert len(rule.decisive_parts(parse(text))) == 2


def test_a_thing_is_seen_not_said():
    """An example is held out when a mentioned object is the thing, whatever it is called; others do not count."""
    rule = Rule(id="own/1", name="one", thing="red square")
    scene = grid("""
        0:r□1 1:b○2
        .     .
    """)
    turned = grid("""
        1:r□1 0:b○2
        .     .
    """)

    assert rule.holds(parse("the object that is in the same row as a blue circle"), scene)
    assert rule.shows(scene, 1)
    assert not rule.says(parse("the red square"))
    assert not rule.shows(turned, 1)


def test_relations_are_held_out_together():
    """Relations are held out only where all of them are said, in whatever order."""
    rule = Rule(id="own/1", name="one", relations=("same size", "inside"))

    assert rule.says(parse("the circle that is inside of a red box and in the same size as a blue square"))
    assert not rule.says(parse("the circle that is inside of a red box and in the same row as a blue square"))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("the circle that is inside of a red box and in the same shape as a blue object", True),
        (
            "the object that is inside of a box and in the same row as a circle and in the same shape as a red object",
            True,
        ),
        ("the object that is in the same shape as a blue object and inside of a red box", False),
        (
            "the object that is in the same row as a circle and inside of a box and in the same shape as a red object",
            False,
        ),
        ("the circle that is inside of a red box", False),
        ("the circle", False),
    ],
)
def test_relations_in_order_begin_with_the_first_clause(text, held):
    """Where the order counts, the first relation is that of the first clause and the others follow it."""
    rule = Rule(id="own/1", name="one", relations=("inside", "same shape"), in_order=True)

    assert rule.says(parse(text)) == held


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("the circle that is inside of a yellow box", True),
        ("the circle that is inside of the small yellow box and in the same row as a blue square", True),
        ("the circle that is in the same row as a blue square and inside of a yellow box", False),
        ("the circle that is inside of a big box and in the same row as a yellow square", False),
        ("the yellow circle that is inside of a red box", False),
        ("the yellow box", False),
    ],
)
def test_a_first_clause_is_held_out_with_its_words(text, held):
    """A held-out first clause has its relation and its words, and may say more; later clauses do not count."""
    rule = Rule(id="own/1", name="one", first_clause="inside of a yellow box")

    assert rule.says(parse(text)) == held


@pytest.mark.parametrize("notation", ["chain", "^ ^", "$OBJ_0 ^ $OBJ_1 ^ $OBJ_2"])
def test_a_pattern_is_held_out_however_it_is_written(notation):
    """Names and notations of one pattern give equal rules."""
    rule = Rule(id="own/1", name="one", pattern=notation)

    assert rule == Rule(id="own/1", name="one", pattern="chain")
    assert rule.says(parse("the circle that is inside of a red box that is in the same row as a blue square"))
    assert not rule.says(parse("the circle that is inside of a red box"))


def test_any_condition_is_enough():
    """A rule with several conditions holds out what satisfies one of them."""
    rule = Rule(id="own/1", name="one", phrase="red circle", relations=("same row",), thing="green box")

    assert rule.says(parse("the red circle"))
    assert rule.says(parse("the square that is in the same row as a blue circle"))
    assert rule.holds(parse("the box"), grid("g▣1 .\n. ."))
    assert not rule.holds(parse("the box"), grid("r▣1 .\n. ."))


def test_keys_do_not_depend_on_order():
    """Commands with the same phrases, or the same relations, in another order have equal keys."""
    one = parse("the circle that is in the same row as a red square and inside of a blue box")
    two = parse("the circle that is inside of a blue box and in the same row as a red square")

    assert phrase_key(one) == phrase_key(two)
    assert relation_key(one) == relation_key(two) == ("inside", "same row")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": "train", "thing": "box"},
        {"name": "all", "thing": "box"},
        {"name": "A B", "thing": "box"},
        {"name": "a+b", "thing": "box"},
        {"name": "a_b", "thing": "box"},
        {"name": "x" * 65, "thing": "box"},
        {"phrase": "object"},
        {"thing": "object"},
        {"thing": "small circle"},
        {"phrase": "circle that is inside of a box"},
        {"phrase": "purple circle"},
        {"phrase": "red circle", "decisive": "size"},
        {"decisive": "size", "thing": "red box"},
        {"relations": ("same mood",)},
        {"pattern": "p9"},
        {"new_phrases": True, "phrase": "red circle"},
        {"new_phrases": True, "first_clause": "inside of a box"},
        {"first_clause": "red box"},
        {"first_clause": "inside of a box and in the same row as a circle"},
        {"first_clause": "inside of a box that is in the same row as a circle"},
        {"thing": "box", "tested": 1},
        {"pattern": "p4", "tested": False},
        {"phrase": "red circle", "decisive": "color", "tested": False},
    ],
)
def test_rules_that_make_no_sense_are_refused(fields):
    """A rule that could hold out nothing, or something else than it says, is refused in one line."""
    with pytest.raises(DeixisError) as caught:
        Rule(**{"id": "own/x", "name": "x", **fields})

    assert isinstance(caught.value, RecipeError | UnknownName | ValueError)
    assert "\n" not in str(caught.value)
