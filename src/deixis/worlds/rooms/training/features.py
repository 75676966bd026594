"""Features of images for speakers and listeners: 2,048 numbers each, computed once and kept in a file.

| encoder | |
|---|---|
| `rooms` | shipped with Deixis, trained on pictures that it draws; nothing to download |
| a path | weights of ResNet-50 as safetensors, with the names of torchvision, as in the paper |
| `factors` | the factors themselves, as an upper limit |

Pictures are neither flipped nor cut at random: what is on the left stays there. One process at a time adds to a cache,
and others wait until it is done; what is there already is read without waiting for anybody.
"""

from __future__ import annotations

import json
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch.nn import functional

from deixis.data._locks import wait_for_lock
from deixis.data.store import replacing_file
from deixis.errors import BrokenCheckpoint, BrokenDataset, RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn.run import shipped_checkpoints
from deixis.scene._array_folder import map_array
from deixis.worlds.rooms._models.encoders import MEAN, SPREAD, ResNet50
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.scene import SIZES, factors_of
from deixis.worlds.rooms.training._bundles import read_rooms


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from deixis.learn.run import Progress


__all__ = ["FEATURES", "Encoder", "Eyes", "Features", "Pictures", "features_of", "find_encoder"]

FEATURES = 2048
ROOMS = "room-encoder"  # the name of the shipped one
BLOCK = 1024  # images at a time
RESIZED, CUT = 256, 224


