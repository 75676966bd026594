"""Pictures of beads on a string."""

from __future__ import annotations

from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from deixis.judge.boxes import Box
from deixis.prompts.question import View
from deixis.worlds.toolkit.pictures import PlainPictures


if TYPE_CHECKING:
    from deixis.scene import Scene
    from deixis.worlds.toolkit import PlainExample


RADIUS = {"small": 12, "medium": 18, "big": 24}
FILL = {"red": "#d1495b", "blue": "#2e6f9e", "green": "#3c8d5a", "yellow": "#e3b23c"}
STEP, HEIGHT = 60, 90


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

    def bead(self, scene: Scene, place: int) -> str:
        """One bead: a circle, a square or a flat ellipse."""
        (size,), (color,), (shape,) = (scene.values(place, name) for name in ("size", "color", "shape"))
        x, r, paint = STEP * place + 30, RADIUS[size], f'fill="{FILL[color]}" stroke="#222"'
        if shape == "cube":
            return f'<rect x="{x - r}" y="{45 - r}" width="{2 * r}" height="{2 * r}" rx="3" {paint}/>'
        return f'<ellipse cx="{x}" cy="45" rx="{r if shape == "ball" else r / 3}" ry="{r}" {paint}/>'

    def views(self, example: PlainExample) -> list[View]:
        """Return the string as PNG and the box of every bead: what models are shown, with no mark at the target."""
        from PIL import Image, ImageDraw

        scene, boxes = example.context.scenes[0], []
        image = Image.new("RGB", (STEP * len(scene), HEIGHT), "white")
        pen = ImageDraw.Draw(image)
        pen.line((0, 45, image.width, 45), fill="#998", width=3)
        for place in range(len(scene)):
            (size,), (color,), (shape,) = (scene.values(place, name) for name in ("size", "color", "shape"))
            x, r = STEP * place + 30, RADIUS[size]
            half = r / 3 if shape not in ("cube", "ball") else r
            box = (x - half, 45 - r, x + half, 45 + r)
            (pen.rectangle if shape == "cube" else pen.ellipse)(box, fill=FILL[color], outline="#222")
            boxes.append(Box(x - half, 45 - r, x + half + 1, 45 + r + 1))
        png = BytesIO()
        image.save(png, "PNG")
        return [View.of(png.getvalue(), boxes)]


PICTURES = BeadPictures()
