"""The recurrent parts of M-LSTM and GCN-LSTM for a GPU: the same sums in fewer, larger pieces.

What limits an LSTM with attention is the chain of small kernels, one step after another. Here a query looks at all keys
in one kernel that reads them once, the gates of a cell are added up and applied in one, vectors are padded to widths
that load well, and on the way back only what the step before needs is computed in the chain: gradients of weights
follow in one product for all steps. The definitions are `recurrent.ActionDecoder.steps` and `torch.nn.LSTM`; tests hold
each pair together, in an interpreter and on a GPU.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch.autograd import Function
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor


INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # on a CPU, for tests


class StepWeights(NamedTuple):
    """The matrices of a decoder's step, joined by the vector they are applied to, with all widths padded.

    Shapes, with w the width:
        state: [w, 6w], to the query of words, the wish and the gates; bias: [6w] of the same.
        said: [w, 5w], to the wish and the gates; wish: [w, w], to the query of cells; seen: [w, 4w], to the gates.
        word_energy, cell_energy: [w].
    """

    state: Tensor
    bias: Tensor
    said: Tensor
    wish: Tensor
    seen: Tensor
    word_energy: Tensor
    cell_energy: Tensor


class DecodedSteps(NamedTuple):
    """The states of a decoder and its contexts of words and of cells, [step, example, width] each."""

    states: Tensor
    said: Tensor
    seen: Tensor


def padded_width(width: int) -> int:
    """Return the next multiple of 16, at which rows can be loaded in wide pieces."""
    return -(-width // 16) * 16


def pad_blocks(weight: Tensor, *sides: int) -> Tensor:
    """Pad every block of a weight with zeros to `padded_width`.

    Its sides have as many blocks as `sides` says.

    Example: an LSTM's matrix [4 width, 3 width] has the sides 4 and 3.
    """
    for axis, blocks in enumerate(sides):
        width = weight.shape[axis] // blocks
        spare = padded_width(width) - width
        if spare:
            apart = weight.unflatten(axis, (blocks, width)).movedim(axis + 1, -1)
            weight = functional.pad(apart, (0, spare)).movedim(-1, axis + 1).flatten(axis, axis + 1)
    return weight


def decode_steps(
    token_gates: Tensor, words: Tensor, is_word: Tensor, cells: Tensor, start: Tensor, weights: StepWeights
) -> DecodedSteps:
    """Take all steps of a decoder.

    Shapes:
        token_gates: [step, example, 4 width], what the last action adds to the gates.
        words, cells: [example, key, width]; is_word: bool [example, word]; start: [example, width].
    """
    return DecodedSteps(*_Decode.apply(token_gates, words, is_word.to(torch.uint8), cells, start, *weights))


def scan(gates: Tensor, weight: Tensor) -> Tensor:
    """Compute the states of several LSTMs that run side by side from zero.

    Shapes:
        gates: [step, lstm, example, 4 width], what the inputs add to the gates; weight: [lstm, width, 4 width].
        Returns [step, lstm, example, width].
    """
    states: Tensor = _Scan.apply(gates, weight)
    return states


class _Decode(Function):
    @staticmethod
    def forward(
        ctx: Any, token_gates: Tensor, words: Tensor, is_word: Tensor, cells: Tensor, start: Tensor, *parts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        weights = StepWeights(*parts)
        steps, examples, _ = token_gates.shape
        width = start.shape[1]
        words, cells, is_word = words.contiguous(), cells.contiguous(), is_word.contiguous()

        def room(columns: int, dtype: torch.dtype = start.dtype) -> Tensor:
            return torch.empty(steps, examples, columns, dtype=dtype, device=start.device)

        states, said, seen, wishes, cell_queries = (room(width) for _ in range(5))
        from_states = room(6 * width)
        carried, exact_said, exact_seen = (room(width, torch.float32) for _ in range(3))
        gates = room(4 * width)
        word_weights, cell_weights = room(words.shape[1], torch.float32), room(cells.shape[1], torch.float32)
        state, carry = start, start.float()
        for step in range(steps):
            from_state = torch.addmm(weights.bias, state, weights.state, out=from_states[step])
            _look_at(from_state, words, weights.word_energy, is_word, said[step], exact_said[step], word_weights[step])
            from_said = said[step] @ weights.said
            _run(_bend, from_state[:, width:], from_said, wishes[step])
            torch.mm(wishes[step], weights.wish, out=cell_queries[step])
            _look_at(
                cell_queries[step], cells, weights.cell_energy, None, seen[step], exact_seen[step], cell_weights[step]
            )
            addends = (token_gates[step], from_state[:, 2 * width :], from_said[:, width:], seen[step] @ weights.seen)
            _cell_of(addends, carry, states[step], carried[step], gates[step])
            state, carry = states[step], carried[step]
        ctx.save_for_backward(
            words, cells, start, *parts, states, said, seen, wishes, from_states, cell_queries, carried, gates,
            exact_said, exact_seen, word_weights, cell_weights,
        )  # fmt: skip
        return states, said, seen

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        words, cells, start, *rest = ctx.saved_tensors
        weights = StepWeights(*rest[:7])
        states, said, seen, wishes, from_states, cell_queries, carried, gates, *rest = rest[7:]
        exact_said, exact_seen, word_weights, cell_weights = rest
        of_states, of_said, of_seen = grads
        steps, examples, width = states.shape
        # by columns: the query of words, the wish, the four gates
        of_all = torch.empty(steps, examples, 6 * width, dtype=states.dtype, device=states.device)
        of_queries = torch.empty_like(cell_queries)
        of_words = torch.zeros(words.shape, dtype=torch.float32, device=words.device)
        of_cells = torch.zeros(cells.shape, dtype=torch.float32, device=cells.device)
        of_energies = torch.zeros(2, examples, width, dtype=torch.float32, device=words.device)
        to_state, to_said, to_seen, to_wish = (
            part.t().contiguous() for part in (weights.state, weights.said, weights.seen, weights.wish)
        )
        of_state, of_carried = of_states[-1], torch.zeros_like(carried[0])
        for step in reversed(range(steps)):
            before = carried[step - 1] if step else start.float()
            of_carried = _cell_back_of(
                of_state, of_carried, before, carried[step], gates[step], of_all[step, :, 2 * width :]
            )
            grad = torch.addmm(of_seen[step], of_all[step, :, 2 * width :], to_seen)
            _look_back_at(
                cell_queries[step], cells, weights.cell_energy, cell_weights[step], exact_seen[step], grad,
                of_queries[step], of_cells, of_energies[1],
            )  # fmt: skip
            _run(_unbend, of_queries[step] @ to_wish, wishes[step], of_all[step, :, width:])
            grad = torch.addmm(of_said[step], of_all[step, :, width:], to_said)
            _look_back_at(
                from_states[step], words, weights.word_energy, word_weights[step], exact_said[step], grad,
                of_all[step], of_words, of_energies[0],
            )  # fmt: skip
            of_state = torch.addmm(of_states[step - 1], of_all[step], to_state) if step else of_all[step] @ to_state
        of_start = of_state + of_carried.to(of_state.dtype)
        earlier = torch.cat((start[None], states[:-1]))
        all_rows = of_all.flatten(0, 1)
        energies = of_energies.sum(1)
        return (
            of_all[:, :, 2 * width :], of_words.to(words.dtype), None, of_cells.to(cells.dtype), of_start,
            earlier.flatten(0, 1).t() @ all_rows, all_rows.sum(0, dtype=torch.float32).to(all_rows.dtype),
            said.flatten(0, 1).t() @ all_rows[:, width:], wishes.flatten(0, 1).t() @ of_queries.flatten(0, 1),
            seen.flatten(0, 1).t() @ all_rows[:, 2 * width :],
            energies[0].to(weights.word_energy.dtype), energies[1].to(weights.cell_energy.dtype),
        )  # fmt: skip


class _Scan(Function):
    @staticmethod
    def forward(ctx: Any, gates_in: Tensor, weight: Tensor) -> Tensor:
        steps, lstms, examples, columns = gates_in.shape
        width = columns // 4
        states = torch.empty(steps, lstms, examples, width, dtype=gates_in.dtype, device=gates_in.device)
        carried = torch.empty(states.shape, dtype=torch.float32, device=states.device)
        gates = torch.empty_like(gates_in)
        nothing = torch.zeros_like(carried[0])
        for step in range(steps):
            addends = (gates_in[step],) if step == 0 else (gates_in[step], torch.bmm(states[step - 1], weight))
            before = nothing if step == 0 else carried[step - 1]
            _cell_of(
                tuple(addend.flatten(0, 1) for addend in addends), before.flatten(0, 1),
                states[step].flatten(0, 1), carried[step].flatten(0, 1), gates[step].flatten(0, 1),
            )  # fmt: skip
        ctx.save_for_backward(weight, states, carried, gates)
        return states

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        weight, states, carried, gates = ctx.saved_tensors
        of_states = grads[0].contiguous()
        of_gates = torch.empty_like(gates)
        to_state = weight.transpose(1, 2).contiguous()
        of_state, of_carried = of_states[-1], torch.zeros_like(carried[0]).flatten(0, 1)
        for step in reversed(range(len(states))):
            before = carried[step - 1] if step else torch.zeros_like(carried[0])
            of_carried = _cell_back_of(
                of_state.flatten(0, 1), of_carried, before.flatten(0, 1), carried[step].flatten(0, 1),
                gates[step].flatten(0, 1), of_gates[step].flatten(0, 1),
            )  # fmt: skip
            if step:
                of_state = torch.baddbmm(of_states[step - 1], of_gates[step], to_state)
        before_each = states[:-1].transpose(0, 1).flatten(1, 2)  # [lstm, step x example, width]
        after_each = of_gates[1:].transpose(0, 1).flatten(1, 2)
        return of_gates, torch.bmm(before_each.transpose(1, 2), after_each)


# ---------------------------------------------------------------------------------------------------- launching


def _power(length: int) -> int:
    return max(16, 1 << (length - 1).bit_length())


def _tile(width: int) -> dict[str, int]:
    """Number of keys that a kernel takes at a time, and their width; one warp needs no other to add up."""
    return {"N": 8, "D": _power(width), "num_warps": 1}


def _look_at(
    query: Tensor,
    keys: Tensor,
    energy: Tensor,
    is_there: Tensor | None,
    context: Tensor,
    exact: Tensor,
    weights: Tensor,
) -> None:
    examples, count, width = keys.shape
    quick = keys.dtype == torch.bfloat16 and not INTERPRETED
    _look[(examples,)](
        query, keys, energy, keys if is_there is None else is_there, context, exact, weights, count, width,
        query.stride(0), MASKED=is_there is not None, QUICK=quick, **_tile(width),
    )  # fmt: skip


def _look_back_at(
    query: Tensor, keys: Tensor, energy: Tensor, weights: Tensor, context: Tensor, grad: Tensor,
    of_query: Tensor, of_keys: Tensor, of_energy: Tensor,
) -> None:  # fmt: skip
    examples, count, width = keys.shape
    quick = keys.dtype == torch.bfloat16 and not INTERPRETED
    _look_back[(examples,)](
        query, keys, energy, weights, context, grad, of_query, of_keys, of_energy, count, width,
        query.stride(0), of_query.stride(0), QUICK=quick, **_tile(width),
    )  # fmt: skip


def _cell_of(addends: tuple[Tensor, ...], before: Tensor, state: Tensor, after: Tensor, gates: Tensor) -> None:
    examples, width = before.shape
    four = (*addends, *addends[:1] * (4 - len(addends)))
    _cell[(examples,)](
        *four, before, state, after, gates, width, *(addend.stride(0) for addend in four),
        COUNT=len(addends), D=_power(width), num_warps=1,
    )  # fmt: skip


def _cell_back_of(
    of_state: Tensor, of_after: Tensor, before: Tensor, after: Tensor, gates: Tensor, of_gates: Tensor
) -> Tensor:
    examples, width = before.shape
    of_before = torch.empty_like(before)
    _cell_back[(examples,)](
        of_state, of_after, before, after, gates, of_gates, of_before, width, of_state.stride(0), of_gates.stride(0),
        D=_power(width), num_warps=1,
    )  # fmt: skip
    return of_before


def _run(kernel: Any, one: Tensor, two: Tensor, out: Tensor) -> None:
    """A kernel that joins two rows into one; the narrower of `two` and `out` says how wide they are."""
    width = min(two.shape[1], out.shape[1]) if kernel is _unbend else out.shape[1]
    kernel[(out.shape[0],)](
        one, two, out, width, one.stride(0), two.stride(0), out.stride(0), D=_power(width), num_warps=1
    )


# ---------------------------------------------------------------------------------------------------- kernels


@triton.jit
def _tanh(x, QUICK: tl.constexpr):  # type: ignore[no-untyped-def]
    if QUICK:
        return tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def _look(  # type: ignore[no-untyped-def]
    query, keys, energy, there, context, exact, weights, count, width, stride,
    N: tl.constexpr, D: tl.constexpr, MASKED: tl.constexpr, QUICK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    q = tl.load(query + row * stride + d, mask=d < width, other=0.0).to(tl.float32)
    e = tl.load(energy + d, mask=d < width, other=0.0).to(tl.float32)
    highest, total = float("-inf"), 0.0
    found = tl.zeros((D,), tl.float32)
    for first in range(0, count, N):  # a softmax that is put right as higher scores come
        n = first + tl.arange(0, N)
        inside = (n[:, None] < count) & (d[None, :] < width)
        at = row * count * width + n[:, None] * width + d[None, :]
        k = tl.load(keys + at, mask=inside, other=0.0).to(tl.float32)
        score = tl.sum(_tanh(q[None, :] + k, QUICK) * e[None, :], axis=1)
        if MASKED:
            score = tl.where(tl.load(there + row * count + n, mask=n < count, other=0) != 0, score, -1e9)
        tl.store(weights + row * count + n, score, mask=n < count)
        score = tl.where(n < count, score, float("-inf"))
        higher = tl.maximum(highest, tl.max(score, axis=0))
        share = tl.exp(score - higher)
        earlier = tl.exp(highest - higher)
        total = total * earlier + tl.sum(share, axis=0)
        found = found * earlier + tl.sum(share[:, None] * k, axis=0)
        highest = higher
    tl.store(context + row * width + d, found / total, mask=d < width)
    tl.store(exact + row * width + d, found / total, mask=d < width)  # differences are taken from it on the way back
    for first in range(0, count, N):
        n = first + tl.arange(0, N)
        score = tl.load(weights + row * count + n, mask=n < count, other=0.0)
        tl.store(weights + row * count + n, tl.exp(score - highest) / total, mask=n < count)


@triton.jit
def _look_back(  # type: ignore[no-untyped-def]
    query, keys, energy, weights, context, grad, of_query, of_keys, of_energy, count, width, stride, of_stride,
    N: tl.constexpr, D: tl.constexpr, QUICK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    q = tl.load(query + row * stride + d, mask=d < width, other=0.0).to(tl.float32)
    e = tl.load(energy + d, mask=d < width, other=0.0).to(tl.float32)
    g = tl.load(grad + row * width + d, mask=d < width, other=0.0).to(tl.float32)
    mean = tl.sum(g * tl.load(context + row * width + d, mask=d < width, other=0.0), axis=0)
    query_grad, energy_grad = tl.zeros((D,), tl.float32), tl.zeros((D,), tl.float32)
    for first in range(0, count, N):
        n = first + tl.arange(0, N)
        inside = (n[:, None] < count) & (d[None, :] < width)
        at = row * count * width + n[:, None] * width + d[None, :]
        k = tl.load(keys + at, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(weights + row * count + n, mask=n < count, other=0.0)
        bent = _tanh(q[None, :] + k, QUICK)
        of_score = weight * (tl.sum(k * g[None, :], axis=1) - mean)
        of_sum = of_score[:, None] * e[None, :] * (1 - bent * bent)
        key_grad = weight[:, None] * g[None, :] + of_sum + tl.load(of_keys + at, mask=inside, other=0.0)
        tl.store(of_keys + at, key_grad, mask=inside)
        query_grad += tl.sum(of_sum, axis=0)
        energy_grad += tl.sum(of_score[:, None] * bent, axis=0)
    of_e = of_energy + row * width + d
    tl.store(of_e, energy_grad + tl.load(of_e, mask=d < width, other=0.0), mask=d < width)
    tl.store(of_query + row * of_stride + d, query_grad, mask=d < width)


@triton.jit
def _bend(one, two, out, width, s1, s2, s3, D: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    total = tl.load(one + row * s1 + d, mask=d < width, other=0.0).to(tl.float32)
    total += tl.load(two + row * s2 + d, mask=d < width, other=0.0).to(tl.float32)
    tl.store(out + row * s3 + d, 2 * tl.sigmoid(2 * total) - 1, mask=d < width)


@triton.jit
def _unbend(grad, bent, out, width, s1, s2, s3, D: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    b = tl.load(bent + row * s2 + d, mask=d < width, other=0.0).to(tl.float32)
    g = tl.load(grad + row * s1 + d, mask=d < width, other=0.0).to(tl.float32)
    tl.store(out + row * s3 + d, g * (1 - b * b), mask=d < width)


@triton.jit
def _gate(one, two, three, four, row, at, inside, s1, s2, s3, s4, COUNT: tl.constexpr):  # type: ignore[no-untyped-def]
    total = tl.load(one + row * s1 + at, mask=inside, other=0.0).to(tl.float32)
    if COUNT > 1:
        total += tl.load(two + row * s2 + at, mask=inside, other=0.0).to(tl.float32)
    if COUNT > 2:
        total += tl.load(three + row * s3 + at, mask=inside, other=0.0).to(tl.float32)
        total += tl.load(four + row * s4 + at, mask=inside, other=0.0).to(tl.float32)
    return total


@triton.jit
def _cell(  # type: ignore[no-untyped-def]
    one, two, three, four, before, state, after, gates, width, s1, s2, s3, s4,
    COUNT: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    inside = d < width
    let_in = tl.sigmoid(_gate(one, two, three, four, row, d, inside, s1, s2, s3, s4, COUNT))
    keep = tl.sigmoid(_gate(one, two, three, four, row, width + d, inside, s1, s2, s3, s4, COUNT))
    new = 2 * tl.sigmoid(2 * _gate(one, two, three, four, row, 2 * width + d, inside, s1, s2, s3, s4, COUNT)) - 1
    let_out = tl.sigmoid(_gate(one, two, three, four, row, 3 * width + d, inside, s1, s2, s3, s4, COUNT))
    c = keep * tl.load(before + row * width + d, mask=inside, other=0.0) + let_in * new
    tl.store(after + row * width + d, c, mask=inside)
    tl.store(state + row * width + d, let_out * (2 * tl.sigmoid(2 * c) - 1), mask=inside)
    out = gates + row * 4 * width + d
    tl.store(out, let_in, mask=inside)
    tl.store(out + width, keep, mask=inside)
    tl.store(out + 2 * width, new, mask=inside)
    tl.store(out + 3 * width, let_out, mask=inside)


@triton.jit
def _cell_back(  # type: ignore[no-untyped-def]
    of_state, of_after, before, after, gates, of_gates, of_before, width, s1, s2, D: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    inside = d < width
    at = row * width + d
    parts = gates + row * 4 * width + d
    let_in = tl.load(parts, mask=inside, other=0.0).to(tl.float32)
    keep = tl.load(parts + width, mask=inside, other=0.0).to(tl.float32)
    new = tl.load(parts + 2 * width, mask=inside, other=0.0).to(tl.float32)
    let_out = tl.load(parts + 3 * width, mask=inside, other=0.0).to(tl.float32)
    bent = 2 * tl.sigmoid(2 * tl.load(after + at, mask=inside, other=0.0)) - 1
    of_h = tl.load(of_state + row * s1 + d, mask=inside, other=0.0).to(tl.float32)
    of_c = tl.load(of_after + at, mask=inside, other=0.0) + of_h * let_out * (1 - bent * bent)
    out = of_gates + row * s2 + d
    tl.store(out, of_c * new * let_in * (1 - let_in), mask=inside)
    held = tl.load(before + at, mask=inside, other=0.0)
    tl.store(out + width, of_c * held * keep * (1 - keep), mask=inside)
    tl.store(out + 2 * width, of_c * let_in * (1 - new * new), mask=inside)
    tl.store(out + 3 * width, of_h * bent * let_out * (1 - let_out), mask=inside)
    tl.store(of_before + at, of_c * keep, mask=inside)
