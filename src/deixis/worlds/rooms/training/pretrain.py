"""A speaker learns captions, exhaustive ones (the model B of the paper) or a teacher's, and their language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.learn._loop import Course, follow, passes
from deixis.learn._updates import Updates
from deixis.learn.devices import find_device
from deixis.learn.run import silent
from deixis.seeds import derive
from deixis.worlds.rooms._models.speakers import (
    CaptionLanguage,
    CaptionLanguageSettings,
    RoomSpeaker,
    RoomSpeakerSettings,
)
from deixis.worlds.rooms.training._bundles import ROOMS
from deixis.worlds.rooms.training._captions import EXHAUSTIVE, Lesson, lessons, vocabulary_of
from deixis.worlds.rooms.training._drift import merit_of, score_words
from deixis.worlds.rooms.training._objectives import caption_loss
from deixis.worlds.rooms.training._saying import Decoding, say, shift_right
from deixis.worlds.rooms.training.features import FEATURES, Eyes, features_of, find_encoder


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.rooms.training.settings import Captioning


__all__ = ["LOOKED_AT", "learn_captions"]

LOOKED_AT = 512  # contexts of validation images at every look


def learn_captions(
    how: Captioning,
    out: Path,
    *,
    eyes: Eyes | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Train a speaker on captions, or resume a training that was stopped, and return the contents of run.json.

    Args:
        how: the settings.
        out: the folder of the run.
        eyes: how images are seen, and where all is computed.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.
    """
    course = _Captions(how, eyes or Eyes(), progress or silent)
    return follow(course, out, progress=progress or silent, stop_after=stop_after)


class _Captions(Course):
    role = "captioning"
    kind = ROOMS

    def __init__(self, how: Captioning, eyes: Eyes, progress: Progress) -> None:
        device = find_device(eyes.device)
        seer = find_encoder(eyes.encoder, device)
        self.training, self.device = how, device
        words = vocabulary_of(how.teacher)
        self.vocabulary = words.words
        lesson, held_out = lessons(how, "train"), lessons(how, "validation", count=LOOKED_AT)
        ids = np.concatenate((lesson.images.ravel(), held_out.images.ravel()))
        features = features_of(ids, seer, device, cache=eyes.cache, progress=progress).only(ids)
        self.features = features.on(device)
        self.images, self.captions = _on(device, features.rows(lesson.images), lesson)
        self.held_images, self.held_captions = _on(device, features.rows(held_out.images), held_out)
        self.held_out = held_out
        self.rows = len(lesson)
        self.data = {
            "name": "a3ds",
            "split": "train",
            "seed": how.data_seed,
            "examples": len(lesson),
            "encoder": seer.name,
            "encoder_digest": seer.digest,
        }
        torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
        self.speaker = RoomSpeaker(RoomSpeakerSettings(features=FEATURES, width=how.width), len(words)).to(device)
        self.language = CaptionLanguage(CaptionLanguageSettings(), len(words)).to(device)
        self.forced = torch.ones((), device=device)
        self.updates = Updates(
            {"speaker": self.speaker, "language": self.language},
            device,
            self.loss,
            batch_size=how.batch_size,
            clip=how.clip,
            seed=how.seed,
        )
        self.updates.graphs &= how.forcing == "always"

    def prepare(self, step: int) -> np.ndarray:
        """Choose the contexts of a step, and whether it shows the right words (teacher forcing)."""
        how = self.training
        if how.forcing == "halved":
            turn = step * how.batch_size // self.rows
            chance = derive(how.seed, "forcing", step) / 2**64
            self.forced.fill_(float(chance < 0.5**turn))
        return passes(step, how.batch_size, self.rows, how.seed)

    def loss(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        images = self.features[self.images[rows]].float()
        gold = self.captions[rows].long()
        seen = self.speaker.look(images)
        words = shift_right(gold)
        if self.training.forcing == "halved" and not self.forced:
            words = shift_right(say(self.speaker, seen, Decoding(way="sampled")).words)
        cost = caption_loss(self.speaker.scores(seen, words), gold)
        language = caption_loss(self.language.scores(shift_right(gold)), gold)
        return cost + language, {"caption": cost, "language": language}

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:  # noqa: ARG002 (the step does not matter)
        """Select captions of a teacher by how pragmatic they are; exhaustive ones are never that."""
        return None if self.training.teacher == EXHAUSTIVE else merit_of(dev)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Return the loss of captions of held-out images, and how good the captions are that the speaker says."""
        images = self.features[self.held_images].float()
        seen = self.speaker.look(images)
        gold = self.held_captions.long()
        cost = caption_loss(self.speaker.scores(seen, shift_right(gold)), gold)
        said = say(self.speaker, seen)
        return {"caption": float(cost), **score_words(said.words.cpu().numpy(), self.held_out.images)}


def _on(device: torch.device, rows: np.ndarray, lesson: Lesson) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(rows).to(device), torch.from_numpy(lesson.captions).to(device)
