"""A small dataset on disk, written by hand, so that reports can be tested without making worlds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis.data.store import MANIFEST, file_digest, write_parquet
from deixis.worlds.grid.data.table import table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.making.recipe import reascan
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.roles import Role, encode_misreading


BOARD = """
    >     .     0:r○1 .
    .     1:b□2 .     .
    2:r○3 .     3:g▣2 .
    .     4:g▱2 .     5:y□4
"""
TEXTS = {
    "train": ("walk to the small red circle", "push the small red circle while spinning"),
    "a1+a2": ("push the circle that is in the same column as a box hesitantly",),
    "c1": ("pull the object that is in the same column as a green box and in the same shape as a big red circle",),
}


def an_example(text, split):
    """The example of a text on the board, with one distractor where there is a clause to misread."""
    example = Example(text=text, scene=grid(BOARD), target=0, plan=(), split=split)
    mentions = len(list(example.expression.mentions()))
    roles = [Role("target"), Role("random"), Role("relation" if mentions > 1 else "size"), *[Role("random")] * 3]
    if mentions > 1:
        roles[3] = Role("mentioned", 1)
    code = encode_misreading("relation", 1) if mentions > 1 else encode_misreading("size", 0)
    return replace(example, plan=example.gold_plan(), roles=tuple(roles), misreadings=(code,))


def write_dataset(folder, examples, *, name="reascan"):
    """A finished dataset of these examples, whose manifest says what `make` would say."""
    recipe = reascan(scale="small").to_dict() | {"name": name}
    files = []
    for split in dict.fromkeys(example.split for example in examples):
        path = folder / "data" / f"{split}-00000-of-00001.parquet"
        table = table_of([e for e in examples if e.split == split], with_necessity=True)
        write_parquet(table, path)
        entry = {"path": f"data/{path.name}", "split": split, "rows": table.num_rows, "bytes": path.stat().st_size}
        files.append(entry | {"sha256": file_digest(path)})
    sizes = {}
    for example in examples:
        for split in example.split.split("+"):
            sizes[split] = sizes.get(split, 0) + 1
    pool = {"examples": 4, "commands": 4, "commands without any world": 1, "worlds missing": 0}
    manifest = {
        "format": 1,
        "made by": "deixis 0.0",
        "recipe digest": "0123456789abcdef",
        "recipe": recipe,
        "examples": len(examples),
        "splits": sizes,
        "pools": {"p1": {**pool, "tries": {"accepted": 4, "target not picked out": 12}}},
        "leakage proof": {
            "examples": len(examples),
            "shown": ["no example occurs twice, within a split or across splits"],
        },
        "content": "feed",
        "files": files,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def examples():
    return [an_example(text, split) for split, texts in TEXTS.items() for text in texts]


@pytest.fixture(scope="session")
def dataset(tmp_path_factory, examples):
    """Not to be changed: several tests read it."""
    return write_dataset(tmp_path_factory.mktemp("reports") / "dataset", examples)
