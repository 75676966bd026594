"""Attention over a few dozen places for a GPU: one kernel for each head of each example, and one for the way back.

Kernels made for long texts spend most of their time on tiles that are empty here. Queries, keys and values lie side by
side as one product of matrices left them, and so do their gradients: nothing is cut apart or put together again. torch
knows the two kernels as operators of their own, so that what stands around them can be compiled in one piece. The
definition is `torch.nn.functional.scaled_dot_product_attention`; a test holds the two together.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor  # operators read their types from signatures


QUERIES = 32  # at a time
DROPPED = 1 << 31  # seeds of what is dropped


def small_attention(
    queries: Tensor, pairs: Tensor | None, is_there: Tensor | None, *, is_causal: bool, dropout: float
) -> Tensor:
    """Compute attention, the heads joined again.

    Shapes:
        queries: [example, place, 1, head, part], or queries, keys and values [example, place, 3, head, part] of
            self-attention. Parts lie side by side.
        pairs: keys and values [example, other place, 2, head, part]; None for self-attention.
        is_there: bool [example, other place], or one row for all. Returns [example, place, head x part].
    """
    source = queries if pairs is None else pairs
    there = None if is_there is None else is_there.to(torch.uint8).expand(source.shape[:2])
    seed = torch.randint(DROPPED, (1,), device=queries.device, dtype=torch.int64) if dropout else None
    found: Tensor = _look(queries, pairs, there, seed, is_causal, dropout)[0]
    return found


@torch.library.custom_op("deixis::look", mutates_args=())
def _look(
    queries: Tensor, pairs: Tensor | None, there: Tensor | None, seed: Tensor | None, is_causal: bool, dropout: float
) -> tuple[Tensor, Tensor]:
    query, key, value = _parts(queries, pairs)
    examples, places, heads, part = query.shape
    out, level = _room(queries)
    _forward[(examples * heads, triton.cdiv(places, QUERIES))](
        query, key, value, query if there is None else there, query if seed is None else seed, out, level,
        heads, places, key.shape[1], *_strides(query), *_strides(key), 0 if there is None else there.stride(0),
        part**-0.5, dropout, P=part, **_flags(key, there, is_causal, dropout),
    )  # fmt: skip
    return out, level


@torch.library.custom_op("deixis::look_back", mutates_args=())
def _look_back(
    queries: Tensor,
    pairs: Tensor | None,
    there: Tensor | None,
    seed: Tensor | None,
    out: Tensor,
    level: Tensor,
    grad: Tensor,
    is_causal: bool,
    dropout: float,
) -> tuple[Tensor, Tensor]:
    query, key, value = _parts(queries, pairs)
    examples, places, heads, part = query.shape
    of_queries, of_pairs = _back_room(queries, pairs)
    of_query, of_key, of_value = _parts(of_queries, None if pairs is None else of_pairs)
    _backward[(examples * heads,)](
        query, key, value, query if there is None else there, query if seed is None else seed, out, level,
        grad.contiguous(), of_query, of_key, of_value, heads, places, key.shape[1], *_strides(query), *_strides(key),
        *_strides(of_query), *_strides(of_key), 0 if there is None else there.stride(0),
        part**-0.5, dropout, P=part, **_flags(key, there, is_causal, dropout),
    )  # fmt: skip
    return of_queries, of_pairs


@_look.register_fake
def _(queries: Tensor, pairs: Any, there: Any, seed: Any, is_causal: bool, dropout: float) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    return _room(queries)


@_look_back.register_fake
def _(
    queries: Tensor,
    pairs: Tensor | None,
    there: Any,  # noqa: ARG001
    seed: Any,  # noqa: ARG001
    out: Tensor,  # noqa: ARG001
    level: Tensor,  # noqa: ARG001
    grad: Tensor,  # noqa: ARG001
    is_causal: bool,  # noqa: ARG001
    dropout: float,  # noqa: ARG001
) -> tuple[Tensor, Tensor]:
    return _back_room(queries, pairs)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    queries, pairs, there, seed, ctx.is_causal, ctx.dropout = inputs
    ctx.save_for_backward(queries, pairs, there, seed, *output)


def _back(ctx: Any, grad: Tensor, _: Any) -> tuple[Any, ...]:
    queries, pairs, there, seed, out, level = ctx.saved_tensors
    of_queries, of_pairs = _look_back(queries, pairs, there, seed, out, level, grad, ctx.is_causal, ctx.dropout)
    return of_queries, None if pairs is None else of_pairs, None, None, None, None


_look.register_autograd(_back, setup_context=_keep)


def _parts(queries: Tensor, pairs: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values: [example, place, head, part] each."""
    source = queries if pairs is None else pairs
    return queries[:, :, 0], source[:, :, -2], source[:, :, -1]


def _strides(side: Tensor) -> tuple[int, int, int]:
    """Return the strides of examples, heads and places."""
    example, place, head, _ = side.stride()
    return example, head, place


def _room(queries: Tensor) -> tuple[Tensor, Tensor]:
    """Room for what is found, and for how large the weights are in all."""
    examples, places, _, heads, part = queries.shape
    return queries.new_empty(examples, places, heads * part), queries.new_empty(
        examples, heads, places, dtype=torch.float32
    )


def _back_room(queries: Tensor, pairs: Tensor | None) -> tuple[Tensor, Tensor]:
    """Room for gradients; none is needed of what nobody pairs."""
    return queries.new_empty(queries.shape), queries.new_empty((0,) if pairs is None else pairs.shape)


