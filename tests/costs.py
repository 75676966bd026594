"""What tests cost: the CPU time of each, and the list of those that should be marked slow.

CPU time and not the clock, so that a busy machine changes little. Nothing fails by it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest


if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_UNMARKED_SECONDS = 2.0
NAME = "CPU seconds"


class Costs:
    """The CPU time of every test, shown with its report, and a list of the dear ones without a mark at the end."""

    def __init__(self) -> None:
        self.dear: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Note what the test itself needs; what is made once for several tests is not its own."""
        begun = cpu_seconds()
        try:
            return (yield)
        finally:
            item.user_properties.append((NAME, round(cpu_seconds() - begun, 3)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name of a dear test without a mark; reports of all processes come by here."""
        needed = float(dict(report.user_properties).get(NAME, 0.0))
        if report.when == "call" and needed > MAX_UNMARKED_SECONDS and "slow" not in report.keywords:
            self.dear[report.nodeid] = needed

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List them, the dearest first."""
        if self.dear:
            terminalreporter.section(f"more than {MAX_UNMARKED_SECONDS:g} s of CPU time: make cheaper, or mark slow")
            for name, needed in sorted(self.dear.items(), key=lambda one: -one[1]):
                terminalreporter.write_line(f"{needed:7.1f}s {name}")


def cpu_seconds() -> float:
    """The CPU time of this process and of those that it has waited for."""
    return sum(os.times()[:4])
