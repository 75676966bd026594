"""The section of a report that says what was shown to be true of a dataset, and how."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deixis.datasets.checks import CHECKS
from deixis.datasets.statistics import PART_KINDS
from deixis.reports.markup import details, element, number, percent, table, text


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.datasets.checks import Report
    from deixis.datasets.statistics import Statistics
    from deixis.reports.facts import Facts


__all__ = ["proof_section"]

FINDINGS_SHOWN = 3  # of each code
GROUPS = {"E": "error", "W": "warning", "I": "information"}


def proof_section(facts: Facts, statistics: Statistics, report: Report | None) -> str:
    """The verdict of the checks, what the partition proves, and how many words and clauses are needed."""
    checked = _not_checked() if report is None else _verdict(report) + _codes(report) + _findings(report)
    return checked + _leakage(facts) + _necessity(statistics, report)


def _not_checked() -> str:
    return element(
        "p",
        "The checks have not been run for this page. Run <code>deixis check</code> on the dataset to have every "
        "example resolved, planned and compared anew.",
        class_="verdict unknown",
    )


def _verdict(report: Report) -> str:
    errors = sum(n for code, n in report.counts.items() if code.startswith("E"))
    warnings = sum(n for code, n in report.counts.items() if code.startswith("W"))
    looked = f"{number(report.rows)} examples, {len(report.checked)} checks"
    if not report.has_problems:
        return element("p", f"<b>✓ No problem found</b> in {looked}.", class_="verdict good")
    found = ", ".join(
        element("a", text(code), href=f"#code-{text(code)}") for code in report.counts if not code.startswith("I")
    )
    claim = (
        f"✗ {number(errors)} errors and {number(warnings)} warnings"
        if errors
        else f"✓ No error, {number(warnings)} warnings"
    )
    return element("p", f"<b>{claim}</b> ({found}) in {looked}.", class_=f"verdict {'bad' if errors else 'fair'}")


def _codes(report: Report) -> str:
    rows = []
    for code in sorted(report.checked, key=lambda code: (code[1:], code)):
        count = report.counts.get(code, 0)
        share = count / max(report.rows, 1)
        found = element("b", number(count), class_=GROUPS.get(code[0], "")) if count else "0"
        rows.append(
            [element("a", text(code), href=f"#code-{text(code)}"), text(CHECKS[code].message), found, percent(share)]
        )
    counted = table(["code", "what was looked for", "found", "of examples"], rows, caption="Checks", numeric=[2, 3])
    how = (
        "The checks read the words, resolve them in the world, plan and carry the plan out anew; they do not trust "
        "what is recorded."
    )
    return element("p", how) + counted + details("What the codes mean", _explained(report), id="codes")


def _explained(report: Report) -> str:
    terms = []
    for code in report.checked:
        about = " ".join(CHECKS[code].about.split())
        kind = GROUPS.get(code[0], "")
        said = f"{CHECKS[code].message} ({kind}). {about}".strip()
        terms.append(element("dt", text(code), id=f"code-{text(code)}") + element("dd", text(said)))
    return element("dl", "".join(terms))


def _findings(report: Report) -> str:
    shown: Counter[str] = Counter()
    lines = []
    for finding in report.findings:
        shown[finding.code] += 1
        if shown[finding.code] <= FINDINGS_SHOWN:
            lines.append(element("li", text(f"{finding} [{finding.split}]" if finding.split else finding)))
    return details("The first findings of each code", element("ul", "".join(lines))) if lines else ""


def _leakage(facts: Facts) -> str:
    lines = "".join(element("li", text(statement)) for statement in facts.shown)
    intro = (
        f"Before anything was written, this was shown of all {number(facts.examples)} examples, from their words and "
        "worlds alone, without trusting the partition:"
    )
    return element("h3", "Nothing leaks") + element("p", intro) + element("ul", lines, class_="shown")


def _necessity(statistics: Statistics, report: Report | None) -> str:
    needed, total = _parts(statistics)
    if not total:
        return ""
    shares = statistics.shares_needed
    claim = (
        f"{'Every clause' if shares['clause'] == 1 else 'Clauses'} needed: {percent(shares['clause'])}"
        if "clause" in shares
        else "What is needed"
    )
    rows = [
        [text(f"{kind}s"), number(needed[kind]), number(total[kind]), _meter(shares[kind])]
        for kind in PART_KINDS
        if total[kind]
    ]
    redone = report is not None and "E203" in report.checked
    how = " The check E203 worked this out anew for every example." if redone else ""
    intro = "A part is needed when the command without it fits something else." + how
    counted = table(["kind of part", "needed", "of", "share"], rows, caption="Parts that are needed", numeric=[1, 2])
    return element("h3", claim) + element("p", intro) + counted


def _parts(statistics: Statistics) -> tuple[Mapping[str, int], Mapping[str, int]]:
    needed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (_, kind, is_needed), count in statistics.parts.items():
        total[kind] += count
        needed[kind] += count if is_needed else 0
    return needed, total


def _meter(share: float) -> str:
    bar = element("span", element("span", "", style=f"width:{100 * share:.1f}%"), class_="meter", aria_hidden="true")
    return element("span", f"{bar} {percent(share)}", class_="share")
