"""People: their poses, clothes and the things they hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.photos.imagine._appearance import draw_appearance, draw_person
from deixis.worlds.photos.imagine._kinds import KINDS
from deixis.worlds.photos.imagine._pen import Frame
from deixis.worlds.photos.imagine._placing import TOPS, fits_on, put_on
from deixis.worlds.photos.imagine._skeleton import POSES, with_hand_at
from deixis.worlds.photos.imagine._stage import TRIES


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos.imagine._skeleton import Skeleton
    from deixis.worlds.photos.imagine._stage import Edges, Path, Stage, Thing


PEOPLE = ("man", "woman", "boy", "girl", "player")
ADULTS = ("man", "woman", "player")
SADDLES = {"horse": (0.42, 0.35), "elephant": (0.42, 0.1), "bike": (0.33, 0.2), "motorcycle": (0.3, 0.38)}
SEATED = 0.245  # how far above the feet somebody sits, in shares of their standing height


class Spot(NamedTuple):
    """The place of a person: the feet (the saddle, for riders), the pixels of a metre there, and the painting order."""

    x: float
    y: float
    scale: float
    path: Path
    facing: float = 0.0  # 1 to the right, -1 to the left, 0 for either


class Grip(NamedTuple):
    """The height of a held thing as a share of the holder's, and the place of the hand in its box."""

    share: float
    x: float
    y: float


def person(
    stage: Stage, ground: Thing, name: str = "", pose: str = "standing", *, depth: tuple[float, float] = (0.1, 0.95)
) -> Thing | None:
    """Put a dressed person on the ground, where there is room."""
    name = name or stage.pick(PEOPLE[:4])
    for _ in range(TRIES):
        y = ground.box[1] + stage.chance.between(*depth) * (ground.box[3] - ground.box[1])
        scale = stage.scale_at(y)
        h = KINDS[name].height * scale
        x = stage.chance.between(0.2 * h, stage.width - 0.2 * h)
        if stage.has_room((x - 0.2 * h, y - h, x + 0.2 * h, y)):
            verbs = ("on", f"{pose} on" if pose != "swinging" else "standing on")
            return enter(stage, name, pose, Spot(x, y, scale, ((y, len(stage.things)),)), ground, verbs)
    return None


def enter(stage: Stage, name: str, pose: str, spot: Spot, host: Thing, verbs: Sequence[str]) -> Thing:
    """Put a dressed person at a place, in a pose."""
    body = POSES[pose] if name in ADULTS else _childlike(POSES[pose])
    seen = draw_person(KINDS[name], stage.chance, body)
    seen = seen._replace(words=(*seen.words, *((pose,) if pose != "swinging" else ("standing",))))
    h = KINDS[name].height * spot.scale * seen.higher
    facing = spot.facing or (1.0 if stage.chance.happens(0.5) else -1.0)
    frame = Frame(spot.x, spot.y, facing * h, -h)
    thing = stage.add(name, frame, seen, spot.path, _extent(body, frame), "ground")
    thing.host, thing.foot, thing.scale = host.number, spot.y, spot.scale
    for verb in verbs:
        stage.link(thing, verb, host)
    for garment in _outfit(stage, thing, body):
        wear(stage, thing, garment)
    return thing


def wear(stage: Stage, who: Thing, name: str, *, sprite: str = "") -> Thing:
    """Dress a person in something."""
    seen = draw_appearance(KINDS[name], stage.chance)
    seen = seen._replace(look=replace(seen.look, body=who.look.body))
    thing = stage.add(name, who.frame, seen, stage.after(who), who.box, "worn")
    thing.sprite, thing.host = sprite or name, who.number
    stage.link(who, "wearing", thing)
    return thing


def seat(stage: Stage, name: str, on: Thing, pose: str = "sitting") -> Thing | None:
    """Put a person or an animal on a seat, a bed or a rug."""
    if name not in PEOPLE:
        return put_on(stage, name, on, state=pose)
    x0, x1, y0, y1 = TOPS[on.sprite][0]
    left, top, right, bottom = on.box
    h = KINDS[name].height * on.scale
    half = 0.48 * h if pose == "lying" else 0.15 * h
    if 2 * half > 1.05 * (right - left):
        return None
    for _ in range(TRIES):
        x = min(max(left + stage.chance.between(x0, x1) * (right - left), left + half), right - half)
        if fits_on(stage, on, (x - half, top - h, x + half, bottom)):
            on.taken.append((x - half, x + half, 0))
            y = top + (y0 + y1) / 2 * (bottom - top) + (SEATED if pose == "sitting" else 0.02) * h
            return enter(stage, name, pose, Spot(x, y, on.scale, stage.after(on)), on, ("on", f"{pose} on"))
    return None


