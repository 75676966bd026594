"""A guard for `make quick`: its tests load no torch, drive no browser and start no process."""

from __future__ import annotations

import sys

import pytest


HEAVY = {"playwright", "torch"}
WORKERS = "multiprocessing.popen_"  # how the modules begin that start worker processes
STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}


def stand_guard() -> None:
    """Fail, from now on, every test that loads a heavy package or starts a process."""
    sys.addaudithook(_refuse)


def _refuse(event: str, words: tuple[object, ...]) -> None:
    if event == "import":
        name = str(words[0])
        refused = f"import {name}" if name.partition(".")[0] in HEAVY or name.startswith(WORKERS) else ""
    else:
        refused = f"{event} {words[0] if words else ''}" if event in STARTS else ""
    if refused:
        pytest.fail(f"too heavy for `make quick`, leave it to `make test`: {refused}")
