"""The training loop of every world: steps, evaluations on dev, checkpoints, and exact resumption.

The rows of a step and its randomness follow from the seed and its number alone, so a checkpoint is all that resuming
needs. The learning rate depends on how many steps are wanted. A run that goes on with another number of them, after the
learning rate has fallen, has had other learning rates than one that wanted that number from the beginning: its legs are
recorded.
"""

from __future__ import annotations

import signal
import threading
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import distributed

from deixis._numbers import is_number
from deixis._version import __version__
from deixis.errors import BrokenCheckpoint, DivergedTraining, RecipeError
from deixis.learn._checkpoints import FIRST, KEPT, SECOND, Bundle, half_bundle, read_bundle, write_bundle
from deixis.learn.devices import Place, name_of, peak_bytes
from deixis.learn.run import BEST, LAST, RUN, RunFolder, read_json, rename_facts, silent, write_json
from deixis.seeds import GOLDEN_WORD, derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.learn._checkpoints import Kind
    from deixis.learn._updates import Updates
    from deixis.learn.run import Progress


ALONE = Place()


class Course(ABC):
    """A training task: what is learnt, from which data, and how it is evaluated.

    Attributes:
        role: what is learnt, e.g. the name of a model, `captioning` or `game`.
        kind: of its checkpoints.
        training: the settings, a record of `deixis.settings` with `seed`, `steps`, `batch_size`, `eval_every`,
            `log_every`, `save_every` and `lr_at(step)`.
        updates: takes the steps.
        vocabulary: the words.
        data: the data, and whatever else the outcome depends on.
        kept: tensors that live on from step to step besides the weights, by name.
        frozen: models that are not trained, but kept with those that are.
    """

    role: str
    kind: Kind
    training: Any
    updates: Updates
    vocabulary: tuple[str, ...]
    data: dict[str, Any]
    kept: Mapping[str, Tensor] = MappingProxyType({})
    frozen: Mapping[str, torch.nn.Module] = MappingProxyType({})

    @abstractmethod
    def prepare(self, step: int) -> np.ndarray:
        """Prepare a step, and return its rows: int64 [batch]."""

    @abstractmethod
    def evaluate(self) -> dict[str, float]:
        """Evaluate the weights on held-out examples, or return nothing if there are none."""

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:  # noqa: ARG002 (for those who select)
        """Return the merit of the weights of a step by their evaluation, or None for no model selection."""
        return None

    def demand_resumable(self, path: Path, found: Bundle) -> None:  # noqa: B027 (nothing to demand, by default)
        """Raise `RecipeError` where this course cannot go on from a checkpoint of the same settings and data."""

    def describe(self, best: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002 (for those who select)
        """Return further entries of run.json.

        `best` has the `step`, the `merit` and the number of `evaluations`.
        """
        return {}


def follow(
    course: Course,
    out: Path,
    *,
    progress: Progress,
    stop_after: float | None = None,
    place: Place = ALONE,
    tensorboard: bool = False,
    half: bool = False,
) -> dict[str, Any]:
    """Train to the end, or resume a run that was stopped, and return the contents of run.json.

    Args:
        course: what is learnt.
        out: the folder of the run.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.
        place: of this process among those that learn together under `torchrun`; the first one evaluates and writes.
        tensorboard: whether to write event files, too.
        half: whether to keep the best weights in bfloat16.

    Raises:
        RecipeError: when the folder holds another run.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
        KeyboardInterrupt: after Ctrl-C, when the step in hand is finished and saved.
    """
    deadline = None if stop_after is None else time.monotonic() + stop_after
    with (
        RunFolder(out, tensorboard=tensorboard) if place.leads else nullcontext() as folder,
        quiet_interrupt() as interrupt,
    ):
        tell = progress if place.leads else silent
        return _Loop(course, out, folder, tell, place, half=half).run(interrupt, deadline)


class _Loop:
    """The way of a course through its steps; the folder is None in processes that do not lead."""

    def __init__(
        self, course: Course, out: Path, folder: RunFolder | None, tell: Progress, place: Place, *, half: bool
    ) -> None:
        self.course, self.training, self.updates = course, course.training, course.updates
        self.out, self.folder, self.tell, self.place, self.half = out, folder, tell, place, half
        self.step, self.evaluations = 0, 0
        self.seconds, self.learning_seconds = 0.0, 0.0
        self.dev: dict[str, float] = {}
        self.best: dict[str, float] = {}
        self.legs: list[dict[str, int]] = []  # earlier ones: how many steps were wanted, and how many were taken
        self.reported: list[dict[str, Tensor]] = []  # since the last line of the log; on the device
        self.since = 0.0

    def run(self, interrupt: threading.Event, deadline: float | None) -> dict[str, Any]:
        """Take all steps that are left."""
        training = self.training
        self._resume()
        if self.step == training.steps and (self.out / RUN).exists():
            return {**rename_facts(read_json(self.out / RUN)), "was finished": True}
        self.tell(self.course.role, self.step, training.steps, "goes on" if self.step else "begins")
        self.since = time.monotonic()
        clock = self.since - self.seconds
        while self.step < training.steps:
            self._take()
            is_evaluation = self.step % training.eval_every == 0 or self.step == training.steps
            is_save = is_evaluation or bool(training.save_every and self.step % training.save_every == 0)
            is_line = is_save or self.step % training.log_every == 0
            is_late = is_line and self._agree(deadline is not None and time.monotonic() > deadline)
            stops = is_late or interrupt.is_set()
            if is_line or stops:
                self.seconds = time.monotonic() - clock
                self._log()
            if is_evaluation:
                self._evaluate()
            if is_save or stops:
                self.seconds = time.monotonic() - clock
                self._save(LAST)
                self.since = time.monotonic()
            if stops:
                break
        self.seconds = time.monotonic() - clock
        if interrupt.is_set() and self.step < training.steps:
            raise KeyboardInterrupt(
                f"stopped after {self.step:,} steps; they are kept in {self.out}, the same command goes on from there"
            )
        return self._finish()

    def _take(self) -> None:
        rows = self.course.prepare(self.step)
        self.updates(self.step, rows, self.training.lr_at(self.step))
        self.reported.append({name: value.clone() for name, value in self.updates.reported.items()})
        self.step += 1

    def _agree(self, stops: bool) -> bool:
        """Return whether to stop, as the leading process sees it."""
        if self.place.world == 1:
            return stops
        flag = torch.tensor([int(stops)], device=self.updates.device)
        distributed.broadcast(flag, 0)
        return bool(flag.item())

    def _log(self) -> None:
        """Read the values since the last line, which waits for the device, and write their means."""
        values = {
            name: torch.stack([one[name] for one in self.reported if name in one]).double().cpu().numpy()
            for name in (self.reported[-1] if self.reported else {})
        }
        seconds = max(time.monotonic() - self.since, 1e-9)
        speed = len(self.reported) * self.training.batch_size / seconds
        self.learning_seconds += seconds
        self.reported, self.since = [], time.monotonic()
        for name, some in values.items():
            self._demand_numbers(name, some)
        means = {name: float(some.mean()) for name, some in values.items()}
        if self.folder:
            self.folder.log(
                step=self.step,
                **{name: float(f"{mean:.6g}") for name, mean in means.items()},
                lr=self.training.lr_at(self.step - 1),
                seconds=round(self.seconds, 3),
                examples_per_second=round(speed, 1),
            )
        notes = [f"{name} {mean:.4f}" for name, mean in list(means.items())[:3]]
        notes += [f"dev {name} {value:.3f}" for name, value in list(self.dev.items())[:1]]
        self.tell(self.course.role, self.step, self.training.steps, ", ".join([*notes, f"{speed:,.0f} examples/s"]))

    def _demand_numbers(self, name: str, values: np.ndarray) -> None:
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            kept = self.out / LAST
            last = f"the last good checkpoint is {kept}" if kept.exists() else "there is no checkpoint yet"
            step = self.step - len(values) + int(wrong[0]) + 1
            raise DivergedTraining(
                f"the {name} of step {step:,} is {values[wrong[0]]}; {last}; a lower --lr or --clip 1 may help"
            )

    def _evaluate(self) -> None:
        """Evaluate on dev, and keep the weights that do best, of equal ones the later."""
        if not self.folder:
            return
        for model in self.updates.models.values():
            model.eval()
        found = {name: round(value, 6) for name, value in self.course.evaluate().items()}
        for model in self.updates.models.values():
            model.train()
        if not found:
            return
        self.dev = found
        self.evaluations += 1
        self.folder.log(step=self.step, dev=self.dev)
        merit = self.course.merit(self.step, self.dev)
        if merit is not None and round(merit, 6) >= self.best.get("merit", -float("inf")):
            self.best = {"merit": round(merit, 6), "step": self.step}
            self._save(BEST)

    # ------------------------------------------------------------------------ checkpoints

    def _save(self, name: str) -> None:
        """Write a checkpoint: `LAST` with what resuming needs, `BEST` with the frozen models."""
        if not self.folder:
            return
        course, memory = self.course, dict[str, "Tensor"]()
        models, weights = dict(self.updates.models), self.updates.weights()
        if name == LAST:
            for part, state in self.updates.moments():
                memory[f"{FIRST}{part}"], memory[f"{SECOND}{part}"] = state["exp_avg"], state["exp_avg_sq"]
            memory |= {f"{KEPT}{part}": tensor for part, tensor in course.kept.items()}
        else:
            models |= course.frozen
            for part, model in course.frozen.items():
                weights |= {f"{part}.{key}": value for key, value in model.state_dict().items()}
        self._write(
            name,
            Bundle(
                kind=course.kind,
                role=course.role,
                models={part: asdict(cast("Any", model).settings) for part, model in models.items()},
                vocabulary=course.vocabulary,
                training=self.training.to_dict(),
                digest=self.training.digest,
                data=course.data,
                step=self.step,
                metrics=self._metrics(),
                weights=weights,
                memory=memory,
            ),
        )

    def _write(self, name: str, bundle: Bundle) -> None:
        write_bundle(self.out / name, half_bundle(bundle) if self.half and name == BEST else bundle)

    def _metrics(self) -> dict[str, Any]:
        return {
            "dev": self.dev,
            "best": self.best,
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 3),
            "learning_seconds": round(self.learning_seconds, 3),
            **({"legs": self.legs} if self.legs else {}),
        }

    def _resume(self) -> None:
        path, course = self.out / LAST, self.course
        if path.exists():
            found = read_bundle(path, course.kind)
            self._demand_same(path, found)
            self.updates.load(found.weights)
            for name, state in self.updates.moments():
                state["exp_avg"].copy_(_memory_of(path, found, f"{FIRST}{name}"))
                state["exp_avg_sq"].copy_(_memory_of(path, found, f"{SECOND}{name}"))
                state["step"].fill_(found.step)
            for name, tensor in course.kept.items():
                tensor.copy_(_memory_of(path, found, f"{KEPT}{name}"))
            metrics = found.metrics
            self.step, self.evaluations = found.step, metrics.get("evaluations") or 0
            self.seconds = float(metrics.get("seconds") or 0.0)
            self.learning_seconds = float(metrics.get("learning_seconds") or self.seconds)
            self.dev, self.best = (_numbers_in(metrics.get(name) or {}) for name in ("dev", "best"))
            self.legs = self._earlier_legs(path, found)
        if self.folder:
            self.folder.go_on_from(self.step, self.training.to_dict())

    def _earlier_legs(self, path: Path, found: Bundle) -> list[dict[str, int]]:
        """Return the legs so far whose learning rates are not those of a run of the steps that are wanted now."""
        training = self.training
        legs = _legs_in(path, found)
        wanted = training.rename(found.training).get("steps")
        if wanted != training.steps:
            legs.append({"steps": _count(path, wanted), "until": found.step})
        while legs:
            first = legs[-2]["until"] if len(legs) > 1 else 0
            before = replace(training, steps=legs[-1]["steps"])
            if any(before.lr_at(step) != training.lr_at(step) for step in range(first, legs[-1]["until"])):
                break
            legs.pop()
        return legs

    def _demand_same(self, path: Path, found: Bundle) -> None:
        """Raise `RecipeError` unless the checkpoint belongs to the same training on the same data."""
        course, training = self.course, self.training
        other, advice = f"{self.out} holds another run", "choose another folder, or delete it"
        if found.digest != training.digest or found.role != course.role:
            differ = {"model": (found.role, course.role)} if found.role != course.role else {}
            differ = differ or training.differences(found.training) or {"digest": (found.digest, training.digest)}
            name, (there, here) = next(iter(differ.items()))
            raise RecipeError(f"{other}: {name} is {there!r} there, {here!r} here; {advice}")
        there, here = _identity(found.data), _identity(course.data)
        if there.pop(BEGINS_WITH, None) != here.pop(BEGINS_WITH, None):
            raise RecipeError(f"{other}: it began with other weights; {advice}")
        if there != here or found.vocabulary != course.vocabulary:
            raise RecipeError(f"{other}: it learns from {found.data.get('name')!r}, which is other data; {advice}")
        if found.step > training.steps:
            raise RecipeError(f"{path} has taken {found.step:,} steps already, more than {training.steps:,}")
        course.demand_resumable(path, found)
        if not found.memory:
            raise RecipeError(f"{path} holds weights alone, and no training can go on from them; {advice}")

    # ------------------------------------------------------------------------ the end

    def _finish(self) -> dict[str, Any]:
        facts = self._facts()
        if self.folder:
            if self.best:  # only now is it known out of how many evaluations it is the best
                kept = read_bundle(self.out / BEST, self.course.kind)
                self._write(BEST, replace(kept, metrics={**kept.metrics, "evaluations": self.evaluations}))
            else:
                self._save(BEST)
            write_json(self.out / RUN, facts)
        return facts

    def _facts(self) -> dict[str, Any]:
        course, training, device = self.course, self.training, self.updates.device
        examples = self.step * training.batch_size
        return {
            "format": 1,
            "kind": "run",
            "name": self.out.resolve().name,
            "model": course.role,
            "settings": training.to_dict(),
            "seed": training.seed,
            "steps": self.step,
            "steps_wanted": training.steps,
            **({"legs": [*self.legs, {"steps": training.steps, "until": self.step}]} if self.legs else {}),
            "batch_size": training.batch_size,
            "training": course.data,
            "dev": self.dev,
            **({"best": self.best} if self.best else {}),
            "parameters": {
                name: sum(one.numel() for one in model.parameters()) for name, model in self.updates.models.items()
            },
            "device": name_of(device),
            "devices": self.place.world,
            "seconds": round(self.seconds, 3),
            "learning_seconds": round(self.learning_seconds, 3),
            "examples_per_second": round(examples / self.learning_seconds, 1) if self.learning_seconds else None,
            "peak_bytes": peak_bytes(device),
            "deixis": __version__,
            "torch": str(torch.__version__),
            **course.describe({"step": self.step, "merit": None, **self.best, "evaluations": self.evaluations}),
        }


