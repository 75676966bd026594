"""From the command `deixis studio` to its first page: in a new process, with and without its files in memory.

A start is *warm* when the system has the files of the program and of the data in memory, and *cold* when they were
dropped from there before, as far as no other process uses them. The *first ever* start finds no byte code either.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from benchmarks.machine import Row, as_markdown


__all__ = ["measure_studio_start"]

TIMES = 3
PROMISED = 5  # seconds
PACKAGES = ("cyclopts", "deixis", "jinja2", "llvmlite", "networkx", "numba", "numpy", "pandas", "PIL", "pyarrow")
PACKAGES += ("rich", "scipy", "starlette", "uvicorn")


class Start(NamedTuple):
    """How long a start took, and the processor time that the server had used by then."""

    wall: float
    processor: float


def measure_studio_start(data: Path) -> list[Row]:
    """The least of several starts each.

    Args:
        data: the folder that the studio shows.
    """
    warm = [start_studio(data) for _ in range(TIMES + 1)][1:]
    cold = []
    for _ in range(TIMES):
        drop_files(data)
        cold.append(start_studio(data))
    with tempfile.TemporaryDirectory() as folder:
        first = start_studio(data, PYTHONPYCACHEPREFIX=folder)
    return [
        Row("first page, warm", min(one.wall for one in warm), "s", at_most=PROMISED),
        Row("processor time until then", min(one.processor for one in warm), "s", at_most=PROMISED),
        Row("first page, cold", min(one.wall for one in cold), "s", at_most=PROMISED),
        Row("processor time until then, cold", min(one.processor for one in cold), "s", at_most=PROMISED),
        Row("first page without byte code", first.wall, "s"),
        Row("processor time until then, without byte code", first.processor, "s"),
        Row("processes that waited for a core meanwhile", os.getloadavg()[0], "on average"),
    ]


def start_studio(data: Path, **environment: str) -> Start:
    """Start the command, fetch the first page from the address that it prints, and end it."""
    command = [sys.executable, "-m", "deixis", "studio", str(data), "--port", "0", "--no-browser"]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=kept | environment, text=True) as started:  # noqa: S603
        assert started.stdout is not None
        try:
            address = next(found[0] for line in started.stdout if (found := re.search(r"http://\S+", line)))
            with urlopen(address, timeout=120) as answer:  # noqa: S310 (our own server)
                assert b"</html>" in answer.read()
            wall = time.monotonic() - before
            fields = Path(f"/proc/{started.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            return Start(wall, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        finally:
            started.terminate()


def drop_files(data: Path) -> None:
    """Ask the system to forget the files of the data and of the packages that the studio uses."""
    specs = filter(None, map(importlib.util.find_spec, PACKAGES))
    folders = [Path(place) for spec in specs for place in spec.submodule_search_locations or ()]
    for folder in (*folders, data):
        for path in folder.rglob("*"):
            if path.is_file():
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(descriptor)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studio_start", description=__doc__)
    parser.add_argument("data", type=Path, help="a dataset, or a folder with several")
    told = measure_studio_start(parser.parse_args().data)
    about = "Times are wall-clock unless they are processor time, the least of three starts."
    print(as_markdown(told, "The start of the studio", "python -m benchmarks.studio_start DATA", about))
    sys.exit(any(row.is_broken for row in told))
