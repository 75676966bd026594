"""Answers of a model to a dataset, in all six settings, and whether it knows when something is not there.

In the task as published something is always there, so a model answers with the region that fits best. Asked for what is
not there, it says so when even that fits too badly. How badly is too badly is chosen on val, for every setting, so that
the mean of the shares of right decisions, on what is there and on what is not, is largest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from deixis.data._pieces import digest_of, pack_arrays, unpack_arrays
from deixis.data.store import replacing_file
from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn.devices import find_device, name_of
from deixis.learn.run import silent
from deixis.worlds.photos.localise import SETTINGS, Answer
from deixis.worlds.photos.training._bundles import EYES, read_grounding
from deixis.worlds.photos.training._lessons import questions_of
from deixis.worlds.photos.training._prepare import Surroundings, prepare
from deixis.worlds.photos.training._scoring import Choices, answer, retrieve
from deixis.worlds.photos.training.settings import grounding_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from torch import nn

    from deixis.data._pieces import KeptPieces
    from deixis.learn.run import Progress
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._prepare import Preparation
    from deixis.worlds.photos.training.settings import Grounding


DEV, TEST = "val", "test"


class GroundingAnswers(NamedTuple):
    """The answers of a model.

    Shapes:
        id: int64 [question]. image, thing: int64 [question, setting], the numbers of the image and of the object in it.
        fit: float64 [question, setting]. is_there: bool [question], whether the expression fits anything.
        threshold: float64 [setting], below which a model says that something is not there; none says so at -inf.
    """

    id: np.ndarray
    image: np.ndarray
    thing: np.ndarray
    fit: np.ndarray
    is_there: np.ndarray
    threshold: np.ndarray


@dataclass(frozen=True, slots=True)
class Absence:
    """Accuracy in telling what is there from what is not, in one setting.

    Attributes:
        threshold: the fit below which it says that something is not there.
        found: of what is there, the share that it does not deny. denied: of what is not there, the share that it does.
        area: under the curve of both, over all thresholds: how often something there fits better than something not.
        there, absent: how many there are of either.
    """

    threshold: float
    found: float
    denied: float
    area: float
    there: int
    absent: int

    @property
    def accuracy(self) -> float:
        """Balanced accuracy: the mean of the two shares, 0.5 for a constant answer."""
        return (self.found + self.denied) / 2

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "threshold": round(self.threshold, 6),
            "accuracy": round(self.accuracy, 6),
            "found": round(self.found, 6),
            "denied": round(self.denied, 6),
            "area under the curve": round(self.area, 6),
            "examples": {"that fit something": self.there, "that fit nothing": self.absent},
        }


def ground(
    checkpoint: Path,
    dataset: CopsRef,
    *,
    splits: Sequence[str] = (TEST,),
    retriever: Path | None = None,
    around: Surroundings | None = None,
    kept: KeptPieces | None = None,
    progress: Progress | None = None,
) -> tuple[GroundingAnswers, dict[str, Any]]:
    """Let a model answer some splits of a dataset, and return the answers with facts about them.

    Args:
        checkpoint: of the model.
        dataset: what is asked.
        splits: of these.
        retriever: a checkpoint of a model that finds images; only the image that it finds is then searched
            (Retrieve+REF).
        around: where all is computed.
        kept: answers that the model gave before it was stopped.
        progress: told how far things are.

    Raises:
        BrokenCheckpoint: when a checkpoint cannot be read.
        RecipeError: when the model finds no regions, or there is nothing to ask.
    """
    around, tell = around or Surroundings(), progress or silent
    device = find_device(around.device)
    asks = load_asks(checkpoint, dataset, device, around, tell)
    if not hasattr(asks.model, "dense"):
        raise RecipeError(f"{asks.how.model} finds images, not what is in them; name it with --retrieve beside another")
    chooses = None if retriever is None else load_asks(retriever, dataset, device, around, tell)
    if chooses is not None and not hasattr(chooses.model, "rank"):
        raise RecipeError(f"{chooses.how.model} does not find images; train scan for that")
    expressions = asks.ready.arrays.expressions
    known = [split for split in splits if split in expressions.splits]
    rows = np.concatenate([expressions.rows(split) for split in known]) if known else np.zeros(0, np.int64)
    if not len(rows):
        raise RecipeError(f"{dataset.path.name} has nothing to ask in {', '.join(splits) or 'no split'}")
    found = _answers(asks, chooses, rows, tell, "answers", kept)
    threshold = np.full(len(SETTINGS), -np.inf)
    dev = expressions.rows(DEV) if DEV in expressions.splits else np.zeros(0, np.int64)
    if (expressions.target[dev] < 0).any() and (expressions.target[dev] >= 0).any():
        is_same = len(dev) == len(rows) and np.array_equal(dev, rows)
        held = found if is_same else _answers(asks, chooses, dev, tell, "answers on val", kept)
        threshold = np.array([threshold_of(fit[held.is_there], fit[~held.is_there]) for fit in held.fit.T])
    facts = {
        "model": asks.how.model,
        "mining": asks.how.mining,
        "probe": asks.how.probe,
        "features": asks.ready.features,
        "seed": asks.how.seed,
        "updates": asks.updates,
        "checkpoint": checkpoint_digest(checkpoint),
        "retriever": "" if retriever is None else checkpoint_digest(retriever),
        "device": name_of(device),
    }
    return found._replace(threshold=threshold), facts


def absence_of(found: GroundingAnswers) -> dict[str, Absence]:
    """Measure by setting how well a model tells present from absent targets.

    Empty if every target is present.
    """
    if found.is_there.all() or not found.is_there.any():
        return {}
    results: dict[str, Absence] = {}
    for number, setting in enumerate(SETTINGS):
        limit = float(found.threshold[number])
        there, absent = found.fit[found.is_there, number], found.fit[~found.is_there, number]
        if np.isfinite(limit):
            denied, kept = float((absent < limit).mean()), float((there >= limit).mean())
            results[setting] = Absence(limit, kept, denied, area_of(there, absent), len(there), len(absent))
    return results


def threshold_of(there: np.ndarray, absent: np.ndarray) -> float:
    """The fit from which on something is taken to be there, so that the mean share of right decisions is largest.

    It lies half way between two fits that occur; of several equally good ones it is the lowest.
    """
    fits = np.unique(np.concatenate((there, absent)))
    limits = np.concatenate((fits[:1] - 1e-6, (fits[1:] + fits[:-1]) / 2, fits[-1:] + 1e-6))
    kept = 1 - np.searchsorted(np.sort(there), limits) / len(there)
    denied = np.searchsorted(np.sort(absent), limits) / len(absent)
    return float(limits[np.argmax(kept + denied)])


def area_of(there: np.ndarray, absent: np.ndarray) -> float:
    """Compute the area under the ROC curve of fits of present against absent targets, where ties count half."""
    ordered = np.sort(absent)
    below = np.searchsorted(ordered, there, "left") + np.searchsorted(ordered, there, "right")
    return float(below.mean() / (2 * len(absent)))


def answers_of(found: GroundingAnswers, dataset: CopsRef) -> Iterator[Answer]:
    """The answers, setting after setting for every expression.

    What is there is never denied, as in the task as published; `absence_of` tells what would come of that.
    """
    scenes = dataset.scenes
    rows = scenes.scene_ptr[found.image] + found.thing
    denied = ~found.is_there[:, None] & (found.fit < found.threshold)
    for row, number in enumerate(found.id.tolist()):
        for place, setting in enumerate(SETTINGS):
            if denied[row, place]:
                yield Answer(number, setting, is_absent=True)
            else:
                image = scenes.image_ids[int(found.image[row, place])]
                yield Answer(number, setting, image, scenes.object_ids[int(rows[row, place])])


def write_answers(path: Path, found: GroundingAnswers, dataset: CopsRef) -> None:
    """Write answers as JSON Lines that `deixis evaluate` reads."""
    with replacing_file(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        for one in answers_of(found, dataset):
            chosen = {"not there": True} if one.is_absent else {"image": one.image_id, "object": one.object_id}
            line = {"id": one.id, "setting": one.setting, **chosen}
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")


class Asks(NamedTuple):
    """A model with its settings, the data that it is asked about, and the step of its checkpoint."""

    how: Grounding
    ready: Preparation
    model: nn.Module
    updates: int


def load_asks(
    path: Path, dataset: CopsRef, device: torch.device, around: Surroundings, tell: Progress = silent
) -> Asks:
    """A model and a dataset prepared for it."""
    bundle = read_grounding(path)
    how = _settings(path, bundle.training)
    ready = prepare(how, dataset, device, around=around, bundle=bundle, progress=tell)
    if [name for name in bundle.models if name != EYES] != [how.model]:
        raise BrokenCheckpoint(f"{path} says that it holds {how.model}, but it holds {', '.join(bundle.models)}")
    return Asks(how, ready, bundle.model(how.model, device), bundle.step)


def _settings(path: Path, values: Mapping[str, Any]) -> Grounding:
    try:
        return grounding_of(str(values.get("model")), values)
    except RecipeError as error:
        raise BrokenCheckpoint(f"{path} has settings that this version does not know: {error}") from error


def _answers(
    asks: Asks, chooses: Asks | None, rows: np.ndarray, tell: Progress, stage: str, kept: KeptPieces | None
) -> GroundingAnswers:
    ready, table = asks.ready, asks.ready.table
    expressions = ready.arrays.expressions
    questions = questions_of(expressions, ready.said, rows, table.device)
    if chooses is not None:
        theirs = questions_of(expressions, chooses.ready.said, rows, table.device)
        questions = replace(questions, shown=retrieve(chooses.model, chooses.ready.table, theirs))
    choice = np.zeros((len(rows), len(SETTINGS)), np.int64)
    fit, done = np.zeros((len(rows), len(SETTINGS))), 0

    def name_of(some: torch.Tensor) -> str:
        return digest_of([stage, some.tolist()])

    def recall(some: torch.Tensor) -> Choices | None:
        if kept is None or name_of(some) not in kept:
            return None
        found = unpack_arrays(kept.find(name_of(some)))
        return Choices(torch.from_numpy(found["choice"]), torch.from_numpy(found["fit"]))

    for some, found in answer(asks.model, table, questions, known=recall):
        places = some.cpu().numpy()
        choice[places], fit[places] = found.choice.cpu().numpy(), found.fit.double().cpu().numpy()
        if kept is not None and name_of(some) not in kept:
            kept.keep(name_of(some), pack_arrays({"choice": choice[places], "fit": fit[places]}))
        done += len(places)
        tell(stage, done, len(rows), asks.how.model)
    image = ready.arrays.regions.image[choice].astype(np.int64)
    return GroundingAnswers(
        expressions.id[rows],
        image,
        choice - ready.arrays.regions.first[image],
        fit,
        expressions.target[rows] >= 0,
        np.full(len(SETTINGS), -np.inf),
    )
