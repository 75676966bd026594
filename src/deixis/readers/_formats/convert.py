"""Conversions of read files: sources gathered as one, written in another form, read back and compared."""

from __future__ import annotations

import json
import os
from collections import Counter
from copy import copy
from itertools import chain
from shutil import rmtree
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._losses import Losses
from deixis.data._conversions import read_split_names, takes_request
from deixis.data._split_names import join_splits, splits_of
from deixis.data.store import replacing_file
from deixis.errors import RecipeError, SchemaError, UnknownName
from deixis.readers._formats.absent import AbsenceMaker, pairs_of
from deixis.readers._formats.folder import REPORT, write_folder
from deixis.readers._formats.layouts import open_writer
from deixis.readers._formats.proof import ConversionProof, prove
from deixis.readers._rows import RowFile
from deixis.readers.reader import Refusal
from deixis.readers.registry import find_reader
from deixis.report.output import Output, TextTable


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from deixis.data._conversions import ConversionRequest
    from deixis.data._crew import Progress
    from deixis.readers._formats.layouts import Writer
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import World


LAYOUTS = {
    "refer": "a folder with refs.json and instances.json, as refer has them; never pickles, which can run code",
    "coco": "one JSON file with images, annotations, categories and refs",
    "tsv": "one box a row, corners in pixels, in the columns of VLMEvalKit",
    "jsonl": "a line of JSON for every example, with all that is known of it",
}
WRITES = {"parquet": "a dataset folder; every example comes back as it was", **LAYOUTS}
READ_BY = {"refer": "refcoco", "coco": "refcoco", "tsv": "refcoco_rows"}
"""The reader with which each layout is read back."""
NOT_READ = "lines of JSON are for models and scripts; no reader reads them back, so there is no comparison"


class Tally(NamedTuple):
    """Counts of a conversion: examples that are left out, and changes of the others."""

    losses: Losses
    proof: ConversionProof


def ready_part(world: ReaderWorld) -> ReadFormats:
    """The part `formats` of a reader."""
    return ReadFormats(world)


class ReadFormats:
    """Part `formats` for files of others."""

    def __init__(self, world: ReaderWorld) -> None:
        self.world = world
        self.reads = {world.name: world.title, "parquet": "a folder that was converted before"}
        self.writes = dict(WRITES)

    def recognise(self, path: Path) -> str:
        """Return the name of the reader where it knows the layout of a path, or an empty text."""
        return self.world.name if self.world.reader.sniff(path) else ""

    @property
    def convert(self) -> Callable[..., Output]:
        """Write read files in another form, read that back, and count what changed."""
        return takes_request(self._convert)

    def _convert(self, asked: ConversionRequest, *, allow_losses: bool = False) -> Output:
        out, to, progress = asked.out, asked.to, asked.progress
        given = ConversionSource(self.world, asked)
        losses, proof = tally = Tally(Losses("examples", len(given)), ConversionProof())
        if to == "parquet":
            values = _to_folder(self.world, given, out, tally, progress, allow_losses=allow_losses)
        else:
            values = _to_layout(given, given.follow(progress), out, to, tally, force=asked.force)
            losses.demand_few(where=out, allowed=allow_losses)
        rows = [(name, f"{size:,}") for name, size in given.splits.items()]
        table = TextTable(("split", "examples"), rows, numbers=(1,))
        lines = proof.blocks() if to != "jsonl" else [NOT_READ]
        return Output(
            values={"splits": given.splits, "reading": given.to_dict(), **values},
            blocks=[table, *given.lines(), *losses.lines(), *lines],
            code=0 if proof.is_whole or (to != "parquet" and proof.is_complete) else 1,
        )


