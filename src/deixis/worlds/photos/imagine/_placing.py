"""Placing of things where they are seen to be: on the ground, on furniture, in vessels, on walls, in the sky."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._appearance import draw_appearance
from deixis.worlds.photos.imagine._kinds import KINDS
from deixis.worlds.photos.imagine._stage import TRIES, overlap_share
from deixis.worlds.photos.imagine._textures import COLORS


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos.imagine._appearance import Appearance
    from deixis.worlds.photos.imagine._stage import Edges, Stage, Thing


Span = tuple[float, float]
LYING = {"dog": (1.15, 0.6), "cat": (1.15, 0.62), "cow": (1.0, 0.72), "sheep": (1.0, 0.75)}  # how much wider, higher
SITTING = {"dog": (0.72, 1.1), "cat": (0.75, 1.15)}
ROUND = {"sign": 1.0, "window": 1.0, "mirror": 1.0}  # width by height of what is otherwise not round
TOPS: dict[str, tuple[Edges, ...]] = {  # where things can stand on furniture: x from, to, y from, to, in shares
    "table": ((0.1, 0.9, 0.06, 0.22),),
    "desk": ((0.06, 0.94, 0.06, 0.18),),
    "counter": ((0.03, 0.97, 0.05, 0.13),),
    "cabinet": ((0.06, 0.94, 0.03, 0.08),),
    "stove": ((0.1, 0.9, 0.06, 0.1),),
    "bed": ((0.12, 0.9, 0.38, 0.44),),
    "couch": ((0.15, 0.85, 0.54, 0.62),),
    "bench": ((0.06, 0.94, 0.6, 0.68),),
    "chair": ((0.32, 0.85, 0.56, 0.6),),
    "shelf": ((0.1, 0.9, 0.318, 0.318), (0.1, 0.9, 0.632, 0.632), (0.1, 0.9, 0.945, 0.945)),
    "fireplace": ((0.04, 0.96, 0.01, 0.02),),
    "refrigerator": ((0.1, 0.9, 0.005, 0.01),),
    "plate": ((0.26, 0.74, 0.62, 0.74),),
    "tray": ((0.16, 0.84, 0.5, 0.84),),
    "rug": ((0.15, 0.85, 0.4, 0.85),),
    "towel": ((0.2, 0.8, 0.5, 0.85),),
    "tabletop": ((0.04, 0.96, 0.24, 0.98),),
}
DEEP = ("tabletop", "rug", "towel", "tray")  # where things may stand in front of each other
DISHES = ("plate", "tray")
MOUTHS = {  # where the opening of a vessel is: x from, to, and y, in shares of its box
    "bowl": (0.2, 0.8, 0.3),
    "basket": (0.16, 0.84, 0.5),
    "vase": (0.42, 0.58, 0.26),
    "bucket": (0.24, 0.76, 0.5),
}
MOST_OF_PICTURE = 0.8  # of its width that a standing thing may fill
STEMS = 3.5  # how much wider than the neck of a vase a flower may be


def backdrop(stage: Stage, name: str, top: float, bottom: float, **fixed: str) -> Thing:
    """Put a band across the picture, between two shares of its height."""
    box = (0.0, top * stage.height, float(stage.width), bottom * stage.height)
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    return stage.add(name, stage.frame(box, may_turn=False), seen, ((len(stage.things) - 1000.0, 0),), box, "backdrop")


def scenery(stage: Stage, name: str, box: Edges, **fixed: str) -> Thing:
    """Put something large in the background."""
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    path = ((box[3] - 500.0, len(stage.things)),)
    thing = stage.add(name, stage.frame(box, may_turn=KINDS[name].facing), seen, path, box, "scenery")
    thing.foot, thing.scale = box[3], stage.scale_at(box[3])
    return thing


def stand(
    stage: Stage,
    name: str,
    ground: Thing,
    *,
    depth: Span = (0.05, 0.95),
    verbs: Sequence[str] = (),
    measure: Span | None = None,
    **fixed: str,
) -> Thing | None:
    """Put a thing on the ground, where there is room.

    `measure` is its width and height in metres where unusual.
    """
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    for _ in range(TRIES):
        y = ground.box[1] + stage.chance.between(*depth) * (ground.box[3] - ground.box[1])
        w, h = _size(name, seen, stage.scale_at(y), measure)
        if max(w, h) > MOST_OF_PICTURE * stage.width:
            continue
        x = stage.chance.between(0.3 * w, stage.width - 0.3 * w)
        box = (x - w / 2, y - h, x + w / 2, y)
        if stage.has_room(box):
            return _stand_in(stage, name, ground, box, seen, verbs)
    return None


def stand_at(stage: Stage, name: str, ground: Thing, x: float, y: float, **fixed: str) -> Thing:
    """Put a thing on the ground at a place of the picture."""
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    w, h = _size(name, seen, stage.scale_at(y))
    return _stand_in(stage, name, ground, (x - w / 2, y - h, x + w / 2, y), seen, ())


def lay(
    stage: Stage, name: str, ground: Thing, *, depth: Span, measure: Span | None = None, **fixed: str
) -> Thing | None:
    """Put something flat on the ground, such as a rug, that others may stand on and that is painted before them."""
    thing = stand(stage, name, ground, depth=depth, measure=measure, **fixed)
    if thing is not None:
        thing.path, thing.level = ((thing.box[1] - 400.0, thing.number),), "flat"
    return thing


def put_along(stage: Stage, name: str, floor: Thing, wall: Thing, **fixed: str) -> Thing | None:
    """Put furniture against the wall, beside the furniture there."""
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    y = floor.box[1] + stage.chance.between(0.04, 0.12) * (floor.box[3] - floor.box[1])
    w, h = _size(name, seen, stage.scale_at(y))
    if h > 0.98 * (y - wall.box[1]):
        return None
    others = [thing.box for thing in stage.things if thing.level in ("ground", "wall", "top")]
    for _ in range(TRIES):
        x = stage.chance.between(0.42 * w, stage.width - 0.42 * w) if w < stage.width else stage.width / 2
        box = (x - w / 2, y - h, x + w / 2, y)
        if all(overlap_share(box, other) < 0.04 for other in others):
            return _stand_in(stage, name, floor, box, seen, ())
    return None


def put_on(stage: Stage, name: str, support: Thing, *, verbs: Sequence[str] = (), **fixed: str) -> Thing | None:
    """Put a thing on top of another, where there is room on it."""
    boards = TOPS[support.sprite]
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    left, top, right, bottom = support.box
    for _ in range(TRIES):
        board = stage.chance.below(len(boards))
        x0, x1, y0, y1 = boards[board]
        y = top + stage.chance.between(y0, y1) * (bottom - top)
        w, h = _size_on(name, seen, support, y)
        low, high = left + x0 * (right - left) + w / 2, left + x1 * (right - left) - w / 2
        if y - h < 2 or w > 1.05 * (right - left):
            return None
        x = stage.chance.between(low, high) if low < high else (left + right) / 2
        box = (x - w / 2, y - h, x + w / 2, y)
        if fits_on(stage, support, box, board):
            support.taken.append((box[0], box[2], board))
            thing = stage.add(
                name,
                stage.frame(box, may_turn=KINDS[name].facing),
                seen,
                (*support.path, (y, len(stage.things))),
                box,
                "top",
            )
            thing.scale = support.scale
            _rest_on(stage, thing, support, verbs)
            return thing
    return None


def fits_on(stage: Stage, support: Thing, box: Edges, board: int = 0) -> bool:
    """Return whether a thing fits between the others on a support."""
    if support.sprite in DEEP:
        return all(overlap_share(box, thing.box) < 0.16 for thing in stage.things if thing.host == support.number)
    for left, right, taken in support.taken:
        common = min(right, box[2]) - max(left, box[0])
        if taken == board and common > 0.12 * min(right - left, box[2] - box[0]):
            return False
    return True


def put_in(stage: Stage, name: str, vessel: Thing, **fixed: str) -> Thing | None:
    """Put a thing in a vessel, with its upper part above the rim."""
    x0, x1, level = MOUTHS[vessel.name]
    left, top, right, bottom = vessel.box
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    w, h = _size(name, seen, vessel.scale)
    low, high = left + x0 * (right - left), left + x1 * (right - left)
    most = (high - low) * (STEMS if vessel.name == "vase" else 1.0)
    if w > most:
        w, h = most, h * most / w
    middle, foot = (low + high) / 2, top + level * (bottom - top)
    for _ in range(TRIES):
        x = stage.chance.between(min(low + 0.4 * w, middle), max(high - 0.4 * w, middle))
        if all(abs(x - (a + b) / 2) > 0.62 * w for a, b, _ in vessel.taken):
            break
    else:
        return None
    if foot - h < 2:
        return None
    box = (x - w / 2, foot - h, x + w / 2, foot)
    vessel.taken.append((box[0], box[2], 0))
    thing = stage.add(name, stage.frame(box, may_turn=KINDS[name].facing), seen, stage.before(vessel), box, "top")
    thing.host, thing.foot, thing.scale = vessel.number, foot, vessel.scale
    stage.link(thing, "in", vessel)
    stage.link(thing, "inside", vessel)
    if vessel.name == "bowl":
        vessel.look = replace(vessel.look, state="full")
    return thing


def hang(
    stage: Stage,
    name: str,
    wall: Thing,
    *,
    high: Span = (0.1, 0.42),
    verbs: Sequence[str] = ("hanging on",),
    **fixed: str,
) -> Thing | None:
    """Hang a thing on a wall, where the wall is free."""
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    left, top, right, bottom = wall.box
    w, h = _size(name, seen, stage.far)
    for _ in range(TRIES):
        x = stage.chance.between(left + 0.6 * w, right - 0.6 * w)
        y = top + stage.chance.between(*high) * (bottom - top)
        box = (x - w / 2, y, x + w / 2, y + h)
        if box[1] > 4 and stage.is_free(box, gap=8.0):
            return fix(stage, name, wall, box, seen=seen, verbs=verbs, level="wall")
    return None


def fix(
    stage: Stage,
    name: str,
    host: Thing,
    box: Edges,
    *,
    seen: Appearance | None = None,
    verbs: Sequence[str] = (),
    level: str = "part",
    **fixed: str,
) -> Thing:
    """Fix a thing to another so that it fills a given box: a window of a house, a sign on a pole."""
    seen = seen or draw_appearance(KINDS[name], stage.chance, **fixed)
    thing = stage.add(name, stage.frame(box, may_turn=KINDS[name].facing), seen, stage.after(host), box, level)
    thing.host, thing.scale, thing.foot = host.number, host.scale, box[3]
    for verb in ("on", *verbs):
        stage.link(thing, verb, host)
    return thing


def float_in(
    stage: Stage, name: str, sky: Thing, *, scale: float, verbs: Sequence[str] = (), **fixed: str
) -> Thing | None:
    """Put a thing in the sky."""
    seen = draw_appearance(KINDS[name], stage.chance, **fixed)
    left, top, right, bottom = sky.box
    w, h = _size(name, seen, scale)
    for _ in range(TRIES):
        x = stage.chance.between(left + 0.3 * w, right - 0.3 * w)
        y = top + stage.chance.between(0.1, 0.6) * (bottom - top)
        box = (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        if box[1] > -0.2 * h and stage.is_free(box, gap=6.0):
            path = ((len(stage.things) - 600.0, 0),)
            thing = stage.add(name, stage.frame(box, may_turn=KINDS[name].facing), seen, path, box, "sky")
            thing.host, thing.foot, thing.scale = sky.number, box[3], scale
            for verb in ("in", *verbs):
                stage.link(thing, verb, sky)
            return thing
    return None


def float_on(stage: Stage, thing: Thing, water: Thing) -> None:
    """Say of something that stands on water that it floats."""
    for relation in ("in", "floating on", "floating in"):
        stage.link(thing, relation, water)


def repaint(thing: Thing, color: str) -> None:
    """Give a thing another colour."""
    thing.look = replace(thing.look, color=COLORS[color])
    thing.words = [color, *(word for word in thing.words if word not in COLORS)]


def _stand_in(stage: Stage, name: str, ground: Thing, box: Edges, seen: Appearance, verbs: Sequence[str]) -> Thing:
    path = ((box[3], len(stage.things)),)
    thing = stage.add(name, stage.frame(box, may_turn=KINDS[name].facing), seen, path, box, "ground")
    thing.scale = stage.scale_at(box[3])
    _rest_on(stage, thing, ground, verbs)
    return thing


def _rest_on(stage: Stage, thing: Thing, support: Thing, verbs: Sequence[str]) -> None:
    thing.host, thing.foot = support.number, thing.box[3]
    pose = thing.look.state
    for verb in ("on", *verbs, *((f"{pose} on",) if pose in ("standing", "sitting", "lying") else ())):
        stage.link(thing, verb, support)
    if support.level != "backdrop":
        stage.link(thing, "on top of", support)
        stage.link(support, "under", thing)


def _size(name: str, seen: Appearance, scale: float, measure: Span | None = None) -> Span:
    if measure is not None:
        return measure[0] * scale, measure[1] * scale
    kind, look = KINDS[name], seen.look
    wider, higher = {"lying": LYING, "sitting": SITTING}.get(look.state, {}).get(name, (1.0, 1.0))
    ratio = ROUND.get(name, kind.ratio) if look.shape == "round" else kind.ratio
    if name == "sign" and look.shape == "triangular":
        ratio = 1.1
    return kind.height * scale * ratio * seen.wider * wider, kind.height * scale * seen.higher * higher


def _size_on(name: str, seen: Appearance, support: Thing, y: float) -> Span:
    """The size of a thing on a support: larger towards the front of a laid table, and no larger than shelf or dish."""
    left, top, right, bottom = support.box
    scale = support.scale
    if support.sprite == "tabletop":
        scale *= 0.8 + 0.35 * (y - top) / (bottom - top)
    w, h = _size(name, seen, scale)
    room = 0.25 * (bottom - top) if support.sprite == "shelf" else h
    width = 0.78 * (right - left) if support.sprite in DISHES else w
    share = min(1.0, room / h, width / w)
    return w * share, h * share
