"""The live sentence with which the first pages begin: a board on which every word is needed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from deixis.report._live_board import make_live_board
from deixis.resolution.reference import resolve
from deixis.worlds.grid._pictures.look import Marks
from deixis.worlds.grid._report.themed import draw_themed
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import read, realise


if TYPE_CHECKING:
    from deixis.report._live_board import LiveBoard


TEXT = "pull the yellow cylinder that is in the same column as a big red square"
BOARD = grid("""
    r□3 .   .   .   .   y▱2
    .   .   y▱3 .   .   .
    b▱2 .   .   b□4 .   .
    .   .   r□1 .   .   r○4
    y▱2 .   .   .   <   .
    y○3 .   .   y▱1 .   .
""")


@cache
def live_board(link: str = "") -> LiveBoard:
    """Return the sentence with its board.

    Args:
        link: where both can be changed; empty for nowhere.
    """
    said = read(TEXT)
    (target,) = resolve(said.expression, BOARD).indices
    picture = draw_themed(BOARD, marks=Marks(target=target), title=TEXT)
    return make_live_board(said, BOARD, picture=picture, say=lambda left: realise(left).text, link=link)
