"""What distractor images take away from careless readers, and how many of them are clean.

python -m benchmarks.shortcuts --graphs SCENE_GRAPHS --write docs/results/copsref-shortcuts.md
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.machine import describe_machine
from deixis.audits.measures import reorderings
from deixis.judge.uncertainty import wilson
from deixis.worlds.photos._audit.localise import shortcut_rows, summarise_shortcuts
from deixis.worlds.photos._guard import aligned_with
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS
from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.data._contamination import measure_contamination
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.distractors import Search
from deixis.worlds.photos.engine import Engine, express_in_parallel
from deixis.worlds.photos.imagine import imagine
from deixis.worlds.photos.localise import SETTINGS, Example
from deixis.worlds.photos.making.assemble import with_distractors
from deixis.worlds.photos.making.make import example_of, keep_true
from deixis.worlds.photos.resolution.unknowns import Unknowns
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.photos._audit.localise import Shortcuts
    from deixis.worlds.photos.data._contamination import Contamination
    from deixis.worlds.photos.localise import Setting
    from deixis.worlds.photos.scene.graph import SceneGraph


COMMAND = "python -m benchmarks.shortcuts --graphs SCENE_GRAPHS --write docs/results/copsref-shortcuts.md"
PER_IMAGE, PER_TARGET = 24, 2  # for photographs, as in benchmarks.copsref
IMAGES = 2_000  # imagined, spoken of as the engine does by default
GUARDS = {  # what is made of gaps in the annotation
    "taken for false": None,
    "unknown where nothing is said": Unknowns(),
    "unknown wherever missing": Unknowns(relations="unknown"),
}
DEFAULT = "unknown where nothing is said"  # of `deixis make copsref` for photographs
ASKED = "asked of the whole truth"  # and for imagined scenes
INTRO = """\
This page measures how often a reader who understands only a part of an expression finds the target, and in how many
distractor images the expression is true after all. Both are measured on the data itself; no model is trained."""
READERS = """\
An example is *solved* when the target is the only object that fits the part the reader understands. *Noun alone* and
*noun and attributes* are those of the target. *Phrases unrelated* is the same, in images that also contain all other
mentioned objects, in any relation. *Bag of words* accepts every object that fits when two phrases (or their words of
one kind) or the relations of two clauses are exchanged; an expression of one phrase is always solved. Figures are
percentages; ± is half of a 95 % bootstrap interval, left out where it is below 0.05. `Full` shows twelve other images,
`DiffCat` to `Cat&cat` three of that kind, `WithoutDist` none. Expressions and images are chosen as in
`deixis make copsref`, but from all images instead of those of one split."""
CAVEAT = """\
The whole truth about photographs is unknown. For imagined scenes it is known: their published graphs leave out about as
much as GQA's do (see `imagine.Annotator`), and every expression is resolved in the full graph. The figures hold for
that simulated annotator; those of human annotators, who also err, are not known. Percentages have 95 % Wilson intervals
that treat images as independent."""
GAPS = """\
Missing annotations can count as false or as unknown. If unknown, an expression is refused when another object of its
image may fit it, and a distractor image when any object in it may. Attributes are unknown for objects that have none of
that kind recorded; relations either for objects that have none recorded, or for all. For imagined scenes, the whole
truth can be used instead, as in `deixis make copsref`. Images that an expression fits in other words, or with left and
right as people use them, are refused in every column. An expression is shown with twelve images, so few contaminated
images make many contaminated expressions."""


class Posed(NamedTuple):
    """Expressions about a corpus, and those of them that were given distractor images."""

    told: list[Example]
    examples: list[Example]


class Corpus(NamedTuple):
    """Imagined scenes: as published, as they are, and as they are less the things that nobody named."""

    published: GraphTable
    truth: GraphTable
    named: GraphTable


class Cleanness(NamedTuple):
    """What the truth says of examples: how many were said, and what is contaminated, unnamed things apart or not."""

    told: int
    found: Contamination
    named: Contamination


class Measured(NamedTuple):
    """The shortcuts of one corpus: in every setting, and in single images for all that was said."""

    posed: Posed
    images: int
    settings: list[Shortcuts]
    before: Shortcuts

    def of(self, setting: Setting) -> Shortcuts:
        """The shortcuts in one setting."""
        return next(one for one in self.settings if one.setting == setting)


def main(arguments: list[str] | None = None) -> int:
    """Measure both corpora, print or write a page; 1 when distractor images or guards do not do what they are for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shortcuts", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--graphs", type=Path, required=True, help="scene graphs of Visual Genome or GQA")
    parser.add_argument("--write", type=Path, help="write the page as Markdown")
    parser.add_argument("--images", type=int, default=IMAGES, help="how many scenes to imagine")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    real = read_table(options.graphs)
    photographs = _measured(
        _posed(real, Engine(per_image=PER_IMAGE, per_target=PER_TARGET), DEFAULT, options.seed), real
    )
    corpus = _imagined(options.images, options.seed)
    posed = {guard: _posed(corpus.published, Engine(), guard, options.seed) for guard in GUARDS}
    posed[ASKED] = _posed(
        corpus.published, Engine(), DEFAULT, options.seed, aligned_with(corpus.published, corpus.truth)
    )
    imagined = _measured(posed[ASKED], corpus.published)
    contamination = {guard: _cleanness(one, corpus) for guard, one in posed.items()}
    text = "\n".join((*_shortcuts_part(photographs, imagined, options.seed), "", *_contamination_part(contamination)))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    shares = {guard: _share(one.found) for guard, one in contamination.items()}
    is_cleaner = shares[ASKED] == 0 < shares[DEFAULT] < shares["taken for false"]
    return 0 if is_cleaner and _is_taken_away(photographs) and _is_taken_away(imagined) else 1


