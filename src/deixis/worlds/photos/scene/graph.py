"""Scene graphs: photographs described by boxes with annotated names, attributes and relations.

`SceneGraph` is what a file says. `GraphScene` is the same as a scene that expressions can be resolved in; it numbers
the objects in the order of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import SchemaError, UnknownName
from deixis.scene.scene import Point
from deixis.worlds.photos.scene.vocabulary import NAME, SAME, SAME_TYPES, TYPES


if TYPE_CHECKING:
    from typing import Self

    from deixis.schema import Schema
    from deixis.worlds.photos.scene.vocabulary import Vocabulary


__all__ = ["Box", "GraphObject", "GraphScene", "Link", "SceneGraph"]

TYPE_NAMES = frozenset(TYPES)
NO_WORDS: frozenset[str] = frozenset()
NOTHING: frozenset[int] = frozenset()


class Box(NamedTuple):
    """A rectangle in an image: its upper left corner and its size in pixels, 0 for a mere point."""

    x: float
    y: float
    w: float
    h: float

    @property
    def centre(self) -> Point:
        """The middle of the box."""
        return Point(self.y + self.h / 2, self.x + self.w / 2)

    @property
    def area(self) -> float:
        """Width times height."""
        return self.w * self.h


class Link(NamedTuple):
    """A relation of one object to another: 'on' and the id of what it is on."""

    relation: str
    object_id: str


@dataclass(frozen=True, slots=True)
class GraphObject:
    """One region of an image and its annotation.

    Attributes:
        name: its category.
        raw_name: what the file calls it, where that differs from the category ('rocks' for 'rock').
    """

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    relations: tuple[Link, ...] = ()
    raw_name: str = ""


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """One image and its regions, as read from a file."""

    image_id: str
    width: int
    height: int
    objects: tuple[GraphObject, ...]
    location: str = ""
    weather: str = ""

    def __post_init__(self) -> None:
        if len({thing.id for thing in self.objects}) != len(self.objects):
            raise SchemaError(f"image {self.image_id!r} has two objects with one id")


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphScene:
    """The scene of one graph: recorded names, attributes and relations, and the computed relations of `SAME`.

    Attributes:
        words: the attributes of each object.
        links: the recorded relations, as (relation, object, other object).
        raw_names: what the file calls each object.
    """

    vocabulary: Vocabulary
    names: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    links: frozenset[tuple[str, int, int]]
    boxes: tuple[Box, ...]
    width: int = 0
    height: int = 0
    image_id: str = ""
    object_ids: tuple[str, ...] = ()
    raw_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, graph: SceneGraph, vocabulary: Vocabulary) -> Self:
        """Return the scene of a graph, or raise an error for words beyond the vocabulary."""
        number = {thing.id: index for index, thing in enumerate(graph.objects)}
        for thing in graph.objects:
            vocabulary.name_code(thing.name)
            for word in thing.attributes:
                vocabulary.word_code(word)
            for relation, other in thing.relations:
                vocabulary.relation_code(relation)
                if other not in number:
                    raise SchemaError(
                        f"object {thing.id!r} of image {graph.image_id!r} is {relation} {other!r}, missing"
                    )
        return cls(
            vocabulary=vocabulary,
            names=tuple(thing.name for thing in graph.objects),
            words=tuple(frozenset(thing.attributes) for thing in graph.objects),
            links=frozenset((r, number[t.id], number[other]) for t in graph.objects for r, other in t.relations),
            boxes=tuple(Box(*np.array(thing.box, np.float32).tolist()) for thing in graph.objects),
            width=graph.width,
            height=graph.height,
            image_id=graph.image_id,
            object_ids=tuple(number),
            raw_names=tuple(thing.raw_name or thing.name for thing in graph.objects),
        )

    @cached_property
    def digest(self) -> str:
        """Digest of everything in the scene, with the places of things, but without the name of the image."""
        words = [sorted(some) for some in self.words]
        facts = (self.names, words, sorted(self.links), self.boxes, self.width, self.height)
        return blake2b(repr(facts).encode(), digest_size=16).hexdigest()

    @property
    def schema(self) -> Schema:
        """The schema of the corpus that this scene is from."""
        return self.vocabulary.schema

    def __len__(self) -> int:
        return len(self.names)

    def values(self, index: int, attribute: str) -> frozenset[str]:
        """Return the name of an object, or its words of one type."""
        if attribute == NAME:
            return frozenset((self.names[index],))
        found = self._by_type[index].get(attribute)
        if found is None:
            if attribute not in TYPE_NAMES:
                self.schema.attribute(attribute)
            return NO_WORDS
        return found

    def known_values(self, index: int) -> dict[str, frozenset[str]]:
        """Return what `values` says of an object, by attribute, where that is anything."""
        return {NAME: frozenset((self.names[index],)), **self._by_type[index]}

    def related(self, relation: str, index: int, other: int) -> bool:
        """Return whether a link is recorded, or for the relations of `SAME`, whether two objects share a value."""
        if relation in SAME:
            kind = SAME_TYPES[SAME.index(relation)]
            return index != other and bool(self.values(index, kind) & self.values(other, kind))
        if relation not in self.vocabulary.relation_codes:
            self.vocabulary.relation_code(relation)
        return (relation, index, other) in self.links

    def all_related_to(self, relation: str, other: int) -> frozenset[int]:
        """Return the other objects that stand in a relation to an object, as `related` says of each."""
        if relation in SAME:
            kind = SAME_TYPES[SAME.index(relation)]
            shared = self.values(other, kind)
            if not shared:
                return NOTHING
            return frozenset(o for o in range(len(self)) if o != other and shared & self.values(o, kind))
        if relation not in self.vocabulary.relation_codes:
            self.vocabulary.relation_code(relation)
        return self._incoming.get((relation, other), NOTHING)

    def position(self, index: int) -> Point:
        """Return the centre of the object's box."""
        return self.boxes[index].centre

    def outgoing(self, index: int) -> tuple[tuple[str, int], ...]:
        """Return the recorded relations of one object, as (relation, other object), sorted."""
        return self._outgoing[index]

    def object_number(self, object_id: str) -> int:
        """Return the number of the object with an id."""
        if object_id not in self.object_ids:
            raise UnknownName(f"image {self.image_id!r} has no object {object_id!r}")
        return self.object_ids.index(object_id)

    @cached_property
    def _incoming(self) -> dict[tuple[str, int], frozenset[int]]:
        found: dict[tuple[str, int], set[int]] = {}
        for relation, index, other in self.links:
            if index != other:
                found.setdefault((relation, other), set()).add(index)
        return {link: frozenset(some) for link, some in found.items()}

    @cached_property
    def _by_type(self) -> tuple[dict[str, frozenset[str]], ...]:
        return tuple(_sorted_by_type(words, self.vocabulary) for words in self.words)

    @cached_property
    def _outgoing(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        found: list[list[tuple[str, int]]] = [[] for _ in self.names]
        for relation, index, other in self.links:
            found[index].append((relation, other))
        return tuple(tuple(sorted(some)) for some in found)


def _sorted_by_type(words: frozenset[str], vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    kinds = {vocabulary.type_of(word) for word in words}
    return {kind: frozenset(word for word in words if vocabulary.type_of(word) == kind) for kind in kinds}
