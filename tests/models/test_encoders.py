"""How commands and grids are read."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from deixis.learn._layers import TwoWayLSTM
from deixis.worlds.grid.models._recurrent import GridConvolutions


def test_reading_both_ways_agrees_with_torch_on_ragged_commands() -> None:
    """Two LSTMs over mirrored words are torch's bidirectional LSTM over packed sequences."""
    ours, theirs = TwoWayLSTM(4, 6), nn.LSTM(4, 6, batch_first=True, bidirectional=True)
    state = dict(ours.onward.named_parameters())
    state |= {f"{name}_reverse": weight for name, weight in ours.backward.named_parameters()}
    theirs.load_state_dict(state)
    words, count = torch.from_numpy(np.random.default_rng(2).normal(size=(4, 7, 4))).float(), torch.tensor([7, 1, 4, 6])

    read = ours(words, count)
    packed, (last, _) = theirs(pack_padded_sequence(words, count, batch_first=True, enforce_sorted=False))
    states = pad_packed_sequence(packed, batch_first=True)[0]

    for example, length in enumerate(count.tolist()):
        both = torch.cat((read.onward, read.backward), dim=-1)[example, :length]
        torch.testing.assert_close(both, states[example, :length], atol=1e-6, rtol=0)
    torch.testing.assert_close(torch.stack((read.last_onward, read.last_backward)), last, atol=1e-6, rtol=0)


@pytest.mark.parametrize("side", [1, 4, 6])
def test_what_stands_in_a_cell_is_seen_from_as_far_as_the_kernel_reaches(side: int) -> None:
    """One lit cell changes the features of every scale within its reach and no others; rows come before columns."""
    grid = GridConvolutions(2, 3, (1, 5, 7), dropout=0.0)
    with torch.no_grad():
        for weight in grid.parameters():
            weight.fill_(1.0)
    lit = torch.zeros(1, side * side, 2)
    row, column = side // 2, side - 1
    lit[0, row * side + column, 0] = 1

    seen = grid(lit)[0].detach().reshape(side, side, 3, 3) - 1  # a bias of one

    for scale, reach in enumerate((0, 2, 3)):
        rows, columns = np.abs(np.arange(side) - row), np.abs(np.arange(side) - column)
        is_near = (rows[:, None] <= reach) & (columns <= reach)
        np.testing.assert_array_equal(seen[:, :, scale].numpy(), np.repeat(is_near[:, :, None], 3, axis=2))
