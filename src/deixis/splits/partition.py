"""Which example goes where.

Examples that a rule holds out stay out of train, dev and test. Of those, the ones in which the held-out word really matters form the rule's test set (an
example may be in several); the rest is set aside. Everything else is divided at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np


if TYPE_CHECKING:
    from deixis.splits.rules import Rule


__all__ = ["Fractions", "divide_at_random", "membership_names"]


class Fractions(NamedTuple):
    """How large dev and test are, as shares of what is divided; train takes the rest (specification section 7.1)."""

    dev: float = 0.052
    test: float = 0.01


def divide_at_random(ids: np.ndarray, *, seed: int, fractions: Fractions) -> np.ndarray:
    """0 for train, 1 for dev, 2 for test, decided by nothing but the seed and what each example is.

    Shapes:
        ids: uint64 [example], all different. Returns uint8 [example].
    """
    order = np.argsort(_mixed(ids ^ np.uint64(seed)), kind="stable")
    n = len(ids)
    dev, test = int(fractions.dev * n), int(fractions.test * n)
    part = np.zeros(n, np.uint8)
    part[order[n - dev - test : n - test]] = 1
    part[order[n - test :]] = 2
    return part


def membership_names(rules: tuple[Rule, ...], kept: int) -> str:
    """The name of the place of a held-out example: its test sets joined by +, or aside where it is in none."""
    return "+".join(rule.name for bit, rule in enumerate(rules) if kept >> bit & 1) or "aside"


def _mixed(words: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser, vectorised; the plain twin is `seeds.mix`."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return words ^ (words >> np.uint64(31))
