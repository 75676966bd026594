"""Examples wherever they lie: one way to open datasets of ours, single Parquet files and released files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis.datasets.formats.reascan import FILE_NAME
from deixis.datasets.formats.recognise import read_any, sniff
from deixis.datasets.recipe import recipe_from
from deixis.datasets.store import MANIFEST, PARTIAL, open_dataset, read_parquet
from deixis.datasets.table import example_at
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.seeds import Stream, derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from deixis.datasets.store import Dataset
    from deixis.splits.rules import Rule
    from deixis.tasks.navigate import Example


__all__ = ["Source", "SourceKind", "open_source", "sample_rows"]

SourceKind: TypeAlias = Literal["dataset", "parquet", "reascan", "gscan"]
RELEASED = (FILE_NAME, "dataset.txt")  # what a folder of a released dataset holds: ReaSCAN's, gSCAN's
GRID_KINDS = ("made", "imported")  # what datasets of grid worlds call themselves; those that are made say nothing
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Source:
    """Somewhere that examples can be read from, as often as one likes.

    Attributes:
        path: the folder or file that is read.
        kind: a dataset folder of ours, a single Parquet file, or a released file of ReaSCAN or gSCAN.
        dataset: the dataset behind it, where it is one of ours.
    """

    path: Path
    kind: SourceKind
    dataset: Dataset | None = None

    @cached_property
    def splits(self) -> dict[str, int] | None:
        """The number of examples of every split; None where only reading everything could tell."""
        if self.dataset is not None:
            return {name: size for name, size in self.dataset.splits.items() if size}
        return _splits_of_parquet(self.path) if self.kind == "parquet" else None

    @cached_property
    def total(self) -> int | None:
        """The number of examples; None where only reading everything could tell."""
        if self.dataset is not None:
            return sum(entry["rows"] for entry in self.dataset.manifest["files"])
        return _rows_of_parquet(self.path) if self.kind == "parquet" else None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What its recipe keeps out of training; nothing where it was not made from one."""
        recipe = self.dataset.manifest.get("recipe") if self.dataset is not None else None
        if recipe is None:
            return ()
        try:
            return recipe_from(recipe).hold_out
        except (DeixisError, TypeError, ValueError) as error:
            raise BrokenDataset(f"the recipe in {self.path / MANIFEST} cannot be read: {error}") from error

    def tables(self, split: str | None = None) -> Iterator[pa.Table]:
        """The examples of one split, or all, in the columns of `datasets.table`, some thousand rows at a time.

        Raises:
            BrokenDataset: when something cannot be read.
            UnknownName: when there is no such split; known only at the end where everything has to be read.
        """
        if split is None:
            yield from self._all()
        elif self.dataset is not None:
            self._demand(split, self.splits or {})
            yield from self.dataset.tables(split)
        else:
            yield from self._of_split(split)

    def count(self, split: str | None = None) -> int:
        """The number of examples of one split, or of all, by reading everything where there is no other way."""
        known = self.total if split is None else (self.splits or {}).get(split)
        return known if known is not None else sum(table.num_rows for table in self.tables(split))

    def example(self, number: int, split: str | None = None) -> Example:
        """One example, counted from 0, within one split or over all."""
        before = 0
        for table in self.tables(split) if number >= 0 else ():
            if number < before + table.num_rows:
                return example_at(table, number - before)
            before += table.num_rows
        size = before if number >= 0 else self.count(split)
        where = f"{self.path.name}, split {split}" if split else self.path.name
        raise UnknownName(f"there is no example {number} in {where}; it has {size:,}, counted from 0")

    def random_example(self, seed: int, split: str | None = None) -> tuple[int, Example]:
        """An example chosen by a seed, with its number."""
        size = self.count(split)
        if not size:
            raise BrokenDataset(f"{self.path} holds no examples to choose from")
        number = Stream(derive(seed, "show")).below(size)
        return number, self.example(number, split)

    def _all(self) -> Iterator[pa.Table]:
        if self.dataset is not None:
            yield from self.dataset.tables()
        elif self.kind == "parquet":
            yield from read_parquet(self.path)
        else:
            yield from read_any(self.path)

    def _of_split(self, split: str) -> Iterator[pa.Table]:
        seen: dict[str, int] = {}
        for table in self._all():
            names = table["split"].unique().to_pylist()
            fitting = [name for name in names if split in _memberships(name)]
            seen.update((single, 0) for name in names for single in _memberships(name))
            if fitting:
                yield table.filter(pc.is_in(table["split"], pa.array(fitting, pa.string())))
        self._demand(split, seen)

    def _demand(self, split: str, known: dict[str, int]) -> None:
        if split not in known:
            raise UnknownName(f"there is no split {split!r} in {self.path.name}; it has {', '.join(known) or 'none'}")


