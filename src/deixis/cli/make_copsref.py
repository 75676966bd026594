"""`deixis make copsref`: expressions about photographs, or imagined scenes, with distractor images."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Place, Seed
from deixis.cli.places import delivered
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages


__all__ = ["copsref"]


def copsref(
    *,
    out: Place,
    scenes: Annotated[list[Path] | None, Parameter(negative=())] = None,
    images: Count = 2000,
    each: Count = 3,
    closed_world: bool = False,
    no_negatives: bool = False,
    seed: Seed = 42,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Make a Cops-Ref dataset: expressions of six forms about scene graphs, with distractor images that resist them.

    Args:
        out: The folder for the dataset, or an address such as s3://bucket/folder.
        scenes: Files or folders of GQA, Visual Genome or CLEVR scene graphs. Without any, scenes are imagined and
            drawn into a folder beside the dataset.
        images: How many scenes are imagined.
        each: Distractor images of every kind for each expression of val and test.
        closed_world: Take what is not annotated for false; otherwise what may be true for all that is known counts.
        no_negatives: Make no expressions of what is not there.
        seed: Everything random follows from it; 42 by default.
        workers: How many processes; the result does not depend on it.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.copsref.make import IMAGINED, CopsRefRecipe, make_copsref
    from deixis.datasets.copsref.statistics import describe_examples, table_2
    from deixis.reports.photographs import Described, in_words, measures

    recipe = CopsRefRecipe(seed=seed, images=images, each=each, guarded=not closed_world, negatives=not no_negatives)
    start = time.monotonic()
    with delivered(out, beside=f"-{IMAGINED}") as folder, Stages(compiles=True) as progress:
        threads = workers or os.cpu_count() or 1
        made = make_copsref(recipe, folder, scenes=scenes or (), workers=threads, progress=progress)
        seconds = time.monotonic() - start
        row = describe_examples(made.examples(), made.scenes)
        splits = made.splits
    if as_json:
        print_json({"path": str(out), "splits": splits, "seconds": round(seconds, 3), "table 2": table_2({"": row})})
        return 0
    print_table(("split", "examples"), [(name, f"{size:,}") for name, size in splits.items()], numbers=(1,))
    heads, rows = measures([Described(name=folder.name, row=row)])
    lines = [(measure, *map(in_words, values)) for measure, values in rows.items()]
    print_table(("", *heads), lines, numbers=range(1, len(heads) + 1))
    print(f"Made {sum(splits.values()):,} examples in {seconds:.1f} seconds in {out}.")
    return 0
