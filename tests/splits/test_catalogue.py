"""The catalogue: the splits of the papers under ids that do not change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis.errors import UnknownName
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse, read
from deixis.worlds.grid.splits import find_rule, rules
from deixis.worlds.grid.splits.rules import GSCAN, GSCAN_LENGTHS, GSCAN_SPATIAL, REASCAN, REASCAN_ASIDE


PLAIN = "the circle that is in the same row as a blue square"
CASES = {
    "a1": "the big yellow square",
    "a2": "the red square",
    "a3": "the small blue cylinder",
    "b2": "the circle that is inside of a red box and in the same size as a blue square",
    "c1": "the circle that is inside of a red box and in the same row as a blue square and in the same column as a "
    "small square",
    "c2": "the circle that is inside of a red box that is in the same row as a blue square",
}


def test_the_splits_of_the_papers_are_there():
    """Every split has a versioned id and a short name, and no two share either."""
    assert [rule.id for rule in REASCAN] == [
        f"reascan/{name}-v1" for name in ("A1", "A2", "A3", "B1", "B2", "C1", "C2")
    ]
    assert [rule.id for rule in GSCAN] == [
        f"gscan/{name}-v1"
        for name in (
            *("yellow-squares", "red-squares", "south-west", "small-circles"),
            *("pushed-squares", "cautiously", "pull-while-spinning"),
        )
    ]
    assert [rule.id for rule in GSCAN_LENGTHS] == ["gscan/long-plans-v1"]
    assert [rule.id for rule in GSCAN_SPATIAL] == [
        f"gscan-spatial/{name}-v1"
        for name in ("visual", "relation", "referent", "relative-position-1", "relative-position-2")
    ]
    assert [rule.id for rule in REASCAN_ASIDE] == ["reascan/inside-then-shape-v1", "reascan/first-yellow-box-v1"]
    assert tuple(rules().values()) == REASCAN + REASCAN_ASIDE + GSCAN + GSCAN_LENGTHS + GSCAN_SPATIAL
    assert len({rule.name for rule in rules().values()}) == len(rules())


@pytest.mark.parametrize("name", CASES)
def test_every_rule_holds_its_example_out_and_no_other(name):
    """Each command is held out by its own rule of the paper alone, a plain one by none."""
    expression = parse(CASES[name])

    assert [rule.name for rule in REASCAN if rule.says(expression)] == [name]
    assert not find_rule(name).says(parse(PLAIN))


def test_what_the_authors_keep_out_besides_forms_no_test_set():
    """Two further rules hold out what the authors' script for the splits does, and nothing that the paper names."""
    shape, box = REASCAN_ASIDE
    both = parse("the object that is inside of a big yellow box and in the same shape as a blue object")

    assert not shape.tested
    assert not box.tested
    assert shape.says(both)
    assert box.says(both)
    assert not any(rule.says(parse(text)) for text in (PLAIN, *CASES.values()) for rule in REASCAN_ASIDE)
    assert not any(rule.says(both) for rule in REASCAN)


@pytest.mark.data
def test_released_examples_say_nothing_that_is_kept_out():
    """None of the released two-clause examples is held out by a rule that is cut from the pools, or set aside."""
    sample = Path(__file__).parents[2] / "../shared/data/reascan/official_2rel_test_sample.json"
    if not sample.exists():
        pytest.skip("the released sample is not here")
    examples = json.loads(sample.read_text(encoding="utf-8"))["examples"]["test"]
    said = [read(example["command"].replace(",", " ")).expression for example in examples]

    assert len(said) > 300
    assert not any(rule.says(expression) for expression in said for rule in (*REASCAN, *REASCAN_ASIDE))
    assert sum(expression.relations()[0] == "inside" for expression in said) > 50
    assert sum(set(expression.relations()) == {"inside", "same shape"} for expression in said) > 0


def test_a2_also_holds_out_what_is_seen():
    """A red square among the mentioned objects is held out though nobody calls it so."""
    scene = grid("""
        0:r□1 1:b□2
        .     .
    """)

    assert find_rule("a2").holds(parse("the object that is in the same row as a blue square"), scene)
    assert not find_rule("a1").holds(parse("the object that is in the same row as a blue square"), scene)


@pytest.mark.parametrize(
    ("words", "picture", "names"),
    [
        ("the yellow square", "0:y□1 r□2", ["yellow-squares"]),
        ("the small yellow square", "0:y□1 y□2", ["yellow-squares"]),
        ("the square", "0:y□1 r○2", []),
        ("the yellow circle", "0:y○1 y□2", []),
        ("the red square", "0:r□1 y□2", ["red-squares"]),
        ("the big square", "0:r□3 b□2", ["red-squares"]),
        ("the red circle", "0:r○1 r□2", []),
    ],
)
def test_gscan_holds_out_yellow_squares_by_name_and_red_ones_as_targets(words, picture, names):
    """A yellow square is held out only where it is called yellow, a red one as a target, whatever it is called."""
    expression, scene = parse(words), grid(f"{picture}\n. .")

    assert [rule.name for rule in GSCAN if rule.holds(expression, scene)] == names


@pytest.mark.parametrize("name", ["a3", "A3", "reascan/A3-v1"])
def test_rules_are_found_by_id_and_by_name(name):
    """Ids and short names lead to the same rule."""
    assert find_rule(name).id == "reascan/A3-v1"


def test_a_name_that_nobody_knows_is_an_error():
    """An unknown name lists what is known, or what was probably meant."""
    with pytest.raises(UnknownName, match="known: reascan/A1-v1"):
        find_rule("zzzzzz")
    with pytest.raises(UnknownName, match="did you mean 'reascan/B1-v1'"):
        find_rule("reascan/B1-v7")


def test_only_b1_c1_and_c2_are_made_on_purpose():
    """The other sets are cut out of the pools."""
    assert [rule.name for rule in rules().values() if rule.is_generated] == ["b1", "c1", "c2"]
