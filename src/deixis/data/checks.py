"""Checks of datasets of every world: codes, findings, and reports that can be merged.

A code begins with E for what makes an example wrong, W for what makes it worse than it could be, I for information. A
world lists its codes with one line each. Whoever checks few examples at a time collects findings with a `Collector`;
whoever checks arrays registers functions in a `Registry` and merges reports of consecutive pieces.

Two checks compare examples with each other, within a dataset and between datasets: E401 and W402. They need the
`Contents` of a report.
"""

from __future__ import annotations

import json
from collections import Counter, UserDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from deixis.data._check_codes import (
    ALWAYS,
    MAX_FINDINGS,
    Check,
    CheckRequest,
    Hits,
    Scope,
    codes_table,
    is_informational,
    sample_numbers,
    select_codes,
)
from deixis.data._contents import CLASHES, Contents, first_clashes, is_leak, is_repeat
from deixis.data._kept_contents import KeptContents, find_clashes


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.data._contents import Clash
    from deixis.data._kept_contents import Sighting


__all__ = [
    "ALWAYS",
    "COMPARED",
    "MAX_FINDINGS",
    "Check",
    "CheckRequest",
    "Collector",
    "Contents",
    "Finding",
    "Hits",
    "Registry",
    "Report",
    "check_across",
    "codes_table",
    "is_informational",
    "sample_numbers",
    "select_codes",
]

COMPARED = {"E401": "The same content is in two splits", "W402": "The same content is twice in one split"}
AnyCheck = TypeVar("AnyCheck", bound=Callable[..., Any])


# -------------------------------------------------------------------------------- codes


