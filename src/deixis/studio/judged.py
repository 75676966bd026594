"""Results of models in the run folders of a library, in one form for all three worlds.

| world | left by | a part is | an example is right when |
|---|---|---|---|
| grid | `deixis train`, `deixis evaluate --out` | a split | its plan is, by the measure that is looked at |
| copsref | `deixis evaluate --out` | a setting | the object that was chosen is the target |
| a3ds | `deixis score --out` | a test set | its caption has the most that a measure gives |

What is read was written by anybody: whatever does not fit is a `BrokenDataset` with one line that says why.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.datasets.asked import data_digest
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.metrics.navigation import PlanEvaluation
from deixis.metrics.uncertainty import Estimate
from deixis.studio.training import Training, find_training


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from deixis.metrics.navigation import Score
    from deixis.studio.library import Entry, Library


__all__ = ["MEASURES", "Broken", "Judged", "World", "dataset_of", "find_judged", "read_json", "read_judged"]

World: TypeAlias = Literal["grid", "copsref", "a3ds"]
EVALUATION, SCORES = "evaluation.json", "scores.json"
LARGEST = 64 << 20  # bytes of a JSON file
FILES = (EVALUATION, SCORES, "run.json", "log.jsonl")
ROOMS = "3D Shapes"
ABSENT = "not there"
MEASURES: Mapping[World, Mapping[str, str]] = {
    "grid": {"exact": "exact match", "got_there": "got there", "right_target": "right target"},
    "copsref": {"right": "right object"},
    "a3ds": {
        "discriminativity": "tells the target apart",
        "contrastive_efficiency": "with few words",
        "relevance": "without idle words",
        "optimal_discriminativity": "as short as can be",
    },
}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One model and how well it does.

    Attributes:
        key: its name in addresses.
        entry: the folder that it lies in.
        world: what it was asked about.
        model: what it is called.
        data: the name of the dataset that it was asked about.
        digest: of that dataset's content; empty where it is not recorded.
        scores: by part (split, setting or set) and measure.
        outcomes: by part, how often what came of it.
        roles: by part, why the wrong objects that it chose are there, or where they lie.
        missed: by part, what is missed by whoever chooses them; several reasons share one choice.
        groups: by grouping (pattern, verb …), part and name the scores.
        training: how it was trained, if it says so.
        rows: the file with the verdict on every example, if there is one.
        remarks: what else should be known.
    """

    key: str
    entry: Entry
    world: World
    model: str
    data: str
    digest: str = ""
    scores: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    outcomes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    missed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Estimate]]]] = field(default_factory=dict)
    training: Training | None = None
    rows: Path | None = None
    remarks: tuple[str, ...] = ()

    @property
    def measures(self) -> Mapping[str, str]:
        """The measures of its world, with their names for people."""
        return MEASURES[self.world]

    @property
    def subject(self) -> tuple[str, str]:
        """What it was asked: models with the same subject can be compared."""
        return self.world, self.digest or self.data


@dataclass(frozen=True)
class Broken:
    """A run folder that cannot be read, and why."""

    entry: Entry
    error: str


def read_judged(library: Library) -> tuple[list[Judged], list[Broken]]:
    """All results of a library, and what could not be read."""
    found: list[Judged] = []
    broken: list[Broken] = []
    for entry in library.of_kind("run"):
        try:
            found += _judged_in(entry)
        except (DeixisError, OSError) as error:
            broken.append(Broken(entry, _in_one_line(error)))
    return found, broken


def find_judged(library: Library, key: str) -> Judged:
    """The results with a key.

    Raises:
        UnknownName: when there are none.
        BrokenDataset: when their folder cannot be read.
    """
    entry = library.find(key.partition(".")[0], "run")
    for one in _judged_in(entry):
        if one.key == key:
            return one
    raise UnknownName(f"there are no results called {key!r} here")


def dataset_of(library: Library, judged: Judged) -> Entry | None:
    """The dataset that a model was asked about, if it is in the library.

    Grids are known by the digest of their content, photographs by the name of their folder; 3D Shapes are the same in
    every dataset.
    """
    for entry in library.of_kind(judged.world):
        if entry.error:
            continue
        match judged.world:
            case "grid":
                is_it = bool(judged.digest) and data_digest(entry.data) == judged.digest
            case "copsref":
                is_it = entry.path.name == judged.data
            case _:
                is_it = True
        if is_it:
            return entry
    return None


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        BrokenDataset: when it is none, or very large.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST else None
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"{path.name} cannot be read: {_in_one_line(error)}") from error
    if text is None:
        raise BrokenDataset(f"{path.name} has more than {LARGEST >> 20} MB")
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path.name} is no JSON: {_in_one_line(error)}") from error


# -------------------------------------------------------------------------------- folders


def _judged_in(entry: Entry) -> tuple[Judged, ...]:
    """Everything in a run folder; read again when one of its files has changed."""
    if entry.error:
        raise BrokenDataset(entry.error)
    return _read_folder(entry, tuple(_stamp(entry.path / name) for name in FILES))


