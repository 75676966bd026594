"""Candidates of any examples: how many there are, and what tells the target without the meaning of the text."""

from __future__ import annotations

from array import array
from collections import Counter
from math import hypot
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.audits._blind import TOO_FEW, halve, judge_labels
from deixis.audits._counting import ALL, Looks, Readers, Tally
from deixis.audits._kept_values import KeptNames, KeptValues, ShownValues
from deixis.audits._plain import features
from deixis.audits.figures import Figure, mean_figure, missing
from deixis.errors import DeixisError
from deixis.seeds import mix_words


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.scene.scene import Context, Scene


SIZES = ("size", "scale")  # attributes by which objects are large, where they are ordered
MOST_SCENES = 4096  # remembered at a time
MOST_OBJECTS = 2_000_000  # that the reader without words looks at
NO_TARGET = "no example has scenes and a single target"
NO_CATEGORY, NO_SIZE, NO_PLACE = "objects have no category", "sizes are not known", "places are not known"
SEVERAL_SCENES = "several scenes are shown, in no order"


class Gauge(NamedTuple):
    """What can be measured of the objects of one scene.

    Attributes:
        categories: the category of each, empty where objects have none.
        areas: how large each is, empty where that is not known.
        offsets: how far each is from the middle, likewise.
        ninths: in which ninth of the image each is, likewise.
        seen: the visible features of each.
    """

    categories: tuple[str, ...]
    areas: tuple[float, ...]
    offsets: tuple[float, ...]
    ninths: tuple[str, ...]
    seen: tuple[dict[str, str], ...]


class CandidateCount:
    """What is counted of examples with scenes and a single target."""

    def __init__(self) -> None:
        self.sizes = array("i")
        self.alone = array("b")
        self.guesses = {"largest": array("d"), "most central": array("d"), "first": array("d")}
        self.words = KeptValues()
        self.categories = KeptNames()
        self.options = KeptValues()
        self.images = array("Q")
        self.contents = array("Q")
        self.targets = array("i")
        self._names: dict[str, dict[str, int]] = {}  # the code of every value of every feature
        self._codes = KeptValues()  # of the objects of every scene of every example
        self._known: dict[int, tuple[Scene, Gauge, np.ndarray]] = {}

    def add(self, example: Any, context: Context, words: list[str], image: int, content: int) -> None:
        """Count one example."""
        scenes, target = context.scenes, context.target
        known = [self._measure(example, scene, number) for number, scene in enumerate(scenes)]
        number = sum(len(scene) for scene in scenes[: target.scene]) + target.object
        size = sum(len(scene) for scene in scenes)
        self.sizes.append(size)
        self.targets.append(number)
        self.images.append(image)
        self.contents.append(content)
        self._codes.append([codes.tolist() for _, codes in known])
        areas = [one for gauge, _ in known for one in gauge.areas]
        offsets = [-one for gauge, _ in known for one in gauge.offsets]
        for name, values in (("largest", areas), ("most central", offsets)):
            if len(values) == size:
                self.guesses[name].append(_guess(values, number))
        if len(scenes) == 1:
            self.guesses["first"].append(float(number == 0))
        categories = [one for gauge, _ in known for one in gauge.categories]
        if len(categories) == size:
            options = Counter(categories)
            self.alone.append(options[categories[number]] == 1)
            self.words.append(words)
            self.categories.append(categories[number])
            self.options.append(options)

    def _measure(self, example: Any, scene: Scene, number: int) -> tuple[Gauge, np.ndarray]:
        """The measures of a scene and the codes of its objects, worked out once for examples that share it."""
        found = self._known.get(id(scene))
        if found is None:
            if len(self._known) >= MOST_SCENES:
                self._known.clear()
            gauge = gauge_of(example, scene, number)
            found = self._known[id(scene)] = (scene, gauge, self._code(gauge))
        return found[1], found[2]

    def figures(self) -> dict[str, Figure]:
        """The figures that need scenes and a target, and readers who learn from half of them."""
        if not self.sizes:
            return {}
        sizes = np.array(self.sizes)
        found = {
            "candidates": Figure(value=float(sizes.mean()), of=len(sizes)),
            "chance": Figure(value=float((1 / sizes).mean()), of=len(sizes)),
            "category suffices": mean_figure(np.array(self.alone, bool)) if self.alone else missing(NO_CATEGORY),
        }
        reasons = {"largest": NO_SIZE, "most central": NO_PLACE, "first": SEVERAL_SCENES}
        for name, guesses in self.guesses.items():
            found[f"{name} is the target"] = mean_figure(np.array(guesses)) if guesses else missing(reasons[name])
        found["image only"] = self._look()
        if len(self.categories) == len(self.sizes):
            halves = halve(self.images, self.contents)
            found["text only"] = judge_labels(self.words, self.categories, self.options, halves)
            lengths = ShownValues(self.words, length_alone)
            found["length only"] = judge_labels(lengths, self.categories, self.options, halves)
        else:
            found |= {name: missing(NO_CATEGORY) for name in ("text only", "length only")}
        return found

    def _code(self, gauge: Gauge) -> np.ndarray:
        """The codes of the features of objects; a new feature gets a new column, which is 0 for objects before it."""
        ranks = {
            "rank by size": _ranks([-one for one in gauge.areas]),
            "rank by distance from the middle": _ranks(gauge.offsets),
            "ninth of the image": gauge.ninths,
        }
        rows = []
        for number, seen in enumerate(gauge.seen):
            every = seen | {name: str(values[number]) for name, values in ranks.items() if values}
            for name in every:
                self._names.setdefault(name, {})
            rows.append(
                [
                    codes.setdefault(every[name], len(codes) + 1) if name in every else 0
                    for name, codes in self._names.items()
                ]
            )
        return np.array([row + [0] * (len(self._names) - len(row)) for row in rows], np.int32).reshape(len(rows), -1)

    def _look(self) -> Figure:
        """Return the accuracy of a reader who sees candidates and reads nothing."""
        names = list(self._names)
        if not names:
            return missing("objects have no visible features")
        halves = halve(self.images, self.contents)
        keys = mix_words(halves.groups)
        chosen = np.sort(np.argsort(keys >> np.uint64(1), kind="stable")[: self._most()])
        sizes = np.array(self.sizes)[chosen]
        codes = np.zeros((int(sizes.sum()), len(names)), np.int32)
        at = 0
        for example in chosen:
            for some in self._codes[int(example)]:
                if some:
                    codes[at : at + len(some), : len(some[0])] = some
                at += len(some)
        if not halves.are_enough:
            return missing(TOO_FEW)
        readers = Readers(names, 1 + max(len(values) for values in self._names.values()))
        start = np.concatenate(([0], np.cumsum(sizes)))
        readers.see(Looks(keys[chosen], codes, start, np.array(self.targets, np.int64)[chosen]))
        tally = Tally()
        readers.judge(tally)
        right = [
            np.full(count, 1 / best if is_right else 0.0)
            for (name, best, is_right), count in sorted(tally.counts.get("readers", {}).items())
            if name == ALL
        ]
        return mean_figure(np.concatenate(right)) if right else missing(TOO_FEW)

    def _most(self) -> int:
        """How many examples are looked at, so that their objects fit into memory."""
        return max(int(MOST_OBJECTS / max(float(np.mean(self.sizes)), 1.0)), 1)


