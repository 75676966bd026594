"""Audits by the plain definitions, one example at a time, for every kind of scene.

A world may count the same in arrays, which its part `audit` does then; only the sums over a whole dataset, repeats and
readers, are worked out by the same functions.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.audits import measures
from deixis.audits._counting import Tally
from deixis.audits._feature_readers import FeatureReaders, SeenThings, code_things
from deixis.audits._sightings import KeptSightings, Sightings, count_repeats
from deixis.audits.audit import CLAUSE, IMPLIED, NO_MEANING, SHORTCUTS
from deixis.data._split_names import names_in_split
from deixis.errors import SchemaError
from deixis.expression.parts import parts
from deixis.expression.plain import expression_to_plain
from deixis.resolution._remembered import MOST_SCENES, RememberedScenes
from deixis.scene.plain import scene_to_plain
from deixis.scene.scene import PlainScene
from deixis.seeds import mix_words


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deixis.audits.audit import Audit
    from deixis.audits.measures import Bag
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context, Scene
    from deixis.worlds.example import Example


TOGETHER = 1024  # examples that are remembered as texts before they are in numbers
ASIDE, NO_TARGET = "set aside", "no target among what is shown"


def audit_examples(examples: Iterable[Example], *, progress: Callable[[int], None] | None = None) -> Audit:
    """Audit examples of any world, without the measures that need what the examples do not have."""
    count = AuditCount()
    for example in examples:
        count.add(example)
        if progress is not None:
            progress(count.tally.examples)
    return count.audit()


def features(scene: Scene, index: int) -> dict[str, str]:
    """Return the visible values of an object by attribute.

    Several values, or none, count as one value of their own.
    """
    return _features_of(scene, (index,))[0]


def _features_of(scene: Scene, indices: Iterable[int]) -> list[dict[str, str]]:
    """Return the visible values of some objects, see `features`.

    A scene may have `known_values(index)`, the values of all attributes that an object has any of, by name.
    """
    shown = {one.name: one.name.replace("_", " ") for one in scene.schema.attributes}
    nothing = dict.fromkeys(shown.values(), "none")
    if (known := getattr(scene, "known_values", None)) is not None:
        return [nothing | {shown[name]: _join(held) for name, held in known(index).items()} for index in indices]
    values = scene.values
    return [nothing | {shown[name]: _join(held) for name in shown if (held := values(i, name))} for i in indices]


def _join(values: frozenset[str]) -> str:
    """Values in one text, in alphabetical order."""
    if len(values) == 1:
        (only,) = values
        return only
    return " & ".join(sorted(values))


def count_expression(
    tally: Tally,
    expression: Expression,
    context: Context,
    length: int,
    bag: Bag = measures.exchanges,
    *,
    memory: RememberedScenes | None = None,
) -> None:
    """Count everything about one expression that picks out the target of its context alone."""
    schema = context.scenes[context.target.scene].schema
    pattern, target = measures.pattern_name(expression), {context.target}
    told, left = measures.audited_parts(expression, schema), measures.left_without(expression, context, memory=memory)
    needed = {one.part: left[one.part] != target for one in told}
    for one in told:
        tally.add("parts", pattern, one.phrase, one.kind, needed[one.part])
        wrong = len(left[one.part] - target)
        tally.add("competitors", pattern, one.phrase, one.kind, min(wrong, 4))
    words = [needed[one.part] for one in told if measures.is_content_word(one.kind)]
    clauses = [needed[one.part] for one in told if one.kind == CLAUSE]
    tally.add("wholes", pattern, all(words), all(clauses))
    tally.add("words", pattern, sum(words), len(words))
    for one in told:
        if one.kind != IMPLIED:
            fitting = left[one.part] if context.target in left[one.part] else ()
            tally.add("overlooked", pattern, len(words) + len(clauses), len(fitting))
    if (suffices := measures.colour_and_shape(expression, context, memory=memory)) is not None:
        tally.add("sufficient", pattern, suffices)
    for relation in expression.relations():
        tally.add("relations", pattern, relation)
    objects = sum(len(scene) for scene in context.scenes)
    tally.add("lengths", pattern, length)
    tally.add("chance", pattern, length, objects)
    tally.add("namesakes", pattern, length, len(measures.namesakes(expression, context, memory=memory)))
    tally.add("reached", pattern, len(measures.reached_by_misreading(expression, context, memory=memory)), objects)
    noun, phrase, first_clause, bag_of_words = SHORTCUTS
    tally.add(
        "shortcuts", pattern, noun, measures.solves(measures.noun_alone(expression, schema), context, memory=memory)
    )
    tally.add("shortcuts", pattern, phrase, measures.solves(expression.phrase, context, memory=memory))
    if (first := measures.first_clause_alone(expression)) is not None:
        tally.add("shortcuts", pattern, first_clause, measures.solves(first, context, memory=memory))
    tally.add("shortcuts", pattern, bag_of_words, measures.bag_of_words_solves(expression, context, bag, memory=memory))


class SceneLooks(NamedTuple):
    """The features of the objects of one scene, and how many objects have each."""

    scene: Scene
    seen: list[dict[str, str]]
    counts: Counter[tuple[str, str, bool]]


class KnownScenes:
    """What was worked out about scenes, for all examples in which they are shown."""

    def __init__(self) -> None:
        self.memory = RememberedScenes()
        self._looks: dict[int, SceneLooks] = {}

    def looks(self, scene: Scene) -> SceneLooks:
        """Return what the objects of a scene look like."""
        known = self._looks.get(id(scene))
        if known is None:
            if len(self._looks) >= MOST_SCENES:
                del self._looks[next(iter(self._looks))]
            seen = _features_of(scene, range(len(scene)))
            known = self._looks[id(scene)] = SceneLooks(scene, seen, _count_features(seen))
        return known


def _count_features(seen: Iterable[dict[str, str]]) -> Counter[tuple[str, str, bool]]:
    """How many objects have each value of each feature, as if none were a target."""
    return Counter((name, value, False) for thing in seen for name, value in thing.items())


class AuditPiece(NamedTuple):
    """The counts of some examples, and what has to be remembered of them until all are counted."""

    tally: Tally
    sightings: Sightings
    things: SeenThings


class AuditCount:
    """The counts of any number of examples, in memory of a fixed size.

    Args:
        alike: what was counted of examples by their likeness; may be shared by several counts of one dataset.
        bag: the readings of a bag of words, see `measures.bag_of_words_solves`.
        known: what was worked out about scenes; may be shared likewise.
    """

    def __init__(
        self,
        alike: dict[object, tuple[str, Tally]] | None = None,
        *,
        bag: Bag = measures.exchanges,
        known: KnownScenes | None = None,
    ) -> None:
        self.tally = Tally()
        self._waiting = _Waiting()
        self._sightings = KeptSightings()
        self._readers = FeatureReaders()
        self._alike = {} if alike is None else alike
        self._bag = bag
        self._known = known or KnownScenes()

    def add(self, example: Example) -> None:
        """Count one example of any world.

        An example may have `likeness`, which is the same for examples of which the same is counted, however their words
        and values differ; it is then worked out once. It may also have `splits`, where a split has a + in its name.
        """
        split = "+".join(name.replace("+", " & ") for name in getattr(example, "splits", ())) or example.split or "all"
        try:
            context = example.context
        except SchemaError:
            self.leave_out(NO_TARGET, split)
            return
        expression = example.expression
        if expression is None:
            self.leave_out(NO_MEANING, split)
            return
        likeness = getattr(example, "likeness", None)
        if likeness is None or likeness not in self._alike:
            counted = Tally()
            reason = measures.why_not_judged(expression, context, memory=self._known.memory)
            if not reason:
                length = len(example.text.split()) or sum(1 for _ in parts(expression))
                count_expression(counted, expression, context, length, self._bag, memory=self._known.memory)
            self._alike[likeness] = reason, counted
        reason, counted = self._alike[likeness]
        if reason or split == "aside":
            self.leave_out(ASIDE if split == "aside" else reason, split)
        else:
            self._count(split)
            self.tally.merge(counted)
            looks = [self._known.looks(scene) for scene in context.scenes]
            self._count_features([one.counts for one in looks], looks[context.target.scene].seen[context.target.object])
            self._keep(
                _digests(example.text, context, expression),
                split,
                tuple(one.seen for one in looks),
                _place_of_target(context),
            )

    def leave_out(self, reason: str, split: str) -> None:
        """Count an example that cannot be judged."""
        self._count(split)
        self.tally.add("unjudged", reason)

    def accepts(self, expression: Expression, context: Context, split: str) -> bool:
        """Count an example, and return whether it can be judged."""
        self._count(split)
        reason = ASIDE if split == "aside" else measures.why_not_judged(expression, context)
        if reason:
            self.tally.add("unjudged", reason)
        return not reason

    def remember(
        self,
        digests: tuple[int, int, int],
        split: str,
        seen: list[dict[str, str]],
        target: int,
        places: Sequence[dict[str, str]] = (),
    ) -> None:
        """Remember an example, and count the features of its objects.

        Args:
            digests: of the example, of its scenes and of what is said.
            split: where it belongs.
            seen: the features of every object.
            target: the number of the one that is meant.
            places: further features that readers see, but which are counted elsewhere.
        """
        self._count_features([_count_features(seen)], seen[target])
        everything = [one | other for one, other in zip(seen, places, strict=True)] if places else seen
        self._keep(digests, split, (everything,), target)

    def piece(self) -> AuditPiece:
        """Return what was counted, of no more examples than a piece has, to be merged into the count of all."""
        assert not len(self._sightings), "a piece has been settled"
        return AuditPiece(self.tally, self._waiting.sightings(), self._waiting.things())

    def merge(self, piece: AuditPiece) -> None:
        """Take over what was counted of examples that come after these."""
        self._settle()
        self.tally.merge(piece.tally)
        self._remember(piece.sightings, piece.things)

    @property
    def sightings(self) -> KeptSightings:
        """Digests by which the examples are recognised."""
        self._settle()
        return self._sightings

    def audit(self, names: Sequence[str] | None = None) -> Audit:
        """Return the audit, with the measures of the whole dataset.

        Readers see the features of these names, or all.
        """
        seen = self.sightings
        known = sorted(self._readers.names) if names is None else names
        if len(seen) and known:
            count_repeats(self.tally, seen)
            self._readers.judge(self.tally, known)
        return self.tally.audit()

    def _settle(self) -> None:
        """Remember in numbers what waits."""
        waiting, self._waiting = self._waiting, _Waiting()
        if waiting.digests:
            self._remember(waiting.sightings(), waiting.things())

    def _remember(self, sightings: Sightings, things: SeenThings) -> None:
        self._sightings.append(sightings)
        self._readers.see(mix_words(sightings.example), things)

    def _count_features(self, counts: Iterable[Counter[tuple[str, str, bool]]], target: dict[str, str]) -> None:
        """Count the features of the objects of some scenes, of which one is the target."""
        found = self.tally.counts.setdefault("features", Counter())
        for some in counts:
            found.update(some)
        for name, value in target.items():
            found[name, value, True] += 1
            found[name, value, False] -= 1
            if not found[name, value, False]:
                del found[name, value, False]

    def _keep(
        self, digests: tuple[int, int, int], split: str, seen: tuple[list[dict[str, str]], ...], target: int
    ) -> None:
        self._waiting.add(digests, split, seen, target)
        if len(self._waiting.digests) >= TOGETHER:
            self._settle()

    def _count(self, split: str) -> None:
        self.tally.examples += 1
        for name in names_in_split(split):
            self.tally.add("splits", name)


class _Waiting:
    """Examples that were counted and are not yet remembered in numbers."""

    def __init__(self) -> None:
        self.digests: list[tuple[int, int, int]] = []
        self.splits: list[str] = []
        self.seen: list[tuple[list[dict[str, str]], ...]] = []  # of the objects of every scene of every example
        self.targets: list[int] = []

    def add(
        self, digests: tuple[int, int, int], split: str, seen: tuple[list[dict[str, str]], ...], target: int
    ) -> None:
        """Add an example."""
        self.digests.append(digests)
        self.splits.append(split)
        self.seen.append(seen)
        self.targets.append(target)

    def sightings(self) -> Sightings:
        """Digests by which the examples are recognised."""
        table = np.array(self.digests, np.uint64).reshape(-1, 3)
        names = tuple(dict.fromkeys(self.splits))
        numbers = {name: number for number, name in enumerate(names)}
        which = np.array([numbers[split] for split in self.splits], np.int64)
        return Sightings(table[:, 0], table[:, 1], table[:, 2], which, names)

    def things(self) -> SeenThings:
        """The features of the objects."""
        return code_things(self.seen, self.targets)


def _digests(text: str, context: Context, expression: Expression) -> tuple[int, int, int]:
    """Names for exactly this example, for its scenes, and for what is said; none depends on its split or its id."""
    world = [scene_facts(scene) for scene in context.scenes]
    whole = [world, expression_to_plain(expression), list(context.target), text]
    return _digest(whole), _digest(world), _digest(str(expression))


def scene_facts(scene: Scene) -> object:
    """Everything there is in a scene; a scene that has a `digest` is known by it."""
    if (own := getattr(scene, "digest", None)) is not None:
        return own
    if isinstance(scene, PlainScene):
        return scene_to_plain(scene)
    things = range(len(scene))
    links = [
        (one.name, k, n)
        for one in scene.schema.relations
        for k in things
        for n in things
        if scene.related(one.name, k, n)
    ]
    return [[sorted(features(scene, k).items()) for k in things], links]


def _place_of_target(context: Context) -> int:
    """The number of the target among the objects of all scenes."""
    return sum(len(scene) for scene in context.scenes[: context.target.scene]) + context.target.object


def _digest(value: object) -> int:
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest(), "big")
