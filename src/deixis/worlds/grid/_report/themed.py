"""Drawings of boards with the colours of both themes, for any page that says which one it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from deixis.report._markup import Themes
from deixis.worlds.grid.draw import Look, draw_svg


if TYPE_CHECKING:
    from deixis.worlds.grid._pictures.look import Marks
    from deixis.worlds.grid.scene import GridScene


CELL = 72


class Either(Themes):
    """Colours for both themes at once, so that a picture needs no rules beside it."""

    def name(self, light: str, dark: str) -> str:
        """Return the text to write for a colour that is `light` or `dark`."""
        return light if light == dark else f"light-dark({light},{dark})"


def draw_themed(scene: GridScene, *, marks: Marks | None = None, title: str = "", has_legend: bool = False) -> Markup:
    """Draw the scene as markup, every colour for the light and for the dark page."""
    light, dark = (
        draw_svg(scene, marks=marks, look=Look(cell=CELL, theme=theme, legend=has_legend), title=title)
        for theme in ("light", "dark")
    )
    return Markup(Either().merge(light, dark))  # noqa: S704 (it escapes its text)
