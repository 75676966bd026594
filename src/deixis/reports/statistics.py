"""The statistics of datasets as files: the paper's Figure 4, Figure 5 and Table 2, and all counts as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.datasets.statistics import statistics_of
from deixis.datasets.store import replacing_file
from deixis.errors import RecipeError
from deixis.reports.figures import DATASETS
from deixis.reports.paper import PANELS, Counted, distractor_worlds, figure4, figure5, lengths_by_bin
from deixis.reports.sheets import FORMATS, draw_sheet
from deixis.reports.tables import published_rows, size_rows, sizes_as_csv, sizes_as_markdown


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deixis.datasets.sources import Source
    from deixis.reports.published import Published
    from deixis.reports.sheets import Format


__all__ = ["count_source", "statistics_as_dict", "write_statistics"]


def count_source(
    source: Source, *, name: str, split: str | None = None, progress: Callable[[int], None] | None = None
) -> Counted:
    """Count what a source holds.

    Args:
        source: a dataset of ours or a released one.
        name: what to call it in figures; what cannot be printed is replaced.
        split: only this one.
        progress: told the number of examples so far.

    Raises:
        BrokenDataset: when it cannot be read.
        UnknownName: when there is no such split.
    """

    def tables() -> Any:
        done = 0
        for table in source.tables(split):
            yield table
            done += table.num_rows
            if progress:
                progress(done)

    printable = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    return Counted(name=printable, kind=source.kind, statistics=statistics_of(tables()))


def statistics_as_dict(counted: Sequence[Counted], *, beside: Published | None = None) -> dict[str, Any]:
    """Everything that the figures and the table show, and all other counts, as plain values.

    Args:
        counted: the datasets.
        beside: published numbers to add.
    """
    plain: dict[str, Any] = {"datasets": [_plain(one) for one in counted]}
    if beside:
        plain["published"] = {
            "source": beside.source,
            "table 2": [row.as_dict() for row in published_rows(counted, beside)],
            "figure 4": {name: list(counts) for name, counts in beside.lengths.items()},
            "figure 5": {"distractors, share of worlds": beside.distractors, "shares": beside.shares},
        }
    return plain


def write_statistics(
    counted: Sequence[Counted], out: Path, *, formats: Sequence[Format] = FORMATS, beside: Published | None = None
) -> list[Path]:
    """Write the figures, the table and the counts into a folder; equal counts give equal bytes.

    Args:
        counted: the datasets, side by side in every figure.
        out: the folder, made where there is none; each file is replaced only when it is whole.
        formats: how to draw the figures.
        beside: published numbers to outline in the figures and to add to the table.

    Returns:
        The files: figure4 and figure5 in every format, table2.csv, table2.md and stats.json.

    Raises:
        RecipeError: when there is nothing to show, or too much for one figure.
        DeixisError: when matplotlib is not installed.
    """
    if not 1 <= len(counted) <= len(DATASETS):
        raise RecipeError(f"a figure shows 1 to {len(DATASETS)} datasets, got {len(counted)}")
    if not any(one.statistics.examples for one in counted):
        raise RecipeError("there is nothing to draw: no example was found")
    rows = [row for one in counted for row in size_rows(one)]
    rows += published_rows(counted, beside) if beside else []
    sheets = (figure4(counted, beside=beside), figure5(counted, beside=beside))
    files = {f"{sheet.name}.{form}": draw_sheet(sheet, form) for sheet in sheets for form in formats}
    files |= {"table2.csv": sizes_as_csv(rows).encode(), "table2.md": sizes_as_markdown(rows).encode()}
    plain = statistics_as_dict(counted, beside=beside)
    files["stats.json"] = (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode()
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with replacing_file(out / name) as draft:
            draft.write_bytes(data)
    return [out / name for name in files]


def _plain(one: Counted) -> dict[str, Any]:
    statistics = one.statistics
    return {
        "name": one.name,
        "kind": one.kind,
        "examples": statistics.examples,
        "table 2": [row.as_dict() for row in size_rows(one)],
        "figure 4": lengths_by_bin(statistics),
        "figure 5": {
            "worlds with known roles": statistics.with_roles,
            "worlds with distractors": distractor_worlds(statistics),
            **{panel.name: dict(zip(panel.keys, panel.counts(statistics), strict=True)) for panel in PANELS},
        },
        "counts": statistics.to_dict(),
    }
