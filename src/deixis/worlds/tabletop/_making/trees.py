"""Plans for trees of relations, the fast twin of `demands_of` and `plan_of`.

An expression of values and relations alone is a small table of mentions, and each of its misreadings is a change of one
or two entries. So the programs are written from such tables, without building every reading first.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis._kernels.ops import Op
from deixis.expression.steps import Is, Related
from deixis.worlds.tabletop._making.demands import Plan
from deixis.worlds.tabletop._schema import OPPOSITE, SCHEMA


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression


RELATIONS = {relation.name: code for code, relation in enumerate(SCHEMA.relations)}
TURNED = {RELATIONS[one]: RELATIONS[other] for one, other in OPPOSITE.items()}
VALUES = {
    Is(attribute.name, value): (a, v)
    for a, attribute in enumerate(SCHEMA.attributes)
    for v, value in enumerate(attribute.values)
}
ALL, IS, RELATED = int(Op.ALL), int(Op.IS), int(Op.RELATED)
NOTHING = (-1, -1, -1, -1)


class Mention(NamedTuple):
    """One mention: the mention it is related to, by which relation, its values by attribute, and one it must not have.

    A mention whose relation is -2 is left out, with all that hangs on it.
    """

    parent: int
    relation: int
    words: tuple[int, int, int, int]
    avoided: tuple[int, int, int, int] = NOTHING


LEFT_OUT = -2


def is_tree(expression: Expression) -> bool:
    """Return whether an expression has values and relations alone."""
    return all(isinstance(step, Is) or (isinstance(step, Related) and is_tree(step.to)) for step in expression.steps)


def plan_of_tree(expression: Expression) -> Plan:
    """Compile a tree of relations and the readings that must lead astray."""
    mentions = list(_mentions_of(expression))
    rows: list[tuple[int, int, int]] = []
    starts, demands = [0], []
    table: list[tuple[int, ...]] = []
    for number, (reading, group, is_strict) in enumerate(((mentions, -1, 0), *_readings(mentions))):
        _write(reading, 0, rows)
        starts.append(len(rows))
        demands.append((group, is_strict))
        table.extend(_rows_of(number, reading))
    return Plan(
        rows=np.array(rows, np.int16),
        row_start=np.array(starts, np.int64),
        demands=np.array(demands, np.int64),
        mentions=np.array(table, np.int64),
    )


def _mentions_of(expression: Expression, parent: int = -1, relation: int = -1) -> list[Mention]:
    """Return the mentions, each before those that are related to it."""
    found: list[Mention] = []

    def walk(description: Expression, parent: int, relation: int) -> None:
        here, words = len(found), [-1] * 4
        found.append(Mention(parent, relation, NOTHING))
        for step in description.steps:
            if isinstance(step, Is):
                attribute, value = VALUES[step]
                words[attribute] = value
            elif isinstance(step, Related):
                walk(step.to, here, RELATIONS[step.relation])
        found[here] = found[here]._replace(words=(words[0], words[1], words[2], words[3]))

    walk(expression, parent, relation)
    return found


def _readings(mentions: list[Mention]) -> Iterator[tuple[list[Mention], int, int]]:
    """Yield every reading that must lead astray, with its group and whether it must pick out a wrong solid."""
    group = 0

    def change(*changes: tuple[int, Mention]) -> list[Mention]:
        reading = mentions.copy()
        for place, mention in changes:
            reading[place] = mention
        return reading

    for m, one in enumerate(mentions):
        for a in range(4):
            if one.words[a] >= 0:
                avoided = _with(NOTHING, a, one.words[a])
                yield change((m, one._replace(words=_with(one.words, a, -1), avoided=avoided))), group, 0
                group += 1
        if m:
            yield change((m, one._replace(relation=LEFT_OUT))), group, 0
            group += 1
        if one.relation in TURNED:
            yield change((m, one._replace(relation=TURNED[one.relation]))), group, 1
            group += 1
    for (m, one), (n, other) in combinations(enumerate(mentions), 2):
        for a in range(4):
            if one.words[a] != other.words[a]:
                mine = one._replace(words=_with(one.words, a, other.words[a]))
                yield change((m, mine), (n, other._replace(words=_with(other.words, a, one.words[a])))), group, 1
        group += one.words != other.words
        if m and one.relation != other.relation:
            yield (
                change((m, one._replace(relation=other.relation)), (n, other._replace(relation=one.relation))),
                group,
                1,
            )
            group += 1


def _with(words: tuple[int, int, int, int], place: int, value: int) -> tuple[int, int, int, int]:
    some = list(words)
    some[place] = value
    return some[0], some[1], some[2], some[3]


def _write(mentions: list[Mention], here: int, rows: list[tuple[int, int, int]]) -> None:
    """Write the program of a mention and all that hangs on it."""
    rows.append((ALL, 0, 0))
    rows.extend((IS, a, value) for a, value in enumerate(mentions[here].words) if value >= 0)
    for place in range(here + 1, len(mentions)):
        if mentions[place].parent == here and mentions[place].relation != LEFT_OUT:
            _write(mentions, place, rows)
            rows.append((RELATED, mentions[place].relation, 0))


def _rows_of(number: int, mentions: list[Mention]) -> Iterator[tuple[int, ...]]:
    """Yield the rows of the mentions that are said, as the search reads them."""
    places: dict[int, int] = {}
    for place, (parent, relation, words, avoided) in enumerate(mentions):
        if relation != LEFT_OUT and (parent < 0 or parent in places):
            yield number, places.get(parent, -1), relation, *words, *avoided
            places[place] = len(places)
