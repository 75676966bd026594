"""Choosing what to say: attributes, relations balanced against their frequency, and things drawn by weight."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from deixis.worlds.graphs.engine.facts import Facts, Photograph
    from deixis.worlds.graphs.engine.settings import Engine


__all__ = ["Chooser", "Link", "weighted"]

T = TypeVar("T")
_WHOLE = 1 << 53


class Link(NamedTuple):
    """A relation to an object, by codes."""

    relation: int
    to: int


def weighted(options: Sequence[T], weights: Sequence[float], stream: Stream) -> T:
    """One of the options, drawn by weight; the weights are not all 0."""
    aim = chance(stream) * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        aim -= weight
        if aim < 0:
            return option
    return next(option for option, weight in zip(reversed(options), reversed(weights), strict=True) if weight > 0)


def chance(stream: Stream) -> float:
    """A number from 0 to below 1."""
    return (stream.word() >> 11) / _WHOLE


class Chooser:
    """Draws what is said of the objects of one image, from a stream of its own."""

    def __init__(self, photograph: Photograph, facts: Facts, engine: Engine) -> None:
        self.photograph = photograph
        self.facts = facts
        self.engine = engine
        image_id = facts.table.image_ids[photograph.scene]
        self.stream = Stream(derive(engine.seed, "expressions", image_id))

    @cached_property
    def joinable(self) -> list[Link]:
        """The ways in which objects of the image are related that can stand in a row with others, each once."""
        weights, can_join = self.facts.weights, self.facts.can_join
        is_thing, names = self.facts.is_thing, self.photograph.names
        found = {
            link
            for links in self.photograph.links
            for link in links
            if weights[link[0]] and can_join[link[0]] and is_thing[names[link[1]]]
        }
        return [Link(*link) for link in sorted(found)]

    def happens(self, probability: float) -> bool:
        """Whether something of that probability comes about."""
        return chance(self.stream) < probability

    def name(self, thing: int) -> str:
        """What an object is called."""
        return self.facts.table.vocabulary.names[self.photograph.names[thing]]

    def word(self, code: int) -> str:
        """An attribute word."""
        return self.facts.table.vocabulary.words[code]

    def relation(self, code: int) -> str:
        """A relation's name."""
        return self.facts.table.vocabulary.relations[code]

    def attribute(
        self, thing: int, *, before: bool = True, after: bool = True, but_not: str = "", always: bool = True
    ) -> tuple[str, ...]:
        """An attribute of an object that can be said before the noun or after 'that is'; none where it has none.

        Args:
            thing: the object.
            before: whether it may be said before the noun.
            after: whether it may be said after 'that is'.
            but_not: a dimension that is not spoken of.
            always: take one where there is one, else only as often as the settings say.
        """
        places, types = self.facts.places, self.facts.types
        named = self.name(thing).split()
        options = [
            word
            for word in self.photograph.words[thing]
            if ((before and places[word].before) or (after and places[word].after))
            and types[word] != but_not
            and self.word(word) not in named  # 'the plastic plastic bag'
        ]
        if not options or not (always or self.happens(self.engine.related_attribute)):
            return ()
        return (self.word(self.stream.choice(options)),)

    def link(
        self, thing: int, used: Container[int], *, joining: bool = False, said: Container[int] = ()
    ) -> Link | None:
        """A relation of an object to one that is not used yet, rare relations first; None where there is none.

        Args:
            thing: the object.
            used: objects that are mentioned already.
            joining: whether the relation must be one that can stand in a row with others.
            said: names that shall not be said again: 'the tree to the left of the tree to the right of the tree'.
        """
        weights, names, is_thing = self.facts.weights, self.photograph.names, self.facts.is_thing
        allowed = self.facts.can_join if joining else None
        options = [
            Link(relation, other)
            for relation, other in self.photograph.links[thing]
            if weights[relation]
            and other not in used
            and is_thing[names[other]]
            and names[other] not in said
            and (allowed is None or allowed[relation])
        ]
        return weighted(options, [weights[option.relation] for option in options], self.stream) if options else None
