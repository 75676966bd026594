"""Expressions about real photographs: how many, how long, of which forms, all checked by the plain definition.

python -m benchmarks.copsref --graphs SCENE_GRAPHS --write docs/results/copsref-expressions.md
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machine import Row, describe_machine
from deixis.resolution.reference import denotation
from deixis.seeds import Stream, derive
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.distractors import Search
from deixis.worlds.photos.engine import FORMS, Engine, express_in_parallel
from deixis.worlds.photos.imagine._corpus import Corpus, imagine_graphs
from deixis.worlds.photos.language import parse_reference
from deixis.worlds.photos.making.assemble import with_distractors
from deixis.worlds.photos.making.make import example_of
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.photos.engine import ObjectExpression


__all__ = ["measure_engine"]

RELEASED_LENGTHS = {"chain": 12.1, "and": 16.7, "or": 17.4, "order": 14.1, "same": 10.4, "not": 6.0}  # of a sample
RELEASED_LENGTH = 14.4  # Cops-Ref section 3.4
TOLERANCE = 2.0
FEWEST = 10_000
SHOWN = 60
PER_IMAGE, PER_TARGET = 24, 2


def measure_engine(images: int = 75_000) -> list[Row]:
    """The time for expressions and distractor images on a made-up corpus of GQA's size, with all cores.

    The tuning of forms and the making of the index are part of it.
    """
    table = GraphTable.of(clean_graphs(imagine_graphs(Corpus(images=images)), GraphReport()))
    workers, wanted = os.cpu_count() or 1, 2 * images
    start = time.perf_counter()
    told = list(express_in_parallel(table, Engine(per_image=3), workers=workers))
    engine = time.perf_counter() - start
    examples = [example_of(number, one) for number, one in enumerate(told[:wanted])]
    start = time.perf_counter()
    found = with_distractors(examples, table, GraphIndex.of(table), Search(), seed=0, workers=workers)
    search = time.perf_counter() - start
    together = engine * len(examples) / len(told) + search
    return [
        Row(f"expressions about {images:,} made-up images", len(told), "", at_least=wanted),
        Row("time to make them", engine, "s"),
        Row(f"time to look for 12 distractor images for {len(examples):,} of them", search, "s"),
        Row("expressions that have all 12", len(found.examples), ""),
        Row(f"engine and distractor images for {len(examples):,} expressions", together, "s", at_most=images / 250),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Speak of all images of some files, check every expression, print or write a page; 1 when a promise is broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copsref", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--graphs", type=Path, required=True, help="scene graphs of Visual Genome or GQA")
    parser.add_argument("--write", type=Path, help="write the page as Markdown")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    table = read_table(options.graphs)
    engine = Engine(per_image=PER_IMAGE, per_target=PER_TARGET, seed=options.seed)
    told = list(express_in_parallel(table, engine, workers=os.cpu_count() or 1))
    faults = sum(_is_at_fault(one, table) for one in told)
    text = "\n".join(_page(told, faults, table, engine))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    is_near = abs(_mean([one.length for one in told]) - RELEASED_LENGTH) <= TOLERANCE
    return 0 if not faults and is_near and len(told) >= FEWEST else 1


def _is_at_fault(one: ObjectExpression, table: GraphTable) -> bool:
    """Whether the plain definition finds anything but the target, or the text is read as something else."""
    if denotation(one.expression, table.scene(one.scene)) != {one.target}:
        return True
    return parse_reference(one.text, table.vocabulary) != one.expression


def _page(told: list[ObjectExpression], faults: int, table: GraphTable, engine: Engine) -> Iterator[str]:
    forms = Counter(one.form for one in told)
    several = sum(len(one.forms) > 1 for one in told)
    words = {word for one in told for word in one.text.lower().split()}
    yield "# Expressions about photographs"
    yield ""
    yield f"**{len(told):,} expressions, {faults} wrong**, about {len(table):,} images of Visual Genome: at most"
    yield f"{engine.per_image} expressions for an image, {engine.per_target} for an object. The reference"
    yield f"implementation resolved each of them, and its text was parsed again. They use {len(words):,} words;"
    yield f"{several:,} join more than one form. Names, attributes and relations are the annotators', errors included."
    yield ""
    yield "Made by `python -m benchmarks.copsref --graphs SCENE_GRAPHS --write docs/results/copsref-expressions.md`"
    yield f"on {describe_machine()}."
    yield ""
    yield _line(("form", "expressions", "share", "asked for", "mean length", "in a sample of the release"))
    yield _line(["---"] * 6)
    for form in FORMS:
        lengths = [one.length for one in told if one.form == form]
        share, asked = forms[form] / len(told), engine.shares.get(form, 0.0)
        figures = (
            f"{forms[form]:,}",
            f"{share:.1%}",
            f"{asked:.1%}",
            f"{_mean(lengths):.1f}",
            f"{RELEASED_LENGTHS[form]}",
        )
        yield _line((form, *figures))
    mean = f"{_mean([one.length for one in told]):.1f}"
    yield _line(("all", f"{len(told):,}", "100.0%", "100.0%", mean, f"{RELEASED_LENGTH} (whole release)"))
    yield ""
    yield f"{SHOWN} of them, drawn at random:"
    yield ""
    yield _line(("form", "image", "expression"))
    yield _line(["---"] * 3)
    for one in Stream(derive(engine.seed, "shown")).permutation(told)[:SHOWN]:
        yield _line((one.form, one.image_id, one.text))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    sys.exit(main())
