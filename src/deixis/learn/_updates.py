"""Optimizer steps of one or several models: the only place that records CUDA graphs.

On a GPU a step is recorded once and replayed, so that Python does not hold it up. Options are weights in low precision,
decoupled weight decay, and several processes under `torchrun`, which add up their gradients.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed, nn

from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    import numpy as np
    from torch import Tensor


REHEARSALS = 2  # libraries choose their kernels and allocate in the first, none of which may be recorded


def reseed(seed: int, step: int, device: torch.device) -> None:
    """Seed torch for one step, so that a run can be resumed anywhere."""
    word = derive(seed, "update", step) >> 1
    torch.default_generator.manual_seed(word)
    if device.type == "cuda":
        number = torch.cuda.current_device() if device.index is None else device.index  # type: ignore[redundant-expr]
        torch.cuda.default_generators[number].manual_seed(word)


class Recorder:
    """CUDA graphs of repeated work by key, which share their memory."""

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
        """Return a function that computes and moves.

        The first call for a key records it, without moving anything yet.

        Args:
            key: two pieces of work that differ have two keys.
            compute: what can be repeated without harm, except for what is `kept`.
            move: what cannot.
            kept: tensors that `compute` changes and that must be as before when the work is replayed first.
        """
        if key not in self._replay:
            self._replay[key] = self._record(compute, move, list(kept))
        return self._replay[key]

    def _record(self, compute: Callable[[], None], move: Callable[[], None], kept: list[Tensor]) -> Callable[[], None]:
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
    """Optimizer steps with AdamW, with a gradient norm limit for every model.

    On a GPU a step is recorded once for every `stage`, and replayed. The learning rate lives on the device, so that it
    may change from step to step. Under `torchrun` gradients and reported values are added up over all processes, and
    nothing is recorded.

    Where models hold parameters in low precision, the weights that are trained are kept here, in float32, and rounded
    into the models after every step: rounding them where they are used would be a kernel for each of them.

    Args:
        models: those that are trained, by name.
        device: where they are.
        loss: computes the loss from the rows of the step, int64 [batch], and further values to report, by name. It must
            do the same each time: on a GPU it is called once only for every `stage`.
        batch_size: how many rows a step has in this process.
        clip: the largest norm of the gradient of a model; 0 for no limit.
        clamp: the largest number in a gradient; 0 for no limit.
        betas: of Adam.
        weight_decay: of AdamW; not applied to biases and norms.
        lr_factors: what the learning rate of some models is multiplied by.
        seed: of dropout and of whatever else is random in `loss`.
        kept: tensors that `loss` changes besides the weights.
        low: parameters that the models hold in `low_dtype` from now on.
        low_dtype: float32 to leave them as they are.

    Attributes:
        stage: what `loss` does now; set it whenever `loss` begins to do something else.
        graphs: whether steps are recorded; may be switched off where `loss` does not do the same each time.
        reported: the values of the last step by name, its loss among them, on the device.
    """

    def __init__(  # noqa: PLR0913 (what is learnt, from what, and how)
        self,
        models: Mapping[str, nn.Module],
        device: torch.device,
        loss: Callable[[Tensor], tuple[Tensor, dict[str, Tensor]]],
        *,
        batch_size: int,
        clip: float,
        seed: int,
        clamp: float = 0.0,
        betas: tuple[float, float] = (0.9, 0.999),
        weight_decay: float = 0.0,
        kept: Iterable[Tensor] = (),
        lr_factors: Mapping[str, float] | None = None,
        low: Iterable[nn.Parameter] = (),
        low_dtype: torch.dtype = torch.float32,
    ) -> None:
        self.models, self.device, self.clip, self.clamp, self.seed = models, device, clip, clamp, seed
        self._loss, self._kept = loss, tuple(kept)
        self._parameters = {
            f"{name}.{part}": one
            for name, model in models.items()
            for part, one in model.named_parameters()
            if one.requires_grad
        }
        self._low = _lower(self._parameters, low, low_dtype)
        self._trained: dict[str, nn.Parameter] = {**self._parameters, **self._low}
        self._by_model = {
            name: [one for part, one in self._trained.items() if part.startswith(f"{name}.")] for name in models
        }
        on_gpu = device.type == "cuda"
        self._lr_factors = {name: (lr_factors or {}).get(name, 1.0) for name in models}
        self.lr = {name: torch.zeros((), device=device) for name in models}
        self.optimizer = torch.optim.AdamW(
            list(
                chain.from_iterable(_groups(some, self.lr[name], weight_decay) for name, some in self._by_model.items())
            ),
            betas=betas,
            fused=on_gpu,
            capturable=on_gpu,
        )
        self._gradients = _allocate_state(self.optimizer, self._trained.values())
        self._rows = torch.zeros(batch_size, dtype=torch.int64, device=device)
        self.reported: dict[str, Tensor] = {}
        self.graphs = on_gpu and not _is_distributed()
        self.stage = 0
        self._recorder = Recorder()

    def __call__(self, step: int, rows: np.ndarray, lr: float) -> None:
        """Take a step; afterwards `reported` holds its loss and further values."""
        source = torch.from_numpy(rows)
        self._rows.copy_(source.pin_memory() if self._rows.is_cuda else source, non_blocking=True)
        for name, factor in self._lr_factors.items():
            self.lr[name].fill_(lr * factor)
        replay = None
        if self.graphs:
            replay = self._recorder.replay_of(self.stage, self._forward_and_back, self._move, self._kept)
        reseed(self.seed, step, self.device)
        if replay is not None:
            replay()
        else:
            self._forward_and_back()
            self._move()

    def weights(self) -> dict[str, Tensor]:
        """Return all weights by the names of model and parameter, those that are trained in float32."""
        held = {
            f"{name}.{part}": one for name, model in self.models.items() for part, one in model.state_dict().items()
        }
        return {**held, **{name: one.detach() for name, one in self._low.items()}}

    @torch.no_grad()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Go on with other weights, named as by `weights`."""
        for name, model in self.models.items():
            start = f"{name}."
            model.load_state_dict({key[len(start) :]: one for key, one in weights.items() if key.startswith(start)})
        for name, one in self._low.items():
            one.copy_(weights[name])

    def moments(self) -> Iterator[tuple[str, dict[str, Tensor]]]:
        """Yield the state of Adam for every trained parameter, by the names of model and parameter."""
        for name, parameter in self._trained.items():
            yield name, self.optimizer.state[parameter]

    def _forward_and_back(self) -> None:
        loss, reported = self._loss(self._rows)
        _compute_gradients(loss, self._parameters.values(), self._gradients)
        for name, value in {"loss": loss, **reported}.items():
            self.reported.setdefault(name, torch.zeros((), device=self.device)).copy_(value.detach())

    def _move(self) -> None:
        if _is_distributed():
            _add_up([*self._gradients, *self.reported.values()])
        if self.clamp:
            torch._foreach_clamp_min_(self._gradients, -self.clamp)
            torch._foreach_clamp_max_(self._gradients, self.clamp)
        if self.clip:
            for parameters in self._by_model.values():
                nn.utils.clip_grad_norm_(parameters, self.clip)
        self.optimizer.step()
        if self._low:
            with torch.no_grad():
                torch._foreach_copy_([self._parameters[name] for name in self._low], list(self._low.values()))


