"""What the verbs share that train and hear speakers of rooms: `see`, `pretrain`, `play`, `say`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter, validators

from deixis.cli.printing import print_json
from deixis.errors import BrokenCheckpoint


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Above", "NotBelow", "Share", "checkpoint_of", "seconds_of", "settings_said", "tell_run"]

Above: TypeAlias = Annotated[float, Parameter(validator=validators.Number(gt=0))]
NotBelow: TypeAlias = Annotated[float, Parameter(validator=validators.Number(gte=0))]
Share: TypeAlias = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]
PERCENT = ("listener", "discriminativity")
ORDER = ("listener", "discriminativity", "efficiency", "relevance", "mentioned", "false", "words")


def checkpoint_of(name: Path) -> Path:
    """The file behind a name: a checkpoint, the best of a run folder, or one that comes with deixis."""
    from deixis.training.shipped import find_checkpoint, shipped_checkpoints

    found = find_checkpoint(name)
    if found is None:
        known = ", ".join(shipped_checkpoints())
        ours = f", nor one that comes with deixis ({known})" if known else ""
        raise BrokenCheckpoint(f"{name} is neither a checkpoint nor the folder of a run{ours}")
    return found


def settings_said(path: Path | None, said: Mapping[str, Any]) -> dict[str, Any]:
    """What a TOML file says, and what options say, which say more than it."""
    from deixis.training.settings import read_training

    changes = read_training(path) if path is not None else {}
    return changes | {name: value for name, value in said.items() if value is not None}


def seconds_of(minutes: float | None) -> float | None:
    """The same time in seconds."""
    return None if minutes is None else 60 * minutes


def tell_run(out: Path, facts: Mapping[str, Any], following: list[str], *, as_json: bool) -> None:
    """Print what came of a run, and which commands may follow."""
    was_finished = bool(facts.get("was finished"))
    left = facts["updates_wanted"] - facts["updates"]
    if as_json:
        print_json({"path": str(out), **facts, "finished": not left, "was finished": was_finished})
        return
    if was_finished:
        print(f"{out} is already trained: {facts['updates']:,} updates with the same settings; nothing to do.")
        return
    speed = f", {facts['examples_per_second']:,.0f} contexts per second" if facts["examples_per_second"] else ""
    took = f"{facts['updates']:,} updates in {facts['seconds']:,.0f} seconds{speed}"
    print(f"{facts['model']}, seed {facts['seed']}: {took}.")
    look = facts["look"]
    shown = [_measured(name, look[name]) for name in ORDER if name in look]
    if shown:
        print(f"On validation images: {', '.join(shown)}.")
    if left:
        print(f"{left:,} updates are left; the same command goes on.")
    for number, command in enumerate(following):
        print(f"{'Next:' if not number else '  or:'} {command}")


def _measured(name: str, value: float) -> str:
    return f"{name} {100 * value:.1f} %" if name in PERCENT else f"{name} {value:.2f}"
