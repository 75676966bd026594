"""Which words can stand where: relations after 'that is', adjectives before the noun, names that are no things.

The table is `english/copsref.toml`. Everything can be said and read; what the table decides is which word order is
English, and which words an engine had better not choose ('the here man that is and the lot').
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["RANKS", "Verb", "Words", "words_of_photographs"]

RANKS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"),
    *("nineteenth", "twentieth"),
)


class Verb(NamedTuple):
    """A finite verb that says a relation: 'has', and 'have' after 'does not' and after plurals."""

    third: str
    base: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
    """The words of expressions about photographs, by the places where they can stand.

    Attributes:
        bare: relations said straight after the noun.
        verbs: relations said by a finite verb.
        indefinite: relations to one of several: 'that has a wheel'.
        unsaid_relations, unsaid_names: never chosen.
        prepositions, participles, inside, ends, transitive: what relations after 'that is' are built of.
        adjectives, modifiers, phrases: attributes that stand on both sides, before the noun, or after 'that is'.
        things: names that are things though an adjective opens them.
        said_attributes, said_names: plainer English.
        plurals, mass, persons: names of several, of stuff, and of people.
        name_synonyms, attribute_synonyms: other words.
    """

    bare: frozenset[str]
    verbs: Mapping[str, Verb]
    indefinite: frozenset[str]
    unsaid_relations: frozenset[str]
    prepositions: frozenset[str]
    participles: frozenset[str]
    inside: frozenset[str]
    ends: frozenset[str]
    transitive: frozenset[str]
    adjectives: frozenset[str]
    modifiers: frozenset[str]
    phrases: frozenset[str]
    said_attributes: Mapping[str, str]
    things: frozenset[str]
    unsaid_names: frozenset[str]
    plurals: frozenset[str]
    mass: frozenset[str]
    persons: frozenset[str]
    said_names: Mapping[str, str]
    name_synonyms: Mapping[str, tuple[str, ...]]
    attribute_synonyms: Mapping[str, tuple[str, ...]]

    def can_follow_that_is(self, relation: str) -> bool:
        """Whether 'that is', the relation and a noun phrase make English: 'sitting on', but not 'sitting'."""
        if relation in self.bare or relation in self.unsaid_relations or relation in self.verbs:
            return False
        if relation in self.prepositions or relation in self.transitive:
            return True
        first, *rest = relation.split() or [""]
        if not rest:
            return False
        begins = first in self.prepositions or first in self.participles or _is_doing(first)
        return begins and rest[-1] in self.ends and all(w in self.inside or w in self.ends for w in rest[:-1])

    def can_be_chosen(self, relation: str) -> bool:
        """Whether an English clause can be made of the relation at all."""
        return relation in self.bare or relation in self.verbs or self.can_follow_that_is(relation)

    def is_doing(self, relation: str) -> bool:
        """Whether the relation is an activity, before which 'that is' can be dropped: 'the girl touching the ball'."""
        return _is_doing(relation.partition(" ")[0]) and relation not in self.prepositions

    def can_stand_before(self, attribute: str) -> bool:
        """Whether the attribute is known to make English before a noun."""
        return attribute in self.adjectives or attribute in self.modifiers

    def can_stand_after(self, attribute: str) -> bool:
        """Whether the attribute is known to make English after 'that is'."""
        return attribute in self.adjectives or attribute in self.phrases

    def can_be_counted(self, name: str) -> bool:
        """Whether there can be a second one: not of grass, and not of people."""
        return name not in self.mass and name not in self.plurals

    def is_a_thing(self, name: str) -> bool:
        """Whether a name can be told from other words: letters only, no adjective first, and not 'area' or 'lot'."""
        if name in self.things:
            return True
        first = name.partition(" ")[0]
        if name in self.unsaid_names or name in self.adjectives or first in self.adjectives or len(name) < 2:
            return False
        if any(name in others for others in self.attribute_synonyms.values()):
            return False
        return all(word.replace("-", "").isalpha() and word.isascii() for word in name.split())


@cache
def words_of_photographs() -> Words:
    """The words that Cops-Ref and its sources use."""
    path = files("deixis.language") / "english" / "copsref.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    relations, attributes, nouns = table["relations"], table["attributes"], table["nouns"]
    grammar = relations["grammar"]
    return Words(
        bare=frozenset(relations["bare"]),
        verbs={relation: Verb(*forms) for relation, forms in relations["verbs"].items()},
        indefinite=frozenset(relations["indefinite"]),
        unsaid_relations=_listed(relations["unsaid"]),
        prepositions=_listed(grammar["prepositions"]),
        participles=_listed(grammar["participles"]),
        inside=_listed(grammar["inside"]),
        ends=_listed(grammar["ends"]),
        transitive=_listed(grammar["transitive"]),
        adjectives=_listed(attributes["adjectives"]),
        modifiers=_listed(attributes["modifiers"]),
        phrases=_listed(attributes["phrases"]),
        said_attributes=attributes["said"],
        things=_listed(nouns["things"]),
        unsaid_names=_listed(nouns["unsaid"]),
        plurals=_listed(nouns["plural"]),
        mass=_listed(nouns["mass"]),
        persons=_listed(nouns["persons"]),
        said_names=nouns["said"],
        name_synonyms=_tuples(table["synonyms"]["nouns"]),
        attribute_synonyms=_tuples(table["synonyms"]["adjectives"]),
    )


def _listed(text: str) -> frozenset[str]:
    return frozenset(" ".join(word.split()) for word in text.split(","))


def _tuples(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {word: tuple(others) for word, others in table.items()}


def _is_doing(word: str) -> bool:
    return len(word) > 4 and word.endswith("ing")
