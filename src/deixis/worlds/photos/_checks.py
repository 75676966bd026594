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
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._seal import find_changes, find_unlisted
from deixis.data.checks import COMPARED, Collector, Contents
from deixis.data.recipes import recipe_in
from deixis.data.store import MANIFEST
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.expression.steps import AnyOf, Not, Nth, Related
from deixis.resolution.reference import denotation
from deixis.worlds.photos._kinds import holds_kind
from deixis.worlds.photos._mirror import mirror_id
from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS
from deixis.worlds.photos._needed_words import NeededWords
from deixis.worlds.photos._twins import is_twin_of
from deixis.worlds.photos.data.store import SCENES, ContentDigest, open_copsref
from deixis.worlds.photos.engine.settings import PRIORITY
from deixis.worlds.photos.language import parse_reference
from deixis.worlds.photos.localise import FORMS
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, only_of, resolve_graph_pairs
from deixis.worlds.photos.scene.vocabulary import SAME


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.data.checks import CheckRequest, Report
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import DistractorImage, Example
    from deixis.worlds.photos.scene.graph_table import GraphTable


codes = {
    "E001": "The scenes or the examples cannot be read",
    "E002": "A file is not what the manifest says",
    "W006": "A file lies in the folder that the manifest does not list",
    "E101": "The expression fits no object of its image",
    "E102": "The expression fits more than one object of its image",
    "E103": "The target is not the object that the expression fits",
    **COMPARED,
    "E801": "An image, object or word is named that the scenes do not have",
    "E802": "The expression fits something in a distractor image",
    "E803": "An expression marked as fitting nothing fits something",
    "E804": "The text does not say what the expression means",
    "E805": "The form is not that of the expression",
    "E806": "A distractor image is not of its kind",
    "E807": "Distractor images are missing",
    "E808": "An image is shown in two splits",
    "E809": "A distractor image does not serve the wants that are recorded of it",
    "E810": "A word, relation or order of words is not needed, though the mode is every-word",
    "E811": "A mirror image is not that of its image",
}
runs_on_clusters = False
BLOCK = 2048  # examples that are resolved together


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
        self.split_of: dict[str, str] = {}  # the first split that shows an image
        self.shown: dict[int, tuple[str, ...]] = {}  # the images of expressions that fit something
        self.counts: dict[str, list[tuple[int, int, int]]] = {}  # by split: fewest images of a kind, row, id
        self.images = self.unread = 0
        self.contents: list[tuple[int, int, int, str]] = []  # digest, id, row and split of every example
        self.needs = NeededWords(data.scenes) if self.recipe.get("mode") == "every-word" else None

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
        return self.found.report(contents=self._contents(), facts=facts)

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
        total = sum(self.data.splits.values())
        content = ContentDigest()
        stream: Iterator[tuple[int, Example]] = enumerate(content.seeing(self.data.examples()))
        if self.request.sample is not None:
            chosen = frozenset(self.request.choose(total))
            stream = (pair for pair in stream if pair[0] in chosen)
        while block := [(row, self._known_meaning(row, one)) for row, one in islice(stream, BLOCK)]:
            known = [(row, one) for row, one in block if one.expression is not None]
            self._resolve(known)
            self._look_at_wants(known)
            for row, example in block:
                self.found.see(example.split)
                self.unread += example.expression is None
                self._look_at(row, example)
            self.request.tell(self.data.path.name, self.found.rows, self.request.sample or total)
        if self.request.sample is None:
            self._look_at_counts()
            if self.data.dataset.manifest.get("content", "") not in ("", content.digest(self.data.scenes)):
                self.found.add("E002", "the digest of the content is another", file=MANIFEST)

    def _known_meaning(self, row: int, example: Example) -> Example:
        """Return an example, without its meaning where that has words that the scenes do not know."""
        if example.expression is None:
            return example
        try:
            compile_for(example.expression, self.data.scenes.vocabulary)
        except DeixisError as error:
            self.found.add("E801", str(error), **_where(row, example))
            return replace(example, expression=None)
        return example

    # ---------------------------------------------------------------------------- what expressions pick out

    def _resolve(self, examples: Sequence[tuple[int, Example]]) -> None:
        """Resolve expressions in every image that they are shown with."""

        @lru_cache(maxsize=4096)
        def number_of(image: str) -> int:
            return self.data.scenes.find(image)

        which, scenes, owners = [], [], []
        for place, (row, example) in enumerate(examples):
            for order, image in enumerate((example.image_id, *(one.image_id for one in example.distractors))):
                try:
                    scenes.append(number_of(image))
                except UnknownName:
                    self.found.add("E801", f"there is no image {image!r}", **_where(row, example))
                    continue
                which.append(place)
                owners.append(order == 0)
        self.images += len(which)
        if which and self.found.wants("E101", "E102", "E103", "E802", "E803"):
            expressions = [example.expression for _, example in examples if example.expression is not None]  # all
            fitting = self._fitting(expressions, which, scenes)
            for (count, only), place, scene, is_own in zip(fitting, which, scenes, owners, strict=True):
                self._judge(*examples[place], scene, count, only, is_own=is_own)

    def _fitting(
        self, expressions: Sequence[Expression], which: Sequence[int], scenes: Sequence[int]
    ) -> Iterable[tuple[int, int]]:
        """For every pair of an expression and a scene: how many objects fit, and which where it is one."""
        if self.request.thorough:
            graphs = {scene: self.data.scenes.scene(scene) for scene in set(scenes)}
            found = [denotation(expressions[one], graphs[scene]) for one, scene in zip(which, scenes, strict=True)]
            return [(len(objects), next(iter(objects), -1)) for objects in found]
        masks = resolve_graph_pairs(list(expressions), self.data.scenes, np.array(which), np.array(scenes))
        return zip(counts_of(masks).tolist(), only_of(masks).tolist(), strict=True)

    def _judge(self, row: int, example: Example, scene: int, count: int, only: int, *, is_own: bool) -> None:
        told = f"{count} objects of image {self.data.scenes.image_ids[scene]}"
        if not example.object_id or not is_own:
            if count:
                self.found.add("E802" if example.object_id else "E803", told, **_where(row, example))
        elif count != 1:
            self.found.add("E102" if count else "E101", told, **_where(row, example))
        else:
            picked = self.data.scenes.scene(scene).object_ids[only]
            if picked != example.object_id:
                detail = f"it fits {picked!r}, {example.object_id!r} is recorded"
                self.found.add("E103", detail, **_where(row, example))

    # ---------------------------------------------------------------------------- what is told of examples

    def _look_at(self, row: int, example: Example) -> None:
        where = _where(row, example)
        self.contents.append((_content_digest(example), example.id, row, example.split))
        for image in example.images():
            first = self.split_of.setdefault(image, example.split)
            if first != example.split:
                self.found.add("E808", f"image {image} is shown in {first}, too", **where)
        if example.expression is not None:
            self._look_at_words(example, example.expression, where)
            self._look_at_images(row, example, where)

    def _look_at_words(self, example: Example, expression: Expression, where: dict[str, Any]) -> None:
        if self.found.wants("E804"):
            try:
                said = parse_reference(example.text, self.data.scenes.vocabulary)
            except DeixisError as error:
                self.found.add("E804", f"it cannot be read: {error}", **where)
            else:
                if said.canonical() != expression.canonical():
                    self.found.add("E804", f"{example.text!r} says {said}", **where)
        forms = forms_of(expression)
        is_filed_wrong = example.form in FORMS and example.form != forms[0]
        if is_filed_wrong or (example.forms and set(example.forms) != set(forms)):
            told = ", ".join((example.form, *example.forms[1:]))
            self.found.add("E805", f"it is told as {told}, but it is {', '.join(forms)}", **where)

    def _look_at_images(self, row: int, example: Example, where: dict[str, Any]) -> None:
        if not example.is_there:
            origin = self.shown.get(-1 if example.changed_id is None else example.changed_id)
            if origin is not None and origin != _images_of(example):
                detail = f"it is not shown with the images of example {example.changed_id}"
                self.found.add("E806", detail, **where)
            return
        self.shown[example.id] = _images_of(example)
        if self.needs is None and (example.distractors or example.split != "train"):
            kinds = Counter(one.kind for one in example.distractors)
            fewest = min(kinds[kind] for kind in DISTRACTOR_KINDS)
            self.counts.setdefault(example.split, []).append((fewest, row, example.id))
        for one in example.distractors:
            if not kind_fits(one, example, self.data.scenes):
                self.found.add("E806", f"image {one.image_id} is none of kind {one.kind}", **where)

    def _look_at_wants(self, examples: Sequence[tuple[int, Example]]) -> None:
        """Find wants that are recorded of images that do not serve them, and, in every-word, such as nothing serves."""
        if self.needs is None or not self.found.wants("E809", "E810", "E811"):
            return
        there = [(row, one) for row, one in examples if one.is_there]
        for (row, example), faults in zip(
            there, self.needs.look_at([one for _, one in there], thorough=self.request.thorough), strict=True
        ):
            for code, detail in faults:
                self.found.add(code, detail, **_where(row, example))

    def _look_at_counts(self) -> None:
        """Find expressions that have fewer distractor images than they should."""
        for split, counts in self.counts.items():
            usual = Counter(fewest for fewest, *_ in counts).most_common(1)[0][0]
            each = self.recipe.get("each", usual)
            least = min(self.recipe.get("fewest", each), each)
            for fewest, row, number in counts:
                if fewest < least:
                    self.found.add("E807", f"{fewest} images of a kind, not {least}", row=row, id=number, split=split)
            fewer = sum(least <= fewest < each for fewest, *_ in counts)
            told = _table(_table(self.made, "distractor images"), split).get("with fewer images of a kind")
            if isinstance(told, int) and fewer != told:
                detail = f"{fewer} expressions have fewer than {each} images of a kind, the manifest says {told}"
                self.found.add("E807", detail, split=split)

    def _contents(self) -> Contents:
        names = tuple(dict.fromkeys(split for *_, split in self.contents))
        places = {name: place for place, name in enumerate(names)}
        return Contents(
            digest=np.array([digest for digest, *_ in self.contents], np.uint64),
            id=np.array([number for _, number, _, _ in self.contents], np.int64),
            row=np.array([row for _, _, row, _ in self.contents], np.int64),
            split=np.array([places[split] for *_, split in self.contents], np.int64),
            names=names,
        )


