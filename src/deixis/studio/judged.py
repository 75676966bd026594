"""Results of models in the run folders of a library, in one form for all worlds; and how they were trained.

The pages of a world read the files that hold its results (`WorldPages.read_results`). Results in the common form, which
`deixis.worlds.world.Pages` shows, are read here. Results name their world; those of older versions do not, and are
claimed by the world that wrote them.

People who play leave the same files. Whoever points has no plan, whoever picks has no caption: such answers have the
one measure that fits, and no others.

What is read was written by anybody: whatever does not fit is a `BrokenDataset` with one line that says why.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.judge.uncertainty import Estimate
from deixis.learn.run import rename_facts
from deixis.numbers import is_number
from deixis.report.runs import EVALUATION, LOG, RUN, Look, Step
from deixis.studio.library import SITTING
from deixis.studio.world_pages import all_pages, world_pages


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from deixis.studio.library import Entry, Library
    from deixis.studio.world_pages import ResultWords, WorldPages


__all__ = [
    "EVALUATION",
    "Broken",
    "Judged",
    "Training",
    "counts_in",
    "dataset_of",
    "estimate_in",
    "find_judged",
    "find_training",
    "in_one_line",
    "read_common",
    "read_json",
    "read_judged",
    "remarks_on",
    "task_of",
]

LARGEST = 64 << 20  # bytes of a file
MOST_COUNTED = 1 << 53  # of anything


@dataclass(frozen=True, kw_only=True)
class Training:
    """One training.

    Attributes:
        world: the name of the world that it is about; empty where it is not said.
        model: the name of the model; empty where it is not said.
        data: the name of the dataset that it learns from.
        digest: of that dataset's content.
        facts: what else is worth telling, as words.
        steps: the loss as it goes, in the order of updates.
        looks: the exact match on dev as it goes.
        best: the update whose weights are kept, if that is said.
    """

    world: str = ""
    model: str = ""
    data: str = ""
    digest: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    looks: tuple[Look, ...] = ()
    best: int | None = None


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One model and how well it does.

    Attributes:
        key: its name in addresses.
        entry: the folder that it lies in.
        world: the name of the world that it was asked about.
        model: what it is called.
        data: the name of the dataset that it was asked about.
        digest: of that dataset's content; empty where it is not recorded.
        scores: by part (split, setting or set) and measure.
        outcomes: by part, how often what came of it.
        roles: by part, why the wrong objects that it chose are there, or where they lie.
        missed: by part, what is missed by whoever chooses them; several reasons share one choice.
        groups: by grouping (pattern, verb …), part and name the scores.
        training: how it was trained, if it says so.
        task: what a person was asked to do; empty for models.
        rows: the file with the verdict on every example, if there is one.
        remarks: what else should be known.
    """

    key: str
    entry: Entry
    world: str
    model: str
    data: str
    digest: str = ""
    scores: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    outcomes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    missed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Estimate]]]] = field(default_factory=dict)
    training: Training | None = None
    task: str = ""
    rows: Path | None = None
    remarks: tuple[str, ...] = ()

    @property
    def measures(self) -> Mapping[str, str]:
        """The measures of its world that it has, with their names for people; all of them before it is judged."""
        found = {measure for scores in self.scores.values() for measure in scores}
        return {measure: name for measure, name in self.words.measures.items() if measure in found or not found}

    @property
    def words(self) -> ResultWords:
        """What the pages of results call things in its world."""
        return world_pages(self.world).results

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
    for entry in library.runs:
        try:
            found += _judged_in(entry)
        except (DeixisError, OSError) as error:
            broken.append(Broken(entry, in_one_line(error)))
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

    The pages of its world tell: by the digest of the content, or by the name.
    """
    known = (entry for entry in library.of_kind(judged.world) if not entry.error)
    return next((entry for entry in known if entry.pages.is_about(judged, entry)), None)


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        BrokenDataset: when it is none, or very large.
    """
    text = _text(path)
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path.name} is no JSON: {in_one_line(error)}") from error


