"""Drawings of objects for pages: at their places if the world has places, and otherwise in lines."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from deixis.errors import DeixisError
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deixis.scene.scene import Context, Scene
    from deixis.worlds.world import World


CELL, ACROSS = 112, 6  # pixels of an object, and objects in a line where no places are known
MOST_LINES = 12  # different rows or columns that are drawn where they are
COLORS = ("red", "blue", "green", "yellow")  # those of the boards of the studio
PAINT = {"black": "#222", "white": "#fff", "gray": "#888", "grey": "#888", "orange": "#e58a2b", "purple": "#8152a8"}
PAINT |= {"brown": "#8a5a33", "pink": "#e48fb0", "cyan": "#38b6c4"}


def draw_in(world: World, context: Context, marks: Mapping[Where, str] | None = None) -> Markup:
    """Draw objects as their world does, by a function `objects` of its pictures, or else as `draw_objects` does."""
    own = own_drawing(world)
    return draw_objects(context, marks) if own is None else Markup(own(context, marks or {}))  # noqa: S704 (a world's)


def own_drawing(world: World) -> Callable[[Context, Mapping[Where, str]], str] | None:
    """Return the function by which a world draws objects as elements with `data-object`, if it has one."""
    return getattr(world.part("pictures"), "objects", None) if "pictures" in world.parts else None


def draw_objects(context: Context, marks: Mapping[Where, str] | None = None) -> Markup:
    """Draw the objects of all scenes with numbers and values, in the colours of the page and without the target.

    Args:
        context: the scenes.
        marks: a word for some objects, shown above them.
    """
    is_many = len(context.scenes) > 1
    drawn = []
    for place, scene in enumerate(context.scenes):
        cells = cells_of(scene)
        width = CELL * (1 + max((column for column, _ in cells), default=0))
        height = CELL * (1 + max((row for _, row in cells), default=0))
        things = "".join(
            _object(
                scene,
                index,
                cell,
                f"{place}.{index}" if is_many else str(index),
                (marks or {}).get(Where(place, index)),
            )
            for index, cell in enumerate(cells)
        )
        label = f"Scene {place + 1}" if is_many else "The scene"
        drawn.append(
            f'<svg class="objects-drawn" viewBox="0 0 {width} {height}" style="max-width:{width}px" role="img" '
            f'aria-label="{label}, {len(scene)} objects">{things}</svg>'
        )
    return Markup("".join(drawn))  # noqa: S704 (all texts are escaped below)


def cells_of(scene: Scene) -> list[tuple[int, int]]:
    """The column and row of every object: as the scene has them, or one after the other where that cannot be drawn."""
    count = len(scene)
    flow = [(index % ACROSS, index // ACROSS) for index in range(count)]
    try:
        points = [scene.position(index) for index in range(count)]
    except DeixisError:
        return flow
    columns, rows = (sorted({point[axis] for point in points}) for axis in (1, 0))
    if max(len(columns), len(rows), 1) > MOST_LINES or len(set(points)) < count:
        return flow
    return [(columns.index(point.column), rows.index(point.row)) for point in points]


def _object(scene: Scene, index: int, cell: tuple[int, int], key: str, mark: str | None) -> str:
    x, y = cell[0] * CELL + CELL // 2, cell[1] * CELL
    values = [value for one in scene.schema.attributes for value in sorted(scene.values(index, one.name))]
    color = next((value for value in values if value in COLORS or value in PAINT), "")
    fill = f"var(--board-{color})" if color in COLORS else PAINT.get(color, "var(--panel)")
    lines = "".join(
        f'<text class="value" x="{x}" y="{y + 62 + 13 * line}">{escape(value[:16])}</text>'
        for line, value in enumerate(values[:3])
    )
    ring = f'<text class="mark" x="{x}" y="{y + CELL - 9}">{escape(mark)}</text>' if mark else ""
    return (
        f'<g data-object="{key}" class="{escape(f"is-{mark}") if mark else "plain"}">'
        f'<rect class="cell" x="{x - CELL // 2 + 3}" y="{y + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="12"/>'
        f'<circle cx="{x}" cy="{y + 32}" r="17" style="fill:{fill}"/>'
        f'<text class="number" x="{x}" y="{y + 37}">{escape(key)}</text>{lines}{ring}</g>'
    )
