"""What training and judging left in the folder of a run, as far as it is the same for every model.

| in the folder | |
|---|---|
| `run.json` | how the model was trained: settings, data, seed, updates, time |
| `log.jsonl` | how that went: the loss, and what was measured on the way |
| `evaluation.json` | how well it does |

Only what reports need is read; whatever else the files hold is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from deixis.errors import BrokenDataset
from deixis.learn.run import rename_facts
from deixis.report.json_facts import fact_lines, printable, read_facts


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.report.json_facts import Facts


__all__ = [
    "EVALUATION",
    "LOG",
    "RUN",
    "Logged",
    "Look",
    "Step",
    "course_of",
    "find_facts",
    "read_log",
    "read_run_facts",
]

RUN, EVALUATION, LOG = "run.json", "evaluation.json", "log.jsonl"


class Step(NamedTuple):
    """The loss after so many updates."""

    update: int
    loss: float


class Look(NamedTuple):
    """What was measured on held-out examples after so many updates."""

    update: int
    values: Mapping[str, float]


class Logged(Protocol):
    """A run of which curves can be drawn."""

    @property
    def batch(self) -> int:
        """How many examples an update was made with; 0 where nobody says."""

    @property
    def best_update(self) -> int | None:
        """The update whose weights were kept, if that is said."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The loss as it went."""

    @property
    def looks(self) -> tuple[Look, ...]:
        """What was measured as it went."""


def find_facts(folder: Path, name: str) -> Mapping[str, Any]:
    """What one of the files says, to find out whose it is; nothing where it cannot be read, which is said later."""
    try:
        return read_facts(folder / name, hint="").values
    except (BrokenDataset, OSError):
        return {}


def read_run_facts(path: Path, *, hint: str) -> Facts:
    """Read run.json under today's names, whichever version wrote it; `BrokenDataset` where it cannot be read."""
    return read_facts(path, hint=hint, kind="run").map(rename_facts)


def course_of(facts: Facts) -> dict[str, Any]:
    """What run.json says of any training, by the names of the fields of runs."""
    return {
        "seed": facts.find_count("seed"),
        "updates": facts.find_count("steps") or 0,
        "batch": facts.find_count("batch_size") or 0,
        "device": facts.text("device", ""),
        "seconds": facts.find_number("seconds"),
        "examples_per_second": facts.find_number("examples_per_second"),
    }


def read_log(path: Path) -> dict[str, Any]:
    """The curves in a log, as the fields `steps` and `looks`; none where there is no log.

    After a run was resumed, what was logged last of an update counts.
    """
    losses: dict[int, float] = {}
    looks: dict[int, dict[str, float]] = {}
    for line in fact_lines(path) if path.exists() else ():
        facts = line.map(rename_facts)
        update = facts.count("step")
        if "loss" in facts.values:
            losses[update] = facts.number("loss")
        if "dev" in facts.values:
            seen = facts.inner("dev")
            looks[update] = {printable(key): seen.number(key) for key in seen.values}
    return {
        "steps": tuple(Step(*entry) for entry in sorted(losses.items())),
        "looks": tuple(Look(*entry) for entry in sorted(looks.items())),
    }
