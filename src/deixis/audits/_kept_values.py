"""Lists of small values, one for each example, that wait in a file where they are many."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from deixis.data._keyed_rows import scratch_file


if TYPE_CHECKING:
    from collections.abc import Iterator


IN_MEMORY = 1 << 22  # bytes
Value = TypeVar("Value")
Shown = TypeVar("Shown")


class KeptValues(Sequence[Any]):
    """Values that JSON can tell, in the order in which they were added."""

    def __init__(self) -> None:
        self._starts = array("q", [0])
        self._file = scratch_file(self, in_memory=IN_MEMORY)

    def append(self, value: Any) -> None:
        """Add a value."""
        self._file.seek(self._starts[-1])
        self._starts.append(self._starts[-1] + self._file.write(json.dumps(value).encode()))

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, number: int) -> Any: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Any]: ...
    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        start, end = self._starts[number], self._starts[number + 1]
        self._file.seek(start)
        return json.loads(self._file.read(end - start))

    def __iter__(self) -> Iterator[Any]:
        for start, end in pairwise(self._starts):
            self._file.seek(start)
            yield json.loads(self._file.read(end - start))


class ShownValues(Sequence[Shown], Generic[Value, Shown]):
    """What a function makes of each value of a sequence, worked out when it is asked for."""

    def __init__(self, values: Sequence[Value], show: Callable[[Value], Shown]) -> None:
        self._values, self._show = values, show

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, number: int) -> Shown: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Shown]: ...
    def __getitem__(self, number: int | slice) -> Shown | Sequence[Shown]:
        if isinstance(number, slice):
            return [self._show(one) for one in self._values[number]]
        return self._show(self._values[number])


class KeptNames(Sequence[str]):
    """Texts of which few are different, such as names of splits and categories: four bytes for each."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._names: list[str] = []
        self._codes = array("i")

    def append(self, name: str) -> None:
        """Add a text."""
        code = self._known.setdefault(name, len(self._names))
        if code == len(self._names):
            self._names.append(name)
        self._codes.append(code)

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...
    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        if isinstance(number, slice):
            return [self._names[code] for code in self._codes[number]]
        return self._names[self._codes[number]]
