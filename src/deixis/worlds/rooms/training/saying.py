"""How a speaker says what it sees: the likeliest word each time, words by chance, or the likeliest of captions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import torch

from deixis.errors import RecipeError
from deixis.training.rooms.captions import LONGEST


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.models.room_speaker import RoomSpeaker


__all__ = ["END", "PAD", "START", "Decoding", "Said", "Way", "length_of", "likelihood", "say", "shifted"]

START, END, PAD = 0, 1, 3  # of every vocabulary of captions
Way: TypeAlias = Literal["greedy", "sampled", "top-k", "beam"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How captions are said.

    Attributes:
        way: the likeliest word each time; words drawn by their probability; drawn from the likeliest few; or the
            likeliest caption that a search finds that keeps several.
        temperature: above 1 makes chance wilder, below 1 tamer.
        k: how many words are the likeliest few.
        width: how many captions the search keeps.
    """

    way: Way = "greedy"
    temperature: float = 1.0
    k: int = 20
    width: int = 5

    def __post_init__(self) -> None:
        if self.way not in get_args(Way):
            raise RecipeError(f"unknown way of decoding {self.way!r}; known: {', '.join(get_args(Way))}")
        if not (0 < self.temperature < 1e6 and self.k >= 1 and 1 <= self.width <= 1000):
            raise RecipeError("a temperature is above 0, k at least 1, and a width from 1 to 1,000")


class Said(NamedTuple):
    """What was said.

    Shapes:
        words: int64 [context, LONGEST], the end included and filled up after it.
        length: int64 [context], up to the end, which is one of them.
    """

    words: Tensor
    length: Tensor


def shifted(words: Tensor) -> Tensor:
    """The words before each word, the start before the first."""
    return torch.cat((torch.full_like(words[:, :1], START), words[:, :-1]), dim=1)


def length_of(words: Tensor) -> Tensor:
    """Steps up to the first end, which is one of them; all of them where there is none."""
    is_end = words == END
    return torch.where(is_end.any(1), is_end.int().argmax(1) + 1, words.shape[1])


def likelihood(scores: Tensor, words: Tensor, length: Tensor) -> Tensor:
    """The log-probability of captions: float [context].

    Shapes:
        scores: float [context, step, word]. words: int64 [context, step]. length: int64 [context].
    """
    each = scores.log_softmax(-1).gather(2, words[:, :, None])[:, :, 0]
    return (each * _counted(words, length)).sum(1)


def _counted(words: Tensor, length: Tensor) -> Tensor:
    return torch.arange(words.shape[1], device=words.device) < length[:, None]


@torch.no_grad()
def say(speaker: RoomSpeaker, seen: Tensor, decoding: Decoding | None = None, *, limit: int = LONGEST) -> Said:
    """Captions of what a speaker sees; chance is that of torch's default generator.

    Shapes:
        seen: float [context, 2 * width], what `RoomSpeaker.look` gives.
    """
    decoding = decoding or Decoding()
    if decoding.way == "beam":
        return _searched(speaker, seen, decoding.width, limit)
    state = speaker.begin(seen)
    last = torch.full((len(seen),), START, dtype=torch.int64, device=seen.device)
    said = []
    for _ in range(limit):
        scores, state = speaker.step(seen, last, state)
        last = _chosen(scores, decoding)
        said.append(last)
    words = torch.stack(said, dim=1)
    length = length_of(words)
    return Said(words.masked_fill(~_counted(words, length), PAD), length)


def _chosen(scores: Tensor, decoding: Decoding) -> Tensor:
    if decoding.way == "greedy":
        return scores.argmax(1)
    scores = scores / decoding.temperature
    if decoding.way == "top-k":
        least = scores.topk(min(decoding.k, scores.shape[1])).values[:, -1:]
        scores = scores.masked_fill(scores < least, float("-inf"))
    return (scores + _gumbel(scores)).argmax(1)


def _gumbel(like: Tensor) -> Tensor:
    """Noise that turns the largest score into a draw by probability."""
    return -torch.log(-torch.log(torch.rand_like(like).clamp(1e-20, 1 - 1e-7)))


def _searched(speaker: RoomSpeaker, seen: Tensor, width: int, limit: int) -> Said:
    """The likeliest captions that a beam of some width finds, by log-probability per word."""
    count, device = len(seen), seen.device
    wide = seen.repeat_interleave(width, 0)
    state = speaker.begin(wide)
    last = torch.full((count * width,), START, dtype=torch.int64, device=device)
    total = torch.full((count, width), float("-inf"), device=device)
    total[:, 0] = 0
    ended = torch.zeros(count, width, dtype=torch.bool, device=device)
    words = torch.full((count, width, 0), PAD, dtype=torch.int64, device=device)
    for _ in range(limit):
        scores, state = speaker.step(wide, last, state)
        each = scores.log_softmax(-1).view(count, width, -1)
        stay = torch.full_like(each, float("-inf"))
        stay[:, :, PAD] = 0
        reached = (total[:, :, None] + torch.where(ended[:, :, None], stay, each)).flatten(1)
        total, best = reached.topk(width, 1)
        parent, word = best // each.shape[2], best % each.shape[2]
        words = torch.cat((words.gather(1, parent[:, :, None].expand(-1, -1, words.shape[2])), word[:, :, None]), 2)
        ended = ended.gather(1, parent) | (word == END)
        rows = (parent + torch.arange(count, device=device)[:, None] * width).flatten()
        state = (state[0][:, rows], state[1][:, rows])
        last = word.flatten()
    length = length_of(words.flatten(0, 1)).view(count, width)
    chosen = (total / length).argmax(1)
    rows = torch.arange(count, device=device)
    found = words[rows, chosen]
    return Said(found.masked_fill(~_counted(found, length[rows, chosen]), PAD), length[rows, chosen])
