"""Plans said by a model, many at a time, and kept on disk with where they come from.

A plan is always the likeliest next action, until the model says that it is done. A model that scores a whole plan in
one pass checks drafts of the planner instead of taking step after step (`_drafted`); the plans are the same.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.data._ragged import Ragged
from deixis.errors import BrokenCheckpoint, BrokenDataset, RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn._lean import is_compiled, lean
from deixis.learn.devices import find_device
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.data.plans import read_plans, write_plans
from deixis.worlds.grid.models.policy import ACTIONS
from deixis.worlds.grid.training._checkpoints import load_model, name_in, read_checkpoint, selection_of
from deixis.worlds.grid.training._data import DeviceData, data_facts, demand_room, parser_errors
from deixis.worlds.grid.training._drafted import say_with_drafts
from deixis.worlds.grid.training._drafts import Drafts, Scenes, read_scenes
from deixis.worlds.grid.training._losses import supervision_of


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from deixis.data.store import Dataset
    from deixis.learn._checkpoints import Bundle
    from deixis.worlds.grid.data._arrays import PlanArrays
    from deixis.worlds.grid.data.plans import Plans
    from deixis.worlds.grid.models.policy import Policy


__all__ = ["exact_matches", "predict", "say_plans"]

CPU_BATCH = 64  # examples whose numbers stay in the caches
LIMIT = 120  # actions; the longest plan of the paper's worlds has 103
LOOK_EVERY = 8  # steps between asking whether all plans have ended


@torch.inference_mode()
def say_plans(
    model: Policy,
    arrays: PlanArrays,
    device: torch.device,
    *,
    limit: int = LIMIT,
    batch: int = 4096,
    vocabulary: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The plans of a model for every example.

    A plan that does not end within the limit is cut there. With the words of the vocabulary, by which plans can be
    drafted, a model that checks drafts is faster; its plans are the same.

    Returns:
        uint8 [action], the plans one after another, and int64 [example + 1], where each begins.
    """
    demand_room(model, arrays, "the data")
    limit = min(limit, model.longest_plan) if model.longest_plan else limit
    data = DeviceData(arrays, device, teller=model)
    was_training = model.training
    model.eval()
    found = _Plans(len(arrays), limit, progress)
    try:
        rows = np.arange(len(arrays))
        is_drafted = bool(vocabulary) and model.checks_drafts and not is_compiled(model)
        with lean(model) if is_drafted else nullcontext():
            if is_drafted:
                rows = _say_by_drafts(model, data, arrays, vocabulary, found, batch=batch)
            _say_by_steps(model, data, arrays, rows, found, batch=batch)
    finally:
        model.train(was_training)
    return found.join()


