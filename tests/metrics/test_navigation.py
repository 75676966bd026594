"""Judging plans: what counts as right, where plans lead, what was misread, and that the compiled judge agrees."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._ragged import Ragged
from deixis.distractors.necessity import competitors
from deixis.errors import BrokenDataset, SchemaError
from deixis.expression.description import Description
from deixis.judge.uncertainty import wilson
from deixis.language.utterance import Instruction
from deixis.resolution import denotation
from deixis.scene import Context
from deixis.testing import grid_scenes
from deixis.worlds.grid._kernels.navigation import find_misreadings
from deixis.worlds.grid._kernels.worlds import COMPATIBLE
from deixis.worlds.grid.actions import VERBS, Action, Verb, plan_from_letters, plan_to_codes
from deixis.worlds.grid.data._commands import Command
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.judging._misreadings import (
    MISREADINGS,
    NO_REASON,
    UNCLEAR,
    Blueprints,
    category,
    misreadings,
    misreadings_to,
    names_of,
)
from deixis.worlds.grid.judging.navigation import (
    CHOICES,
    GROUPINGS,
    MEASURES,
    PlanEvaluation,
    align_plans,
    evaluate_plans,
    merge_splits,
)
from deixis.worlds.grid.judging.verdicts import (
    CUT,
    NO_ACTION,
    WRONG,
    ExampleArrays,
    Plans,
    chosen_object,
    exact_match,
    got_there,
    judge_all,
    judge_choice,
    judge_choices,
    judge_plan,
    tokens_right,
)
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.plan import plan
from deixis.worlds.grid.roles import Role
from deixis.worlds.grid.scene import GridBatch
from tests.audits.strategies import grid_commands
from tests.kernels.made import made_worlds


actions = st.lists(st.sampled_from(Action), max_size=40).map(tuple)

SHELF = grid("""
    >     .           .     0:r○1
    .     .           .     .
    1:b○1 2:r□3+3:g▣2 .     .
    4:r○2 .           .     5:r○4
""")


def example(text, *, target, scene=SHELF, **more):
    """An example whose plan is the planner's."""
    asked = Example(text=text, scene=scene, target=target, plan=(), **more)
    return replace(asked, plan=asked.gold_plan())


EXAMPLES = (
    example("walk to the small red circle that is in the same column as a big red circle", target=0),
    example("push the red square while spinning", target=2),
    example("walk to a green box hesitantly", target=3),
    example("pull the blue circle cautiously", target=1),
)


def plans_of(examples, said):
    """The plans as a model hands them in."""
    codes = [plan_to_codes(one) for one in said]
    return Plans(
        ids=np.array([one.id for one in examples], np.int64),
        codes=Ragged.of_lists(codes, np.zeros(0, np.uint8)),
    )


def evaluated(examples, said, **more):
    """The evaluation of plans for one split."""
    return evaluate_plans({"test": ExampleArrays.of(examples)}, {"test": plans_of(examples, said)}, **more)[0]


# -------------------------------------------------------------------------------- definitions


def test_only_the_same_actions_in_the_same_order_match():
    """A plan matches when nothing is missing, nothing is added and nothing differs; doing nothing can be right."""
    right = plan_from_letters("LWWP")

    assert exact_match(right, right)
    assert not exact_match(right[:-1], right)
    assert not exact_match((*right, Action.STAY), right)
    assert exact_match((), ())


def test_the_cut_forgives_what_comes_after_it():
    """With a cut at 30, plans of 30 and more actions need not end; shorter ones still must."""
    long, short = (Action.WALK,) * 31, (Action.WALK,) * 29

    assert exact_match((*long[:30], Action.PUSH), long, cut=30)
    assert not exact_match((*long[:30], Action.PUSH), long)
    assert exact_match(long[:30], long, cut=30)
    assert not exact_match(long[:30], short, cut=30)
    assert not exact_match(short, long, cut=30)


def test_actions_count_in_their_place():
    """The share of right actions is taken of the longer plan; two empty plans agree."""
    assert tokens_right(plan_from_letters("LW"), plan_from_letters("LWWW")) == 0.5
    assert tokens_right(plan_from_letters("WLWW"), plan_from_letters("LW")) == 0.0
    assert tokens_right((), ()) == 1.0


