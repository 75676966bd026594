"""Examples put together: expressions are given their distractor images, and others that fit nothing are added.

examples, shortages = with_distractors(examples, table, index, seed=7, among=scenes_of_the_split)
examples += negatives_of(examples, table, index, say=lambda e: realise_reference(e).text, seed=7)
"""

from __future__ import annotations

import signal
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import DeixisError, UnknownName
from deixis.scene.graph_table import GraphTable
from deixis.tasks.localise import DistractorImage, Example
from deixis.worlds.graphs.distractors import Said, Search, find_distractors
from deixis.worlds.graphs.index import GraphIndex
from deixis.worlds.graphs.misreadings import DistractorKind, encode_misreading
from deixis.worlds.graphs.negatives import Negation, Shown, find_negatives


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np

    from deixis.distractors.relaxations import Relaxation
    from deixis.expression.description import Expression


__all__ = ["Assembled", "negatives_of", "with_distractors"]

CHUNK = 4_000  # examples that one process works on at a time


class Assembled(NamedTuple):
    """Examples with their distractor images, and why others were left out.

    Attributes:
        examples: those that have enough images of every kind, in the order given.
        dropped: how many were left out for want of images, by the kinds that were wanting.
    """

    examples: list[Example]
    dropped: Counter[tuple[DistractorKind, ...]]


def with_distractors(  # noqa: PLR0913 (where to look, what for, and how)
    examples: Sequence[Example],
    table: GraphTable,
    index: GraphIndex,
    search: Search | None = None,
    *,
    seed: int,
    among: np.ndarray | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Assembled:
    """The examples with distractor images, those left out for which there are too few (Cops-Ref, section 3.2).

    Args:
        examples: whose meaning is known.
        table: the scene graphs of all images.
        index: of the table.
        search: what to look for.
        seed: of the order in which images are looked at.
        among: the numbers of the images that may be shown, e.g. those of one split; all by default.
        workers: processes; the result does not depend on their number.
        progress: told how many more examples are done.
    """
    search = search or Search()
    chunks = [examples[start : start + CHUNK] for start in range(0, len(examples), CHUNK)]
    kept: list[Example] = []
    dropped: Counter[tuple[DistractorKind, ...]] = Counter()
    for chunk, found in zip(chunks, _searched(chunks, table, index, search, seed, among, workers), strict=True):
        for example, (images, lacking) in zip(chunk, found, strict=True):
            if lacking:
                dropped[lacking] += 1
            else:
                kept.append(replace(example, distractors=images))
        if progress is not None:
            progress(len(chunk))
    return Assembled(kept, dropped)


def negatives_of(
    examples: Sequence[Example],
    table: GraphTable,
    index: GraphIndex,
    how: Negation | None = None,
    *,
    say: Callable[[Expression], str],
    seed: int,
    first_id: int | None = None,
) -> list[Example]:
    """Examples that fit nothing in any image they are shown with, made from examples that fit something.

    Args:
        examples: whose meaning is known; each keeps its images.
        table: the scene graphs.
        index: of the table.
        how: which changes are made.
        say: the text of an expression; what it refuses with an error of ours is left out.
        seed: of the choice of words.
        first_id: of the new examples; by default the number after the highest there is.
    """
    number = max((example.id for example in examples), default=-1) + 1 if first_id is None else first_id
    shown = [Shown(_meaning(example), tuple(example.scenes(table))) for example in examples]
    made: list[Example] = []
    for example, found in zip(examples, find_negatives(shown, table, index, how, seed=seed), strict=True):
        for negative in found:
            try:
                text = say(negative.expression)
            except DeixisError:
                continue
            images = tuple(replace(one, object_id="", misreading="") for one in example.distractors)
            made.append(
                replace(
                    example,
                    id=number,
                    text=text,
                    expression=negative.expression,
                    object_id="",
                    distractors=images,
                    change=negative.change,
                    changed=negative.changed,
                    changed_id=example.id,
                )
            )
            number += 1
    return made


_Found = list[tuple[tuple[DistractorImage, ...], tuple[DistractorKind, ...]]]


def _searched(
    chunks: Sequence[Sequence[Example]],
    table: GraphTable,
    index: GraphIndex,
    search: Search,
    seed: int,
    among: np.ndarray | None,
    workers: int,
) -> Iterator[_Found]:
    asked = [list(_said(chunk, table)) for chunk in chunks]
    if workers <= 1 or len(chunks) <= 1:
        image_ids = list(table.image_ids)
        for some in asked:
            yield _images(some, table, index, image_ids, search, seed, among)
        return
    with TemporaryDirectory() as folder:
        table.save(f"{folder}/scenes")
        index.save(f"{folder}/index")
        settings = (folder, search, seed, among)
        with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=settings) as pool:
            yield from pool.map(_work, asked)


def _images(
    said: Sequence[Said],
    table: GraphTable,
    index: GraphIndex,
    image_ids: Sequence[str],
    search: Search,
    seed: int,
    among: np.ndarray | None,
) -> _Found:
    found: _Found = []
    codes: dict[int, str] = {}
    for one in find_distractors(said, table, index, search, seed=seed, among=among):
        codes.clear()
        images = tuple(
            DistractorImage(
                distractor.kind,
                image_ids[distractor.scene],
                table.object_ids[int(table.scene_ptr[distractor.scene]) + distractor.object]
                if distractor.object >= 0
                else "",
                _code(distractor.misreading, codes),
            )
            for distractor in one.distractors
        )
        found.append((images, tuple(sorted(one.lacking))))
    return found


def _code(misreading: Relaxation | None, codes: dict[int, str]) -> str:
    """The code of a misreading; the images of one expression share them."""
    if id(misreading) not in codes:
        codes[id(misreading)] = encode_misreading(misreading)
    return codes[id(misreading)]


def _said(examples: Sequence[Example], table: GraphTable) -> Iterator[Said]:
    known: dict[str, tuple[int, tuple[str, ...]]] = {}  # of neighbours in the table, mostly
    for example in examples:
        if example.image_id not in known:
            scene = table.find(example.image_id)
            some = table.objects_of(scene)
            known[example.image_id] = scene, table.object_ids[some.start : some.stop]
        scene, object_ids = known[example.image_id]
        if example.object_id not in object_ids:
            raise UnknownName(f"image {example.image_id!r} has no object {example.object_id!r}")
        yield Said(_meaning(example), scene, object_ids.index(example.object_id))


def _meaning(example: Example) -> Expression:
    if example.expression is None:
        raise DeixisError(f"example {example.id} has no meaning, only a text; read it first")
    return example.expression


_at_hand: dict[str, Any] = {}


def _begin(
    folder: str, search: Search, seed: int, among: np.ndarray | None
) -> None:  # pragma: no cover (runs in another process)
    """Prepare a worker; an interrupt is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    table = GraphTable.load(f"{folder}/scenes")
    index = GraphIndex.load(f"{folder}/index", table)
    _at_hand.update(table=table, index=index, image_ids=list(table.image_ids), search=search, seed=seed, among=among)


def _work(said: Sequence[Said]) -> _Found:  # pragma: no cover (runs in another process)
    return _images(said, **_at_hand)
