"""All figures of audits by section: each shows one measure of several datasets side by side, and says what to see."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deixis.audits.audit import CLAUSE, IMPLIED, SHORTCUTS, SUFFICIENT
from deixis.audits.counting import ALL, CHANCE
from deixis.report.figures import pattern_words
from deixis.report.markup import percent
from deixis.report.plots import Bars, Heat, Lines, Stack, written


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.audits import Audit
    from deixis.report.plots import Plot
    from deixis.report.scorecard import PublishedAudit


__all__ = [
    "audit_plots",
    "cells_plot",
    "chance_plots",
    "colour_and_shape_plot",
    "competitor_plots",
    "determiners_plot",
    "extremes",
    "kinds_of",
    "needed_plots",
    "patterns_of",
    "shortcut_plots",
    "skew_plots",
]

IMPLIED_NOUNS = "nouns implied by their relation"


def audit_plots(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> dict[str, list[Plot]]:
    """The figures of some audits under the section each belongs to; those without a number are left out.

    Args:
        audits: by the name of the dataset, in the order in which to show them.
        beside: published figures to show with them.
    """
    made: dict[str, list[Plot | None]] = {
        "needed": needed_plots(audits, beside=beside),
        "shortcuts": shortcut_plots(audits),
        "competitors": competitor_plots(audits),
        "chance": chance_plots(audits),
        "skew": skew_plots(audits, beside=beside),
        "cells": [cells_plot(audits)],
        "determiners": [determiners_plot(audits)],
    }
    found = {name: [plot for plot in plots if plot is not None] for name, plots in made.items()}
    return {name: plots for name, plots in found.items() if plots}


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


PHRASES = {"target": "target’s", "other": "other"}
WRONG = ("0", "1", "2", "3", "4 or more")


def needed_plots(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> list[Plot | None]:
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


def colour_and_shape_plot(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> Stack | None:
    """What suffices of a colour word and a noun said of the target; None where nobody says both.

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


