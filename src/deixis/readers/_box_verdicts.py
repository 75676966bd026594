"""The verdict on one answer with boxes: how well it agrees with the right ones, and what it mistook for them.

One right box: an answer is right when the overlap (IoU) of its box is at least .5, in the right image. Several: when
right and given boxes can be paired one to one, each pair with an overlap of .5, and none is left over. Nothing fits:
when the answer says so. An answer that names a candidate is right when that is the object that is meant.

Where candidates are known, the object that was chosen is the one that the box overlaps best; where the meaning of the
expression is known, too, the misreading behind a wrong choice is named.
"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.distractors.misreadings import leading_to
from deixis.errors import DeixisError, SchemaError
from deixis.judge.boxes import LADDER, Box, Region, overlap, pair_regions
from deixis.readers._box_answers import to_example
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.readers._box_answers import BoxAnswer
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import World


Result: TypeAlias = Literal[
    "right",
    "loose box",
    "wrong object",
    "wrong box",
    "wrong image",
    "wrong set of boxes",
    "box where nothing fits",
    "wrong refusal",
    "no such region",
    "unreadable",
    "unanswered",
]
OUTCOMES: dict[Result, str] = {
    "right": "the box or the object is right, or nothing fits and the answer says so",
    "loose box": "the right object is the one that the box overlaps best, but by less than .5",
    "wrong object": "the box overlaps another object best",
    "wrong box": "the box overlaps the right one by less than .5, and no candidates are known",
    "wrong image": "the box is in another image",
    "wrong set of boxes": "boxes are missing, or too many",
    "box where nothing fits": "the answer has a box, but nothing fits",
    "wrong refusal": "the answer says that nothing fits, but something does",
    "no such region": "there is no candidate or no image of that number",
    "unreadable": "the answer cannot be understood",
    "unanswered": "there is no answer",
}
ENOUGH = LADDER[0]
UNEXPLAINED = "nothing in particular"
UNKNOWN = float("nan")


class BoxVerdict(NamedTuple):
    """The judgement on one answer.

    Attributes:
        id: of the example.
        split: where it belongs, `a+b` for two sets.
        outcome: what came of it.
        overlap: of the answer with the right boxes: the overlaps of pairs, divided by the number of given or right
            boxes, whichever is larger; not a number where nothing fits.
        worst: the least overlap of a pair, 0 where a box is left over; it decides at each step of the ladder.
        center: whether the centre of the box lies in the right one; not a number where that is not asked.
        image: whether the image is the right one; not a number where only one is shown.
        pairs: how many boxes were paired with an overlap of .5. given, wanted: how many boxes there are.
        is_refusal: whether the answer says that nothing fits.
        regions: the boxes that are given, in the space of the example.
        chosen: the object that was chosen.
        misreading: the sorts of the slightest misreadings that lead there.
        read_as: what is understood then, in words, if the world has a language.
    """

    id: str
    split: str
    outcome: Result
    overlap: float = UNKNOWN
    worst: float = UNKNOWN
    center: float = UNKNOWN
    image: float = UNKNOWN
    pairs: int = 0
    given: int = 0
    wanted: int = 0
    is_refusal: bool = False
    regions: tuple[Region, ...] = ()
    chosen: Where | None = None
    misreading: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether it is right."""
        return self.outcome == "right"


def judge_boxes(world: World, example: ReadExample, answer: BoxAnswer | None) -> BoxVerdict:
    """Judge one answer, or None for no answer.

    Raises:
        SchemaError: when a box is in pixels and the size of its image is needed and not known.
    """
    blank = _blank(example)
    if answer is None:
        return blank
    if answer.boxes is None:
        return blank._replace(outcome="unreadable")
    if answer.is_none:
        is_right = not example.boxes
        return blank._replace(outcome="right" if is_right else "wrong refusal", is_refusal=True)
    chosen: Where | None = None
    try:
        if answer.object is None and answer.annotation is None:
            regions = [Region(*to_example(one, example, answer.size)) for one in answer.boxes]
        else:
            chosen = _candidate(answer, example)
            regions = [Region(chosen.scene, example.regions[chosen.scene][chosen.object])]
    except SchemaError as error:
        if "size of the image" in str(error):
            raise
        return blank._replace(outcome="no such region")
    return _compare(world, example, regions, chosen, blank)


def _blank(example: ReadExample) -> BoxVerdict:
    """The verdict on no answer: whatever is measured of this example is 0."""
    nothing = 0.0 if example.boxes else UNKNOWN
    one = 0.0 if len(example.boxes) == 1 else UNKNOWN
    image = 0.0 if example.boxes and len(example.images) > 1 else UNKNOWN
    wanted = len(example.boxes)
    return BoxVerdict(
        str(example.id), example.split, "unanswered", nothing, nothing, one, image, given=0, wanted=wanted
    )


