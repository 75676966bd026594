"""Making A3DS: captions, vocabulary, image numbers of every split, and if wanted images and pairs, in one folder.

| in the folder | |
|---|---|
| `manifest.json` | how it was made, and a hash of every file; written last |
| `README.md` | a card, so that `datasets.load_dataset(FOLDER, "exhaustive")` finds the captions |
| `croissant.json` | the same for machines, as Croissant metadata |
| `captions/GRAMMAR-*.parquet` | image, number and text of every caption |
| `3dshapes_captions_*.json` | the same in the layout of the release |
| `vocabulary.json` | every word of these captions with its number |
| `ids/SPLIT.txt` | the numbers of the images of a split, one on each line |
| `images/SPLIT.parquet` | the six factors of the images of a split |
| `pictures/SPLIT.parquet` | the first images of a split as pictures, with their factors |
| `pairs/test.parquet` | the thirteen test sets: set, target, distractor |
| `pairs/every-word.parquet` | three test sets with captions that can spare no feature |
| `pairs/tune.parquet` | random and similar pairs for a reference game, from the images of `tune` |
| `3dshapes.h5` | the images, in the layout of the original file |
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._crew import count_workers, tell_nobody
from deixis.data._parquet_files import open_parquet, read_all
from deixis.data._resumable import make_in
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest, digest_of
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.seeds import derive
from deixis.worlds.rooms.captions import GRAMMARS, Grammar, captions, frames
from deixis.worlds.rooms.data._captions import packed_captions, write_captions
from deixis.worlds.rooms.data._images import write_rooms
from deixis.worlds.rooms.every_word import draw_every_word, needed_captions, needed_features
from deixis.worlds.rooms.formats.a3ds import caption_file_name, write_caption_file, write_image_list, write_vocabulary
from deixis.worlds.rooms.pairs import draw_contexts, partition, test_sets
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.speakers import caption_numbers
from deixis.worlds.rooms.vocabulary import vocabulary
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from deixis.data._crew import Crew, Progress
    from deixis.data._resumable import Entry, ResumableFolder
    from deixis.data.store import Dataset


__all__ = [
    "CONTEXTS",
    "EVERY_WORD_FILE",
    "KIND",
    "PAIRS",
    "A3dsRecipe",
    "Layout",
    "Part",
    "make_a3ds",
    "read_pairs",
    "read_test_sets",
]

Layout: TypeAlias = Literal["parquet", "json", "both"]
KIND = "a3ds"
SHARD = 48_000  # images that one file of captions is about: those of one floor
TUNING_PAIRS = 150_000  # of either kind: five captions for each of 30,000 images (section 3 of the paper)
SIMILAR = 3  # factors that similar pairs share at least
PAIRS = pa.schema(
    [("set", pa.dictionary(pa.int8(), pa.string())), ("target", pa.uint32()), ("distractor", pa.uint32())]
)
CONTEXTS = pa.schema(
    [
        ("set", pa.dictionary(pa.int8(), pa.string())),
        ("target", pa.uint32()),
        ("distractors", pa.list_(pa.uint32())),
        ("number", pa.uint8()),
        ("caption", pa.string()),
    ]
)  # with the number of the caption among those of the grammar `partial`
EVERY_WORD_FILE = "pairs/every-word.parquet"
TEST_SETS = ("pairs/test.parquet", EVERY_WORD_FILE)
IMAGE_FILE = "3dshapes.h5"
ONE_IN = 997  # images whose captions enter the digest of the content: every value of every factor is among them


@dataclass(frozen=True, slots=True, kw_only=True)
class A3dsRecipe:
    """Recipe of a dataset of captions.

    Attributes:
        captions: the grammars whose captions are written, for all images.
        layout: as Parquet, as JSON in the layout of the release, or both.
        images: whether the images are drawn, too, into a file of the original layout.
        image_size: pixels along one side of an image; 64 in the original file.
        pairs: whether pairs for a reference game are drawn.
        test_sets: whether the thirteen test sets are drawn.
        seed: which images are in which split, and the pairs, follow from it.
        pictures: how many images of each split are also kept as pictures in Parquet, the first in its list.
        every_word: whether three further test sets are drawn in which every feature that is said must be said.
    """

    dataset: ClassVar[str] = KIND
    captions: tuple[Grammar, ...] = ("exhaustive", "short")
    layout: Layout = "parquet"
    images: bool = False
    image_size: int = 64
    pairs: bool = False
    test_sets: bool = False
    seed: int = 42
    pictures: int = 0
    every_word: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.captions if name not in GRAMMARS]
        if unknown:
            raise RecipeError(f"unknown grammars {', '.join(map(repr, unknown))}; known: {', '.join(GRAMMARS)}")
        if len(set(self.captions)) != len(self.captions):
            raise RecipeError(f"each grammar can be asked for once, got {', '.join(self.captions)}")
        if self.layout not in ("parquet", "json", "both"):
            raise RecipeError(f"unknown layout {self.layout!r}; known: parquet, json, both")
        if not 8 <= self.image_size <= 1024:
            raise RecipeError(f"images have from 8 to 1,024 pixels along one side, got {self.image_size}")
        if self.pictures < 0:
            raise RecipeError(f"pictures are a number from 0, got {self.pictures}")

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values."""
        plain = {**asdict(self), "captions": list(self.captions)}
        later = ("pictures", "every_word")  # not in recipes of before there were any
        return {key: value for key, value in plain.items() if value or key not in later}

    @property
    def digest(self) -> str:
        """A name for exactly this recipe."""
        return digest_of(self.to_dict())


