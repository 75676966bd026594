"""Part `questions`: the ready-made questions, about pictures too, for the examples that have a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.prompts.tasks import draw_numbers
from deixis.worlds.tabletop._examples import numbers_with_target
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.questions import ObjectQuestions


if TYPE_CHECKING:
    from deixis.worlds.example import Example, Examples


class TableQuestions(ObjectQuestions):
    """Questions about tables, none of which asks for what is not there."""

    def draw_examples(self, examples: Examples, split: str, count: int, *, seed: int) -> list[Example]:
        """Return some examples of a split in which something is meant, chosen by the seed."""
        numbers = numbers_with_target(examples, split)
        return [examples[numbers[place]] for place in draw_numbers(len(numbers), count, seed=seed)]


QUESTIONS = TableQuestions(WORLD)
