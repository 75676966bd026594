"""A reader that is told the parse of captions learns which image of a context each is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from deixis.errors import DeixisError
from deixis.learn._loop import Course, follow, passes
from deixis.learn._programs import lines_of
from deixis.learn._told import SUPERVISION, choice_cost
from deixis.learn._updates import Updates
from deixis.learn.devices import find_device
from deixis.learn.run import silent
from deixis.seeds import derive, mix_words
from deixis.worlds.rooms._language import LANGUAGE
from deixis.worlds.rooms._models.told import SYMBOLS, RoomReader, RoomReaderSettings
from deixis.worlds.rooms.captions import caption, frames
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.pairs import draw_contexts
from deixis.worlds.rooms.training._bundles import ROOMS
from deixis.worlds.rooms.training._captions import SIMILAR, images_of
from deixis.worlds.rooms.training.features import FEATURES, Eyes, features_of, find_encoder


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.rooms.training.settings import Reading


JUDGED = 1000  # contexts of validation images at every evaluation


class Lines(NamedTuple):
    """Captions as programs.

    Shapes:
        rows: int64 [caption, number]. unread: bool [caption], those that no parser can read, whose rows say nothing.
    """

    rows: np.ndarray
    unread: np.ndarray


def learn_to_refer(
    how: Reading,
    out: Path,
    *,
    eyes: Eyes | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Train a reader, or resume a training that was stopped, and return the contents of run.json.

    Args:
        how: the settings.
        out: the folder of the run.
        eyes: how images are seen, and where all is computed.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.
    """
    course = _Reading(how, eyes or Eyes(), progress or silent)
    return follow(course, out, progress=progress or silent, stop_after=stop_after)


class _Reading(Course):
    role = "reading"
    kind = ROOMS

    def __init__(self, how: Reading, eyes: Eyes, progress: Progress) -> None:
        device = find_device(eyes.device)
        seer = find_encoder(eyes.encoder, device)
        self.training, self.vocabulary = how, SYMBOLS.names
        learnt, held_out = (told_contexts(how, part, count) for part, count in _parts(how))
        ids = np.concatenate((learnt[0].ravel(), held_out[0].ravel()))
        features = features_of(ids, seer, device, cache=eyes.cache, progress=progress).only(ids)
        self.features = features.on(device)
        self.images, self.held_images = (
            torch.from_numpy(features.rows(images)).to(device) for images, _ in (learnt, held_out)
        )
        programs = [read_captions(texts) for _, texts in (learnt, held_out)]
        self.lines, self.held_lines = (torch.from_numpy(one.rows).to(device) for one in programs)
        self.parser_errors = {
            part: int(one.unread.sum()) for part, one in zip(("train", "validation"), programs, strict=True)
        }
        self.data = {
            "name": "a3ds",
            "split": "train",
            "seed": how.data_seed,
            "examples": len(self.images),
            "encoder": seer.name,
            "encoder_digest": seer.digest,
        }
        torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
        self.model = RoomReader(RoomReaderSettings(features=FEATURES, width=how.width)).to(device)
        self.updates = Updates(
            {"reader": self.model}, device, self.loss, batch_size=how.batch_size, clip=how.clip, seed=how.seed
        )
        self.updates.graphs = False  # which operations come differs from batch to batch

    def prepare(self, step: int) -> np.ndarray:
        """Choose the contexts of a step."""
        return passes(step, self.training.batch_size, len(self.images), self.training.seed)

    def loss(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        fits = self.model(self.lines[rows], self.features[self.images[rows]].float())
        target = torch.zeros_like(rows)
        cost = choice_cost(fits, torch.ones_like(fits, dtype=torch.bool), target, truth=self.training.truth)
        return cost.mean(), {"right": (fits.argmax(1) == target).float().mean()}

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Return how often the image is found in contexts of held-out images."""
        fits = self.model(self.held_lines, self.features[self.held_images].float())
        return {"right": float((fits.argmax(1) == 0).float().mean()), "examples": len(fits)}

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:  # noqa: ARG002 (every step counts)
        """Select by how often the image is found."""
        return dev["right"]

    def describe(self, best: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return what it learns from, and how many captions no parser could read."""
        return {"supervision": SUPERVISION, "parser errors": self.parser_errors}


def _parts(how: Reading) -> tuple[tuple[str, int], tuple[str, int]]:
    return ("train", how.examples), ("validation", JUDGED)


def told_contexts(how: Reading, part: str, count: int) -> tuple[np.ndarray, list[str]]:
    """Contexts, int64 [context, image] with the target first, and captions that fit the target alone."""
    among = getattr(images_of(how.data_seed), part)
    seed = derive(how.data_seed, "told", part)
    images = draw_contexts(
        2 * count,
        seed=seed,
        distractors=how.distractors,
        shared=SIMILAR if how.pairs == "similar" else (),
        among=among,
    )
    numbers = mix_words(np.arange(1, len(images) + 1, dtype=np.uint64) + np.uint64(seed)) % len(frames("partial"))
    texts = [caption(int(row[0]), int(number), "partial") for row, number in zip(images, numbers, strict=True)]
    chosen = np.flatnonzero(listen_literally(texts, images) == 1.0)[:count]
    return images[chosen], [texts[row] for row in chosen]


def read_captions(texts: Sequence[str]) -> Lines:
    """Return the programs of captions, and which no parser can read."""
    programs: list[list[int]] = []
    for text in texts:
        try:
            programs.append(SYMBOLS.line(LANGUAGE.read(text).expression))
        except DeixisError:
            programs.append([])
    unread = np.array([not one for one in programs], np.bool_)
    return Lines(np.array(lines_of(programs), np.int64).reshape(len(programs), -1), unread)
