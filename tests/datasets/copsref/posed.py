"""A small dataset of expressions about a crowded corpus, with distractors and with expressions that fit nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._negatives import Negation
from deixis.worlds.photos.localise import Example
from deixis.worlds.photos.making.assemble import negatives_of, with_distractors
from tests.worlds.graphs.said import crowded_table, some_said


if TYPE_CHECKING:
    from deixis.worlds.photos.scene.graph_table import GraphTable


class Posed(NamedTuple):
    """Examples, and the scenes of their images."""

    examples: tuple[Example, ...]
    scenes: GraphTable

    @property
    def there(self) -> list[Example]:
        """Those that fit something."""
        return [example for example in self.examples if example.is_there]


@lru_cache(maxsize=1)
def posed() -> Posed:
    table = crowded_table()
    index = GraphIndex.of(table)
    said = some_said(table, 80, seed=4)
    made = [
        Example(
            id=100 + number,
            text=f"the one of number {number} " + "word " * (number % 25),
            expression=one.expression,
            form="chain" if number % 3 else "order",
            forms=("chain",),
            image_id=table.image_ids[one.scene],
            object_id=table.scene(one.scene).object_ids[one.target],
            split="val" if number % 4 == 0 else "test",
        )
        for number, one in enumerate(said)
    ]
    examples = with_distractors(made, table, index, seed=1).examples
    absent = negatives_of(examples, table, index, Negation(most=4), say=str, seed=1)
    return Posed((*examples, *absent), table)
