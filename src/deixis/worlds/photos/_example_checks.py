"""Checks of examples of photographs one by one: what needs no other example, and can be done by any worker."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from deixis.data._packed_findings import pack_collector
from deixis.data.checks import COMPARED, Collector
from deixis.data.recipes import recipe_in
from deixis.errors import DeixisError, UnknownName
from deixis.expression.steps import AnyOf, Not, Nth, Related
from deixis.resolution.reference import denotation
from deixis.worlds.photos._kinds import holds_kind
from deixis.worlds.photos._mirror import mirror_id
from deixis.worlds.photos._needed_words import NeededWords
from deixis.worlds.photos._twins import is_twin_of
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.engine.settings import PRIORITY
from deixis.worlds.photos.language import parse_reference
from deixis.worlds.photos.localise import FORMS
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, only_of, resolve_graph_pairs
from deixis.worlds.photos.scene.vocabulary import SAME


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.data._data_places import DataPlace
    from deixis.data.checks import CheckRequest
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import DistractorImage, Example
    from deixis.worlds.photos.scene.graph_table import GraphTable

    Block: TypeAlias = list[tuple[int, Example]]


CODES = {
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
BLOCK = 512  # examples that are resolved together


@dataclass
class BlockFindings:
    """What was found in the examples of a block.

    Attributes:
        found: the findings.
        is_known: of every example whether its meaning is known, in words that the scenes have.
        images: in how many images expressions were resolved.
    """

    found: Collector
    is_known: list[bool] = field(default_factory=list)
    images: int = 0

    def pack(self) -> dict[str, Any]:
        """Return what was found as JSON can tell it."""
        return {"found": pack_collector(self.found), "is known": self.is_known, "images": self.images}


class ExampleLooks:
    """Looks at the examples of a dataset, each by itself."""

    def __init__(self, data: CopsRef) -> None:
        self.scenes: GraphTable = data.scenes
        recipe = recipe_in(data.dataset.manifest) or {}
        self.needs = NeededWords(data.scenes) if recipe.get("mode") == "every-word" else None

    def look_at(self, request: CheckRequest, block: Block) -> BlockFindings:
        """Look at the examples of a block."""
        return _Look(self.scenes, self.needs, request).look_at(block)


def look_there(place: DataPlace, asked: tuple[CheckRequest, Block]) -> BlockFindings:
    """Look at the examples of a block, in whatever process."""
    return _looks(place).look_at(*asked)


@lru_cache(maxsize=1)
def _looks(place: DataPlace) -> ExampleLooks:
    """The scenes of a dataset, which stay open for the next block."""
    return ExampleLooks(open_copsref(place.find()))


class _Look:
    """One look at the examples of a block."""

    def __init__(self, scenes: GraphTable, needs: NeededWords | None, request: CheckRequest) -> None:
        self.scenes, self.needs, self.thorough = scenes, needs, request.thorough
        self.found = Collector(CODES, select=request.select, most=request.most)
        self.images = 0

    def look_at(self, examples: Block) -> BlockFindings:
        """Look at the examples, those together that are resolved together."""
        block = [(row, self._known_meaning(row, one)) for row, one in examples]
        known = [(row, one) for row, one in block if one.expression is not None]
        self._resolve(known)
        self._look_at_wants(known)
        for row, example in block:
            self.found.see(example.split)
            if example.expression is not None:
                self._look_at_words(example, example.expression, where_of(row, example))
                if example.is_there:
                    self._look_at_kinds(example, where_of(row, example))
        return BlockFindings(self.found, [one.expression is not None for _, one in block], self.images)

    def _known_meaning(self, row: int, example: Example) -> Example:
        """Return an example, without its meaning where that has words that the scenes do not know."""
        if example.expression is None:
            return example
        try:
            compile_for(example.expression, self.scenes.vocabulary)
        except DeixisError as error:
            self.found.add("E801", str(error), **where_of(row, example))
            return replace(example, expression=None)
        return example

    # ---------------------------------------------------------------------------- what expressions pick out

    def _resolve(self, examples: Sequence[tuple[int, Example]]) -> None:
        """Resolve expressions in every image that they are shown with."""

        @lru_cache(maxsize=4096)
        def number_of(image: str) -> int:
            return self.scenes.find(image)

        which, scenes, owners = [], [], []
        for place, (row, example) in enumerate(examples):
            for order, image in enumerate((example.image_id, *(one.image_id for one in example.distractors))):
                try:
                    scenes.append(number_of(image))
                except UnknownName:
                    self.found.add("E801", f"there is no image {image!r}", **where_of(row, example))
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
        if self.thorough:
            graphs = {scene: self.scenes.scene(scene) for scene in set(scenes)}
            found = [denotation(expressions[one], graphs[scene]) for one, scene in zip(which, scenes, strict=True)]
            return [(len(objects), next(iter(objects), -1)) for objects in found]
        masks = resolve_graph_pairs(list(expressions), self.scenes, np.array(which), np.array(scenes))
        return zip(counts_of(masks).tolist(), only_of(masks).tolist(), strict=True)

    def _judge(self, row: int, example: Example, scene: int, count: int, only: int, *, is_own: bool) -> None:
        told = f"{count} objects of image {self.scenes.image_ids[scene]}"
        if not example.object_id or not is_own:
            if count:
                self.found.add("E802" if example.object_id else "E803", told, **where_of(row, example))
        elif count != 1:
            self.found.add("E102" if count else "E101", told, **where_of(row, example))
        else:
            picked = self.scenes.scene(scene).object_ids[only]
            if picked != example.object_id:
                detail = f"it fits {picked!r}, {example.object_id!r} is recorded"
                self.found.add("E103", detail, **where_of(row, example))

    def _look_at_words(self, example: Example, expression: Expression, where: dict[str, Any]) -> None:
        if self.found.wants("E804"):
            try:
                said = parse_reference(example.text, self.scenes.vocabulary)
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

    def _look_at_kinds(self, example: Example, where: dict[str, Any]) -> None:
        for one in example.distractors:
            if not kind_fits(one, example, self.scenes):
                self.found.add("E806", f"image {one.image_id} is none of kind {one.kind}", **where)

    def _look_at_wants(self, examples: Sequence[tuple[int, Example]]) -> None:
        """Find wants that are recorded of images that do not serve them, and, in every-word, such as nothing serves."""
        if self.needs is None or not self.found.wants("E809", "E810", "E811"):
            return
        there = [(row, one) for row, one in examples if one.is_there]
        for (row, example), faults in zip(
            there, self.needs.look_at([one for _, one in there], thorough=self.thorough), strict=True
        ):
            for code, detail in faults:
                self.found.add(code, detail, **where_of(row, example))


def where_of(row: int, example: Example) -> dict[str, Any]:
    """Return the place of an example, as findings tell it."""
    return {"row": row, "id": example.id, "split": example.split}


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
