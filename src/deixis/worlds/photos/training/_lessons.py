"""Arrays of a dataset on a device, for training and for questions, and the lesson of one step.

A lesson is expressions with the regions of their images, and negatives beside them. All is drawn on the device, many at
a time, and follows from the state of its generator alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.seeds import derive, ranks
from deixis.worlds.photos._models.regions import Lesson, Words
from deixis.worlds.photos.data._arrays import TextSettings
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.training._mining import Truth
from deixis.worlds.photos.training._probes import Texts, apply_probe
from deixis.worlds.photos.training._scoring import Questions


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.learn._checkpoints import Bundle
    from deixis.worlds.photos._models.regions import RegionTable
    from deixis.worlds.photos.data._arrays import CopsRefArrays, ExpressionArrays
    from deixis.worlds.photos.data.store import CopsRef


@dataclass(frozen=True)
class Material:
    """Expressions on a device.

    Shapes:
        said: the expressions. target: int64 [expression], the regions that they are about, as rows of a table; -1 where
            there is none. image: int64 [expression].
        attributes: bool [expression, attribute], which of the most frequent words hold of the target.
        weights: float [attribute].
    """

    said: Words
    target: Tensor
    image: Tensor
    attributes: Tensor
    weights: Tensor

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: Tensor) -> Material:
        """Some of them: int64 [expression]."""
        return Material(self.said.take(rows), self.target[rows], self.image[rows], self.attributes[rows], self.weights)


class Lessons:
    """Lessons about some expressions.

    A negative region is, with the probability `same_category`, of the category of the target, where the image has
    another of it; otherwise of another category, where there is one; otherwise any region of an image that is learnt
    from. Negative expressions are drawn in the same way among those about other regions of the image.

    Args:
        table: the regions.
        material: the expressions to learn from, each about a region.
        same_category: see above.
    """

    def __init__(self, table: RegionTable, material: Material, *, same_category: float = 0.3) -> None:
        self.table, self.material, self.same_category = table, material, same_category
        self.category = table.category[material.target]
        images = len(table.first) - 1
        self.most_regions = int((table.first[1:] - table.first[:-1])[material.image].max())
        sizes = torch.bincount(material.image, minlength=images)
        self.by_image = material.image.argsort(stable=True)
        self.first_said = functional.pad(sizes.cumsum(0), (1, 0))
        self.most_said = int(sizes.max())

    def __call__(self, rows: Tensor, mined: dict[str, Tensor] | None = None) -> Lesson:
        """A lesson about some expressions.

        Args:
            rows: int64 [example].
            mined: by module, int64 [example], other expressions that are easily mistaken for these.
        """
        material = self.material
        target, image = material.target[rows], material.image[rows]
        regions, there = self._regions(image)
        attributes = material.attributes[rows].float()
        return Lesson(
            table=self.table,
            said=material.said.take(rows),
            target=target,
            rows=regions,
            there=there,
            place=target - self.table.first[image],
            other_said=material.said.take(self.other_expression(rows)),
            other_region=self.other_region(rows),
            attributes=attributes,
            has_attributes=attributes.any(1),
            weights=material.weights,
            mined=None
            if mined is None
            else {name: (material.said.take(some), material.target[some]) for name, some in mined.items()},
        )

    def other_region(self, rows: Tensor) -> Tensor:
        """For each expression a region that it is not about: int64 [example]."""
        target = self.material.target[rows]
        regions, there = self._regions(self.material.image[rows])
        is_other = there & (regions != target[:, None])
        is_same = self.table.category[regions] == self.table.category[target][:, None]
        found, place = self._choose(is_other, is_same)
        return torch.where(found, regions.gather(1, place)[:, 0], self._region_anywhere(len(rows)))

    def other_expression(self, rows: Tensor) -> Tensor:
        """For each expression one about something else: int64 [example]."""
        image, target = self.material.image[rows], self.material.target[rows]
        start, stop = self.first_said[image], self.first_said[image + 1]
        places = start[:, None] + torch.arange(self.most_said, device=rows.device)
        there = places < stop[:, None]
        said = self.by_image[torch.where(there, places, start[:, None])]
        is_other = there & (self.material.target[said] != target[:, None])
        is_same = self.category[said] == self.category[rows][:, None]
        found, place = self._choose(is_other, is_same)
        anywhere = torch.randint(len(self.material), (len(rows),), device=rows.device)
        return torch.where(found, said.gather(1, place)[:, 0], anywhere)

    def _choose(self, is_other: Tensor, is_same: Tensor) -> tuple[Tensor, Tensor]:
        """Choose at random; return whether there was a choice, bool [example], and the place, int64 [example, 1]."""
        alike, unlike = is_other & is_same, is_other & ~is_same
        wants_alike = torch.rand(len(is_other), device=is_other.device) < self.same_category
        from_alike = wants_alike & alike.any(1)
        among = torch.where(from_alike[:, None], alike, unlike)
        noise = torch.rand(among.shape, device=among.device).masked_fill(~among, -1.0)
        return among.any(1), noise.argmax(1, keepdim=True)

    def _region_anywhere(self, count: int) -> Tensor:
        """Any regions of images that are learnt from: int64 [count]."""
        device = self.table.device
        image = self.material.image[torch.randint(len(self.material), (count,), device=device)]
        start, stop = self.table.first[image], self.table.first[image + 1]
        return start + (torch.rand(count, device=device, dtype=torch.float64) * (stop - start)).long()

    def _regions(self, image: Tensor) -> tuple[Tensor, Tensor]:
        """All regions of images, as `RegionTable.of_images` gives them, but always as many: nobody has to wait."""
        start, stop = self.table.first[image], self.table.first[image + 1]
        rows = start[:, None] + torch.arange(self.most_regions, device=start.device)
        there = rows < stop[:, None]
        return torch.where(there, rows, start[:, None]), there


def wanted_of(bundle: Bundle) -> TextSettings:
    """The words and the attribute words of a model, so that other texts are read as it learnt to."""
    labels = bundle.data.get("labels")
    if not isinstance(labels, list) or not all(isinstance(word, str) for word in labels):
        raise BrokenCheckpoint("the checkpoint does not say which attribute words its model learnt; train it again")
    if bundle.data.get("reads") == "programs":
        return TextSettings(labels=tuple(labels))
    return TextSettings(vocabulary=bundle.vocabulary, labels=tuple(labels))


def texts_of(expressions: ExpressionArrays, probe: str, *, seed: int) -> Texts:
    """Return the text of every expression as a probe leaves it, unchanged for `none`."""
    said = Texts(expressions.words, expressions.count)
    name = "" if probe == "none" else probe
    return apply_probe(said, expressions.roles, expressions.id, name, seed=derive(seed, "probe") >> 1)


def to_learn(dataset: CopsRef, arrays: CopsRefArrays, split: str, *, share: float = 1.0) -> np.ndarray:
    """Return the rows of a split with a target, int64 [row], or raise `RecipeError` if there are too few.

    Of these only the rows about a share of the images, always the same ones; a smaller share is a part of a larger one.
    """
    rows = arrays.expressions.rows(split)
    rows = rows[arrays.expressions.target[rows] >= 0]
    if share < 1:
        image = arrays.expressions.image[rows]
        images = np.unique(image)
        order = images[np.argsort(ranks(0, images, 1)[:, 0], kind="stable")]
        rows = rows[np.isin(image, order[: round(share * len(images))])]
    if len(rows) < 2:
        raise RecipeError(
            f"{dataset.path.name} has {len(rows)} expressions to learn from in {split}; make a larger one"
        )
    return rows


def some_of(rows: np.ndarray, count: int, *, seed: int) -> np.ndarray:
    """Draw some rows, in their order, always the same ones for a seed."""
    chosen = np.argsort(ranks(seed, rows, 1)[:, 0], kind="stable")[:count]
    return rows[np.sort(chosen)]


def truth_of(dataset: CopsRef, arrays: CopsRefArrays, split: str, rows: np.ndarray) -> Truth:
    """Return which expressions of a split are true of the targets of others, for `rows` as `to_learn` gives them."""
    known = {example.id: example.expression for example in dataset.examples(split)}
    expressions = arrays.expressions
    image = expressions.image[rows].astype(np.int64)
    thing = expressions.target[rows] - arrays.regions.first[image]
    return Truth([known[number] for number in expressions.id[rows].tolist()], dataset.scenes, image, thing)


def material_of(arrays: CopsRefArrays, said: Texts, rows: np.ndarray, device: torch.device) -> Material:
    """Expressions to learn from.

    Args:
        arrays: of the dataset.
        said: the words of all expressions, as a model hears them.
        rows: int64 [row], which are learnt from.
        device: where they are to be.
    """
    expressions = arrays.expressions
    return Material(
        _words(said, rows, device),
        _on(device, expressions.target[rows], np.int64),
        _on(device, expressions.image[rows], np.int64),
        _on(device, expressions.labels[rows], np.bool_),
        _on(device, arrays.weights, np.float32),
    )


def questions_of(expressions: ExpressionArrays, said: Texts, rows: np.ndarray, device: torch.device) -> Questions:
    """Return expressions to answer with the images of every setting.

    The arguments are those of `material_of`.
    """
    images, owner, place = _images(expressions, rows)
    shown = np.zeros((len(rows), len(SETTINGS), images.shape[1]), np.bool_)
    numbers = np.full(len(expressions), -1, np.int64)
    numbers[rows] = np.arange(len(rows))
    least = int(expressions.shown["Full"].image.max(initial=0)) + 1
    keys = owner * least + images[owner, place]
    order = np.argsort(keys)
    for number, setting in enumerate(SETTINGS):
        some = expressions.shown[setting]
        whose = numbers[np.repeat(np.arange(len(expressions)), np.diff(some.first))]
        mine = whose >= 0
        found = order[np.searchsorted(keys, whose[mine] * least + some.image[mine], sorter=order)]
        shown[owner[found], number, place[found]] = True
    return Questions(
        _words(said, rows, device),
        _on(device, expressions.target[rows], np.int64),
        _on(device, images, np.int64),
        _on(device, shown, np.bool_),
    )


def _images(expressions: ExpressionArrays, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The images in Full, int64 [question, image] with -1 after the last; and of each its question and its place."""
    first, image = expressions.shown["Full"]
    counts = first[rows + 1] - first[rows]
    owner = np.repeat(np.arange(len(rows)), counts)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    images = np.full((len(rows), int(counts.max(initial=1))), -1, np.int64)
    images[owner, place] = image[first[rows][owner] + place]
    return images, owner, place


def _words(said: Texts, rows: np.ndarray, device: torch.device) -> Words:
    return Words(_on(device, said.words[rows], np.int64), _on(device, said.count[rows], np.int64))


def _on(device: torch.device, array: np.ndarray, kind: type) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, kind)).to(device)
