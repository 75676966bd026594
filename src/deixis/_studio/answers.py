"""Answers of a person, asked one by one, judged like those of a model, and kept as predictions.

A *game* is a task on a sample of a dataset, which the pages of its world make. A *sitting* is one person playing one
game. Sittings live in memory, a few hundred of them, and are known by the id in their address. Where the studio was
given a folder for answers, each sitting has its own folder in it, written anew after every answer; nothing is ever
written elsewhere.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from zipfile import ZIP_DEFLATED, ZipFile

from deixis._studio.library import SITTING
from deixis._version import __version__
from deixis.errors import RecipeError, SchemaError, UnknownName
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis._studio.library import Entry
    from deixis.judge.uncertainty import Estimate


MOST_QUESTIONS = 200
MOST_SITTINGS = 256
LONGEST_NAME = 40


class AnswerVerdict(NamedTuple):
    """The judgement on one answer, for the person who gave it.

    Attributes:
        is_right: whether it counts as right.
        headline: what came of it, in a few words.
        why: the reasons, a sentence each.
    """

    is_right: bool
    headline: str
    why: tuple[str, ...] = ()


class Measure(NamedTuple):
    """One line of a score.

    Attributes:
        name: of the metric.
        meaning: what it says.
        estimate: its mean with the interval.
        is_share: whether it lies between 0 and 1.
        chance: what guessing would give; None where that is not known.
    """

    name: str
    meaning: str
    estimate: Estimate
    is_share: bool = True
    chance: float | None = None


class Game(Protocol):
    """A task on a sample of a dataset, with one text as the answer to a question."""

    @property
    def choices(self) -> dict[str, str]:
        """The choices besides dataset, split and number, to play like this again."""
        return {}

    def step(self, form: Mapping[str, str]) -> dict[str, str] | None:
        """Return the form after a button that answers nothing yet, or None if there is no such button."""
        del form
        return None

    @property
    def template(self) -> str:
        """The template that shows a question, and what came of it."""

    def __len__(self) -> int: ...

    def text(self, place: int) -> str:
        """Return the text of a question."""

    def address(self, place: int) -> str:
        """The page of the example."""

    def read(self, place: int, form: Mapping[str, str]) -> str:
        """Return the answer in a form, or raise `SchemaError` if it is none."""

    def show_question(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """Return the values with which the template asks a question."""

    def show_verdict(self, place: int, said: str) -> dict[str, Any]:
        """Return the values with which the template shows the verdict on an answer."""

    def judge(self, place: int, said: str) -> AnswerVerdict:
        """Judge an answer, with the reason if it is wrong."""

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """The score of the answers so far, by the metrics of models."""

    def misreadings(self, said: Sequence[str]) -> dict[str, float]:
        """Return the misreadings behind wrong answers, with their shares."""

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Write the answers as predictions, and return the commands that judge them, with `FOLDER` and `DATA`."""


class Reply(NamedTuple):
    """The answer to one question, and the time it took."""

    said: str
    judged: AnswerVerdict
    seconds: float


