"""What training and judging a model that grounds expressions left in a folder.

| in the folder | |
|---|---|
| `run.json`, `log.jsonl` | how it was trained; missing where only judging wrote here, e.g. after retrieval |
| `evaluation.json` | how well it does; missing for SCAN, which finds images and no objects; all there is of answers |

Only what the report needs is read; whatever else the files hold is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.data.store import file_digest
from deixis.errors import BrokenDataset
from deixis.report.json_facts import flat_facts, printable, read_facts
from deixis.report.runs import EVALUATION, LOG, RUN, Look, Step, course_of, find_facts, read_log, read_run_facts
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.training.settings import Grounding


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.report.json_facts import Facts


__all__ = ["Absence", "Result", "Share", "Trial", "is_grounding_run", "read_trial", "row_of"]

WORDS = ("random", "oracle")  # what is judged without a file of answers
ROLE, RETRIEVER, BEST = "grounding", "scan", "best.safetensors"
TITLES = {
    "grounder": "GroundeR",
    "mattnet": "MattNet",
    "cm-att-erase": "CM-Att-Erase",
    "scan": "SCAN",
    "tree": "Tree",
    "deaf": "Deaf",
    "shuffle": "Shuffle",
    "obj-attr": "Obj-Attr",
}


class Share(NamedTuple):
    """A share of examples, with the interval that their number leaves open; of how many."""

    mean: float
    low: float
    high: float
    examples: int


@dataclass(frozen=True, kw_only=True)
class Result:
    """How well a model does in one setting.

    Attributes:
        accuracy: the share of right answers. chance: what guessing gives.
        forms, lengths: the same of expressions of a form, and of a length.
        places, categories, missed: of wrong choices, how many lie where, are of the target's category or not, and
            follow from missing what.
    """

    accuracy: Share
    chance: float
    forms: Mapping[str, Share] = field(default_factory=dict)
    lengths: Mapping[str, Share] = field(default_factory=dict)
    places: Mapping[str, float] = field(default_factory=dict)
    categories: Mapping[str, float] = field(default_factory=dict)
    missed: Mapping[str, float] = field(default_factory=dict)


class Absence(NamedTuple):
    """How well a model tells what is there from what is not: right decisions, both shares, area under the curve."""

    accuracy: float
    found: float
    denied: float
    area: float


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One model that was trained, judged, or both.

    Attributes:
        folder: what the folder is called.
        model, probe, mining: what it is, what is done to texts, and where pairs are mined.
        retriever: the digest of the checkpoint that found the image first, where there was one.
        features: what looked at regions.
        seed: of the training.
        settings: of the training, as run.json has them; plain: the same as texts.
        updates, batch, parameters, device, seconds, examples_per_second: of the training; None or 0 where nobody says.
        trained_on, trained_digest, examples: the data.
        begins_with: the digest of the checkpoint that it began with, where there was one.
        checkpoint: the digest of the one that it left.
        best_update: after which it was taken.
        steps, looks: the loss and the looks at val, as it went.
        data, splits: what it was judged on.
        results: by setting. absences: by setting, where something was asked for in vain.
        answers: the file of answers that was judged, where that is all that is known.
    """

    folder: str
    model: str = ""
    probe: str = "none"
    mining: str = "none"
    retriever: str = ""
    features: str = ""
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    updates: int = 0
    batch: int = 0
    parameters: int | None = None
    device: str = ""
    seconds: float | None = None
    examples_per_second: float | None = None
    trained_on: str = ""
    trained_digest: str = ""
    examples: int = 0
    begins_with: str = ""
    checkpoint: str = ""
    best_update: int | None = None
    steps: tuple[Step, ...] = ()
    looks: tuple[Look, ...] = ()
    data: str = ""
    splits: tuple[str, ...] = ()
    results: Mapping[str, Result] = field(default_factory=dict)
    absences: Mapping[str, Absence] = field(default_factory=dict)
    answers: str = ""


def row_of(trial: Trial) -> tuple[str, str]:
    """The key of the row that a run belongs to, and what the row is called where it is none of the paper's."""
    if trial.answers in WORDS:  # random is also where a model of the paper takes its pairs from
        return f"{trial.answers} answers", f"{trial.answers} answers"
    key, title = trial.model, TITLES.get(trial.model, trial.model)
    if trial.mining == "module-specific":
        key, title = f"{key}-mine", f"{title}-Mine"
    elif trial.mining != "none":
        key = trial.mining if trial.model == "mattnet" else f"{key}-{trial.mining}"
        title = f"{title}-Mine, {trial.mining}"
    if trial.probe != "none":
        key, title = f"{trial.probe}-{key}", f"{TITLES.get(trial.probe, trial.probe)}-{title}"
    if trial.retriever:
        key, title = f"{RETRIEVER}+{key}", f"{TITLES[RETRIEVER]}+{title}"
    return key, title


