"""How the encoder that comes with Deixis was made: it learns to tell the factors of rooms that Deixis draws.

Only pictures for pretraining are learnt from, so the images of the test sets are as new to it as to the speaker.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deixis.models.room_encoder import RoomEncoder, RoomEncoderSettings
from deixis.scene.factors import FACTORS, SIZES, factors_of
from deixis.seeds import derive
from deixis.training.devices import find_device
from deixis.training.rooms.bundles import Bundle, write_bundle
from deixis.training.rooms.captions import images_of, passes
from deixis.training.rooms.features import FEATURES
from deixis.training.rooms.pretrain import silent
from deixis.training.step import reseed
from deixis.worlds.shapes.draw import draw_rooms


if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from deixis.training.loop import Progress


__all__ = ["Encoding", "learn_to_see", "to_size_one"]

BLOCK = 2048
SAMPLE = 1000  # pictures by which the size of features is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How the encoder learns.

    Attributes:
        seed: weights, order and noise follow from it.
        data_seed: which images are for what.
        pictures: how many are learnt from, of those for pretraining; judged: by how many it is judged, of validation.
        updates, batch, rate: of the weights; the rate falls evenly to nothing.
        noise: the spread of what is added to the brightness of pixels.
    """

    seed: int = 0
    data_seed: int = 42
    pictures: int = 30_000
    judged: int = 20_000
    updates: int = 6000
    batch: int = 256
    rate: float = 1e-3
    noise: float = 0.02


def learn_to_see(how: Encoding, out: Path, *, device: str = "auto", progress: Progress | None = None) -> dict[str, Any]:
    """Train an encoder and write it to a file; how many factors of held-out pictures it tells, by name.

    Args:
        how: the settings.
        out: the file.
        device: `auto`, `cpu`, `cuda`, `cuda:1`.
        progress: told how far things are.
    """
    tell, place = progress or silent, find_device(device)
    split = images_of(how.data_seed)
    ids = split.train[: how.pictures]
    pictures = torch.from_numpy(_drawn(ids, tell)).to(place)
    factors = torch.from_numpy(factors_of(ids).astype(np.int64)).to(place)
    torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
    model = RoomEncoder(RoomEncoderSettings()).to(place)
    head = nn.Linear(FEATURES, sum(SIZES)).to(place)
    learnt = [*model.parameters(), *head.parameters()]
    optimiser = torch.optim.Adam(learnt, lr=how.rate)
    for update in range(how.updates):
        for group in optimiser.param_groups:
            group["lr"] = how.rate * (1 - update / how.updates)
        reseed(how.seed, update, place)
        rows = torch.from_numpy(passes(update, how.batch, len(ids), how.seed)).to(place)
        x = pictures[rows].permute(0, 3, 1, 2).float() / 255
        x = x + how.noise * torch.randn_like(x)
        loss = _loss(head(model(x)), factors[rows])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if (update + 1) % 100 == 0:
            tell("encoder", update + 1, how.updates, f"loss {loss.item():.4f}")
    found = _judged(model, head, split.validation[: how.judged], place)
    to_size_one(model, pictures[:: max(len(ids) // SAMPLE, 1)])
    training = asdict(how)
    bundle = Bundle(
        role="encoder",
        models={"encoder": asdict(model.settings)},
        vocabulary=("none",),
        training=training,
        digest=sha256(repr(sorted(training.items())).encode()).hexdigest(),
        data={"name": "a3ds", "split": "train", "seed": how.data_seed, "examples": len(ids)},
        update=how.updates,
        metrics={"told": found},
        weights={f"encoder.{name}": value for name, value in model.state_dict().items()},
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    write_bundle(out, bundle)
    return found


@torch.no_grad()
def to_size_one(model: RoomEncoder, pictures: Tensor) -> None:
    """Scale the last layer so that the mean square of features is 1: speakers saturate on much larger ones.

    Shapes:
        pictures: uint8 [picture, 64, 64, 3].
    """
    features = model(pictures.permute(0, 3, 1, 2).float() / 255)
    size = features.pow(2).mean().sqrt()
    for parameter in model.layers[-1].parameters():
        parameter.div_(size)


def _drawn(ids: np.ndarray, tell: Progress) -> np.ndarray:
    blocks = []
    for start in range(0, len(ids), BLOCK):
        blocks.append(draw_rooms(ids[start : start + BLOCK]))
        tell("pictures", min(start + BLOCK, len(ids)), len(ids), "")
    return np.concatenate(blocks)


def _loss(scores: Tensor, factors: Tensor) -> Tensor:
    parts = scores.split(list(SIZES), dim=1)
    return sum(
        (functional.cross_entropy(part, factors[:, number]) for number, part in enumerate(parts)),
        start=scores.new_zeros(()),
    )


@torch.no_grad()
def _judged(model: RoomEncoder, head: nn.Linear, ids: np.ndarray, device: torch.device) -> dict[str, float]:
    """The share of held-out pictures of which each factor is told."""
    right = torch.zeros(len(FACTORS), device=device)
    for start in range(0, len(ids), BLOCK):
        some = ids[start : start + BLOCK]
        x = torch.from_numpy(draw_rooms(some)).to(device).permute(0, 3, 1, 2).float() / 255
        truth = torch.from_numpy(factors_of(some).astype(np.int64)).to(device)
        parts = head(model(x)).split(list(SIZES), dim=1)
        right += torch.stack([(part.argmax(1) == truth[:, n]).float().sum() for n, part in enumerate(parts)])
    return {name: round(float(one) / len(ids), 6) for name, one in zip(FACTORS, right, strict=True)}
