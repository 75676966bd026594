"""The compiled planner and simulator agree with the plain ones."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.worlds.grid._kernels.plan import longest_plan, plan_into, simulate_plans
from deixis.worlds.grid.actions import MANNERS, VERBS, Action, Manner, Verb, plan_from_codes, plan_to_words
from deixis.worlds.grid.plan import plan
from deixis.worlds.grid.scene import COLORS, SHAPES, Agent, Facing, GridBatch, GridObject, GridScene
from deixis.worlds.grid.simulate import simulate


SAMPLE = Path(__file__).parents[2] / "../shared/data/reascan/official_2rel_test_sample.json"

actions = st.lists(st.sampled_from(Action), max_size=40)


@st.composite
def scenes(draw, *, smallest=2, largest=8):
    """A grid with solids on different cells, boxes anywhere among them, and an agent facing anywhere."""
    size = draw(st.integers(smallest, largest))
    cells = tuple(product(range(size), range(size)))
    places = draw(st.lists(st.sampled_from(cells), min_size=1, max_size=10, unique=True))
    objects = [GridObject(draw(st.sampled_from(SHAPES)), "red", draw(st.integers(1, 4)), *cell) for cell in places]
    agent = Agent(*draw(st.sampled_from(cells)), draw(st.sampled_from(Facing)))
    corner = GridObject("box", "blue", 2, *draw(st.sampled_from(cells)))
    return GridScene((*objects, corner), size=size, agent=agent)


def compiled_plan(scene, target, verb, manner, *, room=None):
    """What the compiled planner writes, with as much room as the longest plan needs; None if it does not fit."""
    batch = GridBatch.of([scene])
    out = np.full(longest_plan(scene.size) if room is None else room, 99, np.uint8)
    agent = scene.agent
    length = plan_into(
        out,
        agent.row,
        agent.column,
        int(agent.facing),
        target,
        verb.code,
        manner.code,
        batch.objects[0],
        len(scene),
        scene.size,
    )
    return None if length < 0 else plan_from_codes(out[:length])


@settings(deadline=None)
@given(scenes(), st.data())
def test_compiled_plans_equal_plain_plans(scene, data):
    """For every verb and manner the compiled planner writes what the plain one says."""
    target = data.draw(st.integers(0, len(scene) - 1))

    for verb, manner in product(VERBS, MANNERS):
        assert compiled_plan(scene, target, verb, manner) == plan(scene, target, verb, manner)


@settings(deadline=None)
@given(scenes(), st.sampled_from(VERBS), st.sampled_from(MANNERS), st.integers(0, 30))
def test_a_plan_that_does_not_fit_is_reported(scene, verb, manner, room):
    """Too short an array gives no plan, and an array that is just long enough gives the whole."""
    expected = plan(scene, 0, verb, manner)

    written = compiled_plan(scene, 0, verb, manner, room=room)

    assert written == (expected if len(expected) <= room else None)


def test_a_short_array_is_not_written_beyond_its_end():
    """The planner stays within the array it was given."""
    scene = GridScene((GridObject("circle", "red", 1, 5, 5),), agent=Agent(0, 0))
    memory = np.full(8, 99, np.uint8)

    length = plan_into(memory[:4], 0, 0, 0, 0, 0, 0, GridBatch.of([scene]).objects[0], 1, 6)

    assert length == -1
    assert memory.tolist() == [2, 2, 2, 2, 99, 99, 99, 99]


@settings(deadline=None)
@given(st.lists(st.tuples(scenes(smallest=5, largest=5), actions), min_size=1, max_size=5))
def test_compiled_outcomes_equal_plain_outcomes(cases):
    """Many scenes at once end as the plain simulator says, whatever is done in them."""
    chosen = [scene for scene, _ in cases]

    agents, objects = compiled_outcomes(chosen, [actions for _, actions in cases])

    for number, (scene, actions) in enumerate(cases):
        outcome = simulate(scene, actions)
        assert agents[number].tolist() == [outcome.agent.row, outcome.agent.column, outcome.agent.facing]
        assert objects[number, : len(scene)].tolist() == [list(thing.codes()) for thing in outcome.objects]


def test_every_short_sequence_of_efforts_ends_alike():
    """All sequences of five actions at a heavy solid on the edge end as the plain simulator says."""
    heavy, light = GridObject("circle", "red", 3, 1, 2), GridObject("square", "red", 1, 1, 0)
    scene = GridScene((heavy, light), size=3, agent=Agent(1, 2))
    plans = list(product(Action, repeat=5))

    agents, objects = compiled_outcomes([scene] * len(plans), plans)

    outcomes = [simulate(scene, actions) for actions in plans]
    assert agents.tolist() == [[o.agent.row, o.agent.column, o.agent.facing] for o in outcomes]
    assert objects.tolist() == [[list(thing.codes()) for thing in o.objects] for o in outcomes]


def test_padding_does_nothing():
    """Codes that stand for no action are passed over."""
    scene = GridScene((GridObject("circle", "red", 1, 0, 1),), agent=Agent(0, 0))

    agents, objects = compiled_outcomes([scene], [[2, 255, 3, 6, 3]])

    assert agents.tolist() == [[0, 3, 0]]
    assert objects[0, 0].tolist() == [0, COLORS.index("red"), 1, 0, 3]


@pytest.mark.skipif(not SAMPLE.exists(), reason="the ReaSCAN sample is not beside the checkout")
def test_every_plan_of_the_real_sample_is_compiled_alike():
    """The compiled planner writes the published plan for every example of the released sample."""
    examples = json.loads(SAMPLE.read_text())["examples"]["test"]

    wrong = [number for number, example in enumerate(examples) if _replanned(example) != example["target_commands"]]

    assert len(examples) > 100
    assert wrong == []


def compiled_outcomes(chosen, plans):
    """The agents and objects of many scenes after their plans."""
    batch = GridBatch.of(chosen)
    agents = np.array([(s.agent.row, s.agent.column, s.agent.facing) for s in chosen], np.uint8)
    actions = np.array([action for actions in plans for action in actions], np.uint8)
    starts = np.cumsum([0, *map(len, plans)]).astype(np.int64)
    final_agents, final_objects = np.empty_like(agents), np.empty_like(batch.objects)
    simulate_plans(batch.objects, batch.count, batch.size, agents, actions, starts, final_agents, final_objects)
    return final_agents, final_objects


def _replanned(example):
    situation = example["situation"]
    placed = [situation["placed_objects"][str(n)] for n in range(len(situation["placed_objects"]))]
    objects = [
        GridObject(look["shape"], look["color"], int(look["size"]), int(cell["row"]), int(cell["column"]))
        for look, cell in ((thing["object"], thing["position"]) for thing in placed)
    ]
    start = situation["agent_position"]
    agent = Agent(int(start["row"]), int(start["column"]), Facing(situation["agent_direction"]))
    scene = GridScene(tuple(objects), size=situation["grid_size"], agent=agent)
    verb, manner = Verb(example["verb_in_command"]), Manner(example["adverb_in_command"])
    return plan_to_words(compiled_plan(scene, 0, verb, manner))