# -------------------------------------------------------------------------------- folders


def _judged_in(entry: Entry) -> tuple[Judged, ...]:
    """Everything in a run folder; read again when one of its files has changed."""
    if entry.error:
        raise BrokenDataset(entry.error)
    files = dict.fromkeys((*(name for pages in all_pages() for name in pages.result_files), RUN, LOG, SITTING))
    return _read_folder(entry, tuple(_stamp(entry.path / name) for name in files))


@lru_cache(maxsize=128)
def _read_folder(entry: Entry, stamps: tuple[object, ...]) -> tuple[Judged, ...]:
    del stamps
    training = find_training(entry.path)
    found: list[Judged] = []
    for name in dict.fromkeys(name for pages in all_pages() for name in pages.result_files):
        if (entry.path / name).is_file():
            values = read_json(entry.path / name)
            found += _pages_of(values, name).read_results(entry, name, values, training)
    if training is not None and not (entry.path / EVALUATION).is_file():
        found.insert(0, _untested(entry, training))
    if not found:
        raise BrokenDataset(f"{entry.title} holds neither results nor a training")
    keys = (entry.slug, *(f"{entry.slug}.{number}" for number in range(1, len(found))))
    return tuple(replace(one, key=key) for one, key in zip(found, keys, strict=True))


def _pages_of(values: Any, file: str) -> WorldPages:
    """The pages of the world that results are of."""
    named = values.get("world") if isinstance(values, dict) else None
    if isinstance(named, str):
        return world_pages(named)
    about = values if isinstance(values, dict) else {}
    fitting = [pages for pages in all_pages() if file in pages.result_files and pages.claims(about, file)]
    if not fitting:
        raise BrokenDataset(f"{file} does not say which world its results are of")
    return fitting[0]


def _untested(entry: Entry, training: Training) -> Judged:
    """A model that was trained but not judged."""
    pages = world_pages(training.world) if training.world else _pages_of({}, EVALUATION)
    return Judged(
        key=entry.slug,
        entry=entry,
        world=pages.world.name,
        model=training.model or entry.title,
        data=training.data,
        digest=training.digest,
        training=training,
    )


