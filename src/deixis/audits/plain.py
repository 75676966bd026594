"""Audits by the plain definitions, one example at a time, for every kind of scene.

What they count for grid examples is what `audits.rows` counts in arrays; only the sums over a whole dataset, repeats
and readers, are worked out by the same functions.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from deixis.audits import measures
from deixis.audits.audit import CLAUSE, IMPLIED, SHORTCUTS
from deixis.audits.features import GRID_FEATURES, features, grid_features
from deixis.audits.readers import Looks, Readers
from deixis.audits.sameness import Sightings, count_repeats
from deixis.audits.tally import Tally
from deixis.expression.parts import parts
from deixis.seeds import mix
from deixis.splits.partition import TRAINING
from deixis.tasks.navigate import text_digest
from deixis.worlds.grid.actions import Action, Verb
from deixis.worlds.grid.form import form_digest
from deixis.worlds.grid.roles import KINDS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deixis.audits.audit import Audit
    from deixis.audits.grounded import Grounded
    from deixis.datasets.checks.rules import HoldOut
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context
    from deixis.tasks.navigate import Example


__all__ = ["audit_examples", "audit_grounded"]

ASIDE = "set aside"
DISTRACTORS = KINDS[KINDS.index("relation") :]


def audit_grounded(examples: Iterable[Grounded], *, progress: Callable[[int], None] | None = None) -> Audit:
    """What grounded expressions of any world test; measures that need a grid or a text are left out."""
    total = _Total()
    for grounded in examples:
        splits = (grounded.split or "all").split("+")
        if total.counts(grounded.expression, grounded.context, splits):
            length = len(grounded.text.split()) or sum(1 for _ in parts(grounded.expression))
            count_expression(total.tally, grounded.expression, grounded.context, length)
            seen = [features(scene, k) for scene in grounded.context.scenes for k in range(len(scene))]
            _count_features(total.tally, seen, _place_of_target(grounded.context))
            digests = (_digest(grounded.to_dict()), _digest(grounded.world()), _digest(str(grounded.expression)))
            total.remember(digests, grounded.split or "all", seen, _place_of_target(grounded.context))
        if progress is not None:
            progress(total.tally.examples)
    return total.audit(sorted({name for seen in total.seen for thing in seen for name in thing}))


def audit_examples(examples: Iterable[Example], *, rules: Sequence[HoldOut] = ()) -> Audit:
    """What grid examples test, by the plain definitions; `audit_tables` gives the same, much faster."""
    total = _Total()
    for example in examples:
        for rule in rules:
            if set(example.split.split("+")) & set(TRAINING) and rule.holds(example.expression, example.scene):
                total.tally.add("held_out", rule.id, example.split)
        if total.counts(example.expression, example.context, example.split.split("+")):
            count_expression(total.tally, example.expression, example.context, len(example.text.split()))
            _count_example(total.tally, example)
            seen = [grid_features(example.scene, k) for k in range(len(example.scene))]
            _count_features(total.tally, seen, example.target)
            said = f"{example.verb} {text_digest(str(example.expression))} {example.manner}"
            positions = [
                seen_thing | {"row": str(thing.row), "column": str(thing.column)}
                for seen_thing, thing in zip(seen, example.scene.objects, strict=True)
            ]
            digests = (example.id, form_digest(example.scene), text_digest(said))
            total.remember(digests, example.split, positions, example.target)
    return total.audit(GRID_FEATURES)


def count_expression(tally: Tally, expression: Expression, context: Context, length: int) -> None:
    """Count everything that one expression in its context tells; it must pick out the target alone."""
    schema = context.scenes[context.target.scene].schema
    pattern, target = measures.pattern_name(expression), {context.target}
    told, left = measures.told(expression, schema), measures.left_without(expression, context)
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
    if (suffices := measures.colour_and_shape(expression, context)) is not None:
        tally.add("sufficient", pattern, suffices)
    for relation in expression.relations():
        tally.add("relations", pattern, relation)
    objects = sum(len(scene) for scene in context.scenes)
    tally.add("lengths", pattern, length)
    tally.add("chance", pattern, length, objects)
    tally.add("namesakes", pattern, length, len(measures.namesakes(expression, context)))
    tally.add("reached", pattern, len(measures.reached_by_misreading(expression, context)), objects)
    noun, phrase, first_clause, bag_of_words = SHORTCUTS
    tally.add("shortcuts", pattern, noun, measures.solves(measures.noun_alone(expression, schema), context))
    tally.add("shortcuts", pattern, phrase, measures.solves(expression.phrase, context))
    if (first := measures.first_clause_alone(expression)) is not None:
        tally.add("shortcuts", pattern, first_clause, measures.solves(first, context))
    tally.add("shortcuts", pattern, bag_of_words, measures.bag_of_words_solves(expression, context))


class _Total:
    """The counts of a dataset, and what has to be remembered of its examples until the end."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.digests: list[tuple[int, int, int]] = []
        self.splits: list[str] = []
        self.seen: list[list[dict[str, str]]] = []
        self.targets: list[int] = []

    def counts(self, expression: Expression, context: Context, splits: Sequence[str]) -> bool:
        """Count an example; whether it can be judged."""
        self.tally.examples += 1
        for split in splits:
            self.tally.add("splits", split)
        reason = ASIDE if list(splits) == ["aside"] else measures.why_not_judged(expression, context)
        if reason:
            self.tally.add("unjudged", reason)
        return not reason

    def remember(self, digests: tuple[int, int, int], split: str, seen: list[dict[str, str]], target: int) -> None:
        self.digests.append(digests)
        self.splits.append(split)
        self.seen.append(seen)
        self.targets.append(target)

    def audit(self, names: Sequence[str]) -> Audit:
        """The audit, with what only the whole dataset shows; readers see the features of these names."""
        if self.digests and names:
            table = np.array(self.digests, np.uint64)
            splits = tuple(dict.fromkeys(self.splits))
            which = np.array([splits.index(split) for split in self.splits], np.int64)
            count_repeats(self.tally, [Sightings(table[:, 0], table[:, 1], table[:, 2], which, splits)])
            self._judge_readers(names)
        return self.tally.audit()

    def _judge_readers(self, names: Sequence[str]) -> None:
        things = [thing for seen in self.seen for thing in seen]
        values = {
            name: {value: code for code, value in enumerate(sorted({thing[name] for thing in things}))}
            for name in names
        }
        codes = [[values[name][thing[name]] for name in names] for thing in things]
        readers = Readers(names, max(len(known) for known in values.values()))
        key = np.array([mix(digests[0]) for digests in self.digests], np.uint64)
        start = np.cumsum([0, *(len(seen) for seen in self.seen)])
        readers.see(Looks(key, np.array(codes, np.int64), start, np.array(self.targets, np.int64)))
        readers.judge(self.tally)


