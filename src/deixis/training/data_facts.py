"""What a checkpoint says about the data it was trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.datasets.asked import data_digest
from deixis.datasets.sources import Source


if TYPE_CHECKING:
    from deixis.datasets.store import Dataset


__all__ = ["data_facts"]


def data_facts(dataset: Dataset, split: str) -> dict[str, Any]:
    """Name, digest, split, number of examples, patterns of the commands, and how distractors were chosen."""
    recipe = dataset.manifest.get("recipe")
    recipe = recipe if isinstance(recipe, dict) else {}
    pools = [pool for pool in recipe.get("pools", ()) if isinstance(pool, dict)]
    patterns: set[str] = set()
    for table in dataset.tables(split, columns=["pattern"], rows=1 << 20):
        patterns.update(table.column("pattern").unique().to_pylist())
    return {
        "name": dataset.path.resolve().name,
        "digest": data_digest(Source(dataset.path, "dataset", dataset)),
        "split": split,
        "examples": dataset.splits.get(split, 0),
        "patterns": sorted(patterns),
        "random_only": bool(pools) and all(list(pool.get("distractors", ())) == ["random"] for pool in pools),
        "mode": str(recipe.get("mode", "")),
    }
