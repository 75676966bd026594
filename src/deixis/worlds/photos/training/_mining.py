"""Mining of expressions that are easily mistaken for one another, for the steps to come (Cops-Ref, section 4.2).

For an expression about a category, another about the same category is drawn with the probability softmax(f / t), where
f is the cosine of two phrases: of what a module attends to (`module-specific`), or of the mean of all words
(`sentence-sim`). Drawn is the largest of f / t with Gumbel noise, which has this distribution, block by block of one
category; a matrix of all expressions with all others is never made. Where a category has no other expression, one is
taken from anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deixis.errors import RecipeError
from deixis.worlds.photos.resolution.graphs import compile_for, resolve_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

    from deixis.expression.description import Expression
    from deixis.worlds.photos._models.regions import Words
    from deixis.worlds.photos.scene.graph_table import GraphTable
    from deixis.worlds.photos.training.settings import Grounding


MODULES = ("subject", "location", "relationship")  # for each of these another expression is mined
READ_AT_ONCE = 8192  # expressions
CELLS = 1 << 24  # similarities that are held at once
TRIES = 8  # candidates that are asked whether they are true, where that is wanted


@dataclass(frozen=True)
class Pool:
    """Expressions that may be mined.

    Shapes:
        category, image: int64 [expression]. order: int64 [expression], the expressions by category; first: int64
            [category + 1], where each category begins among these. by_image, image_first: the same by image.
    """

    category: Tensor
    image: Tensor
    order: Tensor
    first: Tensor
    by_image: Tensor
    image_first: Tensor

    def __len__(self) -> int:
        return len(self.category)

    @classmethod
    def of(cls, category: Tensor, image: Tensor) -> Pool:
        """The pool of expressions about such categories in such images."""
        return cls(category, image, *_group(category), *_group(image))


def mine(
    how: Grounding,
    pool: Pool,
    rows: Tensor,
    vectors: Sequence[Tensor] | None = None,
    *,
    is_true: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> Tensor:
    """For each of some expressions another one for every module: int64 [row, module].

    Args:
        how: by which strategy, at which temperature, and what is excluded.
        pool: what may be drawn.
        rows: int64 [row], the expressions to draw for.
        vectors: for every module float [expression, width] of length 1, where the strategy asks for similarity.
        is_true: whether expressions are true of the targets of others, where such are excluded.
    """
    if len(pool) < 2:
        raise RecipeError("there is only one expression to learn from, so none can be mined for it")
    count = TRIES if is_true is not None else 1
    drawn = [_draw(how, pool, rows, vectors[k] if vectors else None, count) for k in range(len(MODULES))]
    return torch.stack([_first_false(rows, some, is_true) for some in drawn], dim=1)


def _draw(how: Grounding, pool: Pool, rows: Tensor, vectors: Tensor | None, count: int) -> Tensor:
    """Candidates for each row in the order of their draw: int64 [row, count]."""
    anywhere = draw_anywhere(pool, rows, count, exclude_same_image=how.exclude_same_image)
    if how.mining == "random":
        return anywhere
    alike = draw_alike(
        pool, rows, vectors, count=count, temperature=how.temperature, exclude_same_image=how.exclude_same_image
    )
    alike = torch.where(alike >= 0, alike, torch.where(alike[:, :1] >= 0, alike[:, :1], anywhere))
    if not how.anywhere:
        return alike
    return torch.where(torch.rand(len(rows), 1, device=rows.device) < how.anywhere, anywhere, alike)


def draw_alike(
    pool: Pool,
    rows: Tensor,
    vectors: Tensor | None,
    *,
    count: int = 1,
    temperature: float = 1.0,
    exclude_same_image: bool = True,
) -> Tensor:
    """Other expressions of the same category, without repetition, the likelier the more alike.

    Args:
        pool: what may be drawn.
        rows: int64 [row].
        vectors: float [expression, width], of length 1; None where all are equally likely.
        count: how many for each.
        temperature: what cosines are divided by.
        exclude_same_image: whether those about the same image are left out.

    Returns:
        int64 [row, count], -1 where there are no more.
    """
    out = rows.new_full((len(rows), count), -1)
    mine = pool.category[rows]
    by_category, first = _group(mine, len(pool.first) - 1)
    starts, begins = first.tolist(), pool.first.tolist()
    held = None if vectors is None else vectors[pool.order]  # those of a category side by side
    for kind, (start, stop) in enumerate(pairwise(starts)):
        begin, end = begins[kind], begins[kind + 1]
        if start == stop or end - begin < 2:
            continue
        others, most = pool.order[begin:end], min(count, end - begin)
        for places in by_category[start:stop].split(max(1, CELLS // (end - begin))):
            asked = rows[places]
            noise = _gumbel((len(asked), end - begin), rows.device)
            if held is not None and vectors is not None:
                noise += vectors[asked] @ held[begin:end].T / temperature
            is_out = others == asked[:, None]
            if exclude_same_image:
                is_out |= pool.image[others] == pool.image[asked][:, None]
            best, which = noise.masked_fill_(is_out, -torch.inf).topk(most)
            out[places, :most] = torch.where(best.isinf(), -1, others[which])
    return out


def draw_anywhere(pool: Pool, rows: Tensor, count: int = 1, *, exclude_same_image: bool = True) -> Tensor:
    """Other expressions, all equally likely: int64 [row, count].

    Where all are about one image, that image is not left out.
    """
    total = len(pool)
    start, stop = pool.image_first[pool.image[rows]], pool.image_first[pool.image[rows] + 1]
    place = torch.empty_like(pool.by_image)
    place[pool.by_image] = torch.arange(total, device=rows.device)
    if not exclude_same_image or int((stop - start).max()) == total:
        start, stop = place[rows], place[rows] + 1
    left = (total - (stop - start))[:, None]
    drawn = (torch.rand(len(rows), count, device=rows.device, dtype=torch.float64) * left).long()
    return pool.by_image[drawn + (drawn >= start[:, None]) * (stop - start)[:, None]]


def _first_false(rows: Tensor, drawn: Tensor, is_true: Callable[[np.ndarray, np.ndarray], np.ndarray] | None) -> Tensor:
    """The first candidate that is not true of the target, nor the other way round; the first where there is none."""
    if is_true is None:
        return drawn[:, 0]
    mine = rows.cpu().numpy().repeat(drawn.shape[1])
    theirs = drawn.cpu().numpy().ravel()
    wrong = (is_true(theirs, mine) | is_true(mine, theirs)).reshape(tuple(drawn.shape))
    choice = torch.from_numpy(np.argmin(wrong, axis=1)).to(drawn.device)
    return drawn.gather(1, choice[:, None])[:, 0]


def _gumbel(shape: tuple[int, int], device: torch.device) -> Tensor:
    return torch.empty(shape, device=device).exponential_().clamp_(min=1e-30).log_().neg_()


def _group(group: Tensor, groups: int | None = None) -> tuple[Tensor, Tensor]:
    """Rows by group, in order, and where each group begins among them."""
    if groups is None:
        groups = int(group.max()) + 1 if len(group) else 0
    sizes = torch.bincount(group, minlength=groups)
    return group.argsort(stable=True), functional.pad(sizes.cumsum(0), (1, 0))


# -------------------------------------------------------------------------------- phrases


@torch.no_grad()
def vectors_of(how: Grounding, model: nn.Module, said: Words) -> list[Tensor] | None:
    """Return unit vectors of every module, float [expression, width], or None if the strategy needs no similarity.

    The model reads as it does when it is judged; it is left as it was.
    """
    if how.mining == "sentence-sim":
        table = next(one for one in model.modules() if isinstance(one, nn.Embedding))
        total, width = len(said), table.weight.shape[1]
        whole = torch.empty(total, width, device=said.words.device)
        for rows, some in _read(said):
            is_word = (torch.arange(some.words.shape[1], device=some.words.device) < some.count[:, None])[..., None]
            whole[rows] = functional.normalize((table(some.words) * is_word).sum(1), dim=-1)
        return [whole] * len(MODULES)
    if how.mining != "module-specific":
        return None
    was_training = model.training
    model.eval()
    found: dict[str, Tensor] = {}
    phrases: Callable[[Words], dict[str, Tensor]] = getattr(model, "phrases")  # noqa: B009 (mypy: not of every module)
    for rows, some in _read(said):
        for name, value in phrases(some).items():
            if name not in found:
                found[name] = value.new_empty(len(said), value.shape[1])
            found[name][rows] = functional.normalize(value, dim=-1)
    model.train(was_training)
    return [found[name] for name in MODULES]


def _read(said: Words) -> Iterator[tuple[Tensor, Words]]:
    """Expressions of about the same length together, without the padding that they do not need."""
    from deixis.worlds.photos._models.regions import Words

    order = said.count.argsort(stable=True)
    for rows in order.split(READ_AT_ONCE):
        most = max(1, int(said.count[rows[-1]]))
        yield rows, Words(said.words[rows, :most], said.count[rows])


# -------------------------------------------------------------------------------- truth


class Truth:
    """The truth of expressions about the targets of others, by scene graphs.

    Args:
        expressions: what each means; None where nobody has read it, which is then true of nothing.
        scenes: the graphs of the images.
        image: int64 [expression], the number of its image.
        thing: int64 [expression], the number of its target within the image.
    """

    def __init__(
        self, expressions: Sequence[Expression | None], scenes: GraphTable, image: np.ndarray, thing: np.ndarray
    ) -> None:
        self.scenes, self.image, self.thing = scenes, image, thing
        self.programs: list[Any] = [None if one is None else compile_for(one, scenes.vocabulary) for one in expressions]
        self.is_read = np.array([one is not None for one in self.programs])

    def __call__(self, said: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Tell whether each expression is true of the target of another: bool [pair]."""
        found = np.zeros(len(said), np.bool_)
        asked = np.flatnonzero(self.is_read[said])
        if not len(asked):
            return found
        different, which = np.unique(said[asked], return_inverse=True)
        programs = [self.programs[row] for row in different.tolist()]
        masks = resolve_graph_pairs(programs, self.scenes, which, self.image[of[asked]])
        thing = self.thing[of[asked]]
        words = masks[np.arange(len(asked)), thing // 64]
        found[asked] = (words >> (thing % 64).astype(np.uint64)) & np.uint64(1)
        return found
