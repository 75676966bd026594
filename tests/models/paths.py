"""The fused kernels against the plain path: how far their losses and gradients lie apart.

    python -m tests.models.paths cuda bfloat16                        on a GPU
    TRITON_INTERPRET=1 python -m tests.models.paths cpu float32       in Triton's interpreter, anywhere

Prints a JSON object for each model and each shape of attention: the largest difference, as a share of what it is
compared with, and where it is.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np
import torch

from deixis.learn._updates import reseed
from deixis.worlds.grid.models.policy import Batch
from deixis.worlds.grid.training._losses import losses_of
from tests.models.made import PUBLISHED, SMALL, some_examples, started


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from deixis.worlds.grid.models.policy import Policy


DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Apart(NamedTuple):
    """How far a path lies from the plain one in float32, as shares of what is compared.

    Attributes:
        fused: the largest difference of the fused path, found in the loss or the gradient `where`.
        plain: that of the plain path in the same dtype.
    """

    fused: float
    where: str
    plain: float


def compare_paths(
    make: Callable[[], Policy],
    device: str,
    dtype: torch.dtype,
    examples: int,
    steps: int,
    words: int,
) -> Apart:
    """How far the paths lie from the plain one in float32, when heavy products are taken in a dtype."""
    model = started(make).to(device)
    batch = some_examples(examples, channels=model.channels, seed=6, words=words, steps=steps)
    batch = Batch(*(part.to(device) for part in batch))
    with torch.backends.cudnn.flags(enabled=False):  # its recurrent layers have no way back outside training
        exact = _learnt_from(model, batch, fuse=False)
        model.compute_in(dtype)
        plain, fused = (_learnt_from(model, batch, fuse=fuse) for fuse in (False, True))
    return Apart(*_largest_share(fused, exact), _largest_share(plain, exact)[0])


def _learnt_from(model: Policy, batch: Batch, *, fuse: bool) -> dict[str, Tensor]:
    """The loss of a batch and the gradients of all parameters, by one path."""
    with ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("deixis.") and hasattr(module, "can_fuse"):
                stack.enter_context(patch.object(module, "can_fuse", lambda _: fuse))
        model.zero_grad()
        loss = losses_of(model, batch).plans
        loss.backward()  # type: ignore[no-untyped-call]
    gradients = {
        name: weight.grad.double().cpu() for name, weight in model.named_parameters() if weight.grad is not None
    }
    return {"loss": loss.detach().double().cpu(), **gradients}


def _largest_share(found: dict[str, Tensor], exact: dict[str, Tensor]) -> tuple[float, str]:
    assert found.keys() == exact.keys()
    scale = max(float(value.norm()) for value in exact.values())
    shares = {
        name: float((found[name] - value).norm() / (value.norm() + 1e-3 * scale)) for name, value in exact.items()
    }
    worst = max(shares, key=shares.__getitem__)
    return shares[worst], worst


class Look(NamedTuple):
    """A shape of attention that the transformer has: queries, keys, and who may look at what."""

    places: int
    keys: int
    is_within: bool = False
    is_masked: bool = False
    is_causal: bool = False
    dropout: float = 0.0


LOOKS = (
    Look(37, 16, is_masked=True),  # cells at words; more queries than are taken at a time
    Look(5, 37),  # words at cells
    Look(6, 6, is_within=True, is_causal=True),
    Look(37, 37, is_within=True),  # cells among each other
    Look(21, 21, is_within=True, is_masked=True),
    Look(1, 50, is_masked=True),  # one step of decoding
    Look(7, 16, dropout=0.3),
    Look(7, 16, is_masked=True, dropout=0.3),
    Look(16, 16, is_within=True, is_causal=True, dropout=0.1),
)


class Attended(NamedTuple):
    """What was found of a shape of attention.

    Attributes:
        fused: how far the kernel and its gradients lie from the definition, as the largest share.
        dropped: which share of the weights was dropped.
        choices: how many different sets of keys were left to some place, of all places of all heads.
    """

    fused: float
    dropped: float
    choices: int


def compare_attention(look: Look, device: str, *, examples: int = 2, heads: int = 2, part: int = 16) -> Attended:
    """How far the small attention lies from the definition with the same weights dropped."""
    from deixis.worlds.grid.models._fused_attention import small_attention

    rng = np.random.default_rng(5)

    def drawn(places: int, parts: int) -> Tensor:
        # as the projections hand it over: parts within heads within what is asked or source within places
        return torch.from_numpy(rng.normal(size=(examples, places, parts, heads, part))).float().to(device)

    count = torch.from_numpy(rng.integers(1, look.keys, (examples, 1))).to(device)
    is_there = torch.arange(look.keys, device=device) < count if look.is_masked else None
    queries = drawn(look.places, 3 if look.is_within else 1).requires_grad_()
    pairs = None if look.is_within else drawn(look.keys, 2).requires_grad_()
    given = (queries,) if pairs is None else (queries, pairs)
    source = queries if pairs is None else pairs
    query, key, value = (part.transpose(1, 2) for part in (queries[:, :, 0], source[:, :, -2], source[:, :, -1]))
    grad = drawn(look.places, 1)[:, :, 0].flatten(2)

    def found_of(queries: Tensor, pairs: Tensor | None) -> Tensor:
        reseed(3, 0, torch.device(device))  # the same chance every time
        return small_attention(queries, pairs, is_there, is_causal=look.is_causal, dropout=look.dropout)

    kept, dropped = torch.ones(examples, heads, look.places, look.keys, device=device), 0.0
    if look.dropout:  # values that show which weights were dropped
        unit = torch.eye(look.keys, part, device=device).expand(examples, heads, -1, -1)
        told = (part.transpose(1, 2).detach() for part in (key, unit))
        shown = found_of(queries.detach()[:, :, :1], torch.stack(tuple(told), dim=2))
        all_shown = defined_attention(query, key, unit, is_there, is_causal=look.is_causal, kept=kept)
        dropped = 1 - float((shown != 0).sum() / (all_shown != 0).sum())
        kept = (shown != 0).reshape(examples, look.places, heads, part).transpose(1, 2) / (1 - look.dropout)
    ways = (
        found_of(queries, pairs),
        defined_attention(query, key, value, is_there, is_causal=look.is_causal, kept=kept),
    )
    pairs = [(found.detach(), *torch.autograd.grad(found, given, grad)) for found in ways]
    difference = max(float((one - two).norm() / two.norm()) for one, two in zip(*pairs, strict=True))
    return Attended(difference, dropped, len({tuple(row) for row in kept.reshape(-1, look.keys).tolist()}))


def defined_attention(
    query: Tensor, key: Tensor, value: Tensor, is_there: Tensor | None, *, is_causal: bool, kept: Tensor
) -> Tensor:
    """Attention as it is written: scores, softmax, some weights dropped, the mean of the values, heads side by side."""
    scores = query @ key.transpose(2, 3) / query.shape[3] ** 0.5
    if is_there is not None:
        scores = scores.masked_fill(~is_there[:, None, None, :], -torch.inf)
    if is_causal:
        later = torch.ones(scores.shape[2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    return ((torch.softmax(scores, dim=-1) * kept) @ value).transpose(1, 2).flatten(2)


def main(device: str, precision: str) -> None:
    """Compare all models: small ones in the interpreter, those of published size on a GPU."""
    torch.set_num_threads(1)
    makers, sizes = (SMALL, (2, 3, 11)) if device == "cpu" else (PUBLISHED, (64, 20, 25))
    # the interpreter multiplies matrices of bfloat16 as if they were whole numbers, so the transformer has to wait
    names = ("m-lstm", "gcn-lstm") if (device, precision) == ("cpu", "bfloat16") else tuple(PUBLISHED)
    for name in names:
        apart = compare_paths(makers[name], device, DTYPES[precision], *sizes)
        print(json.dumps({"what": name, **apart._asdict()}))  # noqa: T201
    for look in LOOKS if precision == "float32" else ():
        print(json.dumps({"what": str(look), **compare_attention(look, device)._asdict()}))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
