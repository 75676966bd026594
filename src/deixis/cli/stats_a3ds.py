"""`deixis stats` for A3DS: how many captions, images and pairs there are, as the manifest tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.cli.printing import print_json, print_table
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


__all__ = ["count_rooms"]


def count_rooms(paths: Sequence[Path], *, out: Path | None, split: str | None, as_json: bool) -> int:
    """Print the sizes of datasets of captions."""
    if out is not None or split is not None:
        raise RecipeError("the sizes of A3DS are printed, all at once; leave out --out and --split")
    sizes = [_sizes(path) for path in paths]
    if as_json:
        print_json({"datasets": sizes, "files": []})
        return 0
    for one in sizes:
        print(f"{one['name']}: captions of 3D Shapes, {one['images']:,} images")
        rows = [
            ("captions", name, f"{count:,}", f"{count / one['images']:.0f}") for name, count in one["captions"].items()
        ]
        rows += [("images", name, f"{count:,}", "") for name, count in one["splits"].items()]
        rows += [("pairs", name, f"{count:,}", "") for name, count in one["pairs"].items()]
        print_table(("", "", "number", "per image"), rows, numbers=(2, 3))
    return 0


def _sizes(path: Path) -> dict[str, Any]:
    from deixis.datasets.a3ds import read_pairs
    from deixis.datasets.store import open_dataset

    manifest = open_dataset(path).manifest
    images, captions = manifest.get("images"), manifest.get("captions")
    counts = captions.values() if isinstance(captions, dict) else [None]
    if not isinstance(images, int) or images < 1 or not all(isinstance(count, int) for count in counts):
        raise BrokenDataset(f"the manifest of {path} does not say how many images and captions there are")
    pairs = {
        name: len(rows)
        for file in sorted((path / "pairs").glob("*.parquet"))
        for name, rows in read_pairs(file).items()
    }
    return {
        "name": path.resolve().name,
        "kind": "a3ds",
        "images": images,
        "captions": captions,
        "splits": manifest["splits"],
        "pairs": pairs,
    }
