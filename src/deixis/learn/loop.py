"""The loop of a course: updates, looks, checkpoints; stopped anywhere, it goes on as if nothing had happened.

The rows of an update and its chance follow from the seed and its number alone, so a checkpoint is all that it takes.
The rate depends on how many updates are wanted. A course that goes on with another number of them, after the rate has
fallen, has had other rates than one that wanted that number from the beginning: its legs are kept and told.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import torch

from deixis._version import __version__
from deixis.errors import BrokenCheckpoint, DivergedTraining, RecipeError
from deixis.learn.checkpoints import FIRST, KEPT, SECOND, Bundle, Kind, read_bundle, write_bundle
from deixis.learn.devices import name_of, peak_bytes
from deixis.learn.run import BEST, LAST, RUN, RunFolder, read_json, rename_facts, write_json
from deixis.seeds import derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.learn.updates import Updates


__all__ = ["Course", "How", "follow", "passes", "quiet_interrupt"]


class How(Protocol):
    """The settings of a course: a record of `deixis.settings`."""

    seed: int
    steps: int
    batch_size: int
    eval_every: int
    log_every: int
    save_every: int

    @property
    def digest(self) -> str:
        """Identify how weights are trained."""

    def lr_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""


class Course(Protocol):
    """Something to be learnt.

    Attributes:
        role: what is learnt, e.g. `captioning` or `game`.
        kind: of its files.
        updates: what takes them.
        vocabulary: the words.
        data: which images, seen through which encoder, and whatever else the outcome depends on.
        rows: how many there are to learn from.
        kept: tensors that live on from update to update beside the weights, by name.
        others: models that are kept with those that learn, but do not learn.
    """

    role: str
    kind: Kind
    updates: Updates
    vocabulary: tuple[str, ...]
    data: dict[str, Any]
    rows: int
    kept: dict[str, Tensor]
    others: dict[str, torch.nn.Module]

    @property
    def how(self) -> Any:
        """The settings, see `How`."""

    def look(self) -> dict[str, float]:
        """How well it goes on images that are not learnt from."""

    def before(self, update: int) -> None:
        """Told which update comes next."""

    def merit(self, update: int, seen: Mapping[str, float]) -> float | None:
        """How good the weights are by what a look has seen, so that the best are kept; None where the last count."""


def follow(
    course: Course,
    out: Path,
    *,
    progress: Progress,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Follow a course to its end, or go on with it; what run.json says then.

    Raises:
        RecipeError: when the folder holds another run.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
        KeyboardInterrupt: after Ctrl-C, when the update in hand is finished and saved.
    """
    start = time.monotonic()
    deadline = None if stop_after is None else start + stop_after
    with RunFolder(out) as folder, quiet_interrupt() as interrupt:
        return _Follower(course, out, folder, progress).run(interrupt, deadline)


