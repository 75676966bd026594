"""Imagined scenes with twins: the mode `every-word` where scenes can be edited before they are drawn.

Of every scene some things are said. The scene is then edited, one edit at a time, and what is true of each result is
told anew from the drawing. Those in which an expression fits nothing and that serve its wants are its twins. All twins
of a scene share one or two further changes of things that nobody speaks of. So the scene that is spoken of is no more
like its twins than they are like each other.

Only the twins of expressions that are kept are drawn. Then others join: families of another scene and as many of its
twins, since the right image must not be the only one that has twins beside it.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.seeds import GOLDEN_WORD, derive, fold, mix_words
from deixis.worlds.photos._cover import Cover, ServingImage, first_bits
from deixis.worlds.photos._formats.scene_graphs import gqa_entry
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._kinds import kind_of_image
from deixis.worlds.photos._mirror import graph_of, is_mirrored, mirror_graph, mirror_id
from deixis.worlds.photos._misreadings import noun_of
from deixis.worlds.photos._twins import is_twin, origin_of, twin_id
from deixis.worlds.photos._wants import Plausible, encode_wants, find_tempted_pairs, nouns_suffice, wants_of
from deixis.worlds.photos._words import Synonyms
from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.engine import Engine, express
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.engine._shorten import shorten
from deixis.worlds.photos.imagine._chance import Chance
from deixis.worlds.photos.imagine._edits import Edit, edits_about, neutral_edits, with_edits
from deixis.worlds.photos.imagine.imagined import FIRST_IMAGE, draw_imagined, set_stage, show_stage
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.making._every_word import ServedExamples, Tally, words_to_spare
from deixis.worlds.photos.making._imagined import FORMATS, NAMES, ImaginedScene
from deixis.worlds.photos.making._imagining import pack_scenes
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.scene.vocabulary import SAME


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos._wants import Want
    from deixis.worlds.photos.engine import ObjectExpression
    from deixis.worlds.photos.engine.settings import Form
    from deixis.worlds.photos.imagine._places.table import Place
    from deixis.worlds.photos.imagine._stage import Stage
    from deixis.worlds.photos.scene.graph import SceneGraph


SCENES = 24  # of a chunk
EDITED: Mapping[Form, float] = {"chain": 0.25, "and": 0.25, "or": 0.2, "order": 0.2, "same": 0.06, "not": 0.04}
MOST_EDITS = 80  # of a scene
MOST_TWINS = 5  # that one expression is shown with: beside them another family must fit in
MOST_IMAGES = 12  # beside the right one
ROUNDS = 2
LOOKS = 40  # families that are looked at for each expression


class TwinChunk(NamedTuple):
    """Scenes to speak of and to edit, by their numbers in the table of a folder; `seed` is that of the scenes."""

    engine: Engine
    scenes: tuple[int, ...]
    seed: int


class DrawnChunk(NamedTuple):
    """Twins to draw: their ids with their edits, and the seed of the scenes."""

    twins: tuple[tuple[str, str], ...]
    seed: int


class FamilyChunk(NamedTuple):
    """Examples to show with other families, the images of their split, and the seed of the choice."""

    examples: Sequence[Example]
    among: np.ndarray
    seed: int


# -------------------------------------------------------------------------------- what is said, and edited


def speak_of_twins(folder: Path, chunk: TwinChunk) -> ServedExamples:
    """Say of some scenes what edits of them can punish; each example has its twins.

    A pure function, for other processes and machines.
    """
    table, facts, plausible = _corpus(folder, chunk.engine.words, chunk.engine.removed)
    synonyms = Synonyms.of(table.vocabulary)
    said = list(express(table, chunk.engine, scenes=chunk.scenes, weights=EDITED, facts=facts, synonyms=synonyms))
    by_scene = {scene: [one for one in said if one.scene == scene] for scene in chunk.scenes}
    edited = [_EditedScene(table, scene, by_scene[scene], chunk.seed) for scene in chunk.scenes if by_scene[scene]]
    said = [one for some in edited for one in some.said]
    own = GraphTable.of(chain.from_iterable(one.graphs() for one in edited))
    finder = _TwinFinder(own, plausible, edited)
    tally = Tally()
    examples: list[Example] = []
    has_order: list[bool] = []
    known: set[tuple[int, str]] = set()
    for _ in range(ROUNDS):
        fresh = {(one.scene, one.text): one for one in reversed(said) if (one.scene, one.text) not in known}
        said = [one for one in said if fresh.get((one.scene, one.text)) is one]
        known |= fresh.keys()
        shorter = []
        for one, cover in zip(said, finder.find(said), strict=True):
            tally.add(one.form, cover)
            if cover.images and not nouns_suffice(one.expression, own.scene(finder.home[one.scene]), one.target):
                examples.append(_example(one, cover, own))
                has_order.append(any(want.name == "exchange" for want in cover.wants))
            elif words := words_to_spare(one, cover):
                shorter.append((one, words))
        said = [one for one in shorten(shorter, facts, chunk.engine, synonyms) if one]
    shown = {image.image_id for example in examples for image in example.distractors}
    edits = {image: told for one in edited for image, told in one.edits().items() if image in shown}
    return ServedExamples(examples, has_order, {**tally.to_dict(), "edits": edits})


class _EditedScene:
    """One scene with its twins, not drawn yet: what is true of each."""

    def __init__(self, table: GraphTable, scene: int, said: Sequence[ObjectExpression], seed: int) -> None:
        self.scene, self.image = scene, table.image_ids[scene]
        self.graph = graph_of(table, scene)
        stage, place = set_stage(number_of(self.image), seed=seed)
        numbers, base = show_stage(with_edits(stage, ()), "", place)
        on_stage = dict(zip((thing.id for thing in base.truth.objects), numbers, strict=True))
        start = len(mirror_id(self.image) if is_mirrored(self.image) else self.image)
        numbers_of = {k: on_stage[t.id[start:]] for k, t in enumerate(self.graph.objects) if t.id[start:] in on_stage}
        behind = {k for k, number in numbers_of.items() if stage.things[number].level == "backdrop"}
        self.said = [one for one in said if not _relates_to(one, behind)]
        nodes = (node for one in self.said for node in one.tree.nodes)
        often = Counter(numbers_of[node.object] for node in nodes if node.object in numbers_of)
        mentioned = [number for number, _ in often.most_common()]
        chance = Chance(derive(seed, "twins", self.image))
        neutral = neutral_edits(stage, mentioned, chance)
        each = edits_about(stage, mentioned, chance)[:MOST_EDITS]
        self.told = [json.dumps([edit, *neutral]) for edit in each]
        self.twins = list(
            clean_graphs(
                (tell_twin(stage, place, twin_id(self.image, n), told) for n, told in enumerate(self.told)),
                GraphReport(),
            )
        )

    def graphs(self) -> Iterator[SceneGraph]:
        """Yield the graph of the scene, then those of its twins."""
        yield self.graph
        yield from self.twins

    def edits(self) -> dict[str, str]:
        """Return the edits of the twins by their ids."""
        return {twin_id(self.image, number): told for number, told in enumerate(self.told)}


def _relates_to(one: ObjectExpression, things: set[int]) -> bool:
    """Return whether a relation to one of some things is said: no edit takes away the ground that others stand on."""
    nodes = one.tree.nodes
    return any(nodes[edge.child].object in things and edge.relation not in SAME for edge in one.tree.edges)


def tell_twin(stage: Stage, place: Place, image_id: str, told: str) -> SceneGraph:
    """Return the graph of a twin, whose id says of which scene and whether that is mirrored."""
    edits = [Edit(*edit) for edit in json.loads(told)]
    _, picture = show_stage(with_edits(stage, edits), image_id, place)
    return _as_shown(picture.truth, image_id, edits)


def _as_shown(graph: SceneGraph, image_id: str, edits: Sequence[Edit]) -> SceneGraph:
    if not is_flipped(image_id, edits):
        return graph
    flipped = mirror_graph(graph)
    return type(flipped)(image_id, flipped.width, flipped.height, flipped.objects, flipped.location, flipped.weather)


def is_flipped(image_id: str, edits: Sequence[Edit]) -> bool:
    """Return whether the picture of a twin is flipped: by its edit, or as its scene is, but not by both."""
    return is_mirrored(origin_of(image_id)) != any(edit.kind == "flip" for edit in edits)


def number_of(image_id: str) -> int:
    """Return the number of the imagined scene that an image shows."""
    origin = origin_of(image_id)
    return int(mirror_id(origin) if is_mirrored(origin) else origin) - FIRST_IMAGE


class _TwinFinder:
    """The twins of some scenes, all in one table."""

    def __init__(self, table: GraphTable, plausible: Plausible, edited: Sequence[_EditedScene]) -> None:
        self.table, self.plausible = table, plausible
        self.guard = Guard(table=table)
        self.home: dict[int, int] = {}
        self.twins: dict[int, range] = {}
        place = 0
        for one in edited:
            self.home[one.scene] = place
            self.twins[one.scene] = range(place + 1, place + 1 + len(one.twins))
            place += 1 + len(one.twins)

    def find(self, said: Sequence[ObjectExpression]) -> list[Cover]:
        """Return the twins for some expressions that serve all their wants, if there are such."""
        if not said:
            return []
        wants = [wants_of(one.expression, self.plausible) for one in said]
        pairs = [(n, twin) for n, one in enumerate(said) for twin in self.twins[one.scene]]
        which, where = np.array(pairs, np.int64).reshape(-1, 2).T
        fits = self.guard.ask([one.expression for one in said]).may_fit(which, where) if len(which) else np.zeros(0)
        clean: list[list[int]] = [[] for _ in said]
        for n, twin, is_true in zip(which.tolist(), where.tolist(), fits.tolist(), strict=True):
            if not is_true:
                clean[n].append(twin)
        flat = [want for some in wants for want in some]
        first = np.cumsum([0, *map(len, wants)]).tolist()
        rows = [
            (first[n] + k, scene, one.target if scene == self.home[one.scene] else -1)
            for n, one in enumerate(said)
            for k in range(len(wants[n]))
            for scene in (self.home[one.scene], *clean[n])
        ]
        number, scenes, targets = np.array(rows, np.int64).T
        found = first_bits(find_tempted_pairs(flat, self.table, number, scenes, targets)).tolist()
        covers, start = [], 0
        for n in range(len(said)):
            size = len(wants[n]) * (1 + len(clean[n]))
            block = np.array(found[start : start + size]).reshape(len(wants[n]), 1 + len(clean[n]))
            covers.append(_cover(wants[n], clean[n], block))
            start += size
        return covers


def _cover(wants: tuple[Want, ...], clean: list[int], things: np.ndarray) -> Cover:
    """Choose the fewest twins that serve all wants, greedily, at least one.

    Args:
        wants: of an expression.
        clean: its twins, by their numbers in the table.
        things: the first thing that each want leads to, -1 for none: int [want, 1 + twin], the own scene first.
    """
    served = things >= 0
    home = frozenset(want.code for want, ok in zip(wants, served[:, 0].tolist(), strict=True) if ok)
    lost = tuple(want for want, row in zip(wants, served.tolist(), strict=True) if not any(row))
    if lost or not clean:
        return Cover(wants, (), lost or wants, home)
    left = ~served[:, 0]
    chosen: list[int] = []
    while left.any() or not chosen:
        gains = (served[:, 1:] & left[:, None]).sum(axis=0) + 1e-3 * served[:, 1:].sum(axis=0)
        best = int(np.argmax(gains))
        chosen.append(best)
        left &= ~served[:, 1 + best]
    if len(chosen) > MOST_TWINS:
        return Cover(wants, (), (), home)
    images = []
    for k in chosen:
        mine = np.flatnonzero(served[:, 1 + k]).tolist()
        tempting = int(things[mine[0], 1 + k]) if mine else -1
        images.append(ServingImage(clean[k], tempting, tuple(wants[n] for n in mine)))
    return Cover(wants, tuple(images), (), home)


def _example(one: ObjectExpression, cover: Cover, table: GraphTable) -> Example:
    return Example(
        id=0,
        text=one.text,
        expression=one.expression,
        form=one.form,
        forms=one.forms,
        image_id=one.image_id,
        object_id=one.target_id,
        distractors=tuple(_image("Twin", image, table) for image in cover.images),
    )


def _image(kind: Any, image: ServingImage, table: GraphTable) -> DistractorImage:
    tempting = table.object_ids[int(table.scene_ptr[image.scene]) + image.object] if image.object >= 0 else ""
    return DistractorImage(kind, table.image_ids[image.scene], tempting, encode_wants(image.wants))


# -------------------------------------------------------------------------------- drawn


def draw_twins(_folder: Path, chunk: DrawnChunk) -> bytes:
    """Draw some twins, as a Parquet file.

    A pure function, for other processes and machines.
    """
    drawn = []
    stages: dict[int, tuple[Stage, Place]] = {}
    for image, told in chunk.twins:
        number = number_of(image)
        if number not in stages:
            stages = {number: set_stage(number, seed=chunk.seed)}
        stage, place = stages[number]
        edits = [Edit(*edit) for edit in json.loads(told)]
        _, imagined = show_stage(with_edits(stage, edits), image, place)
        picture = draw_imagined(imagined)
        if is_flipped(image, edits):
            from PIL import ImageOps

            picture = ImageOps.mirror(picture)
        file = BytesIO()
        picture.save(file, format=NAMES["png"], **FORMATS["png"])
        entry = json.dumps(gqa_entry(_as_shown(imagined.truth, image, edits)))
        drawn.append(ImaginedScene(image, file.getvalue(), entry, entry))
    return pack_scenes(drawn)


# -------------------------------------------------------------------------------- other families


def add_families(folder: Path, chunk: FamilyChunk) -> tuple[list[Example], int]:
    """Show examples with families of other scenes, each with as many twins as their own; how many found none.

    A pure function, for other processes and machines.
    """
    place = _families(folder)
    table, index = place.table, place.postings
    is_allowed = np.zeros(len(table), np.bool_)
    is_allowed[chunk.among] = True
    asked = place.guard.ask([_meaning(one) for one in chunk.examples])
    found: list[Example] = []
    for number, example in enumerate(chunk.examples):
        twins = len(example.distractors)
        wanted = (MOST_IMAGES + 1) // (twins + 1) - 1
        names = index.scenes_with(table.vocabulary.name_code(noun_of(_meaning(example))))
        bases = _shuffle(names[is_allowed[names]], place, example, twins, chunk.seed)
        rest = _shuffle(chunk.among, place, example, twins, chunk.seed)
        order = list(dict.fromkeys([*bases, *rest]))[:LOOKS]
        scenes = [scene for base in order for scene in (base, *place.twins[base])]
        clean = ~asked.may_fit(np.full(len(scenes), number), np.array(scenes, np.int64)) if scenes else np.zeros(0)
        is_clean = dict(zip(scenes, clean.tolist(), strict=True))
        families: list[tuple[int, ...]] = []
        for base in order:
            good = [scene for scene in place.twins[base] if is_clean[scene]]
            if is_clean[base] and len(good) >= twins and len(families) < wanted:
                families += [(base, *good[:twins])]
        if not families:
            continue
        beside = _with_wants(example, [scene for family in families for scene in family], place)
        found.append(_with_images(example, beside))
    return found, len(chunk.examples) - len(found)


class _Families(NamedTuple):
    """All scenes with their twins."""

    table: GraphTable
    postings: GraphIndex
    guard: Guard
    plausible: Plausible
    twins: Mapping[int, Sequence[int]]  # of every scene that is no twin


def _shuffle(scenes: np.ndarray, place: _Families, example: Example, twins: int, seed: int) -> list[int]:
    """Return scenes that have enough twins, in an order that depends on the example, the own one left out."""
    own = place.table.find(example.image_id)
    some = np.array([s for s in scenes.tolist() if s != own and len(place.twins.get(s, ())) >= twins], np.int64)
    key = np.uint64(fold((own, len(example.text)), derive(seed, "families", example.text)))
    with np.errstate(over="ignore"):
        order = np.argsort(mix_words((some.astype(np.uint64) + np.uint64(1)) * GOLDEN_WORD + key), kind="stable")
    return [int(scene) for scene in some[order[:LOOKS]]]


def _with_wants(example: Example, scenes: Sequence[int], place: _Families) -> list[DistractorImage]:
    """Return the images of scenes with the wants of an example that each serves."""
    expression = _meaning(example)
    wants = wants_of(expression, place.plausible)
    which = np.tile(np.arange(len(wants)), len(scenes))
    where = np.repeat(np.array(scenes, np.int64), len(wants))
    things = first_bits(find_tempted_pairs(wants, place.table, which, where)).reshape(len(scenes), len(wants))
    images = []
    for scene, row in zip(scenes, things.tolist(), strict=True):
        mine = tuple(want for want, thing in zip(wants, row, strict=True) if thing >= 0)
        image = ServingImage(scene, next((thing for thing in row if thing >= 0), -1), mine)
        images.append(_image(kind_of_image(expression, place.table, scene), image, place.table))
    return images


def _with_images(example: Example, beside: Sequence[DistractorImage]) -> Example:
    return replace(example, distractors=(*example.distractors, *beside))


def _meaning(example: Example) -> Any:
    assert example.expression is not None
    return example.expression


@lru_cache(maxsize=1)
def _corpus(folder: Path, words: Any, removed: frozenset[str]) -> tuple[GraphTable, Facts, Plausible]:
    table = GraphTable.load(folder / "scenes")
    return table, Facts.of(table, Engine(words=words, removed=removed)), Plausible.of(table)


@lru_cache(maxsize=1)
def _families(folder: Path) -> _Families:
    table = GraphTable.load(folder / "scenes")
    twins: dict[int, list[int]] = {}
    numbers = {image: number for number, image in enumerate(table.image_ids)}
    for image, number in numbers.items():
        if is_twin(image):
            twins.setdefault(numbers[origin_of(image)], []).append(number)
    plausible = Plausible.of(table, [not is_twin(image) for image in table.image_ids])
    return _Families(table, GraphIndex.load(folder / "index", table), Guard(table=table), plausible, twins)


def counts_of_families(examples: Sequence[Example]) -> dict[str, int]:
    """Return how many examples are shown with so many twins of their own."""
    counted = Counter(sum(image.kind == "Twin" for image in one.distractors) for one in examples)
    return {str(number): count for number, count in sorted(counted.items())}
