"""The request of `deixis evaluate` to the part `judging` of a world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from deixis.data._crew import Crew
    from deixis.data._pieces import KeptPieces


__all__ = ["AGAIN", "ANSWERED", "BASELINES", "NONE", "NOT_ASKED", "NO_EXAMPLE", "Request", "says_none"]


BASELINES = ("random", "oracle")  # what every world answers without a model
NO_EXAMPLE, AGAIN = "its id is that of no example", "its example was answered before"  # why an answer is left out
NOT_ASKED, ANSWERED = "to an example that is not asked", "to an example that was answered before"  # what it is


NONE = ("none", "nothing", "not there")  # texts that say that nothing fits


def says_none(value: Any) -> bool:
    """Return whether a value in a file of answers says that nothing fits."""
    return value == [] or (isinstance(value, str) and value.strip().lower() in NONE)


def _say_nothing(_stage: str, _done: int, _total: int | None, _note: str = "", /) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Answers to be judged.

    Attributes:
        answers: files of answers, checkpoints, run folders, or names: of shipped models and of baselines.
        data: the dataset that was answered; None where none was named.
        splits: which of its splits; empty for those that the world judges by default.
        out: a folder for the results; None to write nothing.
        force: whether results of others that the folder holds are replaced.
        seed: of whatever is drawn.
        device: where a checkpoint computes: auto, cpu, cuda, cuda:1.
        workers: how many threads a model may use on a CPU; None for one per core.
        allow_losses: whether the rest is judged where more than one answer in a hundred is lost, as one to no example.
        crew: the workers of a cluster; None to judge here.
        kept: what was finished when the same request was stopped; None where nothing is kept.
        progress: told of a stage, how much of it is done, of how much (None where nobody knows), and maybe a note.
        options: what was given of the world's own options.
    """

    answers: tuple[Path, ...]
    data: Path | None = None
    splits: tuple[str, ...] = ()
    out: Path | None = None
    force: bool = False
    seed: int = 0
    device: str = "auto"
    workers: int | None = None
    allow_losses: bool = False
    crew: Crew | None = None
    kept: KeptPieces | None = None
    progress: Callable[..., None] = _say_nothing
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> Path:
        """The only source of answers.

        Raises `RecipeError` if there are several.
        """
        if len(self.answers) != 1:
            raise RecipeError(f"the answers of one model are judged at a time here; {len(self.answers)} were named")
        return self.answers[0]

    @property
    def folder(self) -> Path:
        """The dataset.

        Raises `RecipeError` if none was named.
        """
        if self.data is None:
            raise RecipeError("name the dataset that was answered with --data")
        return self.data
