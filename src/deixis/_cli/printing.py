"""Results on standard output: JSON and tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deixis._cli.terminal import console, terminal_width, visible, visible_in_json


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from deixis._losses import Losses
    from deixis.report.output import Output


LABEL = 36  # letters of a label that are kept on one line
GAP, EDGES = 3, 2  # blanks between two columns, and at both ends of a line
UNBOUNDED = 1 << 12  # columns where there is no terminal


def print_json(value: object) -> None:
    """One JSON document."""
    print(visible_in_json(json.dumps(value, indent=2, ensure_ascii=False)))


def print_losses(*losses: Losses) -> None:
    """Print what was left out, repaired or guessed, if anything, on the last lines of a verb."""
    for some in losses:
        for line in some.lines():
            print(line)


def print_written(files: Sequence[Path], out: Path | None) -> None:
    """Print the files that a report wrote to its folder, if it had one."""
    if out is not None:
        print(f"Wrote {', '.join(str(path.relative_to(out)) for path in files)} to {out}.")


def print_output(output: Output, *, as_json: bool) -> None:
    """Print the output of a verb as one JSON document, or as lines and tables with the files that were written."""
    if as_json:
        print_json(output.values)
        return
    for block in output.blocks:
        if isinstance(block, str):
            print(visible(block))
        else:
            print_table(block.heads, block.rows, numbers=block.numbers, labels=block.labels)
    if output.files:
        print(f"Written: {', '.join(map(str, output.files))}")
    for line in output.notes:
        print(visible(line))


def print_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = (), labels: int = 1
) -> None:
    """Print a table.

    The columns at the places `numbers` are set flush right.

    Nothing is ever cut off. Where there is no terminal, lines are as long as the table is wide; in a terminal labels
    are folded first, and then columns go to further tables below, each with the labels again,
    which stand in the first columns.
    """
    heads = [visible(head) for head in heads]
    cells = [[visible(cell) for cell in row] for row in rows]
    width = terminal_width()
    for places in _abreast(heads, cells, numbers, width, labels):
        _print_part([heads[k] for k in places], [[row[k] for k in places] for row in cells], numbers, places, width)


def _abreast(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int], width: int | None, labels: int
) -> list[list[int]]:
    """The places of the columns that stand side by side in each table."""
    if width is None or not heads:
        return [list(range(len(heads)))]
    needed = [_min_width(heads[k], [row[k] for row in rows], is_number=k in numbers) for k in range(len(heads))]
    first = list(range(min(labels, len(heads))))
    beside = width - EDGES - sum(needed[place] for place in first) - GAP * (len(first) - 1)
    groups, free = [list(first)], beside
    for place in range(len(first), len(heads)):
        if free < needed[place] + GAP and len(groups[-1]) > len(first):
            groups.append(list(first))
            free = beside
        groups[-1].append(place)
        free -= needed[place] + GAP
    return groups


def _min_width(head: str, cells: Sequence[str], *, is_number: bool) -> int:
    """Return the smallest width of a column: numbers stay whole, other text may be folded beyond a bound."""
    widest = max((_length(line) for cell in cells for line in cell.split("\n")), default=0)
    in_head = max(map(_length, head.split()), default=0)
    return max(widest, in_head) if is_number else min(max(widest, in_head), LABEL)


def _length(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _natural(head: str, cells: Sequence[str]) -> int:
    """The width at which nothing in a column is folded."""
    return max((_length(line) for text in (head, *cells) for line in text.split("\n")), default=0)


def _column_widths(least: Sequence[int], natural: Sequence[int], width: int) -> list[int]:
    """Return the widths of columns side by side: the least of each, then the rest for labels before numbers."""
    widths = list(least)
    free = width - EDGES - GAP * (len(widths) - 1) - sum(widths)
    for place in range(len(widths)):
        more = max(0, min(free, natural[place] - widths[place]))
        widths[place] += more
        free -= more
    return widths


def _print_part(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[int],
    places: Sequence[int],
    width: int | None,
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    columns = [[row[k] for row in rows] for k in range(len(heads))]
    natural = [_natural(head, cells) for head, cells in zip(heads, columns, strict=True)]
    least = [_min_width(heads[k], columns[k], is_number=place in numbers) for k, place in enumerate(places)]
    widths = natural if width is None else _column_widths(least, natural, width)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, head, wide in zip(places, heads, widths, strict=True):
        table.add_column(Text(head), justify="right" if place in numbers else "left", overflow="fold", width=wide)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console(width=sum(widths) + GAP * len(widths) + EDGES).print(table, crop=False)