def test_a_detour_gets_there_all_the_same():
    """Another way to the same cells is forgiven, another end is not."""
    right = plan_from_letters("WWW")

    assert got_there(SHELF, plan_from_letters("RWLWWWLWR"), right)
    assert not got_there(SHELF, plan_from_letters("WW"), right)


@pytest.mark.parametrize(
    ("verb", "letters", "expected"),
    [
        (Verb.WALK, "WWW", 0),  # stands on the red circle
        (Verb.WALK, "WW", None),  # stands on nothing
        (Verb.WALK, "WRWW", 2),  # square and box: the solid
        (Verb.PUSH, "RWWPPWPPP", 4),  # pushes the blue circle, walks over it to the next and tries that last
        (Verb.PUSH, "RWWLPP", 1),  # pushes the blue circle against the square, in vain
        (Verb.PUSH, "PWWW", 0),  # pushes nothing at all, and ends on the red circle
        (Verb.WALK, "RWWPW", 4),  # for a walk pushes do not count
    ],
)
def test_which_object_a_plan_makes_for(verb, letters, expected):
    """What was pushed last, or what stands where the agent ends; possibly nothing."""
    assert chosen_object(SHELF, plan_from_letters(letters), target=5, verb=verb) == expected


def test_the_target_counts_where_two_things_share_a_cell():
    """Whoever walks to the corner of a box on which a solid stands may mean either."""
    there = plan_from_letters("WRWW")

    assert chosen_object(SHELF, there, target=3, verb=Verb.WALK) == 3
    assert chosen_object(SHELF, there, target=2, verb=Verb.WALK) == 2


# -------------------------------------------------------------------------------- misreadings


@pytest.mark.parametrize(
    ("text", "target", "chosen", "expected"),
    [
        ("the small red circle that is in the same column as a big red circle", 0, 4, ("clause: same column",)),
        ("the red square", 2, 0, ("noun",)),
        ("the blue circle", 1, 4, ("colour word",)),
        ("the blue circle", 1, 2, (NO_REASON,)),
        ("the red circle that is in the same row as a blue circle", 0, 1, (UNCLEAR,)),
    ],
)
def test_what_was_missed_by_who_went_there(text, target, chosen, expected):
    """The slightest misreading that leads to the object is named."""
    assert misreadings_to(parse(text), SHELF, target=target, chosen=chosen) == expected


def test_a_size_word_may_be_compared_with_everything():
    """Whoever takes 'small' for small among all things goes to the middle circle when the smallest is meant."""
    scene = grid("""
        0:r○1 1:r○2 .
        .     .     2:b□4
        .     .     .
    """)

    assert misreadings_to(parse("the small red circle"), scene, target=0, chosen=1) == ("size among everything",)


def test_a_clause_of_a_clause_may_be_heard_as_one_about_the_target():
    """Every word is heard, but the cylinder is looked for in the column of the circle, not of the square."""
    scene = grid("""
        0:r○1 2:b□1 .     .
        .     .     .     .
        1:r○1 .     3:b□1 .
        4:y▱1 5:y▱1 .     .
    """)
    said = parse("the circle that is in the same row as a square that is in the same column as a cylinder")
    flat = parse("the circle that is in the same row as a square and in the same column as a cylinder")
    assert 1 in denotation(flat, scene)

    assert misreadings_to(said, scene, target=0, chosen=1) == ("clause of a clause",)


def test_ties_are_shared():
    """Where missing one of two words leads to the same object, both are named."""
    scene = grid("""
        0:r○1 .     2:b□1
        1:r○1 3:r□1 4:b▱1
        .     .     .
    """)
    said = parse("the circle that is in the same row as a blue square")

    assert misreadings_to(said, scene, target=0, chosen=1) == ("noun of another", "colour word of another")


def compiled_missed(expression, scene, *, target, chosen):
    """What the compiled search names."""
    batch, tables, found = GridBatch.of([scene]), Blueprints.of([expression]), np.zeros(1, np.int64)
    count, size, meant, taken = (np.array([value], np.int64) for value in (len(scene), scene.size, target, chosen))
    find_misreadings(
        batch.objects, count, size, tables.mentions.values, tables.mentions.start, tables.number, meant, taken, found
    )
    return names_of(int(found[0]))