# -------------------------------------------------------------------------------- measuring


def _imagined(images: int, seed: int) -> Corpus:
    scenes = [imagine(number, seed=seed) for number in range(images)]
    named = [_as_far_as_named(scene.truth, scene.published) for scene in scenes]
    several = ([scene.published for scene in scenes], [scene.truth for scene in scenes], named)
    return Corpus(*(GraphTable.of(clean_graphs(graphs, GraphReport())) for graphs in several))


def _as_far_as_named(truth: SceneGraph, published: SceneGraph) -> SceneGraph:
    """The truth about the objects that are published."""
    ids = {thing.id for thing in published.objects}
    kept = (thing for thing in truth.objects if thing.id in ids)
    links = ((thing, tuple(link for link in thing.relations if link.object_id in ids)) for thing in kept)
    return replace(truth, objects=tuple(replace(thing, relations=some) for thing, some in links))


def _posed(table: GraphTable, engine: Engine, guard: str, seed: int, truth: GraphTable | None = None) -> Posed:
    unknowns, workers = GUARDS[guard], os.cpu_count() or 1
    engine = replace(engine, seed=seed, unknowns=unknowns)
    expressed = list(express_in_parallel(table, engine, workers=workers))
    true = expressed if truth is None else keep_true(expressed, truth)
    told = [example_of(number, one) for number, one in enumerate(true)]
    index, search = GraphIndex.of(table), Search(unknowns=unknowns)
    return Posed(told, with_distractors(told, table, index, search, seed=seed, truth=truth, workers=workers).examples)


def _measured(posed: Posed, table: GraphTable) -> Measured:
    settings = summarise_shortcuts(posed.examples, table, settings=SETTINGS)
    (before,) = summarise_shortcuts(posed.told, table, settings=("WithoutDist",))
    return Measured(posed, len(table), settings, before)


def _cleanness(posed: Posed, corpus: Corpus) -> Cleanness:
    whole, named = (measure_contamination(posed.examples, truth) for truth in (corpus.truth, corpus.named))
    return Cleanness(len(posed.told), whole, named)


def _is_taken_away(found: Measured) -> bool:
    full, alone = found.of("Full").shares, found.of("WithoutDist").shares
    return all(full[heard].mean < 0.05 < alone[heard].mean for heard in ("noun alone", "noun and attributes"))


def _share(found: Contamination) -> float:
    return sum(found.contaminated.values()) / max(1, sum(found.shown.values()))


# -------------------------------------------------------------------------------- the page


def _shortcuts_part(photographs: Measured, imagined: Measured, seed: int) -> Iterator[str]:
    yield from ("# Shortcuts and distractor images", "", INTRO, "")
    yield from (f"Made by `{COMMAND}` (seed {seed}) on {describe_machine()}.", "")
    yield from ("## Shortcuts", "", READERS, "")
    for name, found in (("photographs of Visual Genome", photographs), ("imagined scenes", imagined)):
        kept, told = len(found.posed.examples), len(found.posed.told)
        yield f"### In {found.images:,} {name}"
        yield ""
        yield f"{told:,} expressions; for {kept:,} of them there are three images of every kind, and these are judged."
        yield from ("", *_table(shortcut_rows(found.settings)), "")
        yield "Accuracy of guessing among the objects that fit; for *nothing*, that is chance:"
        yield from ("", *_table(shortcut_rows(found.settings, guessing=True)), "")
    yield from ("### Findings", "", *(f"- {line}" for line in _lessons(photographs, imagined)))


