"""Random numbers by their place: the same for a row and a column however many are computed at a time."""

from __future__ import annotations

import numpy as np

from deixis.seeds import derive, mix_words


__all__ = ["normals", "ranks"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
UNIT = 2.0**-53


def _uniforms(seed: int, rows: np.ndarray, columns: int, label: str) -> np.ndarray:
    """Numbers above 0 and up to 1: float64 [row, column]."""
    start = mix_words(np.asarray(rows, np.uint64)[:, None] * GOLDEN + np.uint64(derive(seed, label)))
    words = mix_words(start + (np.arange(columns, dtype=np.uint64) + np.uint64(1)) * GOLDEN)
    return ((words >> np.uint64(11)).astype(np.float64) + 1) * UNIT


def normals(seed: int, rows: np.ndarray, columns: int) -> np.ndarray:
    """Normal numbers (Box and Muller) for the numbers of rows: float32 [row, column]."""
    radius = np.sqrt(-2 * np.log(_uniforms(seed, rows, columns, "radius")))
    return (radius * np.cos(2 * np.pi * _uniforms(seed, rows, columns, "angle"))).astype(np.float32)


def ranks(seed: int, rows: np.ndarray, columns: int) -> np.ndarray:
    """Numbers to sort by, for the numbers of rows: float64 [row, column]."""
    return _uniforms(seed, rows, columns, "rank")
