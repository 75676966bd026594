"""Panels of a picture: a scene, an image with boxes, a grid of cells, and choices of which one is right."""

from __future__ import annotations

from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import DeixisError
from deixis.judge.boxes import Box
from deixis.language.explain import name_object
from deixis.readers._drawing import (
    GROUND,
    INK,
    LINE,
    QUIET,
    TARGET,
    Area,
    Board,
    Panel,
    around,
    paragraph,
    plain_text,
    stack,
    width_of,
    write,
)
from deixis.worlds.toolkit.pictures import links_of


if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from deixis.readers._image_files import ImageFile
    from deixis.scene.scene import Point, Scene


SMALL, LABEL = 12.0, 13.0  # sizes of letters
TALLEST = 520.0  # pixels of an image
RADIUS, LEAST_RADIUS = 22.0, 9.0  # of objects
EDGE = 64.0  # kept free around objects
MAX_LINKS = 8  # relations that are drawn in a scene
LONGEST_NAME = 30  # letters of a name beside its object
COLORS = {
    "red": "#d6453d",
    "green": "#4d9a5b",
    "blue": "#4a78c9",
    "yellow": "#f0c83c",
    "purple": "#8a5bb0",
    "cyan": "#4fb8c4",
    "brown": "#8f6238",
    "gray": "#9aa0aa",
    "grey": "#9aa0aa",
    "black": "#2b2e36",
    "white": "#ffffff",
    "orange": "#e58a35",
    "pink": "#e59ab5",
}
DARK = frozenset({"red", "green", "blue", "purple", "brown", "black"})
SIDES = {"nlvr": {"small": 0.1, "medium": 0.2, "big": 0.3}}
"""Sides of shapes in shares of a square scene, by sizes, of schemas whose points are upper left corners in 0..100."""
SQUARE, ROUND, POINTED = ("square", "cube", "box"), ("cylinder",), ("triangle", "cone", "pyramid")


class Thing(NamedTuple):
    """Something in a panel with a name: a box in an image, an object of a scene.

    Attributes:
        area: where it lies.
        name: what is written at it.
        is_right: whether it is meant.
        key: what pages call it; empty where it is no object that is known.
    """

    area: Area
    name: str
    is_right: bool
    key: str = ""


# -------------------------------------------------------------------------------- names


def name_things(things: Sequence[Thing], board: Board, *, inside: bool, width: float) -> Panel:
    """Write names beside things, or where they do not all fit numbers, with a list of the names below.

    The height is that of the list; names and numbers lie on the board above it.
    """
    drawn = _names_beside(things, board, inside=inside)
    if drawn is not None:
        return Panel(width, 0, "".join(drawn))
    labels = [_at_number(number, thing, board, inside=inside) for number, thing in enumerate(things)]
    return Panel(width, legend(things, width).height, "".join(labels))


def _names_beside(things: Sequence[Thing], board: Board, *, inside: bool) -> list[str] | None:
    trial, drawn = board.copy(), []
    for thing in sorted(things, key=lambda one: not one.is_right):
        if not thing.name:
            continue
        wide = width_of(thing.name, LABEL) + 6
        place = (
            trial.put(around(thing.area, wide, LABEL + 5, inside=inside)) if len(thing.name) <= LONGEST_NAME else None
        )
        if place is None:
            return None
        drawn.append(_label(place, thing.name, is_right=thing.is_right, on_ground=inside))
    return drawn


def _label(place: Area, text: str, *, is_right: bool, on_ground: bool) -> str:
    left, top, right, bottom = place
    where = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    back = f'<rect {where} rx="2" fill="#fff" opacity=".9"/>' if on_ground else ""
    return back + write(
        (left + right) / 2, bottom - 5, text, size=LABEL, ink=TARGET if is_right else INK, anchor="middle"
    )


def _at_number(number: int, thing: Thing, board: Board, *, inside: bool) -> str:
    """The number of a thing: in the middle of an object, in a corner of a box that is free."""
    text = str(number)
    wide, high = width_of(text, SMALL) + 8, SMALL + 5
    left, top, right, bottom = thing.area
    if not inside:
        return ""
    rows = [top + 3 + high * row for row in range(12)]
    scan = [(left + 3 + wide * column, y) for y in rows for column in range(12)]
    within = [(x, y, x + wide, y + high) for x, y in scan if x + wide < right and y + high < bottom]
    place = board.put([*around(thing.area, wide, high, inside=True), *within])
    if place is None:
        return ""
    fill = TARGET if thing.is_right else INK
    x, y = place[:2]
    back = f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="3" fill="{fill}"/>'
    return back + write(x + wide / 2, y + high - 4.5, text, size=SMALL, ink="#fff", anchor="middle")


