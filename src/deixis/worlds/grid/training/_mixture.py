"""A split of several datasets together, to learn from all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import Stream, derive
from deixis.worlds.grid.data._arrays import join_arrays, load_plan_arrays


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.data.store import Dataset
    from deixis.worlds.grid.data._arrays import PlanArrays


def load_mixture(
    datasets: Sequence[Dataset], split: str, words: tuple[str, ...], *, channels: int, seed: int
) -> PlanArrays:
    """Return the arrays of a split of all datasets, one after another, with equally many examples of each.

    The smallest is there as a whole; of each other, so many examples are drawn by the seed.

    Raises:
        RecipeError: when their grids are not of one size.
    """
    parts = [load_plan_arrays(one, split, words, channels=channels) for one in datasets]
    if len(parts) == 1:
        return parts[0]
    if len({part.cells for part in parts}) > 1:
        told = ", ".join(f"{one.path.name} of {part.cells}" for one, part in zip(datasets, parts, strict=True))
        raise RecipeError(f"a model learns from grids of one size; the cells in {split}: {told}")
    count = min(map(len, parts))
    return join_arrays([_draw(part, count, derive(seed, split, number)) for number, part in enumerate(parts)])


def _draw(part: PlanArrays, count: int, seed: int) -> PlanArrays:
    chosen = Stream(seed).permutation(range(len(part)))[:count]
    return part.taking(np.sort(np.array(chosen, np.int64)))
