"""Part `statistics` of grids: Table 2, Figure 4 and Figure 5 of the ReaSCAN paper for any dataset, and all counts."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, TypedDict

from deixis._losses import Losses
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset, RecipeError
from deixis.report._cells import in_one_cell, no_formula
from deixis.report._markup import percent
from deixis.report._palette import MAX_DATASETS
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.output import Output, TextTable
from deixis.worlds.grid._paper.figures import (
    BROKEN,
    CountedDataset,
    distractor_kinds,
    distractor_worlds,
    figure4,
    figure5,
    lengths_by_bin,
    panels_of,
    published_set,
)
from deixis.worlds.grid._paper.published import published_statistics
from deixis.worlds.grid.data.statistics import LENGTH_BINS, statistics_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.report.chart_matplotlib import Format
    from deixis.worlds.grid._paper.published import PublishedStatistics


ALL = "all"
FIRST, LAST = ("train", "dev", "test"), ("aside",)
HEADS = ("dataset", "pattern", "commands", "worlds per command", "fewest", "most", "examples")
APART = ("b1",)  # of released data: its commands, of the pattern p3, were chosen by themselves


class HowCounted(TypedDict):
    """Options of `statistics_of`."""

    apart: tuple[str, ...]
    sets_are_copies: bool


def count(path: Path, *, name: str, split: str | None = None, progress: Progress | None = None) -> CountedDataset:
    """Count the examples at a path: a dataset made by Deixis, a Parquet file or released files.

    Args:
        path: where it lies.
        name: what to call it in figures; what cannot be printed is replaced.
        split: only this one.
        progress: told the number of examples so far.

    Raises:
        BrokenDataset: when it cannot be read.
        UnknownName: when there is no such split.
    """
    from deixis.worlds.grid.data.sources import open_source

    source = open_source(path)
    total = source.total if split is None else (source.splits or {}).get(split)

    def tables() -> Any:
        done = 0
        for table in source.tables(split):
            yield table
            done += table.num_rows
            if progress:
                progress(name, done, total)

    printable = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    manifest = source.dataset.manifest if source.dataset is not None else {}
    statistics = statistics_of(tables(), **how_counted(manifest))
    return CountedDataset(name=printable, kind=source.kind, statistics=statistics)


def how_counted(manifest: Mapping[str, Any]) -> HowCounted:
    """Return the facts that `statistics_of` needs: the test sets that share a pattern with their pools, and sets."""
    recipe = manifest.get("recipe")
    if not isinstance(recipe, dict):
        return {"apart": APART, "sets_are_copies": True}
    try:
        pools = {str(pool["pattern"]) for pool in recipe["pools"]}
        apart = tuple(str(pool["name"]) for pool in recipe["tests"] if str(pool["pattern"]) in pools)
    except (KeyError, TypeError) as error:
        raise BrokenDataset(f"the recipe in the manifest lacks its pools: {error}") from error
    return {"apart": apart, "sets_are_copies": recipe.get("mode") != "every-word"}


def statistics_as_dict(
    counted: Sequence[CountedDataset], *, beside: PublishedStatistics | None = None
) -> dict[str, Any]:
    """Return everything that the figures and the table show, and all other counts, as plain values.

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


