"""Questionnaires as files: prompts without answers, right answers apart, pictures beside them, and answers back in.

| file | one line for each question |
|---|---|
| `prompts.jsonl` | `id`, `task`, `messages`, `choices`, and the seed and digest that say where it is from |
| `prompts.gold.jsonl` | `id` and the right answer, with all it takes to judge another; first what was asked |
| `prompts.images/` | the pictures, where messages do not hold them themselves |
| `answers.jsonl` | `id` and `answer`, the text that a model said |
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, MissingPart, RecipeError
from deixis.prompts.scores import ModelAnswer
from deixis.prompts.tasks import questions_of


if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from deixis.prompts.ask import Questionnaire, QuestionnaireItem
    from deixis.prompts.question import Gold, Message, Picture


__all__ = [
    "Keep",
    "Key",
    "Prompt",
    "as_data_uri",
    "chat_message",
    "gold_from",
    "gold_line",
    "gold_path",
    "prompt_line",
    "read_given",
    "read_key",
    "read_prompts",
    "write_lines",
    "write_prompts",
]

Keep: TypeAlias = Literal["files", "base64"]
LONGEST_LINE = 64 << 20


class Prompt(NamedTuple):
    """A prompt in a file.

    Attributes:
        id: of the question.
        messages: with the content of each as a list of texts, `{"type": "text", "text": …}`, and images,
            `{"type": "image", "path": …}` or `{"type": "image", "base64": …}`, as chat templates take them.
    """

    id: str
    messages: list[dict[str, Any]]


class Key(NamedTuple):
    """The right answers of a questionnaire, by the id of the question, and what was asked."""

    golds: dict[str, Gold]
    about: dict[str, Any]


def gold_path(prompts: Path) -> Path:
    """Return the path of the right answers to a file of prompts."""
    return prompts.with_name(f"{prompts.stem}.gold.jsonl")


def write_prompts(
    questionnaire: Questionnaire, path: Path, *, keep: Keep = "files", with_gold: bool = False
) -> list[Path]:
    """Write prompts, right answers and pictures, and return the files and folders that were written.

    Args:
        questionnaire: what to write.
        path: the file of prompts.
        keep: pictures as files beside it, or inside it as base64.
        with_gold: put the right answer on every line, too.
    """
    if path.suffix != ".jsonl":
        raise RecipeError(f"prompts are written as JSON Lines; call the file something.jsonl, not {path.name!r}")
    folder = path.with_name(f"{path.stem}.images")
    written = [path, gold_path(path)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pictures = {picture.digest: picture for question in questionnaire.questions for picture in question.pictures}
        if pictures and keep == "files":
            folder.mkdir(exist_ok=True)
            written.append(folder)
            for picture in pictures.values():
                (folder / f"{picture.digest}.png").write_bytes(picture.png)
        images = folder.name if keep == "files" else None
        lines = (
            prompt_line(item, questionnaire.facts, images=images, with_gold=with_gold) for item in questionnaire.items
        )
        write_lines(path, lines)
        write_lines(gold_path(path), [{"about": questionnaire.facts}, *map(gold_line, questionnaire.items)])
    except OSError as error:
        raise RecipeError(f"cannot write to {path}: {error.strerror or error}") from error
    return written


def prompt_line(
    item: QuestionnaireItem, facts: Mapping[str, Any], *, images: str | None = None, with_gold: bool = False
) -> dict[str, Any]:
    """Return a question as plain values.

    Pictures are names in the folder `images`, or data if that is None.
    """
    question = item.question
    return {
        "id": question.id,
        "task": question.task,
        "answer": question.answer,
        "style": question.style,
        "messages": [chat_message(message, images) for message in question.messages],
        **({"choices": list(question.choices)} if question.choices else {}),
        **({"right": item.gold.right} if with_gold else {}),
        "seed": facts["seed"],
        **({"fresh": facts["fresh"]} if facts["fresh"] is not None else {}),
        "recipe digest": facts["recipe digest"],
    }


def gold_line(item: QuestionnaireItem) -> dict[str, Any]:
    """A right answer as plain values."""
    question = item.question
    return {
        "id": question.id,
        "task": question.task,
        "answer": question.answer,
        "right": item.gold.right,
        "gold": item.gold.to_plain(),
    }


def gold_from(values: Mapping[str, Any]) -> Gold:
    """Return the right answer of a line of `gold_line`, or raise `BrokenDataset`."""
    plain, answer = values.get("gold"), values.get("answer")
    if not isinstance(plain, dict):
        raise BrokenDataset("there is no right answer in it")
    try:
        questions = questions_of(str(values.get("task")))
    except (RecipeError, MissingPart):
        questions = None
    if questions is None or answer not in questions.answers:
        raise BrokenDataset(f"unknown task {str(values.get('task'))[:40]!r} or answer {str(answer)[:40]!r}")
    return questions.gold_from(plain, answer)


def read_key(path: Path) -> Key:
    """The right answers in a file.

    Raises:
        BrokenDataset: when it cannot be read or a line is no right answer, with its number.
    """
    golds: dict[str, Gold] = {}
    about: dict[str, Any] = {}
    for number, values in _lines(path):
        if isinstance(values, dict) and isinstance(values.get("about"), dict):
            about = values["about"]
            continue
        if not isinstance(values, dict) or not isinstance(values.get("id"), str):
            raise BrokenDataset(f"{path}, line {number}: no right answer with an 'id'; write it with `deixis prompts`")
        try:
            golds[values["id"]] = gold_from(values)
        except BrokenDataset as error:
            raise BrokenDataset(f"{path}, line {number}: {error}") from error
    if not golds:
        raise BrokenDataset(f"{path} holds no right answers; write it with `deixis prompts`")
    return Key(golds, about)


def read_prompts(path: Path) -> Iterator[Prompt]:
    """Yield the prompts in a file, with paths of images that can be opened from here.

    Raises:
        BrokenDataset: when it cannot be read, a line is no prompt, or names an image outside of its folder.
    """
    for number, values in _lines(path):
        try:
            messages = [
                {"role": str(one["role"]), "content": list(_content_of(one["content"], path.parent))}
                for one in values["messages"]
            ]
            yield Prompt(str(values["id"]), messages)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            detail = f"line {number} is no prompt; write it with `deixis prompts`"
            raise BrokenDataset(f"{path}, {error if isinstance(error, BrokenDataset) else detail}") from error


def _content_of(content: Any, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the parts of a message; a text alone is one part."""
    parts: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in parts:
        if part["type"] == "text":
            yield {"type": "text", "text": str(part["text"])}
        elif part["type"] == "image_url":
            yield {"type": "image", "base64": str(part["image_url"]["url"]).partition(",")[2]}
        else:
            place = (folder / part["path"]).resolve()
            if not place.is_relative_to(folder.resolve()):
                raise BrokenDataset(f"the picture {str(part['path'])[:80]!r} is not in the folder of the prompts")
            yield {"type": "image", "path": str(place)}


