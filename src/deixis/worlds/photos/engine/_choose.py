"""Choices of the engine: attributes, relations balanced against their frequency, and things drawn by weight."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from deixis.expression.description import Description
from deixis.expression.steps import Is, Nth
from deixis.seeds import Stream, derive
from deixis.worlds.photos._guard import says_sides
from deixis.worlds.photos._left_right import with_loose_sides
from deixis.worlds.photos.resolution.graphs import compile_for, only_of, resolve_graph_pairs
from deixis.worlds.photos.resolution.unknowns import judge_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos.engine._facts import Facts, Photograph
    from deixis.worlds.photos.engine._tree import Tree
    from deixis.worlds.photos.engine.settings import Engine
    from deixis.worlds.photos.resolution.unknowns import Unknowns
    from deixis.worlds.photos.scene.graph_table import GraphTable


def targets_of(photograph: Photograph, facts: Facts, engine: Engine) -> list[int]:
    """Return the objects of an image that can be spoken of: large enough, and of a name that is not removed."""
    least = engine.least_area * photograph.size
    return [
        thing
        for thing, name in enumerate(photograph.names)
        if facts.is_target[name] and photograph.areas[thing] >= least
    ]


def is_spatial_only(tree: Tree, facts: Facts, engine: Engine) -> bool:
    """Return whether an expression says nothing but simple spatial relations (Cops-Ref section 3.3)."""
    if engine.spatial_only == "keep" or not tree.edges:
        return False
    codes = facts.table.vocabulary.relation_codes
    recorded = len(facts.is_side)
    relations = [codes[edge.relation] for edge in tree.edges]
    if engine.spatial_only == "strict":
        return all(code < recorded and facts.is_simple[code] for code in relations)
    says_more = any(node.attributes or node.denied or node.rank for node in tree.nodes)
    return not says_more and all(code < recorded and facts.is_side[code] for code in relations)


def says_twice(tree: Tree) -> bool:
    """Return whether an activity is said twice, as attribute and as relation: 'the man walking who is walking on sand'.

    It may be that of the other thing, too: 'flying the flying kite'.
    """
    return any(
        edge.relation.partition(" ")[0] in tree.nodes[node].attributes
        for edge in tree.edges
        for node in (edge.parent, edge.child)
    )


def other_counts(expression: Expression) -> list[Expression]:
    """Return the other readings of a rank: counted among the objects that fit the words after it, in part or in full.

    'the first glass from the left that is clear' counts all glasses; someone may count the clear ones.
    """
    steps = expression.steps
    place = next((n for n, step in enumerate(steps) if isinstance(step, Nth)), None)
    if place is None:
        return []
    later = steps[place + 1 :]
    words = tuple(step for step in later if isinstance(step, Is))
    clauses = tuple(step for step in later if not isinstance(step, Is))
    readings: list[tuple[Step, ...]] = [(*steps[:place], *later, steps[place])] if later else []
    if words and clauses:
        readings.append((*steps[:place], *words, steps[place], *clauses))
    return [Description(reading) for reading in readings]


class Candidate(NamedTuple):
    """An expression that may pick out its target.

    Attributes:
        other_readings: what a reader may take it to say; they must not lead to another object.
    """

    scene: int
    target: int
    tree: Tree
    expression: Expression
    other_readings: Sequence[Expression] = ()


class Verdict(NamedTuple):
    """Resolution result of a candidate."""

    is_unique: bool
    misleads: bool  # some other reading picks another object


def verdicts_on(
    candidates: Sequence[Candidate], table: GraphTable, unknowns: Unknowns | None = None, *, loose_sides: bool = False
) -> list[Verdict]:
    """Return for each candidate whether it denotes its target alone in its image.

    Args:
        candidates: what is said of which image.
        table: the scenes.
        unknowns: where given, the target must be certain, and nothing else possible.
        loose_sides: whether the target must also be the only one with left and right as people see them.
    """
    vocabulary = table.vocabulary
    readings = [(n, reading) for n, candidate in enumerate(candidates) for reading in candidate.other_readings]
    programs = [compile_for(candidate.expression, vocabulary) for candidate in candidates]
    programs += [compile_for(reading, vocabulary) for _, reading in readings]
    scenes = np.array([c.scene for c in candidates] + [candidates[n].scene for n, _ in readings], np.int64)
    every = np.arange(len(programs))
    masks = resolve_graph_pairs(programs, table, every, scenes)
    wanted = np.array([candidate.target for candidate in candidates], np.int64)
    count = len(candidates)
    is_unique = only_of(masks[:count]) == wanted
    if unknowns is not None:
        certain, possible = judge_graph_pairs(programs[:count], table, every[:count], scenes[:count], unknowns)
        is_unique &= (only_of(certain) == wanted) & (only_of(possible) == wanted)
    if loose_sides:
        sided = [n for n in np.flatnonzero(is_unique).tolist() if says_sides(candidates[n].expression)]
        rest, loose = np.array(sided, np.int64), with_loose_sides(table)
        fits = resolve_graph_pairs(programs, loose, rest, scenes[rest])
        is_unique[rest] &= only_of(fits) == wanted[rest]
        if unknowns is not None:
            _, possible = judge_graph_pairs(programs, loose, rest, scenes[rest], unknowns)
            is_unique[rest] &= only_of(possible) == wanted[rest]
    misleads = np.zeros(count, np.bool_)
    asked = np.array([n for n, _ in readings], np.int64)
    targets = wanted[asked]
    rest = masks[count:].copy()
    rest[np.arange(len(asked)), targets >> 6] &= ~(np.uint64(1) << (targets & 63).astype(np.uint64))
    misleads[asked[(rest != 0).any(axis=1)]] = True
    return [Verdict(*pair) for pair in zip(is_unique.tolist(), misleads.tolist(), strict=True)]


T = TypeVar("T")
_WHOLE = 1 << 53


class Link(NamedTuple):
    """A relation to an object, by codes."""

    relation: int
    to: int


def draw_weighted(options: Sequence[T], weights: Sequence[float], stream: Stream) -> T:
    """Return one of the options, drawn by weights that are not all 0."""
    aim = chance(stream) * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        aim -= weight
        if aim < 0:
            return option
    return next(option for option, weight in zip(reversed(options), reversed(weights), strict=True) if weight > 0)


def chance(stream: Stream) -> float:
    """Return a random number from 0 to below 1."""
    return (stream.word() >> 11) / _WHOLE


class Chooser:
    """Random choices for one image, from a stream of its own."""

    def __init__(self, photograph: Photograph, facts: Facts, engine: Engine) -> None:
        self.photograph = photograph
        self.facts = facts
        self.engine = engine
        image_id = facts.table.image_ids[photograph.scene]
        self.stream = Stream(derive(engine.seed, "expressions", image_id))

    @cached_property
    def joinable(self) -> list[Link]:
        """The relations between objects of the image that can stand in a row with others, each once."""
        facts, names = self.facts, self.photograph.names
        found = {
            link
            for thing, links in enumerate(self.photograph.links)
            for link in links
            if facts.can_join[link[0]] and facts.can_relate(names[thing], link[0], names[link[1]])
        }
        return [Link(*link) for link in sorted(found)]

    def happens(self, probability: float) -> bool:
        """Return whether an event of a probability comes about."""
        return chance(self.stream) < probability

    def name(self, thing: int) -> str:
        """Return the name of an object."""
        return self.facts.table.vocabulary.names[self.photograph.names[thing]]

    def word(self, code: int) -> str:
        """Return an attribute word."""
        return self.facts.table.vocabulary.words[code]

    def relation(self, code: int) -> str:
        """Return a relation's name."""
        return self.facts.table.vocabulary.relations[code]

    def attribute(
        self,
        thing: int,
        *,
        before: bool = True,
        behind: bool = True,
        after: bool = True,
        but_not: str = "",
        always: bool = True,
    ) -> tuple[str, ...]:
        """Return an attribute of an object that can be said before the noun or after 'that is', empty if it has none.

        Args:
            thing: the object.
            before: whether it may be said before the noun.
            behind: whether it may be an activity, which is said behind the noun.
            after: whether it may be said after 'that is'.
            but_not: a dimension that is not spoken of.
            always: take one where there is one, else only as often as the settings say.
        """
        places, types, is_doing = self.facts.places, self.facts.types, self.facts.is_doing
        name, can_be = self.photograph.names[thing], self.facts.can_be
        options = [
            word
            for word in self.photograph.words[thing]
            if ((before and places[word].before) or (after and places[word].after))
            and types[word] != but_not
            and (behind or not is_doing[word])
            and can_be(name, word)
        ]
        if not options or not (always or self.happens(self.engine.related_attribute)):
            return ()
        return (self.word(self.stream.choice(options)),)

    def link(
        self, thing: int, used: Container[int], *, joining: bool = False, said: Container[int] = ()
    ) -> Link | None:
        """Return a relation of an object to one that is not used yet, rare relations first, or None if there is none.

        Args:
            thing: the object.
            used: objects that are mentioned already.
            joining: whether the relation must be one that can stand in a row with others.
            said: names that shall not be said again: 'the tree to the left of the tree to the right of the tree'.
        """
        weights, names, can_relate = self.facts.weights, self.photograph.names, self.facts.can_relate
        allowed = self.facts.can_join if joining else None
        options = [
            Link(relation, other)
            for relation, other in self.photograph.links[thing]
            if other not in used
            and can_relate(names[thing], relation, names[other])
            and names[other] not in said
            and (allowed is None or allowed[relation])
        ]
        return (
            draw_weighted(options, [weights[option.relation] for option in options], self.stream) if options else None
        )
