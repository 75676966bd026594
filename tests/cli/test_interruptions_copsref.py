"""Making Cops-Ref that is stopped, killed, starved or contested: one folder, and the same command finishes it."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.worlds.photos.making import _imagining as imagining
from deixis.worlds.photos.making._imagined import imagine_scene


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


PATIENCE_SECONDS = 240  # a cold start compiles
IMAGES = 48  # in three parts


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset made in one go."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert main(command(out)) == 0
    return out


def command(out: Path, *more: str) -> list[str]:
    basis = ["make", "copsref", "--images", str(IMAGES), "--each", "1", "--closed-world", "--workers", "1"]
    return [*basis, "--seed", "3", "--out", str(out), *more]


def start(out: Path, **options) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    line = [sys.executable, "-m", "deixis", *command(out)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something holds, as long as the process runs."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert process.poll() is None, f"the process ended too early: {process.communicate()}"
        assert time.monotonic() < end, "the process took too long"
        time.sleep(0.002)


def finished(out: Path) -> set[str]:
    """The parts that are finished."""
    try:
        _, *lines = (out / ".partial" / "finished.jsonl").read_text(encoding="utf-8").splitlines()
        return {json.loads(line)["path"] for line in lines}
    except (OSError, ValueError):
        return set()


def part(name: str) -> str:
    return f".partial/{name}.parquet"


MOMENTS = {
    "nothing is drawn": lambda out: (out / ".partial").is_dir(),
    "some are drawn": lambda out: part("scenes-00000") in finished(out),
    "the graphs are written": lambda out: "imagined/truth.json" in finished(out),
    "everything is said": lambda out: part("said-00000") in finished(out),
    "the images of val are found": lambda out: part("val-00000") in finished(out),
    "val is finished": lambda out: part("val") in finished(out),
    "the data are written": lambda out: (out / "data").is_dir(),
    "the scenes are written": lambda out: (out / "scenes").is_dir(),
    "the pictures are written": lambda out: (out / "images").is_dir(),
    "the manifest is written": lambda out: (out / "manifest.json").is_file(),
}


def stop_with(number: int, out: Path, moment: str) -> subprocess.CompletedProcess[str]:
    """Send a signal to the command at a moment."""
    process = start(out)
    wait_until(lambda: MOMENTS[moment](out), process)
    process.send_signal(number)
    printed, complaint = process.communicate(timeout=PATIENCE_SECONDS)
    return subprocess.CompletedProcess(process.args, process.returncode, printed, complaint)


def files(out: Path) -> dict[str, bytes]:
    """Everything in a folder."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("moment", [name for name in MOMENTS if name != "some are drawn"])
def test_a_kill_at_any_moment_is_survived(moment, undisturbed, tmp_path, capsys):
    """After kill -9 the same command finishes the dataset, with every file as if nothing had happened."""
    out = tmp_path / "out"

    stop_with(signal.SIGKILL, out, moment)

    assert main(command(out)) == 0
    assert files(out) == files(undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]  # nothing is left beside it


@pytest.mark.slow
def test_a_killed_process_loses_nothing_that_was_finished(undisturbed, tmp_path, capsys, monkeypatch):
    """Scenes that were drawn before the kill are not drawn again, the result is the same, and nothing else is left."""
    out = tmp_path / "out"
    drawn = []
    killed = stop_with(signal.SIGKILL, out, "some are drawn")
    monkeypatch.setattr(
        imagining, "imagine_scene", lambda number, **how: (drawn.append(number), imagine_scene(number, **how))[1]
    )

    assert main([*command(out), "--json"]) == 0

    assert killed.returncode == -signal.SIGKILL
    assert json.loads(capsys.readouterr().out)["was resumed"]
    assert len(drawn) < IMAGES
    assert files(out) == files(undisturbed)
    assert {path.name for path in out.iterdir()} == {
        *("README.md", "croissant.json", "data", "images", "imagined", "manifest.json", "scenes")
    }


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(undisturbed, tmp_path, capsys):
    """A stopped command says that the same one goes on; it does."""
    out = tmp_path / "out"

    stopped = stop_with(signal.SIGINT, out, "some are drawn")

    assert stopped.returncode == 130
    last = stopped.stderr.splitlines()[-1]
    assert last == f"deixis: stopped; what is finished is kept in {out}, the same command goes on from there"
    assert main(command(out)) == 0
    assert "going on from what was kept" in capsys.readouterr().out
    assert files(out) == files(undisturbed)


