"""Updates of several models at once; on a GPU one is recorded and then replayed, so that Python does not hold it up."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    import numpy as np
    from torch import Tensor


__all__ = ["Recorder", "Updates", "put_rows", "reseed", "room_for", "take_gradients"]

REHEARSALS = 2  # libraries choose their kernels and take their room in the first, none of which may be recorded


def reseed(seed: int, update: int, device: torch.device) -> None:
    """Give an update chance of its own, so that a run can be taken up anywhere."""
    word = derive(seed, "update", update) >> 1
    torch.default_generator.manual_seed(word)
    if device.type == "cuda":
        number = torch.cuda.current_device() if device.index is None else device.index  # type: ignore[redundant-expr]
        torch.cuda.default_generators[number].manual_seed(word)


def put_rows(room: Tensor, rows: np.ndarray) -> None:
    """Put the rows of an update where it looks for them; a GPU takes them while Python goes on."""
    source = torch.from_numpy(rows)
    room.copy_(source.pin_memory() if room.is_cuda else source, non_blocking=True)


def room_for(optimiser: torch.optim.Adam, parameters: Iterable[nn.Parameter]) -> list[Tensor]:
    """Zeros for what Adam remembers of parameters and for their gradients, which stay where they are; the gradients."""
    gradients = []
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
        gradients.append(parameter.grad)
        optimiser.state[parameter] = {
            "step": torch.zeros((), device=parameter.device),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
    return gradients


def take_gradients(loss: Tensor, parameters: Iterable[nn.Parameter], gradients: list[Tensor]) -> None:
    """Put the gradients of a loss where they stay, by one call: adding each to zeros would be a kernel for each."""
    found: tuple[Tensor | None, ...] = torch.autograd.grad(loss, list(parameters), allow_unused=True)
    used = [(kept, one) for kept, one in zip(gradients, found, strict=True) if one is not None]
    torch._foreach_copy_([kept for kept, _ in used], [one for _, one in used])
    for kept, one in zip(gradients, found, strict=True):
        if one is None:  # this update has no use for it, another may have had
            kept.zero_()


class Recorder:
    """Keeps CUDA graphs of work that is the same each time, by a key; they share their memory."""

    def __init__(self) -> None:
        self._replay: dict[Hashable, Callable[[], None]] = {}
        self._pool: Any = None

    def replay_of(
        self,
        key: Hashable,
        compute: Callable[[], None],
        move: Callable[[], None],
        kept: Iterable[Tensor] = (),
    ) -> Callable[[], None]:
        """What computes and moves; the first time it is recorded, which moves nothing yet.

        Args:
            key: two pieces of work that differ have two keys.
            compute: what may be done once more without harm, but for what is `kept`.
            move: what may not.
            kept: tensors that `compute` changes and that must be as before when the work is replayed first.
        """
        if key not in self._replay:
            self._replay[key] = self._recorded(compute, move, list(kept))
        return self._replay[key]

    def _recorded(
        self, compute: Callable[[], None], move: Callable[[], None], kept: list[Tensor]
    ) -> Callable[[], None]:
        before = [tensor.clone() for tensor in kept]
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(REHEARSALS):
                compute()
        torch.cuda.current_stream().wait_stream(aside)
        for tensor, value in zip(kept, before, strict=True):
            tensor.copy_(value)
        graph: Any = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            compute()
            move()
        self._pool = graph.pool()
        replay: Callable[[], None] = graph.replay
        return replay


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
