"""Losses of models that say plans: of the actions, and of pointing at cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.grid.models.policy import Batch, Policy
    from deixis.worlds.grid.training._data import DeviceData


class Losses(NamedTuple):
    """The losses of a batch.

    Attributes:
        plans: cross-entropy of the next action, averaged over actions and ends of plans.
        pointing: cross-entropy of the cells of the target and of what is mentioned, summed where a model points at
            both, averaged over examples; None where it does not point.
    """

    plans: Tensor
    pointing: Tensor | None


def losses_of(model: Policy, batch: Batch, tokens: Tensor | None = None, examples: int = 0) -> Losses:
    """Compute the losses of a batch.

    Args:
        model: the model.
        batch: the examples.
        tokens: by how many actions and ends to divide, where the batch is a part of a larger one.
        examples: by how many examples, likewise.
    """
    shown, said = model.layout.teach(batch.actions[:, :-1], batch.action_count)
    memory = model.show_target(model.encode(batch.words, batch.word_count, batch.grid, batch.told), batch.target)
    scores = model.scores(memory, shown)
    cost = functional.cross_entropy(
        scores.flatten(0, 1), said.flatten(), ignore_index=model.layout.pad, reduction="sum"
    )
    plans = cost / ((batch.action_count + 1).sum() if tokens is None else tokens)
    costs = []
    if model.points:
        costs.append(model.pointing_cost(memory, batch.target))
    if model.points_mentions:
        costs.append(mentions_cost(model.mention_scores(memory), batch.mentions))
    return Losses(plans, sum(costs[1:], costs[0]) / (examples or len(batch.target)) if costs else None)


def mentions_cost(scores: Tensor, mentions: Tensor) -> Tensor:
    """Compute the loss of pointing at what is mentioned: averaged over the mentions of an example, then summed.

    Shapes:
        scores: float [example, word, cell]. mentions: as in `Batch`.
    """
    word, cell = mentions.unbind(2)
    is_known = cell >= 0
    said = scores.gather(1, word.clamp(min=0)[:, :, None].expand(-1, -1, scores.shape[2]))
    cost = functional.cross_entropy(said.flatten(0, 1), cell.clamp(min=0).flatten(), reduction="none")
    share = is_known / is_known.sum(dim=1, keepdim=True).clamp(min=1)
    return (cost.view_as(share) * share).sum()


def supervision_of(model: Policy, pointing: float) -> str:
    """Return what a model learns from, in words: what a table of results must say of it."""
    told = [("plans", True), ("targets", model.points), ("mentions", model.points_mentions)]
    parts = [name for name, is_learnt in told if is_learnt and (pointing or name == "plans")]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"{listed}, told the parse" if model.is_told else listed


class PlanLoss:
    """The loss of a batch of plans, as `Updates` wants it.

    `prepare` sets the next batch.

    Args:
        model: the model.
        data: the examples, on the device of the model.
        examples: how many examples a step has, on all devices together.
        pointing: the weight of the pointing loss.
    """

    def __init__(self, model: Policy, data: DeviceData, *, examples: int, pointing: float = 0.0) -> None:
        self.model, self.data, self.examples, self.pointing = model, data, examples, pointing
        self.width = 1
        self.tokens = torch.ones((), device=data.words.device)

    def prepare(self, width: int, tokens: int) -> None:
        """Set how many steps of each plan are computed, and how many actions and ends a batch has on all devices."""
        self.width = width
        self.tokens.fill_(tokens)

    def __call__(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute the loss of some examples; the loss of their plans alone is reported."""
        found = losses_of(self.model, self.data.batch(rows, self.width), self.tokens, self.examples)
        loss = found.plans
        if self.pointing and found.pointing is not None:
            loss = loss + self.pointing * found.pointing
        return loss, {"loss": found.plans}
