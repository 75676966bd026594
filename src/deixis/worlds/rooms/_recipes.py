"""Part `recipes` of the rooms: what `deixis make a3ds` can be told, and who makes it.

The maker and its record are imported when they are needed, so that help and completion do without tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from deixis._options import names_in, refuse_options
from deixis.data.recipes import record_from
from deixis.report.output import Output, TextTable


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.data._crew import Crew, Progress
    from deixis.data.store import Dataset
    from deixis.worlds.rooms.data.make import A3dsRecipe


def a3ds(  # noqa: PLR0913 (each is an option)
    *,
    captions: str = "exhaustive,short",
    layout: Literal["parquet", "json", "both"] = "parquet",
    images: bool = False,
    image_size: int | None = None,
    pictures: int = 0,
    pairs: bool = False,
    test_sets: bool = False,
    every_word: bool = False,
    seed: int = 42,
) -> A3dsRecipe:
    """A3DS: captions of all 480,000 rooms of 3D Shapes, a vocabulary, and disjoint splits of the images.

    Args:
        captions: Grammars, separated by commas: exhaustive, short, exhaustive-released, partial, natural; or none.
        layout: Parquet (the default), the JSON files of the release, or both.
        images: Draw the images, too, into a file of the original layout.
        image_size: Pixels along one side of an image; 64 by default.
        pictures: Keep so many images of each split as pictures in Parquet, for `datasets` and the hub.
        pairs: Draw random and similar pairs for a reference game.
        test_sets: Draw the thirteen test sets of the paper.
        every_word: Draw three further test sets in which every feature that a caption says must be said: one beside one
            distractor, two beside three, three beside seven.
        seed: Splits and pairs follow from it; 42 by default.
    """
    from deixis.worlds.rooms.data.make import A3dsRecipe

    names: tuple[Any, ...] = () if captions.strip().lower() == "none" else names_in(captions)
    if not (images or pictures):
        refuse_options({"--image-size": image_size}, because="for --images and --pictures only, and neither is drawn")
    return A3dsRecipe(
        captions=names,
        layout=layout,
        images=images,
        image_size=64 if image_size is None else image_size,
        pairs=pairs,
        test_sets=test_sets,
        every_word=every_word,
        seed=seed,
        pictures=pictures,
    )


datasets = {"a3ds": a3ds}


def make(
    recipe: A3dsRecipe,
    out: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
) -> Dataset:
    """Make the dataset of a recipe with `data.make.make_a3ds`."""
    from deixis.worlds.rooms.data.make import make_a3ds

    return make_a3ds(recipe, out, workers=workers, progress=progress, crew=crew)


def recipe_from(values: Mapping[str, Any]) -> A3dsRecipe:
    """The recipe that plain values describe, as a manifest or a TOML file holds them."""
    from deixis.worlds.rooms.data.make import A3dsRecipe

    return record_from(A3dsRecipe, values, called="a3ds")


def demo(seed: int = 42) -> A3dsRecipe:
    """The test sets of the paper, without captions, which are many."""
    from deixis.worlds.rooms.data.make import A3dsRecipe

    return A3dsRecipe(captions=(), test_sets=True, seed=seed)


def fresh(seed: int, *, like: Mapping[str, Any] | None = None) -> A3dsRecipe:
    """Return a recipe of test sets of other pairs, which are drawn in the same way for every recipe."""
    del like
    return demo(seed)


def warm() -> int:
    """Compile the kernels that draw rooms by drawing one."""
    from deixis.worlds.rooms.draw import draw_room

    draw_room(0)
    return 0


def summary(dataset: Dataset) -> Output:
    """Return the number of captions of each grammar, and of everything else that was made."""
    manifest = dataset.manifest
    parts: dict[str, dict[str, int]] = {}
    for entry in manifest["files"]:
        folder, _, name = entry["path"].rpartition("/")
        what = f"{entry['split']} captions" if entry["split"] in manifest["captions"] else folder or name
        what = f"{what}, JSON" if name.startswith("3dshapes_captions") else what
        part = parts.setdefault(what, {"files": 0, "rows": 0, "bytes": 0})
        for key, value in (("files", 1), ("rows", entry["rows"]), ("bytes", entry["bytes"])):
            part[key] += value
    rows = [
        (what, f"{part['files']:,}", f"{part['rows']:,}", f"{part['bytes'] / 1e6:,.1f}") for what, part in parts.items()
    ]
    splits = ", ".join(f"{name} {size:,}" for name, size in dataset.splits.items())
    return Output(
        values={"captions": manifest["captions"], "parts": parts},
        blocks=[
            TextTable(("part", "files", "entries", "megabytes"), rows, numbers=(1, 2, 3)),
            f"Captions: {sum(manifest['captions'].values()):,}. Images of the splits: {splits}.",
        ],
    )
