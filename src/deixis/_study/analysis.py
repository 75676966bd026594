"""The analysis of a study: what people got right, how much they agree, what they misread, and models on the same items.

What counts was declared when the study was made: main items only; participants who miss too many attention items are
left out; missing answers are bounded. Nothing is estimated from practice, and no answer is imputed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis._losses import Losses
from deixis._study.judging import judge_given, meets_demand
from deixis._study.rows import read_rows
from deixis._study.statistics import Bounds, agreement, bounds, crossed_estimate, crossed_means, median_of_medians
from deixis._version import __version__
from deixis.errors import BrokenDataset
from deixis.judge.uncertainty import Estimate, estimate, plain_estimates, share
from deixis.prompts.files import read_given
from deixis.prompts.scores import judge_answers
from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis._study.design import Study
    from deixis._study.items import Item
    from deixis._study.rows import GivenAnswer
    from deixis.prompts.question import Judgement


ALL = "all"
PEOPLE = "people"
MAX_CHOICES_GUESSED = 2  # the further answers: several fit, none fits


class JudgedAnswer(NamedTuple):
    """One answer with the judgement on it."""

    given: GivenAnswer
    item: Item
    judgement: Judgement

    @property
    def is_right(self) -> bool:
        """True if the answer is right."""
        return self.judgement.outcome == "right"


@dataclass(frozen=True, kw_only=True)
class Group:
    """The results of some main items.

    Attributes:
        items: how many.
        accuracy: the share of right answers over persons and items.
        chance: what guessing among the answers shown would give; not a number where answers are typed.
        agreement: Krippendorff's alpha of the answers.
        bounds: the least and greatest share with all missing answers wrong or right.
        outcomes: how often each came of an answer.
        misreadings: those behind wrong answers; several that explain one answer share it.
        seconds: the median over persons of their median response times.
        models: by name the share of right answers of a model on these items.
        gaps: by name, people minus the model, over persons and items.
    """

    items: int
    accuracy: Estimate
    chance: float
    agreement: Estimate
    bounds: Bounds
    outcomes: Mapping[str, int]
    misreadings: Mapping[str, float]
    seconds: float
    models: Mapping[str, Estimate] = field(default_factory=dict)
    gaps: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StudyResults:
    """The results of a study.

    Attributes:
        study: what was asked.
        judged: every answer, those of excluded participants and to practice items, too.
        entered: how many participants gave an answer.
        complete: how many gave all of them.
        excluded: by participant how many attention items were missed, more than was declared.
        groups: by what main items are told apart (all, condition, split, …), then by its value.
        models: by name of those that answered the same questions, whether each answer is right, by item.
        losses: rows of no use, by reason.
    """

    study: Study
    judged: Sequence[JudgedAnswer]
    entered: int
    complete: int
    excluded: Mapping[str, int]
    groups: Mapping[str, Mapping[str, Group]]
    models: Mapping[str, Mapping[str, bool]]
    losses: Losses

    @property
    def overall(self) -> Group:
        """The results of all main items."""
        return self.groups[ALL][ALL]

    @property
    def counted(self) -> list[JudgedAnswer]:
        """The answers to main items of participants who are not left out."""
        return [one for one in self.judged if one.item.kind == "main" and one.given.participant not in self.excluded]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain values."""
        study = self.study
        return {
            "deixis": __version__,
            "study": study.digest,
            "task": study.task,
            "answer": study.answer,
            "conditions": dict(study.conditions),
            "participants": {
                "entered": self.entered,
                "complete": self.complete,
                "excluded": len(self.excluded),
                "counted": self.entered - len(self.excluded),
                "attention items": len(study.of_kind("attention")),
                "may miss": study.settings.attention_misses,
            },
            "groups": {
                what: {name: _plain(group) for name, group in parts.items()} for what, parts in self.groups.items()
            },
            "losses": self.losses.to_dict(),
        }


def by_split(results: StudyResults, condition: str, *, seed: int = 0) -> dict[str, Group]:
    """Return the results in a condition by the split or set that its questions are from."""
    golds = results.study.golds()
    parts: dict[str, list[Item]] = {}
    for item in results.study.of_kind("main"):
        if item.condition == condition:
            groups = golds[item.id].groups
            parts.setdefault(groups.get("split") or groups.get("set") or ALL, []).append(item)
    persons = list(dict.fromkeys(one.given.participant for one in results.counted))
    return {
        name: _group(persons, some, results.counted, {}, seed=derive(seed, condition, name))
        for name, some in sorted(parts.items())
    }


def analyse(
    study: Study, paths: Sequence[Path] = (), *, models: Mapping[str, Path] | None = None, seed: int = 0
) -> StudyResults:
    """Analyse a study.

    Args:
        study: what was asked.
        paths: files or folders of rows; by default what the studio kept.
        models: by name the answers of models to the prompts of the study, `{"id": …, "answer": …}` on each line.
        seed: of the resamples.

    Raises:
        BrokenDataset: when there are no answers, or nobody is left.
    """
    losses = Losses("answers")
    golds = study.golds()
    items = {item.id: item for item in study.items}
    judged = [
        JudgedAnswer(one, items[one.item], judge_given(items[one.item], golds[one.item], one.response))
        for one in read_rows(study, paths, losses=losses)
    ]
    persons = list(dict.fromkeys(one.given.participant for one in judged))
    excluded = _find_careless(study, judged)
    kept = [person for person in persons if person not in excluded]
    if not kept:
        raise BrokenDataset(f"all {len(persons):,} participants missed attention items, so nobody is left")
    told = {name: _judge_model(study, path) for name, path in (models or {}).items()}
    main = study.of_kind("main")
    counted = [one for one in judged if one.item.kind == "main" and one.given.participant not in excluded]
    groups: dict[str, dict[str, Group]] = {}
    for what, parts in _groupings(study, golds, main).items():
        groups[what] = {
            name: _group(kept, some, counted, told, seed=derive(seed, what, name)) for name, some in parts.items()
        }
    answered = Counter(one.given.participant for one in judged)
    return StudyResults(
        study=study,
        judged=judged,
        entered=len(persons),
        complete=sum(count == len(study.items) for count in answered.values()),
        excluded=excluded,
        groups=groups,
        models=told,
        losses=losses,
    )


