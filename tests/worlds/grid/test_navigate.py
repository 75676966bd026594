"""Examples of the navigation task, and the number that names their content."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import ParseError, SchemaError
from deixis.seeds import fold
from deixis.testing import grid_scenes
from deixis.worlds.grid._kernels.worlds import digest_world
from deixis.worlds.grid.actions import Manner, Verb, plan_from_letters
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse, realise
from deixis.worlds.grid.navigate import Example, content_digest, content_id, text_digest
from deixis.worlds.grid.roles import Role, encode_misreading
from deixis.worlds.grid.scene import Agent, Facing, GridScene


TEXT = "push the small circle that is in the same row as a blue square hesitantly"
ROLES = (Role("target"), Role("mentioned", 1), Role("relation", 0), Role("size", 1), Role("random"))
MISREADINGS = (encode_misreading("relation", 1), encode_misreading("size", 0))


@pytest.fixture
def example():
    scene = grid("""
        >     .     .     .
        0:r○1 3:r○4 .     1:b□2
        .     2:g○1 .     .
        .     .     4:y▱2 .
    """)
    plan = plan_from_letters("RWS PS PS")
    return Example(text=TEXT, scene=scene, target=0, plan=plan, roles=ROLES, misreadings=MISREADINGS, split="train")


def test_an_example_knows_what_is_said(example):
    """Verb, manner, expression, pattern and words of parts come from the text."""
    assert (example.verb, example.manner, example.pattern) == (Verb.PUSH, Manner.HESITANTLY, "p2")
    assert example.expression == parse("the small circle that is in the same row as a blue square")
    assert example.utterance.words_of((2, -1)) == "a blue square"


def test_adjectives_are_read_in_any_order(example):
    """Texts of gSCAN, with colour before size, are examples too."""
    other = replace(example, text="walk to the red small circle")

    assert other.expression == parse("the small red circle")
    assert (other.verb, other.manner, other.pattern) == (Verb.WALK, Manner.NONE, "p1")


def test_an_example_shows_its_target_in_its_world(example):
    """The context is the one scene, with the target in it."""
    context = example.context

    assert context.scenes == (example.scene,)
    assert tuple(context.target) == (0, 0)


def test_the_plan_can_be_made_anew(example):
    """The gold plan is that of the planner for the verb and manner of the text."""
    assert replace(example, plan=()).gold_plan() == example.plan


def test_an_example_knows_which_parts_are_needed(example):
    """Necessity is judged for every part, in the order of `parts`, in the world of the example."""
    needed = {example.utterance.words_of(part.address): flag for part, flag in example.necessity().items()}

    assert needed == {
        "circle": False,
        "small": True,
        "in the same row as a blue square": True,
        "square": False,
        "blue": False,
    }


def test_distractors_name_the_misreading_they_punish(example):
    """An object placed for a misreading leads to it through the number of its set; others lead nowhere."""
    found = [example.misreading_of(index) for index in range(5)]

    assert [misreading and realise(misreading.expression).text for misreading in found] == [
        None,
        None,
        "the small circle",
        "the circle that is in the same row as a blue square",
        None,
    ]


def test_without_roles_or_codes_no_misreading_is_known(example):
    """Files that do not say why objects are there give no misreadings."""
    assert replace(example, roles=()).misreading_of(2) is None
    assert replace(example, misreadings=()).misreading_of(2) is None


def test_a_text_that_only_names_something_has_no_verb(example):
    """Asking for the verb of a noun phrase is an error that says so."""
    with pytest.raises(SchemaError, match="does not say what to do"):
        _ = replace(example, text="the circle").verb


def test_a_text_that_cannot_be_read_is_a_parse_error(example):
    """Reading happens when asked for, and names the mistake."""
    with pytest.raises(ParseError, match="'kick'"):
        _ = replace(example, text="kick the circle").expression


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": 5}, "target is object 5, but the world has 5 objects"),
        ({"target": -1}, "target is object -1"),
        ({"roles": ROLES[:3]}, "3 roles for 5 objects"),
    ],
)
def test_an_example_that_contradicts_itself_is_refused(example, change, message):
    """The target and the roles must be those of objects in the world."""
    with pytest.raises(SchemaError, match=message):
        replace(example, **change)


def test_the_content_of_an_example_has_a_fixed_number(example):
    """The number of an example never changes, since stored datasets carry it."""
    assert example.id == content_id(example.text, example.scene) == 10611640263981208376 >> 11
    assert example.digest == content_digest(example.text, example.scene) == 10611640263981208376


@given(grid_scenes(with_agent=True), st.sampled_from([TEXT, "", "walk to the circle"]))
def test_numbers_pass_through_json_and_floats(scene, text):
    """An id has at most 53 bits, so that JavaScript, floats and signed columns hold it without loss."""
    number = content_id(text, scene)

    assert 0 <= number < 2**53
    assert int(float(number)) == number


@given(st.data(), grid_scenes(with_agent=True))
def test_the_order_of_objects_does_not_matter(data, scene):
    """A reader cannot see the order of the objects, so it does not change the number."""
    shuffled = replace(scene, objects=tuple(data.draw(st.permutations(scene.objects))))

    assert content_id(TEXT, shuffled) == content_id(TEXT, scene)


def test_any_visible_change_changes_the_number(example):
    """A change of text, grid, agent or any attribute of any object gives another number."""
    scene = example.scene
    changed = [replace(scene, size=5), replace(scene, agent=None), replace(scene, objects=scene.objects[:-1])]
    changed += [replace(scene, agent=agent) for agent in (Agent(1, 0), Agent(0, 1), Agent(0, 0, Facing.NORTH))]
    changed += [replace(scene, objects=(*scene.objects, scene.objects[0]))]
    edits = ({"shape": "box"}, {"color": "yellow"}, {"size": 3}, {"row": 2}, {"column": 2})
    for index, edit in product(range(5), edits):
        objects = list(scene.objects)
        objects[index] = replace(objects[index], **edit)
        changed += [replace(scene, objects=tuple(objects))] * (tuple(objects) != scene.objects)
    others = {content_id(TEXT, other) for other in changed} | {content_id(TEXT + " ", scene)}

    assert example.id not in others
    assert len(others) == len(changed) + 1


def test_what_a_reader_cannot_see_does_not_change_the_number(example):
    """Plan, roles, target and provenance are no content."""
    other = replace(
        example, plan=(), roles=(), misreadings=(), split="test", target=3, command_number=4, world_number=2
    )

    assert other.id == example.id


@given(grid_scenes(with_agent=True, min_objects=1), st.sampled_from([TEXT, "", "walk to the circle"]))
def test_the_compiled_digest_is_the_plain_one(scene, text):
    """The number is the digest of the text folded with what the kernel makes of the world."""
    objects = np.array([thing.codes() for thing in scene.objects], np.uint8)
    agent = scene.agent

    world = digest_world(objects, len(objects), scene.size, agent.row, agent.column, int(agent.facing))

    assert content_digest(text, scene) == fold((int(world),), text_digest(text))


def test_an_empty_world_has_a_number_too():
    """Without objects and agent there is still a number."""
    assert content_id("", GridScene(())) != content_id("", GridScene((), size=5))
