from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from deixis._cli import progress
from deixis._cli.progress import Stages


def test_quick_work_is_quiet(capsys):
    """Nothing is shown of work that is done at once."""
    with Stages() as stages:
        stages("p1", 5, 10)
        stages("p1", 10, 10)

    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (500, 1000, 10.0, "p1: 500 of 1,000, 50 per second, 10 s left"),
        (1000, 100_000, 10.0, "p1: 1,000 of 100,000, 100 per second, 16 min 30 s left"),
        (1000, 1_000_000, 10.0, "p1: 1,000 of 1,000,000, 100 per second, 2 h 46 min left"),
        (1000, None, 10.0, "p1: 1,000, 100 per second"),
        (0, 1000, 10.0, "p1: 0 of 1,000"),
        (0, None, 10.0, "p1"),
        (25, 100, 10.0, "p1: 25 of 100, 2.5 per second, 30 s left"),
    ],
)
def test_a_line_has_the_rate_and_the_time_left(done, total, seconds, line):
    """How many, how fast and how long still, as far as it is known."""
    assert Stages._line("p1", done, total, seconds) == line


def test_long_work_without_a_terminal_prints_lines_to_standard_error(monkeypatch, capsys):
    """Lines come now and then, never on standard output."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)

    with Stages() as stages:
        stages("p1", 5, 10)

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("p1: 5 of 10")


def test_a_stage_that_begins_and_is_silent_is_told(monkeypatch, capsys):
    """It comes too soon after another line for one of its own, but then nothing follows for long."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.2)

    with Stages() as stages:
        stages.latest_line = 0.0
        stages("p1", 10, 10)
        stages("results", 0, None)
        stages.reminder.join(30)
        stages("more", 0, None)

    assert capsys.readouterr().err.splitlines()[1:] == ["results"]


class Kernel:
    """A kernel as numba tells of it: how often machine code was on disk, and how often it was not."""

    def __init__(self, misses):
        self.stats = SimpleNamespace(cache_hits={"f": 1}, cache_misses=misses)


@pytest.mark.parametrize(("misses", "is_said"), [({}, False), ({"f": 1}, True)])
def test_compiling_is_told_only_where_something_is_compiled(misses, is_said, monkeypatch, capsys):
    """A slow start is put down to compiling only if a kernel had no machine code on disk."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.01)
    for name in [name for name in sys.modules if "._kernels." in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "deixis._kernels.one", SimpleNamespace(kernel=Kernel(misses), number=3))

    with Stages(compiles=True) as stages:
        stages.patience.join(0.5 if not is_said else 30)

    assert capsys.readouterr().err == (f"{progress.COMPILING}\n" if is_said else "")


def test_a_note_stands_behind_the_numbers(monkeypatch, capsys):
    """The loss of a model; what was done before a training went on does not count as speed."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    clock = iter([0.0, 1.0, 11.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))

    with Stages() as stages:
        stages("m-lstm", 500, 1000, "goes on")
        stages("m-lstm", 600, 1000, "loss 0.1234")

    assert capsys.readouterr().err.splitlines() == [
        "m-lstm: 500 of 1,000; goes on",
        "m-lstm: 600 of 1,000, 10 per second, 40 s left; loss 0.1234",
    ]


def test_long_work_in_a_terminal_shows_bars(monkeypatch, capsys):
    """A terminal gets a bar per stage."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    with Stages() as stages:
        stages("p1", 5, 10)
        stages("writing", 10, 10)

    err = capsys.readouterr().err
    assert "p1" in err
    assert "writing" in err
