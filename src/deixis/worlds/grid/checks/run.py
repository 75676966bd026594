"""Running the checks over tables, piece by piece."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from deixis.datasets.checks.chunk import Chunk
from deixis.datasets.checks.content import ShardFile, readable
from deixis.datasets.checks.findings import MAX_FINDINGS, Contents, Finding, Report
from deixis.datasets.checks.judge import CompiledJudge, PlainJudge
from deixis.datasets.checks.registry import ALWAYS, CHECKS, Hits, selected
from deixis.datasets.checks.said import Commands
from deixis.datasets.in_order import in_order, in_order_by_threads
from deixis.datasets.packed import pack_table, unpack_table
from deixis.datasets.store import read_parquet
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.datasets.checks.judge import Judge
    from deixis.datasets.checks.rules import HoldOut
    from deixis.datasets.crew import Crew
    from deixis.datasets.store import Dataset


__all__ = ["check_dataset", "check_files", "check_tables"]

ROWS = 32_768  # looked at together
NECESSITY = frozenset(("W201", "I202", "E203", "E204"))


def check_tables(
    tables: Iterable[pa.Table],
    *,
    select: Sequence[str] = (),
    thorough: bool = False,
    rules: Sequence[HoldOut] = (),
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    crew: Crew | None = None,
) -> Report:
    """What is wrong with the examples of some tables, whoever made them.

    Args:
        tables: in the columns of `datasets.table`; together they are one dataset, whose rows are numbered from 0.
        select: the beginnings of codes, such as `E`, `W2` or `E101`; by default everything but mere information.
        thorough: judge every row by the plain definitions, some hundred times slower.
        rules: what must not occur in train, dev or test.
        workers: how many threads share the work; the report does not depend on it.
        progress: called with the number of rows checked so far.
        crew: those who do it, if not the threads here; the report does not depend on it either.
    """
    judge: Judge = PlainJudge() if thorough else CompiledJudge()
    inspection = _Inspection(selected(select), judge, Commands(), tuple(rules))
    return inspection.run(tables, workers=workers, progress=progress, crew=crew)


def check_files(files: Iterable[ShardFile], *, select: Sequence[str] = ()) -> Report:
    """Whether files are what their manifest says."""
    report = Report(checked=tuple(code for code in selected(select) if code == ALWAYS or CHECKS[code].scope == "file"))
    for file in files:
        report = report.merge(_report_of_file(file, report.checked))
    return report


def check_dataset(
    dataset: Dataset,
    *,
    select: Sequence[str] = (),
    thorough: bool = False,
    rules: Sequence[HoldOut] = (),
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    crew: Crew | None = None,
) -> Report:
    """What is wrong with a dataset on disk, its files and its examples; the arguments are those of `check_tables`."""
    files = [
        ShardFile(
            path=dataset.path / entry["path"], sha256=str(entry.get("sha256")), rows=entry["rows"], split=entry["split"]
        )
        for entry in dataset.manifest["files"]
    ]
    judge: Judge = PlainJudge() if thorough else CompiledJudge()
    inspection = _Inspection(selected(select), judge, Commands(), tuple(rules), _promises_every_word(dataset))
    tables = (table for file in files for table in _tables(file.path))
    examples = inspection.run(tables, workers=workers, progress=progress, crew=crew)
    return Report(checked=inspection.codes).merge(_changed_files(files, select)).merge(examples)


def _promises_every_word(dataset: Dataset) -> bool:
    """Whether the recipe of a dataset says that no content word can be spared."""
    recipe = dataset.manifest.get("recipe")
    return isinstance(recipe, dict) and recipe.get("mode") == "every-word"


@dataclass(frozen=True)
class _Inspection:
    """What is looked for, and with what."""

    codes: tuple[str, ...]
    judge: Judge
    commands: Commands
    rules: tuple[HoldOut, ...]
    promises_every_word: bool = False

    def run(
        self,
        tables: Iterable[pa.Table | str],
        *,
        workers: int,
        progress: Callable[[int], None] | None,
        crew: Crew | None = None,
    ) -> Report:
        """The report of all tables; a text in place of a table says why it could not be read."""
        if workers < 1:
            raise RecipeError(f"checking needs at least one worker, got {workers}")
        report = Report(checked=self.codes)
        for piece in self._reports(_pieces(tables), workers, crew):
            report = report.merge(piece)
            if progress is not None:
                progress(report.rows)
        return report

    def _reports(self, pieces: Iterator[pa.Table | str], workers: int, crew: Crew | None) -> Iterator[Report]:
        """The reports of all pieces, in their order."""
        if crew is None:
            return in_order_by_threads(self.report, pieces, workers)
        packed = (piece if isinstance(piece, str) else pack_table(piece) for piece in pieces)
        return in_order(crew, self.report_packed, packed, ahead=2 * crew.size)

    def report_packed(self, piece: bytes | str) -> Report:
        """The report of a piece that was sent from another machine."""
        return self.report(piece if isinstance(piece, str) else unpack_table(piece))

    def report(self, table: pa.Table | str) -> Report:
        """The report of one piece, whose rows are numbered from 0."""
        if isinstance(table, str):
            return self._unreadable(0, table)
        if problem := CHECKS[ALWAYS].find(table):
            return self._unreadable(table.num_rows, problem)
        try:
            rows, number, reasons = readable(table)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            return self._unreadable(table.num_rows, f"a column holds something else: {str(error).splitlines()[0]}")
        unread = tuple(_finding(ALWAYS, why, row=row) for row, why in sorted(reasons.items())[:MAX_FINDINGS])
        chunk = Chunk(
            rows,
            number,
            judge=self.judge,
            commands=self.commands,
            rules=self.rules,
            promises_every_word=self.promises_every_word,
        )
        return self._of_chunk(chunk, table.num_rows, {ALWAYS: len(reasons)}, {ALWAYS: unread})

    def _unreadable(self, rows: int, problem: str) -> Report:
        first = {ALWAYS: (_finding(ALWAYS, problem),)}
        return Report(checked=self.codes, rows=rows, tally={ALWAYS: 1}, first=first)

    def _of_chunk(
        self, chunk: Chunk, rows: int, tally: dict[str, int], first: dict[str, tuple[Finding, ...]]
    ) -> Report:
        for code in self.codes:
            if CHECKS[code].scope == "row" and len(chunk):
                hits: Hits = CHECKS[code].find(chunk)
                tally[code] = len(hits.places)
                first[code] = tuple(_about(code, chunk, int(row), hits) for row in hits.places[:MAX_FINDINGS])
        names = [chunk.split_names[number] for number in chunk.split.tolist()]
        return Report(
            checked=self.codes,
            rows=rows,
            splits=Counter(names),
            tally=tally,
            first=first,
            parts=chunk.tally_parts() if NECESSITY & set(self.codes) and len(chunk) else {},
            pieces=(_contents(chunk),) if any(CHECKS[code].scope == "dataset" for code in self.codes) else (),
        )


def _about(code: str, chunk: Chunk, row: int, hits: Hits) -> Finding:
    return Finding(
        code,
        CHECKS[code].message,
        split=chunk.split_of(row),
        row=int(chunk.number[row]),
        id=int(chunk.id[row]),
        detail=hits.detail(row),
    )


def _finding(code: str, detail: str, *, split: str = "", row: int | None = None) -> Finding:
    return Finding(code, CHECKS[code].message, split=split, row=row, detail=detail)


def _contents(chunk: Chunk) -> Contents:
    rows = np.flatnonzero(chunk.is_sound)
    return Contents(
        digest=chunk.digest[rows],
        id=chunk.id[rows],
        row=chunk.number[rows],
        split=chunk.split[rows],
        names=chunk.split_names,
    )


def _report_of_file(file: ShardFile, codes: tuple[str, ...]) -> Report:
    found: dict[str, tuple[Finding, ...]] = {}
    try:
        problem = CHECKS["E002"].find(file) if "E002" in codes else ""
        if problem:
            found["E002"] = (_finding("E002", problem, split=file.split),)
    except (OSError, pa.ArrowException) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        found[ALWAYS] = (_finding(ALWAYS, f"{file.path.name} cannot be read: {reason}", split=file.split),)
    return Report(checked=codes, tally={code: len(findings) for code, findings in found.items()}, first=found)


def _changed_files(files: Sequence[ShardFile], select: Sequence[str]) -> Report:
    """The files that are not what their manifest says; those that cannot be read are reported with their examples."""
    report = check_files(files, select=select)
    kept = {code: found for code, found in report.first.items() if code != ALWAYS}
    return replace(report, first=kept, tally={code: n for code, n in report.tally.items() if code in kept})


def _tables(path: Path) -> Iterator[pa.Table | str]:
    """The examples of a file, and the reason where they cannot be read to the end."""
    try:
        yield from read_parquet(path, rows=ROWS)
    except BrokenDataset as error:
        yield str(error)


def _pieces(tables: Iterable[pa.Table | str]) -> Iterator[pa.Table | str]:
    """The tables in pieces of a size that fits the caches; one whose columns cannot be read stays in one piece."""
    for table in tables:
        if isinstance(table, str) or table.num_rows <= ROWS or CHECKS[ALWAYS].find(table):
            yield table
            continue
        for start in range(0, table.num_rows, ROWS):
            yield table.slice(start, ROWS)
