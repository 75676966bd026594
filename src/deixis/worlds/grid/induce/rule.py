"""Rules, pairs and tasks: the rule to induce, and the pairs that show it.

A **rule** finds one object of a scene by an expression and makes an edit on it. A **task** shows pairs of scenes, each
before and after one rule, and asks what the rule makes of one scene more.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

from deixis.expression.parts import parts
from deixis.expression.patterns import pattern_of
from deixis.resolution.reference import denotation
from deixis.worlds.grid.induce.edits import OPERATIONS, DrawBeside, Enlarge, Move, Paint, Reshape, apply_edit
from deixis.worlds.grid.language import realise


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.schema import Reading
    from deixis.worlds.grid.induce.edits import Edit, Operation
    from deixis.worlds.grid.scene import GridScene


__all__ = ["Pair", "Rule", "Task", "length_of"]

TOWARDS = {"right": "to the right", "down": "down", "left": "to the left", "up": "up"}
BESIDE = {"right": "to the right of", "down": "below", "left": "to the left of", "up": "above"}


@dataclass(frozen=True, slots=True)
class Rule:
    """The expression of an object, and the edit that is made to it."""

    expression: Expression
    edit: Edit

    @property
    def operation(self) -> Operation:
        """The operation that the edit belongs to."""
        return OPERATIONS[type(self.edit)]

    @property
    def arguments(self) -> dict[str, str | int]:
        """The arguments of the edit, by name."""
        return {field.name: getattr(self.edit, field.name) for field in fields(self.edit)}

    @property
    def length(self) -> int:
        """Length of the rule: the number of parts of its expression."""
        return length_of(self.expression)

    def means(self, other: Rule) -> bool:
        """Return whether two rules say the same, in any order of their clauses."""
        return self.edit == other.edit and self.expression.canonical() == other.expression.canonical()

    def apply(self, scene: GridScene, *, reading: Reading | None = None) -> GridScene | None:
        """Return the scene after the rule, or None where it finds no object or several, or cannot make its edit."""
        found = denotation(self.expression, scene, reading=reading)
        return apply_edit(self.edit, scene, *found) if len(found) == 1 else None

    def english(self) -> str:
        """Return the rule in plain words, e.g. `Find the red circle; make it one size larger`."""
        return f"Find {realise(self.expression).text}; {_said_plainly(self.edit)}."

    def wording(self) -> str:
        """Return the rule in the wording of ReaSCAN's Figure 8: 'DRAW the red circle WITH BLUE COLOR'."""
        return _said_as_published(self.edit, realise(self.expression).text)


@dataclass(frozen=True, slots=True)
class Pair:
    """A scene before and after a rule."""

    input: GridScene
    output: GridScene


@dataclass(frozen=True, kw_only=True)
class Task:
    """Pairs that show a rule, and a scene to apply it to.

    Attributes:
        rule: what is to be found out.
        train: the pairs that show it.
        test: the scene that is asked about, with the answer.
        replaced: how many commands were given up before one made a task.
        number, seed: which task of which seed.
    """

    rule: Rule
    train: tuple[Pair, ...]
    test: Pair
    replaced: int = 0
    number: int = 0
    seed: int = 0

    @cached_property
    def pattern(self) -> str:
        """The name of the pattern of the expression."""
        return pattern_of(self.rule.expression).name


def length_of(expression: Expression) -> int:
    """Return the number of parts of an expression: words other than 'object', and clauses."""
    return sum(1 for _ in parts(expression))


def _said_plainly(edit: Edit) -> str:
    match edit:
        case Paint(color):
            return f"paint it {color}"
        case Enlarge():
            return "make it one size larger"
        case Reshape("box"):
            return "turn it into a box of the same color around its cell"
        case Reshape(shape):
            return f"turn it into a {shape} of the same color and size"
        case DrawBeside(direction, color, shape, size):
            return f"draw a {color} {shape} of size {size} in the cell {BESIDE[direction]} it"
        case Move(direction, "one cell"):
            return f"move it one cell {TOWARDS[direction]}"
        case Move(direction, _):  # pragma: no branch (the last edit)
            return f"move it {TOWARDS[direction]} until the edge or another object stops it"


def _said_as_published(edit: Edit, noun_phrase: str) -> str:
    match edit:
        case Paint(color):
            return f"DRAW {noun_phrase} WITH {color.upper()} COLOR"
        case Enlarge():
            return f"ENLARGE {noun_phrase}"
        case Reshape(shape):
            return f"CHANGE {noun_phrase} TO A SAME COLORED {shape.upper()}"
        case DrawBeside(direction, color, shape, size):
            what = f"A {color} {shape} of size {size} {BESIDE[direction]}".upper()
            return f"DRAW {what} {noun_phrase}"
        case Move(direction, distance):  # pragma: no branch (the last edit)
            return f"MOVE {noun_phrase} {TOWARDS[direction].upper()} {_by(distance)}"


def _by(distance: str) -> str:
    return "BY ONE CELL" if distance == "one cell" else "UNTIL BLOCKED"
