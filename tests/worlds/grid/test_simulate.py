"""Carrying out actions: what moves, what blocks, and who got there."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.worlds.grid.actions import MANNERS, VERBS, Action, Manner, Verb, plan_from_letters
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.plan import plan, room_to_move
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene
from deixis.worlds.grid.simulate import got_there, reaches, simulate, visited_object


CELLS = tuple(product(range(5), range(5)))


@st.composite
def scenes(draw):
    """A 5x5 grid with up to eight solids on different cells, up to two boxes, and an agent facing anywhere."""
    cells = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=8, unique=True))
    solids = [GridObject("square", "green", draw(st.integers(1, 4)), *cell) for cell in cells]
    corners = draw(st.lists(st.sampled_from(CELLS), max_size=2, unique=True))
    boxes = [GridObject("box", "blue", 1, *corner) for corner in corners]
    agent = Agent(*draw(st.sampled_from(CELLS)), draw(st.sampled_from(Facing)))
    return GridScene((*solids, *boxes), size=5, agent=agent)


plans = st.lists(st.sampled_from(Action), max_size=40).map(tuple)


def cell(thing):
    """The row and column of an agent or object."""
    return thing.row, thing.column


@settings(deadline=None)
@given(scenes(), st.sampled_from(MANNERS))
def test_a_walk_ends_on_the_target_and_moves_nothing(scene, manner):
    """Carrying out the plan of a walk puts the agent on the target and leaves the objects alone."""
    outcome = simulate(scene, plan(scene, 0, Verb.WALK, manner))

    assert cell(outcome.agent) == cell(scene.objects[0])
    assert outcome.objects == scene.objects
    assert (outcome.moved, outcome.touched, outcome.bumped, outcome.missed) == (None, None, 0, 0)


@settings(deadline=None)
@given(scenes(), st.sampled_from((Verb.PUSH, Verb.PULL)), st.sampled_from(MANNERS))
def test_push_and_pull_take_only_the_target_as_far_as_it_goes(scene, verb, manner):
    """Carrying out the plan of a push or pull leaves the agent on the target, which has nowhere left to go."""
    outcome = simulate(scene, plan(scene, 0, verb, manner))
    after = GridScene(outcome.objects, size=scene.size, agent=outcome.agent)
    turned = 0 if verb == Verb.PUSH else 2

    assert cell(outcome.agent) == cell(outcome.objects[0])
    assert outcome.objects[1:] == scene.objects[1:]
    assert room_to_move(after, 0, Facing((outcome.agent.facing + turned) % 4)) == 0
    assert (outcome.bumped, outcome.missed) == (0, 0)


@settings(deadline=None)
@given(scenes(), st.sampled_from(VERBS), st.sampled_from(MANNERS))
def test_the_right_plan_gets_there(scene, verb, manner):
    """The right plan reaches the target, gets there and visits it."""
    actions = plan(scene, 0, verb, manner)

    assert reaches(scene, actions, target=0)
    assert got_there(scene, actions, target=0, verb=verb, manner=manner)
    assert visited_object(scene, actions) == 0


@settings(deadline=None)
@given(scenes(), plans)
def test_any_actions_keep_the_scene_sound(scene, actions):
    """Whatever is done, nothing leaves the grid, no two solids share a cell and boxes stay where they are."""
    outcome = simulate(scene, actions)
    solids = [cell(thing) for thing in outcome.objects if not thing.is_box]

    GridScene(outcome.objects, size=scene.size, agent=outcome.agent)
    assert len(set(solids)) == len(solids)
    assert [thing for thing in outcome.objects if thing.is_box] == [thing for thing in scene.objects if thing.is_box]
    assert outcome.steps == len(actions)


@settings(deadline=None)
@given(scenes(), plans, plans)
def test_without_heavy_solids_actions_can_be_carried_out_in_two_goes(scene, first, second):
    """Where every effort counts at once, stopping in between changes nothing."""
    light = tuple(GridObject(t.shape, t.color, min(t.size, 2), t.row, t.column) for t in scene.objects)
    start = GridScene(light, size=scene.size, agent=scene.agent)

    halfway = simulate(start, first)
    rest = simulate(GridScene(halfway.objects, size=scene.size, agent=halfway.agent), second)

    assert simulate(start, first + second).cells == rest.cells


@pytest.mark.parametrize(
    ("letters", "column"),
    [
        ("P", 1),
        ("PP", 2),
        ("PPP", 2),
        ("PPPP", 3),
        ("PSPS", 2),  # hesitantly
        ("LRRLPLRRLP", 2),  # cautiously
        ("LLLLPLLLLP", 2),  # spinning
        ("PQ", 1),
        ("PLPRP", 1),  # another direction undoes the first effort
        ("PWLLWLLP", 1),  # and so does walking off and coming back
    ],
)
def test_heavy_solids_yield_to_every_second_push(letters, column):
    """A heavy solid moves on the second effort in one direction, pauses and turns in between notwithstanding."""
    scene = grid("""
        . .     . .
        . b□3+> . .
        . .     . .
        . .     . .
    """)

    outcome = simulate(scene, plan_from_letters(letters))

    assert cell(outcome.objects[0]) == (1, column)
    assert cell(outcome.agent) == (1, column)
    assert outcome.bumped == 0


def test_pulling_goes_backwards_without_turning():
    """A pull takes agent and solid one cell back, and the agent still faces ahead."""
    scene = grid("""
        . . .
        . . r○2+>
        . . .
    """)

    outcome = simulate(scene, plan_from_letters("QQQ"))

    assert outcome.agent == Agent(1, 0, Facing.EAST)
    assert cell(outcome.objects[0]) == (1, 0)
    assert (outcome.moved, outcome.bumped) == (0, 1)


def test_the_edge_stops_a_walk():
    """Walking off the grid has no effect but a bump."""
    scene = grid("""
        r○ .
        .  >
    """)

    outcome = simulate(scene, plan_from_letters("WWRW"))

    assert cell(outcome.agent) == (1, 1)
    assert outcome.bumped == 3


def test_another_solid_stops_a_push_and_a_box_does_not():
    """A solid is pushed over a box but not onto another solid."""
    scene = grid("""
        r○+> g▣1 b□ .
        .    .   .  .
        .    .   .  .
        .    .   .  .
    """)

    outcome = simulate(scene, plan_from_letters("PPP"))

    assert [cell(thing) for thing in outcome.objects] == [(0, 1), (0, 1), (0, 2)]
    assert (outcome.moved, outcome.touched, outcome.bumped) == (0, 0, 2)


def test_pushing_nothing_is_a_miss():
    """With no solid under the agent, a box or nothing at all, a push does nothing."""
    scene = grid("""
        g▣1+> .
        .     r○
    """)

    outcome = simulate(scene, plan_from_letters("PWQ"))

    assert outcome.agent == Agent(0, 1, Facing.EAST)
    assert outcome.objects == scene.objects
    assert (outcome.missed, outcome.moved, outcome.touched) == (2, None, None)


def test_the_trail_shows_every_step():
    """The trail holds the agent at the start and after every action."""
    scene = grid("""
        >  .
        .  r○
    """)

    outcome = simulate(scene, plan_from_letters("WRSW"))

    assert [cell(agent) for agent in outcome.trail] == [(0, 0), (0, 1), (0, 1), (0, 1), (1, 1)]
    assert outcome.steps == 4


def test_a_detour_gets_there_and_a_wrong_object_does_not():
    """Only where things end up counts, and the error is traced to the object that was taken instead."""
    scene = grid("""
        >  .  b□
        .  .  .
        r○ .  .
    """)
    detour, wrong = plan_from_letters("WRWWRW"), plan_from_letters("WW")
    asked = {"target": 1, "verb": Verb.WALK, "manner": Manner.NONE}

    assert got_there(scene, detour, **asked)
    assert not got_there(scene, wrong, **asked)
    assert (visited_object(scene, detour), visited_object(scene, wrong)) == (1, 0)


def test_reaching_the_target_is_not_enough_for_a_push():
    """An agent that reaches the target but pushes too little did not get there."""
    scene = grid("""
        >  r○ . .
        .  .  . .
        .  .  . .
        .  .  . .
    """)
    short = plan_from_letters("WP")

    assert reaches(scene, short, target=0)
    assert not got_there(scene, short, target=0, verb=Verb.PUSH)
    assert got_there(scene, plan_from_letters("WPP"), target=0, verb=Verb.PUSH)


def test_the_first_solid_touched_is_the_one_meant():
    """A solid that was pushed counts as visited even if the agent ends elsewhere."""
    scene = grid("""
        >  r○ b□
        .  .  .
        .  .  .
    """)

    assert visited_object(scene, plan_from_letters("WPW")) == 0
    assert visited_object(scene, plan_from_letters("WW")) == 1
    assert visited_object(scene, plan_from_letters("RW")) is None
    assert not reaches(scene, plan_from_letters("PW"), target=0)


def test_scenes_without_agent_or_target_are_refused():
    """There is nobody to act without an agent, and nothing to reach without a target."""
    scene = grid("""
        >  .
        .  r○
    """)

    with pytest.raises(SchemaError, match="no agent"):
        simulate(GridScene(scene.objects, size=2), ())
    with pytest.raises(SchemaError, match="no object 1"):
        reaches(scene, (), target=1)
