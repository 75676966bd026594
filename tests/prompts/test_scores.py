from __future__ import annotations

import json
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset
from deixis.prompts.ask import ask
from deixis.prompts.files import gold_from, gold_line
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.scores import ModelAnswer, judge_answers, score
from deixis.worlds.grid._questions.gold import GridGold
from deixis.worlds.grid.actions import Action, plan_from_letters
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.judging.verdicts import judge_plan
from deixis.worlds.grid.navigate import Example
from deixis.worlds.photos._questions.gold import Candidate, RegionGold
from deixis.worlds.rooms._questions.gold import RoomGold
from deixis.worlds.rooms.scene import RoomScene


@pytest.fixture
def small_circle():
    """A board on which whoever does not hear the size goes to the other circle."""
    scene = grid("""
        >  .   .   .
        .  r○1 .   r○3
        .  .   b□1 .
        .  .   .   .
    """)
    return Example(text="walk to the small circle", scene=scene, target=0, plan=plan_from_letters("WRW"), split="a1+a2")


def test_a_plan_is_judged_as_elsewhere(small_circle):
    """The measures of an answer are those that `deixis evaluate` gives the same plan."""
    gold = GridGold(small_circle, "actions")

    for letters in ("WRW", "WWWRW", "RWLW", "L"):
        found, plan = gold.judge(letters), plan_from_letters(letters)
        verdict = judge_plan(small_circle, plan)
        assert found.measures == {
            "exact": verdict.exact,
            "got_there": verdict.got_there,
            "right_target": verdict.chosen == 0,
            "actions_right": verdict.tokens,
        }
        assert found.misreadings == verdict.misreadings
    assert gold.judge("WWWRW").misreadings == ("size word",)
    assert gold.judge("RWLW").outcome == "wrong"
    assert gold.judge("RWLW").measures["got_there"] == 1


def test_a_cell_is_judged_by_what_stands_there(small_circle):
    """The other circle is a misread size; an empty cell is no object; nonsense is not a wrong choice."""
    gold = GridGold(small_circle, "target")

    assert gold.right == "(1, 1)"
    assert gold.judge("(1, 1)").outcome == "right"
    assert gold.judge("(1, 3)").misreadings == ("size word",)
    assert gold.judge("(3, 3)").misreadings == ("no object there",)
    assert gold.judge("the circle").outcome == "unparsable"
    assert gold.judge(None).outcome == "unanswered"


def test_captions_are_judged_by_the_pragmatic_metrics():
    """A caption that tells two rooms apart in one word is best; one that fits both is told what it lacks."""
    target, other = RoomScene.of(0, 1, 2, 3, 2, 7), RoomScene.of(0, 1, 3, 3, 2, 7)  # a yellow and a green ball
    gold = RoomGold((other.id, target.id), 1, "a yellow ball", "object_hue", "caption")

    best, long, vague, false, nonsense = (
        gold.judge(text)
        for text in ("a yellow ball", "a yellow ball on red floor", "a ball on red floor", "a green ball", "qwerty")
    )

    assert best.outcome == "right"
    assert best.measures["discriminativity"] == best.measures["optimal_discriminativity"] == 1
    assert long.measures["relevance"] < best.measures["relevance"]
    assert vague.outcome == "wrong"
    assert vague.misreadings == ("object hue",)
    assert isnan(vague.measures["contrastive_efficiency"])
    assert false.outcome == "wrong"
    assert false.measures["false_features"] == 1
    assert nonsense.outcome == "unparsable"


def test_a_wrong_image_is_put_down_to_what_the_caption_said():
    """Whoever takes the other image has not heard the features that the caption told them apart by."""
    target, other = RoomScene.of(0, 1, 2, 3, 2, 7), RoomScene.of(5, 1, 3, 3, 2, 7)
    gold = RoomGold((target.id, other.id), 0, "a yellow ball", "scale", "choose")

    assert gold.judge("B").misreadings == ("object hue",)
    assert gold.judge("A").outcome == "right"


def test_regions_and_their_absence():
    """To say that something is not there is right where nothing fits, and only there."""
    candidates = (Candidate("1", "a"), Candidate("1", "b", "right image", ("attribute",)))
    there = RegionGold(text="x", candidates=candidates, target=0, split="test", form="chain")
    absent = RegionGold(text="x", candidates=candidates, target=None, split="test", form="chain", change="noun")

    assert there.judge("1").outcome == absent.judge("not there").outcome == "right"
    assert there.judge("2").misreadings == ("attribute",)
    assert there.judge("not there").misreadings == ("said not there",)
    assert absent.judge("2").misreadings == ("took something that does not fit",)
    assert isnan(there.judge("3").measures["right_absence"])
    assert there.judge("3").outcome == "unparsable"


@pytest.mark.parametrize(("task", "answer"), [("navigate", "actions"), ("refer", "caption"), ("localise", "region")])
def test_right_answers_survive_json(grid_data, room_data, photograph_data, task, answer):
    """A right answer that was written and read again is the same, and judges the same."""
    data = {"navigate": grid_data, "refer": room_data, "localise": photograph_data}[task]
    for item in ask(PromptRecipe(task=task, answer=answer, limit=3), data).items:
        again = gold_from(json.loads(json.dumps(gold_line(item))))

        assert again.to_plain() == item.gold.to_plain()
        assert again.right == item.gold.right
        assert again.groups == item.gold.groups


