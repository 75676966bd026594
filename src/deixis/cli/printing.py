"""Results on standard output: JSON, tables, plans."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from deixis.worlds.grid.actions import Plan


__all__ = ["print_json", "print_table", "print_written", "say_plan"]

LABEL = 36  # letters of a label that are kept on one line


def print_json(value: object) -> None:
    """One JSON document."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_written(files: Sequence[Path], out: Path | None) -> None:
    """Which files a report wrote to its folder, if it had one."""
    if out is not None:
        print(f"Wrote {', '.join(str(path.relative_to(out)) for path in files)} to {out}.")


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> None:
    """A table; the columns with these places hold numbers and are set flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(heads):
        longest = max((len(row[place]) for row in rows), default=0)
        least = None if place in numbers else min(longest, LABEL)  # labels are the last to be broken
        table.add_column(head, justify="right" if place in numbers else "left", overflow="fold", min_width=least)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(highlight=False).print(table)


def say_plan(plan: Plan) -> str:
    """A plan in words, with what repeats counted: 'turn left 2x, walk 3x, push'."""
    if not plan:
        return "nothing to do"
    runs = ((action.words, sum(1 for _ in run)) for action, run in groupby(plan))
    said = ", ".join(words if times == 1 else f"{words} {times}x" for words, times in runs)
    return f"{said} ({len(plan)} actions)" if len(plan) > 1 else said
