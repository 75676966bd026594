"""What there is to tell about an expression and its images: what it means, regions and what they tempt to, checks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.errors import DeixisError, SchemaError
from deixis.expression.steps import AnyOf, Related
from deixis.language.copsref import realise_reference
from deixis.resolution.reference import denotation, narrow
from deixis.resolution.unknowns import judge
from deixis.studio.photographs_reading import Reading, dotted, name_of, narrowing, parts_at
from deixis.tasks.localise import SETTINGS
from deixis.worlds.graphs.misreadings import misreadings


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.distractors.relaxations import Relaxation
    from deixis.expression.description import Description, Expression
    from deixis.expression.parts import Address
    from deixis.scene.graph import Box, GraphScene
    from deixis.tasks.localise import DistractorImage


__all__ = ["Check", "Region", "Shown", "Story", "related_to"]

Role: TypeAlias = Literal["target", "related", "tempting", "reached", "other"]
KINDS = {
    "DiffCat": "Nothing of the target's category: hearing the noun is enough.",
    "Cat": "Something of the category: tempts who hears only the noun.",
    "Cat&attr": "Something of the category with the attributes that are said: tempts who hears no more than these.",
    "Cat&cat": "Everything that is mentioned, related otherwise: tempts who does not hear how things relate.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """An object of an image.

    Attributes:
        name: its category with its attributes.
        role: why it matters.
        says: what a reader must miss to take it, or why nobody would.
        misses: the addresses of the parts that go unheard then.
    """

    index: int
    name: str
    box: Box
    role: Role
    says: str
    misses: str = ""

    @property
    def is_told(self) -> bool:
        """Whether its name is written into the picture."""
        return self.role in ("target", "related", "tempting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An image of the set.

    Attributes:
        kind: why it is shown; empty for the image of the target.
        fault: why its regions cannot be shown, if so.
        left: how many objects are left after each step of the expression.
    """

    image_id: str
    kind: str
    width: int = 0
    height: int = 0
    regions: tuple[Region, ...] = ()
    fault: str = ""
    left: tuple[int, ...] = ()


class Check(NamedTuple):
    """Something that must hold of an example, and whether it does."""

    code: str
    claim: str
    holds: bool


