"""Devices: a CPU, a GPU, or several GPUs at once under `torchrun`."""

from __future__ import annotations

import os
import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

import torch
from torch import distributed

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.learn.run import Precision


__all__ = ["Place", "compute_with", "find_device", "multiplying_in", "name_of", "peak_bytes", "spread", "use_threads"]


class Place(NamedTuple):
    """The place of a process: its rank, how many there are, and its rank on this machine."""

    rank: int = 0
    world: int = 1
    local: int = 0

    @property
    def leads(self) -> bool:
        """True if this process evaluates, writes and reports."""
        return self.rank == 0


def find_device(name: str, *, place: Place | None = None) -> torch.device:
    """Return the device of a name: `cpu`, `cuda`, `cuda:1`, or `auto` for a GPU where there is one.

    Raises:
        RecipeError: when there is no such device here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    kind, colon, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (colon and not (kind == "cuda" and number.isascii() and number.isdigit())):
        raise RecipeError(f"unknown device {name!r}; known: auto, cpu, cuda, cuda:1 and so on")
    if kind == "cpu":
        return torch.device("cpu")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        raise RecipeError(f"the device {name!r} was asked for, but torch finds no GPU here; use --device cpu")
    index = int(number) if colon else (place.local if place else 0)
    if index >= count:
        raise RecipeError(f"the device {name!r} was asked for, but there {'is' if count == 1 else 'are'} only {count}")
    return torch.device("cuda", index)


@contextmanager
def spread(device: str) -> Iterator[Place]:
    """Join the processes that `torchrun` started, and yield the place of this one, alone without `torchrun`."""
    try:
        place = Place(*(int(os.environ.get(name, value)) for name, value in _VARIABLES.items()))
    except ValueError as error:
        raise RecipeError(f"RANK, WORLD_SIZE and LOCAL_RANK must be whole numbers: {error}") from error
    if place.world <= 1 or not distributed.is_available():
        yield Place()
        return
    found = find_device(device, place=place)
    if found.type == "cuda":
        torch.cuda.set_device(found)
    distributed.init_process_group("nccl" if found.type == "cuda" else "gloo")
    try:
        yield place
    finally:
        distributed.destroy_process_group()


_VARIABLES = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0"}


class ChoosesPrecision(Protocol):
    """A model that can compute its heavy products in several dtypes."""

    def compute_in(self, dtype: torch.dtype) -> None:
        """Set the dtype of the heavy products."""


def compute_with(model: ChoosesPrecision, precision: Precision, device: torch.device) -> Precision:
    """Let a model compute with a precision, and return which one `auto` is."""
    chosen: Precision = precision if precision != "auto" else "bf16" if device.type == "cuda" else "fp32"
    torch.set_float32_matmul_precision("high" if chosen == "tf32" else "highest")
    model.compute_in(torch.bfloat16 if chosen == "bf16" else torch.float32)
    return chosen


@contextmanager
def multiplying_in(precision: Precision, device: torch.device) -> Iterator[None]:
    """Multiply matrices with a precision for a while.

    `auto` is TF32 on a GPU, twice as fast.
    """
    chosen = precision if precision != "auto" else "tf32" if device.type == "cuda" else "fp32"
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if chosen == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def use_threads(count: int) -> None:
    """Set how many threads a CPU computes with."""
    torch.set_num_threads(count)


def name_of(device: torch.device) -> str:
    """Return the name of a device for reports."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"CPU ({platform.machine()}, {torch.get_num_threads()} threads)"


def peak_bytes(device: torch.device) -> int | None:
    """Return the peak memory in use on the device, or None if it is not counted."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
