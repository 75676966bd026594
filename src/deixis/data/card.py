"""The README of a dataset and its twin for machines, `croissant.json`: what it holds, where it is from, how to use it.

The head of the README tells other tools which file belongs to which split, so that `datasets.load_dataset(PATH)` finds
them. Pictures in the folder `figures` are shown; `deixis card` draws them. The questions of the datasheet are those of
the ReaSCAN paper's appendix; most answers are the same for everything made here, since nothing is collected from
people, and a world gives its own where they differ (`Facts.answers`, by the number of the question).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.data._card_facts import find_license
from deixis.data._croissant import croissant
from deixis.data._huggingface import front_matter
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, DeixisError, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from deixis.data._card_facts import Facts, TableFacts


__all__ = ["CARD", "CROISSANT", "FIGURES", "QUESTIONS", "SYNTHETIC", "datasheet", "facts_of", "write_card"]

CARD, CROISSANT, FIGURES = "README.md", "croissant.json", "figures"
SIZES = "table2.md"  # among the figures: sizes as a table
CAPTIONS = {
    "figure2": "What is spoken of, and how often.",
    "figure4": "Actions per plan.",
    "figure5": "Distractors, relations and what commands speak of.",
    "distributions": "Lengths, forms and candidates.",
    "example": "One example:",
}
QUESTIONS: dict[str, dict[str, str]] = {
    "Motivation": {
        "A.1": "For what purpose was it created?",
        "A.2": "Who created it?",
        "A.3": "Who paid for it?",
    },
    "Composition": {
        "B.1": "What is an instance?",
        "B.2": "Are these all possible instances, or a sample of them?",
        "B.3": "What does an instance consist of?",
        "B.4": "Is there a label?",
        "B.5": "Is anything missing from instances?",
        "B.6": "Are relations between instances made explicit?",
        "B.7": "Are there recommended splits?",
        "B.8": "Are there errors, noise or redundancies?",
        "B.9": "Is it self-contained?",
        "B.10": "Does it hold anything confidential?",
        "B.11": "Does it hold anything offensive?",
        "B.12": "Does it relate to people?",
        "B.13": "Does it identify groups of people?",
        "B.14": "Can individuals be identified?",
        "B.15": "Does it hold anything sensitive about people?",
    },
    "Collection": {"C": "How was it collected?"},
    "Preprocessing, cleaning, labelling": {
        "D.1": "Was any of it done?",
        "D.2": "Was the raw data kept?",
        "D.3": "Is the software available?",
    },
    "Uses": {
        "E.1": "Has it been used already?",
        "E.2": "Is there a list of papers or systems that use it?",
        "E.3": "What else could it be used for?",
        "E.4": "Does anything about how it was made limit its use?",
        "E.5": "What should it not be used for?",
    },
    "Distribution": {
        "F.1": "Will it be given to others?",
        "F.2": "How?",
        "F.3": "When?",
        "F.4": "Under which licence?",
        "F.5": "Do export controls or other regulations apply?",
    },
    "Maintenance": {
        "G.1": "Who maintains it?",
        "G.2": "How can they be reached?",
        "G.3": "Is there an erratum?",
        "G.4": "Will it be updated?",
        "G.5": "Are there limits on how long data about people is kept?",
        "G.6": "Will older versions stay available?",
        "G.7": "Can others extend it?",
    },
}
SYNTHETIC: dict[str, str] = {
    "A.2": "Whoever ran the generator; this folder does not record a name. Add yours here before you publish it.",
    "A.3": "Not recorded.",
    "B.5": "No. What is unknown is marked as the columns say; there are no gaps.",
    "B.6": "Rows are independent of each other unless a column says otherwise.",
    "B.9": "Yes.",
    "B.10": "No, it is synthetic.",
    "B.11": "No, it is synthetic.",
    "B.12": "No.",
    "B.13": "No.",
    "B.14": "No.",
    "B.15": "No.",
    "C": "It was not collected but computed, from the recipe and the seed in the manifest. No people took part.",
    "D.1": "No. Labels follow from how the data was made.",
    "D.2": "There is no raw data.",
    "D.3": "Yes: Deixis makes, checks and reads this folder.",
    "E.1": "This folder does not record uses.",
    "E.2": "None that this folder knows of.",
    "E.4": "It is small in vocabulary and regular in form, which real language is not. A score on it is no score "
    "on real language.",
    "E.5": "For decisions about people, or as evidence of how a system does in the real world.",
    "F.1": "That is up to whoever holds this folder; it is laid out to be uploaded as it is.",
    "F.2": "As this folder: Parquet, this card, Croissant metadata and a manifest with a hash of every file.",
    "F.3": "Not recorded, so that the same recipe gives the same bytes on any day.",
    "F.5": "None known.",
    "G.1": "Whoever publishes this folder. The generator is maintained by the Deixis authors.",
    "G.2": "Through the place where it is published.",
    "G.3": "None in this folder. `deixis check` looks for errors anew.",
    "G.4": "A changed dataset gets another content digest, so that versions cannot be confused.",
    "G.5": "It holds no data about people.",
    "G.6": "The same version of the generator, recipe and seed give the same bytes again.",
    "G.7": "Yes: change the recipe, make another, and name both digests.",
}


def write_card(folder: Path, manifest: dict[str, Any], *, license_name: str = "", published: str = "") -> list[Path]:
    """Write the card of a dataset and its Croissant metadata from its manifest, and return the two files.

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
        facts = facts_of(folder, manifest, license_name)
        texts = {CARD: _card(facts, folder), CROISSANT: _metadata(facts, published)}
    except DeixisError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise BrokenDataset(f"the manifest of {folder} does not say what a card needs: {error!r}") from error
    try:
        for name, text in texts.items():
            with replacing_file(folder / name) as draft:
                draft.write_text(text.rstrip() + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise RecipeError(f"cannot write to {folder}: {error.strerror or error}") from error
    return [folder / name for name in texts]


def facts_of(folder: Path, manifest: dict[str, Any], license_name: str = "") -> Facts:
    """Return the facts that the world of a dataset has for its card."""
    from deixis.worlds.registry import world_in

    world = world_in(manifest, where=str(folder))
    return world.part("card")(folder, manifest, find_license(license_name) if license_name else None)


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
        f"## How it was made\n\n{_provenance_table(facts)}\n\n{facts.again}",
        f"## Datasheet\n\n{datasheet({**facts.answers, 'F.4': _license(facts)})}",
        f"## Licence\n\n{_license(facts)}",
        "## Citation\n\n```bibtex\n" + "\n\n".join(one.bibtex for one in facts.citations) + "\n```",
    )
    return front_matter(facts) + "\n\n" + "\n\n".join(section.strip() for section in sections)


def _loading(facts: Facts) -> str:
    if not facts.tables:
        raise BrokenDataset("the manifest names no file with a table, so that there is nothing to load")
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
    return _escape_markdown(known + said)


def _escape_markdown(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]*_`<>|" else letter for letter in " ".join(text.split()))


def _provenance_table(facts: Facts) -> str:
    return "\n".join(("| | |", "|---|---|", *(f"| {what} | {_cell(value)} |" for what, value in facts.made.items())))


def _license(facts: Facts) -> str:
    named = f"[{facts.license.name}]({facts.license.url})" if facts.license.url else f"`{facts.license.name}`"
    return f"{named}. {facts.license.about}".strip()


def datasheet(answers: Mapping[str, str]) -> str:
    """All questions with their answers, in Markdown.

    Args:
        answers: by the number of the question; those that are missing are answered as for any synthetic dataset.
    """
    told = {**SYNTHETIC, **answers}
    sections = []
    for heading, questions in QUESTIONS.items():
        lines = [f"- **{question}** {told.get(number, 'Not recorded.')}" for number, question in questions.items()]
        sections.append(f"### {heading}\n\n" + "\n".join(lines))
    return "\n\n".join(sections)