def test_two_processes_cannot_share_a_folder(tmp_path, capsys):
    """The second one is refused in one line while the first goes on."""
    out = tmp_path / "out"
    first = start(out)
    wait_until(lambda: MOMENTS["some are drawn"](out), first)

    code = main(command(out))

    first.kill()
    first.communicate(timeout=PATIENCE_SECONDS)
    complaint = capsys.readouterr().err
    assert code == 2
    assert complaint.startswith(f"deixis: another process is making a dataset in {out}")
    assert complaint.count("\n") == 1


@pytest.mark.slow
def test_a_full_disk_is_no_catastrophe(undisturbed, tmp_path, capsys):
    """Where no more can be written the command says so; with room again, it goes on to the same result."""
    out = tmp_path / "out"
    limit = 300_000  # bytes of a file, less than a part has
    starved = start(out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    _, complaint = starved.communicate(timeout=PATIENCE_SECONDS)

    assert starved.returncode == 2
    assert complaint.splitlines()[-1].startswith("deixis: there is no space left on the disk")
    assert main(command(out)) == 0
    assert files(out) == files(undisturbed)


@pytest.mark.parametrize("more", [("--seed", "4"), ("--images", "20"), ("--each", "2"), ("--no-negatives",)])
def test_another_recipe_is_refused_at_once(more, undisturbed, tmp_path, capsys, monkeypatch):
    """Neither a finished dataset nor the beginning of one is mixed with another recipe; nothing is drawn before."""
    begun = tmp_path / "begun"
    stop_with(signal.SIGKILL, begun, "nothing is drawn") if more == ("--seed", "4") else begun.mkdir()
    monkeypatch.setattr("deixis.worlds.photos.making._imagining.imagine_scene", lambda *_, **__: pytest.fail("drawn"))
    monkeypatch.setattr("deixis.worlds.photos.making.make.imagine_parts", lambda *_, **__: pytest.fail("drawn"))
    before = files(undisturbed)

    assert main(_without_repeats(command(undisturbed, *more))) == 2

    complaint = capsys.readouterr().err
    assert complaint == (
        f"deixis: {undisturbed} already holds a dataset made from another recipe; choose another folder or delete it\n"
    )
    assert files(undisturbed) == before
    if (begun / ".partial" / "finished.jsonl").exists():
        assert main(_without_repeats(command(begun, *more))) == 2
        assert "holds the beginning of a dataset made from another recipe" in capsys.readouterr().err


def _without_repeats(words: list[str]) -> list[str]:
    """The words of a command, of an option that is given twice the second."""
    option = words[-2] if not words[-1].startswith("--") else words[-1]
    if option in words[:-2]:
        place = words.index(option)
        return words[:place] + words[place + 2 :]
    return words


def test_a_finished_dataset_is_left_as_it_is(undisturbed, capsys):
    """The same command again says that there is nothing to do, and changes nothing."""
    before = {path: path.stat().st_mtime_ns for path in undisturbed.rglob("*")}

    assert main(command(undisturbed)) == 0

    assert "already complete" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in undisturbed.rglob("*")} == before


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_not_ours_is_refused_at_once(kind, tmp_path, capsys, monkeypatch):
    """A file, or a folder with something in it, is refused before anything is drawn, and nothing is left behind."""
    monkeypatch.setattr("deixis.worlds.photos.making.make.imagine_parts", lambda *_, **__: pytest.fail("drawn"))
    out = tmp_path / "out"
    if kind == "folder":
        out.mkdir()
    (out / "thesis.txt" if kind == "folder" else out).write_text("mine")

    assert main(command(out)) == 2

    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "choose" in complaint
    assert files(tmp_path) == {"out/thesis.txt" if kind == "folder" else "out": b"mine"}


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(undisturbed, tmp_path, capsys):
    """Two processes make the same bytes as one."""
    out = tmp_path / "out"
    words = command(out)
    words[words.index("--workers") + 1] = "2"

    assert main(words) == 0

    assert files(out) == files(undisturbed)
