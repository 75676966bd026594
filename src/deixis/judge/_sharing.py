"""The work of an evaluation in pieces, done here or by whoever shares it.

What is finished is kept for a request that is stopped, and not done again.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from deixis.data._crew import count_workers
from deixis.data._data_places import share_pieces, share_reading
from deixis.data._pieces import share_kept
from deixis.worlds.registry import find_known, find_world


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deixis.data._data_places import DataPlace
    from deixis.judge.request import Request
    from deixis.worlds.world import Examples, World


EVERY = 256  # answers that are judged together
Verdict = TypeVar("Verdict")
Done = TypeVar("Done")
Work = TypeVar("Work")


def share_request(
    request: Request,
    work: Callable[[Work], Done],
    pieces: Sequence[Work],
    *,
    key: Callable[[Work], Any],
    pack: Callable[[Done], Any],
    unpack: Callable[[Any], Done],
) -> Iterator[Done]:
    """Yield the results of work on pieces that hold all that it needs, in their order.

    Args:
        request: says who shares the work, and what was kept of it.
        work: a pure function at the top level of a module.
        pieces: what to work on.
        key: what tells a piece of this request from others, as JSON can tell it.
        pack: the result as JSON can tell it.
        unpack: the same result again.
    """

    def share(some: Sequence[Work]) -> Iterator[Done]:
        return share_pieces(work, some, len(some), workers=count_workers(request.workers), crew=request.crew)

    return share_kept(request.kept, pieces, share, key=key, pack=pack, unpack=unpack)


def judge_together(
    request: Request,
    world: World,
    asked: Sequence[tuple[int, Any]],
    judge: Callable[[World, Any, Sequence[tuple[int, Any]]], list[Verdict]],
    *,
    examples: Mapping[int, Any],
    unpack: Callable[[Any], Verdict],
) -> list[Verdict]:
    """Judge the answers to examples and return the verdicts, in their order.

    Args:
        request: what was asked for.
        world: of the examples.
        asked: numbers of examples with answers that JSON can tell.
        judge: a function at the top level of a module; it is given the world, the examples by number, and some of
            what is asked.
        examples: by number, as they are open here.
        unpack: a verdict, of which JSON has made lists.
    """
    pieces = [_Piece(world.name, judge, asked[start : start + EVERY]) for start in range(0, len(asked), EVERY)]

    def here(piece: _Piece) -> list[Verdict]:
        return judge(world, examples, piece.asked)

    def share(some: Sequence[_Piece]) -> Iterable[list[Verdict]]:
        if find_known(world.name) != world:  # which no other process finds
            return map(here, some)
        workers = count_workers(request.workers)
        return share_reading(_judge, request.folder, some, len(some), workers=workers, crew=request.crew, here=here)

    found = share_kept(request.kept, pieces, share, key=_key, pack=list, unpack=partial(_each, unpack))
    return [verdict for verdicts in found for verdict in verdicts]


class _Piece(NamedTuple):
    """Numbers of examples of a world with the answers to them, and what judges them."""

    world: str
    judge: Callable[[World, Any, Sequence[tuple[int, Any]]], list[Any]]
    asked: Sequence[tuple[int, Any]]


def _key(piece: _Piece) -> Any:
    return ["verdicts", piece.asked]


def _each(unpack: Callable[[Any], Verdict], packed: Iterable[Any]) -> list[Verdict]:
    return [unpack(one) for one in packed]


def _judge(place: DataPlace, piece: _Piece) -> list[Any]:
    """Judge some answers, in whatever process."""
    world, examples = _open_data(place, piece.world)
    return piece.judge(world, examples, piece.asked)


@lru_cache(maxsize=1)
def _open_data(place: DataPlace, name: str) -> tuple[World, Examples]:
    """A world and the examples of a dataset, which stay open for the next piece."""
    world = find_world(name)
    return world, world.part("examples").open(place.find())
