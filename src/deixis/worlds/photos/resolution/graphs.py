"""Compiled resolution over a whole corpus of scene graphs, which agrees with the plain definition."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.program import Program, compile_expression
from deixis.worlds.photos.scene.vocabulary import SAME_TYPES, TYPES


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.worlds.photos.scene.graph_table import GraphTable
    from deixis.worlds.photos.scene.vocabulary import Vocabulary


__all__ = ["compile_for", "counts_of", "only_of", "resolve_graph_pairs", "resolve_graphs", "sets_of"]


def resolve_graphs(expression: Expression | Program, table: GraphTable, scenes: np.ndarray | None = None) -> np.ndarray:
    """Resolve one expression in many scenes.

    Args:
        expression: what is said, or its program.
        table: the scenes.
        scenes: the numbers of those to look at; all by default.

    Returns:
        uint64 [scene, word]: one bit per object, object i of a scene in word i // 64.
    """
    numbers = np.arange(len(table)) if scenes is None else np.asarray(scenes)
    return resolve_graph_pairs((expression,), table, np.zeros(len(numbers), np.int64), numbers)


def resolve_graph_pairs(
    expressions: Sequence[Expression | Program], table: GraphTable, which: np.ndarray, scenes: np.ndarray
) -> np.ndarray:
    """Resolve many expressions, each in a scene of its own.

    Args:
        expressions: the expressions, or their programs.
        table: the scenes.
        which: integers [pair], the number of the expression of each pair.
        scenes: integers [pair], the number of its scene.

    Returns:
        uint64 [pair, word]: one bit per object.
    """
    from deixis.worlds.photos._kernels.graph import resolve_graphs as resolve

    asked = joined_programs(expressions, table, which, scenes)
    out = np.zeros((len(asked[-1]), word_count(table, asked[-1])), np.uint64)
    resolve(arrays_of(table), *asked, out)
    return out


def compile_for(expression: Expression, vocabulary: Vocabulary) -> Program:
    """Compile an expression about scenes of a vocabulary.

    It is that of `compile_expression`, which would look up and compare a schema of thousands of words every time.
    """
    return compile_expression.__wrapped__(expression, vocabulary.schema)


def counts_of(masks: np.ndarray) -> np.ndarray:
    """Return the number of objects of each set, int64 [pair]."""
    return np.bitwise_count(masks).sum(axis=1, dtype=np.int64)


def only_of(masks: np.ndarray) -> np.ndarray:
    """Return the number of the only object of each set, int64 [pair], or -1 for sets of none or several."""
    word = np.argmax(masks != 0, axis=1)
    held = np.take_along_axis(masks, word[:, None], axis=1)[:, 0]
    number = 64 * word + np.bitwise_count(held - np.uint64(1)).astype(np.int64)
    return np.where(counts_of(masks) == 1, number, -1)


def sets_of(masks: np.ndarray) -> list[frozenset[int]]:
    """Return the objects of each set."""
    whole = [sum(int(word) << (64 * k) for k, word in enumerate(words)) for words in masks.tolist()]
    return [frozenset(i for i in range(mask.bit_length()) if mask >> i & 1) for mask in whole]


def joined_programs(
    expressions: Sequence[Expression | Program], table: GraphTable, which: np.ndarray, scenes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the arguments that the kernels share: rows and trees with their beginnings, and the pairs, checked."""
    which, scenes = (np.ascontiguousarray(numbers, np.int64) for numbers in (which, scenes))
    if which.shape != scenes.shape or which.ndim != 1:
        raise SchemaError(f"a pair is an expression and a scene, got {which.shape} and {scenes.shape} of them")
    for what, numbers, limit in (("expression", which, len(expressions)), ("scene", scenes, len(table))):
        if numbers.size and (numbers.min() < 0 or numbers.max() >= limit):
            raise SchemaError(f"there are {limit} {what}s, numbered from 0; some pair asks for another")
    programs = [e if isinstance(e, Program) else compile_for(e, table.vocabulary) for e in expressions]
    rows, row_start = _join([program.rows for program in programs], 3)
    tree, tree_start = _join([program.tree for program in programs], 2)
    return rows, row_start, tree, tree_start, which, scenes


def word_count(table: GraphTable, scenes: np.ndarray) -> int:
    """Return the number of words of 64 objects that the fullest of these scenes needs."""
    held = table.scene_ptr[scenes + 1] - table.scene_ptr[scenes]
    return max(1, -(-int(held.max(initial=0)) // 64))


@lru_cache(maxsize=4)
def arrays_of(
    table: GraphTable,
    *,
    open_types: frozenset[str] = frozenset(),
    complete: frozenset[str] = frozenset(),
    policy: int = 0,
) -> Any:
    """Return the arrays of a table as the kernels take them, with its known gaps (`unknowns.Unknowns`)."""
    from deixis.worlds.photos._kernels.graph_sets import Graphs

    words = table.vocabulary
    start = np.array(words.word_start, np.int64)
    kinds = [1 + TYPES.index(kind) for kind in SAME_TYPES]
    return Graphs(
        scene_ptr=table.scene_ptr,
        name=table.name,
        attr_ptr=table.attr_ptr,
        attr=table.attr,
        edge_ptr=table.edge_ptr,
        relation=table.relation,
        target=table.target,
        box=table.box,
        word_start=start,
        same=np.array([(start[kind], start[kind + 1], kind) for kind in kinds], np.int64),
        is_open=np.array([False, *(kind in open_types for kind in TYPES)]),
        is_complete=np.array([relation in complete for relation in words.relations], np.bool_),
        policy=np.array([policy], np.int64),
    )


def _join(tables: list[np.ndarray], width: int) -> tuple[np.ndarray, np.ndarray]:
    start = np.zeros(len(tables) + 1, np.int64)
    np.cumsum([len(table) for table in tables], out=start[1:])
    joined = np.concatenate(tables) if tables else np.zeros((0, width), np.int16)
    return np.ascontiguousarray(joined), start
