"""Composition of a grid scene as a picture: the place and order of everything drawn."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import TYPE_CHECKING

from deixis.worlds.grid._pictures.look import Marks, check_marks, roles_of
from deixis.worlds.grid._pictures.pointing import (
    badge,
    heading_lines,
    legend_height,
    legend_layer,
    role_items,
    way_strokes,
)
from deixis.worlds.grid._pictures.strokes import (
    XY,
    Ink,
    Layer,
    Outline,
    Picture,
    Spot,
    Stroke,
    Words,
    flatten,
    middle_of,
    paint_agent,
    paint_object,
    polygon,
    reach_of,
    rectangle,
    silhouette,
)


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid._pictures.look import Cell, Look
    from deixis.worlds.grid.scene import GridObject, GridScene


# Where several things on one cell stand, in cells from its middle, and how much smaller they are.
SHARED = {
    1: (1.0, ((0.0, 0.0),)),
    2: (0.6, ((-0.21, -0.17), (0.21, 0.17))),
    3: (0.52, ((-0.22, -0.2), (0.22, -0.2), (0.0, 0.22))),
    4: (0.5, ((-0.23, -0.22), (0.23, -0.22), (-0.23, 0.22), (0.23, 0.22))),
}
AGENT_ASIDE = (0.64, (-0.26, 0.27))
FRAME_INSET, FRAME_STEP, FRAME_LEVELS = 0.047, 0.085, 3


def compose(scene: GridScene, marks: Marks, look: Look, *, title: str = "") -> Picture:
    """Compose the picture of a scene with its marks.

    Raises:
        SchemaError: when a mark points at an object or cell that is not there.
    """
    check_marks(scene, marks)
    margin = round(0.16 * look.cell) if look.style == "deixis" or marks != Marks() else 0
    plot = _Plot.of(scene, look, margin, heading_lines(title, scene.size * look.cell, look) if look.heading else [])
    bottom = plot.top + scene.size * look.cell + plot.margin
    return Picture(
        width=scene.size * look.cell + plot.left + plot.margin,
        height=bottom + legend_height(scene, marks, look),
        paper=look.palette.paper,
        layers=(
            *_ground(scene, look, plot),
            *_things(scene, marks, look, plot),
            *_pointers(scene, marks, look, plot),
            *legend_layer(scene, marks, look, left=plot.left, top=bottom),
        ),
        title=title or f"A grid scene with {len(scene)} objects",
        description=describe(scene, marks),
    )


def cell_boxes(scene: GridScene, look: Look) -> list[tuple[float, float, float, float]]:
    """Return left, top, right and bottom edge of the cells of every object, as shares of a picture without marks."""
    picture = compose(scene, Marks(), look)
    margin = round(0.16 * look.cell) if look.style == "deixis" else 0
    plot = _Plot.of(scene, look, margin, ())
    found = []
    for thing in scene.objects:
        span = thing.size if thing.is_box else 1
        rows, columns = min(span, scene.size - thing.row), min(span, scene.size - thing.column)
        left, top = plot.left + thing.column * look.cell, plot.top + thing.row * look.cell
        right, bottom = left + columns * look.cell, top + rows * look.cell
        found.append((left / picture.width, top / picture.height, right / picture.width, bottom / picture.height))
    return found


def object_boxes(scene: GridScene, look: Look) -> list[tuple[float, float, float, float]]:
    """Return left, top, right and bottom edge of every object as it is drawn, in pixels of a picture without marks."""
    picture = compose(scene, Marks(), look)
    found = {one.object: _bounds(one, picture.paper) for one in picture.layers if one.name == "object"}
    return [found[number] for number in range(len(scene))]


def _bounds(layer: Layer, paper: str) -> tuple[float, float, float, float]:
    """Return the edges of all strokes of a layer that differ from the paper."""
    xs, ys = [], []
    for item in layer.items:
        if isinstance(item, Stroke) and (item.ink.fill or item.ink.line) and item.ink.line != paper:
            half = item.ink.width / 2 if item.ink.line else 0.0
            for x, y in flatten(item.outline):
                xs += [x - half, x + half]
                ys += [y - half, y + half]
    return min(xs), min(ys), max(xs), max(ys)


def describe(scene: GridScene, marks: Marks) -> str:
    """Describe the scene in words, for screen readers."""
    roles = roles_of(marks)
    parts = [f"A board of {scene.size} by {scene.size} cells, rows and columns counted from 0 at the top left."]
    if scene.agent:
        agent = scene.agent
        parts.append(f"The agent is at row {agent.row}, column {agent.column}, facing {agent.facing.name.lower()}.")
    for index, thing in enumerate(scene.objects):
        role = f" ({roles[index].words})" if index in roles else ""
        parts.append(f"Object {index}: {thing}{role}.")
    return " ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Where the board lies on the paper and where on it every object is drawn."""

    left: float
    top: float
    margin: float
    cell: float
    headings: tuple[Words, ...]
    spots: tuple[Spot, ...]

    @classmethod
    def of(cls, scene: GridScene, look: Look, margin: float, headings: Sequence[str]) -> _Plot:
        size = 0.235 * look.cell
        edge = margin + (round(0.3 * look.cell) if look.numbers else 0)
        top = edge + (round(len(headings) * 1.35 * size + 0.12 * look.cell) if headings else 0)
        ink = look.palette.ink
        lines = tuple(
            Words(x=edge, y=margin + (i + 0.62) * 1.35 * size, text=text, size=size, color=ink, anchor="start")
            for i, text in enumerate(headings)
        )
        bare = cls(left=edge, top=top, margin=margin, cell=look.cell, headings=lines, spots=())
        return replace(bare, spots=_spots(scene, look, bare))

    def middle(self, row: float, column: float) -> XY:
        """Return the middle of a cell."""
        return self.left + (column + 0.5) * self.cell, self.top + (row + 0.5) * self.cell

    def spot(self, row: float, column: float, *, share: float = 1.0, by: XY = (0.0, 0.0)) -> Spot:
        """Return a place on a cell, `by` cells away from its middle."""
        x, y = self.middle(row + by[1], column + by[0])
        return Spot(x=x, y=y, cell=self.cell, share=share)


