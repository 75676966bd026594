"""Making a questionnaire: which examples are asked about, in which words, with which solved examples before them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._version import __version__
from deixis.errors import RecipeError
from deixis.prompts.question import Message, Question
from deixis.prompts.recipe import digest_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deixis.prompts.judgement import Gold
    from deixis.prompts.question import Task
    from deixis.prompts.recipe import PromptRecipe


__all__ = ["Asked", "Posed", "Questionnaire", "ask", "pose", "task_of"]

KINDS: dict[str, Task] = {"a3ds": "refer", "copsref": "localise"}


class Posed(NamedTuple):
    """A right answer with the message that asks for it."""

    message: Message
    gold: Gold


class Asked(NamedTuple):
    """A question with its right answer, which stays behind."""

    question: Question
    gold: Gold


@dataclass(frozen=True, kw_only=True)
class Questionnaire:
    """Questions with their right answers, and where they come from.

    Attributes:
        recipe: what was wanted.
        items: the questions.
        facts: seed, digests and whatever else says exactly what was asked.
    """

    recipe: PromptRecipe
    items: tuple[Asked, ...]
    facts: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions alone."""
        return tuple(item.question for item in self.items)


def task_of(data: Path) -> Task:
    """The task that a dataset is for."""
    from deixis.datasets.store import kind_of

    return KINDS.get(kind_of(data) or "", "navigate")


def ask(
    recipe: PromptRecipe,
    data: Path | None = None,
    *,
    fresh: int | None = None,
    workers: int = 1,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Questionnaire:
    """Make a questionnaire.

    Args:
        recipe: what to ask.
        data: the dataset to ask about.
        fresh: make a fresh test set with this seed instead: by the recipe of `data` where it is given, otherwise by one
            of our own. Nothing that is in `data` is asked.
        workers: how many threads or processes make it; the result does not depend on it.
        progress: told how far things are.

    Raises:
        RecipeError: when there is nothing to ask about, or the dataset is for another task.
        BrokenDataset: when the dataset cannot be read.
        UnknownName: when there is no such split.
    """
    if data is None and fresh is None:
        raise RecipeError("name a dataset to ask about, or make a fresh test set with --fresh SEED")
    if data is not None:
        data = Path(data)
        if data.is_dir() and task_of(data) != recipe.task:
            raise RecipeError(f"{data} is for the task {task_of(data)}, not for {recipe.task}")
    with _found(recipe, data, fresh, workers, progress) as found:
        items = tuple(pose(recipe, found.instructions, found.shots, found.posed))
    if not items:
        raise RecipeError("there is nothing to ask about in these splits")
    facts = {
        "deixis": __version__,
        **recipe.to_dict(),
        "data": data.name if data is not None else None,
        "fresh": fresh,
        "data digest": found.digest,
    }
    about = {**facts, "recipe digest": digest_of(facts), "questions": len(items)}
    return Questionnaire(recipe=recipe, items=items, facts=about)


class Found(NamedTuple):
    """What there is to ask: the instructions, the solved examples, what is asked, and the digest of the data."""

    instructions: Message
    shots: list[Posed]
    posed: list[Posed]
    digest: str


def pose(
    recipe: PromptRecipe, instructions: Message, shots: Sequence[Posed], posed: Sequence[Posed]
) -> Iterator[Asked]:
    """The questions, each once, after the same instructions and solved examples."""
    before = [instructions]
    for shot in shots:
        before += [shot.message, Message("assistant", (f"Answer: {shot.gold.right}",))]
    solved = {_content(shot) for shot in shots}
    seen: set[str] = set()
    for one in posed:
        content = _content(one)
        if content in solved or content in seen:
            continue
        seen.add(content)
        yield Asked(
            Question(
                id=f"{recipe.task}-{content[:16]}",
                task=recipe.task,
                answer=recipe.wanted,
                style=recipe.style,
                messages=(*before, one.message),
                choices=_choices(one.gold),
            ),
            one.gold,
        )


def _content(posed: Posed) -> str:
    pictures = [picture.digest for picture in posed.message.pictures]
    return digest_of([posed.message.text, pictures, posed.gold.to_plain()])


def _choices(gold: Gold) -> tuple[str, ...]:
    from deixis.prompts.answers import NOT_THERE
    from deixis.prompts.gold_photographs import RegionGold
    from deixis.prompts.gold_rooms import RoomGold

    if isinstance(gold, RoomGold) and gold.answer == "choose":
        return gold.labels
    if isinstance(gold, RegionGold):
        return (*(str(number) for number in range(1, len(gold.candidates) + 1)), NOT_THERE)
    return ()


@contextmanager
def _found(recipe: PromptRecipe, data: Path | None, fresh: int | None, workers: int, progress: Any) -> Iterator[Found]:
    """What there is to ask; a fresh test set is kept no longer than it takes to write the questions."""
    from deixis.prompts import examples

    finder = {"navigate": examples.find_grid, "refer": examples.find_rooms, "localise": examples.find_photographs}
    with TemporaryDirectory(prefix="deixis-fresh-") as folder:
        yield finder[recipe.task](recipe, data, fresh, Path(folder) / "fresh", workers, progress)
