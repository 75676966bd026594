"""Audits of commands by the plain definitions, with the same results as the much faster `audit.run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.audits import measures
from deixis.audits._plain import AuditCount, count_expression
from deixis.audits.audit import CLAUSE
from deixis.data._split_names import names_in_split
from deixis.worlds.grid._audit.features import GRID_FEATURES, grid_features
from deixis.worlds.grid.actions import Action, Verb
from deixis.worlds.grid.form import form_digest
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.roles import KINDS
from deixis.worlds.grid.splits.partition import TRAINING


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.audits._counting import Tally
    from deixis.audits.audit import Audit
    from deixis.worlds.grid.checks._splits import HoldOut
    from deixis.worlds.grid.navigate import Example


DISTRACTORS = KINDS[KINDS.index("relation") :]


def audit_commands(examples: Iterable[Example], *, rules: Sequence[HoldOut] = ()) -> Audit:
    """Audit grid examples: the common measures, and those that only a command on a grid has."""
    count = AuditCount()
    for example in examples:
        for rule in rules:
            asked = set(TRAINING) - ({"train"} if rule.shots else set())  # some are in train as the rule says
            if set(names_in_split(example.split)) & asked and _is_held_out(rule, example):
                count.tally.add("held_out", rule.id, example.split)
        if count.accepts(example.expression, example.context, example.split):
            count_expression(count.tally, example.expression, example.context, len(example.text.split()))
            _count_example(count.tally, example)
            said = f"{example.verb} {text_digest(str(example.expression))} {example.manner}"
            seen = [grid_features(example.scene, k) for k in range(len(example.scene))]
            places = [{"row": str(thing.row), "column": str(thing.column)} for thing in example.scene.objects]
            digests = (example.digest, form_digest(example.scene), text_digest(said))
            count.remember(digests, example.split, seen, example.target, places)
    return count.audit(GRID_FEATURES)


def _is_held_out(rule: HoldOut, example: Example) -> bool:
    verb, manner = str(example.verb), str(example.manner)
    return rule.holds(example.expression, example.scene, verb=verb, manner=manner, actions=len(example.plan))


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
    for mention, (determiner, status) in enumerate(
        zip(example.utterance.determiners, _needed_shares(example), strict=True)
    ):
        tally.add("determiners", measures.pattern_name(example.expression), mention, determiner, status)
        if mention and example.roles:
            tally.add("determiner_kinds", determiner, kinds)
    if example.verb in (Verb.PUSH, Verb.PULL):
        tally.add("verbs", str(example.verb), any(act in (Action.PUSH, Action.PULL) for act in example.plan))


def _needed_shares(example: Example) -> list[str]:
    """Of every mention, whether all, some or none of its content words are needed."""
    words: list[list[bool]] = [[]]
    necessity = example.necessity()
    for one in measures.audited_parts(example.expression, example.scene.schema):
        if one.kind == CLAUSE:
            words.append([])
        elif measures.is_content_word(one.kind):
            words[-1].append(necessity[one.part])
    return ["none" if not any(needed) else "all" if all(needed) else "some" for needed in words]
