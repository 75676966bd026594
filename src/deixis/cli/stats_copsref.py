"""`deixis stats` for Cops-Ref: Table 2 beside the paper's figures, lengths, forms, candidates, frequent words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.reports.photographs import Described
    from deixis.reports.sheets import Format


__all__ = ["count_photographs"]

MOST = 8  # words of each kind that are printed
BAR = 24  # letters of the longest bar
LONG = 24  # letters of a word


def count_photographs(
    paths: Sequence[Path],
    names: Sequence[str],
    *,
    out: Path | None,
    split: str | None,
    formats: Sequence[Format],
    others: bool,
    as_json: bool,
) -> int:
    """Count what datasets about photographs hold, and print it or write it to a folder."""
    from deixis.reports.photographs import described_as_dict, write_described

    described = _described(paths, names, split)
    files = write_described(described, out, formats=formats, others=others) if out is not None else []
    if as_json:
        print_json(described_as_dict(described) | {"files": [str(path) for path in files]})
        return 0
    _print_measures(described, others=others)
    if out is None:
        _print_counts(described)
    else:
        print(f"Wrote {', '.join(path.name for path in files)} to {out}.")
    return 0


def _described(paths: Sequence[Path], names: Sequence[str], split: str | None) -> list[Described]:
    from deixis.datasets.copsref.store import open_copsref
    from deixis.reports.photographs import describe_photographs

    described = []
    with Stages(compiles=False) as progress:
        for path, name in zip(paths, names, strict=True):
            data = open_copsref(path)
            total = sum(data.splits.values()) if split is None else data.splits.get(split)
            tell = lambda done, name=name, total=total: progress(name, done, total)  # noqa: E731
            described.append(describe_photographs(data, name=name, split=split, progress=tell))
    return described


def _print_measures(described: Sequence[Described], *, others: bool) -> None:
    from deixis.reports.photographs import in_words, measures

    print("Table 2, beside the paper's own figures; candidates with all images shown")
    many = 1 if others else 3  # datasets that have room in one table
    for first in range(0, len(described), many):
        heads, rows = measures(described[first : first + many], others=others)
        lines = [(measure, *map(in_words, values)) for measure, values in rows.items()]
        print_table(("", *heads), lines, numbers=range(1, len(heads) + 1))
    for one in described:
        absent = sum(one.row.changes.values())
        if absent:
            changes = ", ".join(f"{change} {count:,}" for change, count in one.row.changes.items())
            whose = f"{one.name}: " if len(described) > 1 else ""
            print(f"{whose}{absent:,} expressions fit nothing ({changes} changed)")


def _print_counts(described: Sequence[Described]) -> None:
    from deixis.reports.photographs import forms_of, length_bins

    splits = dict.fromkeys(split for one in described for split in one.row.splits)
    _print_shares(
        "Splits", "split", {one.name: [one.row.splits.get(s, 0) for s in splits] for one in described}, splits
    )
    bins = {one.name: length_bins(one.row) for one in described}
    labels = [label for label in next(iter(bins.values())) if any(counts[label] for counts in bins.values())]
    _print_shares(
        "Length", "words", {name: [counts[label] for label in labels] for name, counts in bins.items()}, labels
    )
    forms = forms_of(described)
    _print_shares("Form", "form", {one.name: [one.row.forms.get(f, 0) for f in forms] for one in described}, forms)
    for one in described:
        whose = f", {one.name}" if len(described) > 1 else ""
        _print_settings(one, f"What there is to choose from, on average{whose}")
        _print_said(one, f"Said most often{whose} (Figure 2)")


def _print_shares(
    title: str, head: str, counts: Mapping[str, Sequence[int]], labels: Sequence[str] | Mapping[str, None]
) -> None:
    """Counts, shares and a bar for one dataset; shares only for several."""
    from deixis.reports.markup import percent

    print(f"\n{title}")
    totals = {name: max(sum(values), 1) for name, values in counts.items()}
    if len(counts) > 1:
        lines = [
            (label, *(percent(values[place] / totals[name]) for name, values in counts.items()))
            for place, label in enumerate(labels)
        ]
        print_table((head, *counts), lines, numbers=range(1, len(counts) + 1))
        return
    ((name, values),) = counts.items()
    longest = max(values, default=0) or 1
    lines = [
        (label, f"{value:,}", percent(value / totals[name]), "█" * round(BAR * value / longest))
        for label, value in zip(labels, values, strict=True)
    ]
    print_table((head, "expressions", "share", ""), lines, numbers=(1, 2))


def _print_settings(one: Described, title: str) -> None:
    from deixis.datasets.copsref.statistics import CHANCE

    print(f"\n{title}")
    lines = [
        (
            name,
            f"{crowd.images:.1f}",
            f"{crowd.candidates:.1f}",
            f"{crowd.same_category:.1f}",
            f"{100 * crowd.chance:.1f}",
            f"{100 * CHANCE[name]:.1f}",
        )
        for name, crowd in one.row.settings.items()
    ]
    heads = ("setting", "images", "candidates", "same category", "chance %", "in the paper")
    print_table(heads, lines, numbers=range(1, len(heads)))


def _print_said(one: Described, title: str) -> None:
    from deixis.reports.photographs import SAID

    print(f"\n{title}")
    columns = [
        [f"{word if len(word) <= LONG else word[: LONG - 1] + '…'} {count:,}" for word, count in counts.items()][:MOST]
        for counts in (one.row.said[key] for key in SAID)
    ]
    depth = max(map(len, columns))
    filled = [[*column, *[""] * (depth - len(column))] for column in columns]
    print_table([title.lower() for title in SAID.values()], list(zip(*filled, strict=True)))
