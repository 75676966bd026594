"""Words to meaning: the strict, exact inverse of `realise`.

Reading is one pass from left to right with a stack of open heads; an error names the word, its position and what could have stood there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Related, Step
from deixis.language.lexicon import Lexicon, lexicon
from deixis.language.utterance import Instruction, Utterance


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.language.utterance import Span


__all__ = ["parse", "parse_instruction", "read"]

MAX_WORDS = 400  # far beyond any real command; keeps hostile input from nesting too deep


def parse(text: str, *, words: Lexicon | None = None) -> Expression:
    """The expression that a noun phrase says: 'the red circle that is in the same row as a square'."""
    utterance = read(text, words=words)
    if utterance.instruction.verb or utterance.instruction.manner:
        first = utterance.text.split(" ")[0]
        raise ParseError(text=utterance.text, word=first, position=1, expected=("<a noun phrase without verb or manner>",))
    return utterance.expression


def parse_instruction(text: str, *, words: Lexicon | None = None) -> Instruction:
    """The instruction that a command says: 'push the red circle hesitantly'."""
    utterance = read(text, words=words)
    if not utterance.instruction.verb:
        first = (utterance.text.split(" ") or [""])[0]
        verbs = tuple((words or lexicon()).verbs)
        raise ParseError(text=utterance.text, word=first, position=1, expected=verbs)
    return utterance.instruction


def read(text: str, *, words: Lexicon | None = None, any_order: bool = False) -> Utterance:
    """Text with its meaning, determiners and spans; a verb and a manner are read where they stand.

    Args:
        text: words separated by spaces or, as in the released files, by commas.
        words: the language; ReaSCAN's by default.
        any_order: let adjectives stand in any order, as gSCAN does.
    """
    reader = _Reader(re.split(r"[\s,]+", text.strip(" \t\r\n,").lower()) if text.strip(" ,\n\r\t") else [], words or lexicon())
    return reader.utterance(any_order=any_order)


class _Head:
    """A mention whose clauses may still follow."""

    def __init__(self, steps: list[Step], address: Address) -> None:
        self.steps = steps
        self.address = address


class _Reader:
    """Reads words one after another."""

    def __init__(self, tokens: list[str], words: Lexicon) -> None:
        self.tokens = tokens
        self.lexicon = words
        self.at = 0
        self.determiners: list[str] = []
        self.spans: dict[Address, Span] = {}
        if len(tokens) > MAX_WORDS:
            raise ParseError(
                text=" ".join(tokens), word=tokens[MAX_WORDS], position=MAX_WORDS + 1, expected=(f"<at most {MAX_WORDS} words>",)
            )

    def utterance(self, *, any_order: bool) -> Utterance:
        verb = self.one_of(self.lexicon.verbs, needed=False)
        if not verb and self.tokens[:1] and self.tokens[0] not in self.lexicon.determiners:
            raise self.error((*self.lexicon.verbs, *self.lexicon.determiners))
        expression = self.description(any_order=any_order)
        manner = self.one_of(self.lexicon.manners, needed=False)
        if self.at < len(self.tokens):
            joining = (self.lexicon.relative, self.lexicon.conjunction) if expression.clauses else (self.lexicon.relative,)
            raise self.error((*joining, *self.lexicon.manners, "<the end>"))
        instruction = Instruction(
            self.lexicon.verbs[verb] if verb else "", expression, self.lexicon.manners[manner] if manner else ""
        )
        return Utterance(" ".join(self.tokens), instruction, tuple(self.determiners), self.spans)

    def description(self, *, any_order: bool) -> Expression:
        """A noun phrase with all its clauses."""
        newest = _Head(self.phrase((), any_order=any_order), ())
        heads = [newest]
        starts: list[int] = []
        parent: _Head | None = None
        while True:
            if self.take(self.lexicon.relative):
                parent = newest
            elif parent is None or not self.take(self.lexicon.conjunction):
                break
            while heads[-1] is not parent:  # what was said of earlier heads is complete
                self.close(heads, starts)
            starts.append(self.at)
            relation = self.lexicon.relations[self.one_of(self.lexicon.relations)]
            parent.steps.append(Related(relation, Description()))
            newest = _Head([], (*parent.address, len(parent.steps) - 1))
            newest.steps = self.phrase(newest.address, any_order=any_order)
            heads.append(newest)
        while len(heads) > 1:
            self.close(heads, starts)
        return Description(tuple(heads[0].steps))

    def close(self, heads: list[_Head], starts: list[int]) -> None:
        """Hang the innermost head, now complete, into the clause it belongs to."""
        done = heads.pop()
        clause = heads[-1].steps[done.address[-1]]
        assert isinstance(clause, Related)
        heads[-1].steps[done.address[-1]] = Related(clause.relation, Description(tuple(done.steps)))
        self.spans[done.address] = (starts.pop(), self.last_word)

    def phrase(self, address: Address, *, any_order: bool) -> list[Step]:
        start = self.at
        self.determiners.append(self.one_of(self.lexicon.determiners))
        found: dict[str, tuple[Step, Span]] = {}
        *adjectives, noun = self.lexicon.slots
        waiting = list(adjectives)
        while slot := self.next_adjective(waiting, any_order=any_order):
            found[slot] = (self.lexicon.words[slot][self.tokens[self.at]], (self.at, self.at + 1))
            self.at += 1
        if not self.take(self.lexicon.top):
            options = (*(w for slot in waiting for w in self.lexicon.words[slot]), *self.lexicon.words[noun], self.lexicon.top)
            word = self.one_of(self.lexicon.words[noun], expected=options)
            found[noun] = (self.lexicon.words[noun][word], (self.at - 1, self.at))
        self.last_word = self.at
        self.spans[(*address, -1)] = (start, self.at)
        return self.in_order(found, address)

    def next_adjective(self, waiting: list[str], *, any_order: bool) -> str | None:
        """The slot that the next word fills; slots before it can no longer be filled, unless any order will do."""
        word = self.tokens[self.at] if self.at < len(self.tokens) else ""
        for number, slot in enumerate(waiting):
            if word in self.lexicon.words[slot]:
                del waiting[number if any_order else 0 : number + 1]
                return slot
        return None

    def in_order(self, found: dict[str, tuple[Step, Span]], address: Address) -> list[Step]:
        """Steps in the order of meaning: the noun first, then values, then sizes, which compare what is left."""
        ordered = sorted(reversed(found.values()), key=lambda pair: isinstance(pair[0], Extreme))
        if self.lexicon.slots[-1] not in found:
            ordered = sorted(found.values(), key=lambda pair: isinstance(pair[0], Extreme))
        for index, (_, span) in enumerate(ordered):
            self.spans[(*address, index)] = span
        return [step for step, _ in ordered]

    def take(self, phrase: str) -> bool:
        """Step over a phrase if it comes next."""
        words = phrase.split()
        if self.tokens[self.at : self.at + len(words)] == words:
            self.at += len(words)
            return True
        return False

    def one_of(self, phrases: Iterable[str], *, needed: bool = True, expected: tuple[str, ...] = ()) -> str:
        """The phrase that comes next, the longest first; an error, or nothing, where none does."""
        for phrase in sorted(phrases, key=len, reverse=True):
            if self.take(phrase):
                return phrase
        if needed:
            raise self.error(expected or tuple(phrases))
        return ""

    def error(self, expected: tuple[str, ...]) -> ParseError:
        """The complaint about the word that could not be read: the first that differs from every phrase expected."""
        at = self.at
        agreed = max((_agreement(self.tokens[at:], phrase.split()) for phrase in expected), default=0)
        if agreed:
            wanted = [p.split()[agreed] for p in expected if _agreement(self.tokens[at:], p.split()) == agreed and len(p.split()) > agreed]
            at, expected = at + agreed, tuple(dict.fromkeys(wanted))
        word = self.tokens[at] if at < len(self.tokens) else ""
        return ParseError(text=" ".join(self.tokens), word=word, position=at + 1, expected=expected)


def _agreement(tokens: list[str], phrase: list[str]) -> int:
    """How many words of a phrase come next."""
    agreed = 0
    for token, word in zip(tokens, phrase, strict=False):
        if token != word:
            break
        agreed += 1
    return agreed
