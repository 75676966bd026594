"""The examples of a read file, by number, in bounded memory.

A file is read once from beginning to end, which counts its examples and refusals. Up to `BLOCK` examples stay in
memory. Of a larger file the latest block does, and the file is read again to go back; verbs go through examples in
their order, so this costs one more reading.
"""

from __future__ import annotations

import gc
from array import array
from collections import Counter, deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from deixis.data._split_names import splits_of
from deixis.errors import BrokenDataset, UnknownName
from deixis.readers.reader import ReadExample, Refusal


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.readers.reader import Reader


BLOCK = 50_000  # examples in memory
MAX_REFUSALS = 10_000  # that are kept with their details; all are counted
MANY = 20_000  # new objects between two searches for cycles, of which examples have none


class ReadFile:
    """All examples of a file or folder in the layout of a reader.

    Attributes:
        path: where it lies.
        reader: who reads it.
        records: how many records there are.
        refused: how many of them are refused, by code.
        refusals: the first of these.
    """

    def __init__(self, reader: Reader, path: Path, *, block: int = BLOCK) -> None:
        self.reader = reader
        self.path = path
        self.records = 0
        self.refused: Counter[str] = Counter()
        self.refusals: list[Refusal] = []
        self._block: deque[ReadExample] = deque(maxlen=block)
        self._size = 0  # examples in the file
        self._next = 0  # the number of the example that the open stream gives next
        self._stream: Iterator[ReadExample] = iter(())
        self._splits: list[str] = []  # the names that occur
        self._codes = array("i")  # of the split of every example
        self._count()

    def _count(self) -> None:
        known: dict[str, int] = {}
        last = -1
        with _few_searches():
            for one in self.reader.examples(self.path):
                if one.record != last:
                    self.records, last = self.records + 1, one.record
                if isinstance(one, Refusal):
                    self.refused[one.code] += 1
                    if len(self.refusals) < MAX_REFUSALS:
                        self.refusals.append(one)
                    continue
                self._codes.append(known.setdefault(one.split, len(known)))
                self._block.append(one)
                self._size += 1
        self._splits, self._next = list(known), self._size
        if not self._size:
            why = f": all {self.records:,} records are refused" if self.records else ""
            told = f", most often {self.refused.most_common(1)[0][0]}" if self.refused else ""
            raise BrokenDataset(f"{self.path} holds no examples of {self.reader.name}{why}{told}")

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> ReadExample:
        if not 0 <= number < self._size:
            raise UnknownName(
                f"there is no example {number} in {self.path.name}; it has {self._size:,}, counted from 0"
            )
        if number < self._next - len(self._block):
            self._block.clear()
            self._stream, self._next = self._read(), 0
        while number >= self._next:
            self._block.append(next(self._stream))
            self._next += 1
        return self._block[number - self._next]

    def __iter__(self) -> Iterator[ReadExample]:
        if self._size == len(self._block):
            return iter(tuple(self._block))
        return self._read()

    def _read(self) -> Iterator[ReadExample]:
        return (one for one in self.reader.examples(self.path) if isinstance(one, ReadExample))

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split; an example of two splits counts in both."""
        found: dict[str, int] = {}
        for code, often in sorted(Counter(self._codes).items()):
            for name in splits_of(self._splits[code]):
                found[name] = found.get(name, 0) + often
        return found

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for an unknown split."""
        if split is None:
            return range(self._size)
        if split not in self.splits:
            raise UnknownName(f"there is no split {split[:40]!r} in {self.path.name}; it has {', '.join(self.splits)}")
        wanted = {code for code, name in enumerate(self._splits) if split in splits_of(name)}
        return array("q", (number for number, code in enumerate(self._codes) if code in wanted))

    def to_dict(self) -> dict[str, Any]:
        """The reading in numbers: records, examples, and refusals by code."""
        refused = dict(sorted(self.refused.items()))
        return {"reader": self.reader.name, "records": self.records, "examples": self._size, "refused": refused}


@contextmanager
def _few_searches() -> Iterator[None]:
    """Let the interpreter look for cycles less often, which takes a quarter of the time of reading many objects."""
    before = gc.get_threshold()
    if 0 < before[0] < MANY:  # 0 turns the searches off
        gc.set_threshold(MANY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
