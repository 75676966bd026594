"""The output of a verb before it is printed: plain values for JSON, lines and tables for people, files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


__all__ = ["Output", "TextTable"]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table for a terminal.

    Attributes:
        heads: of the columns.
        rows: the cells, as many in each row as there are heads.
        numbers: the places of the columns that hold numbers.
        labels: how many columns at the left name the row; they are repeated where a table is too wide.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()
    labels: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Output of a verb.

    Attributes:
        values: plain values, which `--json` prints.
        blocks: lines and tables for people, in order.
        files: what was written.
        notes: lines that follow after the names of the files.
        code: the exit code; 1 where problems were found.
    """

    values: Mapping[str, Any]
    blocks: Sequence[str | TextTable] = ()
    files: Sequence[Path] = ()
    notes: Sequence[str] = ()
    code: int = 0
