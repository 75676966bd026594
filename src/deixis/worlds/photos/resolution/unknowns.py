"""Certain and possible referents, where the annotation of a scene is incomplete.

Most objects of GQA have no attribute, and most relations that hold are not written down. So what is not recorded is
either *false* or *unknown*, and `Unknowns` says which:

**Values.** A name is always recorded. A value of another dimension is false when the object has a different value of
that dimension (a red bus is not blue), and unknown when it has none. In an *open* dimension (by default `other`, whose
words do not exclude each other) a value that is not recorded is always unknown.

**Recorded relations.** A link is false when its relation is *complete* (left and right follow a rule, so all of them
are there). Otherwise it is unknown when the object is *silent*: when no relation of it is recorded but complete ones.
An object that somebody took the trouble to relate to something is trusted to have been told in full. The setting
`relations` makes every missing link unknown, or none.

**Same.** Two objects certainly have the same color when they share a recorded one. They certainly have not when both
have one recorded and none is shared (and color is not open). Otherwise it is unknown.

Resolution then carries two sets from step to step: the objects that fit whatever the truth behind the unknowns is, and
those that fit under some truth. `Not` swaps them. A rank is certain when it is the same in every pool between the two
sets. What comes out is safe, not sharp: an object called certain fits under every truth, and one that fits under some
truth is called possible, but unknowns that hang together are judged one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related, Step
from deixis.worlds.photos.scene.vocabulary import NAME, OTHER, SAME, SAME_TYPES, TYPES


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.expression.description import Description, Expression
    from deixis.expression.program import Program
    from deixis.worlds.photos.scene.graph import GraphScene
    from deixis.worlds.photos.scene.graph_table import GraphTable


__all__ = ["Judgement", "Unknowns", "judge", "judge_graph_pairs"]

MissingRelations: TypeAlias = Literal["false", "silent", "unknown"]
POLICIES: tuple[MissingRelations, ...] = ("false", "silent", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknowns:
    """Interpretation of missing annotations.

    Attributes:
        open_types: dimensions in which an object may have further values than those recorded.
        complete: relations of which every link is recorded.
        relations: what a missing link of another relation is: `false`, `unknown`, or unknown only for `silent`
            objects.
    """

    open_types: frozenset[str] = frozenset((OTHER,))
    complete: frozenset[str] = frozenset(("to the left of", "to the right of"))
    relations: MissingRelations = "silent"

    def __post_init__(self) -> None:
        if strange := self.open_types - set(TYPES):
            raise SchemaError(f"{min(strange)!r} is no type of attributes")
        if self.relations not in POLICIES:
            raise SchemaError(f"missing relations are {', '.join(POLICIES)}, not {self.relations!r}")

    def may_have(self, scene: GraphScene, index: int, attribute: str, value: str) -> bool:
        """Return whether no recorded fact rules out that an object has a value."""
        held = scene.values(index, attribute)
        return value in held or (attribute != NAME and (not held or attribute in self.open_types))

    def may_be_related(self, scene: GraphScene, relation: str, index: int, other: int) -> bool:
        """Return whether no recorded fact rules out that an object stands in a relation to another."""
        if index == other:
            return False
        if scene.related(relation, index, other):
            return True
        if relation in SAME:
            kind = SAME_TYPES[SAME.index(relation)]
            return kind in self.open_types or not (scene.values(index, kind) and scene.values(other, kind))
        if relation in self.complete or self.relations == "false":
            return False
        return self.relations == "unknown" or all(told in self.complete for told, _ in scene.outgoing(index))


class Judgement(NamedTuple):
    """Certain and possible referents of an expression, the certain among the possible."""

    certain: frozenset[int]
    possible: frozenset[int]

    @property
    def is_unique(self) -> bool:
        """True if exactly one object certainly fits and no other possibly does."""
        return len(self.possible) == 1 and self.certain == self.possible


def judge(expression: Expression, scene: GraphScene, unknowns: Unknowns | None = None) -> Judgement:
    """Find the certain and the possible referents of an expression in a scene.

    This is the definition, in plain Python.
    """
    unknowns = unknowns or Unknowns()
    certain, possible = _narrow(expression, scene, unknowns)
    if scene.schema.distinct:
        certain = frozenset(o for o in certain if _can_be_matched(expression, o, scene, unknowns, loosely=False))
        possible = frozenset(o for o in possible if _can_be_matched(expression, o, scene, unknowns, loosely=True))
    return Judgement(certain, possible)


def judge_graph_pairs(
    expressions: Sequence[Expression | Program],
    table: GraphTable,
    which: np.ndarray,
    scenes: np.ndarray,
    unknowns: Unknowns | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the certain and the possible referents of many expressions, each in a scene of its own, compiled.

    The arguments are those of `resolve_graph_pairs`.

    Returns:
        Twice uint64 [pair, word]: one bit per object.
    """
    from deixis.worlds.photos._kernels.graph import judge_graphs
    from deixis.worlds.photos.resolution.graphs import arrays_of, joined_programs, word_count

    unknowns = unknowns or Unknowns()
    asked = joined_programs(expressions, table, which, scenes)
    certain, possible = np.zeros((2, len(asked[-1]), word_count(table, asked[-1])), np.uint64)
    graphs = arrays_of(
        table,
        open_types=unknowns.open_types,
        complete=unknowns.complete,
        policy=POLICIES.index(unknowns.relations),
    )
    judge_graphs(graphs, *asked, certain, possible)
    return certain, possible


