"""The messages of text and pictures for a model, and the right answer, kept apart, that judges its answer."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from deixis._deprecation import rename_field


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.judge.boxes import Box


__all__ = [
    "OUTCOMES",
    "ClickArea",
    "Gold",
    "GoldMessage",
    "Judgement",
    "Message",
    "Outcome",
    "Part",
    "Picture",
    "Question",
    "QuestionPool",
    "Speaker",
    "View",
]

Speaker: TypeAlias = Literal["system", "user", "assistant"]
Outcome: TypeAlias = Literal["right", "wrong", "unparsable", "unanswered"]
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "unparsable", "unanswered")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a message.

    Attributes:
        png: the file.
        title: what the text around it calls it.
    """

    png: bytes
    title: str

    @property
    def digest(self) -> str:
        """A name for exactly this picture."""
        return sha256(self.png).hexdigest()[:16]


Part: TypeAlias = str | Picture


class ClickArea(NamedTuple):
    """A part of a picture that stands for an answer, for people who click.

    Attributes:
        answer: the answer, as it would be written.
        picture: the number of the picture in its message, from 0.
        box: left, top, right and bottom edge, as shares of the width and height of the picture.
    """

    answer: str
    picture: int
    box: tuple[float, float, float, float]


class View(NamedTuple):
    """A scene as a picture without marks, and where its objects are seen.

    Attributes:
        png: the file.
        width: in pixels.
        height: in pixels.
        boxes: of every object, in pixels; None of one that is not seen.
    """

    png: bytes
    width: int
    height: int
    boxes: tuple[Box | None, ...]

    @classmethod
    def of(cls, png: bytes, boxes: Sequence[Box | None]) -> View:
        """Return the view of a PNG, whose head says how large it is."""
        return cls(png, int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"), tuple(boxes))


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: who speaks, and text and pictures in the order in which they are seen."""

    speaker: Speaker
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text alone, with the title of every picture in its place."""
        return "\n".join(part if isinstance(part, str) else f"[{part.title}]" for part in self.parts)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures alone."""
        return tuple(part for part in self.parts if isinstance(part, Picture))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One thing to ask.

    Attributes:
        id: a name of its own, the same whenever the same is asked in the same way.
        task: what kind of thing.
        answer: what is wanted for an answer.
        style: how the scene is shown.
        messages: the instructions, solved examples if there are any, and what is asked, last.
        choices: all possible answers, where they can be listed.
        areas: the parts of the last message's pictures that stand for answers; where several overlap, the smallest one
            that was hit counts.
    """

    id: str
    task: str
    answer: str
    style: str
    messages: tuple[Message, ...]
    choices: tuple[str, ...] = ()
    areas: tuple[ClickArea, ...] = ()

    @property
    def text(self) -> str:
        """The whole prompt as one text that ends where the answer begins, for models without turns."""
        said = [message.text for message in self.messages]
        return "\n\n".join(said) + "\n"

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All pictures, in order."""
        return tuple(picture for message in self.messages for picture in message.pictures)


@rename_field("missed", "misreadings", since="0.3.0", until="0.5.0")
class Judgement(NamedTuple):
    """The judgement on one answer.

    Attributes:
        outcome: an answer that cannot be understood is `unparsable`, never `wrong`.
        measures: by name; not a number where a measure is not defined for this answer.
        said: what was understood, in plain words.
        fault: why an answer could not be understood.
        misreadings: those that explain a wrong answer, each with an equal share; empty if none does.
    """

    outcome: Outcome
    measures: Mapping[str, float]
    said: str = ""
    fault: str = ""
    misreadings: tuple[str, ...] = ()


class Gold(Protocol):
    """A right answer, with all it takes to judge another one."""

    @property
    def right(self) -> str:
        """The answer that a model should give, as it should be written."""
        ...

    @property
    def groups(self) -> Mapping[str, str]:
        """Groups by which results are broken down, e.g. `split` and `pattern`."""
        ...

    @property
    def choices(self) -> tuple[str, ...]:
        """All possible answers, where they can be listed."""
        ...

    def judge(self, text: str | None) -> Judgement:
        """Judge the answer of a model, or None if it gave none."""
        ...

    def to_plain(self) -> dict[str, Any]:
        """Everything as plain values, for a line of JSON."""
        ...


class GoldMessage(NamedTuple):
    """A right answer with the message that asks for it, and the parts of its pictures that stand for answers."""

    message: Message
    gold: Gold
    areas: tuple[ClickArea, ...] = ()


class QuestionPool(NamedTuple):
    """Everything that questions are made of.

    Attributes:
        instructions: what a model is told first.
        shots: solved examples, of which as many go before each question as the recipe says.
        posed: what is asked.
        digest: of the data, so that everybody can tell whether theirs is the same.
    """

    instructions: Message
    shots: Sequence[GoldMessage]
    posed: Sequence[GoldMessage]
    digest: str
