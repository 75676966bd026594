"""The scorecard of audits: a row for each measure, datasets side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.report._markup import number
from deixis.report._palette import role_of
from deixis.report._templates import render_part
from deixis.report.measures import all_measures


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.audits import Audit
    from deixis.report.measures import Measure, Value


SIGNS = {"good": "▲", "fair": "◆", "bad": "▼"}
SIGN_WORDS = {"good": "as one would wish of a test", "fair": "in between", "bad": "far from it"}


@dataclass(frozen=True, kw_only=True)
class Column:
    """One dataset of a scorecard: its name and what each measure comes to."""

    name: str
    values: Mapping[str, Value]
    about: str = ""
    is_published: bool = False


@dataclass(frozen=True, kw_only=True)
class PublishedAudit:
    """Published figures of audited data, to stand beside the audit.

    Attributes:
        source: what to cite.
        column: those that are measures of the scorecard.
        places: where the object of a same-row clause stands by column, and that of a same-column clause by row.
        relations: the share of each relation among all clauses.
        sufficient: what suffices of colour and shape in another dataset, by what suffices.
        sufficient_of: the name of that dataset.
        expected: how many of its examples need both, by how it chooses its objects.
    """

    source: str
    column: Column
    places: Mapping[str, tuple[float, ...]]
    relations: Mapping[str, float]
    sufficient: Mapping[str, float]
    sufficient_of: str
    expected: float


def column_of(name: str, audit: Audit) -> Column:
    """Return the column of an audit, without measures that do not apply."""
    found = {measure.key: measure.of(audit) for measure in all_measures()}
    return Column(
        name=name,
        values={key: value for key, value in found.items() if value is not None},
        about=f"{number(audit.judged)} examples",
    )


def scorecard_markup(columns: Sequence[Column]) -> str:
    """The table of all measures that apply to some column, each linked to its definition."""
    places = iter(range(len(columns)))
    roles = ["published" if column.is_published else role_of(next(places)) for column in columns]
    heads = list(zip(columns, roles, strict=True))
    return render_part(
        "scorecard.html", "scorecard", heads=heads, groups=_groups(columns), signs=SIGNS, sign_words=SIGN_WORDS
    )


def definitions_markup(columns: Sequence[Column]) -> str:
    """The definitions of the measures of some columns, and where each begins to be good."""
    return render_part("scorecard.html", "definitions", groups=_groups(columns))


def _groups(columns: Sequence[Column]) -> dict[str, list[Measure]]:
    """The measures that apply to some column, by their heading."""
    groups: dict[str, list[Measure]] = {}
    for measure in all_measures():
        if any(measure.key in column.values for column in columns):
            groups.setdefault(measure.group, []).append(measure)
    return groups
