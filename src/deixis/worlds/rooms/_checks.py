"""Checking a folder of A3DS: every file against the manifest, and everything in it against what it should be.

| code | found |
|------|-------|
| E001 | A file cannot be read |
| E002 | A file is not what the manifest says |
| W006 | A file lies in the folder that the manifest does not list |
| E401 | The same content is in two splits |
| W402 | The same content is twice in one split |
| E701 | A caption is not the one that its grammar has there |
| E702 | The vocabulary lacks a word of the captions |
| E703 | The splits share images, or are not those of the seed |
| E704 | A pair is not what its set promises |
| E705 | A caption of an every-word set is not the one that says all that is needed and no more |

Captions are made anew and compared, so that a file with the right hash and the wrong captions is found, too. Images are
compared with the manifest only. E401 and W402 are about images that two datasets have; E703 is about one dataset.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis.data._crew import in_order_by_threads
from deixis.data._data_places import share_reading
from deixis.data._packed_findings import request_settings
from deixis.data._resumable_work import ResumableWork
from deixis.data._seal import find_changes, find_unlisted
from deixis.data.checks import COMPARED, Collector, Contents
from deixis.data.store import MANIFEST, file_digest, kind_of, open_dataset
from deixis.distractors.necessity import is_minimal
from deixis.errors import AmbiguousExpression, BrokenDataset, DeixisError
from deixis.worlds.rooms.captions import GRAMMARS, caption, expression_of, frames
from deixis.worlds.rooms.data._captions import caption_table, read_captions
from deixis.worlds.rooms.data.make import EVERY_WORD_FILE, KIND, read_pairs
from deixis.worlds.rooms.every_word import EVERY_WORD, needed_features
from deixis.worlds.rooms.formats.a3ds import compare_captions, read_caption_file, read_image_list, read_vocabulary
from deixis.worlds.rooms.pairs import SETS, context_of, partition
from deixis.worlds.rooms.scene import FACTORS, IMAGES, RoomScene, factors_of
from deixis.worlds.rooms.speakers import caption_numbers
from deixis.worlds.rooms.vocabulary import unknown_words


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from deixis.data._data_places import DataPlace
    from deixis.data.checks import CheckRequest, Report
    from deixis.worlds.rooms.captions import Grammar


codes = {
    "E001": "A file cannot be read",
    "E002": "A file is not what the manifest says",
    "W006": "A file lies in the folder that the manifest does not list",
    **COMPARED,
    "E701": "A caption is not the one that its grammar has there",
    "E702": "The vocabulary lacks a word of the captions",
    "E703": "The splits share images, or are not those of the seed",
    "E704": "A pair is not what its set promises",
    "E705": "A caption of an every-word set is not the one that says all that is needed and no more",
}
runs_on_clusters = True
SHARED = {"similar": 3, "random": 0} | dict(SETS)
MANY = 20  # faults of one file that are told one by one


def is_a3ds(folder: Path) -> bool:
    """Return whether the manifest of a folder declares a finished dataset of this kind."""
    return kind_of(folder) == KIND


def check(path: Path, request: CheckRequest) -> Report:
    """Check a folder that `make_a3ds` has made.

    A sample is one of captions and pairs; files are then not compared with the manifest.

    Raises:
        BrokenDataset: when its manifest cannot be read or is that of something else.
    """
    dataset = open_dataset(path)
    if dataset.manifest.get("kind") != KIND:
        raise BrokenDataset(f"{path} holds another kind of dataset")
    found = Collector(codes, select=request.select, most=request.most)
    files = dataset.manifest["files"]
    looks = _looks(dataset.manifest, request)
    captions = 0

    def share(rest: Iterator[int], left: int) -> Iterator[_Result]:
        return _results(path, looks, rest, left, request)

    with ResumableWork("check", path, request_settings(request)) as resumable:
        results = resumable.go_on("files", range(len(looks)), len(looks), share, pack=list, unpack=_Result.unpack)
        for number, (look, result) in enumerate(zip(looks, results, strict=True), start=1):
            for problem in result.problems:
                found.add(problem.code, problem.detail, file=problem.file)
            captions += result.captions
            if result.captions + result.pairs:
                found.see(look.split, result.captions + result.pairs)
            request.tell("files checked", number, len(looks))
    beside: Iterator[_Problem] = _shared_images(path, [entry["path"] for entry in files])
    if request.sample is None:
        beside = chain(beside, _missing_captions(dataset.manifest), _changes_beside(path, dataset.manifest))
    for problem in beside:
        found.add(problem.code, problem.detail, file=problem.file)
    facts = {"kind": KIND, "files": len(files), "captions": captions}
    return found.report(contents=_contents(path, files), compares=False, facts=facts)


def _results(
    path: Path, looks: Sequence[_Look], numbers: Iterator[int], count: int, request: CheckRequest
) -> Iterator[_Result]:
    """Examine the files of some numbers, in their order: by threads, whose work is compiled, or by a crew."""
    if request.crew is None:
        return in_order_by_threads(lambda number: _examine(path, looks[number]), numbers, request.workers)
    asked = replace(request, crew=None, progress=None)
    pieces = ((asked, number) for number in numbers)
    return share_reading(_examine_there, path, pieces, count, crew=request.crew)


def _examine_there(place: DataPlace, asked: tuple[CheckRequest, int]) -> _Result:
    """Examine the file of a number, in whatever process."""
    request, number = asked
    path = place.find()
    return _examine(path, _looks(open_dataset(path).manifest, request)[number])


class _Problem(NamedTuple):
    code: str
    file: str
    detail: str


@dataclass(frozen=True)
class _Look:
    """How to look at a file: with a function that gives problems, and numbers of captions or pairs it compared.

    Attributes:
        entry: of the manifest; its hash is compared where `is_hashed`.
        split: what its captions or pairs count as.
    """

    entry: dict[str, Any]
    split: str
    find: Callable[[Path], Iterator[_Problem | int]]
    is_hashed: bool


class _Result(NamedTuple):
    problems: list[_Problem]
    captions: int
    pairs: int

    @classmethod
    def unpack(cls, packed: list[Any]) -> _Result:
        """Return a result that JSON has told."""
        problems, captions, pairs = packed
        return cls([_Problem(*one) for one in problems], captions, pairs)


def _looks(manifest: dict[str, Any], request: CheckRequest) -> list[_Look]:
    """A look for every file; of a sample, at the chosen captions and pairs only."""
    sizes = [entry["rows"] if _holds_examples(entry) else 0 for entry in manifest["files"]]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    chosen = None if request.sample is None else np.array(request.choose(int(starts[-1])), np.int64)
    looks = []
    for entry, start, end in zip(manifest["files"], starts[:-1], starts[1:], strict=True):
        rows = None if chosen is None else chosen[(chosen >= start) & (chosen < end)] - start
        named = re.match(r"captions/[a-z]+-([a-z]+)-", entry["path"])
        find = _find_of(entry, manifest, rows, is_plain=request.thorough or rows is not None)
        looks.append(_Look(entry, named[1] if named else entry["split"], find, chosen is None))
    return looks


def _holds_examples(entry: dict[str, Any]) -> bool:
    return entry["split"] in GRAMMARS or entry["path"].startswith("pairs/")


def _find_of(
    entry: dict[str, Any], manifest: dict[str, Any], rows: np.ndarray | None, *, is_plain: bool
) -> Callable[[Path], Iterator[_Problem | int]]:
    """What a file is looked at with; it gives problems, and numbers of captions or pairs that were compared."""
    path, split = entry["path"], entry["split"]
    images = _images(manifest)
    recipe = _table(manifest, "recipe")
    seed = recipe.get("seed")
    seed = seed if type(seed) is int and seed >= 0 else 0
    if split in GRAMMARS and path.startswith("captions/"):

        def find_images(file: Path) -> np.ndarray | None:
            return _images_in(path, split, images, seed if recipe else file.parents[1])

        if is_plain:
            return lambda file: _captions_one_by_one(file, path, split, find_images(file), rows)
        return lambda file: _captions(file, path, split, find_images(file))
    if split in GRAMMARS:
        if is_plain:
            return lambda file: _caption_file_one_by_one(file, path, split, images, rows)
        return lambda file: _caption_file(file, path, split, images)
    if path == "vocabulary.json":
        grammars = [name for name in _table(manifest, "captions") if name in GRAMMARS]
        grammars += ["partial"] if recipe.get("every_word") and "partial" not in grammars else []
        return lambda file: _vocabulary(file, path, grammars)
    if path.startswith("ids/"):
        return lambda file: _ids(file, path, split, seed if recipe else None)
    if path == EVERY_WORD_FILE:
        return lambda file: _every_word(file, path, seed, rows, is_plain=is_plain)
    if path.startswith("pairs/"):
        return lambda file: _pairs(file, path, split, seed, rows, is_plain=is_plain)
    return lambda _file: iter(())


def _images(manifest: dict[str, Any]) -> int:
    """How many images there are captions of: all, unless the manifest says another number that is possible."""
    images = manifest.get("images")
    return images if isinstance(images, int) and 0 < images <= IMAGES else IMAGES


def _table(manifest: dict[str, Any], key: str) -> dict[str, Any]:
    value = manifest.get(key)
    return value if isinstance(value, dict) else {}


def _examine(folder: Path, look: _Look) -> _Result:
    path, entry = look.entry["path"], look.entry
    problems: list[_Problem] = []
    numbers = 0
    try:
        is_other = look.is_hashed and (
            (folder / path).stat().st_size != entry["bytes"] or file_digest(folder / path) != entry["sha256"]
        )
        if is_other:
            problems.append(_Problem("E002", path, "its content is not the one that the manifest has the hash of"))
        for found in look.find(folder / path):
            if isinstance(found, int):
                numbers += found
            else:
                problems.append(found)
    except (OSError, pa.ArrowException, KeyError, DeixisError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:300]
        problems.append(_Problem("E001", path, reason))
    are_pairs = path.startswith("pairs/")
    return _Result(problems, 0 if are_pairs else numbers, numbers if are_pairs else 0)


def _images_in(path: str, grammar: Grammar, images: int, source: int | Path) -> np.ndarray | None:
    """The images that a file of captions is about, as its name says; None where it is not called like one.

    Files of before there were some for every split hold a stretch of all images. The images of a split follow from the
    seed, or stand in a list in the folder of a dataset that was not made here.
    """
    found = re.fullmatch(rf"captions/{grammar}-(?:([a-z]+)-)?(\d{{1,5}})-of-(\d{{1,5}})\.parquet", path)
    split, shard, of = (found[1], int(found[2]), int(found[3])) if found else (None, 0, 0)
    if shard >= of:
        return None
    if split is None:
        return np.arange(shard * images // of, (shard + 1) * images // of)
    if isinstance(source, int):
        known = _split_images(source).get(split)
    else:
        listed = source / f"ids/{split}.txt"
        known = read_image_list(listed) if listed.is_file() else None
    return None if known is None else np.array_split(known[known < images], of)[shard]


def _captions(file: Path, path: str, grammar: Grammar, images: np.ndarray | None) -> Iterator[_Problem | int]:
    """The captions of a file, made anew; its images follow each other as its name says."""
    if images is None:
        yield _Problem("E002", path, "it is not called as a file of captions should be")
        return
    each, place = len(frames(grammar)), 0
    for table in read_captions(file):
        expected = caption_table(images[place : place + -(-len(table) // each)], grammar)
        yield len(table)
        place += len(expected) // each
        if table.equals(expected):
            continue
        rows = min(len(table), len(expected))
        if len(table) != len(expected):
            yield _Problem("E701", path, f"a block has {len(table):,} captions, which are not {each} for each image")
        for row in _differing(table[:rows], expected[:rows])[:MANY]:
            found, wanted = ({k: t[k][row].as_py() for k in t.column_names} for t in (table, expected))
            yield _Problem("E701", path, f"found {found}, expected {wanted}")
    if place != len(images):
        yield _Problem("E701", path, f"there are captions of {place:,} images instead of {len(images):,}")


def _captions_one_by_one(
    file: Path, path: str, grammar: Grammar, images: np.ndarray | None, rows: np.ndarray | None
) -> Iterator[_Problem | int]:
    """All captions of a file or some, each made by itself."""
    if images is None:
        yield _Problem("E002", path, "it is not called as a file of captions should be")
        return
    each, start, told = len(frames(grammar)), 0, 0
    for table in read_captions(file):
        inside = np.arange(len(table)) if rows is None else rows[(rows >= start) & (rows < start + len(table))] - start
        for found, row in zip(table.take(pa.array(inside)).to_pylist(), inside.tolist(), strict=True):
            place, number = divmod(start + row, each)
            image = int(images[place]) if place < len(images) else -1
            text = caption(image, number, grammar) if image >= 0 else ""
            wanted = {"image": image, "number": number, "text": text}
            if found != wanted and (told := told + 1) <= MANY:
                yield _Problem("E701", path, f"found {found}, expected {wanted}")
        start += len(table)
        yield len(inside)
    if start != len(images) * each:
        yield _Problem("E701", path, f"there are {start:,} captions instead of {len(images) * each:,}")


def _caption_file_one_by_one(
    file: Path, path: str, grammar: Grammar, images: int, rows: np.ndarray | None
) -> Iterator[_Problem | int]:
    """All captions of a file in the layout of the release or some, each made by itself."""
    each, start, told = len(frames(grammar)), 0, 0
    seen: set[int] = set()
    repeated = 0
    chosen = None if rows is None else frozenset(rows.tolist())
    for image, texts in read_caption_file(file):
        repeated += image in seen
        seen.add(image)
        numbers = [number for number in range(len(texts)) if chosen is None or start + number in chosen]
        start += each
        for number in numbers:
            wanted = caption(image, number, grammar) if image < IMAGES and number < each else None
            if texts[number] != wanted and (told := told + 1) <= MANY:
                yield _Problem("E701", path, f"image {image}, caption {number}: {texts[number]!r}, not {wanted!r}")
        if len(texts) != each:
            yield _Problem("E701", path, f"image {image} has {len(texts)} captions, not {each}")
        yield len(numbers)
    if len(seen) != images or repeated:
        detail = f"{images - len(seen):,} images are missing and {repeated:,} occur more than once"
        yield _Problem("E701", path, detail)


def _differing(table: pa.Table, expected: pa.Table) -> list[int]:
    """The rows in which two tables of one length differ."""
    pairs = zip(table.columns, expected.columns, strict=True)
    differ = [pc.fill_null(pc.not_equal(one, other), fill_value=True).to_numpy() for one, other in pairs]
    return np.flatnonzero(np.logical_or.reduce(differ)).tolist()


def _caption_file(file: Path, path: str, grammar: Grammar, images: int) -> Iterator[_Problem | int]:
    compared = compare_captions(file, grammar)
    yield compared.captions
    yield from (_Problem("E701", path, str(difference)) for difference in compared.first)
    missing = images - compared.images
    if missing or compared.repeated:
        detail = f"{missing:,} images are missing and {compared.repeated:,} occur more than once"
        yield _Problem("E701", path, detail)


def _vocabulary(file: Path, path: str, grammars: list[Grammar]) -> Iterator[_Problem]:
    words = read_vocabulary(file)
    for grammar in grammars:
        for word, captions in unknown_words(words, grammar).items():
            yield _Problem("E702", path, f"{word!r}, in {captions:,} {grammar} captions")


@lru_cache(maxsize=1)
def _split_images(seed: int) -> dict[str, np.ndarray]:
    return partition(seed=seed)._asdict()


def _ids(file: Path, path: str, split: str, seed: int | None) -> Iterator[_Problem]:
    """A list of images, compared with what the seed says; one that came from elsewhere is only read."""
    expected = read_image_list(file) if seed is None else _split_images(seed).get(split)
    if expected is None or not np.array_equal(read_image_list(file), expected):
        yield _Problem("E703", path, f"these are not the images that the seed {seed} puts into {split!r}")


def _pairs(
    file: Path, path: str, split: str, seed: int, rows: np.ndarray | None, *, is_plain: bool
) -> Iterator[_Problem | int]:
    """Pairs of two images of the split that share what the name of their set says; all of them or some."""
    members = np.zeros(IMAGES, bool)
    members[_split_images(seed).get(split, [])] = True
    start = 0
    for name, every in read_pairs(file).items():
        inside = slice(None) if rows is None else rows[(rows >= start) & (rows < start + len(every))] - start
        start += len(every)
        pairs = every[inside]
        yield len(pairs)
        if name not in SHARED or (every >= IMAGES).any():
            yield _Problem("E704", path, f"there is no set {name!r}, or it shows images that do not exist")
            continue
        fits = _share_one_by_one(pairs, SHARED[name]) if is_plain else _share(pairs, SHARED[name])
        wrong = np.flatnonzero(~fits | ~members[pairs].all(axis=1) | (pairs[:, 0] == pairs[:, 1]))
        for row in wrong[:MANY].tolist():
            yield _Problem("E704", path, f"{name}: target {pairs[row, 0]}, distractor {pairs[row, 1]}")


def _share(pairs: np.ndarray, shared: int | Sequence[str]) -> np.ndarray:
    """bool [pair]: the two images share at least so many factors, or these."""
    same = factors_of(pairs[:, 0]) == factors_of(pairs[:, 1])
    if isinstance(shared, int):
        return same.sum(axis=1) >= shared
    return same[:, [FACTORS.index(factor) for factor in shared]].all(axis=1)


def _share_one_by_one(pairs: np.ndarray, shared: int | Sequence[str]) -> np.ndarray:
    """The same by the values of each scene."""
    fits = np.zeros(len(pairs), bool)
    for place, (one, other) in enumerate(pairs.tolist()):
        rooms = RoomScene(one), RoomScene(other)
        same = {factor for factor in FACTORS if rooms[0].values(0, factor) == rooms[1].values(0, factor)}
        fits[place] = len(same) >= shared if isinstance(shared, int) else same >= set(shared)
    return fits


def _every_word(
    file: Path, path: str, seed: int, rows: np.ndarray | None, *, is_plain: bool
) -> Iterator[_Problem | int]:
    """Contexts of images of the test split, with the one caption each whose every feature is needed."""
    members = np.zeros(IMAGES, bool)
    members[_split_images(seed).get("test", [])] = True
    sets, said = read_pairs(file), pq.read_table(file, columns=["number", "caption"])
    start = 0
    for name, every in sets.items():
        inside = np.arange(len(every))
        inside = inside if rows is None else rows[(rows >= start) & (rows < start + len(every))] - start
        numbers, texts = (said[column].take(pa.array(inside + start)).to_pylist() for column in said.column_names)
        start += len(every)
        yield len(inside)
        if name not in EVERY_WORD or (every >= IMAGES).any() or every.shape[1] != 1 << EVERY_WORD[name]:
            yield _Problem("E704", path, f"there is no set {name!r}, or it shows images that do not exist or too few")
            continue
        some = every[inside]
        is_needed = _need_one_by_one if is_plain else _need
        fits = is_needed(some, numbers) & members[some].all(axis=1)
        fits &= _cross(some, EVERY_WORD[name])
        for row in np.flatnonzero(~fits)[:MANY].tolist():
            yield _Problem("E704", path, f"{name}: {some[row].tolist()}, the target first")
        wrong = [
            row
            for row, (image, number, text) in enumerate(zip(some[:, 0].tolist(), numbers, texts, strict=True))
            if number >= len(frames("partial")) or text != caption(image, number, "partial")
        ]
        for row in wrong[:MANY]:
            yield _Problem("E705", path, f"{name}: {texts[row]!r} of image {some[row, 0]}")


def _cross(images: np.ndarray, features: int) -> np.ndarray:
    """bool [context]: the images are all rooms that so many features with two values each make."""
    differs = factors_of(images) != factors_of(images[:, :1])
    patterns = np.sort((differs * (1 << np.arange(len(FACTORS)))).sum(axis=2), axis=1)  # the target has none
    is_each_once = (np.diff(patterns, axis=1) > 0).all(axis=1)
    return np.asarray(is_each_once & (differs.any(axis=1).sum(axis=1) == features))


def _need(images: np.ndarray, numbers: Sequence[int]) -> np.ndarray:
    """bool [context]: these captions name the features that must be said, and no others; they suffice."""
    needed = needed_features(images)
    differs = factors_of(images[:, 1:]) != factors_of(images[:, :1])
    is_sufficient = (differs & needed[:, None]).any(axis=2).all(axis=1)
    return np.asarray(is_sufficient & (caption_numbers(needed) == np.asarray(numbers, np.int64)))


def _need_one_by_one(images: np.ndarray, numbers: Sequence[int]) -> np.ndarray:
    """The same by what captions mean: they fit the target alone, and without any part something else as well."""
    fits = np.zeros(len(images), bool)
    known = frames("partial")
    for place, (row, number) in enumerate(zip(images.tolist(), numbers, strict=True)):
        if number < len(known):
            with suppress(AmbiguousExpression):
                fits[place] = is_minimal(expression_of(row[0], known[number].features), context_of(row))
    return fits


def _changes_beside(folder: Path, manifest: dict[str, Any]) -> Iterator[_Problem]:
    """What is wrong with the files beside the data: the card, the manifest itself, and what it does not list."""
    data = {entry["path"] for entry in manifest["files"]}
    yield from (_Problem("E002", *change) for change in find_changes(folder, manifest, without=data))
    yield from (_Problem("W006", name, "it is not in the manifest") for name in find_unlisted(folder, manifest))


def _contents(folder: Path, files: Sequence[dict[str, Any]]) -> Contents:
    """Which images are in which split, to be compared with other datasets."""
    lists: dict[str, np.ndarray] = {}
    for entry in files:
        if entry["path"].startswith("ids/"):
            try:
                lists[entry["split"]] = read_image_list(folder / entry["path"])
            except BrokenDataset:
                continue  # told already
    images = np.concatenate([np.zeros(0, np.int64), *lists.values()]).astype(np.int64)
    return Contents(
        digest=images.astype(np.uint64),
        id=images,
        row=images,
        split=np.repeat(np.arange(len(lists)), [len(some) for some in lists.values()]),
        names=tuple(lists),
        alone=frozenset(lists),
    )


def _missing_captions(manifest: dict[str, Any]) -> Iterator[_Problem]:
    """Grammars whose files are not all there."""
    for grammar, promised in _table(manifest, "captions").items():
        entries = [entry for entry in manifest["files"] if entry["split"] == grammar]
        parquet = sum(entry["rows"] for entry in entries if entry["path"].startswith("captions/"))
        other = sum(entry["rows"] for entry in entries) - parquet
        if any(found not in (0, promised) for found in (parquet, other)) or not parquet + other:
            detail = f"it promises {promised} {grammar} captions, but its files have {parquet or other:,}"
            yield _Problem("E002", MANIFEST, detail)


def _shared_images(folder: Path, paths: list[str]) -> Iterator[_Problem]:
    """Images that two lists of numbers have in common."""
    lists = [path for path in paths if path.startswith("ids/")]
    owner = np.full(IMAGES, -1)
    for number, path in enumerate(lists):
        try:
            images = read_image_list(folder / path)
        except BrokenDataset:
            continue  # told already
        twice = images[owner[images] >= 0]
        if len(twice):
            other = lists[owner[twice[0]]]
            yield _Problem("E703", path, f"{len(twice):,} images are also in {other}, image {twice[0]} first")
        owner[images] = number
