"""Attention over a few dozen keys on a CPU, without a large array in between.

    score_ij = query_i · key_j / √16        weight = softmax over j        out_i = Σ_j weight_ij value_j

Heads are 16 numbers wide, and 16 to 48 queries are taken at a time: they lie side by side in registers of the
processor, and keys and values are handed to all of them number by number. So no step sums across a register, and scores
never leave the fastest cache. The definition is `torch.nn.functional.scaled_dot_product_attention`.
"""

from __future__ import annotations

from functools import cache

import numba as nb
import numpy as np

from deixis._kernels.bitsets import FLOATING, jit_inline


_SIDE = nb.types.Array(nb.float32, 4, "A")
SIGNATURE = nb.void(nb.float32[:, :, ::1], _SIDE, _SIDE, _SIDE, nb.types.Array(nb.bool_, 2, "A"), nb.bool_)
PART = 16  # numbers of a head
LANES = (16, 32, 48)  # queries at a time, one kernel for each
KEYS = 8  # values summed at a time
NONE, LOWEST = np.float32(0), np.float32(-1e9)  # scores of keys that are not to be seen
SCALE = np.float32(PART**-0.5)
LEAST = np.float32(-87)  # whose exponential is the least normal number
# exp(x) is 2^n exp(r) with n whole: ln 2 is subtracted in two parts, then a polynomial follows (Cephes, `expf`)
PER_LOG2, LN2_HIGH, LN2_LOW = np.float32(1.44269504), np.float32(0.693359375), np.float32(-2.12194440e-4)
C2, C3, C4 = np.float32(5.0000001201e-1), np.float32(1.6666665459e-1), np.float32(4.1665795894e-2)
C5, C6, C7 = np.float32(8.3334519073e-3), np.float32(1.3981999507e-3), np.float32(1.9875691500e-4)
HALF, ONE = np.float32(0.5), np.float32(1)
BIAS, MANTISSA = np.int32(127), np.int32(23)  # of float32


@jit_inline
def exponential(x):
    """The exponential of a float32 that is not above 0, in operations that processors do for many at a time."""
    x = max(x, LEAST)
    n = np.floor(x * PER_LOG2 + HALF)
    r = x - n * LN2_HIGH - n * LN2_LOW
    p = ((((C7 * r + C6) * r + C5) * r + C4) * r + C3) * r + C2
    power = (np.int32(n) + BIAS) << MANTISSA
    return (p * r * r + r + ONE) * np.int32(power).view(np.float32)


def attend_into(out, query, key, value, is_there, is_causal):
    """Write attention, the heads joined again.

    Shapes:
        out: float32 [example, place, head x 16]. query: float32 [example, place, head, 16].
        key, value: float32 [example, other place, head, 16].
        is_there: bool [example, other place], False for padding; empty where nothing is. With `is_causal` a place sees
            those before it and itself, and nothing is padding.
    """
    lanes = next((one for one in LANES if one >= query.shape[1]), max(LANES))
    _kernel(lanes)(out, query, key, value, is_there, is_causal)


def compile_attention() -> None:
    """Compile attention of all numbers of queries, or load it from the cache on disk."""
    for lanes in LANES:
        _kernel(lanes)


@cache
def _kernel(lanes):
    """Compile attention of so many queries at a time, once for arrays of any strides."""

    @nb.njit(SIGNATURE, **FLOATING)
    def attend(out, query, key, value, is_there, is_causal):
        examples, places, heads, _ = query.shape
        others = key.shape[1]
        whole = (others + KEYS - 1) // KEYS * KEYS
        keys, values = np.zeros((whole, PART), np.float32), np.zeros((whole, PART), np.float32)
        queries, found = np.zeros((PART, lanes), np.float32), np.zeros((PART, lanes), np.float32)
        weights = np.zeros((whole, lanes), np.float32)
        top, total = np.zeros(lanes, np.float32), np.zeros(lanes, np.float32)
        for example in range(examples):
            for head in range(heads):
                count = 0
                for j in range(others):
                    if is_there.size == 0 or is_there[example, j]:
                        for p in range(PART):
                            keys[count, p] = key[example, j, head, p]
                            values[count, p] = value[example, j, head, p]
                        count += 1
                for j in range(count, whole):
                    for p in range(PART):
                        values[j, p] = NONE  # so that old weights count for nothing
                for first in range(0, places, lanes):
                    here = min(lanes, places - first)
                    for i in range(here):
                        for p in range(PART):
                            queries[p, i] = query[example, first + i, head, p] * SCALE
                    for i in range(lanes):
                        top[i], total[i] = LOWEST, NONE
                    for j in range(count):
                        k0, k1, k2, k3 = keys[j, 0], keys[j, 1], keys[j, 2], keys[j, 3]
                        k4, k5, k6, k7 = keys[j, 4], keys[j, 5], keys[j, 6], keys[j, 7]
                        k8, k9, k10, k11 = keys[j, 8], keys[j, 9], keys[j, 10], keys[j, 11]
                        k12, k13, k14, k15 = keys[j, 12], keys[j, 13], keys[j, 14], keys[j, 15]
                        for i in range(lanes):
                            a = k0 * queries[0, i] + k1 * queries[1, i] + k2 * queries[2, i] + k3 * queries[3, i]
                            b = k4 * queries[4, i] + k5 * queries[5, i] + k6 * queries[6, i] + k7 * queries[7, i]
                            c = k8 * queries[8, i] + k9 * queries[9, i] + k10 * queries[10, i] + k11 * queries[11, i]
                            d = (
                                k12 * queries[12, i]
                                + k13 * queries[13, i]
                                + k14 * queries[14, i]
                                + k15 * queries[15, i]
                            )
                            score = (a + b) + (c + d)
                            weights[j, i] = score
                            top[i] = max(top[i], score)
                    if is_causal:
                        for i in range(lanes):
                            top[i] = LOWEST
                            for j in range(first + i + 1, count):
                                weights[j, i] = LOWEST
                            for j in range(min(first + i + 1, count)):
                                top[i] = max(top[i], weights[j, i])
                    for j in range(count):
                        for i in range(lanes):
                            weight = exponential(weights[j, i] - top[i])
                            weights[j, i] = weight
                            total[i] += weight
                    for i in range(lanes):
                        total[i] = ONE / total[i]
                    for p in range(PART):
                        for i in range(lanes):
                            found[p, i] = NONE
                    for j in range(0, count, KEYS):
                        for p in range(PART):
                            v0, v1, v2, v3 = values[j, p], values[j + 1, p], values[j + 2, p], values[j + 3, p]
                            v4, v5, v6, v7 = values[j + 4, p], values[j + 5, p], values[j + 6, p], values[j + 7, p]
                            for i in range(lanes):
                                a = v0 * weights[j, i] + v1 * weights[j + 1, i]
                                b = v2 * weights[j + 2, i] + v3 * weights[j + 3, i]
                                c = v4 * weights[j + 4, i] + v5 * weights[j + 5, i]
                                d = v6 * weights[j + 6, i] + v7 * weights[j + 7, i]
                                found[p, i] += (a + b) + (c + d)
                    for i in range(here):
                        for p in range(PART):
                            out[example, first + i, head * PART + p] = found[p, i] * total[i]

    return attend
