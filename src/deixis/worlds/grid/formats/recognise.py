"""Telling the released formats apart by what their first example looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.datasets.formats.gscan import read_gscan
from deixis.datasets.formats.json_stream import ExampleFile
from deixis.datasets.formats.reascan import read_reascan
from deixis.datasets.formats.rows import ROWS
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


__all__ = ["Format", "read_any", "sniff"]

Format: TypeAlias = Literal["reascan", "gscan", "unknown"]


def sniff(path: Path | str) -> Format:
    """The format of a file, from its first example; `unknown` for anything that is no dataset of a known form.

    Raises:
        BrokenDataset: when there is no such file.
    """
    if not Path(path).is_file():
        raise BrokenDataset(f"{path} is no file")
    try:
        return _format_of(ExampleFile(path))
    except BrokenDataset:
        return "unknown"


def read_any(path: Path | str, *, rows: int = ROWS) -> Iterator[pa.Table]:
    """The examples of a released file of either format as tables.

    Raises:
        BrokenDataset: when the file is of neither format, saying what was found.
    """
    if not Path(path).is_file():
        raise BrokenDataset(f"{path} is no file")
    match _format_of(ExampleFile(path)):
        case "reascan":
            yield from read_reascan(path, rows=rows)
        case "gscan":
            yield from read_gscan(path, rows=rows)
        case _:
            raise BrokenDataset(f"the examples of {path} have neither the fields of ReaSCAN nor those of gSCAN")


def _format_of(file: ExampleFile) -> Format:
    for _, example in file:
        if not {"command", "situation", "target_commands"} <= example.keys():
            return "unknown"
        return "reascan" if "grammer_pattern" in example else "gscan"
    return "reascan" if file.header.get("type_grammar") == "ReaSCAN-Grammer" else "unknown"