def test_the_missed_of_regions_is_what_evaluate_says(photograph_data):
    """What a wrong region misses is what `deixis evaluate` attributes to the same choice."""
    from deixis.worlds.photos._judging.verdicts import judge_answers as judge_regions
    from deixis.worlds.photos.data.store import open_copsref
    from deixis.worlds.photos.localise import Answer

    data = open_copsref(photograph_data)
    known = {(one.text, one.image_id, one.object_id): one for one in data.examples("test") if one.is_there}
    made = ask(PromptRecipe(task="localise", limit=4, options={"absent": 0}), photograph_data)
    for _, gold in made.items:
        right = gold.candidates[gold.target]
        example = known[gold.text, right.image_id, right.object_id]
        for number in (0, len(gold.candidates) // 2, len(gold.candidates) - 1):
            chosen = gold.candidates[number]
            (verdict,) = judge_regions(
                [example], [Answer(example.id, "Full", chosen.image_id, chosen.object_id)], data.scenes
            )
            assert gold.judge(str(number + 1)).misreadings == verdict.misreadings


def test_unparsable_answers_are_counted_apart(small_circle):
    """Shares are over all questions; what is not understood, or not answered, is counted by itself."""
    golds = {str(number): GridGold(small_circle, "actions") for number in range(5)}
    said = [
        ModelAnswer("0", "WRW"),
        ModelAnswer("1", "W"),
        ModelAnswer("2", "qwerty"),
        ModelAnswer("3", ""),
        ModelAnswer("0", "W"),
        ModelAnswer("9", "W"),
    ]
    strange: dict[str, int] = {}

    from collections import Counter

    counted: Counter[str] = Counter()
    scores = score(judge_answers(golds, said, strange=counted), strange=counted)

    assert strange == {}
    assert scores.overall.outcomes == {"right": 1, "wrong": 1, "unparsable": 2, "unanswered": 1}
    assert scores.overall.measures["exact"].mean == pytest.approx(1 / 5)
    assert scores.overall.understood.mean == pytest.approx(1 / 2)
    assert scores.overall.unparsable.mean == pytest.approx(3 / 5)
    assert scores.overall.measures["exact"].low < 1 / 5 < scores.overall.measures["exact"].high
    assert scores.faults == {"no answer in it": 1, "nothing said": 1}
    assert set(scores.groups["split"]) == {"a1", "a2"}
    assert counted == {"to a question that was answered before": 1, "to a question that was not asked": 1}
    json.dumps(scores.to_dict(), allow_nan=False)


def test_answers_to_other_questions(small_circle):
    """Where no answer is to any of the questions, that is an error and not a score of nothing."""
    with pytest.raises(BrokenDataset, match="are the ids the same"):
        judge_answers({"a": GridGold(small_circle, "actions")}, [ModelAnswer("b", "W")])


@given(st.text(max_size=80))
def test_any_text_can_be_judged(text):
    """Every gold judges every text, and its measures are numbers."""
    rooms = (RoomScene.of(0, 1, 2, 3, 2, 7).id, RoomScene.of(0, 1, 3, 3, 2, 7).id)
    golds = [
        RoomGold(rooms, 0, "a yellow ball", "object_hue", "choose"),
        RoomGold(rooms, 0, "a yellow ball", "object_hue", "caption"),
        RegionGold(text="x", candidates=(Candidate("1", "a"),), target=0, split="", form=""),
    ]
    for gold in golds:
        found = gold.judge(text)
        assert found.outcome in ("right", "wrong", "unparsable")
        assert found.measures.keys() == gold.judge(None).measures.keys()


@given(st.lists(st.sampled_from(Action), max_size=12))
def test_exactly_the_right_plan_is_exact(actions):
    """An answer is exact when it is the recorded plan, and never otherwise."""
    scene = grid("> .\n. r○1")
    example = Example(text="walk to the circle", scene=scene, target=0, plan=plan_from_letters("WRW"))

    found = GridGold(example, "actions").judge(", ".join(action.words for action in actions) or "nothing")

    assert (found.outcome == "right") == (tuple(actions) == example.plan)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"task": "sing", "answer": "song", "gold": {}},
        {"task": "navigate", "answer": "actions", "gold": {}},
        {
            "task": "navigate",
            "answer": "actions",
            "gold": {"agent": [0, 0, 0], "objects": [[9, 9, 9, 9, 9]], "size": 4},
        },
        {"task": "refer", "answer": "choose", "gold": {"images": [1, -2], "target": 0, "caption": "", "set": ""}},
        {"task": "refer", "answer": "choose", "gold": {"images": [1], "target": 0, "caption": "", "set": ""}},
        {"task": "localise", "answer": "region", "gold": {"candidates": [[1]], "target": 0}},
    ],
)
def test_broken_right_answers(values):
    """What is no right answer is named as that."""
    with pytest.raises(BrokenDataset):
        gold_from(values)
