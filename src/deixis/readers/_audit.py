"""Audits of files of others: with meaning where there is one, and of whatever else the examples hold.

Texts without a meaning are no losses: they are counted with the reason, and measured by the figures of any examples.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.audits._packed import pack_piece, unpack_piece
from deixis.audits._plain import AuditCount, KnownScenes
from deixis.audits._surface import SurfaceCount
from deixis.audits.measures import ANOTHER, NOTHING, SEVERAL
from deixis.audits.run import DatasetAudit, add_figures, choose
from deixis.data._resumable_work import ResumableWork
from deixis.errors import DeixisError
from deixis.resolution.reference import resolve
from deixis.scene.scene import Context, Where


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from deixis.audits._plain import AuditPiece
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import Examples


MOST_JUDGED = 20_000  # examples with a meaning whose parts are judged, unless a sample is asked for
MOST_WORDS = 8  # that no language covers, in a note
STEP = 256  # examples that are judged together, between two tellings of progress
CHOICES = "choices are asked for, no object"
NO_OBJECTS, SEVERAL_MEANT, ABSENT = "the objects are not known", "several objects are meant", "nothing fits"
NOT_READ = "no meaning is annotated, and the text is not covered by a language"
DAMAGED = "its meaning and its scenes do not agree"


def ready_part(world: ReaderWorld) -> ReadAudit:
    """The part `audit` of a reader."""
    return ReadAudit(world)


class ReadAudit(NamedTuple):
    """Part `audit` for files of others."""

    world: ReaderWorld

    def audit(
        self,
        path: Path,
        *,
        split: str | None = None,
        sample: int | None = None,
        seed: int = 0,
        workers: int = 1,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> DatasetAudit:
        """Audit a file, see `deixis.worlds.world.Audits`; one process reads it, whatever `workers` is."""
        del workers
        examples = self.world.part("examples").open(path)
        chosen = choose(examples.numbers(split), sample, seed)
        judged = frozenset(choose(chosen, MOST_JUDGED, seed)) if sample is None and len(chosen) > MOST_JUDGED else None
        whole, surface = AuditCount(), SurfaceCount(self.world.task)
        fits: Counter[str] = Counter()
        unread: Counter[str] = Counter()
        done = known = 0

        def blocks() -> Iterator[list[ReadExample]]:
            """Read the examples, and yield those that are judged, block by block."""
            nonlocal known
            stream = _in_order(examples, chosen)
            while block := list(islice(stream, STEP)):
                for _, example in block:
                    surface.add(example)
                    if example.expression is not None:
                        known += 1
                    elif why := why_not_read(example):
                        unread[why] += 1
                yield [example for number, example in block if judged is None or number in judged]

        scenes = KnownScenes()

        def judge(rest: Iterator[list[ReadExample]], _count: int) -> Iterator[JudgedBlock]:
            return (judge_block(block, scenes) for block in rest)

        settings = {"reader": self.world.name, "split": split, "sample": sample, "seed": seed}
        with ResumableWork("audit", path, settings) as resumable:
            for piece, some in resumable.go_on(
                "blocks", blocks(), 0, judge, pack=JudgedBlock.pack, unpack=JudgedBlock.unpack
            ):
                whole.merge(piece)
                fits.update(some)
                done = min(done + STEP, len(chosen))
                if progress is not None:
                    progress(done, len(chosen))
        notes = (*_notes(examples, len(chosen), judged), *_notes_of_words(unread))
        read = examples.to_dict() if hasattr(examples, "to_dict") else {}
        plain: dict[str, Any] = {"read": read} if read else {}
        if unread:
            plain["not covered"] = dict(sorted(unread.items(), key=lambda one: (-one[1], one[0])))
        found = DatasetAudit(whole.audit(), whole.sightings, notes=notes, plain=plain)
        return add_figures(found, surface, known=known, fits=fits)


class JudgedBlock(NamedTuple):
    """What was counted of some examples.

    Attributes:
        piece: of those with a single target.
        fits: what the meanings of others fit, by how that differs from what is meant.
    """

    piece: AuditPiece
    fits: dict[str, int]

    def pack(self) -> list[Any]:
        """Return the block as JSON can tell it."""
        return [pack_piece(self.piece), self.fits]

    @classmethod
    def unpack(cls, packed: list[Any]) -> JudgedBlock:
        """Return the same block again."""
        piece, fits = packed
        return cls(unpack_piece(piece), fits)


def judge_block(block: Sequence[ReadExample], scenes: KnownScenes) -> JudgedBlock:
    """Judge the parts of some examples."""
    found, fits = AuditCount(known=scenes), Counter[str]()
    for example in block:
        _judge(example, found, fits)
    return JudgedBlock(found.piece(), dict(fits))


def why_not_audited(example: ReadExample) -> str:
    """Return why the parts of an example cannot be judged, or an empty text if they can."""
    if example.choices:
        return CHOICES
    if not example.scenes:
        return NO_OBJECTS
    if example.expression is None:
        return NOT_READ
    return "" if len(example.targets) == 1 else SEVERAL_MEANT if example.targets else ABSENT


def why_not_read(example: ReadExample) -> str:
    """Return the first word of a text that its language does not cover, or an empty text where it cannot tell.

    A language tells it by a method `why` of `ReadExample.parse`.
    """
    why = getattr(example.parse, "why", None)
    return "" if why is None else str(why(example))


def _judge(example: ReadExample, whole: AuditCount, fits: Counter[str]) -> None:
    """Count an example with a single target, or what its meaning fits where several objects or none are meant."""
    reason = why_not_audited(example)
    try:
        if not reason:
            whole.add(example)
            return
        if reason in (SEVERAL_MEANT, ABSENT):
            fits[_what_fits(example)] += 1
    except DeixisError:
        reason = DAMAGED
    whole.leave_out(reason, example.split or "all")


def _what_fits(example: ReadExample) -> str:
    """How what the meaning of an example fits differs from what is meant."""
    assert example.expression is not None
    found = resolve(example.expression, Context(example.scenes, Where(0, 0))).objects
    meant = frozenset(example.targets)
    if found == meant:
        return ""
    return NOTHING if not found else SEVERAL if meant and found > meant else ANOTHER


def _in_order(examples: Examples, chosen: Sequence[int]) -> Iterator[tuple[int, ReadExample]]:
    """Examples with their numbers; all of them are read in one pass."""
    if len(chosen) == len(examples):
        yield from enumerate(examples)
        return
    for number in chosen:
        yield number, examples[number]  # type: ignore[misc]


def _notes_of_words(unread: Counter[str]) -> Iterator[str]:
    """The words that most often keep a text from having a meaning."""
    if unread:
        most = sorted(unread.items(), key=lambda one: (-one[1], one[0]))[:MOST_WORDS]
        told = ", ".join(f"{word} {count:,}" for word, count in most)
        yield f"first words that the language does not cover: {told} (of {unread.total():,} texts)"


def _notes(examples: Examples, chosen: int, judged: frozenset[int] | None) -> Iterator[str]:
    records, refused = getattr(examples, "records", 0), getattr(examples, "refused", {})
    if records:
        codes = ", ".join(f"{count:,} {code}" for code, count in sorted(refused.items()))
        yield f"{records:,} records read, {len(examples):,} examples; refused: {codes or 'none'}"
    if judged is not None:
        of = f"{len(judged):,} of {chosen:,} examples"
        yield f"parts are judged on {of}, chosen by the seed; --sample N sets how many"
