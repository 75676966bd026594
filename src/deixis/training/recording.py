"""Work on a GPU that is recorded once and then replayed, so that Python does not hold it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch


if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from torch import Tensor


__all__ = ["Recorder"]

REHEARSALS = 2  # libraries choose their kernels and take their room in the first, none of which may be recorded


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