class _Follower:
    def __init__(self, course: Course, out: Path, folder: RunFolder, tell: Progress) -> None:
        self.course, self.out, self.folder, self.tell = course, out, folder, tell
        self.update, self.seconds = 0, 0.0
        self.seen: dict[str, float] = {}
        self.best: dict[str, float] = {}
        self.legs: list[dict[str, int]] = []  # earlier ones: of how many updates wanted, and until which they went
        self.losses: list[dict[str, Tensor]] = []

    def run(self, interrupt: threading.Event, deadline: float | None) -> dict[str, Any]:
        how = self.course.how
        self._resume()
        if self.update == how.steps and (self.out / RUN).exists():
            return {**rename_facts(read_json(self.out / RUN)), "was finished": True}
        self.tell(self.course.role, self.update, how.steps, "goes on" if self.update else "begins")
        clock = time.monotonic() - self.seconds
        while self.update < how.steps:
            self._take()
            is_look = self.update % how.eval_every == 0 or self.update == how.steps
            is_save = is_look or self.update % how.save_every == 0
            is_told = is_save or self.update % how.log_every == 0
            stops = interrupt.is_set() or (is_told and deadline is not None and time.monotonic() > deadline)
            if is_told or stops:
                self.seconds = time.monotonic() - clock
                self._log()
            if is_look:
                self._look()
            if is_save or stops:
                self.seconds = time.monotonic() - clock
                self._save(LAST, with_memory=True)
            if stops:
                break
        self.seconds = time.monotonic() - clock
        if interrupt.is_set() and self.update < how.steps:
            raise KeyboardInterrupt(
                f"stopped after {self.update:,} steps; they are kept in {self.out}, the same command goes on"
            )
        if not self.best:
            self._save(BEST, with_memory=False)
        facts = self._facts()
        write_json(self.out / RUN, facts)
        return facts

    def _take(self) -> None:
        course, how = self.course, self.course.how
        course.before(self.update)
        rows = passes(self.update, how.batch_size, course.rows, how.seed)
        course.updates(self.update, rows, how.lr_at(self.update))
        self.losses.append({name: value.clone() for name, value in course.updates.told.items()})
        self.update += 1

    def _log(self) -> None:
        names = list(self.losses[-1]) if self.losses else []
        means = {
            name: float(torch.stack([one[name] for one in self.losses if name in one]).double().mean())
            for name in names
        }
        self.losses = []
        wrong = [name for name, value in means.items() if not isfinite(value)]
        if wrong:
            kept = self.out / LAST
            last = f"the last good checkpoint is {kept}" if kept.exists() else "there is no checkpoint yet"
            raise DivergedTraining(
                f"the {wrong[0]} is no longer a number before step {self.update:,}; {last}; "
                "a lower --lr or --clip 1 may help"
            )
        rounded = {name: round(value, 6) for name, value in means.items()}
        self.folder.log(step=self.update, **rounded, seconds=round(self.seconds, 3))
        note = ", ".join(f"{name} {value:.3f}" for name, value in list(means.items())[:3])
        self.tell(self.course.role, self.update, self.course.how.steps, note)

    def _look(self) -> None:
        for model in self.course.updates.models.values():
            model.eval()
        self.seen = {name: round(value, 6) for name, value in self.course.look().items()}
        for model in self.course.updates.models.values():
            model.train()
        self.folder.log(step=self.update, dev=self.seen)
        merit = self.course.merit(self.update, self.seen)
        if merit is not None and merit > self.best.get("merit", -1.0):
            self.best = {"merit": round(merit, 6), "step": self.update}
            self._save(BEST, with_memory=False)

    def _resume(self) -> None:
        path, course = self.out / LAST, self.course
        if path.exists():
            found = read_bundle(path, course.kind)
            self._demand_same(path, found)
            with torch.no_grad():
                for name, model in course.updates.models.items():
                    model.load_state_dict(_part(found.weights, f"{name}."))
                for name, state in course.updates.memory():
                    state["exp_avg"].copy_(found.memory[f"{FIRST}{name}"])
                    state["exp_avg_sq"].copy_(found.memory[f"{SECOND}{name}"])
                    state["step"].fill_(found.update)
                for name, tensor in course.kept.items():
                    tensor.copy_(found.memory[f"{KEPT}{name}"])
            self.update, self.seconds = found.update, float(found.metrics.get("seconds", 0.0))
            self.seen = dict(found.metrics.get("look", {}))
            self.best = rename_facts(found.metrics.get("best", {}))
            self.legs = self._earlier_legs(path, found)
        self.folder.go_on_from(self.update)

    def _earlier_legs(self, path: Path, found: Bundle) -> list[dict[str, int]]:
        """The legs of the way so far whose rates are not those of a course of the updates that are wanted now."""
        how = self.course.how
        legs = _legs_in(path, found)
        wanted = how.rename(found.training).get("steps")
        if wanted != how.steps:
            legs.append({"steps": _count(path, wanted), "until": found.update})
        while legs:
            first = legs[-2]["until"] if len(legs) > 1 else 0
            before = replace(how, steps=legs[-1]["steps"])
            if any(before.lr_at(update) != how.lr_at(update) for update in range(first, legs[-1]["until"])):
                break
            legs.pop()
        return legs

    def _demand_same(self, path: Path, found: Bundle) -> None:
        course = self.course
        same = found.role == course.role and found.digest == course.how.digest and found.data == course.data
        if not same:
            raise RecipeError(
                f"{self.out} holds another run ({found.role}, {_differs(found, course)}); choose another folder"
            )
        if found.update > course.how.steps:
            raise RecipeError(f"{path} has taken {found.update:,} steps already, {course.how.steps:,} are asked for")

    def _save(self, name: str, *, with_memory: bool) -> None:
        course = self.course
        memory: dict[str, Tensor] = {}
        if with_memory:
            for part, state in course.updates.memory():
                memory[f"{FIRST}{part}"], memory[f"{SECOND}{part}"] = state["exp_avg"], state["exp_avg_sq"]
            memory |= {f"{KEPT}{part}": tensor for part, tensor in course.kept.items()}
        models = {**course.updates.models, **({} if with_memory else course.others)}
        bundle = Bundle(
            kind=course.kind,
            role=course.role,
            models={part: asdict(cast("Any", model).settings) for part, model in models.items()},
            vocabulary=course.vocabulary,
            training=course.how.to_dict(),
            digest=course.how.digest,
            data=course.data,
            update=self.update,
            metrics={
                "look": self.seen,
                "best": self.best,
                "seconds": round(self.seconds, 3),
                **({"legs": self.legs} if self.legs else {}),
            },
            weights={
                f"{part}.{key}": value for part, model in models.items() for key, value in model.state_dict().items()
            },
            memory=memory,
        )
        write_bundle(self.out / name, bundle)

    def _facts(self) -> dict[str, Any]:
        course, how = self.course, self.course.how
        parameters = {name: sum(one.numel() for one in m.parameters()) for name, m in course.updates.models.items()}
        device = course.updates.device
        return {
            "format": 1,
            "kind": "run",
            "name": self.out.resolve().name,
            "model": course.role,
            "settings": how.to_dict(),
            "seed": how.seed,
            "steps": self.update,
            "steps_wanted": how.steps,
            **({"legs": [*self.legs, {"steps": how.steps, "until": self.update}]} if self.legs else {}),
            "batch_size": how.batch_size,
            "training": course.data,
            "dev": self.seen,
            **({"best": self.best} if self.best else {}),
            "parameters": parameters,
            "device": name_of(device),
            "seconds": round(self.seconds, 3),
            "examples_per_second": round(self.update * how.batch_size / self.seconds, 1) if self.seconds else None,
            "peak_bytes": peak_bytes(device),
            "deixis": __version__,
            "torch": str(torch.__version__),
        }


