"""Items of a study: questions as a participant sees them, without the right answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.errors import BrokenDataset
from deixis.prompts.answers import NOT_THERE
from deixis.prompts.question import Picture


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.prompts.question import ClickArea, Question


Kind: TypeAlias = Literal["practice", "attention", "main"]
KINDS: tuple[Kind, ...] = ("practice", "attention", "main")
SEVERAL, NONE = "several fit", "none fits"
LABELS = {SEVERAL: "Several fit", NONE: "None fits"}
FURTHER = (SEVERAL, NONE)  # answers that every item with choices has besides them
MAX_TYPED = 600  # letters of an answer that is typed


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to ask of participants.

    Attributes:
        id: a name that tells nothing about the answer.
        kind: practice, attention or main.
        condition: the name of the condition that the question is from.
        question: the id of the question among the prompts.
        ask: what is asked, in words.
        shown: pictures as `{"image": file, "title": …}`, other parts as `{"text": …}`.
        choices: the answers that can be chosen; none where an answer is typed.
        areas: the parts of pictures that stand for answers.
        demand: the answer that an attention item asks for; empty for others.
    """

    id: str
    kind: Kind
    condition: str
    question: str
    ask: str
    shown: tuple[Mapping[str, str], ...]
    choices: tuple[str, ...] = ()
    areas: tuple[ClickArea, ...] = ()
    demand: str = ""

    @property
    def is_typed(self) -> bool:
        """True if the answer is a text of one's own."""
        return not self.choices

    def accepts(self, answer: object) -> bool:
        """Return whether something can be an answer to this item."""
        if not isinstance(answer, str):
            return False
        if self.is_typed:
            return len(answer.strip()) > 0 and len(answer) <= MAX_TYPED
        return answer in self.choices or answer in FURTHER

    def for_client(self, *, right: str = "") -> dict[str, Any]:
        """Return the item as a page shows it: nothing in it depends on the right answer but the feedback of practice.

        Args:
            right: the answer that feedback names, for practice only.
        """
        found: dict[str, Any] = {
            "id": self.id,
            "ask": self.ask,
            "shown": [dict(part) for part in self.shown],
            "choices": list(self.choices),
            "areas": [[one.answer, one.picture, *(round(edge, 5) for edge in one.box)] for one in self.areas],
        }
        return found | ({"practice": True, "right": right} if self.kind == "practice" else {})

    def record(self) -> dict[str, Any]:
        """Return what the record of the study says of it."""
        return {"id": self.id, "kind": self.kind, "condition": self.condition, "question": self.question} | (
            {"demand": self.demand} if self.demand else {}
        )


@dataclass(frozen=True, slots=True)
class Pool:
    """Questions of one condition from which items are taken one after the other."""

    condition: str
    questions: Sequence[Question]
    taken: list[Question] = field(default_factory=list)

    def take(self) -> Question:
        """Return the next question, or raise `BrokenDataset` if there is none left."""
        if len(self.taken) == len(self.questions):
            raise BrokenDataset(
                f"{self.condition} has only {len(self.questions):,} different questions; ask for fewer items, or name "
                "more splits with --split"
            )
        self.taken.append(self.questions[len(self.taken)])
        return self.taken[-1]


def item_from(question: Question, *, id: str, kind: Kind, condition: str, demand: str = "") -> Item:  # noqa: A002
    """Return a question as an item.

    Args:
        question: what is asked; its last message ends with the text of the question.
        id: the name of the item.
        kind: practice, attention or main.
        condition: where it is from.
        demand: the answer that is asked for instead, which makes it an attention item.
    """
    *parts, ask = question.messages[-1].parts
    assert isinstance(ask, str)
    titles = {f"{part.title}:" for part in parts if isinstance(part, Picture)}
    shown = [
        {"image": f"{part.digest}.png", "title": part.title} if isinstance(part, Picture) else {"text": part}
        for part in parts
        if isinstance(part, Picture) or part not in titles
    ]
    choices = tuple(one for one in question.choices if one != NOT_THERE)
    choices = choices or tuple(dict.fromkeys(area.answer for area in question.areas))
    if demand:
        ask = f"This is a check that you read: please answer “{LABELS.get(demand, demand)}”."
    return Item(
        id=id,
        kind=kind,
        condition=condition,
        question=question.id,
        ask=ask,
        shown=tuple(shown),
        choices=choices,
        areas=question.areas if question.style == "image" else (),
        demand=demand,
    )
