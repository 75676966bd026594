"""Regions, texts and small models that the tests of grounding look at; all follow from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.seeds import derive
from deixis.worlds.photos._models.erasing import ErasingGrounder, ErasingGrounderSettings
from deixis.worlds.photos._models.grounder import PhraseGrounder, PhraseGrounderSettings
from deixis.worlds.photos._models.modular import ModularGrounder, ModularGrounderSettings
from deixis.worlds.photos._models.modules import MODULES
from deixis.worlds.photos._models.regions import Lesson, RegionTable, Words


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn


WORDS, STEPS = 20, 7
LOW, HIGH, WIDTH, ATTRIBUTES = 4, 6, 8, 3
REGIONS = 4  # of each image
SMALL: dict[str, Callable[[], Any]] = {
    "grounder": lambda: PhraseGrounder(PhraseGrounderSettings(high=HIGH, width=WIDTH, joint=5), WORDS),
    "grounder without place": lambda: PhraseGrounder(
        PhraseGrounderSettings(high=HIGH, width=WIDTH, joint=5, sees_place=False), WORDS
    ),
    "grounder with what is early": lambda: PhraseGrounder(
        PhraseGrounderSettings(low=LOW, high=HIGH, width=WIDTH, joint=5, sees_early=True), WORDS
    ),
    "modular": lambda: ModularGrounder(
        ModularGrounderSettings(low=LOW, high=HIGH, width=WIDTH, attributes=ATTRIBUTES), WORDS
    ),
    "erasing": lambda: ErasingGrounder(
        ErasingGrounderSettings(low=LOW, high=HIGH, width=WIDTH, attributes=ATTRIBUTES, bottleneck=3), WORDS
    ),
}
PUBLISHED: dict[str, Callable[[], Any]] = {
    "grounder": lambda: PhraseGrounder(PhraseGrounderSettings(), WORDS),
    "modular": lambda: ModularGrounder(ModularGrounderSettings(), WORDS),
    "erasing": lambda: ErasingGrounder(ErasingGrounderSettings(), WORDS),
}


def started(make: Callable[[], Any], seed: int = 0) -> Any:
    """A model whose weights follow from a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(derive(seed, "weights") >> 1)
        return make()


def settled(make: Callable[[], Any], seed: int = 0) -> Any:
    """The same as if trained: norms have seen something, and nothing is dropped."""
    model = started(make, seed)
    rng = np.random.default_rng(seed)
    for name, value in model.named_buffers():
        if value.is_floating_point():
            value.copy_(_floats(rng, *value.shape).abs() + 0.5 if "var" in name else _floats(rng, *value.shape))
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "norm" in name or name.endswith("size"):
                value.add_(_floats(rng, *value.shape))
    return model.eval()


def texts(seed: int, count: int, *, shortest: int = 1) -> Words:
    """Texts of different lengths, of words that are known."""
    rng = np.random.default_rng(seed)
    lengths = torch.from_numpy(rng.integers(shortest, STEPS + 1, count))
    words = torch.from_numpy(rng.integers(2, WORDS, (count, STEPS)))
    return Words(words * (torch.arange(STEPS) < lengths[:, None]), lengths)


def table(seed: int, images: int, side: int = 3) -> RegionTable:
    """Images of four regions each, some with fewer than five others around."""
    rng = np.random.default_rng(seed)
    count, cells = images * REGIONS, side * side
    image = torch.arange(count) // REGIONS
    near = torch.full((count, 5), -1)
    for row in range(count):
        others = [other for other in range(row // REGIONS * REGIONS, (row // REGIONS + 1) * REGIONS) if other != row]
        near[row, : row % REGIONS] = torch.tensor(others[: row % REGIONS], dtype=torch.int64)
    high = _floats(rng, count, HIGH, cells)
    return RegionTable(
        low=_floats(rng, count, LOW, cells),
        high=high,
        pooled=high.mean(2),
        place=_floats(rng, count, 5).abs(),
        alike=_floats(rng, count, 5, 5),
        near=near,
        near_places=_floats(rng, count, 5, 5) * (near >= 0)[..., None],
        category=torch.from_numpy(rng.integers(0, 3, count)),
        image=image,
        first=torch.arange(images + 1) * REGIONS,
        whole=_floats(rng, images, LOW, cells),
    )


def lesson(seed: int, examples: int, *, mined: bool = False, side: int = 3) -> Lesson:
    """One text for each of the first regions, and what the others are."""
    regions, rng = table(seed, -(-examples // REGIONS), side), np.random.default_rng(seed)
    said, target = texts(seed, examples, shortest=2), torch.arange(examples)
    images = target // REGIONS
    neighbour = torch.minimum(images * REGIONS + (target + 1) % REGIONS, torch.tensor(examples - 1))
    rows, there = regions.of_images(images)
    lots = {module: torch.from_numpy(rng.permutation(examples)) for module in MODULES}
    return Lesson(
        table=regions,
        said=said,
        target=target,
        rows=rows,
        there=there,
        place=target % REGIONS,
        other_said=said.take(neighbour),
        other_region=neighbour,
        attributes=torch.from_numpy(rng.integers(0, 2, (examples, ATTRIBUTES))).float(),
        has_attributes=torch.arange(examples) % 3 != 1,
        weights=torch.linspace(1, 10, ATTRIBUTES),
        mined={module: (said.take(lot), lot) for module, lot in lots.items()} if mined else None,
    )


def read(model: Any, said: Words, regions: RegionTable, rows: Tensor) -> Any:
    """What was said, in view of the image of a region each where the model wants to see it."""
    assert regions.whole is not None
    return model.read(said, regions.whole[regions.image[rows]] if model.reads_images else None)


def gradients(model: nn.Module) -> dict[str, float]:
    """The largest number of each gradient, by name; nought where there is none."""
    return {
        name: 0.0 if weight.grad is None else float(weight.grad.abs().max())
        for name, weight in model.named_parameters()
    }


def _floats(rng: np.random.Generator, *shape: int) -> Tensor:
    return torch.from_numpy(rng.normal(size=shape)).float()
