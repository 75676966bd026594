"""Part `statistics` of photos: Table 2 and Figure 2 of the Cops-Ref paper, and distributions."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError, UnknownName
from deixis.report._cells import as_csv, as_markdown
from deixis.report._markup import percent
from deixis.report._palette import MAX_DATASETS
from deixis.report.chart import WIDE, Axis, Chart, Figure, make_series
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.output import Output, TextTable
from deixis.worlds.photos._paper.clouds import Cloud, Clouds, draw_clouds
from deixis.worlds.photos._served_wants import counts_in, wants_table
from deixis.worlds.photos.data._statistics import CHANCE, MEASURES, PUBLISHED, describe_examples
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import FORMS, SETTINGS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.report.chart_matplotlib import Format
    from deixis.worlds.photos.data._statistics import Crowd, Row
    from deixis.worlds.photos.localise import Example


LENGTH_BINS = {"1–4": 4, "5–9": 9, "10–14": 14, "15–20": 20, "21–25": 25, "26–30": 30}  # words, and the last of a bin
LONGER = "over 30"
LAST_LENGTH = 36  # words; longer expressions share a column of the figure
SAID = {"names": "Object names", "attributes": "Attributes", "relations": "Relations"}
SHOWN = {"names": 60, "attributes": 50, "relations": 30}  # words of a cloud
BROKEN = {"WithoutDist": "Without-\nDist"}  # as it is broken below a column
TOLD = 1_024  # examples between two words about how far things are
PAPER = "Cops-Ref"
MOST_WORDS = 8  # of each kind that are printed
LONGEST_BAR = 24  # letters
LONGEST_WORD = 24  # letters
SOURCE = "Chen et al. 2020, Cops-Ref: A new Dataset and Task on Compositional Referring Expression Comprehension"


@dataclass(frozen=True, kw_only=True)
class DescribedDataset:
    """A dataset as tables and figures show it: under a name, with its figures."""

    name: str
    row: Row
    wants: Mapping[str, Any] = field(default_factory=dict)  # of the mode every-word: what was tried and served


def count(path: Path, *, name: str, split: str | None = None, progress: Progress | None = None) -> DescribedDataset:
    """Count what a dataset holds.

    Args:
        path: where it lies.
        name: what to call it; what cannot be printed is replaced.
        split: only this one.
        progress: told the number of examples so far.

    Raises:
        BrokenDataset: when it cannot be read.
        UnknownName: when there is no such split, or no graph of an image.
    """
    data = open_copsref(path)
    if split is not None and split not in data.splits:
        raise UnknownName(f"there is no split {split!r} in {data.path.name}; it has {', '.join(data.splits) or 'none'}")
    total = sum(data.splits.values()) if split is None else data.splits.get(split)

    def examples() -> Any:
        example: Example
        for number, example in enumerate(data.examples(split), start=1):
            yield example
            if progress and number % TOLD == 0:
                progress(name, number, total)

    printable = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    return DescribedDataset(
        name=printable, row=describe_examples(examples(), data.scenes), wants=counts_in(data.dataset.manifest)
    )


def describe(described: Sequence[DescribedDataset], *, brief: bool = False, paper: bool = False) -> Output:
    """Describe datasets side by side as plain values and as tables.

    Args:
        described: the datasets.
        brief: Table 2 only.
        paper: whether all datasets of the paper's table are shown, not only Cops-Ref.
    """
    blocks = [*_measures(described, others=paper), *(() if brief else (*_counts(described), *_wants(described)))]
    return Output(values=described_as_dict(described), blocks=blocks)


def _wants(described: Sequence[DescribedDataset]) -> Iterator[TextTable]:
    """Yield a table of what could be served for each dataset of the mode every-word."""
    for one in described:
        if one.wants:
            heads, rows = wants_table(one.wants)
            heads[0] = f"{one.name}: {heads[0]}"
            yield TextTable(heads, rows, numbers=range(1, len(heads)))


# -------------------------------------------------------------------------------- tables


def measures(
    described: Sequence[DescribedDataset], *, others: bool = False
) -> tuple[list[str], dict[str, list[float | int | None]]]:
    """Return Table 2 transposed: the names of the datasets, and for each measure a number of every dataset.

    Args:
        described: the datasets; the published figures of Cops-Ref follow.
        others: whether the other datasets of the paper's table follow, too.
    """
    beside = [name for name in [*PUBLISHED][::-1] if others or name == PAPER]
    heads = [*(one.name for one in described), *beside]
    rows: dict[str, list[float | int | None]] = {}
    for key, words in MEASURES.items():
        ours = [getattr(one.row, key) for one in described]
        rows[words] = [*ours, *(PUBLISHED[name].get(key) for name in beside)]
    return heads, rows


def length_bins(row: Row) -> dict[str, int]:
    """Count the expressions by their number of words, in the paper's bins, which end below 10 and above 20."""
    counts = dict.fromkeys((*LENGTH_BINS, LONGER), 0)
    for words, count in row.lengths.items():
        counts[next((label for label, last in LENGTH_BINS.items() if words <= last), LONGER)] += count
    return counts


