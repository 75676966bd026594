"""The origin of an example: its file, split, number, recipe, digests and licence, in one form for all worlds."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.data.store import MANIFEST, open_dataset
from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from deixis._studio.library import Entry


CARD = "README.md"
CARD_LETTERS = 20_000  # of a card that are looked into
LICENSE = re.compile(r'^license(?:_name)?: *"?([^"\n]+?)"? *$', re.MULTILINE)
OTHER = "other"  # what a card says where another line names the licence


class Fact(NamedTuple):
    """Something about an example: what it is, its value, whether that is written as code, and plain words after it."""

    name: str
    value: str
    is_code: bool = False
    rest: str = ""


class FilePlace(NamedTuple):
    """The file of an example, its row there, and the split of the file."""

    file: str
    row: int
    split: str


def provenance_of(
    entry: Entry,
    *,
    number: int | None = None,
    split: str = "",
    id: int | str = "",  # noqa: A002 (as examples call it)
    command: str = "",
    file: str = "",
    more: Iterable[Fact] = (),
) -> list[Fact]:
    """Return the facts about the origin of an example, in the order in which every page shows them.

    Args:
        entry: its dataset.
        number: its number there, from 0, where examples are numbered in the order of the files.
        split: where it belongs.
        id: its id.
        file: where it lies, where its number does not tell.
        command: what shows it in a terminal; by default by its number.
        more: what its world tells besides.
    """
    manifest = manifest_of(entry)
    recipe = manifest.get("recipe")
    recipe = recipe if isinstance(recipe, dict) else {}
    place = None if number is None else place_in(manifest, number)
    file = file or (place.file if place else entry.path.name if entry.path.is_file() else "")
    shown = f"deixis show {entry.path.name} {number}" if number is not None else ""
    found = [
        Fact("Dataset", entry.title),
        Fact("File", file, is_code=True, rest=f", row {place.row:,}" if place else ""),
        Fact("Split", split),
        Fact("Number", "" if number is None else f"{number:,}"),
        Fact("Id", str(id), is_code=True),
        *more,
        Fact("Made by", str(manifest.get("made by", ""))),
        Fact("Mode", str(recipe.get("mode", ""))),
        Fact("Seed", str(recipe.get("seed", ""))),
        Fact("Recipe digest", str(manifest.get("recipe digest", "")), is_code=True),
        Fact("Content digest", str(manifest.get("content", "")), is_code=True),
        Fact("Licence", license_of(entry, manifest)),
        Fact("In the terminal", command or shown, is_code=True),
    ]
    return [fact for fact in found if fact.value]


def manifest_of(entry: Entry) -> Mapping[str, Any]:
    """Return the manifest of a dataset, or nothing where it has none."""
    file = entry.path / MANIFEST
    return _read_manifest(entry.path, file.stat().st_mtime_ns) if file.is_file() else {}


@lru_cache(maxsize=16)
def _read_manifest(path: Path, _changed: int) -> Mapping[str, Any]:
    return open_dataset(path).manifest


def place_in(manifest: Mapping[str, Any], number: int) -> FilePlace | None:
    """Return the place of an example whose number counts the rows of all files in their order."""
    start = 0
    for file in manifest.get("files", ()):
        stop = start + int(file["rows"])
        if start <= number < stop:
            return FilePlace(str(file["path"]), number - start, str(file["split"]))
        start = stop
    return None


def license_of(entry: Entry, manifest: Mapping[str, Any]) -> str:
    """Return the licence that the card of a dataset names, or else its manifest, its reader or its kind."""
    told = _license_on_card(entry.path / CARD) or manifest.get("license")
    reader = getattr(entry.pages.world, "reader", None)
    told = told or getattr(reader, "license", "")
    if told or not manifest:
        return str(told)
    try:
        facts = entry.pages.world.part("card")(entry.path, dict(manifest), None)
    except (DeixisError, LookupError, OSError, TypeError, ValueError):
        return ""
    return str(facts.license.name)


def _license_on_card(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            head = stream.read(CARD_LETTERS)
    except OSError:
        return ""
    if not head.startswith("---\n"):
        return ""
    named = LICENSE.findall(head.partition("\n---\n")[0])
    return next((name for name in named if name != OTHER), "")
