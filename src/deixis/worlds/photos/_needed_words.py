"""The check of the mode every-word: all wants are served, as they are recorded, and mirror images are mirrored.

It trusts nothing that the maker says: the wants are derived anew from each expression, and every image is asked again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import SchemaError, UnknownName
from deixis.worlds.photos._mirror import graph_of, is_mirrored, mirror_graph, mirror_id
from deixis.worlds.photos._twins import is_twin
from deixis.worlds.photos._wants import (
    Plausible,
    decode_wants,
    find_tempted,
    find_tempted_pairs,
    nouns_suffice,
    wants_of,
)
from deixis.worlds.photos.resolution.graphs import counts_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.photos._wants import Want
    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph import SceneGraph
    from deixis.worlds.photos.scene.graph_table import GraphTable


class _Question(NamedTuple):
    """A want of an example in one of its images; the first image is that of the target."""

    example: int
    want: Want
    place: int
    scene: int
    target: int  # -1 but in the image of the target


@dataclass(eq=False)
class NeededWords:
    """The check of one dataset."""

    scenes: GraphTable
    _mirrors: dict[str, bool] = field(default_factory=dict, repr=False)

    @cached_property
    def plausible(self) -> Plausible:
        """What is seen in the images, twins apart."""
        return Plausible.of(self.scenes, [not is_twin(image) for image in self.scenes.image_ids])

    def look_at(self, examples: Sequence[Example], *, thorough: bool = False) -> list[list[tuple[str, str]]]:
        """Return what is wrong with each example, as code and detail.

        Args:
            examples: all of them fit something, with known meaning.
            thorough: whether to ask by the plain definition instead of the compiled loops.
        """
        asked = [one for number, example in enumerate(examples) for one in self._questions(number, example)]
        is_served = self._ask(asked, thorough=thorough)
        served: list[dict[str, set[int]]] = [{} for _ in examples]
        for one, ok in zip(asked, is_served, strict=True):
            places = served[one.example].setdefault(one.want.code, set())
            if ok:
                places.add(one.place)
        return [list(self._faults(example, served[number])) for number, example in enumerate(examples)]

    def _questions(self, number: int, example: Example) -> Iterator[_Question]:
        assert example.expression is not None
        wants = wants_of(example.expression, self.plausible)
        for place, image in enumerate((example.image_id, *(one.image_id for one in example.distractors))):
            try:
                scene = self.scenes.find(image)
                target = -1 if place else self.scenes.scene(scene).object_number(example.object_id)
            except UnknownName:  # which is another code
                continue
            yield from (_Question(number, want, place, scene, target) for want in wants)

    def _ask(self, asked: Sequence[_Question], *, thorough: bool) -> list[bool]:
        if not asked:
            return []
        if thorough:
            graphs = {scene: self.scenes.scene(scene) for scene in {one.scene for one in asked}}
            return [
                bool(find_tempted(one.want, graphs[one.scene], one.target if one.target >= 0 else None))
                for one in asked
            ]
        which = np.arange(len(asked))
        where, targets = (np.array([getattr(one, name) for one in asked], np.int64) for name in ("scene", "target"))
        masks = find_tempted_pairs([one.want for one in asked], self.scenes, which, where, targets)
        return [count > 0 for count in counts_of(masks).tolist()]

    def _faults(self, example: Example, served: dict[str, set[int]]) -> Iterator[tuple[str, str]]:
        assert example.expression is not None
        for code, places in served.items():
            if not places:
                yield "E810", f"nobody is misled who misses it: {code}"
        try:
            own = self.scenes.scene(self.scenes.find(example.image_id))
            if nouns_suffice(example.expression, own, own.object_number(example.object_id)):
                yield "E810", "a noun is not needed: the rank alone picks out the target"
        except UnknownName:  # which is another code
            pass
        for place, one in enumerate(example.distractors, 1):
            try:
                recorded = {want.code for want in decode_wants(one.misreading, example.expression)}
            except SchemaError as error:
                yield "E809", str(error)
                continue
            if lost := sorted(code for code in recorded if place not in served.get(code, ())):
                yield "E809", f"image {one.image_id} does not serve {', '.join(lost)}"
        for image in example.images():
            if not self._is_mirror_image(image):
                yield "E811", f"{image} is not the mirror image of {mirror_id(image)}"

    def _is_mirror_image(self, image: str) -> bool:
        """Return whether an image is no mirror image, or really that of its image."""
        if not is_mirrored(image):
            return True
        if image not in self._mirrors:
            try:
                original, mirrored = (graph_of(self.scenes, self.scenes.find(one)) for one in (mirror_id(image), image))
            except UnknownName:  # an imagined scene that is only shown mirrored
                self._mirrors[image] = True
            else:
                self._mirrors[image] = facts_of(mirror_graph(original)) == facts_of(mirrored)
        return self._mirrors[image]


def facts_of(graph: SceneGraph) -> object:
    """Return all that a graph says, in an order of its own, boxes to the thousandth of a pixel."""
    return (
        graph.width,
        graph.height,
        tuple(
            (
                thing.id,
                thing.name,
                tuple(round(float(number), 3) for number in thing.box),
                sorted(thing.attributes),
                sorted(thing.relations),
            )
            for thing in graph.objects
        ),
    )