class Part(NamedTuple):
    """One file of the dataset: where it lies, what it belongs to, and what makes it and says how many rows it has."""

    path: str
    split: str
    make: Callable[[Path], int]


def make_a3ds(
    recipe: A3dsRecipe,
    out: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
) -> Dataset:
    """Make the files of a recipe in a folder, or finish them where making was interrupted.

    Args:
        recipe: what to make.
        out: the folder; it may hold the beginning of the same, or all of it.
        workers: how many threads, by default one per core; the result does not depend on it.
        progress: told how far things are.
        crew: those who write the captions, if not the threads here; the result does not depend on it either.

    Raises:
        RecipeError: when the folder holds something else, another process works there or it cannot be written to.
        BrokenDataset: when the folder holds the finished dataset, but files of it are missing.
    """
    count = count_workers(workers)
    return make_in(
        out, recipe.digest, lambda folder: _Maker(recipe, folder, count, progress or tell_nobody, crew).run()
    )


def read_pairs(path: Path) -> dict[str, np.ndarray]:
    """The pairs or contexts in a file, by the name of their set: int64 [pair, 1 + distractors], the target first.

    Raises:
        BrokenDataset: when it is damaged or no file of pairs.
    """
    with open_parquet(path) as file:
        table = read_all(file, path)
    schema = table.schema.remove_metadata()
    if schema not in (PAIRS, CONTEXTS) or any(column.null_count for column in table.columns):
        raise BrokenDataset(f"{path.name} holds no pairs: its columns are {', '.join(table.schema.names)}")
    names = np.array(table["set"].to_pylist())
    targets = table["target"].to_numpy().astype(np.int64)
    found: dict[str, np.ndarray] = {}
    for name in dict.fromkeys(names.tolist()):
        some = names == name
        others = _distractors_in(table, some, path)
        found[str(name)] = np.column_stack((targets[some], others))
    return found


def _distractors_in(table: pa.Table, some: np.ndarray, path: Path) -> np.ndarray:
    """The distractors of the rows of one set, equally many of each: int64 [row, distractor]."""
    if "distractor" in table.schema.names:
        return table["distractor"].to_numpy().astype(np.int64)[some, None]
    lists = table["distractors"].combine_chunks().filter(pa.array(some))
    sizes = np.unique(lists.value_lengths().to_numpy(zero_copy_only=False))
    if len(sizes) != 1 or not sizes[0] or lists.flatten().null_count:
        raise BrokenDataset(f"{path.name} holds a set whose contexts do not have equally many distractors")
    return np.asarray(lists.flatten().to_numpy().astype(np.int64).reshape(-1, int(sizes[0])))


def read_test_sets(folder: Path) -> dict[str, np.ndarray]:
    """The test sets of a dataset by name: int64 [pair, 1 + distractors], or none if it has none.

    Raises:
        BrokenDataset: when a file of them is damaged or empty.
    """
    found: dict[str, np.ndarray] = {}
    for path in (folder / name for name in TEST_SETS):
        if path.is_file():
            if not (sets := read_pairs(path)):
                raise BrokenDataset(f"{folder.name} has no test sets: {path.name} holds no pair")
            found |= sets
    return found


