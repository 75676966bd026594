"""Commands that make datasets, in processes of their own that are stopped at a moment: killed, interrupted, starved."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.frozen.graphs import scene_graphs


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Moment = Callable[[Path], bool]


PATIENCE_SECONDS = 240  # a cold start compiles
IMAGES = 48  # of Cops-Ref, in three parts
GRAPHS = 90  # that are given, of which more than one part are for training
LONG = """
mode = "corrected"
seed = 3
hold_out = []

[[pools]]
name = "p2"
pattern = "p2"
commands = 1800
worlds = 30
"""
LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
sys.argv[0] = "deixis"
runpy.run_module("deixis", run_name="__main__")
"""
COPSREF = ("make", "copsref", "--seed", "3", "--workers", "1")
EVERY_WORD = (*COPSREF, "--mode", "every-word")


@dataclass(frozen=True, kw_only=True)
class Making:
    """A command that makes a dataset, and moments on its way.

    Attributes:
        words: the command; `FOLDER` in it stands for a folder of its own.
        moments: by name, what has happened in the folder of the dataset.
        begun: the name of a moment at which something is finished, and much is not.
        last: the names of moments so late that the process may end before it is stopped.
        limit: bytes of a file, less than the largest has.
        files: what has to lie in the folder of its own, by name.
    """

    words: tuple[str, ...]
    moments: Mapping[str, Moment]
    begun: str
    last: tuple[str, ...] = ()
    limit: int = 0
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    def inside(self, folder: Path) -> Interrupted:
        """The command with its files written to a folder."""
        for name, content in self.files.items():
            (folder / name).write_text(content(), encoding="utf-8")
        return Interrupted(self, tuple(word.replace("FOLDER", str(folder)) for word in self.words))


@dataclass(frozen=True)
class Interrupted:
    """A command that can be run, started and stopped."""

    making: Making
    words: tuple[str, ...]

    def command(self, out: Path, *more: str) -> list[str]:
        """The words of the command for a folder."""
        return [*self.words, "--out", str(out), *more]

    def start(self, out: Path, *, limit: int = 0) -> subprocess.Popen[str]:
        """Run it in a process of its own, which may be allowed only so many bytes in a file."""
        run = ["-c", LIMITED.format(limit)] if limit else ["-m", "deixis"]
        line = [sys.executable, *run, *self.command(out)]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def start_until(self, moment: str, out: Path) -> subprocess.Popen[str]:
        """Run it in a process of its own, and wait for a moment."""
        process = self.start(out)
        _wait_until(lambda: self.making.moments[moment](out), process)
        return process

    def stop_with(self, number: int, out: Path, moment: str) -> subprocess.CompletedProcess[str]:
        """Run it in a process of its own, and send that a signal at a moment."""
        process = self.start_until(moment, out)
        process.send_signal(number)
        printed, complaint = process.communicate(timeout=PATIENCE_SECONDS)
        return subprocess.CompletedProcess(process.args, process.returncode, printed, complaint)


def files(out: Path) -> dict[str, bytes]:
    """Everything in a folder."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def _wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something holds, as long as the process runs."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert process.poll() is None, f"the process ended too early: {process.communicate()}"
        assert time.monotonic() < end, "the process took too long"
        time.sleep(0.002)


def _shards(count: int) -> Moment:
    """So many shards are finished."""
    return lambda out: len(list((out / ".partial").glob("p2-*.arrow"))) >= count


def _finished(path: str) -> Moment:
    """A file is finished."""
    return lambda out: path in _list_finished(out)


def _part(name: str) -> Moment:
    """A part that is needed on the way is finished."""
    return _finished(f".partial/{name}.parquet")


def _list_finished(out: Path) -> set[str]:
    try:
        _, *lines = (out / ".partial" / "finished.jsonl").read_text(encoding="utf-8").splitlines()
        return {json.loads(line)["path"] for line in lines}
    except (OSError, ValueError):
        return set()


def _exists(name: str) -> Moment:
    """Something lies in the folder."""
    return lambda out: (out / name).exists()


MAKINGS = {
    "reascan": Making(
        words=("make", "reascan", "--recipe", "FOLDER/long.toml", "--workers", "1"),
        files={"long.toml": lambda: LONG},
        moments={"nothing is made": _shards(0), "two shards are made": _shards(2), "three shards are made": _shards(3)},
        begun="two shards are made",
        limit=200_000,
    ),
    "copsref": Making(
        words=(*COPSREF, "--images", str(IMAGES), "--each", "1", "--closed-world"),
        moments={
            "nothing is drawn": _exists(".partial"),
            "some are drawn": _part("scenes-00000"),
            "the graphs are written": _finished("imagined/truth.json"),
            "everything is said": _part("said-00000"),
            "the images of val are found": _part("val-00000"),
            "val is finished": _part("val"),
            "the data are written": _exists("data"),
            "the scenes are written": _exists("scenes"),
            "the pictures are written": _exists("images"),
            "the manifest is written": _exists("manifest.json"),
        },
        begun="some are drawn",
        last=("the data are written", "the scenes are written", "the pictures are written", "the manifest is written"),
        limit=300_000,
    ),
    "every word, imagined": Making(
        words=(*EVERY_WORD, "--images", "24", "--candidates", "4", "--val", "0.2", "--test", "0.2"),
        moments={
            "some is said": _part("every-word-train-00000"),
            "a split is said": _part("every-word-val-00000"),
            "some twins are drawn": _part("twins-00000"),
            "some families are shown": _part("families-train-00000"),
            "the data are written": _exists("data"),
        },
        begun="some is said",
    ),
    "every word, given": Making(
        words=(
            *(*EVERY_WORD, "--scenes", "FOLDER/graphs.json", "--candidates", "6"),
            *("--val", "0.08", "--test", "0.08"),
        ),
        files={"graphs.json": lambda: json.dumps(scene_graphs(GRAPHS))},
        moments={
            "some is said": _part("every-word-train-00000"),
            "all is said": _part("every-word-test-00000"),
            "the scenes are written": _exists("scenes"),
        },
        begun="some is said",
    ),
}
