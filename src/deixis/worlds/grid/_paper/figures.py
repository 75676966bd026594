"""The figures of the ReaSCAN paper for any dataset: what Figure 4 and Figure 5 show, before anything is drawn.

Figure 4 counts plans by their length, Figure 5 what commands say and worlds hold. One dataset is shown in numbers of
examples; several, or one beside the published numbers, in shares, since they differ in size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from deixis.report._markup import number, percent
from deixis.report._palette import dataset_roles, pattern_role, pattern_words
from deixis.report.chart import NARROW, WIDE, Axis, Chart, Figure, LegendEntry, make_series
from deixis.worlds.grid import roles
from deixis.worlds.grid.actions import MANNERS, VERBS
from deixis.worlds.grid.commands import SPATIAL
from deixis.worlds.grid.data.statistics import COMPASS, LENGTH_BINS, length_bin
from deixis.worlds.grid.scene import COLORS, GRID, SHAPES, SIZES, Facing


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis.worlds.grid._paper.published import PublishedStatistics
    from deixis.worlds.grid.data.statistics import Key, Statistics


KINDS = ("relation, all clauses", *(kind for kind in roles.KINDS if roles.Role(kind).is_distractor))
ALWAYS = ("relation, all clauses", "relation", "attribute", "isomorphism", "random")  # those of the paper
BROKEN = {"relation, all clauses": "relation,\nall clauses", "isomorphism": "isomor-\nphism"}
SHORT = {"over 50": ">50"}
NOT_RECORDED = "not recorded"


@dataclass(frozen=True, kw_only=True)
class CountedDataset:
    """A dataset as the figures show it: under a name, with the kind of source it was counted from."""

    name: str
    kind: str
    statistics: Statistics


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One panel of Figure 5: which counts it shows under which labels.

    Attributes:
        name: as in the table of published numbers.
        title: what is counted.
        field: the field of the statistics.
        keys: for each label the key of its count.
        empty: what to say where nothing was counted.
        rare: labels that are left out where nothing of theirs was counted.
    """

    name: str
    title: str
    field: str
    keys: Mapping[str, Key]
    empty: str = "none"
    rare: frozenset[str] = frozenset()

    def narrow(self, statistics: Iterable[Statistics]) -> Panel:
        """Return the panel with the labels that are to be shown for some counts together."""
        found = {key for one in statistics for key, count in getattr(one, self.field).items() if count}
        keys = {label: key for label, key in self.keys.items() if label not in self.rare or key in found}
        return replace(self, keys=keys, rare=frozenset())

    def counts(self, statistics: Statistics) -> tuple[int, ...]:
        """Return the count of every label."""
        found: Mapping[Key, int] = getattr(statistics, self.field)
        return tuple(found.get(key, 0) for key in self.keys.values())


def _initials(name: str) -> str:
    return "".join(word[0].upper() for word in name.split("-"))


def _values(attribute: str, values: Sequence[str]) -> dict[str, Key]:
    return {value: (attribute, value) for value in values}


def _relation_label(name: str) -> str:
    return name.removeprefix("same ").replace("color", "colour").removesuffix(" of")


PANELS = (
    Panel(name="command-colors", title="Colours in commands", field="said", keys=_values("color", COLORS)),
    Panel(name="world-colors", title="Colours in worlds", field="shown", keys=_values("color", COLORS)),
    Panel(name="command-sizes", title="Sizes in commands", field="said", keys=_values("size", ("small", "big"))),
    Panel(name="world-sizes", title="Sizes in worlds", field="shown", keys=_values("size", SIZES)),
    Panel(name="command-shapes", title="Shapes in commands", field="said", keys=_values("shape", SHAPES)),
    Panel(name="world-shapes", title="Shapes in worlds", field="shown", keys=_values("shape", SHAPES)),
    Panel(
        name="facing",
        title="Agent faces",
        field="facings",
        keys={facing.name[0]: (int(facing),) for facing in Facing},
        empty=NOT_RECORDED,
    ),
    Panel(
        name="directions",
        title="From agent to target",
        field="directions",
        keys={_initials(name): (name,) for name in COMPASS[:-1]},
        empty=NOT_RECORDED,
    ),
    Panel(
        name="relations",
        title="Relations in commands",
        field="said",
        keys={_relation_label(one.name): ("relation", one.name) for one in GRID.relations},
        rare=frozenset(_relation_label(name) for name in SPATIAL),
    ),
    Panel(name="verbs", title="Verbs", field="verbs", keys={str(verb): (str(verb),) for verb in VERBS}),
    Panel(
        name="manners",
        title="Adverbs",
        field="manners",
        keys={str(manner).removeprefix("while ") or "none": (str(manner),) for manner in (*MANNERS[1:], MANNERS[0])},
    ),
)
ROWS = (4, 4, 3)  # how many of the panels stand in each row below the distractors


