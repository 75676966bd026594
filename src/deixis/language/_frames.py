"""Sentences with gaps: another way to say expressions and to read them, for languages that are a list of frames.

A frame is a sentence in which some places are left open, each for one attribute:

    {a} {scale} {object_hue} {shape} in front of {a} {wall_hue} wall

What fills a gap is a phrase for a value. `{a}` is the indefinite article that agrees with the next word. Reading is the
exact inverse of saying; an error names the word and what could have stood there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import ParseError, SchemaError, UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.language.lexicon import word_table


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.language.utterance import Span


ARTICLE = "{a}"
MAX_WORDS = 400  # far beyond any real sentence
MAX_LETTERS = 40  # what an error shows of a word
END = "<the end>"


class Frame(NamedTuple):
    """A sentence with gaps: its text, and the attributes named by the gaps in the order of the words."""

    text: str
    features: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Frame:
        """The frame of a text."""
        return cls(text, tuple(name for name in re.findall(r"\{(\w+)\}", text) if name != ARTICLE[1:-1]))

    @property
    def pieces(self) -> tuple[str, ...]:
        """Its words and gaps, one after another."""
        return tuple(self.text.split())


@dataclass(frozen=True, slots=True)
class Caption:
    """A sentence with its meaning.

    Attributes:
        text: the words, separated by single spaces.
        expression: what it says, its steps in the order of the grammar's attributes.
        grammar: the name of the grammar.
        number: which of its frames this is.
        spans: for each part, by address, the words that say it.
    """

    text: str
    expression: Expression
    grammar: str
    number: int
    spans: Mapping[Address, Span]

    def words_of(self, address: Address) -> str:
        """The words that say the part at an address."""
        first, last = self.spans[address]
        return " ".join(self.text.split(" ")[first:last])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameGrammar:
    """A list of frames and the phrases that fill their gaps.

    Attributes:
        name: what the grammar is called.
        frames: its sentences with gaps.
        phrases: for each attribute and each of its values the phrases that say it, the usual one first.
    """

    name: str
    frames: tuple[Frame, ...]
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]]

    def frame(self, number: int) -> Frame:
        """The frame of that number."""
        if type(number) is not int or not 0 <= number < len(self.frames):
            raise SchemaError(f"{self.name} captions are numbered from 0 to {len(self.frames) - 1}, got {number!r}")
        return self.frames[number]

    def fill(self, number: int, said: Mapping[str, str]) -> str:
        """A frame with phrases in its gaps, one for each attribute that it names."""
        pieces = self.frame(number).pieces
        return " ".join(_with_articles([said[piece[1:-1]] if _is_gap(piece) else piece for piece in pieces]))

    def realise(
        self, expression: Expression, number: int | None = None, *, choices: Mapping[str, int] | None = None
    ) -> Caption:
        """The sentence that says an expression.

        Args:
            expression: values of attributes, each said once, in any order.
            number: the frame; by default the first that names just these attributes.
            choices: which phrase to use for an attribute where there are several; the usual one by default.
        """
        values = self._values(expression)
        number = self._fitting(frozenset(values)) if number is None else number
        frame = self.frame(number)
        if frozenset(frame.features) != frozenset(values):
            raise SchemaError(
                f"caption {number} of {self.name} names {', '.join(frame.features)}, "
                f"but the expression says {', '.join(values) or 'nothing'}"
            )
        order = [attribute for attribute in self.phrases if attribute in values]
        words: list[str] = []
        spans: dict[Address, Span] = {}
        for piece in frame.pieces:
            start = len(words)
            if not _is_gap(piece):
                words.append(piece)
                continue
            name = piece[1:-1]
            options = self._options(name, values[name])
            words.extend(options[(choices or {}).get(name, 0) % len(options)].split())
            spans[order.index(name),] = (start, len(words))
        meaning = Description(tuple(Is(name, values[name]) for name in order))
        return Caption(" ".join(_with_articles(words)), meaning, self.name, number, spans)

    def parse(self, text: str) -> Caption:
        """Return the meaning of a sentence of this grammar.

        Capitals and a full stop at the end do not matter.

        Raises:
            ParseError: at the first word that no frame can go on with.
        """
        reader = _Reader(self, text)
        found = next(reader.readings(), None)
        if found is None:
            raise reader.error()
        return found

    def readings(self, text: str) -> tuple[Caption, ...]:
        """Return every meaning of a sentence, or nothing if it cannot be read."""
        return tuple(_Reader(self, text).readings())

    def _fitting(self, attributes: frozenset[str]) -> int:
        for number, frame in enumerate(self.frames):
            if frozenset(frame.features) == attributes:
                return number
        raise SchemaError(f"no caption of {self.name} says just {', '.join(sorted(attributes)) or 'nothing'}")

    def _options(self, attribute: str, value: str) -> tuple[str, ...]:
        options = self.phrases[attribute].get(value)
        if not options:
            raise UnknownName(f"{self.name} captions have no words for the {attribute} {value!r}")
        return options

    def _values(self, expression: Expression) -> dict[str, str]:
        values: dict[str, str] = {}
        for step in expression.steps:
            if not isinstance(step, Is) or step.attribute not in self.phrases:
                raise SchemaError(f"{self.name} captions cannot say {Description((step,))}")
            if step.attribute in values:
                raise SchemaError(f"a caption says {step.attribute} once, not twice")
            values[step.attribute] = step.value
        return values


_LOWER = {place: chr(place).lower() for place in range(128) if chr(place).isalnum()}
_BREAKS = dict.fromkeys([p for p in range(128) if not chr(p).isalnum()] + [0xA0, *range(0x2010, 0x201A)], " ")
_PLAIN = str.maketrans({**_LOWER, **_BREAKS})


def plain_words(text: str) -> str:
    """A text of the same length in lower case, with a space for everything that is neither a letter nor a digit."""
    return text.translate(_PLAIN)


def article(word: str) -> str:
    """The indefinite article before a word: 'an' before a vowel, which is enough for the words of our lexicons."""
    return "an" if word[:1] in tuple("aeiou") else "a"


@cache
def synonyms(package: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The other ways to say values that a lexicon lists: for each kind of attribute, for each value, the phrases."""
    tables = word_table(package).get("synonyms", {})
    return {kind: {value: tuple(some) for value, some in table.items()} for kind, table in tables.items()}


