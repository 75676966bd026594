"""The judgement on single plans: are they right, do they lead to the same end, and to which object do they go.

The definitions are plain functions of a plan, or of an `Example` and a plan; `judge_plan` puts them together. For many
plans at once there is `judge_all`, which is compiled and must say the same. Who points at an object instead of going
there is judged by `judge_choice`, many at once by `judge_choices`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis._deprecation import merge_fields, rename_field
from deixis.data._ragged import Ragged
from deixis.errors import SchemaError
from deixis.worlds.grid.actions import Action, Verb, plan_to_codes
from deixis.worlds.grid.data._commands import Command
from deixis.worlds.grid.judging._misreadings import Blueprints, misreadings_to, names_of
from deixis.worlds.grid.roles import KINDS, SHIFT, encode_role
from deixis.worlds.grid.scene import GridBatch
from deixis.worlds.grid.simulate import simulate


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.scene import GridScene


__all__ = [
    "CUT",
    "NO_ACTION",
    "NO_ROLE",
    "UNRECORDED",
    "ExampleArrays",
    "Plans",
    "Verdict",
    "Verdicts",
    "chosen_object",
    "exact_match",
    "got_there",
    "judge_all",
    "judge_choice",
    "judge_choices",
    "judge_plan",
    "take_plans",
    "tokens_right",
]

CUT = 30  # actions that the released evaluator of the GCN-LSTM looks at
NO_ACTION = 255  # stands for whatever is no action in the plan of a model
NO_ROLE = 255  # of an object whose reason is not recorded
UNRECORDED = "not recorded"
NOTHING = -1  # no object


# -------------------------------------------------------------------------------- definitions


def exact_match(plan: Sequence[Action], right: Sequence[Action], *, cut: int | None = None) -> bool:
    """Return whether the plan is the right one, action by action.

    Nothing is right where nothing is to be done.

    Args:
        plan: what a model says.
        right: what it should say.
        cut: look at so many actions of both only. The evaluator released with the GCN-LSTM compares the first 30, and
            that nothing follows only where the right plan has fewer.
    """
    return tuple(plan[:cut]) == tuple(right[:cut])


def tokens_right(plan: Sequence[Action], right: Sequence[Action]) -> float:
    """Return the share of places with the right action among all places of the longer plan, or 1 if both are empty."""
    longer = max(len(plan), len(right))
    alike = sum(one == other for one, other in zip(plan, right, strict=False))
    return alike / longer if longer else 1.0


def got_there(scene: GridScene, plan: Sequence[Action], right: Sequence[Action]) -> bool:
    """Return whether the plan leaves the agent and every object on the same cells as the right plan.

    The way there and where the agent looks in the end do not count, so a detour is forgiven.
    """
    return simulate(scene, plan).cells == simulate(scene, right).cells


def chosen_object(scene: GridScene, plan: Sequence[Action], *, target: int, verb: Verb) -> int | None:
    """The object that a plan makes for, or None.

    Where something is to be pushed or pulled, it is the last solid that the plan pushes or pulls, even in vain. If
    there is none, and where the agent is only to walk, it is what stands in the cell where the agent ends: the target
    if that stands there, otherwise a solid before a box. (A solid can stand where a box has its corner; whoever walks
    there is believed to mean the right one of the two.)
    """
    if verb != Verb.WALK:
        for place in reversed([k for k, action in enumerate(plan) if action in (Action.PUSH, Action.PULL)]):
            solid = next((i for i in _standing(scene, plan[:place]) if not scene.objects[i].is_box), None)
            if solid is not None:
                return solid
    here = _standing(scene, plan)
    return target if target in here else min(here, key=lambda i: (scene.objects[i].is_box, i), default=None)


def _standing(scene: GridScene, plan: Sequence[Action]) -> list[int]:
    """What stands in the agent's cell when the plan has been carried out."""
    outcome = simulate(scene, plan)
    cell = (outcome.agent.row, outcome.agent.column)
    return [i for i, thing in enumerate(outcome.objects) if (thing.row, thing.column) == cell]


