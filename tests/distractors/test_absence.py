"""Expressions of absent things: one part differs, nothing fits, and the same seed gives the same."""

from __future__ import annotations

import pytest

from deixis.distractors.absence import absence, absences
from deixis.expression.description import Description
from deixis.expression.parts import mention_at, replacing
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.resolution.reference import denotation
from deixis.scene.scene import PlainScene, Point
from deixis.schema import Attribute, Relation, Schema, Which
from deixis.seeds import Stream


SCHEMA = Schema(
    name="things",
    attributes=(
        Attribute(name="kind", values=("cube", "ball", "solid", "cone"), is_head=True, broader=(("cube", "solid"),)),
        Attribute(name="color", values=("red", "blue", "green")),
        Attribute(name="size", values=("1", "2", "3"), is_ordered=True),
    ),
    relations=(Relation(name="on"), Relation(name="inside", to=(("kind", "cone"),)), Relation(name="under")),
)


def thing(kind, color, size="1"):
    return frozenset({("kind", kind), ("color", color), ("size", size)})


SCENE = PlainScene(
    schema=SCHEMA,
    objects=(thing("cube", "red", "3"), thing("ball", "blue"), thing("ball", "red", "2")),
    links=frozenset({("on", 0, 1)}),
    points=(Point(0, 0), Point(0, 1), Point(0, 2)),
)
OTHER = PlainScene(schema=SCHEMA, objects=(thing("cube", "green"),), points=(Point(0, 0),))
ON_BALL = Related("on", Description((Is("kind", "ball"),)))
SAID = {
    "a noun": Description((Is("kind", "cube"),)),
    "a noun and a colour": Description((Is("color", "red"), Is("kind", "cube"))),
    "a clause": Description((Is("kind", "cube"), ON_BALL)),
    "a size": Description((Is("kind", "ball"), Extreme("size", Which.LEAST))),
    "a rank": Description((Is("kind", "cube"), Nth(1, "left"))),
    "a negation": Description((Is("kind", "ball"), Not(Is("color", "red")))),
    "an alternative": Description((AnyOf((Is("kind", "cube"), Is("color", "green"))), Is("color", "red"))),
}


@pytest.mark.parametrize("scenes", [(SCENE,), (SCENE, OTHER)])
@pytest.mark.parametrize("name", SAID)
def test_nothing_fits_and_one_part_differs(name, scenes):
    """Every scene is asked, and undoing the change gives the original."""
    expression = SAID[name]
    found = list(absences(expression, scenes, rng=Stream(1)))

    assert found or name == "a rank"
    assert len({one.expression for one in found}) == len(found)
    for one in found:
        assert not any(denotation(one.expression, scene) for scene in scenes)
        assert one.expression != expression
        assert replacing(one.expression, one.part, one.part.step) == expression
        assert one.before != one.after


def test_words_that_the_scene_shows_come_first():
    """A blue cube is proposed before a green one, since something is blue."""
    order = [one.after for one in absences(SAID["a noun and a colour"], (SCENE,), rng=Stream(3)) if one.before == "red"]
    assert order == ["blue", "green"]


def test_a_wider_word_is_no_change():
    """A cube is a solid."""
    assert "solid" not in {one.after for one in absences(SAID["a noun"], (SCENE,), rng=Stream(0))}


def test_a_relation_keeps_what_it_demands():
    """'inside' is said of cones only."""
    found = {one.after for one in absences(SAID["a clause"], (SCENE,), rng=Stream(0)) if one.before == "on"}
    assert found == {"under"}


def test_what_is_denied_stays():
    """Only the noun of 'a ball that is not red' changes."""
    for one in absences(SAID["a negation"], (SCENE,), rng=Stream(0)):
        assert one.part.address == (0,)


def test_the_same_seed_gives_the_same_change():
    """And others give others."""
    found = {seed: absence(SAID["a clause"], (SCENE,), rng=Stream(seed)) for seed in range(20)}
    assert all(found[seed] == absence(SAID["a clause"], (SCENE,), rng=Stream(seed)) for seed in found)
    assert len({one.after for one in found.values()}) > 1


def test_words_can_be_given():
    """Only these are said."""
    found = absences(SAID["a noun"], (SCENE,), rng=Stream(0), values=lambda _: ("cone",))
    assert [one.after for one in found] == ["cone"]


def test_without_scenes_there_is_none():
    """Nothing can be proved absent from nowhere."""
    assert absence(SAID["a noun"], (), rng=Stream(0)) is None


def test_the_part_is_addressed():
    """The address leads to the changed step in both expressions."""
    one = next(one for one in absences(SAID["a clause"], (SCENE,), rng=Stream(0)) if one.before == "ball")
    assert one.part.address == (1, 0)
    assert mention_at(one.expression, (1,)).steps[0] == Is("kind", one.after)
