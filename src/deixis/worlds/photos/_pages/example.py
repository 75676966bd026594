"""Pages of expressions about photographs: the words, their resolution, and the distractor images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from starlette.responses import Response
from starlette.routing import Route

from deixis._studio.gallery import find_way
from deixis._studio.pages import library_of, render
from deixis.data._row_groups import RowGroups
from deixis.data.recipes import recipe_in
from deixis.errors import BrokenDataset, DeixisError, SchemaError, UnknownName
from deixis.expression.steps import AnyOf, Related
from deixis.resolution.reference import denotation, narrow
from deixis.worlds.photos._pages.gallery import has_picture
from deixis.worlds.photos._pages.reading import Reading, dotted_address, name_of, narrowing, parts_at
from deixis.worlds.photos.data._photographs import decode_picture, picture_type
from deixis.worlds.photos.data.store import COLUMNS, example_from_row
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.resolution.unknowns import judge
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from starlette.requests import Request

    from deixis._studio.library import Entry
    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Description
    from deixis.expression.parts import Address
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import DistractorImage, Example
    from deixis.worlds.photos.scene.graph import Box, GraphScene


THUMBNAIL_PX = 420
RECIPE_LABELS = {"seed": "seed", "mode": "mode", "each": "distractor images per kind", "guarded": "open-world check"}
KEEP = {"cache-control": "private, max-age=3600"}
ROLES = {
    "target": "the target",
    "related": "landmark",
    "tempting": "distractor",
    "reached": "matches if more words are ignored",
}
CHANGES = {
    "attribute": "one attribute was replaced",
    "relation": "one relation was replaced",
    "noun": "one noun was replaced",
    "swap": "two things were swapped",
}
Role: TypeAlias = Literal["target", "related", "tempting", "reached", "other"]
KINDS = {
    "Mirror": "The image itself, flipped left to right: distracts readers who confuse left and right.",
    "Twin": "The scene itself after one edit: distracts readers who miss a single word, relation or exchange.",
    "DiffCat": "Nothing of the target's category: the noun is enough.",
    "Cat": "Something of the category: distracts readers who use only the noun.",
    "Cat&attr": "Something of the category with the attributes said: distracts readers who ignore the rest.",
    "Cat&cat": "Everything mentioned, in other relations: distracts readers who ignore the relations.",
}


def example_page(request: Request, entry: Entry, number: int) -> Response:
    """Show one example with its images."""
    ids, _ = _ids_of(entry.data)
    example, place = find_example(entry, number)
    story = Story(example, entry.data.scenes)
    pictures = {
        shown.image_id: f"/d/{entry.slug}/picture/{shown.image_id}.png"
        for shown in story.shown
        if has_picture(entry, shown.image_id)
    }
    return render(
        request,
        "photos/example.html",
        title=f"{entry.title}, example {place}",
        entry=entry,
        example=example,
        place=place,
        story=story,
        pictures=pictures,
        roles=ROLES,
        change=CHANGES.get(example.change, example.change),
        way=find_way(request, entry, place),
        before=int(ids[place - 1]) if place else None,
        after=int(ids[place + 1]) if place + 1 < len(ids) else None,
        made=_recipe_of(entry.data),
    )


def find_example(entry: Entry, number: int) -> tuple[Example, int]:
    """Find the example with an id, and its place among all of the dataset.

    Raises:
        UnknownName: when no example has this id.
        BrokenDataset: when it cannot be read.
    """
    ids, rows = _ids_of(entry.data)
    found = np.flatnonzero(ids == np.int64(number)) if 0 <= number < 2**63 else np.empty(0, np.int64)
    if not len(found):
        raise UnknownName(f"there is no example with the id {number} in {entry.title}")
    place = int(found[0])
    try:
        return example_from_row(rows.row(place).to_pylist()[0]), place
    except BrokenDataset:
        raise
    except (DeixisError, ValueError, TypeError, KeyError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"example {number} of {entry.title} cannot be read: {reason}") from error


def ids_of(entry: Entry) -> np.ndarray:
    """Return the ids of all examples, in order."""
    return _ids_of(entry.data)[0]


def _ids_of(data: CopsRef) -> tuple[np.ndarray, RowGroups]:
    """Return the ids of all examples in order, and their rows."""
    listed = tuple((data.path / entry["path"], entry["rows"]) for entry in data.dataset.manifest["files"])
    return _ids_in(listed, tuple(path.stat().st_mtime_ns for path, _ in listed))


@lru_cache(maxsize=8)
def _ids_in(
    files: tuple[tuple[Path, int], ...],
    changed: tuple[int, ...],  # noqa: ARG001 (files that changed are read again)
) -> tuple[np.ndarray, RowGroups]:
    rows = RowGroups(files, COLUMNS.names)
    blocks = [rows.read(group, ["id"])["id"].to_numpy() for group in rows.groups()]
    return np.concatenate(blocks) if blocks else np.empty(0, np.int64), rows


def _recipe_of(data: CopsRef) -> dict[str, Any]:
    """Return how the dataset was made, from its manifest."""
    manifest = data.dataset.manifest
    recipe = recipe_in(manifest) or {}
    known = {"made by": manifest.get("made by")}
    if isinstance(recipe, dict):
        known |= {label: recipe.get(name) for name, label in RECIPE_LABELS.items()}
    spoken = {True: "on", False: "off"}
    return {
        name: spoken[value] if isinstance(value, bool) else value for name, value in known.items() if value is not None
    }


# -------------------------------------------------------------------------------- pictures


def photograph(request: Request) -> Response:
    """Serve a photograph of a dataset, full size or small."""
    entry = library_of(request).find(request.path_params["slug"], WORLD.name)
    image = request.path_params["image"]
    held = entry.data.photographs.find(image)
    if held is None:
        raise UnknownName(f"there is no picture of the image {image!r} here")
    if "small" in request.query_params:
        return Response(_thumbnail(held, image), media_type="image/jpeg", headers=KEEP)
    return Response(held, media_type=picture_type(held), headers=KEEP)


@lru_cache(maxsize=512)
def _thumbnail(held: bytes, image: str) -> bytes:
    from PIL import Image

    small = Image.fromarray(decode_picture(held, image))
    small.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
    out = BytesIO()
    small.save(out, "JPEG", quality=86)
    return out.getvalue()


ROUTES = (
    Route("/d/{slug}/picture/{image}.png", photograph),
    Route("/d/{slug}/picture/{image}.jpg", photograph),
)


# -------------------------------------------------------------------------------- what there is to tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """An object of an image.

    Attributes:
        name: its category with its attributes.
        role: why it matters.
        says: what a reader did who takes it, or why nobody would.
        misses: the addresses of the parts that are ignored then, in the first of these misreadings.
    """

    index: int
    name: str
    box: Box
    role: Role
    says: str
    misses: str = ""

    @property
    def is_told(self) -> bool:
        """True if its name is written into the picture."""
        return self.role in ("target", "related", "tempting")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
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
    """An example with everything that its page shows, each slow part computed once."""

    # ---------------------------------------------------------------------------- the images

    @cached_property
    def shown(self) -> tuple[ShownImage, ...]:
        """All images: that of the target, then one for every distractor."""
        first = self._show_image(self.example.image_id, None)
        return (first, *(self._show_image(one.image_id, one) for one in self.example.distractors))

    @cached_property
    def groups(self) -> tuple[tuple[str, str, tuple[tuple[int, ShownImage], ...]], ...]:
        """The distractor images by kind: its name, its purpose, and the images with their places in `shown`."""
        numbered = list(enumerate(self.shown))[1:]
        grouped = ((kind, about, tuple(n for n in numbered if n[1].kind == kind)) for kind, about in KINDS.items())
        return tuple(group for group in grouped if group[2])

    def _show_image(self, image_id: str, distractor: DistractorImage | None) -> ShownImage:
        kind = distractor.kind if distractor else ""
        scene = self._scene(image_id)
        if scene is None:
            return ShownImage(image_id=image_id, kind=kind, fault="There is no scene graph of this image (E801).")
        left: tuple[int, ...] = ()
        if self.expression is not None:
            kept = narrowing(self.expression, scene) if distractor else self.kept
            left = tuple(len(kept[place,].after) for place in range(len(self.expression.steps)))
        return ShownImage(
            image_id=image_id,
            kind=kind,
            width=scene.width,
            height=scene.height,
            regions=tuple(self._regions(scene, distractor)),
            left=left,
        )

    def _regions(self, scene: GraphScene, distractor: DistractorImage | None) -> Iterator[Region]:
        """Yield the regions of an image, large ones first, so that small ones lie above them."""
        reached = self.leading_to(scene)
        mentioned = self._mentioned_objects(scene, None if distractor else self.target)
        tempting, recorded = self._tempting(scene, distractor)
        for index in sorted(range(len(scene)), key=lambda number: -scene.boxes[number].area):
            name = name_of(scene, index)
            by = reached.get(index) or ((recorded,) if index == tempting and recorded is not None else ())
            if distractor is None and index == self.target:
                role: Role = "target"
                says = f"The {name} is the target: it alone fits all that is said."
                by = ()
            elif index == tempting:
                role, says = "tempting", self._say_temptation(name, by)
            elif index in mentioned:
                role = "related"
                says = f"The {name} fits ‘{mentioned[index]}’, which the expression mentions."
                says += f" {self._say_temptation(name, by)}" if by else ""
            elif by:
                role, says = "reached", self._say_temptation(name, by)
            else:
                role, says = "other", f"No misreading leads to the {name}."
            misses = " ".join(dotted_address(part.address) for part in by[0].parts) if by else ""
            yield Region(index=index, name=name, box=scene.boxes[index], role=role, says=says, misses=misses)

    def _tempting(
        self, scene: GraphScene, distractor: DistractorImage | None
    ) -> tuple[int | None, PlannedMisreading | None]:
        """Return the object that is recorded as tempting, and the misreading that leads to it."""
        if distractor is None or distractor.object_id not in scene.object_ids:
            return None, None
        try:
            recorded = self.example.misreading_of(distractor)
        except SchemaError:
            recorded = None
        return scene.object_number(distractor.object_id), recorded

    def _say_temptation(self, name: str, by: Sequence[PlannedMisreading]) -> str:
        if not by:
            return f"The {name} is recorded as a distractor, but not for which misreading."
        return f"You would end here if you {self.say_misreadings(by)}."

    def _mentioned_objects(self, scene: GraphScene, target: int | None) -> dict[int, str]:
        """Return the objects that the expression mentions besides the target, and as what."""
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
        """Conditions that must hold of the example, resolved anew."""
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
        """Number of distractor images that the expression may fit by the open-world reading, or None if unknown."""
        try:
            scenes = [self._scene(one.image_id) for one in self.example.distractors]
            return sum(bool(judge(self.expression, scene).possible) for scene in scenes if scene and self.expression)
        except DeixisError:
            return None

    @cached_property
    def candidates(self) -> dict[str, int]:
        """Number of objects to choose from in each setting that shows other images than the full one."""
        sizes = {shown.image_id: len(shown.regions) for shown in self.shown}
        return {setting: sum(sizes[image] for image in self.example.images(setting)) for setting in SETTINGS}


def related_to(description: Description, scene: GraphScene, index: int, at: Address = ()) -> dict[int, Address]:
    """Return the objects that make the clauses of a description hold of an object, each with its clause."""
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