def _is_gap(piece: str) -> bool:
    return piece[0] == "{" and piece != ARTICLE


def _with_articles(words: list[str]) -> list[str]:
    """The words with every article agreeing with what follows it."""
    following = [*words[1:], ""]
    return [article(after) if word == ARTICLE else word for word, after in zip(words, following, strict=True)]


@dataclass(slots=True)
class _Node:
    """A place in the tree of all frames: what can come next, and the frame that may end here."""

    words: dict[str, _Node] = field(default_factory=dict)
    gaps: dict[str, _Node] = field(default_factory=dict)
    number: int | None = None


class _Phrase(NamedTuple):
    """A phrase in tokens, and the value that it says."""

    tokens: tuple[str, ...]
    value: str


class _FilledGap(NamedTuple):
    """A gap of a frame with its value and the tokens that fill it."""

    attribute: str
    value: str
    start: int
    end: int


@cache
def _tree(grammar: FrameGrammar) -> _Node:
    """All frames of a grammar with their common beginnings laid together."""
    root = _Node()
    for number, frame in enumerate(grammar.frames):
        node = root
        for piece in frame.pieces:
            if _is_gap(piece):
                node = node.gaps.setdefault(piece[1:-1], _Node())
            else:
                node = node.words.setdefault(piece, _Node())
        if node.number is None:
            node.number = number
    return root


