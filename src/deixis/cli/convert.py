"""`deixis convert`: examples from one form into another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.datasets.sources import Source


__all__ = ["convert"]


def convert(
    source: Annotated[Path, Parameter(name="PATH")],
    out: Annotated[Path, Parameter(name="OUT")],
    /,
    *,
    to: Literal["reascan", "parquet", "compact"],
    split: str | None = None,
    force: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Convert a dataset into another form.

    Args:
        source: A dataset folder, a Parquet file, or a released ReaSCAN or gSCAN file.
        out: Where to write: a file for reascan (with its vocabularies beside it) and compact, a folder for parquet.
        to: The layout of the release (reascan), a dataset folder (parquet), or one line of JSON per example with the
            grid as numbers (compact).
        split: Convert only this split.
        force: Replace a file that is already there.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; there is nothing to divide here.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.sources import open_source

    del seed, workers
    opened = open_source(source)
    if out.is_file() and not force:
        raise RecipeError(f"{out} already exists; choose another name, or give --force to replace it")
    with Stages(compiles=False) as progress:
        written = _write(opened, out, to, _told(opened, split, progress))
    if as_json:
        print_json({"path": str(out), "to": to, "from": str(opened.path), "splits": written})
    else:
        print_table(("split", "examples"), [(name, f"{size:,}") for name, size in written.items()], numbers=(1,))
        print(f"Wrote {out}.")
    return 0


def _write(source: Source, out: Path, to: str, tables: Iterator[Any]) -> dict[str, int]:
    """Write the tables; the number of examples of every split."""
    if to == "reascan":
        from deixis.datasets.formats.reascan import convert_reascan

        return convert_reascan(tables, out)
    if to == "compact":
        from deixis.datasets.formats.compact import write_compact

        return {"all": write_compact(tables, out)}
    from deixis.datasets.imported import write_imported

    return write_imported(tables, out, source=source.path.name, kind=source.kind).splits


def _told(source: Source, split: str | None, progress: Stages) -> Iterator[Any]:
    """The tables of a source; progress is told as they are taken."""
    total = source.total if split is None else (source.splits or {}).get(split)
    done = 0
    for table in source.tables(split):
        yield table
        done += table.num_rows
        progress(source.path.name, done, total)
