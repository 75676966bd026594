"""Every expression against every region of the images shown with it, in all six settings at once.

What is shown in Full holds what is shown in every other setting, so each region is scored once, and a setting is a
matter of which images count. Regions are looked at once for as many expressions as fit into memory together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from deixis.worlds.photos._models.regions import join_rows


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from deixis.worlds.photos._models.regions import RegionTable, Words


SEEN_AT_ONCE = 2048  # regions that are looked at in one go
ASKED_AT_ONCE = 256  # expressions that are scored in one go
HELD = {"cuda": 1 << 17, "cpu": 1 << 13}  # regions that are held at once, as the model sees them


@dataclass(frozen=True)
class Questions:
    """Expressions, and the images that are shown with them.

    Shapes:
        said: the expressions. target: int64 [question], a row of the table, or -1 where nothing fits.
        images: int64 [question, image], the image of the target first; -1 where there are no more.
        shown: bool [question, setting, image], which are shown in which setting.
    """

    said: Words
    target: Tensor
    images: Tensor
    shown: Tensor

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: Tensor | slice) -> Questions:
        """Some of them."""
        from deixis.worlds.photos._models.regions import Words

        said = Words(self.said.words[rows], self.said.count[rows])
        return Questions(said, self.target[rows], self.images[rows], self.shown[rows])


class CandidateTable(NamedTuple):
    """All candidates of questions side by side.

    Shapes:
        rows: int64 [question, candidate], rows of the table, the first where there are no more. slot: int64 [question,
            candidate], the image of each among those of its question. there: bool [question, candidate].
    """

    rows: Tensor
    slot: Tensor
    there: Tensor


class Choices(NamedTuple):
    """The choices of a model.

    Shapes:
        choice: int64 [question, setting], a row of the table. fit: float [question, setting], how well that fits.
    """

    choice: Tensor
    fit: Tensor


def lay_out(table: RegionTable, images: Tensor) -> CandidateTable:
    """The candidates of questions whose images are int64 [question, image], -1 where there are no more."""
    start, stop = table.first[images.clamp(min=0)], table.first[images.clamp(min=0) + 1]
    count = torch.where(images >= 0, stop - start, 0)
    ends = count.cumsum(1)
    place = torch.arange(int(ends[:, -1].max()), device=images.device).expand(len(images), -1).contiguous()
    slot = torch.searchsorted(ends, place, right=True).clamp(max=images.shape[1] - 1)
    there = place < ends[:, -1:]
    rows = start.gather(1, slot) + place - (ends - count).gather(1, slot)
    return CandidateTable(torch.where(there, rows, start[:, :1]), torch.where(there, slot, 0), there)


@torch.no_grad()
def answer(
    model: Any,
    table: RegionTable,
    questions: Questions,
    *,
    within_category: bool = False,
    known: Callable[[Tensor], Choices | None] | None = None,
) -> Iterator[tuple[Tensor, Choices]]:
    """Yield the answers of a model, some questions at a time: their numbers, int64 [question], and the answers.

    Args:
        model: a `Grounder`, set to be judged.
        table: the regions.
        questions: what is asked.
        within_category: whether only regions of the target's category are to choose among, as if it was told; each
            question then has a target.
        known: returns the answers to questions that were asked before, None for others.
    """
    everything = torch.arange(len(questions), device=table.device)
    for some in _together(table, questions, everything):
        looked: tuple[Any, Tensor] | None = None
        for rows in some.split(ASKED_AT_ONCE):
            if known is not None and (before := known(rows)) is not None:
                yield rows, before
                continue
            seen, local = looked = looked or _look(model, table, questions.images[some])
            asked = questions.take(rows)
            laid = lay_out(table, asked.images)
            scores = score_laid(model, table, asked, laid, seen, local)
            if within_category:
                is_alike = table.category[laid.rows] == table.category[asked.target][:, None]
                laid = laid._replace(there=laid.there & is_alike)
            yield rows, choose(laid, scores, asked.shown)


def choose(laid: CandidateTable, scores: Tensor, shown: Tensor) -> Choices:
    """The best candidate in every setting.

    Shapes:
        scores: float [question, candidate]. shown: bool [question, setting, image].
    """
    picks, fits = [], []
    for setting in range(shown.shape[1]):
        counts = laid.there & shown[:, setting].gather(1, laid.slot)
        fit, place = scores.masked_fill(~counts, -torch.inf).max(1, keepdim=True)
        picks.append(laid.rows.gather(1, place))
        fits.append(fit)
    return Choices(torch.cat(picks, 1), torch.cat(fits, 1))


@torch.no_grad()
def retrieve(model: Any, table: RegionTable, questions: Questions) -> Tensor:
    """The image that fits best in every setting: bool [question, setting, image], with one image each.

    Args:
        model: one that ranks images.
        table: the regions.
        questions: what is asked, in words of the model.
    """
    shown = torch.zeros_like(questions.shown)
    for rows in torch.arange(len(questions), device=table.device).split(ASKED_AT_ONCE):
        asked = questions.take(rows)
        different, place = asked.images.clamp(min=0).unique(return_inverse=True)
        fits = model.rank(model.read(asked.said), model.see_images(table, different), place)
        fits = fits[:, None].masked_fill(~asked.shown, -torch.inf)
        shown[rows] = torch.zeros_like(asked.shown).scatter(2, fits.argmax(2, keepdim=True), value=True)
    return shown


def score_laid(
    model: Any, table: RegionTable, asked: Questions, laid: CandidateTable, seen: Any, local: Tensor
) -> Tensor:
    """Return the fit of all candidates: float [question, candidate], anything where there is none.

    Args:
        model: a `Grounder`.
        table: the regions.
        asked: the questions.
        laid: their candidates.
        seen: what the model sees of some regions, with all the candidates among them.
        local: int64 [region of the table], where each is among these.
    """
    if not model.reads_images:
        return model.dense(model.read(asked.said), seen, local[laid.rows]).float()
    scores = torch.zeros(laid.rows.shape, device=laid.rows.device)
    for slot in range(asked.images.shape[1]):  # what is said is read anew for every image
        some = (asked.images[:, slot] >= 0).nonzero()[:, 0]
        if not len(some):
            continue
        image = asked.images[some, slot]
        rows, there = table.of_images(image)
        whole = None if table.whole is None else table.whole[image].float()
        fits = model.dense(model.read(asked.said.take(some), whole), seen, local[rows]).float()
        is_here = laid.there[some] & (laid.slot[some] == slot)
        scores[some] = scores[some].masked_scatter(is_here, fits[there])
    return scores


def _together(table: RegionTable, questions: Questions, rows: Tensor) -> Iterator[Tensor]:
    """Questions whose candidates can be held at once."""
    images = questions.images[rows].unique()
    images = images[images >= 0]
    regions = int((table.first[images + 1] - table.first[images]).sum())
    if regions <= HELD.get(table.device.type, 1 << 13) or len(rows) == 1:
        yield rows
        return
    for half in rows.split(-(-len(rows) // 2)):
        yield from _together(table, questions, half)


def _look(model: Any, table: RegionTable, images: Tensor) -> tuple[Any, Tensor]:
    """Encode the regions of images, and return where each region of the table is among them."""
    different = images.unique()
    rows, there = table.of_images(different[different >= 0])
    rows = rows[there]
    local = torch.zeros(len(table), dtype=torch.int64, device=table.device)
    local[rows] = torch.arange(len(rows), device=table.device)
    if hasattr(model, "see_table"):
        return model.see_table(table, rows), local
    return join_rows([model.see(table.take(some)) for some in rows.split(SEEN_AT_ONCE)]), local
