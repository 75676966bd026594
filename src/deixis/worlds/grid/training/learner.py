"""A model that learns: all that a training holds, and how it is put into checkpoints and taken out again.

What it learns in an update follows from the seed and the number of the update, see `loop`: apart from weights and what
Adam remembers of them, a checkpoint has only to say how far it is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn.checkpoints import FIRST, SECOND, checkpoint_digest
from deixis.learn.devices import compute_with, find_device
from deixis.learn.run import BEST, LAST
from deixis.seeds import Stream, derive
from deixis.worlds.grid.data.arrays import load_plan_arrays, words_of
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training.checkpoints import Checkpoint, half_checkpoint, read_checkpoint, write_checkpoint
from deixis.worlds.grid.training.data import DeviceData, data_facts, demand_room
from deixis.worlds.grid.training.order import order_of
from deixis.worlds.grid.training.settings import training_from
from deixis.worlds.grid.training.step import Stepper


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.learn.devices import Place
    from deixis.worlds.grid.data.arrays import PlanArrays
    from deixis.worlds.grid.models.policy import Policy
    from deixis.worlds.grid.training.settings import Training


__all__ = ["DEV", "TRAIN", "HowFar", "Learner"]

TRAIN, DEV = "train", "dev"
POINTING = ("point.", "point_mentions.")  # how the names of weights to point with begin


@dataclass
class HowFar:
    """How far a training is.

    Attributes:
        update: updates taken.
        looks, best, best_update: at dev; the best exact match so far, and when that was; -1 before the first look.
        seconds, learning_seconds: in all, and without looks and checkpoints.
        loss, exact: the last ones known.
    """

    update: int = 0
    looks: int = 0
    best: float = -1.0
    best_update: int = 0
    seconds: float = 0.0
    learning_seconds: float = 0.0
    loss: float | None = None
    exact: float | None = None


class Learner:
    """A model with its examples, its weights and how far it is.

    Args:
        dataset: learnt from its split train; some of dev are looked at.
        training: how.
        out: the folder of the run.
        device: the name of where all is computed.
        place: of this process among those that learn together.
        begin: a checkpoint of the same model to begin with, in place of fresh weights.
    """

    def __init__(
        self, dataset: Dataset, training: Training, out: Path, device: str, place: Place, begin: Path | None = None
    ) -> None:
        self.out, self.place = out, place
        before = None if begin is None else _read_beginning(begin, training)
        if before is not None:  # what is not said is as it was
            training = replace(training, settings={**before.settings, **training.settings})
        self.device = find_device(device, place=place)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)  # graphs are recorded on the current one
        self.vocabulary = _vocabulary(dataset) if before is None else _known_vocabulary(before, dataset)
        torch.default_generator.manual_seed(derive(training.seed, "weights") >> 1)
        self.model: Policy = build(training.model, training.settings, len(self.vocabulary)).to(self.device)
        self.training = replace(training, precision=compute_with(self.model, training.precision, self.device))
        self.data = data_facts(dataset, TRAIN)
        if begin is not None:
            self.data["begins with"] = checkpoint_digest(begin)
        self.examples = load_plan_arrays(dataset, TRAIN, self.vocabulary, channels=self.model.channels)
        self.dev = _dev_examples(dataset, training, self.vocabulary, self.examples)
        _demand_learnable(self.model, self.examples, dataset.path.name)
        if training.pointing and not (self.model.points or self.model.points_mentions):
            raise RecipeError(
                f"this {training.model} does not point, so pointing must be 0; a transformer with points = true "
                "under [settings] does"
            )
        if before is not None:
            before = _pointing_as(self.model, before)
            _demand_fitting(before, self.model, self.examples)
        if training.compile:
            self.model.compile_parts()
        self.lengths = self.examples.action_count
        self.order = order_of(training, self.examples)
        self.stepper = Stepper(
            self.model.train(),
            DeviceData(self.examples, self.device),
            self.device,
            batch=len(range(place.rank, training.batch_size, place.world)),
            of=training.batch_size,
            clip=training.clip,
            weight_decay=training.weight_decay,
            pointing=training.pointing,
            seed=training.seed if place.leads else derive(training.seed, "rank", place.rank),
            graphs=True,
        )
        if before is not None:
            self.stepper.load(before.weights)
        self.losses = torch.zeros(training.log_every, device=self.device)
        self.at = HowFar()

    # ------------------------------------------------------------------------ updates

    def take_update(self, update: int) -> None:
        """Learn from the examples of an update; its loss is kept on the device."""
        rows, steps = self.order(update)
        tokens = int(self.lengths[rows].sum()) + len(rows)
        mine = rows[self.place.rank :: self.place.world]
        self.stepper(update, mine, steps, self.training.lr_at(update), tokens)
        self.losses[update % len(self.losses)].copy_(self.stepper.loss)

    # ------------------------------------------------------------------------ checkpoints

    def save(self, name: str) -> None:
        """Write a checkpoint into the folder: `BEST` of weights alone, `LAST` with what it takes to go on."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        found = self._checkpoint(with_memory=name == LAST)
        write_checkpoint(self.out / name, half_checkpoint(found) if self.training.half and name == BEST else found)

    def _checkpoint(self, *, with_memory: bool) -> Checkpoint:
        memory = {}
        if with_memory:
            for name, state in self.stepper.states():
                memory[f"{FIRST}{name}"], memory[f"{SECOND}{name}"] = state["exp_avg"], state["exp_avg_sq"]
        return Checkpoint(
            model=self.training.model,
            settings=asdict(self.model.settings),  # type: ignore[call-overload]
            vocabulary=self.vocabulary,
            cells=self.examples.cells,
            channels=self.examples.channels,
            training=self.training.to_dict(),
            digest=self.training.digest,
            data=self.data,
            update=self.at.update,
            metrics={**asdict(self.at), "dev_examples": 0 if self.dev is None else len(self.dev)},
            weights=self.stepper.weights(),
            memory=memory,
        )

    def resume(self) -> None:
        """Go on from the last checkpoint, where there is one."""
        path = self.out / LAST
        if path.exists():
            found = read_checkpoint(path)
            self._demand_same(path, found)
            self.stepper.load(found.weights)
            for name, state in self.stepper.states():
                state["exp_avg"].copy_(found.memory[f"{FIRST}{name}"])
                state["exp_avg_sq"].copy_(found.memory[f"{SECOND}{name}"])
                state["step"].fill_(found.update)
            self._remember(path, found)

    def _remember(self, path: Path, found: Checkpoint) -> None:
        for name in asdict(self.at):
            value = found.metrics.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float | None):
                raise BrokenCheckpoint(f"{path} says {value!r} for {name!r}, which is no number")
            if value is not None:
                setattr(self.at, name, value)
        self.at.update = found.update

    def _demand_same(self, path: Path, found: Checkpoint) -> None:
        """An error unless the checkpoint belongs to the same training on the same data."""
        other = f"{self.out} holds another run"
        advice = "choose another folder, or delete it"
        if found.digest != self.training.digest:
            differ = self.training.differences(found.training) or {"digest": (found.digest, self.training.digest)}
            name, (there, here) = next(iter(differ.items()))
            raise RecipeError(f"{other}: {name} is {there!r} there, {here!r} here; {advice}")
        if found.data.get("digest") != self.data["digest"] or found.vocabulary != self.vocabulary:
            raise RecipeError(f"{other}: it learns from {found.data.get('name')!r}, which is other data; {advice}")
        if found.data.get("begins with") != self.data.get("begins with"):
            raise RecipeError(f"{other}: it began with other weights; {advice}")
        if found.update > self.training.steps:
            raise RecipeError(f"{path} has taken {found.update:,} steps already, more than {self.training.steps:,}")
        self._demand_same_end(path, found)
        if not found.memory:
            raise RecipeError(f"{path} holds weights alone, and no training can go on from them; {advice}")

    def _demand_same_end(self, path: Path, found: Checkpoint) -> None:
        """An error where the rate has begun to fall, or would have, towards another end."""
        before = training_from(found.training)
        now = self.training
        if (before.steps, before.cooldown) == (now.steps, now.cooldown):
            return
        if before.cooldown_start < found.update or now.cooldown_start < found.update:
            raise RecipeError(
                f"{path} has taken {found.update:,} of {before.steps:,} steps with a cooldown of "
                f"{before.cooldown:,}; it cannot end after {now.steps:,} with one of {now.cooldown:,}: "
                "the rates on its way would have been others"
            )

    def tell_best_how_many_looks(self) -> None:
        """A checkpoint says out of how many it was chosen; only now is that known."""
        path = self.out / BEST
        found = read_checkpoint(path)
        found = replace(found, metrics={**found.metrics, "looks": self.at.looks})
        write_checkpoint(path, half_checkpoint(found) if self.training.half else found)


