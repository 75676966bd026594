"""Going on until there is enough to see."""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.graphs.imagine.stage import Stage


__all__ = ["fill"]

ACTS = 60  # most acts on one stage


def fill(stage: Stage, most: float, *acts: tuple[float, Callable[[], object]]) -> None:
    """Do one of the acts after another, each as often as its weight says, until about so many things are there."""
    weights = [weight for weight, _ in acts]
    for _ in range(ACTS):
        if stage.said >= most:
            return
        stage.chance.weighted(acts, weights)[1]()
