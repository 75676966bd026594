"""Resolution of many scenes at once, by a compiled or a numpy backend that both agree with the plain definition."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deixis._kernels.ops import Op
from deixis.errors import SchemaError
from deixis.expression.program import Program, compile_expression
from deixis.expression.steps import SIDES
from deixis.worlds.grid.scene import BESIDE, BOX, GRID, MAX_OBJECTS


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.schema import Reading
    from deixis.worlds.grid.scene import GridBatch

__all__ = ["Backend", "resolve_batch", "resolve_grids_with_numpy", "resolve_pairs", "to_indices"]


Mask: TypeAlias = NDArray[np.bool_]


def resolve_grids_with_numpy(
    programs: list[Program], scenes: GridBatch, which: np.ndarray, *, superlative: bool
) -> np.ndarray:
    """Return the referents of every scene's own program, uint64 [scene]."""
    out = np.zeros(len(scenes), np.uint64)
    for number, program in enumerate(programs):
        chosen = np.flatnonzero(which == number)
        if len(chosen):
            layout = _Layout(scenes.objects[chosen], scenes.count[chosen], superlative=superlative)
            out[chosen] = _pack(_run(program, layout))
    return out


class _Layout:
    """The two questions, answered for a stack of scenes.

    Shapes:
        present: bool [scene, object].
    """

    def __init__(self, objects: np.ndarray, count: np.ndarray, *, superlative: bool) -> None:
        columns: list[NDArray[np.int64]] = [objects[..., k].astype(np.int64) for k in range(5)]
        self.shape, self.color, self.size, self.row, self.column = columns
        self.present: Mask = np.arange(objects.shape[1]) < count[:, None]
        self.superlative = superlative

    def where(self, attribute: int, value: int) -> Mask:
        table = (self.shape, self.color, self.size - 1)[attribute]
        held: Mask = self.present & (table == value)
        return held

    def links(self, relation: int) -> Mask:
        """Who stands in the relation to whom, bool [scene, object, other]."""
        equal = {0: self.row, 1: self.column, 3: self.size, 4: self.color, 5: self.shape}.get(relation)
        if equal is not None:
            holds = equal[:, :, None] == equal[:, None, :]
        else:
            down = self.row[:, :, None] - self.row[:, None, :]
            across = self.column[:, :, None] - self.column[:, None, :]
            name = GRID.relations[relation].name
            holds = self._inside(down, across) if name == "inside" else _beside(name, down, across)
        different = ~np.eye(self.present.shape[1], dtype=bool)
        links: Mask = holds & different & self.present[:, :, None] & self.present[:, None, :]
        return links

    def _inside(self, down: NDArray[np.int64], across: NDArray[np.int64]) -> Mask:
        """Return who is so far down and right of whom that it lies in its box."""
        reach = self.size[:, None, :]
        holds: Mask = (down >= 0) & (down < reach) & (across >= 0) & (across < reach)
        return holds & (self.shape == BOX)[:, None, :]

    def towards(self, left: Mask, which: int) -> Mask:
        level = np.where(which == 0, self.size, -self.size)
        if self.superlative:
            lowest = np.where(left, level, 99).min(axis=1, keepdims=True)
            at_the_end: Mask = left & (level == lowest)
            return at_the_end
        highest = np.where(left, level, -99).max(axis=1, keepdims=True)
        nearer: Mask = left & (level < highest)
        return nearer

    def nth(self, left: Mask, index: int, side: int) -> Mask:
        away = (self.row if side in (2, 3) else self.column) * (-1 if side in (1, 3) else 1)
        both = left[:, :, None] & left[:, None, :]
        before = (both & (away[:, None, :] < away[:, :, None])).sum(axis=2)
        equal = (both & (away[:, None, :] == away[:, :, None])).sum(axis=2)
        behind = both.sum(axis=2) - before - equal
        wanted = behind if SIDES[side] == "middle" else index - 1
        ranked: Mask = left & (before == wanted) & (equal == 1)
        return ranked


