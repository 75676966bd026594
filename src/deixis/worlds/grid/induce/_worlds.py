"""Scenes in which an expression picks out one solid, and in which misreadings lead to others.

First everything mentioned is put down, related as the expression says. Then misreadings of the expression are put down
in the same way, in random order, using what is there already where it serves; one that would make the expression
ambiguous is taken back. Random objects fill up the rest. *Small* may be read as smaller than another or as smallest:
the same object is meant.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple, get_args

from deixis.distractors.planned_misreadings import planned_misreadings
from deixis.expression.steps import Extreme
from deixis.resolution.reference import denotation
from deixis.schema import Reading, Which
from deixis.worlds.grid.induce.edits import SOLIDS, in_reading_order
from deixis.worlds.grid.scene import COLORS, GRID, SIZES, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Description, Expression
    from deixis.seeds import Stream


LARGEST = len(SIZES)
READINGS: tuple[Reading, ...] = get_args(Reading)


class World(NamedTuple):
    """A scene, in reading order, and the object that the expression picks out of it."""

    scene: GridScene
    target: int


def draw_world(expression: Expression, *, size: int, objects: int, rng: Stream) -> World | None:
    """Draw a scene in which the expression picks out one solid, or return None if luck ran out.

    Args:
        expression: what is said.
        size: cells along one side of the grid.
        objects: how many objects there are, as far as they find room; more only if what is mentioned needs them.
        rng: where chance comes from.
    """
    board = _Board(size, (), rng)
    target = board.ground(expression)
    if target is None or target.is_box or not board.shows(expression, target):
        return None
    for misreading in rng.permutation(
        planned_misreadings(expression, GRID, kinds=("attribute", "selector", "relation"))
    ):
        if len(board.objects) >= objects:
            break
        trial = _Board(size, board.objects, rng, reuses=True)
        wrong = trial.ground(misreading.expression)
        if wrong is not None and len(trial.objects) <= objects and trial.shows(expression, target):
            board = trial
    for _ in range(2 * objects):
        if len(board.objects) >= objects:
            break
        trial = _Board(size, board.objects, rng)
        trial.scatter()
        board = trial if trial.shows(expression, target) else board
    scene = in_reading_order(board.scene)
    return World(scene, scene.objects.index(target))


class _Board:
    """A scene under construction."""

    def __init__(self, size: int, objects: tuple[GridObject, ...], rng: Stream, *, reuses: bool = False) -> None:
        self.size, self.objects, self.rng, self.reuses = size, objects, rng, reuses

    @property
    def scene(self) -> GridScene:
        """The scene as far as it goes."""
        return GridScene(self.objects, size=self.size)

    def shows(self, expression: Expression, target: GridObject) -> bool:
        """Return whether the expression picks out the target and nothing else, however size words are read."""
        scene, wanted = self.scene, {self.objects.index(target)}
        readings = (
            READINGS if any(_size_word(mention) is not None for mention in expression.mentions()) else READINGS[:1]
        )
        return all(denotation(expression, scene, reading=reading) == wanted for reading in readings)

    def ground(self, description: Description) -> GridObject | None:
        """Put down something that fits, with what it is related to, or None where there is no room."""
        partners = []
        for clause in description.clauses:
            partner = self._find_fitting(clause.to) or self.ground(clause.to)
            if partner is None:
                return None
            partners.append((clause.relation, partner))
        wanted = dict(partners)
        shape = description.value("shape") or _copy_from_partner(wanted, "shape") or self.rng.choice(SOLIDS)
        color = description.value("color") or _copy_from_partner(wanted, "color") or self.rng.choice(COLORS)
        word = _size_word(description)
        size = wanted["same size"].size if "same size" in wanted else self._size(word)
        cells = self._room(shape, size, partners)
        if not cells:
            return None
        thing = GridObject(str(shape), str(color), size, *self.rng.choice(cells))
        self.objects = (*self.objects, thing)
        return thing if word is None or self._has_counterpart(description, thing, word) else None

    def scatter(self) -> None:
        """Put down anything anywhere."""
        shape, size = self.rng.choice((*SOLIDS, *SOLIDS, "box")), self._size(None)
        cells = self._room(shape, size)
        if cells:
            thing = GridObject(shape, self.rng.choice(COLORS), size, *self.rng.choice(cells))
            self.objects = (*self.objects, thing)

    def _find_fitting(self, description: Description) -> GridObject | None:
        """Something on the board that fits already, in half of the cases where there is any."""
        if not self.reuses or self.rng.below(2):
            return None
        fitting = sorted(denotation(description, self.scene))
        return self.objects[self.rng.choice(fitting)] if fitting else None

    def _has_counterpart(self, description: Description, thing: GridObject, word: Which) -> bool:
        """Whether something of its kind has another size, so that a size word can be true; put down if need be."""
        sizes = range(thing.size + 1, LARGEST + 1) if word is Which.LEAST else range(1, thing.size)
        shape, color = description.value("shape"), description.value("color")
        if any(o.size in sizes and shape in (None, o.shape) and color in (None, o.color) for o in self.objects):
            return True
        if not sizes:
            return False
        size, shape = self.rng.choice(sizes), shape or self.rng.choice(SOLIDS)
        cells = self._room(shape, size)
        if cells:
            other = GridObject(shape, color or self.rng.choice(COLORS), size, *self.rng.choice(cells))
            self.objects = (*self.objects, other)
        return bool(cells)

    def _size(self, word: Which | None) -> int:
        """Return a size for which a size word can be true."""
        first = 2 if word is Which.MOST else 1
        last = LARGEST - 1 if word is Which.LEAST else LARGEST
        return first + self.rng.below(last - first + 1)

    def _room(self, shape: str, size: int, partners: Sequence[tuple[str, GridObject]] = ()) -> list[tuple[int, int]]:
        """Return the cells on which something of that shape can stand, related in place to its partners."""
        is_box = shape == "box"
        taken = {(o.row, o.column) for o in self.objects if o.is_box == is_box}
        rows = columns = range(self.size - size + 1 if is_box else self.size)
        for relation, partner in partners:
            if relation in ("same row", "inside"):
                rows = _overlap(rows, partner.row, partner.size if relation == "inside" else 1)
            if relation in ("same column", "inside"):
                columns = _overlap(columns, partner.column, partner.size if relation == "inside" else 1)
        return [cell for cell in product(rows, columns) if cell not in taken]


def _overlap(places: range, first: int, count: int) -> range:
    return range(max(places.start, first), min(places.stop, first + count))


def _copy_from_partner(partners: dict[str, GridObject], attribute: str) -> str | None:
    """Return the value that a partner hands on."""
    partner = partners.get(f"same {attribute}")
    return None if partner is None else str(getattr(partner, attribute))


def _size_word(description: Description) -> Which | None:
    return next((step.which for step in description.steps if isinstance(step, Extreme)), None)
