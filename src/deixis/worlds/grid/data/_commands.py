"""The distinct commands of datasets: what each means, and everything that has to be resolved about it.

What a command means comes from its text (`Commands`), which checks insist on, or from the expression that the dataset
stores beside the text (`StoredCommands`), which is enough for those who only translate it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from deixis.distractors.necessity import is_implied
from deixis.errors import BrokenDataset, DeixisError, SchemaError
from deixis.expression.parts import Part, parts, replacing, without
from deixis.expression.patterns import pattern_of
from deixis.expression.program import Program, compile_expression
from deixis.expression.steps import Extreme
from deixis.worlds.grid.actions import MANNERS, VERBS, Manner, Verb
from deixis.worlds.grid.commands import broken_rules
from deixis.worlds.grid.data.table import stored_instruction
from deixis.worlds.grid.language import read
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.roles import KINDS, decode_misreading
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.language.utterance import Instruction, Utterance
    from deixis.worlds.grid.navigate import Example


SIZE = KINDS.index("size")


class Meaning(NamedTuple):
    """An expression, to read and to run."""

    expression: Expression
    program: Program


@dataclass(frozen=True)
class Command:
    """One text, and what it means if it can be read.

    Attributes:
        text: the words.
        instruction: what they mean; None where they cannot be read.
        error: why they cannot be read.
    """

    text: str
    instruction: Instruction | None
    error: str = ""

    @classmethod
    def of(cls, text: str) -> Command:
        """Return the command that a text is read as, with the reason if it cannot be read."""
        try:
            utterance = read(text, any_order=True)
            compile_expression(utterance.expression, GRID)
        except DeixisError as error:
            return cls(text, None, str(error))
        if not utterance.instruction.verb:
            return cls(text, None, f"{text!r} has no verb")
        command = cls(text, utterance.instruction)
        command.__dict__["utterance"] = utterance  # that of the cached property
        return command

    @classmethod
    def of_example(cls, example: Example) -> Command:
        """Return the command of an example, with the meaning that is stored with it, where there is one."""
        return cls.of(example.text) if example.stored is None else cls(example.text, example.stored)

    @cached_property
    def utterance(self) -> Utterance:
        """The text with its words in their places, read when they are asked for."""
        return read(self.text, any_order=True)

    @property
    def is_read(self) -> bool:
        """True if the text has a meaning."""
        return self.instruction is not None

    @cached_property
    def digest(self) -> int:
        """The digest of the words."""
        return text_digest(self.text)

    @property
    def expression(self) -> Expression:
        """The expression that picks out the target."""
        return self._read.expression

    @cached_property
    def meaning(self) -> Meaning:
        """The expression with its program."""
        return _meaning(self.expression)

    @property
    def verb(self) -> Verb:
        """The verb of the command."""
        return Verb(self._read.verb)

    @property
    def manner(self) -> Manner:
        """The manner of the command."""
        return Manner(self._read.manner)

    @cached_property
    def codes(self) -> tuple[int, int]:
        """Verb and manner in arrays, those of walking for a command that cannot be read."""
        return (VERBS.index(self.verb), MANNERS.index(self.manner)) if self.is_read else (0, 0)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations of its clauses, in order, or None for a command that cannot be read."""
        return tuple(self.expression.relations()) if self.is_read else ()

    @cached_property
    def pattern(self) -> str:
        """The name of its pattern."""
        return pattern_of(self.expression).name

    @cached_property
    def broken_rules(self) -> tuple[str, ...]:
        """The rules of the language that it breaks."""
        return broken_rules(self.expression)

    @cached_property
    def has_size_word(self) -> bool:
        """True if it can be read in two ways."""
        return any(isinstance(part.step, Extreme) for part in self.parts)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its parts, in order."""
        return tuple(parts(self.expression))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of every part, as shares are broken down, or nothing for a command that cannot be read.

        It is empty for a word that says nothing of its own, 'box' after 'inside of', which no share counts.
        """
        return tuple(self._kind(part) for part in self.parts) if self.is_read else ()

    @cached_property
    def shorter(self) -> tuple[Meaning, ...]:
        """For every part, what the command means without it."""
        return tuple(_meaning(without(self.expression, part)) for part in self.parts)

    @cached_property
    def phrases(self) -> tuple[Meaning, ...]:
        """The noun phrase of every mention, without clauses."""
        return tuple(_meaning(mention.phrase) for mention in self.expression.mentions())

    @property
    def determiners(self) -> tuple[str, ...]:
        """The determiner of every mention."""
        return self.utterance.determiners

    def words_of(self, part: Part) -> str:
        """Return the words that say a part."""
        return self.utterance.words_of(part.address)

    def misreading(self, code: int) -> Meaning | None:
        """Return the expression that the first object of a distractor set must fit, or None for another code.

        It is the misread command, which must pick the object out. For the counterpart of a size word, which need not
        stand in any relation, it is the noun phrase with that word turned round.
        """
        if code not in self._misreadings:
            self._misreadings[code] = self._misread(code)
        return self._misreadings[code]

    @cached_property
    def _misreadings(self) -> dict[int, Meaning | None]:
        return {}

    def _kind(self, part: Part) -> str:
        """Return a clause, or a word by its attribute and by whether it is said of the target."""
        if part.kind == "clause":
            return "clause"
        if is_implied(part, self.expression, GRID):
            return ""
        return f"{'target' if len(part.address) == 1 else 'other'} {part.attribute}"

    def _misread(self, code: int) -> Meaning | None:
        try:
            if code >> 12 == SIZE:
                return _meaning(_turned_round(self.phrases[code >> 8 & 15].expression))
            return _meaning(decode_misreading(code, self.expression).expression)
        except (DeixisError, IndexError, ValueError, StopIteration):
            return None

    @property
    def _read(self) -> Instruction:
        if self.instruction is None:
            raise SchemaError(self.error)
        return self.instruction


