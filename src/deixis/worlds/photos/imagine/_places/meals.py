"""A laid table that fills the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._places.props import fill
from deixis.worlds.photos.imagine._placing import backdrop, put_in, put_on


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._stage import Stage, Thing


ON_PLATES = (
    *("pizza", "donut", "sandwich", "cake", "hot dog", "broccoli", "carrot", "tomato", "egg", "bread", "cheese"),
    *("fries", "banana"),
)
IN_BOWLS = ("apple", "orange", "broccoli", "tomato", "carrot", "banana", "pepper")
BESIDE = (
    *("glass", "cup", "bottle", "fork", "knife", "spoon", "napkin", "wine glass", "bread", "candle", "vase", "apple"),
    *("orange", "banana", "donut", "pepper", "tomato", "jar", "cheese", "bowl", "tray", "basket"),
)
BARE, CLOTHS = ("brown", "light brown", "tan", "dark brown"), ("white", "light blue")
SCALE = 470.0  # pixels to the metre


def meal(stage: Stage, most: float) -> None:
    """Lay a table: plates and bowls with food, cutlery, glasses."""
    chance = stage.chance
    edge = chance.between(0.1, 0.2)
    backdrop(stage, "wall", 0.0, edge + 0.02, pattern="", material="")
    if chance.happens(0.6):
        fixed = {"color": chance.choice(BARE), "material": "wood", "pattern": ""}
    else:
        fixed = {"color": chance.choice(CLOTHS), "material": "", "pattern": chance.choice(("checkered", "striped", ""))}
    table = backdrop(stage, "table", edge, 1.0, shape="rectangular", size="", **fixed)
    table.sprite, table.scale = "tabletop", SCALE * stage.unit
    for _ in range(chance.count(2, 4)):
        _serve(stage, table)
    fill(stage, most, (1.0, lambda: _serve(stage, table)), (5.0, lambda: _lay_beside(stage, table)))


def _serve(stage: Stage, table: Thing) -> None:
    """Put down a plate or a bowl with something on it."""
    chance = stage.chance
    if chance.happens(0.3):
        bowl = put_on(stage, "bowl", table)
        if bowl is not None:
            _fill_bowl(stage, bowl)
        return
    plate = put_on(stage, "plate", table, size="large" if chance.happens(0.4) else "")
    if plate is None:
        return
    food = stage.pick(ON_PLATES, again=0.3)
    for _ in range(1 if food in ("pizza", "cake") else chance.count(1, 2)):
        put_on(stage, food, plate, size="")
    if chance.happens(0.3):
        put_on(stage, stage.pick(("fork", "knife")), table)


def _lay_beside(stage: Stage, table: Thing) -> None:
    """Put down something between the plates, with its content."""
    chance = stage.chance
    thing = put_on(stage, stage.pick(BESIDE, again=0.45), table)
    if thing is None:
        return
    if thing.name == "vase":
        for _ in range(chance.count(1, 3)):
            put_in(stage, "flower", thing, size="")
    elif thing.name == "basket":
        for _ in range(chance.count(1, 2)):
            put_in(stage, stage.pick(("bread", "apple", "orange", "banana"), again=0.5), thing, size="")
    elif thing.name == "bowl" and chance.happens(0.7):
        _fill_bowl(stage, thing)
    elif thing.name == "tray":
        for _ in range(chance.count(1, 3)):
            put_on(stage, stage.pick(("donut", "cup", "sandwich", "fries"), again=0.6), thing, size="small")


def _fill_bowl(stage: Stage, bowl: Thing) -> None:
    food = stage.pick(IN_BOWLS)
    for _ in range(stage.chance.count(1, 3)):
        put_in(stage, food, bowl, size="")
