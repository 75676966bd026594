"""A reader of descriptions of things on a shelf: a CSV file with the columns id, split, things, text and meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression import Extreme, Is
from deixis.language import Lexicon
from deixis.readers.files import head_of, table_rows
from deixis.readers.reader import Reader, ReadExample, RefusedRecord
from deixis.scene import PlainScene
from deixis.scene.scene import Where
from deixis.schema import Attribute, Schema, Which
from deixis.worlds.toolkit import PhraseLanguage


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.expression.description import Expression


SIZES, COLORS, SHAPES = ("small", "big"), ("red", "blue", "green"), ("cup", "bowl", "jar")
SCHEMA = Schema(
    name="shelf",
    attributes=(
        Attribute(name="size", values=SIZES, is_ordered=True),
        Attribute(name="color", values=COLORS),
        Attribute(name="shape", values=SHAPES, is_head=True),
    ),
)
LANGUAGE = PhraseLanguage(
    Lexicon(
        name="shelf",
        determiners=("the", "a"),
        relative="that is",
        conjunction="and",
        top="thing",
        slots=("size", "color", "shape"),
        words={
            "size": {"small": Extreme("size", Which.LEAST), "big": Extreme("size", Which.MOST)},
            "color": {color: Is("color", color) for color in COLORS},
            "shape": {shape: Is("shape", shape) for shape in SHAPES},
        },
        relations={},
        verbs={},
        manners={},
    )
)


def sniff(path: Path) -> bool:
    """Return whether a file begins with the head of this layout."""
    return head_of(path).startswith("id,split,things,text,meant")


def records(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows, as they stand in the file."""
    return table_rows(path)


def read(row: dict[str, str]) -> Iterator[ReadExample]:
    """Yield the example of a row."""
    things = [thing.split() for thing in row["things"].split("|")]
    if not all(len(words) == 3 for words in things):
        raise RefusedRecord("no-things", row["things"])
    meant = int(row["meant"])
    if not 0 <= meant < len(things):
        raise RefusedRecord("no-target", f"{meant} of {len(things)} things")
    objects = tuple(frozenset(zip(("size", "color", "shape"), words, strict=True)) for words in things)
    yield ReadExample(
        id=row["id"],
        split=row["split"],
        text=row["text"],
        scenes=(PlainScene(schema=SCHEMA, objects=objects),),
        targets=(Where(0, meant),),
        parse=parse,
    )


def parse(example: ReadExample) -> Expression | None:
    """Return the meaning of a text, or None where it says something that the lexicon does not know."""
    try:
        return LANGUAGE.read(example.text).expression
    except ParseError:
        return None


READER = Reader(
    name="shelf",
    title="Things on a shelf and what people said of them",
    task="refer",
    license="CC0",
    citation="Nobody (2026). Things on a shelf.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={"no-things": "a thing is not size, colour and noun", "no-target": "nothing of that number is there"},
    is_resolvable=True,
    language="deixis_shelf:LANGUAGE",
    package="deixis-shelf",
)
