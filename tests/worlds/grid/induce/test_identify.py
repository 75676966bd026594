"""Identifiability, held against its plain definition."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.expression.patterns import P1, P2
from deixis.resolution import denotation
from deixis.worlds.grid.commands import commands
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.induce import Pair, Rule, Task, edits_between, is_identifiable
from deixis.worlds.grid.induce.edits import Enlarge, Move, Paint, apply_edit
from deixis.worlds.grid.induce.rule import length_of
from deixis.worlds.grid.induce.solve import explain_pairs, outputs_of
from deixis.worlds.grid.language import parse


def pair(before: str, after: str) -> Pair:
    return Pair(grid(before), grid(after))


def plain_explanations(task: Task) -> set[str]:
    """The short rules that explain the pairs of a task, found by resolving every command with up to one clause."""
    explaining = set()
    edits = set.intersection(*(set(edits_between(p.input, p.output)) for p in task.train))
    for expression in (e for pattern in (P1, P2) for e in commands(pattern)):
        if length_of(expression) > task.rule.length:
            continue
        for edit in edits:
            if all(_explains(expression, edit, p) for p in task.train):
                explaining.add(Rule(expression, edit).english())
    return explaining


def _explains(expression, edit, shown: Pair) -> bool:
    found = denotation(expression, shown.input)
    return len(found) == 1 and apply_edit(edit, shown.input, *found) == shown.output


@pytest.mark.parametrize("number", range(10))
def test_explanations_are_those_of_the_plain_definition(tasks, number):
    """For rules with up to one clause a search through all commands, resolved one by one, finds the same rules."""
    task = tasks[number]
    table = explain_pairs(task.train[:1], longest=task.rule.length)
    mine = {rule.english() for rule in table.rules() if len(rule.expression.clauses) < 2}

    assert mine == plain_explanations(replace(task, train=task.train[:1]))


def test_a_task_is_identifiable_when_all_explanations_agree():
    """One circle, always enlarged: it may be the circle or the red one, and the test does not tell them apart."""
    train = (pair("r○1 .\n. b□2", "r○2 .\n. b□2"),)
    rule = Rule(parse("the circle"), Enlarge())
    test = pair(". r○2\nb□1 .", ". r○3\nb□1 .")

    assert is_identifiable(Task(rule=rule, train=train, test=test))


def test_a_task_is_not_identifiable_when_explanations_differ():
    """The small circle or the red circle? In the test the one is blue, the other big."""
    train = (pair("r○1 .\n. b○2", "r○2 .\n. b○2"),)
    test = pair("b○1 .\n. r○2", "b○2 .\n. r○2")

    assert not is_identifiable(Task(rule=Rule(parse("the small circle"), Enlarge()), train=train, test=test))


def test_longer_rules_do_not_count():
    """'the red square' would explain the pair as well, but it is longer than 'the square'."""
    train = (pair("r□1 .\n. b○2", "r□2 .\n. b○2"),)
    test = pair("b□1 .\n. r○1", "b□2 .\n. r○1")

    assert is_identifiable(Task(rule=Rule(parse("the square"), Enlarge()), train=train, test=test))


def test_how_far_something_moves_must_be_plain_too():
    """One cell or until blocked: pairs that do not tell leave two outputs."""
    train = (pair("r○1 . .\n. . .\nb□1 . .", ". . .\nr○1 . .\nb□1 . ."),)
    test = pair("r○1 . .\n. . .\n. . .", ". . .\nr○1 . .\n. . .")
    task = Task(rule=Rule(parse("the circle"), Move("down")), train=train, test=test)

    found = explain_pairs(train, longest=1)
    assert set(found.by_edit) == {Move("down"), Move("down", "until blocked")}
    assert len(outputs_of(found, test.input)) == 2
    assert not is_identifiable(task)


def test_rules_without_an_output_do_not_count():
    """A rule that fits nothing in the test is ruled out by the test."""
    train = (pair("r○1 .\n. b□2", "y○1 .\n. b□2"),)
    found = explain_pairs(train, longest=2)

    assert len(found) > 1
    assert outputs_of(found, grid("g○1 .\n. .")) == {grid("y○1 .\n. .")}
    assert outputs_of(found, grid("g□1 .\n. .")) == set()


def test_what_no_rule_explains_has_no_explanations():
    """Two different edits in two pairs leave nothing."""
    train = (pair("r○1 .\n. .", "r○2 .\n. ."), pair("r○1 .\n. .", "b○1 .\n. ."))

    assert len(explain_pairs(train, longest=9)) == 0


@pytest.mark.parametrize("reading", ["comparative", "superlative"])
@pytest.mark.parametrize("number", range(15))
def test_every_task_has_one_explanation(tasks, number, reading):
    """Stronger than asked: no other rule that is not longer explains the pairs, however size words are read."""
    (only,) = explain_pairs(tasks[number].train, longest=tasks[number].rule.length, reading=reading).rules()

    assert only.means(tasks[number].rule)
    assert is_identifiable(tasks[number], reading=reading)


def test_painting_is_told_from_other_edits(tasks):
    """What changed names the operation."""
    for task in tasks:
        for shown in (*task.train, task.test):
            assert {type(edit) for edit in edits_between(shown.input, shown.output)} == {type(task.rule.edit)}
    assert isinstance(tasks[0].rule.edit, Paint)
