"""What training and judging a model left in a folder: how it was trained, how that went, and how well it does.

A run folder holds `run.json`, `evaluation.json` and, where something was learnt, `log.jsonl`. Only what the reports
need is read; whatever else the files hold is left alone.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


__all__ = ["Look", "Run", "Score", "Selection", "Step", "Training", "read_run"]

FORMAT = 1
RUN, EVALUATION, LOG = "run.json", "evaluation.json", "log.jsonl"
KINDS = {RUN: "run", EVALUATION: "plans evaluation"}
UNTRAINED = ("random", "oracle")  # models that need no run.json: there is nothing to tell of their training
LONGEST = 80  # letters of a name that are shown
MOST_DIGITS = 18  # of a whole number


class Step(NamedTuple):
    """The loss after so many updates."""

    update: int
    loss: float


class Look(NamedTuple):
    """The exact match on dev after so many updates."""

    update: int
    exact: float


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
    """What a model was trained on; `patterns` are those of the commands, in order."""

    data: str
    digest: str
    split: str
    examples: int
    patterns: tuple[str, ...]
    random_only: bool


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
    """One trained model, or a model that needs no training.

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
    steps: tuple[Step, ...] = ()
    looks: tuple[Look, ...] = ()
    data: str = ""
    digest: str = ""
    decode_limit: int | None = None
    scores: Mapping[str, Score] = field(default_factory=dict)


def read_run(folder: Path) -> Run:
    """Read a run folder.

    Raises:
        BrokenDataset: when a file is missing, is no JSON or says what cannot be.
    """
    if not folder.is_dir():
        raise BrokenDataset(f"{folder} is no run folder: there is no such folder")
    judged = _read(folder / EVALUATION, hint="judge the model first, with deixis evaluate")
    run = Run(
        folder=_printable(folder.resolve().name),
        model=judged.text("model", ""),
        data=judged.text("data", ""),
        digest=judged.text("digest", ""),
        decode_limit=judged.find_count("decode_limit"),
        scores=_scores(judged.inner("splits")),
    )
    if not run.scores:
        raise BrokenDataset(f"{folder / EVALUATION} judges no example of any split")
    if run.model.lower() in UNTRAINED and not (folder / RUN).exists():
        return run
    facts = _read(folder / RUN, hint="is this a folder that training left?")
    trained = replace(run, **_trained(facts), **_log(folder / LOG))
    seed = judged.inner("predictions").find_count("seed")
    if run.model not in ("", trained.model, facts.text("name", "")) or seed not in (None, trained.seed):
        here = f"{run.model or 'a model'}{'' if seed is None else f' with seed {seed}'}"
        raise BrokenDataset(
            f"{folder / EVALUATION} judges {here}, but {RUN} is of {trained.model}, seed {trained.seed}"
        )
    return trained


def _trained(facts: _Facts) -> dict[str, Any]:
    """What run.json says, as fields of a run."""
    return {
        "model": facts.text("model"),
        "quirks": tuple(sorted(facts.texts("quirks"))),
        "settings": dict(_flat(facts.inner("settings").values)),
        "seed": facts.find_count("seed"),
        "updates": facts.find_count("updates") or 0,
        "batch": facts.find_count("batch") or 0,
        "parameters": facts.find_count("parameters"),
        "device": facts.text("device", ""),
        "seconds": facts.find_number("seconds"),
        "examples_per_second": facts.find_number("examples_per_second"),
        "training": _training(facts.inner("training")),
        "selection": _selection(facts.inner("selection")),
    }


def _training(facts: _Facts) -> Training | None:
    if not facts.values:
        return None
    return Training(
        data=facts.text("data", ""),
        digest=facts.text("digest", ""),
        split=facts.text("split", "train"),
        examples=facts.find_count("examples") or 0,
        patterns=tuple(sorted(facts.texts("patterns"))),
        random_only=facts.flag("random_only"),
    )


def _selection(facts: _Facts) -> Selection | None:
    if not facts.values:
        return None
    return Selection(
        on=facts.text("on"),
        metric=facts.text("metric", "exact match"),
        looks=facts.find_count("looks") or 0,
        examples=facts.find_count("examples") or 0,
        best_update=facts.find_count("best_update") or 0,
    )


def _scores(facts: _Facts) -> dict[str, Score]:
    """The scores under each name; where no example was judged there is none."""
    found = {_printable(name): facts.inner(name) for name in facts.values}
    return {name: _score(entry) for name, entry in found.items() if entry.count("examples")}


