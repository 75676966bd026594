"""E4: are the splits apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.checks.judge import PlainJudge
from deixis.datasets.checks.registry import Hits, check
from deixis.datasets.table import OBJECT_COLUMNS
from deixis.scene.grid import GRID


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deixis.datasets.checks.chunk import Chunk
    from deixis.datasets.checks.findings import Contents
    from deixis.datasets.checks.rules import HoldOut


AT_RANDOM = frozenset(("train", "dev", "test"))  # the splits that divide one pool, and that nothing held out may be in
NOWHERE = frozenset(("", "aside"))


@check("E401", scope="dataset")
def leak(contents: Contents) -> Hits:
    """The same content is in two splits.

    Test sets that are held out by rules may share examples with each other, but not with train, dev or test.
    """
    return _repeats(contents, _leaks)


@check("W402", scope="dataset")
def twice(contents: Contents) -> Hits:
    """The same content is twice in one split."""
    return _repeats(contents, lambda one, other: bool((one & other) - NOWHERE) or one == other == {""})


@check("E403")
def held_out(chunk: Chunk) -> Hits:
    """Something held out occurs in train, dev or test.

    The rules are those handed to the check; without any it finds nothing.
    """
    training = np.array([bool(_names(split) & AT_RANDOM) for split in chunk.split_names], bool)[chunk.split]
    asked = training & chunk.is_judged
    broken = {rule.id: asked & _held(chunk, rule, asked) for rule in chunk.rules}
    wrong = np.logical_or.reduce([np.zeros(len(chunk), bool), *broken.values()])
    return Hits.where(wrong, lambda row: ", ".join(name for name, rows in broken.items() if rows[row]))


def _names(split: str) -> frozenset[str]:
    return frozenset(split.split("+"))


def _leaks(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two rows with the same content, in these splits, bring them together."""
    pairs = ((a, b) for a in one - NOWHERE for b in other - NOWHERE if a != b)
    return any(a in AT_RANDOM or b in AT_RANDOM for a, b in pairs)


def _repeats(contents: Contents, clash: Callable[[frozenset[str], frozenset[str]], bool]) -> Hits:
    """The rows whose content has come before in a split with which it clashes."""
    sets = [_names(name) for name in contents.names]
    clashes = np.array([[clash(one, other) for other in sets] for one in sets], bool).reshape(len(sets), len(sets))
    earlier: dict[int, int] = {}
    for group in _same(contents):
        seen: dict[int, int] = {}  # the first row of each split
        for place in group.tolist():
            split = int(contents.split[place])
            found = next((first for other, first in seen.items() if clashes[split, other]), None)
            if found is not None:
                earlier[place] = found
            seen.setdefault(split, place)

    def detail(place: int) -> str:
        other = earlier[place]
        return f"also row {contents.row[other]} ({contents.names[contents.split[other]] or 'no split'})"

    return Hits(np.array(sorted(earlier), np.int64), detail)


def _same(contents: Contents) -> Iterator[np.ndarray]:
    """The places that share their content, ascending, for every content that occurs more than once."""
    order = np.argsort(contents.digest, kind="stable")
    ordered = contents.digest[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(ordered) else np.zeros(0, int)
    ends = np.append(starts[1:], len(ordered))
    for first, last in zip(starts[ends - starts > 1], ends[ends - starts > 1], strict=True):
        yield order[first:last]


def _held(chunk: Chunk, rule: HoldOut, asked: np.ndarray) -> np.ndarray:
    """bool [row]: the rule holds of the row."""
    if isinstance(chunk.judge, PlainJudge):
        rows = np.flatnonzero(asked).tolist()
        held = np.zeros(len(chunk), bool)
        held[rows] = [rule.holds(chunk.command(row).expression, chunk.scene(row)) for row in rows]
        return held
    says = chunk.of_command([c.is_read and rule.says(c.expression) for c in chunk.commands], bool)
    return says | _shows(chunk, rule)


def _shows(chunk: Chunk, rule: HoldOut) -> np.ndarray:
    """bool [row]: one of the mentioned objects, which come first, is the held-out thing."""
    wanted = rule.thing_codes()
    if not wanted:
        return np.zeros(len(chunk), bool)
    mentions = chunk.of_command([len(c.phrases) if c.is_read else 0 for c in chunk.commands], np.int64)
    fits = np.arange(chunk.objects.shape[1]) < np.minimum(mentions, chunk.count)[:, None]
    for attribute, value in wanted.items():
        fits &= chunk.objects[:, :, OBJECT_COLUMNS.index(attribute)] == GRID.attribute(attribute).code(value)
    return fits.any(axis=1)
