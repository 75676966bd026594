from __future__ import annotations

import pytest
from hypothesis import given

from deixis.errors import SchemaError, UnknownName
from deixis.scene import Context, PlainScene, Point, Scene, Where
from deixis.schema import Attribute, Relation, Schema
from deixis.testing import plain_scenes
from deixis.worlds.grid.drawn import grid


PHOTO = Schema(
    name="photo",
    attributes=(Attribute(name="name", values=("cup", "table")), Attribute(name="color", values=("red", "white"))),
    relations=(Relation(name="on"), Relation(name="near", is_symmetric=True)),
)
CUP = frozenset({("name", "cup"), ("color", "red"), ("color", "white")})
TABLE = frozenset({("name", "table")})


def test_a_written_out_scene_answers_from_its_records():
    """A plain scene knows the values and links written into it, and nothing else."""
    scene = PlainScene(schema=PHOTO, objects=(CUP, TABLE), links=frozenset({("on", 0, 1)}), points=(Point(1, 2),) * 2)

    assert len(scene) == 2
    assert scene.values(0, "color") == {"red", "white"}
    assert scene.values(1, "color") == frozenset()
    assert scene.related("on", 0, 1)
    assert not scene.related("on", 1, 0)
    assert scene.position(1) == Point(1, 2)


def test_a_symmetric_relation_may_be_recorded_either_way_round():
    """One record of nearness makes both objects near each other."""
    scene = PlainScene(schema=PHOTO, objects=(CUP, TABLE), links=frozenset({("near", 0, 1)}))

    assert scene.related("near", 0, 1)
    assert scene.related("near", 1, 0)
    assert not scene.related("near", 0, 0)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"objects": (frozenset({("color", "green")}),)}, UnknownName),
        ({"objects": (frozenset({("taste", "sweet")}),)}, UnknownName),
        ({"objects": (CUP,), "links": frozenset({("under", 0, 0)})}, UnknownName),
        ({"objects": (CUP,), "links": frozenset({("on", 0, 1)})}, SchemaError),
        ({"objects": (CUP,), "links": frozenset({("on", -1, 0)})}, SchemaError),
        ({"objects": (CUP, TABLE), "points": (Point(0, 0),)}, SchemaError),
    ],
)
def test_a_scene_says_only_what_its_schema_can_say(wrong, error):
    """Unknown values, attributes and relations, links to objects that are not there and missing points are refused."""
    with pytest.raises(error):
        PlainScene(schema=PHOTO, **wrong)


def test_a_scene_without_points_has_no_order():
    """Asking where things are in a scene that does not say is an error with a remedy."""
    scene = PlainScene(schema=PHOTO, objects=(CUP,))

    with pytest.raises(SchemaError, match="give it points"):
        scene.position(0)


def test_grids_and_written_out_scenes_are_both_scenes():
    """Either kind of scene answers all the questions of the protocol."""
    assert isinstance(PlainScene(schema=PHOTO, objects=()), Scene)
    assert isinstance(grid(". .\n. ."), Scene)


@pytest.mark.parametrize("target", [Where(1, 0), Where(0, 2), Where(-1, 0), Where(0, -1)])
def test_a_target_is_an_object_of_the_context(target):
    """A context cannot mean an object that none of its scenes holds."""
    scene = PlainScene(schema=PHOTO, objects=(CUP, TABLE))

    with pytest.raises(SchemaError, match="not an object of this context"):
        Context((scene,), target)


def test_one_scene_makes_a_context():
    """The context of a single scene shows that scene and means the given object of it."""
    scene = PlainScene(schema=PHOTO, objects=(CUP, TABLE))

    assert Context.of(scene, 1) == Context((scene,), Where(0, 1))


@given(plain_scenes(PHOTO))
def test_links_are_what_was_written(scene):
    """Whatever is drawn, a relation holds exactly where it was recorded, or its mirror image for symmetric ones."""
    for one in range(len(scene)):
        for two in range(len(scene)):
            assert scene.related("on", one, two) == (("on", one, two) in scene.links)
            assert scene.related("near", one, two) == scene.related("near", two, one)
