"""Making a questionnaire: which examples are asked about, in which words, with which solved examples before them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._losses import Losses
from deixis._version import __version__
from deixis.errors import RecipeError
from deixis.prompts.question import Message, Question
from deixis.prompts.recipe import digest_of
from deixis.prompts.tasks import questions_of, task_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deixis.prompts.question import Gold, GoldMessage, QuestionPool
    from deixis.prompts.recipe import PromptRecipe


__all__ = ["Questionnaire", "QuestionnaireItem", "ask", "pose"]


class QuestionnaireItem(NamedTuple):
    """A question with its right answer, which the model does not see."""

    question: Question
    gold: Gold


@dataclass(frozen=True, kw_only=True)
class Questionnaire:
    """Questions with their right answers, and where they come from.

    Attributes:
        recipe: what was wanted.
        items: the questions.
        facts: seed, digests and whatever else says exactly what was asked.
        losses: the questions that were left out.
    """

    recipe: PromptRecipe
    items: tuple[QuestionnaireItem, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    losses: Losses = field(default_factory=lambda: Losses("questions"))

    def __len__(self) -> int:
        return len(self.items)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions alone."""
        return tuple(item.question for item in self.items)


def ask(
    recipe: PromptRecipe,
    data: Path | None = None,
    *,
    fresh: int | None = None,
    workers: int = 1,
    allow_losses: bool = True,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Questionnaire:
    """Make a questionnaire.

    Args:
        recipe: what to ask.
        data: the dataset to ask about.
        fresh: make a fresh test set with this seed instead: by the recipe of `data` where it is given, otherwise by one
            of our own. Nothing that is in `data` is asked.
        workers: how many threads or processes make it; the result does not depend on it.
        allow_losses: whether more than one in a hundred questions may be left out, being the same as another.
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
        if (task := task_of(data)) != recipe.task:
            raise RecipeError(f"{data} is for the task {task}, not for {recipe.task}")
    with _find_questions(recipe, data, fresh, workers, progress) as found:
        losses = Losses("questions", len(found.posed))
        items = tuple(pose(recipe, found.instructions, found.shots, found.posed, losses=losses))
    losses.demand_few(where=data or "the fresh test set", allowed=allow_losses)
    if not items:
        known = (
            f", or all that --fresh {fresh} makes is in {data}: try another seed" if fresh is not None and data else ""
        )
        raise RecipeError(f"there is nothing to ask about in these splits{known}")
    facts = {
        "deixis": __version__,
        **recipe.to_dict(),
        "data": data.name if data is not None else None,
        "fresh": fresh,
        "data digest": found.digest,
    }
    about = {**facts, "recipe digest": digest_of(facts), "questions": len(items)}
    about |= {"losses": losses.to_dict()} if losses else {}
    return Questionnaire(recipe=recipe, items=items, facts=about, losses=losses)


def pose(
    recipe: PromptRecipe,
    instructions: Message,
    shots: Sequence[GoldMessage],
    posed: Sequence[GoldMessage],
    *,
    losses: Losses | None = None,
) -> Iterator[QuestionnaireItem]:
    """Yield each question once, after the same instructions and solved examples, and count those left out."""
    before = [instructions]
    for shot in shots:
        before += [shot.message, Message("assistant", (f"Answer: {shot.gold.right}",))]
    solved = {_content(shot) for shot in shots}
    seen: set[str] = set()
    for one in posed:
        content = _content(one)
        if content in solved or content in seen:
            if losses is not None:
                losses.leave_out(f"the same as {'a solved example' if content in solved else 'another question'}")
            continue
        seen.add(content)
        yield QuestionnaireItem(
            Question(
                id=f"{recipe.task}-{content[:16]}",
                task=recipe.task,
                answer=recipe.wanted,
                style=recipe.shown,
                messages=(*before, one.message),
                choices=one.gold.choices,
                areas=one.areas,
            ),
            one.gold,
        )


def _content(posed: GoldMessage) -> str:
    pictures = [picture.digest for picture in posed.message.pictures]
    return digest_of([posed.message.text, pictures, posed.gold.to_plain()])


@contextmanager
def _find_questions(
    recipe: PromptRecipe, data: Path | None, fresh: int | None, workers: int, progress: Any
) -> Iterator[QuestionPool]:
    """Yield the pool of questions.

    A fresh test set is kept no longer than it takes to write the questions.
    """
    with TemporaryDirectory(prefix="deixis-fresh-") as folder:
        place = Path(folder) / "fresh"
        yield questions_of(recipe.task).find(
            recipe, data, fresh=fresh, folder=place, workers=workers, progress=progress
        )
