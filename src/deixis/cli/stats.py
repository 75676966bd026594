"""`deixis stats`: what datasets hold, as tables, as the figures of the papers and as JSON."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Places, Seed, names_in
from deixis.cli.places import at_hand
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.cli.stats_a3ds import count_rooms
from deixis.cli.stats_copsref import count_photographs
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.datasets.sources import Source
    from deixis.reports.paper import Counted
    from deixis.reports.published import Published
    from deixis.reports.sheets import Format


__all__ = ["stats"]

APART = ("a3ds", "copsref")  # the kinds of datasets that are counted in ways of their own


def stats(
    places: Places,
    /,
    *,
    out: Path | None = None,
    split: str | None = None,
    formats: Annotated[str, Parameter(name="--format")] = "png,svg",
    paper: bool = False,
    names: str = "",
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Count what datasets hold: the figures and tables of the ReaSCAN and Cops-Ref papers, for any dataset.

    Without --out the numbers are printed. With it, the folder gets figures in every format, table2.csv, table2.md and
    stats.json. The figures are figure4 and figure5 of ReaSCAN for grid worlds, figure2 of Cops-Ref (clouds of words)
    and distributions for photographs. Of A3DS the sizes are printed.

    Args:
        places: Dataset folders, addresses such as s3://bucket/folder, Parquet files, released ReaSCAN or gSCAN
            files; several are shown side by side.
        out: The folder for figures and tables.
        split: Count only this split.
        formats: The formats of the figures, separated by commas; png,svg by default.
        paper: Show the published numbers too; for photographs, all datasets that the Cops-Ref paper compares.
        names: What to call the datasets, separated by commas; by default as their files and folders are called.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; there is nothing to divide here.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    from deixis.datasets.sources import open_source
    from deixis.reports.published import published
    from deixis.reports.statistics import statistics_as_dict, write_statistics

    forms = _formats(formats)
    paths = [at_hand(place) for place in places]
    kind = _kind(paths)
    if kind == "a3ds":
        return count_rooms(paths, out=out, split=split, as_json=as_json)
    if out is not None and find_spec("matplotlib") is None:  # better now than when everything is counted
        raise ModuleNotFoundError("the figures are charts", name="matplotlib")
    if kind == "copsref":
        called = _names(paths, names_in(names))
        return count_photographs(paths, called, out=out, split=split, formats=forms, others=paper, as_json=as_json)
    sources = [open_source(path) for path in paths]
    called = _names([source.path for source in sources], names_in(names))
    counted = _count(sources, called, split)
    beside = published() if paper else None
    files = write_statistics(counted, out, formats=forms, beside=beside) if out is not None else []
    if as_json:
        print_json(statistics_as_dict(counted, beside=beside) | {"files": [str(path) for path in files]})
        return 0
    _print_sizes(counted, beside)
    if out is None:
        _print_counts(counted, beside)
    else:
        print(f"Wrote {', '.join(path.name for path in files)} to {out}.")
    return 0


def _kind(paths: Sequence[Path]) -> str:
    """What the datasets are about: `copsref`, `a3ds`, or else `grid`, which includes whatever cannot be read."""
    from deixis.datasets.store import kind_of

    kinds = {kind if (kind := kind_of(path)) in APART else "grid" for path in paths}
    if len(kinds) > 1:
        raise RecipeError(f"datasets of one kind can be set side by side, these are {', '.join(sorted(kinds))}")
    return kinds.pop() if kinds else "grid"


def _formats(text: str) -> tuple[Format, ...]:
    from deixis.reports.sheets import FORMATS

    asked = tuple(dict.fromkeys(name.lower() for name in names_in(text)))
    unknown = [name for name in asked if name not in FORMATS]
    if unknown or not asked:
        raise RecipeError(f"figures are drawn as {' or '.join(FORMATS)}, got {', '.join(unknown) or 'no format'}")
    return cast("tuple[Format, ...]", asked)


def _names(paths: Sequence[Path], given: Sequence[str]) -> list[str]:
    """A name for each dataset: the given ones, else as much of the end of each path as tells them apart."""
    if given:
        if len(given) != len(paths) or len(set(given)) != len(given):
            raise RecipeError(
                f"give {len(paths)} --names, one for each dataset and no two alike, got {', '.join(given)}"
            )
        return list(given)
    whole = [path.resolve() for path in paths]
    for parts in range(1, max(len(path.parts) for path in whole) + 1):
        names = ["/".join(path.parts[-parts:]) for path in whole]
        if len(set(names)) == len(names):
            return names
    raise RecipeError("a dataset is named twice; name each once")


def _count(sources: Sequence[Source], names: Sequence[str], split: str | None) -> list[Counted]:
    from deixis.reports.statistics import count_source

    counted = []
    with Stages(compiles=False) as progress:
        for source, name in zip(sources, names, strict=True):
            total = source.total if split is None else (source.splits or {}).get(split)
            tell = lambda done, name=name, total=total: progress(name, done, total)  # noqa: E731
            counted.append(count_source(source, name=name, split=split, progress=tell))
    return counted


def _print_sizes(counted: Sequence[Counted], beside: Published | None) -> None:
    """Table 2 lying on its side, a table for each dataset: there may be many splits and few patterns."""
    from deixis.reports.tables import published_rows, size_rows, sizes_as_text

    print("Examples (Table 2); one that is in two splits counts in both")
    for rows in (*map(size_rows, counted), published_rows(counted, beside) if beside else []):
        if rows:
            heads, cells = sizes_as_text(rows)
            name, *patterns = rows[0].dataset, *(row.pattern for row in rows)
            lines = [[head, *(line[place] for line in cells)] for place, head in enumerate(heads) if place > 1]
            print_table((name, *patterns), lines, numbers=range(1, len(patterns) + 1))
    unread = sum(one.statistics.unread for one in counted)
    if unread:
        print(f"{unread:,} commands cannot be read; their words are not counted")


def _print_counts(counted: Sequence[Counted], beside: Published | None) -> None:
    from deixis.datasets.statistics import LENGTH_BINS
    from deixis.reports.paper import BROKEN, PANELS, distractor_kinds

    print("\nActions per plan (Figure 4)")
    _print_shares(("pattern", *LENGTH_BINS), _length_rows(counted, beside))
    print("\nWorlds with distractors of each kind (Figure 5)")
    kinds = distractor_kinds(counted)
    _print_shares(("pattern", *(BROKEN.get(kind, kind) for kind in kinds)), _distractor_rows(counted, kinds, beside))
    for panel in PANELS:
        print(f"\n{panel.title} (Figure 5)")
        rows: list[tuple[str, Sequence[float | None]]] = []
        for one in counted:
            counts = panel.counts(one.statistics)
            rows.append((one.name, [count / max(sum(counts), 1) for count in counts] if any(counts) else []))
        if beside:
            rows.append(("published", [beside.shares[panel.name].get(label) for label in panel.keys]))
        _print_shares(("", *panel.keys), rows, nothing=panel.empty)


def _length_rows(counted: Sequence[Counted], beside: Published | None) -> Iterator[tuple[str, Sequence[float | None]]]:
    from deixis.reports.paper import lengths_by_bin, published_set

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
    counted: Sequence[Counted], kinds: Sequence[str], beside: Published | None
) -> Iterator[tuple[str, Sequence[float | None]]]:
    from deixis.reports.paper import distractor_worlds

    for one in counted:
        known, worlds = distractor_worlds(one.statistics), one.statistics.with_roles
        for pattern, counts in known.items():
            yield _in_words(one, pattern, counted), [counts[kind] / worlds[pattern] for kind in kinds]
        if not known:
            yield one.name, []
    for pattern, shares in beside.distractors.items() if beside else ():
        yield f"published {pattern}", [shares.get(kind) for kind in kinds]


def _in_words(one: Counted, pattern: str, counted: Sequence[Counted]) -> str:
    return pattern if len(counted) == 1 else f"{one.name} {pattern}"


def _print_shares(heads: Sequence[str], rows: Any, *, nothing: str = "not recorded") -> None:
    from deixis.reports.markup import percent

    lines = []
    for name, shares in rows:
        cells = ["–" if share is None else percent(share) for share in shares] or [nothing]
        lines.append([name, *cells, *[""] * (len(heads) - 1 - len(cells))])
    print_table(heads, lines, numbers=range(1, len(heads)))
