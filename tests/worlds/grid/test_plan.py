"""Plans: the worked examples, the real sample and what must hold for every plan."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import DeixisError, ParseError, SchemaError
from deixis.worlds.grid.actions import (
    MANNERS,
    VERBS,
    Action,
    Manner,
    Verb,
    plan_from_codes,
    plan_from_letters,
    plan_from_words,
    plan_to_codes,
    plan_to_letters,
    plan_to_words,
)
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.plan import plan, pushes_needed, room_to_move, turns
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene


SAMPLE = Path(__file__).parents[3] / "../shared/data/reascan/official_2rel_test_sample.json"
CELLS = tuple(product(range(6), range(6)))

# number, verb and manner, agent, target, size of the target, the solid that ends the push or pull (else the edge), plan
WORKED = (
    (30, "walk", (4, 2), (5, 4), 3, None, "WWRW"),
    (26, "walk", (4, 2), (4, 1), 3, None, "LLW"),
    (306, "walk while spinning", (2, 1), (3, 3), 3, None, "LLLLW LLLLW LLLLRW"),
    (205, "walk while spinning", (4, 2), (3, 1), 3, None, "LLLLLLW LLLLRW"),
    (50, "walk cautiously", (3, 0), (1, 1), 1, None, "LRRLW LLRRLW LRRLW"),
    (110, "walk hesitantly", (3, 3), (4, 5), 3, None, "WS WS RWS"),
    (141, "walk while zigzagging", (5, 4), (2, 5), 2, None, "W LW WW"),
    (649, "walk while zigzagging", (4, 2), (1, 0), 2, None, "LLW RW LW RW W"),
    (906, "walk while zigzagging", (2, 3), (2, 4), 4, None, "W"),
    (1629, "push", (5, 1), (2, 2), 2, (0, 2), "W LWWW P"),
    (2452, "push", (2, 2), (3, 2), 3, None, "RW PPPP"),
    (905, "push while spinning", (3, 1), (4, 3), 4, None, "LLLLW LLLLW LLLLRW LLLLP LLLLP"),
    (1652, "push cautiously", (2, 1), (4, 0), 2, None, "LLLRRLW LLRRLW LRRLW LRRLP"),
    (903, "push hesitantly", (2, 3), (4, 4), 1, None, "WS RWS WS PS"),
    (1053, "push while zigzagging", (0, 2), (3, 3), 2, None, "W RWWW PP"),
    (2158, "push while zigzagging", (1, 5), (3, 4), 4, None, "LLW LWW PPPP"),
    (2659, "pull", (4, 1), (2, 2), 2, (4, 2), "W LWW Q"),
    (868, "pull", (3, 3), (3, 4), 2, (3, 0), "W QQQ"),
    (759, "pull hesitantly", (5, 4), (4, 4), 4, None, "LWS QS QS"),
    (551, "pull while spinning", (4, 2), (5, 4), 2, (3, 4), "LLLLW LLLLW LLLLRW LLLLQ"),
    (277, "pull cautiously", (2, 3), (3, 5), 2, (1, 5), "LRRLW LRRLW RLRRLW LRRLQ"),
    (595, "pull while zigzagging", (1, 4), (4, 5), 1, (2, 5), "W RWWW Q"),
    (1322, "push", (0, 4), (0, 5), 4, None, "W"),
    (2187, "pull", (3, 3), (3, 5), 2, (3, 4), "WW"),
    (997, "push", (3, 3), (2, 3), 2, (0, 3), "LW P"),
    (2504, "pull", (4, 1), (2, 3), 2, (5, 3), "WW LWW QQ"),
    (784, "push", (4, 5), (1, 5), 1, None, "LWWW P"),
    (963, "push while zigzagging", (3, 2), (5, 2), 2, None, "RWW"),
)
BOXES = {  # the cells of box corners that the specification mentions, with sizes
    2504: (((2, 3), 3), ((3, 3), 1)),
    784: (((1, 5), 1),),
    963: (((3, 2), 2),),
}


def scene_with(agent, target, size, *, solid=None, boxes=()):
    """A scene with the target as object 0, perhaps a solid that stops it, and boxes."""
    solids = [GridObject("cylinder", "blue", 1, *solid)] if solid else []
    squares = [GridObject("box", "red", extent, *cell) for cell, extent in boxes]
    return GridScene((GridObject("circle", "green", size, *target), *solids, *squares), agent=Agent(*agent))


@st.composite
def scenes(draw):
    """A grid with up to eight solids on different cells, up to two boxes, and an agent facing anywhere."""
    cells = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=8, unique=True))
    solids = [GridObject("circle", "red", draw(st.integers(1, 4)), *cell) for cell in cells]
    corners = draw(st.lists(st.sampled_from(CELLS[:22]), max_size=2, unique=True))
    boxes = [GridObject("box", "blue", draw(st.integers(1, 2)), *corner) for corner in corners]
    agent = Agent(*draw(st.sampled_from(CELLS)), draw(st.sampled_from(Facing)))
    return GridScene((*solids, *boxes), agent=agent)


@pytest.mark.parametrize(
    ("number", "words", "agent", "target", "size", "solid", "letters"), WORKED, ids=[str(w[0]) for w in WORKED]
)
def test_worked_examples_are_reproduced(number, words, agent, target, size, solid, letters):
    """Each worked example of the published data gets its published plan."""
    verb, _, manner = words.partition(" ")
    scene = scene_with(agent, target, size, solid=solid, boxes=BOXES.get(number, ()))

    actions = plan(scene, 0, Verb(verb), Manner(manner))

    assert plan_to_letters(actions) == letters.replace(" ", "")


@pytest.mark.skipif(not SAMPLE.exists(), reason="the ReaSCAN sample is not beside the checkout")
def test_every_plan_of_the_real_sample_is_reproduced():
    """The planner writes the published plan for every example of the released sample."""
    examples = json.loads(SAMPLE.read_text())["examples"]["test"]

    wrong = [number for number, example in enumerate(examples) if _replanned(example) != example["target_commands"]]

    assert len(examples) > 100
    assert wrong == []


@settings(deadline=None)
@given(scenes(), st.sampled_from(VERBS))
def test_manners_other_than_zigzagging_only_add_actions(scene, verb):
    """Spinning, caution and hesitation add to the plain plan and take nothing from it."""
    plain = plan(scene, 0, verb)

    for manner in (Manner.SPINNING, Manner.CAUTIOUSLY, Manner.HESITANTLY):
        actions = iter(plan(scene, 0, verb, manner))
        assert all(action in actions for action in plain)


@settings(deadline=None)
@given(scenes(), st.sampled_from(MANNERS))
def test_pushing_and_pulling_begin_with_the_walk(scene, manner):
    """Push and pull first do exactly what walk does."""
    walk = plan(scene, 0, Verb.WALK, manner)

    assert plan(scene, 0, Verb.PUSH, manner)[: len(walk)] == walk
    assert plan(scene, 0, Verb.PULL, manner)[: len(walk)] == walk


@pytest.mark.parametrize(("facing", "heading"), list(product(Facing, Facing)))
def test_turns_bring_the_agent_round(facing, heading):
    """The turns end at the heading and are at most two, the half turn to the left."""
    actions = turns(facing, heading)

    assert (facing + sum(1 if turn == Action.TURN_RIGHT else -1 for turn in actions)) % 4 == heading
    assert len(actions) == min((facing - heading) % 4, (heading - facing) % 4)
    assert len(actions) < 2 or actions == (Action.TURN_LEFT, Action.TURN_LEFT)


def test_an_agent_may_face_any_way():
    """An agent that already faces its goal needs no turn."""
    scene = grid("""
        .  . r○
        .  . .
        .  . ^
    """)

    assert plan_to_letters(plan(scene, 0, Verb.WALK)) == "WW"


def test_an_agent_on_the_target_pushes_the_way_it_faces():
    """Without a walk the push follows the agent's first direction."""
    scene = grid("""
        .  .   .
        .  .   .
        .  r○+^ .
    """)

    assert plan_to_letters(plan(scene, 0, Verb.PUSH)) == "PP"
    assert plan_to_letters(plan(scene, 0, Verb.PULL)) == ""