def length_alone(words: Sequence[str]) -> list[str]:
    """Return what a reader is told who knows the number of words and nothing else."""
    return [str(len(words))]


def gauge_of(example: Any, scene: Scene, number: int = 0) -> Gauge:
    """Measure the objects of one scene of an example."""
    head = scene.schema.head
    things = range(len(scene))
    categories = [] if head is None else [" & ".join(sorted(scene.values(k, head.name))) or "none" for k in things]
    boxes, width, height = _boxes(example, scene, number)
    if boxes:
        whole = width * height
        areas = [(right - left) * (bottom - top) / whole for left, top, right, bottom in boxes]
        centres = [((left + right) / 2 / width, (top + bottom) / 2 / height) for left, top, right, bottom in boxes]
    else:
        areas, centres = _ordered_sizes(scene), _points(scene)
    return Gauge(
        tuple(categories),
        tuple(areas),
        tuple(hypot(x - 0.5, y - 0.5) for x, y in centres),
        tuple(ninth_of(x, y) for x, y in centres),
        tuple(features(scene, k) for k in things),
    )


def ninth_of(x: float, y: float) -> str:
    """The ninth of an image in which a point lies, given as shares of its width and height."""
    row, column = (min(max(int(value * 3), 0), 2) for value in (y, x))
    return f"{row} {column}"


def tuple_of(example: object, name: str) -> tuple[Any, ...]:
    """A tuple that examples of files of others have, empty for examples of other worlds."""
    found = getattr(example, name, ())
    return found if isinstance(found, tuple) else ()


def _boxes(example: Any, scene: Scene, number: int) -> tuple[list[tuple[float, float, float, float]], float, float]:
    """The boxes of the objects of a scene as edges, and the width and the height of the image."""
    regions = tuple_of(example, "regions")
    boxes: list[tuple[float, float, float, float]] = []
    width = height = 0.0
    if number < len(regions) and len(regions[number]) == len(scene):
        boxes = [tuple(map(float, box)) for box in regions[number]]  # type: ignore[misc]
        images = tuple_of(example, "images")
        if getattr(example, "space", "") == "share":
            width = height = 1.0
        elif number < len(images):
            width, height = images[number][1:3]
    elif getattr(scene, "boxes", None) is not None and len(scene.boxes) == len(scene):  # type: ignore[attr-defined]
        boxes = [(x, y, x + w, y + h) for x, y, w, h in scene.boxes]  # type: ignore[attr-defined]
        width, height = getattr(scene, "width", 0), getattr(scene, "height", 0)
    if boxes and not (width > 0 and height > 0):
        width, height = (max([1e-9, *(box[place] for box in boxes)]) for place in (2, 3))
    return boxes, width, height


def _ordered_sizes(scene: Scene) -> list[float]:
    """The sizes of objects by an ordered attribute for them, or nothing."""
    found = next((one for one in scene.schema.attributes if one.name in SIZES and one.is_ordered), None)
    if found is None:
        return []
    order = {value: place for place, value in enumerate(found.values)}
    return [float(max((order[v] for v in scene.values(k, found.name)), default=-1)) for k in range(len(scene))]


def _points(scene: Scene) -> list[tuple[float, float]]:
    """The places of objects as shares (x, y) of the span of all of them, or nothing where they have none."""
    try:
        points = [scene.position(k) for k in range(len(scene))]
    except DeixisError:
        return []
    spans = []
    for values in ([p.column for p in points], [p.row for p in points]):
        low, high = min(values, default=0.0), max(values, default=0.0)
        spans.append([(value - low) / (high - low) if high > low else 0.5 for value in values])
    return list(zip(*spans, strict=True))


def _ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, equal for equal ones, at most 4."""
    order = {value: place for place, value in enumerate(sorted(set(values)))}
    return [min(order[value], 4) for value in values]


def _guess(values: Sequence[float], target: int) -> float:
    """Whether the target has the greatest value, divided among those that have it."""
    most = max(values)
    return 1 / sum(value == most for value in values) if values[target] == most else 0.0
