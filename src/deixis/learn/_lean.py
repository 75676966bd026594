"""Models on a CPU that learn nothing, faster: other routes to the same numbers, which differ by rounding.

The weights of linear layers are laid out once for oneDNN instead of at every product: on processors that are not
Intel's, the library that torch asks otherwise leaves half of the speed unused. Attention over a few dozen keys is a
kernel of our own for heads of 16 numbers, and otherwise two products and a softmax of all heads at once; torch's own
kernel is made for thousands of keys.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from deixis.learn._layers import MASKED_SCORE


if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor


REORDER, MULTIPLY = (
    "_reorder_linear_weight",
    "_linear_pointwise",
)  # operations that torch itself uses, but does not name
PART = 16  # numbers of a head that the compiled kernel takes
LEAST_WIDTH = 32  # of inputs and outputs; smaller products gain nothing
NO_MASK = torch.ones(1, 0, dtype=torch.bool)
LEAST_SHARE = 8  # examples of a thread
TYPICAL_ROWS = 2048  # of inputs; others work as well


class PackedLinear(nn.Module):
    """A linear layer with weights in the layout of oneDNN; it learns nothing."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.width = layer.out_features
        self.packed = getattr(torch.ops.mkldnn, REORDER)(layer.weight.detach(), TYPICAL_ROWS)
        self.bias = None if layer.bias is None else layer.bias.detach()  # type: ignore[redundant-expr]

    def forward(self, x: Tensor) -> Tensor:
        """Return the product, plus the bias."""
        rows = x.reshape(-1, x.shape[-1])
        found: Tensor = getattr(torch.ops.mkldnn, MULTIPLY)(rows, self.packed, self.bias, "none", [], "")
        return found.view(*x.shape[:-1], self.width)


@contextmanager
def lean(model: nn.Module) -> Iterator[None]:
    """Let a model that learns nothing meanwhile take the faster routes, where it is on a CPU and in float32.

    A module that knows another route has an attribute `is_lean`. Compiled models are left as they are.
    """
    if is_compiled(model):
        yield
        return
    modules = [module for module in model.modules() if hasattr(module, "is_lean") and _is_on_cpu(module)]
    places = [(parent, name, layer) for parent, name, layer in _linears(model) if can_pack(layer)]
    for parent, name, layer in places:
        setattr(parent, name, PackedLinear(layer))
    for module in modules:
        setattr(module, "is_lean", True)  # noqa: B010 (a module types its attributes as tensors)
    try:
        yield
    finally:
        for parent, name, layer in places:
            setattr(parent, name, layer)
        for module in modules:
            setattr(module, "is_lean", False)  # noqa: B010 (likewise)


def is_compiled(model: nn.Module) -> bool:
    """Tell whether torch compiles parts of a model, which other shapes or layers would make it compile anew."""
    return any(getattr(module, "_compiled_call_impl", None) is not None for module in model.modules())


def attend_to_few(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, is_causal: bool) -> Tensor:
    """Compute attention to a few keys, the heads joined again: [example, place, width].

    Shapes:
        query: [example, place, head, part]; key, value: [example, other place, head, part].
        mask: bool [example, other place], False for padding; at least one is True.
    """
    if query.shape[3] == PART and key.shape[1]:
        return _attend_at_once(query, key, value, mask, is_causal=is_causal)
    examples, places, heads, part = query.shape
    query, key, value = (side.transpose(1, 2).reshape(examples * heads, -1, part) for side in (query, key, value))
    scores = torch.bmm(query * part**-0.5, key.transpose(1, 2))
    if is_causal:
        scores += torch.full(scores.shape[1:], MASKED_SCORE).triu_(1)
    if mask is not None and not mask.all():
        scores.unflatten(0, (examples, heads)).masked_fill_(~mask[:, None, None, :], MASKED_SCORE)
    found = torch.bmm(torch.softmax(scores, dim=2), value)
    return found.view(examples, heads, places, part).transpose(1, 2).flatten(2)


def _attend_at_once(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, is_causal: bool) -> Tensor:
    """Compute the same by the compiled kernel, each thread some of the examples."""
    out = query.new_empty(*query.shape[:2], query.shape[2] * PART)
    there = NO_MASK.expand(len(query), 0) if mask is None else mask
    sides = tuple(side.numpy() for side in (out, query, key, value, there))
    threads = min(torch.get_num_threads(), len(query) // LEAST_SHARE)
    if threads < 2:
        _attend_some(sides, is_causal=is_causal)
    else:
        shares = zip(*(np.array_split(side, threads) for side in sides), strict=True)
        list(_pool().map(partial(_attend_some, is_causal=is_causal), shares))
    return out


def _attend_some(sides: tuple[np.ndarray, ...], *, is_causal: bool) -> None:
    from deixis._kernels.attention import attend_into  # a model that is only described needs no compiler

    out, query, key, value, there = sides
    attend_into(out, query, key, value, there, is_causal)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="attention")


def can_pack(layer: nn.Linear) -> bool:
    """Tell whether a layer can be packed: on a CPU, in float32, and by a torch that has oneDNN."""
    weight = layer.weight
    is_plain = weight.device.type == "cpu" and weight.dtype == torch.float32 and min(weight.shape) >= LEAST_WIDTH
    return is_plain and torch.backends.mkldnn.is_available() and _has_operations()


def _is_on_cpu(module: nn.Module) -> bool:
    return all(one.device.type == "cpu" and one.dtype == torch.float32 for one in module.parameters())


@cache
def _has_operations() -> bool:
    """Try a small product, since another torch may have other operations."""
    layer = nn.Linear(LEAST_WIDTH, LEAST_WIDTH, device="meta").to_empty(device="cpu").requires_grad_(False)
    nn.init.constant_(layer.weight, 0.5)
    nn.init.constant_(layer.bias, 1.0)
    try:
        found = PackedLinear(layer)(torch.ones(2, LEAST_WIDTH))
    except (AttributeError, RuntimeError, TypeError):
        return False
    return bool((found == layer(torch.ones(2, LEAST_WIDTH))).all())


def _linears(model: nn.Module) -> Iterator[tuple[nn.Module, str, nn.Linear]]:
    for parent in list(model.modules()):
        for name, child in parent.named_children():
            if type(child) is nn.Linear:
                yield parent, name, child
