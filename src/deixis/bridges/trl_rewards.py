"""Rewards for TRL: prompts as a dataset, and functions for the `reward_funcs` of `GRPOTrainer`.

```python
trainer = GRPOTrainer(model, reward_funcs=[right_reward, format_reward], train_dataset=prompt_dataset(practice), …)
```

A reward function is called with the prompts, their completions and the other columns of the dataset, and returns a
number for each. Where the trainer offers it, misreadings and outcomes are logged beside the rewards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError, RecipeError
from deixis.prompts.practice import judge_row, reward_of
from deixis.prompts.question import OUTCOMES


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deixis.prompts.practice import Practice, Reward


__all__ = ["completion_text", "format_reward", "measure_reward", "prompt_dataset", "prompt_rows", "right_reward"]

COLUMNS = ("id", "task", "answer", "right", "gold", "index", "step", "seed")


def prompt_rows(practice: Practice, first: int = 0, last: int | None = None) -> list[dict[str, Any]]:
    """Return questions as rows: `prompt` as turns of a chat, and the columns with which answers are judged.

    Args:
        practice: the questions.
        first: the number of the first question.
        last: the number after the last one, by default the size of the practice.
    """
    if practice.recipe.style == "image":
        raise RecipeError("these rows have prompts of text; leave the style 'image' out")
    rows = []
    for index in range(first, len(practice) if last is None else last):
        metadata = practice[index]["metadata"]
        rows.append({"prompt": metadata["messages"], **{name: metadata[name] for name in COLUMNS}})
    return rows


def prompt_dataset(practice: Practice, first: int = 0, last: int | None = None) -> Any:
    """Return the rows of `prompt_rows` as a dataset of Hugging Face.

    Raises:
        DeixisError: when `datasets` is not installed.
    """
    try:
        from datasets import Dataset
    except ImportError:
        raise DeixisError("prompts as a dataset need `datasets`; run: pip install datasets") from None
    return Dataset.from_list(prompt_rows(practice, first, last))


def completion_text(completion: str | Sequence[Any]) -> str:
    """Return what a model said: the completion itself, or the text of its last turn."""
    if isinstance(completion, str):
        return completion
    last: Any = completion[-1] if completion else {}
    content = last.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content or ""


def measure_reward(measure: str = "", *, name: str = "") -> Callable[..., list[float]]:
    """Return a reward function by a measure of the task, e.g. `actions_right` for part of a plan.

    Args:
        measure: by default the first of the task.
        name: under which the trainer logs it, by default `MEASURE_reward`.
    """

    def reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
        del prompts
        found = _rewards(completions, columns, measure)
        _log(found, columns)
        return [one.value for one in found]

    reward.__name__ = reward.__qualname__ = name or f"{measure or 'right'}_reward"
    return reward


def right_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
    """Reward answers by the first measure of the task: 1 for a right one."""
    return _RIGHT(prompts, completions, **columns)


def format_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
    """Reward answers that are understood with 1, be they right or wrong."""
    del prompts
    return [float(one.outcome in ("right", "wrong")) for one in _rewards(completions, columns, "")]


_RIGHT = measure_reward()


def _rewards(completions: Sequence[Any], columns: dict[str, Any], measure: str) -> list[Reward]:
    """The rewards of completions, row by row."""
    missing = [name for name in ("task", "answer", "gold") if name not in columns]
    if missing:
        raise RecipeError(f"the dataset lacks the columns {', '.join(missing)}; make it with prompt_dataset")
    rows = zip(columns["task"], columns["answer"], columns["gold"], strict=True)
    return [
        reward_of(judge_row({"task": task, "answer": wanted, "gold": gold}, completion_text(said)), measure)
        for (task, wanted, gold), said in zip(rows, completions, strict=True)
    ]


def _log(found: Sequence[Reward], columns: dict[str, Any]) -> None:
    """Tell a trainer that listens how answers ended, and the share of answers that each misreading explains."""
    metric, extra = columns.get("log_metric"), columns.get("log_extra")
    if extra is not None:
        extra("outcome", [one.outcome for one in found])
        extra("feedback", [one.feedback for one in found])
    if metric is None or not found:
        return
    for outcome in OUTCOMES:
        metric(f"outcome/{outcome}", sum(one.outcome == outcome for one in found) / len(found))
    shares: dict[str, float] = {}
    for one in found:
        for misreading in one.misreadings:
            shares[misreading] = shares.get(misreading, 0.0) + 1 / len(one.misreadings)
    for misreading, share in sorted(shares.items()):
        metric(f"misreading/{misreading}", share / len(found))
