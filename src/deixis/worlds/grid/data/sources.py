"""One way to open examples: dataset folders, single Parquet files and released files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis.data._memberships import rename_splits
from deixis.data._parquet_files import parquet_errors
from deixis.data._row_groups import RowGroups
from deixis.data._split_names import splits_of
from deixis.data.store import MANIFEST, PARTIAL, open_dataset, read_parquet, write_parquet
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.grid.data.table import DEMANDED, OPTIONAL, SCHEMA, example_at, in_schema
from deixis.worlds.grid.formats._examined import examined_tables
from deixis.worlds.grid.formats._recognise import pick_example, read_any, sniff
from deixis.worlds.grid.formats._release import FILE_NAME, ReleasedFile, find_release, names_in_folder
from deixis.worlds.grid.making.recipe import recipe_from


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.data.store import Dataset
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.splits.rules import Rule


__all__ = ["Source", "SourceKind", "open_source", "row_groups_of", "sample_rows"]

SourceKind: TypeAlias = Literal["dataset", "parquet", "reascan", "gscan"]
RELEASED = (FILE_NAME, "dataset.txt")  # what a folder of a released dataset holds: ReaSCAN's, gSCAN's
GRID_KINDS = ("made", "imported")  # what datasets of grid worlds call themselves; those that are made say nothing


@dataclass(frozen=True)
class Source:
    """Somewhere that examples can be read from, as often as one likes.

    Attributes:
        path: the folder or file that is read.
        kind: a dataset folder of ours, a single Parquet file, or released files of ReaSCAN or gSCAN.
        dataset: the dataset behind it, where it is one of ours.
        files: the released files that are read, one after the other, with what their splits are called.
        left_out: folders of a release that are not read with it; see `formats.release`.
    """

    path: Path
    kind: SourceKind
    dataset: Dataset | None = None
    files: tuple[ReleasedFile, ...] = ()
    left_out: tuple[str, ...] = ()

    @cached_property
    def splits(self) -> dict[str, int] | None:
        """The number of examples of every split, or None if only reading everything could tell."""
        if self.dataset is not None:
            return {name: size for name, size in self.dataset.splits.items() if size}
        return _splits_of_parquet(self.path) if self.kind == "parquet" else None

    @cached_property
    def total(self) -> int | None:
        """The number of examples, or None if only reading everything could tell."""
        if self.dataset is not None:
            return sum(entry["rows"] for entry in self.dataset.manifest["files"])
        return _rows_of_parquet(self.path) if self.kind == "parquet" else None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules by which its recipe keeps examples out of training, none without a recipe."""
        recipe = self.dataset.manifest.get("recipe") if self.dataset is not None else None
        if recipe is None:
            return ()
        try:
            return recipe_from(recipe).hold_out
        except (DeixisError, TypeError, ValueError) as error:
            raise BrokenDataset(f"the recipe in {self.path / MANIFEST} cannot be read: {error}") from error

    def tables(self, split: str | None = None) -> Iterator[pa.Table]:
        """The examples of one split, or all, in the columns of `worlds.grid.data.table`, some thousand rows at a time.

        Raises:
            BrokenDataset: when something cannot be read.
            UnknownName: when there is no such split; known only at the end where everything has to be read.
        """
        if split is None:
            yield from self._all()
        elif self.dataset is not None:
            self._demand(split, self.splits or {})
            for table in self.dataset.tables(split, demanded=DEMANDED):
                yield in_schema(table, self.path.name)
        else:
            yield from self._of_split(split)

    def tables_for_check(self) -> Iterator[pa.Table | str]:
        """Yield all examples for `worlds.grid.checks`, those of a released file with faults of the fields of each.

        What cannot be understood is told instead of raised: an example by its fault, the rest of a file by a text.
        """
        if self.kind in ("reascan", "gscan"):
            for file in self.files or (ReleasedFile(self.path),):
                for table in examined_tables(file.path, self.kind):
                    yield table if isinstance(table, str) else rename_splits(table, file.names)
        else:
            yield from self._recorded_tables()

    def count(self, split: str | None = None) -> int:
        """The number of examples of one split, or of all, by reading everything where there is no other way."""
        known = self.total if split is None else (self.splits or {}).get(split)
        if known is None and self.files:
            known = sum(found for found in self._pick(-1, split) if isinstance(found, int)) or None
        return known if known is not None else sum(table.num_rows for table in self.tables(split))

    def example(self, number: int, split: str | None = None) -> Example:
        """One example, counted from 0, within one split or over all."""
        picked = next((one for one in self._pick(number, split) if not isinstance(one, int)), None)
        if picked is not None:
            return example_at(picked, 0)
        before = 0
        for table in self.tables(split) if number >= 0 else ():
            if number < before + table.num_rows:
                return example_at(table, number - before)
            before += table.num_rows
        size = before if number >= 0 else self.count(split)
        where = f"{self.path.name}, split {split}" if split else self.path.name
        raise UnknownName(f"there is no example {number} in {where}; it has {size:,}, counted from 0")

    def _pick(self, number: int, split: str | None) -> Iterator[pa.Table | int]:
        """The table of one example, where it lies in released files; before it, the sizes of those that lack it."""
        for file in self.files:

            def is_wanted(name: str, file: ReleasedFile = file) -> bool:
                return split is None or file.names.get(name, name) == split

            found = pick_example(file.path, number, is_wanted=is_wanted)
            if isinstance(found, int):
                yield found
                number -= found if number >= 0 else 0
            else:
                yield rename_splits(found, file.names)
                return

    def _recorded_tables(self) -> Iterator[pa.Table]:
        """The examples of a dataset or a Parquet file as they stand there."""
        return (
            self.dataset.tables(demanded=DEMANDED)
            if self.dataset is not None
            else read_parquet(self.path, demanded=DEMANDED)
        )

    def _all(self) -> Iterator[pa.Table]:
        if self.dataset is not None or self.kind == "parquet":
            for table in self._recorded_tables():
                yield in_schema(table, self.path.name)
        else:
            for file in self.files or (ReleasedFile(self.path),):
                for table in read_any(file.path):
                    yield rename_splits(table, file.names)

    def _of_split(self, split: str) -> Iterator[pa.Table]:
        seen: dict[str, int] = {}
        for table in self._all():
            names = table["split"].unique().to_pylist()
            fitting = [name for name in names if split in splits_of(name)]
            seen.update((single, 0) for name in names for single in splits_of(name))
            if fitting:
                yield table.filter(pc.is_in(table["split"], pa.array(fitting, pa.string())))
        self._demand(split, seen)

    def _demand(self, split: str, known: dict[str, int]) -> None:
        if split not in known:
            raise UnknownName(f"there is no split {split!r} in {self.path.name}; it has {', '.join(known) or 'none'}")


