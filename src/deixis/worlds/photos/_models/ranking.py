"""Losses of the modular models: a region must fit its own text better than those of others.

    rank = [margin - s(region, text) + s(other region, text)]+ + [margin - s(region, text) + s(region, other text)]+

and the same with pairs that were mined, once for each module (Chen et al. 2020, equations 2 and 5). Every text is read
and every region seen once; the pairs of an update are rows of these, and are matched all together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn import functional

from deixis.worlds.photos._models.modules import MODULES
from deixis.worlds.photos._models.regions import join_words


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson, Words


class Lots(NamedTuple):
    """The texts and regions of a lesson, in lots of one row for each example, and which lots are paired.

    The pairs are: both right, another region, another text; and then for each module that was mined another text,
    another region.

    Shapes:
        said: [lot x example]. regions: int64 [lot x example].
    """

    said: Words
    regions: Tensor
    pairs: tuple[tuple[int, int], ...]


def lots_of(lesson: Lesson) -> Lots:
    """Return the lots of a lesson: its texts, other texts and mined ones, with the regions of each."""
    mined = [lesson.mined[module] for module in MODULES] if lesson.mined else []
    said = join_words([lesson.said, lesson.other_said, *(text for text, _ in mined)])
    regions = torch.cat([lesson.target, lesson.other_region, *(rows for _, rows in mined)])
    pairs = [(0, 0), (0, 1), (1, 0)]
    for lot in range(2, 2 + len(mined)):
        pairs += [(lot, 0), (0, lot)]
    return Lots(said, regions, tuple(pairs))


@lru_cache(maxsize=16)
def pair_rows(pairs: tuple[tuple[int, int], ...], examples: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """The rows of texts and the rows of regions that are paired: int64 [pair of lots x example] each.

    They are the same in every update, and are kept: an update that is recorded cannot bring numbers to the device.
    """
    lots = torch.tensor(pairs, device=device)[:, :, None]  # [pair, text or region, 1]
    rows = lots * examples + torch.arange(examples, device=device)
    return rows[:, 0].flatten(), rows[:, 1].flatten()


def hinge(right: Tensor, wrong: Tensor, margin: float) -> Tensor:
    """Compute the hinge loss of right and wrong fits, averaged over examples."""
    return functional.relu(margin - right + wrong).mean()


def rank_loss(scores: Tensor, margin: float) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the ranking loss of scores in the order of `Lots`, float [pair, example], and its parts."""
    right, other_region, other_text = scores[:3]
    loss = hinge(right, other_region, margin) + hinge(right, other_text, margin)
    is_right = (right > other_region) & (right > other_text)
    return loss, {"rank": loss.detach(), "right": is_right.float().mean()}


def mined_loss(scores: Tensor, margin: float) -> Tensor:
    """The loss of the pairs that were mined, in the order of `Lots`: float [pair, example] -> float."""
    return hinge(scores[0], scores[3:], margin) * (len(scores) - 3)


def attribute_loss(logits: Tensor, lesson: Lesson) -> Tensor:
    """Return the loss of the attributes of targets that have any: float [example, attribute] -> float."""
    each = functional.binary_cross_entropy_with_logits(logits, lesson.attributes, lesson.weights, reduction="none")
    counted = lesson.has_attributes[:, None].to(each.dtype)
    return (each * counted).sum() / (counted.sum() * each.shape[1]).clamp(min=1)
