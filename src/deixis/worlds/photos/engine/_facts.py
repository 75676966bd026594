"""The words and frequencies of a corpus that the engine uses, and one image as the engine sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.photos._left_right import LEFT, RIGHT
from deixis.worlds.photos.language._words import words_of_photographs
from deixis.worlds.photos.scene.vocabulary import RARE, SAME_TYPES


if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from deixis.worlds.photos.engine.settings import Engine
    from deixis.worlds.photos.scene.graph_table import GraphTable


SIMPLE = frozenset(  # what the strict filter calls simple spatial relations
    f"above, behind, below, beside, by, in front of, near, next to, on top of, under, {LEFT}, {RIGHT}".split(", ")
)
MANY = 10_000  # objects, from which on a name that is used less than so often may be a slip of the pen
LEAST_USES = 3
HAIR = ("blond", "brunette")  # colors that are said of people
RAREST = 1e-4  # a relation counts as at least so frequent, among all links, when the choice is balanced


class Place(NamedTuple):
    """Positions in which an attribute can be said: before the noun, and after 'that is'."""

    before: bool
    after: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """The words of a corpus as the engine may use them, in lists indexed by code.

    Attributes:
        table: the scene graphs.
        is_thing: names that can be said.
        is_target: names that targets can have.
        can_rank: names of things that can be counted.
        places: of attributes.
        weights: how likely a relation is chosen, the reciprocal of its frequency; 0 for one that cannot be said.
        can_join: relations that can stand in a row with others ('that is on the table and near the cup').
        is_side: left and right.
        is_doing: attributes that are said behind the noun.
        is_simple: simple spatial relations.
        seen: which relations objects of one name have to those of another, each as one number.
    """

    table: GraphTable
    is_thing: Sequence[bool]
    is_target: Sequence[bool]
    can_rank: Sequence[bool]
    places: Sequence[Place]
    weights: Sequence[float]
    can_join: Sequence[bool]
    is_side: Sequence[bool]
    is_doing: Sequence[bool]
    is_simple: Sequence[bool]
    seen: frozenset[int]
    is_free: bool = False  # whether any word may stand anywhere

    @classmethod
    def of(cls, table: GraphTable, engine: Engine) -> Self:
        """Return the facts of a table, with frequencies counted in it."""
        words, known = table.vocabulary, words_of_photographs()
        is_free = engine.words == "all"
        least = 1 if is_free or table.object_count < MANY else LEAST_USES
        is_thing = [
            name != RARE and count >= least and (is_free or known.is_a_thing(name))
            for name, count in zip(words.names, table.name_counts.tolist(), strict=True)
        ]
        counts = np.maximum(table.relation_counts, max(1, RAREST * table.edge_count)).tolist()
        sayable = [is_free or known.can_be_chosen(relation) for relation in words.relations]
        source, target = _names_of_links(table)
        seen = np.unique((source * len(words.relations) + table.relation) * len(words.names) + target)
        return cls(
            table=table,
            is_thing=is_thing,
            is_target=[ok and name not in engine.removed for ok, name in zip(is_thing, words.names, strict=True)],
            can_rank=[is_free or known.can_be_counted(name) for name in words.names],
            places=[
                Place(is_free or known.can_stand_before(word), is_free or known.can_stand_after(word))
                for word in words.words
            ],
            weights=[1 / count if ok else 0.0 for ok, count in zip(sayable, counts, strict=True)],
            can_join=[ok and relation not in known.bare for ok, relation in zip(sayable, words.relations, strict=True)],
            is_side=[relation in (LEFT, RIGHT) for relation in words.relations],
            is_doing=[word in known.doing for word in words.words],
            is_simple=[relation in SIMPLE for relation in words.relations],
            seen=frozenset(seen.tolist()),
            is_free=is_free,
        )

    @cached_property
    def types(self) -> list[str]:
        """The dimension of every attribute word."""
        return [self.table.vocabulary.type_of(word) for word in self.table.vocabulary.words]

    @cached_property
    def is_shared(self) -> list[bool]:
        """True if two objects can be said to have the same value, for every attribute word."""
        return [kind in SAME_TYPES for kind in self.types]

    def can_relate(self, name: int, relation: int, other: int) -> bool:
        """Return whether something of a name can be said to stand in a relation to something of another."""
        if not (self.weights[relation] and self.is_thing[other]):
            return False
        return self.is_free or not self.is_side[relation] or self._can_be_beside(name, other)

    def can_be(self, name: int, word: int) -> bool:
        """Return whether an attribute can be said of a thing of a name: no color of people, nor a name's own word."""
        return (name, word) not in self._unsaid_of

    def can_share(self, relation: str, name: int, other: int) -> bool:
        """Return whether two things can be said to share a value such as color.

        Not people, of whom no color is said.
        """
        is_color = relation == "same color" and not self.is_free
        known, names = words_of_photographs(), self.table.vocabulary.names
        return self.is_thing[other] and not (is_color and any(known.is_person(names[k]) for k in (name, other)))

    def _can_be_beside(self, name: int, other: int) -> bool:
        names = self.table.vocabulary.names
        return words_of_photographs().can_be_beside(names[name], names[other])

    @cached_property
    def _unsaid_of(self) -> frozenset[tuple[int, int]]:
        """Names with the attributes that are not said of them."""
        if self.is_free:
            return frozenset()
        known, words = words_of_photographs(), self.table.vocabulary
        of_people = [k for k, kind in enumerate(self.types) if kind == "race" or self._is_skin(k)]
        people = [k for k, name in enumerate(words.names) if known.is_person(name)]
        own = [
            (k, words.word_codes[w])
            for k, name in enumerate(words.names)
            for w in name.split()
            if w in words.word_codes
        ]
        return frozenset((*((name, word) for name in people for word in of_people), *own))  # 'the plastic plastic bag'

    def _is_skin(self, word: int) -> bool:
        """Return whether a color, said of a person, would be taken for that of their skin."""
        return self.types[word] == "color" and self.table.vocabulary.words[word] not in HAIR

    def is_plausible(self, name: int, relation: int, other: int) -> bool:
        """Return whether a thing may well stand in a relation to another, as one of its name does in the corpus."""
        return self.is_side[relation] or (name * len(self.weights) + relation) * len(self.is_thing) + other in self.seen

    def photograph(self, scene: int) -> Photograph:
        """Return one image, by codes."""
        table = self.table
        here = table.objects_of(scene)
        attr_ptr = table.attr_ptr[here.start : here.stop + 1].tolist()
        edge_ptr = table.edge_ptr[here.start : here.stop + 1].tolist()
        attr = table.attr[attr_ptr[0] : attr_ptr[-1]].tolist()
        edges = slice(edge_ptr[0], edge_ptr[-1])
        links = list(zip(table.relation[edges].tolist(), table.target[edges].tolist(), strict=True))
        boxes = table.box[here.start : here.stop].tolist()
        return Photograph(
            scene=scene,
            names=table.name[here.start : here.stop].tolist(),
            words=[attr[a - attr_ptr[0] : b - attr_ptr[0]] for a, b in pairwise(attr_ptr)],
            links=[links[a - edge_ptr[0] : b - edge_ptr[0]] for a, b in pairwise(edge_ptr)],
            centres=[x + w / 2 for x, _, w, _ in boxes],
            areas=[w * h for _, _, w, h in boxes],
            size=float(table.width[scene]) * float(table.height[scene]),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Photograph:
    """One image by codes: names and words of its objects, and links as (relation, object)."""

    scene: int
    names: list[int]
    words: list[list[int]]
    links: list[list[tuple[int, int]]]
    centres: list[float]
    areas: list[float]
    size: float

    @cached_property
    def by_name(self) -> dict[int, list[int]]:
        """The objects of every name."""
        found: dict[int, list[int]] = {}
        for thing, name in enumerate(self.names):
            found.setdefault(name, []).append(thing)
        return found

    @cached_property
    def by_word(self) -> dict[int, list[int]]:
        """The objects of every attribute."""
        found: dict[int, list[int]] = {}
        for thing, words in enumerate(self.words):
            for word in words:
                found.setdefault(word, []).append(thing)
        return found


def _names_of_links(table: GraphTable) -> tuple[np.ndarray, np.ndarray]:
    """Return the names of the objects at both ends of every link."""
    source = np.repeat(np.arange(table.object_count), np.diff(table.edge_ptr))
    target = table.scene_ptr[table.scene_of[source]] + table.target
    return table.name[source].astype(np.int64), table.name[target].astype(np.int64)
