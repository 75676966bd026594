"""Additive attention: how well each key fits a query, and what the keys amount to, weighted by that.

    score_j = energy · tanh(query + key_j)        weight = softmax(score)        context = Σ weight_j key_j

The values are the keys themselves, as in the published models. `attend` is the definition; on a GPU
`deixis.models.fused` computes the same without storing anything of the size of the keys, and a test holds the two
together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["FAR", "attend"]

FAR = -1e9  # the score of what must not be looked at; finite, so that no row can become NaN


def attend(query: Tensor, keys: Tensor, energy: Tensor, is_there: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The context of every query, and the weights.

    Args:
        query: float [example, width].
        keys: float [example, key, width].
        energy: float [width].
        is_there: bool [example, key], False where a key is padding.

    Returns:
        context float [example, width], weights float32 [example, key].
    """
    scores = torch.tanh(query[:, None, :] + keys) @ energy.to(keys.dtype)
    scores = scores.float()
    if is_there is not None:
        scores = scores.masked_fill(~is_there, FAR)
    weights = torch.softmax(scores, dim=-1)
    context = torch.bmm(weights[:, None, :].to(keys.dtype), keys).squeeze(1)
    return context, weights
