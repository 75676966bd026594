"""A simulated annotator, who writes down most names, few attributes, and a relation here and there.

GQA's graphs (Hudson and Manning, 2019) name about half an attribute per object and say something of few pairs, left and
right apart. The published graph of an imagined scene leaves out about as much, so that what is concluded from it can be
compared with the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.worlds.photos._left_right import LEFT, RIGHT, with_left_right
from deixis.worlds.photos.scene.graph import Link


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._chance import Chance
    from deixis.worlds.photos.scene.graph import SceneGraph


SELDOM = {  # relations that come to mind less often than others
    "on": 0.45,
    "near": 0.42,
    "next to": 0.2,
    "under": 0.2,
    "on top of": 0.2,
    "inside": 0.2,
    "standing on": 0.2,
    "floating in": 0.3,
    "floating on": 0.3,
    "above": 0.5,
    "below": 0.2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """Rates at which an annotator writes things down.

    Attributes:
        attributes: the share of attributes that are written down.
        relations: the share of related pairs of which one relation is written down; of pairs that are merely near each
            other, or of which only other relations that seldom come to mind are true, less. Left and right follow
            from the boxes and are always there.
        garments: the share of the things people wear that are named at all.
        wrong: the share of relations that are written down of the wrong object.
    """

    attributes: float = 0.29
    relations: float = 0.55
    garments: float = 0.5
    wrong: float = 0.0

    def __post_init__(self) -> None:
        for name in ("attributes", "relations", "garments", "wrong"):
            if not 0 <= getattr(self, name) <= 1:
                raise RecipeError(f"{name} is a share from 0 to 1, got {getattr(self, name)}")

    def publish(self, truth: SceneGraph, garments: frozenset[str], *, chance: Chance) -> SceneGraph:
        """Return the graph that is written down of a true one.

        `garments` are the ids of worn things.
        """
        kept = [thing for thing in truth.objects if thing.id not in garments or chance.happens(self.garments)]
        ids = [thing.id for thing in kept]
        said: dict[str, list[Link]] = {thing.id: [] for thing in kept}
        for (one, other), links in _by_pair(truth).items():
            if one in said and other in said:
                self._say_one(links, ids, said, chance)
        objects = tuple(
            replace(
                thing,
                attributes=tuple(word for word in thing.attributes if chance.happens(self.attributes)),
                relations=tuple(dict.fromkeys(said[thing.id])),
            )
            for thing in kept
        )
        return with_left_right(replace(truth, objects=objects))

    def _say_one(
        self, links: list[tuple[str, Link]], ids: list[str], said: dict[str, list[Link]], chance: Chance
    ) -> None:
        """Write down one of the relations of a pair, or none."""
        weights = [SELDOM.get(link.relation, 1.0) for _, link in links]
        if not chance.happens(self.relations * max(weights)):
            return
        subject, link = chance.choose_weighted(links, weights)
        if self.wrong and chance.happens(self.wrong):
            link = Link(link.relation, chance.choice([other for other in ids if other != subject]))
        said[subject].append(link)


def _by_pair(truth: SceneGraph) -> dict[tuple[str, str], list[tuple[str, Link]]]:
    """Return the relations of each pair of objects, left and right apart, with the object they are said of."""
    pairs: dict[tuple[str, str], list[tuple[str, Link]]] = {}
    for thing in truth.objects:
        for link in thing.relations:
            if link.relation not in (LEFT, RIGHT):
                pair = (min(thing.id, link.object_id), max(thing.id, link.object_id))
                pairs.setdefault(pair, []).append((thing.id, link))
    return pairs
