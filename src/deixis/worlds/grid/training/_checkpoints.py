"""Checkpoints of models that carry out instructions: which models there are, and the layout of earlier versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch

from deixis.errors import BrokenCheckpoint, DeixisError
from deixis.learn._checkpoints import Bundle, Kind, read_bundle
from deixis.worlds.grid.models.registry import build


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.worlds.grid.models.policy import Policy


EARLIER = "checkpoint"  # what files of version 0.1 say that they are


def read_checkpoint(path: Path) -> Bundle:
    """Read a checkpoint of this or an earlier version, in float32 and on the CPU.

    Raises:
        BrokenCheckpoint: when the file is missing, damaged, of another kind, or holds other weights than it says.
    """
    found = read_bundle(path, GRID)
    if len(found.models) != 1 or not all(isinstance(found.data.get(name), int) for name in ("cells", "channels")):
        raise BrokenCheckpoint(f"{path} does not say one model and the grids that it sees; train it again")
    name = name_in(found)
    with torch.device("meta"):
        sees = _build(name, found.models[name], found.vocabulary).channels
    if found.data["channels"] != sees:
        raise BrokenCheckpoint(f"{path} says {found.data['channels']} channels, but its {name} sees {sees}")
    return found


def load_model(checkpoint: Bundle, device: torch.device) -> Policy:
    """Return the model of a checkpoint on a device, ready to say plans."""
    return cast("Policy", checkpoint.model(name_in(checkpoint), device))


def name_in(checkpoint: Bundle) -> str:
    """Return the name of the model in a checkpoint."""
    return next(iter(checkpoint.models))


def selection_of(checkpoint: Bundle) -> str:
    """Return how a checkpoint was chosen among those of its training."""
    count, examples = checkpoint.metrics.get("evaluations"), checkpoint.metrics.get("dev", {}).get("examples", 0)
    if not count:
        return "none; the last checkpoint"
    return f"dev exact match, best of {count:,} evaluations on {examples:,} in-distribution examples"


def _build(name: str, settings: Mapping[str, Any], vocabulary: tuple[str, ...]) -> Policy:
    try:
        return build(name, settings, vocabulary)
    except DeixisError as error:
        raise BrokenCheckpoint(str(error)) from error


def _convert(facts: dict[str, Any]) -> dict[str, Any]:
    """Turn the facts of version 0.1 into those of a bundle."""
    name, data, metrics = str(facts.get("model")), facts.get("data"), facts.get("metrics")
    if isinstance(data, dict):
        data = {**data, **{key: facts.get(key) for key in ("cells", "channels")}}
    if isinstance(metrics, dict):
        exact, best = metrics.get("exact"), metrics.get("best")
        metrics = {
            **{key: metrics.get(key) for key in ("seconds", "learning_seconds")},
            "evaluations": metrics.get("looks"),
            "dev": {} if exact is None else {"exact": exact, "examples": metrics.get("dev_examples")},
            "best": {"merit": best, "step": metrics.get("best_update")} if metrics.get("looks") else {},
        }
    return {
        **facts,
        "role": name,
        "models": {name: facts.get("settings")},
        "data": data,
        "step": facts.get("update"),
        "metrics": metrics,
    }


GRID = Kind("grid", "checkpoint of a model that carries out instructions", _build, earlier=EARLIER, convert=_convert)
