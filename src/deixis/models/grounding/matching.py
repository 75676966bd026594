"""What the modular models are built of: vectors of learned sizes, attention led by a phrase, and matching.

    rescaled(x) = x / |x| * size
    attention(x_1 .. x_n; phrase) = softmax_i(energy · tanh(W [x_i; phrase] + b))
    matching(seen, said) = cosine of two vectors, each from Linear, norm, ReLU, dropout, Linear, norm

The maps of attention and of matching that come first are linear, so whatever they make of what is seen does not depend
on what is said: it is kept, and added up or weighted later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["Attention", "Matching", "Rescaled", "Side"]


class Rescaled(nn.Module):
    """A vector's direction, times a learned size for each of its numbers."""

    def __init__(self, width: int, size: float) -> None:
        super().__init__()
        self.size = nn.Parameter(torch.full((width,), size))

    def forward(self, x: Tensor) -> Tensor:
        """Float [..., width] in and out; what is zero stays zero."""
        return functional.normalize(x, dim=-1) * self.size


class Attention(nn.Module):
    """Which of several vectors to look at, given a phrase."""

    def __init__(self, seen: int, phrase: int, width: int) -> None:
        super().__init__()
        self.seen = seen
        self.joint = nn.Linear(seen + phrase, width)
        self.energy = nn.Linear(width, 1)

    def see(self, seen: Tensor) -> Tensor:
        """What vectors add to the argument of the tanh: float [..., seen] -> float [..., width]."""
        return functional.linear(seen, self.joint.weight[:, : self.seen], self.joint.bias)

    def hear(self, phrase: Tensor) -> Tensor:
        """What phrases add to it: float [..., phrase] -> float [..., width]."""
        return functional.linear(phrase, self.joint.weight[:, self.seen :])

    def energies(self, seen: Tensor, heard: Tensor) -> Tensor:
        """How much each vector asks to be looked at.

        Shapes:
            seen: float [..., vector, width]. heard: float [..., width]. Returns float [..., vector].
        """
        return self.energy((seen + heard[..., None, :]).tanh_())[..., 0]


class Side(nn.Module):
    """One side of a matching."""

    def __init__(self, channels: int, width: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Linear(channels, width)
        self.first_norm = nn.BatchNorm1d(width)
        self.dropout = nn.Dropout(dropout)
        self.second = nn.Linear(width, width)
        self.second_norm = nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        """Float [..., channel] -> vectors of length one, float [..., width]."""
        return self.finish(self.first(x))

    def finish(self, x: Tensor) -> Tensor:
        """What is left to do after the first linear map: float [..., width] in and out."""
        rows = self.dropout(functional.relu(self.first_norm(x.flatten(0, -2))))
        return functional.normalize(self.second_norm(self.second(rows)), dim=-1).view(x.shape)


class Matching(nn.Module):
    """How well what is seen fits a phrase, from -1 to 1."""

    def __init__(self, seen: int, phrase: int, width: int, dropout: float) -> None:
        super().__init__()
        self.seen = Side(seen, width, dropout)
        self.said = Side(phrase, width, dropout)

    def found(self, attention: Tensor, firsts: Tensor, said: Tensor) -> Tensor:
        """The fit of the mean of several vectors, weighted by attention.

        Shapes:
            attention: float [..., vector]. firsts: float [..., vector, width], what the first linear map makes of each.
            said: float [..., width], embedded. Returns float [...].
        """
        mean = (attention[..., None, :] @ firsts)[..., 0, :]
        return (self.seen.finish(mean) * said).sum(-1)
