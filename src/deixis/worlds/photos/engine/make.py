"""The engine's loop: image by image, form by form, target by target, until the quotas are met.

    expressions = list(express(table, Engine(seed=7)))

Every image has a stream of its own, so what is said of it depends on neither the other images nor the number of
workers. Images take turns: each proposes candidates, all are resolved together, and each goes on with what it learns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from deixis.data._crew import share_work
from deixis.worlds.photos._words import Synonyms
from deixis.worlds.photos.engine._choose import (
    Candidate,
    Chooser,
    Verdict,
    draw_weighted,
    is_spatial_only,
    other_counts,
    says_twice,
    targets_of,
    verdicts_on,
)
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.engine._forms import build, lengthen
from deixis.worlds.photos.engine._wording import put_into_words
from deixis.worlds.photos.engine.settings import FORMS, Engine
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos.engine._tree import ObjectExpression, Tree
    from deixis.worlds.photos.engine.settings import Form

    Speaker: TypeAlias = Generator[list[Candidate], list[Verdict], list[ObjectExpression]]


__all__ = ["Chunk", "express", "express_chunk", "express_in_parallel", "image_chunks", "tune_weights"]

AT_ONCE = 512  # images that take turns
PROPOSED = 2  # new candidates that an image proposes in one turn
TRIES_PER_TARGET = 6
PILOT = 2400  # expressions asked for when the weights of the forms are tuned, each time
FEWEST = 200  # images of a pilot
ROUNDS = 4
MOST_BOOST = 30.0  # how much more often than its share a form is tried at most


def express(
    table: GraphTable,
    engine: Engine | None = None,
    *,
    scenes: Sequence[int] | None = None,
    weights: Mapping[Form, float] | None = None,
    facts: Facts | None = None,
    synonyms: Synonyms | None = None,
) -> Iterator[ObjectExpression]:
    """Make expressions about the objects of a corpus, each of which picks out its target and nothing else in its image.

    Args:
        table: the scene graphs.
        engine: what is wanted; as Cops-Ref by default.
        scenes: the numbers of the images to speak of, in that order; all by default.
        weights: how often each form is tried; by default `tune_weights` finds weights for the shares of the settings.
        facts: about the table, if at hand.
        synonyms: other words; the curated list by default.
    """
    engine = engine or Engine()
    facts = facts or Facts.of(table, engine)
    weights = weights if weights is not None else tune_weights(table, engine, facts=facts)
    synonyms = synonyms or Synonyms.of(table.vocabulary)
    numbers = range(len(table)) if scenes is None else scenes
    for first in range(0, len(numbers), AT_ONCE):
        some = numbers[first : first + AT_ONCE]
        speakers = [_speak(Chooser(facts.photograph(n), facts, engine), weights, synonyms) for n in some]
        for said in _taking_turns(speakers, table, engine):
            yield from said


def tune_weights(table: GraphTable, engine: Engine, *, facts: Facts | None = None) -> dict[Form, float]:
    """Return the trial rate of each form for which the forms come out in the requested shares.

    Not every image offers every form: hardly any two objects are of the one gender that nothing else has. So a sample
    of images is spoken of a few times, and forms that came out too rarely are tried more often.
    """
    facts = facts or Facts.of(table, engine)
    total = sum(engine.shares.values())
    wanted = {form: engine.shares.get(form, 0.0) / total for form in FORMS}
    weights = dict(wanted)
    rounds = ROUNDS if sum(share > 0 for share in wanted.values()) > 1 else 0
    every = max(1, len(table) // max(FEWEST, PILOT // engine.per_image))  # one image in so many, others each round
    quiet = replace(engine, variety=0.0, synonyms=0.0)
    for number in range(rounds):
        pilot = range(number * every // rounds, len(table), every)
        made = Counter(one.form for one in express(table, quiet, scenes=pilot, weights=weights, facts=facts))
        for form, share in wanted.items():
            found = (made[form] + 1) / (made.total() + len(FORMS))
            damped = (share / found) ** (1 / (1 + number / 2))  # later rounds only polish
            weights[form] = min(weights[form] * damped, MOST_BOOST * share)
        scale = sum(weights.values())
        weights = {form: weight / scale for form, weight in weights.items()}
    return weights


def express_in_parallel(
    table: GraphTable,
    engine: Engine | None = None,
    *,
    workers: int = 1,
    synonyms: Synonyms | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[ObjectExpression]:
    """Make the expressions of `express` by several processes, with the same result for any number of them.

    Args:
        table: the scene graphs.
        engine: what is wanted.
        workers: processes.
        synonyms: other words; the curated list by default.
        progress: told how many more images are done.
    """
    engine = engine or Engine()
    weights = tune_weights(table, engine)
    chunks = [Chunk(engine, weights, some, synonyms) for some in image_chunks(len(table))]
    for chunk, said in zip(chunks, share_work(express_chunk, chunks, save=table.save, workers=workers), strict=True):
        yield from said
        if progress is not None:
            progress(len(chunk.scenes))


def image_chunks(images: int) -> list[range]:
    """Return the numbers of the images of each work unit."""
    return [range(first, min(first + AT_ONCE, images)) for first in range(0, images, AT_ONCE)]


class Chunk(NamedTuple):
    """Images to speak of, and the settings."""

    engine: Engine
    weights: Mapping[Form, float]
    scenes: range
    synonyms: Synonyms | None = None


def express_chunk(folder: Path, chunk: Chunk) -> list[ObjectExpression]:
    """Make expressions about some images of the table in a folder.

    A pure function, for other processes and machines.
    """
    if _at_hand.get("folder") != (folder, chunk.engine):
        table = GraphTable.load(folder)
        _at_hand.update(folder=(folder, chunk.engine), table=table, facts=Facts.of(table, chunk.engine))
    how = {"weights": chunk.weights, "facts": _at_hand["facts"], "synonyms": chunk.synonyms}
    return list(express(_at_hand["table"], chunk.engine, scenes=chunk.scenes, **how))


_at_hand: dict[str, Any] = {}  # the table that was read last, with what is known of it


def _taking_turns(speakers: list[Speaker], table: GraphTable, engine: Engine) -> list[list[ObjectExpression]]:
    """What all speakers come to say; the candidates of one turn are resolved together."""
    done: dict[int, list[ObjectExpression]] = {}
    answers: dict[int, list[Verdict] | None] = dict.fromkeys(range(len(speakers)))
    while answers:
        proposed: dict[int, list[Candidate]] = {}
        for number, answer in answers.items():
            try:
                proposed[number] = speakers[number].send(answer)  # type: ignore[arg-type]
            except StopIteration as stop:
                done[number] = stop.value
        verdicts = verdicts_on(
            [c for some in proposed.values() for c in some], table, engine.unknowns, loose_sides=engine.loose_sides
        )
        answers, start = {}, 0
        for number, some in proposed.items():
            answers[number] = verdicts[start : start + len(some)]
            start += len(some)
    return [done[number] for number in range(len(speakers))]


def _speak(chooser: Chooser, weights: Mapping[Form, float], synonyms: Synonyms) -> Speaker:
    """Make the expressions of one image: propose candidates, learn which are unique, and word them."""
    engine = chooser.engine
    targets = targets_of(chooser.photograph, chooser.facts, engine)
    told: list[ObjectExpression] = []
    tried: set[Tree] = set()
    per_target: Counter[int] = Counter()
    for _ in range(engine.per_image):
        open_targets = [t for t in targets if per_target[t] < engine.per_target]
        if not open_targets:
            break
        form = draw_weighted(list(weights), list(weights.values()), chooser.stream)
        said = yield from _speak_once(form, chooser.stream.permutation(open_targets), chooser, tried, synonyms)
        if said and all(said.text != other.text for other in told):
            told.append(said)
            per_target[said.target] += 1
    return told


def _speak_once(
    form: Form, targets: list[int], chooser: Chooser, tried: set[Tree], synonyms: Synonyms
) -> Generator[list[Candidate], list[Verdict], ObjectExpression | None]:
    """Return one expression of a form about one of the targets, if the attempts suffice."""
    attempts = chooser.engine.attempts
    for target in targets:
        tries = 0
        ambiguous: list[Tree] = []
        while attempts and tries < TRIES_PER_TARGET:
            trees = [lengthen(tree, chooser) for tree in ambiguous]  # what fits several may fit one if more is said
            for _ in range(min(PROPOSED, attempts)):
                trees.append(build(form, target, chooser))
                if trees[-1] is None:
                    tries = TRIES_PER_TARGET
                    break
                attempts, tries = attempts - 1, tries + 1
            candidates = list(_candidates(trees, chooser, tried))
            verdicts = (yield candidates) if candidates else []
            ambiguous = []
            for candidate, verdict in zip(candidates, verdicts, strict=True):
                if not verdict.is_unique:
                    ambiguous.append(candidate.tree)
                elif not verdict.misleads or chooser.engine.rank_readings == "flag":
                    said = put_into_words(candidate, verdict, chooser, synonyms)
                    if said and said.form == form:
                        return said
    return None


def _candidates(trees: Iterable[Tree | None], chooser: Chooser, tried: set[Tree]) -> Iterator[Candidate]:
    """Yield the trees that have not been tried and do not merely say left and right."""
    for tree in trees:
        if tree is None or tree in tried or says_twice(tree) or is_spatial_only(tree, chooser.facts, chooser.engine):
            continue
        tried.add(tree)
        expression = tree.expression()
        yield Candidate(chooser.photograph.scene, tree.nodes[0].object, tree, expression, other_counts(expression))