def panels_of(counted: Sequence[CountedDataset]) -> tuple[Panel, ...]:
    """Return the panels with the labels that some datasets need."""
    return tuple(panel.narrow([one.statistics for one in counted]) for panel in PANELS)


def figure4(counted: Sequence[CountedDataset], *, beside: PublishedStatistics | None = None) -> Figure:
    """Draw the lengths of plans by pattern, with one panel per dataset.

    Args:
        counted: the datasets.
        beside: published numbers to outline.
    """
    in_shares = len(counted) > 1 or beside is not None
    drawn = [_lengths(one, in_shares=in_shares, beside=beside, is_alone=len(counted) == 1) for one in counted]
    said = " ".join(f"{one.name}: {_said_lengths(one.statistics)}." for one in counted)
    return Figure(
        name="figure4",
        title="Lengths of plans by pattern",
        caption=said,
        rows=_in_rows(drawn, 3),
        width=NARROW if len(counted) == 1 else WIDE,
        legend=_pattern_legend(counted),
    )


def figure5(counted: Sequence[CountedDataset], *, beside: PublishedStatistics | None = None) -> Figure:
    """Draw the content of commands and worlds: distractors by pattern, then a panel for everything that is counted.

    Args:
        counted: the datasets.
        beside: published numbers to outline.
    """
    in_shares = len(counted) > 1 or beside is not None
    panels = iter([_panel(panel, counted, in_shares=in_shares, beside=beside) for panel in panels_of(counted)])
    drawn = [_distractors(one, beside=beside, is_alone=len(counted) == 1) for one in counted]
    said = " ".join(f"{one.name}: {'; '.join(_said_panels(one.statistics))}." for one in counted)
    return Figure(
        name="figure5",
        title="What commands say and worlds hold",
        caption=said,
        rows=(*_in_rows(drawn, 2), *(tuple(next(panels) for _ in range(many)) for many in ROWS)),
        width=WIDE,
        legend=(*_pattern_legend(counted), *_dataset_legend(counted)),
    )


def lengths_by_bin(statistics: Statistics) -> dict[str, dict[str, int]]:
    """Return for each pattern the number of plans in every bin of Figure 4, or nothing without recorded plans."""
    if not any(length for _, length in statistics.lengths):
        return {}
    binned: Counter[Key] = Counter()
    for (pattern, length), count in statistics.lengths.items():
        binned[pattern, length_bin(length)] += count
    return {pattern: {label: binned[pattern, label] for label in LENGTH_BINS} for pattern in statistics.patterns}


def distractor_worlds(statistics: Statistics) -> dict[str, dict[str, int]]:
    """Count for each pattern the worlds with distractors of a kind, without patterns that record no roles."""
    found = {}
    for pattern, worlds in statistics.with_roles.items():
        if worlds:
            kinds = {kind: statistics.with_kind.get((pattern, kind), 0) for kind in KINDS[1:]}
            found[pattern] = {KINDS[0]: statistics.with_all_relations.get((pattern,), 0), **kinds}
    return found


def distractor_kinds(counted: Iterable[CountedDataset]) -> tuple[str, ...]:
    """Return the kinds of distractors to show: those of the paper, and others that some world has."""
    found = {
        kind
        for one in counted
        for worlds in distractor_worlds(one.statistics).values()
        for kind, count in worlds.items()
        if count
    }
    return tuple(kind for kind in KINDS if kind in ALWAYS or kind in found)


def published_set(counted: CountedDataset, pattern: str) -> str:
    """Return the published set that a pattern of a dataset is compared with."""
    if counted.kind == "gscan":
        return "gscan"
    objects = {kind: counted.statistics.of_kind.get((pattern, kind), 0) for kind in ("random", "relation", "attribute")}
    if pattern == "p3" and objects["random"] and not (objects["relation"] or objects["attribute"]):
        return "p3-random"
    return pattern