class Registry(UserDict[str, Check]):
    """The checks of a world by code, with a decorator for functions to register themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.check("E401", scope="dataset")(_leaks)
        self.check("W402", scope="dataset")(_repeats)

    def check(self, code: str, *, scope: Scope = "row") -> Callable[[AnyCheck], AnyCheck]:
        """Register a function as the check of a code."""

        def register(find: AnyCheck) -> AnyCheck:
            message, _, about = cleandoc(find.__doc__ or "").partition("\n")
            if code in self:
                raise ValueError(f"two checks are called {code}")
            self[code] = Check(code=code, scope=scope, message=message.rstrip("."), about=about.strip(), find=find)
            return find

        return register

    @property
    def messages(self) -> dict[str, str]:
        """The line of every code."""
        return {code: check.message for code, check in sorted(self.items())}


# -------------------------------------------------------------------------------- findings


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with one example, or with a whole file where there is no row.

    Attributes:
        row: the number of the example, counted from 0 over everything that was checked.
        id: the id recorded there.
        path: the dataset that the row is counted in, where several are held against each other.
        file: the file of the dataset that it is about, where it is about one.
    """

    code: str
    message: str
    split: str = ""
    row: int | None = None
    id: int | str | None = None
    detail: str = ""
    path: str = ""
    file: str = ""

    def __str__(self) -> str:
        where = f" {self.file}" if self.file else ""
        where += "" if self.row is None else f" row {self.row}" + (f" of {self.path}" if self.path else "")
        return f"{self.code}{where}: {self.message}" + (f" ({self.detail})" if self.detail else "")

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain values, with path and file only if they are known."""
        optional = ("path", "file")
        return {name: getattr(self, name) for name in self.__slots__ if name not in optional or getattr(self, name)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """Findings of the selected checks.

    Reports of consecutive pieces of a dataset merge into the report of the whole.

    Attributes:
        checked: the codes that were looked for.
        rows: how many examples were looked at.
        splits: how many of them are in each split.
        tally, first: how often each code was found row by row, and the first findings of each.
        parts: for each kind of part, in how many places it is needed and how many there are.
        pieces: what the checks across examples remember.
        most: how many findings of each code are kept.
        facts: what else a world tells of what was checked, as plain values.
        compares: whether examples of the dataset are compared with each other; False where a world has checks of its
            own for that, and gives its contents for comparisons with other datasets only.
    """

    checked: tuple[str, ...] = ()
    rows: int = 0
    splits: Mapping[str, int] = field(default_factory=dict)
    tally: Mapping[str, int] = field(default_factory=dict)
    first: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    pieces: Sequence[Contents] = field(default=(), repr=False)
    most: int = MAX_FINDINGS
    facts: Mapping[str, Any] = field(default_factory=dict)
    compares: bool = True

    def merge(self, later: Report) -> Report:
        """The report of what this one saw followed by what the other saw."""
        moved = {code: tuple(_shift_row(f, self.rows) for f in found) for code, found in later.first.items()}
        codes = self.first.keys() | moved.keys()
        kinds = self.parts.keys() | later.parts.keys()
        most = max(self.most, later.most)
        return Report(
            checked=tuple(sorted({*self.checked, *later.checked})),
            rows=self.rows + later.rows,
            splits=Counter(self.splits) + Counter(later.splits),
            tally=Counter(self.tally) + Counter(later.tally),
            first={c: (*self.first.get(c, ()), *moved.get(c, ()))[:most] for c in codes},
            parts={k: _sum(self.parts.get(k, (0, 0)), later.parts.get(k, (0, 0))) for k in kinds},
            pieces=_join_pieces(self, later),
            most=most,
            facts={**self.facts, **later.facts},
            compares=self.compares and later.compares,
        )

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of findings of each code that was found."""
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

    def total(self, letter: str) -> int:
        """Return the number of findings with codes of this letter: E, W or I."""
        return sum(count for code, count in self.counts.items() if code.startswith(letter))

    @property
    def has_errors(self) -> bool:
        """True if there is an error (a code that begins with E)."""
        return self.total("E") > 0

    @property
    def has_problems(self) -> bool:
        """True if anything was found that is more than information."""
        return any(not is_informational(code) for code in self.counts)

    @property
    def exit_code(self) -> int:
        """Exit code of a command that checks: 1 for problems, otherwise 0."""
        return int(self.has_problems)

    def as_dict(self) -> dict[str, object]:
        """The report as plain values."""
        return {
            **self.facts,
            "rows": self.rows,
            "splits": dict(sorted(self.splits.items())),
            "checked": list(self.checked),
            "counts": self.counts,
            "necessary": {
                kind: {"needed": needed, "total": total, "share": needed / total}
                for kind, (needed, total) in sorted(self.parts.items())
                if total
            },
            "findings": [f.as_dict() for f in self.findings],
        }

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.as_dict(), indent=2)

    @cached_property
    def _across(self) -> tuple[dict[str, int], dict[str, tuple[Finding, ...]]]:
        """Counts and first findings of the checks that compare examples with each other."""
        codes = [code for code in COMPARED if code in self.checked]
        if not self.compares or not codes or not len(self.pieces):
            return {}, {}
        kept = KeptContents.of(self.pieces)
        found = {code: find_clashes([kept], CLASHES[code], most=self.most) for code in codes}
        first = {
            code: tuple(_about(code, one, f"also row {other.row} ({other.split or 'no split'})") for one, other in some)
            for code, (_, some) in found.items()
        }
        return {code: count for code, (count, _) in found.items()}, first


