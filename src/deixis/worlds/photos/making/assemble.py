"""Assembly of examples: expressions get their distractor images, and expressions that fit nothing are added.

examples, shortages = with_distractors(examples, table, index, seed=7, among=scenes_of_the_split)
examples += negatives_of(examples, table, index, seed=7)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deixis.data._crew import share_work
from deixis.errors import DeixisError, UnknownName
from deixis.worlds.photos._balance import Balance, moved_words
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._misreadings import DistractorKind, encode_misreading
from deixis.worlds.photos._negatives import Negation, ShownExpression, find_negatives
from deixis.worlds.photos.distractors import Search, TargetExpression, find_distractors
from deixis.worlds.photos.engine._wording import Wording
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Expression
    from deixis.worlds.photos._changes import Negative


__all__ = ["CHUNK", "Assembly", "Chunk", "Corpus", "assemble_chunk", "negatives_of", "with_distractors"]

CHUNK = 1_000  # examples that are worked on at a time
POOL = 4  # for every expression that fits nothing, how many it is chosen from


class Assembly(NamedTuple):
    """Examples with their distractor images, and the reasons why others were left out.

    Attributes:
        examples: those that have enough images of every kind, in the order given.
        dropped: how many were left out for want of images, by the kinds that were wanting.
        fewer: how many are kept with fewer images of some kind than were looked for, by these kinds.
    """

    examples: list[Example]
    dropped: Counter[tuple[DistractorKind, ...]]
    fewer: Counter[tuple[DistractorKind, ...]]

    def add(self, more: Assembly) -> None:
        """Add the results of more examples."""
        self.examples.extend(more.examples)
        self.dropped.update(more.dropped)
        self.fewer.update(more.fewer)


def with_distractors(  # noqa: PLR0913 (where to look, what for, and how)
    examples: Sequence[Example],
    table: GraphTable,
    index: GraphIndex,
    search: Search | None = None,
    *,
    seed: int,
    among: np.ndarray | None = None,
    truth: GraphTable | None = None,
    fewest: int | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Assembly:
    """Return the examples with distractor images, without those for which there are too few (Cops-Ref, section 3.2).

    Args:
        examples: whose meaning is known.
        table: the scene graphs of all images.
        index: of the table.
        search: what to look for.
        seed: of the order in which images are looked at.
        among: the numbers of the images that may be shown, e.g. those of one split; all by default.
        truth: the same scenes as they are, where that is known: no image is shown in which the expression is true.
        fewest: how many images of a kind will do where there are not as many as are looked for; all by default.
        workers: processes; the result does not depend on their number.
        progress: told how many more examples are done.
    """
    search = search or Search()
    place = Corpus(table, index, truth)
    enough = search.each if fewest is None else min(fewest, search.each)
    chunks = [Chunk(examples[k : k + CHUNK], search, seed, among, enough) for k in range(0, len(examples), CHUNK)]
    whole = Assembly([], Counter(), Counter())
    for chunk, some in zip(chunks, share_work(assemble_chunk, chunks, save=place.save, workers=workers), strict=True):
        whole.add(some)
        if progress is not None:
            progress(len(chunk.examples))
    return whole


class Chunk(NamedTuple):
    """Some examples, and the settings of the search for their distractor images (see `with_distractors`)."""

    examples: Sequence[Example]
    search: Search
    seed: int
    among: np.ndarray | None
    enough: int


def assemble_chunk(folder: Path, chunk: Chunk) -> Assembly:
    """Find distractor images for some examples in the corpus of a folder.

    A pure function, for other processes and machines.
    """
    place = _corpus(folder)
    found = Assembly([], Counter(), Counter())
    for example, (images, lacking) in zip(chunk.examples, _images(chunk, place), strict=True):
        there = Counter(image.kind for image in images)
        wanting = tuple(kind for kind in lacking if there[kind] < chunk.enough)
        if wanting:
            found.dropped[wanting] += 1
            continue
        if lacking:
            found.fewer[lacking] += 1
        found.examples.append(replace(example, distractors=images))
    return found


def negatives_of(  # noqa: PLR0913 (where to look, what for, and how)
    examples: Sequence[Example],
    table: GraphTable,
    index: GraphIndex,
    how: Negation | None = None,
    *,
    seed: int,
    truth: GraphTable | None = None,
    say: Callable[[Expression], str] | None = None,
    first_id: int | None = None,
) -> list[Example]:
    """Make examples that fit nothing in any image they are shown with, from examples that fit something.

    Of what could be said, that is chosen which keeps the words balanced, see `balance`; so it depends on the other
    examples, too.

    Args:
        examples: whose meaning is known; each keeps its images.
        table: the scene graphs.
        index: of the table.
        how: which changes are made.
        seed: of the choice of words.
        truth: the same scenes as they are, where that is known: what is said is not there, then.
        say: the text of an expression; what it refuses with an error of ours is left out. By default it is worded as
            the example is, and left out where it would be read as something else.
        first_id: of the new examples; by default the number after the highest there is.
    """
    how = how or Negation()
    number = max((example.id for example in examples), default=-1) + 1 if first_id is None else first_id
    shown = [ShownExpression(_meaning(example), tuple(example.scenes(table))) for example in examples]
    found = find_negatives(shown, table, index, replace(how, each=POOL * how.each), seed=seed, truth=truth)
    balance = Balance([one.expression for one in shown])
    made: list[Example] = []
    for example, options in zip(examples, found, strict=True):
        worded = say or Wording.of(example.text, _meaning(example), table.vocabulary).say
        for negative, text in _choose_balanced(_meaning(example), options, worded, balance, how):
            made.append(_absent(example, negative, text, number + len(made)))
    return made


def _choose_balanced(
    original: Expression,
    options: Sequence[Negative],
    say: Callable[[Expression], str],
    balance: Balance,
    how: Negation,
) -> Iterator[tuple[Negative, str]]:
    """As many of the options as are wanted, the best balanced first, with their texts."""
    counts: Counter[str] = Counter()
    left = [(one, moved_words(original, one.expression)) for one in options]
    while left and counts.total() < how.most:
        best = min(left, key=lambda option: balance.cost(option[0].change, option[1]))
        left.remove(best)
        negative, moved = best
        if counts[negative.change] == how.each:
            continue
        try:
            text = say(negative.expression)
        except DeixisError:
            continue
        counts[negative.change] += 1
        balance.take(negative.change, moved)
        yield negative, text


def _absent(example: Example, negative: Negative, text: str, number: int) -> Example:
    """Return the example with an expression that fits nothing in its images."""
    return replace(
        example,
        id=number,
        text=text,
        expression=negative.expression,
        object_id="",
        distractors=tuple(replace(one, object_id="", misreading="") for one in example.distractors),
        change=negative.change,
        changed=negative.changed,
        changed_id=example.id,
    )


@dataclass(frozen=True, slots=True)
class Corpus:
    """The corpus in which images are searched: scene graphs, their index and, where known, the truth about them."""

    table: GraphTable
    index: GraphIndex
    truth: GraphTable | None = None

    def save(self, folder: Path) -> None:
        """Write the corpus to a folder."""
        for name, part in (("scenes", self.table), ("index", self.index), ("truth", self.truth)):
            if part is not None:
                part.save(folder / name)

    @classmethod
    def load(cls, folder: Path) -> Corpus:
        """Load a corpus that `save` has written, mapped into memory."""
        table = GraphTable.load(folder / "scenes")
        truth = GraphTable.load(folder / "truth") if (folder / "truth").exists() else None
        return cls(table, GraphIndex.load(folder / "index", table), truth)


@lru_cache(maxsize=1)
def _corpus(folder: Path) -> Corpus:
    return Corpus.load(folder)


def _images(chunk: Chunk, place: Corpus) -> Iterator[tuple[tuple[DistractorImage, ...], tuple[DistractorKind, ...]]]:
    """For every example its distractor images, and the kinds of which there are too few."""
    said = list(_expressions_of(chunk.examples, place.table))
    codes: dict[int, str] = {}
    table = place.table
    found = find_distractors(
        said, table, place.index, chunk.search, seed=chunk.seed, among=chunk.among, truth=place.truth
    )
    for one in found:
        codes.clear()
        images = tuple(
            DistractorImage(
                distractor.kind,
                table.image_ids[distractor.scene],
                table.object_ids[int(table.scene_ptr[distractor.scene]) + distractor.object]
                if distractor.object >= 0
                else "",
                _code(distractor.misreading, codes),
            )
            for distractor in one.distractors
        )
        yield images, tuple(sorted(one.lacking))


def _code(misreading: PlannedMisreading | None, codes: dict[int, str]) -> str:
    """The code of a misreading; the images of one expression share them."""
    if id(misreading) not in codes:
        codes[id(misreading)] = encode_misreading(misreading)
    return codes[id(misreading)]


def _expressions_of(examples: Sequence[Example], table: GraphTable) -> Iterator[TargetExpression]:
    known: dict[str, tuple[int, tuple[str, ...]]] = {}  # of neighbours in the table, mostly
    for example in examples:
        if example.image_id not in known:
            scene = table.find(example.image_id)
            some = table.objects_of(scene)
            known[example.image_id] = scene, table.object_ids[some.start : some.stop]
        scene, object_ids = known[example.image_id]
        if example.object_id not in object_ids:
            raise UnknownName(f"image {example.image_id!r} has no object {example.object_id!r}")
        yield TargetExpression(_meaning(example), scene, object_ids.index(example.object_id))


def _meaning(example: Example) -> Expression:
    if example.expression is None:
        raise DeixisError(f"example {example.id} has no meaning, only a text; read it first")
    return example.expression