class Pictures(Protocol):
    """A source of pictures: uint8 [image, 64, 64, 3] for the numbers of images."""

    def __call__(self, ids: np.ndarray, /) -> np.ndarray:
        """The pictures of these images, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """The encoder, the device and the cache that images are seen with.

    Attributes:
        encoder: the name of an encoder or a file with weights.
        device: `auto`, `cpu`, `cuda`, `cuda:1`; where everything else is computed, too.
        cache: a folder for features, so that they are computed once.
    """

    encoder: str = "rooms"
    device: str = "auto"
    cache: Path | None = None


@dataclass(frozen=True)
class Encoder:
    """Something that turns images into numbers.

    Attributes:
        name: what to call it; digest: of its weights.
        encode: float [image, 2048] on the device, for the numbers of images and their pictures.
        needs_pictures: whether pictures have to be made for it.
    """

    name: str
    digest: str
    encode: Callable[[np.ndarray, np.ndarray | None, torch.device], Tensor]
    needs_pictures: bool = True


def find_encoder(name: str, device: torch.device) -> Encoder:
    """The encoder of a name or of a file with weights.

    Raises:
        RecipeError: when there is none.
        BrokenCheckpoint: when the file holds other weights.
    """
    if name == "factors":
        return Encoder("factors", "factors-1", _one_hot, needs_pictures=False)
    if name == "rooms":
        shipped = shipped_checkpoints().get(ROOMS)
        if shipped is None:
            raise RecipeError(
                "this copy of deixis comes without an encoder; train one with `deixis train room-encoder`"
            )
        return _room_encoder(shipped, device)
    path = Path(name)
    if not path.is_file():
        raise RecipeError(f"unknown encoder {name!r}; known: rooms, factors, or a safetensors file with weights")
    return _encoder_of(path, device)


def _encoder_of(path: Path, device: torch.device) -> Encoder:
    from deixis.learn._checkpoints import read_facts

    return _room_encoder(path, device) if read_facts(path).get("role") == "encoder" else _resnet(path, device)


def _room_encoder(path: Path, device: torch.device) -> Encoder:
    model = read_rooms(path).model("encoder", device)

    def encode(_: np.ndarray, pictures: np.ndarray | None, device: torch.device) -> Tensor:
        return model(_as_floats(pictures, device))

    return Encoder("rooms", checkpoint_digest(path), encode)


def _resnet(path: Path, device: torch.device) -> Encoder:
    import safetensors.torch
    from safetensors import SafetensorError

    model = ResNet50()
    try:
        weights = safetensors.torch.load_file(path)
        weights = {name: one for name, one in weights.items() if not name.startswith("fc.")}
        model.load_state_dict(weights)
    except (SafetensorError, OSError, RuntimeError, ValueError) as error:
        reason = (str(error).splitlines() or [""])[0][:160]
        raise BrokenCheckpoint(
            f"{path} holds no weights of ResNet-50 with the names of torchvision ({reason})"
        ) from error
    model = model.to(device).eval()
    mean, spread = (torch.tensor(one, device=device)[:, None, None] for one in (MEAN, SPREAD))

    def encode(_: np.ndarray, pictures: np.ndarray | None, device: torch.device) -> Tensor:
        x = functional.interpolate(_as_floats(pictures, device), (RESIZED, RESIZED), mode="bilinear", antialias=True)
        edge = (RESIZED - CUT) // 2
        return model((x[:, :, edge : edge + CUT, edge : edge + CUT] - mean) / spread)

    return Encoder("resnet50", checkpoint_digest(path), encode)


def _one_hot(ids: np.ndarray, _: np.ndarray | None, device: torch.device) -> Tensor:
    """The factors of images as zeros and ones, filled up with zeros."""
    factors = factors_of(ids).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(SIZES)[:-1]))
    features = np.zeros((len(ids), FEATURES), np.float32)
    np.put_along_axis(features, factors + starts, 1.0, axis=1)
    return torch.from_numpy(features).to(device)


def _as_floats(pictures: np.ndarray | None, device: torch.device) -> Tensor:
    if pictures is None:
        raise RecipeError("this encoder needs pictures")
    return torch.from_numpy(np.ascontiguousarray(pictures)).to(device).permute(0, 3, 1, 2).float() / 255


@dataclass(frozen=True)
class Features:
    """The features of some images.

    Shapes:
        ids: int64 [image], sorted. values: float16 [image, 2048], possibly a memory-mapped file.
    """

    ids: np.ndarray
    values: np.ndarray
    encoder: str
    digest: str

    def rows(self, ids: np.ndarray) -> np.ndarray:
        """Return the places of images among these: int64 of the same shape."""
        rows = np.searchsorted(self.ids, ids)
        if ids.size and ((rows >= len(self.ids)).any() or (self.ids[np.minimum(rows, len(self.ids) - 1)] != ids).any()):
            raise RecipeError("there are images whose features were not computed")
        return rows

    def holds(self, ids: np.ndarray) -> bool:
        """Tell whether all these images are among these."""
        return bool(np.isin(ids, self.ids).all())

    def only(self, ids: np.ndarray) -> Features:
        """Return the features of some of the images, in memory.

        A cache may hold many more.
        """
        ids = np.unique(ids)
        return replace(self, ids=ids, values=np.asarray(self.values[self.rows(ids)]))

    def on(self, device: torch.device) -> Tensor:
        """All of them on a device: float16 there on a GPU, float32 on a CPU."""
        values = torch.from_numpy(np.array(self.values)).to(device)
        return values if device.type == "cuda" else values.float()


def features_of(
    ids: np.ndarray,
    encoder: Encoder,
    device: torch.device,
    *,
    pictures: Pictures = draw_rooms,
    source: str = "drawn",
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Features:
    """The features of images, from a cache where they are there.

    Args:
        ids: the numbers of images, in any order.
        encoder: what sees them.
        device: where that is computed.
        pictures: where pictures come from; they are drawn by default.
        source: a name for that.
        cache: a folder for them; what is missing there is added.
        progress: told how far things are.

    Raises:
        BrokenDataset: when the cache is damaged.
        RecipeError: when the cache cannot be written to.
    """
    wanted = np.unique(np.asarray(ids, np.int64))
    facts = {"format": 1, "kind": "features", "encoder": encoder.name, "digest": encoder.digest, "source": source}
    look = partial(_compute, encoder=encoder, device=device, pictures=pictures, progress=progress)
    if cache is None:
        return Features(wanted, look(wanted), encoder.name, encoder.digest)
    with suppress(BrokenDataset):  # somebody may be changing it; who holds the lock will know
        known = _read_cache(cache, facts)
        if known is not None and known.holds(wanted):
            return known

    def wait() -> None:
        if progress:
            progress("waiting for another process", 0, len(wanted), "")

    try:
        cache.mkdir(parents=True, exist_ok=True)
        with wait_for_lock(_names(cache, facts)[0].with_suffix(".lock"), wait):
            return _fill(cache, facts, wanted, look)
    except OSError as error:
        raise RecipeError(f"cannot keep features in {cache}: {error.strerror or error}") from error


def _fill(cache: Path, facts: dict[str, Any], wanted: np.ndarray, look: Callable[[np.ndarray], np.ndarray]) -> Features:
    """Return the features in a cache, after what was missing in it has been added."""
    none = Features(wanted[:0], np.empty((0, FEATURES), np.float16), facts["encoder"], facts["digest"])
    known = _read_cache(cache, facts) or none
    missing = np.setdiff1d(wanted, known.ids)
    if not len(missing) and known is not none:
        return known
    every = np.concatenate((known.ids, missing))
    order = np.argsort(every)
    values = np.concatenate((np.asarray(known.values), look(missing)))[order]
    found = replace(none, ids=every[order], values=values)
    _keep(cache, found, facts)
    return _read_cache(cache, facts) or found


@torch.no_grad()
def _compute(
    ids: np.ndarray, encoder: Encoder, device: torch.device, pictures: Pictures, progress: Progress | None
) -> np.ndarray:
    values = np.empty((len(ids), FEATURES), np.float16)
    done = 0
    for some, drawn in _with_pictures(ids, pictures if encoder.needs_pictures else None):
        seen = encoder.encode(some, drawn, device)
        if seen.shape[1] != FEATURES:
            raise RecipeError(f"the encoder {encoder.name} gives {seen.shape[1]:,} numbers, {FEATURES:,} are needed")
        values[done : done + len(some)] = seen.half().cpu().numpy()
        done += len(some)
        if progress:
            progress("looking at images", done, len(ids), "")
    return values


def _with_pictures(ids: np.ndarray, pictures: Pictures | None) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Images, some at a time, with their pictures; those of the next ones are made meanwhile, by all cores."""
    blocks = [ids[start : start + BLOCK] for start in range(0, len(ids), BLOCK)]
    if pictures is None:
        yield from ((block, None) for block in blocks)
        return
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as threads:
        ahead = deque(threads.submit(pictures, block) for block in blocks[:workers])
        for number, block in enumerate(blocks):
            drawn = ahead.popleft().result()
            if number + workers < len(blocks):
                ahead.append(threads.submit(pictures, blocks[number + workers]))
            yield block, drawn


