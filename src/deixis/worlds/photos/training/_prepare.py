"""A dataset as a model takes it: its regions on a device, and what is said in the model's own words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import torch

from deixis.errors import RecipeError, nearest
from deixis.seeds import derive
from deixis.worlds.photos.data._arrays import TextSettings, copsref_arrays
from deixis.worlds.photos.data._programs import copsref_programs
from deixis.worlds.photos.training._bundles import EYES, TREE, vocabulary_of, words_in
from deixis.worlds.photos.training._encoders import Noise, find_region_encoder
from deixis.worlds.photos.training._features import region_features, region_table
from deixis.worlds.photos.training._lessons import texts_of, wanted_of
from deixis.worlds.photos.training._probes import Texts
from deixis.worlds.photos.training._region_network import demand_other_pictures
from deixis.worlds.photos.training._sight import sight_of
from deixis.worlds.photos.training._tiny import TINY, TinyEyes, TinySettings, tiny_encoder


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis.learn._checkpoints import Bundle
    from deixis.learn.run import Progress
    from deixis.worlds.photos._models.regions import RegionTable
    from deixis.worlds.photos.data._arrays import CopsRefArrays
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._sight import Sight
    from deixis.worlds.photos.training.settings import Grounding


class Shelf:
    """The arrays and the regions of one dataset, which several trainings in one process have in common.

    The regions are those of the encoder that was asked for last, so that only one table takes room.
    """

    def __init__(self) -> None:
        self._arrays: dict[TextSettings | None, CopsRefArrays] = {}
        self._table: tuple[tuple[str, str, str], RegionTable] | None = None

    def arrays(self, dataset: CopsRef, wanted: TextSettings | None) -> CopsRefArrays:
        """Return the arrays of the dataset, read once for all models of the same words."""
        if wanted not in self._arrays:
            made = copsref_arrays(dataset, wanted)
            self._arrays[wanted] = self._arrays[TextSettings(vocabulary=made.vocabulary, labels=made.labels)] = made
        return self._arrays[wanted]

    def table(self, key: tuple[str, str, str], make: Callable[[], RegionTable]) -> RegionTable:
        """Return the table of an encoder, regions and a device, made only where it is not that of the last call."""
        if self._table is None or self._table[0] != key:
            self._table = None  # room for the next
            self._table = (key, make())
        return self._table[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The device, the cache and the shelf, which do not change results.

    Attributes:
        device: `auto`, `cpu`, `cuda` or `cuda:1`.
        cache: a folder for what regions look like.
        shelf: what is kept in memory from one training to the next; of one dataset only.
    """

    device: str = "auto"
    cache: Path | None = None
    shelf: Shelf | None = None


@dataclass(frozen=True)
class Preparation:
    """A dataset as a model takes it.

    Attributes:
        arrays: of the dataset. table: its regions on a device.
        said: what the model hears of every expression. vocabulary: in which words.
        features, digest: the name of what looked at the regions, and a name for how.
        sight: a network that is to learn to see, with its pictures; the table then says only where regions are.
    """

    arrays: CopsRefArrays
    table: RegionTable
    said: Texts
    vocabulary: tuple[str, ...]
    features: str
    digest: str
    sight: Sight | None = None


def prepare(
    how: Grounding,
    dataset: CopsRef,
    device: torch.device,
    *,
    around: Surroundings,
    bundle: Bundle | None = None,
    progress: Progress | None = None,
    learns: bool = False,
) -> Preparation:
    """A dataset, prepared for a model.

    Args:
        how: the settings of its training.
        dataset: expressions and images.
        device: where the regions are to be.
        around: the cache and the shelf.
        bundle: the model, where there is one already, with its words.
        progress: told how far things are.
        learns: whether the model is to learn; a network that learns with it then looks at regions anew in every update.

    Raises:
        RecipeError: when the model learnt with other features, or the region encoder on these pictures.
    """
    shelf, cache = around.shelf or Shelf(), around.cache
    arrays = shelf.arrays(dataset, None if bundle is None else wanted_of(bundle))
    vocabulary = arrays.vocabulary
    if how.model == TREE:
        words, programs = copsref_programs(dataset, None if bundle is None else words_in(bundle.vocabulary))
        said, vocabulary = Texts(programs.words, programs.count), vocabulary_of(words)
    else:
        said = texts_of(arrays.expressions, how.probe, seed=how.seed)
    is_tiny = how.features == TINY
    if bundle is not None and (EYES in bundle.models) != is_tiny:
        raise RecipeError(f"the model learnt with other features ({bundle.data.get('features')}) than {how.features}")
    if is_tiny and learns:
        eyes = _fresh_eyes(how, device) if bundle is None else _eyes_of(bundle, device).train()
        sight = sight_of(eyes, arrays.regions, dataset, device, cache=cache, progress=progress)
        return Preparation(arrays, sight.table, said, vocabulary, TINY, TINY, sight)
    if is_tiny:
        if bundle is None:
            raise RecipeError("tiny sees nothing before it has learnt to; train a model with it first")
        encoder = tiny_encoder(_eyes_of(bundle, device))
    else:
        noise = Noise(how.noise, how.category_noise)
        encoder = find_region_encoder(how.features, device, regions=arrays.regions, grid=how.grid, noise=noise)
        demand_other_pictures(encoder, dataset)
        if bundle is not None and bundle.data.get("features_digest") != encoder.digest:
            before = bundle.data.get("features")
            raise RecipeError(f"the model learnt with other features ({before}) than {encoder.name}")

    def look() -> RegionTable:
        seen = region_features(arrays.regions, encoder, device, dataset=dataset, cache=cache, progress=progress)
        return region_table(arrays.regions, seen, device)

    table = shelf.table((encoder.digest, arrays.regions.digest, str(device)), look)
    return Preparation(arrays, table, said, vocabulary, encoder.name, encoder.digest)


def _fresh_eyes(how: Grounding, device: torch.device) -> TinyEyes:
    known = [one.name for one in fields(TinySettings) if one.name != "grid"]
    for name in how.eyes:
        if name not in known:
            raise RecipeError(f"there is no size {name!r} of tiny{nearest(str(name), known)}")
    torch.default_generator.manual_seed(derive(how.seed, "eyes") >> 1)
    return TinyEyes(TinySettings(**how.eyes, grid=how.grid)).to(device)


def _eyes_of(bundle: Bundle, device: torch.device) -> TinyEyes:
    eyes = bundle.model(EYES, device)
    assert isinstance(eyes, TinyEyes)
    return eyes
