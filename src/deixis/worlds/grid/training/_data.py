"""Examples on the device where a model learns, batches of them, and what a checkpoint says about its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.data.sources import Source
from deixis.worlds.grid.models.policy import Batch


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.data.store import Dataset
    from deixis.worlds.grid.data._arrays import PlanArrays
    from deixis.worlds.grid.models.policy import Policy


class DeviceData:
    """The arrays of a split as tensors of one device, on which batches are gathered.

    Args:
        arrays: of the split.
        device: where batches are.
        teller: a model that may have to be told the structure of commands.
    """

    def __init__(self, arrays: PlanArrays, device: torch.device, *, teller: Policy | None = None) -> None:
        def move(array: np.ndarray, dtype: type[np.generic]) -> Tensor:
            # torch has few unsigned types, and maps no read-only memory
            return torch.from_numpy(array.astype(dtype, copy=True)).to(device)

        self.cells, self.channels = arrays.cells, arrays.channels
        self.words = move(arrays.words, np.int16)
        self.word_count = move(arrays.word_count, np.int16)
        self.lit = move(arrays.lit, np.int32)
        self.target = move(arrays.target, np.int16)
        self.mentions = move(arrays.mentions, np.int16)
        self.actions = move(arrays.plans.values, np.uint8)
        self.start = move(arrays.plans.start, np.int64)
        table, which, _ = _told_table(arrays, teller)
        self.told, self.which = move(table, np.int16), move(which, np.int32)

    def __len__(self) -> int:
        return len(self.words)

    def batch(self, rows: Tensor, steps: int) -> Batch:
        """Some examples, int64 [example], with room for so many actions."""
        first, after = self.start[rows], self.start[rows + 1]
        at = first[:, None] + torch.arange(steps, device=rows.device)
        actions = self.actions[at.clamp_(max=len(self.actions) - 1)].long()
        width = self.cells * self.channels
        grid = torch.zeros(len(rows), width + 1, device=rows.device)
        grid.scatter_add_(1, self.lit[rows].long(), grid.new_ones(()).expand(len(rows), self.lit.shape[1]))
        return Batch(
            self.words[rows].long(),
            self.word_count[rows].long(),
            grid[:, :width].unflatten(1, (self.cells, self.channels)),
            self.target[rows].long(),
            self.mentions[rows].long(),
            actions,
            after - first,
            self.told[self.which[rows].long()].long(),
        )


def parser_errors(model: Policy, arrays: PlanArrays) -> int:
    """Return how many examples have a command whose structure a model was not told, because no parser can read it."""
    _, which, is_unread = _told_table(arrays, model)
    return int(is_unread[which].sum())


def _told_table(arrays: PlanArrays, teller: Policy | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what is told of each different command, which one each example has, and which could not be read."""
    if teller is None or not teller.is_told:
        return np.zeros((1, 0), np.int16), np.zeros(len(arrays), np.int32), np.zeros(1, np.bool_)
    different, which = np.unique(arrays.words, axis=0, return_inverse=True)
    known = ("", *teller.vocabulary)
    told, is_unread = teller.tell([" ".join(known[word] for word in words if word) for words in different.tolist()])
    return told, which.reshape(-1), is_unread


def demand_room(model: Policy, arrays: PlanArrays, what: str) -> None:
    """Raise `RecipeError` when commands or plans are longer than the model's tables."""
    longest = int(arrays.word_count.max(initial=0))
    if model.longest_command and longest > model.longest_command:
        raise RecipeError(
            f"{what} has a command of {longest} words; the model has room for {model.longest_command}, "
            "set longest_command higher"
        )
    if arrays.channels != model.channels:
        raise RecipeError(f"{what} is encoded with {arrays.channels} channels; the model sees {model.channels}")


def data_facts(dataset: Dataset, split: str) -> dict[str, Any]:
    """Name, digest, split, number of examples, patterns of the commands, and how distractors were chosen."""
    recipe = dataset.manifest.get("recipe")
    recipe = recipe if isinstance(recipe, dict) else {}
    pools = [pool for pool in recipe.get("pools", ()) if isinstance(pool, dict)]
    patterns: set[str] = set()
    for table in dataset.tables(split, columns=["pattern"], rows=1 << 20):
        patterns.update(table.column("pattern").unique().to_pylist())
    return {
        "name": dataset.path.resolve().name,
        "digest": data_digest(Source(dataset.path, "dataset", dataset)),
        "split": split,
        "examples": dataset.splits.get(split, 0),
        "patterns": sorted(patterns),
        "random_only": bool(pools) and all(list(pool.get("distractors", ())) == ["random"] for pool in pools),
        "mode": str(recipe.get("mode", "")),
    }
