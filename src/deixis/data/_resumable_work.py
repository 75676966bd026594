"""Work on data that only reads them, such as a check or an audit, which goes on where it was interrupted.

Whoever reads data must not write among them: they may be shared, or may not be written to at all. So what is finished
lies in the cache folder of the user, a file for each work: `.unfinished/check-0123456789abcdef.jsonl` (see `_pieces`).
Its name and its first line say what the work is about: the state of the data, the settings, the version. Where it is
found again and is about the same, its results are taken, in the order of the pieces, and the rest is done. It is
removed when the work is done. Where nothing can be written, or another process does the same, nothing is kept.
"""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import count as counting
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from deixis.data._cache_folder import cache_folder
from deixis.data._data_places import DataPlace
from deixis.data._locks import hold_lock
from deixis.data._pieces import UNFINISHED, KeptPieces, digest_of
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO, Self


KEEP_SECONDS = 0.5  # of work that are kept together; what is done sooner is not kept at all
DAYS = 30  # after which work that nobody went on with is forgotten
Done = TypeVar("Done")
Work = TypeVar("Work")


class ResumableWork:
    """One work on the data at a path, as a context: left without an error, the work is done.

    Args:
        verb: what is done.
        path: of the data.
        settings: all that the results depend on beside the data, as JSON can tell it.
    """

    def __init__(self, verb: str, path: Path, settings: Mapping[str, Any]) -> None:
        place = DataPlace.of(path)
        self.about = {"verb": verb, "path": place.path, "data": place.state, "settings": dict(settings)}
        self.name = f"{verb}-{digest_of(self.about)[:16]}"
        self._lock: BinaryIO | None = None
        self._kept: KeptPieces | None = None
        self._is_kept = True  # as far as can be told

    def go_on(
        self,
        stage: str,
        pieces: Iterable[Work],
        count: int,
        do: Callable[[Iterator[Work], int], Iterator[Done]],
        *,
        pack: Callable[[Done], Any],
        unpack: Callable[[Any], Done],
    ) -> Iterator[Done]:
        """Yield the results of work on all pieces in their order; those that were kept are not done again.

        Args:
            stage: the name of this part of the work.
            pieces: what to work on, drawn one by one also where the result is there.
            count: how many there are, at least about.
            do: does the work on what is left, of which there are about so many.
            pack: a result as JSON can tell it; whoever is given results does not change them.
            unpack: the same result again.
        """
        rest = iter(pieces)
        found = 0
        for number in counting():
            key = f"{stage} {number}"
            if self._kept is None or key not in self._kept:
                break
            for packed in self._kept.find(key):
                found += len(list(islice(rest, 1)))
                yield unpack(packed)
        waiting: list[Done] = []
        since = time.monotonic()
        for result in do(rest, max(count - found, 1)):
            if self._is_kept:
                waiting.append(result)
                if time.monotonic() - since >= KEEP_SECONDS:
                    self._keep(f"{stage} {number}", waiting, pack)
                    number, waiting, since = number + 1, [], time.monotonic()
            yield result

    def _keep(self, key: str, results: Iterable[Done], pack: Callable[[Done], Any]) -> None:
        try:
            if self._kept is None:
                self._kept = KeptPieces(cache_folder(), self.name, self.about)
            self._kept.keep(key, [pack(result) for result in results])
        except (OSError, RecipeError, TypeError, ValueError):  # a full disk, or an id that JSON cannot tell
            self._is_kept = False

    def __enter__(self) -> Self:
        folder = cache_folder() / UNFINISHED
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _forget_old(folder)
            self._lock = hold_lock(folder / f"{self.name}.lock", folder)
            if (folder / f"{self.name}.jsonl").is_file():
                self._kept = KeptPieces(cache_folder(), self.name, self.about)
        except (OSError, RecipeError):  # nothing can be written, or another process does the same work
            self._is_kept = False
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._lock is None:
            return
        with suppress(OSError):
            if kind is None and self._kept is not None:
                self._kept.remove()
            (cache_folder() / UNFINISHED / f"{self.name}.lock").unlink()
            (cache_folder() / UNFINISHED).rmdir()  # if there is no other work
        self._lock.close()


def _forget_old(folder: Path) -> None:
    oldest = time.time() - DAYS * 24 * 3600
    for path in folder.glob("*.jsonl"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
