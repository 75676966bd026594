"""Scores of all answers: measures with intervals, overall and by group, misreadings, and unreadable answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis._deprecation import rename_field
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset
from deixis.judge.uncertainty import Estimate, plain_estimates, resample, wilson
from deixis.prompts.question import OUTCOMES, Judgement
from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.prompts.question import Gold, Outcome


__all__ = ["Group", "JudgedAnswer", "ModelAnswer", "Scores", "judge_answers", "score"]

ALL = "all"
UNDERSTOOD = "of those understood"


class ModelAnswer(NamedTuple):
    """An answer to the question of an id."""

    id: str
    text: str


class JudgedAnswer(NamedTuple):
    """The judgement on one question, with its id and groups."""

    id: str
    groups: Mapping[str, str]
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The results of some questions.

    Attributes:
        questions: how many.
        outcomes: how often each.
        unparsable: the share of questions whose answers cannot be understood, or are missing.
        measures: by name; an answer that is not understood counts as not right here.
        understood: the first measure among the answers that are understood.
    """

    questions: int
    outcomes: Mapping[Outcome, int]
    unparsable: Estimate
    measures: Mapping[str, Estimate]
    understood: Estimate


@rename_field("missed", "misreadings", since="0.3.0", until="0.5.0")
@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The results of a model.

    Attributes:
        overall: of all questions.
        groups: by what they are filed under (`split`, `pattern`, …), then by its value.
        misreadings: those that explain wrong answers; several that explain one answer share it.
        faults: why answers could not be understood, and how often.
        strange: answers that were left alone: to unknown questions, or second ones.
    """

    overall: Group
    groups: Mapping[str, Mapping[str, Group]]
    misreadings: Mapping[str, float]
    faults: Mapping[str, int]
    strange: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The results as plain values."""
        return {
            "overall": _plain(self.overall),
            "groups": {
                what: {name: _plain(group) for name, group in parts.items()} for what, parts in self.groups.items()
            },
            "wrong answers by what was missed": {name: round(share, 3) for name, share in self.misreadings.items()},
            "not understood": dict(self.faults),
            "strange answers": dict(self.strange),
        }


def judge_answers(
    golds: Mapping[str, Gold], answers: Iterable[ModelAnswer], *, strange: Counter[str] | None = None
) -> list[JudgedAnswer]:
    """Return the judgement on every question.

    Questions without an answer are judged as unanswered.

    Args:
        golds: the right answers, by the id of the question.
        answers: what a model said; the first counts where there are several.
        strange: counts of ignored answers by reason; this mapping is updated.

    Raises:
        BrokenDataset: when not one answer is to any of the questions.
    """
    strange = Counter() if strange is None else strange
    said: dict[str, str] = {}
    for answer in answers:
        if answer.id not in golds:
            strange["to a question that was not asked"] += 1
        elif answer.id in said:
            strange["to a question that was answered before"] += 1
        else:
            said[answer.id] = answer.text
    if not said:
        raise BrokenDataset(f"none of the answers is to one of these {len(golds):,} questions; are the ids the same?")
    return [JudgedAnswer(name, gold.groups, gold.judge(said.get(name))) for name, gold in golds.items()]


def score(judged: Sequence[JudgedAnswer], *, seed: int = 0, strange: Mapping[str, int] | None = None) -> Scores:
    """The results with 95 % intervals: Wilson's for shares, of a bootstrap for everything else.

    Args:
        judged: at least one.
        seed: of the bootstrap.
        strange: counts of ignored answers by reason.
    """
    if not judged:
        raise BrokenDataset("there is no answer to score")
    names = dict.fromkeys(name for one in judged for name in one.groups)
    groups: dict[str, dict[str, Group]] = {}
    for what in names:
        values = sorted({value for one in judged for value in _values(one, what)})
        parts = {value: [one for one in judged if value in _values(one, what)] for value in values}
        groups[what] = {value: _group(part, derive(seed, what, value)) for value, part in parts.items()}
    misreadings: dict[str, float] = {}
    for one in judged:
        for name in one.judgement.misreadings:
            misreadings[name] = misreadings.get(name, 0.0) + 1 / len(one.judgement.misreadings)
    return Scores(
        overall=_group(judged, derive(seed, ALL)),
        groups=groups,
        misreadings=dict(sorted(misreadings.items(), key=lambda share: (-share[1], share[0]))),
        faults=dict(Counter(one.judgement.fault for one in judged if one.judgement.fault).most_common()),
        strange=dict(strange or {}),
    )


def _values(one: JudgedAnswer, what: str) -> tuple[str, ...]:
    """The groups that a question is in; an example of `a1+a2` counts in both splits."""
    value = one.groups.get(what, "")
    return tuple(names_in_split(value)) if what == "split" else (value,)


def _group(judged: Sequence[JudgedAnswer], seed: int) -> Group:
    outcomes = Counter(one.judgement.outcome for one in judged)
    silent = outcomes["unparsable"] + outcomes["unanswered"]
    names = list(judged[0].judgement.measures)
    columns = {name: np.array([one.judgement.measures[name] for one in judged], np.float64) for name in names}
    is_understood = np.array([one.judgement.outcome in ("right", "wrong") for one in judged])
    return Group(
        questions=len(judged),
        outcomes={outcome: outcomes[outcome] for outcome in OUTCOMES if outcomes[outcome]},
        unparsable=wilson(silent, len(judged)),
        measures={name: _estimate(column, derive(seed, name)) for name, column in columns.items()},
        understood=_estimate(columns[names[0]][is_understood], derive(seed, UNDERSTOOD)),
    )


def _estimate(values: np.ndarray, seed: int) -> Estimate:
    known = values[~np.isnan(values)]
    if np.isin(known, (0.0, 1.0)).all():
        return wilson(int(known.sum()), len(known))
    return resample(values[:, None], seed=seed).estimates()[0]


def _plain(group: Group) -> dict[str, Any]:
    main = next(iter(group.measures))
    estimates = {
        **group.measures,
        f"{main} {UNDERSTOOD}": group.understood,
        "not understood": group.unparsable,
    }
    return {
        "questions": group.questions,
        "outcomes": dict(group.outcomes),
        **plain_estimates({"measures": estimates}),
    }
