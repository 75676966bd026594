"""The numbers that the ReaSCAN paper reports of its data, to be drawn beside those of any other."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Published", "published"]


@dataclass(frozen=True, kw_only=True)
class Published:
    """What the paper reports.

    Sets are named as patterns are; `p3-random` is the two-clause set with random distractors only, `gscan` the set
    that the paper compares with, `all` the one with the hold-outs taken out.

    Attributes:
        source: what to cite.
        sizes: Table 2: for each set its `commands`, its `worlds` per command and the examples of each split, those that
            are reported.
        lengths: Figure 4: for each set the number of training examples of each bin of lengths.
        distractors: Figure 5: for each pattern the share of worlds that have distractors of a kind.
        shares: Figure 5: for each panel the share of every label that was plotted.
    """

    source: str
    sizes: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, tuple[float, ...]]
    distractors: Mapping[str, Mapping[str, float]]
    shares: Mapping[str, Mapping[str, float]]


@cache
def published() -> Published:
    """What the ReaSCAN paper reports."""
    facts = tomllib.loads((files("deixis.reports") / "published.toml").read_text(encoding="utf-8"))
    figure = facts["figure5"]
    whole = {name: _of(counts, sum(counts.values())) for name, counts in figure["panels"].items()}
    some = {name: _of(counts, figure["examples"]) for name, counts in figure["some"].items()}
    return Published(
        source=facts["source"],
        sizes=facts["table2"],
        lengths={name: tuple(map(float, counts)) for name, counts in facts["figure4"].items()},
        distractors=figure["distractors"],
        shares=whole | some,
    )


def _of(counts: Mapping[str, float], total: float) -> dict[str, float]:
    return {label: count / total for label, count in counts.items()}