def forms_of(described: Sequence[DescribedDataset]) -> tuple[str, ...]:
    """Return the forms to show: the paper's six, then others that a dataset names."""
    return tuple(dict.fromkeys((*FORMS, *(form for one in described for form in one.row.forms))))


def described_as_dict(described: Sequence[DescribedDataset]) -> dict[str, Any]:
    """Return everything that tables and figures show as plain values, beside the published figures."""
    return {
        "datasets": [
            {
                "name": one.name,
                "kind": "copsref",
                **one.row.to_dict(),
                **({"every word": one.wants} if one.wants else {}),
            }
            for one in described
        ],
        "published": {"source": SOURCE, "table 2": PUBLISHED, "chance": CHANCE},
    }


# -------------------------------------------------------------------------------- figures


def clouds(described: Sequence[DescribedDataset]) -> Clouds:
    """Return the word clouds of Figure 2: the most frequent names, attributes and relations, a row for each dataset."""
    rows = [
        (
            one.name if len(described) > 1 else "",
            [Cloud(title=title, counts=one.row.said[key], most=SHOWN[key]) for key, title in SAID.items()],
        )
        for one in described
    ]
    return Clouds(name="figure2", title="The most frequent object names, attributes and relations", rows=rows)


def distributions(described: Sequence[DescribedDataset]) -> Figure:
    """Draw the lengths and forms of expressions, and the number of candidates in each setting."""
    lengths, forms = _lengths(described), forms_of(described)
    rows = (
        (
            _chart("lengths", "Words per expression", lengths, labels=_length_labels(described)),
            _chart("forms", "Expressions by the form they have", _forms(described, forms), labels=forms),
        ),
        (
            _settings_chart("candidates", "Objects to choose from", described, lambda crowd: crowd.candidates),
            _settings_chart("same", "Those of the target's category", described, lambda crowd: crowd.same_category),
        ),
    )
    return Figure(
        name="distributions",
        title="Lengths, forms and candidates",
        caption=" ".join(f"{one.name}: {_describe_words(one.row)}." for one in described),
        rows=rows,
        width=WIDE,
    )


