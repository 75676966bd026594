"""Many visitors at once: how long pages take when two hundred are asked for at the same time.

Twice: pages of one gallery, and the pages of a whole studio mixed (first page, results, galleries, examples of each
world, playground, play), of which every visitor takes another one each time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.machine import Row
from deixis._studio.library import Library
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["measure_load"]

VISITORS = 200
SECONDS = 30.0
PAGES = (
    "",
    "page=2",
    "page=3",
    "split=train",
    "split=train&page=2",
    "split=test",
    "pattern=p3",
    "verb=push",
    "text=red",
)
EXAMPLES = 60  # pages of examples among the mixed ones, by world
MIXED = ("/", "/results", "/play", "/playground", "/results?run=random", "/results/examples?run=random")
ASKED = "Accept: text/html\r\nAccept-Encoding: gzip\r\n"  # as browsers do
SERVE = """
import sys
from pathlib import Path
from deixis._studio.demo import make_demo
from deixis._studio.server import serve
given = Path(sys.argv[1])
root = given if (given / "manifest.json").exists() else make_demo(given)
serve([root], port=0, opens=False, told=lambda address: print(address, flush=True))
"""


@dataclass
class Load:
    """What two hundred visitors saw."""

    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    bytes: int = 0


def measure_load(data: Path | None = None, *, visitors: int = VISITORS, seconds: float = SECONDS) -> list[Row]:
    """The time of a page while so many are always being waited for, the pages in a second, and the faults.

    Args:
        data: a dataset of grid worlds; that of the demo by default.
        visitors: each asks for the next page as soon as it has the last.
        seconds: how long.
    """
    with tempfile.TemporaryDirectory() as folder, _studio(data or Path(folder)) as address:
        shown = Library((data or Path(folder),)).of_kind("grid")
        pages = [f"/d/{entry.slug}?{query}".rstrip("?") for entry in shown for query in PAGES]
        asyncio.run(_visit_all(address, pages, 1, 2.0))  # whoever comes first waits for what is made once
        load = asyncio.run(_visit_all(address, pages, visitors, seconds))
        rows = _rows_of(load, f"gallery page, {visitors} at a time for {seconds:.0f} s", seconds, promised=100)
        if data is None:
            rows += measure_mixed(Path(folder), address, visitors=visitors, seconds=seconds)
    return rows


def measure_mixed(root: Path, address: str, *, visitors: int = VISITORS, seconds: float = SECONDS) -> list[Row]:
    """The same over all kinds of pages of the demo, none of which was asked for before."""
    pages = Stream(derive(0, "visitors")).permutation(_mixed_pages(Library((root,))))
    load = asyncio.run(_visit_all(address, pages, visitors, seconds, stride=7))
    return _rows_of(load, f"mixed pages, {visitors} at a time for {seconds:.0f} s", seconds)


def _mixed_pages(library: Library) -> list[str]:
    pages = [*MIXED] * 6
    for entry in library.of_kind("grid", "rooms", "photos"):
        pages += [f"/d/{entry.slug}"] * 6
        match entry.kind:
            case "grid":
                pages += [f"/d/{entry.slug}/{number}" for number in range(EXAMPLES)]
            case "rooms":
                pages += [f"/d/{entry.slug}/image/{4_801 * number}" for number in range(EXAMPLES)]
            case "photos":
                some = (example for split in entry.splits for example in entry.data.examples(split))
                pages += [f"/d/{entry.slug}/{example.id}" for example in islice(some, EXAMPLES)]
    return pages


def _rows_of(load: Load, name: str, seconds: float, promised: float | None = None) -> list[Row]:
    times = sorted(load.seconds) or [float("inf")]
    return [
        Row(f"{name}: median", 1e3 * statistics.median(times), "ms", at_most=promised),
        Row(f"{name}: 95 of 100 within", 1e3 * times[int(0.95 * (len(times) - 1))], "ms"),
        Row(f"{name}: pages", len(load.seconds) / seconds, "/s"),
        Row(f"{name}: size of a page", load.bytes / max(1, len(load.seconds)) / 1e3, "kB"),
        Row(f"{name}: errors", len(load.faults), "", at_most=0),
    ]


@contextmanager
def _studio(data: Path) -> Iterator[str]:
    """The address of a studio in a process of its own."""
    command = [sys.executable, "-c", SERVE, str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 (it is our own)
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


async def _visit_all(address: str, pages: list[str], visitors: int, seconds: float, stride: int = 1) -> Load:
    """Visit pages in turn; each visitor begins somewhere else."""
    load = Load()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(_visit(address, pages, stride * visitor, until, load) for visitor in range(visitors)))
    return load


async def _visit(address: str, pages: list[str], turn: int, until: float, load: Load) -> None:
    """One visitor: page after page over one connection."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=1 << 22)
    try:
        while time.perf_counter() < until:
            page = pages[turn % len(pages)]
            turn += 1
            start = time.perf_counter()
            writer.write(f"GET {page} HTTP/1.1\r\nHost: {place.netloc}\r\n{ASKED}\r\n".encode())
            status, size = await _read(reader)
            load.seconds.append(time.perf_counter() - start)
            load.bytes += size
            if status != 200:
                load.faults.append(f"{status} for {page}")
    except (OSError, ValueError, asyncio.IncompleteReadError) as error:
        load.faults.append(f"{type(error).__name__}: {error}")
    finally:
        writer.close()


async def _read(reader: asyncio.StreamReader) -> tuple[int, int]:
    """The status of an answer and the bytes of its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    status = int(head.split(" ", 2)[1])
    size = int(head.partition("content-length:")[2].partition("\r")[0])
    await reader.readexactly(size)
    return status, size


def main() -> int:
    """Measure and print; 1 when a promise is broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studio_load", description=__doc__)
    parser.add_argument("--data", type=Path, help="a dataset of grid worlds; that of the demo by default")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--visitors", type=int, default=VISITORS)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--mixed", metavar="ADDRESS", help="only the mixed pages of a studio that is open there")
    parser.add_argument("--demo", type=Path, help="the folder that that studio shows")
    options = parser.parse_args()
    if options.mixed:
        rows = measure_mixed(options.demo, options.mixed, visitors=options.visitors, seconds=options.seconds)
    else:
        rows = measure_load(options.data, visitors=options.visitors, seconds=options.seconds)
    if options.json:
        print(json.dumps([row._asdict() for row in rows], indent=1))
    else:
        for row in rows:
            print(f"{row.name}: {row.value:,.1f} {row.unit}" + (f" (promised: {row.promise})" if row.promise else ""))
    return int(any(row.is_broken for row in rows))


if __name__ == "__main__":
    sys.exit(main())
