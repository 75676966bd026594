"""The table of sprites: the function that draws each kind of thing."""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.photos.imagine._pen import Pen


SPRITES: dict[str, Callable[[Pen], None]] = {}


def sprite(*names: str) -> Callable[[Callable[[Pen], None]], Callable[[Pen], None]]:
    """Register a function as the sprite of some kinds of thing."""

    def keep(function: Callable[[Pen], None]) -> Callable[[Pen], None]:
        SPRITES.update(dict.fromkeys(names, function))
        return function

    return keep
