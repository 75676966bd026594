"""Tasks for Inspect, one for every world that asks questions: `inspect eval deixis/navigate`, `deixis/refer` and so on.

Every task takes a dataset (`data`) or makes a fresh test set (`fresh`), and its log records both, with the seed and the
digest of all settings. Scorers tell every measure of the task by split and pattern, and the misreadings behind wrong
answers.
"""

from __future__ import annotations

import inspect
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from deixis.data._split_names import names_in_split
from deixis.errors import DeixisError
from deixis.prompts.ask import ask
from deixis.prompts.files import as_data_uri, gold_from, gold_line
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.tasks import known_tasks, questions_of


if find_spec("inspect_ai") is None:
    raise DeixisError('these tasks need Inspect; run: pip install "deixis[llm]"')

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import generate


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inspect_ai.model import ChatMessage, Content
    from inspect_ai.solver import TaskState

    from deixis.prompts.ask import Questionnaire, QuestionnaireItem
    from deixis.prompts.question import Message
    from deixis.worlds.world import World


__all__ = ["TASKS", "by_group", "inspect_task", "measures", "misreading_shares", "misreadings"]

NOT_UNDERSTOOD = "not_understood"


def inspect_task(name: str, data: str | None, fresh: int | None, settings: dict[str, Any]) -> Task:
    """A task of Inspect.

    Args:
        name: of the task, e.g. navigate.
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


def _sample(item: QuestionnaireItem, facts: dict[str, Any]) -> Sample:
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


# -------------------------------------------------------------------------------- scorers


@metric(name="by")
def by_group() -> Metric:
    """Mean over the questions of each group: `split: a1`, `pattern: p2`.

    A question of two splits counts in both.
    """

    def means(scores: list[SampleScore]) -> Any:
        found: dict[str, list[float]] = {}
        for one in scores:
            groups = (one.sample_metadata or {}).get("groups", {})
            value = one.score.as_float()
            for what, names in groups.items():
                for name in names_in_split(str(names)) if what == "split" else [names]:
                    found.setdefault(f"{what}: {name}", []).append(value)
        return {name: sum(values) / len(values) for name, values in sorted(found.items())}

    return cast("Metric", means)


@metric(name="missed")  # as logs have it
def misreading_shares() -> Metric:
    """Shares of the misreadings that explain wrong answers, among all wrong answers that are explained."""

    def shares(scores: list[SampleScore]) -> Any:
        found: dict[str, float] = {}
        for one in scores:
            names = (one.score.metadata or {}).get("missed", [])
            for name in names:
                found[name] = found.get(name, 0.0) + 1 / len(names)
        total = sum(found.values())
        ordered = sorted(found.items(), key=lambda share: (-share[1], share[0]))
        return {name: count / total for name, count in ordered}

    return cast("Metric", shares)


@scorer(metrics={"*": [mean(), stderr(), by_group()]})
def measures() -> Scorer:
    """Every measure of the task, and whether the answer could not be understood."""

    async def judge(state: TaskState, target: Target) -> Score:
        del target
        found = gold_from(state.metadata).judge(state.output.completion)
        is_silent = found.outcome in ("unparsable", "unanswered")
        return Score(
            value={**found.measures, NOT_UNDERSTOOD: float(is_silent)},
            answer=found.said or None,
            explanation=found.fault or None,
            metadata={"outcome": found.outcome, "fault": found.fault},
        )

    return judge


@scorer(metrics=[misreading_shares()])
def misreadings() -> Scorer:
    """Score 1 for a right answer, and record the misreadings that explain a wrong one."""

    async def judge(state: TaskState, target: Target) -> Score:
        del target
        found = gold_from(state.metadata).judge(state.output.completion)
        metadata = {"outcome": found.outcome, "missed": list(found.misreadings)}
        return Score(value=float(found.outcome == "right"), answer=found.said or None, metadata=metadata)

    return judge


# -------------------------------------------------------------------------------- tasks


def _make_task(name: str, world: World) -> Callable[..., Task]:
    """The function by which Inspect makes the task of a world; its arguments are options of `deixis prompts`."""

    def build(**given: Any) -> Task:
        chosen = inspect.signature(build).bind(**given)
        chosen.apply_defaults()
        values = dict(chosen.arguments)
        data, fresh, limit, split = (values.pop(key) for key in ("data", "fresh", "limit", "split"))
        own = {key: values.pop(key) for key in world.options_of("prompts")}
        settings = {
            **values,
            "limit": questions_of(name).limit if limit is None else limit,
            "splits": _names(split),
            "options": {key: value for key, value in own.items() if value is not None},
        }
        return inspect_task(name, data, fresh, settings)

    own = "".join(f"        {key}: {option.help}\n" for key, option in world.options_of("prompts").items())
    build.__name__ = build.__qualname__ = f"deixis_{name}"
    build.__doc__ = f"""{world.title}, as questions.

    Args:
        data: the folder of a dataset.
        fresh: make a fresh test set with this seed instead.
        answer: what is wanted; by default the first that the task knows.
        style: how scenes are shown: `text`, `image` or what else the task knows; by default text, and an image where
            the answer is a box in it.
        shots: solved examples before each question.
        limit: questions of each split, or of each set of pairs.
        split: splits or sets to ask about, separated by commas; by default the test split, or all sets.
        seed: which questions.
{own}    """
    build.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value)
            for key, value in {**ARGUMENTS, **dict.fromkeys(world.options_of("prompts"))}.items()
        ],
        return_annotation=Task,
    )
    return cast("Callable[..., Task]", task(name=name)(build))


ARGUMENTS = {
    "data": None,
    "fresh": None,
    "answer": None,
    "style": None,
    "shots": 0,
    "limit": None,
    "split": "",
    "seed": 0,
}
TASKS = {name: _make_task(name, world) for name, world in known_tasks().items()}


def __getattr__(name: str) -> Callable[..., Task]:
    """The task of a name as a function, `deixis_navigate` and so on."""
    if name.removeprefix("deixis_") in TASKS:
        return TASKS[name.removeprefix("deixis_")]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
