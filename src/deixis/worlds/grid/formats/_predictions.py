"""Prediction files of gSCAN's models: what was said and shown, the right plan, and the plan that a model gave.

Such a file is a JSON list. An entry has `input` (the words of the command), `situation` (a list with one world),
`target` (the right actions), `prediction` (those of the model), and what its authors drew from it: attention weights,
accuracy. So it is a dataset as well as answers to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.data._json_stream import Cursor, ExampleFile
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator


SPLIT = "test"  # the files do not say which
FIELDS = frozenset({"input", "situation", "target", "prediction"})
MARKS = ("SOS", "EOS", "<SOS>", "<EOS>", "PAD", "<PAD>")  # that some models leave in their plans


class PredictionFile(ExampleFile):
    """A prediction file as a dataset: its entries as released examples."""

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every example, all of one split, or `BrokenDataset` for an entry that is none."""
        self.header = {}
        for entry in read_predictions(self.path):
            yield SPLIT, example_of(entry)


def file_of(path: Path | str, *, keeps_all: bool = False) -> ExampleFile:
    """Return a released file or a prediction file, told apart by how they begin."""
    kind = PredictionFile if is_list(Path(path)) else ExampleFile
    return kind(path, keeps_all=keeps_all)


def is_list(path: Path) -> bool:
    """Return whether a file begins as a JSON list."""
    try:
        with path.open("rb") as stream:
            return stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    except OSError:
        return False


def is_predictions(path: Path) -> bool:
    """Return whether a file is a list whose first entry has the fields of a prediction."""
    try:
        return path.is_file() and is_list(path) and next(read_predictions(path), None) is not None
    except BrokenDataset:
        return False


def read_predictions(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a prediction file.

    Raises:
        BrokenDataset: when it is no such file, or an entry lacks a field.
    """
    try:
        with path.open("rb") as stream:
            cursor = Cursor(stream, str(path))
            for number in cursor.items("the predictions"):
                entry = cursor.value(f"prediction {number}")
                missing = FIELDS - entry.keys() if isinstance(entry, dict) else FIELDS
                if missing:
                    cursor.fail(f"prediction {number} has no {', '.join(sorted(missing))}; this is another format")
                yield entry
            if cursor.peek():
                cursor.fail("there is more text behind the end of the predictions; was the file written twice?")
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def example_of(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the example of a prediction, with the fields of a released one."""
    situation = entry["situation"]
    if isinstance(situation, list) and len(situation) == 1:
        situation = situation[0]
    return {
        "command": _join(entry["input"]),
        "meaning": _join(entry["input"]),
        "derivation": _join(entry.get("derivation", "")),
        "situation": situation,
        "target_commands": _join(entry["target"]),
    }


def plan_of(entry: dict[str, Any]) -> str:
    """Return the plan of the model in words, without marks of beginning and end."""
    said = entry["prediction"]
    words = said.split(",") if isinstance(said, str) else said
    return ",".join(str(word) for word in words if word not in MARKS) if isinstance(words, list) else ""


def _join(words: Any) -> Any:
    is_words = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return ",".join(words) if is_words else words
