"""Making that is stopped, killed, starved or contested: the same command finishes it, with the same result."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from deixis._cli import main
from tests.cli.interrupted import MAKINGS, PATIENCE_SECONDS, files


STOPPED = ("reascan", "copsref")  # all ways of making are killed; two are stopped, starved and contested, too
QUICK = ("reascan", "nothing is made")
COUNTED_APART = ("copsref", "some are drawn")  # what is drawn again after this moment is counted in another test
KILLS = [
    pytest.param(name, moment, marks=() if (name, moment) == QUICK else pytest.mark.slow)
    for name, making in MAKINGS.items()
    for moment in making.moments
    if (name, moment) != COUNTED_APART
]


@pytest.mark.parametrize(("name", "moment"), KILLS)
def test_a_kill_at_any_moment_is_survived(name, moment, undisturbed, tmp_path, capsys):
    """After kill -9 the same command finishes the dataset, with every file as if nothing had happened."""
    making, whole = undisturbed(name)
    out = tmp_path / "out"

    killed = making.stop_with(signal.SIGKILL, out, moment)

    assert killed.returncode == -signal.SIGKILL or moment in making.making.last
    assert main(making.command(out)) == 0
    assert files(out) == files(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]  # nothing is left beside it


@pytest.mark.slow
@pytest.mark.parametrize("name", STOPPED)
def test_ctrl_c_keeps_what_is_finished(name, undisturbed, tmp_path, capsys):
    """A stopped command says that the same one goes on; it does, and every file is as if nothing had happened."""
    making, whole = undisturbed(name)
    out = tmp_path / "out"

    stopped = making.stop_with(signal.SIGINT, out, making.making.begun)

    assert stopped.returncode == 130
    assert stopped.stdout == ""
    last = stopped.stderr.splitlines()[-1]
    assert last == f"deixis: stopped; what is finished is kept in {out}, the same command goes on from there"
    assert not (out / "manifest.json").exists()
    assert main(making.command(out)) == 0
    assert "going on from what was kept" in capsys.readouterr().out
    assert files(out) == files(whole)


@pytest.mark.parametrize("name", [pytest.param("reascan", marks=pytest.mark.slow), "copsref"])
def test_two_processes_cannot_share_a_folder(name, tmp_path, capsys):
    """The second one is refused in one line while the first goes on."""
    (tmp_path / "own").mkdir()
    making = MAKINGS[name].inside(tmp_path / "own")
    out = tmp_path / "out"
    first = making.start_until(making.making.begun, out)

    code = main(making.command(out))

    is_at_work = first.poll() is None
    first.kill()
    first.communicate(timeout=PATIENCE_SECONDS)
    complaint = capsys.readouterr().err
    assert is_at_work
    assert code == 2
    assert complaint.startswith(f"deixis: another process is making a dataset in {out}")
    assert complaint.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", STOPPED)
def test_a_full_disk_is_no_catastrophe(name, undisturbed, tmp_path, capsys):
    """Where no more can be written the command says so; with room again, it goes on to the same result."""
    making, whole = undisturbed(name)
    out = tmp_path / "out"
    starved = making.start(out, limit=making.making.limit)

    printed, complaint = starved.communicate(timeout=PATIENCE_SECONDS)

    assert starved.returncode == 2
    assert printed == ""
    last = complaint.splitlines()[-1]
    assert last.startswith("deixis: there is no space left on the disk")
    assert "the same command goes on" in last
    assert "Traceback" not in complaint
    assert main(making.command(out)) == 0
    assert files(out) == files(whole)


@pytest.mark.slow
def test_a_kill_while_files_are_written_is_survived(undisturbed, tmp_path, capsys):
    """Examples that were written before the manifest are written again; nothing stands in the way."""
    making, whole = undisturbed("reascan")
    out = tmp_path / "out"
    making.stop_with(signal.SIGINT, out, making.making.begun)
    (out / "data").mkdir()
    (out / "data" / "train-00000-of-00001.parquet").write_bytes(b"half a file")

    assert main(making.command(out)) == 0
    assert files(out) == files(whole)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_really_full_is_no_catastrophe(undisturbed, tmp_path):
    """The same with a disk of three hundred kilobytes instead of a limit."""
    making, _ = undisturbed("reascan")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(tmp_path)],  # noqa: S607
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("this machine does not let us mount a small disk")
    try:
        process = making.start(tmp_path / "out")
        _, complaint = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)  # noqa: S607

    assert process.returncode == 2
    assert complaint.splitlines()[-1].startswith("deixis: there is no space left on the disk")
    assert "Traceback" not in complaint
