"""Training of the encoder that comes with Deixis: it learns to tell the factors of rooms that Deixis draws.

Only pictures for pretraining are learnt from, so the images of the test sets are as new to it as to the speaker.
"""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deixis.learn._checkpoints import Bundle, write_bundle
from deixis.learn._loop import passes
from deixis.learn.devices import find_device
from deixis.learn.run import silent
from deixis.seeds import derive
from deixis.worlds.rooms._models.encoders import RoomEncoder, RoomEncoderSettings
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.scene import FACTORS, SIZES, factors_of
from deixis.worlds.rooms.training._augment import DISTURBANCES, augment
from deixis.worlds.rooms.training._bundles import ROOMS
from deixis.worlds.rooms.training._captions import images_of
from deixis.worlds.rooms.training.features import FEATURES


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.rooms.training.settings import Encoding


BLOCK = 2048
SAMPLE = 1000  # pictures by which the size of features is told
DISTURBED = 2000  # pictures by which it is judged how an encoder bears changes


def learn_to_see(how: Encoding, out: Path, *, device: str = "auto", progress: Progress | None = None) -> dict[str, Any]:
    """Train an encoder, write it to a file, and return its accuracy on held-out pictures.

    Args:
        how: the settings.
        out: the file.
        device: `auto`, `cpu`, `cuda`, `cuda:1`.
        progress: told how far things are.

    Returns:
        As `told` the share of pictures of which each factor is told, by name; as `disturbed` the share of which all six
        are told after each of some changes.
    """
    tell, place = progress or silent, find_device(device)
    split = images_of(how.data_seed)
    ids = _some(split.train, how.pictures)
    pictures = torch.from_numpy(_draw(ids, tell)).to(place)
    factors = torch.from_numpy(factors_of(ids).astype(np.int64)).to(place)
    torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
    model = RoomEncoder(RoomEncoderSettings(channels=how.channels)).to(place)
    head = nn.Linear(FEATURES, sum(SIZES)).to(place)
    _learn(model, head, pictures, factors, how, tell)
    held_out = _some(split.validation, how.judged)
    found = _measure_accuracy(model, head, held_out, place)
    borne = _measure_robustness(model, head, _some(held_out, DISTURBED), place)
    to_size_one(model, pictures[:: max(len(ids) // SAMPLE, 1)])
    training = asdict(how)
    bundle = Bundle(
        kind=ROOMS,
        role="encoder",
        models={"encoder": asdict(model.settings)},
        vocabulary=("none",),
        training=training,
        digest=sha256(repr(sorted(training.items())).encode()).hexdigest(),
        data={"name": "a3ds", "split": "train", "seed": how.data_seed, "examples": len(ids)},
        step=how.steps,
        metrics={"told": found, "disturbed": borne},
        weights={f"encoder.{name}": value for name, value in model.state_dict().items()},
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    write_bundle(out, bundle)
    return {"told": found, "disturbed": borne}


def _learn(
    model: RoomEncoder, head: nn.Linear, pictures: Tensor, factors: Tensor, how: Encoding, tell: Progress
) -> None:
    place = pictures.device
    optimiser = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=how.lr, fused=place.type == "cuda")
    rng = torch.Generator(place)
    for update in range(how.steps):
        for group in optimiser.param_groups:
            group["lr"] = how.lr * (1 - update / how.steps)
        rows = torch.from_numpy(passes(update, how.batch_size, len(pictures), how.seed)).to(place)
        x = _as_floats(pictures[rows])
        if how.augmentation is not None:
            x = augment(x, how.augmentation, rng=rng.manual_seed(derive(how.seed, "augment", update) >> 1))
        loss = _loss(head(model(x)), factors[rows])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if (update + 1) % 100 == 0:
            tell("encoder", update + 1, how.steps, f"loss {loss.item():.4f}")


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


def _draw(ids: np.ndarray, tell: Progress) -> np.ndarray:
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


def _some(ids: np.ndarray, count: int) -> np.ndarray:
    """Return some images at equal distances, since neighbours share floor and wall; all where there are fewer."""
    return ids[np.arange(count) * len(ids) // count] if count < len(ids) else ids


def _as_floats(pictures: Tensor) -> Tensor:
    return pictures.permute(0, 3, 1, 2).float() / 255


@torch.no_grad()
def _measure_accuracy(model: RoomEncoder, head: nn.Linear, ids: np.ndarray, device: torch.device) -> dict[str, float]:
    """The share of held-out pictures of which each factor is told."""
    right = sum(
        (_right(model, head, *some).float().sum(0) for some in _pictures_of(ids, device)), torch.zeros(1).to(device)
    )
    return {name: round(float(one) / len(ids), 6) for name, one in zip(FACTORS, right, strict=True)}


@torch.no_grad()
def _measure_robustness(model: RoomEncoder, head: nn.Linear, ids: np.ndarray, device: torch.device) -> dict[str, float]:
    """The share of held-out pictures of which all six factors are told after each of some changes."""
    right = dict.fromkeys(DISTURBANCES, 0)
    for x, truth in _pictures_of(ids, device):
        for name, change in DISTURBANCES.items():
            right[name] += int(_right(model, head, change(x), truth).all(1).sum())
    return {name: round(one / len(ids), 6) for name, one in right.items()}


def _pictures_of(ids: np.ndarray, device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
    """Pictures with their factors, some at a time."""
    for start in range(0, len(ids), BLOCK):
        some = ids[start : start + BLOCK]
        truth = torch.from_numpy(factors_of(some).astype(np.int64)).to(device)
        yield _as_floats(torch.from_numpy(draw_rooms(some)).to(device)), truth


def _right(model: RoomEncoder, head: nn.Linear, x: Tensor, truth: Tensor) -> Tensor:
    """Tell which factors are recognised: bool [picture, 6]."""
    parts = head(model(x)).split(list(SIZES), dim=1)
    return torch.stack([part.argmax(1) == truth[:, number] for number, part in enumerate(parts)], dim=1)
