"""Facts on the card of a dataset of any kind: its tables, splits, licence and sources.

A dataset is one or several *tables*, each with splits, as `datasets.load_dataset(PATH, TABLE)` gives them. Everything
here follows from the manifest and the columns of the files; the part `card` of a world tells the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._parquet_files import parquet_errors
from deixis.data._split_names import names_in_split
from deixis.data._stored_paths import source_of
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.data._stored_paths import AnyPath


SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
LARGEST = "10M<n<100M"
TAGS = ("compositional-generalization", "grounded-language", "referring-expressions", "synthetic", "croissant")
PLAIN = {
    "train": "training",
    "dev": "development, same distribution as training",
    "val": "validation, images that training does not show",
    "test": "test, same distribution as training",
    "aside": "held out of training, but the held-out word does not matter in it: in no test set",
}

LICENSES = {
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "mit": "https://opensource.org/license/mit",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
}
OURS = "cc-by-4.0"  # as the release of ReaSCAN
SYNTHETIC = (
    "Everything in it is synthetic. Whoever publishes it may choose other terms: `deixis card PATH --license NAME`."
)
FOREIGN = "as-its-source"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """One table of a dataset.

    Attributes:
        name: what it is asked for by.
        about: what a row is, in a sentence.
        files: the entries of the manifest for each split, the name of the split as other tools want it.
        schema: the columns.
        columns: what they mean, as a table in Markdown whose first cells are names and whose last cells are meanings.
        labels: the names of the numbers in a column, where they stand for words.
        pictures: the columns that hold pictures.
    """

    name: str
    about: str
    files: Mapping[str, Sequence[Mapping[str, Any]]]
    schema: pa.Schema
    columns: str
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of every split."""
        return {split: sum(entry["rows"] for entry in entries) for split, entries in self.files.items()}

    @property
    def entries(self) -> list[Mapping[str, Any]]:
        """The entries of all its files, each once."""
        return list({entry["path"]: entry for entries in self.files.values() for entry in entries}.values())

    @property
    def meanings(self) -> dict[str, str]:
        """Meaning of each column."""
        return columns_in(self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class License:
    """The terms on which a dataset may be used: its short name, its address where it has one, and a sentence."""

    name: str
    url: str = ""
    about: str = ""

    @property
    def is_known(self) -> bool:
        """True if other tools know the licence by its name."""
        return bool(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A paper to cite: its BibTeX entry and one line."""

    bibtex: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts on a card.

    Attributes:
        name: a short name of letters, digits and hyphens.
        title: the heading.
        summary: a paragraph.
        tables: the one that is loaded where none is asked for stands first.
        splits: each with its size and what it holds.
        notes: paragraphs about the splits.
        license: the terms.
        citations: whom to cite.
        tasks: Hugging Face's names of what it is for.
        tags: further words to find it by.
        examples: how many there are in all.
        again: how to make it again, in Markdown.
        made: facts of its making, one to a line.
        answers: the answers to the questions of a datasheet that depend on the kind of dataset.
        extra: further sections in Markdown.
    """

    name: str
    title: str
    summary: str
    tables: tuple[TableFacts, ...]
    splits: tuple[tuple[str, int, str], ...]
    notes: str
    license: License
    citations: tuple[Citation, ...]
    tasks: tuple[str, ...]
    tags: tuple[str, ...]
    examples: int
    again: str
    made: Mapping[str, str]
    answers: Mapping[str, str]
    extra: str = ""


def split_name(name: str) -> str:
    """A split by the name that other tools accept: letters, digits, dots and underscores, a letter or digit first."""
    plain = re.sub(r"[^A-Za-z0-9_.]", "_", name).strip("_.") or "split"
    return f"{plain}_split" if plain == "all" else plain  # there, `all` stands for every split


def size_category(examples: int) -> str:
    """The range of sizes that a number of examples falls into."""
    return next((name for limit, name in SIZES if examples < limit), LARGEST)


def columns_in(table: str) -> dict[str, str]:
    """Return the columns of a table in Markdown with their meanings.

    Cells of one row may name several columns.
    """
    found: dict[str, str] = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if len(cells) < 2 or set(cells[0]) <= {"-"} or cells[0] == "column":
            continue
        for name in cells[0].split(","):
            found[name.strip().strip("`")] = cells[-1].replace("`", "").replace("\\|", "|")
    return found


def table_schema(folder: AnyPath, entries: Iterable[Mapping[str, Any]]) -> pa.Schema:
    """The columns of the first of some files.

    Raises:
        BrokenDataset: when it cannot be read.
    """
    first = next(iter(entries), None)
    if first is None:
        return pa.schema([])
    with parquet_errors(folder / first["path"]):
        return pq.read_schema(source_of(folder / first["path"])).remove_metadata()


def matching(files: Iterable[Mapping[str, Any]], pattern: str) -> list[Mapping[str, Any]]:
    """The entries whose path fits a pattern such as `captions/short-*`."""
    return [entry for entry in files if fnmatchcase(entry["path"], pattern)]


def by_split(files: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the entries of every split, by the name that other tools accept.

    Files of `a1+a2` belong to both.
    """
    names: dict[str, str] = {}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for entry in files:
        for single in names_in_split(entry["split"]):
            if single not in names:
                plain = split_name(single)
                names[single] = plain if plain not in found else f"{plain}_{len(found)}"
                found[names[single]] = []
            found[names[single]].append(entry)
    return found


def slug(text: str) -> str:
    """A text as a short name of letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", str(text).lower()).strip("-") or "dataset"


def find_license(name: str) -> License:
    """A licence by its name.

    Raises:
        RecipeError: when it is not known here.
    """
    if name.lower() not in LICENSES:
        raise RecipeError(f"unknown licence {name[:40]!r}; known: {', '.join(LICENSES)}")
    return License(name=name.lower(), url=LICENSES[name.lower()])


def ours() -> License:
    """The terms of what is made here."""
    return License(name=OURS, url=LICENSES[OURS], about=SYNTHETIC)


def of_its_source(about: str) -> License:
    """The terms of something that others made."""
    return License(name=FOREIGN, about=about)
