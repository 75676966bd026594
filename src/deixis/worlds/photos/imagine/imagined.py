"""One imagined scene: its picture, the truth about it, and its published annotation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import derive
from deixis.worlds.photos._left_right import with_left_right
from deixis.worlds.photos.imagine._annotate import Annotator
from deixis.worlds.photos.imagine._appearance import is_borne_out, sizes_in_doubt
from deixis.worlds.photos.imagine._chance import Chance
from deixis.worlds.photos.imagine._pen import LIMB, OVAL, Paint, Pen, Shape
from deixis.worlds.photos.imagine._picture import OVERSAMPLING, OwnedShapes, paint, who_owns
from deixis.worlds.photos.imagine._places import PLACES
from deixis.worlds.photos.imagine._relations import roots, seen_relations
from deixis.worlds.photos.imagine._sprites import SPRITES
from deixis.worlds.photos.imagine._stage import Stage
from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph


if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

    from deixis.worlds.photos.imagine._picture import Owners
    from deixis.worlds.photos.imagine._places.table import Place
    from deixis.worlds.photos.imagine._stage import Thing


__all__ = ["ImaginedPicture", "draw_imagined", "imagine"]

SIZES = ((500, 375), (500, 333), (375, 500), (500, 500), (362, 500))  # as in GQA
SIZE_WEIGHTS = (50, 25, 12, 8, 5)
FEWEST, MOST = 6, 29
HIDDEN = 0.7  # share of a thing that may be hidden by others
BARELY = 0.08  # share of a thing that must be seen, whatever is on it
SMALLEST_PX = 5  # side of the smallest box
SIZE_WORDS = ("large", "small", "tall", "short")
FIRST_IMAGE = 9_000_000  # imagined images have ids beyond those of Visual Genome


@dataclass(frozen=True, slots=True, kw_only=True)
class ImaginedPicture:
    """An imagined scene.

    Attributes:
        place: the kind of place it shows.
        published: what an annotator wrote down; a part of the truth, unless the annotator errs.
        truth: all that can be seen, with the same ids.
        painted: the picture, in painting order; owners are the numbers of objects in the truth.
    """

    place: str
    published: SceneGraph
    truth: SceneGraph
    painted: tuple[OwnedShapes, ...]


def imagine(number: int, *, seed: int, annotator: Annotator | None = None) -> ImaginedPicture:
    """Imagine the scene of a number, the same one for the same seed.

    Raises:
        RecipeError: for a negative number.
        DeixisError: when Pillow is not installed.
    """
    stage, place = set_stage(number, seed=seed)
    chance = stage.chance
    things, truth, painted = _show(stage, str(FIRST_IMAGE + number), place.location)
    garments = frozenset(told.id for told, thing in zip(truth.objects, things, strict=True) if thing.level == "worn")
    published = (annotator or Annotator()).publish(truth, garments, chance=chance)
    return ImaginedPicture(place=place.name, published=published, truth=truth, painted=painted)


def set_stage(number: int, *, seed: int) -> tuple[Stage, Place]:
    """Return the stage of a scene, furnished but not yet drawn, and its place.

    Raises:
        RecipeError: for a negative number.
    """
    if number < 0:
        raise RecipeError(f"scenes are numbered from 0, got {number}")
    chance = Chance(derive(seed, "imagine", number))
    place = chance.choose_weighted(PLACES, [place.weight for place in PLACES])
    width, height = chance.choose_weighted(SIZES, SIZE_WEIGHTS)
    stage = Stage(width, height, chance)
    place.furnish(stage, _how_many(chance))
    return stage, place


def show_stage(stage: Stage, image_id: str, place: Place) -> tuple[tuple[int, ...], ImaginedPicture]:
    """Draw what is on a stage, and tell all that is true of it, which is published, too.

    Returns:
        The numbers on the stage of the objects of the truth, and the picture.
    """
    things, truth, painted = _show(stage, image_id, place.location)
    picture = ImaginedPicture(place=place.name, published=truth, truth=truth, painted=painted)
    return tuple(thing.number for thing in things), picture


def _show(stage: Stage, image_id: str, location: str) -> tuple[list[Thing], SceneGraph, tuple[OwnedShapes, ...]]:
    things = sorted((thing for thing in stage.things if thing.level != "gone"), key=lambda thing: thing.path)
    things, painted, owners = _without_the_hidden(stage, things)
    return things, _tell(stage, things, owners, image_id, location), painted


def draw_imagined(imagined: ImaginedPicture, *, without: int | None = None) -> Image:
    """Draw the picture of a scene as a Pillow image, with one object of the truth left out if asked."""
    painted = (layer for layer in imagined.painted if without is None or layer.owner != without)
    return paint(painted, imagined.truth.width, imagined.truth.height)


def _how_many(chance: Chance) -> float:
    """Return how many things to put on the stage, as many as GQA names: 17 on average."""
    draw = sum(chance.fraction() for _ in range(3)) / 3
    return FEWEST + 1 + (MOST - FEWEST - 2) * min(1.0, max(0.0, draw * 1.25 - 0.155))


def _without_the_hidden(stage: Stage, things: list[Thing]) -> tuple[list[Thing], tuple[OwnedShapes, ...], Owners]:
    """The things of which enough can be seen, painted; those that stand on a thing that goes, go with it."""
    while True:
        painted = _paint_things(stage, things)
        owners = who_owns(painted, len(things), stage.width, stage.height)
        gone = _find_hidden(things, owners)
        if not gone:
            return things, painted, owners
        things = [thing for thing in things if not _goes(thing, gone, stage)]


def _goes(thing: Thing, gone: set[int], stage: Stage) -> bool:
    """Return whether a thing goes, or what it is on does."""
    return thing.number in gone or (thing.host is not None and _goes(stage.things[thing.host], gone, stage))


def _find_hidden(things: list[Thing], owners: Owners) -> set[int]:
    """The numbers of things of which too little can be seen; what is on a thing does not hide it."""
    place = {thing.number: i for i, thing in enumerate(things)}
    shown = owners.visible.copy()
    for i, thing in enumerate(things):
        if thing.host in place:
            shown[place[thing.host]] += owners.covers[i, place[thing.host]]
    sides = owners.boxes[:, 2:] - owners.boxes[:, :2]
    is_too_small = (sides < SMALLEST_PX * OVERSAMPLING).any(1)
    is_hidden = (shown < (1 - HIDDEN) * owners.alone) | (owners.visible < BARELY * owners.alone)
    is_backdrop = np.array([thing.level == "backdrop" for thing in things])
    return {things[i].number for i in np.flatnonzero(is_too_small | (is_hidden & ~is_backdrop)).tolist()}


def _paint_things(stage: Stage, things: Sequence[Thing]) -> tuple[OwnedShapes, ...]:
    place = {thing.number: i for i, thing in enumerate(things)}
    layers = []
    for i, thing in enumerate(things):
        shade = _shade(thing)
        if shade is not None:
            layers.append(OwnedShapes(-1, (shade,)))
        pen = Pen(thing.frame, thing.look)
        SPRITES[thing.sprite](pen)
        layers.append(OwnedShapes(i, tuple(pen.shapes), thing.level == "backdrop"))
    for kite, person in stage.strings:
        if kite in place and person in place:
            layers.append(OwnedShapes(-1, (_string(stage.things[kite], stage.things[person]),)))
    return tuple(layers)


def _shade(thing: Thing) -> Shape | None:
    """The shade of what stands on something, which belongs to nobody."""
    if thing.level not in ("ground", "top") or thing.foot <= 0 or thing.look.state == "flying":
        return None
    left, _, right, _ = thing.box
    inset, high = 0.06 * (right - left), min(0.1 * (right - left), 9.0)
    corners = ((left + inset, thing.foot - high), (right - inset, thing.foot + 0.6 * high))
    return Shape(OVAL, corners, Paint((20, 22, 34), opacity=0.2))


def _string(kite: Thing, person: Thing) -> Shape:
    assert person.look.body is not None
    points = (kite.frame.at(0.46, 0.66), person.frame.at(*person.look.body.hand))
    return Shape(LIMB, points, Paint((90, 90, 96), opacity=0.8), 0.9)


def _tell(stage: Stage, things: list[Thing], owners: Owners, image_id: str, location: str) -> SceneGraph:
    """Return everything that is true of the finished picture."""
    boxes = _boxes(things, owners)
    place = {thing.number: i for i, thing in enumerate(things)}
    links: list[dict[Link, None]] = [{} for _ in things]
    ids = [f"{image_id}{i:03d}" for i in range(len(things))]
    recorded = [(place[one], name, place[other]) for one, name, other in stage.links if one in place and other in place]
    for one, relation, other in (*recorded, *seen_relations(things, boxes, owners, (stage.width, stage.height))):
        if is_borne_out(relation, boxes[one], boxes[other]):
            links[one][Link(relation, ids[other])] = None
    doubtful = sizes_in_doubt([thing.name for thing in things], [thing.words for thing in things], boxes)
    objects = []
    for i, thing in enumerate(things):
        words = dict.fromkeys(word for word in thing.words if i not in doubtful or word not in SIZE_WORDS)
        objects.append(GraphObject(ids[i], thing.name, boxes[i], tuple(words), tuple(links[i])))
    return with_left_right(SceneGraph(image_id, stage.width, stage.height, tuple(objects), location))


def _boxes(things: Sequence[Thing], owners: Owners) -> list[Box]:
    """The tight box of each thing, whole pixels; who wears something reaches as far as what they wear."""
    edges = owners.boxes.copy()
    for i, root in enumerate(roots(things)):
        edges[root, :2] = np.minimum(edges[root, :2], owners.boxes[i, :2])
        edges[root, 2:] = np.maximum(edges[root, 2:], owners.boxes[i, 2:])
    low, high = edges[:, :2] // OVERSAMPLING, -(-edges[:, 2:] // OVERSAMPLING)
    return [Box(x, y, u - x, v - y) for (x, y), (u, v) in zip(low.tolist(), high.tolist(), strict=True)]
