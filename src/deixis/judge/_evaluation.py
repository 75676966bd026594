"""Answers to a dataset of any world, judged by the part `judging` of that world."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from deixis.judge.request import Request
    from deixis.report.output import Output
    from deixis.worlds.world import World


def evaluate_request(world: World, request: Request) -> Output:
    """Evaluate the answers of a request.

    What is finished is kept in the folder for the results until all is, so that the same request goes on from there.
    The values of every world name the world first.
    """
    from deixis.judge._kept_evaluation import keep_evaluation

    kept = keep_evaluation(request)
    try:
        found: Output = world.part("judging").evaluate(replace(request, kept=kept))
    except RecipeError:  # such a request is refused, now and again
        if kept is not None:
            kept.remove()
        raise
    notes = list(found.notes)
    if kept is not None:
        kept.remove()
        notes += kept.notes
    return replace(found, values={"deixis": __version__, "world": world.name, **found.values}, notes=notes)