def is_grounding_run(folder: Path) -> bool:
    """Whether a folder says that it is of a model that grounds expressions; whatever is wrong with it is said later."""
    return find_facts(folder, RUN).get("model") == ROLE or _is_grounding(find_facts(folder, EVALUATION))


def _is_grounding(facts: Mapping[str, Any]) -> bool:
    """Whether an evaluation is of answers to expressions about photographs."""
    model = facts.get("model")
    is_ours = isinstance(model, dict) and "retriever" in model
    return is_ours or (isinstance(facts.get("settings"), dict) and "kind" not in facts and "predictions" in facts)


def read_trial(folder: Path) -> Trial:
    """Read a folder.

    Raises:
        BrokenDataset: when a file is missing, is no JSON, says what cannot be, or is of a model of another kind.
    """
    if not folder.is_dir():
        raise BrokenDataset(f"{folder} is no run folder: there is no such folder")
    if not is_grounding_run(folder):
        raise BrokenDataset(f"{folder} holds no model that grounds expressions; report models of other kinds apart")
    trial = Trial(folder=printable(folder.resolve().name))
    if (folder / RUN).exists():
        trial = replace(trial, **_trained(read_run_facts(folder / RUN, hint="")), **read_log(folder / LOG))
    if trial.model == RETRIEVER:
        checkpoint = folder / BEST
        return replace(trial, checkpoint=file_digest(checkpoint) if checkpoint.is_file() else "")
    judged = read_facts(folder / EVALUATION, hint="judge the model first, with deixis evaluate")
    return _judged(folder, trial, judged)


def _trained(facts: Facts) -> dict[str, Any]:
    settings, training, best = (facts.inner(name) for name in ("settings", "training", "best"))
    parameters = facts.inner("parameters")
    return {
        "model": settings.text("model"),
        "probe": settings.text("probe", "none"),
        "mining": settings.text("mining", "none"),
        "features": training.text("features", settings.text("features", "")),
        **course_of(facts),
        "settings": Grounding.rename(settings.values),
        "plain": dict(flat_facts(Grounding.rename(settings.values))),
        "parameters": sum(parameters.count(name) for name in parameters.values) or None,
        "trained_on": training.text("name", ""),
        "trained_digest": training.text("digest", ""),
        "examples": training.find_count("examples") or 0,
        "begins_with": training.text("begins with", ""),
        "best_update": best.find_count("step"),
    }


def _judged(folder: Path, trial: Trial, judged: Facts) -> Trial:
    answers = judged.text("predictions", "")
    is_plain = "model" not in judged.values and bool(answers)  # answers of whoever it may be
    about, settings = judged.inner("model"), judged.inner("settings")
    found = Trial(
        folder=trial.folder,
        model=(answers if answers in WORDS else trial.folder) if is_plain else about.text("model"),
        probe=about.text("probe", "none"),
        mining=about.text("mining", "none"),
        seed=about.find_count("seed"),
    )
    same = ("model", "probe", "mining", "seed")
    if trial.model and any(getattr(trial, name) != getattr(found, name) for name in same):
        raise BrokenDataset(
            f"{folder / EVALUATION} judges {row_of(found)[1]}, seed {found.seed}, but {RUN} is of "
            f"{row_of(trial)[1]}, seed {trial.seed}"
        )
    results: dict[str, Result] = {name: _result(settings.inner(name)) for name in SETTINGS if name in settings.values}
    if not results:
        raise BrokenDataset(f"{folder / EVALUATION} judges no expression in any setting")
    absences = about.inner("telling what is there")
    return replace(
        trial,
        model=found.model,
        probe=found.probe,
        mining=found.mining,
        seed=found.seed,
        retriever=about.text("retriever", ""),
        features=about.text("features", trial.features),
        updates=trial.updates or about.find_count("updates") or 0,
        checkpoint=about.text("checkpoint", ""),
        data=judged.text("data", ""),
        splits=judged.texts("splits"),
        results=results,
        absences={name: _absence(absences.inner(name)) for name in SETTINGS if name in absences.values},
        answers=answers if is_plain else "",
    )


def _result(facts: Facts) -> Result:
    def shares(name: str) -> dict[str, Share]:
        parts = facts.inner(name)
        return {printable(part): _share(parts.inner(part)) for part in parts.values}

    def numbers(name: str) -> dict[str, float]:
        parts = facts.inner(name)
        return {printable(part): parts.number(part) for part in parts.values}

    return Result(
        accuracy=_share(facts.inner("accuracy")),
        chance=facts.share("chance"),
        forms=shares("by form"),
        lengths=shares("by length"),
        places=numbers("wrong choices by place"),
        categories=numbers("wrong choices by category"),
        missed=numbers("wrong choices by what was missed"),
    )


def _share(facts: Facts) -> Share:
    mean = facts.share("mean")
    low, high = facts.find_share("low"), facts.find_share("high")
    return Share(mean, mean if low is None else low, mean if high is None else high, facts.count("rows"))


def _absence(facts: Facts) -> Absence:
    return Absence(*(facts.share(name) for name in ("accuracy", "found", "denied", "area under the curve")))
