"""Greedy decoding by drafts: whole plans are guessed, and the model checks each in one pass.

A pass with a draft as its input gives the model's choice after every beginning of the draft. Up to the first choice
that differs, the draft is what the model would have said, and this choice is its next action; a new draft goes on from
there. So plans are exactly those of decoding step by step, whatever the drafts, as far as rounding lets choices differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.worlds.grid.models.policy import ACTIONS


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.grid.models.policy import Policy
    from deixis.worlds.grid.training._drafts import Drafts


GROUPS = 4  # parts of a batch by length, so that short drafts are not padded to the longest
END = -1  # the choice to say no more
LEAST_ACTIONS = 4  # by pass, on average; below this, steps are faster


def say_with_drafts(
    model: Policy, memory: Any, drafts: Drafts, limit: int, device: torch.device
) -> tuple[np.ndarray, np.ndarray]:
    """Return plans, uint8 [example, action], and lengths, int64 [example], -1 where drafts were too bad to go on."""
    examples = len(memory[0])
    said, known = np.zeros((examples, limit), np.uint8), np.zeros(examples, np.int64)
    count = np.full(examples, -1)
    rows, passes = np.arange(examples), 0
    while len(rows):
        passes += 1
        for part in _parts(said, known, rows, drafts):
            _check(model, memory, said, known, count, part, device)
        is_open = (count[rows] < 0) & ((passes == 1) | (known[rows] >= LEAST_ACTIONS * passes))
        rows = rows[is_open]
    return said, count


def _parts(
    said: np.ndarray, known: np.ndarray, rows: np.ndarray, drafts: Drafts
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draft plans, and return rows with the lengths of their drafts, short ones first."""
    mine = said[rows]
    length = drafts.go_on(mine, known[rows], rows)
    said[rows] = mine
    order = np.argsort(length, kind="stable")
    return [(rows[some], length[some]) for some in np.array_split(order, min(GROUPS, len(rows)))]


def _check(
    model: Policy,
    memory: Any,
    said: np.ndarray,
    known: np.ndarray,
    count: np.ndarray,
    part: tuple[np.ndarray, np.ndarray],
    device: torch.device,
) -> None:
    """Take over from some drafts what the model says, too, and its next choice."""
    rows, length = part
    steps = min(int(length.max()) + 1, said.shape[1])
    drafts = said[rows, :steps]
    chosen = _choices(model, memory, torch.from_numpy(rows).to(device), torch.from_numpy(drafts).to(device), length)
    place = np.arange(steps)
    is_other = (chosen != drafts) | (place >= length[:, None])
    at = np.argmax(is_other & (place >= known[rows, None]) | (place == steps - 1), axis=1)
    choice = chosen[np.arange(len(rows)), at]
    is_end = choice == END
    said[rows[~is_end], at[~is_end]] = choice[~is_end]
    known[rows] = np.where(is_end, at, at + 1)
    is_done = is_end | (known[rows] == said.shape[1])
    count[rows[is_done]] = known[rows[is_done]]


def _choices(model: Policy, memory: Any, rows: Tensor, drafts: Tensor, length: np.ndarray) -> np.ndarray:
    """Return the likeliest action after each beginning of a draft, int64 [row, step]; -1 for the end."""
    layout = model.layout
    shown = torch.nn.functional.pad(drafts[:, :-1].long() + layout.first, (1, 0), value=layout.start)
    place = torch.arange(shown.shape[1], device=rows.device)
    shown = torch.where(place <= torch.from_numpy(length).to(rows.device)[:, None], shown, layout.pad)
    scores = model.scores(memory._make(part[rows] for part in memory), shown)
    actions = scores[:, :, layout.first : layout.first + ACTIONS]
    choices: np.ndarray = torch.cat((scores[:, :, layout.stop, None], actions), dim=2).argmax(dim=2).cpu().numpy()
    return choices - 1
