"""The reference game: a speaker that has learnt captions and a listener learn to understand each other."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn._loop import Course, follow, passes
from deixis.learn._updates import Updates
from deixis.learn.devices import find_device
from deixis.learn.run import silent
from deixis.seeds import derive
from deixis.worlds.rooms._models.speakers import RoomListener, RoomListenerSettings
from deixis.worlds.rooms.training._bundles import ROOMS, read_player
from deixis.worlds.rooms.training._captions import EXHAUSTIVE, lessons, vocabulary_of
from deixis.worlds.rooms.training._drift import drift, merit_of, overlap, score_words
from deixis.worlds.rooms.training._objectives import Players, play
from deixis.worlds.rooms.training._saying import say
from deixis.worlds.rooms.training.features import FEATURES, Eyes, features_of, find_encoder
from deixis.worlds.rooms.training.pretrain import LOOKED_AT


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.learn._checkpoints import Bundle
    from deixis.learn.run import Progress
    from deixis.worlds.rooms._models.speakers import CaptionLanguage, RoomSpeaker
    from deixis.worlds.rooms.training._captions import Lesson
    from deixis.worlds.rooms.training.features import Encoder
    from deixis.worlds.rooms.training.settings import Game


class Contexts(NamedTuple):
    """Contexts to play with, and held-out ones for evaluations, with one bound for the length of all captions."""

    played: Lesson
    held_out: Lesson


def play_games(  # noqa: PLR0913 (who plays, by which rules, with which images, and how long)
    how: Game,
    speaker: Path,
    out: Path,
    *,
    listener: Path | None = None,
    eyes: Eyes | None = None,
    contexts: Contexts | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Train a speaker and a listener, or resume a game that was stopped, and return the contents of run.json.

    Args:
        how: the rules.
        speaker: a checkpoint with a speaker that has learnt captions.
        out: the folder of the run.
        listener: a checkpoint with a listener; a new one learns from the beginning where none is given.
        eyes: how images are seen, with the encoder that the speaker learnt with.
        contexts: other ones than those of A3DS.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.

    Raises:
        RecipeError: when the speaker learnt with another encoder, a listener is missing, or the folder holds another
            run.
        BrokenCheckpoint: when a checkpoint cannot be read or holds no speaker or listener.
    """
    course = _Game(how, speaker, listener, eyes or Eyes(), contexts, progress or silent)
    return follow(course, out, progress=progress or silent, stop_after=stop_after)


class _Game(Course):
    role = "game"
    kind = ROOMS

    def __init__(
        self,
        how: Game,
        speaker: Path,
        listener: Path | None,
        eyes: Eyes,
        contexts: Contexts | None,
        progress: Progress,
    ) -> None:
        device = find_device(eyes.device)
        self.training, self.device = how, device
        seer = find_encoder(eyes.encoder, device)
        found = read_player(speaker, "speaker", seer)
        if found.data.get("seed") != how.data_seed:
            theirs = found.data.get("seed")
            raise RecipeError(
                f"the images of {speaker} were divided by the seed {theirs}, those of the game by {how.data_seed}, so "
                f"that some would be in both; give --data-seed {theirs}"
            )
        if how.listener == "frozen" and listener is None:
            raise RecipeError("a listener that does not learn must be given, as a checkpoint")
        if not set(vocabulary_of(how.teacher).words) <= set(found.vocabulary):
            raise RecipeError(
                f"the speaker in {speaker} lacks words of the teacher {how.teacher}, such as 'thing'; give one that "
                "has learnt with --teacher"
            )
        self.vocabulary = found.vocabulary
        self.speaker = cast("RoomSpeaker", found.model("speaker", device)).train()
        self.before_game = cast("RoomSpeaker", found.model("speaker", device)).requires_grad_(requires_grad=False)
        self.language = cast("CaptionLanguage", found.model("language", device)) if "language" in found.models else None
        self.listener = self._listener(listener, found, seer)
        lesson, held_out = contexts or Contexts(lessons(how, "tune"), lessons(how, "validation", count=LOOKED_AT))
        ids = np.concatenate((lesson.images.ravel(), held_out.images.ravel()))
        features = features_of(ids, seer, device, cache=eyes.cache, progress=progress).only(ids)
        self.features = features.on(device)
        self.images = torch.from_numpy(features.rows(lesson.images)).to(device)
        self.captions = torch.from_numpy(lesson.captions).to(device)
        self.short = None if lesson.short is None else torch.from_numpy(lesson.short).to(device)
        self.held_images = torch.from_numpy(features.rows(held_out.images)).to(device)
        self.held_out = held_out.images
        self.rows = len(lesson)
        self.data = {
            "name": "a3ds",
            "split": "tune",
            "seed": how.data_seed,
            "examples": len(lesson),
            "encoder": seer.name,
            "encoder_digest": seer.digest,
            "speaker": checkpoint_digest(speaker),
            "listener": checkpoint_digest(listener) if listener else "",
        }
        if contexts is not None:
            parts = b"".join(
                np.ascontiguousarray(part).tobytes() for one in contexts for part in one if part is not None
            )
            self.data |= {"name": "given", "split": sha256(parts).hexdigest()}
        self.mean, self.speaks = torch.zeros((), device=device), torch.ones((), device=device)
        self.kept = {"mean": self.mean}
        self.frozen = {} if how.listener == "joint" else {"listener": self.listener}
        learners: dict[str, torch.nn.Module] = {"speaker": self.speaker}
        if how.listener == "joint":
            learners["listener"] = self.listener
        self.updates = Updates(
            learners,
            device,
            self.loss,
            batch_size=how.batch_size,
            clip=how.clip,
            seed=how.seed,
            kept=self.kept.values(),
            lr_factors={"speaker": how.speaker_lr / how.lr} if how.speaker_lr else None,
        )

    def _listener(self, path: Path | None, found: Bundle, seer: Encoder) -> RoomListener:
        if path is not None:
            listener = cast("RoomListener", read_player(path, "listener", seer).model("listener", self.device))
        else:
            torch.default_generator.manual_seed(derive(self.training.seed, "listener") >> 1)
            sizes = RoomListenerSettings(features=FEATURES, width=self.speaker.settings.width)
            listener = RoomListener(sizes, len(found.vocabulary)).to(self.device)
        return listener.train().requires_grad_(self.training.listener == "joint")

    def prepare(self, step: int) -> np.ndarray:
        """Choose the contexts of a step, and whether the speaker learns in it."""
        how = self.training
        self.speaks.fill_(float(step >= how.listener_first))
        return passes(step, how.batch_size, self.rows, how.seed)

    def loss(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        images = self.features[self.images[rows]].float()
        players = Players(self.speaker, self.listener, self.before_game if self.training.kl else None)
        gold = self.captions[rows].long()
        plain = None if self.short is None else self.short[rows].long()
        return play(players, images, gold, self.training, mean=self.mean, speaks=self.speaks, plain=plain)

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:
        """Select speakers that contrast by how pragmatic they are; others are judged when the game is over."""
        how = self.training
        return None if how.teacher == EXHAUSTIVE or step <= how.listener_first else merit_of(dev)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Return how well it goes with held-out images, and how far the language has drifted."""
        images = self.features[self.held_images].float()
        said = say(self.speaker, self.speaker.look(images), limit=self.captions.shape[1])
        fits = self.listener(images, said.words, said.length)
        words = said.words.cpu().numpy()
        return {
            "listener": float((fits.argmax(1) == 0).float().mean()),
            **score_words(words, self.held_out),
            **drift(said, images[:, 0], self.language, self.before_game),
            "overlap": overlap(words, self.held_out),
        }