class _Plans:
    """The plans found so far."""

    def __init__(self, examples: int, limit: int, progress: Callable[[int, int], None] | None) -> None:
        self.said, self.count = np.zeros((examples, limit), np.uint8), np.zeros(examples, np.int64)
        self.done, self.progress = 0, progress

    def take(self, rows: np.ndarray, plans: np.ndarray, count: np.ndarray) -> None:
        """Keep the plans of some examples."""
        self.said[rows, : plans.shape[1]], self.count[rows] = plans, count
        self.done += len(rows)
        if self.progress and len(rows):
            self.progress(self.done, len(self.count))

    def join(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all actions, and where each plan begins."""
        is_said = np.arange(self.said.shape[1]) < self.count[:, None]
        return self.said[is_said], np.concatenate(([0], np.cumsum(self.count)))


def _say_by_drafts(
    model: Policy, data: DeviceData, arrays: PlanArrays, vocabulary: Sequence[str], found: _Plans, *, batch: int
) -> np.ndarray:
    """Find plans by drafts, and return the examples whose drafts were too bad."""
    device, scenes = data.words.device, read_scenes(arrays, vocabulary)
    batch = min(batch, CPU_BATCH) if device.type == "cpu" else batch
    order = np.lexsort((scenes.verbs, scenes.manners, arrays.word_count))  # manners make plans long
    left = []
    for first in range(0, len(order), batch):
        rows = order[first : first + batch]
        asked = data.batch(torch.from_numpy(rows).to(device), 1)
        longest = int(arrays.word_count[rows[-1]])
        memory = model.encode(asked.words[:, :longest], asked.word_count, asked.grid, asked.told)
        scores = model.target_scores(memory).cpu().numpy() if model.points else None
        drafts = Drafts(Scenes(*(part[rows] for part in scenes)), isqrt(arrays.cells), found.said.shape[1], scores)
        plans, count = say_with_drafts(model, memory, drafts, found.said.shape[1], device)
        is_said = count >= 0
        found.take(rows[is_said], plans[is_said], count[is_said])
        left.append(rows[~is_said])
    return np.concatenate([np.zeros(0, np.int64), *left])


def _say_by_steps(
    model: Policy, data: DeviceData, arrays: PlanArrays, rows: np.ndarray, found: _Plans, *, batch: int
) -> None:
    """Find the plans of some examples action by action."""
    rows = rows[np.argsort(arrays.word_count[rows], kind="stable")]
    for first in range(0, len(rows), batch):
        some = rows[first : first + batch]
        longest = int(arrays.word_count[some[-1]])
        at = torch.from_numpy(some).to(data.words.device)
        found.take(some, *_say(model, data, at, found.said.shape[1], longest))


def _say(model: Policy, data: DeviceData, rows: Tensor, limit: int, longest: int) -> tuple[np.ndarray, np.ndarray]:
    layout = model.layout
    batch = data.batch(rows, 1)
    memory = model.encode(batch.words[:, :longest], batch.word_count, batch.grid, batch.told)
    state = model.begin(memory, limit)
    last = torch.full_like(rows, layout.start)
    done = torch.zeros_like(rows, dtype=torch.bool)
    allowed = torch.zeros(layout.size, dtype=torch.bool, device=rows.device)
    allowed[layout.stop] = True
    allowed[layout.first : layout.first + ACTIONS] = True
    plans = torch.zeros(len(rows), limit, dtype=torch.uint8, device=rows.device)
    count, at = torch.zeros_like(rows), torch.arange(len(rows), device=rows.device)  # which plans are still said
    for step in range(limit):
        scores, state = model.next_scores(memory, last, state)
        last = scores.masked_fill(~allowed, -torch.inf).argmax(-1)
        done = done | (last == layout.stop)
        plans[at, step] = torch.where(done, 0, last - layout.first).clamp_(min=0).to(torch.uint8)
        count[at] += ~done
        if (step + 1) % LOOK_EVERY == 0:
            unfinished = torch.nonzero(~done)[:, 0]
            if not len(unfinished):
                break
            if len(unfinished) <= len(at) // 2:  # most plans are short; the few long ones go on alone
                memory, state = model.select(memory, state, unfinished)
                last, done, at = last[unfinished], done[unfinished], at[unfinished]
    return plans.cpu().numpy(), count.cpu().numpy()


def exact_matches(actions: np.ndarray, start: np.ndarray, gold: PlanArrays) -> np.ndarray:
    """Tell which plans are right to the last action: bool [example]."""
    said = Ragged(actions, start)
    is_equal: np.ndarray = said.length == gold.plans.length
    rows = np.flatnonzero(is_equal)
    ours, theirs = said.take(rows), gold.plans.take(rows)
    is_equal[rows] = np.bincount(ours.row, ours.values != theirs.values, len(rows)) == 0
    return is_equal


def predict(  # noqa: PLR0913 (a checkpoint, the data and a place to write to, and how)
    checkpoint: Path,
    dataset: Dataset,
    splits: Sequence[str],
    out: Path,
    *,
    device: str = "auto",
    limit: int = LIMIT,
    batch: int = 4096,
    drafts: bool = True,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, Plans]:
    """Decode the plans of a model for some splits, and write them to `out/<split>.parquet`.

    A file that was written for the same checkpoint, data and limit is reused.

    Args:
        checkpoint: a safetensors file.
        dataset: it must have the vocabulary and the grids that the model was trained on.
        splits: which ones.
        out: the folder for the predictions.
        device: `auto`, `cpu`, `cuda`, `cuda:1`. Plans are computed in full precision on each.
        limit: actions after which a plan is cut.
        batch: how many examples at a time; the plans do not depend on it.
        drafts: whether plans may be drafted, which is faster; without, every model says one action after another.
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
    words = found.vocabulary if drafts else ()
    about["supervision"] = supervision_of(model, found.training.get("pointing") or 0)
    said: dict[str, Plans] = {}
    for split in splits:
        facts = about | {"split": split} | _data(dataset, split)
        path = out / f"{split}.parquet"
        kept = _find_kept(path, facts)
        if kept is None:
            arrays = load_plan_arrays(dataset, split, found.vocabulary, channels=found.data["channels"])
            _demand_same_grids(found, arrays, split)

            def tell(done: int, total: int, split: str = split) -> None:
                if progress:
                    progress(split, done, total)

            plans = say_plans(model, arrays, where, limit=limit, batch=batch, vocabulary=words, progress=tell)
            if model.is_told:
                facts["parser_errors"] = parser_errors(model, arrays)
            write_plans(path, arrays.ids, plans, facts)
            kept = read_plans(path)
        said[split] = kept
    return said


def _facts(found: Bundle, digest: str, limit: int) -> dict[str, Any]:
    return {
        "model": name_in(found),
        "checkpoint": digest,
        "seed": found.training.get("seed"),
        "updates": found.step,
        "selection": selection_of(found),
        "quirks": found.training.get("quirks", []),
        "decode_limit": limit,
        "training": {name: found.data.get(name) for name in _TRAINING},
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


_TRAINING = ("name", "digest", "split", "examples", "patterns", "random_only")
_SAME = ("split", "data", "checkpoint", "decode_limit")


def _demand_same_grids(found: Bundle, arrays: PlanArrays, split: str) -> None:
    cells = found.data["cells"]
    if arrays.cells != cells:
        raise BrokenCheckpoint(
            f"the model was trained on grids of {cells} cells, but {split!r} has grids of {arrays.cells}"
        )
