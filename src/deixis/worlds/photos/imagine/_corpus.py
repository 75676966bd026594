"""Random scene graphs in the likeness of GQA, in any number, to measure speed on.

Names, attributes and relations occur as often as in GQA, categories repeat within an image as often as there, and left
and right follow GQA's rule. That is all: a shirt may ride a wall. `CORPUS` has the size of GQA.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos._left_right import LEFT, RIGHT, with_left_right
from deixis.worlds.photos.imagine.imagined import draw_imagined
from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from PIL.Image import Image

    from deixis.worlds.photos.imagine.imagined import ImaginedPicture

GAP = 8
PAPER = (255, 255, 255)


def draw_sheet(scenes: Sequence[ImaginedPicture], *, columns: int = 4, cell: tuple[int, int] = (360, 270)) -> Image:
    """Draw the pictures side by side, each as large as its cell allows."""
    if not scenes or columns < 1:
        raise RecipeError(f"a sheet needs a scene and a column, got {len(scenes)} and {columns}")
    from PIL import Image

    width, height = cell
    rows = -(-len(scenes) // columns)
    sheet = Image.new("RGB", (columns * (width + GAP) + GAP, rows * (height + GAP) + GAP), PAPER)
    for place, scene in enumerate(scenes):
        picture = draw_imagined(scene)
        picture.thumbnail(cell)
        row, column = divmod(place, columns)
        left = GAP + column * (width + GAP) + (width - picture.width) // 2
        top = GAP + row * (height + GAP) + (height - picture.height) // 2
        sheet.paste(picture, (left, top))
    return sheet


SIZES = ((500, 375), (500, 333), (375, 500), (500, 500), (640, 480))


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Number of images, and their density in the shares of GQA.

    Attributes:
        fewest, most: objects of an image.
        repeats: the chance that an object has the category of an earlier one.
        attributes: the chances of no, one, two attributes.
        relations: how many relations besides left and right an image has, on average per object.
    """

    images: int = 75_000
    fewest: int = 6
    most: int = 29
    repeats: float = 0.25
    attributes: tuple[float, float, float] = (0.60, 0.32, 0.08)
    relations: float = 0.34


CORPUS = Corpus()


def imagine_graphs(corpus: Corpus = CORPUS, *, seed: int = 0) -> Iterator[SceneGraph]:
    """Draw the graphs of a corpus, the same ones for the same seed."""
    for number in range(corpus.images):
        yield imagine_graph(number, corpus, seed=seed)


def imagine_graph(number: int, corpus: Corpus = CORPUS, *, seed: int = 0) -> SceneGraph:
    """Draw one graph of a corpus, independently of the others."""
    draws = _Draws(derive(seed, "corpus of scene graphs", number))
    width, height = SIZES[draws.below(len(SIZES))]
    count = corpus.fewest + draws.below(corpus.most - corpus.fewest + 1)
    names = _names(count, corpus, draws)
    words = _attributes(count, corpus, draws)
    links = _links(number, count, corpus, draws)
    things = tuple(
        GraphObject(_object_id(number, index), names[index], box, words[index], links[index])
        for index, box in enumerate(_boxes(count, width, height, draws))
    )
    return with_left_right(SceneGraph(str(1_000_000 + number), width, height, things))


class _Draws:
    """Random numbers for one image, many at a time."""

    def __init__(self, seed: int) -> None:
        self._at = np.uint64(seed)

    def uniform(self, count: int) -> np.ndarray:
        """Return numbers from 0 to 1, 1 excluded, float64 [count]."""
        with np.errstate(over="ignore"):
            counters = self._at + GOLDEN_WORD * np.arange(1, count + 1, dtype=np.uint64)
            self._at = self._at + GOLDEN_WORD * np.uint64(count)
        return (mix_words(counters) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit - 1."""
        return int(self.uniform(1)[0] * limit)


@cache
def _word_weights(kind: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the words of a kind and their cumulative shares, left and right apart."""
    counts: Mapping[str, int] = getattr(gqa_counts(), kind)
    words = tuple(word for word in counts if word not in (LEFT, RIGHT))
    shares = np.cumsum([counts[word] for word in words], dtype=np.float64)
    return words, shares / shares[-1]


def _words(kind: str, count: int, draws: _Draws) -> list[str]:
    words, shares = _word_weights(kind)
    return [words[place] for place in np.searchsorted(shares, draws.uniform(count), side="right").tolist()]


def _names(count: int, corpus: Corpus, draws: _Draws) -> list[str]:
    names = _words("names", count, draws)
    repeats, earlier = draws.uniform(count).tolist(), draws.uniform(count).tolist()
    for index in range(1, count):
        if repeats[index] < corpus.repeats:
            names[index] = names[int(earlier[index] * index)]
    return names


def _attributes(count: int, corpus: Corpus, draws: _Draws) -> list[tuple[str, ...]]:
    none, one, _ = corpus.attributes
    chance = draws.uniform(count).tolist()
    drawn = _words("attributes", 2 * count, draws)
    held = [drawn[2 * k : 2 * k + (chance[k] >= none) + (chance[k] >= none + one)] for k in range(count)]
    return [tuple(dict.fromkeys(words)) for words in held]


def _links(number: int, count: int, corpus: Corpus, draws: _Draws) -> list[tuple[Link, ...]]:
    some = int(corpus.relations * count + draws.uniform(1)[0])
    ends = (draws.uniform(2 * some) * count).astype(np.int64).tolist()
    links: list[dict[Link, None]] = [{} for _ in range(count)]
    for k, relation in enumerate(_words("relations", some, draws)):
        one, other = ends[2 * k], ends[2 * k + 1]
        if one != other:
            links[one][Link(relation, _object_id(number, other))] = None
    return [tuple(own) for own in links]


def _boxes(count: int, width: int, height: int, draws: _Draws) -> Iterator[Box]:
    """Yield boxes of all sizes, small ones more often than large ones, anywhere in the image."""
    across, down, left, top = draws.uniform(4 * count).reshape(4, count)
    w = (width * 0.02 * 30.0**across).astype(np.int64)
    h = (height * 0.03 * 20.0**down).astype(np.int64)
    x, y = (left * (width - w)).astype(np.int64), (top * (height - h)).astype(np.int64)
    yield from (Box(*box) for box in np.stack((x, y, w, h), axis=1).tolist())


def _object_id(number: int, index: int) -> str:
    return str(100_000 + 100 * number + index)