def _candidate(answer: BoxAnswer, example: ReadExample) -> Where:
    """Return the candidate of a number."""
    if answer.annotation is not None:
        return _candidate_by_id(str(answer.annotation), example)
    assert answer.object is not None
    image = answer.image if answer.image is not None else 0 if len(example.regions) == 1 else -1
    if isinstance(image, str):
        image = next((k for k, one in enumerate(example.images) if one.name == image), -1)
    if not (0 <= image < len(example.regions) and 0 <= answer.object < len(example.regions[image])):
        raise SchemaError("there is no such region")
    return Where(image, answer.object)


def _candidate_by_id(name: str, example: ReadExample) -> Where:
    """Return the candidate that the dataset has under a number."""
    for image, scene in enumerate(example.scenes[: len(example.regions)]):
        for number, own in enumerate(getattr(scene, "ids", ())):
            if str(own) == name:
                return Where(image, number)
    raise SchemaError("there is no such region")


def _compare(
    world: World, example: ReadExample, regions: list[Region], chosen: Where | None, blank: BoxVerdict
) -> BoxVerdict:
    """The verdict on boxes in the space of the example."""
    right = example.boxes
    pairs = pair_regions(regions, right)
    most = max(len(regions), len(right))
    values = [value for _, _, value in pairs]
    found = blank._replace(
        given=len(regions),
        regions=tuple(regions),
        pairs=sum(value >= ENOUGH for value in values),
        chosen=chosen or (nearest_candidate(regions[0], example) if len(regions) == 1 else None),
    )
    if not right:
        return found._replace(outcome="box where nothing fits")
    found = found._replace(
        overlap=sum(values) / most,
        worst=min(values) if len(values) == most else 0.0,
        center=float(_hits(regions[0], right[0])) if len(right) == 1 else UNKNOWN,
        image=float({one.image for one in regions} == {one.image for one in right})
        if len(example.images) > 1
        else UNKNOWN,
    )
    outcome = _outcome(example, regions, chosen, found)
    if outcome != "wrong object" or found.chosen is None:
        return found._replace(outcome=outcome)
    slips, words = _misreadings(world, example, found.chosen)
    return found._replace(outcome=outcome, misreading=slips, read_as=words)


def _outcome(example: ReadExample, regions: list[Region], chosen: Where | None, found: BoxVerdict) -> Result:
    if chosen is not None and example.targets:
        is_right = example.targets == (chosen,)
        return "right" if is_right else "wrong set of boxes" if chosen in example.targets else "wrong object"
    if found.worst >= ENOUGH:
        return "right"
    if len(example.boxes) > 1 or len(regions) > 1:
        return "wrong set of boxes"
    if regions[0].image != example.boxes[0].image:
        return "wrong image"
    if found.chosen is None:
        return "wrong box"
    return "loose box" if found.chosen in meant_candidates(example) else "wrong object"


def _hits(given: Region, right: Region) -> bool:
    return given.image == right.image and right.box.holds(*given.box.center)


def nearest_candidate(region: Region, example: ReadExample) -> Where | None:
    """Return the candidate that a box overlaps best, or None where it overlaps none."""
    candidates = example.regions[region.image] if region.image < len(example.regions) else ()
    best, place = 0.0, -1
    for number, box in enumerate(candidates):
        if (value := overlap(region.box, box)) > best:
            best, place = value, number
    return Where(region.image, place) if place >= 0 else None


def meant_candidates(example: ReadExample) -> frozenset[Where]:
    """Return the candidates that are meant: the targets, or those that the right boxes overlap best."""
    if example.targets:
        return frozenset(example.targets)
    found = (nearest_candidate(one, example) for one in example.boxes)
    return frozenset(one for one in found if one is not None)


def all_candidates(example: ReadExample) -> Iterator[tuple[Where, Box]]:
    """Yield every candidate of an example with its box."""
    for image, boxes in enumerate(example.regions):
        yield from ((Where(image, number), box) for number, box in enumerate(boxes))


def _misreadings(world: World, example: ReadExample, chosen: Where) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the misreadings that lead to an object, and what is understood then, where the meaning is known."""
    if example.expression is None or chosen.scene >= len(example.scenes):
        return (UNEXPLAINED,), ()
    found = list(leading_to(example.expression, example.scenes[chosen.scene], chosen.object))
    slips = tuple(dict.fromkeys(one.slip for one in found)) or (UNEXPLAINED,)
    if not world.has("language"):
        return slips, ()
    language = world.part("language")
    return slips, tuple(filter(None, starmap(_words, ((language, one.expression) for one in found))))


def _words(language: object, expression: object) -> str:
    try:
        return str(language.realise(expression).text)  # type: ignore[attr-defined]
    except DeixisError:  # what is understood by mistake need not be something that one can say
        return ""
