"""The kinds of place, their names in GQA, and their frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.photos.imagine._places import country, meals, rooms, town


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.photos.imagine._stage import Stage


class Place(NamedTuple):
    """A kind of place.

    Attributes:
        furnish: puts everything on a stage, up to about a number of things.
        location: what the graph says about where the picture is from.
    """

    name: str
    furnish: Callable[[Stage, float], None]
    location: str
    weight: float = 1.0


PLACES: tuple[Place, ...] = (
    Place("kitchen", rooms.kitchen, "kitchen", 1.0),
    Place("living room", rooms.living_room, "living room", 1.2),
    Place("bedroom", rooms.bedroom, "bedroom", 0.8),
    Place("bathroom", rooms.bathroom, "bathroom", 0.7),
    Place("office", rooms.office, "office", 0.8),
    Place("street", town.street, "street", 2.0),
    Place("park", country.park, "park", 1.2),
    Place("beach", country.beach, "beach", 1.0),
    Place("farm", country.farm, "farm", 1.0),
    Place("savanna", country.savanna, "outdoors", 0.7),
    Place("station", town.station, "train station", 0.8),
    Place("table-top", meals.meal, "indoors", 1.3),
    Place("sports field", country.sports_field, "outdoors", 0.9),
    Place("harbour", town.harbour, "harbor", 0.8),
)
