"""Which commands there are: the counts of the specification, the rules, and sampling."""

from __future__ import annotations

from collections import Counter
from itertools import islice, product

import pytest

from deixis.errors import RecipeError, UnsatisfiablePattern
from deixis.expression import Description, Related
from deixis.expression.patterns import C1, C2, P1, P2, P3, pattern, pattern_of
from deixis.seeds import Stream
from deixis.worlds.grid import commands as module
from deixis.worlds.grid.commands import (
    COLORS,
    RELATIONS,
    broken_rules,
    commands,
    count_commands,
    sample_commands,
    schematics,
)
from deixis.worlds.grid.language import parse, phrase_words, realise


ROW, COLUMN, INSIDE, SIZE, COLOR, SHAPE = RELATIONS
ONE_CLAUSE = {ROW: 1890, COLUMN: 1890, INSIDE: 840, SIZE: 180, COLOR: 54, SHAPE: 196}
TWO_CLAUSES = {
    (COLUMN, ROW): 119_700,
    (INSIDE, ROW): 52_920,
    (INSIDE, COLUMN): 52_920,
    (ROW, SHAPE): 16_464,
    (COLUMN, SHAPE): 16_464,
    (ROW, SIZE): 11_400,
    (COLUMN, SIZE): 11_400,
    (INSIDE, SHAPE): 5_488,
    (INSIDE, SIZE): 5_040,
    (COLOR, ROW): 3_420,
    (COLOR, COLUMN): 3_420,
    (SHAPE, SIZE): 1_584,
    (INSIDE, COLOR): 1_512,
    (COLOR, SHAPE): 480,
    (COLOR, SIZE): 336,
}
BREAKING = [  # the rule, and a command that breaks it and no other
    ("1A", "the red object that is in the same shape as a big circle"),
    ("1A", "the circle that is in the same shape as a red object"),
    ("1B", "the red circle that is in the same color as a big square"),
    ("1B", "the circle that is in the same color as a red square"),
    ("1C", "the big circle that is in the same size as a red square"),
    ("1C", "the circle that is in the same size as a small square"),
    ("2", "the circle that is inside of a red square"),
    ("2", "the circle that is in the same row as a red box"),
    ("2", "the red box"),
    ("3", "the circle that is in the same row as a red square and in the same row as a blue square"),
    ("a", "the circle that is in the same row as a square"),
    ("b", "the circle that is in the same row as a red object"),
    ("c", "the circle that is in the same row as a red square and in the same column as a red square"),
    ("d", "the red circle that is in the same row as a blue circle"),
    ("e", "the red object"),
    ("e", "the object"),
]


