"""The report section on the scope of a dataset, beside other datasets and published facts about released ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deixis.report._audit_charts import audit_charts
from deixis.report._audit_need_charts import colour_and_shape_chart
from deixis.report._audit_page import by_pattern, charts_markup, lead
from deixis.report._scorecard import column_of, definitions_markup, scorecard_markup
from deixis.worlds.grid._paper.published import released_audit
from deixis.worlds.grid._report.templates import report_part


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.audits import Audit
    from deixis.report.chart import Chart


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Audits for a report.

    Attributes:
        whole: of the dataset that the report is about.
        two_clauses: of examples with two clauses, as the released test set has them, by the name of the dataset.
        simple: of simple commands, as gSCAN has them, by the name of the dataset.
        colour_and_shape: of examples whose target is given a colour and a noun, for which figures of gSCAN are known.
    """

    whole: Audit
    two_clauses: Mapping[str, Audit] = field(default_factory=dict)
    simple: Mapping[str, Audit] = field(default_factory=dict)
    colour_and_shape: Mapping[str, Audit] = field(default_factory=dict)


def audit_section(comparison: Comparison) -> str:
    """Describe the audit of the dataset in words, by pattern, and side by side with others."""
    whole = comparison.whole
    patterns = by_pattern(whole, caption="This dataset by pattern") if len(whole.patterns) > 1 else ""
    own = report_part("audit", lead=lead(whole), by_pattern=patterns)
    return own + _beside(comparison) if comparison.two_clauses or comparison.simple else own


def _beside(comparison: Comparison) -> str:
    known = released_audit()
    everything = {**comparison.two_clauses, **comparison.simple}
    columns = [column_of(name, audit) for name, audit in everything.items()]
    shown = [known.column, *columns] if comparison.two_clauses else columns
    intro = (
        "The same measures for two-clause commands as the released test set has them, made in each mode, and for "
        "simple commands as gSCAN has them. The released data itself is not shipped with this program; hatched is what "
        f"was published of it or measured on the released test set of {known.column.about.split()[0]} examples "
        f"({known.source}). A dash stands where a measure does not apply or no figure is known."
    )
    return report_part(
        "beside",
        intro=intro,
        scorecard=scorecard_markup(shown),
        charts=charts_markup(_charts(comparison)),
        definitions=definitions_markup(shown),
    )


def _charts(comparison: Comparison) -> list[Chart]:
    """Figures of the two-clause sets, and those that need simple commands."""
    known = released_audit()
    found = audit_charts(comparison.two_clauses, beside=known) if comparison.two_clauses else {}
    everything = audit_charts({**comparison.two_clauses, **comparison.simple})
    squares = colour_and_shape_chart(comparison.colour_and_shape, beside=known) if comparison.colour_and_shape else None
    return [
        *_select_charts(found, "plot-needed", "plot-shortcuts"),
        *([squares] if squares is not None else []),
        *_select_charts(everything, "plot-chance"),
        *_select_charts(
            found, "plot-competitors", "plot-places-column", "plot-places-row", "plot-relations", "plot-blind"
        ),
        *_select_charts(found, "plot-cells"),
    ]


def _select_charts(charts: Mapping[str, Sequence[Chart]], *names: str) -> list[Chart]:
    """Return the charts of these names, in the order in which they were made."""
    return [chart for group in charts.values() for chart in group if chart.name in names]
