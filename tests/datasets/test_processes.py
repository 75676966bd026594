"""Making with processes: the same bytes as with threads, whoever is killed, and whoever sees the folder."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._ids import repeated_ids
from deixis.data._processes import ProcessCrew, process_crew, spawn_context
from deixis.data._resumable import ResumableFolder, SharedFolder
from deixis.data.store import MANIFEST
from deixis.errors import DeixisError, LeakySplit
from deixis.worlds.grid.making import _hands as hands
from deixis.worlds.grid.making import _places as places
from deixis.worlds.grid.making import _pool_maker as pool_maker
from deixis.worlds.grid.making import make as make_module
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import folder_bytes, quick, whole


ROOT = Path(__file__).parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(["src", ".", os.environ.get("PYTHONPATH", "")])}
SCRIPT = """
import sys
from pathlib import Path
from deixis.worlds.grid.making import _pool_maker as pool_maker
from deixis.worlds.grid.making import make as make_module
from tests.datasets.tiny import quick

make_module.FOR_PROCESSES = 0
pool_maker.COMMANDS_PER_SHARD = 3
print("begun", flush=True)
make_module.make(quick(), Path(sys.argv[1]), workers=2)
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of the tiny dataset, made by one thread."""
    out = tmp_path_factory.mktemp("tiny") / "finished"
    make(quick(), out, workers=1)
    return out


@pytest.fixture
def large(monkeypatch):
    """Tiny datasets that are made as large ones are, in shards of three commands."""
    monkeypatch.setattr(make_module, "FOR_PROCESSES", 0)
    monkeypatch.setattr(pool_maker, "COMMANDS_PER_SHARD", 3)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["compatible", "corrected"])
def test_processes_change_no_byte(large, tmp_path, monkeypatch, mode):
    """With every hold-out of the paper, files made by processes are those made by one thread."""
    make(whole(mode), tmp_path / "processes", workers=2)
    monkeypatch.undo()

    make(whole(mode), tmp_path / "thread", workers=1)

    assert folder_bytes(tmp_path / "processes") == folder_bytes(tmp_path / "thread")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
@pytest.mark.parametrize("stage", ["p1", "p3", "leakage proof", "writing"])
def test_a_killed_process_changes_no_byte(large, finished, tmp_path, stage):
    """A process that is killed at any stage is replaced, and what it had in hand is done again."""
    killed = []

    def kill_one(now, done, total, /):
        if now == stage and done and not killed:
            killed.append(multiprocessing.active_children()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    make(quick(), tmp_path / "out", workers=2, progress=kill_one)

    assert killed
    assert folder_bytes(tmp_path / "out") == folder_bytes(finished)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
def test_a_killed_maker_takes_its_processes_along(large, finished, tmp_path):
    """Killed while processes work for it, a maker leaves what is finished, from which the same command goes on."""
    out = tmp_path / "out"
    for delay in (0.5, 2.0):
        line = [sys.executable, "-c", SCRIPT, str(out)]
        with subprocess.Popen(line, env=ENVIRONMENT, cwd=ROOT, stdout=subprocess.PIPE) as maker:
            assert maker.stdout is not None
            maker.stdout.readline()
            time.sleep(delay)
            maker.kill()
            maker.stdout.read()  # until its processes, who hold the pipe, have ended as well

    make(quick(), out, workers=2)

    assert folder_bytes(out) == folder_bytes(finished)


@pytest.mark.slow
def test_a_script_without_a_guard_is_not_run_again(finished, tmp_path):
    """A script that makes a dataset at its top level runs once, not again in every process."""
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")

    line = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "out")]
    done = subprocess.run(line, env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)

    assert (done.returncode, done.stdout, done.stderr) == (0, "begun\n", "")
    assert folder_bytes(tmp_path / "out") == folder_bytes(finished)


@pytest.mark.slow
def test_a_leak_is_found_by_processes(large, tmp_path, monkeypatch):
    """Where the partition is wrong, a process that proves a shard stops the making before any file is written."""

    def careless(recipe, shards):
        right = places.divide(recipe, shards)
        return right._replace(rows=tuple((rows, np.zeros_like(numbers)) for rows, numbers in right.rows))

    monkeypatch.setattr(make_module, "divide", careless)

    with pytest.raises(LeakySplit, match="is held out, but"):
        make(quick(), tmp_path / "leaky", workers=2)

    assert not (tmp_path / "leaky" / MANIFEST).exists()
    assert not (tmp_path / "leaky" / "data").exists()


@pytest.mark.slow
def test_a_crew_that_does_not_see_the_folder_makes_the_same_bytes(finished, tmp_path, monkeypatch):
    """Workers of other machines send their shards, which are kept, proven and written here."""
    monkeypatch.setattr(ResumableFolder, "share", lambda self: SharedFolder(str(self.out), "of another folder"))
    with process_crew(2) as crew:
        make(quick(), tmp_path / "out", workers=2, crew=crew)

    assert folder_bytes(tmp_path / "out") == folder_bytes(finished)


@pytest.mark.slow
def test_what_a_worker_cannot_see_is_done_here(tmp_path):
    """Work on a folder that a worker does not see, or with another pyarrow, is done by whoever asked for it."""
    with process_crew(1) as crew, ResumableFolder(tmp_path / "out", "digest") as folder:
        some = hands.CrewHands(crew, SharedFolder(str(folder.out), "of another folder"), folder.out)

        assert some.submit(_whose).result() == (folder.out, os.getpid())
        there = hands.CrewHands(crew, folder.share(), folder.out).submit(_whose).result()
        assert there[0] == folder.out.resolve()
        assert there[1] != os.getpid()


def _whose(folder):
    return folder, os.getpid()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
def test_work_that_kills_every_process_is_given_up():
    """Where a piece of work ends its process each time, one line says so instead of trying for ever."""
    with process_crew(1) as crew, pytest.raises(DeixisError, match="was killed 3 times"):
        crew.submit(os._exit, 9).result()


@given(st.lists(st.lists(st.integers(0, 12) | st.integers(0, 2**53 - 1))), st.integers(1, 10))
def test_repeated_ids_are_those_counted_twice(parts, at_once):
    """However few ids are compared at a time, those are found that occur more than once, as plain counting has it."""
    counts = Counter(number for part in parts for number in part)

    found = repeated_ids([np.array(part, np.int64) for part in parts], at_once=at_once)

    assert found.tolist() == sorted(number for number, count in counts.items() if count > 1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
def test_a_process_that_starts_while_others_break_is_not_waited_for():
    """It is ended with those in whose place others come, so that the program can end."""
    crew = ProcessCrew(2)
    pool = crew._pool
    held = pool.submit(time.sleep, 60)
    os.kill(next(iter(pool._processes)), signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        held.result()
    pool._executor_manager_thread.join()
    late = spawn_context().Process(target=time.sleep, args=(60,))
    late.start()
    pool._processes[late.pid] = late  # as if it had been started while the others were ended

    crew.renew(pool)

    late.join(30)
    assert not late.is_alive()
    crew.close()


def test_all_processes_start_with_the_first_piece_of_work():
    """None starts later, when another may be killed just then."""
    crew = ProcessCrew(3)
    try:
        assert crew.submit(abs, -1).result() == 1
        assert len(crew._pool._processes) == 3
    finally:
        crew.close()