@rename_field("missed", "misreadings", since="0.3.0", until="0.5.0")
class Verdict(NamedTuple):
    """The judgement on one plan.

    Attributes:
        exact: it is the right plan.
        exact_cut: it is, as far as its first `CUT` actions tell.
        tokens: the share of actions that are right in their place.
        got_there: it leaves everything where the right plan does.
        chosen: the object that it makes for, or None.
        role: why a wrong object is in the world; empty where the target was chosen, or nothing.
        misreadings: those that lead to that object, see `plan_misreadings`.
    """

    exact: bool
    exact_cut: bool
    tokens: float
    got_there: bool
    chosen: int | None
    role: str = ""
    misreadings: tuple[str, ...] = ()


WRONG = Verdict(exact=False, exact_cut=False, tokens=0.0, got_there=False, chosen=None)


def judge_plan(example: Example, plan: Plan | None) -> Verdict:
    """Judge one plan.

    None stands for an answer that is missing or no plan, and is wrong throughout.
    """
    if plan is None:
        return WRONG
    chosen = chosen_object(example.scene, plan, target=example.target, verb=example.verb)
    verdict = Verdict(
        exact=exact_match(plan, example.plan),
        exact_cut=exact_match(plan, example.plan, cut=CUT),
        tokens=tokens_right(plan, example.plan),
        got_there=got_there(example.scene, plan, example.plan),
        chosen=chosen,
    )
    return verdict if chosen is None else _with_reason(example, verdict)


def judge_choice(example: Example, chosen: int) -> Verdict:
    """The judgement on somebody who points at an object: right or wrong throughout, since there is no plan.

    No plan could stand for it: one to a box is one to the solid in its corner, too.
    """
    is_right = chosen == example.target
    verdict = Verdict(exact=is_right, exact_cut=is_right, tokens=float(is_right), got_there=is_right, chosen=chosen)
    return _with_reason(example, verdict)


def _with_reason(example: Example, verdict: Verdict) -> Verdict:
    """The judgement, with the role of a wrong object and the misreadings that lead to it."""
    chosen = verdict.chosen
    if chosen is None or chosen == example.target:
        return verdict
    return verdict._replace(
        role=example.roles[chosen].kind if example.roles else UNRECORDED,
        misreadings=misreadings_to(example.expression, example.scene, target=example.target, chosen=chosen),
    )


# -------------------------------------------------------------------------------- many at once


