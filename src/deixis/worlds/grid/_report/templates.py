"""The templates of the report of a grid dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deixis.report._templates import render_part


FOLDER = Path(__file__).parent / "templates"


def report_part(macro: str, **values: Any) -> str:
    """Return one part of a report, filled in."""
    return render_part("report.html", macro, folder=FOLDER, **values)