@dataclass(frozen=True)
class Story(Reading):
    """An example with all that its page tells; what takes long is worked out once."""

    # ---------------------------------------------------------------------------- the images

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """All images, that of the target first; one for every distractor after it."""
        first = self._shown(self.example.image_id, None)
        return (first, *(self._shown(one.image_id, one) for one in self.example.distractors))

    @cached_property
    def groups(self) -> tuple[tuple[str, str, tuple[tuple[int, Shown], ...]], ...]:
        """The distractor images by kind: its name, what it is for, and the images with their places in `shown`."""
        numbered = list(enumerate(self.shown))[1:]
        grouped = ((kind, about, tuple(n for n in numbered if n[1].kind == kind)) for kind, about in KINDS.items())
        return tuple(group for group in grouped if group[2])

    def _shown(self, image_id: str, distractor: DistractorImage | None) -> Shown:
        kind = distractor.kind if distractor else ""
        scene = self._scene(image_id)
        if scene is None:
            return Shown(image_id=image_id, kind=kind, fault="There is no scene graph of this image (E801).")
        left: tuple[int, ...] = ()
        if self.expression is not None:
            kept = narrowing(self.expression, scene) if distractor else self.kept
            left = tuple(len(kept[place,].after) for place in range(len(self.expression.steps)))
        return Shown(
            image_id=image_id,
            kind=kind,
            width=scene.width,
            height=scene.height,
            regions=tuple(self._regions(scene, distractor)),
            left=left,
        )

    def _regions(self, scene: GraphScene, distractor: DistractorImage | None) -> Iterator[Region]:
        """The regions of an image, large ones first, so that small ones lie above them."""
        reached = self._reached(scene)
        mentioned = self._mentioned(scene, None if distractor else self.target)
        tempting, recorded = self._tempting(scene, distractor)
        for index in sorted(range(len(scene)), key=lambda number: -scene.boxes[number].area):
            name = name_of(scene, index)
            by = recorded if index == tempting and recorded is not None else reached.get(index)
            if distractor is None and index == self.target:
                role: Role = "target"
                says = f"The {name} is the target: it alone fits all that is said."
                by = None
            elif index == tempting:
                role, says = "tempting", self._tempted(name, by)
            elif index in mentioned:
                role = "related"
                says = f"The {name} fits ‘{mentioned[index]}’, which the expression mentions."
                says += f" {self._tempted(name, by)}" if by else ""
            elif by is not None:
                role, says = "reached", self._tempted(name, by)
            else:
                role, says = "other", f"No part of the expression that goes unheard leads to the {name}."
            misses = " ".join(dotted(part.address) for part in by.parts) if by else ""
            yield Region(index=index, name=name, box=scene.boxes[index], role=role, says=says, misses=misses)

    def _tempting(self, scene: GraphScene, distractor: DistractorImage | None) -> tuple[int | None, Relaxation | None]:
        """The object that is recorded as tempting, and the misreading that leads to it."""
        if distractor is None or distractor.object_id not in scene.object_ids:
            return None, None
        try:
            recorded = self.example.relaxation_of(distractor)
        except SchemaError:
            recorded = None
        return scene.object_number(distractor.object_id), recorded

    def _tempted(self, name: str, by: Relaxation | None) -> str:
        if by is None:
            return f"The {name} is recorded as tempting, but nothing says by what."
        missed = [f"‘{self.words_of(part.address)}’" for part in by.parts]
        heard = _said(by.expression)
        understood = f": ‘{heard}’ fits this {name}" if heard else ""
        return f"You would end here if you missed {_listed(missed)}{understood}."

    def _reached(self, scene: GraphScene) -> dict[int, Relaxation]:
        """For each object the slightest misreading that leads to it."""
        found: dict[int, Relaxation] = {}
        for misreading in misreadings(self.expression) if self.expression else ():
            for index in denotation(misreading.expression, scene):
                found.setdefault(index, misreading)
        return found

    def _mentioned(self, scene: GraphScene, target: int | None) -> dict[int, str]:
        """The objects that the expression mentions besides the target, and as what."""
        if self.expression is None:
            return {}
        if target is not None:
            found = related_to(self.expression, scene, target)
        else:
            found = {
                index: address
                for address, part in parts_at(self.expression).items()
                if isinstance(part.step, Related)
                for index in narrow(part.step.to, scene, reading=scene.schema.reading)
            }
        return {index: self._mention(address) for index, address in found.items()}

    def _mention(self, address: Address) -> str:
        if self.utterance is None or (*address, -1) not in self.utterance.spans:
            return "what is mentioned"
        return self.utterance.words_of((*address, -1))

    # ---------------------------------------------------------------------------- checks and numbers

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """What must hold of the example, resolved anew."""
        if self.expression is None:
            return ()
        found = [Check("E801", "All images and objects that it names are there.", self._is_whole)]
        counts = [self._count(shown.image_id) for shown in self.shown]
        if not self.example.is_there:
            return (*found, Check("E803", "The expression fits nothing in any image.", not any(counts)))
        fits = denotation(self.expression, self.scene) if self.scene else frozenset()
        return (
            *found,
            Check("E101", "The expression fits an object of its image.", bool(fits)),
            Check("E102", "The expression fits no more than one object of its image.", len(fits) <= 1),
            Check("E103", "What it fits is the target.", self.target in fits),
            Check("E802", "The expression fits nothing in the distractor images.", not any(counts[1:])),
        )

    @property
    def _is_whole(self) -> bool:
        is_named = self.target is not None or not self.example.is_there
        return is_named and not any(shown.fault for shown in self.shown)

    def _count(self, image_id: str) -> int:
        scene = self._scene(image_id)
        return len(denotation(self.expression, scene)) if scene and self.expression else 0

    @cached_property
    def doubts(self) -> int | None:
        """How many distractor images the expression may fit for all that is known; None where that cannot be told."""
        try:
            scenes = [self._scene(one.image_id) for one in self.example.distractors]
            return sum(bool(judge(self.expression, scene).possible) for scene in scenes if scene and self.expression)
        except DeixisError:
            return None

    @cached_property
    def candidates(self) -> dict[str, int]:
        """How many objects there are to choose from in each setting that shows other images than the full one."""
        sizes = {shown.image_id: len(shown.regions) for shown in self.shown}
        return {setting: sum(sizes[image] for image in self.example.images(setting)) for setting in SETTINGS}


def related_to(description: Description, scene: GraphScene, index: int, at: Address = ()) -> dict[int, Address]:
    """The objects that make the clauses of a description hold of an object, with the clause that each belongs to."""
    found: dict[int, Address] = {}
    for place, step in enumerate(description.steps):
        alternatives = step.steps if isinstance(step, AnyOf) else (step,)
        for number, inner in enumerate(alternatives):
            if not isinstance(inner, Related):
                continue
            address = (*at, place, number) if isinstance(step, AnyOf) else (*at, place)
            for other in sorted(narrow(inner.to, scene, reading=scene.schema.reading) - {index}):
                if scene.related(inner.relation, index, other):
                    found.setdefault(other, address)
                    for more, where in related_to(inner.to, scene, other, address).items():
                        found.setdefault(more, where)
    found.pop(index, None)
    return found


def _said(expression: Expression) -> str:
    try:
        text = realise_reference(expression).text
    except SchemaError:
        return ""
    return text[:1].lower() + text[1:]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else "nothing"
