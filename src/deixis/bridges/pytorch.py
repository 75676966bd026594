"""Datasets for PyTorch: by number or as a stream, shared out over workers and ranks, and resumable within an epoch.

    >>> from torch.utils.data import DataLoader
    >>> examples = StreamedExamples("dataset", split="train", batch=64, seed=7)  # doctest: +SKIP
    >>> loader = ExampleLoader(examples, workers=2)  # doctest: +SKIP
    >>> for epoch in range(3):  # doctest: +SKIP
    ...     loader.set_epoch(epoch)
    ...     for batch in loader:
    ...         train(batch["command"], batch["actions"])

`StreamedExamples` gives whole batches, so hand it to a `DataLoader` with `batch_size=None`. `IndexedExamples` gives
single items by number; `EpochBatches` says which of them make up each batch. Both follow the order of
`bridges.epochs`: no example is lost or seen twice however many ranks and workers there are, and the order does not
depend on the number of workers.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import DeixisError, RecipeError


try:
    import torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler, get_worker_info
except ModuleNotFoundError as error:
    raise DeixisError("this needs PyTorch, which is not installed; run: pip install 'deixis[train]'") from error

from deixis.bridges._items import Item, Maker, collate
from deixis.bridges.epochs import EpochOrder, Share, lanes_for, share_of_process
from deixis.data._example_rows import MEMORY, open_rows, place_of
from deixis.worlds.registry import find_world


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._example_rows import ExampleRows, Table


__all__ = ["EpochBatches", "ExampleLoader", "IndexedExamples", "StreamedExamples"]

WINDOW = 1 << 18  # rows that are shuffled together
AHEAD = 2_048  # rows that are looked up together
UNBOUNDED = 1 << 62  # bytes; what bounds the memory of a stream is its window
EPOCH, START = 0, 1


class _Examples:
    """What both datasets have in common: rows, and how they become items."""

    def __init__(
        self,
        path: Path | str,
        *,
        split: str | None,
        table: str | None,
        pictures: bool,
        transform: Callable[[Item], Any] | None,
        memory: int,
    ) -> None:
        place = place_of(path)
        self.rows: ExampleRows = open_rows(place, split=split, table=table, memory=memory)
        world = find_world(self.rows.world)
        self.maker = Maker(world.part("items").columns(place, pictures=pictures) if world.has("items") else None)
        self.transform = transform

    def items(self, numbers: Sequence[int] | np.ndarray) -> list[Any]:
        """The items of some numbers, in that order."""
        return self.apply_transform(self.maker.items(self.rows.take(numbers)))

    def apply_transform(self, items: list[Item]) -> list[Any]:
        """Return the items as they are handed out."""
        return [self.transform(item) for item in items] if self.transform else items


class IndexedExamples(_Examples, Dataset[Any]):
    """The examples of a split by number.

    Args:
        path: the folder of a dataset of any kind, or its address, such as s3://bucket/folder.
        split: which split; may be left out where there is only one.
        table: which table, see `data._example_rows`.
        pictures: whether pictures are added, see `bridges._items`.
        transform: applied to each item.
        memory: how many bytes of rows are kept at most; reading is slow when a shuffled split does not fit.

    Raises:
        BrokenDataset: when there is no dataset, or it is damaged.
        StorageError: when storage cannot be reached.
        UnknownName: when it has no such table or split.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        split: str | None = None,
        table: str | None = None,
        pictures: bool = False,
        transform: Callable[[Item], Any] | None = None,
        memory: int = MEMORY,
    ) -> None:
        super().__init__(path, split=split, table=table, pictures=pictures, transform=transform, memory=memory)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int | slice) -> Any:
        """One item, or for a slice a list of them."""
        if isinstance(number, slice):
            return self.items(range(*number.indices(len(self))))
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no example {number}; there are {len(self):,}")
        return self.items([number % len(self)])[0]

    def __getitems__(self, numbers: Sequence[int]) -> list[Any]:
        """Several items at once, as `DataLoader` asks for them."""
        return self.items(numbers)