def convert_absent(world: World, asked: ConversionRequest, *, seed: int = 0) -> Output:
    """Write examples of any world, each followed by one that fits nothing, in one of the layouts.

    Args:
        world: of the examples.
        asked: what to write where, in one of `LAYOUTS`.
        seed: chooses the part that is changed, and the word for it.
    """
    given = ConversionSource(world, asked)
    losses, proof = tally = Tally(Losses("examples", len(given)), ConversionProof())
    maker = AbsenceMaker(world, seed)
    pairs = pairs_of(maker, given.follow(asked.progress))
    values = _to_layout(given, pairs, asked.out, asked.to, tally, force=asked.force, maker=maker)
    told = {"pairs": maker.changed.total(), "changed": dict(sorted(maker.changed.items()))}
    left = dict(maker.left_out.most_common())
    rows = [(name, f"{often:,}") for name, often in maker.changed.most_common()]
    lines = [f"{often:,} of {len(given):,} examples left out: {why}" for why, often in left.items()]
    comparison = proof.blocks() if asked.to != "jsonl" else [NOT_READ]
    return Output(
        values={**values, "seed": seed, **told, "left out": left},
        blocks=[TextTable(("changed", "pairs"), rows, numbers=(1,)), *lines, *losses.lines(), *comparison],
        code=0 if proof.is_complete else 1,
    )


def _to_folder(
    world: ReaderWorld,
    given: ConversionSource,
    out: Path,
    tally: Tally,
    progress: Progress | None,
    *,
    allow_losses: bool,
) -> dict[str, Any]:
    kept: set[int] = set()
    losses, proof = tally

    def report(folder: Path) -> dict[str, Any]:
        losses.demand_few(where=out, allowed=allow_losses)
        prove((one for k, one in enumerate(given) if k in kept), RowFile(world.reader, folder), proof)
        return {"from": given.name, "to": "parquet", "losses": losses.to_dict(), **proof.to_dict()}

    return write_folder(
        world,
        given.follow(progress),
        out,
        source=given.name,
        reading=given.to_dict(),
        losses=losses,
        kept=kept,
        report=report,
    )


def _to_layout(
    given: ConversionSource,
    examples: Iterator[ReadExample],
    out: Path,
    to: str,
    tally: Tally,
    *,
    force: bool,
    maker: AbsenceMaker | None = None,
) -> dict[str, Any]:
    """Write examples in a layout beside its place, compare them, and move everything there."""
    losses, proof = tally
    if out.exists() and (out.is_dir() or not force):
        raise RecipeError(f"{out} already exists; choose another name or delete it")
    place = out.parent / f".{out.name}.{os.getpid()}.tmp"
    try:
        place.mkdir(parents=True)
        kept: set[int] = set()
        written = _write(examples, open_writer(to, place / out.name, has_changes=maker is not None), losses, kept)
        if not written:
            raise RecipeError(f"{given.name} has no example that can be written as {to}: {_first(losses, maker)}")
        if to in READ_BY:
            _prove(given, place / out.name, to, kept, proof, None if maker is None else maker.seed)
        found: dict[str, Any] = {"from": given.name, "to": to, "written": written, "losses": losses.to_dict()}
        if to in READ_BY:
            found |= proof.to_dict()
        _move(place / out.name, out, found)
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    finally:
        rmtree(place, ignore_errors=True)
    return found


def _write(examples: Iterator[ReadExample], writer: Writer, losses: Losses, kept: set[int]) -> int:
    """Write examples, and return how many could be; `kept` is told their places."""
    try:
        for number, example in enumerate(examples):
            try:
                writer.add(example)
            except SchemaError as error:
                losses.leave_out(str(error)[:160])
            except UnicodeEncodeError:
                losses.leave_out("its text holds half a character")
            else:
                kept.add(number)
    finally:
        writer.close()
    return len(kept)


def _prove(
    given: ConversionSource, path: Path, to: str, kept: set[int], proof: ConversionProof, seed: int | None
) -> None:
    """Read a layout back, and compare it with what was written."""
    again: Iterator[ReadExample] = iter(given)
    if seed is not None:
        again = pairs_of(AbsenceMaker(given.world, seed), again)
    before = (one for number, one in enumerate(again) if number in kept)
    after = _count_refusals(find_reader(READ_BY[to]).examples(path), proof)
    prove(before, after, proof)


def _count_refusals(found: Iterator[ReadExample | Refusal], proof: ConversionProof) -> Iterator[ReadExample]:
    for one in found:
        if isinstance(one, Refusal):
            proof.refused[one.code] += 1
        else:
            yield one


