"""`deixis evaluate` that is stopped or killed: the same command goes on from what is finished, to the same bytes."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.data._pieces import UNFINISHED, KeptPieces
from tests.cli.interrupted import Interrupted, Making, files
from tests.readers.samples import write_sample


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


pytestmark = pytest.mark.slow
LONG = {  # some seconds of work in many pieces, and how many of them are kept when the command is stopped
    "captions": (("speakers", "--count", "300"), (1, 60, 145)),
    "boxes": (("random", "--data", "BOXES"), (1, 20)),
}
MOMENTS = [(name, pieces) for name, (_, moments) in LONG.items() for pieces in moments]


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of boxes."""
    return write_sample("refcoco", tmp_path_factory.mktemp("boxes"), 12_000)[0]


@pytest.fixture(scope="module")
def whole(boxes: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """The files of every evaluation that nobody stopped."""
    found = {}
    for name in LONG:
        out = tmp_path_factory.mktemp("whole") / name
        assert main(evaluation(name, boxes).command(out)) == 0
        found[name] = files(out)
    return found


def evaluation(name: str, boxes: Path, *more: str) -> Interrupted:
    """The command, which can be stopped once so many pieces are kept."""
    words = tuple(str(boxes) if word == "BOXES" else word for word in LONG[name][0])
    moments = {str(pieces): _are_kept(pieces) for pieces in LONG[name][1]}
    making = Making(words=("evaluate", *words, "--workers", "1", *more), moments=moments, begun="1")
    return Interrupted(making, making.words)


def _are_kept(pieces: int) -> Callable[[Path], bool]:
    def holds(out: Path) -> bool:
        try:
            return (out / UNFINISHED / "evaluation.jsonl").read_bytes().count(b"\n") > pieces
        except OSError:
            return False

    return holds


@pytest.mark.parametrize(("name", "after"), MOMENTS)
def test_a_killed_evaluation_goes_on(name, after, boxes, whole, tmp_path, capsys, monkeypatch):
    """After kill -9 the same command judges what is left, and every file is as if nothing had happened."""
    out, command = tmp_path / "out", evaluation(name, boxes)
    killed = command.stop_with(signal.SIGKILL, out, str(after))
    whole_lines, _, _ = (out / UNFINISHED / "evaluation.jsonl").read_bytes().rpartition(b"\n")  # the last may be torn
    kept = whole_lines.splitlines()
    again, keep = [], KeptPieces.keep
    monkeypatch.setattr(KeptPieces, "keep", lambda self, *piece: (again.append(piece[0]), keep(self, *piece)))

    assert main(command.command(out)) == 0

    assert killed.returncode == -signal.SIGKILL
    assert len(kept) > after  # the first line says what they are about
    assert not [piece for piece in again if any(f'["{piece}", '.encode() in line for line in kept)]
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("Went on from what was kept when the same work was stopped: ")
    assert files(out) == whole[name]


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_says_that_the_same_command_goes_on(name, boxes, whole, tmp_path, capsys):
    """In its last line; and it does."""
    out, command = tmp_path / "out", evaluation(name, boxes)

    stopped = command.stop_with(signal.SIGINT, out, "1")

    assert stopped.returncode == 130
    assert stopped.stdout == ""
    last = stopped.stderr.splitlines()[-1]
    assert last == f"deixis: stopped; what is finished is kept in {out}, the same command goes on from there"
    assert main(command.command(out)) == 0
    assert files(out) == whole[name]


def test_json_is_the_same_after_a_stop(boxes, tmp_path, capsys):
    """What `--json` prints does not tell that the command was stopped."""
    command = evaluation("boxes", boxes, "--json")
    command.stop_with(signal.SIGINT, tmp_path / "out", "1")

    assert main(command.command(tmp_path / "out")) == 0
    resumed = capsys.readouterr().out
    assert main([*command.words]) == 0

    assert json.loads(resumed) == json.loads(capsys.readouterr().out)
