"""Expressions as small integer tables, the form in which the world makers read them.

A blueprint covers what ReaSCAN's language can say: noun phrases of size, colour and noun, joined by relations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Is, Related
from deixis.schema import Which
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step


SLOTS = ("shape", "color", "size")
PARENT, RELATION = 3, 4  # the columns after those


def blueprint(expression: Expression) -> np.ndarray:
    """Return the expression as int8 [mention, 5]: shape, color, size word, parent, relation, or -1 if not said.

    A size word is compared within its whole noun phrase, so its step must come after those of shape and color and
    before the clauses; an expression of another meaning is refused.
    """
    rows: list[list[int]] = []
    _write(expression, -1, -1, rows)
    return np.array(rows, np.int8)


def from_blueprint(table: np.ndarray) -> Expression:
    """Return the expression of a blueprint, the inverse of `blueprint`."""
    return _read([[int(v) for v in row] for row in table], 0)


def _write(description: Description, parent: int, relation: int, rows: list[list[int]]) -> None:
    here = len(rows)
    row = [-1, -1, -1, parent, relation]
    rows.append(row)
    for step in description.steps:
        match step:
            case Is("shape" | "color" as attribute, value) if row[SLOTS.index(attribute)] < 0 and row[2] < 0:
                row[SLOTS.index(attribute)] = GRID.attribute(attribute).code(value)
            case Extreme("size", which) if row[2] < 0 and rows[-1] is row:
                row[2] = int(which)
            case Related(name, to):
                _write(to, here, GRID.relation_code(name), rows)
            case _:
                raise SchemaError(
                    f"worlds can be made for noun phrases and their clauses only, not for {Description((step,))} "
                    f"where it stands in {description}"
                )


def _read(rows: list[list[int]], here: int) -> Description:
    shape, color, size, _, _ = rows[here]
    steps: list[Step] = []
    if shape >= 0:
        steps.append(Is("shape", GRID.attribute("shape").values[shape]))
    if color >= 0:
        steps.append(Is("color", GRID.attribute("color").values[color]))
    if size >= 0:
        steps.append(Extreme("size", Which(size)))
    children = (child for child in range(here + 1, len(rows)) if rows[child][PARENT] == here)
    steps.extend(Related(GRID.relations[rows[child][RELATION]].name, _read(rows, child)) for child in children)
    return Description(tuple(steps))
