"""Scenes and plans as the page shows them: drawings that follow the theme, and positions of everything over time."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from deixis.errors import SchemaError
from deixis.report._markup import Themes
from deixis.worlds.grid._pictures.animate import AGENT, Pose, film_of, pose_of, sway
from deixis.worlds.grid._pictures.look import LIGHT, Marks
from deixis.worlds.grid._report.gallery import draw_in_both_themes
from deixis.worlds.grid.draw import Look, draw_svg
from deixis.worlds.grid.simulate import simulate


if TYPE_CHECKING:
    from deixis.worlds.grid._pictures.animate import Film, Mover
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.scene import GridScene


CELL = 72
MARGIN = round(0.16 * CELL)  # around the cells of a board
CARD = Look(cell=32)
STILL = Pose(x=0.0, y=0.0, size=0.0)
THEMED = {  # colours of light pictures that a dark page changes
    LIGHT.paper: "paper",
    LIGHT.grid: "grid",
    LIGHT.border: "border",
    LIGHT.ink: "ink",
    LIGHT.soft: "soft",
    LIGHT.accent: "accent",
    **{color: f"{name}" for name, color in LIGHT.objects.items()},
}
COLORS = re.compile(f'"({"|".join(map(re.escape, THEMED))})"')


class Inks(Themes):
    """Colours that follow the theme of the page, chosen by the reader or by the system.

    They are named after themselves, so that a fragment which is added to a page can bring its own.
    """

    def name(self, light: str, dark: str) -> str:
        """Return the name to write for a colour that is `light` or `dark`."""
        light, dark = light.upper(), dark.upper()
        return f"var({self._names.setdefault((light, dark), f'--ink{light[1:]}-{dark[1:]}')})"

    def rules(self) -> str:
        """Return the style rules that give the names their colours."""
        light = "".join(f"{name}:{pair[0]};" for pair, name in self._names.items())
        dark = "".join(f"{name}:{pair[1]};" for pair, name in self._names.items())
        chosen = f":root[data-theme=dark]{{{dark}}}"
        system = f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        return Markup(f":root{{{light}}}\n{system}\n{chosen}")  # noqa: S704 (colours and names made above)


def draw_board(scene: GridScene, marks: Marks, inks: Inks, *, title: str, cell: int = CELL) -> Markup:
    """Draw the scene as markup whose objects carry `data-object`."""
    drawing = draw_in_both_themes(
        lambda theme: draw_svg(scene, marks=marks, look=Look(cell=cell, captions=True, theme=theme), title=title), inks
    )
    return Markup(drawing)  # noqa: S704 (our own drawing, whose text is escaped)


def find_film(scene: GridScene, plan: Plan, *, cell: int = CELL) -> dict[str, Any] | None:
    """Return a plan as the page plays it, or None where it cannot be played.

    `words` has a line for the beginning and one for every action. `movers` has for the agent and for each object that
    moves its poses before the first and after each action, as [x, y, degrees, size] of the drawing by `draw_board`
    with the same cell, and `sways`, what is added halfway through an action that comes to nothing.
    """
    if scene.agent is None:
        return None
    try:
        film = film_of(scene, plan, Marks(), Look(cell=cell))
    except SchemaError:
        return None
    return {
        "words": list(film.words),
        "actions": [{"name": step.action.words, "said": step.words, "hitch": bool(step.hitch)} for step in film.steps],
        "movers": [_moves(film, mover, cell) for mover in film.moving],
    }


def find_way_points(scene: GridScene, plan: Plan) -> tuple[tuple[float, float], ...]:
    """Return the middles of the cells that the agent goes through, in the drawing by `draw_board`.

    They are none where there is no agent, or nothing is done.
    """
    if scene.agent is None or not plan:
        return ()
    trail = [(agent.row, agent.column) for agent in simulate(scene, plan).trail]
    cells = [cell for number, cell in enumerate(trail) if not number or cell != trail[number - 1]]
    return tuple((MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL) for row, column in cells)


def _moves(film: Film, mover: Mover, cell: int) -> dict[str, Any]:
    first = pose_of(film.pictures[0], mover)
    turns = accumulate((step.quarters if mover == AGENT else 0 for step in film.steps), initial=0)
    poses = [pose_of(picture, mover) for picture in film.pictures]
    swaying = [sway(step, mover, cell=cell) for step in film.steps]
    return {
        "of": "agent" if mover == AGENT else mover,
        "poses": [
            _round(pose.x, pose.y, 90 * turn, pose.size / first.size) for pose, turn in zip(poses, turns, strict=True)
        ],
        "sways": {k: _round(one.x, one.y, 0, one.size) for k, one in enumerate(swaying) if one != STILL},
    }


def _round(*numbers: float) -> list[float]:
    return [round(number, 3) for number in numbers]


def draw_card(scene: GridScene, target: int) -> Markup:
    """Draw a grid scene with its target, small, in the colours of the page.

    The words beside it say what it shows.
    """
    drawn = draw_svg(scene, marks=Marks(target=target), look=CARD)
    drawn = re.sub(r"<title.*?</desc>\n?", "", drawn, count=1, flags=re.DOTALL)
    drawn = re.sub(r' role="img"\s+aria-labelledby="[^"]*"', ' aria-hidden="true"', drawn, count=1)
    return Markup(COLORS.sub(lambda found: f'"var(--board-{THEMED[found[1]]}, {found[1]})"', drawn))  # noqa: S704 (ours)
