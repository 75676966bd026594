"""Simulated participants with known error rates, to prove the way from the page to the analysis before anybody is paid.

They are no model of people, and their rows say so: their names begin with `simulated-` wherever a program names them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from deixis._study.items import FURTHER
from deixis._study.judging import as_given, judge_given
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis._study.items import Item
    from deixis.prompts.question import Gold


UNIT = 1 << 20


@dataclass(frozen=True, kw_only=True)
class SimulatedParticipant:
    """A participant who errs at known rates.

    Attributes:
        seed: of everything this one does.
        error: the share of wrong answers, by condition; `""` for the others.
        misreading: the misreading that every error follows where an item has an answer to which it leads.
        misses: whether attention items are missed.
        stops_after: the number of answers after which this one goes away; None for never.
        seconds: the time of an answer.
    """

    seed: int
    error: Mapping[str, float] = field(default_factory=dict)
    misreading: str = ""
    misses: bool = False
    stops_after: int | None = None
    seconds: float = 3.0

    def answer(self, item: Item, gold: Gold) -> str:
        """Return the answer to an item."""
        stream = Stream(derive(self.seed, item.id))
        if item.kind == "attention":
            others = [one for one in (*item.choices, *FURTHER) if one != item.demand]
            return stream.choice(others) if self.misses else item.demand
        rate = self.error.get(item.condition, self.error.get("", 0.0))
        if stream.below(UNIT) >= rate * UNIT:
            return as_given(gold.right)
        wrong = wrong_answers(item, gold)
        wanted = [one for one in wrong if self.misreading in one.misreadings]
        return stream.choice(wanted or wrong).answer

    def milliseconds(self, item: Item) -> int:
        """Return the time that an answer takes."""
        return round(1e3 * self.seconds) + Stream(derive(self.seed, "time", item.id)).below(500)


class WrongAnswer(NamedTuple):
    """An answer that is wrong, and the misreadings behind it."""

    answer: str
    misreadings: tuple[str, ...]


def wrong_answers(item: Item, gold: Gold) -> Sequence[WrongAnswer]:
    """Return the answers to an item that are wrong, those that several or none fit left out where there are others."""
    judged = [(one, judge_given(item, gold, one)) for one in (*item.choices, *FURTHER)]
    wrong = [WrongAnswer(one, found.misreadings) for one, found in judged if found.outcome != "right"]
    return [one for one in wrong if one.answer not in FURTHER] or wrong
