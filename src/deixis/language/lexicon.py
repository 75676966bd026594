"""The words for values, relations and manners, loaded from one small table per world and read in both directions."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Is
from deixis.schema import Which


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.steps import Step


__all__ = ["Lexicon", "lexicon"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicon:
    """The words of one controlled language.

    Attributes:
        slots: the attributes of a noun phrase in the order of their words; the last is said by the noun.
        top: the noun that says nothing, e.g. 'object'.
        words: for each attribute, what each word adds to a description.
        relations: what each relation phrase means.
        verbs, manners: surface phrase to name.
    """

    name: str
    determiners: tuple[str, ...]
    relative: str
    conjunction: str
    top: str
    slots: tuple[str, ...]
    words: Mapping[str, Mapping[str, Step]]
    relations: Mapping[str, str]
    verbs: Mapping[str, str]
    manners: Mapping[str, str]

    def word_for(self, step: Step) -> str:
        """The word that says a step."""
        word = _reversed(self).words.get(step)
        if word is None:
            raise UnknownName(f"the language {self.name!r} has no word for {Description((step,))}")
        return word

    def phrase_for(self, relation: str) -> str:
        """The words of a relation: 'in the same row as'."""
        return self._found(_reversed(self).relations, relation, "relation")

    def verb_phrase(self, verb: str) -> str:
        """The surface of a verb: 'walk to' for walk."""
        return self._found(_reversed(self).verbs, verb, "verb")

    def manner_phrase(self, manner: str) -> str:
        """The surface of a manner of acting."""
        return self._found(_reversed(self).manners, manner, "manner")

    def vocabulary(self) -> tuple[str, ...]:
        """Every word of the language, sorted."""
        fixed = (*self.determiners, self.relative, self.conjunction, self.top)
        tables = (*self.words.values(), self.relations, self.verbs, self.manners)
        phrases = (*fixed, *(phrase for table in tables for phrase in table))
        return tuple(sorted({word for phrase in phrases for word in phrase.split()}))

    def _found(self, phrases: Mapping[str, str], name: str, what: str) -> str:
        if name not in phrases:
            raise UnknownName(f"the language {self.name!r} has no {what} {name!r}; known: {', '.join(phrases)}")
        return phrases[name]


@cache
def lexicon(name: str = "reascan") -> Lexicon:
    """The lexicon of that name."""
    path = files("deixis.language") / "english" / f"{name}.toml"
    if not path.is_file():
        raise UnknownName(f"there is no lexicon {name!r}")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Lexicon(
        name=table["name"],
        determiners=tuple(table["determiners"]),
        relative=table["relative"],
        conjunction=table["conjunction"],
        top=table["top"],
        slots=tuple(table["phrase"]["slots"]),
        words={attribute: _meanings(attribute, words) for attribute, words in table["words"].items()},
        relations=table["relations"],
        verbs=table["verbs"],
        manners=table["manners"],
    )


class _Reversed(NamedTuple):
    """The tables of a lexicon from meaning to words."""

    words: dict[Step, str]
    relations: dict[str, str]
    verbs: dict[str, str]
    manners: dict[str, str]


@cache
def _reversed(lexicon: Lexicon) -> _Reversed:
    return _Reversed(
        words={step: word for table in lexicon.words.values() for word, step in table.items()},
        relations={name: phrase for phrase, name in lexicon.relations.items()},
        verbs={name: phrase for phrase, name in lexicon.verbs.items()},
        manners={name: phrase for phrase, name in lexicon.manners.items()},
    )


def _meanings(attribute: str, words: Mapping[str, str]) -> dict[str, Step]:
    return {word: _meaning(attribute, value) for word, value in words.items()}


def _meaning(attribute: str, value: str) -> Step:
    ends = {"least": Which.LEAST, "most": Which.MOST}
    return Extreme(attribute, ends[value]) if value in ends else Is(attribute, value)
