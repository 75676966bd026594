"""Endless questions with verifiable answers, for learning by reward: any number of them, by index, without a dataset.

A question is a function of the recipe, the step and its index, so that runs can be repeated and continued anywhere.
Every `each` questions come from a fresh seed of their own; another step has other seeds. How hard a question is stands
in its metadata, and a recipe may ask for no more than that.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from deixis.errors import RecipeError, UnknownName
from deixis.prompts.ask import ask
from deixis.prompts.files import chat_message, gold_from, gold_line
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.tasks import TRAIN, questions_of
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.prompts.ask import QuestionnaireItem
    from deixis.prompts.question import Judgement


__all__ = ["Curriculum", "Entry", "Practice", "PracticeRecipe", "Reward", "judge_row", "reward_of"]

PATIENCE = 12  # fresh seeds for one stretch of questions
SPARE = 8  # times as many questions are drawn where some are too easy or too hard
KEPT = 4  # stretches in memory
MOST_EACH = 5_000


class Entry(TypedDict):
    """A question as datasets for reinforcement learning have it.

    Attributes:
        question: the whole prompt as text.
        answer: the right answer.
        metadata: `id`, `task`, `answer` (what is wanted), `right`, `gold` (JSON, with which answers are judged),
            `messages` (the prompt as turns), `difficulty`, `groups`, `index`, `step` and `seed`.
    """

    question: str
    answer: str
    metadata: dict[str, Any]


class Reward(NamedTuple):
    """A reward, and what it is for.

    Attributes:
        value: from 0 to 1.
        outcome: `right`, `wrong`, `unparsable` or `unanswered`.
        feedback: what was understood and what was wrong with it, in a sentence.
        misreadings: those that explain a wrong answer; empty if none does.
        measures: all measures of the task that are defined for this answer.
    """

    value: float
    outcome: str
    feedback: str
    misreadings: tuple[str, ...]
    measures: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeRecipe:
    """The questions to practise with.

    Attributes:
        task: one of `known_tasks`, e.g. `navigate`.
        answer: what is wanted; by default the first that the task knows.
        style: how scenes are shown, by default as in `PromptRecipe`; pictures are for programs that take
            `messages`.
        splits: splits of the fresh sets, by default `train` where there is one, so that what is held out stays unseen.
        data: a dataset whose recipe the fresh sets follow; nothing that is in it is asked.
        most, least: bounds of the difficulty by name, such as `objects`, `clauses` and `distractors`.
        measure: the measure that is rewarded, by default the first of the task.
        each: questions from one fresh seed.
        seed: everything random follows from it.
        options: settings that only this task has.
    """

    task: str
    answer: str | None = None
    style: str | None = None
    splits: tuple[str, ...] | None = None
    data: str | None = None
    most: Mapping[str, int] = field(default_factory=dict)
    least: Mapping[str, int] = field(default_factory=dict)
    measure: str = ""
    each: int = 64
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if type(self.each) is not int or not 1 <= self.each <= MOST_EACH:
            raise RecipeError(f"there can be 1 to {MOST_EACH:,} questions of one fresh seed, got {self.each!r}")
        for bounds in (self.most, self.least):
            for name, value in bounds.items():
                if type(value) is not int or value < 0:
                    raise RecipeError(f"the bound of {str(name)[:40]!r} is a whole number from 0, got {value!r}")
        self.prompts(())  # complains of whatever a questionnaire cannot be

    def prompts(self, splits: tuple[str, ...]) -> PromptRecipe:
        """Return the recipe of one questionnaire."""
        return PromptRecipe(
            task=self.task,
            answer=self.answer,
            style=self.style,
            limit=self.each * (SPARE if self.most or self.least else 1),
            splits=splits,
            seed=self.seed,
            options={**questions_of(self.task).bounds(self.most), **self.options},
        )


class Practice:
    """A sequence of questions that never ends, and the judge of their answers.

    It has the methods of a dataset of reasoning-gym: `practice[index]`, `len` and `score_answer(answer, entry)`.

    Args:
        recipe: what to ask.
        size: what `len` says; questions beyond it exist all the same.
        step: of a training: another step has other questions.
        workers: how many threads or processes make the fresh sets; the questions do not depend on it.
    """

    def __init__(self, recipe: PracticeRecipe, *, size: int = 500, step: int = 0, workers: int = 1) -> None:
        self.recipe, self.size, self.step, self.workers = recipe, size, step, workers
        self._kept: OrderedDict[int, list[tuple[QuestionnaireItem, int]]] = OrderedDict()
        self._splits = recipe.splits

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Entry]:
        return (self[index] for index in range(self.size))

    def __getitem__(self, index: int) -> Entry:
        if index < 0:
            index += self.size
        if index < 0:
            raise IndexError(f"there is no question {index - self.size} of {self.size}")
        item, seed = self._stretch(index // self.recipe.each)[index % self.recipe.each]
        return {
            "question": item.question.text,
            "answer": item.gold.right,
            "metadata": {
                **_row_of(item),
                "messages": [chat_message(one) for one in item.question.messages],
                "difficulty": dict(questions_of(self.recipe.task).difficulty(item.gold)),
                "groups": dict(item.gold.groups),
                "index": index,
                "step": self.step,
                "seed": seed,
            },
        }

    def item(self, index: int) -> QuestionnaireItem:
        """Return a question with its pictures, if it has any, and its right answer as an object."""
        return self._stretch(index // self.recipe.each)[index % self.recipe.each][0]

    def score_answer(self, answer: str | None, entry: Entry) -> float:
        """Return the reward of an answer, from 0 to 1."""
        return self.reward(answer, entry).value

    def reward(self, answer: str | None, entry: Entry) -> Reward:
        """Return the reward of an answer with what explains it."""
        return reward_of(judge_row(entry["metadata"], answer), self.recipe.measure)

    def at(self, *, step: int | None = None, most: Mapping[str, int] | None = None) -> Practice:
        """Return the questions of another step, or of another difficulty."""
        recipe = self.recipe if most is None else replace(self.recipe, most=dict(most))
        return Practice(recipe, size=self.size, step=self.step if step is None else step, workers=self.workers)

    def _stretch(self, number: int) -> list[tuple[QuestionnaireItem, int]]:
        """The questions between two multiples of `each`, with their seeds."""
        if number not in self._kept:
            self._kept[number] = self._make(number)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(number)
        return self._kept[number]

    def _make(self, number: int) -> list[tuple[QuestionnaireItem, int]]:
        found: dict[str, tuple[QuestionnaireItem, int]] = {}
        tried = 0
        for attempt in range(PATIENCE):
            seed = derive(self.recipe.seed, "practice", self.step, number, attempt) % (1 << 31)
            items = self._fresh(seed)
            tried += len(items)
            for item in Stream(seed).permutation(items):
                if len(found) < self.recipe.each and self._fits(item):
                    found.setdefault(item.question.id, (item, seed))
            if len(found) == self.recipe.each:
                return list(found.values())
        raise RecipeError(
            f"of {tried:,} fresh questions only {len(found)} are as easy or hard as asked, but {self.recipe.each} come "
            "from one seed; widen the bounds or lower `each`"
        )

    def _fresh(self, seed: int) -> tuple[QuestionnaireItem, ...]:
        data = None if self.recipe.data is None else Path(self.recipe.data)
        wanted = (TRAIN,) if self._splits is None else self._splits
        try:
            return ask(self.recipe.prompts(wanted), data, fresh=seed, workers=self.workers).items
        except UnknownName:
            if self._splits is not None:
                raise
        self._splits = ()
        return self._fresh(seed)

    def _fits(self, item: QuestionnaireItem) -> bool:
        recipe = self.recipe
        if not recipe.most and not recipe.least:
            return True
        known = questions_of(recipe.task).difficulty(item.gold)
        for name in (*recipe.most, *recipe.least):
            if name not in known:
                said = f"known: {', '.join(known)}" if known else "its questions are not told apart"
                raise RecipeError(f"unknown difficulty {str(name)[:40]!r} of the task {recipe.task}; {said}")
        return all(known[name] <= value for name, value in recipe.most.items()) and all(
            known[name] >= value for name, value in recipe.least.items()
        )


class Curriculum:
    """A level of difficulty that follows the rewards of a learner.

    Args:
        levels: bounds of the difficulty, the easiest first, e.g. `[{"clauses": 0}, {"clauses": 1}, {}]`.
        up: the next level begins when the mean of the last rewards is at least this.
        down: the level before comes back when it is less than this.
        window: how many rewards are looked at.
    """

    def __init__(
        self, levels: list[Mapping[str, int]], *, up: float = 0.8, down: float = 0.2, window: int = 64
    ) -> None:
        if not levels:
            raise RecipeError("a curriculum needs at least one level")
        if not 0 <= down < up <= 1 or window < 1:
            raise RecipeError(f"a curriculum goes up at more than it goes down at, got up={up}, down={down}")
        self.levels, self.up, self.down, self.window = levels, up, down, window
        self.level = 0
        self._rewards: list[float] = []

    @property
    def most(self) -> Mapping[str, int]:
        """The bounds of the level."""
        return self.levels[self.level]

    def tell(self, rewards: list[float]) -> bool:
        """Take note of rewards, and return whether the level has changed."""
        self._rewards = [*self._rewards, *rewards][-self.window :]
        if len(self._rewards) < self.window:
            return False
        mean = sum(self._rewards) / self.window
        way = (mean >= self.up and self.level + 1 < len(self.levels)) - (mean < self.down and self.level > 0)
        self.level += way
        if way:
            self._rewards = []
        return bool(way)


def judge_row(row: Mapping[str, Any], answer: str | None) -> Judgement:
    """Return the judgement on an answer to a row with `task`, `answer` and `gold`, as the metadata of an entry are."""
    return gold_from({**row, "gold": json.loads(row["gold"])}).judge(answer)


def reward_of(found: Judgement, measure: str = "") -> Reward:
    """Return the reward of a judged answer.

    Args:
        found: the judgement.
        measure: which measure is rewarded, by default the first.

    Raises:
        RecipeError: when the task has no such measure.
    """
    measure = measure or next(iter(found.measures))
    if measure not in found.measures:
        raise RecipeError(f"unknown measure {measure[:40]!r}; known: {', '.join(found.measures)}")
    known = {name: value for name, value in found.measures.items() if not isnan(value)}
    value = min(1.0, max(0.0, known.get(measure, 0.0)))
    return Reward(value, found.outcome, _feedback(found), found.misreadings, known)


def _feedback(found: Judgement) -> str:
    if found.outcome == "unanswered":
        return "No answer was given."
    if found.outcome == "unparsable":
        return f"The answer cannot be understood: {found.fault}."
    said = f"The answer was understood as {found.said}, which is" if found.said else "The answer is"
    if found.outcome == "right":
        return f"{said} right."
    return f"{said} wrong" + (f" (misread: {', '.join(found.misreadings)})." if found.misreadings else ".")


def _row_of(item: QuestionnaireItem) -> dict[str, Any]:
    return {**gold_line(item), "gold": json.dumps(item.gold.to_plain(), ensure_ascii=False)}
