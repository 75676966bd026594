"""Checks and audits that are stopped or killed: the same command goes on, in every world, with the same bytes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.data._pieces import KeptPieces
from deixis.data._processes import process_crew
from deixis.data.checks import CheckRequest
from deixis.worlds.registry import BUILT_IN, find_world


if TYPE_CHECKING:
    from pathlib import Path
    from types import SimpleNamespace


pytestmark = pytest.mark.slow
PATIENCE_SECONDS = 240  # a cold start compiles
SMALL = {  # pieces, so that small datasets have several
    "deixis.worlds.toolkit.checks.EVERY": 8,
    "deixis.worlds.photos._checks.BLOCK": 8,
    "deixis.worlds.photos._audit.localise.BATCH": 16,
    "deixis.worlds.grid.checks._run.ROWS": 8,
    "deixis.worlds.grid._audit.run.ROWS": 8,
    "deixis.audits.run.TOGETHER": 4,
    "deixis.data._resumable_work.KEEP_SECONDS": 0.0,
}
KILLED = """
import os, signal, sys
from pkgutil import resolve_name
from deixis._cli import main
from deixis.data._pieces import KeptPieces

for name, value in {small!r}.items():
    module, _, last = name.rpartition(".")
    setattr(resolve_name(module), last, value)
keep, left = KeptPieces.keep, [{pieces}]

def keep_and_die(kept, key, results):
    keep(kept, key, results)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)

KeptPieces.keep = keep_and_die
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and small pieces that are kept at once."""
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "cache"))
    for name, value in SMALL.items():
        monkeypatch.setattr(name, value)
    return tmp_path / "cache"


@pytest.fixture(params=["check", "audit"])
def words(request: pytest.FixtureRequest, made: SimpleNamespace) -> list[str]:
    """The command, without what only some worlds take."""
    sample = ["--sample", "60"] if made.world == "rooms" else []
    return [request.param, str(made.path), "--workers", "1", "--json", *sample]


class Counted:
    """How many pieces are kept; the work is stopped after some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, stop: int | None = None) -> None:
        self.pieces = 0
        keep = KeptPieces.keep

        def count(kept: KeptPieces, key: str, results: object) -> None:
            keep(kept, key, results)
            self.pieces += 1
            if self.pieces == stop:
                raise KeyboardInterrupt

        monkeypatch.setattr(KeptPieces, "keep", count)


def run(words: list[str], capsys: pytest.CaptureFixture[str], stop: int | None = None) -> tuple[int, str, int]:
    """The exit code of a command, what it says, and how many pieces it kept."""
    with pytest.MonkeyPatch.context() as patch:
        counted = Counted(patch, stop)
        code = main(words)
    return code, capsys.readouterr().out, counted.pieces


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_what_was_stopped_goes_on(share, words, capsys, cache, made):
    """After Ctrl-C at any moment, nothing is looked for again, the report is the same, and nothing is left."""
    code, expected, pieces = run(words, capsys)
    assert pieces > 1
    stop = max(1, round(share * pieces))

    stopped, said, kept = run(words, capsys, stop)

    assert (stopped, said, kept) == (130, "", stop)
    assert run(words, capsys) == (code, expected, pieces - stop)
    assert not [*cache.rglob("*.*")]


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
@pytest.mark.parametrize("pieces", [1, 3])
def test_what_was_killed_goes_on(pieces, words, capsys, cache, made):
    """After kill -9 at any moment, likewise."""
    if made.world not in BUILT_IN:
        pytest.skip("this world is installed in the process of the test only")
    code, expected, every = run(words, capsys)
    died = min(pieces, every)
    script = KILLED.format(small=SMALL, pieces=died)

    killed = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, timeout=PATIENCE_SECONDS, check=False
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert run(words, capsys) == (code, expected, every - died)
    assert not [*cache.rglob("*.*")]


def test_data_that_may_not_be_written_to_are_left_alone(words, capsys, made, tmp_path):
    """A read-only folder is checked and audited, and goes on, without a file in it."""
    folder = tmp_path / "data"
    shutil.copytree(made.path, folder)
    before = sorted(folder.rglob("*"))
    words[1] = str(folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        expected = run(words, capsys)[1]
        run(words, capsys, 1)

        assert run(words, capsys)[1] == expected
        assert sorted(folder.rglob("*")) == before
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
def test_a_killed_worker_changes_no_report(made, cache):
    """Another does its work again, and what is kept is that of whoever finished it."""
    if made.world not in BUILT_IN:
        pytest.skip("this world is installed in the process of the test only")
    checks = find_world(made.world).part("checks")
    expected = checks.check(made.path, CheckRequest()).to_json()
    killed: list[int] = []

    def kill_one(_stage: str, done: int, total: int | None, /) -> None:
        if not killed and (total is None or done < total):
            killed.extend(list(crew._pool._processes)[:1])
            os.kill(killed[0], signal.SIGKILL)

    with process_crew(2) as crew:
        found = checks.check(made.path, CheckRequest(crew=crew, progress=kill_one)).to_json()

    assert killed
    assert found == expected
    assert not [*cache.rglob("*.*")]
