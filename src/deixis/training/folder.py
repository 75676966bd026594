"""What a training leaves in its folder.

| in the folder | |
|---|---|
| `run.json` | what was trained, on what, how long, and which checkpoint was chosen; written when it stops |
| `log.jsonl` | a line now and then: loss, learning rate, speed; and one for every look at dev |
| `best.safetensors` | the weights that did best on dev, of equal ones the later |
| `last.safetensors` | the weights at the end, with what it takes to go on from there |
| `tensorboard/` | the log once more, where it was asked for |
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

from deixis.datasets.locks import hold_lock
from deixis.datasets.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


__all__ = ["LOG", "RUN", "RunFolder", "read_json", "write_json"]

RUN, LOG, LOCK, EVENTS = "run.json", "log.jsonl", ".lock", "tensorboard"


class RunFolder:
    """The folder of a run while it is trained: one process at a time, a log without gaps or repetitions.

    Args:
        path: the folder; made where there is none.
        tensorboard: whether to write event files, too.
    """

    def __init__(self, path: Path, *, tensorboard: bool = False) -> None:
        self.path = path
        self._tensorboard = tensorboard
        self._events: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
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

    def go_on_from(self, update: int) -> None:
        """Forget what the log says of later updates: it will be said again."""
        path = self.path / LOG
        if path.exists():
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
            kept = [line for line in lines if line.endswith("\n") and _update_of(line) <= update]
            if kept != lines:
                with replacing_file(path) as draft:
                    draft.write_text("".join(kept), encoding="utf-8")
        if self._tensorboard:
            self._events = self._stack.enter_context(_event_writer(self.path / EVENTS, update))

    def log(self, **values: Any) -> None:
        """Add a line to the log."""
        with (self.path / LOG).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(values, allow_nan=False) + "\n")
        if self._events is not None:
            for name, value in _flat(values):
                if name != "update":
                    self._events.add_scalar(name, value, values["update"])


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON file that takes its name only when it is whole."""
    with replacing_file(path) as draft:
        draft.write_text(json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """What such a file says.

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


def _update_of(line: str) -> float:
    try:
        return float(json.loads(line)["update"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return float("inf")  # no line of ours: it goes


def _flat(values: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name, value in values.items():
        pairs += _flat(value, f"{before}{name}/") if isinstance(value, dict) else [(f"{before}{name}", value)]
    return pairs


def _event_writer(folder: Path, update: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise RecipeError("--tensorboard needs the package tensorboard; install it or leave the option out") from error
    return SummaryWriter(str(folder), purge_step=update + 1)