def _vocabulary(dataset: Dataset) -> tuple[str, ...]:
    """The words of train and dev; a word of dev alone, in a very small dataset, is never learnt, but no obstacle."""
    words = set(words_of(dataset, TRAIN))
    return tuple(sorted(words.union(words_of(dataset, DEV)) if dataset.splits.get(DEV) else words))


def _read_beginning(path: Path, training: Training) -> Checkpoint:
    found = read_checkpoint(path)
    if found.model != training.model:
        raise RecipeError(f"{path} is a {found.model}; a {training.model} cannot begin with it")
    return found


def _known_vocabulary(before: Checkpoint, dataset: Dataset) -> tuple[str, ...]:
    """The words of the checkpoint, which must be enough for the dataset."""
    new = sorted(set(_vocabulary(dataset)) - set(before.vocabulary))
    if new:
        raise RecipeError(
            f"{dataset.path.name} has words that the model to begin with has never seen, such as {new[0]!r}; "
            "begin with fresh weights"
        )
    return before.vocabulary


def _pointing_as(model: Policy, before: Checkpoint) -> Checkpoint:
    """The checkpoint with what the model points with, fresh where it has none: pointing may be learnt, or given up."""
    fresh = {name: value for name, value in model.state_dict().items() if name.startswith(POINTING)}
    known = {name: value for name, value in before.weights.items() if name in fresh or not name.startswith(POINTING)}
    return replace(before, weights={**fresh, **known})


