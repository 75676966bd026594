"""Linear layers on a CPU, faster: their weights are laid out once for oneDNN instead of at every product.

On processors that are not Intel's, the library that torch asks otherwise leaves half of the speed unused. Results differ
from those of the plain layers by rounding.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import nn


if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor


LEAST_WIDTH = 32  # of inputs and outputs; smaller products gain nothing
TYPICAL_ROWS = 2048  # of inputs; others work as well


class PackedLinear(nn.Module):
    """A linear layer with weights in the layout of oneDNN; it learns nothing."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.width = layer.out_features
        self.packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), TYPICAL_ROWS)
        self.bias = None if layer.bias is None else layer.bias.detach()  # type: ignore[redundant-expr]

    def forward(self, x: Tensor) -> Tensor:
        """Return the product, plus the bias."""
        rows = x.reshape(-1, x.shape[-1])
        found: Tensor = torch.ops.mkldnn._linear_pointwise(rows, self.packed, self.bias, "none", [], "")
        return found.view(*x.shape[:-1], self.width)


@contextmanager
def packed_linears(model: nn.Module) -> Iterator[None]:
    """Let a model that learns nothing meanwhile take its products by packed layers, where that is possible."""
    places = [(parent, name, layer) for parent, name, layer in _linears(model) if can_pack(layer)]
    for parent, name, layer in places:
        setattr(parent, name, PackedLinear(layer))
    try:
        yield
    finally:
        for parent, name, layer in places:
            setattr(parent, name, layer)


def can_pack(layer: nn.Linear) -> bool:
    """Tell whether a layer can be packed: on a CPU, in float32, and by a torch that has oneDNN."""
    weight = layer.weight
    is_plain = weight.device.type == "cpu" and weight.dtype == torch.float32 and min(weight.shape) >= LEAST_WIDTH
    return is_plain and torch.backends.mkldnn.is_available() and _has_operations()


def _has_operations() -> bool:
    known = (getattr(torch.ops.mkldnn, name, None) for name in ("_reorder_linear_weight", "_linear_pointwise"))
    return all(one is not None for one in known)


def _linears(model: nn.Module) -> Iterator[tuple[nn.Module, str, nn.Linear]]:
    for parent in list(model.modules()):
        for name, child in parent.named_children():
            if type(child) is nn.Linear:
                yield parent, name, child
