"""What is told of a training beside `log.jsonl`: event files for TensorBoard, and runs of Weights & Biases.

    >>> with recording_to("wandb"):  # doctest: +SKIP
    ...     train(dataset, training, "runs/first")

Weights & Biases needs no account: without one, or with WANDB_MODE=offline, a run is written to the folder of the
training, and `wandb sync` sends it later. WANDB_PROJECT and the other variables of the package have their meaning.
"""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from netrc import NetrcParseError, netrc
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from deixis.errors import RecipeError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import ExitStack
    from pathlib import Path


TENSORBOARD, WANDB = "tensorboard", "wandb"  # names of the packages, of the extras, and of the folders
PLACE = "https://api.wandb.ai"
_chosen: ContextVar[tuple[str, ...]] = ContextVar("records", default=())


@contextmanager
def recording_to(*names: str) -> Iterator[None]:
    """Record the trainings of a block in further ways.

    Args:
        names: `tensorboard` and `wandb`.

    Raises:
        RecipeError: when the package is not installed.
        UnknownName: when there is no such way.
    """
    for name in names:
        if name not in (TENSORBOARD, WANDB):
            raise UnknownName(f"trainings are not recorded as {name[:40]!r}; known: {TENSORBOARD}, {WANDB}")
        demand_package(name)
    token = _chosen.set(tuple(dict.fromkeys(names)))
    try:
        yield
    finally:
        _chosen.reset(token)


def demand_package(name: str) -> None:
    """Raise `RecipeError` unless a package is installed."""
    if find_spec(name) is None:
        raise RecipeError(
            f"to record a training for {name} needs the package {name}; "
            f"install it with: python -m pip install 'deixis[{name}]'"
        )


def open_records(
    folder: Path, step: int, stack: ExitStack, *, others: Sequence[str] = (), about: Mapping[str, Any]
) -> list[Callable[[Mapping[str, Any]], None]]:
    """Return what is to be called with every line of the log.

    Args:
        folder: of the run.
        step: from which the training goes on.
        stack: closes what is opened.
        others: further ways than those of `recording_to`.
        about: the settings of the training.
    """
    chosen = dict.fromkeys((*others, *_chosen.get()))
    known = {TENSORBOARD: _open_events, WANDB: _open_run}
    return [known[name](folder, step, stack, about) for name in chosen]


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of a line of the log by names such as `dev/exact`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= flat(value, f"{before}{name}/") if isinstance(value, dict) else {f"{before}{name}": value}
    return found


def _open_events(
    folder: Path, step: int, stack: ExitStack, about: Mapping[str, Any]
) -> Callable[[Mapping[str, Any]], None]:
    del about
    demand_package(TENSORBOARD)
    from torch.utils.tensorboard import SummaryWriter

    writer: Any = stack.enter_context(SummaryWriter(str(folder / TENSORBOARD), purge_step=step + 1))

    def record(values: Mapping[str, Any]) -> None:
        for name, value in flat(values).items():
            if name != "step":
                writer.add_scalar(name, value, values["step"])

    return record


def _open_run(
    folder: Path, step: int, stack: ExitStack, about: Mapping[str, Any]
) -> Callable[[Mapping[str, Any]], None]:
    demand_package(WANDB)
    import wandb

    run: Any = wandb.init(
        project=os.environ.get("WANDB_PROJECT", "deixis"),
        name=os.environ.get("WANDB_NAME", folder.name),
        id=os.environ.get("WANDB_RUN_ID") or _kept_id(folder, is_new=not step),
        dir=str(folder),
        config=dict(about),
        resume="allow",  # a training that goes on is the same run
        mode=None if "WANDB_MODE" in os.environ or _has_account() else "offline",
        settings=wandb.Settings(silent=True, console="off", disable_git=True),
    )
    stack.callback(run.finish)
    run.define_metric("*", step_metric="step")  # steps that are taken again do not count as going back

    def record(values: Mapping[str, Any]) -> None:
        run.log(flat(values))

    return record


def _kept_id(folder: Path, *, is_new: bool) -> str:
    """The id of the run, under which it goes on."""
    path = folder / WANDB / "id"
    if not is_new and path.is_file():
        return path.read_text(encoding="utf-8").strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(found := secrets.token_hex(4), encoding="utf-8")
    return found


def _has_account() -> bool:
    """Whether somebody is signed in, as `wandb login` leaves it."""
    if os.environ.get("WANDB_API_KEY"):
        return True
    place = urlsplit(os.environ.get("WANDB_BASE_URL", PLACE)).hostname or ""
    try:
        return netrc(os.environ.get("NETRC")).authenticators(place) is not None
    except (OSError, NetrcParseError):
        return False
