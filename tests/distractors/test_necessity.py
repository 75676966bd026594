from __future__ import annotations

import pytest
from hypothesis import given

from deixis.distractors import competitors, is_minimal, necessity
from deixis.distractors.necessity import find_reached
from deixis.distractors.planned_misreadings import planned_misreadings
from deixis.errors import AmbiguousExpression
from deixis.expression import AnyOf, Description, Is, Not, Related, parts, without
from deixis.resolution import denotation, resolve
from deixis.scene import Context, PlainScene, Where
from deixis.schema import Attribute, Schema
from deixis.testing import expressions, the
from deixis.worlds.grid.drawn import grid


TWO_CIRCLES = Context.of(grid("r○ .\n. b○"), 0)


def test_a_word_is_needed_when_dropping_it_lets_another_object_in():
    """Of two circles, 'red' tells them apart and 'circle' does not."""
    needed = necessity(the("circle", color="red"), TWO_CIRCLES)

    assert {part.step: is_needed for part, is_needed in needed.items()} == {
        Is("color", "red"): True,
        Is("shape", "circle"): False,
    }


def test_dropping_an_idle_part_keeps_the_referent(red_circle_and_blue_square):
    """A part that is not necessary can be left out without changing what is meant."""
    full = the("circle", color="red")
    context = Context.of(red_circle_and_blue_square, 0)

    for part in parts(full):
        assert not necessity(full, context)[part]
        assert resolve(without(full, part), context) == resolve(full, context)


def test_parts_of_clauses_are_judged_too():
    """A clause, and each word in it, is necessary or not by the same rule."""
    scene = grid("""
        r○ b□ .
        g○ .  g□
        .  y▱ .
    """)
    expression = the("circle", Related("same row", the("square", color="blue")))

    needed = necessity(expression, Context.of(scene, 0))

    assert {part.address: is_needed for part, is_needed in needed.items()} == {
        (0,): False,  # only the circle is in a row with the blue square
        (1,): True,
        (1, 0): True,
        (1, 1): False,
    }


def test_an_expression_is_minimal_when_every_part_is_needed():
    """Shortening a minimal expression makes it fit other objects."""
    assert is_minimal(Description((Is("color", "red"),)), TWO_CIRCLES)
    assert not is_minimal(the("circle", color="red"), TWO_CIRCLES)


@pytest.mark.parametrize(
    ("expression", "count"), [(the("circle"), 2), (the("square"), 0), (the("circle", color="blue"), 1)]
)
@pytest.mark.parametrize("ask", [necessity, is_minimal, competitors])
def test_the_question_needs_an_expression_that_fits_the_target_alone(ask, expression, count):
    """Ambiguous, empty and misdirected expressions are refused, with the number of objects they fit."""
    with pytest.raises(AmbiguousExpression, match=rf"fits {count} objects of the context"):
        ask(expression, TWO_CIRCLES)


def test_competitors_are_listed_with_the_misreadings_that_reach_them():
    """Each wrong object names the careless readings under which it is taken for the target."""
    scene = grid("""
        r○ .  .
        .  b○ .
        .  .  r□
    """)

    found = competitors(the("circle", color="red"), Context.of(scene, 0))

    reached = {where.object: {str(misreading.expression) for misreading in by} for where, by in found.items()}
    assert reached == {
        1: {"[shape=circle]", "[color=blue, shape=circle]"},
        2: {"[color=red]", "[color=red, shape=square]"},
    }


def test_objects_that_no_misreading_reaches_are_not_competitors():
    """A green box is no rival of a red circle, and asking for other kinds of misreading finds other rivals."""
    scene = grid("""
        r○ b□ .
        .  r○ .
        .  .  g▣
    """)
    expression = the("circle", Related("same row", the("square")), color="red")

    found = competitors(expression, Context.of(scene, 0), kinds=("relation",))

    assert list(found) == [Where(0, 2)]
    assert competitors(expression, Context.of(scene, 0), kinds=("selector",)) == {}
    assert Where(0, 3) not in competitors(expression, Context.of(scene, 0))


def test_competitors_may_be_in_other_scenes():
    """In a context of several scenes a rival can be shown elsewhere; the target is never its own rival."""
    context = Context((grid("r○ .\n. ."), grid("b○ .\n. r○3")), Where(1, 0))

    found = competitors(the("circle", color="blue"), context)

    assert list(found) == [Where(0, 0), Where(1, 1)]


@given(expression=expressions(in_spoken_order=True))
def test_necessity_is_about_every_part(full_boards, expression):
    """Every part gets a verdict, and it is whether leaving the part out changes what is picked out."""
    for scene in full_boards[:40]:
        found = denotation(expression, scene)
        if len(found) == 1:
            needed = necessity(expression, Context.of(scene, next(iter(found))))
            changed = {p: denotation(without(expression, p), scene) != found for p in parts(expression)}
            assert needed == changed


@given(expression=expressions(in_spoken_order=True))
def test_competitors_are_all_that_misreadings_fit(full_boards, expression):
    """Scenes that lack a misread word are passed over, which leaves out nothing."""
    for scene in full_boards[:20]:
        found = denotation(expression, scene)
        if len(found) == 1:
            target = Where(0, next(iter(found)))
            context = Context((scene, full_boards[-1]), target)
            if resolve(expression, context).objects != {target}:
                continue
            reached = competitors(expression, context)
            by_definition = {}
            for one in planned_misreadings(expression, scene.schema):
                for where in resolve(one.expression, context).objects - {target}:
                    by_definition.setdefault(where, []).append(one)
            assert reached == {where: tuple(some) for where, some in by_definition.items()}
            assert find_reached(expression, context) == frozenset(by_definition)


def test_what_misreadings_reach_is_found_without_trying_words_that_name_nothing(monkeypatch):
    """A thousand names that nothing has, as in photographs, cost one reading; broader names count as names."""
    names = ("cat", "dog", "animal", *(f"name {number}" for number in range(1_000)))
    broader = (("cat", "animal"), ("dog", "animal"))
    schema = Schema(name="names", attributes=(Attribute(name="name", values=names, is_head=True, broader=broader),))
    scene = PlainScene(schema=schema, objects=tuple(frozenset((("name", one),)) for one in ("cat", "dog", "name 0")))
    expression = Description((AnyOf((Is("name", "cat"), Is("name", "name 999"))), Not(Is("name", "name 998"))))
    context = Context.of(scene, 0)
    expected = frozenset(competitors(expression, context))
    read = []

    def count_readings(reading, where):
        read.append(reading)
        return denotation(reading, where)

    monkeypatch.setitem(find_reached.__globals__, "denotation", count_readings)

    assert find_reached(expression, context) == expected == {Where(0, 1), Where(0, 2)}
    assert len(read) < 30
