"""What was found: single findings, and reports that can be merged."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.checks.registry import CHECKS


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.datasets.checks.registry import Hits


__all__ = ["MAX_FINDINGS", "Contents", "Finding", "Report"]

MAX_FINDINGS = 20  # of each code; the rest is only counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with one example, or with a whole file where there is no row.

    Attributes:
        row: the number of the row, counted from 0 over everything that was checked.
        id: the id recorded in that row.
    """

    code: str
    message: str
    split: str = ""
    row: int | None = None
    id: int | None = None
    detail: str = ""

    def __str__(self) -> str:
        where = "" if self.row is None else f" row {self.row}"
        return f"{self.code}{where}: {self.message}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Contents:
    """What is in which split: all that the checks across examples need to remember.

    Shapes:
        digest, id: uint64 [example]; row: int64 [example]; split: int64 [example], numbers of `names`.
    """

    digest: np.ndarray
    id: np.ndarray
    row: np.ndarray
    split: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def joined(cls, pieces: Sequence[Contents]) -> Contents:
        """Several as one."""
        names = tuple(dict.fromkeys(name for piece in pieces for name in piece.names))
        numbers = {name: number for number, name in enumerate(names)}
        splits = [np.array([numbers[name] for name in piece.names], np.int64)[piece.split] for piece in pieces]
        return cls(
            digest=_concatenated([piece.digest for piece in pieces], np.uint64),
            id=_concatenated([piece.id for piece in pieces], np.uint64),
            row=_concatenated([piece.row for piece in pieces], np.int64),
            split=_concatenated(splits, np.int64),
            names=names,
        )

    def __len__(self) -> int:
        return len(self.digest)


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What the selected checks found.

    Reports of consecutive pieces of a dataset merge into the report of the whole.

    Attributes:
        checked: the codes that were looked for.
        rows: how many rows were looked at.
        splits: how many of them are in each split.
        tally, first: how often each code was found row by row, and the first findings of each.
        parts: for each kind of part, in how many places it is needed and how many there are.
        pieces: what the checks across examples remember.
    """

    checked: tuple[str, ...] = ()
    rows: int = 0
    splits: Mapping[str, int] = field(default_factory=dict)
    tally: Mapping[str, int] = field(default_factory=dict)
    first: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pieces: tuple[Contents, ...] = ()

    def merge(self, later: Report) -> Report:
        """The report of what this one saw followed by what the other saw."""
        moved = {code: tuple(_moved(f, self.rows) for f in found) for code, found in later.first.items()}
        codes = self.first.keys() | moved.keys()
        kinds = self.parts.keys() | later.parts.keys()
        return Report(
            checked=tuple(sorted({*self.checked, *later.checked})),
            rows=self.rows + later.rows,
            splits=Counter(self.splits) + Counter(later.splits),
            tally=Counter(self.tally) + Counter(later.tally),
            first={c: (*self.first.get(c, ()), *moved.get(c, ()))[:MAX_FINDINGS] for c in codes},
            parts={k: _sum(self.parts.get(k, (0, 0)), later.parts.get(k, (0, 0))) for k in kinds},
            pieces=(*self.pieces, *(replace(piece, row=piece.row + self.rows) for piece in later.pieces)),
        )

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each code was found, for those that were found."""
        return {code: n for code, n in sorted((*self.tally.items(), *self._across[0].items())) if n}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The first findings of each code, in the order of codes and rows."""
        found = {**self.first, **self._across[1]}
        return tuple(finding for code in sorted(found) for finding in found[code])

    @property
    def shares(self) -> dict[str, float]:
        """For each kind of part, how often the target cannot be found without it."""
        return {kind: needed / total for kind, (needed, total) in sorted(self.parts.items()) if total}

    @property
    def has_errors(self) -> bool:
        """Whether some example is wrong."""
        return any(code.startswith("E") for code in self.counts)

    @property
    def has_problems(self) -> bool:
        """Whether anything was found that is more than information."""
        return any(not CHECKS[code].is_informational for code in self.counts)

    @property
    def exit_code(self) -> int:
        """What a command that checks leaves with: 1 for problems, else 0."""
        return int(self.has_problems)

    def as_dict(self) -> dict[str, object]:
        """The report as plain values."""
        return {
            "rows": self.rows,
            "splits": dict(sorted(self.splits.items())),
            "checked": list(self.checked),
            "counts": self.counts,
            "necessary": {
                kind: {"needed": needed, "total": total, "share": needed / total}
                for kind, (needed, total) in sorted(self.parts.items())
                if total
            },
            "findings": [{name: getattr(f, name) for name in Finding.__slots__} for f in self.findings],
        }

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.as_dict(), indent=2)

    @cached_property
    def _across(self) -> tuple[dict[str, int], dict[str, tuple[Finding, ...]]]:
        """Counts and first findings of the checks that compare examples with each other."""
        codes = [code for code in self.checked if CHECKS[code].scope == "dataset"]
        if not codes or not self.pieces:
            return {}, {}
        contents = Contents.joined(self.pieces)
        hits = {code: CHECKS[code].find(contents) for code in codes}
        first = {code: tuple(_about(code, contents, hit) for hit in _first(found)) for code, found in hits.items()}
        return {code: len(found.places) for code, found in hits.items()}, first


def _about(code: str, contents: Contents, hit: tuple[int, str]) -> Finding:
    place, detail = hit
    return Finding(
        code=code,
        message=CHECKS[code].message,
        split=contents.names[contents.split[place]],
        row=int(contents.row[place]),
        id=int(contents.id[place]),
        detail=detail,
    )


def _first(hits: Hits) -> Iterable[tuple[int, str]]:
    return ((int(place), hits.detail(int(place))) for place in hits.places[:MAX_FINDINGS])


def _moved(finding: Finding, rows: int) -> Finding:
    return finding if finding.row is None else replace(finding, row=finding.row + rows)


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def _concatenated(arrays: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype)
