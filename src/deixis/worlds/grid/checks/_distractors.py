"""W5: does every object do what it is there for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.data.checks import Hits
from deixis.worlds.grid.checks._registry import check
from deixis.worlds.grid.roles import KINDS, SHIFT


if TYPE_CHECKING:
    from deixis.data._ragged import Ragged
    from deixis.worlds.grid.checks._chunk import Chunk


TARGET, MENTIONED, RANDOM, HELPER = (KINDS.index(kind) for kind in ("target", "mentioned", "random", "helper"))
FINE, LENGTH, NO_TARGET, MENTIONS, NO_SET = range(5)
REASONS = (
    "",
    "there are not as many roles as objects",
    "the target is not the one object in the role of the target",
    "not every noun phrase has its object",
    "a distractor belongs to a set of another kind, or to none",
)


@check("W501")
def useless_distractor(chunk: Chunk) -> Hits:
    """A distractor does not satisfy the misreading that it was made for.

    The first object of a set takes the place of the target: the misread command must fit it. The counterpart of a size
    word must fit its noun phrase with that word reversed. A set of helpers only has to lead to some wrong object.
    """
    sets = _sets(chunk)
    pairs, which = np.unique(chunk.which[sets.row] << 16 | sets.code, return_inverse=True)
    meanings = [chunk.commands[pair >> 16].misreading(pair & 0xFFFF) for pair in pairs.tolist()]
    has = np.array([meaning is not None for meaning in meanings], bool)
    known = has[which]
    asked = [meaning for meaning in meanings if meaning is not None]
    reached = np.zeros(len(sets.row), bool)
    found = chunk.judge.resolve(chunk, sets.row[known], asked, (np.cumsum(has) - 1)[which[known]])
    its_own = found >> sets.place[known].astype(np.uint64) & np.uint64(1) == 1
    another = (found & ~chunk.target_bit[sets.row[known]]) != 0
    reached[known] = np.where(sets.kind[known] == HELPER, another, its_own)
    missed = np.flatnonzero(~reached)

    def detail(row: int) -> str:
        lost = missed[sets.row[missed] == row].tolist()
        return "; ".join(f"object {sets.place[s]} of set {sets.number[s]} ({KINDS[sets.kind[s]]})" for s in lost)

    return Hits(np.unique(sets.row[missed]), detail)


@check("W502")
def misplaced_role(chunk: Chunk) -> Hits:
    """The roles of the objects do not fit the command.

    Every noun phrase needs one object that fits it; the target's is the target. A distractor belongs to a set with a
    misreading of its kind. Rows without roles are skipped.
    """
    reason = _reasons(chunk)
    unfit = _unfit_mention(chunk, np.flatnonzero((reason == FINE) & chunk.is_judged & (chunk.role.length > 0)))

    def detail(row: int) -> str:
        return REASONS[reason[row]] or f"object {unfit[row]} does not fit its noun phrase"

    return Hits.where((reason != FINE) | (unfit >= 0), detail)


class _Sets(NamedTuple):
    """The distractor sets of all rows; place is that of the first object, all are int64 [set]."""

    row: np.ndarray
    number: np.ndarray
    kind: np.ndarray
    place: np.ndarray
    code: np.ndarray


def _sets(chunk: Chunk) -> _Sets:
    """Return the distractor sets of the rows that can be judged."""
    role, kind, number = _roles(chunk)
    row = role.row
    fits = (chunk.is_judged & (role.length == chunk.count))[row]
    fits &= (kind > MENTIONED) & (kind != RANDOM) & (number < chunk.misreading.length[row])
    values = np.flatnonzero(fits)
    _, first = np.unique(row[values] << SHIFT | number[values], return_index=True)
    chosen = values[first]
    codes = chunk.misreading.values[chunk.misreading.start[row[chosen]] + number[chosen]].astype(np.int64)
    return _Sets(row[chosen], number[chosen], kind[chosen], role.place[chosen], codes)


def _roles(chunk: Chunk) -> tuple[Ragged, np.ndarray, np.ndarray]:
    """Return the roles with their kinds and numbers, int64 [value]."""
    values = chunk.role.values.astype(np.int64)
    return chunk.role, values >> SHIFT, values & (1 << SHIFT) - 1


def _reasons(chunk: Chunk) -> np.ndarray:
    """int64 [row]: what is wrong with the roles, before phrases are compared; a number of `REASONS`."""
    role, kind, number = _roles(chunk)
    row = role.row
    reason = np.zeros(len(chunk), np.int64)
    given = chunk.is_read & (role.length > 0)
    mentions = chunk.of_command([len(c.phrases) if c.is_read else 0 for c in chunk.commands], np.int64)

    def per_row(mask: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        chosen = None if weights is None else weights[mask]
        return np.bincount(row[mask], weights=chosen, minlength=len(chunk)).astype(np.int64)

    said = kind == MENTIONED
    has_set = (kind > MENTIONED) & (kind != RANDOM)
    known = np.minimum(number, np.maximum(chunk.misreading.length[row] - 1, 0)) + chunk.misreading.start[row]
    codes = np.append(chunk.misreading.values, 0)[known].astype(np.int64)
    lost = has_set & ((number >= chunk.misreading.length[row]) | ((codes >> 12 != kind) & (kind != HELPER)))
    reason[per_row(lost) > 0] = NO_SET
    reason[(per_row(said) != mentions - 1) | (per_row(said, 2**number) != 2**mentions - 2)] = MENTIONS
    at_target = (kind == TARGET) & (role.place == chunk.target[row])
    reason[(per_row(kind == TARGET) != 1) | (per_row(at_target) != 1)] = NO_TARGET
    reason[role.length != chunk.count] = LENGTH
    return np.where(given, reason, FINE)


def _unfit_mention(chunk: Chunk, rows: np.ndarray) -> np.ndarray:
    """int64 [row]: the first mentioned object that does not fit the words of its noun phrase, -1 where all do."""
    unfit = np.full(len(chunk), -1, np.int64)
    role, kind, number = _roles(chunk)
    most = max((len(c.phrases) for c in chunk.commands if c.is_read), default=0)
    for mention in range(most - 1, 0, -1):
        place = np.zeros(len(chunk), np.int64)
        here = (kind == MENTIONED) & (number == mention)
        place[role.row[here]] = role.place[here]
        phrases = [c.phrases[mention] if c.is_read and len(c.phrases) > mention else None for c in chunk.commands]
        some, found = chunk.resolve(phrases, rows)
        lost = some[found >> place[some].astype(np.uint64) & np.uint64(1) == 0]
        unfit[lost] = place[lost]
    return unfit
