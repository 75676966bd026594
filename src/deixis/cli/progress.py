"""How far things are, on standard error: bars in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Self


if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


__all__ = ["Stages"]

QUIET_SECONDS = 2.0  # what is done by then needs no progress
LINE_SECONDS = 5.0
COMPILING = "the first run compiles the kernels, which takes about a minute; `deixis warm` does it once and for all"


class Stages:
    """Progress of work with several stages, each of so many examples; a context manager.

    Nothing is shown of work that is done within two seconds. Called as `progress(stage, done, total)`; a total of None
    is one that nobody knows. A note such as the loss of a model stands behind the numbers; speed is then reckoned from
    where the stage was first told of, since it may go on with what was done before.
    """

    def __init__(self, *, compiles: bool = False) -> None:
        self.start = self.latest_line = time.monotonic()
        self.stage_start: dict[str, float] = {}
        self.done_before: dict[str, int] = {}  # what had been done of a stage with notes when it was first told of
        self.bars: Progress | None = None
        self.tasks: dict[str, TaskID] = {}
        self.patience = threading.Timer(3 * QUIET_SECONDS, self._say_that_it_compiles) if compiles else None

    def __enter__(self) -> Self:
        if self.patience:
            self.patience.daemon = True
            self.patience.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_waiting()
        if self.bars:
            self.bars.stop()

    def __call__(self, stage: str, done: int, total: int | None, note: str = "", /) -> None:
        """`done` of `total` examples of a stage are ready."""
        self._stop_waiting()
        now = time.monotonic()
        if stage not in self.stage_start:
            self.stage_start[stage] = now if self.stage_start or note else self.start
            self.done_before[stage] = done if note else 0
        if now - self.start < QUIET_SECONDS:
            return
        if sys.stderr.isatty():
            self._move_bar(stage, done, total, note)
        elif now - self.latest_line >= LINE_SECONDS:
            self.latest_line = now
            line = self._line(stage, done, total, now - self.stage_start[stage], before=self.done_before[stage])
            print(line + (f"; {note}" if note else ""), file=sys.stderr, flush=True)

    def _move_bar(self, stage: str, done: int, total: int | None, note: str) -> None:
        if self.bars is None:
            self.bars = _bars()
            self.bars.start()
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(stage, total=total, note="")
        self.bars.update(self.tasks[stage], completed=done, total=total, note=note)

    @staticmethod
    def _line(stage: str, done: int, total: int | None, seconds: float, *, before: int = 0) -> str:
        rate = (done - before) / seconds if seconds > 0 else 0.0
        line = f"{stage}: {done:,}" + (f" of {total:,}" if total else "")
        if rate:
            line += f", {rate:,.{0 if rate >= 10 else 1}f} per second"
            line += f", {_duration((total - done) / rate)} left" if total else ""
        return line

    def _say_that_it_compiles(self) -> None:
        print(COMPILING, file=sys.stderr, flush=True)

    def _stop_waiting(self) -> None:
        if self.patience:
            self.patience.cancel()
            self.patience = None


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _bars() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.{0 if speed >= 10 else 1}f}/s" if speed else "", style="progress.data.speed")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[note]}", style="progress.data.speed"),
        console=Console(stderr=True),
    )
