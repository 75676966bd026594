"""An environment for `verifiers` 0.1, whose environments are what `load_environment` returns.

Later versions have tasksets instead: see `deixis.bridges.verifiers_tasks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.bridges.trl_rewards import COLUMNS, completion_text, prompt_rows
from deixis.errors import DeixisError
from deixis.prompts.practice import Practice, PracticeRecipe, judge_row, reward_of


if TYPE_CHECKING:
    from deixis.prompts.practice import Reward


__all__ = ["load_environment"]


def load_environment(
    task: str = "navigate", *, questions: int = 512, asked_in_evaluation: int = 64, step: int = 0, **settings: Any
) -> Any:
    """Return an environment of one question and one answer.

    Its metadata hold misreadings and feedback after scoring, under `info`.

    Args:
        task: one of `known_tasks`.
        questions: how many to train on.
        asked_in_evaluation: how many to evaluate on, of a step of their own.
        step: of a training: another step has other questions.
        settings: further fields of a `PracticeRecipe`.

    Raises:
        DeixisError: when `verifiers` is not installed, or another version of it.
    """
    try:
        import verifiers
        from datasets import Dataset
    except ImportError:
        raise DeixisError(
            "this environment needs verifiers 0.1 and datasets; run: pip install 'verifiers<0.2'"
        ) from None
    parts: list[Any] = [getattr(verifiers, name, None) for name in ("SingleTurnEnv", "Rubric")]
    if None in parts:
        raise DeixisError(
            "this version of verifiers has tasksets instead of environments; use deixis.bridges.verifiers_tasks"
        )
    environment, rubric = parts
    recipe = PracticeRecipe(task=task, **settings)

    def judge(completion: Any, info: dict[str, Any]) -> Reward:
        return reward_of(judge_row(info, completion_text(completion)), recipe.measure)

    def right(completion: Any, info: dict[str, Any], **_: Any) -> float:
        found = judge(completion, info)
        info["feedback"], info["misreadings"] = found.feedback, list(found.misreadings)
        return found.value

    def is_understood(completion: Any, info: dict[str, Any], **_: Any) -> float:
        return float(judge(completion, info).outcome in ("right", "wrong"))

    def rows(step: int, count: int) -> Any:
        found = prompt_rows(Practice(recipe, size=count, step=step))
        return Dataset.from_list(
            [
                {
                    "prompt": row["prompt"],
                    "answer": row["right"],
                    "task": f"deixis_{task}",
                    "info": {name: row[name] for name in COLUMNS},
                }
                for row in found
            ]
        )

    return environment(
        dataset=rows(step, questions),
        eval_dataset=rows(-1, asked_in_evaluation),
        rubric=rubric(funcs=[right, is_understood], weights=[1.0, 0.0]),
    )
