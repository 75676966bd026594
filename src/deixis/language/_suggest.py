"""Suggestions for a text that cannot be read: misspellings, missing words and other wordings.

Reading stays strict; this only says "did you mean". A text is mended from left to right, where reading stops, by the
first change after which reading gets past the place.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from deixis.errors import ParseError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Tokens = list[str]
    Change = tuple[int, int, Tokens]  # where, how many words go, what stands there instead

MOST_CHANGES = 8
NEAR = 0.7  # how alike two words must be: 'circel' and 'circle' have 0.83, 'grey' and 'green' 0.67
LONGEST_WORD = 24


def suggest(error: ParseError, wordings: Mapping[str, str], read: Callable[[str], object]) -> str:
    """Return the text with as many mistakes mended as possible, or an empty text if nothing helps.

    Args:
        error: why the text cannot be read.
        wordings: wordings that are not of the language, and what is said instead.
        read: reads a text; raises `ParseError`.
    """
    found = ""
    current: ParseError | None = error
    for _ in range(MOST_CHANGES):
        if current is None or not current.word:  # it ends too early: there is nothing to mend
            break
        changed = next(_better(current, wordings, read), None)
        if changed is None:
            break
        found, current = changed
    return found


def _better(
    error: ParseError, wordings: Mapping[str, str], read: Callable[[str], object]
) -> Iterator[tuple[str, ParseError | None]]:
    """The changed texts that are read beyond the change, each with where reading stops then."""
    tokens = error.text.split(" ")
    for start, count, instead in _changes(error, tokens, wordings):
        text = " ".join([*tokens[:start], *instead, *tokens[start + count :]])
        try:
            read(text)
        except ParseError as later:
            if later.position - 1 >= start + len(instead) + (0 if count else 1):
                yield text, later
        else:
            yield text, None


def _changes(error: ParseError, tokens: Tokens, wordings: Mapping[str, str]) -> Iterator[Change]:
    """What can be changed where reading stopped: another wording, a misspelt word, a word that was left out."""
    at = error.position - 1
    yield from usual_wordings(at, tokens, wordings)
    wanted = [phrase.split() for phrase in error.expected if not phrase.startswith("<")]
    near = [(_likeness(error.word, words[0]), words[0]) for words in wanted]
    for likeness, word in sorted(near, key=lambda pair: -pair[0]):
        if likeness >= NEAR:
            yield at, 1, [word]
    for words in wanted:
        yield at, 0, words


def usual_wordings(at: int, tokens: Tokens, wordings: Mapping[str, str]) -> Iterator[Change]:
    """Other wordings that begin shortly before a word, or at it, with what is said instead."""
    for phrase, usual in wordings.items():
        words = phrase.split()
        for start in range(max(0, at - len(words)), at + 1):
            if tokens[start : start + len(words)] == words:
                yield start, len(words), usual.split()


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; words of the same letters are almost the same."""
    if len(one) > LONGEST_WORD:
        return 0.0
    return 0.99 if sorted(one) == sorted(other) else SequenceMatcher(None, one, other).ratio()