def draw(
    described: Sequence[DescribedDataset], *, formats: Sequence[Format] = FORMATS, paper: bool = False
) -> dict[str, bytes]:
    """Write the figures, the tables and the counts as files by name, with equal bytes for equal counts.

    Args:
        described: the datasets, side by side.
        formats: how to draw the figures.
        paper: whether the other datasets of the paper's table are shown, too.

    Returns:
        figure2 and distributions in every format, table2.csv, table2.md, words.csv and stats.json.

    Raises:
        RecipeError: when there is nothing to show, or too much for one figure.
        DeixisError: when matplotlib is not installed.
    """
    if not 1 <= len(described) <= MAX_DATASETS:
        raise RecipeError(f"a figure shows 1 to {MAX_DATASETS} datasets, got {len(described)}")
    if not any(one.row.expressions for one in described):
        raise RecipeError("there is nothing to draw: no example was found")
    files: dict[str, bytes] = {
        f"figure2.{form}": data for form, data in draw_clouds(clouds(described), formats).items()
    }
    sheet = distributions(described)
    files |= {f"{sheet.name}.{form}": draw_figure(sheet, form) for form in formats}
    heads, rows = measures(described, others=paper)
    numbers = [[row[place] for row in rows.values()] for place in range(len(heads))]
    lines = [(name, *values) for name, values in zip(heads, numbers, strict=True)]
    shown = [(name, *map(in_words, values)) for name, values in zip(heads, numbers, strict=True)]
    said = [
        (one.name, kind, word, count)
        for one in described
        for kind, counts in one.row.said.items()
        for word, count in counts.items()
    ]
    files["table2.csv"] = as_csv(("dataset", *rows), lines).encode()
    files["table2.md"] = as_markdown(("dataset", *rows), shown).encode()
    files["words.csv"] = as_csv(("dataset", "kind", "word", "times said"), said).encode()
    files["stats.json"] = (json.dumps(described_as_dict(described), indent=2, ensure_ascii=False) + "\n").encode()
    return files


def draw_card(path: Path, *, progress: Progress | None = None) -> dict[str, bytes]:
    """Return the figures of a dataset's card."""
    return draw([count(path, name=path.resolve().name, progress=progress)], formats=("png",))


def in_words(value: float | None) -> str:
    """Return a number with thousands separated, a mean with one digit, or a dash for an unknown value."""
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _chart(
    name: str, title: str, counts: Mapping[str, Sequence[float]], *, labels: Sequence[str], is_counted: bool = True
) -> Chart:
    """Columns of numbers; counts of several datasets are shown in shares, since the datasets differ in size."""
    in_shares = is_counted and len(counts) > 1
    series = {
        one: tuple(value / (sum(values) or 1) for value in values) if in_shares else tuple(values)
        for one, values in counts.items()
    }
    return Chart(
        name=name,
        title=title,
        marks="columns",
        labels=tuple(labels),
        series=make_series(series, colors="datasets"),
        axis=Axis(
            label="share" if in_shares else "expressions" if is_counted else "mean number",
            unit="share" if in_shares else "count" if is_counted else "number",
        ),
        empty="none",
    )


def _settings_chart(
    name: str, title: str, described: Sequence[DescribedDataset], figure: Callable[[Crowd], float]
) -> Chart:
    counts = {
        one.name: [figure(one.row.settings[setting]) if setting in one.row.settings else 0.0 for setting in SETTINGS]
        for one in described
    }
    return _chart(name, title, counts, labels=[BROKEN.get(name, name) for name in SETTINGS], is_counted=False)


def _forms(described: Sequence[DescribedDataset], forms: Sequence[str]) -> dict[str, list[int]]:
    return {one.name: [one.row.forms.get(form, 0) for form in forms] for one in described}


def _columns(described: Sequence[DescribedDataset]) -> range:
    """Return the numbers of words that have a column, from the shortest to the longest expression."""
    found = {min(words, LAST_LENGTH) for one in described for words in one.row.lengths} or {1}
    return range(min(found), max(found) + 1)


def _length_labels(described: Sequence[DescribedDataset]) -> list[str]:
    return [f"{words}+" if words == LAST_LENGTH else str(words) for words in _columns(described)]


def _lengths(described: Sequence[DescribedDataset]) -> dict[str, list[int]]:
    found = {}
    for one in described:
        counts: Counter[int] = Counter()
        for words, count in one.row.lengths.items():
            counts[min(words, LAST_LENGTH)] += count
        found[one.name] = [counts[words] for words in _columns(described)]
    return found


