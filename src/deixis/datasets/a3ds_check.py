"""Checking a folder of A3DS: every file against the manifest, and everything in it against what it should be.

| code | found |
|------|-------|
| E001 | A file cannot be read |
| E002 | A file is not what the manifest says |
| E701 | A caption is not the one that its grammar has there |
| E702 | The vocabulary lacks a word of the captions |
| E703 | The splits share images, or are not those of the seed |
| E704 | A pair is not what its set promises |

Captions are made anew and compared, so that a file with the right hash and the wrong captions is found, too. Images are
compared with the manifest only.
"""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.datasets.a3ds import KIND, read_pairs
from deixis.datasets.captions import caption_table, read_captions
from deixis.datasets.formats.a3ds import compare_captions, read_image_list, read_vocabulary
from deixis.datasets.problem import FEW, Problem
from deixis.datasets.store import MANIFEST, file_digest, kind_of, open_dataset
from deixis.errors import BrokenDataset, DeixisError
from deixis.scene.factors import FACTORS, IMAGES, factors_of
from deixis.worlds.shapes.captions import GRAMMARS, frames
from deixis.worlds.shapes.pairs import SETS, partition
from deixis.worlds.shapes.vocabulary import unknown_words


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from deixis.datasets.pool_maker import Progress
    from deixis.worlds.shapes.captions import Grammar


__all__ = ["A3dsReport", "Problem", "check_a3ds", "is_a3ds"]

