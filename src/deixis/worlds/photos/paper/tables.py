"""Tables 3 and 4 of the Cops-Ref paper for models of ours: every cell with its published figure beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError
from deixis.report.cells import NOTHING
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.paper.models import CHANCE, published_results
from deixis.worlds.photos.paper.runs import Share, row_of


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.worlds.photos.paper.models import KnownTable
    from deixis.worlds.photos.paper.runs import Result, Trial


__all__ = [
    "Group",
    "Measure",
    "Results",
    "Row",
    "Table",
    "compare_trials",
    "measure",
    "parts_of",
    "say",
]

# Settings that say where or for how long a run was made, not how: runs that differ in these only are of one row.
APART = {"seed", "eval_every", "eval_examples", "log_every", "save_every", "record"}
EARLIER = {"anywhere": "0.0", "precision": "fp32"}  # of runs that were made before there was such a setting
GOES_ON, TRAINED_ON = "begins with a checkpoint", "trained on"
SHARED = ("features", "grid", "noise")  # what all models should have in common, so that they can be compared
BETWEEN = 3.92  # standard errors between the ends of an interval of 95 %


class Measure(NamedTuple):
    """A share over one or several seeds, in percent.

    Attributes:
        mean: over the seeds.
        deviation: the sample standard deviation over the seeds, None where there is one.
        low, high: the 95 % interval of the only seed, by its examples; of several the mean of their ends.
        seeds: how many; examples: how many each was judged on.
    """

    mean: float
    deviation: float | None
    low: float
    high: float
    seeds: int
    examples: int

    @property
    def error(self) -> float:
        """The standard error of the mean: what chance in the examples and in the seeds leaves open, the larger."""
        of_seeds = 0.0 if self.deviation is None else self.deviation / sqrt(self.seeds)
        return max((self.high - self.low) / BETWEEN, of_seeds)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs that differ in their seeds only.

    Attributes:
        key: the row that they belong to. title: what it is called. varies: in what they differ from most of its runs.
        trials: by seed.
    """

    key: str
    title: str
    varies: str = ""
    trials: tuple[Trial, ...]

    @property
    def label(self) -> str:
        """The title, with what sets it apart."""
        return f"{self.title}, {self.varies}" if self.varies else self.title

    def accuracy(self, setting: str) -> Measure | None:
        """The share of right answers in a setting."""
        return self.part(lambda result: result.accuracy, setting)

    def part(self, which: Callable[[Result], Share | None], setting: str = "Full") -> Measure | None:
        """The share of something in a setting."""
        found = [which(trial.results[setting]) for trial in self.trials if setting in trial.results]
        return measure([share for share in found if share is not None])


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a table: ours, where there is any, beside what is published."""

    key: str
    title: str
    cells: Mapping[str, Measure] = field(default_factory=dict)
    published: Mapping[str, float] = field(default_factory=dict)
    seeds: int = 0
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Table:
    """One of the two tables."""

    key: str
    title: str
    settings: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Results:
    """All there is to report.

    Attributes:
        groups: of runs, in the order of the tables.
        tables: Tables 3 and 4.
        retrievers: runs that find images only.
        reasons: sentences about statements, by their keys.
    """

    groups: tuple[Group, ...]
    tables: tuple[Table, ...]
    retrievers: tuple[Trial, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All runs."""
        return (*(trial for group in self.groups for trial in group.trials), *self.retrievers)

    def group(self, key: str) -> Group | None:
        """The runs of a row that are like most of it."""
        return next((group for group in self.groups if group.key == key and not group.varies), None)


def measure(shares: Sequence[Share]) -> Measure | None:
    """Shares of several seeds together; None where there are none."""
    if not shares:
        return None
    mean, low, high = (100 * fmean(values) for values in list(zip(*shares, strict=True))[:3])
    spread = stdev([100 * share.mean for share in shares]) if len(shares) > 1 else None
    return Measure(mean, spread, low, high, len(shares), min(share.examples for share in shares))


def say(found: Measure | None) -> str:
    """A measure in a few letters: with the deviation over seeds, or with its interval where there is one seed."""
    if found is None:
        return NOTHING
    if found.deviation is not None:
        return f"{found.mean:.1f} ± {found.deviation:.1f}"
    return f"{found.mean:.1f} [{found.low:.1f}–{found.high:.1f}]" if found.high > found.low else f"{found.mean:.1f}"


def parts_of(group: Group, by: str, setting: str = "Full") -> dict[str, Measure]:
    """The accuracy by `forms` or by `lengths`."""
    names: dict[str, None] = {}
    for trial in group.trials:
        names.update(dict.fromkeys(getattr(trial.results.get(setting), by, ())))
    found = {name: group.part(lambda result, name=name: getattr(result, by).get(name), setting) for name in names}  # type: ignore[misc]
    return {name: one for name, one in found.items() if one is not None}


def compare_trials(trials: Sequence[Trial], *, reasons: Mapping[tuple[str, str, str], str] | None = None) -> Results:
    """Put runs into Tables 3 and 4 beside what is published.

    Runs of one model that differ only in their seeds are one row; other settings that differ make a row of their own.

    Args:
        trials: in any order.
        reasons: sentences by table, row and setting; and by `claims`, the key of a statement, and `why`.

    Raises:
        RecipeError: when none of the runs was judged, or two of one row have the same seed.
    """
    judged = [trial for trial in trials if trial.results]
    if not judged:
        raise RecipeError("none of these runs was judged; name the folders that deixis evaluate wrote to with --out")
    given = dict(reasons or {})
    groups = _groups(judged)
    tables = tuple(_table(known, groups, given) for known in published_results().tables)
    return Results(
        groups=groups,
        tables=tables,
        retrievers=tuple(trial for trial in trials if not trial.results),
        reasons={row: sentence for (table, row, _), sentence in given.items() if table == "claims"},
    )