@merge_fields({"actions": "values", "starts": "start"}, "plans", Ragged, since="0.3.0", until="0.5.0")
@dataclass(frozen=True, kw_only=True, eq=False)
class ExampleArrays:
    """Examples as arrays: the worlds, the commands and the right plans.

    Shapes:
        ids: int64 [example].
        objects: uint8 [example, place, 5]; count, size, target: int64 [example]; agent: uint8 [example, 3].
        plans: uint8 [action] for every example, the codes of the right plans.
        roles: uint8 [example, place], `NO_ROLE` where it is not recorded.
        which: int64 [example], numbers of `commands`.
    """

    ids: np.ndarray
    objects: np.ndarray
    count: np.ndarray
    size: np.ndarray
    target: np.ndarray
    agent: np.ndarray
    plans: Ragged
    roles: np.ndarray
    which: np.ndarray
    commands: tuple[Command, ...]

    @classmethod
    def of(cls, examples: Sequence[Example]) -> ExampleArrays:
        """The examples, in order."""
        batches = [GridBatch.of([example.scene]) for example in examples]
        places = max((batch.objects.shape[1] for batch in batches), default=1)
        objects, roles = (
            np.zeros((len(examples), places, 5), np.uint8),
            np.full((len(examples), places), NO_ROLE, np.uint8),
        )
        for number, (example, batch) in enumerate(zip(examples, batches, strict=True)):
            objects[number, : batch.objects.shape[1]] = batch.objects[0]
            roles[number, : len(example.roles)] = [encode_role(role) for role in example.roles]
        first = {example.text: example for example in reversed(examples)}
        texts = list(dict.fromkeys(example.text for example in examples))
        agents = [example.scene.agent for example in examples]
        return cls(
            ids=np.array([example.id for example in examples], np.int64),
            objects=objects,
            count=np.array([len(example.scene) for example in examples], np.int64),
            size=np.array([example.scene.size for example in examples], np.int64),
            target=np.array([example.target for example in examples], np.int64),
            agent=np.array([(a.row, a.column, a.facing) for a in agents if a], np.uint8).reshape(-1, 3),
            plans=Ragged.of_lists([plan_to_codes(example.plan) for example in examples], np.zeros(0, np.uint8)),
            roles=roles,
            which=np.array([texts.index(example.text) for example in examples], np.int64),
            commands=tuple(Command.of_example(first[text]) for text in texts),
        )

    def __post_init__(self) -> None:
        if len(self.agent) != len(self.ids):
            raise SchemaError("every example needs an agent to carry out plans")

    def __len__(self) -> int:
        return len(self.ids)

    def of_command(self, values: Sequence[Any] | np.ndarray) -> np.ndarray:
        """One value per command, spread over the examples."""
        return np.array(values)[self.which] if len(self) else np.zeros(0, np.int64)


