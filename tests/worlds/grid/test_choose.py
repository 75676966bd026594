"""Choosing commands: everything once, uniformly or with all relations in turn."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from deixis.expression.patterns import C2, P1, P2, P3, pattern, pattern_of
from deixis.seeds import Stream
from deixis.worlds.grid.commands import (
    VERBS,
    broken_rules,
    choose_balanced,
    choose_uniform,
    commands,
    count_commands,
    with_balanced_verbs,
    with_random_verbs,
)


def first(choose, of, count, seed=1):
    return list(islice(choose(of, rng=Stream(seed)), count))


@pytest.mark.parametrize("choose", [choose_uniform, choose_balanced])
def test_simple_commands_come_with_every_verb_and_manner(choose):
    """All 675 simple commands come once each."""
    chosen = list(choose(P1, rng=Stream(1)))

    assert len(chosen) == len(set(chosen)) == 675
    assert len({(i.verb, i.manner) for i in chosen}) == 15


@pytest.mark.parametrize("choose", [choose_uniform, choose_balanced])
def test_every_command_comes_once_in_the_end(choose):
    """Choosing all one-clause commands gives each core command exactly once."""
    chosen = [instruction.expression for instruction in choose(P2, rng=Stream(1))]

    assert len(chosen) == len(set(chosen)) == count_commands(P2)
    assert set(chosen) == set(commands(P2))


@pytest.mark.parametrize("choose", [choose_uniform, choose_balanced])
@pytest.mark.parametrize("of", [P3, C2, pattern("^ & ^")], ids=["p3", "chain", "general"])
def test_what_is_chosen_is_a_command_of_the_pattern(choose, of):
    """Chosen commands obey the rules of the language, have the pattern asked for and are all different."""
    chosen = [instruction.expression for instruction in first(choose, of, 200)]

    assert len(set(chosen)) == 200
    assert all(pattern_of(expression) == of for expression in chosen)
    assert not any(broken_rules(expression) for expression in chosen)


def test_balanced_choices_have_all_relations_equally_often():
    """Of two-clause commands each of the fifteen pairs of relations comes once in every fifteen."""
    pairs = [tuple(sorted(i.expression.relations())) for i in first(choose_balanced, P3, 150)]

    assert set(Counter(pairs).values()) == {10}
    assert len(set(pairs)) == 15


def test_uniform_choices_have_few_rare_relations():
    """Uniformly, relations come as often as there are commands with them: same color hardly ever."""
    relations = Counter(r for i in first(choose_uniform, P3, 2000) for r in i.expression.relations())

    share = {name: count / 4000 for name, count in relations.items()}
    assert share["same row"] == pytest.approx(203_904 / 605_096, abs=0.03)
    assert share["inside"] == pytest.approx(117_880 / 605_096, abs=0.03)
    assert share["same color"] == pytest.approx(9_168 / 605_096, abs=0.012)


@pytest.mark.parametrize("choose", [choose_uniform, choose_balanced])
def test_a_seed_gives_the_same_choice_again(choose):
    """The choice follows from the seed, and another seed chooses otherwise."""
    assert first(choose, P3, 50) == first(choose, P3, 50)
    assert first(choose, P3, 50) != first(choose, P3, 50, seed=2)


def test_the_beginning_does_not_depend_on_how_much_is_taken():
    """Taking more commands does not change the first ones."""
    assert first(choose_balanced, P3, 100)[:20] == first(choose_balanced, P3, 20)


def test_balanced_verbs_come_equally_often():
    """Every fifteen commands use each verb and manner once."""
    chosen = with_balanced_verbs(islice(commands(P2), 45), rng=Stream(3))

    assert Counter((i.verb, i.manner) for i in chosen) == dict.fromkeys(VERBS, 3)


def test_random_verbs_keep_the_order_of_the_commands():
    """Random verbs are given to the expressions as they come."""
    wanted = list(islice(commands(P2), 300))

    chosen = list(with_random_verbs(iter(wanted), rng=Stream(3)))

    assert [i.expression for i in chosen] == wanted
    assert {(i.verb, i.manner) for i in chosen} == set(VERBS)
