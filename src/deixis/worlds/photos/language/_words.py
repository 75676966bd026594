"""Positions of words: relations after 'that is', adjectives before the noun, names that are no things.

The table is `english.toml`. Everything can be said and read; what the table decides is which word order is
English, and which words an engine had better not choose ('the here man that is and the lot').
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from deixis.errors import UnknownName
from deixis.language.lexicon import word_table


if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Options of the wording of expressions.

    Attributes:
        name: of the wording that it is, or is a variant of.
        literal: relations and names are said as they are written in the corpus, awkward or not.
        articles_in_order: whether the phrases of order expressions have articles.
        relative: the word that opens a clause.
        drops_before_doing: 'the girl touching the ball' for 'the girl that is touching the ball'.
        drops_before_two: no 'that is' before two clauses that 'and' or 'or' joins.
        joins_activities: 'the man sitting near the tree' for 'the man who is sitting and near the tree'. Where the
            corpus knows a relation 'sitting near', the first is read as that.
        side: 'the first cup from the left' or 'the cup on the left', which say the same.
    """

    name: str = "english"
    literal: bool = False
    articles_in_order: bool = True
    relative: Literal["that", "which"] = "that"
    drops_before_doing: bool = False
    drops_before_two: bool = False
    joins_activities: bool = True
    side: Literal["from", "on"] = "from"


ENGLISH = Style()
RELEASE = Style(name="release", literal=True, articles_in_order=False)
PAPER = Style(name="paper", drops_before_two=True)
STYLES: Mapping[str, Style] = {style.name: style for style in (ENGLISH, RELEASE, PAPER)}


def style_named(name: str) -> Style:
    """Return the style of a name."""
    if name not in STYLES:
        raise UnknownName(f"there is no wording {name!r}; known: {', '.join(STYLES)}")
    return STYLES[name]


RANKS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"),
    *("nineteenth", "twentieth"),
)


NOT_WHERE = frozenset(("full of", "about to hit", "trying to catch", "surrounding"))


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
        doing: adjectives that stand behind the noun: 'the man riding'.
        things: names that are things though an adjective opens them.
        said_attributes, said_names: plainer English.
        plurals, mass, persons: names of several, of stuff, and of people.
        surroundings, belongings: names of what is around things, and of what people wear or are made of.
        worn: what a name is called where it is worn.
        capitals: words with a capital, by their small letters.
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
    doing: frozenset[str]
    said_attributes: Mapping[str, str]
    things: frozenset[str]
    unsaid_names: frozenset[str]
    plurals: frozenset[str]
    mass: frozenset[str]
    persons: frozenset[str]
    surroundings: frozenset[str]
    belongings: frozenset[str]
    said_names: Mapping[str, str]
    worn: Mapping[str, str]
    capitals: Mapping[str, str]
    name_synonyms: Mapping[str, tuple[str, ...]]
    attribute_synonyms: Mapping[str, tuple[str, ...]]

    def can_follow_that_is(self, relation: str) -> bool:
        """Return whether 'that is', the relation and a noun phrase make English: 'sitting on', but not 'sitting'."""
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
        """Return whether an English clause can be made of the relation at all."""
        return relation in self.bare or relation in self.verbs or self.can_follow_that_is(relation)

    def is_doing(self, relation: str) -> bool:
        """Return whether the relation is an activity that can drop 'that is': 'the girl touching the ball'."""
        return _is_doing(relation.partition(" ")[0]) and relation not in self.prepositions

    def is_where(self, relation: str) -> bool:
        """Return whether the relation is a place that can follow an activity: 'sitting near', 'eating under'."""
        return relation in self.prepositions - self.bare and relation not in NOT_WHERE and not relation.endswith("than")

    def is_person(self, name: str) -> bool:
        """Return whether 'who' is said of it: a man, a tennis player."""
        return name in self.persons or name.rpartition(" ")[2] in self.persons

    def capitalise(self, text: str) -> str:
        """Return the words with the capitals that English gives them."""
        return " ".join(self.capitals.get(word, word) for word in text.split())

    def can_stand_before(self, attribute: str) -> bool:
        """Return whether the attribute is known to make English before a noun."""
        return attribute in self.adjectives or attribute in self.modifiers

    def can_stand_after(self, attribute: str) -> bool:
        """Return whether the attribute is known to make English after 'that is'."""
        return attribute in self.adjectives or attribute in self.phrases

    def can_be_beside(self, name: str, other: str) -> bool:
        """Return whether a thing can be said to be to the left of another: not the ground, and no hair of a man."""
        if other in self.surroundings or other in self.belongings:
            return False
        return not (name in self.belongings and self.is_person(other))

    def can_be_counted(self, name: str) -> bool:
        """Return whether there can be a second one: not of grass, and not of people."""
        return name not in self.mass and name not in self.plurals

    def is_a_thing(self, name: str) -> bool:
        """Return whether a name is distinct from other words: letters only, no adjective first, not 'area' or 'lot'."""
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
    """Return the words that Cops-Ref and its sources use."""
    table = word_table("deixis.worlds.photos")
    relations, attributes, nouns = table["relations"], table["attributes"], table["nouns"]
    grammar = relations["grammar"]
    return Words(
        bare=frozenset(relations["bare"]),
        verbs={relation: Verb(*forms) for relation, forms in relations["verbs"].items()},
        indefinite=frozenset(relations["indefinite"]),
        unsaid_relations=_words_in(relations["unsaid"]),
        prepositions=_words_in(grammar["prepositions"]),
        participles=_words_in(grammar["participles"]),
        inside=_words_in(grammar["inside"]),
        ends=_words_in(grammar["ends"]),
        transitive=_words_in(grammar["transitive"]),
        adjectives=_words_in(attributes["adjectives"]),
        modifiers=_words_in(attributes["modifiers"]),
        phrases=_words_in(attributes["phrases"]),
        doing=_words_in(attributes["doing"]),
        said_attributes=attributes["said"],
        things=_words_in(nouns["things"]),
        unsaid_names=_words_in(nouns["unsaid"]),
        plurals=_words_in(nouns["plural"]),
        mass=_words_in(nouns["mass"]),
        persons=_words_in(nouns["persons"]),
        surroundings=_words_in(nouns["surroundings"]),
        belongings=_words_in(nouns["belongings"]),
        said_names=nouns["said"],
        worn=nouns["worn"],
        capitals={word.lower(): word for word in _words_in(table["spelling"]["capitals"])},
        name_synonyms=_tuples(table["synonyms"]["nouns"]),
        attribute_synonyms=_tuples(table["synonyms"]["adjectives"]),
    )


def _words_in(text: str) -> frozenset[str]:
    return frozenset(" ".join(word.split()) for word in text.split(","))


def _tuples(table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {word: tuple(others) for word, others in table.items()}


def _is_doing(word: str) -> bool:
    return len(word) > 4 and word.endswith("ing")
