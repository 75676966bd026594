"""Updates of several models at once; on a GPU one is recorded and then replayed, so that Python does not hold it up."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import torch
from torch import nn

from deixis.training.recording import Recorder
from deixis.training.step import put_rows, reseed, room_for, take_gradients


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np
    from torch import Tensor


__all__ = ["Updates"]


class Updates:
    """Takes updates; every model has its own limit for the norm of its gradient.

    Args:
        models: those that learn, by name.
        device: where they are.
        loss: what is to become small, given the rows of the update, int64 [batch]; told: whatever else is worth
            telling, by name. It must do the same each time: on a GPU it is called once only, for every `stage`.
        batch: how many rows.
        clip: the largest norm of a gradient; 0 for no limit.
        clamp: the largest number in a gradient; 0 for no limit.
        betas: of Adam.
        shares: by what the learning rate is multiplied for some of the models.
        seed: of chance.
        kept: tensors that `loss` changes beside the weights.

    Attributes:
        stage: of the training; whoever changes it says that `loss` does something else from now on.
        graphs: whether updates are recorded; may be switched off, where `loss` does not do the same each time.
    """

    def __init__(  # noqa: PLR0913 (what is learnt, from what, and how)
        self,
        models: Mapping[str, nn.Module],
        device: torch.device,
        loss: Callable[[Tensor], tuple[Tensor, dict[str, Tensor]]],
        *,
        batch: int,
        clip: float,
        seed: int,
        clamp: float = 0.0,
        betas: tuple[float, float] = (0.9, 0.999),
        kept: Iterable[Tensor] = (),
        shares: Mapping[str, float] | None = None,
    ) -> None:
        self.models, self.device, self.clip, self.clamp, self.seed = models, device, clip, clamp, seed
        self._loss, self._kept = loss, tuple(kept)
        self.learnt = {name: [one for one in model.parameters() if one.requires_grad] for name, model in models.items()}
        on_gpu = device.type == "cuda"
        self.shares = {name: (shares or {}).get(name, 1.0) for name in models}
        self.rates = {name: torch.zeros((), device=device) for name in models}
        groups = [{"params": some, "lr": self.rates[name]} for name, some in self.learnt.items()]
        self.optimiser = torch.optim.Adam(groups, betas=betas, fused=on_gpu, capturable=on_gpu)
        self.gradients = room_for(self.optimiser, self._every())
        self.rows = torch.zeros(batch, dtype=torch.int64, device=device)
        self.told: dict[str, Tensor] = {}
        self.graphs, self.stage = on_gpu, 0
        self._recorder = Recorder()

    def __call__(self, update: int, rows: np.ndarray, rate: float) -> None:
        """Take an update; afterwards `told` holds its loss and what else is told, numbers on the device."""
        put_rows(self.rows, rows)
        for name, share in self.shares.items():
            self.rates[name].fill_(rate * share)
        replay = None
        if self.graphs:
            replay = self._recorder.replay_of(self.stage, self._forward_and_back, self._move, self._kept)
        reseed(self.seed, update, self.device)
        if replay is not None:
            replay()
        else:
            self._forward_and_back()
            self._move()

    def memory(self) -> Iterator[tuple[str, dict[str, Tensor]]]:
        """What Adam remembers of every parameter that learns, by the names of model and parameter."""
        for name, model in self.models.items():
            for part, parameter in model.named_parameters():
                if parameter.requires_grad:
                    yield f"{name}.{part}", self.optimiser.state[parameter]

    def _every(self) -> Iterator[nn.Parameter]:
        """All parameters that learn, model after model."""
        return chain.from_iterable(self.learnt.values())

    def _forward_and_back(self) -> None:
        loss, told = self._loss(self.rows)
        take_gradients(loss, self._every(), self.gradients)
        for name, value in {"loss": loss, **told}.items():
            self.told.setdefault(name, torch.zeros((), device=self.device)).copy_(value.detach())

    def _move(self) -> None:
        if self.clamp:
            torch._foreach_clamp_min_(self.gradients, -self.clamp)
            torch._foreach_clamp_max_(self.gradients, self.clamp)
        if self.clip:
            for parameters in self.learnt.values():
                nn.utils.clip_grad_norm_(parameters, self.clip)
        self.optimiser.step()
