"""How figures of audits name what they show: words and patterns in their usual order, and extremes by dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.audits.audit import CLAUSE, IMPLIED
from deixis.reports.markup import percent
from deixis.reports.plots import written


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.audits import Audit


__all__ = ["extremes", "kinds_of", "patterns_of"]

KINDS = ("noun", "colour word", "size word")


def kinds_of(audits: Mapping[str, Audit]) -> list[str]:
    """The kinds of words, the usual ones first."""
    every = {kind for audit in audits.values() for _, kind in audit.needed} - {CLAUSE, IMPLIED}
    return [kind for kind in KINDS if kind in every] + sorted(every - set(KINDS))


def patterns_of(audits: Mapping[str, Audit]) -> list[str]:
    """All patterns, the simple ones first."""
    every = list(dict.fromkeys(name for audit in audits.values() for name in audit.patterns))
    order = {name: place for place, name in enumerate(("p1", "p2", "p3", "p4", "chain"))}
    return sorted(every, key=lambda name: (order.get(name, len(order)), name))


def extremes(values: Mapping[str, float], *, unit: str = "share") -> str:
    """The least and the most, with whose they are; the one number where all are the same."""
    write = (lambda value: written(value, "bits")) if unit == "bits" else percent
    if not values:
        return "nothing"
    low, high = (pick(values, key=lambda name: values[name]) for pick in (min, max))
    if write(values[low]) == write(values[high]):
        return write(values[low])
    return f"{write(values[low])} ({low}) to {write(values[high])} ({high})"
