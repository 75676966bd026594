from __future__ import annotations

import pytest
from hypothesis import given

from deixis.audits import measures
from deixis.audits._plain import features
from deixis.expression import Description, Extreme, Is, Nth, Related, parts
from deixis.resolution import resolve
from deixis.scene import Context, PlainScene, Where
from deixis.schema import Attribute, Schema, Which
from deixis.testing import expressions, grid_scenes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.scene import GRID
from tests.audits.strategies import grid_commands


@pytest.fixture
def yellow_square():
    """A yellow square beside a yellow circle and a red square: both words are needed."""
    return Context.of(
        grid("""
        0:y□1 .     .
        .     1:y○1 .
        .     .     2:r□1
    """)
    )


def test_a_colour_and_a_noun_may_both_be_needed(yellow_square):
    """With a rival for each word, neither suffices."""
    assert measures.colour_and_shape(parse("the yellow square"), yellow_square) == "both needed"


@pytest.mark.parametrize(
    ("rival", "suffices"),
    [("y○1", "shape alone suffices"), ("r□1", "colour alone suffices"), ("r○1", "either alone suffices")],
)
def test_one_of_colour_and_noun_may_suffice(rival, suffices):
    """A rival that shares one of the two makes the other word enough."""
    context = Context.of(grid(f"0:y□1 .\n. 1:{rival}"))

    assert measures.colour_and_shape(parse("the yellow square"), context) == suffices


def test_without_a_colour_word_there_is_nothing_to_compare(yellow_square):
    """The measure is about phrases that say both."""
    assert measures.colour_and_shape(parse("the circle"), yellow_square) is None


def test_kinds_of_parts_are_named_by_what_they_say():
    """Words are filed by attribute and phrase; the noun after 'inside of' is implied."""
    said = measures.audited_parts(parse("the small red circle that is inside of a blue box"), GRID)

    assert [(one.phrase, one.kind) for one in said] == [
        ("target", "noun"),
        ("target", "colour word"),
        ("target", "size word"),
        ("target", "clause"),
        ("other", "implied noun"),
        ("other", "colour word"),
    ]


def test_a_box_in_another_relation_is_not_implied():
    """Only 'inside of' says box by itself."""
    said = measures.audited_parts(parse("the circle that is in the same row as a box"), GRID)

    assert [one.kind for one in said] == ["noun", "clause", "noun"]


def test_words_of_other_worlds_have_kinds_too():
    """Attributes that a grid does not have are named after themselves, ranks are ranks."""
    wall = Attribute(name="wall_hue", values=("red", "blue"))
    schema = Schema(name="cups", attributes=(Attribute(name="name", values=("cup",), is_head=True), MATERIAL, wall))
    steps = (Is("name", "cup"), Is("material", "steel"), Is("wall_hue", "red"), Nth(1, "left"))
    said = measures.audited_parts(Description(steps), schema)
    seen = features(scene_of(schema, name="cup", material="steel", wall_hue="red"), 0)

    assert [one.kind for one in said] == ["noun", "material word", "wall hue word", "rank"]
    assert list(seen) == ["name", "material", "wall hue"]


MATERIAL = Attribute(name="material", values=("steel", "wood"))


def test_the_noun_alone_forgets_everything_else():
    """Only what nouns say is left; 'object' leaves nothing, which fits everything."""
    assert measures.noun_alone(parse("the small red circle that is in the same row as a box"), GRID) == parse(
        "the circle"
    )
    assert measures.noun_alone(parse("the red object"), GRID) == Description()


def test_the_first_clause_alone_needs_several():
    """Of two clauses the first is kept; of one there is no first."""
    one, two = "that is in the same row as a box", "and in the same column as a square"

    assert measures.first_clause_alone(parse(f"the circle {one} {two}")) == parse(f"the circle {one}")
    assert measures.first_clause_alone(parse(f"the circle {one}")) is None


