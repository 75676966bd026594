"""Pictures of grid scenes that follow the theme of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from deixis.worlds.grid.draw import Look, draw_svg


if TYPE_CHECKING:
    from deixis.scene.grid import GridScene
    from deixis.worlds.grid.draw import Marks


__all__ = ["draw_board"]

CELL = 72
HEX = re.compile(r"#[0-9A-Fa-f]{6}\b")


def draw_board(scene: GridScene, *, marks: Marks | None = None, title: str = "", has_legend: bool = False) -> Markup:
    """The scene as markup; every colour is given for the light and for the dark page."""
    light, dark = (
        draw_svg(scene, marks=marks, look=Look(cell=CELL, theme=theme, legend=has_legend), title=title)
        for theme in ("light", "dark")
    )
    others = iter(HEX.findall(dark))
    return Markup(HEX.sub(lambda found: _either(found.group(), next(others)), light))  # noqa: S704 (it escapes its text)


def _either(light: str, dark: str) -> str:
    return light if light == dark else f"light-dark({light},{dark})"
