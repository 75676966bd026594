"""How many captions are read and scored in a second of processor time of one core."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchmarks.machine import Row
from deixis.seeds import Stream, derive
from deixis.worlds.rooms.judging._anchors import captions_of
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._summary import columns
from deixis.worlds.rooms.pairs import random_pairs


if TYPE_CHECKING:
    import numpy as np


__all__ = ["measure_mentions"]

CAPTIONS = 50_000
PROMISED = 50_000


def measure_mentions() -> list[Row]:
    """The rates for well-formed captions and for broken ones, all of them different."""
    pairs = random_pairs(CAPTIONS, seed=7)
    texts = captions_of(pairs[:, 0], seed=7)
    rng = Stream(derive(7, "broken"))
    broken = [" ".join(rng.permutation(text.split())[: 4 + rng.below(16)]) for text in texts]
    name = "captions read and scored, clean mode"
    return [
        Row(f"{name}, {len(set(texts)):,} different ones", _rate(texts, pairs), "/s", at_least=PROMISED),
        Row(f"{name}, words in random order", _rate(broken, pairs), "/s"),
        Row("captions read and scored, paper mode", _rate(texts[:5_000], pairs[:5_000], mode="paper"), "/s"),
    ]


def _rate(texts: list[str], pairs: np.ndarray, **options: str) -> float:
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        columns(score_captions(texts, pairs[:, 0], pairs[:, 1], **options))
        best = max(best, len(texts) / (time.process_time() - start))
    return best


if __name__ == "__main__":
    for row in measure_mentions():
        print(f"{row.name}: {row.value:,.0f} {row.unit}")
