"""Grid scenes: solids and boxes on a small board, the world of gSCAN and ReaSCAN.

A solid (circle, cylinder, square) fills one cell whatever its size. A box of size k covers the k x k cells
that start at its own cell and run down and to the right; it blocks nothing. Rows and columns are counted from 0,
row 0 on top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Self

import numpy as np

from deixis.errors import SchemaError
from deixis.scene.scene import Point
from deixis.schema import Attribute, Relation, Schema


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["BESIDE", "COLORS", "GRID", "SHAPES", "SIZES", "Agent", "Facing", "GridBatch", "GridObject", "GridScene"]

SHAPES = ("circle", "cylinder", "square", "box")
COLORS = ("red", "blue", "green", "yellow")
SIZES = ("1", "2", "3", "4")
BOX = SHAPES.index("box")
MAX_GRID = 250  # rows and columns, and the far side of a box, are kept in one byte
MAX_OBJECTS = 64  # one bit each in the word that holds a set

# How far down and right of the other a thing stands that is on a neighbouring cell of it (Qiu et al. 2021), clockwise.
BESIDE = {
    "north of": (-1, 0),
    "north east of": (-1, 1),
    "east of": (0, 1),
    "south east of": (1, 1),
    "south of": (1, 0),
    "south west of": (1, -1),
    "west of": (0, -1),
    "north west of": (-1, -1),
}

GRID = Schema(
    name="grid",
    attributes=(
        Attribute(name="shape", values=SHAPES, is_head=True),
        Attribute(name="color", values=COLORS),
        Attribute(name="size", values=SIZES, is_ordered=True),
    ),
    relations=(
        Relation(name="same row", is_symmetric=True),
        Relation(name="same column", is_symmetric=True),
        Relation(name="inside", to=(("shape", "box"),)),
        Relation(name="same size", is_symmetric=True),
        Relation(name="same color", is_symmetric=True),
        Relation(name="same shape", is_symmetric=True),
        Relation(name="next to", is_symmetric=True),
        *(Relation(name=name) for name in BESIDE),
    ),
    distinct=True,
    reading="comparative",
)


class Facing(IntEnum):
    """The direction an agent faces, clockwise from east."""

    EAST = 0
    SOUTH = 1
    WEST = 2
    NORTH = 3

    @property
    def step(self) -> tuple[int, int]:
        """The change of (row, column) that one step ahead makes."""
        return ((0, 1), (1, 0), (0, -1), (-1, 0))[self]


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent that carries out the instruction: a cell and a direction."""

    row: int
    column: int
    facing: Facing = Facing.EAST


@dataclass(frozen=True, slots=True)
class GridObject:
    """One solid or box."""

    shape: str
    color: str
    size: int
    row: int
    column: int

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise SchemaError(f"unknown shape {self.shape!r}; known: {', '.join(SHAPES)}")
        if self.color not in COLORS:
            raise SchemaError(f"unknown color {self.color!r}; known: {', '.join(COLORS)}")
        if not 1 <= self.size <= len(SIZES):
            raise SchemaError(f"the size of a {self.shape} must be 1 to {len(SIZES)}, got {self.size}")

    @property
    def is_box(self) -> bool:
        """True if it is a box, which others can be inside of."""
        return self.shape == "box"

    def covers(self, row: int, column: int) -> bool:
        """Return whether a box's square holds the cell, borders included."""
        return self.row <= row < self.row + self.size and self.column <= column < self.column + self.size

    def codes(self) -> tuple[int, int, int, int, int]:
        """Return the object as small integers: shape, color, size, row, column."""
        return SHAPES.index(self.shape), COLORS.index(self.color), self.size, self.row, self.column

    @classmethod
    def from_codes(cls, shape: int, color: int, size: int, row: int, column: int) -> Self:
        """Return the object that `codes` describes."""
        return cls(SHAPES[shape], COLORS[color], int(size), int(row), int(column))

    def __str__(self) -> str:
        return f"{self.color} {self.shape} of size {self.size} at row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class GridScene:
    """A board with its objects and, where there is one, its agent."""

    objects: tuple[GridObject, ...]
    size: int = 6
    agent: Agent | None = None
    schema: Schema = field(default=GRID, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 2 <= self.size <= MAX_GRID:
            raise SchemaError(f"grid size must be at least 2 and at most {MAX_GRID}, got {self.size}")
        things: tuple[GridObject | Agent, ...] = (*self.objects, self.agent) if self.agent else self.objects
        for thing in things:
            if not (0 <= thing.row < self.size and 0 <= thing.column < self.size):
                raise SchemaError(f"{thing} lies outside the {self.size}x{self.size} grid")

    def __len__(self) -> int:
        return len(self.objects)

    def values(self, index: int, attribute: str) -> frozenset[str]:
        """Return the one value of an object along one dimension."""
        value = getattr(self.objects[index], self.schema.attribute(attribute).name)
        return frozenset((str(value),))

    def related(self, relation: str, index: int, other: int) -> bool:
        """Return whether the relation holds, with a box standing where its upper-left cell is."""
        if index == other:
            return False
        one, two = self.objects[index], self.objects[other]
        match relation:
            case "same row":
                return one.row == two.row
            case "same column":
                return one.column == two.column
            case "same shape":
                return one.shape == two.shape
            case "same color":
                return one.color == two.color
            case "same size":
                return one.size == two.size
            case "inside":
                return two.is_box and two.covers(one.row, one.column)
            case "next to":
                return (one.row - two.row, one.column - two.column) in BESIDE.values()
        if relation in BESIDE:
            return (one.row - two.row, one.column - two.column) == BESIDE[relation]
        self.schema.relation(relation)  # raises, naming the nearest relation
        raise SchemaError(
            f"a grid cannot tell whether the relation {relation!r} holds; write the scene out as a PlainScene"
        )

    def position(self, index: int) -> Point:
        """Return the cell of an object."""
        return Point(self.objects[index].row, self.objects[index].column)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridBatch:
    """Many grid scenes as arrays, for the compiled resolver.

    Shapes:
        objects: uint8 [scene, place, 5] with shape, color, size, row, column; places beyond `count` are unused.
        count: uint8 [scene].
    """

    objects: np.ndarray
    count: np.ndarray
    size: int = 6

    @classmethod
    def of(cls, scenes: Sequence[GridScene]) -> GridBatch:
        """Return the scenes, in order, all of the same size."""
        sizes = {scene.size for scene in scenes}
        if len(sizes) > 1:
            raise SchemaError(f"a batch holds grids of one size, got {sorted(sizes)}")
        places = max((len(scene) for scene in scenes), default=1)
        if places > MAX_OBJECTS:
            raise SchemaError(f"a grid in a batch holds at most {MAX_OBJECTS} objects, got {places}")
        objects = np.zeros((len(scenes), max(places, 1), 5), np.uint8)
        count = np.array([len(scene) for scene in scenes], np.uint8)
        for number, scene in enumerate(scenes):
            if len(scene):
                objects[number, : len(scene)] = [thing.codes() for thing in scene.objects]
        return cls(objects=objects, count=count, size=sizes.pop() if sizes else 6)

    def __len__(self) -> int:
        return len(self.count)

    def scene(self, number: int) -> GridScene:
        """Return one scene of the batch, readable again."""
        rows = self.objects[number, : self.count[number]]
        return GridScene(tuple(GridObject.from_codes(*(int(v) for v in row)) for row in rows), size=self.size)