@dataclass
class Sitting:
    """One person playing one game.

    Attributes:
        id: its name in addresses.
        entry: the dataset.
        task: what is to be done, in a word.
        split: which part of the dataset.
        seed: of the sample.
        player: the person's name.
        game: the questions.
        answers: the folder for the answers of all sittings; None for memory alone.
        folder: the one for these answers, from the first of them on.
    """

    id: str
    entry: Entry
    task: str
    split: str
    seed: int
    player: str
    game: Game
    answers: Path | None = None
    folder: Path | None = None
    replies: list[Reply] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    _asked_at: float | None = None
    _lock: RLock = field(default_factory=RLock)

    @property
    def is_over(self) -> bool:
        """True if everything is answered."""
        return len(self.replies) == len(self.game)

    @property
    def said(self) -> list[str]:
        """The answers so far."""
        return [reply.said for reply in self.replies]

    @property
    def right(self) -> int:
        """Number of right answers."""
        return sum(reply.judged.is_right for reply in self.replies)

    @property
    def seconds(self) -> float:
        """The median time that an answer took."""
        return median(reply.seconds for reply in self.replies) if self.replies else 0.0

    def ask(self) -> int:
        """Return the number of the next question, and start the clock when it is asked first."""
        with self._lock:
            if self.is_over:
                raise UnknownName("all questions of this sitting are answered")
            if self._asked_at is None:
                self._asked_at = monotonic()
            return len(self.replies)

    def answer(self, place: int, form: Mapping[str, str]) -> Reply:
        """Take an answer, unless the question was answered before."""
        with self._lock:
            if 0 <= place < len(self.replies):
                return self.replies[place]
            if place != len(self.replies) or self.is_over:
                raise SchemaError(f"question {place + 1} is not being asked")
            said = self.game.read(place, form)
            seconds = monotonic() - self._asked_at if self._asked_at is not None else 0.0
            reply = Reply(said, self.game.judge(place, said), round(seconds, 1))
            self.replies.append(reply)
            self._asked_at = None
            if self.answers is not None:
                if self.folder is None:
                    self.folder = _own_folder(self.answers, f"{self.entry.slug}-{self.task}-{file_name(self.player)}")
                self._write(self.folder)
            return reply

    def reply(self, place: int) -> Reply:
        """Return the answer to a question, or raise `UnknownName` if it is still open."""
        if not 0 <= place < len(self.replies):
            raise UnknownName(f"question {place + 1} has no answer yet")
        return self.replies[place]

    def write_archive(self, path: Path) -> None:
        """Write all files that belong to the answers into one archive."""
        with self._lock, TemporaryDirectory() as aside, ZipFile(path, "w", ZIP_DEFLATED) as archive:
            self._write(Path(aside))
            for file in sorted(Path(aside).rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(aside).as_posix())

    def facts(self) -> dict[str, Any]:
        """Return the facts about the person, the dataset and the task of these answers."""
        return {
            "model": f"person: {self.player}",
            "data_name": self.entry.title,
            "task": self.task,
            "split": self.split,
            "seed": self.seed,
            "selection": f"a random sample of {len(self.game)}",
        }

    def _write(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            facts = self.facts()
            self.commands = self.game.write(folder, self.said, facts, is_over=self.is_over)
            rows = [
                {"question": place, "text": self.game.text(place), "said": reply.said, "seconds": reply.seconds}
                | {"right": reply.judged.is_right}
                for place, reply in enumerate(self.replies)
            ]
            write_json(folder / SITTING, {"deixis": __version__, **facts, "answers": rows})
        except OSError as error:
            raise RecipeError(f"the answers cannot be written: {error.strerror or error}") from error


class Sittings:
    """All sittings of a running studio.

    If there are too many, the one that was left alone longest is forgotten.
    """

    def __init__(self, most: int = MOST_SITTINGS) -> None:
        self._most = most
        self._all: OrderedDict[str, Sitting] = OrderedDict()
        self._count = 0
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._all)

    def start(
        self, game: Game, *, entry: Entry, task: str, split: str, seed: int, player: str, answers: Path | None
    ) -> Sitting:
        """Start a sitting.

        With a folder for answers, it gets one of its own in it at the first answer.
        """
        name = " ".join(player.split())[:LONGEST_NAME] or "anonymous"
        with self._lock:
            self._count += 1
            key = f"{derive(seed, entry.slug, task, split, name, self._count):016x}"[:12]
            sitting = Sitting(key, entry, task, split, seed, name, game, answers)
            self._all[key] = sitting
            while len(self._all) > self._most:
                self._all.popitem(last=False)
            return sitting

    def find(self, key: str) -> Sitting:
        """Return the sitting of an id, or raise `UnknownName` if it was forgotten or never existed."""
        with self._lock:
            if key not in self._all:
                raise UnknownName("this sitting is not known here: the studio was started anew since, or it is too old")
            self._all.move_to_end(key)
            return self._all[key]


def draw_numbers(sizes: Sequence[int], count: int, *, seed: int) -> list[tuple[int, int]]:
    """Draw different places: the number of a stretch, and a place in it.

    Fewer if there are not enough.

    Raises:
        SchemaError: when there is nothing to choose from.
    """
    total = sum(sizes)
    if not total:
        raise SchemaError("there are no examples to choose from")
    stream = Stream(derive(seed, "play"))
    chosen: dict[int, None] = {}
    if total <= 2 * count:
        chosen = dict.fromkeys(stream.permutation(range(total))[:count])
    while len(chosen) < min(count, total):
        chosen[stream.below(total)] = None
    return [_within(sizes, number) for number in chosen]


def file_name(text: str) -> str:
    """A text as part of a file's name: small letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_NAME] or "x"


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON file."""
    path.write_text(json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _own_folder(answers: Path, name: str) -> Path:
    """A new folder inside the one for answers, and nowhere else, whatever links there are."""
    try:
        answers.mkdir(parents=True, exist_ok=True)
        root = answers.resolve()
        for folder in _numbered_folders(root, name):
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            if folder.resolve().parent != root:
                shutil.rmtree(folder)
                break
            return folder
    except OSError as error:
        raise RecipeError(f"answers cannot be kept in {answers}: {error.strerror or error}") from error
    raise RecipeError(f"answers cannot be kept in {answers}")


def _numbered_folders(root: Path, name: str) -> Iterator[Path]:
    for number in range(1, 100_000):
        yield root / f"{name}-{number:03}"


def _within(sizes: Sequence[int], number: int) -> tuple[int, int]:
    for stretch, size in enumerate(sizes):
        if number < size:
            return stretch, number
        number -= size
    raise AssertionError("the number is below the total")
