"""Pictures of any example whose scenes have named objects: text, plain values, and a simple SVG with relations.

Objects stand where the scene says, or else on a circle. A ring marks the target. A world that draws better derives
from `PlainPictures` and writes `draw` anew.
"""

from __future__ import annotations

from html import escape
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError, RecipeError
from deixis.expression.description import describe
from deixis.expression.plain import expression_to_plain
from deixis.language.explain import name_object
from deixis.worlds.example import context_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.scene.scene import Context, Point, Scene
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


__all__ = ["PICTURES", "PlainPictures", "links_of", "ready_part"]

MAX_RELATED = 60  # objects up to which all pairs are asked for relations
PANEL, ROOM, TOP = 420, 70, 44  # pixels: of a scene, kept free around it, above it
LETTERS = 62  # of the text on one line, for each scene
TARGET, INK, QUIET = "#b3410a", "#1f2430", "#8a92a5"


class PlainPictures:
    """Part `pictures`: what can be said and drawn of any scene."""

    formats: tuple[str, ...] = ("svg",)

    def draw(self, example: Any, *, format: str = "svg", **options: Any) -> bytes:  # noqa: A002
        """The scenes side by side as SVG, their objects with names and relations, the target in a ring."""
        self.demand(format, options)
        context = context_of(example)
        scenes = context.scenes if context is not None else ()
        width, said = PANEL * max(1, len(scenes)), _fold(example.text, LETTERS * max(1, len(scenes)))
        head = TOP + 20 * len(said)
        lines = "".join(_text(16, 26 + 20 * row, line, anchor="start", size=15) for row, line in enumerate(said))
        panels = "".join(
            f'<g transform="translate({PANEL * place} {head})">{_panel(scene, _target_in(context, place))}</g>'
            for place, scene in enumerate(scenes)
        )
        size = f'viewBox="0 0 {width} {head + PANEL}" width="{width}" height="{head + PANEL}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
            f"<title>{escape(example.text)}</title>"
            f'<rect width="100%" height="100%" fill="#fff"/>{lines}{panels}</svg>'
        ).encode()

    def snapshot(self, example: Any) -> bytes:
        """The objects as PNG, without the text, for a sheet of many examples."""
        from deixis.worlds.toolkit._png import draw_scenes

        return draw_scenes(example)

    def lines(self, example: Example, *, number: int, color: bool = False) -> Iterator[str]:
        """Yield the text, its meaning, and all objects, the target with a star."""
        del color
        split = f", split {example.split}" if example.split else ""
        yield f"example {number}{split}, id {example.id}"
        yield example.text
        if example.expression is not None:
            yield f"meaning: {describe(example.expression)}"
        context = context_of(example)
        if context is None:
            yield "target: nothing fits" if example.answer is None else f"answer: {example.answer}"
            return
        for place, scene in enumerate(context.scenes):
            yield f"scene {place}, {len(scene)} objects:" if len(context.scenes) > 1 else f"{len(scene)} objects:"
            related = _related_in(scene)
            for index in range(len(scene)):
                mark = "*" if index == _target_in(context, place) else " "
                yield f" {mark} {index} {name_object(scene, index)}{related.get(index, '')}"

    def plain(self, example: Example, *, number: int) -> dict[str, Any]:
        """The same as plain values."""
        context = context_of(example)
        said = example.expression
        return {
            "number": number,
            "id": example.id,
            "split": example.split,
            "text": example.text,
            "expression": None if said is None else expression_to_plain(said),
            "target": None if context is None else {"scene": context.target.scene, "object": context.target.object},
            "scenes": [] if context is None else [_plain_scene(scene) for scene in context.scenes],
        }

    def demand(self, format: str, options: Mapping[str, Any]) -> None:  # noqa: A002
        """`RecipeError` where a picture of another form, or with options, is asked for."""
        if format not in self.formats:
            raise RecipeError(f"pictures of this world are {', '.join(self.formats)}, not {format!r}")
        if options:
            raise RecipeError(f"pictures of this world have no option {', '.join(options)}")


PICTURES = PlainPictures()


