"""Part `audit` of the grid: the measures over tables and sources, compiled, piece by piece."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from deixis.audits._counting import Looks, Readers, Tally
from deixis.audits._packed import (
    pack_looks,
    pack_sightings,
    pack_tally,
    unpack_looks,
    unpack_sightings,
    unpack_tally,
)
from deixis.audits._sightings import KeptSightings, Sightings, count_repeats
from deixis.audits.audit import UNREADABLE
from deixis.audits.run import DatasetAudit
from deixis.data._crew import in_order_by_threads, pack_table, share_in_order, unpack_table
from deixis.data._resumable_work import ResumableWork
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.grid._audit.features import GRID_FEATURES
from deixis.worlds.grid._audit.measures import MEASURES
from deixis.worlds.grid._audit.questions import Questions
from deixis.worlds.grid._audit.rows import ChunkAudit
from deixis.worlds.grid._paper.published import released_audit
from deixis.worlds.grid.checks._chunk import Chunk
from deixis.worlds.grid.checks._content import readable
from deixis.worlds.grid.checks._judge import CompiledJudge
from deixis.worlds.grid.checks._registry import CHECKS
from deixis.worlds.grid.data._commands import Commands
from deixis.worlds.grid.data.sources import open_source, sample_rows
from deixis.worlds.grid.formats._release import find_release


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.audits.audit import Audit
    from deixis.data._crew import Crew
    from deixis.worlds.grid.checks._splits import HoldOut
    from deixis.worlds.grid.data.sources import Source


ROWS = 32_768  # looked at together
Table: TypeAlias = Any  # of pyarrow

published, measures, runs_on_clusters = released_audit, MEASURES, True


def audit(
    path: Path,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int = 1,
    crew: Crew | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> DatasetAudit:
    """Return the audit of a dataset, a Parquet file or released files, see `deixis.worlds.world.Audits`."""
    source = open_source(path)
    total = None if split or sample else source.total
    seen = KeptSightings()

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, total)

    how: dict[str, Any] = {"split": split, "sample": sample, "seed": seed, "workers": workers, "crew": crew}
    settings = {name: how[name] for name in ("split", "sample", "seed")}
    with ResumableWork("audit", source.path, settings) as resumable:
        found = audit_source(source, **how, progress=tell, seen=seen, resumable=resumable)
    return DatasetAudit(found, seen, notes=tuple(_notes(path)))


def _notes(path: Path) -> Iterator[str]:
    """Yield the folders of a release that are not read with it."""
    release = find_release(path) if path.is_dir() else None
    if release is not None and release.left_out:
        yield f"left out, since they repeat examples of train or test: {', '.join(release.left_out)}"


def audit_tables(
    tables: Iterable[Table],
    *,
    rules: Sequence[HoldOut] = (),
    workers: int = 1,
    crew: Crew | None = None,
    progress: Callable[[int], None] | None = None,
    seen: KeptSightings | None = None,
    resumable: ResumableWork | None = None,
) -> Audit:
    """Audit the examples of some tables, from any source.

    Args:
        tables: in the columns of `worlds.grid.data.table`; together they are one dataset.
        rules: what train, dev and test should not hold.
        workers: how many threads share the work; the audit does not depend on it.
        crew: those who share it instead.
        progress: called with the number of rows judged so far.
        seen: is filled with what it takes to recognise the examples.
        resumable: what was counted before the same audit was interrupted.

    Raises:
        BrokenDataset: when a table lacks a column or holds something else in it.
    """
    if workers < 1:
        raise RecipeError(f"an audit needs at least one worker, got {workers}")
    judge = _Judge(tuple(rules))
    total = Tally()
    sightings = KeptSightings() if seen is None else seen
    readers = Readers(GRID_FEATURES, 256)

    def share(rest: Iterator[Table], _count: int) -> Iterator[_Piece]:
        return _judge_pieces(judge, rest, workers, crew)

    pieces = _pieces(tables)
    for piece in (
        share(pieces, 0)
        if resumable is None
        else resumable.go_on("counts", pieces, 0, share, pack=_Piece.pack, unpack=_Piece.unpack)
    ):
        total.merge(piece.tally)
        sightings.append(piece.sightings)
        readers.see(piece.looks)
        if progress is not None:
            progress(total.examples)
    count_repeats(total, sightings)
    readers.judge(total)
    return total.audit()


def audit_source(
    source: Source,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    rules: Sequence[HoldOut] = (),
    workers: int = 1,
    crew: Crew | None = None,
    progress: Callable[[int], None] | None = None,
    seen: KeptSightings | None = None,
    resumable: ResumableWork | None = None,
) -> Audit:
    """Audit a dataset from any source, with the rules of its recipe.

    Args:
        source: from `worlds.grid.data.sources.open_source`.
        split: only the examples of this split.
        sample: only so many examples, chosen at random.
        seed: which ones.
        rules: what train, dev and test should not hold, beside what the recipe says.
        workers: how many threads share the work.
        crew: those who share it instead.
        progress: called with the number of rows judged so far.
        seen: is filled with what it takes to recognise the examples.
        resumable: what was counted before the same audit was interrupted.
    """
    tables = source.tables(split)
    if sample is not None:
        chosen = sample_rows(tables, sample, seed=seed)
        tables = iter(() if chosen is None else (chosen,))
    every_rule = tuple(dict.fromkeys((*source.rules, *rules)))
    how: dict[str, Any] = {"rules": every_rule, "workers": workers, "crew": crew, "progress": progress}
    return audit_tables(tables, **how, seen=seen, resumable=resumable)


class _Piece(NamedTuple):
    """What one chunk gives."""

    tally: Tally
    sightings: Sightings
    looks: Looks

    def pack(self) -> list[Any]:
        """Return the piece as JSON can tell it."""
        return [pack_tally(self.tally), pack_sightings(self.sightings), pack_looks(self.looks)]

    @classmethod
    def unpack(cls, packed: list[Any]) -> _Piece:
        """Return the same piece again."""
        tally, seen, looks = packed
        return cls(unpack_tally(tally), unpack_sightings(seen), unpack_looks(looks))


class _Judge:
    """What all chunks share: commands read once, questions asked once."""

    def __init__(self, rules: tuple[HoldOut, ...]) -> None:
        self.rules = rules
        self.compiled = CompiledJudge()
        self.commands = Commands()  # by their texts, whose determiners are counted, too
        self.questions = Questions()

    def piece(self, table: Table) -> _Piece:
        """Return the audit of one piece of a table."""
        if problem := CHECKS["E001"].find(table):
            raise BrokenDataset(problem)
        try:
            rows, number, reasons = readable(table)
        except (ValueError, NotImplementedError) as error:  # what pyarrow raises on columns of another kind
            reason = str(error).partition("\n")[0]
            raise BrokenDataset(f"a column holds something else than it should: {reason}") from error
        chunk = Chunk(rows, number, judge=self.compiled, commands=self.commands, rules=self.rules)
        audit = ChunkAudit(chunk, self.questions)
        tally = audit.count()
        tally.examples += len(reasons)
        tally.add("unjudged", UNREADABLE, count=len(reasons))
        return _Piece(tally, audit.sightings, audit.looks)


def _judge_pieces(judge: _Judge, pieces: Iterator[Table], workers: int, crew: Crew | None) -> Iterator[_Piece]:
    """The audits of all pieces, in their order."""
    if crew is None:
        return in_order_by_threads(judge.piece, pieces, workers)
    return share_in_order(crew, _judge_packed, map(pack_table, pieces), judge.rules)


def _judge_packed(rules: tuple[HoldOut, ...], piece: bytes) -> _Piece:
    """The audit of a piece that was sent to another process."""
    return _judge_with(rules).piece(unpack_table(piece))


@lru_cache(maxsize=1)
def _judge_with(rules: tuple[HoldOut, ...]) -> _Judge:
    """What all pieces of a worker share."""
    return _Judge(rules)


def _pieces(tables: Iterable[Table]) -> Iterator[Table]:
    for table in tables:
        for start in range(0, table.num_rows, ROWS):
            yield table.slice(start, ROWS)
