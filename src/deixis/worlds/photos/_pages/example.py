"""Pages of expressions about photographs: the words, their resolution, and the distractor images."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias
from urllib.parse import urlencode

import numpy as np
from starlette.responses import Response
from starlette.routing import Route

from deixis._studio.example_answers import ModelAnswer, find_verdicts, spot_of
from deixis._studio.gallery import find_way
from deixis._studio.pages import library_of, render
from deixis._studio.provenance import Fact, provenance_of
from deixis.data._row_groups import RowGroups
from deixis.data.recipes import recipe_in
from deixis.errors import BrokenDataset, DeixisError, SchemaError, UnknownName
from deixis.expression.steps import AnyOf, Related
from deixis.resolution.reference import denotation, narrow
from deixis.worlds.photos._judging.verdicts import OTHER_IMAGE, SAME_IMAGE
from deixis.worlds.photos._pages.gallery import has_picture
from deixis.worlds.photos._pages.reading import Reading, dotted_address, kind_of, name_of, narrowing, parts_at
from deixis.worlds.photos.data._photographs import decode_picture, picture_type
from deixis.worlds.photos.data.store import COLUMNS, example_from_row
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.resolution.unknowns import judge
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from starlette.requests import Request

    from deixis._studio.example_answers import FoundVerdict
    from deixis._studio.library import Entry, Library
    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Description
    from deixis.expression.parts import Address
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import DistractorImage, Example
    from deixis.worlds.photos.scene.graph import Box, GraphScene


THUMBNAIL_PX = 420
SHOWN_PX = {False: 620, True: 290}  # how wide the image of the target is shown, and those of distractors
LETTER_PX, LINE_PX = 7.4, 15  # of names of regions
RECIPE_LABELS = {"each": "Distractor images per kind", "guarded": "Open-world check"}
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
        here=f"example {place:,}",
        entry=entry,
        example=example,
        story=story,
        pictures=pictures,
        roles=ROLES,
        change=CHANGES.get(example.change, example.change),
        way=find_way(request, entry, place),
        within=(example.split, f"/d/{entry.slug}?{urlencode({'split': example.split})}"),
        before=f"/d/{entry.slug}/{ids[place - 1]}" if place else "",
        after=f"/d/{entry.slug}/{ids[place + 1]}" if place + 1 < len(ids) else "",
        facts=_facts(entry, story, place),
        answers=[*_list_answers(entry, story, library_of(request))],
    )


def _facts(entry: Entry, story: Story, place: int) -> list[Fact]:
    """Where the example comes from."""
    example = story.example
    is_known = bool(example.object_id)
    recipe = recipe_in(entry.data.dataset.manifest) or {}
    spoken = {True: "on", False: "off"}
    made = {label: recipe.get(name) for name, label in RECIPE_LABELS.items()}
    more = (
        Fact("Target", f"object {example.object_id} of image {example.image_id}" if is_known else "none"),
        Fact("Form", example.form),
        Fact("Candidates", ", ".join(f"{setting} {count:,}" for setting, count in story.candidates.items())),
        *(
            Fact(name, spoken[value] if isinstance(value, bool) else str(value))
            for name, value in made.items()
            if value is not None
        ),
    )
    return provenance_of(entry, number=place, split=example.split, id=example.id, more=more)


def _list_answers(entry: Entry, story: Story, library: Library) -> Iterator[ModelAnswer]:
    """Yield the answers of models, each with the region that it is drawn at."""
    drawn = {shown.image_id: place for place, shown in reversed(list(enumerate(story.shown)))}
    for found in find_verdicts(entry, story.example.id, library, also=("image",)):
        image = found.column("image") or ""
        region = story.find_region(image, found.chosen)
        place = drawn.get(image)
        yield ModelAnswer(
            key=found.side.judged.key,
            model=found.side.judged.model,
            sign="good" if found.is_right else "bad",
            said=_say_answer(entry, found, region, image),
            parts=found.parts,
            spots=(spot_of(str(region.index), within=f"image-{place}"),) if region and place is not None else (),
        )


def _say_answer(entry: Entry, found: FoundVerdict, region: Region | None, image: str) -> str:
    if region is None:
        return entry.pages.say(found.outcome, found.role, found.misreadings)
    if found.is_right:
        return f"Chose the {region.name}, the target."
    kind = {SAME_IMAGE: "in the right image", OTHER_IMAGE: "in an image that was not shown"}
    where = kind.get(found.role, f"in image {image}, shown as {found.role}" if found.role else f"in image {image}")
    led = region.led
    why = f"You would end there if you {led}." if led else "No misreading leads there."
    return f"Chose the {region.name} {where}. {why}"


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
        led: what this reader did, as words that follow "if you"; empty where no misreading leads there.
        is_low: whether its name is written below it, since the name of another region is above.
    """

    index: int
    name: str
    box: Box
    role: Role
    says: str
    misses: str = ""
    led: str = ""
    is_low: bool = False

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

    def find_region(self, image_id: str, index: int) -> Region | None:
        """Return the region of an object, or None where its image is not shown or has no such object."""
        shown = next((one for one in self.shown if one.image_id == image_id), None)
        return next((one for one in shown.regions if one.index == index), None) if shown else None

    @cached_property
    def led(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """The misreadings that lead to wrong objects, each with these: the name, and where the object lies."""
        found: dict[str, list[tuple[str, str]]] = {}
        for place, shown in enumerate(self.shown):
            where = f"image {shown.image_id}" if place else "here"
            for region in shown.regions:
                if region.led:
                    found.setdefault(region.led, []).append((region.name, where))
        return tuple((did, tuple(some)) for did, some in found.items())

    @cached_property
    def needs(self) -> tuple[tuple[str, str, bool], ...]:
        """Of every part its words, its kind, and whether the target cannot be found without it."""
        if self.expression is None:
            return ()
        parts = parts_at(self.expression)
        told = (
            (self.words_of(address), kind_of(parts[address].step), does)
            for address, does in self.necessary.items()
            if address in parts
        )
        return tuple(dict.fromkeys(told))

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
            regions=_place_names(tuple(self._regions(scene, distractor)), scene.width / SHOWN_PX[bool(distractor)]),
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
            led = self.say_misreadings(by) if by else ""
            yield Region(index=index, name=name, box=scene.boxes[index], role=role, says=says, misses=misses, led=led)

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


def _place_names(regions: tuple[Region, ...], unit: float) -> tuple[Region, ...]:
    """Return regions whose names do not lie on each other: those of the target first, the others below their box.

    Args:
        regions: of one image.
        unit: how many of its pixels are one of the page.
    """
    taken: list[tuple[float, float, float]] = []  # left, right and base of names
    low: set[int] = set()
    for region in sorted((one for one in regions if one.is_told), key=lambda one: one.role != "target"):
        wide = LETTER_PX * (len(region.name) + 2) * unit
        left, base = region.box.x, region.box.y
        hits = [abs(base - y) < LINE_PX * unit and left < right and start < left + wide for start, right, y in taken]
        if any(hits):
            low.add(region.index)
        else:
            taken.append((left, left + wide, base))
    return tuple(replace(region, is_low=region.index in low) for region in regions)


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
