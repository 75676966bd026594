"""A reader who looks for the image that is most like the others, and there for the noun and its attributes.

If the right image alone had near copies beside it, as its mirror image or twins, such a reader would find it without
understanding a relation. So the others must have as many.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deixis.resolution.reference import denotation
from deixis.worlds.photos._kept_scenes import scene_in
from deixis.worlds.photos._misreadings import noun_with_attributes


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph import GraphScene
    from deixis.worlds.photos.scene.graph_table import GraphTable


NAME = "most alike image, noun and attributes"


class LookAlike(NamedTuple):
    """Figures of the reader over some examples, with all images shown.

    Attributes:
        image: how often the image that is most like the others is the right one.
        by_chance: how often an image taken at random is.
        solved: how often the target is all that is left to the reader.
        least: how often the image that is least like the others is the right one, which must tell nothing, either.
    """

    image: float
    by_chance: float
    solved: float
    least: float


def look_for_the_most_alike(examples: Iterable[Example], scenes: GraphTable) -> LookAlike | None:
    """Return the figures of the reader, or None where no example has distractor images."""

    def scene_of(image: str) -> GraphScene:
        return scene_in(scenes, scenes.find(image))

    shown, found, chances, solved, lone = 0, 0.0, 0.0, 0.0, 0.0
    for example in examples:
        if not example.is_there or not example.distractors or example.expression is None:
            continue
        images = example.images()
        total = likenesses([scene_of(image) for image in images])
        hit, miss = (_hit_of_first(_places_of(best, total)) for best in (max(total), min(total)))
        left = denotation(noun_with_attributes(example.expression), scene_of(images[0]))
        shown += 1
        lone += miss
        found += hit
        solved += hit if len(left) == 1 else 0.0
        chances += 1 / len(images)
    return LookAlike(*(some / shown for some in (found, chances, solved, lone))) if shown else None


def likenesses(scenes: Sequence[GraphScene]) -> list[float]:
    """Return how much each scene is like all others together."""
    return [sum(likeness(one, other) for other in scenes if other is not one) for one in scenes]


def _places_of(value: float, values: Sequence[float]) -> list[int]:
    """Return the places of a value, mostly one."""
    return [place for place, some in enumerate(values) if abs(some - value) < 1e-9]


def _hit_of_first(places: Sequence[int]) -> float:
    """Return how often who guesses among some places hits the first of all."""
    return 1 / len(places) if 0 in places else 0.0


def likeness(one: GraphScene, other: GraphScene) -> float:
    """Return the share of things that two scenes have in common, as they are or flipped left to right.

    A thing is the same where name, attributes and box are.
    """
    if len(one) == 0 or len(other) == 0:
        return 0.0
    things = _things(one, flipped=False)
    common = max(_count_common(things, _things(other, flipped=flipped)) for flipped in (False, True))
    return common / max(len(one), len(other))


def _count_common(one: Counter[tuple[object, ...]], other: Counter[tuple[object, ...]]) -> int:
    """Return how many things two counters share; most share none, which sets tell at once."""
    return sum(min(one[thing], other[thing]) for thing in one.keys() & other.keys())


@lru_cache(maxsize=8192)
def _things(scene: GraphScene, *, flipped: bool) -> Counter[tuple[object, ...]]:
    return Counter(
        (name, words, round(scene.width - x - w if flipped else x), round(y), round(w), round(h))
        for name, words, (x, y, w, h) in zip(scene.names, scene.words, scene.boxes, strict=True)
    )
