"""Training of models that carry out instructions: their course through the training loop."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn._loop import BEGINS_WITH, Course, follow
from deixis.learn._updates import Updates
from deixis.learn.devices import compute_with, find_device, spread
from deixis.learn.run import Run, silent
from deixis.seeds import Stream, derive
from deixis.worlds.grid.data._arrays import words_of
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training._checkpoints import GRID, name_in, read_checkpoint
from deixis.worlds.grid.training._data import DeviceData, data_facts, demand_room, parser_errors
from deixis.worlds.grid.training._losses import PlanLoss, supervision_of
from deixis.worlds.grid.training._mixture import load_mixture
from deixis.worlds.grid.training._order import order_of
from deixis.worlds.grid.training.predict import exact_matches, say_plans
from deixis.worlds.grid.training.settings import training_from


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from deixis.data.store import Dataset
    from deixis.learn._checkpoints import Bundle
    from deixis.learn.devices import Place
    from deixis.learn.run import Progress
    from deixis.worlds.grid.data._arrays import PlanArrays
    from deixis.worlds.grid.models.policy import Policy
    from deixis.worlds.grid.training.settings import Training


__all__ = ["train"]

TRAIN, DEV = "train", "dev"
POINTING = ("point.", "point_mentions.")  # how the names of weights to point with begin


def train(  # noqa: PLR0913 (what is learnt, from what, with what to begin, and how)
    dataset: Dataset,
    training: Training,
    out: Path,
    *,
    device: str = "auto",
    also: Sequence[Dataset] = (),
    begin: Path | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> Run:
    """Train a model on a dataset, or go on with a training that was stopped.

    Args:
        dataset: its split train is learnt from, and dev selects the checkpoint.
        training: the settings.
        out: the folder of the run, see `deixis.learn.run`.
        device: `auto`, `cpu`, `cuda`, `cuda:1`; under `torchrun` every process has one of its own.
        also: further datasets to learn from, and to select by: of each, as many examples as of the smallest, drawn by
            the seed.
        begin: a checkpoint of the same model to begin with, in place of fresh weights; sizes and words are its own.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.

    Raises:
        RecipeError: when the folder holds another run, the model has no room for the data, or cannot begin so.
        BrokenCheckpoint: when the checkpoint to begin with cannot be read.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
        KeyboardInterrupt: after Ctrl-C, when the step in hand is finished and saved.
    """
    with spread(device) as place:
        course = _Plans((dataset, *also), training, device, place, begin)
        facts = follow(
            course,
            out,
            progress=progress or silent,
            stop_after=stop_after,
            place=place,
            tensorboard=training.tensorboard,
            half=training.half,
        )
    return Run.of(out, facts)


class _Plans(Course):
    """Learning to carry out instructions.

    Args:
        datasets: all to learn from; the run is named after the first.
        training, device, begin: as for `train`.
        place: of this process among those that learn together.
    """

    kind = GRID

    def __init__(
        self, datasets: Sequence[Dataset], training: Training, device: str, place: Place, begin: Path | None = None
    ) -> None:
        dataset = datasets[0]
        self.place, self.role = place, training.model
        before = None if begin is None else _read_beginning(begin, training)
        if before is not None:  # sizes that are not given are those of the checkpoint
            training = replace(training, settings={**before.models[training.model], **training.settings})
        self.device = find_device(device, place=place)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)  # graphs are recorded on the current one
        self.vocabulary = _vocabulary(datasets) if before is None else _known_vocabulary(before, datasets)
        torch.default_generator.manual_seed(derive(training.seed, "weights") >> 1)
        self.model: Policy = build(training.model, training.settings, self.vocabulary).to(self.device)
        self.training = replace(training, precision=compute_with(self.model, training.precision, self.device))
        examples = load_mixture(datasets, TRAIN, self.vocabulary, channels=self.model.channels, seed=training.seed)
        self.data = data_facts(dataset, TRAIN) | {"cells": examples.cells, "channels": examples.channels}
        if len(datasets) > 1:
            self.data["also"] = [data_facts(one, TRAIN) for one in datasets[1:]]
            self.data["seen"] = len(examples)
        if begin is not None:
            self.data[BEGINS_WITH] = checkpoint_digest(begin)
        self.dev = _dev_examples(datasets, training, self.vocabulary, examples)
        _demand_learnable(self.model, examples, dataset.path.name)
        if training.pointing and not (self.model.points or self.model.points_mentions):
            raise RecipeError(
                f"this {training.model} does not point, so pointing must be 0; with points = true under [settings] "
                "it does"
            )
        if self.model.learns_targets and not training.pointing:
            raise RecipeError(f"a {training.model} finds the target first, so pointing must be above 0")
        weights = None if before is None else _weights_to_begin_with(self.model, before, examples)
        if training.compile:
            self.model.compile_parts()
        self.lengths = examples.plans.length
        self.order = order_of(training, examples)
        self.loss = PlanLoss(
            self.model.train(),
            DeviceData(examples, self.device, teller=self.model),
            examples=training.batch_size,
            pointing=training.pointing,
        )
        self.updates = Updates(
            {training.model: self.model},
            self.device,
            self.loss,
            batch_size=len(range(place.rank, training.batch_size, place.world)),
            clip=training.clip,
            weight_decay=training.weight_decay,
            seed=training.seed if place.leads else derive(training.seed, "rank", place.rank),
            low=self.model.low_precision_parameters(),
            low_dtype=self.model.computes_in,
        )
        self.updates.graphs &= self.model.can_record
        seen = {TRAIN: examples} if self.dev is None else {TRAIN: examples, DEV: self.dev}
        self.parser_errors = {split: parser_errors(self.model, some) for split, some in seen.items()}
        if weights is not None:
            self.updates.load(weights)

    def prepare(self, step: int) -> np.ndarray:
        """Choose the examples of a step; plans of another length are a stage of their own."""
        rows, width = self.order(step)
        self.loss.prepare(width, int(self.lengths[rows].sum()) + len(rows))
        self.updates.stage = width
        return rows[self.place.rank :: self.place.world]

    def evaluate(self) -> dict[str, float]:
        """Return the share of plans on dev that are right."""
        if self.dev is None:
            return {}
        limit = self.training.decode_limit
        said = say_plans(self.model, self.dev, self.device, limit=limit, vocabulary=self.vocabulary)
        return {"exact": float(exact_matches(*said, self.dev).mean()), "examples": len(self.dev)}

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:  # noqa: ARG002 (every step counts)
        """Select by exact match."""
        return dev["exact"]

    def demand_resumable(self, path: Path, found: Bundle) -> None:
        """Raise `RecipeError` where the learning rate has begun to fall, or would have, towards another end."""
        before, now = training_from(found.training), self.training
        if (before.steps, before.cooldown) == (now.steps, now.cooldown):
            return
        if before.cooldown_start < found.step or now.cooldown_start < found.step:
            raise RecipeError(
                f"{path} has taken {found.step:,} of {before.steps:,} steps with a cooldown of "
                f"{before.cooldown:,}; it cannot end after {now.steps:,} with one of {now.cooldown:,}: "
                "the learning rates on its way would have been others"
            )

    def describe(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """Return the sizes of the model, its settings, and how the checkpoint was selected."""
        examples = 0 if self.dev is None else len(self.dev)
        return {
            "settings": asdict(self.model.settings),  # type: ignore[call-overload]
            "quirks": list(self.training.quirks),
            "supervision": supervision_of(self.model, self.training.pointing),
            **({"parser errors": self.parser_errors} if self.model.is_told else {}),
            "training": {**self.data, "data": self.data["name"]},
            "recipe": self.training.to_dict(),
            "selection": {
                "on": DEV if examples else "nothing: the last checkpoint",
                "metric": "exact match",
                "evaluations": best["evaluations"],
                "examples": examples,
                "best_step": best["step"],
                "best": best["merit"],
            },
            "parameters": sum(one.numel() for one in self.model.parameters() if one.requires_grad),
        }


def _vocabulary(datasets: Sequence[Dataset]) -> tuple[str, ...]:
    """Return the words of train and dev; those of dev alone, in a very small dataset, are never learnt."""
    places = [(one, split) for one in datasets for split in (TRAIN, DEV) if split == TRAIN or one.splits.get(split)]
    return tuple(sorted({word for one, split in places for word in words_of(one, split)}))


def _read_beginning(path: Path, training: Training) -> Bundle:
    found = read_checkpoint(path)
    if name_in(found) != training.model:
        raise RecipeError(f"{path} is a {name_in(found)}; a {training.model} cannot begin with it")
    return found


def _known_vocabulary(before: Bundle, datasets: Sequence[Dataset]) -> tuple[str, ...]:
    """Return the words of the checkpoint; `RecipeError` where a dataset has others."""
    new = sorted(set(_vocabulary(datasets)) - set(before.vocabulary))
    if new:
        names = " or ".join(one.path.name for one in datasets)
        raise RecipeError(
            f"{names} has words that the model to begin with has never seen, such as {new[0]!r}; "
            "begin with fresh weights"
        )
    return before.vocabulary


def _weights_to_begin_with(model: Policy, before: Bundle, examples: PlanArrays) -> dict[str, Tensor]:
    """Return the weights of a checkpoint; what a model points with is fresh where the checkpoint has none.

    Raises:
        RecipeError: when the checkpoint has other sizes, or was trained on other grids.
    """
    held = model.state_dict()
    fresh = {name: value for name, value in held.items() if name.startswith(POINTING)}
    known = before.weights_of(name_in(before))
    weights = {**fresh, **{name: one for name, one in known.items() if name in fresh or not name.startswith(POINTING)}}
    if before.data["cells"] != examples.cells:
        cells = before.data["cells"]
        raise RecipeError(f"the model to begin with learnt on grids of {cells} cells, not {examples.cells}")
    for name, value in held.items():
        if name not in weights or weights[name].shape != value.shape:
            raise RecipeError(f"the model to begin with has other sizes: {name} does not fit; leave sizes as they were")
    return {f"{name_in(before)}.{name}": one for name, one in weights.items()}


def _dev_examples(
    datasets: Sequence[Dataset], training: Training, vocabulary: tuple[str, ...], examples: PlanArrays
) -> PlanArrays | None:
    """Return the examples of dev for evaluations, chosen once by the seed."""
    if not training.dev_examples:
        return None
    for one in datasets:
        if not one.splits.get(DEV):
            raise RecipeError(
                f"{one.path.name} has no split dev to choose a checkpoint by; make one, or set dev_examples to 0"
            )
    arrays = load_mixture(datasets, DEV, vocabulary, channels=examples.channels, seed=training.seed)
    if arrays.cells != examples.cells:
        raise RecipeError(
            f"dev of {datasets[0].path.name} has grids of {arrays.cells} cells, train of {examples.cells}"
        )
    chosen = Stream(derive(training.seed, "dev")).permutation(range(len(arrays)))[: training.dev_examples]
    return arrays.taking(np.sort(np.array(chosen, np.int64)))


def _demand_learnable(model: Policy, examples: PlanArrays, name: str) -> None:
    demand_room(model, examples, name)
    longest = int(examples.plans.length.max(initial=0))
    if model.longest_plan and longest > model.longest_plan:
        raise RecipeError(
            f"{name} has a plan of {longest} actions; the model has room for {model.longest_plan}, "
            "set longest_plan higher"
        )
