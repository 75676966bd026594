"""Results of models in the run folders of a library, in one form for all worlds.

A folder is read by `deixis.report._runs`, and its results by the pages of their world (`WorldPages.read_results`).
Results in the common form, which `deixis.worlds.world.Pages` shows, are read here. Results name their world; those of
older versions do not, and are claimed by the world that wrote them.

People who play leave the same files. Pointing has no plan, picking has no caption: such answers have the one measure
that fits, and no others.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from deixis._studio.library import SITTING
from deixis._studio.world_pages import all_pages, world_pages
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.judge.verdicts import VERDICTS
from deixis.report._json_facts import find_facts, printable
from deixis.report._runs import EVALUATION, LOG, RUN, Results, read_run


PEOPLE = "people"  # the form of results that a study with people leaves


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis._studio.library import Entry, Library
    from deixis._studio.world_pages import ResultWords, WorldPages
    from deixis.report._json_facts import Facts
    from deixis.report._runs import Run


@dataclass(frozen=True, kw_only=True)
class ModelResults(Results):
    """One model and how well it does.

    Attributes:
        key: its name in addresses.
        entry: the folder that it lies in.
        world: the name of the world that it was asked about.
        model: what it is called.
        run: its training, where there is one.
        task: what a person was asked to do; empty for models.
        rows: the file with the verdict on every example, if there is one.
    """

    key: str
    entry: Entry
    world: str
    model: str
    run: Run | None = None
    task: str = ""
    rows: Path | None = None

    @property
    def measures(self) -> Mapping[str, str]:
        """The measures of its world that it has, with their names for people, or all of them before it is judged."""
        found = {measure for scores in self.scores.values() for measure in scores}
        return {measure: name for measure, name in self.words.measures.items() if measure in found or not found}

    @property
    def words(self) -> ResultWords:
        """The words that pages of results use in its world."""
        return world_pages(self.world).results

    @property
    def subject(self) -> tuple[str, str]:
        """Key of the task and data: models with the same subject can be compared."""
        return self.world, self.digest or self.data

    @property
    def training_facts(self) -> dict[str, str]:
        """The training in words, or nothing if it is not recorded."""
        run = self.run
        if run is None:
            return {}
        found = {
            "seed": None if run.seed is None else f"{run.seed:,}",
            "steps": f"{run.steps:,}" if run.steps else None,
            "batch size": f"{run.batch_size:,}" if run.batch_size else None,
            "training examples": f"{run.training.examples:,}" if run.training and run.training.examples else None,
            "parameters": f"{run.size:,}" if run.size else None,
            "best step": None if run.best_step is None else f"{run.best_step:,}",
            "seconds": None if run.seconds is None else f"{run.seconds:,.0f}",
            "device": run.device or None,
            "quirks": ", ".join(run.trained.texts("quirks")) or None,
        }
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class BrokenRun:
    """A run folder that cannot be read, and why."""

    entry: Entry
    error: str


def read_model_results(library: Library) -> tuple[list[ModelResults], list[BrokenRun]]:
    """Read all results of a library, and return them with the folders that could not be read."""
    found: list[ModelResults] = []
    broken: list[BrokenRun] = []
    for entry in library.runs:
        try:
            found += _read_entry(entry)
        except (DeixisError, OSError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0][:300]
            broken.append(BrokenRun(entry, said))
    return found, broken


def find_model_results(library: Library, key: str) -> ModelResults:
    """The results with a key.

    Raises:
        UnknownName: when there are none.
        BrokenDataset: when their folder cannot be read.
    """
    entry = library.find(key.partition(".")[0], "run")
    for one in _read_entry(entry):
        if one.key == key:
            return one
    raise UnknownName(f"there are no results called {key!r} here")


def dataset_of(library: Library, results: ModelResults) -> Entry | None:
    """The dataset that a model was asked about, if it is in the library.

    The pages of its world tell: by the digest of the content, or by the name.
    """
    known = (entry for entry in library.of_kind(results.world) if not entry.error)
    return next((entry for entry in known if entry.pages.is_about(results, entry)), None)


# -------------------------------------------------------------------------------- folders


def _read_entry(entry: Entry) -> tuple[ModelResults, ...]:
    """Everything in a run folder; read again when one of its files has changed."""
    if entry.error:
        raise BrokenDataset(entry.error)
    files = dict.fromkeys((*_result_files(), RUN, LOG, SITTING))
    return _read_folder(entry, tuple(_stamp(entry.path / name) for name in files))


@lru_cache(maxsize=128)
def _read_folder(entry: Entry, stamps: tuple[object, ...]) -> tuple[ModelResults, ...]:
    del stamps
    run = read_run(entry.path, is_strict=False)
    found: list[ModelResults] = []
    for name in _result_files():
        if (entry.path / name).is_file():
            judged = run.judged if name == EVALUATION else find_facts(entry.path / name, is_strict=False)
            some = replace(run, judged=judged)
            if judged.values.get("form") == PEOPLE:
                found.append(_read_people(entry, some))
            else:
                found += _pages_of(judged, name).read_results(entry, name, some)
    if not run.judged.values and any((entry.path / name).is_file() for name in (RUN, LOG)):
        pages = world_pages(run.world) if run.world else _pages_of(run.judged, EVALUATION)
        trained = run.training
        results = Results(data=trained.name, digest=trained.digest) if trained else Results()
        found.insert(0, show_results(entry, run, results, world=pages.world.name))
    if not found:
        raise BrokenDataset(f"{entry.title} holds neither results nor a training")
    keys = (entry.slug, *(f"{entry.slug}.{number}" for number in range(1, len(found))))
    return tuple(replace(one, key=key) for one, key in zip(found, keys, strict=True))


def _result_files() -> list[str]:
    return list(dict.fromkeys(name for pages in all_pages() for name in pages.result_files))


def _pages_of(judged: Facts, file: str) -> WorldPages:
    """The pages of the world that results are of."""
    named = judged.values.get("world")
    if isinstance(named, str):
        return world_pages(named)
    fitting = [pages for pages in all_pages() if file in pages.result_files and pages.claims(judged.values, file)]
    if not fitting:
        raise BrokenDataset(f"{file} does not say which world its results are of")
    return fitting[0]


def show_results(
    entry: Entry, run: Run, results: Results, *, world: str, model: str = "", verdicts: str = VERDICTS
) -> ModelResults:
    """The results of a run as pages show them.

    Args:
        entry: the folder.
        run: its training.
        results: how well the model does.
        world: the name of the world.
        model: what the model is called; by default as its training has it, or as the folder is called.
        verdicts: the name of the file with the verdict on every example.
    """
    rows = entry.path / verdicts
    measures = world_pages(world).results.measures
    shown = {
        part: {name: one for name, one in found.items() if name in measures} for part, found in results.scores.items()
    }
    is_trained = bool(run.trained.values or run.losses or run.evaluations)
    return ModelResults(
        **{one.name: getattr(results, one.name) for one in fields(Results)} | {"scores": shown},
        key=entry.slug,
        entry=entry,
        world=world,
        model=model or run.model or printable(entry.title),
        run=run if is_trained else None,
        task=find_facts(entry.path / SITTING, is_strict=False).text("task", ""),
        rows=rows if rows.is_file() else None,
    )


def read_common_results(world: str, entry: Entry, run: Run) -> ModelResults:
    """Read results in the common form (`deixis.worlds.world.Pages`).

    Raises:
        BrokenDataset: when they are in another.
    """
    judged = run.judged.without_nulls()
    splits = judged.inner("splits")
    parts = {printable(name): splits.inner(name).without_nulls() for name in splits.values}
    if not parts:
        raise BrokenDataset(f"{judged.where} has no results of any split")
    measures = world_pages(world).results.measures
    results = Results(
        data=judged.text("data", ""),
        digest=judged.text("digest", ""),
        scores={
            part: {
                name: found.estimate(name, rows=found.count("examples")) for name in measures if name in found.values
            }
            for part, found in parts.items()
        },
        outcomes={part: found.counts("outcomes") for part, found in parts.items()},
        misreadings={part: found.counts("misreadings") for part, found in parts.items()},
    )
    answered = judged.values.get("predictions")
    file = judged.inner("predictions").without_nulls().text("answers", "") if isinstance(answered, dict) else ""
    return show_results(entry, run, results, world=world, model=judged.text("model", "") or file)


def _read_people(entry: Entry, run: Run) -> ModelResults:
    """Read what people answered in a study, under the measure of their world that says the same."""
    judged = run.judged.without_nulls()
    pages = world_pages(judged.text("world", ""))
    known, measure = pages.results.measures, judged.text("measure", "")
    measure = measure if measure in known else next(iter(known))
    splits, asked = judged.inner("splits"), judged.inner("options").without_nulls().values.get(pages.results.part)
    parts = {printable(name): splits.inner(name).without_nulls() for name in splits.values}
    if isinstance(asked, str):  # in this world, results are told apart by an option of the questions
        parts = {printable(asked): judged.inner("overall").without_nulls()}
    data, digest = pages.subject_of(judged.text("data", ""), judged.text("digest", ""))
    results = Results(
        data=data,
        digest=digest,
        scores={
            part: {measure: found.estimate("right", rows=found.count("examples"))}
            for part, found in parts.items()
            if "right" in found.values
        },
        outcomes={part: found.counts("outcomes") for part, found in parts.items()},
        misreadings={part: found.counts("misreadings") for part, found in parts.items()},
    )
    return show_results(entry, run, results, world=pages.world.name, model=judged.text("model", ""))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
