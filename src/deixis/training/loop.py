"""The training loop: updates, looks at dev, checkpoints; stopped anywhere, it goes on as if nothing had happened.

Nothing is carried from update to update but weights and what Adam remembers of them: the examples of an update and its
chance follow from the seed and its number alone. So a checkpoint is all that it takes to go on, to the same weights.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import distributed

from deixis._version import __version__
from deixis.datasets.arrays import load_plan_arrays, words_of
from deixis.errors import BrokenCheckpoint, DivergedTraining, RecipeError
from deixis.models.registry import build
from deixis.seeds import Stream, derive
from deixis.training.checkpoints import (
    FIRST,
    SECOND,
    Checkpoint,
    half_checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from deixis.training.data import DeviceData, demand_room
from deixis.training.data_facts import data_facts
from deixis.training.decode import exact_matches, say_plans
from deixis.training.devices import compute_with, find_device, name_of, peak_bytes, spread
from deixis.training.folder import RUN, RunFolder, read_json, write_json
from deixis.training.interrupts import quiet_interrupt
from deixis.training.order import order_of
from deixis.training.settings import MAY_CHANGE
from deixis.training.shipped import BEST, LAST
from deixis.training.step import Stepper


if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.datasets.arrays import PlanArrays
    from deixis.datasets.store import Dataset
    from deixis.models.policy import Policy
    from deixis.training.devices import Place
    from deixis.training.settings import Training


__all__ = ["Run", "train"]

TRAIN, DEV = "train", "dev"


class Progress(Protocol):
    """Told how far a training is, and how it goes."""

    def __call__(self, stage: str, done: int, total: int, note: str = "", /) -> None:
        """`done` of `total` updates are taken."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A training that has stopped.

    Attributes:
        folder: where it is.
        training: its settings.
        facts: what run.json says.
        is_finished: whether all updates were taken.
        was_finished: whether they had been taken before, so that there was nothing to do.
    """

    folder: Path
    training: Training
    facts: Mapping[str, Any]
    is_finished: bool
    was_finished: bool = False


@dataclass
class _Progress:
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


def train(
    dataset: Dataset,
    training: Training,
    out: Path,
    *,
    device: str = "auto",
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> Run:
    """Train a model on a dataset, or go on with a training that was stopped.

    Args:
        dataset: learnt from its split train; dev chooses among checkpoints.
        training: how.
        out: the folder of the run, see `folder`.
        device: `auto`, `cpu`, `cuda`, `cuda:1`; under `torchrun` every process has one of its own.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.

    Raises:
        RecipeError: when the folder holds another run, or the model has no room for the data.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
        KeyboardInterrupt: after Ctrl-C, when the update in hand is finished and saved.
    """
    start = time.monotonic()
    with spread(device) as place:
        learner = _Learner(dataset, training, out, device, place)
        folder = RunFolder(out, tensorboard=training.tensorboard) if place.leads else nullcontext()
        with folder as kept, quiet_interrupt() as interrupt:
            learner.folder = kept
            learner.tell = progress if progress and place.leads else _silent
            return learner.run(interrupt, None if stop_after is None else start + stop_after)


class _Window(NamedTuple):
    """Updates since the last line of the log: the first one, and when it began."""

    first: int
    start: float


class _Learner:
    """Everything that one training holds; `run` is the loop."""

    folder: RunFolder | None
    tell: Progress

    def __init__(self, dataset: Dataset, training: Training, out: Path, device: str, place: Place) -> None:
        self.out, self.place = out, place
        self.device = find_device(device, place=place)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)  # graphs are recorded on the current one
        self.vocabulary = _vocabulary(dataset)
        torch.default_generator.manual_seed(derive(training.seed, "weights") >> 1)
        self.model: Policy = build(training.model, training.settings, len(self.vocabulary)).to(self.device)
        self.training = replace(training, precision=compute_with(self.model, training.precision, self.device))
        self.data = data_facts(dataset, TRAIN)
        self.examples = load_plan_arrays(dataset, TRAIN, self.vocabulary, channels=self.model.channels)
        self.dev = _dev_examples(dataset, training, self.vocabulary, self.examples)
        _demand_learnable(self.model, self.examples, dataset.path.name)
        if training.compile:
            self.model.compile_parts()
        self.lengths = self.examples.action_count
        self.order = order_of(training, self.examples)
        self.stepper = Stepper(
            self.model.train(),
            DeviceData(self.examples, self.device),
            self.device,
            batch=len(range(place.rank, training.batch, place.world)),
            clip=training.clip,
            seed=training.seed if place.leads else derive(training.seed, "rank", place.rank),
            graphs=True,
        )
        self.losses = torch.zeros(training.log_every, device=self.device)
        self.at = _Progress()

    # ------------------------------------------------------------------------ the loop

    def run(self, interrupt: threading.Event, deadline: float | None) -> Run:
        """Take all updates that are left."""
        training, at = self.training, self.at
        self._resume()
        if at.update == training.updates and (self.out / RUN).exists():
            return self._finished(was_finished=True)
        self.tell(training.model, at.update, training.updates, "goes on" if at.update else "begins")
        window = _Window(at.update, time.monotonic())
        clock = time.monotonic() - at.seconds
        while at.update < training.updates:
            self._take_update(at.update)
            at.update += 1
            is_look = at.update % training.look_every == 0 or at.update == training.updates
            is_save = is_look or bool(training.save_every and at.update % training.save_every == 0)
            is_told = is_save or at.update % training.log_every == 0
            stops = (
                is_told and self._agreed(deadline is not None and time.monotonic() > deadline)
            ) or interrupt.is_set()
            if is_told or stops:
                at.seconds = time.monotonic() - clock
                window = self._log(window)
            if is_look or (stops and not interrupt.is_set()):
                self._look()
            if is_save or stops:
                at.seconds = time.monotonic() - clock
                self._save(LAST)
                window = _Window(at.update, time.monotonic())
            if stops:
                break
        at.seconds = time.monotonic() - clock
        if interrupt.is_set() and at.update < training.updates:
            raise KeyboardInterrupt(
                f"stopped after {at.update:,} updates; they are kept in {self.out}, the same command goes on from there"
            )
        return self._finished()

    def _take_update(self, update: int) -> None:
        rows, steps = self.order(update)
        tokens = int(self.lengths[rows].sum()) + len(rows)
        mine = rows[self.place.rank :: self.place.world]
        self.stepper(update, mine, steps, self.training.rate_at(update), tokens)
        self.losses[update % len(self.losses)].copy_(self.stepper.loss)

    def _log(self, window: _Window) -> _Window:
        """Read the losses since the last time, write their mean down and tell how far we are."""
        at, now = self.at, time.monotonic
        updates = np.arange(window.first, at.update)
        losses = self.losses.cpu().numpy()[updates % len(self.losses)].astype(np.float64)  # waits for the device
        wrong = np.flatnonzero(~np.isfinite(losses))
        if len(wrong):
            raise DivergedTraining(self._diverged(int(updates[wrong[0]]) + 1, losses[wrong[0]]))
        seconds = max(now() - window.start, 1e-9)
        at.learning_seconds += seconds
        at.loss = float(losses.mean())
        speed = len(updates) * self.training.batch / seconds
        if self.folder:
            rate = self.training.rate_at(at.update - 1)
            self.folder.log(
                update=at.update,
                loss=at.loss,
                rate=rate,
                seconds=round(at.seconds, 3),
                examples_per_second=round(speed, 1),
            )
        dev = "" if at.exact is None else f", dev {100 * at.exact:.1f} %"
        self.tell(
            self.training.model, at.update, self.training.updates, f"loss {at.loss:.4f}{dev}, {speed:,.0f} examples/s"
        )
        return _Window(at.update, now())

    def _look(self) -> None:
        """See how many plans of dev are right, and keep the weights that do best."""
        at, limit = self.at, self.training.decode_limit
        if not self.folder:
            return
        if self.dev is not None:
            said = say_plans(self.model, self.dev, self.device, limit=limit)
            at.exact = float(exact_matches(*said, self.dev).mean())
            at.looks += 1
            self.folder.log(update=at.update, dev={"exact": at.exact, "examples": len(self.dev)})
            if at.exact <= at.best:
                return
            at.best = at.exact
        at.best_update = at.update
        self._save(BEST)

    def _agreed(self, stops: bool) -> bool:
        """Whether to stop, as the leading process sees it."""
        if self.place.world == 1:
            return stops
        flag = torch.tensor([int(stops)], device=self.device)
        distributed.broadcast(flag, 0)
        return bool(flag.item())

    def _diverged(self, update: int, loss: float) -> str:
        kept = self.out / LAST
        before = f"the last good checkpoint is {kept}" if kept.exists() else "there is no checkpoint yet"
        return f"the loss of update {update:,} is {loss}; {before}; a lower --rate or --clip 1 may help"

    # ------------------------------------------------------------------------ checkpoints

    def _save(self, name: str) -> None:
        if not self.folder:
            return
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

    def _resume(self) -> None:
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
        if self.folder:
            self.folder.go_on_from(self.at.update)

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
            ours = self.training.to_dict()
            differ = (name for name in ours if ours[name] != found.training.get(name) and name not in MAY_CHANGE)
            name = next(differ, "digest")
            raise RecipeError(
                f"{other}: {name} is {found.training.get(name)!r} there, {ours.get(name)!r} here; {advice}"
            )
        if found.data.get("digest") != self.data["digest"] or found.vocabulary != self.vocabulary:
            raise RecipeError(f"{other}: it learns from {found.data.get('name')!r}, which is other data; {advice}")
        if found.update > self.training.updates:
            raise RecipeError(f"{path} has seen {found.update:,} updates already, more than {self.training.updates:,}")
        if not found.memory:
            raise RecipeError(f"{path} holds weights alone, and no training can go on from them; {advice}")

    # ------------------------------------------------------------------------ the end

    def _finished(self, *, was_finished: bool = False) -> Run:
        at, training = self.at, self.training
        is_finished = at.update == training.updates
        facts = read_json(self.out / RUN) if was_finished else self._facts()
        if self.folder and not was_finished:
            self._tell_best_how_many_looks()
            write_json(self.out / RUN, facts)
        return Run(folder=self.out, training=training, facts=facts, is_finished=is_finished, was_finished=was_finished)

    def _tell_best_how_many_looks(self) -> None:
        """A checkpoint says out of how many it was chosen; only now is that known."""
        path = self.out / BEST
        found = read_checkpoint(path)
        found = replace(found, metrics={**found.metrics, "looks": self.at.looks})
        write_checkpoint(path, half_checkpoint(found) if self.training.half else found)

    def _facts(self) -> dict[str, Any]:
        at, training = self.at, self.training
        seen = at.update * training.batch
        dev = 0 if self.dev is None else len(self.dev)
        return {
            "format": 1,
            "kind": "run",
            "name": self.out.resolve().name,
            "model": training.model,
            "settings": asdict(self.model.settings),  # type: ignore[call-overload]
            "quirks": list(training.quirks),
            "seed": training.seed,
            "updates": at.update,
            "updates_wanted": training.updates,
            "batch": training.batch,
            "training": {**self.data, "data": self.data["name"]},
            "recipe": training.to_dict(),
            "selection": {
                "on": DEV if dev else "nothing: the last update",
                "metric": "exact match",
                "looks": at.looks,
                "examples": dev,
                "best_update": at.best_update,
                "best": at.best if dev else None,
            },
            "parameters": sum(one.numel() for one in self.model.parameters() if one.requires_grad),
            "device": name_of(self.device),
            "devices": self.place.world,
            "seconds": round(at.seconds, 3),
            "learning_seconds": round(at.learning_seconds, 3),
            "examples_per_second": round(seen / at.learning_seconds, 1) if at.learning_seconds else None,
            "peak_bytes": peak_bytes(self.device),
            "deixis": __version__,
            "torch": str(torch.__version__),
        }


def _vocabulary(dataset: Dataset) -> tuple[str, ...]:
    """The words of train and dev; a word of dev alone, in a very small dataset, is never learnt, but no obstacle."""
    words = set(words_of(dataset, TRAIN))
    return tuple(sorted(words.union(words_of(dataset, DEV)) if dataset.splits.get(DEV) else words))


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
    chosen = Stream(derive(training.seed, "dev")).shuffled(range(len(arrays)))[: training.dev_examples]
    return arrays.taking(np.sort(np.array(chosen, np.int64)))


def _demand_learnable(model: Policy, examples: PlanArrays, name: str) -> None:
    demand_room(model, examples, name)
    longest = int(examples.action_count.max(initial=0))
    if model.longest_plan and longest > model.longest_plan:
        raise RecipeError(
            f"{name} has a plan of {longest} actions; the model has room for {model.longest_plan}, "
            "set longest_plan higher"
        )


def _silent(stage: str, done: int, total: int, note: str = "", /) -> None:
    """Tell nobody."""
