"""Whether results have the shape that the Cops-Ref paper reports: statements that hold or do not, with the numbers.

A statement is about accuracies in percent, whoever measured them, so it can be asked of what is published as well.
What is *far*, *near* and *well above* has to be said once, and is said here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.worlds.photos.paper.models import CHANCE, published_results
from deixis.worlds.photos.paper.tables import Measure, parts_of


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.worlds.photos.paper.tables import Results


__all__ = ["CLAIMS", "Claim", "Figures", "Finding", "Verdict", "figures_of", "figures_published", "find_shape"]

Verdict: TypeAlias = Literal["holds", "does not hold", "not measured"]
FULL, ALONE = "Full", "WithoutDist"
SINGLE = ("DiffCat", "Cat", "Cat&attr", "Cat&cat")
PAPER = ("grounder", "mattnet", "cm-att-erase", "mattnet-mine")
FAR_BELOW = 0.5  # of the accuracy without distractors
NEAR = 5.0  # points above chance
WELL_ABOVE = 2.0  # times chance
EASY = {"shuffle-grounder": 4.0, "obj-attr-grounder": 3.0}  # percent that is lost so on RefCOCOg, as published
SURE = 2.0  # standard errors from which on a difference is none of chance


class Finding(NamedTuple):
    """What became of a statement: the numbers that decide, and whether they are within the noise."""

    verdict: Verdict
    numbers: str
    is_unsure: bool = False


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Accuracies in percent.

    Attributes:
        cells: by row and setting. forms, lengths: in Full, by row and part.
        titles: of rows.
    """

    cells: Mapping[tuple[str, str], Measure]
    forms: Mapping[str, Mapping[str, Measure]] = field(default_factory=dict)
    lengths: Mapping[str, Mapping[str, Measure]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def find(self, row: str, setting: str) -> Measure | None:
        """The accuracy in a cell."""
        return self.cells.get((row, setting))


class Claim(NamedTuple):
    """A statement: its name, what it says, and how it is decided."""

    key: str
    says: str
    decide: Callable[[Figures], Finding]


def find_shape(figures: Figures) -> list[tuple[Claim, Finding]]:
    """What becomes of every statement."""
    return [(claim, claim.decide(figures)) for claim in CLAIMS]


def figures_of(results: Results) -> Figures:
    """The accuracies of our runs; variants of a row do not count."""
    cells = {(CHANCE, name): found for name, found in results.tables[0].rows[0].cells.items()}
    forms, lengths = {}, {}
    for group in results.groups:
        if not group.varies:
            names = {name for trial in group.trials for name in trial.results}
            cells |= {(group.key, name): found for name in names if (found := group.accuracy(name)) is not None}
            forms[group.key], lengths[group.key] = parts_of(group, "forms"), parts_of(group, "lengths")
    return Figures(cells=cells, forms=forms, lengths=lengths, titles=_titles())


def figures_published() -> Figures:
    """The accuracies of the paper, as far as they stand in its tables."""
    cells = {
        (row.key, name): Measure(value, None, value, value, 1, 0)
        for table in published_results().tables
        for row in table.rows
        for name, value in row.published.items()
    }
    return Figures(cells=cells, titles=_titles())


def _titles() -> dict[str, str]:
    return {row.key: row.title for table in reversed(published_results().tables) for row in table.rows} | {
        "mattnet-mine": "MattNet-Mine"
    }


# ---------------------------------------------------------------------------------------------------------- statements


def _ascending(rows: Sequence[str], setting: str = FULL, *, may_equal: bool = False) -> Callable[[Figures], Finding]:
    """Whether rows, in this order, are better and better."""

    def decide(figures: Figures) -> Finding:
        found = [figures.find(row, setting) for row in rows]
        if any(one is None for one in found):
            return _missing(figures, [row for row, one in zip(rows, found, strict=True) if one is None])
        known = [one for one in found if one is not None]
        gaps = [(after.mean - before.mean, _error(before, after)) for before, after in pairwise(known)]
        holds = all(gap >= 0 if may_equal else gap > 0 for gap, _ in gaps)
        named = [f"{figures.titles.get(row, row)} {one.mean:.1f}" for row, one in zip(rows, known, strict=True)]
        return Finding("holds" if holds else "does not hold", ", ".join(named), _unsure(gaps))

    return decide


def _best(row: str, others: Sequence[str]) -> Callable[[Figures], Finding]:
    """Whether a row is better than all others in Full."""

    def decide(figures: Figures) -> Finding:
        own = figures.find(row, FULL)
        theirs = {other: one for other in others if (one := figures.find(other, FULL)) is not None}
        if own is None or not theirs:
            return _missing(figures, [row] if own is None else others)
        second = max(theirs, key=lambda other: theirs[other].mean)
        gap = (own.mean - theirs[second].mean, _error(own, theirs[second]))
        said = f"{figures.titles[row]} {own.mean:.1f}, next {figures.titles[second]} {theirs[second].mean:.1f}"
        return Finding("holds" if gap[0] > 0 else "does not hold", said, _unsure([gap]))

    return decide


def _far_below(figures: Figures) -> Finding:
    shares = {}
    for row in PAPER:
        full, alone = figures.find(row, FULL), figures.find(row, ALONE)
        if full and alone and alone.mean:
            shares[row] = full.mean / alone.mean
    if not shares:
        return _missing(figures, PAPER)
    said = ", ".join(f"{figures.titles[row]} {100 * share:.0f} %" for row, share in shares.items())
    return Finding(_holds(max(shares.values()) <= FAR_BELOW), f"Full as a share of WithoutDist: {said}")


def _hardest(figures: Figures) -> Finding:
    gaps, said = [], []
    for row in PAPER:
        cells = {name: found for name in SINGLE if (found := figures.find(row, name)) is not None}
        if len(cells) == len(SINGLE):
            own = cells.pop("Cat&attr")
            nearest = min(cells, key=lambda name: cells[name].mean)
            gaps.append((cells[nearest].mean - own.mean, _error(own, cells[nearest])))
            said.append(f"{figures.titles[row]} {own.mean:.1f}, next {nearest} {cells[nearest].mean:.1f}")
    if not gaps:
        return _missing(figures, PAPER)
    return Finding(_holds(all(gap > 0 for gap, _ in gaps)), "; ".join(said), _unsure(gaps))


def _deaf_alone(figures: Figures) -> Finding:
    deaf, chance = figures.find("deaf-grounder", ALONE), figures.find(CHANCE, ALONE)
    if deaf is None or chance is None or not chance.mean:
        return _missing(figures, ["deaf-grounder"])
    said = f"{deaf.mean:.1f} against {chance.mean:.1f} by chance, {deaf.mean / chance.mean:.1f} times"
    gap = (deaf.mean - WELL_ABOVE * chance.mean, deaf.error)
    return Finding(_holds(gap[0] >= 0), said, _unsure([gap]))


def _deaf_full(figures: Figures) -> Finding:
    deaf, chance = figures.find("deaf-grounder", FULL), figures.find(CHANCE, FULL)
    if deaf is None or chance is None:
        return _missing(figures, ["deaf-grounder"])
    gap = (chance.mean + NEAR - deaf.mean, deaf.error)
    return Finding(_holds(gap[0] >= 0), f"{deaf.mean:.1f} against {chance.mean:.1f} by chance", _unsure([gap]))


def _loses(row: str) -> Callable[[Figures], Finding]:
    """Whether what a probe takes away costs more in Full than on easy data."""

    def decide(figures: Figures) -> Finding:
        lost = {}
        for setting in (FULL, ALONE):
            whole, probed = figures.find("grounder", setting), figures.find(row, setting)
            if whole is None or probed is None or not whole.mean:
                return _missing(figures, ["grounder", row])
            error = sqrt(probed.error**2 + (probed.mean / whole.mean * whole.error) ** 2) / whole.mean
            lost[setting] = (100 * (1 - probed.mean / whole.mean), 100 * error)
        said = f"lost in Full {lost[FULL][0]:.0f} % of what was right, in WithoutDist {lost[ALONE][0]:.0f} %"
        gaps = [
            (lost[FULL][0] - lost[ALONE][0], sqrt(lost[FULL][1] ** 2 + lost[ALONE][1] ** 2)),
            (lost[FULL][0] - EASY[row], lost[FULL][1]),
        ]
        return Finding(
            _holds(all(gap > 0 for gap, _ in gaps)), f"{said}; on RefCOCOg {EASY[row]:.0f} % (published)", _unsure(gaps)
        )

    return decide


def _part(by: Literal["forms", "lengths"], best: str) -> Callable[[Figures], Finding]:
    """Whether expressions of a form, or of a length, are the easiest in Full for every model of the paper."""

    def decide(figures: Figures) -> Finding:
        gaps, said = [], []
        for row in PAPER:
            parts = dict(getattr(figures, by).get(row, {}))
            if best in parts and len(parts) > 1:
                own = parts.pop(best)
                other = max(parts, key=lambda name: parts[name].mean)
                gaps.append((own.mean - parts[other].mean, _error(own, parts[other])))
                said.append(f"{figures.titles[row]} {own.mean:.1f}, {other} {parts[other].mean:.1f}")
        if not gaps:
            return Finding("not measured", f"no results by {by} with {best!r} among them")
        return Finding(_holds(all(gap > 0 for gap, _ in gaps)), "; ".join(said), _unsure(gaps))

    return decide


CLAIMS = (
    Claim(
        "models",
        "In Full, GroundeR is below MattNet, and MattNet below CM-Att-Erase.",
        _ascending(("grounder", "mattnet", "cm-att-erase")),
    ),
    Claim(
        "full",
        f"Full is far below WithoutDist: at most {100 * FAR_BELOW:.0f} % of it, for every model of the paper.",
        _far_below,
    ),
    Claim("hardest", "Cat&attr is the hardest single type, for every model of the paper.", _hardest),
    Claim(
        "deaf-alone",
        f"Without distractors a deaf model is well above chance: at least {WELL_ABOVE:g} times.",
        _deaf_alone,
    ),
    Claim("deaf-full", f"In Full a deaf model is near chance: at most {NEAR:g} points above.", _deaf_full),
    Claim("shuffle", "Shuffled words cost more in Full than on easy data.", _loses("shuffle-grounder")),
    Claim("obj-attr", "Without relations more is lost in Full than on easy data.", _loses("obj-attr-grounder")),
    Claim(
        "mine",
        "MattNet-Mine is the best of the paper's models in Full.",
        _best("mattnet-mine", ("grounder", "mattnet", "cm-att-erase", "scan+mattnet")),
    ),
    Claim(
        "module-specific",
        "Mining by modules is at least as good as by sentences.",
        _ascending(("sentence-sim", "mattnet-mine"), may_equal=True),
    ),
    Claim(
        "module-class",
        "Mining by modules is at least as good as by category alone.",
        _ascending(("class-aware", "mattnet-mine"), may_equal=True),
    ),
    Claim("sentence-sim", "Mining by sentences is better than at random.", _ascending(("random", "sentence-sim"))),
    Claim("class-aware", "Mining by category is better than at random.", _ascending(("random", "class-aware"))),
    Claim("random", "Mining at random is better than none.", _ascending(("mattnet", "random"))),
    Claim(
        "retrieval",
        "Finding the image first is worse than searching all of them.",
        _ascending(("scan+mattnet", "mattnet")),
    ),
    Claim("order", "Order is the easiest logic form (Figure 3).", _part("forms", "order")),
    Claim("middle", "Expressions of middle length are the easiest (Figure 4).", _part("lengths", "middle")),
)


def _holds(is_so: bool) -> Verdict:
    return "holds" if is_so else "does not hold"


def _missing(figures: Figures, rows: Sequence[str]) -> Finding:
    names = ", ".join(dict.fromkeys(figures.titles.get(row, row) for row in rows))
    return Finding("not measured", f"no results of {names}")


def _error(one: Measure, other: Measure) -> float:
    return sqrt(one.error**2 + other.error**2)


def _unsure(gaps: Sequence[tuple[float, float]]) -> bool:
    """Whether any of the differences that decide is within the noise."""
    return any(error > 0 and abs(gap) < SURE * error for gap, error in gaps)