def ready_part(world: World) -> PlainPictures:
    """Return the pictures of a world that names none."""
    del world
    return PICTURES


def links_of(scene: Scene) -> tuple[tuple[str, int, int], ...]:
    """Return the relations that hold in a scene, a symmetric one once.

    Those of a large scene are left out.
    """
    if len(scene) > MAX_RELATED:
        return ()
    return tuple(
        (relation.name, one, other)
        for relation in scene.schema.relations
        for one in range(len(scene))
        for other in range(one + 1 if relation.is_symmetric else 0, len(scene))
        if one != other and scene.related(relation.name, one, other)
    )


def _related_in(scene: Scene) -> dict[int, str]:
    """What each object is related to, by relation: " (left of 1, 2; next to 1)"."""
    found: dict[int, dict[str, list[int]]] = {}
    symmetric = {relation.name for relation in scene.schema.relations if relation.is_symmetric}
    for name, one, other in links_of(scene):
        found.setdefault(one, {}).setdefault(name, []).append(other)
        if name in symmetric:
            found.setdefault(other, {}).setdefault(name, []).append(one)
    return {
        index: f" ({'; '.join(f'{name} ' + ', '.join(map(str, sorted(others))) for name, others in some.items())})"
        for index, some in found.items()
    }


def _target_in(context: Context | None, place: int) -> int | None:
    is_here = context is not None and context.target.scene == place
    return context.target.object if context is not None and is_here else None


def _plain_scene(scene: Scene) -> dict[str, Any]:
    objects = [
        {
            attribute.name: sorted(values)
            for attribute in scene.schema.attributes
            if (values := scene.values(index, attribute.name))
        }
        for index in range(len(scene))
    ]
    names = [name_object(scene, index) for index in range(len(scene))]
    return {"names": names, "objects": objects, "relations": [list(link) for link in links_of(scene)]}


# -------------------------------------------------------------------------------- drawing


def _panel(scene: Scene, target: int | None) -> str:
    places = _places(scene)
    drawn = []
    labels: dict[tuple[int, int], list[str]] = {}
    for relation, one, other in links_of(scene):
        labels.setdefault((one, other), []).append(relation)
    for (one, other), names in labels.items():
        (x, y), (u, v) = places[one], places[other]
        drawn.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="{QUIET}" opacity=".5"/>')
        drawn.append(_text((2 * x + u) / 3, (2 * y + v) / 3, ", ".join(names), size=9, fill=QUIET))
    for index, (x, y) in enumerate(places):
        is_target = index == target
        ring = f'stroke="{TARGET}" stroke-width="4"' if is_target else f'stroke="{INK}"'
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="#f4f5f8" {ring}/>')
        drawn.append(_text(x, y + 4, str(index), size=12))
        drawn.append(_text(x, y + 30, name_object(scene, index), size=11, fill=TARGET if is_target else INK))
    return "".join(drawn)


def _places(scene: Scene) -> list[tuple[float, float]]:
    """Where the objects stand in a panel."""
    points = _points(scene)
    inner = PANEL - 2 * ROOM
    if points is None:
        turns = [2 * pi * index / max(1, len(scene)) - pi / 2 for index in range(len(scene))]
        return [(PANEL / 2 + inner / 2 * cos(turn), PANEL / 2 + inner / 2 * sin(turn)) for turn in turns]
    columns, rows = [point.column for point in points], [point.row for point in points]
    return [(_scale(point.column, columns), _scale(point.row, rows)) for point in points]


def _points(scene: Scene) -> list[Point] | None:
    """Where the scene has its objects; None where it does not say, or has two in one place."""
    try:
        points = [scene.position(index) for index in range(len(scene))]
    except DeixisError:
        return None
    return points if len(set(points)) == len(points) else None


def _scale(value: float, among: list[float]) -> float:
    least, most = min(among), max(among)
    return PANEL / 2 if most == least else ROOM + (PANEL - 2 * ROOM) * (value - least) / (most - least)


def _text(x: float, y: float, said: str, *, anchor: str = "middle", size: int, fill: str = INK) -> str:
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"'
    return f"<text {where}>{escape(said)}</text>"


def _fold(text: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, width) or [""]
