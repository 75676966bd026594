"""Answers with boxes that need no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.judge.boxes import Box
from deixis.readers._box_answers import BoxAnswer, GivenBox
from deixis.readers._box_verdicts import all_candidates
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deixis._losses import Losses
    from deixis.readers.reader import ReadExample


BASELINES: Mapping[str, str] = {
    "random": "any candidate, or any box where no candidates are known",
    "oracle": "the right boxes",
    "whole": "the whole of an image, a random one of several",
    "center": "the middle half of the width and height of an image, a random one of several",
}
NO_SIZE = "the size of its image is not known"
FINE = 1 << 20  # steps in which places in an image are drawn
MIDDLE = (0.25, 0.75)


def baseline_answers(
    word: str, examples: Iterable[ReadExample], *, seed: int = 0, losses: Losses
) -> Iterator[BoxAnswer]:
    """Yield the answers of a baseline, which depend on the seed and the ids alone.

    Examples whose image has no known size are left out where it is needed.
    """
    for example in examples:
        name = str(example.id)
        if word == "oracle":
            yield BoxAnswer(name, tuple(GivenBox(image, box, example.space) for image, box in example.boxes))
            continue
        stream = Stream(derive(seed, f"{word} boxes", name))
        candidates = [where for where, _ in all_candidates(example)] if word == "random" else []
        if candidates:
            scene, thing = candidates[stream.below(len(candidates))]
            yield BoxAnswer(name, (), thing, scene)
            continue
        image = stream.below(len(example.images))
        given = _shares(word, stream)
        size = example.images[image]
        if example.space == "pixels" and not (size.width and size.height):
            losses.see()
            losses.leave_out(NO_SIZE)
            continue
        yield BoxAnswer(name, (GivenBox(image, given, "share"),))


def _shares(word: str, stream: Stream) -> Box:
    """Return a box as shares of its image."""
    if word == "whole":
        return Box(0.0, 0.0, 1.0, 1.0)
    if word == "center":
        return Box(MIDDLE[0], MIDDLE[0], MIDDLE[1], MIDDLE[1])
    (left, right), (top, bottom) = (_two_places(stream) for _ in range(2))
    return Box(left, top, right, bottom)


def _two_places(stream: Stream) -> tuple[float, float]:
    """Return two different places, the lesser first."""
    one, other = stream.below(FINE), stream.below(FINE)
    if one == other:
        other = one + 1
    return min(one, other) / FINE, max(one, other) / FINE
