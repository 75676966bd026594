"""Posing the examples of read datasets: images that are named or shown, and the boxes of what is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.distractors.misreadings import leading_to
from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import Region
from deixis.prompts._box_forms import write_box
from deixis.prompts._box_gold import BoxGold
from deixis.prompts._marks import number_objects
from deixis.prompts.question import GoldMessage, Message, Picture
from deixis.readers._box_verdicts import all_candidates, meant_candidates
from deixis.readers._shown_images import show_images
from deixis.seeds import Stream, derive
from deixis.worlds.toolkit.questions import ObjectGold


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.prompts._box_forms import BoxForm
    from deixis.prompts.question import Part
    from deixis.readers.reader import ReadExample
    from deixis.scene.scene import Where


@dataclass(frozen=True, kw_only=True)
class BoxPoser:
    """How examples are put.

    Attributes:
        form: of the boxes.
        seed: of the order of candidates.
        has_pictures: whether the images are shown; otherwise they are named, and the candidates listed.
        folder: where the image files are; None for that of the dataset.
    """

    form: BoxForm
    seed: int
    has_pictures: bool
    folder: Path | None

    def __call__(self, example: ReadExample, facts: Mapping[str, str]) -> GoldMessage:
        """Pose an example, with its candidates in an order that tells nothing."""
        stream = Stream(derive(self.seed, "candidates", str(example.id)))
        known = list(all_candidates(example))
        order = [known[place] for place in stream.permutation(range(len(known)))]
        meant = meant_candidates(example)
        shown = show_images(example, self.folder) if self.has_pictures else []
        sizes = tuple((float(one.width), float(one.height)) for one in shown)
        candidates = tuple(
            (
                self._convert(example, Region(where.scene, box), sizes),
                () if where in meant else _missed_by(example, where),
            )
            for where, box in order
        )
        gold = BoxGold(
            text=example.text,
            boxes=tuple(self._convert(example, one, sizes) for one in example.boxes),
            space=self.form.space,
            images=len(example.images),
            candidates=candidates,
            split=example.split,
            facts=facts,
            writing=self.form.writing,
            sizes=sizes,
        )
        parts: list[Part] = []
        for place, one in enumerate(shown, start=1):
            name = "Image" if len(shown) == 1 else f"Image {place}"
            parts += [f"{name} ({one.width} x {one.height} pixels):", Picture(one.png, name.lower())]
        if not shown:
            parts = ["\n".join(self._lines(example, [where for where, _ in order], [one for one, _ in candidates]))]
        return GoldMessage(Message("user", (*parts, f"Expression: {example.text}")), gold)

    def frame(self, example: ReadExample, *, may_be_none: bool) -> GoldMessage:
        """Pose an example whose candidates are framed and numbered in an order that tells nothing."""
        stream = Stream(derive(self.seed, "candidates", str(example.id)))
        known = list(all_candidates(example))
        order = [known[place][0] for place in stream.permutation(range(len(known)))]
        numbers = {where: place for place, where in enumerate(order, start=1)}
        meant = meant_candidates(example)
        parts: list[Part] = []
        for image, one in enumerate(show_images(example, self.folder)):
            here = [(where, Region(image, box)) for where, box in known if where.scene == image]
            size = ((float(one.width), float(one.height)),) * len(example.images)
            boxes = [self._convert(example, region, size).box for _, region in here]
            png = number_objects(one.png, boxes, [numbers[where] for where, _ in here])
            name = "Image" if len(example.images) == 1 else f"Image {image + 1}"
            parts += [f"{name}:", Picture(png, name.lower())]
        gold = ObjectGold(
            text=example.text,
            target=next((place for place, where in enumerate(order) if where in meant), None),
            misreadings=tuple(() if where in meant else _missed_by(example, where) for where in order),
            split=example.split,
            may_be_none=may_be_none,
        )
        return GoldMessage(Message("user", (*parts, f"Expression: {example.text}")), gold)

    def _convert(self, example: ReadExample, region: Region, sizes: Sequence[tuple[float, float]]) -> Region:
        """Return a box in the space that is asked for, of the image as the dataset has it or as it is shown."""
        image, box = region
        told = (example.images[image].width, example.images[image].height)
        seen = sizes[image] if sizes else told
        told = told if all(told) else seen
        try:
            if told == seen:
                return Region(image, box.convert(example.space, self.form.space, told))
            return Region(image, box.convert(example.space, "share", told).convert("share", self.form.space, seen))
        except SchemaError as error:
            raise BrokenDataset(f"example {example.id}: {error}; ask for another space with --answer") from error

    def _lines(self, example: ReadExample, order: Sequence[Where], boxes: Sequence[Region]) -> Iterator[str]:
        """Yield a line for every image, and one for every candidate in it."""
        for place, image in enumerate(example.images):
            name = "Image" if len(example.images) == 1 else f"Image {place + 1}"
            size = f", {image.width:g} x {image.height:g} pixels" if image.width and image.height else ""
            yield f"{name}: {image.name}{size}"
            for where, region in zip(order, boxes, strict=True):
                if where.scene == place:
                    written = write_box(region.box, self.form.space, writing=self.form.writing)
                    yield f"- {_values_of(example, where)}{written}"


def _values_of(example: ReadExample, where: Where) -> str:
    """The values of a candidate in words, where they are known."""
    if where.scene >= len(example.scenes):
        return ""
    scene = example.scenes[where.scene]
    told = []
    for attribute in scene.schema.attributes:
        value = "/".join(sorted(scene.values(where.object, attribute.name)))
        told.append(f"{attribute.name} {value}" if value.isdecimal() else value)
    return "".join(f"{value} " for value in told if value)


def _missed_by(example: ReadExample, where: Where) -> tuple[str, ...]:
    """Return the misreadings of a reader who takes an object for the one that is meant, where the meaning is known."""
    if example.expression is None or where.scene >= len(example.scenes):
        return ()
    found = leading_to(example.expression, example.scenes[where.scene], where.object)
    return tuple(dict.fromkeys(one.slip for one in found))
