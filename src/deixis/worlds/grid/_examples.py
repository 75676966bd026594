"""Part `examples` of the grid: instructions of datasets, single Parquet files and released files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deixis.data._parquet_files import columns_of
from deixis.data._split_names import splits_of
from deixis.data.store import MANIFEST, PARTIAL
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.worlds.grid.data.sources import RELEASED, open_source, row_groups_of, sample_rows
from deixis.worlds.grid.data.table import example_at, examples_of
from deixis.worlds.grid.formats._release import find_release


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._row_groups import RowGroups
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.navigate import Example


@dataclass(frozen=True)
class GridExamples:
    """The examples of a source, by number."""

    source: Source

    @property
    def path(self) -> Path:
        """The path of the examples."""
        return self.source.path

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number.

        Released files are written as Parquet for it, to a folder that goes with this object.
        """
        return row_groups_of(self.source)

    @cached_property
    def splits(self) -> Mapping[str, int]:
        """The number of examples of every split, counting one of two test sets in both."""
        known = self.source.splits
        return known if known is not None else {name: len(where) for name, where in self._places.items()}

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Example:
        return example_at(self.rows.row(number), 0)

    def __iter__(self) -> Iterator[Example]:
        for table in self.source.tables():
            yield from examples_of(table)

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for no such split."""
        if split is None:
            return range(len(self))
        if split not in self.splits:
            known = ", ".join(self.splits) or "none"
            raise UnknownName(f"there is no split {split!r} in {self.path.name}; it has {known}")
        found: list[int] = self._places[split].tolist() if split in self._places else []
        return found

    def count(self, split: str | None = None) -> int:
        """Return the number of examples of a split, or of all, without converting released files."""
        return self.source.count(split)

    def pick(self, number: int, split: str | None = None) -> Example:
        """Return one example, counted within a split or over all.

        Of released files only those before it are read.
        """
        return self.source.example(number, split)

    def draw(self, split: str | None, most: int, seed: int) -> Iterator[Example]:
        """Yield at most so many examples of a split, or of all, chosen by a seed; files are read once, in order."""
        table = sample_rows(self.source.tables(split), most, seed=seed)
        return iter(()) if table is None else iter(examples_of(table))

    @cached_property
    def _places(self) -> dict[str, np.ndarray]:
        """The numbers of the examples of every split."""
        found: dict[str, list[np.ndarray]] = {}
        for split, numbers in self._stretches():
            for name in splits_of(split):
                found.setdefault(name, []).append(numbers)
        return {name: np.sort(np.concatenate(some)) for name, some in found.items()}

    def _stretches(self) -> Iterator[tuple[str, np.ndarray]]:
        """Numbers of examples of one split at a time; of a dataset of ours, the manifest knows them."""
        if self.source.dataset is not None:
            for entry, start in zip(self.source.dataset.manifest["files"], self.rows.starts, strict=False):
                yield entry["split"], np.arange(start, start + entry["rows"])
            return
        for group in self.rows.groups():
            column = self.rows.read(group, ["split"])["split"].combine_chunks()
            encoded = column.dictionary_encode() if not hasattr(column, "dictionary") else column
            codes = encoded.indices.to_numpy(zero_copy_only=False)
            for code, name in enumerate(encoded.dictionary.to_pylist()):
                yield name, group.start + np.flatnonzero(codes == code)


def open(path: Path) -> GridExamples:  # noqa: A001 (the protocol calls it so)
    """Open the examples at a path: a dataset folder, a Parquet file, a released file of ReaSCAN or gSCAN, a release."""
    return GridExamples(open_source(path))


def recognises(path: Path) -> bool:
    """Return whether a path without a manifest holds grid examples: Parquet, or what ReaSCAN or gSCAN released."""
    if path.is_dir():
        is_released = any((path / name).is_file() for name in RELEASED)
        return is_released or (path / PARTIAL).is_dir() or (path / MANIFEST).exists() or _holds_release(path)
    if not path.is_file():
        return False
    try:
        return open_source(path).kind != "parquet" or "command" in columns_of(path)
    except DeixisError:
        return False


def _holds_release(path: Path) -> bool:
    try:
        return find_release(path) is not None
    except BrokenDataset:
        return True  # it holds folders of one, and opening says what is wrong
