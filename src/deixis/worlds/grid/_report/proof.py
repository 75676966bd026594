"""The report section on the proved properties of a dataset."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.necessity import content_parts
from deixis.errors import DeixisError
from deixis.report._markup import number, percent
from deixis.report._palette import pattern_words
from deixis.worlds.grid._report.templates import report_part
from deixis.worlds.grid.checks import CHECKS
from deixis.worlds.grid.data.statistics import PART_KINDS


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.data.checks import Report
    from deixis.worlds.grid._report.facts import Facts, PoolOutcome
    from deixis.worlds.grid.data.statistics import Statistics
    from deixis.worlds.grid.navigate import Example


FINDINGS_SHOWN = 3  # of each code
GROUPS = {"E": "error", "W": "warning", "I": "information"}


class NeededWords(NamedTuple):
    """Number of content words needed in some examples, by the plain definition."""

    examples: int
    words: int
    needed: int


def judge_plainly(examples: Iterable[Example]) -> NeededWords:
    """Decide for every content word whether it is needed, by the definition and not by the compiled loops."""
    judged = words = needed = 0
    for example in examples:
        try:
            found = example.necessity()
            content = content_parts(example.expression, example.scene.schema)
        except DeixisError:
            continue
        judged += 1
        words += len(content)
        needed += sum(found[part] for part in content)
    return NeededWords(judged, words, needed)


def proof_section(
    facts: Facts, statistics: Statistics, report: Report | None, *, plainly: NeededWords | None = None
) -> str:
    """Report the verdict of the checks, the proof of the partition, and the number of needed words and clauses.

    Args:
        facts: what the manifest says.
        statistics: what was counted.
        report: what the checks found, where they were run.
        plainly: what came out by the plain definition, where it is asked that every word be needed.
    """
    verdict = report_part("not_checked") if report is None else _verdict(report)
    codes = "" if report is None else _codes(report)
    leakage = report_part("leakage", facts=facts)
    return verdict + _every_word(facts, report, plainly) + codes + leakage + _necessity(statistics, report)


def _every_word(facts: Facts, report: Report | None, plainly: NeededWords | None) -> str:
    """Return the claim that no content word can be spared, and for which commands no such world was found."""
    if facts.mode != "every-word":
        return ""
    checked = report is not None and "E204" in report.checked
    found = report.counts.get("E204", 0) if report is not None else 0
    lines = []
    if checked:
        lines.append(
            f"The check E204 asked this of every word of all {number(facts.examples)} examples anew: "
            + ("no word can be spared." if not found else f"{number(found)} examples have a word that can be spared.")
        )
    if plainly is not None and plainly.words:
        lines.append(
            f"Of {number(plainly.words)} content words in {number(plainly.examples)} examples from all splits and "
            f"patterns, {percent(plainly.needed / plainly.words)} are needed by the plain definition, which shares no "
            "code with the generator."
        )
    claim = f"{percent(1)} of the content words are needed." if checked and not found else ""
    pools = [made for made in facts.pools if made.by_words]
    return report_part(
        "every_word",
        claim=claim,
        lines=lines,
        is_good=bool(claim) and (plainly is None or plainly.needed == plainly.words),
        worlds=[_worlds_row(made) for made in pools],
        lengths=_lengths_rows(pools),
    )


def _worlds_row(made: PoolOutcome) -> list[str]:
    """Return how many commands of a pool got no world in which every word is needed."""
    tried = sum(words.tried for words in made.by_words.values())
    none, short = (sum(getattr(w, name) for w in made.by_words.values()) for name in ("fruitless", "short"))
    by_length = ", ".join(
        f"{count} words: {number(words.fruitless)} of {number(words.tried)}"
        for count, words in sorted(made.by_words.items())
        if words.fruitless
    )
    pattern = pattern_words(made.pattern)
    name = f"{made.name} ({pattern})" if made.name != made.pattern else pattern
    return [name, number(tried), percent(1 - none / max(tried, 1)), number(none), number(short), by_length or "–"]


def _lengths_rows(pools: Sequence[PoolOutcome]) -> list[list[str]]:
    """Return the same for all pools, by the number of content words."""
    totals: dict[int, Counter[str]] = {}
    for made in pools:
        for count, words in made.by_words.items():
            totals.setdefault(count, Counter()).update(words._asdict())
    return [
        [str(count), number(n["tried"]), percent(1 - n["fruitless"] / max(n["tried"], 1)), number(n["fruitless"])]
        for count, n in sorted(totals.items())
    ]


def _verdict(report: Report) -> str:
    errors, warnings = (sum(n for code, n in report.counts.items() if code.startswith(kind)) for kind in "EW")
    return report_part("verdict", report=report, errors=errors, warnings=warnings)


def _codes(report: Report) -> str:
    """What was looked for, what was found, and what the codes mean."""
    rows = [
        (code, GROUPS.get(code[0], ""), CHECKS[code].message, count, percent(count / max(report.rows, 1)))
        for code in sorted(report.checked, key=lambda code: (code[1:], code))
        for count in (report.counts.get(code, 0),)
    ]
    explained = {
        code: f"{CHECKS[code].message} ({GROUPS.get(code[0], '')}). {' '.join(CHECKS[code].about.split())}".strip()
        for code in report.checked
    }
    seen: Counter[str] = Counter()
    findings = []
    for finding in report.findings:
        seen[finding.code] += 1
        if seen[finding.code] <= FINDINGS_SHOWN:
            findings.append(f"{finding} [{finding.split}]" if finding.split else str(finding))
    return report_part("codes", rows=rows, explained=explained, findings=findings)


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
    redone = report is not None and "E203" in report.checked
    how = " The check E203 worked this out anew for every example." if redone else ""
    implied = (
        " The nouns include ‘box’ after ‘inside of’, which the relation implies." if shares.get("noun", 1) < 1 else ""
    )
    intro = "A part is needed when the command without it fits something else." + how + implied
    rows = [(f"{kind}s", needed[kind], total[kind], shares[kind]) for kind in PART_KINDS if total[kind]]
    return report_part("necessity", claim=claim, intro=intro, rows=rows)


def _parts(statistics: Statistics) -> tuple[Mapping[str, int], Mapping[str, int]]:
    needed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (_, kind, is_needed), count in statistics.parts.items():
        total[kind] += count
        needed[kind] += count if is_needed else 0
    return needed, total