def read_given(path: Path, *, strange: Counter[str]) -> Iterator[ModelAnswer]:
    """Yield the answers in a file, and count lines without an answer in `strange`.

    An `answer` that is no text but a list, a number or an object is read as the JSON that it is.

    Raises:
        BrokenDataset: when it cannot be read.
    """
    for _, values in _lines(path):
        if not isinstance(values, dict) or not isinstance(values.get("id"), str):
            strange["a line that is no JSON object with an 'id'"] += 1
        elif "answer" not in values:
            strange["a line without an 'answer'"] += 1
        else:
            said = values["answer"]
            yield ModelAnswer(values["id"], said if isinstance(said, str) else "" if said is None else json.dumps(said))


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines to a file that appears only when it is complete."""
    with replacing_file(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def as_data_uri(picture: Picture) -> str:
    """A picture as an address that holds all of it."""
    return "data:image/png;base64," + b64encode(picture.png).decode()


def chat_message(message: Message, images: str | None = None) -> dict[str, Any]:
    """A message as chat programs take it: plain text, or a list where there are pictures.

    Pictures are names in the folder `images`, or data if that is None.
    """
    if not message.pictures:
        return {"role": message.speaker, "content": message.text}
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif images is None:
            content.append({"type": "image_url", "image_url": {"url": as_data_uri(part)}})
        else:
            content.append({"type": "image", "path": f"{images}/{part.digest}.png"})
    return {"role": message.speaker, "content": content}


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Every line of a file as JSON, with its number; None where it is none."""
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if line.strip():
                    yield number, _json(line)
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):  # also what is no UTF-8
        return None
