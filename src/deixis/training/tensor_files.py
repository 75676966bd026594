"""Tensors on disk with facts about them: safetensors, so that reading a file runs no code.

The metadata key `deixis` holds the facts as JSON. A file takes its name only when it is whole, so whatever happens
while one is written, the one before it stays.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open

from deixis.datasets.store import replacing_file
from deixis.errors import BrokenCheckpoint, DeixisError, DivergedTraining


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor


__all__ = ["demand_shapes", "read_facts", "read_tensors", "write_tensors"]

KEY = "deixis"
MOST_WORDS = 100_000


def write_tensors(path: Path, facts: Mapping[str, Any], tensors: Mapping[str, Tensor], *, update: int) -> None:
    """Write tensors and facts; the file before stays until this one is whole.

    Raises:
        DivergedTraining: when a tensor holds what is no number; nothing is written then.
        OSError: when the disk is full or cannot be written to; the file before it is as it was.
    """
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    for name, tensor in kept.items():
        if not bool(torch.isfinite(tensor).all()):
            before = f"the last good checkpoint is {path}" if path.exists() else "there is no good checkpoint yet"
            raise DivergedTraining(
                f"the weights {name!r} are no longer numbers at update {update:,}; {before}; "
                "a lower --rate or --clip 1 may help"
            )
    said = json.dumps(facts, ensure_ascii=False, allow_nan=False)
    content = safetensors.torch.save(kept, {KEY: said})
    with replacing_file(path) as draft:
        draft.write_bytes(content)


def read_tensors(
    path: Path, *, kind: str, version: int, fields: Mapping[str, type], called: str = ""
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The facts and the tensors of a file.

    Args:
        path: the file.
        kind: what it must be.
        version: of its format.
        fields: the facts that it must state, with their types.
        called: what to call its kind in a complaint.

    Raises:
        BrokenCheckpoint: when the file is missing, is no safetensors file, or was not written by deixis as such.
    """
    if not path.is_file():
        raise BrokenCheckpoint(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="pt") as opened:
            facts = _facts(path, opened.metadata() or {})
            if (facts.get("kind"), facts.get("format")) != (kind, version):
                raise BrokenCheckpoint(
                    f"{path} is no {called or kind} of format {version}; this version of deixis reads no other"
                )
            _demand_fields(path, facts, fields)
            return facts, {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (no dict)
    except (SafetensorError, OSError, ValueError, TypeError, RuntimeError, KeyError) as error:
        raise _unreadable(path, error) from error


def read_facts(path: Path) -> dict[str, Any]:
    """What a file says about itself, whatever kind it is; empty where it says nothing."""
    try:
        with safe_open(path, framework="pt") as opened:
            facts = json.loads((opened.metadata() or {}).get(KEY, "{}"))
    except (SafetensorError, OSError, ValueError, TypeError, RuntimeError, RecursionError) as error:
        raise _unreadable(path, error) from error
    return facts if isinstance(facts, dict) else {}


def demand_shapes(path: Path, model: str, wanted: Mapping[str, tuple[int, ...]], found: Mapping[str, Tensor]) -> None:
    """An error unless these are the tensors of a model."""
    for name in [*(wanted.keys() - found.keys()), *(found.keys() - wanted.keys())]:
        what = "lacks" if name in wanted else "has, without need,"
        raise BrokenCheckpoint(f"{path} is not a checkpoint of {model}: it {what} the weights {name!r}")
    for name, shape in wanted.items():
        if tuple(found[name].shape) != shape:
            has = " x ".join(map(str, found[name].shape)) or "one number"
            raise BrokenCheckpoint(
                f"{path} is not a checkpoint of this {model}: {name!r} is {has}, not {' x '.join(map(str, shape))}"
            )


def _unreadable(path: Path, error: Exception) -> DeixisError:
    if isinstance(error, DeixisError):
        return error
    reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
    return BrokenCheckpoint(f"{path} cannot be read as a safetensors file ({reason}); copy or train it again")


def _facts(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    if KEY not in metadata:
        raise BrokenCheckpoint(f"{path} holds tensors, but nothing that says of which model: deixis did not write it")
    try:
        facts = json.loads(metadata[KEY])
    except (ValueError, RecursionError) as error:
        raise BrokenCheckpoint(f"{path} has facts that are no JSON: {str(error)[:80]}") from error
    return facts if isinstance(facts, dict) else {}


def _demand_fields(path: Path, facts: Mapping[str, Any], fields: Mapping[str, type]) -> None:
    for name, wanted in fields.items():
        value = facts.get(name)
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise BrokenCheckpoint(f"{path} does not say {name!r} as a {wanted.__name__}; train it again")
    words = facts.get("vocabulary", ["none"])
    if not 0 < len(words) <= MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise BrokenCheckpoint(f"{path} has a vocabulary that is no list of words")
