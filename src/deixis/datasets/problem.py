"""What a check of a folder finds."""

from __future__ import annotations

from typing import NamedTuple


__all__ = ["FEW", "Problem"]

FEW = 20  # problems of one code that are told one by one


class Problem(NamedTuple):
    """Something that is wrong: its code, the file or example it is about, and what was found there."""

    code: str
    where: str
    detail: str

    def __str__(self) -> str:
        return f"{self.code} {self.where}: {self.detail}"
