"""The numbers that are published of ReaSCAN and gSCAN, to be shown beside those of any other dataset."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.report._markup import number
from deixis.report._scorecard import Column, PublishedAudit
from deixis.report.measures import Value


if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class PublishedStatistics:
    """The statistics that the paper reports.

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
def published_statistics() -> PublishedStatistics:
    """Return the statistics that the ReaSCAN paper reports."""
    facts = tomllib.loads((files("deixis.worlds.grid._paper") / "published.toml").read_text(encoding="utf-8"))
    figure = facts["figure5"]
    whole = {name: _of(counts, sum(counts.values())) for name, counts in figure["panels"].items()}
    some = {name: _of(counts, figure["examples"]) for name, counts in figure["some"].items()}
    return PublishedStatistics(
        source=facts["source"],
        sizes=facts["table2"],
        lengths={name: tuple(map(float, counts)) for name, counts in facts["figure4"].items()},
        distractors=figure["distractors"],
        shares=whole | some,
    )


def _of(counts: Mapping[str, float], total: float) -> dict[str, float]:
    return {label: count / total for label, count in counts.items()}


@cache
def released_audit() -> PublishedAudit:
    """Return the known facts about the released test set with two clauses, and about gSCAN."""
    facts = tomllib.loads((files("deixis.worlds.grid._paper") / "released.toml").read_text(encoding="utf-8"))
    values = {name: Value(part / of, f"{number(part)} of {number(of)}") for name, (part, of) in facts["counts"].items()}
    values |= {name: Value(float(amount), "published") for name, amount in facts["numbers"].items()}
    return PublishedAudit(
        source=facts["source"],
        column=Column(name=facts["name"], values=values, about=facts["about"], is_published=True),
        places={name: tuple(map(float, shares)) for name, shares in facts["places"].items()},
        relations=facts["relations"],
        sufficient=facts["gscan"],
        sufficient_of="gSCAN",
        expected=facts["gscan_expected"]["both"] / facts["gscan_expected"]["choices"],
    )
