"""The parts of a command in the forms that the released files spell out: patterns, phrases, relations.

A file repeats every command in up to 180 worlds, so what is known about a command is worked out once and remembered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from deixis.expression.patterns import pattern_of
from deixis.expression.plain import expression_to_json
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.language import phrase_words, read
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.scene import BESIDE


if TYPE_CHECKING:
    from deixis.expression.patterns import Pattern


SHAPE, COLOR, SIZE = 0, 1, 2
PARENT, RELATION = 3, 4
RELATIONS = (
    *("$SAME_ROW", "$SAME_COLUMN", "$IS_INSIDE", "$SAME_SIZE", "$SAME_COLOR", "$SAME_SHAPE"),
    "$NEXT_TO",  # this and the following are not of the release
    *(f"${name.upper().replace(' ', '_')}" for name in BESIDE),
)
SLOT_NAMES = ("$SHAPE", "$COLOR", "$SIZE")
SIZE_WORDS = ("small", "big")
COLOR_WORDS = ("red", "blue", "green", "yellow")
NOUNS = ("circle", "cylinder", "square", "box")


@dataclass(frozen=True)
class Wording:
    """A command, taken apart.

    Attributes:
        text: the words, separated by single spaces.
        pattern: how its noun phrases hang together.
        verb, manner: what is to be done and how.
        said: for every mention shape, color, size word, parent and relation as integers, -1 where nothing is said.
        phrases: the words of every mention without determiner and clauses.
        digest: a number for the words.
        expression: what picks out the target, as JSON (see `expression.plain`).
    """

    text: str
    pattern: Pattern
    verb: str
    manner: str
    said: tuple[tuple[int, ...], ...]
    phrases: tuple[str, ...]
    digest: int
    expression: str

    def __len__(self) -> int:
        return len(self.said)

    def relation(self, child: int) -> str:
        """Return the relation by which a mention hangs on its head."""
        return RELATIONS[self.said[child][RELATION]]

    def edge(self, child: int) -> list[str]:
        """Return the names of head and mention."""
        return [name_of(self.said[child][PARENT]), name_of(child)]

    def below(self, child: int) -> frozenset[int]:
        """Return the mentions that go when a clause is dropped: its own and all that hang on it."""
        found = {child}
        for k in range(child + 1, len(self)):
            if self.said[k][PARENT] in found:
                found.add(k)
        return frozenset(found)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The pattern of every noun phrase, such as `$SIZE $COLOR $ABS_SHAPE`."""
        return tuple(_form(row) for row in self.said)


@lru_cache(maxsize=1 << 14)
def wording(command: str) -> Wording:
    """Take a command apart, with words separated by commas, as in the files, or by spaces.

    Raises:
        ParseError: when it is not a command of this language.
    """
    utterance = read(command, any_order=True)
    expression = utterance.expression
    return Wording(
        text=utterance.text,
        pattern=pattern_of(expression),
        verb=str(Verb(utterance.instruction.verb)),
        manner=str(Manner(utterance.instruction.manner)),
        said=tuple(tuple(int(code) for code in row) for row in blueprint(expression)),
        phrases=tuple(phrase_words(mention.phrase) for mention in expression.mentions()),
        digest=text_digest(utterance.text),
        expression=expression_to_json(expression),
    )


def name_of(number: int) -> str:
    """Return the name of a mention or object in the files."""
    return f"$OBJ_{number}"


def number_of(name: object) -> int | None:
    """Return the number in a name such as `$OBJ_12`, or None for anything else."""
    if not (isinstance(name, str) and name.startswith("$OBJ_") and name[5:].isdecimal() and len(name) < 12):
        return None
    return int(name[5:])


def phrase_text(row: tuple[int, ...]) -> str:
    """Return the words of a noun phrase given as integers."""
    shape, color, size = row[:3]
    words = [SIZE_WORDS[size]] if size >= 0 else []
    words += [COLOR_WORDS[color]] if color >= 0 else []
    return " ".join([*words, NOUNS[shape] if shape >= 0 else "object"])


def _form(row: tuple[int, ...]) -> str:
    shape, color, size = row[:3]
    parts = ["$SIZE"] * (size >= 0) + ["$COLOR"] * (color >= 0)
    return " ".join([*parts, "$SHAPE" if shape >= 0 else "$ABS_SHAPE"])
