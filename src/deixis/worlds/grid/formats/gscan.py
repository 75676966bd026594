"""gSCAN's released files, read into the table of examples and written from it.

An example has the fields command, meaning, derivation, situation, target_commands, verb_in_command, manner and
referred_target. `while spinning` is one token there, the determiner is 'a', and adjectives stand in any order; the
text is kept as it is, with spaces between all words. Worlds have no boxes and the files do not say why an object is
there, so roles stay empty. Files of predictions hold their examples, too, and are read in the same way. The files with
spatial relations (Qiu et al. 2021) have the same layout; `south west of` is one token of their commands.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from deixis.data._split_names import splits_of
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.formats._gscan_records import RELEASED_NAMES, gscan_record
from deixis.worlds.grid.formats._layout import JsonLayout, write_fields
from deixis.worlds.grid.formats._predictions import file_of
from deixis.worlds.grid.formats._rows import ROWS, Row, tables_of, text_field
from deixis.worlds.grid.formats._situation import read_situation
from deixis.worlds.grid.formats._wording import wording


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from deixis.worlds.grid.navigate import Example


__all__ = ["GSCAN_FILE", "GSCAN_VOCABULARIES", "read_gscan", "read_gscan_examples", "understand", "write_gscan"]

GSCAN_FILE = "dataset.txt"
GSCAN_VOCABULARIES = ("training_input_vocab.txt", "training_target_vocab.txt")
ASIDE = "aside"  # of datasets made here; the release has no such split
INDENT = 4
WORD_LISTS = {
    "intransitive_verbs": ("walk",),
    "transitive_verbs": ("pull", "push"),
    "nouns": ("square", "cylinder", "circle"),
    "adverbs": ("cautiously", "while spinning", "hesitantly", "while zigzagging"),
    "color_adjectives": ("red", "green", "yellow", "blue"),
    "size_adjectives": ("big", "small"),
}
LOCATIONS = (
    *("east of", "north of", "west of", "south of"),
    *("north east of", "north west of", "south west of", "south east of", "next to"),
)
KINDS_OF_WORDS = {
    "intransitive_verbs": "VV_intransitive",
    "transitive_verbs": "VV_transitive",
    "adverbs": "RB",
    "nouns": "NN",
    "color_adjectives": "JJ",
    "size_adjectives": "JJ",
}


def read_gscan(path: Path | str, *, rows: int = ROWS) -> Iterator[pa.Table]:
    """Yield the examples of a released file as tables, some thousand rows at a time.

    Raises:
        BrokenDataset: when the file or an example of it cannot be understood.
    """
    yield from tables_of(file_of(path), understand, Path(path), rows=rows)


def read_gscan_examples(path: Path | str) -> Iterator[Example]:
    """Yield the examples of a released file, one by one."""
    for table in read_gscan(path):
        yield from examples_of(table)


def understand(example: dict[str, Any]) -> Row:
    """Read the meaning of a released example."""
    said = wording(text_field(example, "command"))
    situation = read_situation(example.get("situation"))
    if not situation.objects:
        raise BrokenDataset("the world has no objects")
    return Row(said, situation, text_field(example, "target_commands"), [], [])


# ---------------------------------------------------------------------------------------------------- writing


def write_gscan(
    tables: Iterable[pa.Table] | pa.Table,
    path: Path | str,
    *,
    percentage_train: float = 0.9,
    indent: int | None = INDENT,
) -> WrittenGscan:
    """Write one file in the layout of the release, and return what was written.

    The file takes its name only when it is whole. Splits made here get the names that the release has for them. What is
    set aside is left out; an example of several held-out sets is written to each, one without a split to train.

    Args:
        tables: the examples.
        path: where to write.
        percentage_train: a field that nothing depends on.
        indent: spaces of indentation, or None for one long line.

    Raises:
        RecipeError: when there is a command that gSCAN cannot say.
    """
    from deixis.data.store import replacing_file

    layout, written = JsonLayout(indent), WrittenGscan()
    size = 0
    try:
        with ExitStack() as stack:
            draft = stack.enter_context(replacing_file(Path(path)))
            parts: dict[str, IO[str]] = {}
            for example in _all_examples(tables):
                size = size or example.scene.size
                splits = [name for name in splits_of(example.split) if name != ASIDE]
                record = gscan_record(example) if splits else {}
                text = layout.value(record, 3, is_open=True)
                written.left_out += not splits
                for split in (RELEASED_NAMES.get(name, name) for name in splits):
                    if split not in parts:
                        parts[split] = stack.enter_context(TemporaryFile("w+", encoding="utf-8", dir=draft.parent))
                    parts[split].write(layout.gap(3, is_first=not written.splits.get(split)) + text)
                    written.add(record, split)
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                write_fields(file, _fields(size or 6, percentage_train, written), parts, layout)
    except OSError as error:
        raise DeixisError(f"{path} cannot be written: {error.strerror or error}") from error
    return written


class WrittenGscan:
    """Counts of what a written file holds.

    Attributes:
        splits: the number of examples of every split.
        left_out: how many examples were set aside, and are in no split.
        words, actions: how often each occurs in train.
        adverbs, locations: whether any command says how, or where.
    """

    def __init__(self) -> None:
        self.splits: dict[str, int] = {}
        self.left_out = 0
        self.words: Counter[str] = Counter()
        self.actions: Counter[str] = Counter()
        self.adverbs = self.locations = False

    def add(self, record: dict[str, Any], split: str) -> None:
        """Count one record of a split."""
        self.splits[split] = self.splits.get(split, 0) + 1
        self.adverbs |= bool(record["manner"])
        self.locations |= "location_prep" in record
        if split == "train":
            tokens = record["command"].split(",")
            self.words.update(" ".join(tokens).split() if "location_prep" in record else tokens)
            self.actions.update(record["target_commands"].split(","))

    @property
    def grammar(self) -> str:
        """The name of the grammar by which the commands are made."""
        return ("relation_" if self.locations else "") + ("adverb" if self.adverbs else "normal")


def _fields(size: int, percentage_train: float, written: WrittenGscan) -> dict[str, Any]:
    """The fields of a file in their order."""
    lists = {name: words if name != "adverbs" or written.adverbs else () for name, words in WORD_LISTS.items()}
    return {
        "grid_size": size,
        "type_grammar": written.grammar,
        **({"exclude_type_grammar": "normal"} if written.locations else {}),
        "grammar": "" if written.locations else _grammar(lists),
        "min_object_size": 1,
        "max_object_size": 4,
        "max_recursion": 1,
        "percentage_train": percentage_train,
        "examples": None,
        **{name: {word: word for word in words} for name, words in lists.items()},
        **({"location_preps": {word: word for word in LOCATIONS}} if written.locations else {}),
    }


def _grammar(lists: dict[str, tuple[str, ...]]) -> str:
    """The rules of the grammar, then its words."""
    rules = ["ROOT -> VP", *["VP -> VP RB"] * bool(lists["adverbs"]), "VP -> VV_intrans 'to' DP", "VP -> VV_trans DP"]
    rules += ["DP -> 'a' NP", "NP -> JJ NP", "NP -> NN"]
    rules += [f"{kind} -> {word}" for name, kind in KINDS_OF_WORDS.items() for word in lists[name]]
    return "".join(f"{rule};" for rule in rules)


def _all_examples(tables: Iterable[pa.Table] | pa.Table) -> Iterator[Example]:
    from pyarrow import Table

    for table in [tables] if isinstance(tables, Table) else tables:
        yield from examples_of(table)
