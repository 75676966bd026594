"""Pictures of rooms as other cameras, files and screens would give them: moved, resampled, darker, blurred, noisy.

An encoder that has seen drawn pictures only goes wrong at one pixel; the published pictures, and any that went through
a figure or a video, differ from drawn ones in such ways. Nothing is mirrored: what is on the left stays there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from deixis.worlds.rooms.training.settings import Augmentation


TAPS = 2  # pixels to each side that a blur takes in
PATCH = 8  # pixels along a side of the coarse noise


def augment(pictures: Tensor, how: Augmentation, *, rng: torch.Generator) -> Tensor:
    """Pictures, each changed in its own way: float of the same shape, with values from 0 to 1.

    Args:
        pictures: float [picture, 3, row, column] with values from 0 to 1.
        how: how far.
        rng: chance, of the device of the pictures; the same state gives the same pictures.
    """
    count = len(pictures)
    x = _resample(pictures, how, rng)
    x = _change_tones(x, how, rng)
    x = blur_pictures(x, how.blur * _even(rng, count))
    x = _noisy(x, how, rng).clamp(0, 1)
    is_plain = _even(rng, count, 1, 1, 1) < how.plain
    return torch.where(is_plain, pictures, x)


def move_pictures(pictures: Tensor, right: float, down: float) -> Tensor:
    """Move pictures by some pixels, and repeat the edge where nothing is left.

    Shapes:
        pictures: float [picture, 3, row, column].
    """
    rows, columns = (
        (torch.arange(size, device=pictures.device) + 0.5 - by)[None]
        for size, by in zip(pictures.shape[2:], (down, right), strict=True)
    )
    return _sample(pictures, rows.expand(len(pictures), -1), columns.expand(len(pictures), -1))


def blur_pictures(pictures: Tensor, spread: Tensor) -> Tensor:
    """Pictures blurred by a Gaussian of five pixels, each with its own spread in pixels: float [picture]."""
    steps = torch.arange(-TAPS, TAPS + 1, device=pictures.device)
    weights = torch.exp(-0.5 * (steps / spread.clamp(min=1e-3)[:, None]) ** 2)
    weights = (weights / weights.sum(1, keepdim=True))[:, :, None, None, None]
    height, width = pictures.shape[2:]
    padded = functional.pad(pictures, (TAPS,) * 4, mode="replicate")
    taps, none = range(2 * TAPS + 1), pictures.new_zeros(())
    tall = sum((weights[:, tap] * padded[:, :, tap : tap + height] for tap in taps), none)
    return sum((weights[:, tap] * tall[:, :, :, tap : tap + width] for tap in taps), none)


DISTURBANCES: dict[str, Callable[[Tensor], Tensor]] = {
    "as drawn": lambda x: x,
    "1 px right": lambda x: move_pictures(x, 1, 0),
    "1 px left": lambda x: move_pictures(x, -1, 0),
    "1 px down": lambda x: move_pictures(x, 0, 1),
    "1 px up": lambda x: move_pictures(x, 0, -1),
    "2 px right": lambda x: move_pictures(x, 2, 0),
    "2 px left": lambda x: move_pictures(x, -2, 0),
    "2 px down": lambda x: move_pictures(x, 0, 2),
    "2 px up": lambda x: move_pictures(x, 0, -2),
    "half a pixel right and down": lambda x: move_pictures(x, 0.5, 0.5),
    "brightness x 0.9": lambda x: x * 0.9,
    "brightness x 0.95": lambda x: x * 0.95,
    "brightness x 1.05": lambda x: (x * 1.05).clamp(max=1),
    "contrast x 0.9": lambda x: 0.5 + 0.9 * (x - 0.5),
    "blur, 0.7 px": lambda x: blur_pictures(x, x.new_full((len(x),), 0.7)),
    "noise, 0.03": lambda x: (x + 0.03 * _normal(_rng(x), *x.shape)).clamp(0, 1),
    "48 rows and columns and back": lambda x: _coarsen(x, 48),
}  # fixed ones by which an encoder or a speaker is judged


def _resample(x: Tensor, how: Augmentation, rng: torch.Generator) -> Tensor:
    """Pictures moved, stretched, and some of them brought down to fewer pixels and back."""
    count = len(x)
    is_coarse = _even(rng, count, 1) < how.resampled
    is_sharp = _even(rng, count, 1) < 0.5
    lines = []
    for size in x.shape[2:]:
        stretch = 1 + how.stretch * _either(rng, count, 1)
        centre = (torch.arange(size, device=x.device) + 0.5 - size / 2)[None]
        line = centre * stretch + size / 2 + how.shift * _either(rng, count, 1)
        least = min(how.coarsest, size)
        fewer = (least + (size - least) * _even(rng, count, 1)).round()
        coarse = ((line * fewer / size).floor() + 0.5) * size / fewer
        coarse = torch.where(is_sharp, coarse.floor() + 0.5, coarse)
        lines.append(torch.where(is_coarse, coarse, line))
    return _sample(x, *lines)


def _coarsen(x: Tensor, fewer: int) -> Tensor:
    """Pictures brought to fewer rows and columns and back, without any smoothing."""
    lines = []
    for size in x.shape[2:]:
        line = ((torch.arange(size, device=x.device) + 0.5) * fewer / size).floor() + 0.5
        lines.append(((line * size / fewer).floor() + 0.5)[None].expand(len(x), -1))
    return _sample(x, *lines)


def _sample(x: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Sample pictures at other places, with linear interpolation.

    Shapes:
        rows, columns: float [picture, line], where the middle of the first pixel is 0.5.
    """
    height, width = x.shape[2:]
    across = (2 * columns / width - 1)[:, None, :].expand(-1, rows.shape[1], -1)
    along = (2 * rows / height - 1)[:, :, None].expand(-1, -1, columns.shape[1])
    grid = torch.stack((across, along), dim=-1).to(x.dtype)
    return functional.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)


def _change_tones(x: Tensor, how: Augmentation, rng: torch.Generator) -> Tensor:
    count = len(x)
    mean = x.mean((1, 2, 3), keepdim=True)
    x = mean + (x - mean) * (1 + how.contrast * _either(rng, count, 1, 1, 1))
    return x * (1 + how.brightness * _either(rng, count, 1, 1, 1)) * (1 + how.tint * _either(rng, count, 3, 1, 1))


def _noisy(x: Tensor, how: Augmentation, rng: torch.Generator) -> Tensor:
    """Noise of each pixel, and noise of patches, as walls that are not even."""
    count, _, height, width = x.shape
    patches = _normal(rng, count, 1, -(-height // PATCH), -(-width // PATCH))
    coarse = functional.interpolate(patches, (height, width), mode="bilinear", align_corners=False)
    each = how.noise * _even(rng, count, 2, 1, 1)
    return x + each[:, :1] * _normal(rng, *x.shape) + each[:, 1:] * coarse


def _even(rng: torch.Generator, *shape: int) -> Tensor:
    """Numbers from 0 to 1."""
    return torch.rand(shape, generator=rng, device=rng.device)


def _either(rng: torch.Generator, *shape: int) -> Tensor:
    """Numbers from -1 to 1."""
    return 2 * _even(rng, *shape) - 1


def _normal(rng: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=rng, device=rng.device)


def _rng(like: Tensor) -> torch.Generator:
    return torch.Generator(like.device).manual_seed(0)
