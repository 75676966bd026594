"""Small speakers, listeners and contexts that the tests look at; all follow from seeds."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.learn._checkpoints import Bundle, write_bundle
from deixis.seeds import derive
from deixis.worlds.rooms._models.speakers import RoomListener, RoomListenerSettings, RoomSpeaker, RoomSpeakerSettings
from deixis.worlds.rooms.pairs import draw_contexts
from deixis.worlds.rooms.scene import SIZES
from deixis.worlds.rooms.training._bundles import ROOMS
from deixis.worlds.rooms.training._captions import Lesson
from deixis.worlds.rooms.training._game import Contexts
from deixis.worlds.rooms.training.features import Eyes
from deixis.worlds.rooms.vocabulary import vocabulary


if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor, nn


WORDS, FEATURES = 8, 5
HERE = Eyes(encoder="factors", device="cpu")
KNOWN = vocabulary("complete").words
SEEN = {"name": "a3ds", "seed": 42, "encoder": "factors", "encoder_digest": "factors-1"}


def reset(seed: int) -> None:
    """Let chance begin anew."""
    torch.default_generator.manual_seed(derive(seed, "chance") >> 1)


def a_speaker(seed: int = 1, *, words: int = WORDS, features: int = FEATURES, spread: float = 1.0) -> RoomSpeaker:
    """A speaker that has preferences, the stronger the larger the spread of its weights."""
    reset(seed)
    made = RoomSpeaker(RoomSpeakerSettings(features=features, width=6), words)
    return _spread(made, spread)


def a_listener(seed: int = 1, *, words: int = WORDS, features: int = FEATURES, spread: float = 1.0) -> RoomListener:
    """A listener that has preferences."""
    reset(seed + 1000)
    made = RoomListener(RoomListenerSettings(features=features, width=6), words)
    return _spread(made, spread)


def _spread(model: Any, spread: float) -> Any:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=spread)
    return model.eval()


def some_images(count: int, images: int = 2, seed: int = 1) -> Tensor:
    """Contexts of made-up images: float [context, image, FEATURES]."""
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.normal(size=(count, images, FEATURES)).astype(np.float32))


def some_captions(count: int, steps: int, seed: int = 1, words: int = WORDS) -> Tensor:
    """Captions of all lengths without sense: int64 [caption, step], ended and filled up."""
    rng = np.random.default_rng(seed)
    said = rng.integers(4, words, (count, steps))
    ends = rng.integers(0, steps, count)
    said[np.arange(count), ends] = 1
    said[np.arange(steps) > ends[:, None]] = 3
    return torch.from_numpy(said)


def bundle_of(models: dict[str, nn.Module], **changes: Any) -> Bundle:
    """Models as a checkpoint."""
    facts: dict[str, Any] = {
        "role": "captioning",
        "models": {name: asdict(model.settings) for name, model in models.items()},  # type: ignore[call-overload]
        "vocabulary": KNOWN,
        "training": {},
        "digest": "made",
        "data": SEEN,
        "step": 0,
        "metrics": {},
        "weights": {f"{name}.{key}": one for name, model in models.items() for key, one in model.state_dict().items()},
    }
    return Bundle(**{"kind": ROOMS, **facts, **changes})


def fresh_speaker(path: Path, *, width: int = 16, seed: int = 3, **changes: Any) -> Path:
    """A checkpoint with a speaker that has learnt nothing yet."""
    reset(seed)
    made = RoomSpeaker(RoomSpeakerSettings(width=width), len(KNOWN))
    write_bundle(path, bundle_of({"speaker": made}, **changes))
    return path


def fresh_listener(
    path: Path, *, width: int = 16, seed: int = 4, words: tuple[str, ...] = KNOWN, **changes: Any
) -> Path:
    """A checkpoint with a listener that has learnt nothing yet."""
    reset(seed)
    made = RoomListener(RoomListenerSettings(width=width), len(words))
    write_bundle(path, bundle_of({"listener": made}, vocabulary=words, **changes))
    return path


def log_of(run: Path) -> list[dict[str, Any]]:
    """The lines of the log of a run."""
    return [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def two_factors(steps: int, *, hues: int = 10) -> Contexts:
    """Contexts of images that differ in shape and in the hue of the object only; nobody has captions for them."""
    factors = np.array([(1, 2, hue, 3, shape, 4) for hue in range(hues) for shape in range(4)])
    images = np.ravel_multi_index(tuple(factors.T), SIZES)
    return Contexts(_wordless(images, 2000, steps, seed=1), _wordless(images, 500, steps, seed=2))


def _wordless(among: np.ndarray, count: int, steps: int, *, seed: int) -> Lesson:
    captions = np.full((count, steps), 3, np.uint8)
    captions[:, 0] = 1
    return Lesson(draw_contexts(count, seed=seed, among=among), captions)