def _lessons(photographs: Measured, imagined: Measured) -> Iterator[str]:
    full, alone, before = photographs.of("Full"), photographs.of("WithoutDist"), photographs.before
    noun, phrase, unrelated, bag = "noun alone", "noun and attributes", "phrases unrelated", "bag of words"
    drawn, drawn_alone = imagined.of("Full"), imagined.of("WithoutDist")
    yield (
        f"In a single photograph the noun alone solves {_cent(alone.shares[noun])} and the noun with its attributes "
        f"{_cent(alone.shares[phrase])}; with all distractor images {_cent(full.shares[noun])} and "
        f"{_cent(full.shares[phrase])}. This holds by construction: every `Cat` and `Cat&attr` image contains another "
        f"such object. By guessing among them, the two readers have {_cent(full.guesses[noun])} and "
        f"{_cent(full.guesses[phrase])}; chance is {_cent(full.guesses['nothing'])}."
    )
    yield (
        "The other objects of an image give much away: a reader who finds an image with all mentioned objects, each "
        "with its attributes, and in it an object that fits the noun phrase, still solves "
        f"{_cent(full.shares[unrelated])} with all distractor images ({_cent(drawn.shares[unrelated])} in imagined "
        "scenes), since `Cat&cat` images share the mentioned categories, but not their attributes."
    )
    yield (
        f"The data hardly test which word belongs to which phrase: a bag of words solves {_cent(alone.shares[bag])} in "
        f"a single photograph and {_cent(full.shares[bag])} with all distractor images "
        f"({_cent(drawn_alone.shares[bag])} and {_cent(drawn.shares[bag])} in imagined scenes). The four kinds of "
        "images test whether parts are ignored; none tests whether parts are exchanged. Of the expressions, "
        f"{_unordered(photographs)} have one phrase only or say the same in every order "
        f"({_unordered(imagined)} of those about imagined scenes) and are always solved."
    )
    yield (
        "Expressions with too few images are left out, so the others are about common objects: of all expressions "
        f"about the photographs, the noun alone solves {_cent(before.shares[noun])} and the noun with its "
        f"attributes {_cent(before.shares[phrase])} in the image itself."
    )


def _unordered(found: Measured) -> str:
    """The share of expressions in which no two words can change places."""
    judged = found.posed.examples
    return f"{100 * sum(not reorderings(one.expression) for one in judged if one.expression) / len(judged):.1f} %"


def _contamination_part(found: dict[str, Cleanness]) -> Iterator[str]:
    yield from ("## Contamination", "", CAVEAT, "", GAPS, "")
    every = list(found.values())
    rows = [["gaps are", *found], ["expressions made", *(f"{one.told:,}" for one in every)]]
    rows.append(["with three images of every kind", *(f"{one.found.examples:,}" for one in every)])
    for kind in DISTRACTOR_KINDS:
        cells = (_rate(one.found.contaminated[kind], one.found.shown[kind]) for one in every)
        rows.append([f"`{kind}` images where it is true (%)", *cells])
    rows.append(["all distractor images where it is true (%)", *(_all(one.found) for one in every)])
    rows.append(["the same, things that nobody named apart (%)", *(_all(one.named) for one in every)])
    rows.append(["expressions true in one of their images (%)", *(_rate(o.found.misled, o.found.posed) for o in every)])
    several = (_rate(one.found.ambiguous, one.found.examples) for one in every)
    rows.append(["fits several objects of its own image (%)", *several])
    rows.append(["fits nothing in its own image (%)", *(_rate(o.found.lost, o.found.examples) for o in every)])
    yield from (*_table(rows), "")
    closed, guarded, strict, asked = (f"{100 * _share(one.found):.2f} %" for one in every)
    spoilt = [f"{100 * one.found.misled / max(1, one.found.posed):.1f} %" for one in every]
    kept = ", ".join(f"{one.found.examples:,}" for one in every)
    yield (
        f"Where gaps are taken for false, the expression is true in {closed} of the distractor images, and "
        f"{spoilt[0]} of the expressions are true in at least one of theirs. Where relations are unknown for objects "
        f"that have none recorded, the default of `deixis make copsref` for photographs, it is {guarded} and "
        f"{spoilt[1]}; where every missing relation is unknown, {strict} and {spoilt[2]}. The cost is fewer "
        f"expressions: {kept} are left with all their images. No guard covers objects that the annotator did not "
        f"name: without them the share of images in the third column would be {100 * _share(every[2].named):.2f} %. "
        f"With the whole truth, which `deixis make copsref` uses for imagined scenes, it is {asked}."
    )


def _all(found: Contamination) -> str:
    return _rate(sum(found.contaminated.values()), sum(found.shown.values()))


def _cent(share: Estimate) -> str:
    return f"{100 * share.mean:.1f} %"


def _rate(part: int, whole: int) -> str:
    share = wilson(part, whole)
    return f"{100 * share.mean:.2f} [{100 * share.low:.2f}, {100 * share.high:.2f}]"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    heads, *rest = rows
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rest)]


if __name__ == "__main__":
    sys.exit(main())
