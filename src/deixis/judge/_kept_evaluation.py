"""The place where an evaluation keeps what is finished, and what it has to share with one that goes on from there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.data._data_places import DataPlace
from deixis.data._pieces import KeptPieces, kept_path
from deixis.data.store import file_digest
from deixis.learn.run import find_checkpoint


if TYPE_CHECKING:
    from deixis.judge.request import Request


NAME = "evaluation"
WITHOUT_EFFECT = ("cache",)  # options that change no result


def keep_evaluation(request: Request) -> KeptPieces | None:
    """Return what is kept of an evaluation, or None if it names no folder for results."""
    return None if request.out is None else KeptPieces(request.out, NAME, _about(request))


def is_begun(out: Path) -> bool:
    """Return whether a folder holds what was finished of an evaluation that was stopped."""
    return kept_path(out, NAME).is_file()


def _about(request: Request) -> dict[str, Any]:
    """All that the results depend on, files and folders by digests of what they hold."""
    options = {key: _identify(value) for key, value in request.options.items() if key not in WITHOUT_EFFECT}
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
