"""Part `questions`: solids with numbers, as lists or in pictures, of which one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.prompts.tasks import draw_numbers
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.questions import ObjectQuestions


if TYPE_CHECKING:
    from deixis.worlds.tabletop._examples import TableDataset, TableExample


class TableQuestions(ObjectQuestions):
    """Questions about expressions that fit a solid."""

    def draw_examples(  # type: ignore[override]
        self, examples: TableDataset, split: str, count: int, *, seed: int
    ) -> list[TableExample]:
        """Return some examples of a split in which a solid is meant, chosen by the seed."""
        numbers = examples.numbers_with_target(split)
        return [examples[numbers[place]] for place in draw_numbers(len(numbers), count, seed=seed)]


QUESTIONS = TableQuestions(WORLD)
