"""The words for values, relations and manners, loaded from one small table per world and read in both directions."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from deixis.errors import UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Is
from deixis.schema import Which


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.steps import Step


__all__ = ["Lexicon", "SchemaWords", "Words", "lexicon", "word_table"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicon:
    """The words of one controlled language.

    Attributes:
        slots: the attributes of a noun phrase in the order of their words; the last is said by the noun.
        top: the noun that says nothing, e.g. 'object'.
        words: for each attribute, what each word adds to a description.
        relations: what each relation phrase means.
        bare: likewise of relations that are said without `relative`: 'a circle next to a square'.
        verbs, manners: surface phrase to name.
        wordings: what people say instead of some phrases; it is not of the language, but can be told what is.
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
    wordings: Mapping[str, str] = field(default_factory=dict)
    bare: Mapping[str, str] = field(default_factory=dict)

    def word_for(self, step: Step) -> str:
        """The word that says a step."""
        word = _phrases_by_meaning(self).words.get(step)
        if word is None:
            raise UnknownName(f"the language {self.name!r} has no word for {Description((step,))}")
        return word

    def phrase_for(self, relation: str) -> str:
        """The words of a relation: 'in the same row as'."""
        return self._look_up(_phrases_by_meaning(self).relations, relation, "relation")

    def verb_phrase(self, verb: str) -> str:
        """The surface of a verb: 'walk to' for walk."""
        return self._look_up(_phrases_by_meaning(self).verbs, verb, "verb")

    def manner_phrase(self, manner: str) -> str:
        """The surface of a manner of acting."""
        return self._look_up(_phrases_by_meaning(self).manners, manner, "manner")

    def vocabulary(self) -> tuple[str, ...]:
        """Every word of the language, sorted, without the relations that are said without `relative`."""
        fixed = (*self.determiners, self.relative, self.conjunction, self.top)
        tables = (*self.words.values(), self.relations, self.verbs, self.manners)
        phrases = (*fixed, *(phrase for table in tables for phrase in table))
        return tuple(sorted({word for phrase in phrases for word in phrase.split()}))

    def _look_up(self, phrases: Mapping[str, str], name: str, what: str) -> str:
        if name not in phrases:
            raise UnknownName(f"the language {self.name!r} has no {what} {name!r}; known: {', '.join(phrases)}")
        return phrases[name]


class Words(Protocol):
    """The words that explanations need: those for relations and values, and the noun that says nothing."""

    @property
    def top(self) -> str:
        """The noun that says nothing."""

    def word_for(self, step: Step) -> str:
        """The word that says a step."""

    def phrase_for(self, relation: str) -> str:
        """The words of a relation."""


class SchemaWords:
    """Words for worlds without a lexicon: values and relations are called as the schema calls them."""

    top = "object"

    def word_for(self, step: Step) -> str:
        """The value, or the notation of a step that says none."""
        return step.value if isinstance(step, Is) else str(Description((step,)))[1:-1]

    def phrase_for(self, relation: str) -> str:
        """The name of the relation."""
        return relation


@cache
def word_table(package: str) -> Mapping[str, Any]:
    """Read the file `english.toml` of a package, or raise `UnknownName` if there is none."""
    try:
        text = (files(package) / "english.toml").read_text(encoding="utf-8")
    except (ModuleNotFoundError, OSError) as error:
        raise UnknownName(f"there is no lexicon {package!r}: a package with a file english.toml has one") from error
    table: dict[str, Any] = tomllib.loads(text)
    return table


@cache
def lexicon(package: str) -> Lexicon:
    """The lexicon of a package: its file `english.toml`."""
    table = word_table(package)
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
        wordings=table.get("wordings", {}),
        bare=table.get("bare", {}),
    )


class _PhrasesByMeaning(NamedTuple):
    """The tables of a lexicon from meaning to words."""

    words: dict[Step, str]
    relations: dict[str, str]
    verbs: dict[str, str]
    manners: dict[str, str]


@cache
def _phrases_by_meaning(lexicon: Lexicon) -> _PhrasesByMeaning:
    return _PhrasesByMeaning(
        words={step: word for table in lexicon.words.values() for word, step in table.items()},
        relations={name: phrase for phrase, name in (*lexicon.relations.items(), *lexicon.bare.items())},
        verbs={name: phrase for phrase, name in lexicon.verbs.items()},
        manners={name: phrase for phrase, name in lexicon.manners.items()},
    )


def _meanings(attribute: str, words: Mapping[str, str]) -> dict[str, Step]:
    return {word: _meaning(attribute, value) for word, value in words.items()}


def _meaning(attribute: str, value: str) -> Step:
    ends = {"least": Which.LEAST, "most": Which.MOST}
    return Extreme(attribute, ends[value]) if value in ends else Is(attribute, value)