@pytest.mark.parametrize(
    ("which", "schemas", "count"),
    [(P1, 4, 45), (P2, 92, 5_050), (P3, 820, 302_548), (C2, 928, 383_470), (C1, 5_310, 11_784_024)],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_command_space_has_the_published_size(which, schemas, count):
    """Each pattern has as many schematics and core commands as the reference generator."""
    assert len(schematics(which)) == schemas
    assert count_commands(which) == count


def test_simple_commands_are_counted_by_form():
    """Commands without clauses: 3 bare nouns, 12 with a colour, 6 with a size, 24 with both."""
    assert [schematic.count() for schematic in schematics(P1)] == [3, 12, 6, 24]


def test_commands_with_one_clause_are_counted_by_relation():
    """Each relation has its share of the commands with one clause."""
    assert Counter(expression.relations()[0] for expression in commands(P2)) == ONE_CLAUSE


def test_commands_with_two_clauses_are_counted_by_pair_of_relations():
    """Each unordered pair of relations has its share of the commands with two clauses."""
    found = Counter()
    for schematic in schematics(P3):
        found[frozenset(schematic.relations)] += schematic.count()

    assert found == {frozenset(pair): count for pair, count in TWO_CLAUSES.items()}


@pytest.mark.parametrize("which", [P1, P2, P3, C2, C1], ids=lambda known: known.name)
def test_counting_agrees_with_listing(which):
    """A schematic counts exactly the commands that it lists, and they are all different."""
    some = [schematic for schematic in schematics(which)[::37] if schematic.candidates < 2_500]

    listed = [list(schematic.expressions()) for schematic in some]

    assert [len(expressions) for expressions in listed] == [schematic.count() for schematic in some]
    assert all(len(set(expressions)) == len(expressions) for expressions in listed)
    assert all(schematic.candidates >= schematic.count() for schematic in some)


@pytest.mark.slow
def test_all_commands_with_two_clauses_can_be_listed():
    """Listing every command with two clauses gives as many different ones as counted."""
    assert len(set(commands(P3))) == 302_548


def test_the_enumeration_begins_with_bare_nouns():
    """The first 14,328 commands with two clauses, and none just after, have a bare noun as target."""
    roots = [expression.phrase for expression in islice(commands(P3), 14_329)]

    assert {phrase_words(root) for root in roots[:14_328]} == {"circle", "cylinder", "square"}
    assert phrase_words(roots[14_328]) == "object"


def test_the_enumeration_begins_as_the_generator_does():
    """Words vary fastest, nouns before colours; relations come row, column, inside, size, colour, shape."""
    said = [realise(expression).text for expression in islice(commands(P2), 4)]

    assert said == [
        "the circle that is in the same row as a red cylinder",
        "the circle that is in the same row as a red square",
        "the circle that is in the same row as a blue cylinder",
        "the circle that is in the same row as a blue square",
    ]
    assert [schematic.relations[0] for schematic in schematics(P2)[:4]] == [ROW, COLUMN, INSIDE, SIZE]


def test_words_are_enumerated_in_the_order_of_the_generator():
    """Nouns vary fastest, then colours from red to yellow, then sizes, big before small."""
    said = [phrase_words(expression) for expression in commands(P1)]

    assert said[:6] == ["circle", "cylinder", "square", "red circle", "red cylinder", "red square"]
    assert said[15:21] == ["big circle", "big cylinder", "big square", "small circle", "small cylinder", "small square"]
    assert said[21::6] == ["big red circle", "big green circle", "small red circle", "small green circle"]
    assert said[24::6] == ["big blue circle", "big yellow circle", "small blue circle", "small yellow circle"]


def test_forms_of_phrases_come_in_the_order_of_the_generator():
    """The target's form varies slowest, in the order noun, object, colour, size, both."""
    forms = dict.fromkeys(schematic.forms[0] for schematic in schematics(P3))
    written = ["".join(mark for mark, said in zip("scg", _flags(form), strict=True) if said) for form in forms]

    assert written == ["", "g", "c", "cg", "s", "sg", "sc", "scg"]  # size, colour, generic noun


def test_the_rules_allow_exactly_the_listed_simple_commands():
    """Of all noun phrases, those that break no rule are the 45 listed."""
    allowed = {phrase for phrase in _all_phrases() if not broken_rules(phrase)}

    assert allowed == set(commands(P1))


def test_the_rules_allow_exactly_the_listed_commands_with_one_clause():
    """Of all pairs of noun phrases joined by a relation, those that break no rule are the 5,050 listed."""
    pairs = product(_all_phrases(), RELATIONS, _all_phrases())
    joined = (Description((*head.steps, Related(relation, to))) for head, relation, to in pairs)

    allowed = {expression for expression in joined if not broken_rules(expression)}

    assert allowed == set(commands(P2))


@pytest.mark.parametrize(
    "name", ["p3", "p4", "chain", "^ & ^", "^ ^ &", pytest.param("^ & & ^ &", marks=pytest.mark.slow)]
)
def test_longer_commands_obey_the_rules(name):
    """Commands of any pattern break no rule and have the pattern asked for."""
    wanted = pattern(name)

    drawn = list(islice(sample_commands(wanted, rng=Stream(4)), 1_000))

    assert len(set(drawn)) == 1_000
    assert {broken_rules(expression) for expression in drawn} == {()}
    assert {pattern_of(expression) for expression in drawn} == {wanted}


@pytest.mark.parametrize(("rule", "text"), BREAKING)
def test_a_command_that_breaks_one_rule_is_told_so(rule, text):
    """For every rule there is a command that breaks it and nothing else."""
    assert broken_rules(parse(text)) == (rule,)


def test_several_broken_rules_are_all_named_once():
    """Every broken rule is named, none twice."""
    text = "the red box that is in the same color as a box and in the same color as a box"

    assert sorted(broken_rules(parse(text))) == ["1B", "2", "3", "a", "c", "d"]


def test_the_order_of_words_does_not_hide_a_repeated_phrase():
    """Two phrases with the same words are the same phrase, however their steps are ordered."""
    again = Description(tuple(reversed(parse("a red square").steps)))
    head = parse("the circle that is in the same row as a red square")
    expression = Description((*head.steps, Related(COLUMN, again)))

    assert broken_rules(expression) == ("c",)


def test_sampling_gives_every_command_once():
    """All commands with one clause come, each once, in an order that is not that of the enumeration."""
    listed = list(commands(P2))

    drawn = list(sample_commands(P2, rng=Stream(1)))

    assert len(drawn) == len(listed)
    assert set(drawn) == set(listed)
    assert drawn != listed


def test_sampling_from_a_large_set_ends_when_all_have_come(monkeypatch):
    """Commands drawn one by one, as from sets too large to list, also come once each until none is left."""
    monkeypatch.setattr(module, "LISTABLE", 10)

    drawn = list(sample_commands(P3, rng=Stream(1), relations=(SHAPE, COLOR)))

    assert len(drawn) == len(set(drawn)) == TWO_CLAUSES[COLOR, SHAPE]
    assert {frozenset(expression.relations()) for expression in drawn} == {frozenset((COLOR, SHAPE))}


def test_sampling_by_relations_that_never_meet_gives_nothing():
    """There is no command with the same relation twice on one head, so none is drawn."""
    assert list(sample_commands(P3, rng=Stream(1), relations=(ROW, ROW))) == []


def test_sampling_is_uniform_over_pairs_of_relations():
    """Commands with two clauses are drawn about as often as their pair of relations has commands."""
    drawn = list(islice(sample_commands(P3, rng=Stream(8)), 15_000))
    seen = Counter(frozenset(expression.relations()) for expression in drawn)

    expected = {frozenset(pair): 15_000 * count / 302_548 for pair, count in TWO_CLAUSES.items()}
    distance = sum((seen[pair] - count) ** 2 / count for pair, count in expected.items())

    assert len(set(drawn)) == len(drawn)
    assert distance < 36.12  # chi-square, 14 degrees of freedom, 99.9 %


def test_sampling_is_uniform_over_targets():
    """Every noun of the target is drawn as often as every other."""
    drawn = islice(sample_commands(P3, rng=Stream(9)), 6_000)

    seen = Counter(expression.value("shape") for expression in drawn)
    solids = [seen[noun] for noun in ("circle", "cylinder", "square")]
    mean = sum(solids) / 3

    assert sum((count - mean) ** 2 / mean for count in solids) < 13.82  # chi-square, 2 degrees, 99.9 %


@pytest.mark.parametrize("which", [P2, P3], ids=lambda known: known.name)
def test_sampling_depends_on_the_seed_alone(which):
    """The same seed gives the same commands in the same order; another seed gives others."""
    one, again, other = (list(islice(sample_commands(which, rng=Stream(seed)), 200)) for seed in (3, 3, 4))

    assert one == again
    assert one != other


@pytest.mark.parametrize("name", ["^ & & & & & &", "^ ^ & & & & &"])
def test_more_clauses_than_relations_cannot_be_had(name):
    """A head cannot have more clauses than there are relations it may take."""
    with pytest.raises(UnsatisfiablePattern, match="need different relations"):
        schematics(pattern(name))


def test_patterns_too_large_to_list_are_refused():
    """Six clauses are refused at once instead of filling the memory."""
    with pytest.raises(RecipeError, match="use 5 clauses at most"):
        schematics(pattern("^ ^ ^ ^ ^ ^"))


def _flags(form):
    return form.has_size, form.has_color, form.is_object


def _all_phrases():
    nouns = ("circle", "cylinder", "square", "box", "object")
    return [
        parse(" ".join(("the", *size, *color, noun)))
        for size, color, noun in product(((), ("big",), ("small",)), ((), *((c,) for c in COLORS)), nouns)
    ]
