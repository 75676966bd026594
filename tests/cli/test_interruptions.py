"""Making that is stopped, killed, starved or contested: the same command finishes it, with the same result."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
PATIENCE_SECONDS = 240  # a cold start compiles


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some seconds of work in twelve shards."""
    path = tmp_path_factory.mktemp("long") / "long.toml"
    path.write_text(LONG, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, recipe: Path) -> Path:
    """The dataset made in one go."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert main(command(recipe, out)) == 0
    return out


def command(recipe: Path, out: Path) -> list[str]:
    return ["make", "reascan", "--recipe", str(recipe), "--out", str(out), "--workers", "1"]


def start(recipe: Path, out: Path, **options) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    line = [sys.executable, "-m", "deixis", *command(recipe, out)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something holds, as long as the process runs."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert process.poll() is None, f"the process ended too early: {process.communicate()}"
        assert time.monotonic() < end, "the process took too long"
        time.sleep(0.01)


def shards(out: Path) -> int:
    """How many shards are finished."""
    return len(list((out / ".partial").glob("p2-*.arrow")))


def stop_with(number: int, recipe: Path, out: Path, *, after: int) -> subprocess.CompletedProcess[str]:
    """Send a signal to the command once so many shards are finished."""
    process = start(recipe, out)
    wait_until(lambda: shards(out) >= after, process)
    process.send_signal(number)
    printed, complaint = process.communicate(timeout=PATIENCE_SECONDS)
    return subprocess.CompletedProcess(process.args, process.returncode, printed, complaint)


def files(out: Path) -> dict[str, bytes]:
    """Everything in a folder."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(recipe, undisturbed, tmp_path, capsys):
    """A stopped command says that the same one goes on; it does, and every file is as if nothing had happened."""
    out = tmp_path / "out"

    stopped = stop_with(signal.SIGINT, recipe, out, after=2)

    assert stopped.returncode == 130
    assert stopped.stdout == ""
    last = stopped.stderr.splitlines()[-1]
    assert last == f"deixis: stopped; what is finished is kept in {out}, the same command goes on from there"
    assert not (out / "manifest.json").exists()
    assert main(command(recipe, out)) == 0
    assert "going on from what was kept" in capsys.readouterr().out
    assert files(out) == files(undisturbed)


@pytest.mark.parametrize("after", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_a_killed_process_loses_nothing_that_was_finished(after, recipe, undisturbed, tmp_path, capsys):
    """After kill -9 the same command finishes the dataset, with every file as if nothing had happened."""
    out = tmp_path / "out"

    killed = stop_with(signal.SIGKILL, recipe, out, after=after)

    assert killed.returncode == -signal.SIGKILL
    assert main(command(recipe, out)) == 0
    assert files(out) == files(undisturbed)


@pytest.mark.slow
def test_a_kill_while_files_are_written_is_survived(recipe, undisturbed, tmp_path, capsys):
    """Examples that were written before the manifest are written again; nothing stands in the way."""
    out = tmp_path / "out"
    stop_with(signal.SIGINT, recipe, out, after=2)
    (out / "data").mkdir()
    (out / "data" / "train-00000-of-00001.parquet").write_bytes(b"half a file")

    assert main(command(recipe, out)) == 0
    assert files(out) == files(undisturbed)


@pytest.mark.slow
def test_two_processes_cannot_share_a_folder(recipe, tmp_path, capsys):
    """The second one is refused in one line while the first goes on."""
    out = tmp_path / "out"
    first = start(recipe, out)
    wait_until(lambda: shards(out) >= 1, first)

    code = main(command(recipe, out))

    first.send_signal(signal.SIGINT)
    first.communicate(timeout=PATIENCE_SECONDS)
    complaint = capsys.readouterr().err
    assert code == 2
    assert complaint.startswith(f"deixis: another process is making a dataset in {out}")
    assert complaint.count("\n") == 1


@pytest.mark.slow
def test_a_full_disk_is_no_catastrophe(recipe, undisturbed, tmp_path, capsys):
    """Where no more can be written the command says so; with room again, it goes on to the same result."""
    out = tmp_path / "out"
    limit = 200_000  # bytes of a file, less than a shard has
    starved = start(recipe, out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    printed, complaint = starved.communicate(timeout=PATIENCE_SECONDS)

    assert starved.returncode == 2
    assert printed == ""
    last = complaint.splitlines()[-1]
    assert last.startswith("deixis: there is no space left on the disk")
    assert "the same command goes on" in last
    assert "Traceback" not in complaint
    assert main(command(recipe, out)) == 0
    assert files(out) == files(undisturbed)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_really_full_is_no_catastrophe(recipe, tmp_path):
    """The same with a disk of three hundred kilobytes instead of a limit."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(tmp_path)],  # noqa: S607
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("this machine does not let us mount a small disk")
    try:
        process = start(recipe, tmp_path / "out")
        _, complaint = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)  # noqa: S607

    assert process.returncode == 2
    assert complaint.splitlines()[-1].startswith("deixis: there is no space left on the disk")
    assert "Traceback" not in complaint
