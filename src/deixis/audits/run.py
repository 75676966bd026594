"""Audits of tables, sources and grounded expressions, piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from deixis.audits.features import GRID_FEATURES
from deixis.audits.grounded import is_grounded, read_grounded
from deixis.audits.plain import audit_grounded
from deixis.audits.questions import Questions
from deixis.audits.readers import Looks, Readers
from deixis.audits.rows import ChunkAudit
from deixis.audits.sameness import Sightings, count_repeats
from deixis.audits.tally import Tally
from deixis.datasets.checks.chunk import Chunk
from deixis.datasets.checks.content import readable
from deixis.datasets.checks.judge import CompiledJudge
from deixis.datasets.checks.registry import CHECKS
from deixis.datasets.checks.said import Commands
from deixis.datasets.in_order import in_order_by_threads
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.audits.audit import Audit
    from deixis.audits.grounded import Grounded
    from deixis.datasets.checks.rules import HoldOut
    from deixis.datasets.sources import Source


__all__ = ["audit_path", "audit_source", "audit_tables"]

ROWS = 32_768  # looked at together
UNREADABLE = "row cannot be read"
Table: TypeAlias = Any  # of pyarrow, which only `datasets` names
Work = TypeVar("Work")
Done = TypeVar("Done")


def audit_path(
    path: Path,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int | None], None] | None = None,
) -> Audit:
    """The audit of whatever lies at a path: a dataset in any layout that `deixis check` reads, or grounded expressions.

    Args:
        path: the folder or file.
        split: only the examples of this split.
        sample: only so many examples, chosen at random.
        seed: which ones.
        workers: how many threads share the work; the audit does not depend on it.
        progress: called with the number of examples judged so far, and how many there are where that is known.
    """
    from deixis.datasets.sources import open_source

    def tell_of(total: int | None) -> Callable[[int], None]:
        return lambda done: progress(done, total) if progress is not None else None

    if is_grounded(path):
        examples = _chosen(read_grounded(path), split, sample, seed)
        return audit_grounded(examples, progress=tell_of(len(examples)))
    source = open_source(path)
    total = None if split or sample else source.total
    tell = tell_of(total)
    return audit_source(source, split=split, sample=sample, seed=seed, workers=workers, progress=tell)


def audit_tables(
    tables: Iterable[Table],
    *,
    rules: Sequence[HoldOut] = (),
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Audit:
    """What the examples of some tables test, whoever made them.

    Args:
        tables: in the columns of `datasets.table`; together they are one dataset.
        rules: what train, dev and test should not hold.
        workers: how many threads share the work; the audit does not depend on it.
        progress: called with the number of rows judged so far.

    Raises:
        BrokenDataset: when a table lacks a column or holds something else in it.
    """
    if workers < 1:
        raise RecipeError(f"an audit needs at least one worker, got {workers}")
    judge = _Judge(tuple(rules))
    total, sightings = Tally(), []
    readers = Readers(GRID_FEATURES, 256)
    for piece in in_order_by_threads(judge.piece, _pieces(tables), workers):
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
    progress: Callable[[int], None] | None = None,
) -> Audit:
    """The audit of a dataset wherever it lies; the rules of its recipe are looked after too.

    Args:
        source: from `datasets.sources.open_source`.
        split: only the examples of this split.
        sample: only so many examples, chosen at random.
        seed: which ones.
        rules: what train, dev and test should not hold, beside what the recipe says.
        workers: how many threads share the work.
        progress: called with the number of rows judged so far.
    """
    from deixis.datasets.sources import sample_rows

    tables = source.tables(split)
    if sample is not None:
        chosen = sample_rows(tables, sample, seed=seed)
        tables = iter(() if chosen is None else (chosen,))
    every_rule = tuple(dict.fromkeys((*source.rules, *rules)))
    return audit_tables(tables, rules=every_rule, workers=workers, progress=progress)


def _chosen(examples: Iterable[Grounded], split: str | None, sample: int | None, seed: int) -> list[Grounded]:
    """The examples of a split, or so many of them."""
    everything = list(examples)
    found = [one for one in everything if split is None or split in one.split.split("+")]
    if not found and split is not None:
        known = sorted({single for one in everything for single in one.split.split("+") if single})
        raise UnknownName(f"there is no split {split!r}; known: {', '.join(known) or 'none'}")
    if sample is None or sample >= len(found):
        return found
    numbers = Stream(derive(seed, "sample")).shuffled(range(len(found)))[:sample]
    return [found[number] for number in sorted(numbers)]


class _Piece(NamedTuple):
    """What one chunk gives."""

    tally: Tally
    sightings: Sightings
    looks: Looks


class _Judge:
    """What all chunks share: commands read once, questions asked once."""

    def __init__(self, rules: tuple[HoldOut, ...]) -> None:
        self.rules = rules
        self.compiled = CompiledJudge()
        self.commands = Commands()
        self.questions = Questions()

    def piece(self, table: Table) -> _Piece:
        """The audit of one piece of a table."""
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


def _pieces(tables: Iterable[Table]) -> Iterator[Table]:
    for table in tables:
        for start in range(0, table.num_rows, ROWS):
            yield table.slice(start, ROWS)
