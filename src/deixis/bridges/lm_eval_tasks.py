"""Tasks for the lm-evaluation-harness: a folder that `lm_eval --include_path FOLDER` finds, with its own questions.

| in the folder | |
|---|---|
| `NAME.yaml` | the task, called `deixis_navigate_actions`, `deixis_refer_choose` and so on |
| `questions.jsonl` | the prompts as text, with the right answers beside them |
| `deixis_questions.py` | what the harness calls; everything in it is here |

The folder may be moved. Prompts are text, since most models of the harness take nothing else.

Where all answers can be listed, a task may compare how likely a model finds each of them (`NAME_likelihood`) instead of
reading what it says: for models that are trained on text alone, and without answers that are not understood.
"""

from __future__ import annotations

import json
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from deixis.bridges._task_folders import (
    NOT_UNDERSTOOD,
    demand_own_folder,
    metric_list,
    most_tokens,
    origin_comment,
    origin_of,
)
from deixis.errors import BrokenDataset, DeixisError, RecipeError
from deixis.prompts.files import gold_from, gold_line, write_lines


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.prompts.ask import Questionnaire
    from deixis.prompts.question import Judgement


__all__ = ["load_questions", "mean_of_known", "process_likelihoods", "process_results", "write_task"]

QUESTIONS, FUNCTIONS = "questions.jsonl", "deixis_questions"
CODE = '''"""What the lm-evaluation-harness calls for this task."""

from pathlib import Path

from deixis.bridges.lm_eval_tasks import load_questions, mean_of_known, process_likelihoods, process_results


def questions(**_):
    """The questions beside this file."""
    return load_questions(Path(__file__).parent)


__all__ = ["mean_of_known", "process_likelihoods", "process_results", "questions"]
'''


def write_task(made: Questionnaire, folder: Path, *, by_likelihood: bool = False) -> list[Path]:
    """Write a task of the harness, and return its files.

    Args:
        made: the questions, whose scenes must be shown as text.
        folder: may hold other tasks, but not another one of the same kind.
        by_likelihood: compare how likely each of the listed answers is, instead of reading what a model says.

    Raises:
        RecipeError: when the questions cannot be put in this way.
    """
    recipe = made.recipe
    if by_likelihood and not all(item.question.choices for item in made.items):
        raise RecipeError(
            f"likelihoods are compared where all answers can be listed, which those of {recipe.task} "
            f"({recipe.wanted}) cannot; leave --likelihood out"
        )
    if recipe.style == "image":
        raise RecipeError(
            "the harness is given prompts as text; leave --style image out, or use --lmms-eval or Inspect"
        )
    name = f"deixis_{recipe.task}_{recipe.wanted}" + ("_likelihood" if by_likelihood else "")
    rows = [
        {
            **gold_line(item),
            "prompt": item.question.text + ("\nAnswer:" if by_likelihood else ""),
            "gold": json.dumps(item.gold.to_plain()),
            **origin_of(made),
            **({"choices": list(item.question.choices)} if by_likelihood else {}),
        }
        for item in made.items
    ]
    paths = [folder / f"{name}.yaml", folder / QUESTIONS, folder / f"{FUNCTIONS}.py"]
    demand_own_folder(folder, paths[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(_yaml(name, made, by_likelihood=by_likelihood), encoding="utf-8", newline="\n")
        write_lines(paths[1], rows)
        paths[2].write_text(CODE, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RecipeError(f"cannot write to {folder}: {error.strerror or error}") from error
    return paths


def load_questions(folder: Path) -> dict[str, Any]:
    """The questions of a folder as the harness takes them: a dataset with the one split `test`.

    Raises:
        DeixisError: when `datasets` is not installed.
        BrokenDataset: when there are no questions.
    """
    try:
        from datasets import Dataset
    except ImportError:
        raise DeixisError('the harness needs `datasets`; run: pip install "deixis[llm]"') from None
    path = folder / QUESTIONS
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return {"test": Dataset.from_list(rows)}
    except (OSError, ValueError) as error:
        raise BrokenDataset(f"{path} holds no questions ({error}); write it with `deixis prompts --lm-eval`") from error


def process_results(document: dict[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The measures of one answer, by name.

    Args:
        document: a row of the questions.
        results: what the model said.
    """
    found = judge_document(document, results[0] if results else "")
    return {**found.measures, NOT_UNDERSTOOD: float(found.outcome in ("unparsable", "unanswered"))}


def process_likelihoods(document: dict[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """The measures of the answer that a model finds most likely, by name.

    Args:
        document: a row of the questions.
        results: for every choice its log likelihood, and whether it is what the model would say.
    """
    likely = max(range(len(results)), key=lambda place: results[place][0])
    return dict(judge_document(document, f"Answer: {document['choices'][likely]}").measures)


def judge_document(document: dict[str, Any], text: str) -> Judgement:
    """The judgement on the answer to a row of the questions."""
    return gold_from({**document, "gold": json.loads(document["gold"])}).judge(text)


def mean_of_known(values: Sequence[float]) -> float:
    """The mean of those values that are defined."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def _yaml(name: str, made: Questionnaire, *, by_likelihood: bool) -> str:
    kind = BY_LIKELIHOOD if by_likelihood else BY_TEXT.format(tokens=most_tokens(made))
    metrics = metric_list(made, FUNCTIONS, further=() if by_likelihood else (NOT_UNDERSTOOD,))
    return f"""{origin_comment(made)}
task: {name}
custom_dataset: !function {FUNCTIONS}.questions
test_split: test
{kind}num_fewshot: 0
repeats: 1
metric_list:
{metrics}
metadata:
  version: 1.0
"""


BY_LIKELIHOOD = f"""\
output_type: multiple_choice
doc_to_text: "{{{{prompt}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: "{{{{choices.index(right)}}}}"
target_delimiter: " "
process_results: !function {FUNCTIONS}.process_likelihoods
"""
BY_TEXT = (
    """\
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "Answer: {{{{right}}}}"
process_results: !function """
    + FUNCTIONS
    + """.process_results
generation_kwargs:
  until: []
  do_sample: false
  max_gen_toks: {tokens}
"""
)
