"""Answers to a dataset of any world, judged by the part `judging` of that world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._version import __version__
from deixis.data._data_places import DataPlace
from deixis.data._pieces import KeptPieces, kept_path
from deixis.data.store import file_digest
from deixis.errors import RecipeError
from deixis.learn.run import find_checkpoint


if TYPE_CHECKING:
    from deixis.judge.request import Request
    from deixis.report.output import Output
    from deixis.worlds.world import World


KEPT = "evaluation"  # how what is finished is called, as long as not all is
OF_PLACES = ("cache",)  # options that change no result


def evaluate_request(world: World, request: Request) -> Output:
    """Evaluate the answers of a request.

    What is finished is kept in the folder for the results until all is, so that the same request goes on from there.
    The values of every world name the world first.
    """
    kept = None if request.out is None else KeptPieces(request.out, KEPT, _about(request))
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


def is_begun(out: Path) -> bool:
    """Return whether a folder holds what was finished of an evaluation that was stopped."""
    return kept_path(out, KEPT).is_file()


def _about(request: Request) -> dict[str, Any]:
    """All that the results depend on, files and folders by digests of what they hold."""
    options = {key: _identify(value) for key, value in sorted(request.options.items()) if key not in OF_PLACES}
    return {
        "data": "" if request.data is None else DataPlace.of(request.data).state,
        "answers": [_identify(one) for one in request.answers],
        "settings": {"seed": request.seed, "splits": request.splits, "device": request.device, **options},
    }


def _identify(value: Any) -> Any:
    if not isinstance(value, Path):
        return value
    path = find_checkpoint(value) or value
    return file_digest(path) if path.is_file() else DataPlace.of(path).state or str(value)