class EpochBatches(Sampler[list[int]]):
    """The numbers of the examples of each batch of an epoch: a `batch_sampler` for `IndexedExamples`.

    Args:
        examples: the dataset.
        batch: how many examples a batch has.
        seed: of the shuffle.
        is_shuffled: whether it is shuffled.
        window: how many rows are shuffled together; None for all.
        is_even: whether all ranks get equally many whole batches, the rest being dropped.
        rank, ranks: whose batches; by default as `torch.distributed` or RANK and WORLD_SIZE say.
    """

    def __init__(  # noqa: PLR0913 (all but two by name)
        self,
        examples: IndexedExamples,
        batch: int,
        *,
        seed: int = 0,
        is_shuffled: bool = True,
        window: int | None = None,
        is_even: bool = False,
        rank: int | None = None,
        ranks: int | None = None,
    ) -> None:
        self.share = share_of_process(rank, ranks)
        self.order = EpochOrder(
            sizes=tuple(examples.rows.sizes),
            batch=batch,
            seed=seed,
            is_shuffled=is_shuffled,
            window=window,
            is_even=is_even,
        )
        self.epoch, self.start, self._given = 0, 0, 0

    def set_epoch(self, epoch: int, *, start: int = 0) -> None:
        """Set the epoch that comes next, and the number of its batches to skip."""
        self.epoch, self.start, self._given = epoch, start, start

    def __len__(self) -> int:
        return max(0, self.order.batch_count(self.share) - self.start)

    def __iter__(self) -> Iterator[list[int]]:
        for turn, rows in self.order.batches(self.epoch, self.share, start=self.start):
            self._given = turn + 1
            yield rows.tolist()
        self.start, self._given = 0, 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position: the epoch and the batches that were given out."""
        return {"epoch": self.epoch, "batches": self._given, **_order_facts(self.order, self.share)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there.

        Raises:
            RecipeError: when the state is of another order.
        """
        epoch, start = _position(state, self.order, self.share)
        self.set_epoch(epoch, start=start)


