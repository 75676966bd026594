"""The training loop: updates, looks at dev, checkpoints; stopped anywhere, it goes on as if nothing had happened.

Nothing is carried from update to update but weights and what Adam remembers of them: the examples of an update and its
chance follow from the seed and its number alone. So a checkpoint is all that it takes to go on, to the same weights.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import distributed

from deixis._version import __version__
from deixis.errors import DivergedTraining
from deixis.learn.devices import name_of, peak_bytes, spread
from deixis.learn.loop import quiet_interrupt
from deixis.learn.run import BEST, LAST, RUN, RunFolder, read_json, rename_facts, silent, write_json
from deixis.worlds.grid.training.learner import DEV, Learner
from deixis.worlds.grid.training.predict import exact_matches, say_plans


if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.learn.run import Progress
    from deixis.worlds.grid.training.settings import Training


__all__ = ["Run", "train"]


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


def train(
    dataset: Dataset,
    training: Training,
    out: Path,
    *,
    device: str = "auto",
    begin: Path | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> Run:
    """Train a model on a dataset, or go on with a training that was stopped.

    Args:
        dataset: learnt from its split train; dev chooses among checkpoints.
        training: how.
        out: the folder of the run, see `folder`.
        device: `auto`, `cpu`, `cuda`, `cuda:1`; under `torchrun` every process has one of its own.
        begin: a checkpoint of the same model to begin with, in place of fresh weights; sizes and words are its own.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.

    Raises:
        RecipeError: when the folder holds another run, the model has no room for the data, or cannot begin so.
        BrokenCheckpoint: when the checkpoint to begin with cannot be read.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
        KeyboardInterrupt: after Ctrl-C, when the update in hand is finished and saved.
    """
    start = time.monotonic()
    with spread(device) as place:
        learner = Learner(dataset, training, out, device, place, begin)
        folder = RunFolder(out, tensorboard=training.tensorboard) if place.leads else nullcontext()
        with folder as kept, quiet_interrupt() as interrupt:
            tell = progress if progress and place.leads else silent
            return _Loop(learner, kept, tell).run(interrupt, None if stop_after is None else start + stop_after)


class _Window(NamedTuple):
    """Updates since the last line of the log: the first one, and when it began."""

    first: int
    start: float


class _Loop:
    """The way of a learner through its updates; the folder is None in processes that do not lead."""

    def __init__(self, learner: Learner, folder: RunFolder | None, tell: Progress) -> None:
        self.learner, self.folder, self.tell = learner, folder, tell
        self.training, self.out, self.at = learner.training, learner.out, learner.at

    def run(self, interrupt: threading.Event, deadline: float | None) -> Run:
        """Take all updates that are left."""
        learner, training, at = self.learner, self.training, self.at
        learner.resume()
        if self.folder:
            self.folder.go_on_from(at.update)
        if at.update == training.steps and (self.out / RUN).exists():
            return self._finished(was_finished=True)
        self.tell(training.model, at.update, training.steps, "goes on" if at.update else "begins")
        window = _Window(at.update, time.monotonic())
        clock = time.monotonic() - at.seconds
        while at.update < training.steps:
            learner.take_update(at.update)
            at.update += 1
            is_look = at.update % training.eval_every == 0 or at.update == training.steps
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
                if self.folder:
                    learner.save(LAST)
                window = _Window(at.update, time.monotonic())
            if stops:
                break
        at.seconds = time.monotonic() - clock
        if interrupt.is_set() and at.update < training.steps:
            raise KeyboardInterrupt(
                f"stopped after {at.update:,} steps; they are kept in {self.out}, the same command goes on from there"
            )
        return self._finished()

    def _log(self, window: _Window) -> _Window:
        """Read the losses since the last time, write their mean down and tell how far we are."""
        at, now, held = self.at, time.monotonic, self.learner.losses
        updates = np.arange(window.first, at.update)
        losses = held.cpu().numpy()[updates % len(held)].astype(np.float64)  # waits for the device
        wrong = np.flatnonzero(~np.isfinite(losses))
        if len(wrong):
            raise DivergedTraining(self._diverged(int(updates[wrong[0]]) + 1, losses[wrong[0]]))
        seconds = max(now() - window.start, 1e-9)
        at.learning_seconds += seconds
        at.loss = float(losses.mean())
        speed = len(updates) * self.training.batch_size / seconds
        if self.folder:
            self.folder.log(
                step=at.update,
                loss=at.loss,
                lr=self.training.lr_at(at.update - 1),
                seconds=round(at.seconds, 3),
                examples_per_second=round(speed, 1),
            )
        dev = "" if at.exact is None else f", dev {100 * at.exact:.1f} %"
        self.tell(
            self.training.model, at.update, self.training.steps, f"loss {at.loss:.4f}{dev}, {speed:,.0f} examples/s"
        )
        return _Window(at.update, now())

    def _look(self) -> None:
        """See how many plans of dev are right, and keep the weights that do best, of equal ones the later."""
        learner, at = self.learner, self.at
        if not self.folder:
            return
        if learner.dev is not None:
            said = say_plans(learner.model, learner.dev, learner.device, limit=self.training.decode_limit)
            at.exact = float(exact_matches(*said, learner.dev).mean())
            at.looks += 1
            self.folder.log(step=at.update, dev={"exact": at.exact, "examples": len(learner.dev)})
            if at.exact < at.best:
                return
            at.best = at.exact
        at.best_update = at.update
        learner.save(BEST)

    def _agreed(self, stops: bool) -> bool:
        """Whether to stop, as the leading process sees it."""
        if self.learner.place.world == 1:
            return stops
        flag = torch.tensor([int(stops)], device=self.learner.device)
        distributed.broadcast(flag, 0)
        return bool(flag.item())

    def _diverged(self, update: int, loss: float) -> str:
        kept = self.out / LAST
        before = f"the last good checkpoint is {kept}" if kept.exists() else "there is no checkpoint yet"
        return f"the loss of step {update:,} is {loss}; {before}; a lower --lr or --clip 1 may help"

    # ------------------------------------------------------------------------ the end

    def _finished(self, *, was_finished: bool = False) -> Run:
        at, training = self.at, self.training
        is_finished = at.update == training.steps
        facts = rename_facts(read_json(self.out / RUN)) if was_finished else self._facts()
        if self.folder and not was_finished:
            self.learner.tell_best_how_many_looks()
            write_json(self.out / RUN, facts)
        return Run(folder=self.out, training=training, facts=facts, is_finished=is_finished, was_finished=was_finished)

    def _facts(self) -> dict[str, Any]:
        learner, at, training = self.learner, self.at, self.training
        seen = at.update * training.batch_size
        dev = 0 if learner.dev is None else len(learner.dev)
        return {
            "format": 1,
            "kind": "run",
            "name": self.out.resolve().name,
            "model": training.model,
            "settings": asdict(learner.model.settings),  # type: ignore[call-overload]
            "quirks": list(training.quirks),
            "seed": training.seed,
            "steps": at.update,
            "steps_wanted": training.steps,
            "batch_size": training.batch_size,
            "training": {**learner.data, "data": learner.data["name"]},
            "recipe": training.to_dict(),
            "selection": {
                "on": DEV if dev else "nothing: the last update",
                "metric": "exact match",
                "evaluations": at.looks,
                "examples": dev,
                "best_step": at.best_update,
                "best": at.best if dev else None,
            },
            "parameters": sum(one.numel() for one in learner.model.parameters() if one.requires_grad),
            "device": name_of(learner.device),
            "devices": learner.place.world,
            "seconds": round(at.seconds, 3),
            "learning_seconds": round(at.learning_seconds, 3),
            "examples_per_second": round(seen / at.learning_seconds, 1) if at.learning_seconds else None,
            "peak_bytes": peak_bytes(learner.device),
            "deixis": __version__,
            "torch": str(torch.__version__),
        }
