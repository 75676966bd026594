"""Training of a region encoder on categories and attributes, with exact resumption.

Of the pictures of a dataset a share is held out, to choose among checkpoints; no expression is read. The checkpoint
names the pictures that were seen, so that the encoder is not used for the same (`demand_other_pictures`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from deixis.errors import RecipeError
from deixis.learn._loop import Course, follow, passes
from deixis.learn._updates import Updates
from deixis.learn.devices import find_device, multiplying_in
from deixis.learn.run import silent
from deixis.seeds import derive
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.training._lite0 import HIGH, LOW
from deixis.worlds.photos.training._region_network import (
    ENCODER,
    NETWORK,
    REGION_ENCODERS,
    RegionNetworkSettings,
    digest_of_pictures,
    fresh_network,
)
from deixis.worlds.photos.training._sight import Window, sight_of


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._prepare import Surroundings
    from deixis.worlds.photos.training.settings import RegionEncoderTraining


UNIT = 1 << 32


def learn_to_see(
    how: RegionEncoderTraining,
    dataset: CopsRef,
    out: Path,
    *,
    around: Surroundings,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Train a region encoder on the pictures of a dataset, or resume, and return the contents of run.json.

    Raises:
        RecipeError: when the dataset lacks what is needed, or the folder holds another run.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
    """
    tell = progress or silent
    course = _RegionCourse(how, dataset, around, tell)
    with multiplying_in("auto", course.device):
        return follow(course, out, progress=tell, stop_after=stop_after)


class _RegionCourse(Course):
    role = ENCODER
    kind = REGION_ENCODERS
    vocabulary = ("<none>",)

    def __init__(self, how: RegionEncoderTraining, dataset: CopsRef, around: Surroundings, tell: Progress) -> None:
        self.training, self.device = how, find_device(around.device)
        if not dataset.pictures:
            raise RecipeError(f"{dataset.path} has no pictures, so no encoder can learn from it")
        regions = region_arrays(dataset.scenes)
        is_lite0 = how.network == "lite0"
        sizes = RegionNetworkSettings(
            lite0=is_lite0,
            side=how.side,
            low=LOW if is_lite0 else how.low,
            high=HIGH if is_lite0 else how.high,
            names=len(regions.names),
            words=max(len(regions.words), 1),
        )
        torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
        self.network = fresh_network(sizes).to(self.device).train()
        cache = around.cache
        self.sight = sight_of(self.network.eyes, regions, dataset, self.device, cache=cache, progress=tell)
        self.attr_ptr = torch.from_numpy(np.array(regions.attr_ptr, np.int64)).to(self.device)
        self.attr = torch.from_numpy(np.array(regions.attr, np.int64)).to(self.device)
        is_held = np.array([self._is_held_out(one) for one in regions.image_ids], np.bool_)
        has_regions = np.diff(regions.first) > 0
        self.images = np.flatnonzero(has_regions & ~is_held)
        self.held = torch.from_numpy(np.flatnonzero(has_regions & is_held)).to(self.device)
        if not len(self.images):
            raise RecipeError(f"{dataset.path} has no pictures with regions to learn from")
        self.data = {
            "name": dataset.path.resolve().name,
            "digest": dataset.dataset.digest,
            "pictures": digest_of_pictures(dataset),
            "split": "all",
            "examples": len(self.images),
        }
        self.updates = Updates(
            {NETWORK: self.network},
            self.device,
            self.loss,
            batch_size=how.batch_size,
            clip=how.clip,
            seed=how.seed,
            kept=self.network.buffers(),
        )
        self.updates.graphs = False  # every step has another number of regions

    def _is_held_out(self, image: str) -> bool:
        """Return whether a picture chooses among checkpoints, which its id and the seed decide."""
        place = derive(self.training.seed, "held out", image) >> 32
        return place / UNIT < self.training.held_out

    def prepare(self, step: int) -> np.ndarray:
        """Choose the pictures of a step."""
        rows = passes(step, self.training.batch_size, len(self.images), self.training.seed)
        return self.images[rows]

    def loss(self, images: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute the loss of the regions of some pictures, and its parts."""
        window = Window.of(self.sight.table, images)
        seen = self.sight.encode(window)
        category, words = self.network(seen.pooled)
        named = functional.cross_entropy(category, seen.category)
        told, has_some = self._words_of(window.rows)
        per_word = functional.binary_cross_entropy_with_logits(words, told, reduction="none").sum(1)
        worded = (per_word * has_some).sum() / has_some.sum().clamp(min=1)
        right = (category.argmax(1) == seen.category).float().mean()
        loss = named + self.training.attributes * worded
        return loss, {"category": named.detach(), "attributes": worded.detach(), "right": right}

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Return the share of categories told right, and of attributes among as many told as there are."""
        if not len(self.held):
            return {}
        right = regions = found = words = 0
        for some in self.held.split(16):
            window = Window.of(self.sight.table, some)
            seen = self.sight.encode(window)
            category, guessed = self.network(seen.pooled)
            right += int((category.argmax(1) == seen.category).sum())
            regions += len(seen.category)
            told, _ = self._words_of(window.rows)
            rank = guessed.argsort(1, descending=True).argsort(1)
            found += int(((rank < told.sum(1, keepdim=True)) & (told > 0)).sum())
            words += int(told.sum())
        return {"category": right / max(regions, 1), "attributes": found / max(words, 1)}

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:  # noqa: ARG002 (the same at any step)
        """Select by the mean of both shares."""
        return (dev["category"] + dev["attributes"]) / 2

    def _words_of(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The attributes of regions, float [region, word], and which have any, float [region]: others are unknown."""
        count = self.attr_ptr[rows + 1] - self.attr_ptr[rows]
        whose = torch.arange(len(rows), device=rows.device).repeat_interleave(count)
        within = torch.arange(len(whose), device=rows.device) - (count.cumsum(0) - count)[whose]
        told = torch.zeros(len(rows), self.network.settings.words, device=rows.device)
        told[whose, self.attr[self.attr_ptr[rows][whose] + within]] = 1
        return told, (count > 0).float()
