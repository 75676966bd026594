"""Which candidates pick out their target and nothing else: resolved by the thousand, each in its own image."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.resolution.graphs import compile_for, only_of, resolve_graph_pairs
from deixis.resolution.unknowns import judge_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.resolution.unknowns import Unknowns
    from deixis.scene.graph_table import GraphTable
    from deixis.worlds.graphs.engine.tree import Tree


__all__ = ["Candidate", "Verdict", "verdicts_on"]


class Candidate(NamedTuple):
    """An expression that may pick out its target.

    Attributes:
        other_readings: what a reader may take it to say; they must not lead to another object.
    """

    scene: int
    target: int
    tree: Tree
    expression: Expression
    other_readings: Sequence[Expression] = ()


class Verdict(NamedTuple):
    """What resolution found of a candidate."""

    is_unique: bool
    misleads: bool  # some other reading picks another object


def verdicts_on(candidates: Sequence[Candidate], table: GraphTable, unknowns: Unknowns | None = None) -> list[Verdict]:
    """Whether each candidate denotes its target alone in its image, for certain where `unknowns` tells what that is."""
    vocabulary = table.vocabulary
    readings = [(n, reading) for n, candidate in enumerate(candidates) for reading in candidate.other_readings]
    programs = [compile_for(candidate.expression, vocabulary) for candidate in candidates]
    programs += [compile_for(reading, vocabulary) for _, reading in readings]
    scenes = np.array([c.scene for c in candidates] + [candidates[n].scene for n, _ in readings], np.int64)
    every = np.arange(len(programs))
    masks = resolve_graph_pairs(programs, table, every, scenes)
    wanted = np.array([candidate.target for candidate in candidates], np.int64)
    count = len(candidates)
    is_unique = only_of(masks[:count]) == wanted
    if unknowns is not None:
        certain, possible = judge_graph_pairs(programs[:count], table, every[:count], scenes[:count], unknowns)
        is_unique &= (only_of(certain) == wanted) & (only_of(possible) == wanted)
    misleads = np.zeros(count, np.bool_)
    asked = np.array([n for n, _ in readings], np.int64)
    targets = wanted[asked]
    rest = masks[count:].copy()
    rest[np.arange(len(asked)), targets >> 6] &= ~(np.uint64(1) << (targets & 63).astype(np.uint64))
    misleads[asked[(rest != 0).any(axis=1)]] = True
    return [Verdict(*pair) for pair in zip(is_unique.tolist(), misleads.tolist(), strict=True)]
