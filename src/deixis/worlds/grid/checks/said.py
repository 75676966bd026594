"""Commands read once per distinct text: what they mean, and everything that has to be resolved about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.necessity import is_implied
from deixis.errors import DeixisError, SchemaError
from deixis.expression.parts import Part, parts, replacing, without
from deixis.expression.patterns import pattern_of
from deixis.expression.program import Program, compile_expression
from deixis.expression.steps import Extreme
from deixis.worlds.grid.actions import MANNERS, VERBS, Manner, Verb
from deixis.worlds.grid.commands import broken_rules
from deixis.worlds.grid.language import read
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.roles import KINDS, decode_misreading
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.language.utterance import Utterance


__all__ = ["Command", "Commands", "Meaning"]

SIZE = KINDS.index("size")


class Meaning(NamedTuple):
    """An expression, to read and to run."""

    expression: Expression
    program: Program


@dataclass(frozen=True, eq=False)
class Command:
    """One text, and what it means if it can be read."""

    text: str
    utterance: Utterance | None
    error: str = ""

    @classmethod
    def of(cls, text: str) -> Command:
        """Read a text; a command that cannot be read keeps the reason."""
        try:
            utterance = read(text, any_order=True)
            compile_expression(utterance.expression, GRID)
        except DeixisError as error:
            return cls(text, None, str(error))
        if not utterance.instruction.verb:
            return cls(text, None, f"{text!r} has no verb")
        return cls(text, utterance)

    @property
    def is_read(self) -> bool:
        """Whether the text has a meaning."""
        return self.utterance is not None

    @cached_property
    def digest(self) -> int:
        """The digest of the words."""
        return text_digest(self.text)

    @property
    def expression(self) -> Expression:
        """What picks out the target."""
        return self._read.expression

    @cached_property
    def meaning(self) -> Meaning:
        """The expression with its program."""
        return _meaning(self.expression)

    @property
    def verb(self) -> Verb:
        """What is to be done."""
        return Verb(self._read.instruction.verb)

    @property
    def manner(self) -> Manner:
        """How it is to be done."""
        return Manner(self._read.instruction.manner)

    @cached_property
    def codes(self) -> tuple[int, int]:
        """Verb and manner in arrays."""
        return VERBS.index(self.verb), MANNERS.index(self.manner)

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
        """Whether it can be read in two ways."""
        return any(isinstance(part.step, Extreme) for part in self.parts)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its parts, in order."""
        return tuple(parts(self.expression))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of every part, as shares are broken down; nothing for a command that cannot be read.

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
        return self._read.determiners

    def words_of(self, part: Part) -> str:
        """The words that say a part."""
        return self._read.words_of(part.address)

    def misreading(self, code: int) -> Meaning | None:
        """What must fit the first object of a distractor set, or None where the code is no misreading of this command.

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
        """A clause, or a word by its attribute and by whether it is said of the target."""
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
    def _read(self) -> Utterance:
        if self.utterance is None:
            raise SchemaError(self.error)
        return self.utterance


class Commands:
    """All commands seen so far, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, Command] = {}

    def __getitem__(self, text: str) -> Command:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = Command.of(text)
        return known


def _meaning(expression: Expression) -> Meaning:
    return Meaning(expression, compile_expression(expression, GRID))


def _turned_round(phrase: Expression) -> Expression:
    for part in parts(phrase):
        if isinstance(part.step, Extreme):
            return replacing(phrase, part, Extreme(part.step.attribute, part.step.which.other))
    raise SchemaError(f"{phrase} has no size word")