def test_a_box_is_walked_to_but_not_moved():
    """Pushing a box is walking to its corner."""
    scene = grid("""
        >  r▣1 .
        .  .   .
        .  .   .
    """)

    assert plan(scene, 0, Verb.PUSH) == plan(scene, 0, Verb.WALK) == (Action.WALK,)


def test_solids_stop_a_solid_and_boxes_do_not():
    """The room ahead ends at the next solid, whatever boxes lie between."""
    scene = grid("""
        r○ g▣2 . b□
        .  .   . .
        .  .   . .
        .  .   . .
    """)

    assert room_to_move(scene, 0, Facing.EAST) == 2
    assert room_to_move(scene, 0, Facing.SOUTH) == 3
    assert room_to_move(scene, 0, Facing.NORTH) == 0


@pytest.mark.parametrize(("size", "pushes"), [(1, 1), (2, 1), (3, 2), (4, 2)])
def test_heavy_solids_need_two_pushes(size, pushes):
    """Sizes 3 and 4 are heavy."""
    assert pushes_needed(GridObject("square", "red", size, 0, 0)) == pushes


def test_a_plan_needs_an_agent_and_a_target():
    """A scene without an agent, or without the target, is refused by name."""
    scene = scene_with((0, 0), (1, 1), 1)

    with pytest.raises(SchemaError, match="no agent"):
        plan(GridScene(scene.objects), 0, Verb.WALK)
    for target in (-1, 1):
        with pytest.raises(SchemaError, match=f"no object {target} .* has 1"):
            plan(scene, target, Verb.WALK)


