"""What readers make of the files of others: records in, examples out, refusals, meaning, and the figures of an audit.

python -m benchmarks.read_files FOLDER --write docs/results/readers.md

FOLDER holds files and folders of published datasets. Readers of which it holds none are shown on invented files.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.machine import describe_machine
from benchmarks.readers import FEWER, RECORDS, measure_reader
from deixis.audits.run import audit_dataset
from deixis.errors import DeixisError
from deixis.readers.registry import find_reader, reader_names
from deixis.worlds.registry import world_of
from tests.readers.samples import write_sample


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


COMMAND = "python -m benchmarks.read_files FOLDER --write docs/results/readers.md"
INVENTED = 500  # records of an invented file
READING = ("file", "reader", "records", "examples", "refused", "with a meaning", "meaning fits the target alone")
FIGURES = {
    "words needed": "words needed",
    "noun alone": "noun alone",
    "bag of words": "bag of words",
    "category suffices": "category suffices",
    "chance": "chance",
    "text and image twice": "same text and image twice in a split",
    "shorter is right": "shorter is right",
    "same words": "same words in another order",
    "text only": "text only",
    "image only": "image only",
    "length only": "length only",
}
"""Columns of the second table, and what an audit calls them."""
INTRO = """\
This page shows what each reader makes of files as they were published: how many records a file has, how many examples
come of them, which records are refused and why, how many expressions have a meaning (annotated, or read by a language),
and what an audit finds. All files are samples, see [Which words are needed?](../which-words.md); the command is the
same for whole releases."""
DEFINED = """\
Percentages; – is what the file cannot tell, and the audit says why. *Words needed*: of the words of an expression,
those without which it no longer picks out the target alone. *Noun alone* and *bag of words*: examples that a reader
solves who knows no more. *Chance*: a random candidate or choice. *Shorter is right*, *same words*: pairs of captions.
*Text only*, *image only*, *length only*: readers who see nothing else, trained on one half and judged on the other.
[The audit](../audit.md#what-is-measured) has all definitions."""
RATES = """\
Invented files in the layout of every reader: 100,000 records (20,000 for Stars2 and CLEVR-Ref+, 50,000 for NLVR) are
read for their rate, 500 for the rest. Plain JSON and TSV layouts promise 20,000 records a second of one core
(`python -m benchmarks.readers`, which also measures that memory does not grow with the number of records)."""


def published(folder: Path) -> Iterator[Path]:
    """Yield what can be read in a folder: its folders where a reader knows them, else their files."""
    for place in sorted(folder.iterdir()):
        if place.is_dir() and not _is_known(place):
            yield from sorted(path for path in place.iterdir() if path.is_file())
        else:
            yield place


def _is_known(path: Path) -> bool:
    try:
        world_of(path)
    except DeixisError:
        return False
    return True


def measure_file(path: Path) -> tuple[list[str], list[str]]:
    """The rows of both tables for a file."""
    found = audit_dataset(path, with_figures=True)
    values = {**found.audit.to_dict(), **found.to_dict()}
    reading = values.get("read", {"records": values["examples"], "examples": values["examples"]})
    figures = values.get("figures", {})
    refused = ", ".join(f"{count:,} `{code}`" for code, count in reading.get("refused", {}).items()) or "none"
    reader = f"`{reading['reader']}`" if "reader" in reading else f"world `{world_of(path).name}`"
    numbers = (f"{reading['records']:,}", f"{reading['examples']:,}")
    meaning = [_percent(figures.get(name)) for name in ("meaning known", "meaning fits the target alone")]
    name = f"{path.parent.name}/{path.name}" if path.is_file() else path.name
    return [name, reader, *numbers, refused, *meaning], [name, *_audit_cells(values["measures"], figures)]


def _audit_cells(measures: dict[str, Any], figures: dict[str, Any]) -> Iterator[str]:
    with_meaning = {"words needed": measures["words needed"]["all"], **measures.get("solved", {})}
    for name in FIGURES.values():
        one = with_meaning.get(name)
        yield _percent({"value": one["share"]} if one else figures.get(name))


def _percent(figure: dict[str, Any] | None) -> str:
    value = None if figure is None else figure["value"]
    return "–" if value is None else f"{100 * value:.1f}"


def refusal_of(path: Path) -> str:
    """Why a file is no dataset, in one line without its folder."""
    try:
        world_of(path).part("examples").open(path)
    except DeixisError as error:
        return str(error).replace(str(path), path.name).split("; nor does a reader")[0]
    return ""


def measure_layouts(*, is_fast: bool) -> list[list[str]]:
    """A row for every reader: what it makes of an invented file, and how fast."""
    rows = []
    for name in reader_names():
        with TemporaryDirectory(prefix="deixis-layouts-") as folder:
            path, _ = write_sample(name, Path(folder) / "few", INVENTED)
            (_, _, records, examples, refused, meaning, _), _ = measure_file(path)
            count = FEWER.get(name, RECORDS)
            rate = "" if is_fast else f"{measure_reader(name, Path(folder) / 'many', count)['rate']:,.0f}"
        rows.append([f"`{name}`", find_reader(name).task, records, examples, refused, meaning, rate])
    return rows


def write_page(folder: Path, *, is_fast: bool = False) -> str:
    """The page, as Markdown."""
    reading, audits, others = [], [], []
    for path in published(folder):
        if why := refusal_of(path):
            others.append(f"* `{path.parent.name}/{path.name}`: {why}")
            continue
        read, audited = measure_file(path)
        reading.append(read)
        audits.append(audited)
    layouts = measure_layouts(is_fast=is_fast)
    return "\n".join(
        [
            "# What readers read",
            "",
            INTRO,
            "",
            f"Made by `{COMMAND}` on {describe_machine()}.",
            "",
            "## Published files",
            "",
            *_table(READING, reading),
            "",
            "Files beside them that are no dataset are refused in one line:",
            "",
            *others,
            "",
            "## What the audit finds",
            "",
            DEFINED,
            "",
            *_table(("file", *FIGURES), audits),
            "",
            "## All layouts",
            "",
            RATES,
            "",
            *_table(("reader", "task", "records", "examples", "refused", "with a meaning", "records/s"), layouts),
            "",
        ]
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Write the page, or print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.read_files", description=__doc__)
    parser.add_argument("folder", type=Path, help="published files, as in the README of the data")
    parser.add_argument("--write", type=Path, help="the page, e.g. docs/results/readers.md")
    parser.add_argument("--fast", action="store_true", help="measure no rates")
    options = parser.parse_args()
    text = write_page(options.folder, is_fast=options.fast)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