def draw(
    counted: Sequence[CountedDataset],
    *,
    formats: Sequence[Format] = FORMATS,
    paper: bool = False,
    allow_losses: bool = False,
) -> dict[str, bytes]:
    """Write the figures, the table and the counts as files by name, with equal bytes for equal counts.

    Args:
        counted: the datasets, side by side in every figure.
        formats: how to draw the figures.
        paper: whether published numbers are outlined in the figures and added to the table.
        allow_losses: accepted as by `describe`, which has said what is lost.

    Returns:
        figure4 and figure5 in every format, table2.csv, table2.md and stats.json.

    Raises:
        RecipeError: when there is nothing to show, or too much for one figure.
        DeixisError: when matplotlib is not installed.
    """
    del allow_losses
    beside = published_statistics() if paper else None
    if not 1 <= len(counted) <= MAX_DATASETS:
        raise RecipeError(f"a figure shows 1 to {MAX_DATASETS} datasets, got {len(counted)}")
    if not any(one.statistics.examples for one in counted):
        raise RecipeError("there is nothing to draw: no example was found")
    rows = [row for one in counted for row in size_rows(one)]
    rows += published_rows(counted, beside) if beside else []
    sheets = (figure4(counted, beside=beside), figure5(counted, beside=beside))
    files = {f"{sheet.name}.{form}": draw_figure(sheet, form) for sheet in sheets for form in formats}
    files |= {"table2.csv": sizes_as_csv(rows).encode(), "table2.md": sizes_as_markdown(rows).encode()}
    plain = statistics_as_dict(counted, beside=beside)
    files["stats.json"] = (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode()
    return files


def draw_card(path: Path, *, progress: Progress | None = None) -> dict[str, bytes]:
    """Return the figures of a dataset's card: those of `draw`, and the first example."""
    from deixis.worlds.grid._report.gallery import marks_of
    from deixis.worlds.grid.data.sources import open_source
    from deixis.worlds.grid.draw import draw_png

    example = open_source(path).example(0)
    picture = draw_png(example.scene, marks=marks_of(example), title=example.text)
    counted = count(path, name=path.resolve().name, progress=progress)
    said = f"“{example.text}”".encode()
    return {"example.png": picture, "example.txt": said, **draw([counted], formats=("png",))}


def describe(
    counted: Sequence[CountedDataset], *, brief: bool = False, paper: bool = False, allow_losses: bool = False
) -> Output:
    """Describe datasets side by side as plain values and as tables.

    Args:
        counted: the datasets.
        brief: Table 2 only.
        paper: whether published numbers are shown, too.
        allow_losses: whether more than one in a hundred commands may be unreadable.

    Raises:
        BrokenDataset: when more are, and it was not asked for.
    """
    losses = Losses("commands", sum(one.statistics.examples for one in counted))
    losses.leave_out("it cannot be read, so its words are not counted", sum(one.statistics.unread for one in counted))
    losses.demand_few(where=", ".join(one.name for one in counted), allowed=allow_losses)
    beside = published_statistics() if paper else None
    values = statistics_as_dict(counted, beside=beside) | ({"losses": losses.to_dict()} if losses else {})
    blocks = [*_sizes(counted, beside), *(() if brief else _counts(counted, beside))]
    return Output(values=values, blocks=blocks, notes=tuple(losses.lines()))


def _sizes(counted: Sequence[CountedDataset], beside: PublishedStatistics | None) -> Iterator[str | TextTable]:
    """Table 2 lying on its side, a table for each dataset: there may be many splits and few patterns."""
    yield "Examples (Table 2); one that is in two splits counts in both"
    for rows in (*map(size_rows, counted), published_rows(counted, beside) if beside else []):
        if rows:
            heads, cells = sizes_as_text(rows)
            name, *patterns = rows[0].dataset, *(row.pattern for row in rows)
            lines = [[head, *(line[place] for line in cells)] for place, head in enumerate(heads) if place > 1]
            yield TextTable((name, *patterns), lines, numbers=range(1, len(patterns) + 1))


def _counts(counted: Sequence[CountedDataset], beside: PublishedStatistics | None) -> Iterator[str | TextTable]:
    yield from ("", "Actions per plan (Figure 4)")
    yield _shares(("pattern", *LENGTH_BINS), _length_rows(counted, beside))
    yield from ("", "Worlds with distractors of each kind (Figure 5)")
    kinds = distractor_kinds(counted)
    yield _shares(("pattern", *(BROKEN.get(kind, kind) for kind in kinds)), _distractor_rows(counted, kinds, beside))
    for panel in panels_of(counted):
        yield from ("", f"{panel.title} (Figure 5)")
        rows: list[tuple[str, Sequence[float | None]]] = []
        for one in counted:
            counts = panel.counts(one.statistics)
            rows.append((one.name, [count / max(sum(counts), 1) for count in counts] if any(counts) else []))
        if beside:
            rows.append(("published", [beside.shares[panel.name].get(label) for label in panel.keys]))
        yield _shares(("", *panel.keys), rows, nothing=panel.empty)


def _length_rows(
    counted: Sequence[CountedDataset], beside: PublishedStatistics | None
) -> Iterator[tuple[str, Sequence[float | None]]]:
    compared = []
    for one in counted:
        bins = lengths_by_bin(one.statistics)
        for pattern, counts in bins.items():
            yield _in_words(one, pattern, counted), [count / sum(counts.values()) for count in counts.values()]
            compared.append(published_set(one, pattern))
        if not bins:
            yield one.name, []
    for name in dict.fromkeys(compared) if beside else ():
        if beside and name in beside.lengths:
            yield f"published {name}", [count / sum(beside.lengths[name]) for count in beside.lengths[name]]


def _distractor_rows(
    counted: Sequence[CountedDataset], kinds: Sequence[str], beside: PublishedStatistics | None
) -> Iterator[tuple[str, Sequence[float | None]]]:
    for one in counted:
        known, worlds = distractor_worlds(one.statistics), one.statistics.with_roles
        for pattern, counts in known.items():
            yield _in_words(one, pattern, counted), [counts[kind] / worlds[pattern] for kind in kinds]
        if not known:
            yield one.name, []
    for pattern, shares in beside.distractors.items() if beside else ():
        yield f"published {pattern}", [shares.get(kind) for kind in kinds]


def _in_words(one: CountedDataset, pattern: str, counted: Sequence[CountedDataset]) -> str:
    return pattern if len(counted) == 1 else f"{one.name} {pattern}"


def _shares(
    heads: Sequence[str], rows: Iterable[tuple[str, Sequence[float | None]]], *, nothing: str = "not recorded"
) -> TextTable:
    lines = []
    for name, shares in rows:
        cells = ["–" if share is None else percent(share) for share in shares] or [nothing]
        lines.append([name, *cells, *[""] * (len(heads) - 1 - len(cells))])
    return TextTable(heads, lines, numbers=range(1, len(heads)))


# -------------------------------------------------------------------------------- Table 2


@dataclass(frozen=True, kw_only=True)
class SizeRow:
    """One row of Table 2, with None for unknown values.

    Attributes:
        dataset: its name.
        pattern: that of the commands, or `all`.
        commands: how many different ones, whatever their determiners.
        worlds: examples per command, on average.
        fewest: the fewest examples of any command.
        most: the most.
        examples: all of them, each once.
        splits: how many each split has; one that is in two test sets counts in both.
    """

    dataset: str
    pattern: str
    commands: int | None
    worlds: float | None
    fewest: int | None
    most: int | None
    examples: int | None
    splits: Mapping[str, int]

    def as_dict(self) -> dict[str, object]:
        """Return the row as plain values."""
        numbers = (self.commands, self.worlds, self.fewest, self.most, self.examples)
        return dict(zip(HEADS, (self.dataset, self.pattern, *numbers), strict=True)) | {"splits": dict(self.splits)}


def size_rows(counted: CountedDataset) -> list[SizeRow]:
    """Return a row for each pattern of a dataset, and one for all of it."""
    statistics = counted.statistics
    patterns = statistics.patterns
    splits: dict[str, Counter[str]] = {name: Counter() for name in patterns}
    for (place, pattern), count in statistics.places.items():
        splits[pattern].update(dict.fromkeys(names_in_split(place), count))
    rows = [_row(counted, name, patterns[name], splits[name]) for name in patterns]
    return [*rows, _row(counted, None, statistics.examples, statistics.splits)]


def published_rows(counted: Sequence[CountedDataset], published: PublishedStatistics) -> list[SizeRow]:
    """Return the published rows of the sets that these datasets are to be compared with."""
    wanted = {published_set(one, pattern) for one in counted for pattern in one.statistics.patterns}
    if any(one.kind != "gscan" for one in counted):
        wanted.add(ALL)
    rows = []
    for name, numbers in published.sizes.items():
        if name in wanted:
            splits = {key: count for key, count in numbers.items() if key not in ("commands", "worlds")}
            rows.append(
                SizeRow(
                    dataset="published",
                    pattern=name,
                    commands=numbers.get("commands"),
                    worlds=numbers.get("worlds"),
                    fewest=None,
                    most=None,
                    examples=None if name == ALL else sum(splits.values()),
                    splits=splits,
                )
            )
    return rows


def sizes_as_csv(rows: Sequence[SizeRow]) -> str:
    """Return the table with plain numbers."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = _splits(rows)
    writer.writerow((*HEADS, *names))
    for row in rows:
        plain = list(row.as_dict().values())[: len(HEADS)]
        cells = [no_formula(cell) if isinstance(cell, str) else cell for cell in plain]
        writer.writerow((*cells, *(row.splits.get(name) for name in names)))
    return stream.getvalue()


def sizes_as_markdown(rows: Sequence[SizeRow]) -> str:
    """Return the table for a page or a paper."""
    heads, body = sizes_as_text(rows)
    lines = [heads, ["---", "---", *["---:"] * (len(heads) - 2)], *body]
    return "".join(f"| {' | '.join(map(in_one_cell, line))} |\n" for line in lines)


def sizes_as_text(rows: Sequence[SizeRow]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the cells of the table, with thousands separated, without columns that have no number."""
    names = _splits(rows)
    table = [
        [
            row.dataset, row.pattern, _number(row.commands), _worlds(row), _number(row.examples),
            *(_number(row.splits.get(name)) for name in names),
        ]
        for row in rows
    ]  # fmt: skip
    return ["dataset", "pattern", "commands", "worlds per command", "examples", *names], table


def _row(counted: CountedDataset, pattern: str | None, examples: int, splits: Mapping[str, int]) -> SizeRow:
    found = counted.statistics.worlds_per_command(pattern)
    return SizeRow(
        dataset=counted.name,
        pattern=pattern or ALL,
        commands=found.commands,
        worlds=found.mean,
        fewest=found.least,
        most=found.most,
        examples=examples,
        splits=dict(splits),
    )


def _splits(rows: Iterable[SizeRow]) -> list[str]:
    """Return all splits: train, dev and test first, what is in no test set last."""
    names = {name for row in rows for name in row.splits}
    between = sorted(names - {*FIRST, *LAST})
    return [name for name in (*FIRST, *between, *LAST) if name in names]


def _worlds(row: SizeRow) -> str:
    if row.worlds is None:
        return "–"
    mean = f"{row.worlds:.1f}".removesuffix(".0")
    return mean if row.fewest == row.most else f"{mean} ({row.fewest}–{row.most})"


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _plain(one: CountedDataset) -> dict[str, Any]:
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
            **{panel.name: dict(zip(panel.keys, panel.counts(statistics), strict=True)) for panel in panels_of([one])},
        },
        "counts": statistics.to_dict(),
    }
