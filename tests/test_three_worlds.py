"""One core for three papers: a board of solids, a pair of rooms with six factors, photographs with scene graphs."""

from __future__ import annotations

import pytest
from hypothesis import given

from deixis.distractors import competitors, is_minimal, necessity, planned_misreadings
from deixis.errors import AmbiguousExpression
from deixis.expression import AnyOf, Description, Is, Not, Nth, Related, compile_expression, decompile
from deixis.resolution import denotation, resolve, resolve_one, trace
from deixis.scene import Context, PlainScene, Point, Where
from deixis.schema import Attribute, Relation, Schema
from deixis.testing import expressions, plain_scenes, the
from deixis.worlds.grid.drawn import grid


# Rooms: six factors, one object per scene, everything said is a feature (A3DS).

HUES = ("red", "orange", "yellow", "green", "blue", "purple")
ROOMS = Schema(
    name="rooms",
    attributes=(
        Attribute(name="shape", values=("block", "cylinder", "ball", "pill"), is_head=True),
        Attribute(name="object hue", values=HUES),
        Attribute(name="wall hue", values=HUES),
        Attribute(name="floor hue", values=HUES),
        Attribute(name="scale", values=("tiny", "small", "large", "huge")),
        Attribute(name="orientation", values=("left", "middle", "right")),
    ),
)
RED_BALL = ("ball", "red", "blue", "green", "tiny", "left")


def room(*values: str) -> PlainScene:
    names = [attribute.name for attribute in ROOMS.attributes]
    return PlainScene(schema=ROOMS, objects=(frozenset(zip(names, values, strict=True)),))


def caption(*values: str) -> Description:
    names = [attribute.name for attribute in ROOMS.attributes]
    return Description(tuple(Is(name, value) for name, value in zip(names, values, strict=True)))


@pytest.mark.parametrize("factor", range(6))
def test_the_necessary_parts_of_a_caption_are_its_contrastive_feature(factor):
    """When two rooms differ in one factor, an exhaustive caption needs exactly the word for that factor."""
    other = list(RED_BALL)
    attribute = ROOMS.attributes[factor]
    other[factor] = next(value for value in attribute.values if value != RED_BALL[factor])
    context = Context((room(*RED_BALL), room(*other)), Where(0, 0))

    needed = necessity(caption(*RED_BALL), context)

    assert [part.attribute for part, is_needed in needed.items() if is_needed] == [attribute.name]
    assert is_minimal(Description((Is(attribute.name, RED_BALL[factor]),)), context)


def test_rooms_that_differ_twice_need_neither_word_alone():
    """When two features tell the rooms apart, either will do, so neither is necessary."""
    context = Context((room(*RED_BALL), room("block", "blue", *RED_BALL[2:])), Where(0, 0))

    assert not any(necessity(caption(*RED_BALL), context).values())


def test_a_caption_without_the_contrastive_feature_is_ambiguous():
    """A true caption that leaves out what differs fits both rooms."""
    context = Context((room(*RED_BALL), room("block", *RED_BALL[1:])), Where(0, 0))

    with pytest.raises(AmbiguousExpression, match="fits 2 objects"):
        resolve_one(Description(caption(*RED_BALL).steps[1:]), context)


def test_the_other_room_is_the_competitor():
    """The second room is reached by dropping or misreading the word that it differs in, and by nothing else."""
    context = Context((room(*RED_BALL), room("block", *RED_BALL[1:])), Where(0, 0))

    found = competitors(caption(*RED_BALL), context)

    assert list(found) == [Where(1, 0)]
    assert [misreading.parts[0].step for misreading in found[Where(1, 0)]] == [Is("shape", "ball")] * 2


# Photographs: several values per attribute, an open list of relations, a taxonomy of names, order (Cops-Ref).

PHOTO = Schema(
    name="photo",
    attributes=(
        Attribute(
            name="name",
            values=("man", "woman", "person", "cup", "glass", "vessel", "table", "cat"),
            is_head=True,
            broader=(("man", "person"), ("woman", "person"), ("cup", "vessel"), ("glass", "vessel")),
        ),
        Attribute(name="color", values=("white", "black", "red", "blue")),
        Attribute(name="material", values=("wood", "steel")),
    ),
    relations=(
        Relation(name="on"),
        Relation(name="holding"),
        Relation(name="same color", is_symmetric=True),
    ),
)
MAN, WOMAN, CUP, GLASS, TABLE, CAT, LAST_CUP = range(7)
KITCHEN = PlainScene(
    schema=PHOTO,
    objects=(
        frozenset({("name", "man")}),
        frozenset({("name", "woman"), ("color", "red")}),
        frozenset({("name", "cup"), ("color", "white")}),
        frozenset({("name", "glass")}),
        frozenset({("name", "table"), ("color", "white"), ("material", "wood")}),
        frozenset({("name", "cat"), ("color", "white"), ("color", "black")}),
        frozenset({("name", "cup"), ("color", "red")}),
    ),
    links=frozenset(
        {
            ("on", CUP, TABLE),
            ("on", GLASS, TABLE),
            ("holding", MAN, LAST_CUP),
            ("holding", WOMAN, CAT),
            ("same color", CUP, TABLE),
            ("same color", CAT, TABLE),
            ("same color", WOMAN, LAST_CUP),
        }
    ),
    points=tuple(Point(10 * (i % 3), 40 * i) for i in range(7)),
)


