"""Which example goes where.

Examples that a rule holds out stay out of train, dev and test. Of those, the ones in which the held-out word really
matters form the rule's test set (an example may be in several); the rest is set aside. Everything else is divided at
random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.seeds import mix_words


if TYPE_CHECKING:
    from deixis.splits.rules import Rule


__all__ = ["ASIDE", "TRAINING", "Fractions", "divide_at_random", "membership_names"]

TRAINING = ("train", "dev", "test")  # what is divided at random, in the order of the numbers of `divide_at_random`
ASIDE = "aside"


class Fractions(NamedTuple):
    """How large dev and test are, as shares of what is divided; train takes the rest (specification section 7.1)."""

    dev: float = 0.052
    test: float = 0.01


def divide_at_random(ids: np.ndarray, *, seed: int, fractions: Fractions) -> np.ndarray:
    """0 for train, 1 for dev, 2 for test, decided by nothing but the seed and what each example is.

    Shapes:
        ids: uint64 [example], all different. Returns uint8 [example].
    """
    order = np.argsort(mix_words(ids ^ np.uint64(seed)), kind="stable")
    n = len(ids)
    dev, test = int(fractions.dev * n), int(fractions.test * n)
    part = np.zeros(n, np.uint8)
    part[order[n - dev - test : n - test]] = 1
    part[order[n - test :]] = 2
    return part


def membership_names(rules: tuple[Rule, ...], kept: int) -> str:
    """The name of the place of a held-out example: its test sets joined by +, or aside where it is in none."""
    return "+".join(rule.name for bit, rule in enumerate(rules) if kept >> bit & 1) or ASIDE
