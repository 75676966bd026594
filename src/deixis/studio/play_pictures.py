"""Pictures of grid scenes that follow the theme of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from deixis.reports.markup import Themes
from deixis.worlds.grid.draw import Look, draw_svg


if TYPE_CHECKING:
    from deixis.scene.grid import GridScene
    from deixis.worlds.grid.draw import Marks


__all__ = ["draw_board"]

CELL = 72


class Either(Themes):
    """Colours that say both of themselves, so that a picture needs no rules beside it."""

    def name(self, light: str, dark: str) -> str:
        """What to write for a colour that is `light` or `dark`."""
        return light if light == dark else f"light-dark({light},{dark})"


def draw_board(scene: GridScene, *, marks: Marks | None = None, title: str = "", has_legend: bool = False) -> Markup:
    """The scene as markup; every colour is given for the light and for the dark page."""
    light, dark = (
        draw_svg(scene, marks=marks, look=Look(cell=CELL, theme=theme, legend=has_legend), title=title)
        for theme in ("light", "dark")
    )
    return Markup(Either().merge(light, dark))  # noqa: S704 (it escapes its text)