def read_common(world: str, entry: Entry, values: Any, training: Training | None) -> Judged:
    """Results in the common form (`deixis.worlds.world.Pages`).

    Raises:
        BrokenDataset: when they are in another.
    """
    verdicts = entry.path / "verdicts.parquet"
    try:
        parts = {str(name): dict(found) for name, found in values["splits"].items()}
        return Judged(
            key=entry.slug,
            entry=entry,
            world=world,
            model=str(values.get("model") or _file_of(values) or (training.model if training else "") or entry.title),
            data=str(values.get("data") or ""),
            digest=str(values.get("digest") or ""),
            scores={
                part: {
                    name: estimate_in({"rows": found["examples"], **found[name]})
                    for name in world_pages(world).results.measures
                    if name in found
                }
                for part, found in parts.items()
            },
            outcomes={part: counts_in(found.get("outcomes") or {}) for part, found in parts.items()},
            missed={part: counts_in(found.get("misreadings") or {}) for part, found in parts.items()},
            training=training,
            task=task_of(entry),
            rows=verdicts if verdicts.is_file() else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{EVALUATION} is not as `deixis evaluate` writes it: {in_one_line(error)}") from error


def _file_of(values: Mapping[str, Any]) -> str:
    """The name of the file whose answers were judged, where no model is named."""
    told = values.get("predictions")
    return str(told.get("answers") or "") if isinstance(told, dict) else ""


# -------------------------------------------------------------------------------- values


def task_of(entry: Entry) -> str:
    """What a person was asked to do; empty where it was a model that was asked."""
    path = entry.path / SITTING
    values = read_json(path) if path.is_file() else {}
    return str(values.get("task", "")) if isinstance(values, dict) else ""


def estimate_in(values: Mapping[str, Any]) -> Estimate:
    """An estimate as files hold it; None stands for what is not a number."""
    mean, low, high = (math.nan if values[key] is None else float(values[key]) for key in ("mean", "low", "high"))
    return Estimate(mean, low, high, int(values["rows"]))


def counts_in(values: Mapping[Any, Any]) -> dict[str, float]:
    """Counts by name as files hold them; `ValueError` where one cannot be."""
    if not all(0 <= count <= MOST_COUNTED for count in values.values()):
        raise ValueError(f"a count lies between 0 and {MOST_COUNTED:,}")
    return {str(name): float(count) for name, count in values.items()}


def remarks_on(counts: Mapping[str, Any], what: str = "") -> Iterator[str]:
    """What should be known beside the scores, with counts."""
    for name, count in counts.items():
        yield f"{int(count):,} × {what}{name}"


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def in_one_line(error: BaseException) -> str:
    """What is wrong, for a message of one line."""
    said = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else str(error)
    return (said.splitlines() or [type(error).__name__])[0][:300]


# -------------------------------------------------------------------------------- trainings


def find_training(folder: Path) -> Training | None:
    """The training in a folder, None where there is none.

    Raises:
        BrokenDataset: when a file cannot be read as training writes it.
    """
    run, log = folder / RUN, folder / LOG
    if not run.is_file() and not log.is_file():
        return None
    facts = rename_facts(_object(_text(run), RUN)) if run.is_file() else {}
    losses: dict[int, float] = {}
    looks: dict[int, dict[str, float]] = {}
    for line in _lines(log) if log.is_file() else ():
        update = _number(line, "step")
        if is_number(line.get("loss")):  # a training may go astray
            losses[int(update)] = float(line["loss"])
        dev = line.get("dev")
        if isinstance(dev, dict) and "exact" in dev:
            looks[int(update)] = {"exact": _number(dev, "exact")}
    trained_on, selection = _inner(facts, "training"), _inner(facts, "selection")
    best = selection.get("best_step")
    return Training(
        world=str(facts.get("world") or ""),
        model=str(facts.get("model") or ""),
        data=str(trained_on.get("data") or ""),
        digest=str(trained_on.get("digest") or ""),
        facts=dict(_told(facts, trained_on, selection)),
        steps=tuple(Step(*entry) for entry in sorted(losses.items())),
        looks=tuple(Look(*entry) for entry in sorted(looks.items())),
        best=best if isinstance(best, int) else None,
    )


def _told(facts: Mapping[str, Any], trained_on: Mapping[str, Any], selection: Mapping[str, Any]) -> Iterator[Any]:
    """What is worth telling, with its name."""
    for name, value in (
        ("seed", facts.get("seed")),
        ("steps", facts.get("steps")),
        ("batch size", facts.get("batch_size")),
        ("examples to learn from", trained_on.get("examples")),
        ("parameters", facts.get("parameters")),
        ("best step", selection.get("best_step")),
        ("seconds", facts.get("seconds")),
        ("device", facts.get("device")),
        ("quirks", ", ".join(map(str, facts["quirks"])) if isinstance(facts.get("quirks"), list) else None),
    ):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield name, f"{value:,}" if isinstance(value, int) else f"{value:,.0f}"
        elif isinstance(value, str) and value:
            yield name, value[:80]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a log; a last one that is still being written does not count."""
    whole, newline, _ = _text(path).rpartition("\n")
    for number, line in enumerate(whole.split("\n") if newline else (), start=1):
        if line.strip():
            yield rename_facts(_object(line, f"{LOG}, line {number}"))


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST else None
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"{path.name} cannot be read: {in_one_line(error)}") from error
    if text is None:
        raise BrokenDataset(f"{path.name} has more than {LARGEST >> 20} MB")
    return text


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{where} is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise BrokenDataset(f"{where} should be an object")
    return values


def _inner(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = values.get(key)
    return inner if isinstance(inner, dict) else {}


def _number(values: Mapping[str, Any], key: str) -> float:
    value = values.get(key)
    if not is_number(value):
        raise BrokenDataset(f"a line of {LOG} has no number under {key!r}")
    return float(value)
