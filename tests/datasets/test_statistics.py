"""Statistics: against counting by hand, in pieces and as a whole, and of columns that contradict each other."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.data.statistics import LENGTH_BINS, Statistics, length_bin, part_kind, statistics_of
from deixis.worlds.grid.data.table import SCHEMA, table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.formats.reascan import write_reascan
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.roles import KINDS, Role, encode_misreading
from tests.datasets.tiny import quick


BOARD = """
    >     .     0:r○1
    .     1:b□2 .
    2:r○3 .     3:g▣2
"""
PLAIN = Example(
    text="walk to the small red circle",
    scene=grid(BOARD),
    target=0,
    plan=(Action.WALK, Action.WALK),
    roles=(Role("target"), Role("random"), Role("size"), Role("random")),
    misreadings=(encode_misreading("size", 0),),
    split="train",
)
CLAUSE = Example(
    text="push the circle that is in the same column as a box hesitantly",
    scene=grid(BOARD),
    target=0,
    plan=(Action.WALK,) * 12,
    roles=(Role("target"), Role("random"), Role("relation"), Role("mentioned", 1)),
    misreadings=(encode_misreading("relation", 1),),
    split="a1+a2",
)


@pytest.fixture
def examples():
    return [PLAIN, CLAUSE, PLAIN]


@pytest.fixture
def table(examples):
    return table_of(examples, with_necessity=True)


def test_everything_is_counted(table):
    """Splits, lengths, words, worlds, roles and directions are those of the three examples."""
    found = statistics_of([table])

    assert found.examples == 3
    assert found.texts == {PLAIN.text, CLAUSE.text}
    assert found.splits == {"a1": 1, "a2": 1, "train": 2}
    assert found.patterns == {"p1": 2, "p2": 1}
    assert found.lengths == {("p1", 2): 2, ("p2", 12): 1}
    assert found.objects == {("p1", 4): 2, ("p2", 4): 1}
    assert found.verbs == {("walk",): 2, ("push",): 1}
    assert found.manners == {("",): 2, ("hesitantly",): 1}
    assert found.said == {
        ("relation", "same column"): 1,
        ("shape", "circle"): 3,
        ("shape", "box"): 1,
        ("color", "red"): 2,
        ("size", "small"): 2,
    }
    assert found.shown["shape", "circle"] == 6
    assert found.shown["color", "blue"] == 3
    assert found.shown["size", "2"] == 6
    assert found.directions == {("east",): 3}
    assert found.with_kind["p1", "random"] == 2
    assert found.of_kind["p1", "random"] == 4
    assert found.competitors == {("p1", 1): 2, ("p2", 1): 1}


def test_necessity_is_counted_by_kind_of_part(examples, table):
    """The shares of needed parts are those that the plain definition gives, one part after the other."""
    expected = Counter(
        (example.pattern, part_kind(part), needed)
        for example in examples
        for part, needed in example.necessity().items()
    )

    assert statistics_of([table]).parts == expected


def test_pieces_merge_into_the_whole(table):
    """Counting row by row and merging gives what counting at once gives, in whatever order."""
    rows = [table.slice(row, 1) for row in range(table.num_rows)]
    merged = statistics_of(rows[2:]).merge(statistics_of(rows[:1])).merge(statistics_of(rows[1:2]))

    assert merged == statistics_of([table]) == statistics_of(rows)


def test_nothing_is_nothing():
    """A dataset without rows has empty statistics, which change nothing when merged."""
    assert statistics_of([]) == statistics_of([SCHEMA.empty_table()]) == Statistics()


def test_a_command_that_cannot_be_read_is_counted_as_such(table):
    """Its row counts, its words do not."""
    texts = pa.array(["abracadabra", *table["command"].to_pylist()[1:]])
    spoilt = table.set_column(SCHEMA.get_field_index("command"), "command", texts).drop_columns(["expression"])

    found = statistics_of([spoilt])

    assert (found.examples, found.unread) == (3, 1)
    assert found.said["shape", "circle"] == 2


def test_roles_and_necessity_may_be_unknown(examples):
    """Files that do not say why objects are there are counted without roles and parts."""
    found = statistics_of([table_of([replace(example, roles=(), misreadings=()) for example in examples])])

    assert found.examples == 3
    assert found.competitors == found.of_kind == found.parts == {}


def test_determiners_do_not_make_another_command():
    """What is said with 'a' in one world and with 'the' in another is one command with two worlds."""
    definite = replace(CLAUSE, text=CLAUSE.text.replace("as a box", "as the box"))
    found = statistics_of([table_of([CLAUSE, definite, PLAIN])])

    assert len(found.texts) == 3
    assert found.worlds_per_command("p2") == (1, 2, 2.0, 2)
    assert found.worlds_per_command() == (2, 1, 1.5, 2)
    assert found.worlds_per_command("p3") == (0, 0, 0.0, 0)


TWO = replace(
    CLAUSE,
    text="push the circle that is in the same column as a box and in the same row as a red square",
    roles=(Role("target"), Role("mentioned", 2), Role("relation", 0), Role("mentioned", 1)),
)
BOTH = replace(TWO, roles=(Role("target"), Role("relation", 1), Role("relation", 0), Role("mentioned", 1)))
TWICE = replace(TWO, roles=(Role("target"), Role("relation", 1), Role("relation", 1), Role("mentioned", 1)))
UNKNOWN = replace(CLAUSE, roles=(), misreadings=())


ALL_OF_IT = replace(
    TWO,
    roles=(Role("target"), Role("relation", 0), Role("relation", 0), Role("mentioned", 1)),
    misreadings=(encode_misreading("relation", 1), encode_misreading("relation", 2)),
)
IN_PART = replace(ALL_OF_IT, roles=(Role("target"), Role("random"), Role("relation", 0), Role("mentioned", 1)))


def is_whole(example, role):
    """Whether the set of an object has all its objects: a copy of everything, but for the clause that it leaves out."""
    if role.number >= len(example.misreadings):
        return True
    code = example.misreadings[role.number]
    mentions = sum(1 for _ in example.expression.mentions())
    left_out = 1 if role.kind == "relation" else 0  # clauses of these examples hang on the target
    wanted = mentions - left_out if code >> 12 != KINDS.index("size") else 1
    return sum((other.kind, other.number) == (role.kind, role.number) for other in example.roles) >= wanted


def test_sets_with_a_missing_object_do_not_count():
    """A set counts when all its objects found a place; where sets use objects that are there, however many it has."""
    found = statistics_of([table_of([ALL_OF_IT, IN_PART, PLAIN])])
    planned = statistics_of([table_of([ALL_OF_IT, IN_PART, PLAIN])], sets_are_copies=False)

    assert found.with_kind["p3", "relation"] == 1
    assert found.with_kind["p3", "random"] == found.with_kind["p1", "size"] == 1
    assert found.of_kind["p3", "relation"] == 3
    assert planned.with_kind["p3", "relation"] == 2


def test_sets_of_made_worlds_count_as_the_release_says(tmp_path):
    """In made worlds the shares are those of the flags in the released layout: completely placed, or not there."""
    pool = Pool(name="p3", pattern="p3", commands=60, worlds=3)
    dataset = make(quick(pools=(pool,), hold_out=()), tmp_path / "made", workers=1)
    write_reascan(dataset.tables(), tmp_path / "released.txt")
    released = json.loads((tmp_path / "released.txt").read_text(encoding="utf-8"))["examples"]
    every = [example for examples in released.values() for example in examples]

    found = statistics_of(dataset.tables())

    for kind in ("relation", "attribute", "isomorphism"):
        assert found.with_kind.get(("p3", kind), 0) == sum(one[f"has_{kind}_distractor"] for one in every)
    assert found.with_all_relations["p3",] == sum(one["full_relation_distractor"] for one in every)


def test_test_sets_made_by_themselves_stand_apart():
    """The commands of a split that is no part of the pools are counted under a pattern of their own."""
    made = replace(CLAUSE, text="push the circle that is in the same row as a box", split="b1")
    table = table_of([CLAUSE, made, PLAIN, CLAUSE])

    found, together = statistics_of([table], apart=["b1"]), statistics_of([table])

    assert found.patterns == {"p1": 1, "p2": 2, "p2 of b1": 1}
    assert found.worlds_per_command("p2") == (1, 2, 2.0, 2)
    assert found.worlds_per_command("p2 of b1").commands == 1
    assert together.worlds_per_command("p2").commands == 2
    assert found.splits == together.splits


@given(
    st.lists(st.sampled_from([PLAIN, CLAUSE, TWO, BOTH, TWICE, UNKNOWN, ALL_OF_IT, IN_PART]), max_size=8),
    st.integers(1, 8),
)
def test_every_clause_has_its_set_or_not(chosen, size):
    """The worlds with a relation set for every clause are those that counting sets and clauses one by one gives."""
    expected = Counter()
    for example in chosen:
        clauses = len(example.expression.relations())
        sets = {role.number for role in example.roles if role.kind == "relation" and is_whole(example, role)}
        if clauses and len(sets) >= clauses:
            expected[example.pattern,] += 1
    tables = [table_of(chosen[first : first + size]) for first in range(0, len(chosen), size)]

    found = statistics_of(tables)

    assert found.with_all_relations == expected
    assert sum(found.with_roles.values()) == sum(bool(example.roles) for example in chosen)
    assert sum(found.worlds.values()) == len(chosen)


@pytest.mark.parametrize(
    ("length", "label"),
    [(0, "1–10"), (1, "1–10"), (10, "1–10"), (11, "11–20"), (50, "41–50"), (51, "over 50"), (900, "over 50")],
)
def test_lengths_fall_into_the_bins_of_the_paper(length, label):
    """Bin k of Figure 4 holds the lengths from 10k + 1 to 10k + 10."""
    assert length_bin(length) == label
    assert label in LENGTH_BINS


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("target", [9, 0, 0]),
        ("color", [[0], [0], [0]]),
        ("color", [[9] * 4] * 3),
        ("shape", [[9] * 4] * 3),
        ("role", [[0], [0], [0]]),
        ("necessary", [[True], [True], [True]]),
    ],
)
def test_columns_that_contradict_each_other_are_refused(table, column, values):
    """Impossible values end in an error that a user can read."""
    place = SCHEMA.get_field_index(column)
    spoilt = table.set_column(place, SCHEMA.field(column), pa.array(values, SCHEMA.field(column).type))

    with pytest.raises(BrokenDataset):
        statistics_of([spoilt])


def test_a_missing_column_is_named(table):
    """The error says which column is not there."""
    with pytest.raises(BrokenDataset, match="plan"):
        statistics_of([table.drop_columns(["plan"])])


def test_counts_as_plain_values(table):
    """Keys are joined, so that the counts can be written as JSON."""
    plain = statistics_of([table]).to_dict()

    assert plain["texts"] == 2
    assert plain["commands"] == {"p1": 1, "p2": 1}
    assert plain["places"] == {"a1+a2 / p2": 1, "train / p1": 2}