def open_source(path: Path) -> Source:
    """Open the examples at a path.

    It may be the folder of a dataset, a single Parquet file of one, a released ReaSCAN or gSCAN file, a folder that
    holds one under its published name, or the folder of a whole ReaSCAN release. In a folder of the release such as
    `ReaSCAN-compositional-a1`, the split `test` is called a1.

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
            names = names_in_folder(path.resolve().parent.name) if path.name == FILE_NAME else {}
            return Source(path, "reascan", files=(ReleasedFile(path, names),))
        case "gscan":
            return Source(path, "gscan", files=(ReleasedFile(path),))
        case _:
            next(iter(read_any(path)), None)  # raises, saying what was found
            raise BrokenDataset(f"{path} holds no examples")


def row_groups_of(source: Source) -> RowGroups:
    """Return the rows of opened examples.

    A released file is first written as Parquet, to a folder of its own that goes when the rows are no longer used.
    """
    if source.dataset is not None:
        listed = source.dataset.manifest["files"]
        return RowGroups(
            ((source.path / entry["path"], entry["rows"]) for entry in listed), SCHEMA.names, optional=OPTIONAL
        )
    if source.kind == "parquet":
        return RowGroups([(source.path, source.count())], SCHEMA.names, optional=OPTIONAL)
    scratch = Path(mkdtemp(prefix="deixis-"))
    try:
        files = []
        for place, table in enumerate(source.tables()):
            path = scratch / f"{place:05d}.parquet"
            write_parquet(table, path)
            files.append((path, table.num_rows))
    except BaseException:
        rmtree(scratch, ignore_errors=True)
        raise
    return RowGroups(files, SCHEMA.names, scratch=scratch)


def sample_rows(tables: Iterable[pa.Table], rows: int, *, seed: int) -> pa.Table | None:
    """Draw some rows at random, in their order.

    All of them if there are fewer, and None if there is no table.
    """
    if rows < 1:
        raise DeixisError(f"a sample has at least 1 row, got {rows}")
    kept: pa.Table | None = None
    keys = np.zeros(0, np.uint64)
    done = 0
    for table in tables:
        numbers = np.arange(done, done + table.num_rows, dtype=np.uint64)
        done += table.num_rows
        keys = np.concatenate([keys, _scramble(numbers + np.uint64(derive(seed, "sample")))])
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
    if (release := find_release(path)) is not None:
        return Source(path, "reascan", files=release.files, left_out=release.left_out)
    raise BrokenDataset(f"{path} holds neither a deixis dataset ({MANIFEST}) nor a released one ({FILE_NAME})")


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(4)
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def _splits_of_parquet(path: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for table in read_parquet(path, columns=["split"]):
        for entry in in_schema(table, path.name)["split"].value_counts().to_pylist():
            for single in splits_of(entry["values"]):
                sizes[single] = sizes.get(single, 0) + entry["counts"]
    return sizes


def _rows_of_parquet(path: Path) -> int:
    with parquet_errors(path):
        return int(pq.read_metadata(path).num_rows)


def _scramble(words: np.ndarray) -> np.ndarray:
    """Keys that put rows in random order."""
    with np.errstate(over="ignore"):
        return mix_words(words * GOLDEN_WORD)
