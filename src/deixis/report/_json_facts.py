"""JSON of unknown origin, read value by value, with errors of one line that names the file and the value."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from deixis.judge.uncertainty import Estimate


FORMAT = 1
MAX_LETTERS = 80  # of a name that is shown
MAX_DIGITS = 18  # of a whole number
MAX_BYTES = 64 << 20  # of a file
MAX_COUNT = 1 << 53  # of anything


@dataclass(frozen=True, slots=True)
class Facts:
    """An object of a JSON file, read value by value.

    `find_` methods return None for what is missing.
    """

    values: dict[str, Any]
    where: str

    def __post_init__(self) -> None:
        if not isinstance(self.values, dict):
            raise BrokenDataset(f"{self.where} should be an object, got {quote_json(self.values)}")

    def inner(self, key: str) -> Facts:
        """The object under a key, empty where there is none."""
        return Facts(self.values.get(key, {}), f"{self.where}, {printable(key)}")

    def inners(self, key: str) -> list[Facts]:
        """The objects of a list under a key, none where there is none."""
        values = self.values.get(key, [])
        if not isinstance(values, list):
            raise self._wrong(key, "a list")
        return [Facts(value, f"{self.where}, {printable(key)}") for value in values]

    def without_nulls(self) -> Facts:
        """The same without the values that are null."""
        return Facts({key: value for key, value in self.values.items() if value is not None}, self.where)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text in one line, or `default` if there is none."""
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

    def counts(self, key: str) -> dict[str, float]:
        """Return counts by name, empty if there are none.

        A count may be a fraction.
        """
        found = self.inner(key)
        numbers = {printable(name): found.number(name) for name in found.values}
        if not all(0 <= count <= MAX_COUNT for count in numbers.values()):
            raise self._wrong(key, "counts of at least 0")
        return numbers

    def estimate(self, key: str, *, rows: int | None = None) -> Estimate:
        """Return a mean with its interval and the number of rows, with NaN for what is missing."""
        from deixis.judge.uncertainty import Estimate

        found = self.inner(key)
        ends = (found.find_number(name) for name in ("mean", "low", "high"))
        mean, low, high = (math.nan if one is None else one for one in ends)
        of = found.count("rows") if rows is None else rows
        if of > MAX_COUNT:
            raise self._wrong(key, "a mean over rows that can be counted")
        return Estimate(mean, low, high, of)

    def _wrong(self, key: str, wanted: str) -> BrokenDataset:
        if key not in self.values:
            return BrokenDataset(f"{self.where} does not say {key!r}, which should be {wanted}")
        return BrokenDataset(f"{self.where}: {key!r} should be {wanted}, got {quote_json(self.values[key])}")


NO_FACTS = Facts({}, "")


def read_facts(path: Path, *, hint: str, kind: str | None = None) -> Facts:
    """Read the object in a file.

    Args:
        path: the file.
        hint: what to do where there is none.
        kind: the kind that it has to name; None where files of its sort name none.

    Raises:
        BrokenDataset: when there is no file, it is no JSON object, or it is of another kind.
    """
    if not path.exists():
        raise BrokenDataset(f"there is no {path}; {hint}")
    return find_facts(path, kind=kind)


def find_facts(path: Path, *, kind: str | None = None, is_strict: bool = True) -> Facts:
    """Read the object in a file as `read_facts` does, or an empty one if there is no file.

    Where reading is not strict, a number that is none (NaN, infinity) is null.
    """
    if not path.exists():
        return NO_FACTS
    facts = Facts(_parse(_read_text(path), str(path), is_strict=is_strict), str(path))
    if kind is not None:
        demand_kind(facts, kind)
    return facts


def demand_kind(facts: Facts, kind: str) -> None:
    """Raise `BrokenDataset` unless an object names this kind and a format that is known."""
    found, number = facts.values.get("kind"), facts.values.get("format")
    if found != kind or number != FORMAT:
        wanted = f"{kind!r}, format {FORMAT}"
        raise BrokenDataset(
            f"{facts.where} should be of kind {wanted}, got {quote_json(found)}, format {quote_json(number)}"
        )


def fact_lines(path: Path, *, is_strict: bool = True) -> Iterator[Facts]:
    """Read each line of a log, without a last line that a crash left unfinished."""
    whole, newline, _ = _read_text(path).rpartition("\n")
    for number, line in enumerate(whole.split("\n") if newline else (), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield Facts(_parse(line, where, is_strict=is_strict), where)


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BrokenDataset(f"{path} has more than {MAX_BYTES >> 20} MB")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path} is no UTF-8 text") from error
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def _parse(text: str, where: str, *, is_strict: bool) -> Any:
    def refuse(name: str) -> Any:
        if is_strict:
            raise BrokenDataset(f"{where} holds {name}, which is no number to reckon with")
        return None

    def real(digits: str) -> Any:
        value = float(digits)
        return value if math.isfinite(value) else refuse(digits)

    def whole(digits: str) -> Any:
        return int(digits) if len(digits) <= MAX_DIGITS else refuse(printable(digits))

    try:
        return json.loads(text, parse_constant=refuse, parse_float=real, parse_int=whole)
    except BrokenDataset:
        raise
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{where} is no JSON: {error}") from error


def flat_facts(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield settings with their values as text, with dots in the names of nested ones."""
    for key, value in values.items():
        name = f"{before}{printable(key)}"
        if isinstance(value, dict):
            yield from flat_facts(value, f"{name}.")
        else:
            yield name, printable(value if isinstance(value, str) else json.dumps(value))


def quote_json(value: object) -> str:
    """Quote a value in an error message."""
    return printable(json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """Replace line breaks and control characters, and shorten what is very long."""
    seen = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return seen if len(seen) <= MAX_LETTERS else seen[: MAX_LETTERS - 1] + "…"
