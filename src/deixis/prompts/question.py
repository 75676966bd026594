"""What is put to a model: messages of text and pictures, and what may be answered. Right answers are kept elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias


__all__ = ["ANSWERS", "STYLES", "Answer", "Message", "Part", "Picture", "Question", "Speaker", "Style", "Task"]

Task: TypeAlias = Literal["navigate", "refer", "localise"]
Answer: TypeAlias = Literal["actions", "target", "choose", "caption", "region"]
Style: TypeAlias = Literal["text", "board", "image"]
Speaker: TypeAlias = Literal["system", "user", "assistant"]
ANSWERS: dict[Task, tuple[Answer, ...]] = {  # what can be asked for, what is asked by default first
    "navigate": ("actions", "target"),
    "refer": ("choose", "caption"),
    "localise": ("region",),
}
STYLES: dict[Task, tuple[Style, ...]] = {
    "navigate": ("text", "board", "image"),
    "refer": ("text", "image"),
    "localise": ("text", "image"),
}


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
    """

    id: str
    task: Task
    answer: Answer
    style: Style
    messages: tuple[Message, ...]
    choices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole prompt as one text, for models that know no turns; it ends where the answer begins."""
        said = [message.text for message in self.messages]
        return "\n\n".join(said) + "\n"

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All pictures, in order."""
        return tuple(picture for message in self.messages for picture in message.pictures)
