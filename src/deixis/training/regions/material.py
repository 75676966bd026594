"""Arrays of a dataset on a device: what is learnt from, and what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.datasets.copsref.arrays import Wanted
from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.models.grounding.regions import Words
from deixis.seeds import derive
from deixis.tasks.localise import SETTINGS
from deixis.training.regions.chance import ranks
from deixis.training.regions.lessons import Material
from deixis.training.regions.mining import Truth
from deixis.training.regions.probes import Said, probed
from deixis.training.regions.scoring import Questions


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.datasets.copsref.arrays import CopsRefArrays, ExpressionArrays
    from deixis.datasets.copsref.store import CopsRef
    from deixis.training.rooms.bundles import Bundle


__all__ = ["heard", "material_of", "questions_of", "some_of", "to_learn", "truth_of", "wanted_of"]


def wanted_of(bundle: Bundle) -> Wanted:
    """The words and the attribute words of a model, so that other texts are read as it learnt to."""
    labels = bundle.data.get("labels")
    if not isinstance(labels, list) or not all(isinstance(word, str) for word in labels):
        raise BrokenCheckpoint("the checkpoint does not say which attribute words its model learnt; train it again")
    if bundle.data.get("reads") == "programs":
        return Wanted(labels=tuple(labels))
    return Wanted(vocabulary=bundle.vocabulary, labels=tuple(labels))


def heard(expressions: ExpressionArrays, probe: str, *, seed: int) -> Said:
    """What a model hears of every expression, through a probe; `none` changes nothing."""
    said = Said(expressions.words, expressions.count)
    name = "" if probe == "none" else probe
    return probed(said, expressions.roles, expressions.id, name, seed=derive(seed, "probe") >> 1)


def to_learn(dataset: CopsRef, arrays: CopsRefArrays, split: str) -> np.ndarray:
    """The rows of a split that are about something: int64 [row]; `RecipeError` where there are too few."""
    rows = arrays.expressions.rows(split)
    rows = rows[arrays.expressions.target[rows] >= 0]
    if len(rows) < 2:
        raise RecipeError(
            f"{dataset.path.name} has {len(rows)} expressions to learn from in {split}; make a larger one"
        )
    return rows


def some_of(rows: np.ndarray, count: int, *, seed: int) -> np.ndarray:
    """So many of some rows, in their order; always the same ones for a seed."""
    chosen = np.argsort(ranks(seed, rows, 1)[:, 0], kind="stable")[:count]
    return rows[np.sort(chosen)]


def truth_of(dataset: CopsRef, arrays: CopsRefArrays, split: str, rows: np.ndarray) -> Truth:
    """Which expressions of a split are true of the targets of which others; `rows` as `to_learn` gives them."""
    known = {example.id: example.expression for example in dataset.examples(split)}
    expressions = arrays.expressions
    image = expressions.image[rows].astype(np.int64)
    thing = expressions.target[rows] - arrays.regions.first[image]
    return Truth([known[number] for number in expressions.id[rows].tolist()], dataset.scenes, image, thing)


def material_of(arrays: CopsRefArrays, said: Said, rows: np.ndarray, device: torch.device) -> Material:
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


def questions_of(expressions: ExpressionArrays, said: Said, rows: np.ndarray, device: torch.device) -> Questions:
    """Expressions that are asked, with the images shown in every setting; the arguments are those of `material_of`."""
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


def _words(said: Said, rows: np.ndarray, device: torch.device) -> Words:
    return Words(_on(device, said.words[rows], np.int64), _on(device, said.count[rows], np.int64))


def _on(device: torch.device, array: np.ndarray, kind: type) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, kind)).to(device)
