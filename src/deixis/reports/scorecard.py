"""The measures of audits as a scorecard: a row each, datasets side by side, with what is good and what is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.reports.audit_measures import MEASURES
from deixis.reports.markup import anchor, element, number, text
from deixis.reports.plots import written


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.audits import Audit
    from deixis.reports.audit_measures import Measure, Value


__all__ = ["Column", "column_of", "defined", "scorecard"]

SIGNS: dict[str, str] = {"good": "▲", "fair": "◆", "bad": "▼", "plain": ""}
GAUGED = ("share",)  # units whose numbers are shown as a bar too


@dataclass(frozen=True, kw_only=True)
class Column:
    """One dataset of a scorecard: its name and what each measure comes to."""

    name: str
    values: Mapping[str, Value]
    about: str = ""
    is_published: bool = False


def column_of(name: str, audit: Audit) -> Column:
    """The column of an audit; measures that do not apply are left out."""
    found = {measure.key: measure.of(audit) for measure in MEASURES}
    return Column(
        name=name,
        values={key: value for key, value in found.items() if value is not None},
        about=f"{number(audit.judged)} examples",
    )


def scorecard(columns: Sequence[Column]) -> str:
    """The table of all measures that apply to some column, each linked to its definition."""
    tones = iter(range(len(columns)))
    heads = "".join(
        element(
            "th",
            element("i", "", class_=f"tone {'published' if column.is_published else f'd{next(tones) % 6}'}")
            + text(column.name)
            + (f"<br>{element('small', text(column.about))}" if column.about else ""),
            scope="col",
        )
        for column in columns
    )
    rows, group = [], ""
    for measure in MEASURES:
        if not any(measure.key in column.values for column in columns):
            continue
        if measure.group != group:
            group = measure.group
            rows.append(
                element(
                    "tr", element("th", text(group), scope="colgroup", colspan=f"{len(columns) + 1}"), class_="part-of"
                )
            )
        name = element("a", text(measure.key), href=f"#{_place(measure)}", title=measure.about)
        cells = "".join(element("td", _cell(measure, column.values.get(measure.key))) for column in columns)
        rows.append(element("tr", element("th", name, scope="row") + cells))
    caption = "Point at a measure for its definition, or follow it there"
    inner = (
        element("caption", caption)
        + element("thead", element("tr", element("th", "measure", scope="col") + heads))
        + element("tbody", "\n".join(rows))
    )
    region = element("table", inner, class_="score")
    return element("div", region, class_="wide", tabindex="0", role="region", aria_label=caption) + element(
        "ul", _signs(), class_="signs"
    )


def defined(columns: Sequence[Column]) -> str:
    """What each measure means, and where it begins to be good."""
    terms = [
        element("dt", text(measure.key), id=_place(measure))
        + element("dd", text(measure.about) + (element("small", text(measure.scale)) if measure.scale else ""))
        for measure in MEASURES
        if any(measure.key in column.values for column in columns)
    ]
    return element("dl", "".join(terms), class_="defined")


def _place(measure: Measure) -> str:
    return f"measure-{anchor(measure.key)}"


def _cell(measure: Measure, value: Value | None) -> str:
    if value is None:
        return element("span", "–", title="not known, or not applicable")
    verdict = measure.verdict(value.amount)
    gauge = ""
    if measure.unit in GAUGED:
        inner = element("i", "", style=f"width:{100 * min(max(value.amount, 0), 1):.1f}%")
        gauge = element("span", inner, class_="gauge", aria_hidden="true")
    sign = element("span", SIGNS[verdict], class_="sign", aria_hidden="true") if SIGNS[verdict] else ""
    said = element("b", written(value.amount, measure.unit))
    how = "; ".join(part for part in (value.note, verdict if verdict != "plain" else "") if part)
    return element("span", gauge + said + sign, class_=f"value {verdict}", title=how or None)


def _signs() -> str:
    words = {"good": "as one would wish of a test", "fair": "in between", "bad": "far from it"}
    return "".join(element("li", f"{element('b', SIGNS[key])} {said}", class_=key) for key, said in words.items())
