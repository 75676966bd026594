"""Conversions of read files: sources gathered as one, written in another form, read back and compared."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from deixis._losses import Losses
from deixis.data._split_names import join_splits, splits_of
from deixis.errors import RecipeError, UnknownName
from deixis.readers._formats.folder import write_folder
from deixis.readers._formats.proof import ConversionProof, prove
from deixis.readers._rows import RowFile
from deixis.report.output import Output, TextTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample


WRITES = {
    "parquet": "a dataset folder; every example comes back as it was",
}


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

    def convert(  # noqa: PLR0913 (each is an option)
        self,
        sources: Sequence[Path],
        out: Path,
        *,
        to: str,
        split: str | None = None,
        names: Sequence[str] = (),
        force: bool = False,
        progress: Progress | None = None,
        allow_losses: bool = False,
    ) -> Output:
        """Write read files in another form, read that back, and count what changed."""
        given = ConversionSource(self.world, sources, split, names)
        losses = Losses("examples", len(given))
        proof = ConversionProof()
        del to, force

        def report(folder: Path) -> dict[str, Any]:
            losses.demand_few(where=out, allowed=allow_losses)
            prove(given, RowFile(self.world.reader, folder), proof)
            return {"from": given.name, "to": "parquet", "losses": losses.to_dict(), **proof.to_dict()}

        values = write_folder(
            self.world,
            given.followed(progress),
            out,
            source=given.name,
            reading=given.to_dict(),
            losses=losses,
            report=report,
        )
        rows = [(name, f"{size:,}") for name, size in given.splits.items()]
        table = TextTable(("split", "examples"), rows, numbers=(1,))
        return Output(
            values={"splits": given.splits, "reading": given.to_dict(), **values},
            blocks=[table, *given.lines(), *losses.lines(), *proof.blocks()],
            code=0 if proof.is_whole else 1,
        )


class ConversionSource:
    """Several read files as one, with their splits under new names.

    Attributes:
        name: the names of the files.
        splits: the number of examples of every split.
    """

    def __init__(
        self, world: ReaderWorld, sources: Sequence[Path], split: str | None = None, names: Sequence[str] = ()
    ) -> None:
        opened = world.part("examples")
        self.parts = [opened.open(path) for path in sources]
        self.name = ", ".join(path.name for path in sources)
        self.split = split
        self._names = dict(map(_pair, (name for name in names if "=" in name)))
        self._called = [name for name in names if "=" not in name]
        if self._called and len(self._called) != len(sources):
            told = f"--as gives {len(self._called)} names for {len(sources)} paths"
            raise RecipeError(f"{told}; give one for each, or old=new for each split")
        for part, _ in zip(self.parts, self._called, strict=False):
            if split is None and len(part.splits) > 1:
                raise RecipeError(f"{part.path.name} has several splits; choose one with --split, or say --as old=new")
        self.numbers = self._chosen()
        self.splits = self._sizes()

    def _chosen(self) -> list[Sequence[int]]:
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
                example.split = self._rename(example.split, place)
            yield example

    def followed(self, progress: Progress | None) -> Iterator[ReadExample]:
        """Yield the examples, and tell how far things are."""
        total = len(self)
        for done, example in enumerate(self, start=1):
            yield example
            if progress is not None and (done % 1000 == 0 or done == total):
                progress(self.name, done, total)

    def to_dict(self) -> dict[str, Any]:
        """The reading in numbers: records, examples, and refusals by code."""
        told = [part.to_dict() for part in self.parts]
        refused: dict[str, int] = {}
        for one in told:
            for code, often in one["refused"].items():
                refused[code] = refused.get(code, 0) + often
        return {"records": sum(one["records"] for one in told), "refused": refused}

    def lines(self) -> list[str]:
        """A line for every code of records that the reader refused."""
        return [f"{often:,} records are refused: {code}" for code, often in self.to_dict()["refused"].items()]


def _pair(text: str) -> tuple[str, str]:
    old, _, new = (part.strip() for part in text.partition("="))
    if not old or not new:
        raise RecipeError(f"--as takes a name or old=new, got {text!r}")
    return old, new
