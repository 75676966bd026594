"""Checking a Cops-Ref dataset: every file against its manifest, every expression resolved anew in every image it names.

| code | found |
|------|-------|
| E002 | A file is not what the manifest says |
| E101 | The expression fits no object of its image |
| E102 | The expression fits more than one object of its image |
| E103 | The target is not the object that the expression fits |
| E801 | An image or object is named that the scenes do not have |
| E802 | The expression fits something in a distractor image |
| E803 | An expression of what is not there fits something |
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.datasets.copsref.store import open_copsref
from deixis.datasets.problem import FEW, Problem
from deixis.datasets.store import file_digest
from deixis.errors import UnknownName
from deixis.resolution.graphs import counts_of, only_of, resolve_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.datasets.copsref.store import CopsRef
    from deixis.datasets.pool_maker import Progress
    from deixis.tasks.localise import Example


__all__ = ["CopsRefReport", "Problem", "check_copsref"]

MESSAGES = {
    "E002": "A file is not what the manifest says",
    "E101": "The expression fits no object of its image",
    "E102": "The expression fits more than one object of its image",
    "E103": "The target is not the object that the expression fits",
    "E801": "An image or object is named that the scenes do not have",
    "E802": "The expression fits something in a distractor image",
    "E803": "An expression of what is not there fits something",
}
BLOCK = 2048  # examples that are resolved together


@dataclass(frozen=True, slots=True, kw_only=True)
class CopsRefReport:
    """What was found in a folder.

    Attributes:
        examples, images: how many examples were looked at, and in how many images they were resolved.
        unread: examples whose meaning is not recorded.
        counts: how often each code was found; `problems` are the first of each.
    """

    examples: int
    images: int
    unread: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def exit_code(self) -> int:
        """What a command that checks leaves with: 1 for problems, else 0."""
        return int(bool(self.counts))

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        found = [{**problem._asdict(), "message": MESSAGES[problem.code]} for problem in self.problems]
        numbers = {"examples": self.examples, "images": self.images, "unread": self.unread}
        return {**numbers, "counts": self.counts, "findings": found}


def check_copsref(folder: Path, *, progress: Progress | None = None) -> CopsRefReport:
    """Check a folder of this kind.

    Raises:
        BrokenDataset: when it cannot be read at all.
    """
    data = open_copsref(folder)
    total = sum(data.splits.values())
    found = list(_changed_files(data))
    examples = images = unread = 0
    stream = data.examples()
    while block := list(islice(stream, BLOCK)):
        read = [example for example in block if example.expression is not None]
        problems, pairs = _judged(read, data)
        found += problems
        examples, images, unread = examples + len(block), images + pairs, unread + len(block) - len(read)
        if progress is not None:
            progress(folder.name, examples, total)
    counts = Counter(problem.code for problem in found)
    seen: Counter[str] = Counter()
    first = tuple(problem for problem in found if _nth(seen, problem.code) <= FEW)
    return CopsRefReport(
        examples=examples, images=images, unread=unread, counts=dict(sorted(counts.items())), problems=first
    )


def _nth(seen: Counter[str], code: str) -> int:
    seen[code] += 1
    return seen[code]


def _changed_files(data: CopsRef) -> Iterator[Problem]:
    for entry in (*data.dataset.manifest["files"], *data.pictures):
        if _digest(data.path / entry["path"]) != entry.get("sha256"):
            yield Problem("E002", entry["path"], "its hash is another")


def _digest(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError:
        return ""


def _judged(examples: list[Example], data: CopsRef) -> tuple[list[Problem], int]:
    """What is wrong with some examples, and how many images they were resolved in."""
    found: list[Problem] = []

    @lru_cache(maxsize=4096)
    def number_of(image: str) -> int:
        return data.scenes.find(image)

    which, scenes, owners = [], [], []
    for place, example in enumerate(examples):
        for order, image in enumerate((example.image_id, *(one.image_id for one in example.distractors))):
            try:
                scenes.append(number_of(image))
            except UnknownName:
                found.append(Problem("E801", f"example {example.id}", f"there is no image {image!r}"))
                continue
            which.append(place)
            owners.append(order == 0)
    if not which:
        return found, 0
    expressions = [example.expression for example in examples if example.expression is not None]  # all of them
    masks = resolve_graph_pairs(expressions, data.scenes, np.array(which), np.array(scenes))
    counts, only = counts_of(masks), only_of(masks)
    for pair, (place, scene, is_own) in enumerate(zip(which, scenes, owners, strict=True)):
        problem = _problem(examples[place], data, scene, is_own, int(counts[pair]), int(only[pair]))
        if problem is not None:
            found.append(problem)
    return found, len(which)


def _problem(example: Example, data: CopsRef, scene: int, is_own: bool, count: int, only: int) -> Problem | None:
    where = f"example {example.id} ({example.split})"
    image = data.scenes.image_ids[scene]
    if not example.object_id:
        return Problem("E803", where, f"{count} objects of image {image}") if count else None
    if not is_own:
        return Problem("E802", where, f"{count} objects of image {image}") if count else None
    if count != 1:
        return Problem("E102" if count else "E101", where, f"{count} objects of image {image}")
    picked = data.scenes.scene(scene).object_ids[only]
    if picked != example.object_id:
        return Problem("E103", where, f"it fits {picked!r}, {example.object_id!r} is recorded")
    return None
