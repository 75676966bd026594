"""A guard for `make quick`: its tests load no torch, drive no browser and start no process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest


if TYPE_CHECKING:
    from collections.abc import Iterator


HEAVY = {"playwright", "torch"}
WORKERS = "multiprocessing.popen_"  # how the modules begin that start worker processes
STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}


class Guard:
    """Fail every test, and the collection of every file, that loads a heavy package or starts a process."""

    def __init__(self) -> None:
        self.watches = False  # what pytest itself does in between is its own affair
        sys.addaudithook(self.refuse)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Watch while a test runs."""
        self.watches = True
        try:
            return (yield)
        finally:
            self.watches = False

    pytest_make_collect_report = pytest_runtest_setup = pytest_runtest_call

    def refuse(self, event: str, words: tuple[object, ...]) -> None:
        """Fail what is going on if it is too heavy."""
        if not self.watches:
            return
        if event == "import":
            name = str(words[0])
            refused = f"import {name}" if name.partition(".")[0] in HEAVY or name.startswith(WORKERS) else ""
        else:
            refused = f"{event} {words[0] if words else ''}" if event in STARTS else ""
        if refused:
            pytest.fail(f"too heavy for `make quick`, leave it to `make test`: {refused}")
