"""The words for values, relations and manners, loaded from one small table per world and read in both directions."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.errors import UnknownName
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
        for table in self.words.values():
            for word, meaning in table.items():
                if meaning == step:
                    return word
        raise UnknownName(f"the language {self.name!r} has no word for {step}")

    def phrase_for(self, relation: str) -> str:
        """The words of a relation: 'in the same row as'."""
        return _key(self.relations, relation, "relation", self.name)

    def verb_phrase(self, verb: str) -> str:
        """The surface of a verb: 'walk to' for walk."""
        return _key(self.verbs, verb, "verb", self.name)

    def manner_phrase(self, manner: str) -> str:
        """The surface of a manner of acting."""
        return _key(self.manners, manner, "manner", self.name)

    def vocabulary(self) -> tuple[str, ...]:
        """Every word of the language, sorted."""
        phrases = (*self.determiners, self.relative, self.conjunction, self.top, *self.relations, *self.verbs, *self.manners)
        tables = (word for table in self.words.values() for word in table)
        return tuple(sorted({word for phrase in (*phrases, *tables) for word in phrase.split()}))


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


def _meanings(attribute: str, words: Mapping[str, str]) -> dict[str, Step]:
    ends = {"least": Which.LEAST, "most": Which.MOST}
    return {
        word: Extreme(attribute, ends[value]) if value in ends else Is(attribute, value) for word, value in words.items()
    }


def _key(table: Mapping[str, str], value: str, what: str, language: str) -> str:
    for key, held in table.items():
        if held == value:
            return key
    raise UnknownName(f"the language {language!r} has no {what} {value!r}; known: {', '.join(table.values())}")