@given(grid_commands(), grid_scenes(min_objects=2, max_objects=12), st.data())
def test_compiled_misreadings_are_the_plain_ones(expression, scene, data):
    """For any command, world and choice the compiled search names what the definition names."""
    target = data.draw(st.sampled_from(sorted(denotation(expression, scene)) or [0]))
    chosen = data.draw(st.integers(0, len(scene) - 1).filter(lambda number: number != target))
    choice = {"target": target, "chosen": chosen}

    assert compiled_missed(expression, scene, **choice) == misreadings_to(expression, scene, **choice)


@pytest.mark.parametrize("name", ["p1", "p2", "p3", "p4", "chain"])
def test_choices_in_made_worlds_are_explained_alike(name):
    """In worlds with distractors of all kinds, compiled and plain search agree about every wrong object.

    Whatever a misreading of the command leads to is put down to that misreading or to a slighter misreading.
    """
    seen = set()
    for world in made_worlds(COMPATIBLE, name)[1][::4]:
        expression, scene = world.expression, world.scene
        if denotation(expression, scene) != {0}:
            continue
        rank_of = {category(one): one.rank for one in misreadings(expression)}
        ranks = {one.expression: one.rank for one in reversed(misreadings(expression))}
        led = {where.object: some for where, some in competitors(expression, Context.of(scene, 0)).items()}
        for chosen in range(1, len(scene)):
            names = misreadings_to(expression, scene, target=0, chosen=chosen)
            assert compiled_missed(expression, scene, target=0, chosen=chosen) == names
            if chosen in led:
                assert rank_of[names[0]] <= min(ranks[one.expression] for one in led[chosen])
            seen.update(names)
    assert len(seen) > 3


# -------------------------------------------------------------------------------- many at once


@given(grid_scenes(min_objects=1, with_agent=True), actions, actions, st.sampled_from(VERBS), st.data())
def test_compiled_verdicts_are_the_plain_ones(scene, right, said, verb, data):
    """For any world and any two plans the compiled judge says what the definitions say."""
    target = data.draw(st.integers(0, len(scene) - 1))
    shown = ExampleArrays.of([Example(text="walk to the circle", scene=scene, target=target, plan=right)])
    asked = replace(shown, commands=(Command("", Instruction(str(verb), Description())),))

    found = judge_all(asked, plans_of([Example(text="", scene=scene, target=0, plan=())], [said])).verdict(0)

    chosen = chosen_object(scene, said, target=target, verb=verb)
    assert found[:5] == (
        exact_match(said, right),
        exact_match(said, right, cut=CUT),
        tokens_right(said, right),
        got_there(scene, said, right),
        chosen,
    )


@given(st.lists(actions, min_size=len(EXAMPLES), max_size=len(EXAMPLES)))
def test_whole_verdicts_agree(said):
    """With commands, roles and misreadings, too, the compiled judge says what the plain one says."""
    examples = [replace(EXAMPLES[0], roles=tuple(Role("random", n % 3) for n in range(6))), *EXAMPLES[1:]]

    found = judge_all(ExampleArrays.of(examples), plans_of(examples, said))

    assert [found.verdict(n) for n in range(len(said))] == [
        judge_plan(one, plan) for one, plan in zip(examples, said, strict=True)
    ]


@given(st.lists(st.integers(0, 5), min_size=len(EXAMPLES), max_size=len(EXAMPLES)))
def test_whole_verdicts_on_pointing_agree(numbers):
    """Objects that were pointed at are judged by many as one by one."""
    examples = [replace(EXAMPLES[0], roles=tuple(Role("random", n % 3) for n in range(6))), *EXAMPLES[1:]]
    chosen = [number % len(one.scene) for number, one in zip(numbers, examples, strict=True)]

    found = judge_choices(ExampleArrays.of(examples), np.array(chosen, np.int64))

    assert [found.verdict(n) for n in range(len(chosen))] == [
        judge_choice(one, number) for one, number in zip(examples, chosen, strict=True)
    ]


