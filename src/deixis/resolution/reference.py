"""The objects that an expression picks out: the definition, in plain Python.

Everything fast in this package is tested against this file, so it is written to be read.

**Steps.** Resolution starts from all objects of the scene and lets each step narrow the set, in order. A filter keeps
the objects it holds of. A selector compares the objects that are left. `Related` keeps an object when it stands in the
relation to some *other* object that fits the inner description.

**Sizes.** *small* is read in one of two ways (`Schema.reading`). Comparative: some other object that is left is bigger.
Superlative: no object that is left is smaller.

**Different objects.** In a schema with `distinct=True` every mention is a different object: an object is a referent
only if the mentions of the expression can be matched to pairwise different objects, the whole expression's to that
object. Mentions inside negations and alternatives are read on their own and take no part in this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import AmbiguousExpression
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related, Step
from deixis.scene.scene import Context, Scene, Where
from deixis.schema import Which


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Description, Expression
    from deixis.schema import Reading


__all__ = ["Referents", "denotation", "keep", "narrow", "resolve", "resolve_one"]


@dataclass(frozen=True, slots=True)
class Referents:
    """The objects that an expression picks out of a context."""

    objects: frozenset[Where]

    @property
    def is_unique(self) -> bool:
        """True if exactly one object fits."""
        return len(self.objects) == 1

    @property
    def indices(self) -> frozenset[int]:
        """The object numbers, without their scene."""
        return frozenset(where.object for where in self.objects)

    def only(self) -> Where:
        """The one object that fits, or an error that says how many do."""
        if not self.is_unique:
            raise AmbiguousExpression(
                f"the expression fits {len(self.objects)} objects, not one; add or take away a part"
            )
        return next(iter(self.objects))

    def __len__(self) -> int:
        return len(self.objects)

    def __contains__(self, where: object) -> bool:
        return where in self.objects


def resolve(expression: Expression, where: Scene | Context, *, reading: Reading | None = None) -> Referents:
    """The objects that an expression picks out of a scene, or of all scenes of a context.

    Args:
        expression: what is said.
        where: a scene, or several shown together.
        reading: how size words are read, if not as the schema says.
    """
    scenes = where.scenes if isinstance(where, Context) else (where,)
    found = (
        Where(number, index)
        for number, scene in enumerate(scenes)
        for index in denotation(expression, scene, reading=reading)
    )
    return Referents(frozenset(found))


def resolve_one(expression: Expression, where: Scene | Context, *, reading: Reading | None = None) -> Where:
    """Return the only object that an expression picks out, or raise `AmbiguousExpression`."""
    return resolve(expression, where, reading=reading).only()


def denotation(expression: Expression, scene: Scene, *, reading: Reading | None = None) -> frozenset[int]:
    """The numbers of the objects of one scene that the expression picks out."""
    reading = reading or scene.schema.reading
    referents = narrow(expression, scene, reading=reading)
    if scene.schema.distinct:
        referents = frozenset(o for o in referents if _can_be_matched(expression, o, scene, reading))
    return referents


def narrow(expression: Expression, scene: Scene, *, reading: Reading) -> frozenset[int]:
    """The objects left after all steps, each read on its own (before mentions must differ)."""
    left = frozenset(range(len(scene)))
    for step in expression.steps:
        left = keep(step, left, scene, reading=reading)
    return left


def keep(step: Step, left: frozenset[int], scene: Scene, *, reading: Reading) -> frozenset[int]:
    """Return the objects of a set that one step leaves."""
    match step:
        case Is(attribute, value):
            covers = scene.schema.attribute(attribute).covers
            return frozenset(o for o in left if any(covers(value, v) for v in scene.values(o, attribute)))
        case Not(inner):
            return left - keep(inner, left, scene, reading=reading)
        case AnyOf(steps):
            return frozenset().union(*(keep(s, left, scene, reading=reading) for s in steps))
        case Related(relation, to):
            others = narrow(to, scene, reading=reading)
            return frozenset(o for o in left if any(scene.related(relation, o, p) for p in others - {o}))
        case Extreme(attribute, which):
            return _towards(attribute, which, left, scene, reading)
        case Nth(index, side):  # pragma: no branch (the last kind of step)
            return _nth(index, side, left, scene)


def _towards(attribute: str, which: Which, left: frozenset[int], scene: Scene, reading: Reading) -> frozenset[int]:
    """The objects towards one end: those with another one left further away from it, or those at the very end."""
    scene.schema.attribute(attribute).demand_order()
    code = scene.schema.attribute(attribute).code
    sign = 1 if which is Which.LEAST else -1
    level = {o: min(sign * code(v) for v in held) for o in left if (held := scene.values(o, attribute))}
    if not level:
        return frozenset()
    lowest, highest = min(level.values()), max(level.values())
    if reading == "comparative":
        return frozenset(o for o in level if level[o] < highest)
    return frozenset(o for o in level if level[o] == lowest)


def _nth(index: int, side: str, left: frozenset[int], scene: Scene) -> frozenset[int]:
    """The nth object from a side; two objects at the same distance leave the rank undecided, so neither is kept.

    In the middle is the object with as many on its left as on its right.
    """
    axis = 0 if side in ("top", "bottom") else 1
    sign = -1 if side in ("right", "bottom") else 1
    away = {o: sign * scene.position(o)[axis] for o in left}
    found = set()
    for o in left:
        before, behind = (sum(away[p] < away[o] for p in left), sum(away[p] > away[o] for p in left))
        wanted = behind if side == "middle" else index - 1
        if before == wanted and before + behind == len(left) - 1:
            found.add(o)
    return frozenset(found)


def _can_be_matched(expression: Expression, root: int, scene: Scene, reading: Reading) -> bool:
    """Whether the mentions can be matched to pairwise different objects with `root` as the one described."""
    return next(_matchings(expression, root, frozenset((root,)), scene, reading), None) is not None


def _matchings(
    description: Description, here: int, used: frozenset[int], scene: Scene, reading: Reading
) -> Iterator[frozenset[int]]:
    """The sets of objects used by the ways to match the clauses of one mention, which is `here`."""
    yield from _matchings_of_clauses(description.clauses, here, used, scene, reading)


def _matchings_of_clauses(
    clauses: tuple[Related, ...], here: int, used: frozenset[int], scene: Scene, reading: Reading
) -> Iterator[frozenset[int]]:
    if not clauses:
        yield used
        return
    first, rest = clauses[0], clauses[1:]
    for other in sorted(narrow(first.to, scene, reading=reading) - used):
        if scene.related(first.relation, here, other):
            for more in _matchings(first.to, other, used | {other}, scene, reading):
                yield from _matchings_of_clauses(rest, here, more, scene, reading)
