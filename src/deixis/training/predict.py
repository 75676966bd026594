"""What a trained model says for the examples of a dataset, kept on disk with where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from deixis.datasets.arrays import load_plan_arrays
from deixis.datasets.plans import read_plans, write_plans
from deixis.errors import BrokenCheckpoint, BrokenDataset, RecipeError
from deixis.training.checkpoints import checkpoint_digest, load_model, read_checkpoint
from deixis.training.data_facts import data_facts
from deixis.training.decode import LIMIT, say_plans
from deixis.training.devices import find_device


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from deixis.datasets.arrays import PlanArrays
    from deixis.datasets.plans import Plans
    from deixis.datasets.store import Dataset
    from deixis.training.checkpoints import Checkpoint


__all__ = ["predict"]


def predict(  # noqa: PLR0913 (a checkpoint, the data and a place to write to, and how)
    checkpoint: Path,
    dataset: Dataset,
    splits: Sequence[str],
    out: Path,
    *,
    device: str = "auto",
    limit: int = LIMIT,
    batch: int = 4096,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, Plans]:
    """Let a model say plans for some splits, and keep them as `out/<split>.parquet`.

    What is there already of the same checkpoint, the same data and the same limit is taken as it is.

    Args:
        checkpoint: a safetensors file.
        dataset: it must have the vocabulary and the grids that the model was trained on.
        splits: which ones.
        out: the folder for the predictions.
        device: `auto`, `cpu`, `cuda`, `cuda:1`. Plans are computed in full precision on each.
        limit: actions after which a plan is cut.
        batch: how many examples at a time; the plans do not depend on it.
        progress: told how many examples of a split are done.

    Raises:
        BrokenCheckpoint: when the file is no checkpoint, or the model sees grids of another size.
        UnknownName: when a command has a word that the model does not know.
    """
    if limit < 1 or batch < 1:
        raise RecipeError(f"at least 1 action and 1 example at a time are needed, got {limit} and {batch}")
    found = read_checkpoint(checkpoint)
    where = find_device(device)
    torch.set_float32_matmul_precision("highest")
    model = load_model(found, where)
    about = _facts(found, checkpoint_digest(checkpoint), min(limit, model.longest_plan or limit))
    said: dict[str, Plans] = {}
    for split in splits:
        facts = about | {"split": split} | _data(dataset, split)
        path = out / f"{split}.parquet"
        kept = _find_kept(path, facts)
        if kept is None:
            arrays = load_plan_arrays(dataset, split, found.vocabulary, channels=found.channels)
            _demand_same_grids(found, arrays, split)

            def tell(done: int, total: int, split: str = split) -> None:
                if progress:
                    progress(split, done, total)

            plans = say_plans(model, arrays, where, limit=limit, batch=batch, progress=tell)
            write_plans(path, arrays.ids, plans, facts)
            kept = read_plans(path)
        said[split] = kept
    return said


def _facts(found: Checkpoint, digest: str, limit: int) -> dict[str, Any]:
    return {
        "model": found.model,
        "checkpoint": digest,
        "seed": found.training.get("seed"),
        "updates": found.update,
        "selection": found.selection,
        "quirks": found.training.get("quirks", []),
        "decode_limit": limit,
        "training": {name: found.data.get(name) for name in ("name", "digest", "split", "examples")},
    }


def _data(dataset: Dataset, split: str) -> dict[str, Any]:
    facts = data_facts(dataset, split)
    return {"data": facts["digest"], "data_name": facts["name"]}


def _find_kept(path: Path, facts: Mapping[str, Any]) -> Plans | None:
    """Predictions that were made before, if they are of the same weights for the same examples."""
    if not path.is_file():
        return None
    try:
        plans = read_plans(path)
    except BrokenDataset:
        return None
    return plans if all(plans.facts.get(name) == facts[name] for name in _SAME) else None


_SAME = ("split", "data", "checkpoint", "decode_limit")


def _demand_same_grids(found: Checkpoint, arrays: PlanArrays, split: str) -> None:
    if arrays.cells != found.cells:
        raise BrokenCheckpoint(
            f"the model was trained on grids of {found.cells} cells, but {split!r} has grids of {arrays.cells}"
        )
