"""What is met with in more than one place outdoors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.graphs.imagine.cast import seat
from deixis.worlds.graphs.imagine.kinds import KINDS
from deixis.worlds.graphs.imagine.placing import fix, float_in, float_on, put_on, scenery, stand


if TYPE_CHECKING:
    from deixis.worlds.graphs.imagine.stage import Stage, Thing


__all__ = ["bench", "boat", "fence", "in_the_sky", "on_the_ground", "range_of_hills"]

SKY_SCALES = {"cloud": 44.0, "bird": 90.0, "airplane": 17.0, "sun": 52.0, "kite": 56.0}  # pixels to the metre


def bench(stage: Stage, ground: Thing, depth: tuple[float, float]) -> None:
    """A bench, perhaps with somebody or something on it."""
    seats = stand(stage, "bench", ground, depth=depth)
    if seats is None:
        return
    for _ in range(stage.chance.weighted((0, 1, 2), (3, 5, 2))):
        name = stage.pick(("man", "woman", "girl", "boy", "bag", "cat", "backpack"))
        if name in ("bag", "backpack"):
            put_on(stage, name, seats, size="")
        else:
            seat(stage, name, seats)


def boat(stage: Stage, water: Thing, depth: tuple[float, float]) -> Thing | None:
    """A boat on the water."""
    afloat = stand(stage, "boat", water, depth=depth)
    if afloat is not None:
        float_on(stage, afloat, water)
    return afloat


def fence(stage: Stage, ground: Thing, y: float, *, boards: int = 0) -> None:
    """A fence right across, perhaps with boards on it."""
    high = (0.11 if boards else 0.085) * stage.height
    across = scenery(stage, "fence", (-4.0, y - high, stage.width + 4.0, y))
    stage.link(across, "on", ground)
    for i in range(boards):
        x = (0.05 + 0.3 * i + stage.chance.between(0, 0.08)) * stage.width
        box = (x, y - 0.92 * high, x + 0.2 * stage.width, y - 0.12 * high)
        fix(stage, "sign", across, box, shape="rectangular", size="")


def range_of_hills(stage: Stage, base: float) -> None:
    """A hill or a mountain on the horizon, at a share of the picture's height."""
    left = stage.chance.between(-0.1, 0.4) * stage.width
    high = stage.chance.between(0.12, 0.26) * stage.height
    foot = base * stage.height
    scenery(stage, stage.pick(("mountain", "hill")), (left, foot - high, left + 0.75 * stage.width, foot), size="")


def on_the_ground(stage: Stage, ground: Thing, names: tuple[str, ...], depth: tuple[float, float]) -> Thing | None:
    """One of several things, or an animal that does not fly."""
    name = stage.pick(names, again=0.4)
    poses = tuple(state for state in KINDS[name].states if state not in ("flying", "eating"))
    return stand(stage, name, ground, depth=depth, state=stage.chance.choice(poses))


def in_the_sky(stage: Stage, sky: Thing, names: tuple[str, ...]) -> None:
    """A cloud, the sun, or something that flies."""
    name = stage.pick(names, again=0.3)
    if name == "sun" and stage.count("sun"):
        return
    flies = name in ("bird", "airplane", "kite")
    fixed = {"state": "flying"} if name == "bird" else {}
    verbs = ("flying in",) if flies else ()
    thing = float_in(stage, name, sky, scale=SKY_SCALES[name] * stage.unit, verbs=verbs, **fixed)
    if thing is not None and flies and name != "bird":
        thing.words.append("flying")
