"""Datasets of a few dozen examples, made in a second, and how to compare their folders."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pyarrow as pa

from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.grid.splits.rules import REASCAN


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.worlds.grid.navigate import Example


POOLS = (
    Pool(name="p1", pattern="p1", commands=12, worlds=2),
    Pool(name="p3", pattern="p3", commands=10, worlds=2),
)
TESTS = (
    Pool(name="b1", pattern="p3", commands=3, worlds=2),
    Pool(name="c1", pattern="p4", commands=4, worlds=2, distractors=("relation", "random")),
    Pool(name="c2", pattern="chain", commands=4, worlds=2),
)


def tiny(mode: str = "corrected", **changes: object) -> Recipe:
    """A recipe of two small pools with the hold-outs of the paper that need no test pool."""
    start = Recipe(name="tiny", mode=mode, pools=POOLS, dev=0.1, test=0.1, cap=24 if mode == "compatible" else 16)
    return replace(start, **changes)


def quick(**changes: object) -> Recipe:
    """The one that takes least time."""
    return tiny("compatible", **changes)


def whole(mode: str) -> Recipe:
    """A recipe with all seven hold-outs of the paper."""
    pools = (Pool(name="p1", pattern="p1", commands=60, worlds=1), Pool(name="p3", pattern="p3", commands=90, worlds=2))
    return tiny(mode, pools=pools, tests=TESTS, hold_out=REASCAN)


def folder_bytes(folder: Path) -> dict[str, str]:
    """A hash of every file below a folder, by its path in it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def examples_in(dataset: Dataset, *splits: str) -> list[Example]:
    """The examples of some splits, or of all, each once."""
    tables = [table for split in splits or (None,) for table in dataset.tables(split)]
    return list(examples_of(pa.concat_tables(tables))) if tables else []
