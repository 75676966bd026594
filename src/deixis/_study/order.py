"""The order in which a participant sees the items, from the seed of the order and the participant's id alone.

`study.js` has the same in JavaScript, for the page without a server; a test holds the two against each other. All
arithmetic is on 32-bit words, which both languages have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar


if TYPE_CHECKING:
    from collections.abc import Sequence


T = TypeVar("T")
WORD = 0xFFFFFFFF
OFFSET, PRIME = 0x811C9DC5, 0x01000193  # of FNV-1a


def hash_text(text: str) -> int:
    """Return a 32-bit number for a text: FNV-1a over its UTF-8 bytes, then scrambled."""
    state = OFFSET
    for byte in text.encode():
        state = (state ^ byte) * PRIME & WORD
    return scramble(state)


def scramble(word: int) -> int:
    """Return a 32-bit number in which every bit depends on every bit of another: the finaliser of MurmurHash3."""
    word = (word ^ word >> 16) * 0x85EBCA6B & WORD
    word = (word ^ word >> 13) * 0xC2B2AE35 & WORD
    return word ^ word >> 16


def order_for(items: Sequence[T], *, seed: str, participant: str) -> list[T]:
    """Return the items in the order of a participant (Fisher and Yates)."""
    found, state = list(items), hash_text(f"{seed}/{participant}")
    for last in range(len(found) - 1, 0, -1):
        state = (state + 0x9E3779B9) & WORD
        other = scramble(state) % (last + 1)
        found[last], found[other] = found[other], found[last]
    return found
