"""Props of more than one outdoor place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._cast import Grip, hold, person, reach, ride, seat, stand_on_board, wear
from deixis.worlds.photos.imagine._kinds import KINDS
from deixis.worlds.photos.imagine._placing import fix, float_in, float_on, put_on, scenery, stand


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.photos.imagine._stage import Stage, Thing

ACTS = 60  # most acts on one stage


def fill(stage: Stage, most: float, *acts: tuple[float, Callable[[], object]]) -> None:
    """Do one of the acts after another, each in proportion to its weight, until about so many things are there."""
    weights = [weight for weight, _ in acts]
    for _ in range(ACTS):
        if stage.said >= most:
            return
        stage.chance.choose_weighted(acts, weights)[1]()


SKY_SCALES = {"cloud": 44.0, "bird": 90.0, "airplane": 17.0, "sun": 52.0, "kite": 56.0}  # pixels to the metre


def bench(stage: Stage, ground: Thing, depth: tuple[float, float]) -> None:
    """Put down a bench, perhaps with a person or a thing on it."""
    seats = stand(stage, "bench", ground, depth=depth)
    if seats is None:
        return
    for _ in range(stage.chance.choose_weighted((0, 1, 2), (3, 5, 2))):
        name = stage.pick(("man", "woman", "girl", "boy", "bag", "cat", "backpack"))
        if name in ("bag", "backpack"):
            put_on(stage, name, seats, size="")
        else:
            seat(stage, name, seats)


def boat(stage: Stage, water: Thing, depth: tuple[float, float]) -> Thing | None:
    """Put down a boat on the water."""
    afloat = stand(stage, "boat", water, depth=depth)
    if afloat is not None:
        float_on(stage, afloat, water)
    return afloat


def fence(stage: Stage, ground: Thing, y: float, *, boards: int = 0) -> None:
    """Put down a fence right across, perhaps with boards on it."""
    high = (0.11 if boards else 0.085) * stage.height
    across = scenery(stage, "fence", (-4.0, y - high, stage.width + 4.0, y))
    stage.link(across, "on", ground)
    for i in range(boards):
        x = (0.05 + 0.3 * i + stage.chance.between(0, 0.08)) * stage.width
        box = (x, y - 0.92 * high, x + 0.2 * stage.width, y - 0.12 * high)
        fix(stage, "sign", across, box, shape="rectangular", size="")


def range_of_hills(stage: Stage, base: float) -> None:
    """Put down a hill or a mountain on the horizon, at a share of the picture's height."""
    left = stage.chance.between(-0.1, 0.4) * stage.width
    high = stage.chance.between(0.12, 0.26) * stage.height
    foot = base * stage.height
    scenery(stage, stage.pick(("mountain", "hill")), (left, foot - high, left + 0.75 * stage.width, foot), size="")


def on_the_ground(stage: Stage, ground: Thing, names: tuple[str, ...], depth: tuple[float, float]) -> Thing | None:
    """Put down one of several things, or an animal that does not fly."""
    name = stage.pick(names, again=0.4)
    poses = tuple(state for state in KINDS[name].states if state not in ("flying", "eating"))
    return stand(stage, name, ground, depth=depth, state=stage.chance.choice(poses))


def in_the_sky(stage: Stage, sky: Thing, names: tuple[str, ...]) -> None:
    """Put down a cloud, the sun, or something that flies."""
    name = stage.pick(names, again=0.3)
    if name == "sun" and stage.count("sun"):
        return
    flies = name in ("bird", "airplane", "kite")
    fixed = {"state": "flying"} if name == "bird" else {}
    verbs = ("flying in",) if flies else ()
    thing = float_in(stage, name, sky, scale=SKY_SCALES[name] * stage.unit, verbs=verbs, **fixed)
    if thing is not None and flies and name != "bird":
        thing.words.append("flying")


