"""Weights on disk, with everything that tells where they come from: safetensors, so that reading one runs no code.

A file holds the weights under their names in the model and, where a training can go on from it, what Adam remembers of
each under `first/NAME` and `second/NAME`. The metadata key `deixis` holds facts as JSON, see `Checkpoint`. A file takes
its name only when it is whole, so whatever happens while one is written, the one before it stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from deixis._version import __version__
from deixis.errors import BrokenCheckpoint, DeixisError
from deixis.learn.checkpoints import FIRST, SECOND, demand_shapes, read_tensors, write_tensors
from deixis.worlds.grid.models.registry import build


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.worlds.grid.models.policy import Policy


__all__ = [
    "Checkpoint",
    "half_checkpoint",
    "load_model",
    "read_checkpoint",
    "write_checkpoint",
]

FORMAT, KIND = 1, "checkpoint"


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A model after so many updates.

    Attributes:
        model: its name; settings: its sizes, all of them.
        vocabulary: the words it knows, in the order of their numbers.
        cells, channels: of the grids it sees.
        training: the record of its training, `Training.to_dict`; digest: of that record.
        data: what it was trained on: name, digest, split, examples, patterns, random_only and mode.
        update: how many updates it has seen.
        metrics: how it did: loss, exact (match on dev), looks, best, best_update, dev_examples, seconds and so on.
        weights: by name.
        memory: what Adam remembers, by name; empty where no training is to go on from here.
    """

    model: str
    settings: Mapping[str, Any]
    vocabulary: tuple[str, ...]
    cells: int
    channels: int
    training: Mapping[str, Any]
    digest: str
    data: Mapping[str, Any]
    update: int
    metrics: Mapping[str, Any]
    weights: Mapping[str, Tensor] = field(repr=False)
    memory: Mapping[str, Tensor] = field(default_factory=dict, repr=False)
    deixis: str = __version__
    torch: str = str(torch.__version__)

    @property
    def selection(self) -> str:
        """How it was chosen among the checkpoints of its training."""
        looks, examples = self.metrics.get("looks", 0), self.metrics.get("dev_examples", 0)
        if not looks:
            return "none; the last update"
        return f"dev exact match, best of {looks:,} looks at {examples:,} in-distribution examples"

    def facts(self) -> dict[str, Any]:
        """Everything but the tensors, as plain data."""
        named = {name: getattr(self, name) for name in _FIELDS}
        return {"format": FORMAT, "kind": KIND, **named, "vocabulary": list(self.vocabulary)}


_FIELDS: dict[str, type] = {
    "model": str,
    "settings": dict,
    "vocabulary": list,
    "cells": int,
    "channels": int,
    "training": dict,
    "digest": str,
    "data": dict,
    "update": int,
    "metrics": dict,
    "deixis": str,
    "torch": str,
}


# -------------------------------------------------------------------------------- writing


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; the file before it stays until this one is whole.

    Raises:
        DivergedTraining: when a weight is no number; nothing is written then.
        OSError: when the disk is full or cannot be written to; the file before it is as it was.
    """
    tensors = {**checkpoint.weights, **checkpoint.memory}
    write_tensors(path, checkpoint.facts(), tensors, update=checkpoint.update)


def half_checkpoint(checkpoint: Checkpoint) -> Checkpoint:
    """The same with its weights in bfloat16, at half the size, and without what Adam remembers."""
    weights = {
        name: tensor.to(torch.bfloat16) if tensor.is_floating_point() else tensor
        for name, tensor in checkpoint.weights.items()
    }
    return replace(checkpoint, weights=weights, memory={})


# -------------------------------------------------------------------------------- reading


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a file, in float32 and on the CPU.

    Raises:
        BrokenCheckpoint: when the file is missing, is no safetensors file, was not written by deixis, or holds other
            weights than its model has.
    """
    facts, tensors = read_tensors(path, kind=KIND, version=FORMAT, fields=_FIELDS)
    memory = {name: tensor for name, tensor in tensors.items() if name.startswith((FIRST, SECOND))}
    weights = {name: tensor for name, tensor in tensors.items() if name not in memory}
    values = {name: facts[name] for name in _FIELDS}
    found = Checkpoint(
        **{**values, "vocabulary": tuple(values["vocabulary"])},
        weights={name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in weights.items()},
        memory=memory,
    )
    _demand_fit(path, found)
    return found


def load_model(checkpoint: Checkpoint, device: torch.device) -> Policy:
    """The model of a checkpoint on a device, ready to say plans."""
    model = build(checkpoint.model, checkpoint.settings, len(checkpoint.vocabulary))
    model.load_state_dict(dict(checkpoint.weights))
    return model.to(device).eval()


def _demand_fit(path: Path, found: Checkpoint) -> None:
    """An error unless the weights are those of the model, and Adam's memory, if there is one, is of these weights."""
    try:
        with torch.device("meta"):  # shapes only: nothing of the size that a file claims is ever allocated
            model = build(found.model, found.settings, len(found.vocabulary))
    except DeixisError as error:
        raise BrokenCheckpoint(f"{path} is of a model that this version cannot build: {error}") from error
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    learnt = {name: wanted[name] for name, parameter in model.named_parameters() if parameter.requires_grad}
    demand_shapes(path, found.model, wanted, found.weights)
    if found.memory:
        both = {f"{part}{name}": shape for part in (FIRST, SECOND) for name, shape in learnt.items()}
        demand_shapes(path, found.model, both, found.memory)
    if found.channels != model.channels:
        raise BrokenCheckpoint(f"{path} says {found.channels} channels, but its {found.model} sees {model.channels}")
