"""Solids on a table as a scene of the theory: values, relations for the viewer, and places for ranks."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from deixis._numbers import is_number
from deixis.errors import SchemaError
from deixis.scene.scene import PlainScene, Point
from deixis.worlds.tabletop._geometry import NEAR_GAP, is_closer_than, places_of
from deixis.worlds.tabletop._schema import COMPARED, NEAR, SCHEMA
from deixis.worlds.tabletop._solids import Camera, Solid, Tabletop


if TYPE_CHECKING:
    from deixis.worlds.tabletop._geometry import Place


MOST_SOLIDS = 64  # of one scene that is read from a file
_VALUES: dict[tuple[str, ...], frozenset[tuple[str, str]]] = {}


class SolidScene(PlainScene):
    """Solids on a table, whose relations and places are worked out when they are asked for.

    Args:
        table: the solids and the camera.
    """

    __slots__ = ("_digest", "_links", "_places", "table")
    table: Tabletop
    _places: tuple[Place, ...] | None
    _links: frozenset[tuple[str, int, int]] | None
    _digest: str

    def __init__(self, table: Tabletop) -> None:
        put = object.__setattr__
        put(self, "schema", SCHEMA)
        put(self, "table", table)
        put(self, "_places", None)
        put(self, "_links", None)
        put(self, "_digest", "")

    def __len__(self) -> int:
        return len(self.table.solids)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where every solid is for the viewer."""
        if self._places is None:
            object.__setattr__(self, "_places", places_of(self.table))
        assert self._places is not None
        return self._places

    @property
    def objects(self) -> tuple[frozenset[tuple[str, str]], ...]:
        """The values of every solid."""
        return tuple(map(_values_of, self.table.solids))

    @property
    def points(self) -> tuple[Point, ...]:
        """How far towards the viewer and how far to the right every solid stands."""
        return tuple(Point(-one.distance, one.side) for one in self.places)

    @property
    def links(self) -> frozenset[tuple[str, int, int]]:
        """All relations."""
        if self._links is None:
            things = range(len(self))
            every = ((one.name, k, n) for one in SCHEMA.relations for k in things for n in things if k != n)
            object.__setattr__(self, "_links", frozenset(link for link in every if self.related(*link)))
        assert self._links is not None
        return self._links

    def values(self, index: int, attribute: str) -> frozenset[str]:
        """The value of one solid along one dimension."""
        return frozenset((getattr(self.table.solids[index], attribute),))

    def position(self, index: int) -> Point:
        """Return how far towards the viewer and how far to the right a solid stands."""
        place = self.places[index]
        return Point(-place.distance, place.side)

    def related(self, relation: str, index: int, other: int) -> bool:
        """Return whether one solid stands in a relation to another, for the viewer."""
        here, there = self.places[index], self.places[other]
        match relation:
            case "left of":
                return here.side < there.side
            case "right of":
                return here.side > there.side
            case "in front of":
                return here.distance < there.distance
            case "behind":
                return here.distance > there.distance
        one, two = self.table.solids[index], self.table.solids[other]
        if index == other:
            return False
        if relation == NEAR:
            return is_closer_than(one, two, NEAR_GAP)
        name = relation.removeprefix("same ")
        SCHEMA.relation(relation)
        return bool(getattr(one, name) == getattr(two, name))

    @property
    def digest(self) -> str:
        """A name for exactly this scene."""
        if not self._digest:
            facts = repr(table_to_plain(self.table))
            object.__setattr__(self, "_digest", blake2b(facts.encode(), digest_size=16).hexdigest())
        return self._digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SolidScene) and self.table == other.table

    def __hash__(self) -> int:
        return hash(self.table)

    def __reduce__(self) -> tuple[object, ...]:
        return SolidScene, (self.table,)


def table_to_plain(table: Tabletop) -> dict[str, Any]:
    """Return solids and camera as plain values."""
    camera = table.camera
    return {
        "camera": [camera.azimuth, camera.elevation, camera.distance, camera.view],
        "solids": [[one.size, one.color, one.material, one.shape, one.x, one.y, one.turn] for one in table.solids],
    }


def table_from_plain(values: object) -> Tabletop:
    """Return the solids and the camera that `table_to_plain` wrote, or raise `SchemaError` for anything else."""
    match values:
        case {"camera": [azimuth, elevation, distance, view], "solids": list(solids), **rest} if not rest:
            pass
        case _:
            raise SchemaError(f"a scene has a camera of four numbers and solids, got {str(values)[:60]}")
    if len(solids) > MOST_SOLIDS:
        raise SchemaError(f"a scene has at most {MOST_SOLIDS} solids, got {len(solids)}")
    numbers = (azimuth, elevation, distance, view)
    if not all(map(_is_whole, numbers)) or not (0 < elevation <= 90 and 0 < view < 180 and distance > 0):
        raise SchemaError(f"a camera is [azimuth, elevation, distance, view] in whole numbers, got {numbers}")
    camera = Camera(azimuth=azimuth, elevation=elevation, distance=distance, view=view)
    return Tabletop(solids=tuple(map(_solid_from, solids)), camera=camera)


def _solid_from(values: object) -> Solid:
    match values:
        case [str(size), str(color), str(material), str(shape), int(x), int(y), int(turn)] if all(
            map(_is_whole, (x, y, turn))
        ):
            for name, value in (("size", size), ("color", color), ("material", material), ("shape", shape)):
                SCHEMA.attribute(name).code(value)
            return Solid(shape=shape, color=color, material=material, size=size, x=x, y=y, turn=turn)
    raise SchemaError(f"a solid is [size, color, material, shape, x, y, turn], got {str(values)[:60]}")


def _is_whole(value: object) -> bool:
    return is_number(value) and isinstance(value, int) and abs(value) < 1 << 24


def _values_of(solid: Solid) -> frozenset[tuple[str, str]]:
    """The values of a solid; equal ones are one object in memory."""
    key = tuple(getattr(solid, name) for name in COMPARED)
    if key not in _VALUES:
        _VALUES[key] = frozenset(zip(COMPARED, key, strict=True))
    return _VALUES[key]
