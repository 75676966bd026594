"""A dataset of expressions about photographs in a line of figures: Table 2 of the Cops-Ref paper for any dataset."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.expression.parts import parts
from deixis.expression.steps import Is, Related
from deixis.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.scene.graph_table import GraphTable
    from deixis.tasks.localise import Example


__all__ = ["HEADS", "PUBLISHED", "Row", "describe_examples", "table_2"]

PUBLISHED: Mapping[str, Mapping[str, float | None]] = {  # Cops-Ref, Table 2; None where it gives no figure
    "refCOCO": {"categories": 80, "mean_length": 3.5, "candidates": 10.6, "same_category": 4.9},
    "refCOCOg": {"categories": 80, "mean_length": 8.5, "candidates": 8.2, "same_category": 2.6},
    "CLEVR-Ref+": {"categories": 3, "attributes": 12, "relations": 5, "mean_length": 22.4},
    "Cops-Ref": {
        "categories": 508,
        "attributes": 601,
        "relations": 299,
        "mean_length": 14.4,
        "candidates": 262.5,
        "same_category": 20.3,
    },
}
HEADS = {
    "categories": "categories",
    "attributes": "attributes",
    "relations": "relations",
    "mean_length": "mean length",
    "candidates": "candidates",
    "same_category": "of the same category",
}


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a dataset.

    Attributes:
        expressions, images, regions: how many, the images and regions of distractors included.
        categories: of targets and of everything else that is spoken of.
        attributes, relations: how many different ones are said.
        vocabulary: how many different words, capitals apart.
        mean_length: in words.
        candidates: objects to choose from when all images are shown, on average.
        same_category: those with the target's name, itself included, on average.
        mean_images: shown together, on average.
        forms: how many expressions of each form.
        lengths: how many expressions of so many words.
    """

    expressions: int
    images: int
    regions: int
    categories: int
    attributes: int
    relations: int
    vocabulary: int
    mean_length: float
    candidates: float
    same_category: float
    mean_images: float
    forms: Mapping[str, int]
    lengths: Mapping[int, int]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain values."""
        values = {key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(self).items()}
        return values | {"lengths": {str(words): count for words, count in self.lengths.items()}}


def describe_examples(examples: Iterable[Example], scenes: GraphTable) -> Row:
    """The figures of some examples.

    Candidates are counted in examples with distractor images if there are any, else in all: the paper shows them in
    validation and test only. What is said is read off the expressions; a dataset whose texts nobody has read tells no
    attributes or relations.
    """
    said = _Said()
    for example in examples:
        said.add(example, scenes)
    return said.row(scenes)


def table_2(rows: Mapping[str, Row]) -> list[tuple[str, ...]]:
    """The published rows and further ones, as text: name, categories, attributes, relations, length, candidates, …."""
    own = {name: {key: getattr(row, key) for key in HEADS} for name, row in rows.items()}
    return [
        (name, *(_shown(figures.get(key)) for key in HEADS)) for name, figures in [*PUBLISHED.items(), *own.items()]
    ]


class _Said:
    """Counts that grow with every example."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.relations: set[str] = set()
        self.words: set[str] = set()
        self.images: set[int] = set()
        self.forms: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.crowds: dict[bool, list[tuple[int, int, int]]] = {True: [], False: []}  # by whether there are distractors

    def add(self, example: Example, scenes: GraphTable) -> None:
        tokens = example.text.split()
        self.words.update(token.lower() for token in tokens)
        self.lengths[len(tokens)] += 1
        self.forms[example.form] += 1
        shown = example.scenes(scenes)
        self.images.update(shown)
        for part in parts(example.expression) if example.expression is not None else ():
            match part.step:
                case Is(attribute, value):
                    (self.names if attribute == NAME else self.attributes).add(value)
                case Related(relation, _):
                    self.relations.add(relation)
        if example.is_there:
            self._count(example, shown, scenes)

    def _count(self, example: Example, shown: list[int], scenes: GraphTable) -> None:
        start = scenes.scene_ptr
        held = scenes.objects_of(shown[0])
        ids = scenes.object_ids[held.start : held.stop]
        target = int(scenes.name[held.start + ids.index(example.object_id)]) if example.object_id in ids else -1
        if target >= 0:
            self.names.add(scenes.vocabulary.names[target])
        objects = np.concatenate([scenes.name[start[scene] : start[scene + 1]] for scene in shown])
        self.crowds[bool(example.distractors)].append((len(objects), int((objects == target).sum()), len(shown)))

    def row(self, scenes: GraphTable) -> Row:
        numbers = np.array(sorted(self.images), np.int64)
        crowds = np.array(self.crowds[True] or self.crowds[False] or [(0, 0, 0)], np.float64).mean(axis=0)
        count = sum(self.lengths.values())
        total = sum(words * times for words, times in self.lengths.items())
        return Row(
            expressions=count,
            images=len(numbers),
            regions=int((scenes.scene_ptr[numbers + 1] - scenes.scene_ptr[numbers]).sum()),
            categories=len(self.names),
            attributes=len(self.attributes),
            relations=len(self.relations),
            vocabulary=len(self.words),
            mean_length=total / count if count else 0.0,
            candidates=float(crowds[0]),
            same_category=float(crowds[1]),
            mean_images=float(crowds[2]),
            forms=dict(self.forms.most_common()),
            lengths=dict(sorted(self.lengths.items())),
        )


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
