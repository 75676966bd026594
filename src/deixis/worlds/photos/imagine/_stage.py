"""The stage on which a scene is put together: the things on it, and the relations between them.

`placing` stands, lays and hangs things, `cast` brings people; both put them down so that what they write down can be
seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos.imagine._pen import Frame


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos.imagine._appearance import Appearance
    from deixis.worlds.photos.imagine._chance import Chance
    from deixis.worlds.photos.imagine._pen import Look


Edges: TypeAlias = tuple[float, float, float, float]  # left, top, right and bottom, in pixels
Path: TypeAlias = tuple[tuple[float, int], ...]
TRIES = 14  # places tried for a thing before it is left out
MOST_ALIKE = 5  # things of one kind on a stage
MOST_SHARED = 0.34  # how much of the smaller of two standing things may lie behind the other
OCCUPYING = ("wall", "sky", "ground", "top", "held", "part")


@dataclass(slots=True)
class Thing:
    """Something on the stage.

    Attributes:
        sprite: what draws it; mostly its name.
        path: when it is painted: after what it is on, before what stands in front; paths compare like words.
        box: what it is meant to fill; what is seen of it in the end may be less.
        level: 'backdrop', 'scenery', 'ground', 'flat', 'wall', 'sky', 'top' (on furniture), 'held', 'part', 'worn', or
            'gone' for what was taken away again.
        host: what it is on, in, part of, worn or held by.
        foot: where it touches what it stands on, in pixels from the top.
        scale: how many pixels a metre has where it is.
        taken: stretches of its top that are occupied, with the number of the board.
    """

    number: int
    name: str
    sprite: str
    frame: Frame
    look: Look
    words: list[str]
    path: Path
    box: Edges
    level: str
    host: int | None = None
    foot: float = 0.0
    scale: float = 1.0
    taken: list[tuple[float, float, int]] = field(default_factory=list)


class Stage:
    """Things and the relations between them, as they are put down.

    Attributes:
        links: (thing, relation, other thing) by number, in the order they were written down.
        strings: pairs of a kite and the person who holds its string.
        unit: how large the picture is, next to one of 500 by 375 pixels.
    """

    def __init__(self, width: int, height: int, chance: Chance) -> None:
        self.width, self.height, self.chance = width, height, chance
        self.unit = (width * height / (500 * 375)) ** 0.5
        self.things: list[Thing] = []
        self.links: dict[tuple[int, str, int], None] = {}
        self.strings: list[tuple[int, int]] = []
        self.far, self.near, self.horizon = 60.0, 80.0, 0.5 * height

    def perspective(self, horizon: float, far: float, near: float) -> None:
        """Set the pixels of a metre at the horizon and at the lower edge, for a picture of the usual size."""
        self.horizon, self.far, self.near = horizon * self.height, far * self.unit, near * self.unit

    def scale_at(self, y: float) -> float:
        """Return the pixels of a metre for something that stands at a height of the picture."""
        share = (y - self.horizon) / max(1.0, self.height - self.horizon)
        return self.far + (self.near - self.far) * min(1.0, max(0.0, share))

    def add(self, name: str, frame: Frame, seen: Appearance, path: Path, box: Edges, level: str) -> Thing:
        """Put a thing on the stage."""
        thing = Thing(
            number=len(self.things),
            name=name,
            sprite=name,
            frame=frame,
            look=seen.look,
            words=list(seen.words),
            path=path,
            box=box,
            level=level,
        )
        self.things.append(thing)
        return thing

    def link(self, thing: Thing, relation: str, other: Thing) -> None:
        """Write down a relation."""
        self.links[thing.number, relation, other.number] = None

    def pick(self, names: Sequence[str], *, again: float = 0.0) -> str:
        """Return one of the names, drawn by its frequency in GQA.

        With probability `again` it is one that is there already.
        """
        counts = {name: self.count(name) for name in names}
        if again and self.chance.happens(again):
            present = [name for name in names if 0 < counts[name] < MOST_ALIKE]
            if present:
                return self.chance.choice(present)
        names = [name for name in names if counts[name] < MOST_ALIKE] or names
        return self.chance.choose_weighted(names, [gqa_counts().names[name] ** 0.7 for name in names])

    def count(self, name: str) -> int:
        """Return the number of things of a name."""
        return sum(thing.name == name for thing in self.things)

    @property
    def said(self) -> float:
        """Approximate number of things that an annotator would name."""
        return sum(0.5 if thing.level == "worn" else 1.0 for thing in self.things)

    def frame(self, box: Edges, *, may_turn: bool) -> Frame:
        """Return the frame that fills a box, facing left or right by chance."""
        left, top, right, bottom = box
        if may_turn and self.chance.happens(0.5):
            return Frame(right, top, left - right, bottom - top)
        return Frame(left, top, right - left, bottom - top)

    def after(self, host: Thing) -> Path:
        """Return the path of something painted right after its host and what is on it already."""
        return (*host.path, (1e6, len(self.things)))

    def before(self, host: Thing) -> Path:
        """Return the path of something painted right before its host."""
        *rest, (depth, number) = host.path
        return (*rest, (depth - 0.25, number), (0.0, len(self.things)))

    def has_room(self, box: Edges) -> bool:
        """Return whether a thing that stands at a place would hide little of others, and be little hidden."""
        standing = (thing.box for thing in self.things if thing.level in ("ground", "top", "held"))
        return all(overlap_share(box, other) <= MOST_SHARED for other in standing)

    def is_free(self, box: Edges, *, gap: float) -> bool:
        """Return whether nothing is within some distance of a box."""
        wider = (box[0] - gap, box[1] - gap, box[2] + gap, box[3] + gap)
        return all(overlap_share(wider, thing.box) <= 0 for thing in self.things if thing.level in OCCUPYING)


def overlap_share(one: Edges, other: Edges) -> float:
    """Return the share of the smaller box that two boxes have in common."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    if across <= 0 or down <= 0:
        return 0.0
    smaller = min((one[2] - one[0]) * (one[3] - one[1]), (other[2] - other[0]) * (other[3] - other[1]))
    return across * down / max(smaller, 1.0)
