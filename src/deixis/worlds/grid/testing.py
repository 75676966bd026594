"""Boards and expressions for tests: a short way to write phrases, and hypothesis strategies.

`deixis.testing` offers them, too.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Is, Step
from deixis.schema import Which
from deixis.worlds.grid.scene import COLORS, SHAPES, SIZES, Agent, Facing, GridObject, GridScene


with suppress(ModuleNotFoundError):  # `the` does without
    from hypothesis import strategies as st

if TYPE_CHECKING:
    from deixis.expression.description import Expression


__all__ = ["agents", "grid_objects", "grid_scenes", "the"]

SizeWord: TypeAlias = Literal["small", "big"]
WORDS: dict[SizeWord, Which] = {"small": Which.LEAST, "big": Which.MOST}


def the(noun: str = "object", *clauses: Step, color: str | None = None, size: SizeWord | None = None) -> Expression:
    """Return the grid expression of a noun phrase and its clauses, in the order in which they are read.

    Args:
        noun: a shape, or `object` for any.
        *clauses: further steps, applied last.
        color: a colour, if one is said.
        size: `small` or `big`, if one is said; compared with the objects of that shape and colour.

    Example:
        >>> print(the("circle", Related("same row", the("square", color="blue")), size="small"))
        [shape=circle, size=least, same row: [color=blue, shape=square]]
    """
    said: list[Step] = []
    if color is not None:
        said.append(Is("color", color))
    if noun != "object":
        said.append(Is("shape", noun))
    if size is not None:
        said.append(Extreme("size", WORDS[size]))
    return Description((*said, *clauses))


def grid_objects(*, size: int = 6) -> st.SearchStrategy[GridObject]:
    """Draw single solids and boxes, anywhere on a board.

    A box may reach over its edge.
    """
    cell = st.integers(0, size - 1)
    return st.builds(
        GridObject, st.sampled_from(SHAPES), st.sampled_from(COLORS), st.integers(1, len(SIZES)), cell, cell
    )


def agents(*, size: int = 6) -> st.SearchStrategy[Agent]:
    """Draw agents on any cell of a board, facing any way."""
    cell = st.integers(0, size - 1)
    return st.builds(Agent, cell, cell, st.sampled_from(Facing))


def grid_scenes(
    *, size: int = 6, min_objects: int = 0, max_objects: int = 9, with_agent: bool = False
) -> st.SearchStrategy[GridScene]:
    """Draw boards on which no two solids share a cell and no two boxes a corner.

    Args:
        size: rows and columns of the board.
        min_objects: the fewest objects.
        max_objects: the most.
        with_agent: whether there is an agent, on any cell.
    """
    objects = st.lists(
        grid_objects(size=size),
        min_size=min_objects,
        max_size=max_objects,
        unique_by=lambda thing: (thing.is_box, thing.row, thing.column),
    )
    agent = agents(size=size) if with_agent else st.none()
    return st.builds(GridScene, objects.map(tuple), size=st.just(size), agent=agent)
