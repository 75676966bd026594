"""What regions look like to models: grids of numbers for each, computed once and kept in a file.

| encoder | |
|---|---|
| `lite0` | EfficientNet-Lite0 with weights from ImageNet, see `lite0` |
| `handcrafted` | colours, edges and textures, without weights, see `handcrafted` |
| `oracle` | what the scene graph says, with noise, as an upper limit, see `oracle` |
| a path | an HDF5 file or a folder of GQA with what a detector saw, see `detector` |
| `tiny` | a network that learns together with the model, see `tiny` and `sight` |

Features of a million regions do not fit into memory: they are computed some images at a time, and written at once. What
was interrupted goes on where it stopped. Every block has a checksum, which is looked at when it is read. One process at
a time adds to a cache, and others wait until it is done; what is complete is read without waiting for anybody.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from deixis.datasets.copsref.photographs import decode_picture, files_of_pictures, read_pictures
from deixis.datasets.locks import wait_for_lock
from deixis.datasets.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.models.grounding.regions import RegionTable


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from torch import Tensor

    from deixis.datasets.copsref.arrays import RegionArrays
    from deixis.datasets.copsref.store import CopsRef
    from deixis.training.loop import Progress


__all__ = [
    "Block",
    "Looks",
    "RegionEncoder",
    "RegionFeatures",
    "picture_blocks",
    "placed",
    "region_features",
    "region_table",
]

BLOCK = 64  # images at a time
AHEAD = 2  # blocks whose pictures are read meanwhile, at least
TELL = 30.0  # seconds after which it is written down how far things are
FORMAT, KIND = 1, "region features"
ABOUT, LOCK = "features.json", "lock"
PARTS = ("low", "high", "whole")
DTYPE = np.dtype("<f2")


@dataclass(frozen=True)
class Block:
    """Some images that follow each other.

    Attributes:
        regions: of these images alone; rows are numbered from 0.
        row: the number of the first of these rows among all.
        pictures: of each image uint8 [row, column, 3]; empty where nobody asks.
    """

    regions: RegionArrays
    row: int
    pictures: tuple[np.ndarray, ...] = ()


class Looks(NamedTuple):
    """What regions and their images look like.

    Shapes:
        low, high: float [region, channel, cell], early and late in an encoder.
        whole: float [image, channel, cell], early in it.
    """

    low: Tensor
    high: Tensor
    whole: Tensor


@dataclass(frozen=True)
class RegionEncoder:
    """Something that turns regions into numbers.

    Attributes:
        name: what to call it; digest: of its weights and settings.
        low, high: how many channels there are; cells: of a region.
        look: what the regions of some images look like.
        needs_pictures: whether it looks at pictures.
        is_one: whether early and late are the same, so that they are kept once.
        blocks: of images that it looks at together.
    """

    name: str
    digest: str
    low: int
    high: int
    cells: int
    look: Callable[[Block, torch.device], Looks]
    needs_pictures: bool = True
    is_one: bool = False
    blocks: int = 1


@dataclass(frozen=True)
class RegionFeatures:
    """What the regions of all images look like.

    Attributes:
        encoder: its name; digest: of its weights and settings.
        sums: the checksums of `low`, `high` and `whole` for every block of images; empty for what was never in a file.
        block: images of a block.
        folder: where the files lie.

    Shapes:
        low, high: float16 [region, channel, cell]. whole: float16 [image, channel, cell]. Possibly memory-mapped.
    """

    low: np.ndarray
    high: np.ndarray
    whole: np.ndarray
    encoder: str
    digest: str
    sums: list[list[int]] = field(default_factory=list)
    block: int = BLOCK
    folder: Path | None = None

    def part(self, name: str, regions: RegionArrays) -> Iterator[tuple[int, np.ndarray]]:
        """`low`, `high` or `whole`, some rows at a time, with the number of the first.

        Raises:
            BrokenDataset: when the file has changed since it was written.
        """
        values: np.ndarray = getattr(self, name)
        for number, start in enumerate(range(0, regions.images, self.block)):
            end = min(start + self.block, regions.images)
            first, last = (start, end) if name == "whole" else (int(regions.first[start]), int(regions.first[end]))
            some = np.array(values[first:last])
            if self.sums and zlib.crc32(some.view(np.uint8).data) != self.sums[number][PARTS.index(name)]:
                raise BrokenDataset(f"the features in {self.folder} are damaged; delete the folder")
            yield first, some


def region_features(
    regions: RegionArrays,
    encoder: RegionEncoder,
    device: torch.device,
    *,
    dataset: CopsRef | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> RegionFeatures:
    """What all regions look like, from a cache where that is there.

    Args:
        regions: of all images.
        encoder: what looks at them.
        device: where that is computed.
        dataset: where the pictures are; may be left out for encoders that need none.
        cache: a folder for features; what an interrupted run left there is gone on with.
        progress: told how far things are.

    Raises:
        BrokenDataset: when a picture is missing, or the cache is damaged.
        RecipeError: when the cache cannot be written to.
    """
    if encoder.needs_pictures and dataset is None:
        raise RecipeError(f"the encoder {encoder.name} looks at pictures; name a dataset that keeps them")
    sizes = _sizes(regions, encoder)
    if cache is None:
        values = {part: np.empty(shape, DTYPE) for part, shape in sizes.items()}
        for block, looks in _looks(regions, encoder, device, dataset, 0, progress):
            for part, some in looks.items():
                start = block if part == "whole" else int(regions.first[block])
                values[part][start : start + len(some)] = some
        return _gathered(values, encoder)
    facts = _facts(regions, encoder, dataset)
    folder = cache / sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    def wait() -> None:
        done = len(_known(folder, facts, sizes, regions)) * BLOCK
        if progress:
            progress("waiting for another process", min(done, regions.images), regions.images, encoder.name)

    try:
        sums = _known(folder, facts, sizes, regions)
        if not _is_complete(sums, regions):
            folder.mkdir(parents=True, exist_ok=True)
            with wait_for_lock(folder / LOCK, wait):
                look = partial(_looks, regions, encoder, device, dataset, progress=progress)
                sums = _fill(folder, facts, sizes, regions, look)
    except OSError as error:
        raise RecipeError(f"cannot keep features in {folder}: {error.strerror or error}") from error
    held = {part: _mapped(folder, part, shape) for part, shape in sizes.items()}
    return _gathered(held, encoder, sums=sums, folder=folder)


def _gathered(values: Mapping[str, np.ndarray], encoder: RegionEncoder, **more: Any) -> RegionFeatures:
    low = values["high"] if encoder.is_one else values["low"]
    return RegionFeatures(low, values["high"], values["whole"], encoder.name, encoder.digest, block=BLOCK, **more)


def _sizes(regions: RegionArrays, encoder: RegionEncoder) -> dict[str, tuple[int, int, int]]:
    sizes = {
        "low": (len(regions), encoder.low, encoder.cells),
        "high": (len(regions), encoder.high, encoder.cells),
        "whole": (regions.images, encoder.low, encoder.cells),
    }
    if encoder.is_one:
        del sizes["low"]
    return sizes


# -------------------------------------------------------------------------------------------------- looking


@torch.no_grad()
def _looks(
    regions: RegionArrays,
    encoder: RegionEncoder,
    device: torch.device,
    dataset: CopsRef | None,
    start: int,
    progress: Progress | None,
) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """The number of the first image of a block, and what the block looks like."""
    pictures = None
    if encoder.needs_pictures and dataset:
        pictures = picture_blocks(dataset, start, regions.images, ahead=max(AHEAD, encoder.blocks))
    for first in range(start, regions.images, BLOCK * encoder.blocks):
        images = np.arange(first, min(first + BLOCK * encoder.blocks, regions.images))
        starts = range(0, len(images), BLOCK)
        seen = tuple(one for _ in starts for one in next(pictures)) if pictures else ()
        block = Block(regions.some(images), int(regions.first[first]), seen)
        found = _checked(encoder.look(block, device), block, encoder, first)
        for begin in starts:
            end = min(begin + BLOCK, len(images))
            rows = slice(int(block.regions.first[begin]), int(block.regions.first[end]))
            yield (
                first + begin,
                {part: some[begin:end] if part == "whole" else some[rows] for part, some in found.items()},
            )
            if progress:
                progress("looking at regions", first + end, regions.images, encoder.name)


def _checked(looks: Looks, block: Block, encoder: RegionEncoder, first: int) -> dict[str, np.ndarray]:
    """What a block looks like in float16, as which it leaves the device; `first` is its first image."""
    found = {}
    for part, wanted in _sizes(block.regions, encoder).items():
        some: Tensor = getattr(looks, part)
        if tuple(some.shape) != wanted:
            raise RecipeError(f"the encoder {encoder.name} gives {part} of {tuple(some.shape)}, not {wanted}")
        if not bool(torch.isfinite(some).all()):
            raise BrokenDataset(f"the encoder {encoder.name} sees what is no number in image {first} or after")
        most = float(np.finfo(DTYPE).max)
        found[part] = np.ascontiguousarray(some.float().clamp(-most, most).half().cpu().numpy())
    return found


def picture_blocks(
    dataset: CopsRef, start: int, images: int, *, ahead: int = AHEAD
) -> Iterator[tuple[np.ndarray, ...]]:
    """The pictures of blocks; those of the next ones are read meanwhile, by several cores."""
    ids = dataset.scenes.image_ids
    held = read_pictures(dataset, start=start)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as threads:
        waiting: deque[Any] = deque()
        for first in range(start, images + ahead * BLOCK, BLOCK):
            count = min(BLOCK, images - first)
            if count > 0:
                some = [next(held) for _ in range(count)]
                waiting.append([threads.submit(decode_picture, one, ids[number]) for number, one in some])
            if len(waiting) > ahead or (count <= 0 and waiting):
                yield tuple(one.result() for one in waiting.popleft())
        while waiting:
            yield tuple(one.result() for one in waiting.popleft())


# -------------------------------------------------------------------------------------------------- keeping


def _facts(regions: RegionArrays, encoder: RegionEncoder, dataset: CopsRef | None) -> dict[str, Any]:
    seen = files_of_pictures(dataset) if encoder.needs_pictures and dataset is not None else ""
    return {
        "format": FORMAT,
        "kind": KIND,
        "encoder": encoder.name,
        "digest": encoder.digest,
        "channels": [encoder.low, encoder.high],
        "cells": encoder.cells,
        "regions": regions.digest,
        "pictures": sha256(seen.encode()).hexdigest(),
        "block": BLOCK,
    }


def _fill(
    folder: Path,
    facts: dict[str, Any],
    sizes: Mapping[str, tuple[int, int, int]],
    regions: RegionArrays,
    look: Callable[[int], Iterator[tuple[int, dict[str, np.ndarray]]]],
) -> list[list[int]]:
    """Add what is missing in a folder; the checksums of all blocks."""
    sums = _known(folder, facts, sizes, regions)
    if _is_complete(sums, regions):
        return sums
    done = min(len(sums) * BLOCK, regions.images)
    files = {part: _opened(folder, part, shape, regions, done) for part, shape in sizes.items()}
    told = -TELL  # as the first block of all is to be told at once
    try:
        for _, looks in look(done):
            for part, some in looks.items():
                files[part].write(some.data)
                files[part].flush()
            sums.append([zlib.crc32(looks[part].view(np.uint8).data) if part in looks else 0 for part in PARTS])
            if time.monotonic() - told >= TELL or _is_complete(sums, regions):
                _tell(folder, files, {**facts, "sums": sums})
                told = time.monotonic()
    finally:
        for file in files.values():
            file.close()
    return _without_low(sums, sizes)


def _is_complete(sums: list[list[int]], regions: RegionArrays) -> bool:
    return len(sums) == -(-regions.images // BLOCK)


def _without_low(sums: list[list[int]], sizes: Mapping[str, Any]) -> list[list[int]]:
    """Checksums of the three parts; early is late where both are kept once."""
    return [[high if "low" not in sizes else low, high, whole] for low, high, whole in sums]


def _tell(folder: Path, files: Mapping[str, BinaryIO], facts: Mapping[str, Any]) -> None:
    """Write down how far things are, once they are on the disk."""
    for file in files.values():
        os.fsync(file.fileno())
    with replacing_file(folder / ABOUT) as draft:
        draft.write_text(json.dumps(facts) + "\n", encoding="utf-8")


def _known(folder: Path, facts: dict[str, Any], sizes: Mapping[str, Any], regions: RegionArrays) -> list[list[int]]:
    """The checksums of the blocks that a folder holds already."""
    try:
        written = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"the features in {folder} are damaged; delete the folder") from error
    sums = written.pop("sums", None) if isinstance(written, dict) else None
    are_sums = isinstance(sums, list) and all(
        isinstance(one, list) and len(one) == len(PARTS) and all(isinstance(sum_, int) for sum_ in one) for one in sums
    )
    if written != facts or not are_sums or len(sums or ()) > -(-regions.images // BLOCK):
        raise BrokenDataset(f"the features in {folder} are damaged; delete the folder")
    return _without_low(sums or [], sizes)


def _file(folder: Path, part: str) -> Path:
    return folder / f"{part}.npy"


def _opened(folder: Path, part: str, shape: tuple[int, int, int], regions: RegionArrays, done: int) -> BinaryIO:
    """A file of an array, ready for what comes after the images that are done."""
    path = _file(folder, part)
    file: BinaryIO
    if not done:
        file = path.open("wb")
        header = {"descr": DTYPE.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        return file
    rows = done if part == "whole" else int(regions.first[done])
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
        raise BrokenDataset(f"the features in {folder} are damaged; delete the folder")
    file.truncate(end)
    file.seek(end)
    return file


def _mapped(folder: Path, part: str, shape: tuple[int, int, int]) -> np.ndarray:
    if not prod(shape):
        return np.empty(shape, DTYPE)
    try:
        values: np.ndarray = np.load(_file(folder, part), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise BrokenDataset(f"the features in {folder} are damaged ({str(error)[:80]}); delete the folder") from error
    if values.shape != shape or values.dtype != DTYPE:
        raise BrokenDataset(f"the features in {folder} are damaged; delete the folder")
    return values


# -------------------------------------------------------------------------------------------------- tables


def region_table(regions: RegionArrays, features: RegionFeatures, device: torch.device) -> RegionTable:
    """All regions on a device, as models see them; what they look like in float16.

    Raises:
        BrokenDataset: when features are of other regions, or damaged.
        RecipeError: when they do not fit on the device.
    """
    if len(features.high) != len(regions) or len(features.whole) != regions.images:
        raise BrokenDataset(f"there are features of {len(features.high):,} regions, but {len(regions):,} regions")
    is_one = features.low is features.high
    parts = {part: getattr(features, part) for part in PARTS if not (part == "low" and is_one)}
    _demand_room(sum(values.nbytes for values in parts.values()), device)
    held = {part: torch.empty(values.shape, dtype=torch.float16, device=device) for part, values in parts.items()}
    pooled = torch.empty(features.high.shape[:2], dtype=torch.float16, device=device)
    for part, values in held.items():
        for start, some in features.part(part, regions):
            values[start : start + len(some)] = torch.from_numpy(some).to(device)
            if part == "high":
                pooled[start : start + len(some)] = values[start : start + len(some)].float().mean(2).half()
    return placed(regions, held["high"] if is_one else held["low"], held["high"], pooled, held["whole"])


def placed(regions: RegionArrays, low: Tensor, high: Tensor, pooled: Tensor, whole: Tensor | None) -> RegionTable:
    """The table of regions that look so, with where they are."""

    def on(array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.array(array)).to(high.device)

    return RegionTable(
        low=low,
        high=high,
        pooled=pooled,
        place=on(regions.place),
        alike=on(regions.alike),
        near=on(regions.near),
        near_places=on(regions.near_places),
        category=on(regions.category).long(),
        image=on(regions.image).long(),
        first=on(regions.first),
        whole=whole,
    )


def _demand_room(needed: int, device: torch.device) -> None:
    if device.type != "cuda":
        return
    free, _ = torch.cuda.mem_get_info(device)
    if needed * 1.05 > free:
        raise RecipeError(
            f"what regions look like takes {needed / 2**30:.1f} GiB, and {free / 2**30:.1f} GiB are free on {device}; "
            "choose a coarser grid or fewer images"
        )
