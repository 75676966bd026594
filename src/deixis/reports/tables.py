"""Table 2 of the ReaSCAN paper for any dataset: commands, worlds per command and examples of every split."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from deixis.reports.cells import in_one_cell, no_formula
from deixis.reports.paper import published_set


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.reports.paper import Counted
    from deixis.reports.published import Published


__all__ = ["ALL", "SizeRow", "published_rows", "size_rows", "sizes_as_csv", "sizes_as_markdown", "sizes_as_text"]

ALL = "all"
FIRST, LAST = ("train", "dev", "test"), ("aside",)
HEADS = ("dataset", "pattern", "commands", "worlds per command", "fewest", "most", "examples")


@dataclass(frozen=True, kw_only=True)
class SizeRow:
    """One row of Table 2; None stands for what is not known.

    Attributes:
        dataset: its name.
        pattern: that of the commands, or `all`.
        commands: how many different ones, whatever their determiners.
        worlds: examples per command, on average.
        fewest: the fewest examples of any command.
        most: the most.
        examples: all of them, each once.
        splits: how many each split has; one that is in two test sets counts in both.
    """

    dataset: str
    pattern: str
    commands: int | None
    worlds: float | None
    fewest: int | None
    most: int | None
    examples: int | None
    splits: Mapping[str, int]

    def as_dict(self) -> dict[str, object]:
        """The row as plain values."""
        numbers = (self.commands, self.worlds, self.fewest, self.most, self.examples)
        return dict(zip(HEADS, (self.dataset, self.pattern, *numbers), strict=True)) | {"splits": dict(self.splits)}


def size_rows(counted: Counted) -> list[SizeRow]:
    """A row for each pattern of a dataset, and one for all of it."""
    statistics = counted.statistics
    patterns = statistics.patterns
    splits: dict[str, Counter[str]] = {name: Counter() for name in patterns}
    for (place, pattern), count in statistics.places.items():
        splits[pattern].update(dict.fromkeys(place.split("+"), count))
    rows = [_row(counted, name, patterns[name], splits[name]) for name in patterns]
    return [*rows, _row(counted, None, statistics.examples, statistics.splits)]


def published_rows(counted: Sequence[Counted], published: Published) -> list[SizeRow]:
    """The published rows of the sets that these datasets are to be compared with."""
    wanted = {published_set(one, pattern) for one in counted for pattern in one.statistics.patterns}
    if any(one.kind != "gscan" for one in counted):
        wanted.add(ALL)
    rows = []
    for name, numbers in published.sizes.items():
        if name in wanted:
            splits = {key: count for key, count in numbers.items() if key not in ("commands", "worlds")}
            rows.append(
                SizeRow(
                    dataset="published",
                    pattern=name,
                    commands=numbers.get("commands"),
                    worlds=numbers.get("worlds"),
                    fewest=None,
                    most=None,
                    examples=None if name == ALL else sum(splits.values()),
                    splits=splits,
                )
            )
    return rows


def sizes_as_csv(rows: Sequence[SizeRow]) -> str:
    """The table with plain numbers."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = _splits(rows)
    writer.writerow((*HEADS, *names))
    for row in rows:
        plain = list(row.as_dict().values())[: len(HEADS)]
        cells = [no_formula(cell) if isinstance(cell, str) else cell for cell in plain]
        writer.writerow((*cells, *(row.splits.get(name) for name in names)))
    return stream.getvalue()


def sizes_as_markdown(rows: Sequence[SizeRow]) -> str:
    """The table for a page or a paper."""
    heads, body = sizes_as_text(rows)
    lines = [heads, ["---", "---", *["---:"] * (len(heads) - 2)], *body]
    return "".join(f"| {' | '.join(map(in_one_cell, line))} |\n" for line in lines)


def sizes_as_text(rows: Sequence[SizeRow]) -> tuple[list[str], list[list[str]]]:
    """The heads and the cells of the table, with thousands separated; columns without a number are left out."""
    names = _splits(rows)
    table = [
        [
            row.dataset, row.pattern, _number(row.commands), _worlds(row), _number(row.examples),
            *(_number(row.splits.get(name)) for name in names),
        ]
        for row in rows
    ]  # fmt: skip
    return ["dataset", "pattern", "commands", "worlds per command", "examples", *names], table


def _row(counted: Counted, pattern: str | None, examples: int, splits: Mapping[str, int]) -> SizeRow:
    found = counted.statistics.worlds_per_command(pattern)
    return SizeRow(
        dataset=counted.name,
        pattern=pattern or ALL,
        commands=found.commands,
        worlds=found.mean,
        fewest=found.least,
        most=found.most,
        examples=examples,
        splits=dict(splits),
    )


def _splits(rows: Iterable[SizeRow]) -> list[str]:
    """All splits: train, dev and test first, what is in no test set last."""
    names = {name for row in rows for name in row.splits}
    between = sorted(names - {*FIRST, *LAST})
    return [name for name in (*FIRST, *between, *LAST) if name in names]


def _worlds(row: SizeRow) -> str:
    if row.worlds is None:
        return "–"
    mean = f"{row.worlds:.1f}".removesuffix(".0")
    return mean if row.fewest == row.most else f"{mean} ({row.fewest}–{row.most})"


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"
