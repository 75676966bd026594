"""Scales of axes: how values become places, and round numbers beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple


MAX_TICKS = 6


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic map from values to places."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """Where a value stands."""
        low, high, at = (math.log(one) if self.is_log else one for one in (self.low, self.high, value))
        return round(self.start + (at - low) / ((high - low) or 1) * (self.stop - self.start), 2)


class Tick(NamedTuple):
    """A tick of an axis: where it stands and what it says."""

    at: float
    said: str


def nice_ticks(low: float, high: float, most: int = MAX_TICKS) -> list[float]:
    """Round numbers from below `low` to above `high`, about as many as given at most."""
    rough = (high - low) / (most - 1) or 1.0
    size = 10.0 ** math.floor(math.log10(rough))
    step = next((size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999), rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * count, 12) for count in range(first, max(last, first + 1) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers within the ends of a logarithmic axis."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if high / low < 100 else (1,)
    every = [factor * 10.0**power for power in powers for factor in factors]
    some = [value for value in every if low * 0.999 <= value <= high * 1.001]
    return some[:: max(1, math.ceil(len(some) / MAX_TICKS))] or [low, high]
