"""Making the paper-size set: what one process does by itself, what all of them share, and a model of more cores.

python -m benchmarks.making --write docs/results/making.md
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.machine import describe_machine
from deixis.data._processes import process_crew
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Mode, Scale, reascan


__all__ = ["MakingTimes", "measure_making"]

MODES: tuple[Mode, ...] = ("compatible", "corrected", "every-word")
CORES = (1, 2, 4, 8, 16)


class MakingTimes(NamedTuple):
    """CPU seconds of one run.

    Attributes:
        examples: that were made.
        alone: of the main thread of the process that was started, which hands out work and puts results together.
        beside: of its other threads, which wait for workers and take note of their files.
        shared: of all workers, without their start.
        wall: seconds by the clock.
    """

    mode: str
    examples: int
    alone: float
    beside: float
    shared: float
    wall: float

    def model(self, cores: int, start: float) -> float:
        """Amdahl's law: what one process does alone stays as it is, the rest is divided among the cores."""
        return start + self.alone + self.beside + self.shared / cores


def start_up() -> float:
    """CPU seconds in which a worker becomes ready: modules, and the compiled kernels from their cache."""
    with TemporaryDirectory() as folder:
        make(reascan(mode="compatible", scale="small", patterns=("p1",), hold_out=()), Path(folder) / "out", workers=1)
    return time.process_time()


def measure_making(mode: Mode, scale: Scale, workers: int, start: float) -> MakingTimes:
    """Make a dataset and take the times."""
    with TemporaryDirectory() as folder:
        before, process, thread, wall = _of_children(), time.process_time(), time.thread_time(), time.perf_counter()
        dataset = make(reascan(mode=mode, scale=scale), Path(folder) / "out", workers=workers)
        alone, all_here = time.thread_time() - thread, time.process_time() - process
        took = time.perf_counter() - wall
    children = _of_children() - before
    return MakingTimes(
        mode, dataset.manifest["examples"], alone, all_here - alone, max(0.0, children - workers * start), took
    )


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def as_page(rows: list[MakingTimes], *, scale: str, workers: int, start: float) -> str:
    """The page."""
    lines = [
        f"| {one.mode} | {one.examples:,} | {one.alone:.2f} s | {one.beside:.2f} s | {one.shared:.1f} s | "
        f"{one.wall:.1f} s | " + " | ".join(f"{one.model(cores, start):.1f} s" for cores in CORES) + " | "
        f"{one.model(2, start) / one.model(16, start):.1f} times |"
        for one in rows
    ]
    head = " | ".join(f"{cores} core{'s' * (cores > 1)}" for cores in CORES)
    return PAGE.format(
        machine=describe_machine(),
        scale=scale,
        workers=workers,
        start=start,
        head=head,
        rule="|".join("---" for _ in range(7 + len(CORES))),
        rows="\n".join(lines),
    )


PAGE = """\
# Making on many cores

Made by `python -m benchmarks.making --scale {scale} --write docs/results/making.md` on {machine}.

CPU seconds of making ReaSCAN at `--scale {scale}` with {workers} workers, and a **model** of other numbers of cores.
Only the columns up to *by the clock* were measured, on a machine with other work; nothing on this page was measured on
more than {workers} cores.

| mode | examples | alone | beside | shared | by the clock | {head} | from 2 to 16 cores |
|{rule}|
{rows}

- *Alone* is the main thread of the process that was started: it chooses commands, hands them out, divides examples and
  puts proofs, counts and hashes together. *Beside* are its other threads, which wait for workers and take note of their
  files.
- *Shared* is what the workers do: making shards and keeping them on disk, proving them, writing files. They start in
  {start:.2f} s of CPU time each, at the same time.
- The model is Amdahl's: start + alone + beside + shared / cores. It takes nothing that is done alone or beside as
  hidden behind the work of others, though much is, and leaves out what 16 cores share otherwise: memory, caches and
  the disk.
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.making", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--scale", choices=("medium", "paper"), default="paper")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--write", type=Path, help="write the page as Markdown")
    options = parser.parse_args(arguments)
    start_up()  # compiled before the clock starts
    with process_crew(1) as crew:
        known = import_module("benchmarks.making")  # as a worker knows what is `__main__` here
        start = crew.submit(known.start_up).result()
    rows = [measure_making(mode, options.scale, options.workers, start) for mode in options.modes]
    text = as_page(rows, scale=options.scale, workers=options.workers, start=start)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
