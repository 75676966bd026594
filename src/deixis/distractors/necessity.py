"""Which parts of an expression the target cannot be found without, and which object each misreading leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.distractors.relaxations import KINDS, Relaxation, relaxations
from deixis.errors import AmbiguousExpression
from deixis.expression.parts import Part, parts, without
from deixis.resolution.reference import resolve


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.distractors.relaxations import RelaxationKind
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context, Where


__all__ = ["competitors", "is_minimal", "necessity"]


def necessity(expression: Expression, context: Context) -> dict[Part, bool]:
    """Which parts of the expression the target cannot be found without.

    A part is necessary when dropping it changes what is picked out. An expression all of whose parts are necessary is
    *minimal* for the context; ReaSCAN (section 4.2) and Cops-Ref (section 3.2) both aim at this.

    Args:
        expression: must pick out exactly the target, else `AmbiguousExpression`.
        context: the scenes shown together.
    """
    _demand_target(expression, context)
    target = frozenset((context.target,))
    return {part: resolve(without(expression, part), context).objects != target for part in parts(expression)}


def is_minimal(expression: Expression, context: Context) -> bool:
    """Whether no part of the expression could be left out."""
    return all(necessity(expression, context).values())


def competitors(
    expression: Expression, context: Context, *, kinds: Iterable[RelaxationKind] = KINDS
) -> dict[Where, tuple[Relaxation, ...]]:
    """Which misreadings lead to which wrong object.

    An object is listed with every misreading under which it could be taken for the target; objects that no misreading
    reaches are not listed.
    """
    _demand_target(expression, context)
    schema = context.scenes[context.target.scene].schema
    reached: dict[Where, list[Relaxation]] = {}
    for relaxation in relaxations(expression, schema, kinds=kinds):
        for where in resolve(relaxation.expression, context).objects - {context.target}:
            reached.setdefault(where, []).append(relaxation)
    return {where: tuple(found) for where, found in sorted(reached.items())}


def _demand_target(expression: Expression, context: Context) -> None:
    found = resolve(expression, context).objects
    if found != {context.target}:
        raise AmbiguousExpression(
            f"{expression} fits {len(found)} objects of the context; "
            "necessity is defined only where it fits the target alone"
        )
