"""Checks of Cops-Ref datasets: every file against its manifest, every expression resolved anew in every image it names.

| code | found |
|------|-------|
| E001 | The scenes or the examples cannot be read |
| E002 | A file is not what the manifest says |
| W006 | A file lies in the folder that the manifest does not list |
| E101 | The expression fits no object of its image |
| E102 | The expression fits more than one object of its image |
| E103 | The target is not the object that the expression fits |
| E401 | The same content is in two splits |
| W402 | The same content is twice in one split |
| E801 | An image, object or word is named that the scenes do not have |
| E802 | The expression fits something in a distractor image |
| E803 | An expression marked as fitting nothing fits something |
| E804 | The text does not say what the expression means |
| E805 | The form is not that of the expression |
| E806 | A distractor image is not of its kind |
| E807 | Distractor images are missing |
| E808 | An image is shown in two splits |
| E809 | A distractor image does not serve the wants that are recorded of it |
| E810 | A word, relation or order of words is not needed, though the mode is every-word |
| E811 | A mirror image is not that of its image |
"""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._data_places import share_reading
from deixis.data._kept_contents import KeptContents
from deixis.data._packed_findings import request_settings, unpack_collector
from deixis.data._resumable_work import ResumableWork
from deixis.data._seal import find_changes, find_unlisted
from deixis.data.checks import Collector, Contents, Finding
from deixis.data.recipes import recipe_in
from deixis.data.store import MANIFEST
from deixis.errors import BrokenDataset
from deixis.worlds.photos._across_checks import FewestImages, ImageSplits, ShownImages
from deixis.worlds.photos._example_checks import BLOCK, CODES, BlockFindings, ExampleLooks, look_there, where_of
from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS
from deixis.worlds.photos.data.store import SCENES, ContentDigest, open_copsref


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.data.checks import CheckRequest, Report
    from deixis.worlds.photos._example_checks import Block
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example


codes = CODES
runs_on_clusters = True


def check(path: Path, request: CheckRequest) -> Report:
    """Check a Cops-Ref dataset.

    Files are compared with the manifest also where only a sample of the examples is looked at, since the compiled loops
    trust the scenes. What only all examples together show is left out of a sample.

    Raises:
        BrokenDataset: when it cannot be read at all.
    """
    data = open_copsref(path)
    return _Run(data, request).report()