def legend(things: Sequence[Thing], width: float) -> Panel:
    """The names of things by number, in as many columns as fit."""
    entries = [(number, thing) for number, thing in enumerate(things) if thing.name]
    if not entries:
        return Panel(width, 0, "")
    longest = max(width_of(thing.name, SMALL) for _, thing in entries) + 40
    columns = max(1, min(4, int(width // longest)))
    wide = width / columns
    cells = []
    for number, thing in entries:
        ink = TARGET if thing.is_right else INK
        said = paragraph(thing.name, wide - 36, size=SMALL, ink=ink, bold=thing.is_right)
        head = write(20, SMALL, str(number), size=SMALL, ink=ink, anchor="end", bold=True)
        cells.append(Panel(wide, said.height, f'{head}<g transform="translate(28 0)">{said.svg}</g>'))
    per_column = -(-len(cells) // columns)
    parts = [stack(cells[start : start + per_column], 2) for start in range(0, len(cells), per_column)]
    drawn = "".join(f'<g transform="translate({wide * k:.1f} 0)">{part.svg}</g>' for k, part in enumerate(parts))
    return Panel(width, max(part.height for part in parts), drawn)


# -------------------------------------------------------------------------------- images


def image_panel(
    things: Sequence[Thing],
    *,
    width: float,
    size: tuple[float, float],
    space: str,
    title: str,
    file: ImageFile | None,
    place: int = 0,
) -> Panel:
    """An image, or its frame where the file is not at hand, with boxes on it and its name below.

    The areas of the things are boxes in the given space. Small ones are drawn last, where a click finds them. The frame
    has the number of the image, `place`, and its sides in the same space, so that pages can draw further boxes on it.
    """
    across, down = _frame(things, size, space, file)
    scale = min(width / across, TALLEST / down)
    wide, high = across * scale, down * scale
    by = (wide, high) if space == "share" else (scale, scale)
    shown = [one._replace(area=Box(*one.area).scale(*by)) for one in things]
    board = Board((0, 0, wide, high))
    named = name_things(shown, board, inside=True, width=wide)
    ground = f'<rect width="{wide:.1f}" height="{high:.1f}" fill="{GROUND}" stroke="{LINE}"/>'
    if file is not None:
        held = f'width="{wide:.1f}" height="{high:.1f}" preserveAspectRatio="none"'
        ground += f'<image href="{file.address}" {held}/>'
    boxes = "".join(_box(one) for one in sorted(shown, key=lambda one: -_size_of(one.area)))
    sides = (1.0, 1.0) if space == "share" else (across, down)
    known = f'data-image="{place}" data-across="{sides[0]:.6g}" data-down="{sides[1]:.6g}"'
    frame = f'<svg width="{wide:.1f}" height="{high:.1f}" {known}>{ground}{boxes}{named.svg}</svg>'
    parts = [Panel(wide, high, frame)]
    if file is None and not things:
        parts = [_absent(width)]
    if title:
        parts.append(paragraph(title, max(wide, 160), size=SMALL, ink=QUIET))
    if named.height:
        parts.append(legend(shown, max(wide, 220)))
    return stack(parts, 8)


def _absent(width: float) -> Panel:
    """What stands for an image of which nothing is known but its name."""
    ground = f'<rect width="{width:.1f}" height="96" rx="6" fill="{GROUND}" stroke="{LINE}" stroke-dasharray="5 4"/>'
    return Panel(width, 96, ground + write(width / 2, 53, "image not at hand", size=14, ink=QUIET, anchor="middle"))


def _frame(
    things: Sequence[Thing], size: tuple[float, float], space: str, file: ImageFile | None
) -> tuple[float, float]:
    """Width and height of an image, as far as something says them: the dataset, the file, its boxes."""
    for known in (size, file.size if file is not None else (0, 0)):
        if known[0] > 0 and known[1] > 0:
            return known
    if space == "share" or not things:
        return 4.0, 3.0
    return max(one.area[2] for one in things) * 1.04, max(one.area[3] for one in things) * 1.04


def _size_of(area: Area) -> float:
    return (area[2] - area[0]) * (area[3] - area[1])


def _box(thing: Thing) -> str:
    left, top, right, bottom = thing.area
    where = f'x="{left:.1f}" y="{top:.1f}" width="{max(0, right - left):.1f}" height="{max(0, bottom - top):.1f}"'
    if thing.is_right:
        line = max(1.2, min(3.5, min(right - left, bottom - top) / 6))  # a small box is not filled by its own edge
        drawn = (
            f'<rect {where} fill="none" stroke="#fff" stroke-width="{line + 2.5:g}" opacity=".8"/>'
            f'<rect {where} fill="none" stroke="{TARGET}" stroke-width="{line:.3g}"/>'
        )
    else:
        drawn = f'<rect {where} fill="none" stroke="{INK}" stroke-width="1.2" opacity=".75"/>'
    return _as_object(thing.key, drawn, thing.name, reach=where)


def _as_object(key: str, drawn: str, name: str, *, reach: str = "") -> str:
    """Something drawn as an object that pages light up and that can be clicked, anywhere in its reach."""
    if not key:
        return drawn
    ground = f'<rect class="reach" {reach} fill="none" pointer-events="all"/>' if reach else ""
    title = f"<title>{plain_text(name)}</title>" if name else ""
    return f'<g data-object="{key}">{title}{ground}{drawn}</g>'


# -------------------------------------------------------------------------------- scenes


def scene_panel(
    scene: Scene,
    *,
    width: float,
    targets: Collection[int],
    relations: Collection[str],
    beside: Sequence[Scene] = (),
    prefix: str = "",
) -> Panel:
    """A scene: its objects where it says or else on a circle, those that are meant in a ring.

    Relations of the targets are drawn, those that the expression mentions first. Scenes that stand beside each other
    are drawn to one scale, each in a frame; where the sides of the shapes are known, they are as large as they are.
    Pages know the objects by their numbers, after the prefix.
    """
    if scene.schema.name in SIDES:
        return _panel_to_scale(scene, width, SIDES[scene.schema.name], prefix)
    places, high = _places(scene, width, beside or (scene,))
    radius = _radius(places)
    board = Board((0, 0, width, high))
    things, drawn = [], []
    for index, (x, y) in enumerate(places):
        reach = radius + (8 if index in targets else 2)
        things.append(Thing((x - reach, y - reach, x + reach, y + reach), name_object(scene, index), index in targets))
    board.taken += [thing.area for thing in things]
    names = _names_beside(things, board, inside=False)
    has_names = names is not None
    if names is not None:
        _names_on(board, things)
    links = _links(scene, places, board, targets, relations, radius)
    for index, (x, y) in enumerate(places):
        look = _object(scene, index, x, y, radius, is_target=index in targets, has_number=not has_names)
        drawn.append(_as_object(f"{prefix}{index}", look, things[index].name))
    svg = links + "".join(drawn) + "".join(names or ())
    frame = f'<rect width="{width:.1f}" height="{high:.1f}" fill="none" stroke="{LINE}" rx="6"/>'
    parts = [Panel(width, high, frame + svg if len(beside) > 1 else svg)]
    if not has_names:
        parts.append(legend(things, width))
    return stack(parts, 10)


def _panel_to_scale(scene: Scene, width: float, sides: Mapping[str, float], prefix: str) -> Panel:
    """A square scene with its shapes where and as large as they are, numbers on them, and their names below."""
    things, drawn = [], []
    for index in range(len(scene)):
        color, shape, _ = _look(scene, index)
        side = width * next((sides[value] for value in scene.values(index, "size") if value in sides), 0.1)
        left, top = scene.position(index).column * width / 100, scene.position(index).row * width / 100
        things.append(Thing((left, top, left + side, top + side), name_object(scene, index), is_right=False))
        style = f'fill="{COLORS.get(color, GROUND)}" stroke="{INK}" stroke-width="1"'
        ink = "#fff" if color in DARK else INK
        low = 0.72 if shape in POINTED else 0.5
        number = write(left + side / 2, top + side * low + 4, str(index), size=SMALL, ink=ink, anchor="middle")
        look = _shape_in(shape, left, top, side, style) + number
        drawn.append(_as_object(f"{prefix}{index}", look, things[index].name))
    frame = f'<rect width="{width:.1f}" height="{width:.1f}" fill="{GROUND}" stroke="{LINE}"/>'
    return stack([Panel(width, width, frame + "".join(drawn)), legend(things, width)], 10)


def _shape_in(shape: str, left: float, top: float, side: float, style: str) -> str:
    """A shape that fills a square."""
    if shape in SQUARE:
        return f'<rect x="{left:.1f}" y="{top:.1f}" width="{side:.1f}" height="{side:.1f}" {style}/>'
    if shape in POINTED:
        low, right = top + side, left + side
        points = f"{left + side / 2:.1f},{top:.1f} {left:.1f},{low:.1f} {right:.1f},{low:.1f}"
        return f'<polygon points="{points}" {style}/>'
    half = side / 2
    return f'<circle cx="{left + half:.1f}" cy="{top + half:.1f}" r="{half:.1f}" {style}/>'


def _names_on(board: Board, things: Sequence[Thing]) -> None:
    """Take the places of names, in the order in which they were found."""
    for thing in sorted(things, key=lambda one: not one.is_right):
        board.put(around(thing.area, width_of(thing.name, LABEL) + 6, LABEL + 5, inside=False))


def _places(scene: Scene, width: float, beside: Sequence[Scene]) -> tuple[list[tuple[float, float]], float]:
    """Where the objects stand, and the height of the panel."""
    points = _points(scene)
    if points is None:
        high = min(width, 480.0)
        turns = [2 * pi * index / max(1, len(scene)) - pi / 2 for index in range(len(scene))]
        across, down = width / 2 - EDGE * 1.3, high / 2 - EDGE * 0.8
        if len(scene) == 1:
            return [(width / 2, high / 4)], high / 2
        return [(width / 2 + across * cos(turn), high / 2 + down * sin(turn)) for turn in turns], high
    together = [point for one in beside for point in _points(one) or ()]
    left, top = min(one.column for one in together), min(one.row for one in together)
    wide = max(one.column for one in together) - left
    tall = max(one.row for one in together) - top
    inner = width - 2 * EDGE
    scale = min(inner / wide if wide else inner, inner / tall if tall else inner)
    aside = (inner - wide * scale) / 2
    found = [(EDGE + aside + (one.column - left) * scale, EDGE + (one.row - top) * scale) for one in points]
    return found, tall * scale + 2 * EDGE


def _points(scene: Scene) -> list[Point] | None:
    """Where the scene has its objects; None where it does not say, or has two in one place."""
    try:
        points = [scene.position(index) for index in range(len(scene))]
    except DeixisError:
        return None
    return points if points and len(set(points)) == len(points) else None


def _radius(places: Sequence[tuple[float, float]]) -> float:
    """The largest radius with which no two objects touch."""
    least = min((hypot(x - u, y - v) for k, (x, y) in enumerate(places) for u, v in places[:k]), default=4 * RADIUS)
    return max(LEAST_RADIUS, min(RADIUS, least * 0.38))


def _links(
    scene: Scene,
    places: Sequence[tuple[float, float]],
    board: Board,
    targets: Collection[int],
    relations: Collection[str],
    radius: float,
) -> str:
    """Arrows between related objects; one whose label has no free place is left out."""
    own = [link for link in links_of(scene) if link[1] in targets]
    mentioned = [link for link in own if link[0] in relations]
    chosen = mentioned or own
    if len(chosen) > MAX_LINKS:
        return ""
    together: dict[tuple[int, int], list[str]] = {}
    for relation, one, other in chosen:
        together.setdefault((one, other), []).append(relation)
    return "".join(
        _link(places[one], places[other], ", ".join(names), board, radius) for (one, other), names in together.items()
    )


def _link(start: tuple[float, float], end: tuple[float, float], label: str, board: Board, radius: float) -> str:
    (x, y), (u, v) = start, end
    long = hypot(u - x, v - y)
    if long < 4 * radius:
        return ""
    wide, high = width_of(label, SMALL) + 4, SMALL + 4
    shares = (0.5, 0.4, 0.6, 0.3, 0.7)
    middles = [(x + (u - x) * share, y + (v - y) * share) for share in shares]
    place = board.put([(a - wide / 2, b - high / 2, a + wide / 2, b + high / 2) for a, b in middles])
    if place is None:
        return ""
    skip = radius + 10
    dx, dy = (u - x) / long, (v - y) / long
    a, b, c, d = x + dx * skip, y + dy * skip, u - dx * skip, v - dy * skip
    back = c - dx * 9, d - dy * 9
    corners = ((c, d), (back[0] - dy * 4, back[1] + dx * 4), (back[0] + dy * 4, back[1] - dx * 4))
    tip = " ".join(f"{one:.1f},{other:.1f}" for one, other in corners)
    where = f'x1="{a:.1f}" y1="{b:.1f}" x2="{c - dx * 6:.1f}" y2="{d - dy * 6:.1f}"'
    return (
        f'<line {where} stroke="{QUIET}" stroke-width="1.4"/>'
        f'<polygon points="{tip}" fill="{QUIET}"/>'
        f'<rect x="{place[0]:.1f}" y="{place[1]:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="#fff"/>'
        + write((place[0] + place[2]) / 2, place[3] - 4, label, size=SMALL, ink=QUIET, anchor="middle")
    )


def _object(scene: Scene, index: int, x: float, y: float, radius: float, *, is_target: bool, has_number: bool) -> str:
    color, shape, share = _look(scene, index)
    r = radius * share
    style = f'fill="{COLORS.get(color, GROUND)}" stroke="{INK}" stroke-width="1.2"'
    ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius + 6:.1f}" fill="none" stroke="{TARGET}" stroke-width="3.5"/>'
    number = ""
    if has_number:
        ink = "#fff" if color in DARK else INK
        number = write(x, y + 4, str(index), size=min(12, radius), ink=ink, anchor="middle", bold=is_target)
    return (ring if is_target else "") + _shape(shape, x, y, r, style) + number


def _shape(shape: str, x: float, y: float, r: float, style: str) -> str:
    if shape in SQUARE:
        side = r * 0.9
        where = f'x="{x - side:.1f}" y="{y - side:.1f}" width="{2 * side:.1f}" height="{2 * side:.1f}"'
        return f"<rect {where} {style}/>"
    if shape in ROUND:
        where = f'x="{x - r * 0.7:.1f}" y="{y - r:.1f}" width="{1.4 * r:.1f}" height="{2 * r:.1f}" rx="{r * 0.6:.1f}"'
        return f"<rect {where} {style}/>"
    if shape in POINTED:
        points = f"{x:.1f},{y - r:.1f} {x - r:.1f},{y + r * 0.8:.1f} {x + r:.1f},{y + r * 0.8:.1f}"
        return f'<polygon points="{points}" {style}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {style}/>'


def _look(scene: Scene, index: int) -> tuple[str, str, float]:
    """The colour, the shape and the size of an object, as far as its scene says them."""
    color = shape = ""
    share = 1.0
    for attribute in scene.schema.attributes:
        values = scene.values(index, attribute.name)
        value = next(iter(values)) if len(values) == 1 else ""
        if attribute.name in ("color", "colour"):
            color = value
        elif attribute.is_head or attribute.name == "shape":
            shape = value
        elif attribute.name == "size" and value in attribute.values:
            rank = attribute.values.index(value) + 1
            share = 0.55 + 0.45 * rank / len(attribute.values)
    return color, shape, share


# -------------------------------------------------------------------------------- grids and choices


def grid_panel(cells: Sequence[Sequence[bool]], *, width: float, is_right: bool, title: str) -> Panel:
    """A grid of filled and empty cells, in a frame if it is meant."""
    side = width / max(len(cells), len(cells[0]))
    drawn = [
        f'<rect x="{column * side:.1f}" y="{row * side:.1f}" width="{side:.1f}" height="{side:.1f}" '
        f'fill="{INK if is_filled else "#fff"}" stroke="{LINE}" stroke-width="1.5"/>'
        for row, line in enumerate(cells)
        for column, is_filled in enumerate(line)
    ]
    wide, high = side * len(cells[0]), side * len(cells)
    if is_right:
        where = f'x="-6" y="-6" width="{wide + 12:.1f}" height="{high + 12:.1f}" rx="4"'
        drawn.append(f'<rect {where} fill="none" stroke="{TARGET}" stroke-width="4"/>')
    below = paragraph(title, wide, size=SMALL + 2, ink=TARGET if is_right else QUIET, bold=is_right)
    return stack([Panel(wide, high, "".join(drawn)), below], 12)


def choices_panel(choices: Sequence[str], right: Collection[int], *, width: float) -> Panel:
    """Choices below each other, the right one with a tick."""
    return stack([_choice(text, width=width, is_right=k in right) for k, text in enumerate(choices)], 10)


def _choice(text: str, *, width: float, is_right: bool) -> Panel:
    pad, mark = 12, 40
    said = paragraph(text or "(nothing)", width - mark - 2 * pad, size=16, bold=is_right)
    high = said.height + 2 * pad - 4
    look = ("#fdf3ec", TARGET, 2.5) if is_right else ("#fff", LINE, 1.2)
    frame = (
        f'<rect width="{width:.1f}" height="{high:.1f}" rx="8" fill="{look[0]}" stroke="{look[1]}" '
        f'stroke-width="{look[2]}"/>'
    )
    y = high / 2
    sign = f'<circle cx="26" cy="{y:.1f}" r="9" fill="#fff" stroke="{LINE}" stroke-width="1.5"/>'
    if is_right:
        sign = (
            f'<circle cx="26" cy="{y:.1f}" r="10" fill="{TARGET}"/>'
            f'<path d="M21 {y:.1f} l4 4 l7 -8" fill="none" stroke="#fff" stroke-width="2.6"/>'
        )
    moved = f'<g transform="translate({mark + pad} {pad - 2})">{said.svg}</g>'
    return Panel(width, high, frame + sign + moved)
