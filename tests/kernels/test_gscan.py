"""Worlds as gSCAN makes them: what is in them, and how often both colour and shape are needed in them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import comb, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.expression.parts import parts, without
from deixis.expression.patterns import PATTERNS
from deixis.resolution import denotation
from deixis.schema import Which
from deixis.seeds import derive
from deixis.testing import the
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid._kernels.board import BOARD, NO_REFERENT, NO_ROOM, OK, say
from deixis.worlds.grid._kernels.gscan import try_gscan
from deixis.worlds.grid.commands import commands
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.resolution import resolve_batch
from deixis.worlds.grid.roles import decode_misreading, decode_role
from deixis.worlds.grid.scene import COLORS, GridBatch, GridScene


RANDOM_ONLY, FILL, CAP = 8, 13, 24
COMMANDS = tuple(commands(PATTERNS["p1"]))  # (small|big)? colour? shape
SEEDS = st.integers(0, 2**64 - 1)
EXAMPLES = 20_000


class Try(NamedTuple):
    """One try, readable."""

    outcome: int
    scene: GridScene
    roles: tuple
    codes: tuple[int, ...]


def try_at(expression, seed, *, size=6, cap=CAP, fill=FILL, kinds=RANDOM_ONLY):
    """One try at a world for a command."""
    boards = np.zeros(1, BOARD)
    boards["size"], boards["cap"], boards["rng"], boards["wish"] = size, cap, seed, -1
    board, table = boards[0], blueprint(expression)
    say(board, table, len(table))
    outcome = try_gscan(board, fill, kinds)
    n, made = int(board["n"]), int(board["made"])
    batch = GridBatch(objects=board["objects"][None, :n], count=np.array([n], np.uint8), size=size)
    roles = tuple(decode_role(int(code)) for code in board["roles"][:n])
    return Try(outcome, batch.scene(0), roles, tuple(map(int, board["codes"][:made])))


def make_batch(expression, count):
    """Many worlds for a command, as arrays."""
    boards = np.zeros(1, BOARD)
    boards["size"], boards["cap"], boards["wish"] = 6, CAP, -1
    board, table = boards[0], blueprint(expression)
    say(board, table, len(table))
    objects, n = np.zeros((count, 12, 5), np.uint8), np.zeros(count, np.uint8)
    for world in range(count):
        boards["rng"] = derive(3, str(expression), world)
        assert try_gscan(board, FILL, RANDOM_ONLY) == OK
        n[world] = board["n"]
        objects[world, : n[world]] = board["objects"][: n[world]]
    return GridBatch(objects=objects, count=n)


def said(expression):
    """The words of a noun phrase, by attribute."""
    return {part.attribute: part for part in parts(expression)}


def kind(thing):
    """Shape and colour of an object."""
    return thing.shape, thing.color


# ---------------------------------------------------------------------------------------------------- what is there


@given(st.sampled_from(COMMANDS), SEEDS)
def test_the_target_is_the_smallest_or_biggest_that_fits(expression, seed):
    """Read as smallest and biggest, every command fits its target alone."""
    attempt = try_at(expression, seed)

    assert attempt.outcome == OK
    assert attempt.roles[0].kind == "target"
    assert denotation(expression, attempt.scene, reading="superlative") == {0}


@given(st.sampled_from([e for e in COMMANDS if "size" not in said(e) or "color" in said(e)]), SEEDS)
def test_with_a_colour_word_both_readings_of_size_agree(expression, seed):
    """Only two objects are of the target's kind, so small means the same read as smaller and as smallest."""
    scene = try_at(expression, seed).scene

    assert denotation(expression, scene, reading="comparative") == {0}


def test_without_a_colour_word_the_readings_of_size_may_differ():
    """Of several squares all but the biggest are smaller than another, though only one is the smallest."""
    found = [
        len(denotation(the("square", size="small"), try_at(the("square", size="small"), seed).scene))
        for seed in range(100)
    ]

    assert {1, 2} <= set(found)


@given(st.sampled_from(COMMANDS), SEEDS)
def test_half_of_what_else_there_could_be_is_there(expression, seed):
    """A bare noun leaves one object of another shape; more words leave five of the eleven other kinds."""
    words, scene = said(expression), try_at(expression, seed).scene
    own, *others = scene.objects
    times = Counter(kind(thing) for thing in others if kind(thing) != kind(own))

    if words.keys() == {"shape"}:
        assert len(others) == 1
        assert others[0].shape != own.shape
    else:
        assert len(times) == 5
        assert set(times.values()) == {2 if "size" in words else 1}
        assert len(others) == sum(times.values()) + ("size" in words)


