"""Animated plans: a GIF for talks and chats, an SVG that moves by itself for pages.

Both show the same: every action takes the same time, its name stands below the board, an effort in vain moves there
and back, and after the last action the picture rests before it starts again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from itertools import accumulate, groupby, pairwise
from math import cos, hypot, pi, radians, sin
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.grid._pictures.board import compose
from deixis.worlds.grid._pictures.raster import paint
from deixis.worlds.grid._pictures.strokes import Layer, Outline, Stroke, Words
from deixis.worlds.grid._pictures.svg import plain_number, svg_name, write_svg
from deixis.worlds.grid.actions import Action, plan_from_codes
from deixis.worlds.grid.simulate import simulate, visited_object


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from PIL.Image import Image

    from deixis.worlds.grid._pictures.look import Look, Marks
    from deixis.worlds.grid._pictures.strokes import XY, Picture
    from deixis.worlds.grid._pictures.svg import Inset
    from deixis.worlds.grid.scene import GridScene

Mover: TypeAlias = int  # the number of an object, or
AGENT: Mover = -1
MAX_ACTIONS = 300
NUDGE = 0.13  # how far an effort without success moves agent and object there and back, in cells
SHRINK = 0.2  # by how much the agent shrinks for a moment when it stays
HITCHES = {
    "": "",
    "heavy": " (heavy: a first effort)",
    "blocked": " (the way is blocked)",
    "nothing": " (nothing to hand)",
}


class Step(NamedTuple):
    """The events of one action."""

    action: Action
    before: GridScene
    after: GridScene
    held: int | None  # the solid that is pushed or pulled, moved or not
    hitch: Literal["", "heavy", "blocked", "nothing"]  # why nothing moves although it should

    @property
    def words(self) -> str:
        """The action in words, and the reason if it comes to nothing."""
        return self.action.words + HITCHES[self.hitch]

    @property
    def quarters(self) -> int:
        """Quarter turns of the agent, clockwise: 1, -1 or 0."""
        assert self.before.agent is not None
        assert self.after.agent is not None
        turn = (self.after.agent.facing - self.before.agent.facing) % 4
        return turn - 4 if turn == 3 else turn


def steps_of(scene: GridScene, actions: Iterable[int]) -> list[Step]:
    """Return the actions one by one, carried out by the simulator.

    Raises:
        SchemaError: when the scene has no agent, an action has an unknown code, or there are too many to watch.
    """
    plan = plan_from_codes(actions)
    if len(plan) > MAX_ACTIONS:
        raise SchemaError(f"a moving picture shows at most {MAX_ACTIONS} actions, got {len(plan)}")
    outcomes = [simulate(scene, plan[:count]) for count in range(len(plan) + 1)]
    states = [replace(scene, objects=outcome.objects, agent=outcome.agent) for outcome in outcomes]
    steps = []
    for number, action in enumerate(plan):
        is_effort = action in (Action.PUSH, Action.PULL)
        one, two = outcomes[number : number + 2]
        hitch: Literal["", "heavy", "blocked", "nothing"] = ""
        if two.bumped > one.bumped:
            hitch = "blocked"
        elif two.missed > one.missed:
            hitch = "nothing"
        elif is_effort and two.agent == one.agent:
            hitch = "heavy"
        held = visited_object(states[number], (action,)) if is_effort and hitch != "nothing" else None
        steps.append(Step(action, states[number], states[number + 1], held, hitch))
    return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """The pose of a drawing: its middle, its turn in degrees clockwise, and its size."""

    x: float
    y: float
    angle: float = 0.0
    size: float = 1.0

    def towards(self, other: Pose, share: float) -> Pose:
        """Return a pose on the way to another one."""
        mixed = (getattr(self, n) + (getattr(other, n) - getattr(self, n)) * share for n in ("x", "y", "angle", "size"))
        x, y, angle, size = mixed
        return Pose(x=x, y=y, angle=angle, size=size)


def pose_of(picture: Picture, mover: Mover) -> Pose:
    """Return the middle and the size of the agent or an object in a picture."""
    points = [point for layer in picture.layers if _is_body(layer, mover) for point in _points(layer)]
    x, y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    return Pose(x=x, y=y, size=sum(hypot(u - x, v - y) for u, v in points) / len(points))


def movers(pictures: Iterable[Picture], steps: Iterable[Step]) -> list[Mover]:
    """Return the things that move at some time: the agent, and the objects that are moved or strained at."""
    found = {AGENT} | {step.held for step in steps if step.held is not None}
    for one, other in pairwise(pictures):
        for layer, later in zip(_bodies(one), _bodies(other), strict=True):
            if layer.items != later.items and layer.object is not None:
                found.add(layer.object)
    return sorted(found)


def sway(step: Step, mover: Mover, *, cell: float) -> Pose:
    """Return the addition to a pose halfway through an action that comes to nothing, or in which the thing stays."""
    assert step.before.agent is not None
    is_walk = step.action == Action.WALK
    if step.hitch in ("heavy", "blocked") and (mover in (AGENT, step.held)):
        rows, columns = step.before.agent.facing.step
        reach = (-NUDGE if step.action == Action.PULL else NUDGE) * cell * (0.6 if is_walk else 1.0)
        return Pose(x=columns * reach, y=rows * reach, size=0.0)
    if mover == AGENT and (step.action == Action.STAY or step.hitch == "nothing"):
        return Pose(x=0.0, y=0.0, size=-SHRINK)
    return Pose(x=0.0, y=0.0, size=0.0)


def between(one: Picture, other: Picture, step: Step, share: float, *, moving: Iterable[Mover], cell: float) -> Picture:
    """Return the picture at some time during an action.

    Args:
        one: the picture before it.
        other: the picture after it.
        step: what happens.
        share: how much of its time is over, between 0 and 1.
        moving: what moves.
        cell: the side of a cell.
    """
    changes: dict[Mover | None, _Change] = {}
    for mover in moving:
        start, end = pose_of(one, mover), pose_of(other, mover)
        aim = replace(end, angle=90.0 * step.quarters if mover == AGENT else 0.0, size=end.size / start.size)
        pose, extra, swing = replace(start, size=1.0).towards(aim, share), sway(step, mover, cell=cell), sin(pi * share)
        now = Pose(
            x=pose.x + extra.x * swing,
            y=pose.y + extra.y * swing,
            angle=pose.angle,
            size=pose.size + extra.size * swing,
        )
        changes[mover] = _change(start, now)
    layers = (_change_layer(layer, changes.get(_mover(layer))) for layer in one.layers)
    return replace(one, layers=tuple(layers))


class _Change(NamedTuple):
    point: Callable[[XY], XY]
    size: float


def _change(start: Pose, now: Pose) -> _Change:
    """What takes a drawing from one pose to another."""
    cosine, sine = cos(radians(now.angle)) * now.size, sin(radians(now.angle)) * now.size

    def move(point: XY) -> XY:
        x, y = point[0] - start.x, point[1] - start.y
        return now.x + x * cosine - y * sine, now.y + x * sine + y * cosine

    return _Change(move, now.size)


def _change_layer(layer: Layer, change: _Change | None) -> Layer:
    if change is None:
        return layer
    return replace(layer, items=tuple(_change_item(item, change) for item in layer.items))


def _change_item(item: Stroke | Words, change: _Change) -> Stroke | Words:
    if isinstance(item, Stroke):
        old = item.outline
        pieces = tuple(tuple(map(change.point, piece)) for piece in old.pieces)
        return Stroke(Outline(change.point(old.start), pieces, old.is_closed), item.ink)
    x, y = change.point((item.x, item.y))
    return replace(item, x=x, y=y, size=item.size * change.size)


def _mover(layer: Layer) -> Mover | None:
    return AGENT if layer.name == "agent" else layer.object


def _bodies(picture: Picture) -> list[Layer]:
    bodies = [layer for layer in picture.layers if layer.name == "object"]
    return sorted(bodies, key=lambda layer: layer.object or 0)


def _is_body(layer: Layer, mover: Mover) -> bool:
    return layer.name == "agent" if mover == AGENT else layer.name == "object" and layer.object == mover


def _points(layer: Layer) -> Iterable[XY]:
    for item in layer.items:
        if isinstance(item, Stroke):
            yield item.outline.start
            for piece in item.outline.pieces:
                yield from piece


FRAMES_PER_ACTION = 3
FRAME_MS, START_MS, END_MS = 120, 900, 2000
MOVING_SHARE = 0.86  # of the time of an action; the rest is a rest, so that steps can be told apart
STRIP = 0.46  # the height of the line below the board, in cells
COLORS = 255  # of a GIF; one more is left for what stays as it was
SAMPLES = 12  # frames from which the colours of a GIF are taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """A plan as pictures, one before the first action and one after each.

    Attributes:
        pictures: without the line of words below.
        steps: what happens in every action.
        words: the line below, for every picture.
        moving: what moves at some time.
        way: the whole way, for those who do not want things to move.
        look: how it looks.
    """

    pictures: tuple[Picture, ...]
    steps: tuple[Step, ...]
    words: tuple[str, ...]
    moving: tuple[Mover, ...]
    way: Layer | None
    look: Look


def film_of(scene: GridScene, actions: Iterable[int], marks: Marks, look: Look, *, title: str = "") -> Film:
    """Return the pictures of a plan.

    Args:
        scene: before the first action.
        actions: what the agent does.
        marks: what to point out; the way in it is shown only where nothing moves.
        look: how it looks; the title is always shown.
        title: the command.

    Raises:
        SchemaError: when the scene has no agent, the actions cannot be understood or are too many, or a mark points at
            something that is not there.
    """
    steps = tuple(steps_of(scene, actions))
    shown, bare = replace(look, heading=bool(title)), replace(marks, path=None, pushed=())
    states = (scene, *(step.after for step in steps))
    pictures = tuple(_with_strip(compose(state, bare, shown, title=title), look) for state in states)
    whole = compose(scene, marks, replace(shown, legend=False), title=title)
    count = len(steps)
    return Film(
        pictures=pictures,
        steps=steps,
        words=(_summary(count), *(f"{k} of {count}: {step.words}" for k, step in enumerate(steps, start=1))),
        moving=tuple(movers(pictures, steps)),
        way=next((replace(layer, name="still") for layer in whole.layers if layer.name == "plan"), None),
        look=look,
    )


def write_gif(film: Film) -> bytes:
    """Write the film as an animated GIF that plays for ever, with the same bytes for the same film.

    Raises:
        DeixisError: when Pillow is not installed, or the image would be too large.
    """
    palette = _palette(film)
    frames = (palette.reduce(paint(picture, scale=1)) for picture in _frames(film))
    file = BytesIO()
    durations = [START_MS, *[FRAME_MS] * (FRAMES_PER_ACTION * len(film.steps))]
    durations[-1] = END_MS if film.steps else START_MS
    next(frames).save(
        file, format="GIF", save_all=True, append_images=frames, duration=durations, loop=0, disposal=1, optimize=False
    )
    return file.getvalue()


def write_moving_svg(film: Film) -> str:
    """Write the film as an SVG document that moves by itself, by style rules alone.

    Where the reader prefers things not to move, and in print, it is a still picture with the whole way.
    """
    first = film.pictures[0]
    said = f"{first.description} The plan: {_plan_in_words(film.steps)}."
    layers = (*first.layers, film.way) if film.way else first.layers
    picture = replace(first, description=said, layers=layers)
    name = svg_name(picture)
    return write_svg(picture, style=_style(film, name), inset=_ticker(film))


def _summary(count: int) -> str:
    return "nothing to do" if not count else "1 action" if count == 1 else f"{count} actions"


def _plan_in_words(steps: Sequence[Step]) -> str:
    runs = ((action.words, sum(1 for _ in run)) for action, run in groupby(step.action for step in steps))
    return ", ".join(words if times == 1 else f"{words} {times} times" for words, times in runs) or "nothing to do"


def _with_strip(picture: Picture, look: Look) -> Picture:
    """Return a picture with room for a line of words below."""
    return replace(picture, height=picture.height + round(STRIP * look.cell))


def _line(film: Film, number: int, *, y: float) -> Words:
    """What stands below a picture."""
    look = film.look
    left = (0.16 + (0.3 if look.numbers else 0)) * look.cell
    return Words(x=left, y=y, text=film.words[number], size=0.235 * look.cell, color=look.palette.ink, anchor="start")


def _frames(film: Film) -> Iterator[Picture]:
    """Yield every picture of a GIF: the first, and for every action some on the way and the one after it."""
    yield _with_words(film, film.pictures[0], 0)
    for number, (one, other) in enumerate(pairwise(film.pictures)):
        for part in range(1, FRAMES_PER_ACTION):
            yield _with_words(film, _on_the_way(film, number, part / FRAMES_PER_ACTION, one, other), number + 1)
        yield _with_words(film, other, number + 1)


def _on_the_way(film: Film, number: int, share: float, one: Picture, other: Picture) -> Picture:
    return between(one, other, film.steps[number], share, moving=film.moving, cell=film.look.cell)


def _with_words(film: Film, picture: Picture, number: int) -> Picture:
    middle = picture.height - 0.55 * STRIP * film.look.cell
    layer = Layer(name="step", items=(_line(film, number, y=middle),))
    return replace(picture, layers=(*picture.layers, layer))


class _Palette(NamedTuple):
    """The colours of a GIF, the same for all of its frames."""

    colors: np.ndarray  # int64 [color, 3]

    def reduce(self, image: Image) -> Image:
        """Return an image in the nearest of these colours."""
        from PIL import Image as Images

        codes, where = np.unique(_codes(image), return_inverse=True)
        wanted = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1)
        nearest = ((wanted[:, None, :] - self.colors[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
        reduced = Images.frombytes("P", image.size, nearest.astype(np.uint8)[where].tobytes())
        reduced.putpalette(self.colors.astype(np.uint8).tobytes())
        return reduced


def _palette(film: Film) -> _Palette:
    """Return the most frequent colours of some frames: flat colours come first and so stay exact."""
    total = 1 + FRAMES_PER_ACTION * len(film.steps)
    chosen = {round(k * (total - 1) / (SAMPLES - 1)) for k in range(SAMPLES)}
    codes = [_codes(paint(picture, scale=1)) for k, picture in enumerate(_frames(film)) if k in chosen]
    values, counts = np.unique(np.concatenate(codes), return_counts=True)
    order = np.lexsort((values, -counts))[:COLORS]
    kept = np.sort(values[order])
    return _Palette(np.stack([kept >> 16, kept >> 8 & 255, kept & 255], axis=1))


def _codes(image: Image) -> np.ndarray:
    """Return the colours of an image as int64 [pixel]."""
    pixels = np.asarray(image, np.int64).reshape(-1, 3)
    return pixels[:, 0] << 16 | pixels[:, 1] << 8 | pixels[:, 2]


def _style(film: Film, name: str) -> str:
    """Return the rules that move things, and those that leave them still."""
    step_ms = FRAME_MS * FRAMES_PER_ACTION
    total = START_MS + step_ms * len(film.steps) + END_MS
    seconds = plain_number(total / 1000)
    rules = [f"#{name} .still{{visibility:hidden}}"]
    for mover in film.moving if film.steps else ():
        key = "agent" if mover == AGENT else f"object-{mover}"
        target = ".agent" if mover == AGENT else f'[data-object="{mover}"]'
        frames = "".join(f"{_percent(at, total)}{{transform:{pose}}}" for at, pose in _key_poses(film, mover, total))
        rules.append(f"#{name} {target}{{animation:{name}-{key} {seconds}s linear infinite}}")
        rules.append(f"@keyframes {name}-{key}{{{frames}}}")
    height = STRIP * film.look.cell
    starts = [0, *(START_MS + step_ms * k for k in range(len(film.steps)))]
    lines = "".join(
        f"{_percent(at, total)}{{transform:translateY({plain_number(-k * height)}px)}}" for k, at in enumerate(starts)
    )
    rules.append(f"#{name} .ticker{{animation:{name}-ticker {seconds}s step-end infinite}}")
    rules.append(f"@keyframes {name}-ticker{{{lines}}}")
    still = f"#{name} *{{animation:none}}#{name} .still{{visibility:visible}}"
    rules.append(f"@media print,(prefers-reduced-motion:reduce){{{still}}}")
    return "\n".join(rules)


def _key_poses(film: Film, mover: Mover, total: int) -> Iterator[tuple[float, str]]:
    """When something is where, as transformations of how it is drawn at first."""
    first = pose_of(film.pictures[0], mover)
    turns = [0, *accumulate(step.quarters for step in film.steps)] if mover == AGENT else [0] * len(film.pictures)
    poses = [
        replace(pose, size=pose.size / first.size, angle=90.0 * quarters)
        for pose, quarters in zip((pose_of(picture, mover) for picture in film.pictures), turns, strict=True)
    ]
    step_ms = FRAME_MS * FRAMES_PER_ACTION
    yield 0, _transform(poses[0], first)
    for number, (step, (one, other)) in enumerate(zip(film.steps, pairwise(poses), strict=True)):
        extra = sway(step, mover, cell=film.look.cell)
        start = START_MS + step_ms * number
        if one != other or extra != Pose(x=0.0, y=0.0, size=0.0):
            yield start, _transform(one, first)
            halfway = one.towards(other, 0.5)
            swung = replace(halfway, x=halfway.x + extra.x, y=halfway.y + extra.y, size=halfway.size + extra.size)
            if swung != halfway:
                yield start + 0.5 * MOVING_SHARE * step_ms, _transform(swung, first)
            yield start + MOVING_SHARE * step_ms, _transform(other, first)
    yield total, _transform(poses[-1], first)


def _transform(pose: Pose, first: Pose) -> str:
    x, y, back_x, back_y = (f"{plain_number(v)}px" for v in (pose.x, pose.y, -first.x, -first.y))
    size = f"{pose.size:.3f}".rstrip("0").rstrip(".")
    return f"translate({x},{y}) rotate({plain_number(pose.angle)}deg) scale({size}) translate({back_x},{back_y})"


def _percent(at: float, total: float) -> str:
    return f"{100 * at / total:.3f}".rstrip("0").rstrip(".") + "%"


def _ticker(film: Film) -> Inset:
    """Return the lines below the board, one under the other behind a window that shows one of them."""
    picture, height = film.pictures[0], STRIP * film.look.cell
    items = tuple(_line(film, number, y=(number + 0.45) * height) for number in range(len(film.words)))
    return Layer(name="ticker", items=items), (0.0, picture.height - height, picture.width, height)
