"""Objectives of speakers and listeners.

A speaker says something of its own. Where the listener finds the target, what was said becomes likelier, otherwise less
likely: the gradient of log p(said), weighed by the reward (REINFORCE). Beside that it learns captions that people would
give, so that its words keep their meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn import functional

from deixis.worlds.rooms.training._saying import END, PAD, START, Decoding, length_of, say, shift_right


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.rooms._models.speakers import RoomListener, RoomSpeaker
    from deixis.worlds.rooms.training.settings import Game


DECAY = 0.99  # of the mean of earlier rewards


def caption_loss(scores: Tensor, words: Tensor) -> Tensor:
    """Return the mean cross-entropy of the right words, without the padding after the end.

    Shapes:
        scores: float [context, step, word]. words: int64 [context, step].
    """
    return functional.cross_entropy(scores.flatten(0, 1), words.flatten(), ignore_index=PAD)


def listener_loss(fits: Tensor) -> Tensor:
    """Return the mean cross-entropy of the first image, which is the target.

    fits: float [context, image].
    """
    return functional.cross_entropy(fits, torch.zeros(len(fits), dtype=torch.int64, device=fits.device))


def policy_loss(scores: Tensor, words: Tensor, length: Tensor, advantage: Tensor, objective: str) -> Tensor:
    """Compute the REINFORCE loss: captions become likelier in proportion to their advantage.

    Args:
        scores: float [context, step, word], of the speaker after the words it said.
        words: int64 [context, step].
        length: int64 [context].
        advantage: float [context].
        objective: `reinforce`; `inverted` and `severed` are faults of released code.
    """
    counted = torch.arange(words.shape[1], device=words.device) < length[:, None]
    each = scores.log_softmax(-1).gather(2, words[:, :, None])[:, :, 0]
    if objective == "inverted":
        each = torch.log1p(-each.exp().clamp(max=1 - 1e-6))
    if objective == "severed":
        each = each.detach()
    return -(advantage.detach() * (each * counted).sum(1)).mean()


class GameRound(NamedTuple):
    """One round for every context: the loss to learn from, and what to tell of it, each a number."""

    loss: Tensor
    told: dict[str, Tensor]


class Players(NamedTuple):
    """The models in a game.

    Attributes:
        speaker: says something of the first image of each context.
        listener: chooses an image.
        before: the speaker that the game began with, where the speaker is to keep close to it.
    """

    speaker: RoomSpeaker
    listener: RoomListener
    before: RoomSpeaker | None = None


def play(
    players: Players,
    images: Tensor,
    gold: Tensor,
    how: Game,
    *,
    mean: Tensor,
    speaks: Tensor,
    plain: Tensor | None = None,
) -> GameRound:
    """Let a speaker and a listener play a round.

    Args:
        players: who.
        images: float [context, image, feature].
        gold: int64 [context, step], captions that people would give; the speaker says no more words than they have.
        how: the rules.
        mean: the mean of earlier rewards, which is brought up to date; float [].
        speaks: 1 where the speaker learns, 0 while the listener learns alone; float [].
        plain: int64 [context, step], captions that leave things out, for the listener.
    """
    if how.objective == "gumbel":
        return _play_mixed(players, images, gold, how, speaks)
    speaker, listener, before = players
    seen, limit = speaker.look(images), gold.shape[1]
    said, length = say(speaker, seen, Decoding(way="sampled", temperature=how.temperature), limit=limit)
    fits = listener(images, said, length)
    reward, success = _rewards(fits.detach(), length, how)
    if how.baseline == "self-critical":
        best = say(speaker, seen, limit=limit)
        with torch.no_grad():
            against, _ = _rewards(listener(images, best.words, best.length), best.length, how)
    else:
        against = mean.expand_as(reward) if how.baseline == "mean" else torch.zeros_like(reward)
    advantage = reward - against
    if how.baseline == "mean":
        mean.mul_(DECAY).add_(reward.mean(), alpha=1 - DECAY)
    scores = speaker.scores(seen, shift_right(said))
    counted = torch.arange(limit, device=said.device) < length[:, None]
    drawn_from = scores / how.temperature
    own_words = drawn_from.log_softmax(-1)
    entropy = (-(own_words.exp() * own_words).sum(-1) * counted).sum(1).mean()
    entropy = entropy.detach() if how.objective == "severed" else entropy
    functional_loss = policy_loss(drawn_from, said, length, advantage, how.objective) - how.entropy * entropy
    own = speaker.scores(seen, shift_right(gold)) if how.structural == "forced" else scores
    structural = caption_loss(own, gold)
    loss = how.structure * structural + (1 - how.structure) * functional_loss
    if how.kl and before is not None:
        loss = loss + how.kl * _distance(scores, before, images, said, length)
    hears = listener_loss(fits)
    told = {"success": success, "length": length.float().mean() - 1, "entropy": entropy, "structural": structural}
    hears_said = hears if how.listener_said == 1 else how.listener_said * hears
    learns = (
        hears_said + how.listener_gold * _understands(listener, images, gold, plain)
        if how.listener_gold
        else hears_said
    )
    return GameRound(loss * speaks + learns, {**told, "listener": hears})


def _understands(listener: RoomListener, images: Tensor, gold: Tensor, plain: Tensor | None) -> Tensor:
    """The cost of not finding the target by captions that people would give, long ones and short ones."""
    said = gold if plain is None else torch.cat((gold, plain))
    shown = images.repeat(len(said) // len(images), 1, 1)
    return listener_loss(listener(shown, said, length_of(said)))


def _distance(scores: Tensor, before: RoomSpeaker, images: Tensor, said: Tensor, length: Tensor) -> Tensor:
    """Compute the KL divergence of a speaker from the one before the game: nats per caption, float []."""
    with torch.no_grad():
        earlier = before.scores(before.look(images), shift_right(said)).log_softmax(-1)
    each = scores.log_softmax(-1)
    counted = torch.arange(said.shape[1], device=said.device) < length[:, None]
    return ((each.exp() * (each - earlier)).sum(-1) * counted).sum(1).mean()


def _rewards(fits: Tensor, length: Tensor, how: Game) -> tuple[Tensor, Tensor]:
    """The reward of every context, float [context], and how often the listener is right, float []."""
    chance = fits.softmax(-1)
    if how.reward == "choice":
        noise = -torch.log(-torch.log(torch.rand_like(fits).clamp(1e-20, 1 - 1e-7)))
        reward = torch.where((fits + noise).argmax(-1) == 0, 1.0, -1.0)
    else:
        reward = 2 * chance[:, 0] - 1
    success = (fits.argmax(-1) == 0).float().mean()
    return reward - how.cost * (length - 1), success


def _play_mixed(players: Players, images: Tensor, gold: Tensor, how: Game, speaks: Tensor) -> GameRound:
    """A round in which words are mixtures on the way back, so that the listener's gradient reaches the speaker."""
    speaker, listener, before = players
    seen = speaker.look(images)
    state = speaker.begin(seen)
    last: Tensor = torch.full((len(seen),), START, dtype=torch.int64, device=seen.device)
    mixed, scored, alive = [], [], seen.new_ones(len(seen))
    expected = seen.new_zeros(len(seen))
    for _ in range(gold.shape[1]):
        scores, state = speaker.step(seen, last, state)
        last = functional.gumbel_softmax(scores, tau=how.temperature, hard=True)
        mixed.append(last)
        scored.append(scores)
        alive = alive * (1 - last[:, END])
        expected = expected + alive
    words = torch.stack(mixed, dim=1)
    length = length_of(words.argmax(-1))
    share = (1 - how.structure) * speaks  # of the listener's gradient reaches the speaker
    fits = listener(images, words.detach() + share * (words - words.detach()), length)
    structural = caption_loss(speaker.scores(seen, shift_right(gold)), gold)
    hears = listener_loss(fits)
    success = (fits.argmax(-1) == 0).float().mean()
    mine = how.structure * structural + (1 - how.structure) * how.cost * expected.mean()
    if how.kl and before is not None:
        mine = mine + how.kl * _distance(torch.stack(scored, dim=1), before, images, words.argmax(-1), length)
    loss = mine * speaks + how.listener_said * hears
    told = {"success": success, "length": length.float().mean() - 1, "structural": structural, "listener": hears}
    return GameRound(loss, told)