def _names(cache: Path, facts: dict[str, Any]) -> tuple[Path, Path, Path]:
    name = sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
    return cache / f"{name}.json", cache / f"{name}-ids.npy", cache / f"{name}.npy"


def _read_cache(cache: Path, facts: dict[str, Any]) -> Features | None:
    """Return the features in a cache for this encoder, or None for another encoder's.

    A damaged file is an error.
    """
    about, ids_file, values_file = _names(cache, facts)
    if not about.is_file():
        return None
    try:
        ids, values = map_array(ids_file), map_array(values_file)
    except (OSError, BrokenDataset) as error:
        raise BrokenDataset(f"the features in {cache} are damaged ({str(error)[:80]}); delete the folder") from error
    if values.shape != (len(ids), FEATURES) or values.dtype != np.float16 or ids.dtype != np.int64:
        raise BrokenDataset(f"the features in {cache} are damaged; delete the folder")
    return Features(ids, values, encoder=facts["encoder"], digest=facts["digest"])


def _keep(cache: Path, found: Features, facts: dict[str, Any]) -> None:
    about, ids_file, values_file = _names(cache, facts)
    about.unlink(missing_ok=True)  # the one that says that the others are whole
    for path, array in ((values_file, found.values), (ids_file, found.ids)):
        with replacing_file(path) as draft, draft.open("wb") as stream:
            np.save(stream, array, allow_pickle=False)
    with replacing_file(about) as draft:
        draft.write_text(json.dumps({**facts, "images": len(found.ids)}, indent=1) + "\n", encoding="utf-8")