@dataclass(frozen=True)
class _Maker:
    """One run over all files."""

    recipe: A3dsRecipe
    folder: ResumableFolder
    workers: int
    progress: Progress
    crew: Crew | None = None

    def run(self) -> None:
        entries = [self.make_part(part) for part in self.small_parts()]
        entries += self.made_together(list(self.shards()))
        entries += [self.make_part(part) for part in self.large_parts()]
        manifest = {
            **begin_manifest(WORLD, KIND, self.recipe, kind=KIND),
            "images": IMAGES,
            "captions": {grammar: _count(grammar) for grammar in self.recipe.captions},
            "splits": {name: len(part) for name, part in self.splits.items()},
            "content": self.content(),
            "files": sorted(entries, key=lambda entry: entry["path"]),
        }
        write_card(self.folder.out, manifest)
        self.folder.finish(manifest)

    def content(self) -> str:
        """A digest of what the files hold, however they encode it: the images of every split, the pairs, captions.

        Captions follow from the image and the grammar, so that those of one image in so many stand for all.
        """
        recipe = self.recipe
        digest = sha256(f"{recipe.image_size} {recipe.images} {recipe.pictures}\n".encode())
        for name, images in self.splits.items():
            digest.update(name.encode() + images.astype("<u4").tobytes())
        for grammar in sorted(recipe.captions):
            for image in range(0, IMAGES, ONE_IN):
                digest.update("\n".join((grammar, *captions(image, grammar), "")).encode())
        for name, is_made in (
            ("test", recipe.test_sets),
            ("tune", recipe.pairs),
            ("every-word", recipe.every_word),
        ):
            for kind, pairs in read_pairs(self.folder.out / f"pairs/{name}.parquet").items() if is_made else ():
                digest.update(f"{name} {kind}".encode() + pairs.astype("<u4").tobytes())
        return digest.hexdigest()

    def make_part(self, part: Part) -> Entry:
        """Make a file unless it is there, and return its entry."""
        known = self.folder.find(part.path)
        if known is not None:
            return known
        rows = part.make(self.folder.out / part.path)
        return self.folder.keep(part.path, split=part.split, rows=rows)

    def made_together(self, parts: list[Part]) -> list[Entry]:
        """Several files at a time."""
        abreast = self.workers if self.crew is None else max(1, min(self.crew.size, len(parts)))
        with ThreadPoolExecutor(abreast) as threads:
            try:
                return list(threads.map(self.make_part, parts))
            finally:
                threads.shutdown(wait=True, cancel_futures=True)

    def small_parts(self) -> Iterator[Part]:
        recipe = self.recipe
        is_natural = recipe.every_word or {"natural", "partial"} & set(recipe.captions)
        needed = "natural" if is_natural else "complete"
        yield Part("vocabulary.json", "vocabulary", lambda path: write_vocabulary(path, vocabulary(needed)))
        for name, numbers in self.splits.items():
            yield Part(f"ids/{name}.txt", name, _listing(numbers))
            yield Part(f"images/{name}.parquet", name, _drawing(numbers, None))
            if recipe.pictures:
                some = numbers[: recipe.pictures]
                yield Part(f"pictures/{name}.parquet", name, _drawing(some, recipe.image_size))
        if recipe.test_sets:
            yield Part("pairs/test.parquet", "test", lambda path: _write_pairs(path, self.test_sets()))
        if recipe.every_word:
            yield Part(EVERY_WORD_FILE, "test", lambda path: _write_contexts(path, self.every_word_sets()))
        if recipe.pairs:
            yield Part("pairs/tune.parquet", "tune", lambda path: _write_pairs(path, self.tuning_pairs()))

    @cached_property
    def splits(self) -> dict[str, np.ndarray]:
        """The images of every split."""
        return partition(seed=self.recipe.seed)._asdict()

    def test_sets(self) -> dict[str, np.ndarray]:
        return test_sets(seed=self.recipe.seed, among=self.splits["test"])

    def every_word_sets(self) -> dict[str, np.ndarray]:
        return draw_every_word(seed=self.recipe.seed, among=self.splits["test"])

    def tuning_pairs(self) -> dict[str, np.ndarray]:
        """Random pairs, and pairs that share at least three factors, drawn anew for each."""
        images, seed = self.splits["tune"], self.recipe.seed
        random = draw_contexts(TUNING_PAIRS, seed=derive(seed, "tune", "random"), among=images)
        similar = draw_contexts(TUNING_PAIRS, seed=derive(seed, "tune", "similar"), shared=SIMILAR, among=images)
        return {"random": random, "similar": similar}

    def shards(self) -> Iterator[Part]:
        if self.recipe.layout == "json":
            return
        for grammar in self.recipe.captions:
            finished = (e for e in self.folder.finished.values() if e["path"].startswith("captions/"))
            kept = [entry["rows"] for entry in finished if entry["split"] == grammar]
            tell = self.teller(f"{grammar} captions", _count(grammar), done=sum(kept))
            for split, numbers in self.splits.items():
                images = numbers[numbers < IMAGES]
                of = -(-len(images) // SHARD)
                for number, some in enumerate(np.array_split(images, of) if of else ()):
                    make = _writing if self.crew is None else self.writing_elsewhere
                    path = f"captions/{grammar}-{split}-{number:05d}-of-{of:05d}.parquet"
                    yield Part(path, grammar, make(some, grammar, tell))

    def writing_elsewhere(
        self, images: np.ndarray, grammar: Grammar, tell: Callable[[int], None]
    ) -> Callable[[Path], int]:
        """What has the crew write a file, and takes it in."""
        crew = self.crew
        assert crew is not None

        def write(path: Path) -> int:
            data, rows = crew.submit(packed_captions, images, grammar).result()
            with replacing_file(path) as draft:
                draft.write_bytes(data)
            tell(rows)
            return rows

        return write

    def large_parts(self) -> Iterator[Part]:
        """Files that several threads make together."""
        for grammar in self.recipe.captions if self.recipe.layout != "parquet" else ():
            tell = self.teller(f"{grammar} captions as JSON", _count(grammar))
            yield Part(caption_file_name(grammar), grammar, _writing_json(grammar, self.workers, tell))
        if self.recipe.images:
            yield Part(IMAGE_FILE, "images", self.draw_images)

    def draw_images(self, path: Path) -> int:
        from deixis.worlds.rooms.formats.shapes3d import write_shapes3d

        write_shapes3d(path, size=self.recipe.image_size, workers=self.workers, progress=self.progress)
        return IMAGES

    def teller(self, stage: str, total: int, *, done: int = 0) -> Callable[[int], None]:
        """What adds up the captions that several threads tell of, beside those that were kept."""
        guard = Lock()

        def tell(captions: int) -> None:
            nonlocal done
            with guard:
                done += captions
                self.progress(stage, done, total)

        return tell


def _count(grammar: Grammar) -> int:
    return IMAGES * len(frames(grammar))


def _listing(images: np.ndarray) -> Callable[[Path], int]:
    return lambda path: write_image_list(path, images)


def _drawing(images: np.ndarray, size: int | None) -> Callable[[Path], int]:
    return lambda path: write_rooms(path, images, size=size)


def _writing(images: np.ndarray, grammar: Grammar, tell: Callable[[int], None]) -> Callable[[Path], int]:
    return lambda path: write_captions(path, images, grammar, tell=tell)


def _writing_json(grammar: Grammar, workers: int, tell: Callable[[int], None]) -> Callable[[Path], int]:
    return lambda path: write_caption_file(path, grammar, images=np.arange(IMAGES), workers=workers, tell=tell)


def _write_pairs(path: Path, sets: Mapping[str, np.ndarray]) -> int:
    """Write pairs of images with the names of their sets; how many there are."""
    pairs = np.concatenate(list(sets.values())).astype(np.uint32)
    return _write_sets(path, sets, (pa.array(pairs[:, 0]), pa.array(pairs[:, 1])), PAIRS)


def _write_contexts(path: Path, sets: Mapping[str, np.ndarray]) -> int:
    """Write contexts with the captions that say what has to be said; how many there are."""
    targets = np.concatenate([rows[:, 0] for rows in sets.values()]).astype(np.uint32)
    others = [some for rows in sets.values() for some in rows[:, 1:].tolist()]
    numbers = np.concatenate([caption_numbers(needed_features(rows)) for rows in sets.values()]).astype(np.uint8)
    texts = [text for rows in sets.values() for text in needed_captions(rows)]
    columns = pa.array(targets), pa.array(others, pa.list_(pa.uint32())), pa.array(numbers), pa.array(texts)
    return _write_sets(path, sets, columns, CONTEXTS)


def _write_sets(path: Path, sets: Mapping[str, np.ndarray], columns: tuple[pa.Array, ...], schema: pa.Schema) -> int:
    """Write columns with the name of the set in front; how many rows there are."""
    names = np.repeat(np.arange(len(sets)), [len(rows) for rows in sets.values()]).astype(np.int8)
    first = pa.DictionaryArray.from_arrays(pa.array(names), pa.array(list(sets)))
    with replacing_file(path) as draft:
        table = pa.Table.from_arrays([first, *columns], schema=schema)
        pq.write_table(table, draft, compression="zstd", write_page_checksum=True)
    return len(names)
