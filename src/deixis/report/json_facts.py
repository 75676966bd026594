"""JSON that somebody else may have written: it is asked for values of a kind, and what is wrong is said in a line."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


__all__ = ["FORMAT", "Facts", "fact_lines", "flat_facts", "printable", "read_facts", "shown"]

FORMAT = 1
LONGEST = 80  # letters of a name that are shown
MOST_DIGITS = 18  # of a whole number


class Facts:
    """An object of a JSON file, asked for values of a kind; what can be missing is asked for by `find_`."""

    def __init__(self, values: object, where: str) -> None:
        if not isinstance(values, dict):
            raise BrokenDataset(f"{where} should be an object, got {shown(values)}")
        self.values: dict[str, Any] = values
        self._where = where

    def inner(self, key: str) -> Facts:
        """The object under a key, empty where there is none."""
        return Facts(self.values.get(key, {}), f"{self._where}, {printable(key)}")

    def inners(self, key: str) -> list[Facts]:
        """The objects of a list under a key, none where there is none."""
        values = self.values.get(key, [])
        if not isinstance(values, list):
            raise self._wrong(key, "a list")
        return [Facts(value, f"{self._where}, {printable(key)}") for value in values]

    def map(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Facts:
        """Return these facts as a function changes them; complaints still name where they stand."""
        return Facts(change(self.values), self._where)

    def said(self) -> Facts:
        """The same without what is null."""
        return Facts({key: value for key, value in self.values.items() if value is not None}, self._where)

    def text(self, key: str, default: str | None = None) -> str:
        """A text in one line; `default` where there is none."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return printable(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty where there is none."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self._wrong(key, "a list of names")
        return tuple(map(printable, values))

    def flag(self, key: str) -> bool:
        """True or false, false where nothing is said."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def count(self, key: str) -> int:
        """A whole number, at least 0."""
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key, "a whole number, at least 0")
        return value

    def number(self, key: str) -> float:
        """Any number."""
        value = self.values.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(key, "a number")
        return float(value)

    def share(self, key: str) -> float:
        """A number between 0 and 1."""
        value = self.number(key)
        if not 0 <= value <= 1:
            raise self._wrong(key, "a share between 0 and 1")
        return value

    def find_count(self, key: str) -> int | None:
        """A whole number, or None."""
        return None if self.values.get(key) is None else self.count(key)

    def find_number(self, key: str) -> float | None:
        """Any number, or None."""
        return None if self.values.get(key) is None else self.number(key)

    def find_share(self, key: str) -> float | None:
        """A number between 0 and 1, or None."""
        return None if self.values.get(key) is None else self.share(key)

    def _wrong(self, key: str, wanted: str) -> BrokenDataset:
        if key not in self.values:
            return BrokenDataset(f"{self._where} does not say {key!r}, which should be {wanted}")
        return BrokenDataset(f"{self._where}: {key!r} should be {wanted}, got {shown(self.values[key])}")


def read_facts(path: Path, *, hint: str, kind: str | None = None) -> Facts:
    """The object in a file.

    Args:
        path: the file.
        hint: what to do where there is none.
        kind: what it should say that it is; None where files of its sort do not say.

    Raises:
        BrokenDataset: when there is no file, it is no JSON object, or it is of another kind.
    """
    if not path.exists():
        raise BrokenDataset(f"there is no {path}; {hint}")
    facts = Facts(_parsed(_text(path), str(path)), str(path))
    if kind is not None:
        found, number = facts.values.get("kind"), facts.values.get("format")
        if found != kind or number != FORMAT:
            wanted = f"{kind!r}, format {FORMAT}"
            raise BrokenDataset(f"{path} should be of kind {wanted}, got {shown(found)}, format {shown(number)}")
    return facts


def fact_lines(path: Path) -> Iterator[Facts]:
    """Each line of a log; a last line that a crash left unfinished does not count."""
    whole, newline, _ = _text(path).rpartition("\n")
    for number, line in enumerate(whole.split("\n") if newline else (), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield Facts(_parsed(line, where), where)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path} is no UTF-8 text") from error


def _parsed(text: str, where: str) -> object:
    def refuse(name: str) -> NoReturn:
        raise BrokenDataset(f"{where} holds {name}, which is no number to reckon with")

    def real(digits: str) -> float:
        value = float(digits)
        return value if math.isfinite(value) else refuse(digits)

    def whole(digits: str) -> int:
        return int(digits) if len(digits) <= MOST_DIGITS else refuse(printable(digits))

    try:
        return json.loads(text, parse_constant=refuse, parse_float=real, parse_int=whole)
    except BrokenDataset:
        raise
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{where} is no JSON: {error}") from error


def flat_facts(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Settings with their values as text; those inside others are named with dots."""
    for key, value in values.items():
        name = f"{before}{printable(key)}"
        if isinstance(value, dict):
            yield from flat_facts(value, f"{name}.")
        else:
            yield name, printable(value if isinstance(value, str) else json.dumps(value))


def shown(value: object) -> str:
    """A value as it stands in a complaint."""
    return printable(json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """Text without line breaks and control signs, shortened where it is very long."""
    seen = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 1] + "…"
