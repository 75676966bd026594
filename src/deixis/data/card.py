"""The README of a dataset and its twin for machines, `croissant.json`: what it holds, where it is from, how to use it.

The head of the README tells other tools which file belongs to which split, so that `datasets.load_dataset(PATH)` finds
them. Pictures in the folder `figures` are shown; `deixis card` draws them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.datasets.card_kinds import facts_of
from deixis.datasets.croissant import croissant
from deixis.datasets.datasheet import datasheet
from deixis.datasets.huggingface import front_matter
from deixis.datasets.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.datasets.card_facts import Facts, TableFacts


__all__ = ["CARD", "CROISSANT", "FIGURES", "write_card"]

CARD, CROISSANT, FIGURES = "README.md", "croissant.json", "figures"
SIZES = "table2.md"  # among the figures: sizes as a table
CAPTIONS = {
    "figure2": "What is spoken of, and how often.",
    "figure4": "Actions per plan.",
    "figure5": "Distractors, relations and what commands speak of.",
    "distributions": "Lengths, forms and candidates.",
    "example": "One example:",
    "rooms": "Some of the images.",
}


def write_card(folder: Path, manifest: dict[str, Any], *, license_name: str = "", published: str = "") -> list[Path]:
    """Write the card of a dataset and its Croissant metadata from its manifest; the two files.

    Args:
        folder: where the dataset lies, all its files written.
        manifest: what its manifest says, or will say.
        license_name: the terms, in place of those that the kind of dataset comes with.
        published: the day on which it was published, e.g. 2026-11-30.

    Raises:
        BrokenDataset: when the manifest lacks something that a dataset of its kind says of itself.
        RecipeError: when the folder cannot be written to.
    """
    try:
        facts = facts_of(folder, manifest, license_name=license_name)
        texts = {CARD: _card(facts, folder), CROISSANT: _metadata(facts, published)}
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BrokenDataset(f"the manifest of {folder} does not say what a card needs: {error!r}") from error
    try:
        for name, text in texts.items():
            with replacing_file(folder / name) as draft:
                draft.write_text(text.rstrip() + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise RecipeError(f"cannot write to {folder}: {error.strerror or error}") from error
    return [folder / name for name in texts]


def _metadata(facts: Facts, published: str) -> str:
    return json.dumps(croissant(facts, published=published), indent=1, ensure_ascii=False)


def _card(facts: Facts, folder: Path) -> str:
    sections = (
        f"# {facts.title}\n\n{facts.summary}",
        f"## Load it\n\n{_loading(facts)}",
        f"## Splits\n\n{_splits(facts)}",
        *(_table(table, is_only=len(facts.tables) == 1) for table in facts.tables),
        *_figures(folder),
        *([facts.extra] if facts.extra else []),
        f"## How it was made\n\n{_made(facts)}\n\n{facts.again}",
        f"## Datasheet\n\n{datasheet({**facts.answers, 'F.4': _license(facts)})}",
        f"## Licence\n\n{_license(facts)}",
        "## Citation\n\n```bibtex\n" + "\n\n".join(one.bibtex for one in facts.citations) + "\n```",
    )
    return front_matter(facts) + "\n\n" + "\n\n".join(section.strip() for section in sections)


def _loading(facts: Facts) -> str:
    first, *others = facts.tables
    lines = ["from datasets import load_dataset", "", f'examples = load_dataset("PATH"){_among(first)}']
    lines += [f'{_identifier(table.name)} = load_dataset("PATH", "{table.name}")' for table in others]
    return (
        "```python\n" + "\n".join(lines) + "\n```\n\nThe files are plain Parquet: pyarrow, pandas and duckdb read them."
    )


def _among(table: TableFacts) -> str:
    return f'["{next(iter(table.files))}"]' if table.files else ""


def _identifier(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _splits(facts: Facts) -> str:
    rows = [f"| {name} | {size:,} | {_cell(about)} |" for name, size, about in facts.splits]
    return "\n".join(("| split | size | what it holds |", "|---|---|---|", *rows)) + (
        f"\n\n{facts.notes}" if facts.notes else ""
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(table: TableFacts, *, is_only: bool) -> str:
    heading = "## Columns" if is_only else f"## Table `{table.name}`"
    rows = "" if is_only else f" Rows: {', '.join(f'{split} {size:,}' for split, size in table.rows.items())}."
    return f"{heading}\n\n{table.about}{rows}\n\n{table.columns}"


def _figures(folder: Path) -> Iterator[str]:
    drawn = folder / FIGURES
    pictures = sorted(drawn.glob("*.png")) if drawn.is_dir() else []
    shown = [(drawn / SIZES).read_text(encoding="utf-8").strip()] if (drawn / SIZES).is_file() else []
    shown += [f"![{_caption(path)}]({FIGURES}/{path.name})\n\n*{_caption(path)}*" for path in pictures]
    if shown:
        yield "## Statistics\n\n" + "\n\n".join(shown)


def _caption(path: Path) -> str:
    told = path.with_suffix(".txt")
    said = f" {told.read_text(encoding='utf-8').strip()}" if told.is_file() else ""
    known = CAPTIONS.get(path.stem, path.stem.replace("-", " ").capitalize() + ".")
    return _escaped(known + said)


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]*_`<>|" else letter for letter in " ".join(text.split()))


def _made(facts: Facts) -> str:
    return "\n".join(("| | |", "|---|---|", *(f"| {what} | {_cell(value)} |" for what, value in facts.made.items())))


def _license(facts: Facts) -> str:
    named = f"[{facts.license.name}]({facts.license.url})" if facts.license.url else f"`{facts.license.name}`"
    return f"{named}. {facts.license.about}".strip()
