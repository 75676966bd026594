"""Models that worlds offer for training, and the files of a run, without torch.

The part `models` of a world is a `Models`: by name, which options a model has and what trains it. Checkpoints are found
by name, by run folder or by file, and say which world they are of.

| in the folder of a run | |
|---|---|
| `run.json` | what was trained, on what, how long, and which checkpoint was chosen; written when it stops |
| `log.jsonl` | a line now and then: loss, learning rate, speed; and one for every evaluation on dev |
| `best.safetensors` | the weights that did best on dev, of equal ones the later |
| `last.safetensors` | the weights at the end, with what it takes to go on from there |
| `tensorboard/`, `wandb/` | the log once more, where it was asked for |
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

from deixis.errors import BrokenCheckpoint, BrokenDataset, RecipeError
from deixis.learn._records import TENSORBOARD, open_records, recording_to
from deixis.worlds.registry import parts_of, world_whose


if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from deixis.worlds.world import World


__all__ = [
    "BEST",
    "LAST",
    "LOG",
    "RUN",
    "Model",
    "Models",
    "Precision",
    "Progress",
    "Run",
    "RunFolder",
    "Trains",
    "checkpoint_of",
    "describe_steps",
    "files_here",
    "find_checkpoint",
    "is_word",
    "read_json",
    "recording_to",
    "rename_facts",
    "shipped_checkpoints",
    "silent",
    "world_of_checkpoint",
    "write_json",
]

RUN, LOG, LOCK = "run.json", "log.jsonl", ".lock"
BEST, LAST, SUFFIX = "best.safetensors", "last.safetensors", ".safetensors"
Precision: TypeAlias = Literal["auto", "fp32", "tf32", "bf16"]
VERDICTS = "verdicts.parquet"  # what judging leaves in a folder, which is nothing to judge


class Progress(Protocol):
    """A callback for the progress of a training."""

    def __call__(self, stage: str, done: int, total: int, note: str = "", /) -> None:
        """Report that `done` of `total` steps are taken."""


def silent(stage: str, done: int, total: int, note: str = "", /) -> None:
    """Report nothing."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A training that has stopped.

    Attributes:
        path: its folder, or its file where it leaves one file only.
        facts: what it leaves on record, as plain data; JSON output shows it.
        is_finished: whether all steps were taken; otherwise the same command goes on.
        was_finished: whether they had been taken before, so that there was nothing to do.
        lines: how it went, for people.
        following: commands that may come next.
    """

    path: Path
    facts: Mapping[str, Any]
    is_finished: bool = True
    was_finished: bool = False
    lines: tuple[str, ...] = ()
    following: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path, facts: Mapping[str, Any], **more: Any) -> Self:
        """Make a run from what `deixis.learn._loop.follow` returned."""
        is_finished = facts["steps"] == facts["steps_wanted"]
        return cls(path=path, facts=facts, is_finished=is_finished, was_finished="was finished" in facts, **more)


class Trains(Protocol):
    """A function that trains a model."""

    def __call__(
        self,
        settings: Any,
        data: Path | None,
        out: Path,
        *,
        device: str,
        progress: Progress,
        stop_after: float | None,
    ) -> Run:
        """Train, or go on with a training that was stopped.

        Args:
            settings: what `Model.options` returned.
            data: the folder of a dataset; None for a model that needs none.
            out: where the run goes.
            device: `auto`, `cpu`, `cuda`, `cuda:1`.
            progress: told how far things are.
            stop_after: seconds after which to stop; the same call goes on.
        """


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model that `deixis train` can train.

    Attributes:
        options: a function whose keyword-only parameters are the options of `deixis train NAME`, each with a line under
            Args in its docstring; it returns settings. `deixis.settings.add_options` makes one of a settings record.
        train: what trains it with these settings.
        needs_data: whether it learns from a dataset that is named by --data.
    """

    options: Callable[..., Any]
    train: Trains
    needs_data: bool = True


@dataclass(frozen=True, kw_only=True)
class Models:
    """Part `models` of a world.

    Attributes:
        models: what can be trained, by name.
        kinds: what the checkpoints of this world say that they are: the entry `kind` of their facts, see
            `deixis.learn._checkpoints`.
        shipped: checkpoints that come with the world, by name.
    """

    models: Mapping[str, Model]
    kinds: tuple[str, ...] = ()
    shipped: Mapping[str, Path] = field(default_factory=dict)

    def recognises(self, checkpoint: Path) -> bool:
        """Return whether a safetensors file declares a checkpoint of this world."""
        from deixis.learn._checkpoints import read_facts

        return read_facts(checkpoint).get("kind") in self.kinds


def describe_steps(facts: Mapping[str, Any], *, of: str, model: str = "") -> str:
    """Say in one line how many steps a run took, and how fast.

    Args:
        facts: what run.json says.
        of: what a batch consists of, in the plural: examples, contexts, expressions.
        model: what to call the model, where that is not its name.
    """
    speed = f", {facts['examples_per_second']:,.0f} {of} per second" if facts["examples_per_second"] else ""
    took = f"{facts['steps']:,} steps in {facts['seconds']:,.0f} seconds{speed}"
    return f"{model or facts['model']}, seed {facts['seed']}: {took}."


# -------------------------------------------------------------------------------- the folder of a run


