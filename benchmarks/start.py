"""How soon deixis is there: importing it, and the help of its command."""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks.machine import Row


__all__ = ["measure_start"]

TIMES = 7
PROMISED = 0.3  # seconds, of a bare installation


def measure_start() -> list[Row]:
    """The least processor time of several fresh interpreters each, their own start included."""
    return [
        Row("`import deixis` in a fresh Python", _least("-c", "import deixis"), "s", at_most=PROMISED),
        Row("`deixis --help`", _least("-m", "deixis", "--help"), "s"),
        Row("a fresh Python that imports nothing", _least("-c", "pass"), "s"),
    ]


def _least(*words: str) -> float:
    return min(_seconds(*words) for _ in range(TIMES))


def _seconds(*words: str) -> float:
    """The processor time of one interpreter, from its start to its end."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env) as started:  # noqa: S603 - ourselves
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise subprocess.CalledProcessError(started.returncode, command)
    return usage.ru_utime + usage.ru_stime
