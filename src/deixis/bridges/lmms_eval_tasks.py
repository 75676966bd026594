"""Tasks for lmms-eval, the harness of models that see: a folder with its own questions and pictures.

| in the folder | |
|---|---|
| `NAME.yaml` | the task, called `deixis_navigate_target`, `deixis_localise_region` and so on |
| `questions.parquet` | the prompts with their pictures, and the right answers beside them |
| `deixis_questions.py` | what the harness calls; everything in it is here |

`lmms_eval --include_path FOLDER --tasks NAME` finds it; the folder may be moved (lmms-eval 0.7 and later). Models that
take messages are given text and pictures in their order; others the pictures first, with their titles in the text.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from deixis.bridges._task_folders import (
    NOT_UNDERSTOOD,
    demand_own_folder,
    metric_list,
    most_tokens,
    origin_comment,
    origin_of,
)
from deixis.bridges.lm_eval_tasks import mean_of_known, process_results
from deixis.errors import DeixisError, RecipeError
from deixis.prompts.files import gold_line


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.prompts.ask import Questionnaire
    from deixis.prompts.question import Question


__all__ = ["mean_of_known", "messages_of", "pictures_of", "process_results", "text_of", "write_task"]

QUESTIONS, FUNCTIONS = "questions.parquet", "deixis_questions"
CODE = '''"""What lmms-eval calls for this task."""

from deixis.bridges.lmms_eval_tasks import mean_of_known, messages_of, pictures_of, process_results, text_of


__all__ = ["mean_of_known", "messages_of", "pictures_of", "process_results", "text_of"]
'''


def write_task(made: Questionnaire, folder: Path) -> list[Path]:
    """Write a task of lmms-eval, and return its files.

    Args:
        made: the questions; scenes may be shown in any style.
        folder: may hold an earlier version of the same task, but not another one.

    Raises:
        DeixisError: when pyarrow is not installed.
        RecipeError: when the folder holds another task or cannot be written to.
    """
    name = f"deixis_{made.recipe.task}_{made.recipe.wanted}"
    paths = [folder / f"{name}.yaml", folder / QUESTIONS, folder / f"{FUNCTIONS}.py"]
    demand_own_folder(folder, paths[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(_yaml(name, made), encoding="utf-8", newline="\n")
        _write_questions(made, paths[1])
        paths[2].write_text(CODE, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RecipeError(f"cannot write to {folder}: {error.strerror or error}") from error
    return paths


def pictures_of(document: dict[str, Any]) -> list[Any]:
    """The pictures of a row of the questions, decoded, in their order."""
    return [_decode(picture) for picture in document["pictures"]]


def text_of(document: dict[str, Any], _: Any = None) -> str:
    """The whole prompt of a row of the questions, with the title of every picture in its place."""
    return str(document["prompt"])


def messages_of(document: dict[str, Any], _: Any = None) -> list[dict[str, Any]]:
    """The messages of a row of the questions, each with texts and pictures in the order in which they are seen."""
    pictures = pictures_of(document)
    return [
        {
            "role": message["role"],
            "content": [
                {"type": "image", "url": pictures[part]} if isinstance(part, int) else {"type": "text", "text": part}
                for part in message["parts"]
            ],
        }
        for message in json.loads(document["messages"])
    ]


def _decode(picture: Any) -> Any:
    if not isinstance(picture, dict):  # `datasets` decoded it
        return picture.convert("RGB")
    from PIL import Image

    return Image.open(io.BytesIO(picture["bytes"])).convert("RGB")


def _write_questions(made: Questionnaire, path: Path) -> None:
    try:
        from deixis.data._huggingface import write_texts_with_pictures
    except ImportError:
        raise DeixisError("tasks of lmms-eval need pyarrow; run: pip install 'deixis[data]'") from None
    rows = [
        {
            **{name: value for name, value in gold_line(item).items() if name != "gold"},
            "gold": json.dumps(item.gold.to_plain()),
            "prompt": item.question.text,
            "messages": json.dumps(_messages(item.question), ensure_ascii=False),
            "origin": json.dumps(origin_of(made)),
        }
        for item in made.items
    ]
    pictures = [[(f"{one.digest}.png", one.png) for one in item.question.pictures] for item in made.items]
    write_texts_with_pictures(path, rows, pictures)


def _messages(question: Question) -> list[dict[str, Any]]:
    """Messages as plain values; pictures are their numbers."""
    found, number = [], 0
    for message in question.messages:
        parts: list[str | int] = []
        for part in message.parts:
            parts.append(part if isinstance(part, str) else number)
            number += not isinstance(part, str)
        found.append({"role": message.speaker, "parts": parts})
    return found


def _yaml(name: str, made: Questionnaire) -> str:
    return f"""{origin_comment(made)}
task: {name}
dataset_path: parquet
dataset_kwargs:
  data_files:
    test: {QUESTIONS}
test_split: test
output_type: generate_until
doc_to_visual: !function {FUNCTIONS}.pictures_of
doc_to_text: !function {FUNCTIONS}.text_of
doc_to_messages: !function {FUNCTIONS}.messages_of
doc_to_target: right
process_results: !function {FUNCTIONS}.process_results
generation_kwargs:
  until: []
  do_sample: false
  temperature: 0
  max_new_tokens: {most_tokens(made)}
num_fewshot: 0
repeats: 1
metric_list:
{metric_list(made, FUNCTIONS, further=(NOT_UNDERSTOOD,))}
metadata:
  version: 1.0
"""
