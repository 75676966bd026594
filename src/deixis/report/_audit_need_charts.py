"""Charts of what an expression needs: words and clauses, shortcuts, and wrong objects that misreadings reach."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deixis.audits.audit import CLAUSE, IMPLIED, SHORTCUTS, SUFFICIENT
from deixis.report._markup import percent
from deixis.report._palette import pattern_words
from deixis.report.chart import Axis, Chart, format_value, make_series


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.audits import Audit
    from deixis.report._scorecard import PublishedAudit


IMPLIED_NOUNS = "nouns implied by their relation"


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
    """Return the least and the most with their names, or the one number if all are the same."""
    write = (lambda value: format_value(value, "bits")) if unit == "bits" else percent
    if not values:
        return "nothing"
    low, high = (pick(values, key=lambda name: values[name]) for pick in (min, max))
    if write(values[low]) == write(values[high]):
        return write(values[low])
    return f"{write(values[low])} ({low}) to {write(values[high])} ({high})"


PHRASES = {"target": "target’s", "other": "other"}
WRONG = ("0", "1", "2", "3", "4 or more")


def needed_charts(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> list[Chart | None]:
    """Return charts of the words and clauses that are needed, with None for a chart without a number.

    Args:
        audits: by the name of the dataset.
        beside: published figures to show with them.
    """
    return [_needed_parts(audits, beside), _needed_by_pattern(audits), colour_and_shape_chart(audits)]


def shortcut_charts(audits: Mapping[str, Audit]) -> list[Chart | None]:
    """Return charts of shortcuts, which keep a part of the command only, with None for a chart without a number."""
    return [_shortcuts(audits), _bags(audits)]


def competitor_charts(audits: Mapping[str, Audit]) -> list[Chart | None]:
    """Return charts of the wrong objects that misreadings lead to, with None for a chart without a number."""
    return [_competitors(audits), _difficulty(audits), _reached_objects(audits)]


def colour_and_shape_chart(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> Chart | None:
    """Return a chart of which of colour word and noun suffice, or None if no example has both.

    Args:
        audits: by the name of the dataset.
        beside: published shares, to show with them.
    """
    rows: dict[str, tuple[float, ...]] = {}
    if beside is not None:
        rows[f"{beside.sufficient_of}, published"] = tuple(beside.sufficient[what] for what in SUFFICIENT)
    for name, audit in audits.items():
        if found := audit.colour_and_shape():
            rows[name] = tuple(found[what].share or 0.0 for what in SUFFICIENT)
    if not rows:
        return None
    both = {name: shares[0] for name, shares in rows.items()}
    exact = (
        f" Chosen as {beside.sufficient_of} chooses its objects, {percent(beside.expected)} are to be expected."
        if beside
        else ""
    )
    return Chart(
        name="plot-colour-and-shape",
        title="Do the colour and the shape both matter?",
        caption=f"Both are needed in {extremes(both)} of the examples that say a colour and a noun of the target; in "
        f"the others one of the two words would do.{exact}",
        marks="stacks",
        labels=tuple(rows),
        series=make_series(
            {what: tuple(shares[place] for shares in rows.values()) for place, what in enumerate(SUFFICIENT)},
            colors="kinds",
        ),
        axis=Axis(label="share of the examples whose target is given a colour and a noun, in percent"),
    )


def _needed_parts(audits: Mapping[str, Audit], beside: PublishedAudit | None) -> Chart | None:
    shares: dict[str, dict[str, float | None]] = {}
    published: tuple[str, ...] = ()
    if beside is not None:
        values = beside.column.values
        shares[beside.column.name] = {key: values[key].amount for key in ("words of the target", "words of the others")}
        published = (beside.column.name,)
    for name, audit in audits.items():
        found = {f"{PHRASES[phrase]} {kind}s": share.share for (phrase, kind), share in audit.needed.items()}
        found["words of the target"] = audit.words_needed("target").share
        found["words of the others"] = audit.words_needed("other").share
        found["clauses"] = audit.clauses_needed().share
        found[IMPLIED_NOUNS] = found.pop(f"{PHRASES['other']} {IMPLIED}s", None)
        shares[name] = found
    kinds = [f"{PHRASES[phrase]} {kind}s" for phrase in PHRASES for kind in kinds_of(audits)]
    order = ["words of the target", "words of the others", *kinds, "clauses", IMPLIED_NOUNS]
    labels = tuple(label for label in order if any(found.get(label) is not None for found in shares.values()))
    if not labels:
        return None
    everything = {name: share for name, audit in audits.items() if (share := audit.words_needed().share) is not None}
    implied = (
        " A noun that its relation implies, such as ‘box’ after ‘inside of’, says nothing of its own."
        if labels[-1] == order[-1]
        else ""
    )
    return Chart(
        name="plot-needed",
        title="Which words and clauses are needed?",
        caption=f"Of all size, colour and shape words, {extremes(everything)} are needed.{implied}",
        marks="bars",
        labels=labels,
        series=make_series(
            {name: tuple(found.get(label) for label in labels) for name, found in shares.items()}, published=published
        ),
        axis=Axis(label="share that is needed"),
    )


def _needed_by_pattern(audits: Mapping[str, Audit]) -> Chart | None:
    patterns = patterns_of(audits)
    if len(patterns) < 2:
        return None
    series = {
        name: tuple(audit.all_words_needed(pattern).share for pattern in patterns) for name, audit in audits.items()
    }
    known = {name: [value for value in values if value is not None] for name, values in series.items()}
    least = {name: min(values) for name, values in known.items() if values}
    return Chart(
        name="plot-every-word",
        title="Examples that need every word",
        caption=f"In the pattern where they are rarest, {extremes(least)} of the examples need every content word.",
        marks="bars",
        labels=tuple(map(pattern_words, patterns)),
        series=make_series(series),
        axis=Axis(label="share of the pattern’s examples"),
    )


def _shortcuts(audits: Mapping[str, Audit]) -> Chart | None:
    solved = {name: audit.shortcut_shares() for name, audit in audits.items()}
    labels = [name for name in SHORTCUTS if any(name in found for found in solved.values())]
    if not labels:
        return None
    series = {name: tuple(_share(found, label) for label in labels) for name, found in solved.items()}
    bag = {name: found["bag of words"].share or 0.0 for name, found in solved.items() if "bag of words" in found}
    return Chart(
        name="plot-shortcuts",
        title="What already finds the target?",
        caption=f"A reader who ignores the order of the words solves {extremes(bag)} of the examples."
        if bag
        else "Shorter bars are better: what solves an example makes the rest of its words superfluous.",
        marks="bars",
        labels=tuple(labels),
        series=make_series(series),
        axis=Axis(label="share of the examples that are solved; shorter is better"),
    )


def _bags(audits: Mapping[str, Audit]) -> Chart | None:
    patterns = [
        name for name in patterns_of(audits) if any(name == key[0] for a in audits.values() for key in a.relations)
    ]
    series = {
        name: tuple(_share(audit.shortcut_shares(pattern), "bag of words") for pattern in patterns)
        for name, audit in audits.items()
    }
    return _bars_by_pattern(
        patterns,
        series,
        name="plot-bags",
        title="Where there are clauses, does the order of the words matter?",
        caption="Where the bar is short, words that change places between two phrases, or relations between two "
        "clauses, lead to another object. An expression of one phrase is always solved and not shown.",
        axis=Axis(label="share of the pattern’s examples that a bag of words solves; shorter is better"),
    )


def _bars_by_pattern(
    patterns: Sequence[str],
    series: Mapping[str, tuple[float | None, ...]],
    *,
    name: str,
    title: str,
    caption: str,
    axis: Axis,
) -> Chart | None:
    """Bars of each pattern for every dataset, or None where nothing is known of any."""
    if not any(value is not None for values in series.values() for value in values):
        return None
    labels = tuple(map(pattern_words, patterns))
    drawn = make_series(series)
    return Chart(name=name, title=title, caption=caption, marks="bars", labels=labels, series=drawn, axis=axis)


def _share(found: Mapping[str, object], label: str) -> float | None:
    return getattr(found.get(label), "share", None)


def _competitors(audits: Mapping[str, Audit]) -> Chart | None:
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    nothing: dict[str, float] = {}
    for name, audit in audits.items():
        through: Counter[int] = Counter()
        for (phrase, kind), counts in sorted(audit.let_through.items()):
            if kind == IMPLIED:
                continue
            group = "clauses" if kind == CLAUSE else f"{PHRASES[phrase]} {kind}s"
            before = found.setdefault(group, {}).get(name, (0.0,) * len(WRONG))
            found[group][name] = tuple(one + other for one, other in zip(before, counts, strict=True))
            through.update({place: count for place, count in enumerate(counts) if kind != CLAUSE})
        if through:
            nothing[name] = through[0] / through.total()
    order = [f"{PHRASES[phrase]} {kind}s" for phrase in PHRASES for kind in kinds_of(audits)] + ["clauses"]
    groups = {group: found[group] for group in order if group in found}
    if not groups:
        return None
    rows = [(group, name, counts) for group, some in groups.items() for name, counts in some.items()]
    shares = [tuple(count / (sum(counts) or 1) for count in counts) for _, _, counts in rows]
    return Chart(
        name="plot-competitors",
        title="How many wrong objects fit when a part is overlooked?",
        caption=f"Overlooking a word lets nothing wrong through in {extremes(nothing)} of the cases: nobody would "
        "notice that it was not read.",
        marks="stacks",
        labels=tuple(name for _, name, _ in rows),
        series=make_series(
            {label: tuple(one[place] for one in shares) for place, label in enumerate(WRONG)}, colors="steps"
        ),
        axis=Axis(label="share of the parts, in percent, by the number of wrong objects that fit without the part"),
        groups=tuple(group for group, _, _ in rows),
    )


def _difficulty(audits: Mapping[str, Audit]) -> Chart | None:
    patterns = patterns_of(audits)
    if not patterns:
        return None
    series = {name: tuple(audit.difficulty(pattern) for pattern in patterns) for name, audit in audits.items()}
    overall = {name: error for name, audit in audits.items() if (error := audit.difficulty()) is not None}
    return Chart(
        name="plot-difficulty",
        title="How often does an oversight lead astray?",
        caption=f"A reader who overlooks one word or clause at random errs in {extremes(overall)} of the examples; "
        "half is what one competitor for every part would give.",
        marks="bars",
        labels=tuple(map(pattern_words, patterns)),
        series=make_series(series),
        axis=Axis(label="share of wrong guesses; longer is better"),
    )


def _reached_objects(audits: Mapping[str, Audit]) -> Chart | None:
    patterns = patterns_of(audits)
    series = {name: tuple(audit.mean_reached(pattern) for pattern in patterns) for name, audit in audits.items()}
    return _bars_by_pattern(
        patterns,
        series,
        name="plot-reached",
        title="How many objects does some misreading reach?",
        caption="Misreadings drop a word or a clause, take a word for another, or exchange words between two phrases; "
        "all other objects could be taken away without anybody noticing.",
        axis=Axis(label="wrong objects on average; longer is better", unit="number"),
    )
