"""Speakers and listeners from checkpoints, if they see images and know words as they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.training.rooms.bundles import read_bundle
from deixis.training.rooms.features import FEATURES
from deixis.worlds.shapes.vocabulary import vocabulary


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.training.rooms.bundles import Bundle
    from deixis.training.rooms.features import Encoder


__all__ = ["read_player"]


def read_player(path: Path, name: str, encoder: Encoder) -> Bundle:
    """The checkpoint of a `speaker` or a `listener` that sees through an encoder.

    Raises:
        BrokenCheckpoint: when the file cannot be read or holds none.
        RecipeError: when it learnt with another encoder or other words.
    """
    found = read_bundle(path)
    if name not in found.models:
        raise BrokenCheckpoint(f"there is no {name} in {path}; it has {', '.join(found.models) or 'nothing'}")
    if found.vocabulary != vocabulary("complete").words:
        raise RecipeError(f"the {name} in {path} knows other words than those of captions; train it again")
    if found.models[name].get("features", FEATURES) != FEATURES:
        raise RecipeError(f"the {name} in {path} does not see images in {FEATURES:,} numbers; train it again")
    learnt = found.data.get("encoder")
    if found.data.get("encoder_digest") != encoder.digest:
        other = "another encoder of that name" if learnt == encoder.name else f"the encoder {learnt!r}"
        raise RecipeError(
            f"the {name} in {path} learnt with {other}, not with {encoder.name!r}; give it with --encoder"
        )
    return found