def _lengths(one: CountedDataset, *, in_shares: bool, beside: PublishedStatistics | None, is_alone: bool) -> Chart:
    counts = {pattern: tuple(bins.values()) for pattern, bins in lengths_by_bin(one.statistics).items()}
    outlines = {}
    for pattern in counts:
        numbers = beside.lengths.get(published_set(one, pattern)) if beside else None
        if numbers:
            outlines[pattern] = tuple(value / sum(numbers) for value in numbers)
    return Chart(
        name="lengths",
        title="" if is_alone else one.name,
        marks="columns",
        labels=tuple(SHORT.get(label, label) for label in LENGTH_BINS),
        series=make_series(
            {pattern: _shares(values) if in_shares else tuple(values) for pattern, values in counts.items()},
            colors="patterns",
            outlines=outlines,
        ),
        axis=Axis(
            label="share of the pattern's plans" if in_shares else "examples", unit="share" if in_shares else "count"
        ),
        below=Axis(label="actions of the plan", unit="count"),
        empty="plans are not recorded",
    )


def _distractors(one: CountedDataset, *, beside: PublishedStatistics | None, is_alone: bool) -> Chart:
    worlds = one.statistics.with_roles
    known = distractor_worlds(one.statistics)
    shares = {p: {kind: count / worlds[p] for kind, count in kinds.items()} for p, kinds in known.items()}
    kinds = distractor_kinds([one])
    outlines: dict[str, tuple[float | None, ...]] = {}
    for pattern in shares:
        if beside and published_set(one, pattern) in beside.distractors:
            outlines[pattern] = tuple(beside.distractors[pattern].get(kind) for kind in kinds)
    return Chart(
        name="distractors",
        title="Worlds with distractors of each kind" if is_alone else f"Distractors: {one.name}" if known else one.name,
        marks="columns",
        labels=tuple(BROKEN.get(kind, kind) for kind in kinds),
        series=make_series(
            {pattern: tuple(found[kind] for kind in kinds) for pattern, found in shares.items()},
            colors="patterns",
            outlines=outlines,
        ),
        axis=Axis(label="share of the worlds"),
        empty=f"distractors\n{NOT_RECORDED}",
    )


def _panel(
    panel: Panel, counted: Sequence[CountedDataset], *, in_shares: bool, beside: PublishedStatistics | None
) -> Chart:
    counts = {one.name: panel.counts(one.statistics) for one in counted}
    return Chart(
        name=panel.name,
        title=panel.title,
        marks="columns",
        labels=tuple(panel.keys),
        series=make_series(
            {name: _shares(values) if in_shares else tuple(values) for name, values in counts.items()},
            colors="datasets",
        ),
        axis=Axis(label="", unit="share" if in_shares else "count"),
        published=tuple(beside.shares[panel.name].get(label) for label in panel.keys) if beside else (),
        empty=panel.empty,
    )


def _pattern_legend(counted: Sequence[CountedDataset]) -> tuple[LegendEntry, ...]:
    whole: Any = counted[0].statistics
    for one in counted[1:]:
        whole = whole.merge(one.statistics)
    return tuple(LegendEntry(pattern_words(name), pattern_role(name)) for name in whole.patterns)


def _dataset_legend(counted: Sequence[CountedDataset]) -> tuple[LegendEntry, ...]:
    names = [one.name for one in counted] if len(counted) > 1 else []
    return tuple(LegendEntry(name, role) for name, role in zip(names, dataset_roles(names), strict=True))


def _in_rows(drawn: Sequence[Chart], most: int) -> tuple[tuple[Chart, ...], ...]:
    """The charts in rows of so many at most; those that are empty take little room."""
    rows: list[list[Chart]] = [[]]
    for chart in drawn:
        if not chart.is_empty and sum(not other.is_empty for other in rows[-1]) == most:
            rows.append([])
        rows[-1].append(chart)
    return tuple(map(tuple, rows))


def _shares(counts: Sequence[float]) -> tuple[float, ...]:
    total = sum(counts) or 1
    return tuple(count / total for count in counts)


def _said_lengths(statistics: Statistics) -> str:
    found = lengths_by_bin(statistics)
    if not found:
        return "plans are not recorded"
    return "; ".join(
        f"{pattern_words(pattern)}, " + ", ".join(f"{number(count)} of {label}" for label, count in bins.items())
        for pattern, bins in found.items()
    )


def _said_panels(statistics: Statistics) -> Iterator[str]:
    for panel in (one.narrow([statistics]) for one in PANELS):
        counts = panel.counts(statistics)
        shares = zip(panel.keys, _shares(counts), strict=True)
        said = ", ".join(f"{label} {percent(share)}" for label, share in shares) if any(counts) else panel.empty
        yield f"{panel.title.lower()}: {said}"
