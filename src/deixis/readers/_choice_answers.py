"""Answers to questions with choices: which sentence fits an image, which image fits a sentence, true or false.

A file is JSON Lines, a JSON list of the same records, or a JSON object of them by the ids of the examples. A record:

| field | |
|---|---|
| `id` | of the example |
| `choice` | the number of a choice in the order of the dataset, from 0; or its text; or its place, see below |
| `order` | the numbers of the choices in the order in which they were shown, such as `[1, 0]` |
| `scores` | instead of `choice`: a number for each choice, of which only a single highest one is an answer |

A place is `first`, `A` or `(1)`, and so on; it is counted in `order`, or in the order of the dataset where there is
none. `true`, `false`, `yes` and `no` answer whether a statement is true. Numbers as text, such as `"1"`, may be counted
from 0 or from 1, so they are not understood.

Of two images and two sentences a record says what was asked: `"image": 0` asks for the sentence that fits image 0, and
`"sentence": 0` for the image that fits sentence 0. Or `scores` has all of them at once, `scores[s][i]` for sentence s
and image i.

Also read is what SugarCrepe publishes of GPT-4V: an object by index, where a record repeats both captions and has the
answer as `{"free_form_answer": …, "multiple_choice_answer": …}`. Its examples are found by their captions, and the
order in which they were shown is worked out from answers that give the number as well as the text.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.judge._results import answer_lines
from deixis.readers.files import head_of, json_items, json_members


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis._losses import Losses
    from deixis.readers.reader import ReadExample


UNREADABLE, NO_SUCH, TIE = "unreadable", "no such choice", "tie"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
YES_NO = {"yes": "true", "no": "false", "correct": "true", "incorrect": "false"}
ORDERS = {"positive-first": (0, 1), "negative-first": (1, 0)}
PUBLISHED = {"answer", "caption", "negative_caption"}  # fields of the answers that SugarCrepe publishes
HEAD = 65536  # bytes: the first line has to end there
NO_ID, NO_ANSWER = "a line has no 'id'", "it is no answer but a value beside them"
NO_ORDER, NOT_ASKED = (
    "its 'order' is no order of the choices",
    "it does not say which image or sentence was asked about",
)
OTHER_WORDS = "it is about other sentences than any example"


class Choices(NamedTuple):
    """One question about an example.

    Attributes:
        asked: which image or sentence it is about, such as `image 0`; empty where there is only one question.
        texts: what can be chosen.
        right: the number of the right choice.
    """

    asked: str
    texts: tuple[str, ...]
    right: int


class ChoiceAnswer(NamedTuple):
    """The answer to one question about an example.

    Attributes:
        id: of the example.
        choice: the number of a choice, -1 where there is none.
        fault: why there is none: `unreadable`, `no such choice` or `tie`.
        asked: which question, see `Choices`.
        order: the numbers of the choices as they were shown; empty where that is not known.
        is_scored: whether it comes from a score of every choice.
    """

    id: str
    choice: int
    fault: str = ""
    asked: str = ""
    order: tuple[int, ...] = ()
    is_scored: bool = False


def is_matching(example: ReadExample) -> bool:
    """Return whether an example has as many images as sentences, of which each fits one of the others."""
    return len(example.images) > 1 and len(example.images) == len(example.choices)


def choices_of(example: ReadExample, task: str) -> tuple[Choices, ...]:
    """The questions about an example: one, or one for every image and every sentence of a matching."""
    if task == "verify" or not is_matching(example):
        return (Choices("", example.choices, example.right),)
    names = tuple(image.name for image in example.images)
    numbers = range(len(names))
    asked = [Choices(f"image {number}", example.choices, number) for number in numbers]
    return (*asked, *(Choices(f"sentence {number}", names, number) for number in numbers))


def read_choices(path: Path, examples: Mapping[str, ReadExample], task: str, losses: Losses) -> Iterator[ChoiceAnswer]:
    """Yield the answers in a file, in its order.

    Args:
        path: the file.
        examples: all that may have been answered, by their ids as text.
        task: of the reader; a statement that is true or false may have two images.
        losses: records that are no answers are counted here, and every record is seen there.

    Raises:
        BrokenDataset: when the file cannot be read.
    """
    published: list[tuple[str, dict[str, Any]]] = []
    for key, record in _records(path):
        losses.see()
        if isinstance(record, dict) and "choice" not in record and record.keys() >= PUBLISHED:
            published.append((str(key), record))
            continue
        fields = {"choice": record} if isinstance(key, str) and isinstance(record, str | int) else record
        if not isinstance(fields, dict):
            losses.leave_out(NO_ANSWER if isinstance(key, str) else NO_ID)
            continue
        number = fields.get("id", key if isinstance(key, str) else None)
        if not isinstance(number, int | str) or isinstance(number, bool):
            losses.leave_out(NO_ID)
            continue
        example = examples.get(str(number))
        if example is None:
            yield ChoiceAnswer(str(number), -1, UNREADABLE)
            continue
        yield from _answers(str(number), fields, choices_of(example, task), losses)
    if published:
        named = next((order for name, order in ORDERS.items() if name in path.stem), ())
        yield from _published_answers(published, examples, losses, named)


def _answers(number: str, record: dict[str, Any], asked: Sequence[Choices], losses: Losses) -> Iterator[ChoiceAnswer]:
    """Yield the answers of one record: one, or that to every question where all pairs have scores."""
    if "scores" in record:
        for one, row in zip(asked, _score_rows(record["scores"], asked), strict=True):
            yield _highest(number, one, row)
        return
    names = [f"{what} {record[what]}" for what in ("image", "sentence") if type(record.get(what)) is int]
    if len(asked) > 1:
        found = next((one for one in asked if names == [one.asked]), None)
        if found is None:
            losses.leave_out(NOT_ASKED)
            return
    else:
        found = asked[0]
    order = _order(record.get("order"), len(found.texts))
    if order is None:
        losses.leave_out(NO_ORDER)
        return
    choice, fault = _choice(record.get("choice"), found.texts, order)
    yield ChoiceAnswer(number, choice, fault, found.asked, order)


def _order(value: Any, count: int) -> tuple[int, ...] | None:
    """The order in which choices were shown; empty where it is not told, None where it is none."""
    if value is None:
        return ()
    if isinstance(value, str) and count == 2 and value in ORDERS:
        return ORDERS[value]
    if not isinstance(value, list) or not all(type(one) is int for one in value):
        return None
    return tuple(value) if sorted(value) == list(range(count)) else None


def _choice(value: Any, texts: Sequence[str], order: Sequence[int]) -> tuple[int, str]:
    """Return the number of a choice, or -1 and what is wrong."""
    if isinstance(value, bool):
        value = "true" if value else "false"
        return (_plain_texts(texts).index(value), "") if value in _plain_texts(texts) else (-1, UNREADABLE)
    if isinstance(value, int):
        return (value, "") if 0 <= value < len(texts) else (-1, NO_SUCH)
    if not isinstance(value, str):
        return -1, UNREADABLE
    if value in texts:
        return list(texts).index(value), ""
    said, plain = plain_text(value), _plain_texts(texts)
    said = YES_NO.get(said, said) if set(plain) == {"true", "false"} else said
    if plain.count(said) == 1:
        return plain.index(said), ""
    place = place_of(value)
    if place is None:
        return -1, UNREADABLE
    if place >= len(texts):
        return -1, NO_SUCH
    return (order[place] if order else place), ""


def place_of(text: str) -> int | None:
    """The place that a text names alone, from 0: `first`, `A`, `(a)`, `(1)`; None where it names none."""
    said = " ".join(text.casefold().strip().rstrip(".").split())
    said = re.sub(r"^(?:the )?(?:(?:option|choice|caption|sentence|image) )?", "", said)
    said = re.sub(r"(?<=.) (?:one|option|choice|caption|sentence|image)$", "", said)
    if said in ORDINALS:
        return ORDINALS.index(said)
    if found := re.fullmatch(r"\(([1-9])\)", said):
        return int(found[1]) - 1
    found = re.fullmatch(r"\(?([a-i])\)?", said)
    return ord(found[1]) - ord("a") if found else None


def plain_text(text: str) -> str:
    """A text in small letters without the marks and blanks around it, by which sentences are recognised."""
    return " ".join(re.sub(r"^\W+|\W+$", "", text.casefold()).split())


def _plain_texts(texts: Sequence[str]) -> list[str]:
    return [plain_text(text) for text in texts]


# -------------------------------------------------------------------------------- scores


def _score_rows(scores: Any, asked: Sequence[Choices]) -> list[list[float] | None]:
    """The scores of the choices of every question, None where they are no numbers."""
    if len(asked) == 1:
        return [_numbers(scores, len(asked[0].texts))]
    count = len(asked[0].texts)
    is_table = isinstance(scores, list) and len(scores) == count
    table = [row for row in (_numbers(row, count) for row in scores) if row is not None] if is_table else []
    if len(table) < count:
        return [None] * len(asked)
    return [*([row[image] for row in table] for image in range(count)), *table]


def _numbers(row: Any, count: int) -> list[float] | None:
    if not isinstance(row, list) or len(row) != count:
        return None
    return row if all(isinstance(one, int | float) and not isinstance(one, bool) for one in row) else None


def _highest(number: str, asked: Choices, row: list[float] | None) -> ChoiceAnswer:
    if row is None:
        return ChoiceAnswer(number, -1, UNREADABLE, asked.asked, is_scored=True)
    best = [place for place, one in enumerate(row) if all(one > other for at, other in enumerate(row) if at != place)]
    if not best:
        return ChoiceAnswer(number, -1, TIE, asked.asked, is_scored=True)
    return ChoiceAnswer(number, best[0], "", asked.asked, is_scored=True)


# -------------------------------------------------------------------------------- published answers


def _published_answers(
    records: Sequence[tuple[str, dict[str, Any]]],
    examples: Mapping[str, ReadExample],
    losses: Losses,
    named: tuple[int, ...],
) -> Iterator[ChoiceAnswer]:
    """Yield the answers that SugarCrepe publishes, with the order of the choices where it can be worked out.

    A place alone is understood only where the name of the file tells the order.
    """
    known: dict[tuple[str, ...], list[str]] = {}
    for number, example in examples.items():
        known.setdefault(example.choices, []).append(number)
    found: list[tuple[ChoiceAnswer, int | None]] = []
    for key, record in records:
        texts = tuple(str(record.get(name)) for name in ("caption", "negative_caption"))
        numbers = known.get(texts)
        if not numbers:
            losses.leave_out(OTHER_WORDS)
            continue
        same = [
            one for one in numbers if record.get("filename") in [image.name for image in examples[one].images]
        ] or numbers
        number = next((one for one in same if one.rpartition("/")[2] == key), same[0])
        free, text = _split_answer(record["answer"])
        choice, fault = _choice(text, texts, named)
        if not named and isinstance(text, str) and place_of(text) is not None:
            choice, fault = -1, UNREADABLE
        places = set(re.findall(r"\(([12])\)", free))
        place = int(places.pop()) - 1 if len(places) == 1 else None
        found.append((ChoiceAnswer(number, choice, fault), place))
    orders = {_order_from(answer, place) for answer, place in found} - {()}
    only = orders.pop() if len(orders) == 1 else () if orders else named
    for answer, place in found:
        yield answer._replace(order=only or _order_from(answer, place))


def _split_answer(answer: Any) -> tuple[str, Any]:
    """Return the words of a model, and the caption that was taken from them."""
    if not isinstance(answer, dict):
        return str(answer), answer
    free = str(answer.get("free_form_answer", ""))
    return free, answer.get("multiple_choice_answer", free)


def _order_from(answer: ChoiceAnswer, place: int | None) -> tuple[int, ...]:
    """The order of two choices of which one is known to stand in a place; empty where that is not known."""
    if place is None or answer.choice < 0:
        return ()
    return (0, 1) if answer.choice == place else (1, 0)


# -------------------------------------------------------------------------------- files


def _records(path: Path) -> Iterator[tuple[str | int, Any]]:
    """Yield the records of a file with their keys, or with their numbers where they have no keys."""
    head = head_of(path, HEAD).lstrip()
    if head[:1] == "[":
        yield from enumerate(json_items(path))
    elif _are_lines(head):
        yield from enumerate(answer_lines(path))
    else:
        yield from json_members(path)


def _are_lines(head: str) -> bool:
    """Return whether one of the first lines is a record with an id."""
    for line in head.split("\n")[:5]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "id" in value and not isinstance(value["id"], dict | list):
            return True
    return False
