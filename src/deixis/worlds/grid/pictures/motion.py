"""A plan in motion: what happens in every action, as the simulator says, and where things are in between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import cos, hypot, pi, radians, sin
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.errors import SchemaError
from deixis.worlds.grid.actions import Action, plan_from_codes
from deixis.worlds.grid.pictures.strokes import Outline, Stroke
from deixis.worlds.grid.simulate import simulate, visited_object


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deixis.scene.grid import GridScene
    from deixis.worlds.grid.pictures.strokes import XY, Layer, Picture, Words


__all__ = ["AGENT", "Mover", "Pose", "Step", "between", "movers", "pose_of", "steps_of", "sway"]

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
    """What happens in one action."""

    action: Action
    before: GridScene
    after: GridScene
    held: int | None  # the solid that is pushed or pulled, moved or not
    hitch: Literal["", "heavy", "blocked", "nothing"]  # why nothing moves although it should

    @property
    def words(self) -> str:
        """The action in words, and why it comes to nothing if it does."""
        return self.action.words + HITCHES[self.hitch]

    @property
    def quarters(self) -> int:
        """Quarter turns of the agent, clockwise: 1, -1 or 0."""
        assert self.before.agent is not None
        assert self.after.agent is not None
        turn = (self.after.agent.facing - self.before.agent.facing) % 4
        return turn - 4 if turn == 3 else turn


def steps_of(scene: GridScene, actions: Iterable[int]) -> list[Step]:
    """The actions one by one, carried out by the simulator.

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
    """Where something is drawn: its middle, how far it is turned in degrees clockwise, and how large it is."""

    x: float
    y: float
    angle: float = 0.0
    size: float = 1.0

    def towards(self, other: Pose, share: float) -> Pose:
        """A pose on the way to another one."""
        mixed = (getattr(self, n) + (getattr(other, n) - getattr(self, n)) * share for n in ("x", "y", "angle", "size"))
        x, y, angle, size = mixed
        return Pose(x=x, y=y, angle=angle, size=size)


def pose_of(picture: Picture, mover: Mover) -> Pose:
    """The middle and the size of what a picture shows of the agent or an object."""
    points = [point for layer in picture.layers if _is_body(layer, mover) for point in _points(layer)]
    x, y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    return Pose(x=x, y=y, size=sum(hypot(u - x, v - y) for u, v in points) / len(points))


def movers(pictures: Iterable[Picture], steps: Iterable[Step]) -> list[Mover]:
    """What moves at some time: the agent, and the objects that change their place or are strained at."""
    found = {AGENT} | {step.held for step in steps if step.held is not None}
    for one, other in pairwise(pictures):
        for layer, later in zip(_bodies(one), _bodies(other), strict=True):
            if layer.items != later.items and layer.object is not None:
                found.add(layer.object)
    return sorted(found)


def sway(step: Step, mover: Mover, *, cell: float) -> Pose:
    """What is added to the pose of something halfway through an action that comes to nothing, or in which it stays."""
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
    """The picture at some time during an action.

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
    layers = (_changed(layer, changes.get(_mover(layer))) for layer in one.layers)
    return replace(one, layers=tuple(layers))


class _Change(NamedTuple):
    point: Callable[[XY], XY]
    size: float


def _change(start: Pose, now: Pose) -> _Change:
    """What takes a drawing from one pose to another."""
    cosine, sine = cos(radians(now.angle)) * now.size, sin(radians(now.angle)) * now.size

    def moved(point: XY) -> XY:
        x, y = point[0] - start.x, point[1] - start.y
        return now.x + x * cosine - y * sine, now.y + x * sine + y * cosine

    return _Change(moved, now.size)


def _changed(layer: Layer, change: _Change | None) -> Layer:
    if change is None:
        return layer
    return replace(layer, items=tuple(_changed_item(item, change) for item in layer.items))


def _changed_item(item: Stroke | Words, change: _Change) -> Stroke | Words:
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
