"""Rooms: a wall, a floor, furniture along the wall, and things on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._appearance import draw_appearance
from deixis.worlds.photos.imagine._cast import seat
from deixis.worlds.photos.imagine._kinds import KINDS
from deixis.worlds.photos.imagine._places.props import busy_person, fill
from deixis.worlds.photos.imagine._placing import backdrop, fix, hang, lay, put_along, put_in, put_on, repaint, stand


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos.imagine._stage import Stage, Thing


FRUIT = ("apple", "orange", "banana")
ON_SHELVES = ("book", "vase", "box", "plant", "candle", "cup", "basket", "lamp")
SNACKS = ("pizza", "sandwich", "donut", "cake", "bread", "apple")


def living_room(stage: Stage, most: float) -> None:
    """Furnish a living room: a couch, a low table, pictures, a screen, a person on the couch."""
    wall, floor = _room(stage)
    chance = stage.chance
    _window(stage, wall)
    couch = put_along(stage, "couch", floor, wall)
    if chance.happens(0.6):
        rug = lay(stage, "rug", floor, depth=(0.5, 0.92))
        if rug is not None and chance.happens(0.5):
            seat(stage, stage.pick(("dog", "cat")), rug, "lying")
    furniture = put_along(stage, stage.pick(("cabinet", "shelf", "fireplace")), floor, wall)
    if furniture is not None and furniture.name == "cabinet":
        put_on(stage, "television", furniture)
    table = stand(stage, "table", floor, depth=(0.45, 0.8), size="small")
    if couch is not None:
        for _ in range(chance.count(0, 3)):
            put_on(stage, "pillow", couch)
        for _ in range(chance.choose_weighted((0, 1, 2), (3, 5, 2))):
            name = stage.pick(("man", "woman", "girl", "boy", "cat", "dog"))
            seat(stage, name, couch, "lying" if name in ("cat", "dog") and chance.happens(0.6) else "sitting")
    small = "book vase cup lamp candle plant remote_control phone bowl laptop basket glass"
    large = "chair plant lamp bag box basket speaker fan dog cat teddy_bear book"
    _furnish(stage, most, (wall, floor), (furniture, table), (small, "picture mirror clock", large))


def bedroom(stage: Stage, most: float) -> None:
    """Furnish a bedroom: a bed with pillows and a blanket."""
    wall, floor = _room(stage)
    chance = stage.chance
    _window(stage, wall)
    bed = put_along(stage, "bed", floor, wall)
    furniture = put_along(stage, stage.pick(("cabinet", "shelf", "desk")), floor, wall)
    if bed is not None:
        for _ in range(chance.count(1, 3)):
            put_on(stage, "pillow", bed)
        if chance.happens(0.45):
            _cover(stage, bed)
        elif chance.happens(0.7):
            seat(stage, stage.pick(("man", "woman", "girl", "cat", "dog")), bed, "lying")
        put_on(stage, stage.pick(("teddy bear", "book", "bag", "cat", "laptop")), bed)
    if chance.happens(0.6):
        lay(stage, "rug", floor, depth=(0.5, 0.95))
    small = "book lamp vase cup candle phone box plant fan glass"
    large = "chair lamp basket bag suitcase teddy_bear box cat plant trash_can"
    _furnish(stage, most, (wall, floor), (furniture,), (small, "picture mirror clock", large))


def kitchen(stage: Stage, most: float) -> None:
    """Furnish a kitchen: a worktop, a stove, a table with food on it."""
    wall, floor = _room(stage, tiled=0.5)
    chance = stage.chance
    _window(stage, wall)
    names = chance.permutation(("counter", "stove", "refrigerator", "cabinet"))
    tops = [put_along(stage, name, floor, wall) for name in names[: chance.count(2, 4)]]
    table = stand(stage, "table", floor, depth=(0.5, 0.85), size="")
    if table is not None:
        bowl = put_on(stage, "bowl", table)
        if bowl is not None and chance.happens(0.7):
            _fill_bowl(stage, bowl)
    if chance.happens(0.5):
        busy_person(stage, floor, ("cup", "bottle", "phone", "sandwich", "apple", "bag"), depth=(0.2, 0.8))
    small = (
        "plate cup bowl bottle pot pan microwave knife jar bread vase glass apple banana orange cake pizza tomato "
        "carrot box basket"
    )
    large = "chair trash_can dog cat basket box plant bag bucket"
    _furnish(stage, most, (wall, floor), (*tops, table, table), (small, "clock picture towel", large))


def bathroom(stage: Stage, most: float) -> None:
    """Furnish a bathroom: tiles, a toilet, a basin under a mirror, towels."""
    wall, floor = _room(stage, tiled=1.0)
    chance = stage.chance
    tops = []
    for name in chance.permutation(("toilet", "sink", "bathtub", "cabinet"))[: chance.count(3, 4)]:
        thing = put_along(stage, name, floor, wall)
        if thing is None:
            continue
        if name == "cabinet":
            tops.append(thing)
        elif name in ("sink", "bathtub"):
            _tap(stage, thing)
        if name == "sink":
            _mirror_above(stage, wall, thing)
    _window(stage, wall)
    if chance.happens(0.6):
        lay(stage, "rug", floor, depth=(0.5, 0.95), size="small")
    small = "bottle towel candle vase cup box toilet_paper plant basket"
    large = "trash_can basket plant cat bucket toilet_paper chair bottle box"
    _furnish(stage, most, (wall, floor), tops, (small, "towel mirror picture toilet_paper clock", large))


def office(stage: Stage, most: float) -> None:
    """Furnish an office: desks with screens, chairs, shelves of books."""
    wall, floor = _room(stage)
    chance = stage.chance
    window = _window(stage, wall)
    if window is not None and chance.happens(0.5):
        left, top, right, bottom = window.box
        blinds = fix(stage, "blinds", window, (left, top, right, top + 0.62 * (bottom - top)))
        stage.link(blinds, "covering", window)
    tops: list[Thing | None] = []
    for _ in range(chance.count(1, 2)):
        desk = stand(stage, "desk", floor, depth=(0.3, 0.8))
        if desk is not None:
            tops += [desk, desk]
            put_on(stage, stage.pick(("monitor", "laptop")), desk)
            put_on(stage, "keyboard", desk)
    tops.append(put_along(stage, stage.pick(("shelf", "cabinet")), floor, wall))
    if chance.happens(0.55):
        chair = stand(stage, "chair", floor, depth=(0.5, 0.95), size="")
        if chair is not None and chance.happens(0.7):
            seat(stage, stage.pick(("man", "woman")), chair)
    if chance.happens(0.4):
        name = stage.pick(("man", "woman"))
        busy_person(stage, floor, ("paper", "phone", "cup", "book", "bag"), name=name, depth=(0.3, 0.9))
    small = "book paper computer_mouse cup phone pen lamp plant bottle monitor laptop box speaker"
    large = "chair trash_can plant box bag backpack fan suitcase"
    _furnish(stage, most, (wall, floor), tops, (small, "picture clock sign", large))


def _room(stage: Stage, *, tiled: float = 0.0) -> tuple[Thing, Thing]:
    """Put down a wall and a floor, tiled with some probability."""
    chance = stage.chance
    edge = chance.between(0.62, 0.68)
    stage.perspective(edge, 116, 138)
    is_tiled = chance.happens(tiled)
    wall = backdrop(stage, "wall", 0.0, edge, **({"material": "tiled", "pattern": ""} if is_tiled else {}))
    floor = backdrop(stage, "floor", edge, 1.0, **({"material": "tiled"} if is_tiled and chance.happens(0.6) else {}))
    if floor.look.color == wall.look.color:
        repaint(floor, "brown")
    return wall, floor


def _window(stage: Stage, wall: Thing) -> Thing | None:
    """Put down a window, mostly; sometimes between curtains."""
    chance = stage.chance
    if chance.happens(0.25):
        return None
    state = chance.choice(("closed", "closed", "open"))
    window = hang(stage, "window", wall, high=(0.08, 0.2), verbs=(), state=state, shape="")
    if window is None:
        return None
    window.sprite = "indoor window"
    if chance.happens(0.45):
        left, top, right, bottom = window.box
        wide = 0.3 * (right - left)
        look = draw_appearance(KINDS["curtain"], chance)
        for x in (left - 0.75 * wide, right - 0.25 * wide):
            box = (x, top - 6, x + wide, bottom + 14)
            fix(stage, "curtain", wall, box, seen=look, verbs=("hanging on",), level="wall")
    return window


def _tap(stage: Stage, basin: Thing) -> None:
    left, top, right, bottom = basin.box
    h = 0.28 * basin.scale
    x = (left + right) / 2 if basin.name == "sink" else right - 0.16 * (right - left)
    y = top + 0.1 * (bottom - top)
    fix(stage, "faucet", basin, (x - 0.4 * h, y - h, x + 0.4 * h, y), level="top")


def _mirror_above(stage: Stage, wall: Thing, sink: Thing) -> None:
    left, top, right, bottom = sink.box
    w = 0.8 * (right - left)
    x, low = (left + right) / 2, top - 0.42 * (bottom - top)
    box = (x - w / 2, low - 1.15 * w, x + w / 2, low)
    if box[1] > 6:
        fix(stage, "mirror", wall, box, verbs=("hanging on",), level="wall", shape="rectangular")


def _cover(stage: Stage, bed: Thing) -> None:
    """Put a blanket over the foot of a bed."""
    left, top, right, bottom = bed.box
    w, h = right - left, bottom - top
    x = left + (0.06 if bed.frame.across < 0 else 0.44) * w
    box = (x, top + 0.36 * h, x + 0.5 * w, top + 0.82 * h)
    if any(a < box[2] and b > box[0] for a, b, _ in bed.taken):
        return
    blanket = fix(stage, "blanket", bed, box, verbs=("on top of", "covering"), level="top")
    stage.link(bed, "under", blanket)
    bed.taken.append((x, x + 0.5 * w, 0))


def _furnish(
    stage: Stage,
    most: float,
    room: tuple[Thing, Thing],
    supports: Sequence[Thing | None],
    names: tuple[str, str, str],
) -> None:
    """Go on with things on furniture, on the wall and on the floor; the names are for these three."""
    wall, floor = room
    tops = [support for support in supports if support is not None]
    small, hung, large = (tuple(name.replace("_", " ") for name in some.split()) for some in names)
    fill(
        stage,
        most,
        (5.0 if tops else 0.0, lambda: _put_away(stage, stage.chance.choice(tops), small)),
        (2.2, lambda: hang(stage, stage.pick(hung, again=0.2), wall)),
        (2.0, lambda: _put_down(stage, floor, stage.pick(large, again=0.4))),
    )


def _put_down(stage: Stage, floor: Thing, name: str) -> None:
    thing = stand(stage, name, floor, depth=(0.12, 0.97))
    if thing is not None and name == "basket" and stage.chance.happens(0.4):
        put_in(stage, stage.pick(("ball", "towel", "bread")), thing)


def _put_away(stage: Stage, support: Thing, small: tuple[str, ...]) -> None:
    names = {"shelf": tuple(name for name in small if name in ON_SHELVES), "stove": ("pot", "pan")}
    name = stage.pick(names.get(support.name, small) or small, again=0.5)
    thing = put_on(stage, name, support)
    if thing is None or stage.chance.happens(0.3):
        return
    if name == "vase":
        for _ in range(stage.chance.count(1, 3)):
            put_in(stage, "flower", thing, size="")
    elif name == "bowl":
        _fill_bowl(stage, thing)
    elif name == "plate":
        put_on(stage, stage.pick(SNACKS), thing, size="")


def _fill_bowl(stage: Stage, bowl: Thing) -> None:
    for _ in range(stage.chance.count(1, 3)):
        put_in(stage, stage.pick(FRUIT, again=0.5), bowl)
