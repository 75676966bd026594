"""Resolution of many scenes at once, by a compiled or a numpy backend; both agree with the plain definition."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.program import Program, compile_expression
from deixis.scene.grid import GRID, MAX_OBJECTS


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.scene.grid import GridBatch
    from deixis.schema import Reading


__all__ = ["Backend", "resolve_batch", "resolve_pairs", "to_indices"]

Backend: TypeAlias = Literal["numba", "numpy"]


def resolve_batch(
    expression: Expression | Program,
    scenes: GridBatch,
    *,
    reading: Reading | None = None,
    backend: Backend | None = None,
) -> np.ndarray:
    """The referents of one expression in every scene of a batch.

    Returns:
        uint64 [scene, 1]: one bit per object.
    """
    return resolve_pairs((expression,), scenes, np.zeros(len(scenes), np.int64), reading=reading, backend=backend)


def resolve_pairs(
    expressions: Sequence[Expression | Program],
    scenes: GridBatch,
    which: np.ndarray,
    *,
    reading: Reading | None = None,
    backend: Backend | None = None,
) -> np.ndarray:
    """The referents of every scene's own expression.

    Args:
        expressions: the expressions, or their programs.
        scenes: the scenes.
        which: int [scene], the number of the expression to resolve in each scene.
        reading: how size words are read, if not as the grid schema says.
        backend: `numba`, or `numpy` (slower, needs no compiler); by default numba where it is installed.

    Returns:
        uint64 [scene, 1]: one bit per object.
    """
    which = np.ascontiguousarray(which, np.int64)
    if which.shape != (len(scenes),) or not np.all((which >= 0) & (which < len(expressions))):
        raise SchemaError(f"`which` must name one of {len(expressions)} expressions for each of {len(scenes)} scenes")
    if scenes.objects.shape[1] > MAX_OBJECTS:
        raise SchemaError(f"a grid in a batch holds at most {MAX_OBJECTS} objects, got {scenes.objects.shape[1]}")
    programs = [e if isinstance(e, Program) else compile_expression(e, GRID) for e in expressions]
    superlative = (reading or GRID.reading) == "superlative"
    if (backend or _default_backend()) == "numpy":
        from deixis.resolution.vectorised import resolve_grids_with_numpy

        return resolve_grids_with_numpy(programs, scenes, which, superlative=superlative)[:, None]
    return _resolve_with_numba(programs, scenes, which, superlative=superlative)[:, None]


def to_indices(mask: int) -> frozenset[int]:
    """The object numbers of a one-word set."""
    mask = int(mask)
    return frozenset(i for i in range(mask.bit_length()) if mask >> i & 1)


def _default_backend() -> Backend:
    return "numba" if find_spec("numba") else "numpy"


def _resolve_with_numba(
    programs: list[Program], scenes: GridBatch, which: np.ndarray, *, superlative: bool
) -> np.ndarray:
    from deixis.kernels.resolve import resolve_grids

    rows, row_start = _joined([p.rows for p in programs], 3)
    tree, tree_start = _joined([p.tree for p in programs], 2)
    out = np.empty(len(scenes), np.uint64)
    resolve_grids(
        scenes.objects,
        scenes.count,
        scenes.size,
        rows,
        row_start,
        tree,
        tree_start,
        which,
        superlative,
        GRID.distinct,
        out,
    )
    return out


def _joined(tables: list[np.ndarray], width: int) -> tuple[np.ndarray, np.ndarray]:
    start = np.zeros(len(tables) + 1, np.int64)
    np.cumsum([len(table) for table in tables], out=start[1:])
    joined = np.concatenate(tables) if tables else np.zeros((0, width), np.int16)
    return np.ascontiguousarray(joined), start
