"""The figures of a dataset's card: one example to look at, and the distributions that the papers show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.datasets.card import FIGURES
from deixis.datasets.store import open_dataset, replacing_file


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis.datasets.store import Dataset


__all__ = ["draw_card_figures"]

ROOMS, COLUMNS, SIDE = 24, 8, 96  # a sheet of rooms, and pixels along a side of each


def draw_card_figures(folder: Path, *, progress: Callable[[int], None] | None = None) -> list[Path]:
    """Draw the figures of a dataset into its folder `figures`; the files, the same bytes every time.

    Args:
        folder: where the dataset lies.
        progress: told the number of examples that were counted so far.

    Raises:
        BrokenDataset: when it cannot be read.
        DeixisError: when matplotlib or Pillow is not installed.
    """
    dataset = open_dataset(folder)
    draw = {"a3ds": _draw_rooms, "copsref": _draw_photographs}.get(dataset.manifest.get("kind", ""), _draw_grids)
    return draw(dataset, folder / FIGURES, progress)


def _draw_grids(dataset: Dataset, out: Path, progress: Callable[[int], None] | None) -> list[Path]:
    from deixis.datasets.sources import open_source
    from deixis.reports.gallery import marks_of
    from deixis.reports.statistics import count_source, write_statistics
    from deixis.worlds.grid.draw import draw_png

    source = open_source(dataset.path)
    example = source.example(0)
    picture = draw_png(example.scene, marks=marks_of(example), title=example.text)
    counted = count_source(source, name=dataset.path.resolve().name, progress=progress)
    files = write_statistics([counted], out, formats=("png",))
    said = f"“{example.text}”".encode()
    return [_written(out / "example.png", picture), _written(out / "example.txt", said), *files]


def _draw_photographs(dataset: Dataset, out: Path, progress: Callable[[int], None] | None) -> list[Path]:
    from deixis.datasets.copsref.store import open_copsref
    from deixis.reports.photographs import describe_photographs, write_described

    data = open_copsref(dataset.path)
    described = describe_photographs(data, name=dataset.path.resolve().name, progress=progress)
    return write_described([described], out, formats=("png",))


def _draw_rooms(dataset: Dataset, out: Path, progress: Callable[[int], None] | None) -> list[Path]:
    from deixis.scene.factors import IMAGES
    from deixis.seeds import derive, mix_words
    from deixis.worlds.shapes.draw import draw_rooms, encode_png

    recipe: Any = dataset.manifest.get("recipe", {})
    seed = np.uint64(derive(int(recipe.get("seed", 0)), "figure"))
    with np.errstate(over="ignore"):
        chosen = mix_words(seed + np.arange(ROOMS, dtype=np.uint64)) % np.uint64(IMAGES)
    rooms = draw_rooms(chosen.astype(np.int64), size=SIDE)
    rows = [np.concatenate(list(rooms[start : start + COLUMNS]), axis=1) for start in range(0, ROOMS, COLUMNS)]
    if progress:
        progress(ROOMS)
    return [_written(out / "rooms.png", encode_png(np.concatenate(rows)))]


def _written(path: Path, data: bytes) -> Path:
    with replacing_file(path) as draft:
        draft.write_bytes(data)
    return path