def _score(facts: _Facts) -> Score:
    return Score(
        examples=facts.count("examples"),
        exact=facts.share("exact"),
        exact_cut_30=facts.find_share("exact_cut_30"),
        got_there=facts.find_share("got_there"),
        right_target=facts.find_share("right_target"),
        patterns=_scores(facts.inner("by").inner("pattern")),
    )


def _log(path: Path) -> dict[str, Any]:
    """The two curves; after a run was resumed, what was logged last of an update counts."""
    losses: dict[int, float] = {}
    looks: dict[int, float] = {}
    for facts in _lines(path) if path.exists() else ():
        update = facts.count("update")
        if "loss" in facts.values:
            losses[update] = facts.number("loss")
        if "dev" in facts.values:
            looks[update] = facts.inner("dev").share("exact")
    return {
        "steps": tuple(Step(*entry) for entry in sorted(losses.items())),
        "looks": tuple(Look(*entry) for entry in sorted(looks.items())),
    }


# ------------------------------------------------------------------------------------------------------------- JSON


class _Facts:
    """An object of a JSON file, asked for values of a kind; what can be missing is asked for by `find_`."""

    def __init__(self, values: object, where: str) -> None:
        if not isinstance(values, dict):
            raise BrokenDataset(f"{where} should be an object, got {_shown(values)}")
        self.values: dict[str, Any] = values
        self._where = where

    def inner(self, key: str) -> _Facts:
        """The object under a key, empty where there is none."""
        return _Facts(self.values.get(key, {}), f"{self._where}, {_printable(key)}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return _printable(value)

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self._wrong(key, "a list of names")
        return tuple(map(_printable, values))

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def count(self, key: str) -> int:
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key, "a whole number, at least 0")
        return value

    def number(self, key: str) -> float:
        value = self.values.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(key, "a number")
        return float(value)

    def share(self, key: str) -> float:
        value = self.number(key)
        if not 0 <= value <= 1:
            raise self._wrong(key, "a share between 0 and 1")
        return value

    def find_count(self, key: str) -> int | None:
        return None if self.values.get(key) is None else self.count(key)

    def find_number(self, key: str) -> float | None:
        return None if self.values.get(key) is None else self.number(key)

    def find_share(self, key: str) -> float | None:
        return None if self.values.get(key) is None else self.share(key)

    def _wrong(self, key: str, wanted: str) -> BrokenDataset:
        if key not in self.values:
            return BrokenDataset(f"{self._where} does not say {key!r}, which should be {wanted}")
        return BrokenDataset(f"{self._where}: {key!r} should be {wanted}, got {_shown(self.values[key])}")


def _read(path: Path, *, hint: str) -> _Facts:
    if not path.exists():
        raise BrokenDataset(f"there is no {path}; {hint}")
    facts = _Facts(_parsed(_text(path), str(path)), str(path))
    kind, number = facts.values.get("kind"), facts.values.get("format")
    if kind != KINDS[path.name] or number != FORMAT:
        wanted = f"{KINDS[path.name]!r}, format {FORMAT}"
        raise BrokenDataset(f"{path} should be of kind {wanted}, got {_shown(kind)}, format {_shown(number)}")
    return facts


def _lines(path: Path) -> Iterator[_Facts]:
    """Each line of a log; a last line that a crash left unfinished does not count."""
    whole, newline, _ = _text(path).rpartition("\n")
    for number, line in enumerate(whole.split("\n") if newline else (), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield _Facts(_parsed(line, where), where)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path} is no UTF-8 text") from error


def _parsed(text: str, where: str) -> object:
    def refuse(name: str) -> NoReturn:
        raise BrokenDataset(f"{where} holds {name}, which is no number to reckon with")

    def real(digits: str) -> float:
        value = float(digits)
        return value if math.isfinite(value) else refuse(digits)

    def whole(digits: str) -> int:
        return int(digits) if len(digits) <= MOST_DIGITS else refuse(_printable(digits))

    try:
        return json.loads(text, parse_constant=refuse, parse_float=real, parse_int=whole)
    except BrokenDataset:
        raise
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{where} is no JSON: {error}") from error


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Settings with their values as text; those inside others are named with dots."""
    for key, value in values.items():
        name = f"{before}{_printable(key)}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, _printable(value if isinstance(value, str) else json.dumps(value))


def _shown(value: object) -> str:
    return _printable(json.dumps(value, ensure_ascii=False))


def _printable(text: str) -> str:
    """Text without line breaks and control signs, shortened where it is very long."""
    seen = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 1] + "…"
