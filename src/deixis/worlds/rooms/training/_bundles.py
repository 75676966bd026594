"""Speakers, listeners and encoders of rooms on disk: which there are, and what a player must have learnt with."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import Kind, read_bundle
from deixis.worlds.rooms._models.encoders import RoomEncoder, RoomEncoderSettings
from deixis.worlds.rooms._models.speakers import (
    CaptionLanguage,
    CaptionLanguageSettings,
    RoomListener,
    RoomListenerSettings,
    RoomSpeaker,
    RoomSpeakerSettings,
)
from deixis.worlds.rooms._models.told import RoomReader, RoomReaderSettings
from deixis.worlds.rooms.vocabulary import vocabulary


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import nn

    from deixis.learn._checkpoints import Bundle
    from deixis.worlds.rooms.training.features import Encoder


LARGEST = 4096  # of any size of a model
MODELS: Mapping[str, tuple[Callable[..., nn.Module], type]] = {
    "speaker": (RoomSpeaker, RoomSpeakerSettings),
    "listener": (RoomListener, RoomListenerSettings),
    "language": (CaptionLanguage, CaptionLanguageSettings),
    "encoder": (RoomEncoder, RoomEncoderSettings),
    "reader": (RoomReader, RoomReaderSettings),
}
WORDLESS = ("encoder", "reader")


def build(name: str, settings: Mapping[str, Any], words: int) -> nn.Module:
    """A model with fresh weights.

    Raises:
        BrokenCheckpoint: when there is no such model or it cannot have these sizes.
    """
    if name not in MODELS:
        raise BrokenCheckpoint(f"there is no model {name!r}; known: {', '.join(MODELS)}")
    model, record = MODELS[name]
    try:
        sizes = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
        made = record(**sizes)
        numbers = [one for value in asdict(made).values() for one in (value if isinstance(value, tuple) else (value,))]
    except (TypeError, ValueError) as error:
        raise BrokenCheckpoint(f"the {name} cannot be built: {str(error)[:160]}") from error
    if not numbers or not all(type(one) is int and 0 < one <= LARGEST for one in numbers):
        raise BrokenCheckpoint(f"the {name} cannot be built: sizes go from 1 to {LARGEST:,}, got {str(sizes)[:80]}")
    return model(made) if name in WORDLESS else model(made, words)


ROOMS = Kind(
    "rooms",
    "speaker, listener or encoder of rooms",
    lambda name, settings, words: build(name, settings, len(words)),
)


def read_rooms(path: Path) -> Bundle:
    """Read the models in a file, or raise `BrokenCheckpoint` if it is missing, damaged or of another kind."""
    return read_bundle(path, ROOMS)


def read_player(path: Path, name: str, encoder: Encoder) -> Bundle:
    """The checkpoint of a `speaker` or a `listener` that sees through an encoder.

    Raises:
        BrokenCheckpoint: when the file cannot be read or holds none.
        RecipeError: when it learnt with another encoder or other words.
    """
    from deixis.worlds.rooms.training.features import FEATURES

    found = read_rooms(path)
    if name not in found.models:
        raise BrokenCheckpoint(f"there is no {name} in {path}; it has {', '.join(found.models) or 'nothing'}")
    if found.vocabulary not in (vocabulary("complete").words, vocabulary("natural").words):
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
