"""Questions about listed objects for files of others: those that have a text, and objects of which one is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import BrokenDataset
from deixis.readers._draws import draw_different, splits_to_ask
from deixis.worlds.example import context_of
from deixis.worlds.toolkit.questions import ObjectQuestions


if TYPE_CHECKING:
    from deixis.readers._world import ReaderWorld
    from deixis.worlds.example import Example
    from deixis.worlds.world import Examples


def ready_part(world: ReaderWorld) -> ReadObjectQuestions:
    """The part `questions` of a reader whose examples ask for an object."""
    return ReadObjectQuestions(world)


class ReadObjectQuestions(ObjectQuestions):
    """Part `questions` for files of others in which an object is meant."""

    def splits_to_ask(self, examples: Examples) -> tuple[str, ...]:
        """Return those that read files are asked about."""
        return splits_to_ask(examples)

    def draw_examples(self, examples: Examples, split: str, count: int, *, seed: int) -> list[Example]:
        """Return some different examples of a split that can be asked about, chosen by the seed."""
        wanted = frozenset(examples.numbers(split))
        numbers = [number for number, one in enumerate(examples) if number in wanted and _can_be_asked(one)]
        if not numbers:
            raise BrokenDataset(f"{examples.path.name} has no example with a text and objects of which one is meant")
        return list(draw_different(examples, numbers, count, seed=seed))


def _can_be_asked(example: Example) -> bool:
    return bool(example.text.strip()) and context_of(example) is not None
