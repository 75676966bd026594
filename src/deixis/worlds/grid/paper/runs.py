"""What training and judging a model left in a folder: how it was trained, how that went, and how well it does.

A run folder holds `run.json`, `evaluation.json` and, where something was learnt, `log.jsonl`. Where only judging wrote
there, as for a model that comes with deixis or answers of others, there is no `run.json`, and what the evaluation says
of the model has to do. Results on further datasets lie in folders `on-NAME` in it. Only what the reports need is read;
whatever else the files hold is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from deixis.data.kept_results import APART
from deixis.errors import BrokenDataset
from deixis.report.json_facts import flat_facts, printable, read_facts
from deixis.report.runs import EVALUATION, LOG, RUN, Look, Step, course_of, read_log, read_run_facts
from deixis.worlds.grid.training.settings import Training as Recorded


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.report.json_facts import Facts


__all__ = ["UNTRAINED", "Run", "Score", "Selection", "Training", "read_run"]

KINDS = {RUN: "run", EVALUATION: "plans evaluation"}
WRITTEN_BY = (
    "name a folder that `deixis evaluate --out` wrote to, or a speaker with what `deixis evaluate` heard from it"
)
UNTRAINED = ("random", "oracle")  # models of whose training there is nothing to tell


@dataclass(frozen=True, kw_only=True)
class Score:
    """How many plans are right, as shares of the examples; None is what was not measured.

    Attributes:
        examples: how many were judged.
        exact: plans that are those of the dataset, action by action.
        exact_cut_30: the same when only the first thirty actions are compared.
        got_there: plans that leave the agent and every object where they should be.
        right_target: plans that go to the target.
        patterns: the same of the examples of each pattern.
    """

    examples: int
    exact: float
    exact_cut_30: float | None = None
    got_there: float | None = None
    right_target: float | None = None
    patterns: Mapping[str, Score] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Training:
    """What a model was trained on; `patterns` are those of the commands, in order.

    `goes_on` says whether it began with the weights of another.
    """

    data: str
    digest: str
    split: str
    examples: int
    patterns: tuple[str, ...]
    random_only: bool
    goes_on: bool = False


@dataclass(frozen=True, kw_only=True)
class Selection:
    """How one checkpoint was chosen among many."""

    on: str
    metric: str
    looks: int
    examples: int
    best_update: int


@dataclass(frozen=True, kw_only=True)
class Run:
    """One trained model, one that needs no training, or one of which only the answers are known.

    Attributes:
        folder: what the folder is called.
        model: the name of the model.
        quirks: faults of the published code that were switched on.
        settings: what else was chosen, by name.
        seed: of the training, None where nothing was trained.
        updates: how many there were.
        batch: how many examples each was made with.
        parameters: how many numbers the model has.
        device: what it was trained on.
        seconds: how long that took.
        examples_per_second: how fast it was.
        training: on what.
        selection: how the checkpoint was chosen.
        chosen: the same in words, where nothing else is known.
        steps: the loss as it went, in the order of updates.
        looks: the exact match on dev as it went.
        data: the name of the dataset that it was judged on.
        digest: that dataset's digest.
        decode_limit: how many actions a plan could have at most.
        scores: by split.
    """

    folder: str
    model: str
    quirks: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    updates: int = 0
    batch: int = 0
    parameters: int | None = None
    device: str = ""
    seconds: float | None = None
    examples_per_second: float | None = None
    training: Training | None = None
    selection: Selection | None = None
    chosen: str = ""
    steps: tuple[Step, ...] = ()
    looks: tuple[Look, ...] = ()
    data: str = ""
    digest: str = ""
    decode_limit: int | None = None
    scores: Mapping[str, Score] = field(default_factory=dict)

    @property
    def best_update(self) -> int | None:
        """The update whose weights were kept."""
        return None if self.selection is None else self.selection.best_update


def read_run(folder: Path) -> Run:
    """Read a run folder.

    Raises:
        BrokenDataset: when a file is missing, is no JSON or says what cannot be.
    """
    if not folder.is_dir():
        raise BrokenDataset(f"{folder} is no run folder: there is no such folder")
    if not any((folder / name).exists() for name in (RUN, EVALUATION)):
        raise BrokenDataset(f"{folder} holds nothing to report; {WRITTEN_BY}")
    judged = read_facts(folder / EVALUATION, kind=KINDS[EVALUATION], hint="judge the model first, with deixis evaluate")
    is_apart = folder.resolve().name.startswith(APART) and not (folder / RUN).exists()
    trained_in = folder.resolve().parent if is_apart else folder
    name = printable(f"{trained_in.name}/{folder.resolve().name}" if is_apart else folder.resolve().name)
    run = Run(
        folder=name,
        model=judged.text("model", "") or name,
        data=judged.text("data", ""),
        digest=judged.text("digest", ""),
        decode_limit=judged.find_count("decode_limit"),
        scores=_scores(judged.inner("splits")),
    )
    if not run.scores:
        raise BrokenDataset(f"{folder / EVALUATION} judges no example of any split")
    if not (trained_in / RUN).exists():
        return run if run.model.lower() in UNTRAINED else replace(run, **_told(judged.inner("predictions")))
    facts = read_run_facts(trained_in / RUN, hint="is this a folder that training left?")
    trained = replace(run, **_trained(facts), **read_log(trained_in / LOG))
    seed = judged.inner("predictions").find_count("seed")
    said = judged.text("model", "")
    if said not in ("", trained.model, facts.text("name", "")) or seed not in (None, trained.seed):
        here = f"{said or 'a model'}{'' if seed is None else f' with seed {seed}'}"
        raise BrokenDataset(
            f"{folder / EVALUATION} judges {here}, but {RUN} is of {trained.model}, seed {trained.seed}"
        )
    return trained


def _told(facts: Facts) -> dict[str, Any]:
    """What an evaluation says of the training of the model that it judges, as fields of a run."""
    training = facts.inner("training").said() if facts.values.get("training") is not None else None
    chosen = facts.values.get("selection")
    return {
        "quirks": tuple(sorted(facts.said().texts("quirks"))),
        "seed": facts.find_count("seed"),
        "updates": facts.find_count("updates") or 0,
        "training": None if training is None or not training.values else _training_of(training),
        "chosen": printable(chosen) if isinstance(chosen, str) else "",
    }


def _training_of(facts: Facts) -> Training | None:
    """What a checkpoint says of its training; it calls the data by `name`."""
    found = _training(facts)
    return None if found is None else replace(found, data=facts.text("name", ""))


def _trained(facts: Facts) -> dict[str, Any]:
    """What run.json says, as fields of a run."""
    return {
        "model": facts.text("model"),
        "quirks": tuple(sorted(facts.texts("quirks"))),
        "settings": dict(flat_facts({**_course(facts.inner("recipe")), **facts.inner("settings").values})),
        **course_of(facts),
        "parameters": facts.find_count("parameters"),
        "training": _training(facts.inner("training")),
        "selection": _selection(facts.inner("selection")),
    }


def _course(recipe: Facts) -> dict[str, Any]:
    """Rates, schedules and the like: what a recipe says beside what run.json says of the model itself."""
    elsewhere = ("model", "settings", "quirks", "seed", "steps", "batch_size")
    return {name: value for name, value in Recorded.rename(recipe.values).items() if name not in elsewhere}


def _training(facts: Facts) -> Training | None:
    if not facts.values:
        return None
    return Training(
        data=facts.text("data", ""),
        digest=facts.text("digest", ""),
        split=facts.text("split", "train"),
        examples=facts.find_count("examples") or 0,
        patterns=tuple(sorted(facts.texts("patterns"))),
        random_only=facts.flag("random_only"),
        goes_on=bool(facts.text("begins with", "")),
    )


def _selection(facts: Facts) -> Selection | None:
    if not facts.values:
        return None
    return Selection(
        on=facts.text("on"),
        metric=facts.text("metric", "exact match"),
        looks=facts.find_count("evaluations") or 0,
        examples=facts.find_count("examples") or 0,
        best_update=facts.find_count("best_step") or 0,
    )


def _scores(facts: Facts) -> dict[str, Score]:
    """The scores under each name; where no example was judged there is none."""
    found = {printable(name): facts.inner(name) for name in facts.values}
    return {name: _score(entry) for name, entry in found.items() if entry.count("examples")}


def _score(facts: Facts) -> Score:
    return Score(
        examples=facts.count("examples"),
        exact=facts.share("exact"),
        exact_cut_30=facts.find_share("exact_cut_30"),
        got_there=facts.find_share("got_there"),
        right_target=facts.find_share("right_target"),
        patterns=_scores(facts.inner("by").inner("pattern")),
    )
