"""Resolution that remembers, for many expressions about the same scenes.

What a word fits and whom an object is related to is worked out by the definition, once for each scene, however many
expressions say it. The result is that of `reference` for every expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.expression.steps import AnyOf, Is, Not, Related
from deixis.resolution.reference import Referents, keep
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from deixis.expression.description import Description, Expression
    from deixis.expression.steps import Step
    from deixis.scene.scene import Context, Scene


NOTHING: frozenset[int] = frozenset()
MOST_SCENES = 2048  # remembered at a time, the latest that were met first
MOST_MENTIONS = 1024  # of one scene, likewise, and most sets from which something is selected


class RememberedScenes:
    """Scenes with what was worked out about them.

    A scene is known again by its identity, so that it must not change; equal scenes are worked out each. A scene may
    have `all_related_to(relation, other)`, where it tells that sooner than one by one.
    """

    def __init__(self) -> None:
        self._known: dict[int, _SceneMemory] = {}

    def denotation(self, expression: Expression, scene: Scene) -> frozenset[int]:
        """The same as `reference.denotation`: the numbers of the objects that the expression picks out."""
        known = self._about(scene)
        left = known.narrow(expression)
        if not scene.schema.distinct or not left or not _compete(expression.clauses):
            return left
        return frozenset(o for o in left if known.can_be_matched(expression, o))

    def resolve(self, expression: Expression, context: Context) -> Referents:
        """The same as `reference.resolve`: the objects that the expression picks out of all scenes of a context."""
        return Referents(
            frozenset(
                Where(number, index)
                for number, scene in enumerate(context.scenes)
                for index in self.denotation(expression, scene)
            )
        )

    def names(self, attribute: str, scene: Scene) -> Collection[str]:
        """The values of an attribute that some object of a scene may be called by."""
        return self._about(scene).holders_of(attribute)

    def _about(self, scene: Scene) -> _SceneMemory:
        known = self._known.get(id(scene))
        if known is None:
            if len(self._known) >= MOST_SCENES:
                del self._known[next(iter(self._known))]
            known = self._known[id(scene)] = _SceneMemory(scene, frozenset(range(len(scene))), {}, {}, {}, {}, {})
        return known


def _compete(clauses: tuple[Related, ...]) -> bool:
    """Whether mentions may be short of objects: the only other one differs from the first already."""
    return len(clauses) > 1 or any(clause.to.clauses for clause in clauses)


class _SceneMemory(NamedTuple):
    """What is known about one scene.

    Attributes:
        scene: which.
        everything: the numbers of its objects.
        holders: the objects that each word fits, by attribute; words that fit nothing are not listed.
        partners: the objects that are related to each object, by (relation, object).
        mentions: the objects that fit what clauses relate to.
        sources: the objects of which each clause holds.
        selected: what a selector leaves of a set.
    """

    scene: Scene
    everything: frozenset[int]
    holders: dict[str, dict[str, frozenset[int]]]
    partners: dict[tuple[str, int], frozenset[int]]
    mentions: dict[Description, frozenset[int]]
    sources: dict[Related, frozenset[int]]
    selected: dict[tuple[Step, frozenset[int]], frozenset[int]]

    def narrow(self, expression: Expression) -> frozenset[int]:
        """The objects left after all steps, see `reference.narrow`; where none is left, no step brings one back."""
        left = self.everything
        for step in expression.steps:
            if not left:
                return left
            left = self.keep(step, left)
        return left

    def keep(self, step: Step, left: frozenset[int]) -> frozenset[int]:
        """The objects of a set that one step leaves, see `reference.keep`."""
        if isinstance(step, Is):  # the most frequent first: this is called a thousand times for an expression
            held = self.holders.get(step.attribute)
            return left & (self.holders_of(step.attribute) if held is None else held).get(step.value, NOTHING)
        if isinstance(step, Related):
            return left & self.sources_of(step)
        if isinstance(step, Not):
            return left - self.keep(step.step, left)
        if isinstance(step, AnyOf):
            return frozenset().union(*(self.keep(one, left) for one in step.steps))
        if (found := self.selected.get((step, left))) is None:
            if len(self.selected) >= MOST_MENTIONS:
                self.selected.clear()
            found = self.selected[step, left] = keep(step, left, self.scene, reading=self.scene.schema.reading)
        return found

    def holders_of(self, attribute: str) -> dict[str, frozenset[int]]:
        """The objects that each word for an attribute fits: those recorded as that, or as something it covers."""
        if (found := self.holders.get(attribute)) is None:
            wider = dict(self.scene.schema.attribute(attribute).broader)
            held: dict[str, set[int]] = {}
            for thing in self.everything:
                for recorded in self.scene.values(thing, attribute):
                    value: str | None = recorded
                    while value is not None and thing not in held.setdefault(value, set()):
                        held[value].add(thing)
                        value = wider.get(value)
            found = self.holders[attribute] = {value: frozenset(some) for value, some in held.items()}
        return found

    def find_mention(self, mention: Description) -> frozenset[int]:
        """The objects that fit a mention."""
        if (found := self.mentions.get(mention)) is None:
            if len(self.mentions) >= MOST_MENTIONS:
                self.mentions.clear()
            found = self.mentions[mention] = self.narrow(mention)
        return found

    def sources_of(self, clause: Related) -> frozenset[int]:
        """The objects of which a clause holds: those related to another one that fits what it relates to."""
        if (found := self.sources.get(clause)) is None:
            if len(self.sources) >= MOST_MENTIONS:
                self.sources.clear()
            others = self.find_mention(clause.to)
            found = NOTHING.union(*(self.related_to(clause.relation, other) for other in others))
            self.sources[clause] = found
        return found

    def related_to(self, relation: str, other: int) -> frozenset[int]:
        """The other objects that stand in a relation to an object."""
        if (found := self.partners.get((relation, other))) is not None:
            return found
        if (of_scene := getattr(self.scene, "all_related_to", None)) is not None:
            found = of_scene(relation, other)
        else:
            related = self.scene.related
            found = frozenset(o for o in self.everything if o != other and related(relation, o, other))
        self.partners[relation, other] = found
        return found

    def can_be_matched(self, expression: Expression, root: int) -> bool:
        """Whether the mentions can be matched to pairwise different objects, with `root` as the one described."""
        return next(self.matchings(expression.clauses, root, frozenset((root,))), None) is not None

    def matchings(self, clauses: tuple[Related, ...], here: int, used: frozenset[int]) -> Iterator[frozenset[int]]:
        """The sets of objects used by the ways to match the clauses of a mention, which is `here`."""
        if not clauses:
            yield used
            return
        first, rest = clauses[0], clauses[1:]
        for other in self.find_mention(first.to) - used:
            if here not in self.related_to(first.relation, other):
                continue
            for more in self.matchings(first.to.clauses, other, used | {other}):
                yield from self.matchings(rest, here, more)
