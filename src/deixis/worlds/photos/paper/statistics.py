"""The statistics of datasets about photographs: Table 2 and Figure 2 of the Cops-Ref paper, and distributions."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.datasets.copsref.statistics import CHANCE, MEASURES, PUBLISHED, describe_examples
from deixis.datasets.store import replacing_file
from deixis.errors import RecipeError, UnknownName
from deixis.reports.cells import as_csv, as_markdown
from deixis.reports.charts import Chart
from deixis.reports.clouds import Cloud, Clouds, draw_clouds
from deixis.reports.figures import DATASETS
from deixis.reports.markup import percent
from deixis.reports.paper import WIDE, Sheet
from deixis.reports.sheets import FORMATS, draw_sheet
from deixis.tasks.localise import FORMS, SETTINGS


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from deixis.datasets.copsref.statistics import Crowd, Row
    from deixis.datasets.copsref.store import CopsRef
    from deixis.reports.sheets import Format
    from deixis.tasks.localise import Example


__all__ = [
    "LENGTH_BINS",
    "SAID",
    "Described",
    "clouds",
    "describe_photographs",
    "described_as_dict",
    "distributions",
    "forms_of",
    "in_words",
    "length_bins",
    "measures",
    "write_described",
]

LENGTH_BINS = {"1–4": 4, "5–9": 9, "10–14": 14, "15–20": 20, "21–25": 25, "26–30": 30}  # words, and the last of a bin
LONGER = "over 30"
LAST_LENGTH = 36  # words; longer expressions share a column of the figure
SAID = {"names": "Object names", "attributes": "Attributes", "relations": "Relations"}
SHOWN = {"names": 60, "attributes": 50, "relations": 30}  # words of a cloud
BROKEN = {"WithoutDist": "Without-\nDist"}  # as it is broken below a column
TOLD = 1_024  # examples between two words about how far things are
PAPER = "Cops-Ref"
SOURCE = "Chen et al. 2020, Cops-Ref: A new Dataset and Task on Compositional Referring Expression Comprehension"


@dataclass(frozen=True, kw_only=True)
class Described:
    """A dataset as tables and figures show it: under a name, with its figures."""

    name: str
    row: Row


def describe_photographs(
    data: CopsRef, *, name: str, split: str | None = None, progress: Callable[[int], None] | None = None
) -> Described:
    """Count what a dataset holds.

    Args:
        data: the dataset.
        name: what to call it; what cannot be printed is replaced.
        split: only this one.
        progress: told the number of examples so far.

    Raises:
        BrokenDataset: when it cannot be read.
        UnknownName: when there is no such split, or no graph of an image.
    """
    if split is not None and split not in data.splits:
        raise UnknownName(f"there is no split {split!r} in {data.path.name}; it has {', '.join(data.splits) or 'none'}")

    def examples() -> Any:
        example: Example
        for number, example in enumerate(data.examples(split), start=1):
            yield example
            if progress and number % TOLD == 0:
                progress(number)

    printable = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    return Described(name=printable, row=describe_examples(examples(), data.scenes))


# -------------------------------------------------------------------------------- tables


def measures(
    described: Sequence[Described], *, others: bool = False
) -> tuple[list[str], dict[str, list[float | int | None]]]:
    """Table 2 lying on its side: the names of the datasets, and for each measure a number of every dataset.

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
    """How many expressions have a number of words within each bin; the paper's bins end below 10 and above 20."""
    counts = dict.fromkeys((*LENGTH_BINS, LONGER), 0)
    for words, count in row.lengths.items():
        counts[next((label for label, last in LENGTH_BINS.items() if words <= last), LONGER)] += count
    return counts


def forms_of(described: Sequence[Described]) -> tuple[str, ...]:
    """The forms to show: the paper's six, then others that a dataset names."""
    return tuple(dict.fromkeys((*FORMS, *(form for one in described for form in one.row.forms))))


def described_as_dict(described: Sequence[Described]) -> dict[str, Any]:
    """Everything that tables and figures show as plain values, beside the published figures."""
    return {
        "datasets": [{"name": one.name, "kind": "copsref", **one.row.to_dict()} for one in described],
        "published": {"source": SOURCE, "table 2": PUBLISHED, "chance": CHANCE},
    }


# -------------------------------------------------------------------------------- figures


