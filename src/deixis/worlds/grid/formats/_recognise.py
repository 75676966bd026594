"""Telling the released formats apart by what their first example looks like."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import BrokenDataset
from deixis.worlds.grid.formats import gscan, reascan
from deixis.worlds.grid.formats._predictions import file_of
from deixis.worlds.grid.formats._rows import ROWS, tables_of
from deixis.worlds.grid.formats.gscan import read_gscan
from deixis.worlds.grid.formats.reascan import read_reascan


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from deixis.data._json_stream import ExampleFile


Format: TypeAlias = Literal["reascan", "gscan", "unknown"]


def sniff(path: Path | str) -> Format:
    """Return the format of a file, from its first example, or `unknown` for anything of no known form.

    Raises:
        BrokenDataset: when there is no such file.
    """
    if not Path(path).is_file():
        raise BrokenDataset(f"{path} is no file")
    try:
        return _format_of(file_of(path))
    except BrokenDataset:
        return "unknown"


def read_any(path: Path | str, *, rows: int = ROWS) -> Iterator[pa.Table]:
    """Yield the examples of a released file of either format as tables.

    Raises:
        BrokenDataset: when the file is of neither format, saying what was found.
    """
    if not Path(path).is_file():
        raise BrokenDataset(f"{path} is no file")
    match _format_of(file_of(path)):
        case "reascan":
            yield from read_reascan(path, rows=rows)
        case "gscan":
            yield from read_gscan(path, rows=rows)
        case _:
            raise BrokenDataset(
                f"no world and no reader knows the layout of {path}: its examples, if any, have neither the fields of "
                "ReaSCAN nor those of gSCAN"
            )


def pick_example(path: Path | str, number: int, *, is_wanted: Callable[[str], bool]) -> pa.Table | int:
    """Return one example of a released file as a table, or the number of examples where there are too few.

    Examples before it are read, but not understood, which is most of the work.

    Args:
        path: the file.
        number: of the example among those that are wanted, from 0.
        is_wanted: whether the examples of a split are, by its name in the file.
    """
    file, seen = file_of(path), 0
    understand = gscan.understand if _format_of(file) == "gscan" else reascan.understand
    counts: Counter[str] = Counter()
    for split, example in file:
        if is_wanted(split):
            if seen == number:
                return next(tables_of([(split, example)], understand, Path(path), first=counts[split]))
            seen += 1
        counts[split] += 1
    return seen


def _format_of(file: ExampleFile) -> Format:
    for _, example in file:
        if not {"command", "situation", "target_commands"} <= example.keys():
            return "unknown"
        return "reascan" if "grammer_pattern" in example else "gscan"
    return "reascan" if file.header.get("type_grammar") == "ReaSCAN-Grammer" else "unknown"
