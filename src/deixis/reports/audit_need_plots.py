"""Figures of what there is to read: which words are needed, what finds the target without them, who competes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deixis.audits.audit import CLAUSE, IMPLIED, SHORTCUTS, SUFFICIENT
from deixis.reports.audit_labels import extremes, kinds_of, patterns_of
from deixis.reports.charts import pattern_words
from deixis.reports.markup import percent
from deixis.reports.plots import Bars, Stack


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.audits import Audit
    from deixis.reports.plots import Plot
    from deixis.reports.released import Released


__all__ = ["colour_and_shape_plot", "competitor_plots", "needed_plots", "shortcut_plots"]

PHRASES = {"target": "target’s", "other": "other"}
WRONG = ("0", "1", "2", "3", "4 or more")


def needed_plots(audits: Mapping[str, Audit], *, beside: Released | None = None) -> list[Plot | None]:
    """Which words and clauses are needed; None for a figure without a number.

    Args:
        audits: by the name of the dataset.
        beside: published figures to show with them.
    """
    return [_needed(audits, beside), _needed_by_pattern(audits), colour_and_shape_plot(audits)]


def shortcut_plots(audits: Mapping[str, Audit]) -> list[Plot | None]:
    """What finds the target though it keeps a part of the command only; None for a figure without a number."""
    return [_shortcuts(audits), _bags(audits)]


def competitor_plots(audits: Mapping[str, Audit]) -> list[Plot | None]:
    """Which wrong objects an oversight or another misreading leads to; None for a figure without a number."""
    return [_competitors(audits), _difficulty(audits), _reached(audits)]


def colour_and_shape_plot(audits: Mapping[str, Audit], *, beside: Released | None = None) -> Stack | None:
    """What suffices of a colour word and a noun said of the target; None where nobody says both.

    Args:
        audits: by the name of the dataset.
        beside: the shares that the ReaSCAN paper gives of gSCAN, to show with them.
    """
    rows: dict[str, tuple[float, ...]] = {}
    if beside is not None:
        rows["gSCAN, published"] = tuple(beside.gscan[what] for what in SUFFICIENT)
    for name, audit in audits.items():
        if found := audit.colour_and_shape():
            rows[name] = tuple(found[what].share or 0.0 for what in SUFFICIENT)
    if not rows:
        return None
    both = {name: shares[0] for name, shares in rows.items()}
    exact = (
        f" Chosen as gSCAN chooses its objects, {percent(beside.gscan_expected)} are to be expected." if beside else ""
    )
    return Stack(
        name="plot-colour-and-shape",
        title="Do the colour and the shape both matter?",
        caption=f"Both are needed in {extremes(both)} of the examples that say a colour and a noun of the target; in "
        f"the others one of the two words would do.{exact}",
        axis="share of the examples whose target is given a colour and a noun, in percent",
        segments=SUFFICIENT,
        groups={"": rows},
        is_ordered=False,
    )


def _needed(audits: Mapping[str, Audit], beside: Released | None) -> Bars | None:
    shares: dict[str, dict[str, float | None]] = {}
    published: frozenset[str] = frozenset()
    if beside is not None:
        values = beside.column.values
        shares[beside.column.name] = {key: values[key].amount for key in ("words of the target", "words of the others")}
        published = frozenset((beside.column.name,))
    for name, audit in audits.items():
        found = {f"{PHRASES[phrase]} {kind}s": share.share for (phrase, kind), share in audit.needed.items()}
        found["words of the target"] = audit.words_needed("target").share
        found["words of the others"] = audit.words_needed("other").share
        found["clauses"] = audit.clauses_needed().share
        found["‘box’ after ‘inside of’"] = found.pop(f"{PHRASES['other']} {IMPLIED}s", None)
        shares[name] = found
    kinds = [f"{PHRASES[phrase]} {kind}s" for phrase in PHRASES for kind in kinds_of(audits)]
    order = ["words of the target", "words of the others", *kinds, "clauses", "‘box’ after ‘inside of’"]
    labels = tuple(label for label in order if any(found.get(label) is not None for found in shares.values()))
    if not labels:
        return None
    everything = {name: share for name, audit in audits.items() if (share := audit.words_needed().share) is not None}
    implied = " ‘Box’ after ‘inside of’ says nothing of its own." if labels[-1] == order[-1] else ""
    return Bars(
        name="plot-needed",
        title="Which words and clauses are needed?",
        caption=f"Of all size, colour and shape words, {extremes(everything)} are needed.{implied}",
        axis="share that is needed",
        labels=labels,
        series={name: tuple(found.get(label) for label in labels) for name, found in shares.items()},
        published=published,
    )


def _needed_by_pattern(audits: Mapping[str, Audit]) -> Bars | None:
    patterns = patterns_of(audits)
    if len(patterns) < 2:
        return None
    series = {
        name: tuple(audit.all_words_needed(pattern).share for pattern in patterns) for name, audit in audits.items()
    }
    known = {name: [value for value in values if value is not None] for name, values in series.items()}
    least = {name: min(values) for name, values in known.items() if values}
    return Bars(
        name="plot-every-word",
        title="Examples that need every word",
        caption=f"In the pattern where they are rarest, {extremes(least)} of the examples need every content word.",
        axis="share of the pattern’s examples",
        labels=tuple(map(pattern_words, patterns)),
        series=series,
    )


def _shortcuts(audits: Mapping[str, Audit]) -> Bars | None:
    solved = {name: audit.solved() for name, audit in audits.items()}
    labels = [name for name in SHORTCUTS if any(name in found for found in solved.values())]
    if not labels:
        return None
    series = {name: tuple(_share(found, label) for label in labels) for name, found in solved.items()}
    bag = {name: found["bag of words"].share or 0.0 for name, found in solved.items() if "bag of words" in found}
    return Bars(
        name="plot-shortcuts",
        title="What already finds the target?",
        caption=f"A reader who ignores the order of the words solves {extremes(bag)} of the examples."
        if bag
        else "Shorter bars are better: what solves an example makes the rest of its words superfluous.",
        axis="share of the examples that are solved; shorter is better",
        labels=tuple(labels),
        series=series,
    )


def _bags(audits: Mapping[str, Audit]) -> Bars | None:
    patterns = [
        name for name in patterns_of(audits) if any(name == key[0] for a in audits.values() for key in a.relations)
    ]
    series = {
        name: tuple(_share(audit.solved(pattern), "bag of words") for pattern in patterns)
        for name, audit in audits.items()
    }
    if not any(value is not None for values in series.values() for value in values):
        return None
    return Bars(
        name="plot-bags",
        title="Where there are clauses, does the order of the words matter?",
        caption="Where the bar is short, words that change places between two phrases, or relations between two "
        "clauses, lead to another object. A command of one phrase is always solved and not shown.",
        axis="share of the pattern’s examples that a bag of words solves; shorter is better",
        labels=tuple(map(pattern_words, patterns)),
        series=series,
    )


def _share(found: Mapping[str, object], label: str) -> float | None:
    return getattr(found.get(label), "share", None)


def _competitors(audits: Mapping[str, Audit]) -> Stack | None:
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
    shares = {
        group: {name: tuple(count / (sum(counts) or 1) for count in counts) for name, counts in rows.items()}
        for group, rows in groups.items()
    }
    return Stack(
        name="plot-competitors",
        title="How many wrong objects fit when a part is overlooked?",
        caption=f"Overlooking a word lets nothing wrong through in {extremes(nothing)} of the cases: nobody would "
        "notice that it was not read.",
        axis="share of the parts, in percent, by the number of wrong objects that fit without the part",
        segments=WRONG,
        groups=shares,
    )


def _difficulty(audits: Mapping[str, Audit]) -> Bars | None:
    patterns = patterns_of(audits)
    if not patterns:
        return None
    series = {name: tuple(audit.difficulty(pattern) for pattern in patterns) for name, audit in audits.items()}
    overall = {name: error for name, audit in audits.items() if (error := audit.difficulty()) is not None}
    return Bars(
        name="plot-difficulty",
        title="How often does an oversight lead astray?",
        caption=f"A reader who overlooks one word or clause at random errs in {extremes(overall)} of the examples; "
        "half is what one competitor for every part would give.",
        axis="share of wrong guesses; longer is better",
        labels=tuple(map(pattern_words, patterns)),
        series=series,
    )


def _reached(audits: Mapping[str, Audit]) -> Bars | None:
    patterns = patterns_of(audits)
    series = {name: tuple(audit.mean_reached(pattern) for pattern in patterns) for name, audit in audits.items()}
    if not any(value is not None for values in series.values() for value in values):
        return None
    return Bars(
        name="plot-reached",
        title="How many objects does some misreading reach?",
        caption="Misreadings drop a word or a clause, take a word for another, or exchange words between two phrases; "
        "all other objects could be taken away without anybody noticing.",
        axis="wrong objects on average; longer is better",
        labels=tuple(map(pattern_words, patterns)),
        series=series,
        unit="number",
    )
