"""Tasks for Inspect: `inspect eval deixis/navigate`, `deixis/refer` and `deixis/localise`.

Every task takes a dataset (`data`) or makes a fresh test set (`fresh`), and its log records both, with the seed and the
digest of all settings.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.bridges.inspect_package import demand_inspect
from deixis.prompts.ask import ask
from deixis.prompts.files import as_data_uri, gold_line
from deixis.prompts.recipe import PromptRecipe


demand_inspect()

from inspect_ai import Task, task  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
)
from inspect_ai.solver import generate  # noqa: E402

from deixis.bridges.inspect_scorers import measures, misreadings  # noqa: E402


if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.model import ChatMessage, Content

    from deixis.prompts.ask import Asked, Questionnaire
    from deixis.prompts.question import Message


__all__ = ["deixis_localise", "deixis_navigate", "deixis_refer", "inspect_task"]


@task(name="navigate")
def deixis_navigate(  # noqa: PLR0913 (every option is an argument)
    *,
    data: str | None = None,
    fresh: int | None = None,
    answer: str = "actions",
    style: str = "text",
    shots: int = 0,
    limit: int = 100,
    split: str = "test",
    seed: int = 0,
) -> Task:
    """Carry out commands in grid worlds, or find the objects that they are about.

    Args:
        data: the folder of a dataset.
        fresh: make a fresh test set with this seed instead.
        answer: `actions`, or `target` for the cell of the object that is meant.
        style: `text`, `board` or `image`.
        shots: solved examples before each question.
        limit: questions of each split.
        split: splits to ask about, separated by commas.
        seed: which questions.
    """
    settings = {"answer": answer, "style": style, "shots": shots, "limit": limit, "splits": _names(split), "seed": seed}
    return inspect_task("navigate", data, fresh, settings)


@task(name="refer")
def deixis_refer(  # noqa: PLR0913 (every option is an argument)
    *,
    data: str | None = None,
    fresh: int | None = None,
    answer: str = "choose",
    style: str = "text",
    shots: int = 0,
    limit: int = 10,
    split: str = "",
    seed: int = 0,
) -> Task:
    """Choose the image that a caption describes, or write a caption that tells images apart.

    Args:
        data: the folder of a dataset.
        fresh: make fresh pairs with this seed instead.
        answer: `choose` or `caption`.
        style: `text` or `image`.
        shots: solved examples before each question.
        limit: questions of each set of pairs.
        split: sets of pairs, separated by commas; all by default.
        seed: which questions.
    """
    settings = {"answer": answer, "style": style, "shots": shots, "limit": limit, "splits": _names(split), "seed": seed}
    return inspect_task("refer", data, fresh, settings)


@task(name="localise")
def deixis_localise(  # noqa: PLR0913 (every option is an argument)
    *,
    data: str | None = None,
    fresh: int | None = None,
    style: str = "text",
    shots: int = 0,
    limit: int = 100,
    split: str = "test",
    setting: str = "Full",
    absent: float = 0.25,
    seed: int = 0,
) -> Task:
    """Find the region that an expression describes among several images, or say that it is not there.

    Args:
        data: the folder of a dataset.
        fresh: make a fresh test set with this seed instead.
        style: `text` or `image`.
        shots: solved examples before each question.
        limit: questions of each split.
        split: splits to ask about, separated by commas.
        setting: which images are shown with an expression: `Full`, `WithoutDist`, `Cat` …
        absent: the share of expressions that fit nothing.
        seed: which questions.
    """
    settings = {
        "style": style,
        "shots": shots,
        "limit": limit,
        "splits": _names(split),
        "setting": setting,
        "absent": absent,
        "seed": seed,
    }
    return inspect_task("localise", data, fresh, settings)


def inspect_task(name: Any, data: str | None, fresh: int | None, settings: dict[str, Any]) -> Task:
    """A task of Inspect.

    Args:
        name: navigate, refer or localise.
        data: the folder of a dataset.
        fresh: the seed of a fresh test set.
        settings: further settings of a `PromptRecipe`.
    """
    recipe = PromptRecipe(task=name, **settings)
    made = ask(recipe, Path(data) if data else None, fresh=fresh, workers=os.cpu_count() or 1)
    return Task(
        dataset=MemoryDataset(_samples(made), name=f"deixis/{name}"),
        solver=generate(),
        scorer=[measures(), misreadings()],
        metadata=made.facts,
        version=1,
    )


def _samples(made: Questionnaire) -> list[Sample]:
    return [_sample(item, made.facts) for item in made.items]


def _sample(item: Asked, facts: dict[str, Any]) -> Sample:
    """A question; its metadata hold the right answer, which no model is shown."""
    about = {key: facts[key] for key in ("seed", "fresh", "recipe digest")}
    return Sample(
        id=item.question.id,
        input=_messages(item.question.messages),
        target=item.gold.right,
        metadata={**gold_line(item), "groups": dict(item.gold.groups), **about},
    )


def _messages(messages: Sequence[Message]) -> list[ChatMessage]:
    made: list[ChatMessage] = []
    for message in messages:
        content: list[Content] = [
            ContentText(text=part) if isinstance(part, str) else ContentImage(image=as_data_uri(part))
            for part in message.parts
        ]
        match message.speaker:
            case "system":
                made.append(ChatMessageSystem(content=message.text))
            case "assistant":
                made.append(ChatMessageAssistant(content=message.text))
            case "user":
                made.append(ChatMessageUser(content=content if message.pictures else message.text))
    return made


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)
