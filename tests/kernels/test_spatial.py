"""Worlds for commands with a spatial relation: what is in them, and what they are refused for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.expression.parts import parts, without
from deixis.resolution import denotation
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid._kernels.board import BOARD, NO_REFERENT, NO_ROOM, OK, say
from deixis.worlds.grid._kernels.spatial import try_spatial
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.roles import decode_misreading, decode_role
from deixis.worlds.grid.scene import BESIDE, GridBatch


TRIES = 200
RELATIONS = ("next to", *BESIDE)
PHRASES = ("circle", "red square", "small cylinder", "big green circle")


def world(text, seed, *, size=6, cap=18, kinds=15):
    """The first world of a command that is accepted, with its roles and codes; None where no try is."""
    boards = np.zeros(1, BOARD)
    boards["size"], boards["cap"], boards["wish"] = size, cap, -1
    board, table = boards[0], blueprint(parse(text))
    say(board, table, len(table))
    for attempt in range(TRIES):
        boards["rng"] = seed * 1000 + attempt
        if try_spatial(board, cap, kinds) == OK:
            n, made = int(board["n"]), int(board["made"])
            batch = GridBatch(objects=board["objects"][None, :n], count=np.array([n], np.uint8), size=size)
            roles = [decode_role(int(code)) for code in board["roles"][:n]]
            return batch.scene(0), roles, [int(code) for code in board["codes"][:made]]
    return None


def outcome(text, *, size=6, cap=18):
    boards = np.zeros(1, BOARD)
    boards["size"], boards["cap"], boards["wish"], boards["rng"] = size, cap, -1, 5
    table = blueprint(parse(text))
    say(boards[0], table, len(table))
    return try_spatial(boards[0], cap, 15)


commands = st.builds(
    "the {} {} a {}".format, st.sampled_from(PHRASES), st.sampled_from(RELATIONS), st.sampled_from(PHRASES[1:])
).filter(lambda text: not any(f"the {phrase} " in text and text.endswith(f" a {phrase}") for phrase in PHRASES))


@given(commands, st.integers(0, 10**6))
def test_the_command_means_its_target_however_sizes_are_read(text, seed):
    """Target and reference come first, the relation holds, and nothing else fits in either reading."""
    expression = parse(text)
    scene, roles, _ = world(text, seed)

    assert [role.kind for role in roles[:2]] == ["target", "mentioned"]
    assert scene.related(expression.clauses[0].relation, 0, 1)
    for reading in ("comparative", "superlative"):
        assert denotation(expression, scene, reading=reading) == {0}


@given(commands, st.integers(0, 10**6))
def test_the_relation_is_needed_and_copies_of_the_target_say_why(text, seed):
    """Without its clause the command fits copies of the target, which are there for that misreading."""
    expression = parse(text)
    scene, roles, codes = world(text, seed)
    copies = [k for k, role in enumerate(roles) if role.kind == "relation"]
    clause = next(part for part in parts(expression) if part.kind == "clause")

    assert 1 <= len(copies) <= 2
    assert set(copies) <= denotation(without(expression, clause), scene)
    for copy in copies:
        misread = decode_misreading(codes[roles[copy].number], expression)
        assert misread.expression == without(expression, clause)
        assert scene.objects[copy].codes()[:3] == scene.objects[0].codes()[:3]


@given(commands, st.integers(0, 10**6))
def test_solids_stand_on_cells_of_their_own(text, seed):
    """There are no boxes, and no two objects share a cell."""
    scene, _, _ = world(text, seed)

    assert not any(thing.is_box for thing in scene.objects)
    assert len({(thing.row, thing.column) for thing in scene.objects}) == len(scene)


@pytest.mark.parametrize(
    "text",
    [
        "the circle",
        "the circle that is in the same row as a red square",
        "the object next to a red square",
        "the circle next to a red box",
        "the circle next to a red square and north of a blue square",
    ],
)
def test_other_commands_have_no_world(text):
    """One spatial relation between two nouns is all that there is."""
    assert outcome(text) == NO_REFERENT


def test_a_board_too_small_is_no_world():
    """A dozen objects find no room on nine cells."""
    assert outcome("the small red square next to a big blue circle", size=3) == NO_ROOM


def test_sets_can_be_left_out():
    """Without relation and random distractors there are only the objects that the words need."""
    scene, roles, _ = world("the small circle north of a red square", 3, kinds=0)

    assert [role.kind for role in roles] == ["target", "mentioned", "size"]
    assert len(scene) == 3
