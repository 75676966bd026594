"""The examples in each batch of an epoch, and the rank and worker of each batch, as a function of the seed alone.

The order of an epoch is one sequence of batches for everybody. With R ranks and W workers each, batch b belongs to rank
b mod R and there, as its batch t = b div R, to worker t mod W. A loader that asks its workers in turn thus delivers
every rank its batches in order, whatever W is; no example is lost or seen twice; and to go on in the middle of an epoch
it is enough to know how many batches were delivered.

Rows lie on disk in groups that are read together. With a *window* the groups are put in random order, so many rows of
them are gathered as fit into the window, and these are shuffled; memory is bounded by the window. Without one
everything is shuffled at once.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import GOLDEN_WORD, derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["EpochOrder", "Share", "share_of_process"]


class Share(NamedTuple):
    """Whose batches are meant: one of the ranks, and there one of the workers."""

    rank: int = 0
    ranks: int = 1
    worker: int = 0
    workers: int = 1

    def require_valid(self) -> Share:
        """Return the share itself, or raise `RecipeError` if there is no such rank or worker."""
        if not (0 <= self.rank < self.ranks and 0 <= self.worker < self.workers):
            raise RecipeError(
                f"ranks and workers are counted from 0: there is no rank {self.rank} of {self.ranks} "
                f"or no worker {self.worker} of {self.workers}"
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochOrder:
    """The batches of every epoch.

    Attributes:
        sizes: how many rows each group has that is read together.
        batch: how many examples a batch has; the last may have fewer.
        seed: of the shuffle; epochs are shuffled differently.
        is_shuffled: whether it is shuffled at all.
        window: how many rows are shuffled together at most (a single group may have more); None for all.
        is_even: whether what is left when every rank has had equally many whole batches is dropped, so that all ranks
            take equally many steps. Otherwise nothing is dropped.
    """

    sizes: tuple[int, ...]
    batch: int
    seed: int = 0
    is_shuffled: bool = True
    window: int | None = None
    is_even: bool = False

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise RecipeError(f"a batch has at least 1 example, got {self.batch}")
        if self.window is not None and self.window < 1:
            raise RecipeError(f"a window has at least 1 row, got {self.window}")

    @property
    def examples(self) -> int:
        """Number of examples."""
        return sum(self.sizes)

    @property
    def most_groups(self) -> int:
        """Largest number of groups in a window."""
        most = self.examples if self.window is None else self.window
        return max(1, int(np.count_nonzero(np.cumsum(np.sort(self.sizes)) <= most)))

    def batch_count(self, share: Share) -> int:
        """Return the number of batches of an epoch that belong to a rank, over all of its workers."""
        if self.is_even:
            return self.examples // (self.batch * share.ranks)
        batches = -(-self.examples // self.batch)
        return (batches - share.rank + share.ranks - 1) // share.ranks

    def batches(
        self, epoch: int, share: Share | None = None, *, start: int = 0, after: int = 0
    ) -> Iterator[tuple[int, np.ndarray]]:
        """The batches of one worker of a rank: its number among those of the rank, and int64 [example].

        Args:
            epoch: which epoch, from 0.
            share: whose; everything where nothing is said.
            start: the batches of the rank before this one were delivered already; this one is that of worker 0.
            after: those of this worker before this one were given already, too.
        """
        share = (share or Share()).require_valid()
        for number, rows in enumerate(self._all(epoch)):
            turn, rank = divmod(number, share.ranks)
            if turn >= self.batch_count(share):
                return
            is_mine = rank == share.rank and (turn - start) % share.workers == share.worker
            if is_mine and turn >= max(start, after):
                yield turn, rows

    def _all(self, epoch: int) -> Iterator[np.ndarray]:
        """The batches of everybody."""
        rest = np.zeros(0, np.int64)
        for rows in self._windows(epoch):
            here = np.concatenate([rest, rows])
            whole = len(here) - len(here) % self.batch
            for first in range(0, whole, self.batch):
                yield here[first : first + self.batch]
            rest = here[whole:]
        if len(rest):
            yield rest

    def _windows(self, epoch: int) -> Iterator[np.ndarray]:
        """The rows in order, as many at a time as are shuffled together."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        groups = np.arange(len(self.sizes))
        if self.is_shuffled and self.window is not None:
            groups = groups[_order(derive(self.seed, "groups", epoch), len(groups))]
        most = self.examples if self.window is None else self.window
        gathered: list[np.ndarray] = []
        held = 0
        for place, group in enumerate([*groups.tolist(), None]):
            size = 0 if group is None else self.sizes[group]
            if gathered and (group is None or held + size > most):
                yield self._shuffle(np.concatenate(gathered), derive(self.seed, "rows", epoch, place))
                gathered, held = [], 0
            if group is not None:
                gathered.append(np.arange(starts[group], starts[group + 1]))
                held += size

    def _shuffle(self, rows: np.ndarray, seed: int) -> np.ndarray:
        return rows[_order(seed, len(rows))] if self.is_shuffled else rows


def share_of_process(rank: int | None = None, ranks: int | None = None) -> Share:
    """The share of this process: as given, else as `torch.distributed` or the environment say, else everything.

    Raises:
        RecipeError: when only one of the two is given, or they make no sense.
    """
    if (rank is None) != (ranks is None):
        raise RecipeError("give both rank and ranks, or neither")
    if rank is not None and ranks is not None:
        return Share(rank, ranks).require_valid()
    from torch import distributed

    if distributed.is_available() and distributed.is_initialized():
        return Share(distributed.get_rank(), distributed.get_world_size())
    try:
        return Share(int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))).require_valid()
    except ValueError as error:
        raise RecipeError(f"RANK and WORLD_SIZE must be numbers: {error}") from error


def _order(seed: int, count: int) -> np.ndarray:
    """A random order of so many things, the same on every machine."""
    with np.errstate(over="ignore"):
        words = mix_words(np.uint64(seed) + GOLDEN_WORD * np.arange(1, count + 1, dtype=np.uint64))
    return np.argsort(words, kind="stable")
