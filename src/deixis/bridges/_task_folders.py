"""What the folders of tasks for evaluation harnesses have in common."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.prompts.tasks import questions_of


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.prompts.ask import Questionnaire


NOT_UNDERSTOOD = "not_understood"
MOST_TOKENS = 256  # of an answer, where the task does not say more or less


def demand_own_folder(folder: Path, task: Path) -> None:
    """Raise `RecipeError` if a folder holds another task than that of a file."""
    others = [path for path in folder.glob("*.yaml") if path != task] if folder.is_dir() else []
    if others:
        raise RecipeError(f"{folder} holds another task, {others[0].name}; choose a folder for each")


def origin_of(made: Questionnaire) -> dict[str, Any]:
    """Return where questions are from, for every row."""
    return {key: made.facts[key] for key in ("seed", "fresh", "recipe digest")}


def origin_comment(made: Questionnaire) -> str:
    """Return how questions were made, as comments of YAML."""
    about = "\n".join(f"#   {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in made.facts.items())
    return f"# Questions of Deixis, made with\n{about}"


def most_tokens(made: Questionnaire) -> int:
    """Return how long answers may be."""
    return questions_of(made.recipe.task).tokens.get(made.recipe.wanted, MOST_TOKENS)


def metric_list(made: Questionnaire, functions: str, *, further: Sequence[str]) -> str:
    """Return the measures of a task as a list of YAML.

    Args:
        made: its questions.
        functions: the module that has `mean_of_known`.
        further: measures beside those of the task.
    """
    worse = (NOT_UNDERSTOOD, *questions_of(made.recipe.task).lower_is_better)
    return "\n".join(
        f"  - metric: {measure}\n    aggregation: {_aggregation(measure, made, functions)}\n"
        f"    higher_is_better: {str(measure not in worse).lower()}"
        for measure in (*made.items[0].gold.judge(None).measures, *further)
    )


def _aggregation(measure: str, made: Questionnaire, functions: str) -> str:
    """A harness knows how sure its own mean is, but not the mean of what is defined for some answers only."""
    is_always = not any(isnan(item.gold.judge(None).measures.get(measure, 0.0)) for item in made.items)
    return "mean" if is_always else f"!function {functions}.mean_of_known"
