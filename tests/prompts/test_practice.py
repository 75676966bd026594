"""Endless questions with rewards: any index, always the same, as hard as asked, and judged with the misreading."""

from __future__ import annotations

import json

import pytest

from deixis.bridges.trl_rewards import format_reward, measure_reward, prompt_rows, right_reward
from deixis.errors import RecipeError
from deixis.prompts.practice import Curriculum, Practice, PracticeRecipe
from deixis.prompts.tasks import known_tasks


EASY = {"objects": 6, "clauses": 0}


@pytest.fixture(scope="module")
def rooms():
    """Choices between two rooms, which are made in no time."""
    return Practice(PracticeRecipe(task="refer", each=8, seed=3), size=20)


@pytest.fixture(scope="module")
def boards():
    """Targets of simple commands on small boards."""
    return Practice(PracticeRecipe(task="navigate", answer="target", each=8, seed=3, most=EASY), size=8)


def test_a_question_is_known_by_its_index(rooms):
    """Whoever asks for it, in whatever order, gets the same question, beyond the size as well."""
    again = Practice(rooms.recipe, size=1)

    assert again[17] == rooms[17]
    assert again[3] == rooms[3] == next(one for one in rooms if one["metadata"]["index"] == 3)
    assert rooms[-1] == rooms[19]
    assert len({one["metadata"]["id"] for one in rooms}) == len(rooms) == 20


def test_a_step_has_questions_of_its_own(rooms):
    """Another step, as another seed, asks something else."""
    other = rooms.at(step=1)

    assert not {one["metadata"]["id"] for one in other} & {one["metadata"]["id"] for one in rooms}
    assert {one["metadata"]["step"] for one in other} == {1}


def test_an_entry_is_plain_and_holds_its_key(boards):
    """Entries go through JSON, have the three parts that libraries ask for, and are judged by their metadata."""
    entry = json.loads(json.dumps(boards[5]))

    assert set(entry) == {"question", "answer", "metadata"}
    assert entry["answer"] not in entry["question"].split("Command:")[1]
    assert boards.score_answer(f"I see.\nAnswer: {entry['answer']}", entry) == 1
    assert boards.score_answer("no idea", entry) == boards.score_answer(None, entry) == 0


def test_bounds_are_kept(boards):
    """No question is harder than asked, and none easier."""
    assert all(one["metadata"]["difficulty"]["clauses"] == 0 for one in boards)
    assert all(one["metadata"]["difficulty"]["objects"] <= 6 for one in boards)
    hard = Practice(PracticeRecipe(task="refer", each=4, least={"differences": 3}), size=4)
    assert all(one["metadata"]["difficulty"]["differences"] >= 3 for one in hard)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"most": {"legs": 2}}, "unknown difficulty 'legs' of the task refer; known: distractors, differences"),
        ({"most": {"distractors": -1}}, "the bound of 'distractors' is a whole number"),
        pytest.param({"most": {"differences": 0}}, "only 0 are as easy or hard as asked", marks=pytest.mark.slow),
        ({"each": 0}, "1 to 5,000 questions of one fresh seed"),
        ({"measure": "taste"}, "unknown measure 'taste'; known: right_image"),
        ({"task": "juggle"}, "unknown task 'juggle'"),
    ],
)
def test_what_cannot_be_is_told(change, message):
    """A bound, a measure or a task that there is not is a mistake of one line."""

    def ask():
        practice = Practice(PracticeRecipe(**{"task": "refer", "each": 1, **change}))
        practice.score_answer("Answer: A", practice[0])

    with pytest.raises(RecipeError, match=message):
        ask()


def test_feedback_names_the_misreading(rooms):
    """A wrong answer is told with what explains it, a text without an answer with why it is not understood."""
    entry = rooms[0]
    wrong = "B" if entry["answer"] == "A" else "A"

    found = rooms.reward(f"Answer: {wrong}", entry)

    assert (found.value, found.outcome) == (0, "wrong")
    assert found.misreadings
    assert all(name in found.feedback for name in (wrong, *found.misreadings))
    assert rooms.reward("Hm.", entry).feedback == "The answer cannot be understood: no answer in it."
    assert rooms.reward(f"Answer: {entry['answer']}", entry).feedback.endswith("is right.")


def test_part_of_a_plan_can_be_rewarded():
    """With the measure of right actions, half a plan is worth more than nothing and less than all of it."""
    practice = Practice(PracticeRecipe(task="navigate", each=4, most=EASY, measure="actions_right"), size=4)
    entry = max(practice, key=lambda one: one["metadata"]["difficulty"]["actions"])
    half = ", ".join(entry["answer"].split(", ")[: entry["metadata"]["difficulty"]["actions"] // 2])

    assert 0 < practice.score_answer(f"Answer: {half}", entry) < practice.score_answer(entry["answer"], entry) == 1


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(known_tasks()))
def test_every_task_can_be_practised(task):
    """Every world with questions gives entries whose own answer is worth 1."""
    practice = Practice(PracticeRecipe(task=task, each=4), size=4)

    assert [practice.score_answer(f"Answer: {one['answer']}", one) for one in practice] == [1] * 4


def test_a_curriculum_follows_the_learner():
    """It gets harder after a window of good rewards, easier after one of bad ones, and stays in between."""
    course = Curriculum([{"clauses": 0}, {"clauses": 1}, {}], up=0.75, down=0.25, window=4)

    assert not course.tell([1, 1, 1])
    assert course.tell([0])
    assert course.most == {"clauses": 1}
    assert not course.tell([1, 0, 1, 0])
    assert course.tell([0, 0, 0])
    assert course.most == {"clauses": 0}
    assert not course.tell([0] * 8)


@pytest.mark.parametrize("settings", [{"levels": []}, {"levels": [{}], "up": 0.2, "down": 0.5}])
def test_a_curriculum_that_cannot_be_is_refused(settings):
    """Without levels, or going up at less than it goes down at, it would make no sense."""
    with pytest.raises(RecipeError, match="a curriculum"):
        Curriculum(**settings)


def test_rewards_of_rows_are_those_of_entries(rooms):
    """The reward functions that trainers call judge plain and conversational completions as the practice does."""
    rows = prompt_rows(rooms, 0, 4)
    columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
    said = [f"Answer: {rows[0]['right']}", [{"role": "assistant", "content": "Answer: A"}], "", "I like both."]

    found = right_reward([row["prompt"] for row in rows], said, **columns)

    texts = [said[0], "Answer: A", "", "I like both."]
    assert found == [rooms.score_answer(text, rooms[k]) for k, text in enumerate(texts)]
    assert format_reward([], said, **columns) == [1, 1, 0, 0]


def test_misreadings_are_logged_where_a_trainer_listens(rooms):
    """Outcomes and misreadings go to the log of the trainer, as shares of the completions."""
    rows = prompt_rows(rooms, 0, 4)
    columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
    wrong = [f"Answer: {'B' if row['right'] == 'A' else 'A'}" for row in rows]
    metrics, extras = {}, {}

    measure_reward("right_image")([], wrong, **columns, log_metric=metrics.__setitem__, log_extra=extras.__setitem__)

    assert metrics["outcome/wrong"] == 1
    assert sum(share for name, share in metrics.items() if name.startswith("misreading/")) == pytest.approx(1)
    assert extras["outcome"] == ["wrong"] * 4


def test_rows_without_a_key_are_refused():
    """A dataset of somebody else is told apart."""
    with pytest.raises(RecipeError, match="lacks the columns task, answer, gold"):
        right_reward(["?"], ["A"])
