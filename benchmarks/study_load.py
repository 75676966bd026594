"""Two hundred participants of a study at once: how long an answer takes to be on the disk, and whether any is lost.

Each enters by a link of their own and answers one item after the other, several times as fast as people do.
Every acknowledged answer must be in the files afterwards.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchmarks.machine import Row, as_markdown
from deixis._study.design import DataCondition, make_study
from deixis._study.items import NONE
from deixis._study.journal import Journal
from deixis._study.settings import StudySettings
from deixis.prompts.tasks import task_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis._study.design import Study


__all__ = ["measure_study_load"]

PARTICIPANTS = 200
SECONDS = 30.0
ITEMS = 40
PAUSE = 0.7  # seconds between answers, several times as fast as people
ATTEMPTS = 5  # a connection that was idle may be closed; the page sends again, too
OK, KEPT_BEFORE = 200, 409
SETTINGS = StudySettings(items=ITEMS, practice=0, attention=0, participants=PARTICIPANTS, splits=("train",))


@dataclass
class Load:
    """The experience of all participants."""

    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    kept: dict[str, list[str]] = field(default_factory=dict)


def measure_study_load(seconds: float = SECONDS) -> list[Row]:
    """Return the time of an answer, answers in a second, faults, and acknowledged answers that are not on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        study = _study(Path(folder))
        with _server(study) as address:
            load = asyncio.run(_answer_all(address, sorted(study.tokens()), seconds))
        lost = _count_lost(study, load)
    name = f"study, {PARTICIPANTS} participants at a time for {seconds:.0f} s"
    times = sorted(load.seconds) or [float("inf")]
    return [
        Row(f"{name}: an answer is on the disk, median", 1e3 * statistics.median(times), "ms"),
        Row(f"{name}: 95 of 100 within", 1e3 * times[int(0.95 * (len(times) - 1))], "ms"),
        Row(f"{name}: answers", len(times) / seconds, "/s"),
        Row(f"{name}: errors", len(load.faults), "", at_most=0),
        Row(f"{name}: acknowledged answers that are lost", lost, "", at_most=0),
    ]


def _study(folder: Path) -> Study:
    pool = Pool(name="p1", pattern="p1", commands=40, worlds=2)
    make(Recipe(name="load", seed=5, pools=(pool,)), folder / "data", workers=1)
    data = folder / "data"
    return make_study([DataCondition("data", data, {})], SETTINGS, folder / "study", task=task_of(data))


def _count_lost(study: Study, load: Load) -> int:
    journal = Journal(study.folder / "answers")
    lost = 0
    for participant, items in load.kept.items():
        found = [line["item"] for line in journal.open(participant) if "item" in line]
        lost += sum(item not in found for item in items) + (found[: len(items)] != items)
    return lost


@contextmanager
def _server(study: Study) -> Iterator[str]:
    """Yield the address of the study in a process of its own."""
    command = [sys.executable, "-m", "deixis", "studio", "--study", str(study.folder), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 (it is our own)
        try:
            assert server.stdout is not None
            told = ""
            while not told.rstrip().endswith("}"):
                told += server.stdout.readline()
            yield json.loads(told)["address"]
        finally:
            server.terminate()


async def _answer_all(address: str, tokens: list[str], seconds: float) -> Load:
    load = Load()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(_take_part(address, token, until, load) for token in tokens))
    return load


async def _take_part(address: str, token: str, until: float, load: Load) -> None:
    """Enter, and answer until the time is over."""
    line = Line(address)
    try:
        status, told = await line.post("/enter", {"token": token})
        if status != OK:
            load.faults.append(f"{status}: {told}")
            return
        for number, item in enumerate(told["order"]):
            started = time.perf_counter()
            if started > until:
                return
            status, reply = await line.post("/answer", {"key": told["key"], "row": _row(number, item)})
            if status != OK and not (status == KEPT_BEFORE and reply.get("next") == number + 1):
                load.faults.append(f"{status}: {reply}")
                return
            load.seconds.append(time.perf_counter() - started)
            load.kept.setdefault(told["participant"], []).append(item)
            await asyncio.sleep(PAUSE)
    except (OSError, ValueError, asyncio.IncompleteReadError) as error:
        load.faults.append(f"{type(error).__name__}: {error}")
    finally:
        line.close()


def _row(place: int, item: str) -> dict[str, Any]:
    return {
        "trial_index": place,
        "item": item,
        "response": NONE,
        "rt": 1500,
        "first": 1200,
        "choices": [[1200, NONE]],
        "clicks": [[1190, 0, 0.5, 0.5]],
        "blurs": 0,
        "time_elapsed": 60_000,
        "screen": [1280, 800],
        "window": [1280, 700],
        "pixel_ratio": 1,
    }


class Line:
    """A connection that stays open, and is opened again where the server has closed it."""

    def __init__(self, address: str) -> None:
        self.place = urlsplit(address)
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, values: Any) -> tuple[int, Any]:
        """Send values, and return the status and the answer."""
        for attempt in range(ATTEMPTS):
            try:
                return await self._post(path, json.dumps(values).encode())
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _post(self, path: str, body: bytes) -> tuple[int, Any]:
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.place.hostname, self.place.port, limit=1 << 24)
        reader, writer = self.streams
        head = f"POST {path} HTTP/1.1\r\nHost: {self.place.netloc}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:"))
        return int(lines[0].split(" ")[1]), json.loads(await reader.readexactly(length))

    def close(self) -> None:
        """Close the connection."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    told = measure_study_load(parser.parse_args().seconds)
    print(as_markdown(told, "A study", "python -m benchmarks.study_load", "Times are wall-clock."))
    sys.exit(any(row.is_broken for row in told))