class Collector:
    """Collector of findings with selected codes, which makes the report at the end.

    Args:
        codes: all codes of a world with their messages.
        select: the beginnings of those to look for, as for `select_codes`.
        most: how many findings of each code are kept; the rest is only counted.
    """

    def __init__(self, codes: Mapping[str, str], *, select: Sequence[str] = (), most: int = MAX_FINDINGS) -> None:
        self.messages = dict(codes)
        self.codes = select_codes(codes, select)
        self.most = most
        self.tally: Counter[str] = Counter()
        self.first: dict[str, list[Finding]] = {}
        self.rows = 0
        self.splits: Counter[str] = Counter()

    def wants(self, *codes: str) -> bool:
        """Return whether any of these codes is selected."""
        return any(code in self.codes for code in codes)

    def add(self, code: str, detail: str, **where: Any) -> None:
        """Keep a finding if its code is selected.

        `where` are fields of `Finding`.
        """
        if code in self.codes:
            self.tally[code] += 1
            if self.tally[code] <= self.most:
                self.first.setdefault(code, []).append(Finding(code, self.messages[code], detail=detail, **where))

    def see(self, split: str, rows: int = 1) -> None:
        """Count examples that were checked."""
        self.rows += rows
        self.splits[split] += rows

    def add_counted(self, code: str, count: int, first: Iterable[Finding]) -> None:
        """Keep so many findings of a code, of which the first are given, behind those that are there."""
        if code in self.codes and count:
            self.tally[code] += count
            mine = self.first.setdefault(code, [])
            mine += list(first)[: self.most - len(mine)]

    def merge(self, later: Collector) -> None:
        """Take over what another collector has found, of examples that come after these."""
        self.rows += later.rows
        self.splits.update(later.splits)
        self.tally.update(later.tally)
        for code, found in later.first.items():
            mine = self.first.setdefault(code, [])
            mine += found[: self.most - len(mine)]

    def report(
        self,
        *,
        contents: Contents | KeptContents | None = None,
        compares: bool = True,
        facts: Mapping[str, Any] | None = None,
    ) -> Report:
        """All that was found."""
        return Report(
            checked=self.codes,
            rows=self.rows,
            splits=self.splits,
            tally=dict(sorted(self.tally.items())),
            first={code: tuple(found) for code, found in self.first.items()},
            pieces=() if contents is None else (contents,) if isinstance(contents, Contents) else contents,
            most=self.most,
            facts=facts or {},
            compares=compares,
        )


# -------------------------------------------------------------------------------- examples against each other


def check_across(reports: Mapping[str, Report], *, most: int = MAX_FINDINGS) -> Report:
    """Check several datasets together for E401 and W402, as if they were one dataset.

    What is twice in one of them stands in its own report and is left out here. A finding names its dataset, and the
    row there.

    Args:
        reports: the report of every dataset by the name of its path, all of one world.
        most: how many findings of each code are kept; the rest is only counted.
    """
    codes = [code for code in CLASHES if all(code in report.checked for report in reports.values())]
    kept, names = [KeptContents.of(report.pieces) for report in reports.values()], tuple(reports)
    tally: dict[str, int] = {}
    first: dict[str, tuple[Finding, ...]] = {}
    for code in codes:
        tally[code], clashes = find_clashes(kept, CLASHES[code], most=most, across=True)
        first[code] = tuple(
            replace(_about(code, one, _row_in(names[other.source], other)), path=names[one.source])
            for one, other in clashes
        )
    rows = sum(report.rows for report in reports.values())
    return Report(checked=tuple(codes), rows=rows, tally=tally, first=first, most=most)


def _leaks(contents: Contents) -> Hits:
    """The same content is in two splits.

    Test sets that are held out by rules may share examples with each other, but not with train, dev or test.
    """
    return _rows_again(contents, is_leak)


def _repeats(contents: Contents) -> Hits:
    """The same content is twice in one split."""
    return _rows_again(contents, is_repeat)


def _rows_again(contents: Contents, clash: Clash) -> Hits:
    """The rows whose content has come before in a split with which it clashes."""
    earlier = first_clashes(contents, clash)

    def detail(place: int) -> str:
        other = earlier[place]
        return f"also row {contents.row[other]} ({contents.split_at(other) or 'no split'})"

    return Hits(np.array(sorted(earlier), np.int64), detail)


def _about(code: str, seen: Sighting, detail: str) -> Finding:
    return Finding(code, COMPARED[code], split=seen.split, row=seen.row, id=seen.id, detail=detail)


def _row_in(name: str, seen: Sighting) -> str:
    return f"also row {seen.row} of {name} ({seen.split or 'no split'})"


def _join_pieces(one: Report, later: Report) -> Sequence[Contents]:
    """What two reports remember; whatever only one of them remembers stays as it is kept."""
    if not len(later.pieces) or (not one.rows and not len(one.pieces)):
        return one.pieces or later.pieces
    return (*one.pieces, *(replace(piece, row=piece.row + one.rows) for piece in later.pieces))


def _shift_row(finding: Finding, rows: int) -> Finding:
    return finding if finding.row is None else replace(finding, row=finding.row + rows)


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