MESSAGES = {
    "E001": "A file cannot be read",
    "E002": "A file is not what the manifest says",
    "E701": "A caption is not the one that its grammar has there",
    "E702": "The vocabulary lacks a word of the captions",
    "E703": "The splits share images, or are not those of the seed",
    "E704": "A pair is not what its set promises",
}
SHARED = {"similar": 3, "random": 0} | dict(SETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class A3dsReport:
    """What was found in a folder.

    Attributes:
        files: how many files were looked at.
        captions: how many captions were compared.
        counts: how often each code was found.
        problems: the first findings of each.
    """

    files: int
    captions: int
    counts: dict[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def exit_code(self) -> int:
        """What a command that checks leaves with: 1 for problems, else 0."""
        return int(bool(self.counts))

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        found = [{**problem._asdict(), "message": MESSAGES[problem.code]} for problem in self.problems]
        return {"files": self.files, "captions": self.captions, "counts": self.counts, "findings": found}


def is_a3ds(folder: Path) -> bool:
    """Whether a folder says of itself that it is a finished dataset of this kind."""
    return kind_of(folder) == KIND


def check_a3ds(folder: Path, *, workers: int = 1, progress: Progress | None = None) -> A3dsReport:
    """Check a folder that `make_a3ds` has made.

    Args:
        folder: the folder.
        workers: how many threads; the result does not depend on it.
        progress: told how far things are.

    Raises:
        BrokenDataset: when its manifest cannot be read or is that of something else.
    """
    dataset = open_dataset(folder)
    if dataset.manifest.get("kind") != KIND:
        raise BrokenDataset(f"{folder} holds another kind of dataset")
    files = dataset.manifest["files"]
    checks = [_check_of(entry, dataset.manifest) for entry in files]
    captions = 0
    found: list[Problem] = []
    with ThreadPoolExecutor(workers) as threads:
        jobs = [threads.submit(_examined, folder, entry, check) for entry, check in zip(files, checks, strict=True)]
        for number, job in enumerate(jobs, start=1):
            problems, compared = job.result()
            found += problems
            captions += compared
            if progress:
                progress("files checked", number, len(jobs))
    found += _shared_images(folder, [entry["path"] for entry in files])
    found += _missing_captions(dataset.manifest)
    counts = Counter(problem.code for problem in found)
    first = [p for code in sorted(counts) for p in [p for p in found if p.code == code][:FEW]]
    return A3dsReport(files=len(files), captions=captions, counts=dict(sorted(counts.items())), problems=tuple(first))


class _Result(NamedTuple):
    problems: list[Problem]
    captions: int


def _check_of(entry: dict[str, Any], manifest: dict[str, Any]) -> Callable[[Path], Iterator[Problem | int]]:
    """What a file is looked at with; it gives problems, and numbers of captions that were compared."""
    path, split = entry["path"], entry["split"]
    images = _images(manifest)
    if split in GRAMMARS and path.startswith("captions/"):
        return lambda file: _captions(file, path, split, images)
    if split in GRAMMARS:
        return lambda file: _caption_file(file, path, split, images)
    if path == "vocabulary.json":
        grammars = [name for name in _table(manifest, "captions") if name in GRAMMARS]
        return lambda file: _vocabulary(file, path, grammars)
    seed = _table(manifest, "recipe").get("seed")
    seed = seed if isinstance(seed, int) else 0
    if path.startswith("ids/"):
        return lambda file: _ids(file, path, split, seed)
    if path.startswith("pairs/"):
        return lambda file: _pairs(file, path, split, seed)
    return lambda _file: iter(())


def _images(manifest: dict[str, Any]) -> int:
    """How many images there are captions of: all, unless the manifest says another number that is possible."""
    images = manifest.get("images")
    return images if isinstance(images, int) and 0 < images <= IMAGES else IMAGES


def _table(manifest: dict[str, Any], key: str) -> dict[str, Any]:
    value = manifest.get(key)
    return value if isinstance(value, dict) else {}


def _examined(folder: Path, entry: dict[str, Any], check: Callable[[Path], Iterator[Problem | int]]) -> _Result:
    path = entry["path"]
    problems: list[Problem] = []
    captions = 0
    try:
        if (folder / path).stat().st_size != entry["bytes"] or file_digest(folder / path) != entry["sha256"]:
            problems.append(Problem("E002", path, "its content is not the one that the manifest has the hash of"))
        for found in check(folder / path):
            if isinstance(found, int):
                captions += found
            else:
                problems.append(found)
    except (OSError, pa.ArrowException, KeyError, DeixisError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:300]
        problems.append(Problem("E001", path, reason))
    return _Result(problems, captions)


def _captions(file: Path, path: str, grammar: Grammar, images: int) -> Iterator[Problem | int]:
    """The captions of a file, made anew; its images follow each other from where its name says."""
    numbers = re.fullmatch(rf"captions/{grammar}-(\d{{1,5}})-of-(\d{{1,5}})\.parquet", path)
    shard, of = map(int, numbers.groups()) if numbers else (0, 0)
    if shard >= of:
        yield Problem("E002", path, "it is not called as a file of captions should be")
        return
    each, (next_image, last) = len(frames(grammar)), (shard * images // of, (shard + 1) * images // of)
    for table in read_captions(file):
        expected = caption_table(np.arange(next_image, min(next_image + -(-len(table) // each), images)), grammar)
        yield len(table)
        next_image += len(expected) // each
        if table.equals(expected):
            continue
        rows = min(len(table), len(expected))
        if len(table) != len(expected):
            yield Problem("E701", path, f"a block has {len(table):,} captions, which are not {each} for each image")
        for row in _differing(table[:rows], expected[:rows])[:FEW]:
            found, wanted = ({k: t[k][row].as_py() for k in t.column_names} for t in (table, expected))
            yield Problem("E701", path, f"found {found}, expected {wanted}")
    if next_image != last:
        yield Problem("E701", path, f"the captions end before image {next_image:,} instead of {last:,}")


def _differing(table: pa.Table, expected: pa.Table) -> list[int]:
    """The rows in which two tables of one length differ."""
    pairs = zip(table.columns, expected.columns, strict=True)
    differ = [pc.fill_null(pc.not_equal(one, other), fill_value=True).to_numpy() for one, other in pairs]
    return np.flatnonzero(np.logical_or.reduce(differ)).tolist()


def _caption_file(file: Path, path: str, grammar: Grammar, images: int) -> Iterator[Problem | int]:
    compared = compare_captions(file, grammar)
    yield compared.captions
    yield from (Problem("E701", path, str(difference)) for difference in compared.first)
    missing = images - compared.images
    if missing or compared.repeated:
        detail = f"{missing:,} images are missing and {compared.repeated:,} occur more than once"
        yield Problem("E701", path, detail)


def _vocabulary(file: Path, path: str, grammars: list[Grammar]) -> Iterator[Problem]:
    words = read_vocabulary(file)
    for grammar in grammars:
        for word, captions in unknown_words(words, grammar).items():
            yield Problem("E702", path, f"{word!r}, in {captions:,} {grammar} captions")


@lru_cache(maxsize=1)
def _split_images(seed: int) -> dict[str, np.ndarray]:
    return partition(seed=seed)._asdict()


def _ids(file: Path, path: str, split: str, seed: int) -> Iterator[Problem]:
    expected = _split_images(seed).get(split)
    if expected is None or not np.array_equal(read_image_list(file), expected):
        yield Problem("E703", path, f"these are not the images that the seed {seed} puts into {split!r}")


def _pairs(file: Path, path: str, split: str, seed: int) -> Iterator[Problem]:
    """Pairs of two images of the split that share what the name of their set says."""
    members = np.zeros(IMAGES, bool)
    members[_split_images(seed).get(split, [])] = True
    for name, pairs in read_pairs(file).items():
        if name not in SHARED or (pairs >= IMAGES).any():
            yield Problem("E704", path, f"there is no set {name!r}, or it shows images that do not exist")
            continue
        same = factors_of(pairs[:, 0]) == factors_of(pairs[:, 1])
        shared = SHARED[name]
        fits = (
            same.sum(axis=1) >= shared
            if isinstance(shared, int)
            else same[:, [FACTORS.index(f) for f in shared]].all(1)
        )
        wrong = np.flatnonzero(~fits | ~members[pairs].all(axis=1) | (pairs[:, 0] == pairs[:, 1]))
        for row in wrong[:FEW].tolist():
            yield Problem("E704", path, f"{name}: target {pairs[row, 0]}, distractor {pairs[row, 1]}")


def _missing_captions(manifest: dict[str, Any]) -> Iterator[Problem]:
    """Grammars whose files are not all there."""
    for grammar, promised in _table(manifest, "captions").items():
        entries = [entry for entry in manifest["files"] if entry["split"] == grammar]
        parquet = sum(entry["rows"] for entry in entries if entry["path"].startswith("captions/"))
        other = sum(entry["rows"] for entry in entries) - parquet
        if {parquet, other} - {0, promised} or not parquet + other:
            detail = f"it promises {promised} {grammar} captions, but its files have {parquet or other:,}"
            yield Problem("E002", MANIFEST, detail)


def _shared_images(folder: Path, paths: list[str]) -> Iterator[Problem]:
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
            yield Problem("E703", path, f"{len(twice):,} images are also in {other}, image {twice[0]} first")
        owner[images] = number
