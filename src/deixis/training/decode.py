"""Plans said by a model, many at a time: always the likeliest next action, until it says that it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.models.tokens import ACTIONS
from deixis.training.data import DeviceData, demand_room


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from deixis.datasets.arrays import PlanArrays
    from deixis.models.policy import Policy


__all__ = ["exact_matches", "say_plans"]

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
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The plans of a model for every example.

    A plan that does not end within the limit is cut there.

    Returns:
        uint8 [action], the plans one after another, and int64 [example + 1], where each begins.
    """
    demand_room(model, arrays, "the data")
    limit = min(limit, model.longest_plan) if model.longest_plan else limit
    data = DeviceData(arrays, device)
    was_training = model.training
    model.eval()
    by_length = np.argsort(arrays.word_count, kind="stable")
    said = np.zeros((len(arrays), limit), np.uint8)
    count = np.zeros(len(arrays), np.int64)
    try:
        for first in range(0, len(arrays), batch):
            rows = by_length[first : first + batch]
            longest = int(arrays.word_count[rows[-1]])
            plans, lengths = _say(model, data, torch.from_numpy(rows).to(device), limit, longest)
            said[rows, : plans.shape[1]], count[rows] = plans, lengths
            if progress:
                progress(min(first + batch, len(arrays)), len(arrays))
    finally:
        model.train(was_training)
    is_said = np.arange(limit) < count[:, None]
    return said[is_said], np.concatenate(([0], np.cumsum(count)))


def _say(model: Policy, data: DeviceData, rows: Tensor, limit: int, longest: int) -> tuple[np.ndarray, np.ndarray]:
    layout = model.layout
    batch = data.batch(rows, 1)
    memory = model.remember(batch.words[:, :longest], batch.word_count, batch.grid)
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
                memory, state = model.narrowed(memory, state, unfinished)
                last, done, at = last[unfinished], done[unfinished], at[unfinished]
    return plans.cpu().numpy(), count.cpu().numpy()


def exact_matches(actions: np.ndarray, start: np.ndarray, gold: PlanArrays) -> np.ndarray:
    """Which plans are the right ones to the last action, bool [example]."""
    lengths = np.diff(start)
    is_equal: np.ndarray = lengths == gold.action_count
    rows = np.flatnonzero(is_equal)
    ours = np.concatenate([[0], np.cumsum(lengths[rows])])
    at = np.arange(ours[-1]) - np.repeat(ours[:-1], lengths[rows])
    wrong = (
        actions[np.repeat(start[rows], lengths[rows]) + at]
        != gold.actions[np.repeat(gold.start[rows], lengths[rows]) + at]
    )
    is_equal[rows] = np.bincount(np.repeat(np.arange(len(rows)), lengths[rows]), wrong, len(rows)) == 0
    return is_equal
