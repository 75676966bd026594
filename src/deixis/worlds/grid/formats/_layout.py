"""Released files as JSON: the fields of a file with its examples, which are gathered in temporary files first."""

from __future__ import annotations

import json
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from shutil import copyfileobj
from typing import IO, Any


OPEN = frozenset({"situation", "placed_objects"})


def write_fields(file: IO[str], fields: dict[str, Any], parts: dict[str, IO[str]], layout: JsonLayout) -> None:
    """Write a whole file, in which `examples` stands for the parts, one for every split."""
    file.write("{")
    for number, (name, value) in enumerate(fields.items()):
        file.write(f"{layout.gap(1, is_first=number == 0)}{json.dumps(name)}: ")
        if name == "examples":
            _write_examples(file, parts, layout)
        else:
            file.write(layout.value(value, 1))
    file.write(layout.close(0) + "}")


def _write_examples(file: IO[str], parts: dict[str, IO[str]], layout: JsonLayout) -> None:
    file.write("{")
    for number, (split, part) in enumerate(parts.items()):
        file.write(f"{layout.gap(2, is_first=number == 0)}{json.dumps(split)}: [")
        part.seek(0)
        copyfileobj(part, file, 1 << 20)
        file.write(layout.close(2) + "]")
    file.write((layout.close(1) if parts else "") + "}")


class JsonLayout:
    """JSON as `json.dump` lays it out, but in pieces and with what repeats remembered."""

    def __init__(self, indent: int | None) -> None:
        self.indent = indent

    def gap(self, level: int, *, is_first: bool) -> str:
        """What stands between two entries of a list or object."""
        if self.indent is None:
            return "" if is_first else ", "
        return ("" if is_first else ",") + self.close(level)

    def close(self, level: int) -> str:
        """What stands before a closing bracket."""
        return "" if self.indent is None else "\n" + " " * (self.indent * level)

    def value(self, value: object, level: int, *, is_open: bool = False) -> str:
        """A value; an open one has parts that repeat on their own, such as the objects of a world."""
        if isinstance(value, str):
            return quoted(value)
        compact = None if is_open else json.dumps(value)
        if compact is not None and (self.indent is None or compact[0] not in "[{"):
            return compact
        if compact is not None:
            return _indent(compact, self.indent or 0, level)
        assert isinstance(value, dict)
        text = "{"
        for number, (name, inner) in enumerate(value.items()):
            text += f"{self.gap(level + 1, is_first=number == 0)}{quoted(name)}: "
            text += self.value(inner, level + 1, is_open=name in OPEN)
        return text + self.close(level) + "}"


@lru_cache(maxsize=1 << 14)
def _indent(compact: str, indent: int, level: int) -> str:
    return json.dumps(json.loads(compact), indent=indent).replace("\n", "\n" + " " * (indent * level))
