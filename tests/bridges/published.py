"""Small datasets with pictures, made in a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.rooms.data import make as a3ds
from tests.datasets.few_pairs import only_few_pairs


if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from deixis.data.store import Dataset
    from deixis.worlds.photos.scene.graph_table import GraphTable


def small_rooms(out: Path, patch: pytest.MonkeyPatch) -> Dataset:
    """An A3DS with captions of a few images, test pairs and three pictures of each split."""
    patch.setattr(a3ds, "IMAGES", 1000)
    patch.setattr(a3ds, "SHARD", 250)
    recipe = a3ds.A3dsRecipe(captions=("short",), test_sets=True, pictures=3, image_size=16)
    with only_few_pairs():
        return a3ds.make_a3ds(recipe, out, workers=1)


def pictures_of(scenes: GraphTable, folder: Path) -> Path:
    """A picture of one colour for every image."""
    from PIL import Image

    folder.mkdir()
    for number in range(len(scenes)):
        size = (int(scenes.width[number]), int(scenes.height[number]))
        Image.new("RGB", size, (40, 60 + number % 100, 90)).save(folder / f"{scenes.image_ids[number]}.png")
    return folder
