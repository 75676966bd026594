"""Shortcuts in expressions about photographs, measured on the data itself: no model is trained.

A reader who hears only the noun, or only the noun and its attributes, or all words but not their order, finds the
target in a certain share of examples. The paper's argument is that distractor images take these shortcuts away; the
table here shows how far they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.audits.measures import bag_of_words_solves, exchanges, solves
from deixis.metrics.uncertainty import RESAMPLES, Estimate, resample
from deixis.resolution.graphs import compile_for, counts_of, only_of, resolve_graph_pairs
from deixis.seeds import derive
from deixis.tasks.localise import SETTINGS
from deixis.worlds.graphs.misreadings import noun_alone, noun_with_attributes


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.program import Program
    from deixis.scene.graph_table import GraphTable
    from deixis.tasks.localise import Example, Setting


__all__ = ["PROBES", "Shortcuts", "find_shortcuts", "shortcut_rows", "solved_by", "summarise_shortcuts"]

PROBES = ("noun alone", "noun and attributes", "bag of words", "whole expression")
BATCH = 1_000  # examples that are resolved together


class Shortcuts(NamedTuple):
    """The share of examples that each reader solves in one setting, with its interval."""

    setting: Setting
    shares: dict[str, Estimate]


def solved_by(example: Example, scenes: GraphTable, setting: Setting) -> dict[str, bool]:
    """Which readers find the target of an example: the plain definition, by the measures of audits."""
    assert example.expression is not None
    context = example.context(scenes, setting)
    return {
        "noun alone": solves(noun_alone(example.expression), context),
        "noun and attributes": solves(noun_with_attributes(example.expression), context),
        "bag of words": solves(example.expression, context) and bag_of_words_solves(example.expression, context),
        "whole expression": solves(example.expression, context),
    }


def find_shortcuts(examples: Sequence[Example], scenes: GraphTable, setting: Setting) -> np.ndarray:
    """Which readers find the target of each example: bool [example, probe], compiled.

    Args:
        examples: that fit something and whose meaning is known, see `is_there` and `expression`.
        scenes: the graphs of their images.
        setting: the images that are shown.
    """
    found = np.zeros((len(examples), len(PROBES)), np.bool_)
    for start in range(0, len(examples), BATCH):
        batch = examples[start : start + BATCH]
        found[start : start + len(batch)] = _solved(batch, scenes, setting)
    return found


def summarise_shortcuts(
    examples: Iterable[Example],
    scenes: GraphTable,
    *,
    settings: Sequence[Setting] = ("WithoutDist", "Full"),
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Shortcuts]:
    """The share of examples that each reader solves, by setting; examples without target or meaning are left out."""
    judged = [example for example in examples if example.is_there and example.expression is not None]
    found = []
    for setting in (one for one in SETTINGS if one in settings):
        solved = find_shortcuts(judged, scenes, setting).astype(np.float64)
        state = resample(solved, seed=derive(seed, "shortcuts"), resamples=resamples)
        found.append(Shortcuts(setting, dict(zip(PROBES, state.estimates(), strict=True))))
    return found


def shortcut_rows(found: Sequence[Shortcuts]) -> list[tuple[str, ...]]:
    """A table for the docs: a row for each reader, a column for each setting, in percent with the interval."""
    heads = ("solved by", *(f"{one.setting} (%)" for one in found))
    rows = [(probe, *(_shown(one.shares[probe]) for one in found)) for probe in PROBES]
    return [heads, *rows]


def _shown(share: Estimate) -> str:
    return f"{100 * share.mean:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _solved(examples: Sequence[Example], scenes: GraphTable, setting: Setting) -> np.ndarray:
    readings: list[Program] = []
    owner: list[int] = []  # the example of each reading
    asked: list[int] = []  # which probe it is for
    shown = [np.array(example.scenes(scenes, setting), np.int64) for example in examples]
    for number, example in enumerate(examples):
        assert example.expression is not None
        for probe, reading in _readings(example.expression):
            readings.append(compile_for(reading, scenes.vocabulary))
            owner.append(number)
            asked.append(probe)
    counts = np.array([len(shown[number]) for number in owner])
    which = np.repeat(np.arange(len(readings)), counts)
    where = np.concatenate([shown[number] for number in owner]) if owner else np.zeros(0, np.int64)
    masks = resolve_graph_pairs(readings, scenes, which, where)
    start = np.concatenate(([0], np.cumsum(counts)))[:-1]
    sizes = np.add.reduceat(counts_of(masks), start) if len(start) else np.zeros(0, np.int64)
    target = np.array([_target(examples[number], scenes, int(shown[number][0])) for number in owner], np.int64)
    only = only_of(masks[start]) if len(start) else np.zeros(0, np.int64)
    is_target = (sizes == 1) & (only == target)
    return _by_probe(np.array(owner), np.array(asked), sizes, is_target, len(examples))


def _by_probe(
    owner: np.ndarray, asked: np.ndarray, sizes: np.ndarray, is_target: np.ndarray, examples: int
) -> np.ndarray:
    """Which probes find the target: bool [example, probe]."""
    solved = np.ones((examples, len(PROBES)), np.bool_)
    bag = PROBES.index("bag of words")
    fails = np.where(asked == bag, (sizes > 0) & ~is_target, ~is_target)
    solved[owner[fails], asked[fails]] = False
    solved[:, bag] &= solved[:, PROBES.index("whole expression")]
    return solved


def _readings(expression: Expression) -> list[tuple[int, Expression]]:
    return [
        (PROBES.index("noun alone"), noun_alone(expression)),
        (PROBES.index("noun and attributes"), noun_with_attributes(expression)),
        *((PROBES.index("bag of words"), reading) for reading in exchanges(expression)),
        (PROBES.index("whole expression"), expression),
    ]


def _target(example: Example, scenes: GraphTable, scene: int) -> int:
    some = scenes.objects_of(scene)
    ids = scenes.object_ids[some.start : some.stop]
    return ids.index(example.object_id) if example.object_id in ids else -1