def _demand_fitting(before: Checkpoint, model: Policy, examples: PlanArrays) -> None:
    """An error where other sizes are asked for than those of the weights to begin with, or other grids are seen."""
    if before.cells != examples.cells:
        raise RecipeError(f"the model to begin with learnt on grids of {before.cells} cells, not {examples.cells}")
    for name, value in model.state_dict().items():
        if name not in before.weights or before.weights[name].shape != value.shape:
            raise RecipeError(f"the model to begin with has other sizes: {name} does not fit; leave sizes as they were")


def _dev_examples(
    dataset: Dataset, training: Training, vocabulary: tuple[str, ...], examples: PlanArrays
) -> PlanArrays | None:
    """The examples of dev that are looked at, chosen once by the seed."""
    if not training.dev_examples:
        return None
    if not dataset.splits.get(DEV):
        raise RecipeError(
            f"{dataset.path.name} has no split dev to choose a checkpoint by; make one, or set dev_examples to 0"
        )
    arrays = load_plan_arrays(dataset, DEV, vocabulary, channels=examples.channels)
    if arrays.cells != examples.cells:
        raise RecipeError(f"dev of {dataset.path.name} has grids of {arrays.cells} cells, train of {examples.cells}")
    chosen = Stream(derive(training.seed, "dev")).permutation(range(len(arrays)))[: training.dev_examples]
    return arrays.taking(np.sort(np.array(chosen, np.int64)))


def _demand_learnable(model: Policy, examples: PlanArrays, name: str) -> None:
    demand_room(model, examples, name)
    longest = int(examples.action_count.max(initial=0))
    if model.longest_plan and longest > model.longest_plan:
        raise RecipeError(
            f"{name} has a plan of {longest} actions; the model has room for {model.longest_plan}, "
            "set longest_plan higher"
        )
