"""Errors, named for the mistake in the field rather than in the code.

Every error that a user can cause is a `DeixisError`; its message says what was asked, what was found and
what to do. The command line prints the message as one line and leaves with exit code 2.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = [
    "AmbiguousExpression",
    "BrokenCheckpoint",
    "BrokenDataset",
    "DeixisError",
    "DivergedTraining",
    "LeakySplit",
    "MissingPart",
    "ParseError",
    "RecipeError",
    "SchemaError",
    "UnknownName",
    "UnsatisfiablePattern",
    "nearest",
]


class DeixisError(Exception):
    """A mistake that a user can mend, with a message that says how."""


class SchemaError(DeixisError, ValueError):
    """A scene, expression or lexicon says something its schema has no name for."""


class UnknownName(DeixisError, KeyError):
    """A name that no registry, lexicon or folder knows."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class AmbiguousExpression(DeixisError, ValueError):
    """An expression that fits no object, or several, where exactly one was asked for."""


class UnsatisfiablePattern(DeixisError, ValueError):
    """A pattern of noun phrases and relations that no scene of the schema can satisfy."""


class LeakySplit(DeixisError, ValueError):
    """Held-out material on the training side."""


class MissingPart(DeixisError, LookupError):
    """A world lacks what a verb needs of it."""


class RecipeError(DeixisError, ValueError):
    """A recipe that asks for something impossible or contradicts what is already on disk."""


class BrokenDataset(DeixisError, ValueError):
    """A file or folder that is not what its name or its manifest says."""


class BrokenCheckpoint(DeixisError, ValueError):
    """A file that does not hold the weights of a model, or those of another one than is asked for."""


class DivergedTraining(DeixisError, ArithmeticError):
    """A loss or a weight that is no longer a number."""


class ParseError(DeixisError, ValueError):
    """Text that the grammar cannot read.

    Attributes:
        text: the whole text.
        word: the word at which reading stopped, empty at the end of the text.
        position: the number of that word, counted from 1.
        expected: what could have stood there.
        suggestion: a text that may have been meant instead; empty where none comes to mind.
    """

    def __init__(self, *, text: str, word: str, position: int, expected: tuple[str, ...], suggestion: str = "") -> None:
        self.text, self.word, self.position, self.expected = text, word, position, expected
        self.suggestion = suggestion
        found = f"unexpected word {word!r}" if word else "the text ends"
        wanted = f"; expected {_alternatives(expected)}" if expected else ""
        wanted = f"; did you mean {_shorten(suggestion)!r}?" if suggestion else wanted
        super().__init__(f"{found} at word {position} of {_shorten(text)!r}{wanted}")

    def suggesting(self, text: str) -> ParseError:
        """The same complaint with what may have been meant."""
        return ParseError(
            text=self.text, word=self.word, position=self.position, expected=self.expected, suggestion=text
        )


def _alternatives(names: tuple[str, ...]) -> str:
    quoted = [repr(name) if not name.startswith("<") else name[1:-1] for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]


def _shorten(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a complaint about an unknown name: the nearest known name, or all of them."""
    known = list(known)
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known) or 'none'}"