def _needed(audits: Mapping[str, Audit], beside: PublishedAudit | None) -> Bars | None:
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
    solved = {name: audit.shortcut_shares() for name, audit in audits.items()}
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
        name: tuple(_share(audit.shortcut_shares(pattern), "bag of words") for pattern in patterns)
        for name, audit in audits.items()
    }
    if not any(value is not None for values in series.values() for value in values):
        return None
    return Bars(
        name="plot-bags",
        title="Where there are clauses, does the order of the words matter?",
        caption="Where the bar is short, words that change places between two phrases, or relations between two "
        "clauses, lead to another object. An expression of one phrase is always solved and not shown.",
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


SKEWED = ("shape", "color", "size", "row", "column", "cell", "distance", "direction")


def chance_plots(audits: Mapping[str, Audit]) -> list[Plot | None]:
    """How often a guess is right; None for a figure without a number."""
    return [_chance(audits), _namesakes(audits)]


def skew_plots(audits: Mapping[str, Audit], *, beside: PublishedAudit | None = None) -> list[Plot | None]:
    """What can be learnt without reading a word of the command; None for a figure without a number.

    Args:
        audits: by the name of the dataset.
        beside: published figures to show with them.
    """
    return [_skew(audits), _blind(audits), *_places(audits, beside), _relations(audits, beside)]


def cells_plot(audits: Mapping[str, Audit]) -> Heat | None:
    """In which cells targets and other objects stand; None where there are no cells."""
    boards: dict[str, tuple[tuple[float, ...], ...]] = {}
    ends: dict[str, float] = {}
    for name, audit in audits.items():
        for is_target, what in ((True, "targets"), (False, "other objects")):
            counts: Counter[tuple[int, int]] = Counter()
            for (_, row, column, flag), n in audit.cells.items():
                if flag == is_target:
                    counts[row, column] += n
            if not counts:
                continue
            size = 1 + max(max(cell) for cell in counts)
            mean = counts.total() / size**2
            boards[f"{name}: {what}"] = tuple(
                tuple(counts[row, column] / mean for column in range(size)) for row in range(size)
            )
            ends[f"{what} of {name}"] = max(counts.values()) / mean
    if not boards:
        return None
    worst = max(ends, key=lambda which: ends[which])
    return Heat(
        name="plot-cells",
        title="Where do targets and other objects stand?",
        caption=f"1.0 is an even spread. The fullest cell of all holds {ends[worst]:.1f} times its share ({worst}). "
        "Boxes count by their top left corner.",
        axis="objects in each cell, as a multiple of the average cell; rows downwards, columns to the right",
        boards=boards,
    )


def determiners_plot(audits: Mapping[str, Audit]) -> Bars | None:
    """How often each determiner stands before objects other than the target; None where there is none."""
    found = {name: audit.determiner_shares().get("other", {}) for name, audit in audits.items()}
    labels = sorted({word for shares in found.values() for word in shares})
    if not labels:
        return None
    series: dict[str, tuple[float | None, ...]] = {}
    for name, counts in found.items():
        total = sum(counts.values())
        series[name] = tuple(counts.get(word, 0) / total for word in labels) if total else (None,) * len(labels)
    told = {
        name: audit.determiner_leak["words needed"].net
        for name, audit in audits.items()
        if "words needed" in audit.determiner_leak
    }
    return Bars(
        name="plot-determiners",
        title="‘The’ or ‘a’ before other objects",
        caption=f"The determiner tells {extremes(told, unit='bits')} about whether the words after it are needed; the "
        "target’s own is the same throughout.",
        axis="share of the phrases other than the target’s",
        labels=tuple(f"‘{word}’" for word in labels),
        series=series,
    )


def _chance(audits: Mapping[str, Audit]) -> Lines | None:
    found = {name: _frequent(audit) for name, audit in audits.items()}
    lengths = sorted({length for chances in found.values() for length in chances})
    if not lengths:
        return None
    spread = {name: max(values.values()) - min(values.values()) for name, values in found.items() if values}
    return Lines(
        name="plot-chance",
        title="Does the length of the expression tell how many objects there are?",
        caption=f"The chance level differs by {extremes(spread)} between short and long expressions; a level line "
        "tells nothing.",
        axis="how often a guess among all objects is right; lengths with under half a percent of the examples left out",
        below="words of the expression",
        at=tuple(lengths),
        series={name: tuple(chances.get(length) for length in lengths) for name, chances in found.items()},
    )


def _frequent(audit: Audit) -> dict[int, float]:
    """The chance level of the lengths that are not rare."""
    return {
        length: chance.chance
        for length, chance in audit.chance_by_length.items()
        if chance.examples >= audit.judged / 200
    }


def _namesakes(audits: Mapping[str, Audit]) -> Bars | None:
    patterns = patterns_of(audits)
    found = {name: audit.chance_by_pattern for name, audit in audits.items()}
    if not any(found.values()):
        return None
    overall = {
        name: audit.chance_overall.chance_among_namesakes for name, audit in audits.items() if audit.chance_overall
    }
    return Bars(
        name="plot-namesakes",
        title="Guessing among what the noun fits",
        caption=f"A guess among the objects that fit the target’s noun is right in {extremes(overall)} of the "
        "examples.",
        axis="how often such a guess is right; shorter is harder",
        labels=tuple(map(pattern_words, patterns)),
        series={
            name: tuple(chances[pattern].chance_among_namesakes if pattern in chances else None for pattern in patterns)
            for name, chances in found.items()
        },
    )


def _skew(audits: Mapping[str, Audit]) -> Bars | None:
    skews = {name: audit.skew for name, audit in audits.items()}
    known = {feature for skew in skews.values() for feature in skew}
    labels = [name for name in SKEWED if name in known] + sorted(known - set(SKEWED))
    if not labels:
        return None
    most = {name: max(found.net for found in skew.values()) for name, skew in skews.items() if skew}
    return Bars(
        name="plot-skew",
        title="What gives the target away?",
        caption=f"The most telling feature of an object tells {extremes(most, unit='bits')} about whether it is the "
        "target; 0 would be perfect.",
        axis="bits of mutual information with being the target, less what chance alone would show",
        labels=tuple("colour" if name == "color" else name for name in labels),
        series={
            name: tuple(skew[label].net if label in skew else None for label in labels) for name, skew in skews.items()
        },
        unit="bits",
    )


def _blind(audits: Mapping[str, Audit]) -> Bars | None:
    found = {name: audit.reading_nothing for name, audit in audits.items()}
    if not any(ALL in blind for blind in found.values()):
        return None
    known = {reader for blind in found.values() for reader in blind} - {ALL, CHANCE}
    features = [name for name in SKEWED if name in known] + sorted(known - set(SKEWED))
    labels = [CHANCE, *features, ALL]
    gain = {name: max(blind[ALL] - blind[CHANCE], 0.0) for name, blind in found.items() if ALL in blind}
    return Bars(
        name="plot-blind",
        title="Readers who see but do not read",
        caption=f"Having learnt what targets look like and where they stand gains {extremes(gain)} over chance.",
        axis="share of the examples in which such a reader is right",
        labels=tuple({CHANCE: "chance", ALL: "all together", "color": "colour"}.get(name, name) for name in labels),
        series={name: tuple(blind.get(label) for label in labels) for name, blind in found.items()},
    )


def _places(audits: Mapping[str, Audit], beside: PublishedAudit | None) -> Iterator[Bars | None]:
    """Where the object stands that a clause mentions."""
    for relation, at, place in (("same row", 2, "column"), ("same column", 1, "row")):
        counts = {
            name: Counter(
                {
                    where: sum(n for key, n in audit.children.items() if key[0] == relation and key[at] == where)
                    for where in {key[at] for key in audit.children if key[0] == relation}
                }
            )
            for name, audit in audits.items()
        }
        size = max((where for found in counts.values() for where in found), default=-1) + 1
        if not size:
            yield None
            continue
        series: dict[str, tuple[float | None, ...]] = {}
        if beside is not None:
            known = beside.places[relation]
            series[beside.column.name] = tuple(known[k] if k < len(known) else None for k in range(size))
        for name, found in counts.items():
            series[name] = tuple(found[k] / found.total() for k in range(size)) if found else (None,) * size
        first = {name: values[0] for name, values in series.items() if values[0] is not None}
        yield Bars(
            name=f"plot-places-{place}",
            title=f"Where is ‘in the {relation} as …’?",
            caption=f"The object that such a clause mentions stands in {place} 0 in {extremes(first)} of the cases; "
            f"evenly spread, it would be {percent(1 / size)}.",
            axis="share of these clauses",
            labels=tuple(f"{place} {k}" for k in range(size)),
            series=series,
            published=frozenset((beside.column.name,) if beside is not None else ()),
        )


def _relations(audits: Mapping[str, Audit], beside: PublishedAudit | None) -> Bars | None:
    counts: dict[str, Counter[str]] = {}
    for name, audit in audits.items():
        counts[name] = Counter()
        for (_, relation), n in audit.relations.items():
            counts[name][relation] += n
    labels = list(beside.relations) if beside else sorted({relation for found in counts.values() for relation in found})
    if not any(counts.values()):
        return None
    series: dict[str, tuple[float | None, ...]] = {}
    if beside is not None:
        series[beside.column.name] = tuple(beside.relations[label] for label in labels)
    for name, found in counts.items():
        series[name] = tuple(found[label] / found.total() for label in labels) if found else (None,) * len(labels)
    rarest = {name: min(v for v in values if v is not None) for name, values in series.items() if values[0] is not None}
    return Bars(
        name="plot-relations",
        title="Which relations are said?",
        caption=f"The rarest relation makes up {extremes(rarest)} of the clauses.",
        axis="share of all clauses",
        labels=tuple(labels),
        series=series,
        published=frozenset((beside.column.name,) if beside is not None else ()),
    )
