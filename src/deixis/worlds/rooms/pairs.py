"""Images that are shown together: random pairs, similar pairs, and the thirteen test sets of the paper.

A row is the target and its distractors. Similar pairs agree on *at least* some factors: the others are left to chance.
Distractors are drawn uniformly from all images that qualify, the target left out; where there is none, it is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import SchemaError
from deixis.scene.scene import Context, Where
from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.rooms.scene import FACTORS, IMAGES, PLACES, SIZES, RoomScene, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.distractors._contrast import By


__all__ = [
    "CATEGORIES",
    "SETS",
    "Draws",
    "Images",
    "context_of",
    "draw_contexts",
    "partition",
    "random_pairs",
    "similar_pairs",
    "test_sets",
]

PAIRS = 7_500  # in each test set (Tsvilodub and Franke 2023, section 3)
OBJECT = ("shape", "scale", "object_hue")
BACKGROUND = ("floor_hue", "wall_hue", "orientation")
SETS: Mapping[str, tuple[str, ...] | int] = {  # what the images share: these factors, or so many random ones
    **{name: (name,) for name in FACTORS},
    "shape+object_hue": ("shape", "object_hue"),
    "shape+scale": ("shape", "scale"),
    "object_hue+scale": ("object_hue", "scale"),
    "random two": 2,
    "object": OBJECT,
    "background": BACKGROUND,
    "random three": 3,
}
CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "one feature": tuple(SETS)[:6],
    "two features": tuple(SETS)[6:10],
    "three features": tuple(SETS)[10:],
}
TRAIN = TUNE = 30_000  # images for pretraining and for the reference game (section 2.3)
VALIDATION = 20_000


class Images(NamedTuple):
    """The numbers of all images, in sorted parts that share no image."""

    train: np.ndarray
    tune: np.ndarray
    validation: np.ndarray
    test: np.ndarray


class Draws:
    """Random integers in arrays, from a counter: the same on every machine."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = np.uint64(seed), 0

    def words(self, count: int) -> np.ndarray:
        """Random words of 64 bits: uint64 [count]."""
        first, self.drawn = self.drawn, self.drawn + count
        with np.errstate(over="ignore"):
            counter = np.arange(first + 1, self.drawn + 1, dtype=np.uint64) * GOLDEN_WORD
            return mix_words(counter + self.seed)

    def below(self, limits: np.ndarray) -> np.ndarray:
        """One integer below each limit: int64 [limit]."""
        limits = np.asarray(limits, np.uint64)
        return (((self.words(len(limits)) >> np.uint64(32)) * limits) >> np.uint64(32)).astype(np.int64)

    def order(self, count: int) -> np.ndarray:
        """The numbers from 0 in random order."""
        return np.argsort(self.words(count), kind="stable")


def partition(*, seed: int) -> Images:
    """All images divided into those for pretraining, for tuning, for validation, and the held-out rest."""
    order = Draws(derive(seed, "a3ds", "images")).order(IMAGES)
    ends = np.cumsum((TRAIN, TUNE, VALIDATION))
    return Images(*(np.sort(part) for part in np.split(order, ends)))


def random_pairs(count: int, *, seed: int, among: np.ndarray | None = None) -> np.ndarray:
    """Pairs of different images: int64 [count, 2].

    Args:
        count: how many.
        seed: which.
        among: the images to choose from, all by default.
    """
    return draw_contexts(count, seed=seed, among=among)


def similar_pairs(
    targets: np.ndarray,
    shared: Sequence[str],
    *,
    seed: int,
    among: np.ndarray | None = None,
    by: By = "label",
) -> np.ndarray:
    """A distractor for each target that has some factors in common with it: int64 [target, 2].

    Args:
        targets: numbers of images.
        shared: the factors on which both agree at least.
        seed: which.
        among: the images to choose from, all by default.
        by: `label`, or `expression` where orientations with one phrase agree.
    """
    targets = np.asarray(targets, np.int64)
    draws = Draws(derive(seed, "similar", *shared))
    return np.column_stack((targets, _Pool(among, by).distractors(targets, shared, 1, draws)))


def draw_contexts(
    count: int,
    *,
    seed: int,
    distractors: int = 1,
    shared: Sequence[str] | int = (),
    among: np.ndarray | None = None,
    by: By = "label",
) -> np.ndarray:
    """Targets with their distractors, all images of a row different: int64 [count, 1 + distractors].

    Args:
        count: how many rows.
        seed: which.
        distractors: how many beside the target.
        shared: the factors that every distractor has in common with the target at least, or how many of them, drawn
            for each row anew.
        among: the images to choose from, all by default.
        by: `label`, or `expression` where orientations with one phrase agree.
    """
    return _contexts(_Pool(among, by), count, distractors, shared, seed)