def test_what_is_no_plan_is_wrong_throughout():
    """An answer that is missing, or holds something that is no action, is right by no measure."""
    gold = plans_of(EXAMPLES, [one.plan for one in EXAMPLES])
    broken = replace(gold, codes=Ragged(np.r_[NO_ACTION, gold.codes.values[1:]].astype(np.uint8), gold.codes.start))

    found = judge_all(ExampleArrays.of(EXAMPLES), broken, is_given=np.array([True, False, True, True]))

    assert found.verdict(0) == found.verdict(1) == WRONG == judge_plan(EXAMPLES[0], None)
    assert found.exact.tolist() == [False, False, True, True]


# -------------------------------------------------------------------------------- evaluations


def test_the_right_plans_score_everything():
    """The recorded plans, handed in, are right by every measure, also where a solid stands on the target box."""
    found = evaluated(EXAMPLES, [one.plan for one in EXAMPLES]).splits["test"]

    assert [found.score.estimate(name).mean for name in MEASURES] == [1.0] * len(MEASURES)
    assert found.score.tokens == 1.0
    assert found.choices == {**dict.fromkeys(CHOICES, 0), "right target": len(EXAMPLES)}


def test_empty_plans_score_nothing_unless_nothing_is_to_be_done():
    """Doing nothing is wrong, except where the agent already stands on what it should walk to."""
    idle = example("walk to the red circle", target=0, scene=grid("0:r○1+> .\n. ."))

    found = evaluated([*EXAMPLES, idle], [()] * 5).splits["test"].score

    assert idle.plan == ()
    assert dict(zip(MEASURES, found.right, strict=True))["exact"] == 1


def test_a_cut_and_an_uncut_match_differ_on_long_plans():
    """A mistake after the thirtieth action counts, but not for the released evaluator."""
    long = example("push the big red square while spinning", target=0, scene=far_away())
    assert len(long.plan) > 30

    found = evaluated([long], [(*long.plan[:-1], Action.STAY)]).splits["test"].score

    assert found.right[:2] == (0, 1)


def far_away():
    return grid("> . . . .\n. . . . .\n. . . . .\n. . . . 0:r□3\n. . . 1:r□1 .")


def test_unanswered_repeated_and_foreign_plans_are_told_apart():
    """What is missing counts as wrong; second answers and answers to other examples count for nothing."""
    stranger = example("walk to the blue circle", target=1)
    shown = [EXAMPLES[2], stranger, EXAMPLES[0], EXAMPLES[2]]
    said = [EXAMPLES[2].plan, (), EXAMPLES[0].plan, ()]

    found, _ = evaluate_plans({"test": ExampleArrays.of(EXAMPLES)}, {"test": plans_of(shown, said)})

    assert found.splits["test"].score.right[0] == 2
    assert found.splits["test"].choices["unanswered"] == 2
    assert list(found.strange.values()) == [1, 1]


def test_plans_for_other_examples_only_are_refused():
    """Where no id fits, something is wrong with the files, and that is said."""
    stranger = example("walk to the blue circle", target=1)

    with pytest.raises(BrokenDataset, match="none of the plans is to one of these 4 examples"):
        evaluate_plans({"test": ExampleArrays.of(EXAMPLES)}, {"test": plans_of([stranger], [()])})


@given(st.permutations(range(len(EXAMPLES))), st.integers(1, len(EXAMPLES)))
def test_the_order_of_plans_does_not_matter(order, kept):
    """Plans are found by the ids of their examples, in whatever order and however few they come."""
    some = [EXAMPLES[number] for number in order[:kept]]

    found, is_given = align_plans(ExampleArrays.of(EXAMPLES), plans_of(some, [one.plan for one in some]))

    assert is_given.tolist() == [number in order[:kept] for number in range(len(EXAMPLES))]
    for number in np.flatnonzero(is_given):
        mine = found.codes[number]
        assert mine.tolist() == list(EXAMPLES[number].plan)


def test_parts_add_up_to_the_whole():
    """Every example belongs to one part of each grouping; only relations may have several or none."""
    found = evaluated(EXAMPLES, [EXAMPLES[0].plan] * 4).splits["test"]

    assert tuple(found.by) == GROUPINGS
    for what in GROUPINGS:
        assert sum(score.examples for score in found.by[what].values()) == 4
        assert sum(score.right[0] for score in found.by[what].values()) == found.score.right[0] == 1
    assert list(found.by["pattern"]) == ["p1", "p2"]
    assert list(found.by["manner"]) == ["none", "while spinning", "cautiously", "hesitantly"]
    assert found.by["relation"]["same column"].right[0] == 1