MOST_COMMANDS = 1 << 15  # that are remembered, of some ten kilobytes each


class Commands:
    """Commands by their texts, each read once as long as there are not too many."""

    def __init__(self) -> None:
        self._known: dict[str, Command] = {}

    def __getitem__(self, text: str) -> Command:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = Command.of(text)
        return known

    def of_table(self, table: pa.Table) -> tuple[np.ndarray, tuple[Command, ...]]:
        """Return the number of each row's command, int64 [row], and the commands."""
        if len(self._known) > MOST_COMMANDS:
            self._known = {}  # another one, as other threads may be reading
        which, texts = number_texts(table["command"])
        return which, tuple(self[text] for text in texts)


class StoredCommands(Commands):
    """All commands so far, each with the first meaning stored with it, or read from its text without one."""

    def of_table(self, table: pa.Table) -> tuple[np.ndarray, tuple[Command, ...]]:
        """Return the number of each row's command, int64 [row], and the commands.

        Raises:
            BrokenDataset: when what is stored is no expression, verb or manner of grid worlds.
        """
        which, texts = number_texts(table["command"])
        places = [place for place, text in enumerate(texts) if text not in self._known]
        first = np.zeros(len(texts), np.int64)
        first[which[::-1]] = np.arange(len(which))[::-1]
        rows = pa.array(first[places])
        columns = [table[name].take(rows).to_pylist() for name in ("expression", "verb", "manner")]
        for place, expression, verb, manner in zip(places, *columns, strict=True):
            if expression:
                self._known[texts[place]] = _stored_command(texts[place], expression, verb, manner)
        return which, tuple(self[text] for text in texts)


def number_texts(column: pa.ChunkedArray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return a column of texts as the number of each row's text, int64 [row], and the different texts."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), tuple(encoded.dictionary.to_pylist())


def _stored_command(text: str, expression: str, verb: str, manner: str) -> Command:
    try:
        stored = stored_instruction(expression, verb, manner)
    except (DeixisError, ValueError) as error:
        raise BrokenDataset(
            f"what is stored with {text!r} cannot be read: {error}; `deixis check` tells more"
        ) from error
    try:
        compile_expression(stored.expression, GRID)
    except DeixisError as error:  # as of a text that cannot be resolved
        return Command(text, None, str(error))
    return Command(text, stored)


def _meaning(expression: Expression) -> Meaning:
    return Meaning(expression, compile_expression(expression, GRID))


def _turned_round(phrase: Expression) -> Expression:
    for part in parts(phrase):
        if isinstance(part.step, Extreme):
            return replacing(phrase, part, Extreme(part.step.attribute, part.step.which.other))
    raise SchemaError(f"{phrase} has no size word")