def _where(row: int, example: Example) -> dict[str, Any]:
    return {"row": row, "id": example.id, "split": example.split}


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


# -------------------------------------------------------------------------------- forms and kinds


def forms_of(expression: Expression) -> tuple[str, ...]:
    """Return every form that an expression makes use of, beginning with the one that names it."""
    used: set[str] = set()
    for mention in expression.mentions():
        plain = [step for step in mention.steps if isinstance(step, Related) and step.relation not in SAME]
        used.update(form for step in mention.steps for form in _forms_of_step(step))
        if plain:
            used.add("and" if len(plain) > 1 else "chain")
    return tuple(form for form in PRIORITY if form in used) or ("chain",)


def kind_fits(one: DistractorImage, example: Example, scenes: GraphTable) -> bool:
    """Return whether an image is what its kind promises, see `holds_kind`; `Mirror` and `Twin` are told by their ids.

    An image that the scenes do not have is no matter of kinds.
    """
    if one.kind == "Mirror":
        return one.image_id == mirror_id(example.image_id)
    if one.kind == "Twin":
        return is_twin_of(one.image_id, example.image_id)
    assert example.expression is not None
    try:
        scene = scenes.find(one.image_id)
    except UnknownName:
        return True
    return holds_kind(one.kind, example.expression, scenes, scene)


def _images_of(example: Example) -> tuple[str, ...]:
    return tuple(f"{one.kind} {one.image_id}" for one in example.distractors)


def _forms_of_step(step: Step) -> Iterable[str]:
    match step:
        case Not():
            return ("not",)
        case AnyOf():
            return ("or",)
        case Nth():
            return ("order",)
        case Related(relation, _) if relation in SAME:
            return ("same",)
    return ()