def _spots(scene: GridScene, look: Look, plot: _Plot) -> tuple[Spot, ...]:
    """Where each object is drawn: solids share their cell fairly, frames of boxes keep off each other's lines."""
    sharing: defaultdict[Cell, list[int]] = defaultdict(list)
    for index, thing in enumerate(scene.objects):
        if not thing.is_box:
            sharing[thing.row, thing.column].append(index)
    insets = _frame_insets(scene.objects, look)
    spots = []
    for index, thing in enumerate(scene.objects):
        if thing.is_box:
            spots.append(_box_spot(thing, scene.size, plot, inset=insets[index]))
            continue
        neighbours = sharing[thing.row, thing.column]
        number, count = (neighbours.index(index), len(neighbours)) if look.style == "deixis" else (0, 1)
        share, by = _share_of_cell(number, count)
        spots.append(plot.spot(thing.row, thing.column, share=share, by=by))
    return tuple(spots)


def _share_of_cell(number: int, count: int) -> tuple[float, XY]:
    if count in SHARED:
        share, places = SHARED[count]
        return share, places[number]
    side = ceil(sqrt(count))
    row, column = divmod(number, side)
    return 1.1 / side, ((column + 0.5) / side - 0.5, (row + 0.5) / side - 0.5)


def _box_spot(thing: GridObject, size: int, plot: _Plot, *, inset: float) -> Spot:
    x, y = plot.middle(thing.row, thing.column)
    span = min(thing.size, size - thing.row, size - thing.column)
    return Spot(x=x, y=y, cell=plot.cell, inset=inset, span=span)


