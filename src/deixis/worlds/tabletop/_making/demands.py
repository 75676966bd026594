"""Readings of a careless reader, none of which may find the target.

Of an expression, these readings must lead astray:

* each part left out: a word, a relation with all that hangs on it, a negation, a rank;
* each direction turned round: left for right, in front of for behind, a rank from the other end;
* the words of any two phrases exchanged, in at least one way; the relations of any two clauses exchanged.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.distractors.planned_misreadings import OPPOSITE as OTHER_SIDES
from deixis.expression.parts import Part, exchanging, mention_at, parts, replacing, without
from deixis.expression.program import compile_expression
from deixis.expression.steps import Is, Nth, Related
from deixis.worlds.tabletop._schema import OPPOSITE, SCHEMA


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Description, Expression
    from deixis.expression.parts import Address


MENTION_WIDTH = 11
ATTRIBUTES = {attribute.name: code for code, attribute in enumerate(SCHEMA.attributes)}


class Demand(NamedTuple):
    """One reading that must lead astray.

    Attributes:
        expression: what is understood.
        group: of readings of one group, one must lead astray.
        is_strict: it must pick out a wrong solid; else anything but the target alone will do.
        part: the part that is left out, if it is a word.
    """

    expression: Expression
    group: int
    is_strict: bool
    part: Part | None = None


def demands_of(expression: Expression) -> list[Demand]:
    """Return all readings of an expression that must lead astray, by groups counted from 0."""
    found: list[Demand] = []
    seen = {expression}

    def ask(some: list[tuple[Expression, Part | None]], *, is_strict: bool) -> None:
        new = {reading: part for reading, part in some if reading not in seen}
        group = found[-1].group + 1 if found else 0
        found.extend(Demand(reading, group, is_strict, part) for reading, part in new.items())
        if len(some) == 1:
            seen.update(new)

    for part in parts(expression):
        ask([(without(expression, part), part if isinstance(part.step, Is) else None)], is_strict=False)
    for part in parts(expression):
        for step in _turns_of(part):
            ask([(replacing(expression, part, step), None)], is_strict=_is_bound(expression, part))
    clauses = [
        (part.address, part.step)
        for part in parts(expression)
        if isinstance(part.step, Related) and _is_bound(expression, part)
    ]
    for one, other in combinations([(), *(address for address, _ in clauses)], 2):
        ask([(reading, None) for reading in _exchanges(expression, one, other)], is_strict=True)
    for (one, first), (other, second) in combinations(clauses, 2):
        if first.relation != second.relation:
            ask([(_with_relations(expression, one, second, other, first), None)], is_strict=True)
    return found


def _turns_of(part: Part) -> Iterator[Related | Nth]:
    """Yield what is said if a direction is turned round."""
    match part.step:
        case Related(relation, to) if relation in OPPOSITE:
            yield Related(OPPOSITE[relation], to)
        case Nth(index, side):
            yield from (Nth(index, other) for other in OTHER_SIDES[side])


def _exchanges(expression: Expression, one: Address, other: Address) -> list[Expression]:
    """Return what is understood if two phrases exchange their words of one attribute."""
    kinds = [frozenset((name,)) for name in ATTRIBUTES]
    said = {
        step.attribute
        for address in (one, other)
        for step in mention_at(expression, address).steps
        if isinstance(step, Is)
    }
    found = [exchanging(expression, one, other, kind) for kind in kinds if kind & said]
    return [reading for reading in dict.fromkeys(found) if reading != expression]


def _with_relations(
    expression: Expression, one: Address, second: Related, other: Address, first: Related
) -> Expression:
    inner, outer = (other, one) if len(other) > len(one) else (one, other)
    names = {one: second.relation, other: first.relation}
    for address in (inner, outer):
        clause = Part(address, Related(names[address], mention_at(expression, address)))
        expression = replacing(expression, clause, Related(names[address], mention_at(expression, address)))
    return expression


def _is_bound(expression: Expression, part: Part) -> bool:
    """Whether the way down to a part passes through clauses only, not through a negation or an alternative."""
    above: Address = part.address[:-1]
    return all(isinstance(mention_at(expression, above[:k]).steps[above[k]], Related) for k in range(len(above)))


class Plan(NamedTuple):
    """An expression and its demands as the search reads them, see `_kernels.search`."""

    rows: np.ndarray
    row_start: np.ndarray
    demands: np.ndarray
    mentions: np.ndarray


def plan_of(expression: Expression, demands: list[Demand]) -> Plan:
    """Compile an expression and the readings that must lead astray."""
    readings = [expression, *(one.expression for one in demands)]
    programs = [compile_expression(reading, SCHEMA).rows for reading in readings]
    mentions: list[list[int]] = []
    for number, reading in enumerate(readings):
        left_out = demands[number - 1].part if number else None
        mentions.extend(_mentions(number, reading, expression, left_out))
    return Plan(
        rows=np.concatenate(programs),
        row_start=np.cumsum([0, *map(len, programs)]).astype(np.int64),
        demands=np.array([(-1, 0), *((one.group, one.is_strict) for one in demands)], np.int64),
        mentions=np.array(mentions, np.int64).reshape(-1, MENTION_WIDTH),
    )


def _mentions(number: int, reading: Expression, said: Expression, left_out: Part | None) -> list[list[int]]:
    """Return the rows of the mentions of a reading: those that are reached through clauses, the target first."""
    rows: list[list[int]] = []
    avoided = None if left_out is None else _place_of(said, left_out.address[:-1])

    def walk(description: Description, parent: int, relation: int) -> None:
        here = len(rows)
        words, avoid = [-1] * 4, [-1] * 4
        for step in description.steps:
            if isinstance(step, Is):
                words[ATTRIBUTES[step.attribute]] = SCHEMA.attribute(step.attribute).code(step.value)
        if here == avoided and left_out is not None and isinstance(left_out.step, Is):
            name = left_out.step.attribute
            avoid[ATTRIBUTES[name]] = SCHEMA.attribute(name).code(left_out.step.value)
        rows.append([number, parent, relation, *words, *avoid])
        for clause in description.clauses:
            walk(clause.to, here, SCHEMA.relation_code(clause.relation))

    walk(reading, -1, -1)
    return rows


def _place_of(expression: Expression, address: Address) -> int | None:
    """Return which of the mentions that are reached through clauses has an address, or None."""
    found: list[Address] = []

    def walk(description: Description, at: Address) -> None:
        found.append(at)
        for index, step in enumerate(description.steps):
            if isinstance(step, Related):
                walk(step.to, (*at, index))

    walk(expression, ())
    return found.index(address) if address in found else None