BEGINS_WITH = "begins with"


def _identity(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what data are by, apart from the name of their folder."""
    return {name: value for name, value in data.items() if name != "name" and value not in ("", None)}


def _numbers_in(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in values.items() if is_number(value)}


def _memory_of(path: Path, found: Bundle, name: str) -> Tensor:
    if name not in found.memory:
        raise BrokenCheckpoint(f"{path} lacks {name!r}, which going on needs; train it again")
    return found.memory[name]


def _legs_in(path: Path, found: Bundle) -> list[dict[str, int]]:
    """Return the legs that a checkpoint tells of; `BrokenCheckpoint` where they make no sense."""
    legs = found.metrics.get("legs", [])
    if not isinstance(legs, list) or not all(isinstance(leg, dict) for leg in legs):
        raise BrokenCheckpoint(f"{path} does not say how many steps were wanted; train it again")
    return [{name: _count(path, leg.get(name)) for name in ("steps", "until")} for leg in legs]


def _count(path: Path, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1 << 32:
        raise BrokenCheckpoint(f"{path} does not say how many steps were wanted; train it again")
    return value


# -------------------------------------------------------------------------------- order, and Ctrl-C


def passes(step: int, batch: int, total: int, seed: int) -> np.ndarray:
    """Return the rows of a step, int64 [batch]: every row once in a pass over the data, in another order each time."""
    places = np.arange(step * batch, (step + 1) * batch)
    rows = np.empty(batch, np.int64)
    for turn in np.unique(places // total):
        mine = places // total == turn
        rows[mine] = _order(total, derive(seed, "pass", int(turn)))[places[mine] % total]
    return rows


_ORDERS: dict[tuple[int, int], np.ndarray] = {}


def _order(total: int, seed: int) -> np.ndarray:
    """Return the rows in random order; the last two orders are kept."""
    if (total, seed) not in _ORDERS:
        while len(_ORDERS) > 1:
            _ORDERS.pop(next(iter(_ORDERS)))
        with np.errstate(over="ignore"):
            counter = np.arange(1, total + 1, dtype=np.uint64) * GOLDEN_WORD + np.uint64(seed)
        _ORDERS[total, seed] = np.argsort(mix_words(counter), kind="stable")
    return _ORDERS[total, seed]


@contextmanager
def quiet_interrupt() -> Iterator[threading.Event]:
    """Turn Ctrl-C into an event, so that no step is torn apart.

    Pressed again, it has its usual effect.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.getsignal(signal.SIGINT)

    def press(number: int, frame: Any) -> None:
        if pressed.is_set() and callable(before):
            before(number, frame)
        pressed.set()

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
