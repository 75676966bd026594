"""The tasks that can be put to a language model: one for every world with the part `questions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from deixis.errors import RecipeError, UnknownName
from deixis.seeds import Stream
from deixis.worlds.registry import find_world, known_worlds, world_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from deixis.prompts.question import Gold, QuestionPool
    from deixis.prompts.recipe import PromptRecipe
    from deixis.worlds.world import World

    Tell: TypeAlias = Callable[[str, int, int | None], None]


__all__ = [
    "TEST",
    "TRAIN",
    "Questions",
    "demand_shots",
    "demand_splits",
    "draw_numbers",
    "known_tasks",
    "questions_of",
    "task_of",
    "world_of_task",
]

TRAIN, TEST = "train", "test"


class Questions:
    """The part `questions` of a world, which has an object of a subclass.

    Attributes:
        answers: what can be asked for, what is asked by default first.
        styles: how scenes can be shown, `text` among them.
        limit: how many questions of each split make a test, where nobody says how many.
        tokens: how long an answer of each kind can be, where 256 tokens are not the right room for it.
        lower_is_better: measures that are better when they are low.
        asked_of_people: the kind of answer that people are asked for in a study; empty for the first.
        shown_to_people: by kind of answer, what a participant of a study should know, in a few paragraphs.
    """

    answers: tuple[str, ...] = ()
    styles: tuple[str, ...] = ("text",)
    limit: int = 100
    tokens: ClassVar[Mapping[str, int]] = {}
    lower_is_better: tuple[str, ...] = ()
    asked_of_people: str = ""
    shown_to_people: ClassVar[Mapping[str, str]] = {}

    def styles_for(self, answer: str) -> tuple[str, ...]:
        """Return how scenes can be shown where this kind of answer is wanted, what is shown by default first."""
        del answer
        return self.styles

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All settings that only this world has, with their values where nothing is given.

        Raises:
            RecipeError: when one is unknown or has a value that it cannot have.
        """
        for name in given:
            raise RecipeError(f"unknown setting {name[:40]!r} of a questionnaire")
        return {}

    def find(
        self,
        recipe: PromptRecipe,
        data: Path | None,
        *,
        fresh: int | None,
        folder: Path,
        workers: int,
        progress: Tell | None,
    ) -> QuestionPool:
        """Return the pool of questions.

        Args:
            recipe: how many questions of which splits, how they are shown, and so on.
            data: the dataset; None where a fresh test set is wanted that is like none.
            fresh: make a fresh test set by this seed, like that of the dataset, and ask nothing that is in the dataset.
            folder: where a fresh test set may be kept; it is not there yet, and is gone when the questions are posed.
            workers: how many processes may make it.
            progress: told how far things are.

        Raises:
            BrokenDataset: when the dataset cannot be read.
            UnknownName: when there is no such split.
        """
        raise NotImplementedError

    def difficulty(self, gold: Any) -> Mapping[str, int]:
        """Return counts by which questions can be chosen, such as `objects`, `clauses` and `distractors`, or none."""
        del gold
        return {}

    def bounds(self, most: Mapping[str, int]) -> dict[str, Any]:
        """Return the settings with which fresh sets hold little that is harder, if there are such."""
        del most
        return {}

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> Gold:
        """Return the right answer that `Gold.to_plain` wrote, of a kind of answer, or raise `BrokenDataset`."""
        raise NotImplementedError


def known_tasks() -> dict[str, World]:
    """Return the worlds that ask questions by the name of their task, or by their own if the task is taken."""
    found: dict[str, World] = {}
    for world in known_worlds().values():
        if world.has("questions"):
            found[world.name if world.task in found else world.task] = world
    return found


def questions_of(task: str) -> Questions:
    """Return the questions of a task, or raise `RecipeError` if there is none of that name."""
    part: Questions = world_of_task(task).part("questions")
    return part


def world_of_task(task: str) -> World:
    """Return the world or reader that asks the questions of a task, or raise `RecipeError` if there is none."""
    tasks = known_tasks()
    try:
        return tasks.get(task) or find_world(task)  # those of a reader are called after it
    except UnknownName:
        raise RecipeError(f"unknown task {str(task)[:40]!r}; known: {', '.join(tasks)}") from None


def task_of(data: Path) -> str:
    """Return the task of a dataset, or raise `MissingPart` if its world asks no questions."""
    world = world_of(data)
    world.part("questions")
    return next((task for task, one in known_tasks().items() if one is world), world.name)


# -------------------------------------------------------------------------------- what worlds choose with


def draw_numbers(total: int, count: int, *, seed: int) -> list[int]:
    """Draw different numbers below a total in random order, or all of them if there are not more."""
    stream = Stream(seed)
    if total <= 2 * count:
        return stream.permutation(range(total))[:count]
    chosen: dict[int, None] = {}
    while len(chosen) < count:
        chosen[stream.below(total)] = None
    return list(chosen)


def demand_splits(names: Iterable[str], known: Any, where: str, *, shots: int = 0) -> None:
    """Refuse splits that are not known, and the training split where solved examples come from it."""
    asked = tuple(names)
    for name in asked:
        if known is not None and name not in known:
            raise UnknownName(f"there is no split {name[:40]!r} in {where}; it has {', '.join(known) or 'none'}")
    if TRAIN in asked and shots:
        raise RecipeError("solved examples come from the split train, which cannot be asked about as well")


def demand_shots(shots: Sequence[Any], wanted: int) -> list[Any]:
    """Return as many solved examples as are wanted, or raise `RecipeError` if there are fewer."""
    if len(shots) < wanted:
        raise RecipeError(f"{wanted} solved examples are wanted, but the training split has {len(shots)} for it")
    return list(shots[:wanted])