class RunFolder:
    """The folder of a run during training: one process at a time, a log without gaps or repetitions.

    Args:
        path: the folder; made where there is none.
        tensorboard: whether to write event files, too.
    """

    def __init__(self, path: Path, *, tensorboard: bool = False) -> None:
        self.path = path
        self._others = (TENSORBOARD,) if tensorboard else ()
        self._records: list[Callable[[Mapping[str, Any]], None]] | None = None
        self._step, self._about = 0, dict[str, Any]()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        from deixis.data._locks import hold_lock

        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self._stack.enter_context(hold_lock(self.path / LOCK, self.path))
        except RecipeError as error:
            raise RecipeError(f"another process is training in {self.path}; wait for it or choose another") from error
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # whoever waits for the lock looks whether it is still the one in the folder
            (self.path / LOCK).unlink()
        self._stack.close()

    def go_on_from(self, step: int, about: Mapping[str, Any] | None = None) -> None:
        """Drop the log lines of later steps, which will be taken again.

        Args:
            step: the number of steps that were taken.
            about: the settings of the training, for records that show them.
        """
        from deixis.data.store import replacing_file

        path = self.path / LOG
        if path.exists():
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
            kept = [line for line in lines if line.endswith("\n") and _step_of(line) <= step]
            if kept != lines:
                with replacing_file(path) as draft:
                    draft.write_text("".join(kept), encoding="utf-8")
        self._step, self._about = step, dict(about or {})

    def log(self, **values: Any) -> None:
        """Add a line to the log."""
        with (self.path / LOG).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(values, allow_nan=False) + "\n")
        if self._records is None:  # a run that is finished already has nothing to record
            self._records = open_records(self.path, self._step, self._stack, others=self._others, about=self._about)
        for record in self._records:
            record(values)


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON file that takes its name only when it is whole."""
    from deixis.data.store import replacing_file

    with replacing_file(path) as draft:
        draft.write_text(json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read such a file.

    Raises:
        BrokenDataset: when it holds no JSON object.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} is no JSON: {str(error)[:80]}; delete it") from error
    if not isinstance(values, dict):
        raise BrokenDataset(f"{path} holds no JSON object; delete it")
    return values


_EARLIER = {
    "updates": "steps",
    "updates_wanted": "steps_wanted",
    "batch": "batch_size",
    "update": "step",
    "rate": "lr",
    "look": "dev",
    "looks": "evaluations",
    "best_update": "best_step",
}


def rename_facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what run.json or a line of log.jsonl says, with names of earlier versions replaced by those of today.

    Settings, sizes and results inside are left alone.
    """
    found = {_EARLIER.get(name, name): value for name, value in values.items()}
    for name in ("selection", "best"):
        if isinstance(found.get(name), dict):
            found[name] = rename_facts(found[name])
    if isinstance(legs := found.get("legs"), list):
        found["legs"] = [rename_facts(leg) if isinstance(leg, dict) else leg for leg in legs]
    return found


def _step_of(line: str) -> float:
    try:
        return float(rename_facts(json.loads(line))["step"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return float("inf")  # no line of a log: it goes


# -------------------------------------------------------------------------------- where checkpoints are


def find_checkpoint(name: Path) -> Path | None:
    """Return the checkpoint of a name: a safetensors file, the best of a run folder, or one that comes with a world.

    None where it is something else. A folder that is called like such a checkpoint does not hide it, unless it holds
    something to judge itself; then nobody knows which is meant.

    Raises:
        BrokenCheckpoint: when it is a run folder that has no checkpoint to judge yet, or a name with two meanings.
    """
    if is_word(name, shipped := shipped_checkpoints()):
        return shipped[str(name)]
    if name.is_dir():
        if (name / BEST).is_file():
            return name / BEST
        if (name / LAST).is_file():
            raise BrokenCheckpoint(f"{name} has no {BEST} yet; go on training, or name {name / LAST} itself")
        return None
    return name if name.suffix == SUFFIX else None


def checkpoint_of(name: Path | str, *, world: str = "") -> Path:
    """Return the checkpoint of a name, or raise `BrokenCheckpoint` if there is none.

    Args:
        name: as for `find_checkpoint`; of a text, one that begins with ./ is that of a file or folder here.
        world: whose checkpoints a complaint should name; those of all worlds by default.
    """
    if isinstance(name, str):
        name = Path(name).absolute() if name.startswith(("./", ".\\")) else Path(name)
    found = find_checkpoint(name)
    if found is None:
        known = ", ".join(shipped_checkpoints(world))
        ours = f", nor one that comes with deixis ({known})" if known else ""
        raise BrokenCheckpoint(f"{name} is neither a checkpoint nor the folder of a run{ours}")
    return found


def world_of_checkpoint(checkpoint: Path) -> World:
    """Return the world of a safetensors file, or raise `BrokenCheckpoint` if no world knows it."""
    found = world_whose("models", lambda models: models.recognises(checkpoint))
    if found is not None:
        return found
    raise BrokenCheckpoint(f"{checkpoint} is a checkpoint of no world that is installed here")


def is_word(name: Path, words: Collection[str]) -> bool:
    """Tell whether a name is one of some words, rather than that of a file or folder.

    Raises:
        BrokenCheckpoint: when it is a word, and a folder of that name holds something to judge, too.
    """
    if str(name) not in words:
        return False
    plans = any(path.name != VERDICTS for path in name.glob("*.parquet"))
    if plans or name.is_file() or any((name / kept).exists() for kept in (BEST, LAST)):
        raise BrokenCheckpoint(
            f"{name} comes with deixis, and is something here as well; write ./{name} for what is here, or rename it"
        )
    return True


def shipped_checkpoints(world: str = "") -> dict[str, Path]:
    """Return the checkpoints that come with a world, or with any, by name, if their files are there."""
    chosen = [models for one, models in parts_of("models") if world in ("", one.name)]
    return {name: path for models in chosen for name, path in models.shipped.items() if path.is_file()}


def files_here(*names: str) -> dict[str, Path]:
    """Return where the checkpoints of these names lie in the package."""
    folder = Path(str(files("deixis"))) / "checkpoints"
    return {name: folder / f"{name}{SUFFIX}" for name in names}
