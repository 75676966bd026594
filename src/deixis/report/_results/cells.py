"""Cells of tables: what was measured over seeds, what is published, and the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.report._cells import NOTHING


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.judge.uncertainty import Estimate


BETWEEN_ENDS = 3.92  # standard errors between the ends of an interval of 95 %


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Format and tolerance of the numbers of a cell.

    Attributes:
        digits: after the point.
        far: the difference from what is published above which a reason is asked for.
        name: what a difference is counted in.
    """

    digits: int
    far: float = math.inf
    name: str = ""

    def write(self, value: float) -> str:
        """Write a number, with no sign on zero."""
        return f"{round(value, self.digits) + 0.0:.{self.digits}f}"

    def write_gap(self, value: float) -> str:
        """Write a difference with its sign."""
        return f"{value:+.{self.digits}f}".replace("-", "−") + (f" {self.name}" if self.name else "")


PERCENT = Unit(digits=1, name="points")


class Measurement(NamedTuple):
    """A measure over one or several seeds.

    Attributes:
        mean: over the seeds.
        deviation: the sample standard deviation over the seeds; None where there is one seed.
        low, high: the 95 % interval of the only seed, by its examples; of several seeds the mean of their ends.
        seeds: how many.
        examples: how many each was judged on.
    """

    mean: float
    deviation: float | None
    low: float
    high: float
    seeds: int
    examples: int

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the only seed, or None if there are several or it has no width."""
        return (self.low, self.high) if self.deviation is None and self.low < self.high else None

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the bar for the uncertainty."""
        if self.deviation is not None:
            return self.mean - self.deviation, self.mean + self.deviation
        return self.interval or (self.mean, self.mean)

    @property
    def error(self) -> float:
        """The standard error of the mean: the larger of that over examples and that over seeds."""
        of_seeds = 0.0 if self.deviation is None else self.deviation / math.sqrt(self.seeds)
        return max((self.high - self.low) / BETWEEN_ENDS, of_seeds)


def measure(found: Sequence[Estimate | None], *, scale: float = 1.0) -> Measurement | None:
    """Average the estimates of several seeds, times `scale`, or return None if no seed has one."""
    known = [one for one in found if one is not None and not math.isnan(one.mean)]
    if not known:
        return None
    means = [scale * one.mean for one in known]
    low, high = (scale * fmean(getattr(one, end) for one in known) for end in ("low", "high"))
    spread = stdev(means) if len(means) > 1 else None
    return Measurement(fmean(means), spread, low, high, len(means), min(one.rows for one in known))


class PublishedFigure(NamedTuple):
    """A published figure.

    Attributes:
        mean: as published.
        deviation: over seeds, where it is published.
        marks: signs that stand behind it and are explained below the table.
        digits: after the point, as printed; None for those of its unit.
    """

    mean: float
    deviation: float | None = None
    marks: str = ""
    digits: int | None = None


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A measurement beside the published figure.

    Attributes:
        model, part, metric: what was measured of whom, and where.
        measured: None where nothing was.
        published: what it is compared with first, then what that supersedes.
        reason: why it differs, in a sentence.
        unit: how numbers are written.
    """

    model: str
    part: str
    metric: str
    measured: Measurement | None = None
    published: tuple[PublishedFigure, ...] = ()
    reason: str = ""
    unit: Unit = PERCENT

    @property
    def is_empty(self) -> bool:
        """True if there is neither a measurement nor a published figure."""
        return self.measured is None and not self.published

    @property
    def difference(self) -> float | None:
        """The measured less the published mean."""
        if self.measured is None or not self.published:
            return None
        return self.measured.mean - self.published[0].mean

    @property
    def is_far(self) -> bool:
        """True if the difference asks for a reason."""
        return self.difference is not None and abs(self.difference) > self.unit.far

    @property
    def arrow(self) -> str:
        """▲ or ▼ if the measurement is far above or below the published figure, otherwise nothing."""
        return "" if not self.is_far or self.difference is None else "▲" if self.difference > 0 else "▼"

    def entry(self, table: str) -> dict[str, Any]:
        """The cell as plain values."""
        ours, theirs, superseded = self.measured, *(*self.published, None, None)[:2]
        low, high = (ours.low, ours.high) if ours and ours.deviation is None else (None, None)
        return {
            "table": table,
            "model": self.model,
            "part": self.part,
            "metric": self.metric,
            "mean": ours and _round(ours.mean),
            "deviation": ours and _round(ours.deviation),
            "low": _round(low),
            "high": _round(high),
            "seeds": ours.seeds if ours else 0,
            "examples": ours and ours.examples,
            "published": theirs and theirs.mean,
            "published deviation": theirs and theirs.deviation,
            "published marks": theirs.marks or None if theirs else None,
            "superseded": superseded and superseded.mean,
            "difference": _round(self.difference),
            "is far": self.is_far,
            "reason": self.reason or None,
        }


def say_measured(found: Measurement | None, unit: Unit = PERCENT) -> str:
    """Write a mean with its deviation over seeds, or with its interval where there is one seed."""
    return NOTHING if found is None else f"{unit.write(found.mean)} {say_spread(found, unit)}".rstrip()


def say_spread(found: Measurement, unit: Unit) -> str:
    """Write the uncertainty of a mean, or nothing if it is not known."""
    if found.deviation is not None:
        return f"± {unit.write(found.deviation)}"
    return "[{}–{}]".format(*map(unit.write, found.interval)) if found.interval else ""


def say_published(cell: Cell) -> list[str]:
    """Write the published figures of a cell with their marks."""
    found = []
    for one in cell.published:
        digits = cell.unit.digits if one.digits is None else one.digits
        spread = "" if one.deviation is None else f" ± {one.deviation:.{digits}f}"
        found.append(f"{one.mean:.{digits}f}{spread}{one.marks}")
    return found


def _round(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(value, 6)
