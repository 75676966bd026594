"""Runs: what training and evaluating a model left in a folder, read once for reports and the studio.

| in the folder | |
|---|---|
| `run.json` | how the model was trained: settings, data, seed, steps, time |
| `log.jsonl` | how that went: the loss, and what was measured on dev |
| `evaluation.json` | how well it does; each world reads its own `Results` from it |

Where only judging wrote there, as for a model that comes with deixis or answers of others, there is no `run.json`.
Names of earlier versions are understood. Only what pages need is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.learn.run import rename_facts
from deixis.report._json_facts import NO_FACTS, Facts, fact_lines, find_facts, printable


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.judge.uncertainty import Estimate

    Counts = Mapping[str, Mapping[str, float]]


RUN, EVALUATION, LOG = "run.json", "evaluation.json", "log.jsonl"


class Loss(NamedTuple):
    """The training loss at a step."""

    step: int
    loss: float


class Evaluation(NamedTuple):
    """Measures on dev at a step."""

    step: int
    values: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TrainingSet:
    """The examples that a model was trained on.

    Attributes:
        name: of the dataset.
        digest: of its content.
        split: which of its splits.
        examples: how many.
        begins_with: the digest of the checkpoint that training began with; empty for fresh weights.
        facts: all that is recorded of it.
    """

    name: str = ""
    digest: str = ""
    split: str = "train"
    examples: int = 0
    begins_with: str = ""
    facts: Facts = NO_FACTS


@dataclass(frozen=True, kw_only=True)
class Results:
    """Scores of a model on a dataset.

    Attributes:
        data: the name of the dataset.
        digest: of its content; empty where it is not recorded.
        scores: by part (split, setting or set) and measure.
        groups: by grouping (pattern, form …), part and name the scores.
        outcomes: by part, how often each outcome occurs.
        roles: by part, the roles or places of the wrong objects that were chosen.
        misreadings: by part, the misreadings that explain wrong choices; several explanations share one choice.
        remarks: what else should be known.
    """

    data: str = ""
    digest: str = ""
    scores: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Estimate]]]] = field(default_factory=dict)
    outcomes: Counts = field(default_factory=dict)
    roles: Counts = field(default_factory=dict)
    misreadings: Counts = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Run:
    """One training and its evaluation, either of which may be missing.

    Attributes:
        folder: the name of the folder.
        path: where evaluation.json is, or would be.
        world: the name of the world; empty in runs of earlier versions.
        model: the name of the model.
        seed: of the training; None where nothing was trained.
        steps: how many were taken.
        batch_size: how many examples each took.
        parameters: how many numbers each part of the model has.
        device: what it was trained on.
        seconds: how long that took.
        examples_per_second: how fast it was.
        training: the examples that it was trained on.
        best_step: the step whose checkpoint was kept.
        losses: the loss, in the order of steps.
        evaluations: what was measured on dev, in the order of steps.
        results: how well it does.
        trained: all that run.json says, under the names of today.
        judged: all that evaluation.json says.
    """

    folder: str
    path: Path = Path()
    world: str = ""
    model: str = ""
    seed: int | None = None
    steps: int = 0
    batch_size: int = 0
    parameters: Mapping[str, int] = field(default_factory=dict)
    device: str = ""
    seconds: float | None = None
    examples_per_second: float | None = None
    training: TrainingSet | None = None
    best_step: int | None = None
    losses: tuple[Loss, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    results: Results = field(default_factory=Results)
    trained: Facts = NO_FACTS
    judged: Facts = NO_FACTS

    @property
    def size(self) -> int:
        """The number of parameters of all parts of the model, or 0 if it is not recorded."""
        return sum(self.parameters.values())


def read_run(folder: Path, *, home: Path | None = None, kind: str | None = None, is_strict: bool = True) -> Run:
    """Read the files of a run that are there.

    A world adds the results.

    Args:
        folder: holds evaluation.json.
        home: holds run.json and log.jsonl; by default the same folder.
        kind: the kind that run.json has to name.
        is_strict: whether a number that is none, as NaN in a log, is an error; otherwise it is left out.

    Raises:
        BrokenDataset: when there is no such folder, or a file is no JSON or has impossible values.
    """
    if not folder.is_dir():
        raise BrokenDataset(f"{folder} is no run folder: there is no such folder")
    trained_in = home or folder
    trained = find_facts(trained_in / RUN, kind=kind, is_strict=is_strict)
    losses, evaluations = _read_log(trained_in / LOG, is_strict=is_strict)
    name = folder.resolve().name
    return Run(
        folder=printable(f"{trained_in.resolve().name}/{name}" if home is not None and home != folder else name),
        path=folder,
        **training_fields(trained),
        losses=losses,
        evaluations=evaluations,
        judged=find_facts(folder / EVALUATION, is_strict=is_strict),
    )


def training_fields(trained: Facts) -> dict[str, Any]:
    """Return the training in run.json, or in an evaluation in its place, as fields of a run."""
    facts = Facts(rename_facts(trained.values), trained.where).without_nulls()
    data = facts.inner("training").without_nulls()
    chosen = facts.values.get("selection")
    selection = facts.inner("selection") if isinstance(chosen, dict) else NO_FACTS
    parameters = facts.values.get("parameters", {})
    sizes = facts.inner("parameters") if isinstance(parameters, dict) else Facts({"model": parameters}, facts.where)
    return {
        "world": facts.text("world", ""),
        "model": facts.text("model", ""),
        "seed": facts.find_count("seed"),
        "steps": facts.find_count("steps") or 0,
        "batch_size": facts.find_count("batch_size") or 0,
        "parameters": {printable(name): sizes.count(name) for name in sizes.values},
        "device": facts.text("device", ""),
        "seconds": facts.find_number("seconds"),
        "examples_per_second": facts.find_number("examples_per_second"),
        "training": _training_set(data) if data.values else None,
        "best_step": selection.find_count("best_step") or facts.inner("best").find_count("step"),
        "trained": facts,
    }


def _training_set(facts: Facts) -> TrainingSet:
    return TrainingSet(
        name=facts.text("name", "") or facts.text("data", ""),
        digest=facts.text("digest", ""),
        split=facts.text("split", "train"),
        examples=facts.find_count("examples") or 0,
        begins_with=facts.text("begins with", ""),
        facts=facts,
    )


def _read_log(path: Path, *, is_strict: bool) -> tuple[tuple[Loss, ...], tuple[Evaluation, ...]]:
    """The curves in a log; where a step was logged twice, as after resuming, the later line counts."""
    losses: dict[int, float] = {}
    evaluations: dict[int, dict[str, float]] = {}
    for line in fact_lines(path, is_strict=is_strict) if path.is_file() else ():
        facts = Facts(rename_facts(line.values), line.where)
        step = facts.count("step")
        known = facts if is_strict else facts.without_nulls()
        if "loss" in known.values:
            losses[step] = known.number("loss")
        if "dev" in known.values:
            dev = known.inner("dev") if is_strict else known.inner("dev").without_nulls()
            evaluations[step] = {printable(name): dev.number(name) for name in dev.values}
    return (
        tuple(Loss(*entry) for entry in sorted(losses.items())),
        tuple(Evaluation(*entry) for entry in sorted(evaluations.items())),
    )


def facts_in(folder: Path, name: str) -> Mapping[str, Any]:
    """Return the facts in a file of a folder, to find out whose it is.

    Empty if it cannot be read, which is told later.
    """
    try:
        return find_facts(folder / name).values
    except (BrokenDataset, OSError):
        return {}
