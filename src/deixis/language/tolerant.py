"""The tolerant reader: what somebody meant who typed a text with slips, and what was changed to read it.

Datasets are read strictly. This reader is for people who type: the playground and `deixis explain`. It reads from left
to right, and where strict reading stops it makes the first of these changes with which reading gets further:

1. **punctuation** around a word goes;
2. **another spelling** of a known word, American or British: *grey*, *gray*;
3. **another wording**, where the language lists it: *go to* for *walk to*;
4. **a slip**: the word is not known, and exactly one known word is nearest to it, one edit away, or two edits where it
   has six letters or more (an edit is a letter too many, too few or wrong, or two exchanged);
5. **a word too many**: the same as the word before;
6. **a word that was left out**: a determiner, what opens a clause (*that is*), or the only word that could stand there.

Everything that was changed is told. A known word is never respelled, and a text of which any word remains unread is
refused with the word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import ParseError
from deixis.language._suggest import usual_wordings
from deixis.language.lexicon import Lexicon


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deixis.language.lexicon import Words
    from deixis.language.utterance import Utterance
    from deixis.schema import Schema


__all__ = ["TolerantReading", "WordChange", "read_tolerantly"]

MOST_CHANGES = 12
LONGEST_WORD = 24
LONG = 6  # letters of a word in which two slips are mended
SPELLINGS = (
    ("colour", "color"),
    ("coloured", "colored"),
    ("grey", "gray"),
    ("centre", "center"),
    ("aluminium", "aluminum"),
    ("metre", "meter"),
    ("woollen", "woolen"),
    ("matt", "matte"),
    ("doughnut", "donut"),
    ("pyjamas", "pajamas"),
    ("tyre", "tire"),
)
USUAL = (
    "a an the this that these those which who is are be has with without of in on at to by for from and or not no "
    "near next behind above below under over left right top bottom front back middle side first second third "
    "it its there here one other"
)
EDGE = re.compile(r"^[\W_]+|[\W_]+$")


class WordChange(NamedTuple):
    """Words that were read as others: what was said, empty where a word was put in, and what was read."""

    said: str
    read: str

    def __str__(self) -> str:
        if not self.said:
            return f"‘{self.read}’ was added"
        return f"‘{self.said}’ was read as ‘{self.read}’" if self.read else f"‘{self.said}’ was left out"


@dataclass(frozen=True, slots=True)
class TolerantReading:
    """A text that was read, perhaps with changes.

    Attributes:
        utterance: the text that was read, with its meaning.
        changes: what was changed, in the order of the changes; empty where the text was read as it was said.
    """

    utterance: Utterance
    changes: tuple[WordChange, ...] = ()

    @property
    def told(self) -> str:
        """The text that was read and what was changed, in words, or nothing where nothing was."""
        if not self.changes:
            return ""
        return f"‘{self.utterance.text}’ ({', '.join(map(str, self.changes))})"

    def as_dict(self) -> dict[str, Any]:
        """The text that was read and the changes as plain values."""
        return {"text": self.utterance.text, "changes": [change._asdict() for change in self.changes]}


def read_tolerantly(
    text: str, read: Callable[[str], Utterance], *, words: Words, schema: Schema | None = None
) -> TolerantReading:
    """Read a text, and what was meant where it has slips.

    Args:
        text: what was typed.
        read: reads a text strictly; raises `ParseError`.
        words: the words of the language.
        schema: what can be said of a scene; its values and relations are known words where the language has no lexicon.

    Raises:
        ParseError: about the first word that no change helps with, in the text as far as it was changed.

    Example:
        >>> from deixis.worlds.grid.language import LANGUAGE, WORDS
        >>> print(read_tolerantly("Push yelow circle!", LANGUAGE.read, words=WORDS).told)
        ‘push the yellow circle’ (‘the’ was added, ‘yelow’ was read as ‘yellow’)
    """
    changes: list[WordChange] = []
    tolerance = _Tolerance(read, words, schema)
    while True:
        try:
            return TolerantReading(read(text), tuple(changes))
        except ParseError as error:
            mended = tolerance.mend(error) if len(changes) < MOST_CHANGES else None
            if mended is None:
                raise
            text, change = mended
            if changes and change.said == changes[-1].read:  # a slip in another wording
                change = WordChange(changes.pop().said, change.read)
            changes.append(change)


class _Mending(NamedTuple):
    text: str
    change: WordChange


class _Edit(NamedTuple):
    """Words of a text, from the first on so many, and those that take their place."""

    start: int
    width: int
    instead: list[str]


class _Tolerance:
    """The changes that help at a word, with a reader and its words."""

    def __init__(self, read: Callable[[str], Utterance], words: Words, schema: Schema | None) -> None:
        self.read = read
        self.determiners: tuple[str, ...] = words.determiners if isinstance(words, Lexicon) else ()
        self.opening = words.relative if isinstance(words, Lexicon) else ""
        self.wordings: Mapping[str, str] = words.wordings if isinstance(words, Lexicon) else {}
        self.known = known_words(words, schema)

    def mend(self, error: ParseError, *, puts_in: bool = True) -> _Mending | None:
        """The first change with which reading gets beyond the changed words; None if there is none.

        Where a word is put in, reading must get beyond the word behind it, too, if need be by one more change.
        """
        tokens = error.text.split(" ")
        for start, width, instead in self._edits(error, tokens):
            if not width and not puts_in:
                continue
            text = " ".join([*tokens[:start], *instead, *tokens[start + width :]])
            later = self._error_in(text)
            read = len(tokens) + 2 if later is None else later.position - 1 - start - len(instead)
            if read >= (0 if width else 1) or (not width and later and self.mend(later, puts_in=False)):
                return _Mending(text, WordChange(" ".join(tokens[start : start + width]), " ".join(instead)))
        return None

    def _error_in(self, text: str) -> ParseError | None:
        try:
            self.read(text)
        except ParseError as error:
            return error
        return None

    def _edits(self, error: ParseError, tokens: list[str]) -> Iterator[_Edit]:
        at = error.position - 1
        word = tokens[at].lower() if at < len(tokens) else ""
        expected = [phrase for phrase in error.expected if not phrase.startswith("<")]
        known = self.known | {part for phrase in expected for part in phrase.split()}
        if word and (plain := EDGE.sub("", word)) != word:
            yield _Edit(at, 1, [plain] if plain else [])
        if word not in known:
            yield from (_Edit(at, 1, [other]) for other in _spellings(word) if other in known)
        yield from (_Edit(*change) for change in usual_wordings(at, tokens, self.wordings))
        if word not in known and (near := nearest_word(word, known)):
            yield _Edit(at, 1, [near])
        if word and at and word == tokens[at - 1].lower():
            yield _Edit(at, 1, [])
        for missing in self._missing(expected, tokens[:at]):
            yield _Edit(at, 0, missing.split())

    def _missing(self, expected: list[str], before: list[str]) -> Iterator[str]:
        """What may have been left out."""
        if self.determiners and set(self.determiners) <= set(expected):
            yield self.determiners[-1 if set(self.determiners) & set(before) else 0]
        elif self.opening and self.opening in expected:
            yield self.opening
        elif len(expected) == 1:
            yield expected[0]


def known_words(words: Words, schema: Schema | None = None) -> frozenset[str]:
    """The words of a lexicon, or those of a schema with the most usual words of English."""
    if isinstance(words, Lexicon):
        return frozenset((*words.vocabulary(), *" ".join(words.bare).split()))
    if schema is None:
        return frozenset(USUAL.split())
    values = (value for attribute in schema.attributes for value in attribute.values)
    phrases = (*values, *(relation.name for relation in schema.relations))
    return frozenset((*USUAL.split(), *" ".join(phrases).split()))


def nearest_word(word: str, known: frozenset[str]) -> str:
    """The only known word that is nearest to a word, or nothing where there is none within reach, or several."""
    if not word.isalpha() or not 3 <= len(word) <= LONGEST_WORD:
        return ""
    by_slips: dict[int, list[str]] = {}
    for other in known:
        if other[:1].isalpha() and abs(len(other) - len(word)) <= 2:
            by_slips.setdefault(slips(word, other), []).append(other)
    most = 2 if len(word) >= LONG else 1
    least = min(by_slips, default=most + 1)
    return by_slips[least][0] if least <= most and len(by_slips[least]) == 1 else ""


def slips(one: str, other: str) -> int:
    """The number of edits between two words: a letter too many, too few or wrong, or two exchanged."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        following = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1]


def _spellings(word: str) -> Iterator[str]:
    """The same word as others spell it."""
    for british, american in SPELLINGS:
        if word in (british, american):
            yield american if word == british else british
