"""The verdict on an answer of a participant, by the same gold as that of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis._study.items import NONE, SEVERAL
from deixis.prompts.answers import NOT_THERE
from deixis.prompts.question import Judgement


if TYPE_CHECKING:
    from deixis._study.items import Item
    from deixis.prompts.question import Gold


def as_given(right: str) -> str:
    """Return a right answer as a participant gives it: that nothing fits is a button of its own."""
    return NONE if right == NOT_THERE else right


def judge_given(item: Item, gold: Gold, answer: str | None) -> Judgement:
    """Return the judgement on the answer to an item, or on None for no answer.

    Answers that several things fit, or none, are wrong where one thing is meant; the misreading says so.
    """
    if item.is_typed or answer is None or answer not in (SEVERAL, NONE):
        return gold.judge(answer)
    if answer == NONE and NOT_THERE in gold.choices:
        return gold.judge(NOT_THERE)
    measures = dict.fromkeys(gold.judge(None).measures, 0.0)
    return Judgement("wrong", measures, said=answer, misreadings=(f"said {answer}",))


def meets_demand(item: Item, answer: str) -> bool:
    """Return whether the answer to an attention item is the one that it asks for."""
    return " ".join(answer.casefold().split()).strip(" .!") == item.demand.casefold()
