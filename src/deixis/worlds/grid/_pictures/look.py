"""Marks, roles, options and colours of pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.worlds.grid.scene import GridScene


Cell: TypeAlias = tuple[int, int]  # row, column
MAX_CELL_PX = 512


class Role(StrEnum):
    """The reason why an object is there, so far as the marks say."""

    TARGET = "target"
    MENTIONED = "mentioned"
    RELATION = "relation"
    ATTRIBUTE = "attribute"
    ISOMORPHISM = "isomorphism"
    SIZE = "size"
    RANDOM = "random"
    HELPER = "helper"

    @property
    def letter(self) -> str:
        """The letter on its badge."""
        return "?" if self is Role.RANDOM else self.value[0].upper()

    @property
    def words(self) -> str:
        """The role in words."""
        match self:
            case Role.TARGET | Role.MENTIONED | Role.HELPER:
                return self.value
            case Role.SIZE:
                return "size counterpart"
            case Role.RANDOM:
                return "random object"
        return f"{self.value} distractor"

    @property
    def short(self) -> str:
        """The role where there is little room, in ReaSCAN's terms."""
        based = self in (Role.RELATION, Role.ATTRIBUTE, Role.ISOMORPHISM)
        return f"{self.value}-based" if based else self.words


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Marks on the objects of a scene.

    An object has one role: the target first, then the mentioned, then the distractors.

    Attributes:
        target: the object that is meant.
        mentioned: the objects that the expression mentions; the target may be among them.
        distractors: for each distractor its kind: relation, attribute, isomorphism, size, random or helper.
        path: the cells that the agent walks over, in order, its own cell first.
        pushed: the cells that an object is pushed or pulled over, in order, its own cell first.
        lit: the objects to show in full while all others are dimmed; None dims nothing.
    """

    target: int | None = None
    mentioned: tuple[int, ...] = ()
    distractors: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    path: tuple[Cell, ...] | None = None
    pushed: tuple[Cell, ...] = ()
    lit: frozenset[int] | None = None

    def __post_init__(self) -> None:
        kinds = tuple(Role)[2:]
        for kind in self.distractors.values():
            if kind not in kinds:
                raise SchemaError(f"unknown kind of distractor {kind!r}; known: {', '.join(kinds)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Options of a picture of a grid scene.

    Attributes:
        cell: the side of a cell in pixels.
        style: *deixis*, made to be told apart at a glance and with any colour vision, or *release*, the look of the
            pictures published with ReaSCAN.
        theme: light or dark; the release look is always light.
        numbers: whether rows and columns are numbered along the edge.
        captions: whether every object carries its number.
        heading: whether the title stands above the board; it is always there for screen readers.
        legend: whether the marks in use are explained below the board.
    """

    cell: int = 64
    style: Literal["deixis", "release"] = "deixis"
    theme: Literal["light", "dark"] = "light"
    numbers: bool = False
    captions: bool = False
    heading: bool = False
    legend: bool = False

    def __post_init__(self) -> None:
        if not 16 <= self.cell <= MAX_CELL_PX:
            raise SchemaError(f"a cell must be 16 to {MAX_CELL_PX} pixels wide, got {self.cell}")
        if self.style not in ("deixis", "release"):
            raise SchemaError(f"unknown style {self.style!r}; known: deixis, release")
        if self.theme not in ("light", "dark"):
            raise SchemaError(f"unknown theme {self.theme!r}; known: light, dark")

    @property
    def palette(self) -> Palette:
        """The colours that go with the style and theme."""
        if self.style == "release":
            return RELEASE
        return LIGHT if self.theme == "light" else DARK


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """The colours of a picture, as #RRGGBB."""

    paper: str
    grid: str
    border: str
    ink: str  # the agent, its way, text
    soft: str  # text and outlines that stay in the background
    accent: str  # the target's outline
    glow: str  # behind lit objects
    objects: Mapping[str, str]


# Told apart under protanopia, deuteranopia and tritanopia as well: lightness differs along with hue.
LIGHT = Palette(
    paper="#FFFFFF",
    grid="#E4E7ED",
    border="#C3C9D4",
    ink="#232838",
    soft="#687084",
    accent="#A3127A",
    glow="#FFF0B8",
    objects={"red": "#C8313C", "blue": "#2356A8", "green": "#3DB08F", "yellow": "#F4C430"},
)
DARK = Palette(
    paper="#161A23",
    grid="#2A303D",
    border="#434B5C",
    ink="#F1F3F8",
    soft="#A4ADBF",
    accent="#FF8AD8",
    glow="#4A4220",
    objects={"red": "#E0524D", "blue": "#4C7DE8", "green": "#56CBA6", "yellow": "#FFDA5C"},
)
RELEASE = Palette(
    paper="#FFFFFF",
    grid="#646464",
    border="#646464",
    ink="#232838",
    soft="#5A6173",
    accent="#A52A2A",
    glow="#FFF0B8",
    objects={"red": "#800000", "blue": "#191970", "green": "#2E8B57", "yellow": "#FFBF00"},
)


def roles_of(marks: Marks) -> dict[int, Role]:
    """Return the role of every marked object."""
    roles = {index: Role(kind) for index, kind in marks.distractors.items()}
    roles |= dict.fromkeys(marks.mentioned, Role.MENTIONED)
    if marks.target is not None:
        roles[marks.target] = Role.TARGET
    return roles


def check_marks(scene: GridScene, marks: Marks) -> None:
    """Refuse marks that point outside the scene.

    Raises:
        SchemaError: naming the first object or cell that is not there.
    """
    for index in (*roles_of(marks), *(marks.lit or ())):
        if not 0 <= index < len(scene):
            raise SchemaError(f"no object {index} to mark; the scene has {len(scene)}")
    for row, column in (*(marks.path or ()), *marks.pushed):
        if not (0 <= row < scene.size and 0 <= column < scene.size):
            raise SchemaError(f"cell ({row}, {column}) of the path lies outside the {scene.size}x{scene.size} grid")
