"""Pictures of beads on a string."""

from __future__ import annotations

from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from deixis.judge.boxes import Box
from deixis.prompts.question import View
from deixis.worlds.toolkit.pictures import PlainPictures


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PIL.Image import Image

    from deixis.scene import Context, Scene, Where
    from deixis.worlds.toolkit import PlainExample


RADIUS = {"small": 12, "medium": 18, "big": 24}
FILL = {"red": "#d1495b", "blue": "#2e6f9e", "green": "#3c8d5a", "yellow": "#e3b23c"}
STEP, HEIGHT = 60, 90
SCALE = 2  # of the pictures of questions


class BeadPictures(PlainPictures):
    """Beads as SVG, and text and plain values as in every world of the toolkit."""

    formats = ("svg",)

    def draw(self, example: PlainExample, *, format: str = "svg", **options: Any) -> bytes:  # noqa: A002
        """Draw the string with its beads, and a ring around the target."""
        self.demand(format, options)
        scene, target = example.context.scenes[0], example.context.target.object
        width = STEP * len(scene)
        shapes = "".join(self.bead(scene, place) for place in range(len(scene)))
        ring = f'<circle cx="{STEP * target + 30}" cy="45" r="29" fill="none" stroke="#222" stroke-dasharray="4 3"/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}">'
            f"<title>{escape(example.text)}</title>"
            f'<rect width="100%" height="100%" fill="#fff"/>'
            f'<line x1="0" y1="45" x2="{width}" y2="45" stroke="#998" stroke-width="3"/>{shapes}{ring}</svg>'
        ).encode()

    def objects(self, context: Context, marks: Mapping[Where, str]) -> str:
        """The string for pages of the studio: beads that can be clicked, with marks as classes of style."""
        (scene,) = context.scenes
        named = {where.object: mark for where, mark in marks.items()}
        width, high = STEP * len(scene), HEIGHT + 20
        line = f'<line x1="0" y1="45" x2="{width}" y2="45" stroke="#998" stroke-width="3"/>'
        beads = "".join(
            f'<g data-object="{place}" class="is-{escape(named.get(place, "plain"))}">'
            f'<rect class="cell" x="{STEP * place + 2}" y="2" width="{STEP - 4}" height="{high - 4}" rx="9" '
            f'style="fill-opacity:.35"/>{self.bead(scene, place)}'
            f'<text class="value" x="{STEP * place + 30}" y="{high - 14}">{"★ " * (named.get(place) == "meant")}{place}'
            "</text></g>"
            for place in range(len(scene))
        )
        head = f'viewBox="0 0 {width} {high}" style="max-width:{2 * width}px" role="img"'
        return f'<svg class="objects-drawn" {head} aria-label="A string of {len(scene)} beads">{line}{beads}</svg>'

    def question(self, example: PlainExample, numbers: Sequence[Sequence[int]]) -> bytes:
        """Draw the string as PNG with numbers and without the target, for questions about pictures."""
        from PIL import ImageDraw, ImageFont

        (scene,), (told,) = example.context.scenes, numbers
        image = self.paint(scene, room=20)
        pen, font = ImageDraw.Draw(image), ImageFont.load_default(13 * SCALE)
        for place, number in enumerate(told):
            where = (SCALE * (STEP * place + 30), SCALE * (HEIGHT + 6))
            pen.text(where, str(number), font=font, fill="#222222", anchor="mm")
        return encode(image)

    def views(self, example: PlainExample) -> list[View]:
        """Draw the string without numbers, and say where each bead is, for questions that want a box."""
        (scene,) = example.context.scenes
        boxes = [Box(left, top, right + 1, bottom + 1) for left, top, right, bottom in self.edges(scene)]
        return [View.of(encode(self.paint(scene)), boxes)]

    def paint(self, scene: Scene, *, room: int = 0) -> Image:
        """Draw the string with room below it."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (SCALE * STEP * len(scene), SCALE * (HEIGHT + room)), "#ffffff")
        pen = ImageDraw.Draw(image)
        pen.line((0, SCALE * 45, image.width, SCALE * 45), fill="#999988", width=3 * SCALE)
        for place, edges in enumerate(self.edges(scene)):
            _, _, _, color, shape = self.look(scene, place)
            shaped = pen.rectangle if shape == "cube" else pen.ellipse
            shaped(edges, fill=FILL[color], outline="#222222", width=SCALE)
        return image

    def edges(self, scene: Scene) -> list[tuple[float, float, float, float]]:
        """Return the left, top, right and bottom edge of every bead in a picture of questions."""
        looks = (self.look(scene, place) for place in range(len(scene)))
        return [
            (SCALE * (x - wide), SCALE * (45 - r), SCALE * (x + wide), SCALE * (45 + r)) for x, r, wide, _, _ in looks
        ]

    def areas(self, example: PlainExample) -> list[list[tuple[float, float, float, float]]]:
        """Return where each bead is in the picture of a question, with its number, in shares of its sides."""
        count = len(example.context.scenes[0])
        return [[(place / count, 0.0, (place + 1) / count, 1.0) for place in range(count)]]

    def look(self, scene: Scene, place: int) -> tuple[int, int, float, str, str]:
        """The place of a bead, its height and width from its middle, its colour and its shape."""
        (size,), (color,), (shape,) = (scene.values(place, name) for name in ("size", "color", "shape"))
        r = RADIUS[size]
        return STEP * place + 30, r, r / 3 if shape == "disc" else r, color, shape

    def bead(self, scene: Scene, place: int) -> str:
        """One bead: a circle, a square or a flat ellipse."""
        x, r, wide, color, shape = self.look(scene, place)
        paint = f'fill="{FILL[color]}" stroke="#222"'
        if shape == "cube":
            return f'<rect x="{x - r}" y="{45 - r}" width="{2 * r}" height="{2 * r}" rx="3" {paint}/>'
        return f'<ellipse cx="{x}" cy="45" rx="{wide}" ry="{r}" {paint}/>'


def encode(image: Image) -> bytes:
    """A picture as PNG."""
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


PICTURES = BeadPictures()
