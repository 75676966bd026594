"""Features of regions: grids of numbers for each, computed once and kept in a file.

Encoders look at regions, see `looking`, and files keep what they see, see `feature_files`. Features of a million
regions do not fit into memory: they are computed some images at a time, and written at once. The checksum of every
block is looked at when it is read, on its way to a device.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos._models.regions import RegionTable
from deixis.worlds.photos.training._feature_files import FeatureFiles
from deixis.worlds.photos.training._looking import BLOCK, DTYPE, PARTS, looks_of, shapes_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._looking import RegionEncoder


@dataclass(frozen=True)
class RegionFeatures:
    """The features of the regions of all images.

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
    """Return the features of all regions, from a cache where there is one.

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
    look = partial(looks_of, regions, encoder, device, dataset, size=BLOCK, progress=progress)
    if cache is None:
        values = {part: np.empty(shape, DTYPE) for part, shape in shapes_of(regions, encoder).items()}
        for block, looks in look(0):
            for part, some in looks.items():
                start = block if part == "whole" else int(regions.first[block])
                values[part][start : start + len(some)] = some
        return _gather(values, encoder)
    files = FeatureFiles.within(cache, regions, encoder, dataset, size=BLOCK)

    def wait() -> None:
        done = len(files.read_sums()) * BLOCK
        if progress:
            progress("waiting for another process", min(done, regions.images), regions.images, encoder.name)

    sums = files.complete(look, wait)
    return _gather(files.map_arrays(), encoder, sums=sums, folder=files.folder)


def _gather(values: Mapping[str, np.ndarray], encoder: RegionEncoder, **more: Any) -> RegionFeatures:
    low = values["high"] if encoder.is_one else values["low"]
    return RegionFeatures(low, values["high"], values["whole"], encoder.name, encoder.digest, block=BLOCK, **more)


def region_table(regions: RegionArrays, features: RegionFeatures, device: torch.device) -> RegionTable:
    """Put all regions on a device, with their features in float16.

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
    return place_regions(regions, held["high"] if is_one else held["low"], held["high"], pooled, held["whole"])


def place_regions(
    regions: RegionArrays, low: Tensor, high: Tensor, pooled: Tensor, whole: Tensor | None
) -> RegionTable:
    """Make a table of regions from their features and places."""

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
