"""`deixis make a3ds`: captions, splits, and if wanted images and pairs of the A3DS dataset."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deixis.cli.options import Address, Count, Json, On, Place, Seed, Wait, names_in
from deixis.cli.places import PATIENCE_SECONDS, crew_for, delivered
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages


if TYPE_CHECKING:
    from deixis.datasets.a3ds import A3dsRecipe
    from deixis.datasets.crew import Crew
    from deixis.datasets.store import Dataset


__all__ = ["a3ds"]


def a3ds(
    *,
    out: Place,
    captions: str = "exhaustive,short",
    layout: Literal["parquet", "json", "both"] = "parquet",
    images: bool = False,
    image_size: Count = 64,
    pictures: int = 0,
    pairs: bool = False,
    test_sets: bool = False,
    seed: Seed = 42,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
) -> int:
    """Make A3DS: captions of all 480,000 rooms of 3D Shapes, a vocabulary, and disjoint splits of the images.

    What is finished is kept when making is interrupted; the same command goes on from there.

    Args:
        out: The folder for the dataset, or an address such as s3://bucket/folder.
        captions: Grammars, separated by commas: exhaustive, short, exhaustive-released, partial, natural; or none.
        layout: Parquet (the default), the JSON files of the release, or both.
        images: Draw the images, too, into a file of the original layout.
        image_size: Pixels along one side of an image; 64 by default.
        pictures: Keep so many images of each split as pictures in Parquet, for `datasets` and the hub.
        pairs: Draw random and similar pairs for a reference game.
        test_sets: Draw the thirteen test sets of the paper.
        seed: Splits and pairs follow from it; 42 by default.
        workers: How many threads; the result does not depend on it.
        on: Work on this machine (here, the default), or have captions written on a Dask cluster.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: How many seconds to wait while the cluster has no worker; 60 by default.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.a3ds import A3dsRecipe

    names: tuple[Any, ...] = () if captions.strip().lower() == "none" else names_in(captions)
    recipe = A3dsRecipe(
        captions=names,
        layout=layout,
        images=images,
        image_size=image_size,
        pairs=pairs,
        test_sets=test_sets,
        seed=seed,
        pictures=pictures,
    )
    with (
        crew_for(on, address, workers=workers, wait=cluster_wait) as crew,
        delivered(out, digest=recipe.digest) as folder,
    ):
        run = {**_run(recipe, folder, workers=workers, crew=crew), "path": str(out)}
    if as_json:
        print_json(run)
    else:
        _print_summary(run)
    return 0


def _run(recipe: A3dsRecipe, out: Path, *, workers: int | None, crew: Crew | None = None) -> dict[str, Any]:
    """Make it with progress on standard error; what came of it as plain values."""
    from deixis.datasets.a3ds import make_a3ds
    from deixis.datasets.store import MANIFEST, PARTIAL

    complete = (out / MANIFEST).exists()
    begun = (out / PARTIAL / "finished.json").exists() and not complete
    start = time.monotonic()
    try:
        with Stages() as progress:
            dataset = make_a3ds(recipe, out, workers=workers, progress=progress, crew=crew)
    except KeyboardInterrupt:
        message = f"stopped; what is finished is kept in {out}, the same command goes on from there"
        raise KeyboardInterrupt(message) from None
    return _outcome(dataset, seconds=time.monotonic() - start, complete=complete, begun=begun)


def _outcome(dataset: Dataset, *, seconds: float, complete: bool, begun: bool) -> dict[str, Any]:
    manifest = dataset.manifest
    parts: dict[str, dict[str, int]] = {}
    for entry in manifest["files"]:
        folder, _, name = entry["path"].rpartition("/")
        what = f"{entry['split']} captions" if entry["split"] in manifest["captions"] else folder or name
        what = f"{what}, JSON" if name.startswith("3dshapes_captions") else what
        part = parts.setdefault(what, {"files": 0, "rows": 0, "bytes": 0})
        for key, value in (("files", 1), ("rows", entry["rows"]), ("bytes", entry["bytes"])):
            part[key] += value
    return {
        "path": str(dataset.path),
        "was complete": complete,
        "was resumed": begun,
        "captions": manifest["captions"],
        "splits": dataset.splits,
        "parts": parts,
        "bytes": sum(entry["bytes"] for entry in manifest["files"]),
        "seconds": round(seconds, 3),
        "recipe digest": manifest["recipe digest"],
    }


def _print_summary(run: dict[str, Any]) -> None:
    path = run["path"]
    total = sum(run["captions"].values())
    if run["was complete"]:
        print(f"{path} is already complete: {total:,} captions made from the same recipe; nothing to do.")
        return
    rows = [
        (what, f"{part['files']:,}", f"{part['rows']:,}", f"{part['bytes'] / 1e6:,.1f}")
        for what, part in run["parts"].items()
    ]
    print_table(("part", "files", "entries", "megabytes"), rows, numbers=(1, 2, 3))
    splits = ", ".join(f"{name} {size:,}" for name, size in run["splits"].items())
    print(f"Images of the splits: {splits}.")
    went_on = ", going on from what was kept" if run["was resumed"] else ""
    print(f"Made {total:,} captions in {run['seconds']:.1f} seconds in {path}{went_on}.")
    print(f"Next: deixis check {path}")