class StreamedExamples(_Examples, IterableDataset[Any]):
    """The examples of a split as a stream of batches, with bounded memory.

    Args:
        path: the folder of a dataset of any kind, or its address, such as s3://bucket/folder.
        split: which split; may be left out where there is only one.
        batch: how many examples a batch has; None for single items.
        table: which table, see `data._example_rows`.
        seed: of the shuffle.
        is_shuffled: whether it is shuffled.
        window: how many rows are shuffled together, and held in memory, at most; by default some 200,000, fewer where
            rows are large.
        lanes: how many stretches of the dataset are read side by side, each with its share of the window. If the number
            of ranks times that of workers divides it, each reads its own share only, and otherwise more. By default 8,
            fewer if a window would hold less than a group of rows for each, and 1 for what fits into a window.
        is_even: whether all ranks get equally many whole batches, the rest being dropped.
        rank, ranks: whose batches; by default as `torch.distributed` or RANK and WORLD_SIZE say.
        pictures: whether pictures are added, see `bridges._items`.
        transform: applied to each item.
        collate: how items become a batch.

    Raises:
        BrokenDataset: when there is no dataset, or it is damaged.
        StorageError: when storage cannot be reached.
        UnknownName: when it has no such table or split.
    """

    def __init__(  # noqa: PLR0913 (all but one by name)
        self,
        path: Path | str,
        *,
        split: str | None = None,
        batch: int | None = 32,
        table: str | None = None,
        seed: int = 0,
        is_shuffled: bool = True,
        window: int | None = None,
        lanes: int | None = None,
        is_even: bool = False,
        rank: int | None = None,
        ranks: int | None = None,
        pictures: bool = False,
        transform: Callable[[Item], Any] | None = None,
        collate: Callable[[Sequence[Any]], Any] = collate,
    ) -> None:
        super().__init__(path, split=split, table=table, pictures=pictures, transform=transform, memory=UNBOUNDED)
        window = max(1, min(WINDOW, int(MEMORY / max(self.rows.row_bytes, 1)))) if window is None else window
        self.share = share_of_process(rank, ranks)
        self.collate: Callable[[Sequence[Any]], Any] = collate if batch is not None else _only
        sizes = tuple(self.rows.sizes)
        self.order = EpochOrder(
            sizes=sizes,
            batch=1 if batch is None else batch,
            seed=seed,
            is_shuffled=is_shuffled,
            window=window,
            is_even=is_even,
            lanes=lanes_for(sizes, window) if lanes is None else lanes,
        )
        self._place = torch.zeros(2, dtype=torch.int64).share_memory_()  # type: ignore[no-untyped-call] # seen by workers
        self._given, self._resume = 0, 0

    @property
    def epoch(self) -> int:
        """The epoch that is given next, or now."""
        return int(self._place[EPOCH])

    def set_epoch(self, epoch: int, *, start: int = 0) -> None:
        """Set the epoch that comes next, and the number of its batches to skip, also in live workers."""
        self._place[EPOCH], self._place[START] = epoch, start
        self._given, self._resume = start, 0

    def __len__(self) -> int:
        return self.order.batch_count(self.share)

    def __iter__(self) -> Iterator[Any]:
        told = get_worker_info()
        share = self.share if told is None else self.share._replace(worker=told.id, workers=told.num_workers)
        epoch, start, after = self.epoch, int(self._place[START]), self._resume
        self._given, self._resume = max(start, after), 0
        left = None
        if self.order.is_larger_than_window:
            self.rows.forget()  # what remains of a loop that was left early
            left = self.order.rows_left(epoch, self.order.lanes_of(share, start=start))
        passing = self.order.passing(epoch, share, start=start, after=after)
        at_once = max(1, min(AHEAD, self.order.window or AHEAD) // self.order.batch)
        while passed := list(islice(passing, at_once)):
            some = [(turn, rows) for turn, rows, is_wanted in passed if is_wanted]
            table, first = self.rows.take(np.concatenate([np.zeros(0, np.int64), *(rows for _, rows in some)])), 0
            if left is not None:
                self.rows.pass_over(np.concatenate([rows for _, rows, _ in passed]), left)
            for turn, rows in some:
                batch = self._make_batch(table.slice(first, len(rows)))
                first += len(rows)
                self._given = turn + 1
                yield batch
        self._given = 0
        if told is None:
            self._place[START] = 0

    def _make_batch(self, table: Table) -> Any:
        if self.collate is collate and self.transform is None:
            return self.maker.batch(table)
        return self.collate(self.apply_transform(self.maker.items(table)))

    def state_dict(self) -> dict[str, Any]:
        """Return the position of this copy of the stream.

        With worker processes, ask the loader instead.
        """
        place = {"epoch": self.epoch, "start": int(self._place[START]), "batches": self._given}
        return {**place, **_order_facts(self.order, self.share)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there.

        Raises:
            RecipeError: when the state is of another order.
        """
        epoch, given = _position(state, self.order, self.share)
        start = state.get("start", given)
        if not isinstance(start, int) or start < 0:
            raise RecipeError("this state does not say which epoch and batch it is in")
        self.set_epoch(epoch, start=start)
        self._given, self._resume = given, given


class ExampleLoader:
    """A `DataLoader` that knows how many batches it has delivered, and can go on from there with any number of workers.

    Args:
        examples: a stream, or examples by number together with `batches`.
        batches: which examples make up each batch; for examples by number only.
        workers: how many processes; none by default.
        options: anything else that `DataLoader` takes, e.g. `pin_memory`, `prefetch_factor`, `persistent_workers`.
    """

    def __init__(
        self,
        examples: StreamedExamples | IndexedExamples,
        batches: EpochBatches | None = None,
        *,
        workers: int = 0,
        **options: Any,
    ) -> None:
        if isinstance(examples, StreamedExamples) == (batches is not None):
            raise RecipeError("give a stream alone, or examples by number together with their batches")
        if workers < 0:
            raise RecipeError(f"workers are counted from 0, got {workers}")
        self.source: StreamedExamples | EpochBatches = batches if batches is not None else _stream(examples)
        how: dict[str, Any] = (
            {"batch_size": None} if batches is None else {"batch_sampler": batches, "collate_fn": collate}
        )
        self.loader: DataLoader[Any] = DataLoader(examples, num_workers=workers, **{**how, **options})
        self._epoch, self._delivered = 0, 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch that comes next, from its beginning."""
        self._epoch, self._delivered = epoch, 0

    def __len__(self) -> int:
        return self.source.order.batch_count(self.source.share) - self._delivered

    def __iter__(self) -> Iterator[Any]:
        self.source.set_epoch(self._epoch, start=self._delivered)
        for batch in self.loader:
            self._delivered += 1
            yield batch
        self.set_epoch(self._epoch + 1)

    def state_dict(self) -> dict[str, Any]:
        """Return the position: the epoch and the batches delivered, without those that workers have prepared."""
        return {"epoch": self._epoch, "batches": self._delivered, **_order_facts(self.source.order, self.source.share)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a position, with any number of workers.

        Raises:
            RecipeError: when the state is of another order.
        """
        self._epoch, self._delivered = _position(state, self.source.order, self.source.share)


def _stream(examples: StreamedExamples | IndexedExamples) -> StreamedExamples:
    assert isinstance(examples, StreamedExamples)
    return examples


def _only(items: Sequence[Any]) -> Any:
    return items[0]


def _order_facts(order: EpochOrder, share: Share) -> dict[str, Any]:
    """Return the order and share that a position refers to."""
    return {
        "examples": order.examples,
        "batch": order.batch,
        "seed": order.seed,
        "is_shuffled": order.is_shuffled,
        "window": order.window,
        "lanes": order.lanes,
        "is_even": order.is_even,
        "rank": share.rank,
        "ranks": share.ranks,
    }


def _position(state: Mapping[str, Any], order: EpochOrder, share: Share) -> tuple[int, int]:
    """The epoch and the number of batches that a state tells."""
    told = {"lanes": 1, **state}  # states of earlier versions do not say it
    differing = [name for name, value in _order_facts(order, share).items() if told.get(name) != value]
    if differing:
        raise RecipeError(f"this state is of another order of examples: {', '.join(differing)} differ")
    epoch, start = state.get("epoch"), state.get("batches")
    if not isinstance(epoch, int) or not isinstance(start, int) or min(epoch, start) < 0:
        raise RecipeError("this state does not say which epoch and batch it is in")
    return epoch, start
