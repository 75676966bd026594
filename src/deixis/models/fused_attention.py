"""Attention over a few dozen places for a GPU: one kernel for each head of each example, and one for the way back.

Kernels made for long texts spend most of their time on tiles that are empty here. The definition is
`torch.nn.functional.scaled_dot_product_attention`; a test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton
import triton.language as tl
from torch.autograd import Function


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["small_attention"]

QUERIES = 32  # at a time


def small_attention(
    query: Tensor, key: Tensor, value: Tensor, is_there: Tensor | None, *, is_causal: bool, dropout: float
) -> Tensor:
    """What every query finds, the heads joined again.

    Shapes:
        query: [example, head, place, part], key and value: [example, head, other place, part]; parts lie side by side.
        is_there: bool [example, other place], or one row for all. Returns [example, place, head x part].
    """
    if is_there is not None:
        is_there = is_there.to(torch.uint8).expand(key.shape[0], key.shape[2])
    seed = torch.randint(1 << 31, (1,), device=query.device, dtype=torch.int64) if dropout else query
    found: Tensor = _Attention.apply(query, key, value, is_there, seed, is_causal, dropout)
    return found


class _Attention(Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        there: Tensor | None,
        seed: Tensor,
        causal: bool,
        dropout: float,
    ) -> Tensor:
        examples, heads, places, part = query.shape
        out = torch.empty(examples, places, heads * part, dtype=query.dtype, device=query.device)
        level = torch.empty(examples, heads, places, dtype=torch.float32, device=query.device)
        flags = _flags(key, there, causal, dropout)
        _forward[(examples * heads, triton.cdiv(places, QUERIES))](
            query, key, value, there if there is not None else query, seed, out, level,
            heads, places, key.shape[2], *query.stride()[:3], *key.stride()[:3], *value.stride()[:3],
            there.stride(0) if there is not None else 0, part**-0.5, dropout, P=part, **flags,
        )  # fmt: skip
        ctx.save_for_backward(query, key, value, there, seed, out, level)
        ctx.flags, ctx.dropout = flags, dropout
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, there, seed, out, level = ctx.saved_tensors
        examples, heads, places, part = query.shape
        of_query, of_key, of_value = (_like(side) for side in (query, key, value))
        grad = grads[0].contiguous()
        _backward[(examples * heads,)](
            query, key, value, there if there is not None else query, seed, out, level, grad,
            of_query, of_key, of_value, heads, places, key.shape[2], *query.stride()[:3], *key.stride()[:3],
            *value.stride()[:3], *of_query.stride()[:3], *of_key.stride()[:3],
            there.stride(0) if there is not None else 0, part**-0.5, ctx.dropout, P=part, **ctx.flags,
        )  # fmt: skip
        return of_query, of_key, of_value, None, None, None, None


def _like(side: Tensor) -> Tensor:
    """Room for a gradient, in memory as the projections that it goes back to: heads within places."""
    examples, heads, places, part = side.shape
    return torch.empty(examples, places, heads, part, dtype=side.dtype, device=side.device).transpose(1, 2)


def _flags(key: Tensor, there: Tensor | None, causal: bool, dropout: float) -> dict[str, Any]:
    return {
        "M": QUERIES,
        "N": max(16, triton.next_power_of_2(key.shape[2])),
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
    qe, qh, qp, ke, kh, kp, ve, vh, vp, there_stride, scale, dropout,
    P: tl.constexpr, M: tl.constexpr, N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr,
    DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    number = tl.program_id(0).to(tl.int64)
    example, head = number // heads, number % heads
    m, n, p = tl.program_id(1) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, P)
    q = tl.load(query + example * qe + head * qh + m[:, None] * qp + p[None, :], mask=m[:, None] < places, other=0.0)
    k = tl.load(key + example * ke + head * kh + n[:, None] * kp + p[None, :], mask=n[:, None] < keys, other=0.0)
    v = tl.load(value + example * ve + head * vh + n[:, None] * vp + p[None, :], mask=n[:, None] < keys, other=0.0)
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
    qe, qh, qp, ke, kh, kp, ve, vh, vp, ge, gh, gp, fe, fh, fp, there_stride, scale, dropout,
    P: tl.constexpr, M: tl.constexpr, N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr,
    DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    number = tl.program_id(0).to(tl.int64)
    example, head = number // heads, number % heads
    n, p = tl.arange(0, N), tl.arange(0, P)
    k = tl.load(key + example * ke + head * kh + n[:, None] * kp + p[None, :], mask=n[:, None] < keys, other=0.0)
    v = tl.load(value + example * ve + head * vh + n[:, None] * vp + p[None, :], mask=n[:, None] < keys, other=0.0)
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
