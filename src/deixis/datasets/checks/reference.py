"""E1: does the command mean the target in its world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.checks.registry import Hits, check
from deixis.resolution.batch import to_indices
from deixis.scene.grid import BOX, COLORS, MAX_GRID, MAX_OBJECTS, SHAPES, SIZES


if TYPE_CHECKING:
    from deixis.datasets.checks.chunk import Chunk


@check("E101")
def no_referent(chunk: Chunk) -> Hits:
    """The command fits no object of its world."""
    return Hits.where(chunk.is_judged & (chunk.referents == 0), lambda row: repr(chunk.command(row).text))


@check("E102")
def several_referents(chunk: Chunk) -> Hits:
    """The command fits more than one object of its world."""
    several = chunk.is_judged & (np.bitwise_count(chunk.referents) > 1)
    return Hits.where(several, lambda row: f"objects {_listed(chunk.referents[row])} fit {chunk.command(row).text!r}")


@check("E103")
def other_target(chunk: Chunk) -> Hits:
    """The recorded target is not the object that the command fits."""
    unique = chunk.is_judged & (np.bitwise_count(chunk.referents) == 1)
    missed = unique & ~(chunk.has_target & (chunk.referents == chunk.target_bit))
    return Hits.where(
        missed, lambda row: f"object {_listed(chunk.referents[row])} fits, {chunk.target[row]} is recorded"
    )


@check("E104")
def unreadable_command(chunk: Chunk) -> Hits:
    """The command cannot be read."""
    return Hits.where(~chunk.is_read, lambda row: chunk.command(row).error)


@check("W105")
def ungrammatical(chunk: Chunk) -> Hits:
    """The command breaks a rule of the language.

    The rules are those of `worlds.grid.commands`. A command that breaks one can be understood, but it is none of
    ReaSCAN's.
    """
    broken = chunk.of_command([bool(c.broken_rules) if c.is_read else False for c in chunk.commands], bool)
    return Hits.where(
        broken, lambda row: f"rule {', '.join(chunk.command(row).broken_rules)}: {chunk.command(row).text!r}"
    )


@check("E106")
def impossible_world(chunk: Chunk) -> Hits:
    """The world is impossible.

    Something is unknown or lies off the grid, two solids share a cell, two boxes share a corner, a box reaches over the
    edge, or the agent starts on a solid.
    """
    collisions = _collisions(chunk)
    return Hits.where(
        ~chunk.is_sound | (collisions != ""), lambda row: str(collisions[row]) or _strangeness(chunk, row)
    )


@check("W107")
def readings_differ(chunk: Chunk) -> Hits:
    """Size words mean another object when read as smallest and biggest.

    The usual reading is comparative: something is small when another object of its class is bigger.
    """
    sized = chunk.of_command([c.is_read and c.has_size_word for c in chunk.commands], bool) & chunk.points
    if not sized.any():
        return Hits.where(sized, lambda _: "")
    differ = sized & (chunk.superlative_referents != chunk.referents)
    return Hits.where(
        differ, lambda row: f"read so, the command fits objects {_listed(chunk.superlative_referents[row])}"
    )


def _listed(mask: np.uint64) -> str:
    return ", ".join(map(str, sorted(to_indices(int(mask))))) or "none"


def _collisions(chunk: Chunk) -> np.ndarray:
    """[row]: what is wrong with a world whose codes are all known, as text; empty where nothing is."""
    objects, size = chunk.objects.astype(np.int64), chunk.size[:, None]
    there = np.arange(objects.shape[1]) < chunk.count[:, None]
    cell = objects[:, :, 3] * 256 + objects[:, :, 4]
    boxes, solids = there & (objects[:, :, 0] == BOX), there & (objects[:, :, 0] != BOX)
    agent = chunk.agent[:, 0].astype(np.int64) * 256 + chunk.agent[:, 1]
    reaching = (boxes & ((objects[:, :, 3:] + objects[:, :, 2:3]) > size[:, :, None]).any(axis=2)).any(axis=1)
    found = np.full(len(chunk), "", object)
    found[_repeated(cell, solids)] = "two solids share a cell"
    found[_repeated(cell, boxes)] = "two boxes share a corner"
    found[reaching] = "a box reaches over the edge"
    found[(solids & (cell == agent[:, None])).any(axis=1)] = "the agent starts on a solid"
    found[~chunk.is_sound] = ""
    return found


def _repeated(cell: np.ndarray, among: np.ndarray) -> np.ndarray:
    """bool [row]: two of the objects marked are on one cell."""
    ordered = np.sort(np.where(among, cell, -1 - np.arange(cell.shape[1])), axis=1)
    return (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)


def _strangeness(chunk: Chunk, row: int) -> str:
    """What cannot be taken as a world."""
    size = int(chunk.size[row])
    if not 2 <= size <= MAX_GRID:
        return f"a grid of size {size}"
    if chunk.count[row] > MAX_OBJECTS:
        return f"{chunk.count[row]} objects; at most {MAX_OBJECTS} can be told apart"
    for index, (shape, color, big, *where) in enumerate(chunk.codes[row].tolist()):
        if shape >= len(SHAPES) or color >= len(COLORS) or not 1 <= big <= len(SIZES):
            return f"object {index} has unknown codes: shape {shape}, color {color}, size {big}"
        if max(where) >= size:
            return f"object {index} is off the grid, at row {where[0]}, column {where[1]}"
    *cell, facing = chunk.agent[row].tolist()
    return f"the agent is at row {cell[0]}, column {cell[1]}, facing {facing}"
