"""The kernels and the plain definition of a journey agree, whatever is done in whatever world."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.data._ragged import Ragged
from deixis.seeds import Stream, derive
from deixis.testing import grid_scenes
from deixis.worlds.grid.actions import Action, Manner, Verb, plan_from_letters, plan_to_codes
from deixis.worlds.grid.data._commands import Command
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.environment._batch import Batch
from deixis.worlds.grid.environment.episodes import Episodes
from deixis.worlds.grid.environment.journey import Journey, keeps_manner, reward
from deixis.worlds.grid.environment.options import Options
from deixis.worlds.grid.judging.verdicts import ExampleArrays
from deixis.worlds.grid.plan import plan
from deixis.worlds.grid.scene import GridBatch


STOP = 6
PHRASES = {Verb.WALK: "walk to", Verb.PUSH: "push", Verb.PULL: "pull"}


def episodes_of(scene, target, verb, manner):
    """One episode in a world that need not fit its command: only verb and manner are read from it."""
    batch = GridBatch.of([scene])
    right = plan_to_codes(plan(scene, target, verb, manner))
    text = f"{PHRASES[verb]} the circle {manner}".strip()
    asked = ExampleArrays(
        ids=np.zeros(1, np.int64),
        objects=batch.objects,
        count=np.array([len(scene)], np.int64),
        size=np.array([scene.size], np.int64),
        target=np.array([target], np.int64),
        agent=np.array([[scene.agent.row, scene.agent.column, scene.agent.facing]], np.uint8),
        plans=Ragged.of_lists([right]),
        roles=np.zeros(batch.objects.shape[:2], np.uint8),
        which=np.zeros(1, np.int64),
        commands=(Command.of(text),),
    )
    return Episodes(asked, "a test")


def begun(scene, target, verb, manner, **options):
    batch = Batch(episodes_of(scene, target, verb, manner), Options(**options), 1)
    batch.begin(np.zeros(1, np.int64))
    return batch


def acts(manner):
    """Actions of which many are right: stretches of what a manner asks for, and anything in between."""
    stretches = {Manner.SPINNING: "LLLL", Manner.CAUTIOUSLY: "LRRL", Manner.HESITANTLY: "WS"}
    some = [plan_from_letters(letters) for letters in ("W", "P", "Q", "S", "L", "R", stretches.get(manner, "WLW"))]
    return st.lists(st.sampled_from(some), max_size=14).map(lambda parts: [a for part in parts for a in part])


@settings(max_examples=80, deadline=None)
@given(data=st.data(), scene=grid_scenes(min_objects=1, with_agent=True, size=4), verb=st.sampled_from(Verb))
@pytest.mark.parametrize("success", ["exact", "manner", "got-there"])
def test_kernel_and_definition_agree(success, data, scene, verb):
    """World, mask, distance, success and reward are the same after every action, on the plan or off it."""
    manner = data.draw(st.sampled_from(Manner))
    target = data.draw(st.integers(0, len(scene) - 1))
    discount = data.draw(st.sampled_from([1.0, 0.9]))
    ends = data.draw(st.sampled_from(["stop", "goal"]))
    batch = begun(
        scene, target, verb, manner, success=success, reward="dense", discount=discount, ends=ends, step_limit=1000
    )
    journey = Journey(scene, target, manner, plan(scene, target, verb, manner))
    right = journey.plan[: data.draw(st.integers(0, len(journey.plan)))]
    for action in (*right, *data.draw(acts(manner))):
        _compare(batch, journey)
        before, journey = journey, journey.after(action)
        batch.step(np.array([action], np.int64), np.zeros(1, bool), np.ones(1, bool))
        is_over = ends == "goal" and journey.has_succeeded(success)
        earned = reward(before, journey, done=is_over, success=success, discount=discount)
        assert batch.stage.success[0] == journey.has_succeeded(success)
        assert batch.stage.terminated[0] == is_over
        assert batch.stage.reward[0] == pytest.approx(earned)
    _compare(batch, journey)
    batch.step(np.array([STOP], np.int64), np.zeros(1, bool), np.ones(1, bool))
    earned = reward(journey, journey, done=True, success=success, discount=discount)
    assert batch.stage.terminated[0]
    assert batch.stage.reward[0] == pytest.approx(earned)


def _compare(batch, journey):
    scene = batch.scene(0)
    assert scene.objects == journey.now.objects
    assert scene.agent == journey.now.agent
    assert batch.distances()[0] == journey.distance
    assert np.flatnonzero(batch.stage.mask[0]).tolist() == [*journey.allowed, STOP]


@settings(max_examples=60, deadline=None)
@given(scene=grid_scenes(min_objects=1, with_agent=True), verb=st.sampled_from(Verb), manner=st.sampled_from(Manner))
def test_plans_succeed_in_every_way(scene, verb, manner):
    """The plan of a command is exact, gets there, and is carried out in its manner."""
    journey = Journey(scene, 0, manner, plan(scene, 0, verb, manner), plan(scene, 0, verb, manner))

    assert all(journey.has_succeeded(success) for success in ("exact", "manner", "got-there"))


@pytest.mark.parametrize(
    ("manner", "letters", "kept"),
    [
        (Manner.NONE, "WWLRW", True),
        (Manner.SPINNING, "LLLLW", True),
        (Manner.SPINNING, "LLLLLWLLLLRW", True),
        (Manner.SPINNING, "LLLLWW", False),
        (Manner.SPINNING, "LLRLLW", False),
        (Manner.CAUTIOUSLY, "LRRLW", True),
        (Manner.CAUTIOUSLY, "LRRLLW", False),
        (Manner.HESITANTLY, "WSWS", True),
        (Manner.HESITANTLY, "WSW", False),
        (Manner.HESITANTLY, "WLS", False),
        (Manner.ZIGZAGGING, "WRWLW", True),
        (Manner.ZIGZAGGING, "WW", False),
        (Manner.ZIGZAGGING, "WWWRWWW", False),
    ],
)
def test_manners(manner, letters, kept):
    """Each manner asks for its own, and for nothing else."""
    scene = grid("""
        >  . . .
        .  . . .
        .  . . r○1
        .  . . .
    """)

    assert keeps_manner(scene, plan_from_letters(letters), 0, manner) is kept


def test_in_the_row_of_the_target_one_may_walk_on():
    """Whoever zigzags may walk straight once the target lies straight ahead."""
    scene = grid("""
        >  . . r○1
        .  . . .
        .  . . .
        .  . . .
    """)

    assert keeps_manner(scene, plan_from_letters("WWW"), 0, Manner.ZIGZAGGING)


def test_episodes_are_drawn_as_a_stream_draws_them():
    """The kernel draws the numbers that `Stream.below` gives, for few and for many episodes."""
    from deixis.worlds.grid._kernels.environment import draw_all

    for limit in (1, 7, 2048, (1 << 20) - 1, 1 << 20, 3_000_001):
        random, drawn = np.array([[derive(5, "episodes")]], np.uint64), np.zeros(1, np.int64)
        stream = Stream(derive(5, "episodes"))
        for _ in range(50):
            draw_all(random, np.ones(1, bool), limit, drawn)
            assert drawn[0] == stream.below(limit)


def test_actions_have_the_codes_of_the_simulator():
    """What the environment calls an action is what the simulator calls it."""
    from deixis.worlds.grid.environment.navigate import ACTION_NAMES

    assert (*(action.words for action in Action), "stop") == ACTION_NAMES
