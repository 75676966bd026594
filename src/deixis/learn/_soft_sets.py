"""Sets of objects that are not sure of their members, and what the steps of an expression make of them.

A set holds for each object the logarithm of the probability that it belongs: float [set, object], 0 for certainly and
far below for hardly. Members are independent of each other, so that

    filtered by a step                  log p + log q
    not, of a part t of a set s         log p_s + log(1 - p_t / p_s)
    or, of two parts of a set s         log p_s + log(1 - (1 - p_t / p_s)(1 - p_u / p_s))
    related to some member              log(1 - prod_m (1 - p_m q_m))
    the nth from a side                 log p + log P(n - 1 members lie before) + log P(none lies level)

With sets and steps that are sure of everything these are what `deixis.resolution` defines, except that mentions may be
the same object, if they are not related to each other directly.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import torch


if TYPE_CHECKING:
    from torch import Tensor


NEVER = -1e4  # the logarithm of no probability at all; finite, so that nothing becomes NaN
LEFT, RIGHT, TOP, BOTTOM, MIDDLE = range(5)
LEAST = 1e-12  # the smallest doubt
LEVEL = 1e-5  # shares of an image; centres that are nearer than that are level


def unless(x: Tensor) -> Tensor:
    """The logarithm of 1 - exp(x) for x of at most 0, with a gradient everywhere: float [...] in and out."""
    x = x.clamp(max=-LEAST)
    is_near = x > -log(2)
    near = torch.log(-torch.expm1(torch.where(is_near, x, -1.0)))
    far = torch.log1p(-torch.exp(torch.where(is_near, -1.0, x)))
    return torch.where(is_near, near, far)


def without(whole: Tensor, part: Tensor) -> Tensor:
    """Remove a part from a set: float [..., object]."""
    return whole + unless(part - whole)


def either(whole: Tensor, part: Tensor, other: Tensor) -> Tensor:
    """Two parts of a set together: float [..., object]."""
    return whole + unless(unless(part - whole) + unless(other - whole))


def relate(holds: Tensor, to: Tensor) -> Tensor:
    """Return the objects that stand in a relation to some other object of a set: float [set, object].

    Shapes:
        holds: float [set, object, other], whether the relation holds, as a logarithm. to: float [set, other].
    """
    itself = torch.eye(to.shape[-1], dtype=torch.bool, device=to.device)
    partner = (holds + to[:, None, :]).masked_fill(itself, NEVER)
    return unless(unless(partner).sum(-1))


def same(values: Tensor) -> Tensor:
    """Return the pairs of objects with a value in common: float [..., object, value] -> float [..., object, other]."""
    shared = values[..., :, None, :] + values[..., None, :, :]
    return unless(unless(shared).sum(-1))


def nth(inside: Tensor, centre: Tensor, index: Tensor, side: Tensor) -> Tensor:
    """The nth member from a side, or the one with as many members on its left as on its right.

    Shapes:
        inside: float [set, object]. centre: float [set, object, 2], across and down. index: int64 [set], 1 for the
            outermost. side: int64 [set], `LEFT` to `MIDDLE`. Returns float [set, object].
    """
    is_upright = (side == TOP) | (side == BOTTOM)
    away = torch.where(is_upright[:, None], centre[..., 1], centre[..., 0])
    away = torch.where(((side == RIGHT) | (side == BOTTOM))[:, None], -away, away)
    gap = away[:, None, :] - away[:, :, None]  # [set, object, other]: how much further away the other is
    before, behind = gap < -LEVEL, gap > LEVEL
    itself = torch.eye(inside.shape[1], dtype=torch.bool, device=inside.device)
    is_level = ~(before | behind | itself)
    alone = unless(inside)[:, None, :].masked_fill(~is_level, 0.0).sum(-1)
    return inside + alone + torch.log(_chance(inside.exp(), before, behind, index, side == MIDDLE).clamp(min=LEAST))


def _chance(inside: Tensor, before: Tensor, behind: Tensor, index: Tensor, in_middle: Tensor) -> Tensor:
    """The probability that as many members lie before a object as there must: float [set, object]."""
    objects = inside.shape[1]
    has_middle = bool(in_middle.any())
    most = max(min(int(index.max()), objects + 1), objects // 2 + 1 if has_middle else 1)
    counts = _counts(inside, before, most)
    wanted = (index - 1).clamp(max=most - 1)[:, None, None].expand(-1, objects, 1)
    chance = counts.gather(2, wanted)[..., 0]
    if not has_middle:
        return chance
    return torch.where(in_middle[:, None], (counts * _counts(inside, behind, most)).sum(-1), chance)


def _counts(inside: Tensor, counted: Tensor, most: int) -> Tensor:
    """Return the probability that 0, 1, ... `most` - 1 of the members that are counted for a object belong.

    Shapes:
        inside: float [set, object], probabilities. counted: bool [set, object, other].
        Returns float [set, object, number].
    """
    chance = torch.zeros(*inside.shape, most, dtype=inside.dtype, device=inside.device)
    chance[..., 0] = 1
    for other in range(inside.shape[1]):
        joins = (inside[:, other, None] * counted[..., other])[..., None]
        one_more = torch.cat((torch.zeros_like(chance[..., :1]), chance[..., :-1]), dim=-1)
        chance = chance * (1 - joins) + one_more * joins
    return chance