# -------------------------------------------------------------------------------------------------------------- groups


def _groups(trials: Sequence[Trial]) -> tuple[Group, ...]:
    order = list(dict.fromkeys(row.key for table in published_results().tables for row in table.rows))
    families: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        families.setdefault(row_of(trial), []).append(trial)
    everywhere = _usual(trials)
    found: dict[tuple[str, str, str], list[Trial]] = {}
    for (key, title), family in families.items():
        usual = {**_usual(family), **{name: everywhere[name] for name in SHARED if name in everywhere}}
        known = next((row.title for row in published_results().tables[0].rows if row.key == key), title)
        for trial in family:
            differs = [f"{name} {value}" for name, value in _traits(trial).items() if value != usual.get(name, value)]
            found.setdefault((key, known, ", ".join(differs)), []).append(trial)
    groups = [
        Group(
            key=key, title=title, varies=varies, trials=tuple(sorted(some, key=lambda one: (one.seed or 0, one.folder)))
        )
        for (key, title, varies), some in found.items()
    ]
    for group in groups:
        _demand_seeds(group)
    groups = [_trained_on(group, groups) for group in groups]
    return tuple(sorted(groups, key=lambda one: (order.index(one.key) if one.key in order else len(order), one.varies)))


def _trained_on(group: Group, groups: Sequence[Group]) -> Group:
    """Runs that go on from others of their row differ in all that comes with it; one word says so, if it is clear."""
    going_on = [one for one in groups if one.key == group.key and GOES_ON in one.varies]
    return replace(group, varies=TRAINED_ON) if going_on == [group] else group


def _usual(trials: Sequence[Trial]) -> dict[str, str]:
    """The most frequent value of every trait; of those that are equally frequent the earlier one, or else the first."""
    traits = [_traits(trial) for trial in trials]
    names = dict.fromkeys(name for one in traits for name in one)
    found = {}
    for name in names:
        counts = Counter(one[name] for one in traits if name in one)
        found[name] = max(counts, key=lambda value: (counts[value], value == EARLIER.get(name)))
    return found


def _traits(trial: Trial) -> dict[str, str]:
    """How a run was made and judged."""
    known = {**(EARLIER if trial.settings else {}), **trial.plain}
    found = {name: value for name, value in known.items() if name not in (*APART, "model", "probe", "mining")}
    found["features"] = trial.features or found.get("features", "")
    if trial.trained_digest:
        found["trained on"] = f"{trial.trained_on} ({trial.trained_digest[:8]})"
    if trial.settings:
        found["steps"] = f"{trial.updates:,}"
        found["begins with"] = "a checkpoint" if trial.begins_with else "fresh weights"  # as GOES_ON has it
    return found | {"judged on": f"{trial.data}, {'+'.join(trial.splits)}"}


def _demand_seeds(group: Group) -> None:
    seen: dict[Any, Trial] = {}
    for trial in group.trials:
        if trial.seed in seen:
            raise RecipeError(
                f"{seen[trial.seed].folder} and {trial.folder} are both {group.label} with seed {trial.seed}; "
                "leave one of them out"
            )
        seen[trial.seed] = trial


# -------------------------------------------------------------------------------------------------------------- tables


def _table(known: KnownTable, groups: Sequence[Group], reasons: Mapping[tuple[str, str, str], str]) -> Table:
    rows = []
    for row in known.rows:
        own = [group for group in groups if group.key == row.key]
        notes = {name: reasons.get((known.key, row.key, name.lower()), "") for name in known.settings}
        if row.key == CHANCE:
            rows.append(Row(key=CHANCE, title=row.title, cells=_chance(groups), published=row.published))
            continue
        for group in own:
            title = f"{row.title}, {group.varies}" if group.varies else row.title
            kept = notes if not group.varies else {}
            rows.append(_row(group, title, known.settings, row.published, kept))
        if not own:
            rows.append(Row(key=row.key, title=row.title, published=row.published, notes=notes))
    if known.key == "table3":  # whatever has no row in either table stands below
        other = {row.key for table in published_results().tables for row in table.rows}
        rows += [_row(group, group.label, known.settings, {}, {}) for group in groups if group.key not in other]
    return Table(key=known.key, title=known.title, settings=known.settings, rows=tuple(rows))


def _row(
    group: Group, title: str, settings: Sequence[str], published: Mapping[str, float], notes: Mapping[str, str]
) -> Row:
    cells = {name: found for name in settings if (found := group.accuracy(name)) is not None}
    kept = {name: sentence for name, sentence in notes.items() if sentence}
    return Row(key=group.key, title=title, cells=cells, published=published, seeds=len(group.trials), notes=kept)


def _chance(groups: Sequence[Group]) -> dict[str, Measure]:
    """What guessing gives on the data that most runs were judged on."""
    trial = next((group for group in groups if not group.varies), groups[0]).trials[0]
    found: dict[str, Measure] = {}
    for name in SETTINGS:
        if name in trial.results:
            share = trial.results[name].chance
            one = measure([Share(share, share, share, trial.results[name].accuracy.examples)])
            assert one is not None
            found[name] = one
    return found