def _find_careless(study: Study, judged: Sequence[JudgedAnswer]) -> dict[str, int]:
    """Return the participants who missed more attention items than was declared, with how many."""
    misses = Counter(
        one.given.participant
        for one in judged
        if one.item.kind == "attention" and not meets_demand(one.item, one.given.response)
    )
    return {person: count for person, count in sorted(misses.items()) if count > study.settings.attention_misses}


def _groupings(study: Study, golds: Mapping[str, Any], main: Sequence[Item]) -> dict[str, dict[str, list[Item]]]:
    """Return the items by all, by condition, and by what the world files questions under."""
    found: dict[str, dict[str, list[Item]]] = {ALL: {ALL: list(main)}, "condition": {}}
    for name in study.conditions:
        found["condition"][name] = [item for item in main if item.condition == name]
    for item in main:
        for what, value in golds[item.id].groups.items():
            found.setdefault(what, {}).setdefault(value, []).append(item)
    return {
        what: {name: some for name, some in sorted(parts.items()) if some} if what != "condition" else parts
        for what, parts in found.items()
        if what in (ALL, "condition") or len(parts) > 1
    }


def _judge_model(study: Study, path: Path) -> dict[str, bool]:
    """Return whether the answer of a model to each item is right."""
    golds = study.golds()
    by_question = {item.question: golds[item.id] for item in study.of_kind("main")}
    strange: Counter[str] = Counter()
    found = judge_answers(by_question, read_given(path, strange=strange), strange=strange)
    right = {one.id: one.judgement.outcome == "right" for one in found}
    return {item.id: right[item.question] for item in study.of_kind("main")}


def _group(
    persons: Sequence[str],
    items: Sequence[Item],
    counted: Sequence[JudgedAnswer],
    models: Mapping[str, Mapping[str, bool]],
    *,
    seed: int,
) -> Group:
    at_person = {name: place for place, name in enumerate(persons)}
    at_item = {item.id: place for place, item in enumerate(items)}
    some = [one for one in counted if one.item.id in at_item]
    values = np.full((len(persons), len(items)), np.nan)
    responses: list[list[str | None]] = [[None] * len(persons) for _ in items]
    times: list[list[float]] = [[] for _ in persons]
    for one in some:
        person, item = at_person[one.given.participant], at_item[one.item.id]
        values[person, item] = float(one.is_right)
        responses[item][person] = one.given.response
        times[person].append(one.given.rt / 1e3)
    misreadings: dict[str, float] = {}
    for one in some:
        for name in one.judgement.misreadings:
            misreadings[name] = misreadings.get(name, 0.0) + 1 / len(one.judgement.misreadings)
    by_model = {name: np.array([float(right[item.id]) for item in items]) for name, right in models.items()}
    return Group(
        items=len(items),
        accuracy=crossed_estimate(values, seed=seed),
        chance=_chance(items),
        agreement=agreement(responses, seed=seed),
        bounds=bounds(sum(one.is_right for one in some), len(some), len(persons) * len(items)),
        outcomes=dict(Counter(one.judgement.outcome for one in some).most_common()),
        misreadings=dict(sorted(misreadings.items(), key=lambda pair: (-pair[1], pair[0]))),
        seconds=median_of_medians(times),
        models={name: share(right) for name, right in by_model.items()},
        gaps={name: _gap(values, right, seed=seed) for name, right in by_model.items()},
    )


def _gap(values: np.ndarray, right: np.ndarray, *, seed: int) -> Estimate:
    """Return people minus a model on the same items: an item that is drawn counts for both."""
    gaps = values - right[None, :]
    return estimate(crossed_means(gaps, seed=seed), int((~np.isnan(gaps)).sum()))


def _chance(items: Sequence[Item]) -> float:
    """Return the share that guessing among the choices and the two further answers gives on average."""
    if not items or any(item.is_typed for item in items):
        return float("nan")
    return float(np.mean([1 / (len(item.choices) + MAX_CHOICES_GUESSED) for item in items]))


def _plain(group: Group) -> dict[str, Any]:
    estimates = {"accuracy": group.accuracy, "agreement": group.agreement}
    return {
        "items": group.items,
        **plain_estimates({"": estimates})[""],
        "chance": _round(group.chance),
        "bounds": {"low": _round(group.bounds.low), "high": _round(group.bounds.high), "missing": group.bounds.missing},
        "outcomes": dict(group.outcomes),
        "misreadings": {name: round(count, 3) for name, count in group.misreadings.items()},
        "seconds": _round(group.seconds),
        **({"models": plain_estimates({"": group.models})[""]} if group.models else {}),
        **({"people minus model": plain_estimates({"": group.gaps})[""]} if group.gaps else {}),
    }


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
