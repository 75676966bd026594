"""Decoding of captions: greedy, sampled, by beam search, or with a listener in mind.

It may also think of its listener while it speaks (rational speech acts). `rerank` lets the speaker propose captions
and takes the one that the listener understands best. `reason` chooses each word by what a literal listener would make
of it: one who holds each image for as likely as a literal speaker, who sees it alone, would say these words of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import torch

from deixis.errors import RecipeError
from deixis.worlds.rooms.training._captions import LONGEST


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.rooms._models.speakers import RoomListener, RoomSpeaker


START, END, PAD = 0, 1, 3  # of every vocabulary of captions
Way: TypeAlias = Literal["greedy", "sampled", "top-k", "beam"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """The settings of decoding.

    Attributes:
        way: the likeliest word each time; words drawn by their probability; drawn from the likeliest few; or the
            likeliest caption that a search finds that keeps several.
        temperature: sampling temperature.
        k: number of words for top-k.
        width: beam width.
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


class SpokenCaptions(NamedTuple):
    """Captions as tokens, with their lengths.

    Shapes:
        words: int64 [context, LONGEST], the end included and filled up after it.
        length: int64 [context], up to the end, which is one of them.
    """

    words: Tensor
    length: Tensor


def shift_right(words: Tensor) -> Tensor:
    """The words before each word, the start before the first."""
    return torch.cat((torch.full_like(words[:, :1], START), words[:, :-1]), dim=1)


def length_of(words: Tensor) -> Tensor:
    """Return the number of steps up to and with the first end, or of all if there is none."""
    is_end = words == END
    return torch.where(is_end.any(1), is_end.int().argmax(1) + 1, words.shape[1])


def likelihood(scores: Tensor, words: Tensor, length: Tensor) -> Tensor:
    """The log-probability of captions: float [context].

    Shapes:
        scores: float [context, step, word]. words: int64 [context, step]. length: int64 [context].
    """
    each = scores.log_softmax(-1).gather(2, words[:, :, None])[:, :, 0]
    return (each * _count_words(words, length)).sum(1)


def _count_words(words: Tensor, length: Tensor) -> Tensor:
    return torch.arange(words.shape[1], device=words.device) < length[:, None]


@torch.no_grad()
def say(
    speaker: RoomSpeaker, seen: Tensor, decoding: Decoding | None = None, *, limit: int = LONGEST
) -> SpokenCaptions:
    """Decode captions of what a speaker sees, with torch's default generator.

    Shapes:
        seen: float [context, 2 * width], what `RoomSpeaker.look` gives.
    """
    decoding = decoding or Decoding()
    if decoding.way == "beam":
        return _search_beams(speaker, seen, decoding.width, limit)
    state = speaker.begin(seen)
    last = torch.full((len(seen),), START, dtype=torch.int64, device=seen.device)
    said = []
    for _ in range(limit):
        scores, state = speaker.step(seen, last, state)
        last = _choose(scores, decoding)
        said.append(last)
    words = torch.stack(said, dim=1)
    length = length_of(words)
    return SpokenCaptions(words.masked_fill(~_count_words(words, length), PAD), length)


def _choose(scores: Tensor, decoding: Decoding) -> Tensor:
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


def _search_beams(speaker: RoomSpeaker, seen: Tensor, width: int, limit: int) -> SpokenCaptions:
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
    return SpokenCaptions(found.masked_fill(~_count_words(found, length[rows, chosen]), PAD), length[rows, chosen])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pragmatic:
    """The settings of pragmatic decoding.

    Attributes:
        alpha: weight of the listener; 0 leaves the speaker as it is.
        cost: of every word, in nats.
        candidates: how many captions are proposed.
        fluency: the weight of what the speaker itself holds for likely.
    """

    alpha: float = 1.0
    cost: float = 0.0
    candidates: int = 20
    fluency: float = 1.0

    def __post_init__(self) -> None:
        fits = 0 <= self.alpha < 1e6 and 0 <= self.cost < 1e6 and 0 <= self.fluency < 1e6
        if not fits or not 1 <= self.candidates <= 1000:
            raise RecipeError("alpha, cost and fluency are numbers from 0, and there are from 1 to 1,000 candidates")


@torch.no_grad()
def rerank(
    speaker: RoomSpeaker,
    listener: RoomListener | None,
    images: Tensor,
    how: Pragmatic,
    decoding: Decoding | None = None,
) -> SpokenCaptions:
    """Propose several captions, and return the best by what the listener chooses, and by cost.

    Args:
        speaker: who proposes.
        listener: who is to understand; a literal one, made of the speaker itself, where there is none.
        images: float [context, image, feature], the target first.
        how: the weights.
        decoding: how captions are proposed; by chance unless it says otherwise.
    """
    count, many = len(images), how.candidates
    wide = images.repeat_interleave(many, 0)
    seen = speaker.look(images).repeat_interleave(many, 0)
    said = say(speaker, seen, decoding or Decoding(way="sampled"))
    own = likelihood(speaker.scores(seen, shift_right(said.words)), said.words, said.length)
    if listener is None:
        understood = literal_listener(speaker, wide, said)[:, 0]
    else:
        understood = listener(wide, said.words, said.length).log_softmax(-1)[:, 0]
    worth = how.fluency * own + how.alpha * understood - how.cost * (said.length - 1)
    best = worth.view(count, many).argmax(1) + torch.arange(count, device=images.device) * many
    return SpokenCaptions(said.words[best], said.length[best])


@torch.no_grad()
def literal_listener(speaker: RoomSpeaker, images: Tensor, said: SpokenCaptions) -> Tensor:
    """Compute the log-probabilities of images for a literal listener: float [context, image].

    All images are as likely before anything is said.
    """
    count, many = images.shape[:2]
    alone = speaker.look(images.flatten(0, 1)[:, None])
    words, length = (one.repeat_interleave(many, 0) for one in said)
    fits = likelihood(speaker.scores(alone, shift_right(words)), words, length)
    return fits.view(count, many).log_softmax(-1)


@torch.no_grad()
def reason(speaker: RoomSpeaker, images: Tensor, how: Pragmatic, *, limit: int = LONGEST) -> SpokenCaptions:
    """Captions in which each word is chosen with the listener in mind.

    Shapes:
        images: float [context, image, feature], the target first.
    """
    count, many = images.shape[:2]
    alone = speaker.look(images.flatten(0, 1)[:, None])
    state = speaker.begin(alone)
    last = torch.full((count,), START, dtype=torch.int64, device=images.device)
    belief = images.new_zeros(count, many)
    said = []
    for _ in range(limit):
        scores, state = speaker.step(alone, last.repeat_interleave(many), state)
        each = scores.log_softmax(-1).view(count, many, -1)
        posterior = (belief[:, :, None] + each).log_softmax(1)
        worth = how.fluency * each[:, 0] + how.alpha * posterior[:, 0]
        ends = torch.zeros_like(worth)
        ends[:, END] = how.cost
        last = (worth + ends).argmax(1)
        belief = posterior.gather(2, last[:, None, None].expand(-1, many, 1))[:, :, 0]
        said.append(last)
    words = torch.stack(said, dim=1)
    length = length_of(words)
    counted = torch.arange(limit, device=words.device) < length[:, None]
    return SpokenCaptions(words.masked_fill(~counted, PAD), length)
