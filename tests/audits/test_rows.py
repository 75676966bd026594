"""The fast path over tables gives the counts of the plain definitions."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from deixis.audits import Audit, measures
from deixis.distractors.planned_misreadings import planned_misreadings
from deixis.expression.parts import parts
from deixis.resolution import denotation
from deixis.scene import Context
from deixis.testing import grid_scenes
from deixis.worlds.grid._audit.plain import audit_commands
from deixis.worlds.grid._audit.questions import CLAUSE_SLOT, Question, QuestionTables
from deixis.worlds.grid._audit.run import audit_tables
from deixis.worlds.grid._kernels.audit import read_carelessly
from deixis.worlds.grid.data.table import examples_of, table_of
from deixis.worlds.grid.scene import GRID, GridBatch
from deixis.worlds.grid.splits.rules import find_rule
from tests.audits.strategies import grid_commands, tables_of_all_patterns
from tests.datasets.formats.released import SAMPLE, needs_sample


def carelessly(expression, scene):
    """What the kernel finds for one expression in one scene: (left without each part, the five other sets)."""
    question, batch = Question.about(expression), GridBatch.of([scene])
    mentions, parts = QuestionTables.of([question])
    without, found = np.zeros(len(question.parts), np.uint64), np.zeros((1, 5), np.uint64)
    tables = mentions.values, mentions.start, np.ascontiguousarray(parts.values[:, :2]), parts.start
    none = np.zeros(1, np.int64)
    read_carelessly(batch.objects, batch.count.astype(np.int64), batch.size, *tables, none, without, none, found)
    return question, without.tolist(), found[0].tolist()


def bits(expression, scene):
    return sum(1 << index for index in denotation(expression, scene))


def union(readings, scene):
    found = 0
    for reading in readings:
        found |= bits(reading, scene)
    return found


@given(grid_commands(), grid_scenes(min_objects=1, max_objects=12))
def test_compiled_misreadings_are_the_plain_ones(expression, scene):
    """Leaving out, misreading, exchanging and shortening pick out what they do by the definitions."""
    _, _, (noun, phrase, first, exchanged, reached) = carelessly(expression, scene)

    first_clause = measures.first_clause_alone(expression)
    assert noun == bits(measures.noun_alone(expression, GRID), scene)
    assert phrase == bits(expression.phrase, scene)
    assert first_clause is None or first == bits(first_clause, scene)
    assert exchanged == union(measures.exchanges(expression), scene)
    itself = bits(expression, scene)  # an exchange that changes nothing is no misreading, but does no harm
    assert reached | itself == union([one.expression for one in planned_misreadings(expression, GRID)], scene) | itself


@given(grid_commands(), grid_scenes(min_objects=1, max_objects=12))
def test_compiled_parts_are_the_plain_ones(expression, scene):
    """Each part is of the same kind, in the same phrase, and leaves the same objects when it is dropped."""
    question, without, _ = carelessly(expression, scene)
    left = measures.left_without(expression, Context.of(scene))
    plain = sorted(
        (one.phrase, one.kind, sum(1 << where.object for where in left[one.part]))
        for one in measures.audited_parts(expression, GRID)
    )

    fast = sorted(
        (PHRASES[phrase], KINDS[kind], found)
        for (_, _, phrase, kind), found in zip(question.parts.tolist(), without, strict=True)
    )
    assert fast == plain
    assert (question.parts[:, 1] == CLAUSE_SLOT).sum() == sum(part.kind == "clause" for part in parts(expression))


PHRASES = ("target", "other")
KINDS = ("noun", "colour word", "size word", "clause", "implied noun")


def assert_same(fast: Audit, plain: Audit) -> None:
    for one in fields(Audit):
        assert getattr(fast, one.name) == getattr(plain, one.name), one.name


@pytest.fixture(scope="module", params=["compatible", "corrected"])
def tables(request, tmp_path_factory):
    """A dataset with all patterns."""
    return tables_of_all_patterns(request.param, tmp_path_factory.mktemp(request.param) / "made")


def test_tables_are_audited_as_their_examples(tables):
    """Every count of the fast path is that of the plain definitions, for all patterns and both modes."""
    plain = audit_commands(example for table in tables for example in examples_of(table))

    fast = audit_tables(tables)

    assert fast.judged > 30
    assert_same(fast, plain)


def test_spoilt_examples_are_left_out_alike(tables):
    """Targets that are not meant, missing roles and examples set aside are counted alike, and held-out rules too."""
    rules = (find_rule("a1"), find_rule("a3"))
    examples = [example for table in tables for example in examples_of(table)]
    spoilt = [
        replace(example, target=number % 2, roles=example.roles if number % 3 else (), split=SPLITS[number % 4])
        for number, example in enumerate(examples)
    ]

    fast = audit_tables([table_of(spoilt)], rules=rules)

    assert fast.unjudged["fits another object than the target",] > 0
    assert fast.unjudged["set aside",] > 0
    assert sum(fast.held_out.values()) > 0
    assert_same(fast, audit_commands(spoilt, rules=rules))


SPLITS = ("train", "dev", "a1+a3", "aside")


@pytest.mark.parametrize("workers", [1, 3])
def test_neither_workers_nor_pieces_matter(tables, workers, monkeypatch):
    """The audit is the same however the rows are divided."""
    whole = audit_tables([pa.concat_tables(tables)])
    monkeypatch.setattr("deixis.worlds.grid._audit.run.ROWS", 7)

    assert_same(audit_tables(tables, workers=workers), whole)


@needs_sample
def test_released_examples_are_audited_as_the_definitions_say():
    """Some dozen released examples give the same counts either way."""
    from deixis.worlds.grid.formats.reascan import read_reascan

    table = next(iter(read_reascan(SAMPLE))).slice(0, 40)

    assert_same(audit_tables([table]), audit_commands(examples_of(table)))
