"""Audits of the datasets of every world, and of grounded expressions, by path."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.audits._packed import pack_piece, unpack_piece
from deixis.audits._plain import AuditCount, KnownScenes
from deixis.audits._surface import SurfaceCount, meaning_figures
from deixis.audits.audit import NO_COMMAND, NO_MEANING
from deixis.audits.figures import ROWS as FIGURE_ROWS
from deixis.audits.grounded import is_grounded, read_grounded
from deixis.audits.measures import exchanges
from deixis.data._data_places import share_reading
from deixis.data._resumable_work import ResumableWork
from deixis.data._split_names import names_in_split
from deixis.errors import RecipeError, UnknownName
from deixis.seeds import Stream, derive
from deixis.worlds.registry import find_world, world_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from deixis.audits._plain import AuditPiece
    from deixis.audits._sightings import Sightings
    from deixis.audits.audit import Audit
    from deixis.audits.figures import Figure
    from deixis.audits.measures import Bag
    from deixis.data._crew import Crew
    from deixis.data._data_places import DataPlace
    from deixis.worlds.example import Example, Examples

    Tell: TypeAlias = Callable[[int, int | None], None]


__all__ = [
    "DatasetAudit",
    "FurtherTable",
    "add_figures",
    "audit_dataset",
    "audit_path",
    "audit_plainly",
    "choose",
    "draw_examples",
    "runs_on_clusters",
]

TOGETHER = 16  # examples that one process judges at a time, so that progress is told often
READ_TOGETHER = 64  # of a file that is read in one pass
MOST_FIGURED = 20_000  # examples on which figures are measured that need no meaning


@dataclass(frozen=True, kw_only=True)
class FurtherTable:
    """A table of measures that only one world has.

    Attributes:
        title: what it shows, and in which unit.
        heads: of its columns; the first is that of the names of rows.
        rows: the cells as text.
        plot: a figure of the same from `deixis.report.plots`, where there is one.
        words: how many columns, from the first, hold words and not numbers.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    plot: Any = None
    words: int = 1


