"""gSCAN's released files, read into the table of examples.

An example has the fields command, meaning, derivation, situation, target_commands, verb_in_command, manner and
referred_target. `while spinning` is one token there, the determiner is 'a', and adjectives stand in any order; the
text is kept as it is, with spaces between all words. Worlds have no boxes and the files do not say why an object is
there, so roles stay empty. Files of predictions hold their examples, too, and are read in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.formats._predictions import file_of
from deixis.worlds.grid.formats._rows import ROWS, Row, tables_of, text_field
from deixis.worlds.grid.formats._situation import read_situation
from deixis.worlds.grid.formats._wording import wording


if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from deixis.worlds.grid.navigate import Example


__all__ = ["read_gscan", "read_gscan_examples", "understand"]


def read_gscan(path: Path | str, *, rows: int = ROWS) -> Iterator[pa.Table]:
    """Yield the examples of a released file as tables, some thousand rows at a time.

    Raises:
        BrokenDataset: when the file or an example of it cannot be understood.
    """
    yield from tables_of(file_of(path), understand, Path(path), rows=rows)


def read_gscan_examples(path: Path | str) -> Iterator[Example]:
    """Yield the examples of a released file, one by one."""
    for table in read_gscan(path):
        yield from examples_of(table)


def understand(example: dict[str, Any]) -> Row:
    """Read the meaning of a released example."""
    said = wording(text_field(example, "command"))
    situation = read_situation(example.get("situation"))
    if not situation.objects:
        raise BrokenDataset("the world has no objects")
    return Row(said, situation, text_field(example, "target_commands"), [], [])
