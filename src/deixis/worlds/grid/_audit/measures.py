"""Measures that only audits of grids have: what moves, and in which rows and columns things stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report._markup import number
from deixis.report.measures import GIVEN, Measure, Value, necessity_measure, value_of_bits, value_of_share


if TYPE_CHECKING:
    from deixis.audits import Audit


def _fullness(audit: Audit) -> Value | None:
    """How much fuller the first row and the first column are than the others, of objects that are no boxes."""
    rows: dict[int, int] = {}
    columns: dict[int, int] = {}
    for (kind, row, column, _), count in audit.cells.items():
        if kind == "solid":
            rows[row] = rows.get(row, 0) + count
            columns[column] = columns.get(column, 0) + count
    size = max((*rows, *columns), default=0)
    if not size:
        return None
    first = rows.get(0, 0) + columns.get(0, 0)
    others = sum(rows.values()) + sum(columns.values()) - first
    return Value(first / (others / size), "1 is as full as the others") if others else None


def _northwest(audit: Audit) -> Value | None:
    table = audit.feature_tables.get("direction", {})
    targets = {value: count for (value, is_target), count in table.items() if is_target}
    total = sum(targets.values())
    return Value(targets.get("north-west", 0) / total, f"of {number(total)} targets") if total else None


MEASURES = (
    necessity_measure(
        key="‘push’ moves something",
        about="In how many push examples the object moves at all; where it does not, ‘push’ is just ‘walk to’.",
        of=lambda audit: value_of_share(audit.moving.get("push")),
        needs="nothing is pushed or pulled here",
    ),
    necessity_measure(
        key="‘pull’ moves something",
        about="The same of pull examples.",
        of=lambda audit: value_of_share(audit.moving.get("pull")),
        needs="nothing is pushed or pulled here",
    ),
    Measure(
        key="relation tells row",
        group=GIVEN,
        about="What the relation word tells about the row of the object that its clause mentions.",
        unit="bits",
        good=0.05,
        bad=0.2,
        of=lambda audit: value_of_bits(audit.child_skew.get("row")),
        needs="it is not recorded where what a clause mentions stands",
    ),
    Measure(
        key="relation tells column",
        group=GIVEN,
        about="What the relation word tells about the column of the object that its clause mentions.",
        unit="bits",
        good=0.05,
        bad=0.2,
        of=lambda audit: value_of_bits(audit.child_skew.get("column")),
        needs="it is not recorded where what a clause mentions stands",
    ),
    Measure(
        key="first row and column",
        group=GIVEN,
        about="How full the first row and the first column are of objects other than boxes, compared with an average "
        "other one.",
        unit="times",
        good=1.1,
        bad=1.3,
        of=_fullness,
        needs="things stand in no rows and columns here",
    ),
    Measure(
        key="targets in the north-west",
        group=GIVEN,
        about="How many targets lie up and to the left of the agent.",
        of=_northwest,
        needs="there is no agent here",
    ),
)