def _count_features(tally: Tally, seen: Sequence[dict[str, str]], target: int) -> None:
    for number, thing in enumerate(seen):
        for name, value in thing.items():
            tally.add("features", name, value, number == target)


def _count_example(tally: Tally, example: Example) -> None:
    """Count what only a command on a grid has: cells, determiners, roles and a verb."""
    for number, thing in enumerate(example.scene.objects):
        kind = "box" if thing.is_box else "solid"
        tally.add("cells", kind, thing.row, thing.column, number == example.target)
    relations = example.expression.relations()
    for thing, role in zip(example.scene.objects, example.roles, strict=False):
        if role.kind == "mentioned" and 0 < role.number <= len(relations):
            tally.add("children", relations[role.number - 1], thing.row, thing.column)
    present = {role.kind for role in example.roles}
    kinds = "+".join(kind for kind in DISTRACTORS if kind in present) or "none"
    for mention, (determiner, status) in enumerate(zip(example.utterance.determiners, _needed(example), strict=True)):
        tally.add("determiners", measures.pattern_name(example.expression), mention, determiner, status)
        if mention and example.roles:
            tally.add("determiner_kinds", determiner, kinds)
    if example.verb in (Verb.PUSH, Verb.PULL):
        tally.add("verbs", str(example.verb), any(act in (Action.PUSH, Action.PULL) for act in example.plan))


def _needed(example: Example) -> list[str]:
    """Of every mention, whether all, some or none of its content words are needed."""
    words: list[list[bool]] = [[]]
    necessity = example.necessity()
    for one in measures.told(example.expression, example.scene.schema):
        if one.kind == CLAUSE:
            words.append([])
        elif measures.is_content_word(one.kind):
            words[-1].append(necessity[one.part])
    return ["none" if not any(needed) else "all" if all(needed) else "some" for needed in words]


def _place_of_target(context: Context) -> int:
    """The number of the target among the objects of all scenes."""
    return sum(len(scene) for scene in context.scenes[: context.target.scene]) + context.target.object


def _digest(value: object) -> int:
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest(), "big")
