"""Counting while an audit is made."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.audits.audit import Audit


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["Tally"]


class Tally:
    """Counts that grow; `audit` makes the record of them."""

    def __init__(self) -> None:
        self.examples = 0
        self.counts: dict[str, Counter[tuple[Any, ...]]] = {}

    def add(self, name: str, *key: Any, count: int = 1) -> None:
        """Count one key of one of the mappings of an audit."""
        if count:
            self.counts.setdefault(name, Counter())[key] += count

    def add_columns(self, name: str, *columns: tuple[np.ndarray, Sequence[Any] | None]) -> None:
        """Count keys given as columns, one per place of the key.

        Args:
            name: the mapping of the audit.
            *columns: (codes, values): code c stands for `values[c]`, or for itself where there are no values.
        """
        codes = [np.asarray(column).astype(np.int64, copy=False) for column, _ in columns]
        if not len(codes[0]):
            return
        sizes = [int(column.max()) + 1 for column in codes]
        keys, counts = _distinct(np.ravel_multi_index(codes, sizes), int(np.prod(sizes)))
        places = np.unravel_index(keys, sizes)
        said = [
            [code if values is None else values[code] for code in place.tolist()]
            for place, (_, values) in zip(places, columns, strict=True)
        ]
        target = self.counts.setdefault(name, Counter())
        for key, count in zip(zip(*said, strict=True), counts.tolist(), strict=True):
            target[key] += count

    def merge(self, other: Tally) -> None:
        """Take over the counts of another tally."""
        self.examples += other.examples
        for name, counts in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counts)

    def audit(self) -> Audit:
        """The record."""
        return Audit(examples=self.examples, **{name: dict(counts) for name, counts in self.counts.items()})


def _distinct(codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The codes that occur, and how often."""
    if size > 4 * len(codes) + 65_536:
        return np.unique(codes, return_counts=True)
    counts = np.bincount(codes, minlength=size)
    keys = np.flatnonzero(counts)
    return keys, counts[keys]
