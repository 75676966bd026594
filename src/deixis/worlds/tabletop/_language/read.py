"""Words to meaning: the inverse of `say`, which also knows other words for the same.

Reading is one pass from left to right; an error names the word, its position and what could have stood there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.language._suggest import suggest
from deixis.language.utterance import Instruction, Utterance
from deixis.worlds.tabletop._language.words import (
    DETERMINERS,
    ENDS,
    FROM,
    LEXICON,
    MIDDLE,
    NOUNS,
    OPENINGS,
    ORDINALS,
    OTHER_RELATIONS,
    RELATIONS,
    STEPS_ORDER,
    SYNONYMS,
    THAT_IS,
    TOP,
    VALUES,
)
from deixis.worlds.tabletop._schema import SPATIAL


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span


MAX_WORDS = 200
MAX_LETTERS = 40  # what an error shows of a word
MEANINGS: dict[str, str] = {**RELATIONS, **OTHER_RELATIONS}
RANK_WORDS = {word: Nth(1, side) for side, word in ENDS.items()} | {MIDDLE: Nth(1, MIDDLE)}  # type: ignore[arg-type]
TAILS = {f"from the {word}": side for side, word in FROM.items()}
_END = re.compile(r"[\s,]*[.!?;:]+[\s,]*$")


def read(text: str) -> Utterance:
    """Return a text with its meaning and the words that say each part.

    Raises:
        ParseError: with a suggestion where slips, left-out words or other wordings can be mended.
    """
    try:
        return _read(_END.sub("", text))
    except ParseError as error:
        if error.position > MAX_WORDS:
            raise
        raise error.suggesting(suggest(error, LEXICON.wordings, _read)) from None


def _read(text: str) -> Utterance:
    tokens = [token for token in re.split(r"[\s,]+", text.lower()) if token]
    reader = _Reader(tokens)
    if len(tokens) > MAX_WORDS:
        reader.at = MAX_WORDS
        raise reader.error((f"<at most {MAX_WORDS} words>",))
    return reader.utterance()


class _Reader:
    """Reads words one after another."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.plain = [SYNONYMS.get(token, token) for token in tokens]
        self.at = 0
        self.determiners: list[str] = []
        self.spans: dict[Address, Span] = {}

    def utterance(self) -> Utterance:
        expression = self.description(())
        if self.at < len(self.tokens):
            raise self.error((*(("and",) if self.has_clauses(expression) else (THAT_IS, *SPATIAL)), "<the end>"))
        return Utterance(" ".join(self.tokens), Instruction("", expression), tuple(self.determiners), self.spans)

    def has_clauses(self, expression: Description) -> bool:
        return any(isinstance(step, Related | Not | AnyOf) for step in expression.steps)

    def description(self, at: Address) -> Description:
        """A noun phrase with its clauses."""
        steps = self.phrase(at)
        if self.find(OPENINGS) or self.comes_next(MEANINGS):
            steps.append(self.predicate((*at, len(steps))))
            while self.find(("and",)):
                self.find(OPENINGS)
                steps.append(self.predicate((*at, len(steps))))
        return Description(tuple(steps))

    def phrase(self, at: Address) -> list[Step]:
        start = self.at
        self.determiners.append(self.one_of(DETERMINERS))
        rank, rank_span, rank_tail = None, (self.at, self.at + 1), 0
        word = self.find((*RANK_WORDS, *ORDINALS))
        if word in RANK_WORDS:
            rank = RANK_WORDS[word]
        found: dict[str, tuple[Is, Span]] = {}
        open_words = dict(VALUES)
        while value := self.find(open_words):
            step = VALUES[value]
            found[step.attribute] = step, (self.at - 1, self.at)
            open_words = {word: one for word, one in open_words.items() if one.attribute != step.attribute}
        expected = (*(() if word or found else (*RANK_WORDS, *ORDINALS)), *open_words, *NOUNS, TOP)
        noun = self.one_of((*NOUNS, TOP), expected=expected)
        if noun != TOP:
            found["shape"] = Is("shape", NOUNS[noun]), (self.at - 1, self.at)
        if word in ORDINALS:
            rank_tail = self.at
            side = TAILS[self.one_of(TAILS)]
            rank = Nth(ORDINALS.index(word) + 1, side)
        steps: list[Step] = []
        for attribute in STEPS_ORDER:
            if attribute in found:
                step, self.spans[(*at, len(steps))] = found[attribute]
                steps.append(step)
        if rank is not None:
            self.spans[(*at, len(steps))] = rank_span
            if word in ORDINALS:
                self.spans[(*at, len(steps), -2)] = (rank_tail, self.at)
            steps.append(rank)
        self.spans[(*at, -1)] = (start, self.at)
        return steps

    def predicate(self, at: Address) -> Step:
        """What follows 'is'."""
        start = self.at
        step: Step
        if self.find(("not",)):
            if self.find(("either",)):
                step = Not(self.alternatives((*at, 0), "or", start))
            else:
                step = Not(self.simple_predicate((*at, 0), ()))
        elif self.find(("neither",)):
            step = Not(self.alternatives((*at, 0), "nor", start))
        elif self.find(("either",)):
            step = self.alternatives(at, "or", start)
        else:
            step = self.simple_predicate(at, ("not", "neither", "either"))
        self.spans[at] = (start, self.at)
        return step

    def alternatives(self, at: Address, between: str, start: int) -> AnyOf:
        steps = [self.simple_predicate((*at, 0), ())]
        self.one_of((between,))
        steps.append(self.simple_predicate((*at, 1), ()))
        while self.find((between,)):
            steps.append(self.simple_predicate((*at, len(steps)), ()))
        self.spans[at] = (start, self.at)
        return AnyOf(tuple(steps))

    def simple_predicate(self, at: Address, also: tuple[str, ...]) -> Step:
        """A relation with what it relates to, or a value."""
        start = self.at
        step: Step
        if relation := self.find(MEANINGS):
            step = Related(MEANINGS[relation], self.description(at))
        elif value := self.find(VALUES):
            step = VALUES[value]
        elif self.find(("a", "an")):
            step = Is("shape", NOUNS[self.one_of(NOUNS)])
        else:
            raise self.error((*RELATIONS, *VALUES, "a", *also))
        self.spans[at] = (start, self.at)
        return step

    def find(self, phrases: Iterable[str]) -> str:
        """The longest phrase that comes next, which is stepped over, or nothing where there is none."""
        found = max((phrase for phrase in phrases if self.agrees(phrase)), key=len, default="")
        self.at += len(found.split())
        return found

    def comes_next(self, phrases: Iterable[str]) -> bool:
        return any(map(self.agrees, phrases))

    def agrees(self, phrase: str) -> bool:
        words = phrase.split()
        return words in (self.tokens[self.at : self.at + len(words)], self.plain[self.at : self.at + len(words)])

    def one_of(self, phrases: Iterable[str], *, expected: tuple[str, ...] = ()) -> str:
        """The phrase that comes next; an error where none does."""
        if found := self.find(phrases):
            return found
        raise self.error(expected or tuple(phrases))

    def error(self, expected: tuple[str, ...]) -> ParseError:
        """The complaint about the first word that differs from every phrase expected."""
        agreed = max((self.agreement(phrase) for phrase in expected), default=0)
        begun = (phrase for phrase in expected if self.agreement(phrase) == agreed)
        wanted = tuple(dict.fromkeys(phrase if phrase.startswith("<") else phrase.split()[agreed] for phrase in begun))
        place = self.at + agreed
        word = self.tokens[place] if place < len(self.tokens) else ""
        word = word if len(word) <= MAX_LETTERS else word[: MAX_LETTERS - 1] + "…"
        return ParseError(text=" ".join(self.tokens), word=word, position=place + 1, expected=wanted)

    def agreement(self, phrase: str) -> int:
        """How many words of a phrase come next."""
        if phrase.startswith("<"):
            return 0
        words = phrase.split()
        pairs = zip(words, self.plain[self.at :], strict=False)
        differing = (number for number, (one, other) in enumerate(pairs) if one != other)
        return min(next(differing, len(words)), len(self.tokens) - self.at, len(words) - 1)