def _describe_words(row: Row) -> str:
    total = max(row.expressions, 1)
    forms = ", ".join(f"{form} {percent(count / total)}" for form, count in row.forms.items())
    crowds = ", ".join(f"{name} {crowd.candidates:.1f}" for name, crowd in row.settings.items())
    return f"{row.mean_length:.1f} words on average; forms: {forms or 'none'}; candidates: {crowds or 'none'}"


# -------------------------------------------------------------------------------- as text


def _measures(described: Sequence[DescribedDataset], *, others: bool) -> Iterator[str | TextTable]:
    yield "Table 2, beside the paper's own figures; candidates with all images shown"
    many = 1 if others else 3  # datasets that have room in one table
    for first in range(0, len(described), many):
        heads, rows = measures(described[first : first + many], others=others)
        lines = [(measure, *map(in_words, values)) for measure, values in rows.items()]
        yield TextTable(("", *heads), lines, numbers=range(1, len(heads) + 1))
    for one in described:
        absent = sum(one.row.changes.values())
        if absent:
            changes = ", ".join(f"{change} {count:,}" for change, count in one.row.changes.items())
            whose = f"{one.name}: " if len(described) > 1 else ""
            yield f"{whose}{absent:,} expressions fit nothing ({changes} changed)"


def _counts(described: Sequence[DescribedDataset]) -> Iterator[str | TextTable]:
    splits = dict.fromkeys(split for one in described for split in one.row.splits)
    yield from _shares(
        "Splits", "split", {one.name: [one.row.splits.get(s, 0) for s in splits] for one in described}, splits
    )
    bins = {one.name: length_bins(one.row) for one in described}
    labels = [label for label in next(iter(bins.values())) if any(counts[label] for counts in bins.values())]
    yield from _shares(
        "Length", "words", {name: [counts[label] for label in labels] for name, counts in bins.items()}, labels
    )
    forms = forms_of(described)
    yield from _shares("Form", "form", {one.name: [one.row.forms.get(f, 0) for f in forms] for one in described}, forms)
    for one in described:
        whose = f", {one.name}" if len(described) > 1 else ""
        yield from _settings(one, f"What there is to choose from, on average{whose}")
        yield from _most_frequent(one, f"Said most often{whose} (Figure 2)")


def _shares(
    title: str, head: str, counts: Mapping[str, Sequence[int]], labels: Sequence[str] | Mapping[str, None]
) -> Iterator[str | TextTable]:
    """Counts, shares and a bar for one dataset; shares only for several."""
    yield from ("", title)
    totals = {name: max(sum(values), 1) for name, values in counts.items()}
    if len(counts) > 1:
        lines = [
            (label, *(percent(values[place] / totals[name]) for name, values in counts.items()))
            for place, label in enumerate(labels)
        ]
        yield TextTable((head, *counts), lines, numbers=range(1, len(counts) + 1))
        return
    ((name, values),) = counts.items()
    longest = max(values, default=0) or 1
    lines = [
        (label, f"{value:,}", percent(value / totals[name]), "█" * round(LONGEST_BAR * value / longest))
        for label, value in zip(labels, values, strict=True)
    ]
    yield TextTable((head, "expressions", "share", ""), lines, numbers=(1, 2))


def _settings(one: DescribedDataset, title: str) -> Iterator[str | TextTable]:
    yield from ("", title)
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
    yield TextTable(heads, lines, numbers=range(1, len(heads)))


def _most_frequent(one: DescribedDataset, title: str) -> Iterator[str | TextTable]:
    yield from ("", title)
    columns = [
        [
            f"{word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + '…'} {count:,}"
            for word, count in counts.items()
        ][:MOST_WORDS]
        for counts in (one.row.said[key] for key in SAID)
    ]
    depth = max(map(len, columns))
    filled = [[*column, *[""] * (depth - len(column))] for column in columns]
    yield TextTable([title.lower() for title in SAID.values()], list(zip(*filled, strict=True)))
