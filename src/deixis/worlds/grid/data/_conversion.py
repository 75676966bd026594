"""Datasets in other forms: several sources gathered into one, and written as `deixis convert` is asked to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._losses import Losses
from deixis.data._conversions import read_split_names, takes_request
from deixis.data._memberships import AT_RANDOM, only_in, rename_splits
from deixis.data._split_names import splits_of
from deixis.errors import RecipeError, UnknownName
from deixis.report.output import Output, TextTable
from deixis.worlds.grid._examples import recognises
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.formats._compact import write_compact
from deixis.worlds.grid.formats._release import FILE_NAME, HELD_OUT, folder_of
from deixis.worlds.grid.formats.gscan import GSCAN_FILE, GSCAN_VOCABULARIES, write_gscan
from deixis.worlds.grid.formats.reascan import write_reascan
from deixis.worlds.grid.formats.vocabulary import (
    INPUT_NAME,
    TARGET_NAME,
    Vocabulary,
    VocabularyCounter,
    read_vocabulary,
    write_vocabulary,
)


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._conversions import ConversionRequest
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.data.table import Table


VOCABULARIES = (INPUT_NAME, TARGET_NAME)
SUFFIXES = (".txt", ".json", ".jsonl")  # of names that are those of files
Form = str  # parquet, reascan, release, gscan or compact


reads = {
    "parquet": "a dataset folder, or one of its files",
    "reascan": "a released file of ReaSCAN, or a folder with one",
    "gscan": "a released file of gSCAN",
    "release": "the folder of a whole release of ReaSCAN",
}
writes = {
    "reascan": "a file in the layout of the release, with its vocabularies",
    "release": "the folders of a whole release",
    "gscan": "a file in the layout of gSCAN's release, with its vocabularies",
    "parquet": "a dataset folder",
    "compact": "one line of JSON per example with the grid as numbers; a folder gets a file for every split",
}


def recognise(path: Path) -> str:
    """Return the form of the data at a path: `parquet`, `reascan`, `gscan`, `release`, or empty if it is none."""
    if not recognises(path):
        return ""
    kind = open_source(path).kind
    return kind if kind in reads else "parquet"


@takes_request
def convert(asked: ConversionRequest, *, allow_losses: bool = False) -> Output:
    """Convert the data at some paths, read as one dataset, to another form (part `formats`)."""
    gathered = gather(asked.sources, asked.names)
    told = ConversionLog(allow_losses=allow_losses)
    left_out = [name for part in gathered.parts for name in part.source.left_out]
    if left_out:
        told.notes.append(f"left out, since they repeat examples of train or test: {', '.join(left_out)}")
    total = gathered.total if asked.split is None else None
    written = write_as(
        gathered,
        asked.out,
        asked.to,
        split=asked.split,
        force=asked.force,
        told=told,
        progress=lambda done: asked.tell(gathered.name, done, total),
    )
    rows = [(name, f"{size:,}") for name, size in written.items()]
    return Output(
        values={"splits": written, **told.to_dict()},
        blocks=[TextTable(("split", "examples"), rows, numbers=(1,)), *told.lines],
    )


@dataclass
class ConversionLog:
    """Counts of the values left out, dropped or lost on the way.

    Attributes:
        losses: the roles that the released layout cannot say.
        other_splits: of the examples of the one split that is converted, how many are in others as well, by split.
        notes: whatever else is worth a line.
        allow_losses: whether losses of more than one in a hundred are asked for.
    """

    losses: Losses = field(default_factory=lambda: Losses("examples' roles"))
    other_splits: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    allow_losses: bool = False

    @property
    def lines(self) -> list[str]:
        """A line for each."""
        lines = [f"{n:,} of them are in {split} as well" for split, n in self.other_splits.items()]
        return [*lines, *self.notes, *self.losses.lines()]

    def to_dict(self) -> dict[str, Any]:
        """Return the same for JSON."""
        return {
            "in other splits as well": dict(self.other_splits),
            "notes": list(self.notes),
            "losses": self.losses.to_dict(),
        }


class Part(NamedTuple):
    """A source, and what its splits are to be called: a name for its only split, or new names by old ones."""

    source: Source
    called: str
    names: Mapping[str, str]


@dataclass(frozen=True)
class ConversionInput:
    """Several sources as one."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """Common name of the sources."""
        return ", ".join(part.source.path.name for part in self.parts)

    @property
    def kind(self) -> str:
        """Common kind of the sources."""
        return "+".join(dict.fromkeys(part.source.kind for part in self.parts))

    @property
    def total(self) -> int | None:
        """The number of examples, or None where only reading everything could tell."""
        sizes = [part.source.total for part in self.parts]
        return None if None in sizes else sum(size or 0 for size in sizes)

    def tables(self, split: str | None = None, told: ConversionLog | None = None) -> Iterator[Table]:
        """Yield the examples, those of one split as members of that split alone.

        Args:
            split: by the name that it has in the source.
            told: told how many are in other splits, too.

        Raises:
            UnknownName: when no source has the split.
            RecipeError: when a source for whose only split a name was given has several.
        """
        unknown: list[UnknownName] = []
        for part in self.parts:
            try:
                yield from _tables_of(part, split, told)
            except UnknownName as error:
                unknown.append(error)
        if len(unknown) == len(self.parts):
            raise unknown[0]

    def split_names(self, split: str | None = None) -> list[str]:
        """Return the splits that there are, or the one with this old name, by their new names."""
        if split is not None:
            return list(dict.fromkeys(part.called or part.names.get(split, split) for part in self.parts))
        known = [part.source.splits for part in self.parts]
        if any(splits is None for splits in known) or any(part.called for part in self.parts):
            found = (name for table in self.tables() for name in table["split"].unique().to_pylist())
            return list(dict.fromkeys(single for name in found for single in splits_of(name)))
        named = ((part.names, splits or {}) for part, splits in zip(self.parts, known, strict=True))
        return list(dict.fromkeys(names.get(split, split) for names, splits in named for split in splits))


def gather(paths: Sequence[Path], names: Sequence[str] = ()) -> ConversionInput:
    """Return the sources at some paths as one dataset.

    Args:
        paths: of anything that `open_source` can open.
        names: what splits are called: `old=new`, or a name for the only split of each path, in their order.

    Raises:
        RecipeError: when there are not as many names as paths.
    """
    renamed, called = read_split_names(names, len(paths))
    sources = zip(paths, called or [""] * len(paths), strict=True)
    return ConversionInput(tuple(Part(open_source(path), name, renamed) for path, name in sources))


def _tables_of(part: Part, split: str | None, told: ConversionLog | None) -> Iterator[Table]:
    seen: dict[str, None] = {}
    for whole in part.source.tables(split):
        if split is not None and told is not None:
            names = whole["split"].to_pylist()
            told.other_splits.update(other for name in names for other in splits_of(name) if other != split)
        table = rename_splits(whole if split is None else only_in(whole, split), part.names)
        if part.called:
            seen.update(dict.fromkeys(s for name in table["split"].unique().to_pylist() for s in splits_of(name)))
            if len(seen) > 1:
                raise RecipeError(
                    f"{part.source.path.name} has the splits {', '.join(seen)}; choose one with --split, "
                    f"or say --as {next(iter(seen))}={part.called}"
                )
            table = rename_splits(table, dict.fromkeys(seen, part.called))
        yield table


# -------------------------------------------------------------------------------- writing


def write_as(
    gathered: ConversionInput,
    out: Path,
    form: Form,
    *,
    split: str | None = None,
    force: bool = False,
    told: ConversionLog | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, int]:
    """Write a dataset in another form, and return the number of examples of every split.

    Args:
        gathered: what to write.
        out: a folder, or for reascan, gscan and compact a file.
        form: parquet, reascan, release, gscan or compact.
        split: only this one.
        force: replace what is there.
        told: told of what is left out or cannot be said.
        progress: told how many examples are done.
    """
    writer = _Writer(gathered, out, split=split, force=force, told=told or ConversionLog(), progress=progress)
    match form:
        case "reascan":
            return writer.reascan()
        case "release":
            return writer.release()
        case "gscan":
            return writer.gscan()
        case "compact":
            return writer.compact()
    return writer.parquet()


@dataclass
class _Writer:
    gathered: ConversionInput
    out: Path
    split: str | None
    force: bool
    told: ConversionLog
    progress: Callable[[int], None] | None

    def tables(self, split: str | None = None) -> Iterator[Table]:
        """What is to be written, or of that one split by its new name; progress is told."""
        done = 0
        for whole in self.gathered.tables(self.split, self.told):
            table = whole if split is None else only_in(whole, split)
            yield table
            done += table.num_rows
            if self.progress is not None:
                self.progress(done)

    def parquet(self) -> dict[str, int]:
        """Return a dataset folder."""
        dataset = write_imported(self.tables(), self.out, source=self.gathered.name, kind=self.gathered.kind)
        found = dataset.manifest.get("in several splits", {})
        if found.get("merged"):
            self.told.notes.append(f"{found['merged']:,} examples were listed in several test sets; each is kept once")
        for pair, count in found.get("also elsewhere", {}).items():
            self.told.notes.append(f"{count:,} examples are in two splits, {pair}: a leak, which stays as it is")
        return dataset.splits

    def reascan(self) -> dict[str, int]:
        """Return one released file with its vocabularies."""
        path = self.out if self.out.suffix in SUFFIXES else self.out / FILE_NAME
        self._demand_free(path)
        counter = VocabularyCounter()
        known = self._vocabularies()
        if not self.force and (path.parent / INPUT_NAME).exists():
            known = known or self._count_words()
            self._demand_same(path.parent / INPUT_NAME, known[0])
        counts = write_reascan(
            counter.counting(self.tables()), path, losses=self.told.losses, allow_losses=self.told.allow_losses
        )
        self._write_vocabularies(counter, known, [path.parent])
        return counts

    def release(self) -> dict[str, int]:
        """Return the folders of a release, all with the same vocabularies."""
        names = self.gathered.split_names(self.split)
        kept = [name for name in names if name in AT_RANDOM or name in HELD_OUT]
        if not kept:
            raise RecipeError(f"a release has train, dev, test and {', '.join(HELD_OUT)}; there is {', '.join(names)}")
        if len(kept) < len(names):
            others = ", ".join(name for name in names if name not in kept)
            lost, every = self._count_outside(kept)
            self.told.notes.append(
                f"{lost:,} of {every:,} examples left out, since a release has no folder for their split: {others}"
            )
        folders: dict[str, list[str]] = {}
        for name in kept:
            folders.setdefault(folder_of(name), []).append(name)
        for folder in folders:
            self._demand_free(self.out / folder / FILE_NAME)
        known = self._vocabularies()
        counter = VocabularyCounter()
        counts: dict[str, int] = {}
        for folder, splits in folders.items():
            is_made = splits[0] in ("b1", "c2")
            file = self.out / folder / FILE_NAME
            counts.update(self._write_folder(file, splits, counter, 0.0 if is_made else 0.9))
        self._write_vocabularies(counter, known, [self.out / folder for folder in folders])
        return counts

    def gscan(self) -> dict[str, int]:
        """Return one file as gSCAN has it, with its vocabularies."""
        path = self.out if self.out.suffix in SUFFIXES else self.out / GSCAN_FILE
        files = [path.parent / name for name in GSCAN_VOCABULARIES]
        for file in (path, *files):
            self._demand_free(file)
        written = write_gscan(self.tables(), path)
        for file, words in zip(files, (written.words, written.actions), strict=True):
            write_vocabulary(Vocabulary.of(words), file)
        if written.left_out:
            self.told.notes.append(f"{written.left_out:,} examples left out, which are set aside and in no split")
        self.told.notes.append("why each object is there is left out: the layout of gSCAN does not say")
        return written.splits

    def _count_outside(self, kept: Sequence[str]) -> tuple[int, int]:
        """Return how many examples are in none of these splits, and how many there are in all."""
        lost = every = 0
        for table in self.gathered.tables(self.split):
            for entry in table["split"].value_counts().to_pylist():
                every += entry["counts"]
                lost += entry["counts"] * (not set(splits_of(entry["values"])) & set(kept))
        return lost, every

    def compact(self) -> dict[str, int]:
        """Return a file of lines, or a folder with one for every split."""
        if self.out.suffix in SUFFIXES or (self.split is not None and not self.out.is_dir()):
            self._demand_free(self.out)
            return self._compact_file()
        names = self.gathered.split_names(self.split)
        for name in names:
            self._demand_free(self.out / f"{name}.jsonl")
        return {name: write_compact(self.tables(name), self.out / f"{name}.jsonl") for name in names}

    def _compact_file(self) -> dict[str, int]:
        seen: Counter[str] = Counter()

        def only_one() -> Iterator[Table]:
            for table in self.tables():
                for entry in table["split"].value_counts().to_pylist():
                    seen.update(dict.fromkeys(splits_of(entry["values"]), entry["counts"]))
                if len(seen) > 1:
                    names = ", ".join(self.gathered.split_names(self.split))
                    raise RecipeError(
                        f"{self.out.name} would mix the splits {names}, and its lines do not say which; "
                        "choose one with --split, or name a folder for a file of each"
                    )
                yield table

        write_compact(only_one(), self.out)
        return dict(seen)

    def _write_folder(
        self, file: Path, splits: Sequence[str], counter: VocabularyCounter, percentage_train: float
    ) -> dict[str, int]:
        """One folder of a release; a test set is the split `test` there."""
        tables = chain.from_iterable(self.tables(name) for name in splits)
        names = {} if splits[0] in AT_RANDOM else {splits[0]: "test"}
        renamed = (rename_splits(table, names) for table in counter.counting(tables))
        counts = write_reascan(
            renamed,
            file,
            percentage_train=percentage_train,
            losses=self.told.losses,
            allow_losses=self.told.allow_losses,
        )
        return counts if not names else {splits[0]: counts.get("test", 0)}

    # ---------------------------------------------------------------------------- vocabularies

    def _vocabularies(self) -> tuple[Vocabulary, Vocabulary] | None:
        """Those of the whole dataset: the ones beside a released file, or counted; None where writing counts them."""
        for part in self.gathered.parts:
            for file in part.source.files:
                beside = [file.path.parent / name for name in VOCABULARIES]
                if all(path.is_file() for path in beside):
                    return read_vocabulary(beside[0]), read_vocabulary(beside[1])
        if self.split is None:
            return None
        return self._count_words()

    def _count_words(self) -> tuple[Vocabulary, Vocabulary]:
        counter = VocabularyCounter()
        for part in self.gathered.parts:
            dataset = part.source.dataset
            columns = ["command", "plan", "split"]
            for table in part.source.tables() if dataset is None else dataset.tables(columns=columns):
                counter.add(table)
        return counter.vocabularies()

    def _write_vocabularies(
        self, counter: VocabularyCounter, known: tuple[Vocabulary, Vocabulary] | None, folders: Sequence[Path]
    ) -> None:
        if known is not None and not counter.is_known_by(*known):
            self.told.notes.append("the vocabulary beside the released file lacks words of it; it was counted anew")
            known = self._count_words()
        for folder in folders:
            for name, vocabulary in zip(VOCABULARIES, known or counter.vocabularies(), strict=True):
                write_vocabulary(vocabulary, folder / name)

    # ---------------------------------------------------------------------------- what is there already

    def _demand_free(self, path: Path) -> None:
        if path.exists() and not self.force:
            raise RecipeError(f"{path} already exists; choose another name, or give --force to replace it")

    @staticmethod
    def _demand_same(path: Path, vocabulary: Vocabulary) -> None:
        """Whether a vocabulary that is there already is the one that will be written."""
        if read_vocabulary(path).words != vocabulary.words:
            raise RecipeError(
                f"{path} is the vocabulary of other data, which would be replaced; "
                "choose another folder, or give --force"
            )
