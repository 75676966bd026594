"""A board under construction: what is on it, where something fits, and what a blueprint picks out."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.expression.parts import parts, without
from deixis.expression.patterns import PATTERNS
from deixis.expression.steps import Related
from deixis.resolution.reference import denotation
from deixis.seeds import Stream
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid._kernels.board import (
    BOARD,
    below_clause,
    find_cell,
    find_place,
    put,
    referents,
    say,
    take_back,
    wipe,
)
from deixis.worlds.grid.commands import sample_commands
from deixis.worlds.grid.scene import GRID, SHAPES, GridObject, GridScene


BOX = SHAPES.index("box")
SAME_ROW, SAME_COLUMN, INSIDE, SAME_SIZE = (
    GRID.relation_code(name) for name in ("same row", "same column", "inside", "same size")
)
SEEDS = st.integers(0, 2**64 - 1)
OBJECTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 4), st.integers(0, 35)), min_size=1, max_size=30
)


def new_board(*, size=6, seed=0):
    """An empty board."""
    boards = np.zeros(1, BOARD)
    boards["size"], boards["cap"], boards["rng"] = size, 40, seed
    wipe(boards[0])
    return boards[0]


def board_of(scene):
    """A board that holds a scene."""
    board = new_board(size=scene.size)
    for thing in scene.objects:
        shape, color, size, row, column = thing.codes()
        put(board, shape, color, size, row * scene.size + column, 0)
    return board


def board_with(objects, *, seed=0):
    """A board that holds some of the objects: solids on free cells, boxes where they fit and no other starts."""
    board = new_board(seed=seed)
    for shape, color, size, cell in objects:
        fits = cell // 6 + size <= 6 and cell % 6 + size <= 6
        if (fits and not board["corner"][cell]) if shape == BOX else not board["solid"][cell]:
            put(board, shape, color, size, cell, 0)
    return board


def state_of(board):
    """All that a board says about the objects on it."""
    n = int(board["n"])
    fields = [board[name].tolist() for name in ("sets", "solid", "corner")]
    return n, board["objects"][:n].tolist(), board["roles"][:n].tolist(), *fields


def some_commands(name, count=4):
    """A few commands of a pattern."""
    return list(islice(sample_commands(PATTERNS[name], rng=Stream(5)), count))


def indices(word):
    """The objects of a set."""
    return {i for i in range(64) if int(word) >> i & 1}


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("reading", ["comparative", "superlative"])
def test_a_blueprint_picks_out_what_its_expression_does(name, reading, full_boards):
    """What is picked out on a board is what the plain definition finds in the scene."""
    for expression in some_commands(name):
        table = blueprint(expression)
        for scene in full_boards[::4]:
            board = board_of(scene)
            say(board, table, len(table))

            word = referents(board, board["said"], board["everyone"], reading == "superlative")

            assert indices(word) == denotation(expression, scene, reading=reading)


@pytest.mark.parametrize("name", ["p2", "p3", pytest.param("p4", marks=pytest.mark.slow), "chain"])
def test_mentions_left_out_do_not_count(name, full_boards):
    """Without a clause and all that is said inside it, a blueprint picks out what the shorter expression does."""
    for expression in some_commands(name):
        table = blueprint(expression)
        clauses = [part for part in parts(expression) if isinstance(part.step, Related)]
        for scene in full_boards[::6]:
            board = board_of(scene)
            say(board, table, len(table))
            for child, clause in enumerate(clauses, start=1):
                alive = board["everyone"] & ~below_clause(board, child)

                word = referents(board, board["said"], alive, False)

                assert indices(word) == denotation(without(expression, clause), scene)


def test_the_last_object_of_a_full_board_is_seen():
    """A board holds as many objects as its room allows, and picks out the last of them too."""
    scene = GridScene(tuple(GridObject("circle", "red", 1 + (i == 47), i // 8, i % 8) for i in range(48)), size=8)
    board = board_of(scene)
    say(board, np.array([[0, -1, 1, -1, -1]], np.int8), 1)  # the big circle

    assert indices(referents(board, board["said"], 1, False)) == {47}


@given(OBJECTS, OBJECTS)
def test_taking_back_restores_the_board(first, then):
    """After objects are taken back the board is as if they had never been put."""
    board = board_with(first)
    before, n = state_of(board), int(board["n"])
    for shape, color, size, cell in then[: 40 - n]:
        put(board, shape, color, size, cell, 7)

    take_back(board, n)

    assert state_of(board) == before


@given(OBJECTS, st.sampled_from([SAME_ROW, SAME_COLUMN]), st.booleans(), SEEDS)
def test_company_in_a_line_stands_on_a_free_cell_of_it(objects, relation, scan, seed):
    """A solid in the same row or column stands there on a free cell, the first one if the line is scanned."""
    board = board_with([(0, 0, 1, 14), *objects], seed=seed)  # the parent stands in row 2 and column 2
    line = range(12, 18) if relation == SAME_ROW else range(2, 36, 6)
    free = [cell for cell in line if not board["solid"][cell]]

    cell = find_place(board, 1, 2, relation, 0, scan)

    assert cell in (free[:1] if scan else free) or (cell == -1 and not free)


@given(OBJECTS, st.integers(1, 4), st.integers(0, 35), SEEDS)
def test_a_box_is_placed_over_what_is_inside_it(objects, size, parent, seed):
    """A box for something to be inside of covers that cell, fits the grid and starts where no other box does."""
    board = board_with([(0, 0, 1, parent), *objects], seed=seed)
    row, column = divmod(parent, 6)
    corners = [
        6 * r + c
        for r in range(max(0, row - size + 1), min(row, 6 - size) + 1)
        for c in range(max(0, column - size + 1), min(column, 6 - size) + 1)
    ]
    free = [cell for cell in corners if not board["corner"][cell]]

    cell = find_place(board, BOX, size, INSIDE, 0, True)

    assert cell in free or (cell == -1 and not free)


@given(OBJECTS, st.integers(0, 3), st.integers(1, 4), SEEDS)
def test_nothing_is_placed_on_what_is_there(objects, shape, size, seed):
    """An object that may stand anywhere gets a cell without a solid, a box one where it fits and no other starts."""
    board = board_with([(0, 0, 1, 14), *objects], seed=seed)

    cell = find_place(board, shape, size, SAME_SIZE, 0, True)

    if shape == BOX:
        assert not board["corner"][cell]
        assert cell // 6 + size <= 6
        assert cell % 6 + size <= 6
    else:
        assert not board["solid"][cell]


def test_the_last_free_cell_is_found_and_then_there_is_none():
    """However full the board, a free cell is found if there is one; without one the answer is -1."""
    board = new_board(size=5, seed=3)
    for cell in set(range(25)) - {17}:
        put(board, 0, 0, 1, cell, 0)

    assert find_cell(board) == 17
    put(board, 0, 0, 1, 17, 0)
    assert find_cell(board) == -1


@pytest.mark.parametrize(
    ("relation", "shape", "allowed"),
    [
        (SAME_ROW, 0, {12, 13, 15, 16, 17}),
        (SAME_COLUMN, 0, {2, 8, 20, 26, 32}),
        (INSIDE, BOX, {7, 8, 13, 14}),
        (-1, 0, set(range(36)) - {14}),
        (-1, BOX, {6 * row + column for row in range(5) for column in range(5)}),
    ],
)
def test_chance_reaches_every_place_that_is_allowed(relation, shape, allowed):
    """Places are drawn from all cells that fit, not from some of them."""
    board = board_with([(0, 0, 1, 14)], seed=11)

    seen = {find_place(board, shape, 2, relation, 0 if relation >= 0 else -1, False) for _ in range(600)}

    assert seen == allowed
