"""Groups of runs that differ in their seeds only, named by what sets them apart from most of their kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    Traits = Mapping[str, object]


T = TypeVar("T")


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
    within: Callable[[T], Hashable] = lambda _: None,
    earlier: Traits | None = None,
    shared: Collection[str] = (),
    say: Callable[[str, object, Traits, Traits], str] | None = None,
) -> list[Group[T]]:
    """Put runs together that differ in their seeds only.

    What most runs of a model have in common is not mentioned; of equally many, those with the values of `earlier`
    count as most, then those given first.

    Args:
        runs: in any order.
        kind: the key and the title of the model of a run.
        traits: how a run was made and judged, without its seed.
        order: sorts the runs of a group, by seed and folder.
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
        usual = dict(_usual([traits(run) for run in family], earlier or {}))
        usual |= {name: counted[0][0] for name, counted in common.items() if counted}
        for run in family:
            own = traits(run)
            words = [say(name, value, own, usual) for name, value in own.items() if value != usual.get(name, value)]
            found.setdefault((key, title, tuple(filter(None, words))), []).append(run)
    return [
        Group(key=key, title=title, differs=differs, runs=tuple(sorted(some, key=order)))
        for (key, title, differs), some in found.items()
    ]


def _values(runs: Sequence[T], traits: Callable[[T], Traits], name: str) -> list[object]:
    return [found[name] for run in runs if name in (found := traits(run))]


def _usual(family: Sequence[Traits], earlier: Traits) -> Traits:
    """The traits that most of a family have in common."""
    counts: Counter[tuple[tuple[str, object], ...]] = Counter(tuple(one.items()) for one in family)

    def weight(items: tuple[tuple[str, object], ...]) -> tuple[int, int]:
        return counts[items], sum(earlier.get(name, value) == value for name, value in items)

    most = max(counts, key=weight)
    return dict(most)


def say_trait(name: str, value: object) -> str:
    """Name a trait and its value."""
    return f"{name} {value}"


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
