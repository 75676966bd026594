"""Finding tables for an expression, and expressions for tables: one try each.

In every-word mode the expression comes first, and the search looks for tables on which every misreading leads astray.
In plain mode the tables come first, with values at random, and the expression is any that is true of one solid alone.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.resolution.reference import denotation
from deixis.worlds.tabletop._geometry import (
    COLUMN_MARGIN,
    DISTANCE_MARGIN,
    FAR_GAP,
    LEAST_GAP,
    NEAR_GAP,
    RADII,
    SIDE_MARGIN,
    frame_of,
)
from deixis.worlds.tabletop._kernels.layout import limits_of
from deixis.worlds.tabletop._kernels.search import search_tables
from deixis.worlds.tabletop._making.demands import demands_of, plan_of
from deixis.worlds.tabletop._making.trees import is_tree, plan_of_tree
from deixis.worlds.tabletop._scene import SolidScene
from deixis.worlds.tabletop._schema import SCHEMA
from deixis.worlds.tabletop._solids import (
    COLORS,
    HALF_HEIGHTS,
    MATERIALS,
    SHAPES,
    SIZES,
    TABLE_REACH,
    Camera,
    Solid,
    Tabletop,
)


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.seeds import Stream


MARGINS = (LEAST_GAP, NEAR_GAP, FAR_GAP, SIDE_MARGIN, DISTANCE_MARGIN, COLUMN_MARGIN)
HALVES = np.array([HALF_HEIGHTS[size] for size in SIZES], np.int64)
BASES = np.array([RADII[size] for size in SIZES], np.int64)
COUNTS = np.array([len(attribute.values) for attribute in SCHEMA.attributes], np.int64)
CROWDED = 9
"""Solids beyond which large ones become rare."""
ROUNDS = 3
"""Settings of all solids that are tried for one expression."""
STEPS = 120
"""Changes that are tried on one setting."""


class Find(NamedTuple):
    """Tables with the solid that is meant: its table and its number there."""

    scenes: tuple[SolidScene, ...]
    table: int
    solid: int
    steps: int


class Stage(NamedTuple):
    """The tables of one example as they are wanted.

    Attributes:
        counts: how many solids each has.
        cameras: from where each is seen.
        hidden: the largest share of a solid that others may hide, as far as it can be told from outlines.
        pairs: the colours and shapes that go together.
    """

    counts: tuple[int, ...]
    cameras: tuple[Camera, ...]
    hidden: float
    pairs: frozenset[tuple[str, str]]


def find_tables(expression: Expression, stage: Stage, chance: Stream) -> Find | None:
    """Return tables on which nothing of an expression can be spared, or None where the search came to no end."""
    plan = plan_of_tree(expression) if is_tree(expression) else plan_of(expression, demands_of(expression))
    return _search(plan.rows, plan.row_start, plan.demands, plan.mentions, stage, chance)


def set_tables(stage: Stage, chance: Stream) -> Find | None:
    """Return tables with solids of random values, and a random solid as the target."""
    anything = np.array([[0, -1, -1, *[-1] * 8]], np.int64)
    rows = np.array([[1, 0, 0]], np.int16)  # everything
    return _search(rows, np.array([0, 1]), np.array([[-1, 0]]), anything, stage, chance, is_plain=True)


def _search(
    rows: np.ndarray,
    row_start: np.ndarray,
    demands: np.ndarray,
    mentions: np.ndarray,
    stage: Stage,
    chance: Stream,
    *,
    is_plain: bool = False,
) -> Find | None:
    total = sum(stage.counts)
    starts = np.cumsum([0, *stage.counts]).astype(np.int64)
    sizes = np.array([_draw_size(count, chance) for count in stage.counts for _ in range(count)], np.int64)
    frames = np.array([frame_of(camera) for camera in stage.cameras], np.int64)
    places, values = np.zeros((total, 5), np.int64), np.zeros((total, 4), np.int64)
    related, tables = np.zeros((5, total), np.uint64), np.zeros(len(stage.counts), np.uint64)
    target, steps = search_tables(
        np.array([chance.word()], np.uint64),
        sizes,
        starts,
        COUNTS,
        frames,
        limits_of(MARGINS, reach=TABLE_REACH, most_hidden=stage.hidden),
        HALVES,
        BASES,
        _table_of(stage.pairs),
        rows,
        row_start,
        demands,
        mentions,
        ROUNDS,
        0 if is_plain else STEPS,
        places,
        values,
        related,
        tables,
        is_plain,
    )
    if target < 0:
        return None
    scenes = []
    for camera, first, last in zip(stage.cameras, starts, starts[1:], strict=False):
        solids = tuple(_solid(values[k], places[k], chance.below(360)) for k in range(first, last))
        scenes.append(SolidScene(Tabletop(solids=solids, camera=camera)))
    table = int(np.searchsorted(starts, target, side="right")) - 1
    return Find(tuple(scenes), table, int(target - starts[table]), int(steps))


@cache
def _table_of(pairs: frozenset[tuple[str, str]]) -> np.ndarray:
    return np.array([[(color, shape) in pairs for shape in SHAPES] for color in COLORS])


def _draw_size(count: int, chance: Stream) -> int:
    """Return the code of a size; on a crowded table, three in four solids are small."""
    return int(chance.below(4) >= (3 if count > CROWDED else 2))


def _solid(values: np.ndarray, place: np.ndarray, turn: int) -> Solid:
    size, color, material, shape = values.tolist()
    return Solid(
        size=SIZES[size],
        color=COLORS[color],
        material=MATERIALS[material],
        shape=SHAPES[shape],
        x=int(place[0]),
        y=int(place[1]),
        turn=turn,
    )


def picks_out_one(expression: Expression, scenes: Sequence[SolidScene]) -> tuple[int, int] | None:
    """Return the table and number of the only solid that an expression fits, or None."""
    found = [(place, k) for place, scene in enumerate(scenes) for k in denotation(expression, scene)]
    return found[0] if len(found) == 1 else None
