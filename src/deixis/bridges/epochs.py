"""The examples in each batch of an epoch, and the rank and worker of each batch, as a function of the seed alone.

The order of an epoch is one sequence of batches for everybody. With R ranks and W workers each, batch b belongs to rank
b mod R and there, as its batch t = b div R, to worker t mod W. A loader that asks its workers in turn thus delivers
every rank its batches in order, whatever W is; no example is lost or seen twice; and to go on in the middle of an epoch
it is enough to know how many batches were delivered.

Rows lie on disk in groups that are read together. With a *window* the groups are put in random order, so many rows of
them are gathered as fit into the window, and these are shuffled; memory is bounded by the window. Without one
everything is shuffled at once.

What is larger than a window may be divided into *lanes*: the groups in their random order are cut into L stretches of
equally many batches, each with its share of the window, and batch b comes from lane b mod L. The order is still one for
everybody. But where R W divides L a worker reads the L / (R W) lanes of its own batches only, not what others read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import GOLDEN_WORD, derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence


__all__ = ["EpochOrder", "Share", "lanes_for", "share_of_process"]

MOST_LANES = 8  # unless more are asked for
NOTHING = np.zeros(0, np.int64)


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
        lanes: into how many stretches the groups are cut; only what is shuffled within a window is cut.
    """

    sizes: tuple[int, ...]
    batch: int
    seed: int = 0
    is_shuffled: bool = True
    window: int | None = None
    is_even: bool = False
    lanes: int = 1

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise RecipeError(f"a batch has at least 1 example, got {self.batch}")
        if self.window is not None and self.window < 1:
            raise RecipeError(f"a window has at least 1 row, got {self.window}")
        if self.lanes < 1:
            raise RecipeError(f"there is at least 1 lane, got {self.lanes}")

    @property
    def examples(self) -> int:
        """Number of examples."""
        return sum(self.sizes)

    @property
    def is_larger_than_window(self) -> bool:
        """True if not everything is shuffled together."""
        return self.window is not None and self.examples > self.window

    @property
    def has_lanes(self) -> bool:
        """True if the groups are cut into several lanes."""
        return self.lanes > 1 and self.is_shuffled and self.window is not None

    @property
    def lane_window(self) -> int:
        """Largest number of rows of a lane that are shuffled together."""
        most = self.examples if self.window is None else self.window
        return max(1, most // self.lanes) if self.has_lanes else most

    @property
    def most_groups(self) -> int:
        """Largest number of groups in a window."""
        most = self.examples if self.window is None else self.window
        whole = max(1, int(np.count_nonzero(np.cumsum(np.sort(self.sizes)) <= most)))
        return whole + self.lanes if self.has_lanes else whole  # some are cut

    def lanes_of(self, share: Share, *, start: int = 0) -> range:
        """The lanes that the batches of a worker come from (arguments as for `batches`)."""
        lanes = self.lanes if self.has_lanes else 1
        step = gcd(share.ranks * share.workers, lanes)
        return range(((start + share.worker) * share.ranks + share.rank) % step, lanes, step)

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
        for turn, rows, is_wanted in self.passing(epoch, share, start=start, after=after):
            if is_wanted:
                yield turn, rows

    def passing(
        self, epoch: int, share: Share, *, start: int = 0, after: int = 0
    ) -> Iterator[tuple[int, np.ndarray, bool]]:
        """All batches of the lanes of a worker, and which of them are those that `batches` gives."""
        lanes, most = self.lanes_of(share, start=start), self.batch_count(share)
        for number, rows in enumerate(self._all(epoch, lanes)):
            turn, rank = divmod(number, share.ranks)
            if turn >= most:
                return
            if len(rows):
                is_mine = rank == share.rank and (turn - start) % share.workers == share.worker
                yield turn, rows, is_mine and turn >= max(start, after)

    def rows_left(self, epoch: int, lanes: Container[int]) -> np.ndarray:
        """The number of rows of every group that lie in some lanes, int64 [group]."""
        starts = np.cumsum([0, *self.sizes])
        left = np.zeros(len(self.sizes), np.int64)
        for lane, (_, pieces) in enumerate(self._cut(self._pieces(epoch))):
            held = [piece for piece in pieces if lane in lanes and piece[0] < piece[1]]
            for start, stop in held:
                left[np.searchsorted(starts, start, side="right") - 1] += stop - start
        return left

    def _all(self, epoch: int, chosen: Container[int]) -> Iterator[np.ndarray]:
        """The batches of everybody; those of lanes that are not chosen are empty."""
        lanes = [
            self._batches_in(pieces, epoch, first) if lane in chosen else None
            for lane, (first, pieces) in enumerate(self._cut(self._pieces(epoch)))
        ]
        for number in range(-(-self.examples // self.batch)):
            lane = lanes[number % len(lanes)]
            yield NOTHING if lane is None else next(lane)

    def _pieces(self, epoch: int) -> list[tuple[int, int]]:
        """The groups in their order, each by its first row and the row after its last."""
        ends = np.cumsum(self.sizes, dtype=np.int64).tolist()
        groups = np.arange(len(self.sizes))
        if self.is_shuffled and self.window is not None:
            groups = groups[_order(derive(self.seed, "groups", epoch), len(groups))]
        return [(ends[group] - self.sizes[group], ends[group]) for group in groups.tolist()]

    def _cut(self, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield for every lane the number of its first piece, counted over all lanes, and its pieces."""
        if not self.has_lanes:
            yield 0, list(pieces)
            return
        rest, first = list(reversed(pieces)), 0
        for lane in range(self.lanes):
            missing, found = self._rows_of(lane), []
            while missing:
                start, stop = rest.pop()
                taken = min(missing, stop - start)
                found.append((start, start + taken))
                missing -= taken
                if start + taken < stop:
                    rest.append((start + taken, stop))
            yield first, found
            first += len(found)

    def _rows_of(self, lane: int) -> int:
        """The number of rows of a lane."""
        whole, left = divmod(self.examples, self.batch)  # the last batch may be a short one
        full = len(range(lane, whole, self.lanes))
        return full * self.batch + (left if whole % self.lanes == lane else 0)

    def _batches_in(self, pieces: Sequence[tuple[int, int]], epoch: int, first: int) -> Iterator[np.ndarray]:
        """The batches of a lane."""
        rest = NOTHING
        for rows in self._windows(pieces, epoch, first):
            here = np.concatenate([rest, rows])
            whole = len(here) - len(here) % self.batch
            for start in range(0, whole, self.batch):
                yield here[start : start + self.batch]
            rest = here[whole:]
        if len(rest):
            yield rest

    def _windows(self, pieces: Sequence[tuple[int, int]], epoch: int, first: int) -> Iterator[np.ndarray]:
        """The rows in order, as many at a time as are shuffled together."""
        gathered: list[np.ndarray] = []
        held = 0
        for place, piece in enumerate([*pieces, None], first):
            size = 0 if piece is None else piece[1] - piece[0]
            if gathered and (piece is None or held + size > self.lane_window):
                yield self._shuffle(np.concatenate(gathered), derive(self.seed, "rows", epoch, place))
                gathered, held = [], 0
            if piece is not None:
                gathered.append(np.arange(*piece))
                held += size

    def _shuffle(self, rows: np.ndarray, seed: int) -> np.ndarray:
        return rows[_order(seed, len(rows))] if self.is_shuffled else rows


def lanes_for(sizes: Sequence[int], window: int | None) -> int:
    """Return how many lanes suit groups of these sizes: a power of 2, none with less than a group in its window.

    What fits into one window is not cut: it is shuffled as a whole.
    """
    if window is None or sum(sizes) <= window:
        return 1
    lanes = 1
    while 2 * lanes <= min(MOST_LANES, len(sizes)) and window // (2 * lanes) >= max(sizes):
        lanes *= 2
    return lanes


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
