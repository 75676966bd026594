"""How a model was trained, from what training leaves in its folder while it goes on and when it is done."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset
from deixis.reports.runs import Look, Step


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


__all__ = ["Training", "find_training"]

RUN, LOG = "run.json", "log.jsonl"
LARGEST = 64 << 20  # bytes of a file


@dataclass(frozen=True, kw_only=True)
class Training:
    """One training.

    Attributes:
        model: the name of the model; empty where it is not said.
        data: the name of the dataset that it learns from.
        digest: of that dataset's content.
        facts: what else is worth telling, as words.
        steps: the loss as it goes, in the order of updates.
        looks: the exact match on dev as it goes.
        best: the update whose weights are kept, if that is said.
    """

    model: str = ""
    data: str = ""
    digest: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    looks: tuple[Look, ...] = ()
    best: int | None = None


def find_training(folder: Path) -> Training | None:
    """The training in a folder, None where there is none.

    Raises:
        BrokenDataset: when a file cannot be read as training writes it.
    """
    run, log = folder / RUN, folder / LOG
    if not run.is_file() and not log.is_file():
        return None
    facts = _object(_text(run), RUN) if run.is_file() else {}
    losses: dict[int, float] = {}
    looks: dict[int, float] = {}
    for line in _lines(log) if log.is_file() else ():
        update = _number(line, "update")
        if isinstance(line.get("loss"), int | float) and math.isfinite(line["loss"]):  # a training may go astray
            losses[int(update)] = float(line["loss"])
        dev = line.get("dev")
        if isinstance(dev, dict):
            looks[int(update)] = _number(dev, "exact")
    trained_on, selection = _inner(facts, "training"), _inner(facts, "selection")
    best = selection.get("best_update")
    return Training(
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
        ("updates", facts.get("updates")),
        ("examples in each", facts.get("batch")),
        ("examples to learn from", trained_on.get("examples")),
        ("numbers in the model", facts.get("parameters")),
        ("best after update", selection.get("best_update")),
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
            yield _object(line, f"{LOG}, line {number}")


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST else None
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"{path.name} cannot be read: {error}") from error
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
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise BrokenDataset(f"a line of {LOG} has no number under {key!r}")
    return float(value)
