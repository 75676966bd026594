"""Figures of a dataset of expressions about photographs: Table 2 of the Cops-Ref paper for any dataset."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.expression.parts import parts
from deixis.expression.steps import Is, Related
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.worlds.photos.localise import Example, Setting
    from deixis.worlds.photos.scene.graph_table import GraphTable


PUBLISHED: Mapping[str, Mapping[str, float | None]] = {  # Cops-Ref, Table 2; None where it gives no figure
    "refCOCO": {"categories": 80, "mean_length": 3.5, "candidates": 10.6, "same_category": 4.9},
    "refCOCOg": {"categories": 80, "mean_length": 8.5, "candidates": 8.2, "same_category": 2.6},
    "CLEVR-Ref+": {"categories": 3, "attributes": 12, "relations": 5, "mean_length": 22.4},
    "Cops-Ref": {
        "expressions": 148_712,  # this and the next three from section 3.4
        "images": 75_299,
        "regions": 1_307_885,
        "vocabulary": 1_596,
        "categories": 508,
        "attributes": 601,
        "relations": 299,
        "mean_length": 14.4,
        "candidates": 262.5,
        "same_category": 20.3,
    },
}
CHANCE: Mapping[Setting, float] = {  # Cops-Ref, Table 3: the share that a guess gets right
    "Full": 0.004,
    "DiffCat": 0.017,
    "Cat": 0.018,
    "Cat&attr": 0.019,
    "Cat&cat": 0.017,
    "WithoutDist": 0.066,
}
HEADS = {
    "categories": "categories",
    "attributes": "attributes",
    "relations": "relations",
    "mean_length": "mean length",
    "candidates": "candidates",
    "same_category": "of the same category",
}
MEASURES = {
    "expressions": "expressions",
    "images": "images",
    "regions": "regions",
    "vocabulary": "different words",
} | HEADS


class Crowd(NamedTuple):
    """Mean number of images and objects that an example is shown with in a setting.

    Attributes:
        images: that are shown.
        candidates: objects to choose from.
        same_category: those with the target's name, itself included.
        chance: that a guess is right, the mean of one over the number of candidates.
    """

    images: float
    candidates: float
    same_category: float
    chance: float


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a dataset.

    Attributes:
        expressions, images, regions: how many, the images and regions of distractors included. Expressions that fit
            nothing are counted in `changes` alone.
        categories: of targets and of everything else that is spoken of.
        attributes, relations: how many different ones are said.
        vocabulary: how many different words, capitals apart.
        mean_length: in words.
        candidates: objects to choose from when all images are shown, on average.
        same_category: those with the target's name, itself included, on average.
        mean_images: shown together, on average.
        forms: how many expressions of each form.
        lengths: how many expressions of so many words.
        splits: how many expressions of each split.
        changes: of the expressions that fit nothing, how many by each kind of change.
        settings: what there is to choose from in each setting; only the last where there are no distractor images.
        said: how often each of the `names`, `attributes` and `relations` is said, the most frequent first; where
            nobody has read a text, the name of its target.
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
    splits: Mapping[str, int]
    changes: Mapping[str, int]
    settings: Mapping[Setting, Crowd]
    said: Mapping[str, Mapping[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        values = {key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(self).items()}
        settings = {
            name: {key: round(value, 6) for key, value in crowd._asdict().items()}
            for name, crowd in self.settings.items()
        }
        return values | {"lengths": {str(words): count for words, count in self.lengths.items()}, "settings": settings}


def describe_examples(examples: Iterable[Example], scenes: GraphTable) -> Row:
    """Compute the figures of some examples.

    Candidates are counted in examples with distractor images if there are any, else in all: the paper shows them in
    validation and test only. What is said is read off the expressions; a dataset whose texts nobody has read tells no
    attributes or relations.
    """
    said = _Counts()
    for example in examples:
        said.add(example, scenes)
    return said.row(scenes)


def table_2(rows: Mapping[str, Row]) -> list[tuple[str, ...]]:
    """Return the published rows and further ones as text: name, categories, attributes, relations, length, …."""
    own = {name: {key: getattr(row, key) for key in HEADS} for name, row in rows.items()}
    return [
        (name, *(_format(figures.get(key)) for key in HEADS)) for name, figures in [*PUBLISHED.items(), *own.items()]
    ]


class _Counts:
    """Counts that grow with every example."""

    def __init__(self) -> None:
        self.categories: set[str] = set()
        self.said: dict[str, Counter[str]] = {"names": Counter(), "attributes": Counter(), "relations": Counter()}
        self.words: set[str] = set()
        self.images: set[int] = set()
        self.forms: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.splits: Counter[str] = Counter()
        self.changes: Counter[str] = Counter()
        self.crowds = {True: _Sum(), False: _Sum()}  # by whether there are distractors

    def add(self, example: Example, scenes: GraphTable) -> None:
        if not example.is_there:  # the paper has none, so that its table counts none
            self.changes[example.change or "unknown"] += 1
            return
        tokens = example.text.split()
        self.words.update(token.lower() for token in tokens)
        self.lengths[len(tokens)] += 1
        self.forms[example.form] += 1
        self.splits[example.split] += 1
        shown = dict(zip(example.images(), example.scenes(scenes), strict=True))
        self.images.update(shown.values())
        for part in parts(example.expression) if example.expression is not None else ():
            match part.step:
                case Is(attribute, value):
                    self.said["names" if attribute == NAME else "attributes"][value] += 1
                case Related(relation, _):
                    self.said["relations"][relation] += 1
        self._count(example, shown, scenes)

    def _count(self, example: Example, shown: Mapping[str, int], scenes: GraphTable) -> None:
        held = scenes.objects_of(shown[example.image_id])
        ids = scenes.object_ids[held.start : held.stop]
        target = int(scenes.name[held.start + ids.index(example.object_id)]) if example.object_id in ids else -1
        if target >= 0:
            name = scenes.vocabulary.names[target]
            self.categories.add(name)
            self.said["names"][name] += example.expression is None
        start = scenes.scene_ptr
        names = {image: scenes.name[start[scene] : start[scene + 1]] for image, scene in shown.items()}
        sizes = {image: (len(some), int((some == target).sum())) for image, some in names.items()}
        crowds = []
        for setting in SETTINGS:
            images = example.images(setting)
            candidates, same = (sum(counts) for counts in zip(*map(sizes.__getitem__, images), strict=True))
            crowds.append(Crowd(len(images), candidates, same, 1 / candidates if candidates else 0.0))
        self.crowds[bool(example.distractors)].add(crowds)

    def row(self, scenes: GraphTable) -> Row:
        numbers = np.array(sorted(self.images), np.int64)
        settings = self._settings()
        most = next(iter(settings.values()), Crowd(0.0, 0.0, 0.0, 0.0))
        count = sum(self.lengths.values())
        total = sum(words * times for words, times in self.lengths.items())
        return Row(
            expressions=count,
            images=len(numbers),
            regions=int((scenes.scene_ptr[numbers + 1] - scenes.scene_ptr[numbers]).sum()),
            categories=len(self.categories | self.said["names"].keys()),
            attributes=len(self.said["attributes"]),
            relations=len(self.said["relations"]),
            vocabulary=len(self.words),
            mean_length=total / count if count else 0.0,
            candidates=most.candidates,
            same_category=most.same_category,
            mean_images=most.images,
            forms=dict(self.forms.most_common()),
            lengths=dict(sorted(self.lengths.items())),
            splits=dict(self.splits),
            changes=dict(self.changes.most_common()),
            settings=settings,
            said={what: _by_frequency(counts) for what, counts in self.said.items()},
        )

    def _settings(self) -> dict[Setting, Crowd]:
        if self.crowds[True].count:
            return dict(zip(SETTINGS, self.crowds[True].means(), strict=True))
        return {SETTINGS[-1]: self.crowds[False].means()[-1]} if self.crowds[False].count else {}


class _Sum:
    """The sum of what examples are shown with, for each setting."""

    def __init__(self) -> None:
        self.count = 0
        self.total = np.zeros((len(SETTINGS), len(Crowd._fields)))

    def add(self, crowds: list[Crowd]) -> None:
        self.count += 1
        self.total += crowds

    def means(self) -> list[Crowd]:
        return [Crowd(*row) for row in (self.total / self.count).tolist()]


def _by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the most frequent first, in the order of the alphabet where they are equally frequent."""
    return dict(
        sorted(((word, count) for word, count in counts.items() if count), key=lambda item: (-item[1], item[0]))
    )


def _format(value: float | None) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
