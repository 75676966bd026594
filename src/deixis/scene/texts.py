"""Many short texts in two arrays, so that ids of a million objects can be mapped into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self


__all__ = ["Texts"]


@dataclass(frozen=True, eq=False)
class Texts(Sequence[str]):
    """Texts as their bytes, one after the other, and where each begins.

    Shapes:
        ptr: int64 [text + 1]; data: uint8 [byte], UTF-8.
    """

    ptr: np.ndarray
    data: np.ndarray

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """The texts in this form; what UTF-8 cannot hold becomes a question mark."""
        pieces = [text.encode("utf-8", "replace") for text in texts]
        ptr = np.zeros(len(pieces) + 1, np.int64)
        np.cumsum([len(piece) for piece in pieces], out=ptr[1:])
        data = np.frombuffer(b"".join(pieces), np.uint8)
        ptr.setflags(write=False)
        return cls(ptr, data)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} texts, got {index}")
        index %= len(self)
        return self.data[self.ptr[index] : self.ptr[index + 1]].tobytes().decode("utf-8", "replace")