def _narrow(description: Description, scene: GraphScene, unknowns: Unknowns) -> Judgement:
    left = Judgement(*[frozenset(range(len(scene)))] * 2)
    for step in description.steps:
        left = _keep(step, left, scene, unknowns)
    return left


def _keep(step: Step, left: Judgement, scene: GraphScene, unknowns: Unknowns) -> Judgement:
    """What one step leaves of the certain and of the possible objects."""
    match step:
        case Is(attribute, value):
            scene.schema.attribute(attribute).code(value)
            return Judgement(
                frozenset(o for o in left.certain if value in scene.values(o, attribute)),
                frozenset(o for o in left.possible if unknowns.may_have(scene, o, attribute, value)),
            )
        case Not(inner):
            fits = _keep(inner, left, scene, unknowns)
            return Judgement(left.certain - fits.possible, left.possible - fits.certain)
        case AnyOf(steps):
            kept = [_keep(inner, left, scene, unknowns) for inner in steps]
            return Judgement(
                frozenset().union(*(some.certain for some in kept)),
                frozenset().union(*(some.possible for some in kept)),
            )
        case Related(relation, to):
            others = _narrow(to, scene, unknowns)
            related, maybe = scene.related, unknowns.may_be_related
            return Judgement(
                frozenset(o for o in left.certain if any(related(relation, o, p) for p in others.certain - {o})),
                frozenset(o for o in left.possible if any(maybe(scene, relation, o, p) for p in others.possible - {o})),
            )
        case Nth(index, side):
            return _nth(index, side, left, scene)
        case Extreme(attribute):  # pragma: no branch (the last kind of step)
            scene.schema.attribute(attribute).demand_order()
            raise SchemaError(f"what is unknown about {attribute!r} cannot be judged")


def _nth(index: int, side: str, left: Judgement, scene: GraphScene) -> Judgement:
    """The objects that are the nth from a side in every pool between the certain and the possible, or in some pool."""
    axis = 0 if side in ("top", "bottom") else 1
    sign = -1 if side in ("right", "bottom") else 1
    away = {o: sign * scene.position(o)[axis] for o in left.possible}

    def count(o: int, among: frozenset[int]) -> tuple[int, int, int]:
        """Return how many of a set stand before, level with and behind an object, itself apart."""
        others = [away[p] for p in among - {o}]
        return sum(a < away[o] for a in others), others.count(away[o]), sum(a > away[o] for a in others)

    certain, possible = set(), set()
    for o in left.possible:
        (before, level, behind), (most_before, most_level, most_behind) = (
            count(o, left.certain),
            count(o, left.possible),
        )
        if side == "middle":
            fits = index == 1 and before <= most_behind and behind <= most_before
            always = index == 1 and before == most_before == behind == most_behind
        else:
            fits = before <= index - 1 <= most_before
            always = before == most_before == index - 1
        if fits and not level:
            possible.add(o)
            if always and not most_level and o in left.certain:
                certain.add(o)
    return Judgement(frozenset(certain), frozenset(possible))


def _can_be_matched(expression: Expression, root: int, scene: GraphScene, unknowns: Unknowns, *, loosely: bool) -> bool:
    """Return whether the mentions can be matched to different objects, for certain or possibly."""
    matchings = _matchings(expression.clauses, root, frozenset((root,)), scene, unknowns, loosely=loosely)
    return next(matchings, None) is not None


def _matchings(
    clauses: tuple[Related, ...],
    here: int,
    used: frozenset[int],
    scene: GraphScene,
    unknowns: Unknowns,
    *,
    loosely: bool,
) -> Iterator[frozenset[int]]:
    """Yield the sets of objects used by the ways to match the clauses of one mention, which is `here`."""
    if not clauses:
        yield used
        return
    relation, to, rest = clauses[0].relation, clauses[0].to, clauses[1:]
    narrowed = _narrow(to, scene, unknowns)
    for other in sorted((narrowed.possible if loosely else narrowed.certain) - used):
        is_linked = scene.related(relation, here, other)
        if is_linked or (loosely and unknowns.may_be_related(scene, relation, here, other)):
            for more in _matchings(to.clauses, other, used | {other}, scene, unknowns, loosely=loosely):
                yield from _matchings(rest, here, more, scene, unknowns, loosely=loosely)