def _flags(key: Tensor, there: Tensor | None, causal: bool, dropout: float) -> dict[str, Any]:
    return {
        "M": QUERIES,
        "N": max(16, triton.next_power_of_2(key.shape[1])),
        "MASKED": there is not None,
        "CAUSAL": causal,
        "DROPS": dropout > 0,
        "PRECISION": "ieee" if key.dtype == torch.float32 else "tf32",
        "num_warps": 4,
    }


@triton.jit
def _chance(seed, at):  # type: ignore[no-untyped-def]
    """A number from 0 to 1 for every place: a hash of it, far cheaper than a generator for statistics."""
    x = (at.to(tl.uint32) * 0x9E3779B9) ^ tl.load(seed).to(tl.uint32)
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return ((x ^ (x >> 16)) >> 8).to(tl.float32) * 5.9604644775390625e-08


@triton.jit
def _scores(  # type: ignore[no-untyped-def]
    q,
    k,
    m,
    n,
    there,
    example,
    there_stride,
    keys,
    scale,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
    PRECISION: tl.constexpr,
):
    scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
    inside = n[None, :] < keys
    if MASKED:
        inside = inside & (tl.load(there + example * there_stride + n, mask=n < keys, other=0) != 0)[None, :]
    if CAUSAL:
        inside = inside & (n[None, :] <= m[:, None])
    return tl.where(inside, scores, -1e9)


@triton.jit
def _forward(  # type: ignore[no-untyped-def]
    query, key, value, there, seed, out, level, heads, places, keys,
    qe, qh, qp, ke, kh, kp, there_stride, scale, dropout,
    P: tl.constexpr, M: tl.constexpr, N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr,
    DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    number = tl.program_id(0).to(tl.int64)
    example, head = number // heads, number % heads
    m, n, p = tl.program_id(1) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, P)
    q = tl.load(query + example * qe + head * qh + m[:, None] * qp + p[None, :], mask=m[:, None] < places, other=0.0)
    k = tl.load(key + example * ke + head * kh + n[:, None] * kp + p[None, :], mask=n[:, None] < keys, other=0.0)
    v = tl.load(value + example * ke + head * kh + n[:, None] * kp + p[None, :], mask=n[:, None] < keys, other=0.0)
    scores = _scores(q, k, m, n, there, example, there_stride, keys, scale, MASKED, CAUSAL, PRECISION)
    highest = tl.max(scores, axis=1)
    weights = tl.exp(scores - highest[:, None])
    total = tl.sum(weights, axis=1)
    weights = weights / total[:, None]
    if DROPS:
        places_of = (number * places + m)[:, None] * N + n[None, :]
        weights = tl.where(_chance(seed, places_of) >= dropout, weights / (1 - dropout), 0.0)
    found = tl.dot(weights.to(v.dtype), v, input_precision=PRECISION)
    at = out + (example * places + m[:, None]) * heads * P + head * P + p[None, :]
    tl.store(at, found, mask=m[:, None] < places)
    tl.store(level + number * places + m, highest + tl.log(total), mask=m < places)


@triton.jit
def _backward(  # type: ignore[no-untyped-def]
    query, key, value, there, seed, out, level, grad, of_query, of_key, of_value, heads, places, keys,
    qe, qh, qp, ke, kh, kp, ge, gh, gp, fe, fh, fp, there_stride, scale, dropout,
    P: tl.constexpr, M: tl.constexpr, N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr,
    DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    number = tl.program_id(0).to(tl.int64)
    example, head = number // heads, number % heads
    n, p = tl.arange(0, N), tl.arange(0, P)
    k = tl.load(key + example * ke + head * kh + n[:, None] * kp + p[None, :], mask=n[:, None] < keys, other=0.0)
    v = tl.load(value + example * ke + head * kh + n[:, None] * kp + p[None, :], mask=n[:, None] < keys, other=0.0)
    key_grad, value_grad = tl.zeros((N, P), tl.float32), tl.zeros((N, P), tl.float32)
    for first in range(0, places, M):
        m = first + tl.arange(0, M)
        is_place = m[:, None] < places
        q = tl.load(query + example * qe + head * qh + m[:, None] * qp + p[None, :], mask=is_place, other=0.0)
        at = (example * places + m[:, None]) * heads * P + head * P + p[None, :]
        g = tl.load(grad + at, mask=is_place, other=0.0)
        o = tl.load(out + at, mask=is_place, other=0.0)
        mean = tl.sum(g.to(tl.float32) * o.to(tl.float32), axis=1)
        scores = _scores(q, k, m, n, there, example, there_stride, keys, scale, MASKED, CAUSAL, PRECISION)
        top = tl.load(level + number * places + m, mask=m < places, other=0.0)
        weights = tl.where(is_place, tl.exp(scores - top[:, None]), 0.0)
        of_weights = tl.dot(g, tl.trans(v), input_precision=PRECISION)
        used = weights
        if DROPS:
            places_of = (number * places + m)[:, None] * N + n[None, :]
            keep = _chance(seed, places_of) >= dropout
            used = tl.where(keep, weights / (1 - dropout), 0.0)
            of_weights = tl.where(keep, of_weights / (1 - dropout), 0.0)
        of_scores = (weights * (of_weights - mean[:, None]) * scale).to(q.dtype)
        value_grad += tl.dot(tl.trans(used.to(g.dtype)), g, input_precision=PRECISION)
        key_grad += tl.dot(tl.trans(of_scores), q, input_precision=PRECISION)
        query_grad = tl.dot(of_scores, k, input_precision=PRECISION)
        tl.store(of_query + example * ge + head * gh + m[:, None] * gp + p[None, :], query_grad, mask=is_place)
    back = example * fe + head * fh + n[:, None] * fp + p[None, :]
    tl.store(of_key + back, key_grad, mask=n[:, None] < keys)
    tl.store(of_value + back, value_grad, mask=n[:, None] < keys)
