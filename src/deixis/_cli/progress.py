"""Progress on standard error: bars in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Self

from deixis._cli.terminal import console, visible


if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


QUIET_SECONDS = 2.0  # what is done by then needs no progress
LINE_SECONDS = 5.0
COMPILING = "the first run compiles the kernels, which takes about a minute; `deixis warm` does it once and for all"


class Stages:
    """Progress of work in several stages, each with a number of examples, as a context manager.

    Nothing is shown of work that is done within two seconds. Called as `progress(stage, done, total)`; a total of None
    is one that nobody knows. A note such as the loss of a model stands behind the numbers; speed is then reckoned from
    where the stage was first told of, since it may go on with what was done before. A stage that begins soon after a
    line and then takes long without a word gets a line of its own.
    """

    def __init__(self, *, compiles: bool = False) -> None:
        self.start = self.latest_line = time.monotonic()
        self.stage_start: dict[str, float] = {}
        self.done_before: dict[str, int] = {}  # what had been done of a stage with notes when it was first told of
        self.bars: Progress | None = None
        self.tasks: dict[str, TaskID] = {}
        self.latest: tuple[str, int, int | None, str] = ("", 0, None, "")
        self.reminder: threading.Timer | None = None
        self.is_told = threading.Event()
        self.patience = threading.Thread(target=self._wait, daemon=True) if compiles else None

    def __enter__(self) -> Self:
        if self.patience:
            self.patience.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_told.set()
        if self.reminder:
            self.reminder.cancel()
        if self.bars:
            self.bars.stop()

    def __call__(self, stage: str, done: int, total: int | None, note: str = "", /) -> None:
        """`done` of `total` examples of a stage are ready."""
        self.is_told.set()
        self.latest = stage, done, total, note
        now = time.monotonic()
        begins = stage not in self.stage_start
        if begins:
            self.stage_start[stage] = now if self.stage_start or note else self.start
            self.done_before[stage] = done if note else 0
        is_quick = now - self.start < QUIET_SECONDS
        if sys.stderr.isatty():
            if not is_quick:
                self._move_bar(stage, done, total, note)
        elif not is_quick and now - self.latest_line >= LINE_SECONDS:
            self._print_line(now)
        elif begins:
            self._remind()

    def _print_line(self, now: float) -> None:
        """How far it is now."""
        self.latest_line = now
        stage, done, total, note = self.latest
        line = self._line(stage, done, total, now - self.stage_start[stage], before=self.done_before[stage])
        print(line + (f"; {note}" if note else ""), file=sys.stderr, flush=True)

    def _remind(self) -> None:
        """Print a line in a while, unless one is printed before."""
        if self.reminder:
            self.reminder.cancel()
        before = self.latest_line

        def tell() -> None:
            if self.latest_line == before:
                self._print_line(time.monotonic())

        self.reminder = threading.Timer(LINE_SECONDS, tell)
        self.reminder.daemon = True
        self.reminder.start()

    def _move_bar(self, stage: str, done: int, total: int | None, note: str) -> None:
        if self.bars is None:
            self.bars = _bars()
            self.bars.start()
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(visible(stage), total=total, note="")
        self.bars.update(self.tasks[stage], completed=done, total=total, note=visible(note))

    @staticmethod
    def _line(stage: str, done: int, total: int | None, seconds: float, *, before: int = 0) -> str:
        rate = (done - before) / seconds if seconds > 0 else 0.0
        line = f"{stage}: {done:,} of {total:,}" if total else f"{stage}: {done:,}" if done else stage
        if rate:
            line += f", {rate:,.{0 if rate >= 10 else 1}f} per second"
            line += f", {_duration((total - done) / rate)} left" if total else ""
        return line

    def _wait(self) -> None:
        """Say once that kernels are compiled, if that is what the first progress waits for."""
        while not self.is_told.wait(QUIET_SECONDS):
            if time.monotonic() - self.start >= 3 * QUIET_SECONDS and is_compiling():
                print(COMPILING, file=sys.stderr, flush=True)
                return


def is_compiling() -> bool:
    """Return whether some kernel had no machine code on disk in this run."""
    loaded = [module for name, module in sys.modules.copy().items() if "._kernels." in name]
    kernels = (kernel for module in loaded for kernel in vars(module).copy().values())
    return any(getattr(getattr(kernel, "stats", None), "cache_misses", None) for kernel in kernels)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _bars() -> Progress:
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
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[note]}", style="progress.data.speed", markup=False),
        console=console(stderr=True),
    )