def test_sets(
    *,
    seed: int,
    count: int = PAIRS,  # noqa: PT028 (this is no test)
    among: np.ndarray | None = None,  # noqa: PT028
    by: By = "label",  # noqa: PT028
) -> dict[str, np.ndarray]:
    """The thirteen test sets of the paper: name -> int64 [count, 2], the target first.

    Args:
        seed: which images; the same seed gives the same sets.
        count: pairs in each, 7,500 by default.
        among: the images to choose from; those held out by `partition` by default.
        by: whether pairs agree on labels or on expressions.
    """
    pool = _Pool(partition(seed=seed).test if among is None else among, by)
    return {name: _contexts(pool, count, 1, shared, derive(seed, "a3ds", name)) for name, shared in SETS.items()}


test_sets.__test__ = False  # type: ignore[attr-defined]  # pytest takes every test_* for a test


def context_of(images: Sequence[int]) -> Context:
    """Images shown together, the first of which is meant."""
    return Context(tuple(RoomScene(int(image)) for image in images), Where(0, 0))


def _contexts(pool: _Pool, count: int, distractors: int, shared: Sequence[str] | int, seed: int) -> np.ndarray:
    if distractors < 1:
        raise SchemaError(f"a context needs at least one distractor, got {distractors}")
    draws = Draws(derive(seed, "contexts", *([shared] if isinstance(shared, int) else shared)))
    targets = pool.images[draws.below(np.full(count, len(pool.images)))]
    rows = np.empty((count, 1 + distractors), np.int64)
    rows[:, 0] = targets
    for some, names in _sharing(count, shared, draws):
        rows[some, 1:] = pool.distractors(targets[some], names, distractors, draws)
    return rows


def _sharing(
    count: int, shared: Sequence[str] | int, draws: Draws
) -> Iterator[tuple[np.ndarray | slice, tuple[str, ...]]]:
    """The rows that share each choice of factors."""
    if not isinstance(shared, int):
        yield slice(None), tuple(shared)
        return
    if not 0 <= shared <= len(FACTORS):
        raise SchemaError(f"images can share from 0 to {len(FACTORS)} factors, got {shared}")
    order = np.argsort(draws.words(count * len(FACTORS)).reshape(count, -1), axis=1, kind="stable")
    chosen = np.sort(order[:, :shared], axis=1)
    for names in np.unique(chosen, axis=0):
        yield (chosen == names).all(axis=1), tuple(FACTORS[place] for place in names)


class _Pool:
    """The images to choose from, in order, with what they could have in common."""

    def __init__(self, among: np.ndarray | None, by: By) -> None:
        self.by = by
        self.images = np.arange(IMAGES) if among is None else _each_once(among)
        if len(self.images) < 2:
            raise SchemaError(f"a context needs at least two images to choose from, got {len(self.images)}")
        self.codes = self._codes(self.images)

    def _codes(self, images: np.ndarray) -> np.ndarray:
        codes = factors_of(images).T.astype(np.int32)  # [factor, image]
        if self.by == "expression":
            phrases = list(dict.fromkeys(PLACES))
            codes[5] = np.array([phrases.index(place) for place in PLACES])[codes[5]]
        return codes

    def distractors(self, targets: np.ndarray, shared: Sequence[str], count: int, draws: Draws) -> np.ndarray:
        """For each target some different images that agree with it on factors: int64 [target, count].

        Images are grouped by what they have in common. A distractor is a random place in the group of the target,
        counted without the places that are taken.
        """
        keys = _keys(self.codes, shared)
        order = np.argsort(keys.astype(np.min_scalar_type(keys.max())), kind="stable")  # small integers sort fastest
        images, keys = self.images[order], keys[order].astype(np.int64)
        wanted = _keys(self._codes(targets), shared).astype(np.int64)
        first, after = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
        own = np.searchsorted(keys * IMAGES + images, wanted * IMAGES + targets)
        is_member = images[np.minimum(own, len(images) - 1)] == targets
        sizes = after - first - is_member
        if (sizes < count).any():
            worst = int(np.argmin(sizes))
            raise SchemaError(
                f"image {targets[worst]} shares {', '.join(shared) or 'nothing'} with {max(sizes[worst], 0)} other "
                f"images to choose from, but {count} are needed; share less or choose from more images"
            )
        taken = np.where(is_member, own - first, IMAGES)[:, None]  # places in the group, in order
        found = np.empty((len(targets), count), np.int64)
        for number in range(count):
            place = draws.below(sizes - number)
            for column in taken.T:
                place += place >= column
            found[:, number] = images[first + place]
            taken = np.sort(np.column_stack((taken, place)), axis=1)
        return found


def _each_once(images: np.ndarray) -> np.ndarray:
    """Return the images in order, each once; where they are so already, ten times faster than `np.unique`."""
    ordered = np.sort(np.asarray(images, np.int64), kind="stable")
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _keys(codes: np.ndarray, shared: Sequence[str]) -> np.ndarray:
    """One integer for what each image has in common with others."""
    keys = np.zeros(codes.shape[1], np.int32)
    for name in shared:
        if name not in FACTORS:
            raise SchemaError(f"rooms have no factor {name!r}; known: {', '.join(FACTORS)}")
        place = FACTORS.index(name)
        keys = keys * SIZES[place] + codes[place]
    return keys.astype(np.uint16) if len(keys) and keys.max() < 1 << 16 else keys  # short ones are sorted much faster