@settings(deadline=None)
@given(st.lists(st.sampled_from(Action)).map(tuple))
def test_spellings_read_back(actions):
    """Words, letters and codes are three exact spellings of a plan."""
    assert plan_from_words(plan_to_words(actions)) == actions
    assert plan_from_letters(plan_to_letters(actions)) == actions
    assert plan_from_codes(plan_to_codes(actions)) == actions


def test_actions_are_spelt_as_in_the_files():
    """The six actions have fixed codes, words and letters."""
    assert plan_to_words(Action) == "turn left,turn right,walk,push,pull,stay"
    assert plan_to_letters(Action) == "LRWPQS"
    assert [verb.code for verb in (Verb.WALK, Verb.PUSH, Verb.PULL)] == [0, 1, 2]
    assert [Manner(words).code for words in ("", "while zigzagging", "while spinning")] == [0, 1, 2]
    assert [Manner(words).code for words in ("cautiously", "hesitantly")] == [3, 4]


@pytest.mark.parametrize(
    ("read", "text", "word", "position"),
    [
        (plan_from_words, "turn left,jump,walk", "jump", 2),
        (plan_from_words, "walk,,walk", ",", 2),
        (plan_from_words, "walk,", ",", 2),
        (plan_from_words, "WALK", "WALK", 1),
        (plan_from_letters, "LLX", "X", 3),
    ],
)
def test_unknown_actions_are_named(read, text, word, position):
    """An unknown action is an error that names it and its place."""
    with pytest.raises(ParseError) as caught:
        read(text)

    assert (caught.value.word, caught.value.position) == (word, position)


@pytest.mark.parametrize("code", [-1, 6])
def test_unknown_codes_are_named(code):
    """A code that stands for no action is an error that names it and its place."""
    with pytest.raises(DeixisError, match=f"code {code} at position 2"):
        plan_from_codes([2, code])


def _replanned(example):
    situation = example["situation"]
    objects = []
    for number in range(len(situation["placed_objects"])):
        thing = situation["placed_objects"][str(number)]
        look, cell = thing["object"], thing["position"]
        objects.append(
            GridObject(look["shape"], look["color"], int(look["size"]), int(cell["row"]), int(cell["column"]))
        )
    start = situation["agent_position"]
    agent = Agent(int(start["row"]), int(start["column"]), Facing(situation["agent_direction"]))
    scene = GridScene(tuple(objects), size=situation["grid_size"], agent=agent)
    return plan_to_words(plan(scene, 0, Verb(example["verb_in_command"]), Manner(example["adverb_in_command"])))
