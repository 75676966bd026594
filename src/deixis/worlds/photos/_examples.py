"""Part `examples` of photographs: datasets made by Deixis, and files as Cops-Ref released them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from deixis.errors import BrokenDataset, UnknownName
from deixis.worlds.photos._formats.copsref import RefReport, read_refs
from deixis.worlds.photos.data._records import example_of
from deixis.worlds.photos.data.store import CopsRef, open_copsref


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos.localise import Example


_OPEN: WeakValueDictionary[tuple[Path, str], CopsRef] = WeakValueDictionary()


@dataclass(frozen=True)
class ReleasedExamples:
    """The records of a released file: texts, targets and distractor images, but no scenes."""

    path: Path

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """All examples but those of records without text or target."""
        found = tuple(example_of(ref) for ref in read_refs(self.path, RefReport()))
        if not found:
            raise BrokenDataset(f"{self.path} holds no expressions")
        return found

    @cached_property
    def splits(self) -> Mapping[str, int]:
        """The number of examples of every split."""
        return {name: len(numbers) for name, numbers in self._places.items()}

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, example in enumerate(self.examples):
            found.setdefault(example.split, []).append(number)
        return found

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, number: int) -> Example:
        if not 0 <= number < len(self):
            raise UnknownName(f"there is no example {number} here; there are {len(self):,}, counted from 0")
        return self.examples[number]

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for no such split."""
        if split is None:
            return range(len(self))
        if split not in self._places:
            raise UnknownName(f"there is no split {split!r}; known: {', '.join(self._places)}")
        return self._places[split]


def open(path: Path) -> CopsRef | ReleasedExamples:  # noqa: A001 (the protocol calls it so)
    """Open the examples of a dataset folder, or of a file with released records."""
    return ReleasedExamples(path) if path.is_file() else open_once(path)


def open_once(path: Path) -> CopsRef:
    """Open a dataset; one that is open already is the same object, with all that is known about its scenes."""
    found = open_copsref(path)
    return _OPEN.setdefault((found.path, found.dataset.digest), found)


def recognises(path: Path) -> bool:
    """Return whether a file is as Cops-Ref was released: a JSON object of which `refs` is a list.

    One that has images and objects beside its references is COCO's.
    """
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            begins = stream.read(4096).lstrip()
            stream.seek(max(0, stream.seek(0, 2) - 4096))
            ends = stream.read(4096)
    except OSError:
        return False
    is_coco = any(name in begins or name in ends for name in (b'"annotations"', b'"categories"'))
    return begins.startswith(b"{") and b'"refs"' in begins and not is_coco
