"""Where a figure was measured, and the row that holds it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple


__all__ = ["Row", "as_markdown", "describe_machine"]


class Row(NamedTuple):
    """One measured figure and the promise it must keep."""

    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def promise(self) -> str:
        """The promise in words."""
        if self.at_least is not None:
            return f"at least {self.at_least:,.6g}"
        return f"at most {self.at_most:,.6g}" if self.at_most is not None else ""

    @property
    def is_broken(self) -> bool:
        """Whether the promise does not hold."""
        too_low = self.at_least is not None and self.value < self.at_least
        return too_low or (self.at_most is not None and self.value > self.at_most)


def as_markdown(rows: list[Row], title: str, command: str, about: str) -> str:
    """A page: what was measured, how, and what is promised."""
    lines = [
        f"# {title}",
        "",
        f"Made by `{command}` on {describe_machine()}.",
        about,
        "",
        "| what | measured | promised |",
        "|---|---|---|",
        *(f"| {row.name} | {_figure(row.value)} {row.unit} | {row.promise} |" for row in rows),
    ]
    return "\n".join(lines)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def describe_machine() -> str:
    """The processor, the system and the versions that matter."""
    model = "unknown processor"
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "networkx", "pyarrow"))
    return f"{os.cpu_count()} cores ({model}), {platform.system()}, Python {platform.python_version()}, {packages}"