def _move(draft: Path, out: Path, found: dict[str, Any]) -> None:
    """Move what was written to its place, with the report in it or beside it."""
    report = json.dumps(found, indent=1, ensure_ascii=False, default=str) + "\n"
    if draft.is_dir():
        (draft / REPORT).write_text(report, encoding="utf-8", newline="\n")
        draft.rename(out)
        return
    draft.replace(out)
    beside = out.with_name(f"{out.stem}.{REPORT}")
    with replacing_file(beside) as place:
        place.write_text(report, encoding="utf-8", newline="\n")


def _first(losses: Losses, maker: AbsenceMaker | None) -> str:
    """The most frequent reason why examples are left out."""
    counts = losses.counts["left out"] + (maker.left_out if maker is not None else Counter())
    return f"{counts.most_common(1)[0][0]} ({counts.most_common(1)[0][1]:,} examples)" if counts else "there is none"


class ConversionSource:
    """Several read files as one, with their splits under new names.

    Attributes:
        name: the names of the files.
        splits: the number of examples of every split.
    """

    def __init__(self, world: World, asked: ConversionRequest) -> None:
        self.world = world
        opened = world.part("examples")
        self.parts = [opened.open(path) for path in asked.sources]
        self.name = ", ".join(path.name for path in asked.sources)
        self.split = asked.split
        self._names, self._called = read_split_names(asked.names, len(asked.sources))
        for part, _ in zip(self.parts, self._called, strict=False):
            if self.split is None and len(part.splits) > 1:
                raise RecipeError(f"{part.path.name} has several splits; choose one with --split, or say --as old=new")
        self.numbers = self._choose()
        self.splits = self._sizes()

    def _choose(self) -> list[Sequence[int]]:
        if self.split is None:
            return [range(len(part)) for part in self.parts]
        if not any(self.split in part.splits for part in self.parts):
            known = ", ".join(dict.fromkeys(name for part in self.parts for name in part.splits))
            raise UnknownName(f"there is no split {self.split[:40]!r} in {self.name}; it has {known}")
        return [part.numbers(self.split) if self.split in part.splits else () for part in self.parts]

    def _sizes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for place, part in enumerate(self.parts):
            for name, size in part.splits.items():
                if self.split in (None, name):
                    called = self._rename(name, place)
                    found[called] = found.get(called, 0) + size
        return found

    def _rename(self, split: str, place: int) -> str:
        if self._called:
            return self._called[place]
        kept = [name for name in splits_of(split) if self.split in (None, name)]
        return join_splits(self._names.get(name, name) for name in kept)

    def __len__(self) -> int:
        return sum(map(len, self.numbers))

    def __iter__(self) -> Iterator[ReadExample]:
        return chain.from_iterable(self._examples(place) for place in range(len(self.parts)))

    def _examples(self, place: int) -> Iterator[ReadExample]:
        part, numbers = self.parts[place], self.numbers[place]
        chosen = part if len(numbers) == len(part) else (part[number] for number in numbers)
        for example in chosen:
            if self.split is not None or self._names or self._called:
                example = copy(example)  # noqa: PLW2901 (the same example in a split of another name)
                example.split = self._rename(example.split, place)
            yield example

    def follow(self, progress: Progress | None) -> Iterator[ReadExample]:
        """Yield the examples, and tell how far things are."""
        total = len(self)
        for done, example in enumerate(self, start=1):
            yield example
            if progress is not None and (done % 1000 == 0 or done == total):
                progress(self.name, done, total)

    def to_dict(self) -> dict[str, Any]:
        """The reading in numbers: records, examples, and refusals by code."""
        told: list[dict[str, Any]] = [
            part.to_dict() if hasattr(part, "to_dict") else {"records": len(part), "refused": {}} for part in self.parts
        ]
        refused: dict[str, int] = {}
        for one in told:
            for code, often in one["refused"].items():
                refused[code] = refused.get(code, 0) + often
        return {"records": sum(one["records"] for one in told), "refused": refused}

    def lines(self) -> list[str]:
        """A line for every code of records that the reader refused."""
        refused: dict[str, int] = self.to_dict()["refused"]
        return [f"{often:,} record{'s are' if often > 1 else ' is'} refused: {code}" for code, often in refused.items()]
