"""Charts of the report of a grid dataset: numbers, each with a sentence on its message."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.data._split_names import names_in_split
from deixis.report._markup import number, percent
from deixis.report.chart import Axis, Chart, make_series
from deixis.worlds.grid.actions import MANNERS, VERBS
from deixis.worlds.grid.data.statistics import COMPASS, LENGTH_BINS, PART_KINDS, length_bin
from deixis.worlds.grid.roles import KINDS
from deixis.worlds.grid.scene import COLORS, GRID, SHAPES


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.worlds.grid.data.statistics import Key, Statistics


BOARD = ("north-west", "north", "north-east", "west", "here", "east", "south-west", "south", "south-east")


def charts(statistics: Statistics, splits: Sequence[str]) -> list[Chart]:
    """Return the charts of a dataset, without those that have no numbers.

    Args:
        statistics: what was counted.
        splits: the names of the splits in the order in which to show them.
    """
    made = (
        _sizes(statistics, splits),
        _lengths(statistics),
        _objects(statistics),
        _relations(statistics),
        _verbs(statistics),
        _said_and_shown(statistics, "color", COLORS, "Colours"),
        _said_and_shown(statistics, "shape", SHAPES, "Shapes"),
        _object_sizes(statistics),
        _directions(statistics),
        _kinds(statistics),
        _competitors(statistics),
        _needed_chart(statistics),
    )
    known = [chart for chart in made if any(any(one.values) for one in chart.series)]
    return [replace(chart, caption=chart.caption[:1].upper() + chart.caption[1:]) for chart in known]


def _sizes(statistics: Statistics, splits: Sequence[str]) -> Chart:
    total: Counter[Key] = Counter()
    for (place, pattern), count in statistics.places.items():
        for split in names_in_split(place):
            total[split, pattern] += count
    names = [name for name in splits if any(total[name, p] for p in statistics.patterns)]
    sizes = {name: sum(total[name, p] for p in statistics.patterns) for name in names}
    largest = max(names, key=lambda name: sizes[name], default="")
    return Chart(
        name="figure-splits",
        title="Examples per split",
        caption=f"{largest.capitalize()} is the largest split with {number(sizes.get(largest, 0))} examples; "
        "colours tell which patterns each split is made of.",
        marks="stacks",
        labels=tuple(names),
        series=make_series(
            {p: tuple(float(total[name, p]) for name in names) for p in statistics.patterns}, colors="patterns"
        ),
        axis=Axis(label="examples", unit="count"),
    )


def _lengths(statistics: Statistics) -> Chart:
    binned: Counter[Key] = Counter()
    for (pattern, length), count in statistics.lengths.items():
        binned[pattern, length_bin(length)] += count
    series = _shares(binned, statistics.patterns, LENGTH_BINS)
    short, long = (
        sum(n for (_, label), n in binned.items() if label == end) / max(statistics.examples, 1)
        for end in (LENGTH_BINS[0], LENGTH_BINS[-1])
    )
    return Chart(
        name="figure-lengths",
        title="Actions per plan",
        caption=f"{percent(short)} of all plans have at most 10 actions and {percent(long)} more than 50; the bins are "
        "those of ReaSCAN's Figure 4.",
        marks="columns",
        labels=LENGTH_BINS,
        series=make_series(series, colors="patterns"),
        axis=Axis(label="share of the pattern's plans"),
    )


def _objects(statistics: Statistics) -> Chart:
    counts = sorted({count for _, count in statistics.objects})
    labels = range(counts[0], counts[-1] + 1) if counts else range(0)
    most = Counter[int]()
    for (_, count), n in statistics.objects.items():
        most[count] += n
    usual = most.most_common(1)[0] if most else (0, 0)
    return Chart(
        name="figure-objects",
        title="Objects per world",
        caption=f"{percent(usual[1] / max(statistics.examples, 1))} of the worlds have exactly {usual[0]} objects; "
        f"the fullest have {max(counts, default=0)}.",
        marks="columns",
        labels=tuple(map(str, labels)),
        series=make_series(_shares(statistics.objects, statistics.patterns, labels), colors="patterns"),
        axis=Axis(label="share of the pattern's worlds"),
    )


def _relations(statistics: Statistics) -> Chart:
    names = tuple(relation.name for relation in GRID.relations)
    counts = [statistics.said.get(("relation", name), 0) for name in names]
    return Chart(
        name="figure-relations",
        title="Relations in commands",
        caption=f"{_spread(names, counts)} of all clauses.",
        marks="bars",
        labels=names,
        series=make_series({"clauses": _share(counts)}),
        axis=Axis(label="share of all clauses"),
    )


def _verbs(statistics: Statistics) -> Chart:
    verbs = tuple(map(str, VERBS))
    manners = tuple(map(str, MANNERS))
    counts = [statistics.verbs.get((name,), 0) for name in verbs]
    how = [statistics.manners.get((name,), 0) for name in manners]
    return Chart(
        name="figure-verbs",
        title="Verbs and manners",
        caption=f"Verbs: {_spread(verbs, counts)}; "
        f"manners: {_spread([_manner(m) for m in manners], how)} of the commands.",
        marks="bars",
        labels=(*verbs, *map(_manner, manners)),
        series=make_series({"examples": (*_share(counts), *_share(how))}),
        axis=Axis(label="share of all examples"),
    )


def _manner(name: str) -> str:
    return name or "no manner"


def _said_and_shown(statistics: Statistics, attribute: str, values: Sequence[str], title: str) -> Chart:
    said = [statistics.said.get((attribute, value), 0) for value in values]
    shown = [statistics.shown.get((attribute, value), 0) for value in values]
    word = title.lower()
    return Chart(
        name=f"figure-{word}",
        title=f"{title} in commands and worlds",
        caption=f"In commands, {_spread(values, said)} of the words; "
        f"in worlds, {_spread(values, shown)} of the objects.",
        marks="columns",
        labels=tuple(values),
        series=make_series({"words of commands": _share(said), "objects of worlds": _share(shown)}),
        axis=Axis(label="share"),
    )


def _object_sizes(statistics: Statistics) -> Chart:
    words, sizes = ("small", "big"), ("1", "2", "3", "4")
    said = [statistics.said.get(("size", word), 0) for word in words]
    shown = [statistics.shown.get(("size", size), 0) for size in sizes]
    names = [f"size {size}" for size in sizes]
    return Chart(
        name="figure-sizes",
        title="Size words in commands, sizes in worlds",
        caption=f"In commands, {_spread(words, said)} of the size words; "
        f"in worlds, {_spread(names, shown)} of the objects.",
        marks="bars",
        labels=(*(f"‘{word}’" for word in words), *names),
        series=make_series({"share": (*_share(said), *_share(shown))}),
        axis=Axis(label="share of all size words, of all objects"),
    )


def _directions(statistics: Statistics) -> Chart:
    shares = dict(zip(COMPASS, _share([statistics.directions.get((name,), 0) for name in COMPASS]), strict=True))
    quarters = [share for name, share in shares.items() if "-" in name]
    return Chart(
        name="figure-directions",
        title="From the agent to the target",
        caption=f"{percent(sum(quarters))} of the targets lie off the agent's row and column, "
        f"{percent(min(quarters))} to {percent(max(quarters))} in each quarter; "
        "north is up and the agent stands in the middle.",
        marks="tiles",
        labels=tuple("agent" if name == "here" else name for name in BOARD),
        series=make_series({"targets": [shares[name] for name in BOARD]}),
        across=3,
        axis=Axis(label="share of all examples"),
    )


def _kinds(statistics: Statistics) -> Chart:
    kinds = [kind for kind in KINDS if kind not in ("target", "mentioned")]
    worlds: Counter[str] = Counter()
    for (pattern, _), count in statistics.competitors.items():
        worlds[pattern] += count
    series = {
        pattern: tuple(statistics.with_kind.get((pattern, kind), 0) / max(worlds[pattern], 1) for kind in kinds)
        for pattern in statistics.patterns
    }
    least = min((series[p][0] for p in series if p != "p1"), default=0.0)
    most = max((series[p][2] for p in series), default=0.0)
    often = "all" if least == 1 else f"at least {percent(least)} of the"
    caption = (
        f"Relation distractors stand in {often} worlds of every pattern with a clause, isomorphism distractors, which "
        f"need two clauses, in at most {percent(most)}."
    )
    return Chart(
        name="figure-distractors",
        title="Kinds of distractors",
        caption=caption if set(series) - {"p1"} else "Commands without a clause have no relation distractors.",
        marks="columns",
        labels=tuple(kinds),
        series=make_series(series, colors="patterns"),
        axis=Axis(label="share of the pattern's worlds"),
    )


def _competitors(statistics: Statistics) -> Chart:
    labels = range(max((count for _, count in statistics.competitors), default=-1) + 1)
    total = sum(statistics.competitors.values())
    mean = sum(count * n for (_, count), n in statistics.competitors.items()) / max(total, 1)
    series = _shares(statistics.competitors, statistics.patterns, labels)
    means = {name: sum(count * share for count, share in enumerate(shares)) for name, shares in series.items()}
    few, many = (pick(means, key=lambda name: means[name], default="") for pick in (min, max))
    return Chart(
        name="figure-competitors",
        title="Objects that punish a misreading",
        caption=f"A world holds {mean:.1f} of them on average, from {means.get(few, 0):.1f} in {few} to "
        f"{means.get(many, 0):.1f} in {many}.",
        marks="lines",
        labels=tuple(map(str, labels)),
        series=make_series(series, colors="patterns"),
        axis=Axis(label="share of the pattern's worlds"),
    )


def _needed_chart(statistics: Statistics) -> Chart:
    shares = statistics.shares_needed
    kinds = tuple(kind for kind in PART_KINDS if kind in shares)
    clause = f"{percent(shares['clause'])} of the clauses and " if "clause" in shares else ""
    words = [share for kind, share in shares.items() if kind != "clause"]
    return Chart(
        name="figure-necessity",
        title="Parts without which the target is not found",
        caption=f"{clause}{percent(min(words, default=0))} to {percent(max(words, default=0))} of the words of each "
        "kind are needed: leave one out, and the command fits something else.",
        marks="bars",
        labels=tuple(f"{kind}s" for kind in kinds),
        series=make_series({"needed": tuple(shares[kind] for kind in kinds)}),
        axis=Axis(label="share that is needed"),
    )


def _shares(
    counts: Mapping[Key, int], patterns: Iterable[str], labels: Sequence[str] | range
) -> dict[str, tuple[float, ...]]:
    """For each pattern the share of every label."""
    return {pattern: _share([counts.get((pattern, label), 0) for label in labels]) for pattern in patterns}


def _share(counts: Sequence[int]) -> tuple[float, ...]:
    total = max(sum(counts), 1)
    return tuple(count / total for count in counts)


def _spread(names: Sequence[str], counts: Sequence[int]) -> str:
    """Return the least and the most frequent, in words."""
    shares = _share(counts)
    least, most = min(shares), max(shares)
    if most - least < 0.005:
        return f"each has about {percent(sum(shares) / len(shares))}"
    rare, common = names[shares.index(least)], names[shares.index(most)]
    return f"{common} has the most with {percent(most)} and {rare} the fewest with {percent(least)}"
