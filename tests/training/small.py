"""Trainings that take a second."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from safetensors.torch import load_file

from deixis.learn._updates import Updates
from deixis.worlds.grid.training._losses import PlanLoss
from deixis.worlds.grid.training.settings import training_of


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from torch import Tensor

    from deixis.worlds.grid.models.policy import Policy
    from deixis.worlds.grid.training._data import DeviceData
    from deixis.worlds.grid.training.settings import Training


SIZES: dict[str, dict[str, Any]] = {
    "m-lstm": {"width": 8, "word_width": 4, "filters": 4, "kernels": [1, 3]},
    "gcn-lstm": {"width": 8, "word_width": 4, "rounds": 2, "kernels": [1, 3]},
    "program": {"width": 8, "pair": 4, "hidden": 8},
    "transformer": {"width": 8, "heads": 2, "hidden": 8, "blocks": 1, "decoder_layers": 1},
}
WITHOUT_DROPOUT = {"word_dropout": 0.0, "action_dropout": 0.0, "cell_dropout": 0.0}


def small(model: str = "m-lstm", **changes: Any) -> Training:
    """A training of a small model: twelve updates of six examples, an evaluation after every four."""
    sizes = SIZES[model] | changes.pop("settings", {})
    said = {
        "steps": 12,
        "batch_size": 6,
        "lr": 0.01,
        "eval_every": 4,
        "dev_examples": 5,
        "decode_limit": 20,
        "save_every": 2,
        "log_every": 3,
        "seed": 1,
    }
    return training_of(model, {**said, **changes, "settings": sizes})


def weights(path: Path) -> dict[str, Tensor]:
    """All tensors of a checkpoint, named as in the model."""
    return {
        re.sub(r"(^|/)(m-lstm|gcn-lstm|program|transformer)\.", r"\1", name): one
        for name, one in load_file(path).items()
    }


def stepping(model: Policy, data: DeviceData, *, batch_size: int, **how: Any) -> tuple[Updates, Callable[..., None]]:
    """What takes steps of a model that says plans, and a function that takes one of some rows and a width."""
    loss = PlanLoss(model, data, examples=batch_size, pointing=how.pop("pointing", 0.0))
    updates = Updates({"model": model}, data.words.device, loss, batch_size=batch_size, **{"clip": 0.0, **how})

    def take(step: int, rows: np.ndarray, width: int, lr: float, tokens: int) -> None:
        loss.prepare(width, tokens)
        updates(step, rows, lr)

    return updates, take


def are_equal(one: Path, other: Path) -> bool:
    """Whether two checkpoints hold exactly the same numbers."""
    ours, theirs = weights(one), weights(other)
    return ours.keys() == theirs.keys() and all(bool((ours[name] == theirs[name]).all()) for name in ours)