def _frame_insets(objects: Sequence[GridObject], look: Look) -> dict[int, float]:
    """How far in each frame is drawn, so that no two frames run along the same line; large boxes stay outside."""
    boxes = sorted((i for i, thing in enumerate(objects) if thing.is_box), key=lambda i: (-objects[i].size, i))
    levels: dict[int, int] = {}
    for index in boxes:
        taken = {levels[other] for other in levels if _share_a_line(objects[index], objects[other])}
        free = [level for level in range(FRAME_LEVELS) if level not in taken]
        levels[index] = free[0] if free else FRAME_LEVELS - 1
    if look.style == "release":
        return dict.fromkeys(levels, 0.0)
    return {index: (FRAME_INSET + level * FRAME_STEP) * look.cell for index, level in levels.items()}


def _share_a_line(one: GridObject, other: GridObject) -> bool:
    rows = one.row == other.row or one.row + one.size == other.row + other.size
    columns = one.column == other.column or one.column + one.size == other.column + other.size
    overlap_rows = one.row < other.row + other.size and other.row < one.row + one.size
    overlap_columns = one.column < other.column + other.size and other.column < one.column + one.size
    return (rows and overlap_columns) or (columns and overlap_rows)


def _ground(scene: GridScene, look: Look, plot: _Plot) -> list[Layer]:
    side = scene.size * look.cell
    sharp = look.style == "release"
    thin, palette = max(look.cell / 64, 0.75), look.palette
    ink = Ink(line=palette.grid, width=thin, is_sharp=True)
    lines = []
    for i in range(1, scene.size):
        x, y = plot.left + i * look.cell, plot.top + i * look.cell
        lines.append(Stroke(polygon([(x, plot.top), (x, plot.top + side)], is_closed=False), ink))
        lines.append(Stroke(polygon([(plot.left, y), (plot.left + side, y)], is_closed=False), ink))
    rounding = 0.0 if sharp else 0.1 * look.cell
    rim = rectangle(plot.left, plot.top, side, side, rounding=rounding)
    lines.append(Stroke(rim, Ink(line=palette.border, width=1.5 * thin, is_sharp=sharp)))
    layers = [Layer(name="grid", items=tuple(lines))]
    if look.numbers:
        layers.append(Layer(name="numbers", items=_numbers(scene.size, look, plot)))
    if plot.headings:
        layers.append(Layer(name="heading", items=plot.headings))
    return layers


def _numbers(size: int, look: Look, plot: _Plot) -> tuple[Words, ...]:
    away, font, color = 0.19 * look.cell, 0.2 * look.cell, look.palette.soft
    words = []
    for i in range(size):
        x, y = plot.middle(i, i)
        words.append(Words(x=x, y=plot.top - away, text=str(i), size=font, color=color))
        words.append(Words(x=plot.left - away, y=y, text=str(i), size=font, color=color))
    return tuple(words)


def _things(scene: GridScene, marks: Marks, look: Look, plot: _Plot) -> list[Layer]:
    """Boxes, the agent's way, solids and the agent; in the release look the way runs over everything."""
    order = _painting_order(scene, marks, look)
    boxes = [i for i in order if scene.objects[i].is_box or look.style == "release"]
    layers = []
    if marks.lit:
        layers.append(Layer(name="glow", items=tuple(_glow(scene, look, plot, i) for i in sorted(marks.lit))))
    for index in boxes:
        layers += _object(scene, marks, look, plot, index)
    if marks.path or marks.pushed:
        layers.append(Layer(name="plan", items=way_strokes(scene, marks, look, plot.middle, plot.spots)))
    for index in order[len(boxes) :]:
        layers += _object(scene, marks, look, plot, index)
    if scene.agent:
        items = paint_agent(scene.agent.facing, _agent_spot(scene, look, plot), look)
        layers.append(Layer(name="agent", title=f"agent facing {scene.agent.facing.name.lower()}", items=items))
    return layers