CARRIED = {  # in a hanging arm
    "bag": Grip(0.27, 0.5, 0.05),
    "purse": Grip(0.2, 0.5, 0.04),
    "suitcase": Grip(0.42, 0.5, 0.04),
    "box": Grip(0.2, 0.5, 0.6),
    "surfboard": Grip(1.0, 0.5, 0.5),
    "basket": Grip(0.26, 0.5, 0.05),
    "bucket": Grip(0.24, 0.5, 0.06),
}
HELD = {  # with a bent arm: how, and where the hand is
    "phone": (Grip(0.14, 0.5, 0.85), (0.16, 0.68)),
    "cup": (Grip(0.11, 0.3, 0.8), (0.18, 0.64)),
    "bottle": (Grip(0.2, 0.5, 0.7), (0.18, 0.62)),
    "flower": (Grip(0.3, 0.5, 0.85), (0.18, 0.62)),
    "ball": (Grip(0.14, 0.5, 0.7), (0.2, 0.64)),
    "frisbee": (Grip(0.07, 0.2, 0.6), (0.24, 0.66)),
    "book": (Grip(0.17, 0.5, 0.85), (0.16, 0.62)),
    "flag": (Grip(0.6, 0.03, 0.9), (0.2, 0.66)),
    "paper": (Grip(0.16, 0.5, 0.85), (0.17, 0.64)),
    "kite": (Grip(0.4, 0.5, 0.9), (0.2, 0.7)),
}
EATEN = {"sandwich": 0.1, "donut": 0.09, "banana": 0.11, "apple": 0.085, "hot dog": 0.075}
UMBRELLA = Grip(0.78, 0.5, 0.9)


def busy_person(
    stage: Stage, ground: Thing, things: tuple[str, ...], *, depth: tuple[float, float] = (0.1, 0.95), name: str = ""
) -> Thing | None:
    """Put down a person standing, walking or running, perhaps with something in hand."""
    pose = stage.chance.choose_weighted(("standing", "walking", "running"), (5, 5, 1))
    somebody = person(stage, ground, name, pose, depth=depth)
    if somebody is None or stage.chance.happens(0.4):
        return somebody
    what = stage.pick(things)
    if what == "umbrella":
        _hold_umbrella(stage, somebody)
    elif what in EATEN:
        _eat(stage, somebody, what)
    elif what == "backpack":
        wear(stage, somebody, "backpack", sprite="backpack worn")
    elif what in CARRIED:
        carry(stage, somebody, what)
    else:
        grip, hand = HELD[what]
        reach(stage, somebody, *hand)
        hold(stage, somebody, what, grip, state="open" if what == "book" else "")
    return somebody


def carry(stage: Stage, who: Thing, what: str) -> None:
    """Let a person carry something in a hanging arm."""
    reach(stage, who, -0.17, 0.44)
    state = "closed" if what == "box" else ""
    hold(stage, who, what, CARRIED[what], verb="carrying", behind=what == "surfboard", state=state)


def fly_kite(stage: Stage, ground: Thing, sky: Thing) -> None:
    """Put down a person who flies a kite on a string."""
    who = person(stage, ground, "", "standing", depth=(0.35, 0.9))
    kite = float_in(stage, "kite", sky, scale=0.6 * stage.near, verbs=("flying in",)) if who is not None else None
    if who is None or kite is None:
        return
    kite.words.append("flying")
    reach(stage, who, 0.2, 0.78)
    stage.strings.append((kite.number, who.number))
    stage.link(who, "flying", kite)


def rider(
    stage: Stage,
    ground: Thing,
    mounts: tuple[str, ...],
    *,
    depth: tuple[float, float] = (0.1, 0.95),
    names: tuple[str, ...] = ("man", "woman", "boy", "girl"),
) -> None:
    """Put down a person riding something."""
    name = stage.pick(mounts)
    state = "standing" if name in ("horse", "elephant") else ""
    mount = stand(stage, name, ground, depth=depth, size="", state=state)
    if mount is None:
        return
    if name == "skateboard":
        stand_on_board(stage, stage.pick(names), mount)
    else:
        ride(stage, stage.pick(names if name != "motorcycle" else ("man", "woman")), mount)


def hands_are_full(stage: Stage, who: Thing) -> bool:
    """Return whether a person holds something."""
    return any(thing.host == who.number and thing.level == "held" for thing in stage.things)


def _hold_umbrella(stage: Stage, who: Thing) -> None:
    reach(stage, who, 0.13, 0.6)
    umbrella = hold(stage, who, "umbrella", UMBRELLA, behind=True)
    stage.link(who, "under", umbrella)
    stage.link(umbrella, "above", who)


def _eat(stage: Stage, who: Thing, what: str) -> None:
    body = who.look.body
    assert body is not None
    reach(stage, who, body.head[0] + 0.8 * body.radius, body.head[1] - 0.75 * body.radius)
    hold(stage, who, what, Grip(EATEN[what], 0.5, 0.6), verb="eating", size="")
    who.words.append("eating")
