"""Work that several threads share, with the results in the order of the work."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future

    from deixis.datasets.crew import Crew, Promise


__all__ = ["in_order", "in_order_by_threads"]

Work = TypeVar("Work")
Done = TypeVar("Done")


def in_order(
    pool: Executor | Crew, work: Callable[[Work], Done], items: Iterable[Work], *, ahead: int
) -> Iterator[Done]:
    """The results of some work in the order of the items, with so many of them under way."""
    rest = iter(items)
    waiting: deque[Future[Done] | Promise[Done]] = deque(pool.submit(work, item) for item in islice(rest, ahead))
    while waiting:
        result = waiting.popleft().result()
        waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
        yield result


def in_order_by_threads(work: Callable[[Work], Done], items: Iterable[Work], workers: int) -> Iterator[Done]:
    """The same by so many threads of its own; a single worker needs none."""
    if workers == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from in_order(pool, work, items, ahead=2 * workers + 1)
