"""Running the checks over tables, piece by piece."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deixis.data._crew import in_order, in_order_by_threads, pack_table, unpack_table
from deixis.data._kept_contents import KeptContents
from deixis.data._packed_findings import pack_report, request_settings, unpack_report
from deixis.data._resumable_work import ResumableWork
from deixis.data._seal import find_changes
from deixis.data.checks import ALWAYS, MAX_FINDINGS, Contents, Finding, Hits, Report, select_codes
from deixis.data.store import read_parquet
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.grid.checks._chunk import Chunk
from deixis.worlds.grid.checks._content import ShardFile, faults, readable
from deixis.worlds.grid.checks._judge import CompiledJudge, PlainJudge
from deixis.worlds.grid.checks._registry import CHECKS
from deixis.worlds.grid.data._commands import Commands
from deixis.worlds.grid.data.table import DEMANDED


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.data._crew import Crew
    from deixis.data.checks import CheckRequest
    from deixis.data.store import Dataset
    from deixis.schema import Reading
    from deixis.worlds.grid.checks._judge import Judge
    from deixis.worlds.grid.checks._splits import HoldOut
    from deixis.worlds.grid.data.sources import Source


ROWS = 32_768  # looked at together
NECESSITY = frozenset(("W201", "I202", "E203", "E204"))


def check(path: Path, request: CheckRequest) -> Report:
    """Check the examples at a path: a dataset made by Deixis, a Parquet file or released files.

    The option `hold_out` has further split rules, e.g. `a1,b2`, that train, dev and test must keep.
    """
    from deixis.worlds.grid.data.sources import open_source
    from deixis.worlds.grid.splits.rules import find_rule

    names = [name.strip() for name in request.options.get("hold_out", "").split(",") if name.strip()]
    return check_source(open_source(path), request, rules=tuple(map(find_rule, names)))


def check_source(source: Source, request: CheckRequest, *, rules: Sequence[HoldOut] = ()) -> Report:
    """Check the examples of a source, with the rules of its recipe and those given."""
    from deixis.worlds.grid.data.sources import sample_rows

    select = request.select
    if source.kind == "gscan" and not select:  # gSCAN says 'a' whatever the world holds
        select = [code for code in select_codes(CHECKS) if code != "E601"]
    reading: Reading | None = "superlative" if source.kind == "gscan" else None  # smallest, not just smaller
    rules = tuple(dict.fromkeys((*source.rules, *rules)))
    options: dict[str, Any] = {name: getattr(request, name) for name in ("thorough", "workers", "crew", "most")}
    total = source.total
    if total is not None and request.sample is not None:
        total = min(total, request.sample)
    settings = request_settings(request, reading=reading, rules=[rule.id for rule in rules])
    options |= {"select": select, "progress": lambda rows: request.tell(source.path.name, rows, total)}
    with ResumableWork("check", source.path, settings) as resumable:
        options["resumable"] = resumable
        if request.sample is not None:
            unread: list[str] = []
            table = sample_rows(_readable(source.tables_for_check(), unread), request.sample, seed=request.seed)
            tables = [*([] if table is None else [table]), *unread]
            report = check_tables(tables, rules=rules, reading=reading, **options)
        elif source.dataset is not None:
            report = check_dataset(source.dataset, rules=rules, **options)
        else:
            report = check_tables(source.tables_for_check(), rules=rules, reading=reading, **options)
    left_out = {"left out": list(source.left_out)} if source.left_out else {}
    return replace(report, facts={"kind": source.kind, **left_out})


def _readable(tables: Iterable[pa.Table | str], unread: list[str]) -> Iterator[pa.Table]:
    """The tables; what stands in place of one that cannot be read goes to the list."""
    for table in tables:
        if isinstance(table, str):
            unread.append(table)
        else:
            yield table


def check_tables(
    tables: Iterable[pa.Table | str],
    *,
    select: Sequence[str] = (),
    thorough: bool = False,
    rules: Sequence[HoldOut] = (),
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    crew: Crew | None = None,
    most: int = MAX_FINDINGS,
    reading: Reading | None = None,
    resumable: ResumableWork | None = None,
) -> Report:
    """Check the examples of some tables, from any source.

    Args:
        tables: in the columns of `worlds.grid.data.table`; together they are one dataset, whose rows are numbered
            from 0. A text in place of a table says why it cannot be read.
        select: the beginnings of codes, such as `E`, `W2` or `E101`; by default everything but mere information.
        thorough: judge every row by the plain definitions, some hundred times slower.
        rules: what must not occur in train, dev or test.
        workers: how many threads share the work; the report does not depend on it.
        progress: called with the number of rows checked so far.
        crew: those who do it, if not the threads here; the report does not depend on it either.
        most: how many findings of each code are kept; the rest is only counted.
        reading: how size words are read, if not as the grid schema says; those of gSCAN mean smallest and biggest.
        resumable: what was found before the same check was interrupted.
    """
    judge: Judge = PlainJudge(reading) if thorough else CompiledJudge(reading)
    inspection = _Inspection(select_codes(CHECKS, select), judge, Commands(), tuple(rules), most=most)
    return inspection.run(tables, workers=workers, progress=progress, crew=crew, resumable=resumable)


def check_files(files: Iterable[ShardFile], *, select: Sequence[str] = ()) -> Report:
    """Check that files are what their manifest says."""
    codes = select_codes(CHECKS, select)
    report = Report(checked=tuple(code for code in codes if code == ALWAYS or CHECKS[code].scope == "file"))
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
    most: int = MAX_FINDINGS,
    resumable: ResumableWork | None = None,
) -> Report:
    """Check a dataset on disk, its files and its examples, with the arguments of `check_tables`."""
    files = [
        ShardFile(
            path=dataset.path / entry["path"], sha256=str(entry.get("sha256")), rows=entry["rows"], split=entry["split"]
        )
        for entry in dataset.manifest["files"]
    ]
    judge: Judge = PlainJudge() if thorough else CompiledJudge()
    codes = select_codes(CHECKS, select)
    inspection = _Inspection(codes, judge, Commands(), tuple(rules), _promises_every_word(dataset), most)
    tables = (table for file in files for table in _tables(file.path))
    examples = inspection.run(tables, workers=workers, progress=progress, crew=crew, resumable=resumable)
    changed = _changed_files(files, select).merge(_changed_beside(dataset, inspection.codes))
    return Report(checked=inspection.codes, most=most).merge(changed).merge(examples)


def _promises_every_word(dataset: Dataset) -> bool:
    """Return whether the recipe of a dataset says that no content word can be spared."""
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
    most: int = MAX_FINDINGS

    def run(
        self,
        tables: Iterable[pa.Table | str],
        *,
        workers: int,
        progress: Callable[[int], None] | None,
        crew: Crew | None = None,
        resumable: ResumableWork | None = None,
    ) -> Report:
        """The report of all tables; a text in place of a table says why it could not be read."""
        if workers < 1:
            raise RecipeError(f"checking needs at least one worker, got {workers}")
        report = Report(checked=self.codes, most=self.most)
        kept = KeptContents()

        def share(rest: Iterator[pa.Table | str], _count: int) -> Iterator[Report]:
            return self._reports(rest, workers, crew)

        def unpack(packed: dict[str, Any]) -> Report:
            return unpack_report(packed, Report(checked=self.codes, most=self.most))

        pieces = _pieces(tables)
        for piece in (
            share(pieces, 0)
            if resumable is None
            else resumable.go_on("reports", pieces, 0, share, pack=pack_report, unpack=unpack)
        ):
            for contents in piece.pieces:
                kept.add(contents, shift=report.rows)
            report = report.merge(replace(piece, pieces=()))
            if progress is not None:
                progress(report.rows)
        return replace(report, pieces=kept)

    def _reports(self, pieces: Iterator[pa.Table | str], workers: int, crew: Crew | None) -> Iterator[Report]:
        """Return the reports of all pieces, in their order."""
        if crew is None:
            return in_order_by_threads(self.report, pieces, workers)
        packed = (piece if isinstance(piece, str) else pack_table(piece) for piece in pieces)
        return in_order(crew, self.report_packed, packed, ahead=2 * crew.size)

    def report_packed(self, piece: bytes | str) -> Report:
        """Return the report of a piece that was sent from another machine."""
        return self.report(piece if isinstance(piece, str) else unpack_table(piece))

    def report(self, table: pa.Table | str) -> Report:
        """Return the report of one piece, whose rows are numbered from 0."""
        if isinstance(table, str):
            return self._unreadable(0, table)
        if problem := CHECKS[ALWAYS].find(table):
            return self._unreadable(table.num_rows, problem)
        broken = faults(table)
        try:
            rows, number, reasons = readable(table)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            return self._unreadable(table.num_rows, f"a column holds something else: {str(error).splitlines()[0]}")
        if broken:
            sound = ~np.isin(number, list(broken))
            rows, number = rows.filter(pa.array(sound)), number[sound]
        told = {**{row: (ALWAYS, why) for row, why in reasons.items()}, **broken}
        unread = [_finding(code, why, row=row) for row, (code, why) in sorted(told.items())]
        chunk = Chunk(
            rows,
            number,
            judge=self.judge,
            commands=self.commands,
            rules=self.rules,
            promises_every_word=self.promises_every_word,
        )
        return self._of_chunk(chunk, table.num_rows, [finding for finding in unread if finding.code in self.codes])

    def _unreadable(self, rows: int, problem: str) -> Report:
        first = {ALWAYS: (_finding(ALWAYS, problem),)}
        return Report(checked=self.codes, rows=rows, tally={ALWAYS: 1}, first=first, most=self.most)

    def _of_chunk(self, chunk: Chunk, rows: int, unread: Sequence[Finding]) -> Report:
        tally = Counter(finding.code for finding in unread)
        first = {code: tuple(f for f in unread if f.code == code)[: self.most] for code in tally}
        for code in self.codes:
            if CHECKS[code].scope == "row" and len(chunk):
                hits: Hits = CHECKS[code].find(chunk)
                tally[code] += len(hits.places)
                found = [_about(code, chunk, int(row), hits) for row in hits.places[: self.most]]
                first[code] = tuple(sorted((*first.get(code, ()), *found), key=_row)[: self.most])
        names = [chunk.split_names[number] for number in chunk.split.tolist()]
        return Report(
            checked=self.codes,
            rows=rows,
            splits=Counter(names),
            tally=tally,
            first=first,
            parts=chunk.tally_parts() if NECESSITY & set(self.codes) and len(chunk) else {},
            most=self.most,
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


def _row(finding: Finding) -> int:
    return -1 if finding.row is None else finding.row


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
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        found[ALWAYS] = (_finding(ALWAYS, f"{file.path.name} cannot be read: {reason}", split=file.split),)
    return Report(checked=codes, tally={code: len(findings) for code, findings in found.items()}, first=found)


def _changed_files(files: Sequence[ShardFile], select: Sequence[str]) -> Report:
    """The files that are not what their manifest says; those that cannot be read are reported with their examples."""
    report = check_files(files, select=select)
    kept = {code: found for code, found in report.first.items() if code != ALWAYS}
    return replace(report, first=kept, tally={code: n for code, n in report.tally.items() if code in kept})


def _changed_beside(dataset: Dataset, codes: Sequence[str]) -> Report:
    """What is wrong with the files beside the examples: the card, the manifest itself, and what it does not list."""
    shards = {entry["path"] for entry in dataset.manifest["files"]}
    changes = find_changes(dataset.path, dataset.manifest, without=shards)
    told = {
        "E002": [f"{name} has changed: {what}" for name, what in changes],
        "W006": [f"{name} is not in the manifest" for name in CHECKS["W006"].find(dataset)],
    }
    found = {code: tuple(_finding(code, one) for one in some) for code, some in told.items() if some and code in codes}
    return Report(tally={code: len(some) for code, some in found.items()}, first=found)


def _tables(path: Path) -> Iterator[pa.Table | str]:
    """Yield the examples of a file, and the reason where they cannot be read to the end."""
    try:
        yield from read_parquet(path, rows=ROWS, demanded=DEMANDED)
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
