"""Speakers that think of their listener while they speak, on top of any speaker (rational speech acts).

`reranked` lets the speaker propose captions and takes the one that the listener understands best. `reasoned` chooses
each word by what a literal listener would make of it: one who holds each image for as likely as a literal speaker, who
sees it alone, would say these words of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from deixis.errors import RecipeError
from deixis.training.rooms.captions import LONGEST
from deixis.training.rooms.saying import END, PAD, START, Decoding, Said, length_of, likelihood, say, shifted


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.models.room_listener import RoomListener
    from deixis.models.room_speaker import RoomSpeaker


__all__ = ["Pragmatic", "literal_listener", "reasoned", "reranked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pragmatic:
    """How much a speaker thinks of its listener.

    Attributes:
        alpha: the weight of being understood; 0 leaves the speaker as it is.
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
def reranked(
    speaker: RoomSpeaker,
    listener: RoomListener | None,
    images: Tensor,
    how: Pragmatic,
    decoding: Decoding | None = None,
) -> Said:
    """Of several captions that a speaker proposes, the best by what the listener makes of it, and by cost.

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
    own = likelihood(speaker.scores(seen, shifted(said.words)), said.words, said.length)
    if listener is None:
        understood = literal_listener(speaker, wide, said)[:, 0]
    else:
        understood = listener(wide, said.words, said.length).log_softmax(-1)[:, 0]
    worth = how.fluency * own + how.alpha * understood - how.cost * (said.length - 1)
    best = worth.view(count, many).argmax(1) + torch.arange(count, device=images.device) * many
    return Said(said.words[best], said.length[best])


@torch.no_grad()
def literal_listener(speaker: RoomSpeaker, images: Tensor, said: Said) -> Tensor:
    """How likely a literal listener holds each image: log-probabilities, float [context, image].

    All images are as likely before anything is said.
    """
    count, many = images.shape[:2]
    alone = speaker.look(images.flatten(0, 1)[:, None])
    words, length = (one.repeat_interleave(many, 0) for one in said)
    fits = likelihood(speaker.scores(alone, shifted(words)), words, length)
    return fits.view(count, many).log_softmax(-1)


@torch.no_grad()
def reasoned(speaker: RoomSpeaker, images: Tensor, how: Pragmatic, *, limit: int = LONGEST) -> Said:
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
    return Said(words.masked_fill(~counted, PAD), length)
