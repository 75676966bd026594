"""The claims of the Cops-Ref paper, decided by results.

The claims stand in models.toml, each with the rule that decides it. A rule takes accuracies in percent, so that claims
can be checked on the published figures as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.report._results.cells import Measurement
from deixis.report._results.document import Claim
from deixis.worlds.photos._paper.models import CHANCE, published_results
from deixis.worlds.photos._paper.runs import measure_parts, measure_setting


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.worlds.photos._paper.report import Comparison


Verdict: TypeAlias = Literal["holds", "does not hold", "not measured"]
FULL, ALONE = "Full", "WithoutDist"
SINGLE = ("DiffCat", "Cat", "Cat&attr", "Cat&cat")
PAPER = ("grounder", "mattnet", "cm-att-erase", "mattnet-mine")
SURE = 2.0  # standard errors from which on a difference is none of chance


class Finding(NamedTuple):
    """The verdict on a claim: the deciding numbers, and whether they are within the noise."""

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

    cells: Mapping[tuple[str, str], Measurement]
    forms: Mapping[str, Mapping[str, Measurement]] = field(default_factory=dict)
    lengths: Mapping[str, Mapping[str, Measurement]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def find(self, row: str, setting: str) -> Measurement | None:
        """Return the accuracy in a cell."""
        return self.cells.get((row, setting))


def check_claims(figures: Figures) -> dict[str, tuple[str, Finding]]:
    """Check every claim of the paper: by its key, what it says and whether it holds."""
    found = {}
    for key, claim in published_results().claims.items():
        given = {name: value for name, value in claim.items() if name not in ("says", "rule")}
        found[key] = claim["says"], _RULES[claim["rule"]](figures, **given)
    return found


def claims_about(found: Comparison) -> list[tuple[str, Claim]]:
    """Return every claim of the paper with its key, as reports show it."""
    return [
        (key, Claim(says, finding.verdict, finding.numbers, finding.is_unsure, found.reasons.get(key, "")))
        for key, (says, finding) in check_claims(figures_of(found)).items()
    ]


def figures_of(found: Comparison) -> Figures:
    """Return the accuracies of runs, without variants of a row."""
    chance = published_results().tables[0].rows[0].title
    cells = {
        (CHANCE, part): cell.measured
        for (row, part), cell in found.tables[0].cells.items()
        if row == chance and cell.measured is not None
    }
    forms, lengths = {}, {}
    for group in found.groups:
        if not group.differs:
            names = {name for run in group.runs for name in run.results.scores}
            cells |= {(group.key, name): one for name in names if (one := measure_setting(group, name)) is not None}
            forms[group.key], lengths[group.key] = measure_parts(group, "form"), measure_parts(group, "length")
    return Figures(cells=cells, forms=forms, lengths=lengths, titles=_titles())


def figures_published() -> Figures:
    """Return the accuracies in the tables of the paper."""
    cells = {
        (row.key, name): Measurement(value, None, value, value, 1, 0)
        for table in published_results().tables
        for row in table.rows
        for name, value in row.published.items()
    }
    return Figures(cells=cells, titles=_titles())


def _titles() -> dict[str, str]:
    return {row.key: row.title for table in reversed(published_results().tables) for row in table.rows} | {
        "mattnet-mine": "MattNet-Mine"
    }


# -------------------------------------------------------------------------------- rules


def _ascending(figures: Figures, *, rows: Sequence[str], may_equal: bool = False) -> Finding:
    """Rows, in this order, are better and better in Full."""
    found = [figures.find(row, FULL) for row in rows]
    if any(one is None for one in found):
        return _missing(figures, [row for row, one in zip(rows, found, strict=True) if one is None])
    known = [one for one in found if one is not None]
    gaps = [(after.mean - before.mean, _error(before, after)) for before, after in pairwise(known)]
    named = [f"{figures.titles.get(row, row)} {one.mean:.1f}" for row, one in zip(rows, known, strict=True)]
    return _decide(gaps, ", ".join(named), may_equal=may_equal)


def _best(figures: Figures, *, row: str, others: Sequence[str]) -> Finding:
    """Decide whether a row is better than all others in Full."""
    own = figures.find(row, FULL)
    theirs = {other: one for other in others if (one := figures.find(other, FULL)) is not None}
    if own is None or not theirs:
        return _missing(figures, [row] if own is None else others)
    second = max(theirs, key=lambda other: theirs[other].mean)
    said = f"{figures.titles[row]} {own.mean:.1f}, next {figures.titles[second]} {theirs[second].mean:.1f}"
    return _decide([(own.mean - theirs[second].mean, _error(own, theirs[second]))], said)


def _far_below(figures: Figures, *, at_most: float) -> Finding:
    """Full is at most this share of WithoutDist, for every model of the paper."""
    shares = {}
    for row in PAPER:
        full, alone = figures.find(row, FULL), figures.find(row, ALONE)
        if full and alone and alone.mean:
            shares[row] = full.mean / alone.mean
    if not shares:
        return _missing(figures, PAPER)
    said = ", ".join(f"{figures.titles[row]} {100 * share:.0f} %" for row, share in shares.items())
    is_below = max(shares.values()) <= at_most
    return Finding("holds" if is_below else "does not hold", f"Full as a share of WithoutDist: {said}")


def _hardest(figures: Figures, *, setting: str) -> Finding:
    """Decide whether a single type of distractors is the hardest, for every model of the paper."""
    gaps, said = [], []
    for row in PAPER:
        cells = {name: found for name in SINGLE if (found := figures.find(row, name)) is not None}
        if len(cells) == len(SINGLE):
            own = cells.pop(setting)
            nearest = min(cells, key=lambda name: cells[name].mean)
            gaps.append((cells[nearest].mean - own.mean, _error(own, cells[nearest])))
            said.append(f"{figures.titles[row]} {own.mean:.1f}, next {nearest} {cells[nearest].mean:.1f}")
    return _decide(gaps, "; ".join(said)) if gaps else _missing(figures, PAPER)


def _above_chance(figures: Figures, *, row: str, times: float) -> Finding:
    """Without distractors a row is at least so many times chance."""
    own, chance = figures.find(row, ALONE), figures.find(CHANCE, ALONE)
    if own is None or chance is None or not chance.mean:
        return _missing(figures, [row])
    said = f"{own.mean:.1f} against {chance.mean:.1f} by chance, {own.mean / chance.mean:.1f} times"
    return _decide([(own.mean - times * chance.mean, own.error)], said, may_equal=True)


def _near_chance(figures: Figures, *, row: str, points: float) -> Finding:
    """In Full a row is at most so many points above chance."""
    own, chance = figures.find(row, FULL), figures.find(CHANCE, FULL)
    if own is None or chance is None:
        return _missing(figures, [row])
    said = f"{own.mean:.1f} against {chance.mean:.1f} by chance"
    return _decide([(chance.mean + points - own.mean, own.error)], said, may_equal=True)


def _loses(figures: Figures, *, row: str, easy: float) -> Finding:
    """A probe costs more in Full than without distractors, and than on easy data, where it costs `easy` percent."""
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
        (lost[FULL][0] - easy, lost[FULL][1]),
    ]
    return _decide(gaps, f"{said}; on RefCOCOg {easy:.0f} % (published)")


def _easiest(figures: Figures, *, by: Literal["forms", "lengths"], part: str) -> Finding:
    """Decide whether expressions of a form, or of a length, are the easiest in Full for every model of the paper."""
    gaps, said = [], []
    for row in PAPER:
        parts = dict(getattr(figures, by).get(row, {}))
        if part in parts and len(parts) > 1:
            own = parts.pop(part)
            other = max(parts, key=lambda name: parts[name].mean)
            gaps.append((own.mean - parts[other].mean, _error(own, parts[other])))
            said.append(f"{figures.titles[row]} {own.mean:.1f}, {other} {parts[other].mean:.1f}")
    if not gaps:
        return Finding("not measured", f"no results by {by} with {part!r} among them")
    return _decide(gaps, "; ".join(said))


_RULES: Mapping[str, Callable[..., Finding]] = {
    "ascending": _ascending,
    "best": _best,
    "far below": _far_below,
    "hardest": _hardest,
    "above chance": _above_chance,
    "near chance": _near_chance,
    "loses": _loses,
    "easiest": _easiest,
}


def _decide(gaps: Sequence[tuple[float, float]], numbers: str, *, may_equal: bool = False) -> Finding:
    """A claim holds where all gaps are above 0; it is unsure where any is within the noise."""
    holds = all(gap >= 0 if may_equal else gap > 0 for gap, _ in gaps)
    is_unsure = any(error > 0 and abs(gap) < SURE * error for gap, error in gaps)
    return Finding("holds" if holds else "does not hold", numbers, is_unsure)


def _missing(figures: Figures, rows: Sequence[str]) -> Finding:
    names = ", ".join(dict.fromkeys(figures.titles.get(row, row) for row in rows))
    return Finding("not measured", f"no results of {names}")


def _error(one: Measurement, other: Measurement) -> float:
    return sqrt(one.error**2 + other.error**2)