def _lower(
    parameters: Mapping[str, nn.Parameter], low: Iterable[nn.Parameter], dtype: torch.dtype
) -> dict[str, nn.Parameter]:
    """Round some parameters where they are, and return copies of them in float32, by name."""
    if dtype == torch.float32:
        return {}
    chosen = {id(one) for one in low}
    copies = {name: nn.Parameter(one.detach().clone()) for name, one in parameters.items() if id(one) in chosen}
    for name in copies:
        parameters[name].data = parameters[name].detach().to(dtype)
    return copies


def _groups(parameters: Iterable[nn.Parameter], lr: Tensor, weight_decay: float) -> Iterator[dict[str, Any]]:
    """Yield parameter groups for AdamW: those with two axes or more decay, biases and the scales of norms do not."""
    groups: dict[float, list[nn.Parameter]] = {}  # one alone where nothing decays, so one kernel
    for parameter in parameters:
        groups.setdefault(weight_decay if parameter.ndim > 1 else 0.0, []).append(parameter)
    for decay, some in groups.items():
        yield {"params": some, "lr": lr, "weight_decay": decay}


def _allocate_state(optimizer: torch.optim.Adam, parameters: Iterable[nn.Parameter]) -> list[Tensor]:
    """Allocate the moments of Adam and the gradients, all zero, which stay where they are; return the gradients."""
    gradients = []
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
        gradients.append(parameter.grad)
        optimizer.state[parameter] = {
            "step": torch.zeros((), device=parameter.device),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
    return gradients


def _compute_gradients(loss: Tensor, parameters: Iterable[nn.Parameter], gradients: list[Tensor]) -> None:
    """Put the gradients of a loss where they stay, by one call: adding each to zeros would be a kernel for each."""
    found: tuple[Tensor | None, ...] = torch.autograd.grad(loss, list(parameters), allow_unused=True)
    used = [(kept, one) for kept, one in zip(gradients, found, strict=True) if one is not None]
    torch._foreach_copy_([kept for kept, _ in used], [one for _, one in used])
    for kept, one in zip(gradients, found, strict=True):
        if one is None:  # this step has no use for it, another may have had
            kept.zero_()


def _is_distributed() -> bool:
    return distributed.is_available() and distributed.is_initialized()


def _add_up(tensors: list[Tensor]) -> None:
    """Sum tensors over all processes."""
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    distributed.all_reduce(flat)
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view_as(tensor))