@given(st.sampled_from(COMMANDS), SEEDS)
def test_a_size_word_has_its_counterpart(expression, seed):
    """For a size word there is one object of the target's kind and the other size, made for its loss; else none."""
    words, attempt = said(expression), try_at(expression, seed)
    own, *others = attempt.scene.objects
    counterparts = [i for i, role in enumerate(attempt.roles) if role.kind == "size"]

    assert [thing for thing in others if kind(thing) == kind(own)] == [attempt.scene.objects[i] for i in counterparts]
    assert len(counterparts) == len(attempt.codes) == ("size" in words)
    for code in attempt.codes:
        misread = decode_misreading(code, expression).expression
        assert misread == without(expression, words["size"])
        assert denotation(misread, attempt.scene) >= {0, counterparts[0]}


@given(st.sampled_from([e for e in COMMANDS if "size" in said(e)]), SEEDS)
def test_what_competes_for_a_size_word_lies_beyond_the_target(expression, seed):
    """Objects that fit the other words are all bigger than a small target, all smaller than a big one."""
    word, scene = said(expression)["size"], try_at(expression, seed).scene
    sizes = sorted(scene.objects[i].size for i in denotation(without(expression, word), scene))
    target = scene.objects[0].size

    assert sizes.count(target) == 1
    assert target == (sizes[0] if word.step.which is Which.LEAST else sizes[-1])


@given(st.sampled_from(COMMANDS), SEEDS)
def test_every_object_is_a_solid_on_a_cell_of_its_own(expression, seed):
    """gSCAN has no boxes, and nothing stands on anything else."""
    objects = try_at(expression, seed).scene.objects

    assert not any(thing.is_box for thing in objects)
    assert len({(thing.row, thing.column) for thing in objects}) == len(objects)


@given(st.sampled_from(COMMANDS), SEEDS)
def test_the_same_seed_makes_the_same_world(expression, seed):
    """A world depends on nothing but its command and its seed."""
    assert try_at(expression, seed) == try_at(expression, seed)


def test_every_kind_size_and_cell_is_as_likely_as_any_other():
    """The other kinds of 'yellow square', its sizes and its cells come up evenly, within five standard errors."""
    batch = worlds(the("square", color="yellow"))
    target, others = batch.objects[:, 0], batch.objects[:, 1:6].reshape(-1, 5)

    for found, chances in (
        (others[:, 0] * 4 + others[:, 1], 11),
        (others[:, 2], 4),
        (target[:, 2], 4),
        (target[:, 3] * 6 + target[:, 4], 36),
        (others[:, 3] * 6 + others[:, 4], 36),
    ):
        counts, expected = np.unique(found, return_counts=True)[1], len(found) / chances
        assert len(counts) == chances
        assert np.abs(counts - expected).max() < 5 * sqrt(expected)


@pytest.mark.parametrize(
    ("words", "sizes"), [("the square", {1, 2, 3, 4}), ("the small square", {1, 2, 3}), ("the big square", {2, 3, 4})]
)
def test_the_size_of_a_target_leaves_room_for_its_counterpart(words, sizes):
    """A small target is never of the biggest size, a big one never of the smallest; colours left open are all drawn."""
    targets = [try_at(parse(words), seed).scene.objects[0] for seed in range(100)]

    assert {thing.size for thing in targets} == sizes
    assert {thing.color for thing in targets} == set(COLORS)


def test_beside_a_bare_noun_stands_anything_of_another_shape():
    """The one other object of 'the square' may be of either other shape and of any colour and size."""
    others = [try_at(the("square"), seed).scene.objects[1] for seed in range(200)]

    assert {kind(thing) for thing in others} == {(shape, color) for shape in ("circle", "cylinder") for color in COLORS}
    assert {thing.size for thing in others} == {1, 2, 3, 4}


# ---------------------------------------------------------------------------------------------------- what cannot be


@pytest.mark.parametrize("words", ["the circle that is in the same row as a red square", "the red box", "the object"])
def test_what_gscan_cannot_say_has_no_world(words):
    """Clauses, boxes and phrases without a noun are refused, not guessed at."""
    assert try_at(parse(words), 1).outcome == NO_REFERENT


