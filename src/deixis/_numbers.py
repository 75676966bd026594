"""Numbers in data: what others hold without loss, and what is one."""

from __future__ import annotations

from math import isfinite
from typing import TypeGuard


ID_BITS = 53  # of the ids of examples: what JSON readers and signed 64-bit columns hold without loss


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a finite number that a float can hold.

    Booleans, texts and integers of 400 digits are none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


def is_share(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1
