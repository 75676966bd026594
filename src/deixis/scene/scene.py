"""The protocol of scenes, with two questions that every scene answers, and the context in which a scene is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from deixis.schema import Schema


__all__ = ["Context", "PlainScene", "Point", "Scene", "Where"]


class Point(NamedTuple):
    """A place in a scene: a cell of a grid, or the centre of a region in an image."""

    row: float
    column: float


class Where(NamedTuple):
    """One object of one scene of a context."""

    scene: int
    object: int


@runtime_checkable
class Scene(Protocol):
    """Objects, numbered from 0, with their attributes and the relations between them."""

    @property
    def schema(self) -> Schema:
        """The attributes, values and relations of this scene."""

    def __len__(self) -> int:
        """How many objects there are."""

    def values(self, index: int, attribute: str) -> frozenset[str]:
        """The values of one object along one dimension."""

    def related(self, relation: str, index: int, other: int) -> bool:
        """Return whether one object stands in a relation to another."""

    def position(self, index: int) -> Point:
        """Return the point at which the object is."""


@dataclass(frozen=True, slots=True)
class Context:
    """The scenes shown together, and the object that is meant.

    ReaSCAN shows one scene, A3DS two, Cops-Ref thirteen; nothing else in the core depends on the number.
    """

    scenes: tuple[Scene, ...]
    target: Where

    def __post_init__(self) -> None:
        scene, index = self.target
        if not 0 <= scene < len(self.scenes) or not 0 <= index < len(self.scenes[scene]):
            raise SchemaError(f"the target {self.target} is not an object of this context")

    @classmethod
    def of(cls, scene: Scene, target: int = 0) -> Context:
        """The context that shows a single scene."""
        return cls((scene,), Where(0, target))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainScene:
    """A scene written out: recorded values and recorded relations, nothing computed.

    It can hold a scene of any schema, so it is what tests, scene graphs and 3D Shapes scenes can start from.

    Attributes:
        objects: for each object its values, as (attribute, value) pairs.
        links: the recorded relations, as (relation, object, other object).
        points: where each object is; may be left empty when nothing asks for order.
    """

    schema: Schema
    objects: tuple[frozenset[tuple[str, str]], ...]
    links: frozenset[tuple[str, int, int]] = frozenset()
    points: tuple[Point, ...] = ()

    def __post_init__(self) -> None:
        for pairs in self.objects:
            for attribute, value in pairs:
                self.schema.attribute(attribute).code(value)
        if self.points and len(self.points) != len(self.objects):
            raise SchemaError(f"a scene of {len(self.objects)} objects has {len(self.points)} points; give all or none")
        for relation, index, other in self.links:
            self.schema.relation(relation)
            if not (0 <= index < len(self.objects) and 0 <= other < len(self.objects)):
                raise SchemaError(f"{relation!r} links objects {index} and {other} of {len(self.objects)}")

    def __len__(self) -> int:
        return len(self.objects)

    def values(self, index: int, attribute: str) -> frozenset[str]:
        """The recorded values of one object along one dimension."""
        return frozenset(value for name, value in self.objects[index] if name == attribute)

    def related(self, relation: str, index: int, other: int) -> bool:
        """Return whether the link is recorded, for a symmetric relation in either direction."""
        if (relation, index, other) in self.links:
            return True
        return self.schema.relation(relation).is_symmetric and (relation, other, index) in self.links

    def position(self, index: int) -> Point:
        """Return the point at which the object is, or raise an error if the scene has no positions."""
        if not self.points:
            raise SchemaError("the scene does not say where its objects are, so they have no order; give it points")
        return self.points[index]
