"""A reader as a world: the parts that verbs ask for, over the examples that it reads."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deixis.errors import MissingPart, SchemaError
from deixis.readers._examples import ReadFile
from deixis.readers._options import FAMILY, READER_OPTIONS
from deixis.worlds.registry import MANIFEST
from deixis.worlds.world import PARTS, World


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.readers.reader import Reader
    from deixis.worlds.world import Examples


TOOLKIT, HERE = "deixis.worlds.toolkit", "deixis.readers"
OBJECTS = {"judging": f"{TOOLKIT}.judging", "questions": f"{HERE}._object_questions"}
CHOICES = {"judging": f"{HERE}._choice_judging", "questions": f"{HERE}._choice_questions"}
BOXES = {"judging": f"{HERE}._box_judging", "questions": f"{HERE}._box_questions"}
BY_TASK = {"refer": OBJECTS, "localise": BOXES, "match": CHOICES, "verify": CHOICES}
BY_NAME = {
    "pictures": f"{HERE}._pictures",
    "checks": f"{HERE}._checks",
    "statistics": f"{HERE}._statistics",
    "audit": f"{HERE}._audit",
    "pages": f"{HERE}._pages",
    "formats": f"{HERE}._formats",
    "card": f"{HERE}._card",
}
"""The module of every part; its `ready_part(world)` makes the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderWorld(World):
    """A world whose examples a reader takes from files.

    Attributes:
        reader: who reads them.
    """

    reader: Reader

    @classmethod
    def of(cls, reader: Reader) -> ReaderWorld:
        """The world of a reader."""
        parts = {"examples": f"{HERE}._world", **BY_NAME, **BY_TASK[reader.task]}
        if reader.language:
            parts["language"] = reader.language
        return cls(
            name=reader.name,
            title=reader.title,
            task=reader.task,
            parts=parts,
            options=READER_OPTIONS,
            package=reader.package,
            reader=reader,
        )

    @property
    def family(self) -> str:
        """The name that all readers share, as they share their options."""
        return FAMILY

    def has(self, part: str) -> bool:
        """Return whether there is such a part."""
        return part in self.parts

    def part(self, name: str) -> Any:
        """A part, made now; `MissingPart` where readers have none."""
        if name == "examples":
            return ReaderExamples(self.reader)
        if name == "language" and self.reader.language:
            return World._import_part(self, name)  # noqa: SLF001 (as any world does)
        if name not in PARTS:
            raise SchemaError(f"a world has no part {name!r}; known: {', '.join(PARTS)}")
        if name not in self.parts:
            raise MissingPart(f"{self.name} is read from files of others, so it has no {name}")
        return import_module(self.parts[name]).ready_part(self)


@dataclass(frozen=True, slots=True)
class ReaderExamples:
    """Part `examples`: files in the layout of the reader, and folders that `deixis convert --to parquet` wrote."""

    reader: Reader

    def open(self, path: Path) -> Examples:
        """Open the examples at a path, or raise `BrokenDataset` if there are none."""
        if (path / MANIFEST).is_file():
            from deixis.readers._rows import RowFile

            return RowFile(self.reader, path)
        return ReadFile(self.reader, path)

    def recognises(self, path: Path) -> bool:
        """Return whether the reader knows the layout of a file or folder."""
        return bool(self.reader.sniff(path))
