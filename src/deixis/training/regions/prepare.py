"""A dataset as a model takes it: its regions on a device, and what is said in the model's own words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.datasets.copsref.arrays import copsref_arrays
from deixis.datasets.copsref.programs import copsref_programs
from deixis.errors import RecipeError
from deixis.training.regions.bundles import TREE, vocabulary_of, words_in
from deixis.training.regions.encoders import find_region_encoder
from deixis.training.regions.features import region_features, region_table
from deixis.training.regions.material import heard, wanted_of
from deixis.training.regions.probes import Said


if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from deixis.datasets.copsref.arrays import CopsRefArrays
    from deixis.datasets.copsref.store import CopsRef
    from deixis.models.grounding.regions import RegionTable
    from deixis.training.loop import Progress
    from deixis.training.regions.settings import Grounding
    from deixis.training.rooms.bundles import Bundle


__all__ = ["Prepared", "Surroundings", "prepare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a model needs around it, and what changes nothing.

    Attributes:
        device: `auto`, `cpu`, `cuda` or `cuda:1`.
        cache: a folder for what regions look like.
    """

    device: str = "auto"
    cache: Path | None = None


@dataclass(frozen=True)
class Prepared:
    """A dataset as a model takes it.

    Attributes:
        arrays: of the dataset. table: its regions on a device.
        said: what the model hears of every expression. vocabulary: in which words.
        features, digest: the name of what looked at the regions, and a name for how.
    """

    arrays: CopsRefArrays
    table: RegionTable
    said: Said
    vocabulary: tuple[str, ...]
    features: str
    digest: str


def prepare(
    how: Grounding,
    dataset: CopsRef,
    device: torch.device,
    *,
    bundle: Bundle | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Prepared:
    """A dataset, prepared for a model.

    Args:
        how: the settings of its training.
        dataset: expressions and images.
        device: where the regions are to be.
        bundle: the model, where there is one already, with its words.
        cache: a folder for what regions look like.
        progress: told how far things are.

    Raises:
        RecipeError: when the model learnt with other features.
    """
    arrays = copsref_arrays(dataset, None if bundle is None else wanted_of(bundle))
    encoder = find_region_encoder(how.features, device, regions=arrays.regions, grid=how.grid, noise=how.noise)
    if bundle is not None and bundle.data.get("features_digest") != encoder.digest:
        raise RecipeError(f"the model learnt with other features ({bundle.data.get('features')}) than {encoder.name}")
    seen = region_features(arrays.regions, encoder, device, dataset=dataset, cache=cache, progress=progress)
    vocabulary = arrays.vocabulary
    if how.model == TREE:
        words, programs = copsref_programs(dataset, None if bundle is None else words_in(bundle.vocabulary))
        said, vocabulary = Said(programs.words, programs.count), vocabulary_of(words)
    else:
        said = heard(arrays.expressions, how.probe, seed=how.seed)
    return Prepared(arrays, region_table(arrays.regions, seen, device), said, vocabulary, encoder.name, encoder.digest)