def _legs_in(path: Path, found: Bundle) -> list[dict[str, int]]:
    """The legs that a checkpoint tells of; `BrokenCheckpoint` where they cannot be."""
    legs = found.metrics.get("legs", [])
    if not isinstance(legs, list) or not all(isinstance(leg, dict) for leg in legs):
        raise BrokenCheckpoint(f"{path} does not say how many steps were wanted; train it again")
    return [{name: _count(path, rename_facts(leg).get(name)) for name in ("steps", "until")} for leg in legs]


def _count(path: Path, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1 << 32:
        raise BrokenCheckpoint(f"{path} does not say how many steps were wanted; train it again")
    return value


def _part(weights: Mapping[str, Tensor], start: str) -> dict[str, Tensor]:
    return {name[len(start) :]: value for name, value in weights.items() if name.startswith(start)}


def _differs(found: Bundle, course: Course) -> str:
    for name, (there, here) in course.how.differences(found.training).items():
        return f"with {name} {there!r}, not {here!r}"
    return "of other data" if found.data != course.data else "of another kind"


# -------------------------------------------------------------------------------- order, and Ctrl-C


def passes(update: int, batch: int, total: int, seed: int) -> np.ndarray:
    """The rows of an update: every row once in a pass over the data, in another order each time: int64 [batch]."""
    places = np.arange(update * batch, (update + 1) * batch)
    rows = np.empty(batch, np.int64)
    for turn in np.unique(places // total):
        mine = places // total == turn
        rows[mine] = _order(total, derive(seed, "pass", int(turn)))[places[mine] % total]
    return rows


_KEPT: dict[tuple[int, int], np.ndarray] = {}


def _order(total: int, seed: int) -> np.ndarray:
    """The rows in random order; the last two orders are kept."""
    if (total, seed) not in _KEPT:
        while len(_KEPT) > 1:
            _KEPT.pop(next(iter(_KEPT)))
        with np.errstate(over="ignore"):
            counter = np.arange(1, total + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        _KEPT[total, seed] = np.argsort(mix_words(counter), kind="stable")
    return _KEPT[total, seed]


@contextmanager
def quiet_interrupt() -> Iterator[threading.Event]:
    """Ctrl-C as an event, so that no update is torn apart; pressed again, it does what it did before."""
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