def _object(scene: GridScene, marks: Marks, look: Look, plot: _Plot, index: int) -> list[Layer]:
    """Return an object and the outline of its role."""
    thing, spot, role = scene.objects[index], plot.spots[index], roles_of(marks).get(index)
    items = paint_object(thing, spot, look, is_dim=marks.lit is not None and index not in marks.lit)
    words = f" ({role.words})" if role else ""
    layers = [Layer(name="object", object=index, title=f"{index}: {thing}{words}", items=items)]
    if role:
        layers.append(Layer(name=f"mark {role}", object=index, items=role_items(thing, spot, look, role)))
    return layers


def _painting_order(scene: GridScene, marks: Marks, look: Look) -> list[int]:
    """Boxes under solids, dimmed under lit, large under small; the release look goes row by row, as published."""

    def rank(index: int) -> tuple[float, ...]:
        thing = scene.objects[index]
        if look.style == "release":
            return thing.row, thing.column, index
        return not thing.is_box, index in (marks.lit or ()), -thing.size, index

    return sorted(range(len(scene)), key=rank)


def _glow(scene: GridScene, look: Look, plot: _Plot, index: int) -> Stroke:
    thing, spot = scene.objects[index], plot.spots[index]
    if thing.is_box:
        return Stroke(silhouette(thing, spot, look), Ink(line=look.palette.glow, width=0.3 * look.cell))
    left, top = plot.left + thing.column * look.cell, plot.top + thing.row * look.cell
    pad = 0.03 * look.cell
    cell = rectangle(left + pad, top + pad, look.cell - 2 * pad, look.cell - 2 * pad, rounding=0.14 * look.cell)
    return Stroke(cell, Ink(fill=look.palette.glow))


def _agent_spot(scene: GridScene, look: Look, plot: _Plot) -> Spot:
    agent = scene.agent
    assert agent is not None
    shares = any((thing.row, thing.column) == (agent.row, agent.column) and not thing.is_box for thing in scene.objects)
    share, by = AGENT_ASIDE if shares and look.style == "deixis" else (1.0, (0.0, 0.0))
    return plot.spot(agent.row, agent.column, share=share, by=by)


def _pointers(scene: GridScene, marks: Marks, look: Look, plot: _Plot) -> list[Layer]:
    layers = []
    for index, role in sorted(roles_of(marks).items()):
        x, y = _badge_place(scene.objects[index], plot.spots[index], look)
        layers.append(Layer(name="badge", object=index, items=badge(x, y, look, role)))
    if look.captions:
        layers += [_caption(thing, plot.spots[i], look, i) for i, thing in enumerate(scene.objects)]
    return layers


def _badge_place(thing: GridObject, spot: Spot, look: Look) -> XY:
    """On the frame of a box near its own corner; at the upper right of a solid, within its cell."""
    left, top = spot.corner
    if thing.is_box:
        return left + spot.inset + 0.24 * look.cell, top + spot.inset
    x, y = middle_of(thing, spot, look)
    away = 0.74 * (reach_of(thing, spot, look) + 0.14 * look.cell)
    return x + away, max(y - away, spot.y - 0.36 * look.cell)


def _caption(thing: GridObject, spot: Spot, look: Look, index: int) -> Layer:
    palette, cell = look.palette, look.cell
    left, top = spot.corner
    x, y = left + spot.inset, top + 0.52 * cell
    if not thing.is_box:
        away = 0.76 * (reach_of(thing, spot, look) + 0.14 * cell)
        x, y = (middle + away for middle in middle_of(thing, spot, look))
    size, text = 0.17 * cell, str(index)
    wide, high = (0.62 * len(text) + 0.5) * size, 1.25 * size
    plate: Outline = rectangle(x - wide / 2, y - high / 2, wide, high, rounding=0.4 * high)
    words = Words(x=x, y=y, text=text, size=size, color=palette.ink)
    return Layer(name="caption", object=index, items=(Stroke(plate, Ink(fill=palette.paper)), words))