def test_exchanges_move_words_and_relations():
    """Each kind of word changes places between each two phrases, and relations between clauses."""
    said = parse("the circle that is in the same row as a red square and in the same column as a box")

    readings = {reading.canonical() for reading in measures.exchanges(said)}

    assert readings == {
        parse(text).canonical()
        for text in (
            "the square that is in the same row as a red circle and in the same column as a box",
            "the box that is in the same row as a red square and in the same column as a circle",
            "the circle that is in the same row as a red box and in the same column as a square",
            "the red circle that is in the same row as a square and in the same column as a box",
            "the circle that is in the same row as a square and in the same column as a red box",
            "the circle that is in the same column as a red square and in the same row as a box",
        )
    }


def test_exchanges_reach_into_chains():
    """In a chain the inner clause exchanges its relation with the outer one."""
    said = parse("the circle that is in the same row as a circle that is in the same column as a circle")

    assert measures.exchanges(said) == (
        parse("the circle that is in the same column as a circle that is in the same row as a circle"),
    )


@given(expressions(max_depth=0, in_spoken_order=True), grid_scenes(min_objects=1))
def test_one_phrase_needs_no_order(expression, scene):
    """A command of one phrase is always solved by a bag of words: the paper's first point about gSCAN."""
    assert measures.bag_of_words_solves(expression, Context.of(scene))


def test_order_matters_where_words_could_change_places():
    """A red circle by a blue square is not a blue circle by a red square."""
    context = Context.of(
        grid("""
        0:r○1 1:b□1 .
        .     .     .
        .     2:b○1 3:r□1
    """)
    )
    said = parse("the red circle that is in the same row as a blue square")

    assert measures.solves(said, context)
    assert not measures.bag_of_words_solves(said, context)


@given(grid_commands(), grid_scenes(min_objects=1))
def test_an_exchange_says_the_same_words(expression, scene):
    """A bag of words keeps its words: every reading has the same values and relations, each as often."""
    for reading in measures.exchanges(expression):
        assert bag(reading) == bag(expression)
        assert reading != expression


def bag(expression):
    words = [part.step for part in parts(expression) if not isinstance(part.step, Related)]
    return sorted(map(str, words)), sorted(expression.relations())


def test_reasons_not_to_judge_are_told_apart():
    """An expression may fit nothing, several objects or another one."""
    scene = grid("0:r○1 1:r○2 .\n. 2:b□1 .\n. . .")
    reasons = [measures.why_not_judged(parse(f"the {words}"), Context.of(scene)) for words in PHRASES]

    assert reasons == [measures.NOTHING, measures.SEVERAL, measures.ANOTHER, ""]


PHRASES = ("green circle", "red circle", "square", "small circle")


@given(grid_commands(), grid_scenes(min_objects=1))
def test_what_is_left_without_a_part_is_what_the_shorter_expression_says(expression, scene):
    """There is one answer for every part."""
    left = measures.left_without(expression, Context.of(scene))

    assert list(left) == list(parts(expression))


def test_measures_hold_for_pairs_of_pictures():
    """In two pictures of one object each, the picture that shares the noun is a namesake and a competitor."""
    schema = Schema(
        name="rooms",
        attributes=(Attribute(name="shape", values=("ball", "pill"), is_head=True), HUE, SCALE),
    )
    scenes = [scene_of(schema, shape="ball", hue=hue, scale="tiny") for hue in ("red", "blue")]
    context = Context(tuple(scenes), Where(0, 0))
    said = Description((Is("shape", "ball"), Is("hue", "red")))

    assert len(measures.namesakes(said, context)) == 2
    assert measures.reached_by_misreading(said, context) == {Where(1, 0)}
    assert [len(found) for found in measures.left_without(said, context).values()] == [1, 2]
    assert resolve(Description((Extreme("scale", Which.LEAST),)), context).objects == {Where(0, 0), Where(1, 0)}


HUE = Attribute(name="hue", values=("red", "blue"))
SCALE = Attribute(name="scale", values=("tiny", "huge"), is_ordered=True)


def scene_of(schema, **values):
    return PlainScene(schema=schema, objects=(frozenset(values.items()),))