def test_a_board_too_small_for_its_objects_is_no_world():
    """Twelve objects find no room on nine cells, nor a counterpart where one object is allowed."""
    crowded = the("square", color="yellow", size="small")

    assert try_at(crowded, 1, size=3).outcome == NO_ROOM
    assert try_at(crowded, 1, cap=1).outcome == NO_ROOM
    assert try_at(the("square", color="yellow"), 1, size=3).outcome == OK


@given(st.sampled_from(COMMANDS), SEEDS, st.integers(1, 12))
def test_random_objects_stop_at_the_fill(expression, seed, fill):
    """Random objects are added up to the fill; what the words need is there all the same."""
    full, cut = try_at(expression, seed), try_at(expression, seed, fill=fill)
    needed = 1 + ("size" in said(expression))

    assert len(cut.scene) == max(needed, min(fill, len(full.scene)))
    assert denotation(expression, cut.scene, reading="superlative") == {0}
    assert len(try_at(expression, seed, kinds=0).scene) == needed


# ---------------------------------------------------------------------------------------------------- what is needed


class Shares(NamedTuple):
    """How many of some examples need both colour and shape, and how many are clear with only one of them."""

    both: float
    color_suffices: float
    shape_suffices: float
    either: float


YELLOW_SQUARES = tuple(the("square", color="yellow", size=size) for size in (None, "small", "big"))
TARGETS = (4, 3, 3)  # how many sizes a target so called may have; gSCAN makes as many examples for each
PAPER = Shares(0.627, 0.252, 0.106, 0.014)  # ReaSCAN, section 3, of gSCAN's 18,718 yellow squares


@cache
def worlds(expression):
    """The worlds of one expression of the yellow squares, as many as its share of the split."""
    return make_batch(expression, EXAMPLES * TARGETS[YELLOW_SQUARES.index(expression)] // sum(TARGETS))


def needs(expression, word, batch):
    """bool [world]: whether dropping a word changes what is picked out."""
    shorter = without(expression, said(expression)[word])
    kept, whole = (resolve_batch(e, batch, reading="superlative")[:, 0] for e in (shorter, expression))
    return kept != whole


def shares(*, heed_size):
    """The shares of the yellow squares; the size word can be heeded, or left out before words are dropped."""
    color, shape = [], []
    for expression in YELLOW_SQUARES:
        read = (
            expression if heed_size or "size" not in said(expression) else without(expression, said(expression)["size"])
        )
        color.append(needs(read, "color", worlds(expression)))
        shape.append(needs(read, "shape", worlds(expression)))
    c, s = np.concatenate(color), np.concatenate(shape)
    return Shares(*(float(np.mean(found)) for found in (c & s, c & ~s, s & ~c, ~c & ~s)))


def expected_shares():
    """The exact shares: five of eleven kinds are there; three are other squares, two are other yellow things."""
    ways = comb(11, 5)
    no_square, no_yellow, neither = comb(8, 5), comb(9, 5), comb(6, 5)
    both = ways - no_square - no_yellow + neither
    return Shares(*(n / ways for n in (both, no_yellow - neither, no_square - neither, neither)))


@pytest.mark.parametrize("expression", YELLOW_SQUARES)
def test_needs_is_judged_as_the_plain_definition_does(expression):
    """The compiled resolver and the definition agree on which words are needed."""
    batch = make_batch(expression, 60)
    for word in said(expression):
        shorter, found = without(expression, said(expression)[word]), needs(expression, word, batch)
        for world in range(len(batch)):
            plain = denotation(shorter, batch.scene(world), reading="superlative") != {0}
            assert plain == found[world]


def test_both_words_are_needed_as_often_as_in_the_paper():
    """Sizes aside, the shares follow from the rule alone, and the paper's four figures are those within a point."""
    found, exact = shares(heed_size=False), expected_shares()

    for mine, share, paper in zip(found, exact, PAPER, strict=True):
        assert abs(mine - share) < 4 * sqrt(share * (1 - share) / EXAMPLES)
        assert abs(mine - paper) < 0.015
        assert abs(share - paper) < 0.01


def test_a_size_word_makes_other_words_idle():
    """Heeding the size word, both words are needed less often: a smallest yellow square may be the smallest square."""
    plain, small, big = (
        float(np.mean(needs(expression, "color", batch) & needs(expression, "shape", batch)))
        for expression, batch in zip(YELLOW_SQUARES, map(worlds, YELLOW_SQUARES), strict=True)
    )

    assert abs(plain - expected_shares().both) < 0.02
    assert max(small, big) < plain - 0.1
    assert shares(heed_size=True).both < shares(heed_size=False).both