@lru_cache(maxsize=128)
def _read_folder(entry: Entry, stamps: tuple[object, ...]) -> tuple[Judged, ...]:
    del stamps
    training = find_training(entry.path)
    found: list[Judged] = []
    if (entry.path / EVALUATION).is_file():
        values = read_json(entry.path / EVALUATION)
        is_plans = not (isinstance(values, dict) and "settings" in values)
        found.append(_plans(entry, values, training) if is_plans else _answers(entry, values))
    elif training is not None:
        found.append(
            Judged(
                key=entry.slug,
                entry=entry,
                world="grid",
                model=training.model or entry.title,
                data=training.data,
                digest=training.digest,
                training=training,
            )
        )
    if (entry.path / SCORES).is_file():
        found += _captions(entry, read_json(entry.path / SCORES), first=len(found))
    if not found:
        raise BrokenDataset(f"{entry.title} holds neither results nor a training")
    return tuple(found)


def _plans(entry: Entry, values: Any, training: Training | None) -> Judged:
    evaluation = PlanEvaluation.from_dict(values)
    verdicts = entry.path / "verdicts.parquet"
    try:
        splits = evaluation.splits
        return Judged(
            key=entry.slug,
            entry=entry,
            world="grid",
            model=evaluation.model or (training.model if training else "") or entry.title,
            data=evaluation.data,
            digest=evaluation.digest,
            scores={split: _shares(found.score) for split, found in splits.items()},
            outcomes={split: _counts(found.choices) for split, found in splits.items()},
            roles={split: _counts(found.roles) for split, found in splits.items()},
            missed={split: _counts(found.missed) for split, found in splits.items()},
            groups={
                what: {
                    split: {str(name): _shares(score) for name, score in found.by[what].items()}
                    for split, found in splits.items()
                }
                for what in dict.fromkeys(what for found in splits.values() for what in found.by)
            },
            training=training,
            rows=verdicts if verdicts.is_file() else None,
            remarks=tuple(_remarks(evaluation.strange, "plans ")) + tuple(_remarks(evaluation.faults)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{EVALUATION} is not as `deixis evaluate` writes it: {_in_one_line(error)}") from error


def _answers(entry: Entry, values: Any) -> Judged:
    """The results on expressions about photographs."""
    verdicts = entry.path / "verdicts.jsonl"
    try:
        settings = {str(name): found for name, found in values["settings"].items()}
        absent = {f"{name}, {ABSENT}": found for name, found in values.get(ABSENT, {}).items()}
        return Judged(
            key=entry.slug,
            entry=entry,
            world="copsref",
            model=str(values.get("predictions") or entry.title),
            data=str(values.get("data", "")),
            scores={name: {"right": _estimate(found["accuracy"])} for name, found in (settings | absent).items()},
            outcomes={name: _counts(found["outcomes"]) for name, found in settings.items()},
            roles={name: _counts(found["wrong choices by place"]) for name, found in settings.items()},
            missed={name: _counts(found["wrong choices by what was missed"]) for name, found in settings.items()},
            groups={
                what: {
                    name: {str(part): {"right": _estimate(share)} for part, share in found[f"by {what}"].items()}
                    for name, found in settings.items()
                }
                for what in ("form", "length", "candidates")
            },
            rows=verdicts if verdicts.is_file() else None,
            remarks=tuple(_remarks(values.get("strange answers", {}), "answers "))
            + tuple(_remarks(values.get("faults", {}))),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{EVALUATION} is not as `deixis evaluate` writes it: {_in_one_line(error)}") from error


def _captions(entry: Entry, values: Any, *, first: int) -> Iterator[Judged]:
    """The results of every file of captions that was scored together; rows are kept of files, not of our speakers."""
    try:
        for number, (name, found) in enumerate(values["scores"].items()):
            several = entry.path / f"rows-{number + 1}.csv"
            rows = several if several.is_file() else entry.path / "rows.csv" if number == 0 else None
            yield Judged(
                key=entry.slug if first + number == 0 else f"{entry.slug}.{first + number}",
                entry=entry,
                world="a3ds",
                model=str(name),
                data=ROOMS,
                scores={
                    str(part): {metric: _estimate(table[metric]) for metric in MEASURES["a3ds"]}
                    for part, table in found["sets"].items()
                },
                rows=rows if rows is not None and rows.is_file() else None,
            )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{SCORES} is not as `deixis score` writes it: {_in_one_line(error)}") from error


# -------------------------------------------------------------------------------- values


def _shares(score: Score) -> dict[str, Estimate]:
    return {measure: score.estimate(measure) for measure in MEASURES["grid"]}


def _estimate(values: Mapping[str, Any]) -> Estimate:
    mean, low, high = (math.nan if values[key] is None else float(values[key]) for key in ("mean", "low", "high"))
    return Estimate(mean, low, high, int(values["rows"]))


def _counts(values: Mapping[Any, Any]) -> dict[str, float]:
    counts = {str(name): float(count) for name, count in values.items()}
    if not all(0 <= count < math.inf for count in counts.values()):
        raise ValueError("a count is at least 0")
    return counts


def _remarks(counts: Mapping[str, Any], what: str = "") -> Iterator[str]:
    for name, count in counts.items():
        yield f"{int(count):,} × {what}{name}"


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _in_one_line(error: BaseException) -> str:
    said = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else str(error)
    return (said.splitlines() or [type(error).__name__])[0][:300]