def a(name: str, *steps: object) -> Description:
    return Description((Is("name", name), *steps))


ON_TABLE = Related("on", a("table"))


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        pytest.param(a("person"), {MAN, WOMAN}, id="a wider name"),
        pytest.param(a("man"), {MAN}, id="the name itself"),
        pytest.param(a("cat", Is("color", "white")), {CAT}, id="one of several values"),
        pytest.param(a("cat", Is("color", "white"), Is("color", "black")), {CAT}, id="both of several values"),
        pytest.param(a("vessel", ON_TABLE), {CUP, GLASS}, id="a recorded relation"),
        pytest.param(a("person", Related("holding", a("vessel"))), {MAN}, id="a wider name inside a clause"),
        pytest.param(a("vessel", Nth(1, "left")), {CUP}, id="first from the left"),
        pytest.param(a("vessel", Nth(1, "right")), {LAST_CUP}, id="first from the right"),
        pytest.param(a("vessel", ON_TABLE, Nth(2, "left")), {GLASS}, id="second from the left of those"),
        pytest.param(a("vessel", Not(ON_TABLE)), {LAST_CUP}, id="not on"),
        pytest.param(a("person", Not(Is("color", "red"))), {MAN}, id="not recorded as red"),
        pytest.param(
            a("person", AnyOf((Related("holding", a("cat")), Related("holding", a("cup"))))), {MAN, WOMAN}, id="or"
        ),
        pytest.param(Description((Related("same color", a("table")),)), {CUP, CAT}, id="same"),
        pytest.param(a("vessel", Related("same color", a("table", Is("material", "wood")))), {CUP}, id="same, chained"),
    ],
)
def test_photographs_are_spoken_of_with_the_same_steps(expression, found):
    """Chains, order, or, not and same are steps like any other; names cover what falls under them."""
    assert denotation(expression, KITCHEN) == found
    assert trace(expression, KITCHEN).referents == found
    assert decompile(compile_expression(expression, PHOTO), PHOTO) == expression


def test_two_mentions_may_be_one_object_in_a_photograph():
    """Photographs have no convention of different objects: both clauses may speak of the one table."""
    assert denotation(a("cup", ON_TABLE, Related("same color", a("table"))), KITCHEN) == {CUP}


def test_a_photograph_among_others_holds_the_target():
    """Only what excludes the rival in another photograph is necessary: there the cup is on nothing."""
    other = PlainScene(
        schema=PHOTO,
        objects=(frozenset({("name", "cup"), ("color", "white")}), frozenset({("name", "table")})),
        points=(Point(0, 0), Point(0, 1)),
    )
    context = Context((KITCHEN, other), Where(0, CUP))
    expression = a("cup", Is("color", "white"), ON_TABLE)

    needed = necessity(expression, context)

    assert resolve(expression, context).only() == Where(0, CUP)
    assert [part.step for part, is_needed in needed.items() if is_needed] == [ON_TABLE]
    assert Where(1, 0) in competitors(expression, context, kinds=("relation",))


@given(expressions(PHOTO), plain_scenes(PHOTO))
def test_every_misreading_of_a_photograph_can_be_resolved(expression, scene):
    """The misreadings of any expression are expressions of the same schema."""
    for misreading in planned_misreadings(expression, PHOTO):
        assert denotation(misreading.expression, scene) <= frozenset(range(len(scene)))


# The board: computed relations, relative sizes, different objects (ReaSCAN).


def test_a_command_of_the_board_needs_every_clause():
    """Without its first clause a circle outside the boxes fits too, without its second one in another row."""
    scene = grid("""
        .     0:g▣2 1:r○1 .     2:b□2
        .     .     .     .     .
        3:g▣1+4:r○1 .   . .     .
        .     5:r○1 .     .     6:b□1
        .     .     .     .     7:r○4
    """)
    clauses = (Related("inside", the("box", color="green")), Related("same row", the("square", color="blue")))
    expression = the("circle", *clauses, size="small")

    needed = necessity(expression, Context.of(scene, 1))

    assert denotation(expression, scene) == {1}
    assert [verdict for part, verdict in needed.items() if part.kind == "clause"] == [True, True]
    assert {where.object for where in competitors(expression, Context.of(scene, 1), kinds=("relation",))} == {4, 5}