def open_source(path: Path) -> Source:
    """Whatever examples lie at a path.

    It may be the folder of a dataset, a single Parquet file of one, a released ReaSCAN or gSCAN file, or a folder that
    holds one under its published name.

    Raises:
        BrokenDataset: when there is nothing, or nothing that can be read, saying what was found.
    """
    if path.is_dir():
        return _open_folder(path)
    if not path.exists():
        raise BrokenDataset(f"there is no file or folder {path}")
    if not path.is_file():
        raise BrokenDataset(f"{path} is neither a file nor a folder")
    if _begins(path) == b"PAR1":
        return Source(path, "parquet")
    match sniff(path):
        case "reascan":
            return Source(path, "reascan")
        case "gscan":
            return Source(path, "gscan")
        case _:
            next(iter(read_any(path)), None)  # raises, saying what was found
            raise BrokenDataset(f"{path} holds no examples")


def sample_rows(tables: Iterable[pa.Table], rows: int, *, seed: int) -> pa.Table | None:
    """So many rows chosen at random, in their order; all where there are fewer, None where there is no table."""
    if rows < 1:
        raise DeixisError(f"a sample has at least 1 row, got {rows}")
    kept: pa.Table | None = None
    keys = np.zeros(0, np.uint64)
    done = 0
    for table in tables:
        numbers = np.arange(done, done + table.num_rows, dtype=np.uint64)
        done += table.num_rows
        keys = np.concatenate([keys, _scrambled(numbers + np.uint64(derive(seed, "sample")))])
        kept = table if kept is None else pa.concat_tables([kept, table])
        if len(keys) > rows:
            places = np.sort(np.argpartition(keys, rows)[:rows])
            kept, keys = kept.take(pa.array(places)).combine_chunks(), keys[places]
    return kept


def _open_folder(path: Path) -> Source:
    if (path / MANIFEST).exists() or (path / PARTIAL).is_dir():
        dataset = open_dataset(path)
        kind = dataset.manifest.get("kind", "made")
        if kind not in GRID_KINDS:
            raise BrokenDataset(f"{path} holds a dataset of the kind {kind!r}; only grid worlds can be read here")
        return Source(path, "dataset", dataset)
    for name in RELEASED:
        if (path / name).is_file():
            return open_source(path / name)
    raise BrokenDataset(f"{path} holds neither a deixis dataset ({MANIFEST}) nor a released one ({FILE_NAME})")


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(4)
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def _memberships(split: str | None) -> list[str]:
    return (split or "train").split("+")


def _splits_of_parquet(path: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for table in read_parquet(path, columns=["split"]):
        for entry in table["split"].value_counts().to_pylist():
            for single in _memberships(entry["values"]):
                sizes[single] = sizes.get(single, 0) + entry["counts"]
    return sizes


def _rows_of_parquet(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError, EOFError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise BrokenDataset(f"{path.name} cannot be read as Parquet ({reason}); make or copy it again") from error


def _scrambled(words: np.ndarray) -> np.ndarray:
    """Keys that put rows in random order."""
    with np.errstate(over="ignore"):
        return mix_words(words * _GOLDEN)
