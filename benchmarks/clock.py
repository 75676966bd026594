"""Making ReaSCAN by the clock with few and with many workers, on a machine that does nothing else.

Run as `python -m benchmarks.clock --workers 2,16`. Every set is made in a process of its own, after kernels have been
compiled, and all figures of one mode are of one run of this command. `--times` keeps them as JSON Lines, and `--table
--times FILE` prints the table of such a file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan


MODES = ("compatible", "corrected", "every-word")


def measure(mode: str, scale: str, workers: int, folder: Path) -> dict[str, Any]:
    """Make a set once and return what it took."""
    start, cpu, thread = time.perf_counter(), time.process_time(), time.thread_time()
    made = make(reascan(mode=mode, scale=scale), folder, workers=workers)  # type: ignore[arg-type]
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "mode": mode,
        "scale": scale,
        "workers": workers,
        "wall": round(wall, 2),
        "cpu here": round(time.process_time() - cpu, 2),
        "main thread": round(time.thread_time() - thread, 2),
        "cpu of children": round(used.ru_utime + used.ru_stime, 2),
        "examples": made.manifest["examples"],
        "cores": os.cpu_count(),
        "content": made.manifest["content"][:16],
        "manifest": sha256((folder / "manifest.json").read_bytes()).hexdigest()[:16],
    }


def in_a_process(mode: str, scale: str, workers: int) -> dict[str, Any]:
    """Measure in a process of its own."""
    asked = [sys.executable, "-m", "benchmarks.clock", "--one", mode, scale, str(workers)]
    told = subprocess.run(asked, check=True, capture_output=True, text=True)  # noqa: S603 (our own module)
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def as_table(rows: list[dict[str, Any]]) -> str:
    """Return the table in Markdown, with how many times as fast the most workers are as the fewest."""
    lines = [
        "| mode | scale | examples | workers | by the clock | examples/s | CPU, workers | CPU, main thread | times |"
    ]
    lines.append("|---" * 9 + "|")
    for row in sorted(rows, key=lambda one: (MODES.index(one["mode"]), one["scale"], one["workers"])):
        same = [one for one in rows if (one["mode"], one["scale"]) == (row["mode"], row["scale"])]
        assert len({one["manifest"] for one in same}) == 1, "the bytes depend on the number of workers"
        least = min(same, key=lambda one: one["workers"])
        times = f"{least['wall'] / row['wall']:.1f}" if row is not least else ""
        lines.append(
            f"| {row['mode']} | {row['scale']} | {row['examples']:,} | {row['workers']} | {row['wall']:.1f} s | "
            f"{row['examples'] / row['wall']:,.0f} | {row['cpu of children']:.0f} s | "
            f"{row['main thread']:.1f} s | {times} |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure all modes, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clock", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--workers", default=f"2,{os.cpu_count()}")
    parser.add_argument("--scales", default="paper", help="paper, medium or small; several separated by commas")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--times", type=Path, help="a file of JSON Lines to which times are added")
    parser.add_argument("--table", action="store_true", help="measure nothing: print the table of --times")
    parser.add_argument("--one", nargs=3, metavar=("MODE", "SCALE", "WORKERS"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        mode, scale, workers = options.one
        with TemporaryDirectory() as folder:
            print(json.dumps(measure(mode, scale, int(workers), Path(folder) / "out")))
        return 0
    rows: list[dict[str, Any]] = []
    modes = [] if options.table else options.modes.split(",")
    for mode in modes:
        in_a_process(mode, "small", 1)  # compiles
    for mode in modes:
        for scale in options.scales.split(","):
            for workers in options.workers.split(","):
                rows.append(in_a_process(mode, scale, int(workers)))
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    if options.times and options.table:
        rows = [json.loads(line) for line in options.times.read_text(encoding="utf-8").splitlines()]
    elif options.times:
        with options.times.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    print(as_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