def test_wrong_choices_are_filed_by_role_and_by_what_was_missed():
    """The numbers behind the two tables of errors add up to the wrong objects."""
    roles = (Role("target"), Role("mentioned", 1), *(Role("attribute"),) * 4)
    one = replace(EXAMPLES[3], target=1, roles=(roles[1], roles[0], *roles[2:]))

    found = evaluated([one], [plan(SHELF, 4, Verb.PULL)]).splits["test"]

    assert found.choices["wrong object"] == 1
    assert dict(found.roles) == {"attribute": 1}
    assert dict(found.misreadings) == {"colour word": 1.0}


def test_splits_merge():
    """Two splits together have the examples of both."""
    right, wrong = (evaluated(EXAMPLES, said).splits["test"] for said in ([one.plan for one in EXAMPLES], [()] * 4))

    both = merge_splits([right, wrong])

    assert both.score.examples == 8
    assert both.score.right[0] == 4
    assert both.choices["right target"] == right.choices["right target"] + wrong.choices["right target"]
    assert both.by["verb"]["walk"].examples == 4


def test_evaluations_survive_json():
    """What is written can be read back to the same record."""
    found = evaluated(EXAMPLES, [()] * 4, data="shelf", digest="abc")

    assert PlanEvaluation.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False))) == found


@pytest.mark.parametrize(
    "change", [{"kind": "audit"}, {"format": 2}, {"splits": 3}, {"splits": {"a": {}}}, {"data": 1}]
)
def test_other_files_are_no_evaluations(change):
    """Values of another kind, or with a part missing, are refused in one line; a name that is a number is read."""
    values = {**evaluated(EXAMPLES, [()] * 4).to_dict(), **change}

    if "data" in change:
        assert PlanEvaluation.from_dict(values).data == "1"
        return
    with pytest.raises(BrokenDataset, match="evaluation of plans"):
        PlanEvaluation.from_dict(values)


def test_plans_for_other_data_are_told():
    """Where plans record the digest of their data, another dataset is noticed."""
    plans = plans_of(EXAMPLES, [()] * 4)

    found, _ = evaluate_plans(
        {"test": ExampleArrays.of(EXAMPLES)},
        {"test": replace(plans, facts={"data": "abc", "model": "m"})},
        digest="def",
    )

    assert found.model == "m"
    assert list(found.faults.values()) == [1]


def test_examples_need_an_agent():
    """Where nobody can act no plan can be judged."""
    with pytest.raises(SchemaError, match="agent"):
        ExampleArrays.of([Example(text="walk to the circle", scene=grid("r○ .\n. ."), target=0, plan=())])


def test_names_are_those_of_the_bits():
    """The names stand in the order in which the kernel numbers them, and none is used twice."""
    assert len(set(MISREADINGS)) == len(MISREADINGS) == 28
    assert names_of(0) == (NO_REASON,)
    assert names_of(1 << 1) == ("clause of a clause",)
    assert names_of(1 << 2 | 1 << 8) == ("noun", "clause: same row")


# -------------------------------------------------------------------------------- intervals


def test_wilson_intervals_are_as_published():
    """Five of ten gives the textbook interval; all or none stay within 0 and 1."""
    half = wilson(5, 10)

    assert (round(half.low, 4), round(half.high, 4)) == (0.2366, 0.7634)
    assert wilson(0, 10).low == 0.0
    assert 0.0 < wilson(0, 10).high < wilson(1, 10).high
    assert wilson(10, 10).high == 1.0
    assert np.isnan(wilson(0, 0).mean)
    with pytest.raises(SchemaError, match="3 of 2"):
        wilson(3, 2)


@given(st.integers(1, 10_000), st.data())
def test_wilson_intervals_hold_the_share(rows, data):
    """The share lies in its interval, which turns round with it."""
    successes = data.draw(st.integers(0, rows))

    found, other = wilson(successes, rows), wilson(rows - successes, rows)

    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.low == pytest.approx(1 - other.high)
