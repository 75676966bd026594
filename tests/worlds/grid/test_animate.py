"""Moving pictures: they show what the simulator says, from the first state to the last, and nothing can go wrong."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from deixis.errors import SchemaError
from deixis.worlds.grid._pictures.animate import (
    END_MS,
    FRAME_MS,
    FRAMES_PER_ACTION,
    MAX_ACTIONS,
    START_MS,
    film_of,
    pose_of,
    steps_of,
)
from deixis.worlds.grid._pictures.board import compose
from deixis.worlds.grid._pictures.raster import paint
from deixis.worlds.grid.actions import Action, plan_from_letters
from deixis.worlds.grid.draw import Look, Marks, animate_gif, animate_svg
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.scene import COLORS, SHAPES, Agent, Facing, GridObject, GridScene
from deixis.worlds.grid.simulate import simulate


SVG = "{http://www.w3.org/2000/svg}"
SMALL = Look(cell=24)
PUSH = plan_from_letters("RWWLPPS")  # down to the heavy square, then two efforts to the right, then a rest


@pytest.fixture
def scene() -> GridScene:
    """A heavy square to be pushed to the right, in a box, beside a light circle."""
    return grid("""
        >     .     1:r○1 .
        .     2:g▣2 .     .
        0:b□4 .     .     .
        .     .     .     .
    """)


scenes = st.builds(
    GridScene,
    st.lists(
        st.builds(
            GridObject,
            st.sampled_from(SHAPES),
            st.sampled_from(COLORS),
            st.integers(1, 4),
            st.integers(0, 3),
            st.integers(0, 3),
        ),
        max_size=5,
    ).map(tuple),
    size=st.just(4),
    agent=st.builds(Agent, st.integers(0, 3), st.integers(0, 3), st.sampled_from(Facing)),
)
plans = st.lists(st.sampled_from(Action), max_size=12)


@given(scenes, plans)
def test_every_step_is_what_the_simulator_says(scene, plan):
    """Step by step, agent and objects are where simulating the beginning of the plan leaves them."""
    steps = steps_of(scene, plan)

    assert [step.action for step in steps] == plan
    for number, step in enumerate(steps, start=1):
        outcome = simulate(scene, plan[:number])
        assert (step.after.agent, step.after.objects) == (outcome.agent, outcome.objects)
    assert all(one.after == two.before for one, two in pairwise(steps))


@given(scenes, plans)
def test_nothing_moves_when_there_is_a_reason(scene, plan):
    """A step has a hitch exactly if the action should move something and does not."""
    for step in steps_of(scene, plan):
        should = step.action in (Action.WALK, Action.PUSH, Action.PULL)
        stays = (step.before.agent, step.before.objects) == (step.after.agent, step.after.objects)
        assert bool(step.hitch) == (should and stays)
        assert (step.held is not None) == (step.action in (Action.PUSH, Action.PULL) and step.hitch != "nothing")


def test_heavy_things_take_two_efforts(scene):
    """The first effort is named as such, the second moves the square and the agent."""
    steps = steps_of(scene, PUSH)

    assert [step.hitch for step in steps] == ["", "", "", "", "heavy", "", ""]
    assert [step.held for step in steps] == [None, None, None, None, 0, 0, None]
    assert steps[4].words == "push (heavy: a first effort)"
    assert steps[-1].after.objects[0].column == 1


def test_the_last_frame_is_the_final_state(scene):
    """The GIF ends with the picture of the state in which the simulator ends, and begins with the first."""
    frames = _frames(animate_gif(scene, PUSH, marks=Marks(target=0), look=SMALL))
    outcome = simulate(scene, PUSH)
    final = GridScene(outcome.objects, size=4, agent=outcome.agent)
    first, last = (_painted(state, Marks(target=0)) for state in (scene, final))
    board = np.s_[: first.shape[0], :]

    assert np.abs(frames[-1][0][board] - last).mean() < 0.5
    assert np.abs(frames[0][0][board] - first).mean() < 0.5
    assert np.abs(first - last).mean() > 5


def test_every_action_has_its_time(scene):
    """A GIF has a first frame and some for every action, equal ones in a row joined, and rests at the end."""
    frames = _frames(animate_gif(scene, PUSH, look=SMALL))
    between = FRAMES_PER_ACTION * len(PUSH)

    assert between - 2 <= len(frames) - 1 <= between  # an effort in vain and a rest pass the same place twice
    assert sum(duration for _, duration in frames) == START_MS + FRAME_MS * (between - 1) + END_MS
    assert frames[-1][1] == END_MS


def test_flat_colors_are_exact_in_every_frame(scene):
    """The colours of paper, objects and ink are those of the look, in all frames alike."""
    for pixels, _ in _frames(animate_gif(scene, PUSH, look=SMALL)):
        found = {f"#{r:02X}{g:02X}{b:02X}" for r, g, b in np.unique(pixels.reshape(-1, 3), axis=0)}
        palette = SMALL.palette
        assert {palette.paper, palette.ink, palette.objects["blue"], palette.objects["red"]} <= found


@pytest.mark.slow
def test_a_long_plan_makes_a_small_file():
    """A plan of 30 actions on a usual board stays far below half a megabyte."""
    scene = grid("""
        0:r○4 .     1:g▱2 .     2:y□3 .
        .     >     .     3:b▣3 .     .
        4:g□1 .     .     .     .     5:y○2
        .     6:b▱3 .     .     7:r□2 .
        .     .     8:g○4 .     .     .
        9:y▱1 .     .     .     .     10:b□4
    """)
    plan = plan_from_letters("LLLLW" * 6)

    assert len(animate_gif(scene, plan, marks=Marks(target=5), title="walk to the yellow circle")) < 500_000


@settings(max_examples=4)
@given(scenes, plans)
def test_any_plan_can_be_watched(scene, plan):
    """Sensible or not, a plan gives the same GIF and the same SVG every time, and both can be read."""
    films = [(animate_gif(scene, plan, look=SMALL), animate_svg(scene, plan, look=SMALL)) for _ in range(2)]

    assert films[0] == films[1]
    assert len(_frames(films[0][0])) >= 1
    assert _read(films[0][1]).get("role") == "img"


@pytest.mark.parametrize("style", ["deixis", "release"])
def test_the_svg_moves_by_rules_alone(scene, style):
    """The SVG is well-formed, has rules and no script, nothing from elsewhere, and every action in words."""
    root = _read(animate_svg(scene, PUSH, marks=Marks(target=0), title="push it", look=Look(style=style)))
    words = [element.text for element in root.iter(f"{SVG}text")]
    rules = root.findtext(f"{SVG}style")

    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "g", "path", "text",
    }  # fmt: skip
    assert not re.search(r"url\(|@import|https?:", rules)
    assert not any("href" in name or name.startswith("on") for element in root.iter() for name in element.attrib)
    assert [f"{k} of 7: {step.words}" for k, step in enumerate(steps_of(scene, PUSH), start=1)] == words[-7:]
    assert "7 actions" in words
    assert "push it" in words
    assert "The plan: turn right, walk 2 times, turn left, push 2 times, stay." in root.findtext(f"{SVG}desc")


def test_those_who_want_no_motion_see_the_whole_way(scene):
    """With reduced motion, and in print, all animations stop and the way appears."""
    root = _read(animate_svg(scene, PUSH))
    rules = root.findtext(f"{SVG}style")

    assert re.search(r"@media print,\(prefers-reduced-motion:reduce\)\{#\S+ \*\{animation:none\}", rules)
    assert [group for group in root.iter(f"{SVG}g") if group.get("class") == "still"]


@given(scenes, plans.filter(bool))
def test_svg_ends_where_the_simulator_ends(scene, plan):
    """The last rule takes the agent from where it is drawn at first to where it is drawn in the final state."""
    film = film_of(scene, plan, Marks(), SMALL)
    rules = _read(animate_svg(scene, plan, look=SMALL)).findtext(f"{SVG}style")
    frames = re.search(r"@keyframes \S+-agent\{(.*)\}", rules)[1]
    x, y, angle, size = (
        float(part)
        for part in re.findall(
            r"100%\{transform:translate\((.*?)px,(.*?)px\) rotate\((.*?)deg\) scale\((.*?)\)", frames
        )[0]
    )
    first, last = (pose_of(picture, -1) for picture in (film.pictures[0], film.pictures[-1]))

    assert (x, y) == pytest.approx((last.x, last.y), abs=0.01)
    assert size == pytest.approx(last.size / first.size, abs=0.001)
    assert (film.pictures[0].width, angle % 90) == (film.pictures[-1].width, 0)
    assert (scene.agent.facing + angle / 90) % 4 == simulate(scene, plan).agent.facing


@pytest.mark.parametrize("title", ["</style><script>alert(1)</script>", "}*{display:none", "nul\0 \ud800"])
def test_hostile_titles_stay_text(scene, title):
    """Whatever the title says, the document parses, and neither its elements nor its rules come from the title."""
    root = _read(animate_svg(scene, PUSH, title=title))

    assert not list(root.iter(f"{SVG}script"))
    assert "display" not in root.findtext(f"{SVG}style")


def test_what_cannot_be_watched_is_refused(scene):
    """Nobody to act, an unknown action and a plan without end are named."""
    nobody = GridScene(scene.objects, size=4)
    for call in (animate_gif, animate_svg):
        with pytest.raises(SchemaError, match="no agent"):
            call(nobody, PUSH)
        with pytest.raises(SchemaError, match="unknown action"):
            call(scene, [9])
        with pytest.raises(SchemaError, match=f"at most {MAX_ACTIONS}"):
            call(scene, [0] * (MAX_ACTIONS + 1))
        with pytest.raises(SchemaError, match="no object 7"):
            call(scene, PUSH, marks=Marks(target=7))


def test_an_empty_plan_is_a_still_picture(scene):
    """Nothing to do is shown as such."""
    assert len(_frames(animate_gif(scene, (), look=SMALL))) == 1
    assert "nothing to do" in animate_svg(scene, ())


def _frames(data):
    """Every frame of a GIF as (pixels, milliseconds)."""
    frames = []
    with Image.open(BytesIO(data)) as image:
        for number in range(image.n_frames):
            image.seek(number)
            frames.append((np.asarray(image.convert("RGB"), np.int64), image.info["duration"]))
    return frames


def _painted(scene, marks):
    return np.asarray(paint(compose(scene, marks, SMALL), scale=1), np.int64)


def _read(svg):
    return ET.fromstring(svg)  # noqa: S314 - our own words, and the claim is that they parse
