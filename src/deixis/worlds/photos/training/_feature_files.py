"""Features of regions in the files of a folder: written block by block, gone on with, checked, and read.

What was interrupted goes on where it stopped. Every block has a checksum. One process at a time adds to a folder, and
others wait until it is done; what is complete is read without waiting for anybody.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from deixis.data._locks import wait_for_lock
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.scene._array_folder import map_array
from deixis.worlds.photos.data._photographs import files_of_pictures
from deixis.worlds.photos.training._looking import DTYPE, PARTS, shapes_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._looking import RegionEncoder


TELL = 30.0  # seconds after which it is written down how far things are
FORMAT, KIND = 1, "region features"
ABOUT, LOCK = "features.json", "lock"

Sums: TypeAlias = list[list[int]]  # for every block the checksums of its parts


@dataclass(frozen=True)
class FeatureFiles:
    """The files with the features of some regions, there already or not yet.

    Attributes:
        folder: where they lie.
        facts: what they are features of, written beside them.
        shapes: of the arrays, by part.
        regions: of all images.
        size: images of a block.
    """

    folder: Path
    facts: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, int, int]]
    regions: RegionArrays
    size: int

    @classmethod
    def within(
        cls, cache: Path, regions: RegionArrays, encoder: RegionEncoder, dataset: CopsRef | None, *, size: int
    ) -> Self:
        """Those of an encoder in a cache, where every encoder, dataset and size of blocks has a folder of its own."""
        seen = files_of_pictures(dataset) if encoder.needs_pictures and dataset is not None else ""
        facts = {
            "format": FORMAT,
            "kind": KIND,
            "encoder": encoder.name,
            "digest": encoder.digest,
            "channels": [encoder.low, encoder.high],
            "cells": encoder.cells,
            "regions": regions.digest,
            "pictures": sha256(seen.encode()).hexdigest(),
            "block": size,
        }
        folder = cache / sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
        return cls(folder, facts, shapes_of(regions, encoder), regions, size)

    def complete(
        self, look: Callable[[int], Iterator[tuple[int, dict[str, np.ndarray]]]], wait: Callable[[], None]
    ) -> Sums:
        """Add the missing blocks, and return the checksums of all.

        Args:
            look: what blocks look like, from the one on that begins with an image.
            wait: called now and then while another process adds to the files.

        Raises:
            BrokenDataset: when the files are damaged.
            RecipeError: when they cannot be written.
        """
        try:
            sums = self.read_sums()
            if not self._is_complete(sums):
                self.folder.mkdir(parents=True, exist_ok=True)
                with wait_for_lock(self.folder / LOCK, wait):
                    sums = self._fill(look)
        except OSError as error:
            raise RecipeError(f"cannot keep features in {self.folder}: {error.strerror or error}") from error
        return sums

    def read_sums(self) -> Sums:
        """Read the checksums of the blocks that are there already."""
        try:
            written = json.loads((self.folder / ABOUT).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (ValueError, RecursionError) as error:
            raise self._damage() from error
        sums = written.pop("sums", None) if isinstance(written, dict) else None
        are_sums = isinstance(sums, list) and all(
            isinstance(one, list) and len(one) == len(PARTS) and all(isinstance(sum_, int) for sum_ in one)
            for one in sums
        )
        if written != self.facts or not are_sums or len(sums or ()) > self._blocks:
            raise self._damage()
        return self._without_low(sums or [])

    def map_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays, memory-mapped, by part."""
        return {part: self._map(part) for part in self.shapes}

    @property
    def _blocks(self) -> int:
        return -(-self.regions.images // self.size)

    def _is_complete(self, sums: Sums) -> bool:
        return len(sums) == self._blocks

    def _fill(self, look: Callable[[int], Iterator[tuple[int, dict[str, np.ndarray]]]]) -> Sums:
        sums = self.read_sums()
        if self._is_complete(sums):
            return sums
        done = min(len(sums) * self.size, self.regions.images)
        files = {part: self._open(part, done) for part in self.shapes}
        told = -TELL  # as the first block of all is to be told at once
        try:
            for _, looks in look(done):
                for part, some in looks.items():
                    files[part].write(some.data)
                    files[part].flush()
                sums.append([zlib.crc32(looks[part].view(np.uint8).data) if part in looks else 0 for part in PARTS])
                if time.monotonic() - told >= TELL or self._is_complete(sums):
                    self._tell(files, sums)
                    told = time.monotonic()
        finally:
            for file in files.values():
                file.close()
        return self._without_low(sums)

    def _without_low(self, sums: Sums) -> Sums:
        """Checksums of the three parts; early is late where both are kept once."""
        return [[high if "low" not in self.shapes else low, high, whole] for low, high, whole in sums]

    def _tell(self, files: Mapping[str, BinaryIO], sums: Sums) -> None:
        """Write down how far things are, once they are on the disk."""
        for file in files.values():
            os.fsync(file.fileno())
        with replacing_file(self.folder / ABOUT) as draft:
            draft.write_text(json.dumps({**self.facts, "sums": sums}) + "\n", encoding="utf-8")

    def _file(self, part: str) -> Path:
        return self.folder / f"{part}.npy"

    def _open(self, part: str, done: int) -> BinaryIO:
        """A file of an array, ready for what comes after the images that are done."""
        path, shape = self._file(part), self.shapes[part]
        file: BinaryIO
        if not done:
            file = path.open("wb")
            header = {"descr": DTYPE.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            return file
        rows = done if part == "whole" else int(self.regions.first[done])
        file = path.open("rb+")
        try:
            np.lib.format.read_magic(file)
            found, _, dtype = np.lib.format.read_array_header_1_0(file)
            end = file.tell() + rows * prod(shape[1:]) * DTYPE.itemsize
            is_whole = found == shape and dtype == DTYPE and path.stat().st_size >= end
        except ValueError:
            is_whole, end = False, 0
        if not is_whole:
            file.close()
            raise self._damage()
        file.truncate(end)
        file.seek(end)
        return file

    def _map(self, part: str) -> np.ndarray:
        shape = self.shapes[part]
        if not prod(shape):
            return np.empty(shape, DTYPE)
        try:
            values = map_array(self._file(part))
        except (OSError, BrokenDataset) as error:
            raise self._damage(f" ({str(error)[:80]})") from error
        if values.shape != shape or values.dtype != DTYPE:
            raise self._damage()
        return values

    def _damage(self, why: str = "") -> BrokenDataset:
        return BrokenDataset(f"the features in {self.folder} are damaged{why}; delete the folder")
