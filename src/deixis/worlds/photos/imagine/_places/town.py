"""Streets, stations and harbours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._appearance import draw_appearance
from deixis.worlds.photos.imagine._cast import sail
from deixis.worlds.photos.imagine._kinds import KINDS
from deixis.worlds.photos.imagine._places.props import (
    bench,
    boat,
    busy_person,
    fill,
    in_the_sky,
    on_the_ground,
    range_of_hills,
    rider,
)
from deixis.worlds.photos.imagine._placing import backdrop, fix, float_on, scenery, stand, stand_at


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._appearance import Appearance
    from deixis.worlds.photos.imagine._stage import Stage, Thing


IN_TOWN = ("bag", "umbrella", "backpack", "phone", "purse", "suitcase", "sandwich", "donut", "cup", "book", "box")
TRAFFIC = ("car", "bus", "truck", "van", "taxi", "motorcycle", "bike")


def street(stage: Stage, most: float) -> None:
    """Furnish a street: houses, a pavement, cars, people on their way."""
    sky = backdrop(stage, "sky", 0.0, 0.6)
    walk = backdrop(stage, "sidewalk", 0.54, 0.68)
    way = backdrop(stage, stage.pick(("street", "road")), 0.67, 1.0)
    stage.perspective(0.54, 48, 76)
    _houses(stage, 0.56 * stage.height)
    litter = ("trash can", "fire hydrant", "bench", "cone", "dog", "box", "bag", "sign", "suitcase")
    fill(
        stage,
        max(most, stage.said + 7),
        (4.0, lambda: _drive(stage, way)),
        (3.0, lambda: _post(stage, walk)),
        (5.0, lambda: _passer_by(stage, walk, way)),
        (1.0, lambda: rider(stage, way, ("bike", "motorcycle", "skateboard", "horse"), depth=(0.15, 0.9))),
        (2.5, lambda: stand(stage, stage.pick(litter, again=0.3), walk, depth=(0.3, 0.95))),
        (1.6, lambda: stand(stage, stage.pick(("tree", "bush", "plant")), walk, depth=(0.1, 0.4))),
        (0.8, lambda: in_the_sky(stage, sky, ("cloud", "bird", "airplane"))),
    )


def station(stage: Stage, most: float) -> None:
    """Furnish a station: a train at a platform, people with luggage."""
    sky = backdrop(stage, "sky", 0.0, 0.5)
    tracks = backdrop(stage, "train tracks", 0.5, 0.64)
    platform = backdrop(stage, "platform", 0.62, 1.0)
    stage.perspective(0.5, 52, 84)
    if stage.chance.happens(0.7):
        _houses(stage, 0.5 * stage.height, most=2)
    if stage.chance.happens(0.85):
        stand_at(stage, "train", tracks, stage.chance.between(0.25, 0.75) * stage.width, 0.615 * stage.height)
    luggage = ("suitcase", "bag", "backpack", "box", "cart")
    about = ("trash can", "plant", "bird", "dog", "bike")
    fill(
        stage,
        most + 2,
        (5.2, lambda: _traveller(stage, platform)),
        (2.4, lambda: stand(stage, stage.pick(luggage, again=0.5), platform, depth=(0.2, 0.96))),
        (2.0, lambda: _post(stage, platform)),
        (1.6, lambda: bench(stage, platform, (0.25, 0.8))),
        (1.6, lambda: on_the_ground(stage, platform, about, (0.2, 0.95))),
        (0.6, lambda: in_the_sky(stage, sky, ("cloud", "bird"))),
    )


def harbour(stage: Stage, most: float) -> None:
    """Furnish a harbour: boats on the water, people on a dock."""
    chance = stage.chance
    sky = backdrop(stage, "sky", 0.0, 0.42)
    water = backdrop(stage, "water", 0.38, 1.0)
    dock = backdrop(stage, "dock", 0.8, 1.0)
    stage.perspective(0.38, 34, 72)
    if chance.happens(0.6):
        range_of_hills(stage, 0.39)
    if chance.happens(0.4):
        wide, high = stage.width, stage.height
        scenery(stage, "bridge", (0.1 * wide, 0.26 * high, 0.9 * wide, 0.42 * high))
    elif chance.happens(0.5):
        _houses(stage, 0.4 * stage.height, most=2, share=0.6)
    carried = ("umbrella", "bag", "bucket", "backpack", "phone", "hot dog", "flag")
    about = ("pole", "flag", "bucket", "box", "bench", "dog", "bird", "street light", "suitcase", "trash can", "chair")
    fill(
        stage,
        most,
        (4.2, lambda: _boat_with_crew(stage, water)),
        (3.4, lambda: busy_person(stage, dock, carried, depth=(0.15, 0.6))),
        (3.0, lambda: on_the_ground(stage, dock, about, (0.12, 0.6))),
        (1.6, lambda: _duck(stage, water)),
        (1.6, lambda: in_the_sky(stage, sky, ("cloud", "bird", "airplane", "sun"))),
    )


def house(stage: Stage, left: float, base: float, width: float) -> None:
    """Put down a house with two windows and a door."""
    home = scenery(stage, "house", (left, base - 0.74 * width, left + width, base))
    _fit_out(stage, home, columns=2, rows=1, top=0.5, has_door=True)


def _houses(stage: Stage, base: float, *, most: int = 3, share: float = 1.0) -> None:
    """Put down houses side by side, `share` of their usual size."""
    chance = stage.chance
    x = chance.between(-0.15, 0.1) * stage.width
    for _ in range(chance.count(2, most)):
        width = chance.between(0.24, 0.42) * stage.width * share
        if chance.happens(0.22):
            house(stage, x, base, width)
        else:
            height = chance.between(0.5, 0.92) * base * (share if share < 1 else 1.0)
            building = scenery(stage, "building", (x, base - height, x + width, base))
            building.words += ["tall"] if height > 0.8 * base else []
            columns, rows = chance.count(1, 2), chance.count(1, 2)
            _fit_out(stage, building, columns=columns, rows=rows, top=0.12, has_door=share == 1)
        x += width + chance.between(0.02, 0.12) * stage.width
        if x > 0.92 * stage.width:
            return


def _fit_out(stage: Stage, building: Thing, *, columns: int, rows: int, top: float, has_door: bool) -> None:
    """Add windows in rows, a door below, perhaps a sign over it."""
    chance = stage.chance
    left, y0, right, y1 = building.box
    w, h = right - left, y1 - y0
    high = min(0.26 * h if rows > 1 else 0.3 * h, 0.34 * w)
    look = draw_appearance(KINDS["window"], chance, shape="", state="")
    for row in range(rows):
        for column in range(columns):
            x = left + w * ((column + 0.5) / columns if building.name != "house" else 0.28 + 0.46 * column)
            y = y0 + h * top + row * 1.35 * high
            if x - 0.4 * high > 2 and x + 0.4 * high < stage.width - 2:
                seen = _in_state(look, chance.choice(("closed", "closed", "closed", "open", "lit")))
                box = (x - 0.4 * high, y, x + 0.4 * high, y + high)
                fix(stage, "window", building, box, seen=seen, verbs=("of",))
    if has_door:
        tall = min(0.36 * h, 1.5 * high)
        share = 0.51 if building.name == "house" else (chance.below(columns + 1) + 0.5) / (columns + 1)
        x = min(max(left + w * share, left + 0.4 * tall), right - 0.4 * tall)
        fix(stage, "door", building, (x - 0.24 * tall, y1 - tall, x + 0.24 * tall, y1), verbs=("of",))
        if building.name != "house" and chance.happens(0.3):
            half, low = min(0.25 * w, 40 * stage.unit), y1 - tall - 4
            x = min(max(x, left + half), right - half)
            fix(stage, "sign", building, (x - half, low - 0.68 * half, x + half, low), shape="rectangular", size="")


def _in_state(look: Appearance, state: str) -> Appearance:
    """Return the look of a window that is closed, open or lit."""
    said = ("lit", "closed") if state == "lit" else (state,)
    return look._replace(look=replace(look.look, state=state), words=(*look.words, *said))


def _drive(stage: Stage, way: Thing) -> None:
    is_parked = stage.chance.happens(0.6)
    name = stage.pick(TRAFFIC, again=0.5)
    vehicle = stand(stage, name, way, depth=(0.25, 0.92), verbs=("parked on",) if is_parked else ())
    if vehicle is not None and is_parked:
        vehicle.words.append("parked")


def _post(stage: Stage, ground: Thing) -> None:
    """Put down something tall and thin: a light, or a pole with a sign on it."""
    name = stage.pick(("pole", "street light", "traffic light"))
    post = stand(stage, name, ground, depth=(0.35, 0.9))
    if post is None or name != "pole":
        return
    board = stage.pick(("sign", "stop sign", "street sign", "clock"))
    left, top, right, _ = post.box
    x, half = (left + right) / 2, 0.33 * post.scale
    high = 2 * half * {"street sign": 0.3, "sign": 0.75}.get(board, 1.0)
    box = (x - half, top + 3, x + half, top + 3 + high)
    if box[0] > 2 and box[2] < stage.width - 2 and box[1] > 1:
        fix(stage, board, post, box, level="held", verbs=("attached to",), size="", shape=KINDS[board].shapes[0])


def _passer_by(stage: Stage, walk: Thing, way: Thing) -> None:
    on_street = stage.chance.happens(0.3)
    somebody = busy_person(stage, way if on_street else walk, IN_TOWN, depth=(0.2, 0.9))
    if somebody is not None and on_street and "walking" in somebody.words:
        stage.link(somebody, "crossing", way)


def _traveller(stage: Stage, platform: Thing) -> None:
    carried = ("suitcase", "bag", "backpack", "phone", "book", "umbrella", "cup", "purse")
    busy_person(stage, platform, carried, depth=(0.12, 0.95))


def _boat_with_crew(stage: Stage, water: Thing) -> None:
    afloat = boat(stage, water, (0.12, 0.64))
    if afloat is not None and stage.chance.happens(0.4):
        sail(stage, stage.pick(("man", "woman", "boy")), afloat)


def _duck(stage: Stage, water: Thing) -> None:
    duck = stand(stage, "duck", water, depth=(0.3, 0.62))
    if duck is not None:
        float_on(stage, duck, water)