def _beside(relation: str, down: NDArray[np.int64], across: NDArray[np.int64]) -> Mask:
    """Return who is so far down and right of whom as a relation of neighbours says."""
    if relation == "next to":
        near: Mask = np.maximum(abs(down), abs(across)) == 1
        return near
    rows, columns = BESIDE[relation]
    there: Mask = (down == rows) & (across == columns)
    return there


def _run(program: Program, layout: _Layout) -> Mask:
    stack: list[Mask] = []
    marked: dict[int, Mask] = {}
    for op, a, b in program.rows.tolist():
        match op:
            case Op.ALL:
                stack.append(layout.present)
            case Op.IS:
                stack[-1] = stack[-1] & layout.where(a, b)
            case Op.EXTREME:
                stack[-1] = layout.towards(stack[-1], b)
            case Op.NTH:
                stack[-1] = layout.nth(stack[-1], a, b)
            case Op.RELATED:
                others = stack.pop()
                stack[-1] = stack[-1] & (layout.links(a) & others[:, None, :]).any(axis=2)
            case Op.MARK:
                marked[a] = stack[-1]
            case Op.COPY:
                stack.append(stack[-1 - a])
            case Op.NOT:
                taken = stack.pop()
                stack[-1] = stack[-1] & ~taken
            case Op.OR:
                more = stack.pop()
                stack[-1] = stack[-1] | more
            case _:  # Op.DROP
                last = stack.pop()
                stack[-1] = last
    if GRID.distinct and len(marked) > 2:
        return _matchable(program.tree, layout, marked)
    return stack[0]


def _matchable(tree: np.ndarray, layout: _Layout, marked: dict[int, Mask]) -> Mask:
    """Return the roots for which all mentions can be matched to different objects, found by trying, scene by scene."""
    links = {relation: layout.links(relation) for relation in set(tree[1:, 1].tolist())}
    kept = np.zeros_like(marked[0])
    for scene, root in zip(*np.nonzero(marked[0]), strict=True):
        kept[scene, root] = _extend([int(root)], tree, scene, links, marked)
    return kept


def _extend(chosen: list[int], tree: np.ndarray, scene: int, links: dict[int, Mask], marked: dict[int, Mask]) -> bool:
    mention = len(chosen)
    if mention == len(tree):
        return True
    parent, relation = chosen[tree[mention, 0]], int(tree[mention, 1])
    options = np.flatnonzero(marked[mention][scene] & links[relation][scene, parent])
    return any(_extend([*chosen, int(o)], tree, scene, links, marked) for o in options if o not in chosen)


def _pack(held: Mask) -> NDArray[np.uint64]:
    weights = np.uint64(1) << np.arange(held.shape[1], dtype=np.uint64)
    words: NDArray[np.uint64] = np.where(held, weights, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    return words


Backend: TypeAlias = Literal["numba", "numpy"]


def resolve_batch(
    expression: Expression | Program,
    scenes: GridBatch,
    *,
    reading: Reading | None = None,
    backend: Backend | None = None,
) -> np.ndarray:
    """Return the referents of one expression in every scene of a batch.

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
    """Return the referents of every scene's own expression.

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
        return resolve_grids_with_numpy(programs, scenes, which, superlative=superlative)[:, None]
    return _resolve_with_numba(programs, scenes, which, superlative=superlative)[:, None]


def to_indices(mask: int) -> frozenset[int]:
    """Return the object numbers of a one-word set."""
    mask = int(mask)
    return frozenset(i for i in range(mask.bit_length()) if mask >> i & 1)


def _default_backend() -> Backend:
    return "numba" if find_spec("numba") else "numpy"


def _resolve_with_numba(
    programs: list[Program], scenes: GridBatch, which: np.ndarray, *, superlative: bool
) -> np.ndarray:
    from deixis.worlds.grid._kernels.resolve import resolve_grids

    rows, row_start = _join([p.rows for p in programs], 3)
    tree, tree_start = _join([p.tree for p in programs], 2)
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


def _join(tables: list[np.ndarray], width: int) -> tuple[np.ndarray, np.ndarray]:
    start = np.zeros(len(tables) + 1, np.int64)
    np.cumsum([len(table) for table in tables], out=start[1:])
    joined = np.concatenate(tables) if tables else np.zeros((0, width), np.int16)
    return np.ascontiguousarray(joined), start