class _Run:
    """One look through a dataset; it remembers what only all examples together can show."""

    def __init__(self, data: CopsRef, request: CheckRequest) -> None:
        self.data = data
        self.request = request
        self.found = Collector(codes, select=request.select, most=request.most)
        self.made = _table(data.dataset.manifest, "made with")
        self.recipe = recipe_in(data.dataset.manifest) or {}
        self.shown = ShownImages()
        self.fewest = FewestImages(request.most)
        self.images = self.unread = 0
        self.contents = KeptContents()

    def report(self) -> Report:
        """Look at the files and examples, and tell what was found."""
        changed = self._look_at_files()
        reason = _why_unusable(self.data, changed) if changed else ""
        if reason:
            self.found.add("E001", reason)
        else:
            self._look_at_examples()
        facts = {
            "kind": "copsref",
            "examples": self.found.rows,
            "expressions resolved in images": self.images,
            "unread": self.unread,
        }
        return self.found.report(contents=self.contents, facts=facts)

    def _look_at_files(self) -> list[str]:
        """Return the names of files that have changed."""
        manifest = self.data.dataset.manifest
        changes = list(find_changes(self.data.path, manifest))
        for name, what in changes:
            self.found.add("E002", what, file=name)
        for name in find_unlisted(self.data.path, manifest):
            self.found.add("W006", "it is not in the manifest", file=name)
        return [name for name, _ in changes]

    def _look_at_examples(self) -> None:
        self.splits = ImageSplits(self.data.scenes)  # which open only where no file has changed
        total = sum(self.data.splits.values())
        content = ContentDigest()
        stream: Iterator[tuple[int, Example]] = enumerate(content.seeing(self.data.examples()))
        chosen = self.request.choose(total)
        if self.request.sample is not None:
            among = frozenset(chosen)
            stream = (pair for pair in stream if pair[0] in among)
        under_way: deque[Block] = deque()
        with ResumableWork("check", self.data.path, request_settings(self.request)) as resumable:
            for found in self._share(_blocks(stream, under_way), -(-len(chosen) // BLOCK), resumable):
                self._take(under_way.popleft(), found)
                self.request.tell(self.data.path.name, self.found.rows, self.request.sample or total)
        self._look_at_origins()
        if self.request.sample is None:
            self._look_at_counts()
            if self.data.dataset.manifest.get("content", "") not in ("", content.digest(self.data.scenes)):
                self.found.add("E002", "the digest of the content is another", file=MANIFEST)

    def _share(self, blocks: Iterator[Block], count: int, resumable: ResumableWork) -> Iterator[BlockFindings]:
        """Look at every example by itself, here or by whoever shares the work."""
        asked = replace(self.request, crew=None, progress=None)
        looks = ExampleLooks(self.data)

        def share(rest: Iterator[Block], left: int) -> Iterator[BlockFindings]:
            pieces = ((asked, block) for block in rest)
            who: dict[str, Any] = {"workers": self.request.workers, "crew": self.request.crew}
            return share_reading(
                look_there, self.data.path, pieces, left, here=lambda piece: looks.look_at(*piece), **who
            )

        def unpack(packed: dict[str, Any]) -> BlockFindings:
            empty = Collector(codes, select=self.request.select, most=self.request.most)
            return BlockFindings(unpack_collector(packed["found"], empty), packed["is known"], packed["images"])

        return resumable.go_on("looks", blocks, count, share, pack=BlockFindings.pack, unpack=unpack)

    def _take(self, block: Block, looked: BlockFindings) -> None:
        """Take in what was found in the examples of a block, and compare them with those before."""
        for (row, example), is_known in zip(block, looked.is_known, strict=True):
            self._compare(row, example, is_known=is_known)
        self.contents.add(_contents_of(block))
        self.shown.add([one for one, is_known in zip(block, looked.is_known, strict=True) if is_known])
        self.found.merge(looked.found)
        self.images += looked.images
        self.unread += len(block) - sum(looked.is_known)

    def _compare(self, row: int, example: Example, *, is_known: bool) -> None:
        for image in example.images():
            first = self.splits.first(image, example.split)
            if first != example.split:
                self.found.add("E808", f"image {image} is shown in {first}, too", **where_of(row, example))
        if not is_known or not example.is_there:
            return
        if self.recipe.get("mode") != "every-word" and (example.distractors or example.split != "train"):
            kinds = Counter(one.kind for one in example.distractors)
            self.fewest.add(min(kinds[kind] for kind in DISTRACTOR_KINDS), row, example)

    def _look_at_origins(self) -> None:
        """Find expressions that fit nothing and are not shown with the images of those that they were made of."""
        count, others = self.shown.others(self.found.most)
        told = "it is not shown with the images of example"
        message = self.found.messages["E806"]
        some = [
            Finding("E806", message, split, row, number, f"{told} {origin}") for row, number, split, origin in others
        ]
        count += self.found.tally.pop("E806", 0)
        both = [*self.found.first.pop("E806", ()), *some]
        self.found.add_counted("E806", count, sorted(both, key=lambda one: one.row or 0))

    def _look_at_counts(self) -> None:
        """Find expressions that have fewer distractor images than they should."""
        for split, counts in self.fewest.counts.items():
            usual = counts.most_common(1)[0][0]
            each = self.recipe.get("each", usual)
            least = min(self.recipe.get("fewest", each), each)
            count, first = self.fewest.below(split, least)
            message = self.found.messages["E807"]
            self.found.add_counted(
                "E807",
                count,
                (
                    Finding("E807", message, split, one.row, one.id, f"{one.images} images of a kind, not {least}")
                    for one in first
                ),
            )
            fewer = sum(often for fewest, often in counts.items() if least <= fewest < each)
            told = _table(_table(self.made, "distractor images"), split).get("with fewer images of a kind")
            if isinstance(told, int) and fewer != told:
                detail = f"{fewer} expressions have fewer than {each} images of a kind, the manifest says {told}"
                self.found.add("E807", detail, split=split)


def _contents_of(block: Block) -> Contents:
    names = tuple(dict.fromkeys(example.split for _, example in block))
    places = {name: place for place, name in enumerate(names)}
    return Contents(
        digest=np.array([_content_digest(example) for _, example in block], np.uint64),
        id=np.array([example.id for _, example in block], np.int64),
        row=np.array([row for row, _ in block], np.int64),
        split=np.array([places[example.split] for _, example in block], np.int64),
        names=names,
    )


def _content_digest(example: Example) -> int:
    """64 bits that stand for what is said of which object of which image."""
    content = json.dumps([example.text, example.image_id, example.object_id])
    return int.from_bytes(sha256(content.encode()).digest()[:8], "big")


def _why_unusable(data: CopsRef, changed: Sequence[str]) -> str:
    """Why scenes or examples that have changed cannot be read any more; scenes never can, then."""
    if any(name.startswith(f"{SCENES}/") for name in changed):
        return "the scenes have changed"
    try:
        for _ in data.examples():
            pass
    except BrokenDataset as error:
        return str(error)
    return ""


def _table(values: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a table of a manifest, or empty where something else stands in its place."""
    found = values.get(name)
    return found if isinstance(found, dict) else {}


def _blocks(stream: Iterator[tuple[int, Example]], under_way: deque[Block]) -> Iterator[Block]:
    """Yield the examples in blocks, which are kept until what was found in them is taken in."""
    while block := list(islice(stream, BLOCK)):
        under_way.append(block)
        yield block