@dataclass(frozen=True)
class DatasetAudit:
    """The audit of one dataset.

    Attributes:
        audit: the common counts.
        sightings: what it takes to recognise the examples, so that datasets can be compared.
        rows: further measures of its world by name, as text, for the table that all datasets share.
        tables: further tables of its world.
        notes: whatever else there is to say, a sentence each.
        plain: all that is particular to its world as plain values, for JSON.
        figures: measures of any examples by name, see `deixis.audits.figures`; empty where nobody asked.
    """

    audit: Audit
    sightings: Sequence[Sightings] = ()
    rows: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[FurtherTable, ...] = ()
    notes: tuple[str, ...] = ()
    plain: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain values."""
        figures = {name: one.to_dict(FIGURE_ROWS[name].needs) for name, one in self.figures.items()}
        return {**self.plain, **({"figures": figures} if figures else {}), **self.audit.to_dict()}


def audit_path(
    path: Path,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Tell | None = None,
) -> Audit:
    """The common counts of `audit_dataset`."""
    return audit_dataset(path, split=split, sample=sample, seed=seed, workers=workers, progress=progress).audit


def audit_dataset(
    path: Path,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int = 1,
    crew: Crew | None = None,
    progress: Tell | None = None,
    with_figures: bool = False,
) -> DatasetAudit:
    """Audit a dataset of any world, or grounded expressions, at a path.

    Args:
        path: the folder or file.
        split: only the examples of this split.
        sample: only so many examples, chosen at random.
        seed: which ones.
        workers: how many share the work; the audit does not depend on it.
        crew: those who work instead, where the part `audit` of a world takes one.
        progress: called with the number of examples judged so far, and how many there are where that is known.
        with_figures: also measure what needs no meaning (`deixis.audits.figures`), on at most 20,000 examples chosen by
            the seed; files of others always have these figures.
    """
    if workers < 1:
        raise RecipeError(f"an audit needs at least one worker, got {workers}")
    if crew is not None and not runs_on_clusters(path):
        raise RecipeError(f"one process audits {path}, which is read in one pass; leave the cluster out")
    if is_grounded(path):
        return _audit_grounded(path, split, sample, seed, progress, with_figures=with_figures)
    world = world_of(path)
    if world.has("audit"):
        part = world.part("audit")
        by = {} if crew is None else {"crew": crew}
        found: DatasetAudit = part.audit(
            path, split=split, sample=sample, seed=seed, workers=workers, progress=progress, **by
        )
    else:
        found = audit_plainly(
            world.name, path, split=split, sample=sample, seed=seed, workers=workers, progress=progress, crew=crew
        )
    if not with_figures or found.figures:
        return found
    count = SurfaceCount(world.task)
    examples = world.part("examples").open(path)
    for example in draw_examples(examples, split, min(sample or MOST_FIGURED, MOST_FIGURED), seed):
        count.add(example)
    return add_figures(found, count)


def runs_on_clusters(path: Path) -> bool:
    """Return whether a crew may share the audit of what lies at a path."""
    if is_grounded(path):
        return False
    world = world_of(path)
    return not world.has("audit") or getattr(world.part("audit"), "runs_on_clusters", False)


def add_figures(
    found: DatasetAudit, count: SurfaceCount, *, known: int | None = None, fits: Mapping[str, int] | None = None
) -> DatasetAudit:
    """Return an audit with the figures of any examples.

    Args:
        found: the audit.
        count: what was counted of the same examples, or of some of them.
        known: how many of the counted texts have a meaning; as many as were judged or fit something else, if not given.
        fits: how many more meanings fit what, by reason, where several objects or none are meant.
    """
    audit, examples = found.audit, len(count.texts.texts)
    if known is None:
        lost = sum(audit.unjudged.get((why,), 0) for why in (NO_MEANING, NO_COMMAND))
        meanings = meaning_figures(audit, known=audit.examples - lost, examples=audit.examples)
    else:
        meanings = meaning_figures(audit, known=known, examples=examples, fits=fits)
    tables = tuple(
        FurtherTable(title=one.title, heads=one.heads, rows=one.rows, words=one.words) for one in count.tables()
    )
    return replace(found, figures=count.figures(meanings), tables=(*found.tables, *tables))


def draw_examples(examples: Examples, split: str | None, most: int, seed: int) -> Iterator[Example]:
    """Yield examples of a split, or of all, chosen by a seed where there are more than `most`.

    Examples may have a method `draw` of the same meaning, where that is faster than one by one.
    """
    draw = getattr(examples, "draw", None)
    if draw is not None:
        yield from draw(split, most, seed)
        return
    yield from (examples[number] for number in choose(examples.numbers(split), most, seed))


def audit_plainly(
    world: str,
    path: Path,
    *,
    split: str | None,
    sample: int | None,
    seed: int,
    workers: int,
    progress: Tell | None,
    crew: Crew | None = None,
    bag: Bag = exchanges,
) -> DatasetAudit:
    """Audit the examples of a world by the plain definitions.

    `bag` has the readings of a bag of words.
    """
    opened = _OpenData(find_world(world).part("examples").open(path), {}, KnownScenes())
    numbers = choose(opened.examples.numbers(split), sample, seed)
    pieces = [_Piece(world, numbers[k : k + TOGETHER], bag) for k in range(0, len(numbers), TOGETHER)]
    whole = AuditCount()

    def share(rest: Iterator[_Piece], count: int) -> Iterator[AuditPiece]:
        return share_reading(
            _count, path, rest, count, workers=workers, crew=crew, here=partial(_count_examples, opened)
        )

    settings = {"world": world, "split": split, "sample": sample, "seed": seed, "bag": bag.__name__}
    with ResumableWork("audit", path, settings) as resumable:
        kept = resumable.go_on("counts", pieces, len(pieces), share, pack=pack_piece, unpack=unpack_piece)
        for piece in kept:
            whole.merge(piece)
            if progress is not None:
                progress(whole.tally.examples, len(numbers))
    return DatasetAudit(whole.audit(), whole.sightings)


def choose(numbers: Sequence[int], sample: int | None, seed: int) -> Sequence[int]:
    """Choose a random sample of some numbers, in their order, or all if there are no more than that."""
    if sample is None or sample >= len(numbers):
        return numbers
    return [
        numbers[place] for place in sorted(Stream(derive(seed, "sample")).permutation(range(len(numbers)))[:sample])
    ]


def _audit_grounded(
    path: Path, split: str | None, sample: int | None, seed: int, progress: Tell | None, *, with_figures: bool
) -> DatasetAudit:
    found, known = _numbers_in(path, split)
    if not found and split is not None:
        raise UnknownName(f"there is no split {split!r}; known: {', '.join(sorted(known)) or 'none'}")
    chosen = choose(found, sample, seed)
    figured = frozenset(choose(chosen, MOST_FIGURED, seed)) if with_figures else frozenset()
    whole, surface, scenes = AuditCount(), SurfaceCount(), KnownScenes()

    def blocks() -> Iterator[list[Example]]:
        """Read the chosen examples block by block."""
        wanted = iter(chosen)
        stream = ((number, one) for number, one in enumerate(read_grounded(path)))
        number = next(wanted, None)
        block: list[Example] = []
        for place, one in stream:
            if place != number:
                continue
            number = next(wanted, None)
            if place in figured:
                surface.add(one)
            block.append(one)
            if len(block) == READ_TOGETHER:
                yield block
                block = []
        if block:
            yield block

    def judge(rest: Iterator[list[Example]], _count: int) -> Iterator[AuditPiece]:
        return (_count_block(block, scenes) for block in rest)

    settings = {"split": split, "sample": sample, "seed": seed}
    with ResumableWork("audit", path, settings) as resumable:
        for piece in resumable.go_on("blocks", blocks(), 0, judge, pack=pack_piece, unpack=unpack_piece):
            whole.merge(piece)
            if progress is not None:
                progress(whole.tally.examples, len(chosen))
    found_audit = DatasetAudit(whole.audit(), whole.sightings)
    return add_figures(found_audit, surface) if with_figures else found_audit


def _numbers_in(path: Path, split: str | None) -> tuple[Sequence[int], set[str]]:
    """Read grounded expressions once: the numbers of those in a split, or of all, and the names of the splits."""
    numbers, known, total = array("q"), set[str](), 0
    for one in read_grounded(path):
        names = names_in_split(one.split)
        known.update(name for name in names if name)
        if split is not None and split in names:
            numbers.append(total)
        total += 1
    return range(total) if split is None else numbers, known


def _count_block(block: Sequence[Example], scenes: KnownScenes) -> AuditPiece:
    found = AuditCount(known=scenes)
    for one in block:
        found.add(one)
    return found.piece()


class _Piece(NamedTuple):
    """Some examples of a dataset of a world, and the readings of a bag of words."""

    world: str
    numbers: Sequence[int]
    bag: Bag


def _count(place: DataPlace, piece: _Piece) -> AuditPiece:
    """Count some examples, in whatever process."""
    return _count_examples(_open_data(place, piece.world), piece)


def _count_examples(opened: _OpenData, piece: _Piece) -> AuditPiece:
    found = AuditCount(opened.alike, bag=piece.bag, known=opened.known)
    for number in piece.numbers:
        found.add(opened.examples[number])
    return found.piece()


class _OpenData(NamedTuple):
    """Examples, and what was worked out of those that are alike and of their scenes."""

    examples: Examples
    alike: dict[object, Any]
    known: KnownScenes


@lru_cache(maxsize=1)
def _open_data(place: DataPlace, world: str) -> _OpenData:
    """Open a dataset, which stays open for the next piece."""
    return _OpenData(find_world(world).part("examples").open(place.find()), {}, KnownScenes())