def ride(stage: Stage, name: str, mount: Thing) -> Thing:
    """Put a person on the back of an animal, or in the saddle of a machine."""
    x, y = mount.frame.at(*SADDLES[mount.name])
    spot = Spot(x, y, mount.scale, stage.after(mount), 1.0 if mount.frame.across > 0 else -1.0)
    rider = enter(stage, name, "riding", spot, mount, ("on", "riding"))
    if mount.name in ("bike", "motorcycle") and stage.chance.happens(0.6):
        for thing in stage.things:
            if thing.host == rider.number and thing.name in ("hat", "cap"):
                thing.level = "gone"
        wear(stage, rider, "helmet")
    return rider


def stand_on_board(stage: Stage, name: str, board: Thing) -> Thing:
    """Put a person on a skateboard or a surfboard."""
    left, top, right, bottom = board.box
    y = top + (0.3 if board.name == "skateboard" else 0.6) * (bottom - top)
    pose = "standing" if stage.chance.happens(0.4) else "swinging"
    spot = Spot((left + right) / 2, y, board.scale, stage.after(board))
    return enter(stage, name, pose, spot, board, ("on", "riding", "standing on"))


def sail(stage: Stage, name: str, boat: Thing) -> Thing:
    """Put a person in a boat, seen from the waist up."""
    left, top, right, bottom = boat.box
    x, y = left + stage.chance.between(0.62, 0.8) * (right - left), top + 0.92 * (bottom - top)
    spot = Spot(x, y, 1.15 * boat.scale, stage.before(boat))
    return enter(stage, name, "sitting", spot, boat, ("in", "sitting in"))


def reach(stage: Stage, who: Thing, x: float, y: float) -> None:
    """Move a person's near hand, sleeve and all."""
    assert who.look.body is not None
    body = with_hand_at(who.look.body, x, y)
    for thing in stage.things:
        if thing is who or (thing.host == who.number and thing.level == "worn"):
            thing.look = replace(thing.look, body=body)


def hold(
    stage: Stage, who: Thing, name: str, grip: Grip, *, verb: str = "holding", behind: bool = False, **fixed: str
) -> Thing:
    """Put a thing in a person's hand, before or behind them."""
    assert who.look.body is not None
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    h = grip.share * abs(who.frame.down)
    w = h * KINDS[name].ratio
    x, y = who.frame.at(*who.look.body.hand)
    left, top = x - grip.x * w, y - grip.y * h
    path = stage.before(who) if behind else stage.after(who)
    thing = stage.add(name, Frame(left, top, w, h), seen, path, (left, top, left + w, top + h), "held")
    thing.host, thing.foot, thing.scale = who.number, top + h, who.scale
    for relation in dict.fromkeys((verb, "holding") if verb != "wearing" else (verb,)):
        stage.link(who, relation, thing)
    return thing


def _outfit(stage: Stage, who: Thing, body: Skeleton) -> list[str]:
    """What somebody wears: always a top and a bottom, now and then more; in the order it is put on."""
    chance, plays = stage.chance, who.name == "player"
    if who.name in ("woman", "girl") and chance.happens(0.35):
        worn = ["dress"]
    else:
        runs = abs(body.near_leg[2][0] - body.far_leg[2][0]) > 0.4
        bottoms = (
            ("pants", "jeans", "shorts", "skirt")
            if who.name in ("woman", "girl") and not runs
            else ("pants", "jeans", "shorts")
        )
        worn = [stage.pick(("pants", "shorts") if plays else bottoms)]
        worn.append("jacket" if not plays and chance.happens(0.25) else "shirt")
    if chance.happens(0.55):
        worn.insert(1, "shoes")
    if "shirt" in worn and who.name == "man" and chance.happens(0.14):
        worn.append("tie")
    elif not plays and not body.tilt and chance.happens(0.1):
        worn.append("scarf")
    if not body.tilt and not plays and chance.happens(0.12):
        worn.append("glasses")
    if not body.tilt and chance.happens(0.32):
        worn.append(stage.pick(("cap", "helmet") if plays else ("hat", "cap")))
    return worn


def _childlike(body: Skeleton) -> Skeleton:
    raised = body.head if body.tilt else (body.head[0], body.head[1] + 0.02)
    return replace(body, radius=1.3 * body.radius, head=raised)


def _extent(body: Skeleton, frame: Frame) -> Edges:
    (x, y), r = body.head, body.radius
    joints = (*body.near_arm, *body.far_arm, *body.near_leg, *body.far_leg, (x - r, y - r), (x + r, y + r))
    points = [frame.at(*joint) for joint in joints]
    slack = 0.04 * abs(frame.down)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - slack, min(ys), max(xs) + slack, max(ys) + slack
