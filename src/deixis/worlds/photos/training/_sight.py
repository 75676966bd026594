"""Features from a network that is trained along: of the images of one step, or of some questions.

Pictures are shrunk once, to the size that the network wants, and stay on the device, or in a file where they do not fit
there. What an update needs is a table of its own: the regions of its images, numbered anew, as the network sees them
now. All else, where regions are and of what category, is in a table of all images that holds no looks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.scene._array_folder import map_array
from deixis.worlds.photos.data._photographs import files_of_pictures
from deixis.worlds.photos.training._features import place_regions
from deixis.worlds.photos.training._looking import picture_blocks
from deixis.worlds.photos.training._tiny import shrunken


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.photos._models.regions import Lesson, RegionTable
    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._scoring import Questions
    from deixis.worlds.photos.training._tiny import Eyes, TinySettings


ROOM = 0.5  # the share of the memory that is free on a GPU which pictures may take
AT_ONCE = {"cuda": 256, "cpu": 16}  # images that are looked at together where nothing is learnt


@dataclass(frozen=True)
class Window:
    """Some images of a table, and their regions, numbered anew.

    Shapes:
        images: int64 [image], in ascending order. rows: int64 [region], the regions of these, as rows of the table.
        first: int64 [image + 1], where the regions of each begin among these.
    """

    whole: RegionTable
    images: Tensor
    rows: Tensor
    first: Tensor

    @classmethod
    def of(cls, whole: RegionTable, images: Tensor) -> Window:
        """The window on images, int64 [any number], in any order and with repetitions."""
        images = images.unique()
        rows, there = whole.of_images(images)
        count = whole.first[images + 1] - whole.first[images]
        return cls(whole, images, rows[there], torch.cat((count.new_zeros(1), count.cumsum(0))))

    def place(self, images: Tensor) -> Tensor:
        """Return the places of images among these, all of which have to be there: int64 [...] in and out."""
        return torch.searchsorted(self.images, images)

    def inside(self, rows: Tensor) -> Tensor:
        """Return rows of the table as rows of the window, with -1 unchanged: int64 [...] in and out."""
        image = self.whole.image[rows.clamp(min=0)]
        moved = rows - self.whole.first[image] + self.first[self.place(image)]
        return torch.where(rows < 0, rows, moved)


@dataclass(frozen=True)
class Sight:
    """A network that learns, the pictures of all images, and where their regions are.

    Attributes:
        eyes: the network.
        pictures: uint8 [image, side, side, 3], on the device or on the CPU.
        table: of all regions, without what they look like.
    """

    eyes: Eyes
    pictures: Tensor
    table: RegionTable

    def lesson(self, lesson: Lesson) -> Lesson:
        """Return a lesson about all images as one about those it needs.

        Gradients reach the network.
        """
        mined = lesson.mined or {}
        asked = torch.cat((lesson.target, lesson.other_region, *(rows for _, rows in mined.values())))
        window = Window.of(self.table, self.table.image[asked])
        return replace(
            lesson,
            table=self.encode(window),
            target=window.inside(lesson.target),
            rows=window.inside(lesson.rows),
            other_region=window.inside(lesson.other_region),
            mined=None
            if lesson.mined is None
            else {name: (said, window.inside(rows)) for name, (said, rows) in mined.items()},
        )

    @torch.no_grad()
    def prepare_questions(self, questions: Questions) -> tuple[RegionTable, Questions]:
        """Encode the regions of all images that are shown, in float16, and return them with their questions."""
        shown = questions.images
        window = Window.of(self.table, shown[shown >= 0])
        parts = [self.encode(Window.of(self.table, some)) for some in self._some(window.images)]
        low, high, pooled, whole = (
            torch.cat([getattr(part, name) for part in parts]).half() for name in ("low", "high", "pooled", "whole")
        )
        table = _within(window, low, high, pooled, whole)
        place = torch.where(shown >= 0, window.place(shown.clamp(min=0)), -1)
        return table, replace(questions, target=window.inside(questions.target), images=place)

    def encode(self, window: Window) -> RegionTable:
        """Encode the regions of a window with the network as it is now."""
        images = window.images
        pictures = self.pictures[images.to(self.pictures.device)].to(self.table.device, non_blocking=True)
        rows, there = self.table.of_images(images)
        place = self.table.place[rows]
        boxes = torch.cat((place[..., :2], place[..., 2:4] - place[..., :2]), dim=-1)
        looks = self.eyes.look_at(pictures, boxes, there)
        return _within(window, looks.low, looks.high, looks.high.mean(2), looks.whole)

    def _some(self, images: Tensor) -> Iterator[Tensor]:
        yield from images.split(AT_ONCE.get(self.table.device.type, AT_ONCE["cpu"]))


def sight_of(
    eyes: Eyes,
    regions: RegionArrays,
    dataset: CopsRef,
    device: torch.device,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Sight:
    """Prepare a dataset for a network that learns to see it.

    Args:
        eyes: the network, on the device.
        regions: of all images.
        dataset: where the pictures are.
        device: where all is computed.
        cache: a folder for shrunken pictures; without it they are held in memory.
        progress: told how far things are.
    """
    held = shrunken_pictures(regions, dataset, eyes.settings.side, cache=cache, progress=progress)
    pictures = torch.from_numpy(held)
    if device.type == "cuda" and held.nbytes < ROOM * torch.cuda.mem_get_info(device)[0]:
        pictures = pictures.to(device)
    return Sight(eyes, pictures, unseen_table(regions, eyes.settings, device))


def unseen_table(regions: RegionArrays, settings: TinySettings, device: torch.device) -> RegionTable:
    """Make a table of all regions with their places but without features."""
    low, high = (torch.zeros(len(regions), channels, 0, device=device) for channels in (settings.low, settings.high))
    return place_regions(regions, low, high, torch.zeros(len(regions), 0, device=device), None)


def shrunken_pictures(
    regions: RegionArrays,
    dataset: CopsRef,
    side: int,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """The pictures of all images as squares: uint8 [image, side, side, 3], from a file where there is a cache.

    Raises:
        BrokenDataset: when a picture is missing, or the file is damaged.
        RecipeError: when the file cannot be written.
    """
    shape = (regions.images, side, side, 3)
    if cache is None:
        held = np.empty(shape, np.uint8)
        for start, some in _shrunk(dataset, regions.images, side, progress):
            held[start : start + len(some)] = some
        return held
    seen = sha256(f"{files_of_pictures(dataset)} {regions.digest} {side}".encode()).hexdigest()
    path = cache / f"pictures-{seen[:16]}.npy"
    try:
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            with replacing_file(path) as draft, draft.open("wb") as file:
                header = {"descr": "|u1", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(file, header)
                for _, some in _shrunk(dataset, regions.images, side, progress):
                    file.write(some.data)
        found = map_array(path, mode="c")
    except OSError as error:
        raise RecipeError(f"cannot keep pictures in {cache}: {error.strerror or error}") from error
    except BrokenDataset as error:
        raise BrokenDataset(f"the pictures in {path} are damaged; delete the file") from error
    if found.shape != shape or found.dtype != np.uint8:
        raise BrokenDataset(f"the pictures in {path} are damaged; delete the file")
    return found


def _shrunk(dataset: CopsRef, images: int, side: int, progress: Progress | None) -> Iterator[tuple[int, np.ndarray]]:
    """Shrunken pictures, some at a time, with the number of the first."""
    start = 0
    for pictures in picture_blocks(dataset, 0, images):
        some = np.ascontiguousarray(shrunken(pictures, side))
        yield start, some
        start += len(some)
        if progress:
            progress("shrinking pictures", start, images, "tiny")


def _within(window: Window, low: Tensor, high: Tensor, pooled: Tensor, whole: Tensor) -> RegionTable:
    """Make the table of a window from the features of its regions."""
    table, rows = window.whole, window.rows
    return replace(
        table,
        low=low,
        high=high,
        pooled=pooled,
        place=table.place[rows],
        alike=table.alike[rows],
        near=window.inside(table.near[rows].long()),
        near_places=table.near_places[rows],
        category=table.category[rows],
        image=window.place(table.image[rows]),
        first=window.first,
        whole=whole,
    )
