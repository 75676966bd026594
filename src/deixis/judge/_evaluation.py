"""Answers to a dataset of any world, judged by the part `judging` of that world."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis._version import __version__


if TYPE_CHECKING:
    from deixis.judge.request import Request
    from deixis.report.output import Output
    from deixis.worlds.world import World


def evaluate_request(world: World, request: Request) -> Output:
    """Evaluate the answers of a request.

    The values of every world name the world first.
    """
    found: Output = world.part("judging").evaluate(request)
    return replace(found, values={"deixis": __version__, "world": world.name, **found.values})
