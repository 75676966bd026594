"""Sets of up to 64 objects in one machine word, and a counter-based source of random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba as nb
import numpy as np


if TYPE_CHECKING:
    from collections.abc import Callable


_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
FLOATING: dict[str, Any] = {**_OPTIONS, "fastmath": {"contract", "nnan", "ninf", "nsz"}}  # sums keep their order
_NARROW = (nb.types.int8, nb.types.int16, nb.types.int32, nb.types.uint8, nb.types.uint16, nb.types.uint32)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H = np.uint64(0x0101010101010101)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U0, _U1, _U2, _U4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
_U27, _U30, _U31, _U32, _U56 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(56)
_LOW = np.uint64(0xFFFFFFFF)


def jit(kernel: Callable[..., Any]) -> Any:
    """Compile a kernel when it is first called, and keep the machine code on disk.

    Between kernels, integers are passed as int64. Left alone, numba compiles a kernel anew for every width of integer
    and even for every constant that another kernel calls it with, which takes far longer and gains nothing.
    """
    compiled: Any = nb.njit(**_OPTIONS)(kernel)
    if compiled is not kernel:  # as it is where compilation is switched off
        choose = compiled.get_call_template
        compiled.get_call_template = lambda args, kws: choose([_as_passed(kind) for kind in args], kws)
    return compiled


def jit_inline(kernel: Callable[..., Any]) -> Any:
    """Compile a kernel into each kernel that calls it, where handing over its many arrays would cost a fifth."""
    return nb.njit(inline="always", **_OPTIONS)(kernel)


def _as_passed(kind: Any) -> Any:
    """The type in which an argument goes from one kernel to another: narrow integers and constants as int64."""
    kind = nb.types.unliteral(kind)
    return nb.types.int64 if kind in _NARROW else kind


@jit
def bit(index):
    """The set that holds one object."""
    return _U1 << np.uint64(index)


@jit
def count(word):
    """Return the number of objects in a set."""
    word = word - ((word >> _U1) & _M1)
    word = (word & _M2) + ((word >> _U2) & _M2)
    word = (word + (word >> _U4)) & _M4
    return np.int64((word * _H) >> _U56)


@jit
def lowest(word):
    """The number of the first object of a non-empty set."""
    return count((word & (~word + _U1)) - _U1)


@jit
def mix(word):
    """SplitMix64's finaliser: a word scrambled so that every bit depends on every bit."""
    word = (word ^ (word >> _U30)) * _MIX1
    word = (word ^ (word >> _U27)) * _MIX2
    return word ^ (word >> _U31)


@jit
def next_word(state):
    """Return the next random word, and change `state`, a uint64 array of length 1, in place."""
    state[0] += GOLDEN
    return mix(state[0])


@jit
def below(state, limit):
    """A random integer from 0 to limit - 1 (the bias of the multiplication is below limit / 2^32)."""
    return np.int64(((next_word(state) & _LOW) * np.uint64(limit)) >> _U32)