def clouds(described: Sequence[Described]) -> Clouds:
    """Figure 2: the most frequent names, attributes and relations, a row for each dataset."""
    rows = [
        (
            one.name if len(described) > 1 else "",
            [Cloud(title=title, counts=one.row.said[key], most=SHOWN[key]) for key, title in SAID.items()],
        )
        for one in described
    ]
    return Clouds(name="figure2", title="The most frequent object names, attributes and relations", rows=rows)


def distributions(described: Sequence[Described]) -> Sheet:
    """How long expressions are, which forms they have, and how much there is to choose from in each setting."""
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
    return Sheet(
        name="distributions",
        title="Lengths, forms and candidates",
        description=" ".join(f"{one.name}: {_said(one.row)}." for one in described),
        rows=rows,
        width=WIDE,
        patterns=(),
        datasets=tuple(one.name for one in described) if len(described) > 1 else (),
    )


def write_described(
    described: Sequence[Described], out: Path, *, formats: Sequence[Format] = FORMATS, others: bool = False
) -> list[Path]:
    """Write the figures, the tables and the counts into a folder; equal counts give equal bytes.

    Args:
        described: the datasets, side by side.
        out: the folder, made where there is none; each file is replaced only when it is whole.
        formats: how to draw the figures.
        others: whether the other datasets of the paper's table are shown, too.

    Returns:
        The files: figure2 and distributions in every format, table2.csv, table2.md, words.csv and stats.json.

    Raises:
        RecipeError: when there is nothing to show, or too much for one figure.
        DeixisError: when matplotlib is not installed.
    """
    if not 1 <= len(described) <= len(DATASETS):
        raise RecipeError(f"a figure shows 1 to {len(DATASETS)} datasets, got {len(described)}")
    if not any(one.row.expressions for one in described):
        raise RecipeError("there is nothing to draw: no example was found")
    files: dict[str, bytes] = {
        f"figure2.{form}": data for form, data in draw_clouds(clouds(described), formats).items()
    }
    sheet = distributions(described)
    files |= {f"{sheet.name}.{form}": draw_sheet(sheet, form) for form in formats}
    heads, rows = measures(described, others=others)
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
    for name, data in files.items():
        with replacing_file(out / name) as draft:
            draft.write_bytes(data)
    return [out / name for name in files]


def in_words(value: float | None) -> str:
    """A number with thousands separated, a mean with one digit, a dash for what nobody tells."""
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
        form="columns",
        axis="share" if in_shares else "expressions" if is_counted else "mean number",
        labels=tuple(labels),
        series=series,
        is_share=in_shares,
        colored="datasets",
        empty="none",
    )


def _settings_chart(name: str, title: str, described: Sequence[Described], figure: Callable[[Crowd], float]) -> Chart:
    counts = {
        one.name: [figure(one.row.settings[setting]) if setting in one.row.settings else 0.0 for setting in SETTINGS]
        for one in described
    }
    return _chart(name, title, counts, labels=[BROKEN.get(name, name) for name in SETTINGS], is_counted=False)


def _forms(described: Sequence[Described], forms: Sequence[str]) -> dict[str, list[int]]:
    return {one.name: [one.row.forms.get(form, 0) for form in forms] for one in described}


def _columns(described: Sequence[Described]) -> range:
    """The numbers of words that have a column, from the shortest to the longest expression."""
    found = {min(words, LAST_LENGTH) for one in described for words in one.row.lengths} or {1}
    return range(min(found), max(found) + 1)


def _length_labels(described: Sequence[Described]) -> list[str]:
    return [f"{words}+" if words == LAST_LENGTH else str(words) for words in _columns(described)]


def _lengths(described: Sequence[Described]) -> dict[str, list[int]]:
    found = {}
    for one in described:
        counts: Counter[int] = Counter()
        for words, count in one.row.lengths.items():
            counts[min(words, LAST_LENGTH)] += count
        found[one.name] = [counts[words] for words in _columns(described)]
    return found


def _said(row: Row) -> str:
    total = max(row.expressions, 1)
    forms = ", ".join(f"{form} {percent(count / total)}" for form, count in row.forms.items())
    crowds = ", ".join(f"{name} {crowd.candidates:.1f}" for name, crowd in row.settings.items())
    return f"{row.mean_length:.1f} words on average; forms: {forms or 'none'}; candidates: {crowds or 'none'}"
