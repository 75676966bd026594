"""Synonyms from WordNet's own files, `index.noun` and `data.noun`, as Debian's wordnet-base and others install them.

The files are plain text. A line of the index lists the senses of a word by their place in the data file; the line at
that place lists the words of the sense. Which sense a photograph means is in `SENSES`: senses of WordNet 3.0 as the GQA
vocabulary of the DomiKnowS project (MIT licence) gives them, without those that mean something else in a photograph
(television as broadcasting). Names that are not there are left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["SENSES", "read_synonyms"]

MOST_LETTERS = 2_000_000  # of one line; no real one comes near
SENSES = {  # names of photographs: an entry of the index and the number of its sense, counted from 1
    "airplane": ("airplane", 1),
    "bicycle": ("bicycle", 1),
    "bus": ("bus", 1),
    "candle": ("candle", 1),
    "car": ("car", 1),
    "cat": ("cat", 1),
    "ceiling": ("ceiling", 1),
    "couch": ("sofa", 1),
    "curtain": ("curtain", 1),
    "dog": ("dog", 1),
    "donut": ("doughnut", 2),
    "elephant": ("elephant", 1),
    "fence": ("fence", 1),
    "motorcycle": ("motorcycle", 1),
    "racket": ("racket", 4),
    "refrigerator": ("refrigerator", 1),
    "sidewalk": ("sidewalk", 1),
    "sofa": ("sofa", 1),
    "spectator": ("spectator", 1),
    "suitcase": ("bag", 6),
    "taxi": ("cab", 3),
    "truck": ("truck", 1),
    "vase": ("vase", 1),
}


def read_synonyms(folder: Path | str, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The other words for some names, each in the sense that a photograph means.

    Args:
        folder: holds `index.noun` and `data.noun`.
        names: those to look up; names without an entry in `SENSES` have no synonyms here.

    Raises:
        BrokenDataset: when the files are not there or are not WordNet's.
    """
    index, data = Path(folder) / "index.noun", Path(folder) / "data.noun"
    for path in (index, data):
        if not path.is_file():
            raise BrokenDataset(f"{folder} holds no {path.name} of WordNet; install wordnet-base or name its folder")
    wanted = {name: SENSES[name] for name in names if name in SENSES}
    places = _places_of(index, {entry for entry, _ in wanted.values()})
    found: dict[str, tuple[str, ...]] = {}
    with data.open("rb") as file:
        for name, (entry, number) in sorted(wanted.items()):
            if number > len(places.get(entry, ())):
                continue
            place = places[entry][number - 1]
            file.seek(place)
            words = (word.replace("_", " ").lower() for word in _words_at(file.readline(MOST_LETTERS), place, data))
            if others := tuple(word for word in words if word != name):
                found[name] = others
    return found


def _places_of(path: Path, entries: set[str]) -> dict[str, list[int]]:
    """Where the senses of some words stand in the data file, in their order."""
    places: dict[str, list[int]] = {}
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            word, _, rest = line.partition(" ")
            if word in entries:
                places[word] = [int(part) for part in rest.split() if len(part) == 8 and part.isdecimal()]
    return places


def _words_at(line: bytes, place: int, path: Path) -> list[str]:
    """The words of a line of the data file: 'offset file type count word id word id …'."""
    fields = line.decode("utf-8", "replace").split()
    begins_right = fields[:1] == [f"{place:08d}"] and len(fields) > 4 and len(fields[3]) == 2
    try:
        count = int(fields[3], 16) if begins_right else 0
    except ValueError:
        count = 0
    words = fields[4 : 4 + 2 * count : 2]
    if not words:
        raise BrokenDataset(f"{path} has no sense at {place}; it does not belong to its index")
    return [word.partition("(")[0] for word in words]
