"""The share of pairs of targets that a model tells apart: the one that is meant, and that of another expression.

Among all distractors a model must tell a target from the few things of its category, and also from the many of other
categories. The two kinds of pairs say which of the two it learnt; on what it has not seen, whether it did or remembers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import torch

from deixis.errors import RecipeError
from deixis.learn._updates import reseed
from deixis.learn.devices import find_device
from deixis.seeds import derive
from deixis.worlds.photos.training._evaluate import load_asks
from deixis.worlds.photos.training._lessons import material_of, some_of, to_learn
from deixis.worlds.photos.training._mining import Pool, draw_alike, draw_anywhere
from deixis.worlds.photos.training._prepare import Surroundings


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from torch import Tensor

    from deixis.worlds.photos._models.regions import RegionTable
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._lessons import Material


Kind: TypeAlias = Literal["same category", "anywhere"]
KINDS: tuple[Kind, ...] = ("same category", "anywhere")
FITS = ("mattnet", "cm-att-erase")
AT_ONCE = 256  # expressions


class PairShares(NamedTuple):
    """Shares of pairs in which the text fits its own region better, and the region its own text, and their number."""

    regions: float
    texts: float
    pairs: int


def tell_apart(
    checkpoint: Path,
    dataset: CopsRef,
    *,
    splits: Sequence[str] = ("train", "test"),
    most: int = 4000,
    around: Surroundings | None = None,
    seed: int = 0,
) -> dict[tuple[str, Kind], PairShares]:
    """Measure how often a model tells the target of an expression from that of another, of another image.

    Args:
        checkpoint: of a model that fits one text to one region: mattnet or cm-att-erase.
        dataset: the expressions.
        splits: of these.
        most: expressions of each.
        around: where all is computed.
        seed: of the pairs that are drawn.

    Raises:
        RecipeError: when the model does not fit pairs, or there is nothing to ask.
    """
    around = around or Surroundings()
    device = find_device(around.device)
    asks = load_asks(checkpoint, dataset, device, around)
    if asks.how.model not in FITS:
        raise RecipeError(f"{asks.how.model} fits no texts to single regions; only {', '.join(FITS)} do")
    ready, model = asks.ready, asks.model.eval()
    found: dict[tuple[str, Kind], PairShares] = {}
    for split in splits:
        rows = some_of(to_learn(dataset, ready.arrays, split), most, seed=derive(seed, "rows") >> 1)
        material = material_of(ready.arrays, ready.said, rows, device)
        pool = Pool.of(ready.table.category[material.target], material.image)
        reseed(derive(seed, split), 0, device)
        every = torch.arange(len(rows), device=device)
        for kind in KINDS:
            other = (draw_alike(pool, every, None) if kind == "same category" else draw_anywhere(pool, every))[:, 0]
            mine, other = every[other >= 0], other[other >= 0]
            regions = texts = 0
            for own, its in zip(mine.split(AT_ONCE), other.split(AT_ONCE), strict=True):
                right, wrong_region, wrong_text = _fits(model, ready.table, material, own, its)
                regions += int((right > wrong_region).sum())
                texts += int((right > wrong_text).sum())
            count = len(mine)
            found[split, kind] = PairShares(regions / count if count else 0.0, texts / count if count else 0.0, count)
    return found


@torch.no_grad()
def _fits(model: Any, table: RegionTable, material: Material, own: Tensor, other: Tensor) -> list[Tensor]:
    """Return the fit of texts to their own regions and to others', and of others' texts to theirs."""
    found = []
    for text, region in ((own, own), (own, other), (other, own)):
        whole = None if table.whole is None else table.whole[material.image[region]].float()
        query = model.read(material.said.take(text), whole)
        found.append(model.fit(query, model.see(table.take(material.target[region]))))
    return found
