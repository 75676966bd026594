"""Words to meaning: the strict, exact inverse of `realise`.

Reading is one pass from left to right with a stack of open heads; an error names the word, its position and what could
have stood there.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Related, Step
from deixis.language._suggest import suggest
from deixis.language.utterance import Instruction, Utterance


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.language.lexicon import Lexicon
    from deixis.language.utterance import Span


__all__ = ["parse", "parse_instruction", "read", "read_typed"]

MAX_WORDS = 400  # far beyond any real command; keeps hostile input from nesting too deep
MAX_LETTERS = 40  # what an error shows of a word
_END = re.compile(r"[\s,]*[.!?;:]+[\s,]*$")


def parse(text: str, *, words: Lexicon) -> Expression:
    """The expression that a noun phrase says: 'the red circle that is in the same row as a square'."""
    utterance = read_typed(text, words=words)
    if utterance.instruction.verb:
        raise _complaint(utterance.text, 0, words.determiners)
    if utterance.instruction.manner:
        manner = words.manner_phrase(utterance.instruction.manner).split()
        raise _complaint(utterance.text, -len(manner), (words.relative, "<the end>"))
    return utterance.expression


def parse_instruction(text: str, *, words: Lexicon) -> Instruction:
    """The instruction that a command says: 'push the red circle hesitantly'."""
    utterance = read_typed(text, words=words)
    if not utterance.instruction.verb:
        raise _complaint(utterance.text, 0, tuple(words.verbs))
    return utterance.instruction


def read(text: str, *, words: Lexicon, any_order: bool = False) -> Utterance:
    """Return text with its meaning, determiners and spans.

    A verb and a manner are read where they stand.

    Args:
        text: words separated by spaces or, as in the released files, by commas.
        words: the language.
        any_order: let adjectives stand in any order, as gSCAN does.
    """
    tokens = [token for token in re.split(r"[\s,]+", text.lower()) if token]
    if len(tokens) > MAX_WORDS:
        raise _complaint(" ".join(tokens), MAX_WORDS, (f"<at most {MAX_WORDS} words>",))
    return _Reader(tokens, words, any_order=any_order).utterance()


def read_typed(text: str, *, words: Lexicon, any_order: bool = False) -> Utterance:
    """As `read`, of what a person types: a full stop at the end is no word, and an error says what may have been meant.

    Raises:
        ParseError: with a suggestion where slips, left-out words or other wordings can be mended.
    """
    try:
        return read(_END.sub("", text), words=words, any_order=any_order)
    except ParseError as error:
        if error.position > MAX_WORDS:
            raise
        meant = suggest(error, words.wordings, lambda other: read(other, words=words, any_order=any_order))
        raise error.suggesting(meant) from None


class _Head:
    """A mention whose clauses may still follow."""

    def __init__(self, steps: list[Step], address: Address) -> None:
        self.steps = steps
        self.address = address


class _Reader:
    """Reads words one after another."""

    def __init__(self, tokens: list[str], words: Lexicon, *, any_order: bool) -> None:
        self.tokens = tokens
        self.lexicon = words
        self.any_order = any_order
        self.at = 0
        self.determiners: list[str] = []
        self.spans: dict[Address, Span] = {}

    def utterance(self) -> Utterance:
        words = self.lexicon
        verb = self.find(words.verbs)
        if not verb and self.next_word not in words.determiners:
            raise self.error((*words.verbs, *words.determiners))
        expression = self.description()
        manner = self.find(words.manners)
        if self.at < len(self.tokens):
            joining = (words.relative, words.conjunction) if expression.clauses else (words.relative,)
            raise self.error((*(() if manner else (*joining, *words.manners)), "<the end>"))
        instruction = Instruction(words.verbs.get(verb, ""), expression, words.manners.get(manner, ""))
        return Utterance(" ".join(self.tokens), instruction, tuple(self.determiners), self.spans)

    def description(self) -> Expression:
        """A noun phrase with all its clauses."""
        newest = _Head(self.phrase(()), ())
        heads = [newest]
        starts: list[int] = []
        parent: _Head | None = None
        while True:
            if self.comes_next(self.lexicon.bare) or self.take(self.lexicon.relative):
                parent = newest
            elif parent is None or not self.take(self.lexicon.conjunction):
                break
            while heads[-1] is not parent:  # what was said of earlier heads is complete
                self.close(heads, starts)
            starts.append(self.at)
            relation = self.relation()
            parent.steps.append(Related(relation, Description()))
            newest = _Head([], (*parent.address, len(parent.steps) - 1))
            newest.steps = self.phrase(newest.address)
            heads.append(newest)
        while len(heads) > 1:
            self.close(heads, starts)
        return Description(tuple(heads[0].steps))

    def relation(self) -> str:
        """The relation that comes next; one that needs no 'that is' may stand behind it all the same."""
        bare = self.find(self.lexicon.bare)
        return self.lexicon.bare[bare] if bare else self.lexicon.relations[self.one_of(self.lexicon.relations)]

    def close(self, heads: list[_Head], starts: list[int]) -> None:
        """Hang the innermost head, now complete, into the clause it belongs to."""
        done = heads.pop()
        clause = heads[-1].steps[done.address[-1]]
        assert isinstance(clause, Related)
        heads[-1].steps[done.address[-1]] = Related(clause.relation, Description(tuple(done.steps)))
        self.spans[done.address] = (starts.pop(), self.last_word)

    def phrase(self, address: Address) -> list[Step]:
        start = self.at
        self.determiners.append(self.one_of(self.lexicon.determiners))
        found: dict[str, tuple[Step, Span]] = {}
        *adjectives, noun = self.lexicon.slots
        waiting = list(adjectives)
        while slot := self.next_adjective(waiting):
            before = self.at
            word = self.one_of(self.lexicon.words[slot])
            found[slot] = (self.lexicon.words[slot][word], (before, self.at))
        if not self.take(self.lexicon.top):
            words = [word for slot in (*waiting, noun) for word in self.lexicon.words[slot]]
            word = self.one_of(self.lexicon.words[noun], expected=(*words, self.lexicon.top))
            found[noun] = (self.lexicon.words[noun][word], (self.at - 1, self.at))
        self.last_word = self.at
        self.spans[(*address, -1)] = (start, self.at)
        return self.in_order(found, address)

    @property
    def next_word(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next_adjective(self, waiting: list[str]) -> str | None:
        """The slot that the next word fills; slots before it can no longer be filled, unless any order will do."""
        for number, slot in enumerate(waiting):
            if self.comes_next(self.lexicon.words[slot]):
                del waiting[number if self.any_order else 0 : number + 1]
                return slot
        return None

    def in_order(self, found: dict[str, tuple[Step, Span]], address: Address) -> list[Step]:
        """Steps in the order of meaning: the noun first, then values, then sizes, which compare what is left."""
        noun_first = [found[slot] for slot in reversed(self.lexicon.slots) if slot in found]
        values = [pair for pair in noun_first if not isinstance(pair[0], Extreme)]
        ordered = values + [pair for pair in noun_first if isinstance(pair[0], Extreme)]
        for index, (_, span) in enumerate(ordered):
            self.spans[(*address, index)] = span
        return [step for step, _ in ordered]

    def take(self, phrase: str) -> bool:
        """Step over a phrase if it comes next."""
        words = _split(phrase)
        if self.tokens[self.at : self.at + len(words)] == words:
            self.at += len(words)
            return True
        return False

    def find(self, phrases: Iterable[str]) -> str:
        """The phrase that comes next, the longest if there are several, or nothing where there is none."""
        for phrase in _by_first_word(tuple(phrases)).get(self.next_word, ()):
            if self.take(phrase):
                return phrase
        return ""

    def comes_next(self, phrases: Iterable[str]) -> bool:
        """Whether one of the phrases comes next; nothing is stepped over."""
        here = self.at
        found = self.find(phrases)
        self.at = here
        return bool(found)

    def one_of(self, phrases: Iterable[str], *, expected: tuple[str, ...] = ()) -> str:
        """The phrase that comes next; an error where none does."""
        phrase = self.find(phrases)
        if not phrase:
            raise self.error(expected or tuple(phrases))
        return phrase

    def error(self, expected: tuple[str, ...]) -> ParseError:
        """The complaint about the word that could not be read: the first that differs from every phrase expected."""
        rest = self.tokens[self.at :]
        agreed = max(_agreement(rest, phrase) for phrase in expected)
        if agreed:
            begun = (_split(phrase)[agreed] for phrase in expected if _agreement(rest, phrase) == agreed)
            expected = tuple(dict.fromkeys(begun))
        return _complaint(" ".join(self.tokens), self.at + agreed, expected)


@cache
def _split(phrase: str) -> list[str]:
    return phrase.split()


@cache
def _by_first_word(phrases: tuple[str, ...]) -> dict[str, list[str]]:
    """The phrases under their first words, longer ones first."""
    table: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=lambda phrase: -len(_split(phrase))):
        table.setdefault(_split(phrase)[0], []).append(phrase)
    return table


def _agreement(tokens: list[str], phrase: str) -> int:
    """How many words of a phrase come next, if it is a phrase and not a description in angle brackets."""
    if phrase.startswith("<"):
        return 0
    differing = (number for number, pair in enumerate(zip(tokens, _split(phrase), strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(tokens), len(_split(phrase))))


def _complaint(text: str, at: int, expected: tuple[str, ...]) -> ParseError:
    """The error about a word, counted from 0, or from the end where negative."""
    tokens = text.split(" ") if text else []
    place = at % len(tokens) if at < 0 else at
    word = tokens[place] if place < len(tokens) else ""
    word = word if len(word) <= MAX_LETTERS else word[: MAX_LETTERS - 1] + "…"
    return ParseError(text=text, word=word, position=place + 1, expected=expected)
