"""Utterances: a text, its meaning, and the words that express each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address


__all__ = ["Instruction", "Span", "Utterance"]

Span = tuple[int, int]  # words from the first to before the second, counted from 0


@dataclass(frozen=True, slots=True)
class Instruction:
    """A request to do something with what an expression picks out: verb, expression, manner."""

    verb: str
    expression: Expression
    manner: str = ""


@dataclass(frozen=True, slots=True)
class Utterance:
    """Text with its meaning.

    Attributes:
        text: the words, separated by single spaces.
        instruction: what it means; the verb is empty when only a noun phrase was said.
        determiners: the determiner of every mention, in the order of the words.
        spans: for each part, by address, the words that say it; a clause spans its relation and everything below it.
            Mentions are listed too, under the address of their clause with a final -1: `(-1,)` is the whole noun phrase
            of the target.
    """

    text: str
    instruction: Instruction
    determiners: tuple[str, ...]
    spans: Mapping[Address, Span]

    @property
    def expression(self) -> Expression:
        """The expression alone."""
        return self.instruction.expression

    def words_of(self, address: Address) -> str:
        """The words that say the part at an address."""
        first, last = self.spans[address]
        return " ".join(self.text.split(" ")[first:last])
