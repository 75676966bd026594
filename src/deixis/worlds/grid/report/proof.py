"""The section of a report that says what was shown to be true of a dataset, and how."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.necessity import content_parts
from deixis.errors import DeixisError
from deixis.report.markup import details, element, number, percent, table, text
from deixis.report.palette import pattern_words
from deixis.worlds.grid.checks import CHECKS
from deixis.worlds.grid.data.statistics import PART_KINDS


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.data.checks import Report
    from deixis.worlds.grid.data.statistics import Statistics
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.report.facts import Facts, Made


__all__ = ["Plainly", "judge_plainly", "proof_section"]

FINDINGS_SHOWN = 3  # of each code
GROUPS = {"E": "error", "W": "warning", "I": "information"}


class Plainly(NamedTuple):
    """How many content words are needed in some examples, by the plain definition."""

    examples: int
    words: int
    needed: int


def judge_plainly(examples: Iterable[Example]) -> Plainly:
    """Ask of every content word, by the definition and not by the compiled loops, whether it is needed."""
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
    return Plainly(judged, words, needed)


def proof_section(
    facts: Facts, statistics: Statistics, report: Report | None, *, plainly: Plainly | None = None
) -> str:
    """The verdict of the checks, what the partition proves, and how many words and clauses are needed.

    Args:
        facts: what the manifest says.
        statistics: what was counted.
        report: what the checks found, where they were run.
        plainly: what came out by the plain definition, where it is asked that every word be needed.
    """
    verdict = _not_checked() if report is None else _verdict(report)
    codes = "" if report is None else _codes(report) + _findings(report)
    return verdict + _every_word(facts, report, plainly) + codes + _leakage(facts) + _necessity(statistics, report)


def _every_word(facts: Facts, report: Report | None, plainly: Plainly | None) -> str:
    """The claim that no content word can be spared, and for which commands no such world was found."""
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
    claim = element("b", f"{percent(1)} of the content words are needed.") if checked and not found else ""
    about = (
        "A content word is a size, colour or shape word or a relation; ‘box’ after ‘inside of’ is none, since nothing "
        "else has an inside."
    )
    good = bool(claim) and (plainly is None or plainly.needed == plainly.words)
    body = " ".join(part for part in (claim, *map(text, lines)) if part)
    stated = element("p", body, class_="claim" if good else "verdict bad") if body else ""
    return element("h3", "Every word is needed") + stated + element("p", about) + _without_worlds(facts)


def _without_worlds(facts: Facts) -> str:
    """The commands for which no world was found in which every word is needed."""
    pools = [made for made in facts.pools if made.by_words]
    if not pools:
        return ""
    rows = []
    for made in pools:
        tried = sum(words.tried for words in made.by_words.values())
        none, short = (sum(getattr(w, name) for w in made.by_words.values()) for name in ("fruitless", "short"))
        by_length = ", ".join(
            f"{count} words: {number(words.fruitless)} of {number(words.tried)}"
            for count, words in sorted(made.by_words.items())
            if words.fruitless
        )
        name = (
            f"{made.name} ({pattern_words(made.pattern)})" if made.name != made.pattern else pattern_words(made.pattern)
        )
        found = percent(1 - none / max(tried, 1))
        rows.append([text(name), number(tried), found, number(none), number(short), text(by_length) or "–"])
    head = ["pool", "commands tried", "got a world", "no world", "too few worlds", "no world, by content words"]
    return table(
        head, rows, caption="Commands for which such a world was looked for", numeric=range(1, 5)
    ) + _by_length(pools)


def _by_length(pools: Sequence[Made]) -> str:
    totals: dict[int, Counter[str]] = {}
    for made in pools:
        for count, words in made.by_words.items():
            totals.setdefault(count, Counter()).update(words._asdict())
    rows = [
        [str(count), number(n["tried"]), percent(1 - n["fruitless"] / max(n["tried"], 1)), number(n["fruitless"])]
        for count, n in sorted(totals.items())
    ]
    head = ["content words", "commands tried", "got a world", "no world"]
    return details("By the number of content words", table(head, rows, caption="By length", numeric=range(4)))


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
    implied = (
        " The nouns include ‘box’ after ‘inside of’, which the relation implies." if shares.get("noun", 1) < 1 else ""
    )
    intro = "A part is needed when the command without it fits something else." + how + implied
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
