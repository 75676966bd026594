"""Groups of runs that differ in their seeds only, named by what sets them apart from most of their kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Generic, TypeVar

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    Traits = Mapping[str, object]


T = TypeVar("T")
OFF = (None, "false", "null", "", "[]", "{}")  # settings that are as if they were not made


@dataclass(frozen=True, kw_only=True)
class Group(Generic[T]):
    """Runs of one model that differ in their seeds only.

    Attributes:
        key: the model, as tables name it.
        title: the model, for people.
        differs: in what these runs differ from most of the model; empty for these most.
        runs: in the order of their seeds.
    """

    key: str
    title: str
    differs: tuple[str, ...] = ()
    runs: tuple[T, ...]

    @property
    def label(self) -> str:
        """The title, with what sets the group apart."""
        return ", ".join((self.title, *self.differs))


def group_runs(  # noqa: PLR0913 (what tells runs apart is said by each world)
    runs: Iterable[T],
    *,
    kind: Callable[[T], tuple[str, str]],
    traits: Callable[[T], Traits],
    order: Callable[[T], tuple[float, str]],
    has_settings: Callable[[T], bool] = lambda _: False,
    within: Callable[[T], Hashable] = lambda _: None,
    earlier: Traits | None = None,
    shared: Collection[str] = (),
    say: Callable[[str, object, Traits, Traits], str] | None = None,
) -> list[Group[T]]:
    """Put runs together that differ in their seeds only.

    What most runs of a model have in common is not mentioned; of equally many, those with the values of `earlier`
    count as most, then those with the fewest settings, then those given first. A run without settings is no example of
    how runs are made where others tell theirs.

    Args:
        runs: in any order.
        kind: the key and the title of the model of a run.
        traits: how a run was made and judged, without its seed.
        order: sorts the runs of a group, by seed and folder.
        has_settings: whether all settings of a run are among its traits, so that one which is not there was not made: a
            size that only one of two runs has sets them apart. A run of which less is known does not differ in that.
        within: runs are compared with those of the same model that have this in common.
        earlier: the values that traits had before there was a setting for them.
        shared: traits that runs of all models should have in common.
        say: a trait in words, from its name, its value, and the traits of the run and of most; "" to leave it out.
    """
    say = say or (lambda name, value, *_: say_trait(name, value))
    families: dict[tuple[tuple[str, str], Hashable], list[T]] = {}
    everything = list(runs)
    for run in everything:
        families.setdefault((kind(run), within(run)), []).append(run)
    common = {name: Counter(map(str, _values(everything, traits, name))).most_common(1) for name in shared}
    found: dict[tuple[str, str, tuple[str, ...]], list[T]] = {}
    for ((key, title), _), family in families.items():
        known = [traits(run) for run in family]
        are_set = [has_settings(run) for run in family]
        usual = dict(_usual(list(compress(known, are_set)) or known, earlier or {}))
        usual |= {name: counted[0][0] for name, counted in common.items() if counted}
        for run, own, is_set in zip(family, known, are_set, strict=True):
            differences = _differences(own, usual, earlier or {}, is_whole=is_set)
            words = [say(name, value, own, usual) for name, value in differences]
            found.setdefault((key, title, tuple(filter(None, words))), []).append(run)
    return [
        Group(key=key, title=title, differs=differs, runs=tuple(sorted(some, key=order)))
        for (key, title, differs), some in found.items()
    ]


def _differences(own: Traits, usual: Traits, earlier: Traits, *, is_whole: bool) -> Iterator[tuple[str, object]]:
    """Yield the traits in which a run differs from most, with its values.

    A setting that was not made has the value None. Where all settings of a run are known, one that was not made has its
    earlier value, or is off.
    """
    for name in dict.fromkeys((*own, *usual)) if is_whole else own:
        if is_whole:
            ours, theirs = (traits.get(name, earlier.get(name)) for traits in (own, usual))
        else:
            ours, theirs = own[name], usual.get(name, own[name])
        if ours != theirs and not (ours in OFF and theirs in OFF):
            yield name, ours


def _values(runs: Sequence[T], traits: Callable[[T], Traits], name: str) -> list[object]:
    return [found[name] for run in runs if name in (found := traits(run))]


def _usual(family: Sequence[Traits], earlier: Traits) -> Traits:
    """The traits that most of a family have in common."""
    counts: Counter[tuple[tuple[str, object], ...]] = Counter(tuple(one.items()) for one in family)

    def weight(items: tuple[tuple[str, object], ...]) -> tuple[int, int, int]:
        return counts[items], -sum(earlier.get(name, value) != value for name, value in items), -len(items)

    most = max(counts, key=weight)
    return dict(most)


def say_trait(name: str, value: object) -> str:
    """Name a trait and its value.

    None stands for a setting that was not made.
    """
    return f"{name} by default" if value is None else f"{name} {value}"


def say_seeds(seeds: Iterable[object]) -> str:
    """Name one seed ("seed 1") or several ("2 seeds: 1, 2"), and return nothing for none."""
    known = [str(seed) for seed in seeds]
    if len(known) < 2:
        return f"seed {known[0]}" if known else ""
    return f"{len(known)} seeds: {', '.join(known)}"


def demand_different_seeds(
    label: str, runs: Sequence[T], *, seed: Callable[[T], tuple[object, ...]], folder: Callable[[T], str]
) -> None:
    """Raise `RecipeError` where two runs of a group have one seed.

    Args:
        label: of the group.
        runs: of the group.
        seed: the seed of a run, and whatever else tells runs of one seed apart.
        folder: the name of a run.
    """
    seen: dict[tuple[object, ...], str] = {}
    for run in runs:
        if (known := seen.get(seed(run))) is not None:
            raise RecipeError(
                f"{known} and {folder(run)} are both {label} with seed {seed(run)[0]}; give each run once"
            )
        seen[seed(run)] = folder(run)
