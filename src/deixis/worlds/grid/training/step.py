"""One update: the loss of a batch, its gradient, and a step of Adam; on a GPU replayed as a graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import distributed, nn
from torch.nn import functional

from deixis.learn.updates import Recorder, put_rows, reseed, room_for, take_gradients


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    from torch import Tensor

    from deixis.worlds.grid.models.policy import Batch, Policy
    from deixis.worlds.grid.training.data import DeviceData


__all__ = ["Losses", "Stepper", "losses_of", "mentions_cost"]


class Losses(NamedTuple):
    """What a batch costs: saying the right plans, and pointing at the right cells, which a model need not do.

    Attributes:
        plans: the mean over actions and ends of plans.
        pointing: the mean over examples, where a model points: at the target, and at what is mentioned, if at both
            their sum.
    """

    plans: Tensor
    pointing: Tensor | None


def losses_of(model: Policy, batch: Batch, tokens: Tensor | None = None, examples: int = 0) -> Losses:
    """The mean cost of saying the right next action, over all actions and ends of plans, and of pointing at cells.

    Args:
        model: the model.
        batch: the examples.
        tokens: by how many actions and ends to divide, where the batch is a part of a larger one.
        examples: by how many examples, likewise.
    """
    shown, said = model.layout.teach(batch.actions[:, :-1], batch.action_count)
    memory = model.remember(batch.words, batch.word_count, batch.grid)
    scores = model.scores(memory, shown)
    cost = functional.cross_entropy(
        scores.flatten(0, 1), said.flatten(), ignore_index=model.layout.pad, reduction="sum"
    )
    plans = cost / ((batch.action_count + 1).sum() if tokens is None else tokens)
    costs = []
    if model.points:
        costs.append(functional.cross_entropy(model.pointed(memory), batch.target, reduction="sum"))
    if model.points_mentions:
        costs.append(mentions_cost(model.mentioned(memory), batch.mentions))
    return Losses(plans, sum(costs[1:], costs[0]) / (examples or len(batch.target)) if costs else None)


def mentions_cost(scores: Tensor, mentions: Tensor) -> Tensor:
    """The cost of pointing at what is mentioned: the mean over the mentions of an example, summed over examples.

    Shapes:
        scores: float [example, word, cell]. mentions: as in `Batch`.
    """
    word, cell = mentions.unbind(2)
    is_known = cell >= 0
    said = scores.gather(1, word.clamp(min=0)[:, :, None].expand(-1, -1, scores.shape[2]))
    cost = functional.cross_entropy(said.flatten(0, 1), cell.clamp(min=0).flatten(), reduction="none")
    share = is_known / is_known.sum(dim=1, keepdim=True).clamp(min=1)
    return (cost.view_as(share) * share).sum()


class Stepper:
    """Takes updates of one model on one device.

    On a GPU an update is recorded once for every number of steps that occurs, and replayed: nothing is launched from
    Python after that. The learning rate lives on the device, so that it may change from update to update.

    What a model may hold in lower precision, see `Policy.may_be_lower`, it holds so from now on. The weights that learn
    are then kept here, in float32, and the model has them rounded, anew after every update: rounding them where they
    are used would be a kernel for each of them, on the way back once more.

    Args:
        model, data, device: what learns, from what, and where.
        batch, of: how many examples of an update are learnt from here, and on all devices together, if on several.
        clip, weight_decay, pointing: as in `Training`.
        seed: of dropout.
        graphs: whether updates are recorded, on a GPU.
    """

    def __init__(  # noqa: PLR0913 (what is learnt, from what, and how)
        self,
        model: Policy,
        data: DeviceData,
        device: torch.device,
        *,
        batch: int,
        of: int = 0,
        clip: float = 0.0,
        weight_decay: float = 0.0,
        pointing: float = 0.0,
        seed: int,
        graphs: bool,
    ) -> None:
        self.model, self.data, self.device, self.clip, self.seed = model, data, device, clip, seed
        self.pointing, self.examples = pointing, of or batch
        self.named = {name: one for name, one in model.named_parameters() if one.requires_grad}
        self.learnt = self._lowered()
        self.low = [name for name, one in self.named.items() if self.learnt[name] is not one]
        on_gpu = device.type == "cuda"
        self.rate = torch.zeros((), device=device)
        self.optimiser = torch.optim.AdamW(
            _groups(self.learnt.values(), weight_decay), lr=self.rate, fused=on_gpu, capturable=on_gpu
        )
        self.gradients = room_for(self.optimiser, self.learnt.values())
        self.loss = torch.zeros((), device=device)
        self.rows = torch.zeros(batch, dtype=torch.int64, device=device)
        self.tokens = torch.ones((), device=device)
        self.recorder = Recorder() if graphs and on_gpu and not _is_spread() else None

    def __call__(self, update: int, rows: np.ndarray, steps: int, rate: float, tokens: int) -> None:
        """Take an update; afterwards `loss` is its loss.

        Args:
            update: its number.
            rows: the examples.
            steps: how many steps to compute for each plan.
            rate: the learning rate.
            tokens: how many actions and ends there are in all examples of the update, on all devices.
        """
        put_rows(self.rows, rows)
        self.rate.fill_(rate)
        self.tokens.fill_(tokens)
        replay = None
        if self.recorder is not None:
            replay = self.recorder.replay_of(steps, partial(self._forward_and_back, steps), self._move)
        reseed(self.seed, update, self.device)
        if replay is not None:
            replay()
        else:
            self._forward_and_back(steps)
            self._move()

    def weights(self) -> dict[str, Tensor]:
        """All weights by name, those that learn in float32."""
        return {**self.model.state_dict(), **{name: self.learnt[name].detach() for name in self.low}}

    @torch.no_grad()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Go on with other weights."""
        self.model.load_state_dict(dict(weights))
        for name in self.low:
            self.learnt[name].copy_(weights[name])

    def states(self) -> Iterator[tuple[str, dict[str, Tensor]]]:
        """What Adam remembers of every weight that learns."""
        for name, parameter in self.learnt.items():
            yield name, self.optimiser.state[parameter]

    def _lowered(self) -> dict[str, nn.Parameter]:
        """The weights that learn, by name; the model itself has some of them in lower precision from now on."""
        learnt, dtype = dict(self.named), self.model.computes_in
        if dtype != torch.float32:
            lower = {id(one) for one in self.model.may_be_lower()}
            for name, one in self.named.items():
                if id(one) in lower:
                    learnt[name] = nn.Parameter(one.detach().clone())
                    one.data = one.detach().to(dtype)
        return learnt

    def _forward_and_back(self, steps: int) -> None:
        found = losses_of(self.model, self.data.batch(self.rows, steps), self.tokens, self.examples)
        loss = found.plans
        if self.pointing and found.pointing is not None:
            loss = loss + self.pointing * found.pointing
        take_gradients(loss, self.named.values(), self.gradients)
        self.loss.copy_(found.plans.detach())

    def _move(self) -> None:
        if _is_spread():
            _add_up([*self.gradients, self.loss])
        if self.clip:
            torch.nn.utils.clip_grad_norm_(self.learnt.values(), self.clip)
        self.optimiser.step()
        if self.low:
            with torch.no_grad():
                torch._foreach_copy_([self.named[name] for name in self.low], [self.learnt[name] for name in self.low])


def _groups(parameters: Iterable[nn.Parameter], weight_decay: float) -> list[dict[str, Any]]:
    """Parameters for AdamW: what has two axes or more shrinks, biases and the scales of norms do not."""
    groups: dict[float, list[nn.Parameter]] = {}  # one alone where nothing shrinks, so one kernel
    for parameter in parameters:
        groups.setdefault(weight_decay if parameter.ndim > 1 else 0.0, []).append(parameter)
    return [{"params": some, "weight_decay": decay} for decay, some in groups.items()]


def _is_spread() -> bool:
    return distributed.is_available() and distributed.is_initialized()


def _add_up(tensors: list[Tensor]) -> None:
    """Sum tensors over all processes."""
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    distributed.all_reduce(flat)
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view_as(tensor))
