"""Expressions in which every word is needed, with the images that need it: the mode `every-word`, chunk by chunk.

Of every image many things are said, and images are looked for that serve every want of each (`_wants`, `_cover`). What
cannot be served is said without the attributes that nobody misses, and tried again; what still cannot be is left out.
So nothing is said that cannot be punished. Which of the rest are kept is chosen in the end (`_choosing`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from deixis.worlds.photos._cover import CoverFinder, CoverSearch
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._kinds import kind_of_image
from deixis.worlds.photos._wants import Plausible, encode_wants
from deixis.worlds.photos._words import Synonyms
from deixis.worlds.photos.distractors import TargetExpression
from deixis.worlds.photos.engine import Engine, express
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.engine._shorten import shorten
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.worlds.photos._cover import Cover
    from deixis.worlds.photos.engine import ObjectExpression
    from deixis.worlds.photos.engine.settings import Form
    from deixis.worlds.photos.resolution.unknowns import Unknowns


IMAGES = 64  # of a chunk
TRIED: Mapping[Form, float] = {"chain": 0.15, "and": 0.25, "or": 0.2, "order": 0.15, "same": 0.15, "not": 0.1}
TRIED_SHORT: Mapping[Form, float] = {"and": 1.0}
ROUNDS = 3  # as said first, then twice shorter


def candidates_engine(engine: Engine, candidates: int) -> Engine:
    """Return the settings with which many things are said of every image, mostly short ones."""
    return replace(
        engine,
        per_image=candidates,
        per_target=max(1, candidates // 4),
        attempts=12,
        target_attribute=False,
        related_attribute=0.5,
        composition=0.3,
    )


def short_engine(engine: Engine) -> Engine:
    """Return the settings with which *and* is tried once more, in as few words as it can be said.

    Each of its relations must hold somewhere without the other, beside what the other mentions. In other images there
    are seldom all three things, and with attributes, or a third relation, hardly ever.
    """
    return replace(engine, per_image=max(1, engine.per_image // 3), related_attribute=0.0, composition=0.0)


class SpokenChunk(NamedTuple):
    """Images to speak of.

    Attributes:
        engine: settings, see `candidates_engine`.
        scenes: numbers of the images.
        among: numbers of the images that may be shown, those of one split.
        seed: of the search.
        unknowns: what may be true, where the truth is not known.
    """

    engine: Engine
    scenes: tuple[int, ...]
    among: np.ndarray
    seed: int
    unknowns: Unknowns | None
    search: CoverSearch = CoverSearch()


@dataclass(frozen=True, eq=False)
class SpokenCorpus:
    """Scenes, each with its mirror image behind it, and what is known of them."""

    table: GraphTable
    index: GraphIndex

    @classmethod
    def of(cls, table: GraphTable) -> SpokenCorpus:
        """Return the corpus of a table in which every scene has its mirror image behind it."""
        return cls(table, GraphIndex.of(table))

    def save(self, folder: Path) -> None:
        """Write the corpus to a folder."""
        self.table.save(folder / "scenes")
        self.index.save(folder / "index")

    @classmethod
    def load(cls, folder: Path) -> SpokenCorpus:
        """Load a corpus that `save` has written, mapped into memory."""
        table = GraphTable.load(folder / "scenes")
        return cls(table, GraphIndex.load(folder / "index", table))


class ServedExamples(NamedTuple):
    """Examples whose wants are all served, whether the order of their words matters, and what was counted."""

    examples: list[Example]
    has_order: list[bool]
    counts: dict[str, Any]


def speak_of_chunk(folder: Path, chunk: SpokenChunk) -> ServedExamples:
    """Say of some images all that can be punished.

    A pure function, for other processes and machines.
    """
    corpus, plausible = _corpus(folder)
    table = corpus.table
    facts, synonyms = _facts(folder, chunk.engine.words, chunk.engine.removed), Synonyms.of(table.vocabulary)
    allowed = np.zeros(len(table), np.bool_)
    allowed[chunk.among] = True
    finder = CoverFinder(
        table=table,
        index=corpus.index,
        guard=Guard(table=table, loose_sides=chunk.engine.loose_sides, unknowns=chunk.unknowns),
        plausible=plausible,
        mirror_of=mirror_of,
        is_allowed=allowed,
        search=chunk.search,
        seed=chunk.seed,
    )
    said = [
        one
        for engine, weights in ((chunk.engine, TRIED), (short_engine(chunk.engine), TRIED_SHORT))
        for one in express(table, engine, scenes=chunk.scenes, weights=weights, facts=facts, synonyms=synonyms)
    ]
    tally = Tally()
    known: set[tuple[int, str]] = set()
    examples: list[Example] = []
    has_order: list[bool] = []
    for _ in range(ROUNDS):
        fresh = {(one.scene, one.text): one for one in reversed(said) if (one.scene, one.text) not in known}
        said = [one for one in said if fresh.get((one.scene, one.text)) is one]
        known |= fresh.keys()
        covers = finder.find([TargetExpression(one.expression, one.scene, one.target) for one in said])
        shorter: list[tuple[ObjectExpression, frozenset[str]]] = []
        for one, cover in zip(said, covers, strict=True):
            tally.add(one.form, cover)
            if not is_served(cover):
                shorter.append((one, words_to_spare(one, cover)))
                continue
            examples.append(_example(one, cover, table))
            has_order.append(any(want.name == "exchange" for want in cover.wants))
        said = [one for one in shorten([pair for pair in shorter if pair[1]], facts, chunk.engine, synonyms) if one]
    return ServedExamples(examples, has_order, tally.to_dict())


def mirror_of(scene: int) -> int:
    """Return the number of the mirror image of a scene, see `with_mirror_images`."""
    return scene ^ 1


def is_served(cover: Cover) -> bool:
    """Return whether every want is served, and some image is shown beside the right one."""
    return not cover.unserved and bool(cover.images)


def words_to_spare(one: ObjectExpression, cover: Cover) -> frozenset[str]:
    """Return the attributes that nothing punishes who misses them; all that are said where it is not they that fail."""
    unserved = frozenset(
        want.part.step.value  # type: ignore[union-attr]
        for want in cover.unserved
        if want.part is not None and want.name.endswith("attribute")
    )
    return unserved or frozenset(word for node in one.tree.nodes for word in node.attributes)


class Tally:
    """Counts of wants, served and not, by name and by form."""

    def __init__(self) -> None:
        self.wants: Counter[tuple[str, str, bool]] = Counter()
        self.said: Counter[tuple[str, bool]] = Counter()

    def add(self, form: str, cover: Cover) -> None:
        """Enter one expression."""
        unserved = {want.code for want in cover.unserved}
        self.said[form, is_served(cover)] += 1
        self.wants.update((form, want.name, want.code not in unserved) for want in cover.wants)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values: by form, and by form and want, how many are asked for and served."""
        forms = dict.fromkeys(form for form, _ in self.said)
        pairs = dict.fromkeys((form, name) for form, name, _ in self.wants)
        return {
            "expressions": {
                form: [self.said[form, True] + self.said[form, False], self.said[form, True]] for form in forms
            },
            "wants": {
                form: {
                    name: [self.wants[form, name, True] + self.wants[form, name, False], self.wants[form, name, True]]
                    for other, name in pairs
                    if other == form
                }
                for form in forms
            },
        }


@lru_cache(maxsize=1)
def _corpus(folder: Path) -> tuple[SpokenCorpus, Plausible]:
    corpus = SpokenCorpus.load(folder)
    return corpus, Plausible.of(corpus.table)


@lru_cache(maxsize=1)
def _facts(folder: Path, words: Literal["listed", "all"], removed: frozenset[str]) -> Facts:
    return Facts.of(_corpus(folder)[0].table, Engine(words=words, removed=removed))


def _example(one: ObjectExpression, cover: Cover, table: GraphTable) -> Example:
    """Return the example with its images."""
    mirror = mirror_of(one.scene)
    images = tuple(
        DistractorImage(
            "Mirror" if image.scene == mirror else kind_of_image(one.expression, table, image.scene),
            table.image_ids[image.scene],
            table.object_ids[int(table.scene_ptr[image.scene]) + image.object] if image.object >= 0 else "",
            encode_wants(image.wants),
        )
        for image in cover.images
    )
    return Example(
        id=0,
        text=one.text,
        expression=one.expression,
        form=one.form,
        forms=one.forms,
        image_id=one.image_id,
        object_id=one.target_id,
        distractors=images,
    )