@merge_fields({"actions": "values", "starts": "start"}, "codes", Ragged, since="0.3.0", until="0.5.0")
@dataclass(frozen=True, kw_only=True, eq=False)
class Plans:
    """Plans of a model.

    Attributes:
        ids: int64 [plan], of the examples.
        codes: uint8 [action] for every plan, the codes of its actions; `NO_ACTION` for anything else.
        facts: where they come from: model, checkpoint, seed and so on.
        faults: what could not be read, as (how often, where first) by what it is.
    """

    ids: np.ndarray
    codes: Ragged
    facts: Mapping[str, Any] = field(default_factory=dict)
    faults: Mapping[str, tuple[int, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """The judgements on many plans, in the words of `Verdict`.

    Shapes:
        exact, exact_cut, got_there, is_given, is_plan: bool [example]. tokens: float64 [example].
        chosen: int64 [example], -1 for nothing. is_right_target: bool [example].
        role: int64 [example], a number of `KINDS`; -1 where it is not recorded or nothing wrong was chosen.
        misread: int64 [example], bits of `MISREADINGS` for wrong choices.
    """

    exact: np.ndarray
    exact_cut: np.ndarray
    got_there: np.ndarray
    is_given: np.ndarray
    is_plan: np.ndarray
    tokens: np.ndarray
    chosen: np.ndarray
    is_right_target: np.ndarray
    role: np.ndarray
    misread: np.ndarray

    def __len__(self) -> int:
        return len(self.exact)

    @property
    def is_wrong_object(self) -> np.ndarray:
        """bool [example]: the plan makes for an object, but not for the target."""
        return (self.chosen >= 0) & ~self.is_right_target

    def verdict(self, number: int) -> Verdict:
        """One of them, readable."""
        chosen, is_wrong = int(self.chosen[number]), bool(self.is_wrong_object[number])
        role = int(self.role[number])
        return Verdict(
            exact=bool(self.exact[number]),
            exact_cut=bool(self.exact_cut[number]),
            tokens=float(self.tokens[number]),
            got_there=bool(self.got_there[number]),
            chosen=None if chosen < 0 else chosen,
            role=(KINDS[role] if role >= 0 else UNRECORDED) if is_wrong else "",
            misreadings=names_of(int(self.misread[number])) if is_wrong else (),
        )


def judge_all(asked: ExampleArrays, plans: Plans, *, is_given: np.ndarray | None = None) -> Verdicts:
    """The judgement on every plan.

    Args:
        asked: the examples.
        plans: one for each of them, in their order.
        is_given: bool [example], false where there was no answer, which is wrong throughout.
    """
    from deixis.worlds.grid._kernels.navigation import EXACT, EXACT_CUT, GOT_THERE, judge_plans

    given = np.ones(len(asked), bool) if is_given is None else is_given
    is_plan = given & ~_holds_no_action(plans)
    codes = np.array([command.codes for command in asked.commands], np.int64).reshape(-1, 2)[asked.which]
    is_so, tokens = np.zeros((len(asked), 3), bool), np.zeros(len(asked))
    chosen = np.full(len(asked), NOTHING, np.int64)
    judge_plans(
        asked.objects,
        asked.count,
        asked.size,
        asked.agent,
        asked.target,
        np.ascontiguousarray(codes[:, 0]),
        asked.plans.values,
        asked.plans.start,
        plans.codes.values,
        plans.codes.start,
        is_plan,
        CUT,
        is_so,
        tokens,
        chosen,
    )
    wrong = np.where(chosen == asked.target, NOTHING, chosen)
    return Verdicts(
        exact=is_so[:, EXACT],
        exact_cut=is_so[:, EXACT_CUT],
        got_there=is_so[:, GOT_THERE],
        is_given=given,
        is_plan=is_plan,
        tokens=tokens,
        chosen=chosen,
        is_right_target=chosen == asked.target,
        role=_roles(asked, wrong),
        misread=_misread(asked, wrong),
    )


def judge_choices(asked: ExampleArrays, chosen: np.ndarray) -> Verdicts:
    """Judge the choice of an object in every example, int64 [example], as `judge_choice` does."""
    is_right = chosen == asked.target
    wrong, every = np.where(is_right, NOTHING, chosen), np.ones(len(asked), bool)
    return Verdicts(
        exact=is_right,
        exact_cut=is_right,
        got_there=is_right,
        is_given=every,
        is_plan=every,
        tokens=is_right.astype(np.float64),
        chosen=chosen,
        is_right_target=is_right,
        role=_roles(asked, wrong),
        misread=_misread(asked, wrong),
    )


def take_plans(plans: Plans, rows: np.ndarray) -> Plans:
    """Return the plans with these numbers, in this order.

    -1 stands for the empty plan, with the id 0.
    """
    with_empty = Ragged(plans.codes.values, np.append(plans.codes.start, plans.codes.start[-1]))
    ids = np.append(plans.ids, np.int64(0))[rows]
    return Plans(ids=ids, codes=with_empty.take(rows), facts=plans.facts, faults=plans.faults)


def _holds_no_action(plans: Plans) -> np.ndarray:
    """bool [plan]: something in it is no action."""
    strange = np.flatnonzero(plans.codes.values >= len(Action))
    found = np.zeros(len(plans), bool)
    found[np.searchsorted(plans.codes.start, strange, side="right") - 1] = True
    return found


def _roles(asked: ExampleArrays, chosen: np.ndarray) -> np.ndarray:
    code = asked.roles[np.arange(len(asked)), np.maximum(chosen, 0)]
    return np.where((chosen >= 0) & (code != NO_ROLE), code.astype(np.int64) >> SHIFT, NOTHING)


def _misread(asked: ExampleArrays, chosen: np.ndarray) -> np.ndarray:
    from deixis.worlds.grid._kernels.navigation import find_misreadings

    blueprints = Blueprints.of([command.expression if command.is_read else None for command in asked.commands])
    which = asked.of_command(blueprints.number)
    found = np.zeros(len(asked), np.int64)
    worlds = asked.objects, asked.count, asked.size
    find_misreadings(*worlds, blueprints.mentions.values, blueprints.mentions.start, which, asked.target, chosen, found)
    return found
