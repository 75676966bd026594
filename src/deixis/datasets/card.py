"""The README of a dataset: what it holds, where it is from and, for other tools, which file belongs to which split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.datasets.store import replacing_file
from deixis.datasets.table import __doc__ as columns_doc


if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["data_files", "write_card"]

PLAIN = {
    "train": "training",
    "dev": "development, same distribution as training",
    "test": "test, same distribution as training",
    "aside": "held out of training, but the held-out word does not matter in it: in no test set",
}


def write_card(path: Path, manifest: dict[str, Any]) -> None:
    """Write the card of a dataset from its manifest."""
    with replacing_file(path) as draft:
        draft.write_text(_card(manifest), encoding="utf-8")


def _card(manifest: dict[str, Any]) -> str:
    recipe = manifest["recipe"]
    rules = {rule["name"]: rule for rule in recipe["hold_out"]}
    sizes = "\n".join(
        f"| {name} | {size:,} | {_about(name, rules)} |" for name, size in manifest["splits"].items() if size
    )
    columns = (columns_doc or "").partition("\n\n")[2].strip()
    return f"""---
configs:
- config_name: default
  data_files:
{data_files(manifest)}
---

# {recipe["name"]}, {recipe["mode"]} mode, seed {recipe["seed"]}

{manifest["examples"]:,} commands in grid worlds, made by {manifest["made by"]}. Load it with
`datasets.load_dataset("parquet", data_files="data/train-*.parquet")`, with `datasets.load_dataset(PATH)`, or with
pyarrow, pandas or duckdb.

| split | examples | what it holds |
|---|---|---|
{sizes}

An example of two held-out sets lies in a file named after both, e.g. `a1+a2`. Rows are sorted by command; shuffle them
for training.

## Columns

{columns}
"""


def data_files(manifest: dict[str, Any]) -> str:
    """Which files belong to which split, in YAML; names of splits may not hold hyphens there."""
    by_split: dict[str, list[str]] = {}
    for entry in manifest["files"]:
        for name in entry["split"].split("+"):
            by_split.setdefault(name, []).append(entry["path"])
    lines = []
    for name, paths in by_split.items():
        lines.append(f'  - split: "{name.replace("-", "_")}"\n    path:')
        lines.extend(f'    - "{path}"' for path in paths)
    return "\n".join(lines)


def _about(name: str, rules: dict[str, Any]) -> str:
    if name not in rules:
        return PLAIN.get(name, "")
    about = " ".join(f"{rules[name]['about']} ({rules[name]['id']})".split())
    return about.replace("|", "\\|")
