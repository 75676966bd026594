"""A solver that finds the rule of a task by search, as a baseline.

It sees the pairs and the scene that is asked about, nothing else. What has changed between input and output says which
edits are possible; then all expressions are tried, shortest first, and the first rule that explains every pair and
has an output for the test is the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.scene.grid import GRID
from deixis.tasks.induce.family import family
from deixis.tasks.induce.identify import explain_pairs


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.scene.grid import GridScene
    from deixis.schema import Reading
    from deixis.tasks.induce.rule import Pair, Rule


__all__ = ["Solution", "solve"]


class Solution(NamedTuple):
    """The rule that was found, and what it makes of the test."""

    rule: Rule
    output: GridScene


def solve(pairs: Sequence[Pair], scene: GridScene, *, reading: Reading = GRID.reading) -> Solution | None:
    """The shortest rule that explains all pairs, applied to a scene; None where there is none."""
    if not pairs:
        return None
    for length in range(1, int(family().length[-1]) + 1):
        for rule in explain_pairs(pairs, shortest=length, longest=length, reading=reading).rules():
            output = rule.apply(scene, reading=reading)
            if output is not None:
                return Solution(rule, output)
    return None