@cache
def _phrases(grammar: FrameGrammar) -> dict[str, tuple[_Phrase, ...]]:
    """The phrases of every attribute, longer ones first."""
    tables: dict[str, tuple[_Phrase, ...]] = {}
    for attribute, values in grammar.phrases.items():
        some = [_Phrase(tuple(_tokens(phrase)), value) for value, options in values.items() for phrase in options]
        tables[attribute] = tuple(sorted(some, key=lambda phrase: -len(phrase.tokens)))
    return tables


def _tokens(text: str) -> list[str]:
    return text.replace("-", " ").split(" ")


class _Reader:
    """Reads one sentence by walking down the tree of frames; a hyphen counts as a space."""

    def __init__(self, grammar: FrameGrammar, text: str) -> None:
        self.grammar = grammar
        self.words = text.lower().strip().removesuffix(".").split()
        self.text = " ".join(self.words)
        self.tokens: list[str] = []
        self.owners: list[int] = []  # for each token the word that it belongs to
        for number, word in enumerate(self.words[: MAX_WORDS + 1]):
            for token in _tokens(word):
                self.tokens.append(token)
                self.owners.append(number)
        self.furthest = 0
        self.expected: dict[str, None] = {}

    def readings(self) -> Iterator[Caption]:
        if len(self.words) <= MAX_WORDS:
            for number, found in self.walk(_tree(self.grammar), 0):
                yield self.caption(number, found)

    def walk(self, node: _Node, at: int) -> Iterator[tuple[int, tuple[_FilledGap, ...]]]:
        """Every way to read the rest, as the number of the frame and what fills its gaps."""
        token = self.tokens[at] if at < len(self.tokens) else ""
        for word, after in node.words.items():
            wanted = article(self.tokens[at + 1] if at + 1 < len(self.tokens) else "") if word == ARTICLE else word
            if token == wanted:
                yield from self.walk(after, at + 1)
            else:
                self.miss(at, wanted)
        for attribute, after in node.gaps.items():
            for phrase in _phrases(self.grammar)[attribute]:
                end = at + len(phrase.tokens)
                if token == phrase.tokens[0] and tuple(self.tokens[at:end]) == phrase.tokens:
                    filled = _FilledGap(attribute, phrase.value, at, end)
                    yield from ((number, (filled, *found)) for number, found in self.walk(after, end))
                else:
                    agreed = _agreement(self.tokens[at:end], phrase.tokens)
                    self.miss(at + agreed, phrase.tokens[agreed])
        if node.number is not None:
            if at == len(self.tokens):
                yield node.number, ()
            else:
                self.miss(at, END)

    def miss(self, at: int, wanted: str) -> None:
        """Remember what could have stood at a place, of the places furthest on."""
        if at > self.furthest:
            self.furthest, self.expected = at, {}
        if at == self.furthest:
            self.expected[wanted] = None

    def caption(self, number: int, found: tuple[_FilledGap, ...]) -> Caption:
        order = list(self.grammar.phrases)
        in_order = sorted(found, key=lambda filled: order.index(filled.attribute))
        spans: dict[Address, Span] = {
            (i,): (self.owners[f.start], self.owners[f.end - 1] + 1) for i, f in enumerate(in_order)
        }
        meaning = Description(tuple(Is(filled.attribute, filled.value) for filled in in_order))
        return Caption(self.text, meaning, self.grammar.name, number, spans)

    def error(self) -> ParseError:
        """The complaint about the first word that no frame can go on with."""
        place = self.owners[self.furthest] if self.furthest < len(self.owners) else len(self.words)
        expected = tuple(self.expected)
        if len(self.words) > MAX_WORDS:
            place, expected = MAX_WORDS, (f"<at most {MAX_WORDS} words>",)
        word = self.words[place] if place < len(self.words) else ""
        word = word if len(word) <= MAX_LETTERS else word[: MAX_LETTERS - 1] + "…"
        return ParseError(text=self.text, word=word, position=place + 1, expected=expected)


def _agreement(tokens: list[str], phrase: tuple[str, ...]) -> int:
    """With how many of its tokens a phrase that does not fit agrees; never with all."""
    pairs = enumerate(zip(tokens, phrase, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(tokens), len(phrase) - 1))
