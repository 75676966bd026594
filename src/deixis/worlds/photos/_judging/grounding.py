"""Accuracy of a model that finds the targets of expressions, and its misreadings (Cops-Ref, section 5).

An answer is right when it *is* the target: another object of the same kind is wrong however close it lies. A box stands
for the candidate it agrees with best, if the two overlap by half. Whatever is not answered, or cannot be understood,
counts as wrong and is also counted apart. Chance is the mean of one over the number of candidates.

A wrong choice is filed three ways: by where it lies (in the right image, or in a distractor image of some kind), by
whether it is of the target's category, and by what a reader would have to miss to make that choice: the slightest of
the `misreadings` that lead to it. Where several are equally slight, each is given its share.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset
from deixis.judge.uncertainty import Estimate, share
from deixis.worlds.photos._judging.verdicts import OUTCOMES, Outcome, Verdict, judge_answers
from deixis.worlds.photos.localise import FORMS, LENGTHS, SETTINGS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deixis.worlds.photos._judging.verdicts import Choice
    from deixis.worlds.photos.localise import Answer, Example, Setting
    from deixis.worlds.photos.scene.graph_table import GraphTable


CROWDS = ((10, "1 to 10"), (20, "11 to 20"), (50, "21 to 50"), (100, "51 to 100"), (200, "101 to 200"))
LARGE_CROWD = "over 200"


@dataclass(frozen=True, slots=True)
class SettingResult:
    """The result in one setting.

    Attributes:
        accuracy: the share of examples that are answered right.
        chance: the mean of one over the number of candidates.
        outcomes: how often each.
        by_form, by_length, by_candidates: the accuracy of parts.
        places, categories, misreadings: of wrong choices, how many lie where, are of the target's category or not, and
            follow from missing what.
        overlapping: the share of examples whose box overlaps the target by half; None where no boxes were given.
    """

    accuracy: Estimate
    chance: float
    outcomes: Mapping[Outcome, int]
    by_form: Mapping[str, Estimate]
    by_length: Mapping[str, Estimate]
    by_candidates: Mapping[str, Estimate]
    places: Mapping[str, int]
    categories: Mapping[str, int]
    misreadings: Mapping[str, float]
    overlapping: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "accuracy": _plain(self.accuracy),
            "chance": round(self.chance, 6),
            "outcomes": dict(self.outcomes),
            "by form": {name: _plain(found) for name, found in self.by_form.items()},
            "by length": {name: _plain(found) for name, found in self.by_length.items()},
            "by candidates": {name: _plain(found) for name, found in self.by_candidates.items()},
            "wrong choices by place": dict(self.places),
            "wrong choices by category": dict(self.categories),
            "wrong choices by what was missed": {name: round(share, 3) for name, share in self.misreadings.items()},
            **({} if self.overlapping is None else {"boxes that overlap the target": round(self.overlapping, 6)}),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of a model.

    Attributes:
        examples: how many expressions were asked that fit something, and how many that fit nothing.
        settings: the result for those that fit something, by setting.
        absent: for those that fit nothing the share of right answers, that it is not there; by setting.
        absent_by_change: the same by what was changed, and setting.
        strange: how many answers were to examples that there are not, or second answers to one.
        absent_unanswered: how many of those that fit nothing have no answer, which counts as wrong; by setting.
    """

    examples: tuple[int, int]
    settings: Mapping[Setting, SettingResult]
    absent: Mapping[Setting, Estimate]
    absent_by_change: Mapping[Setting, Mapping[str, Estimate]]
    strange: Mapping[str, int]
    absent_unanswered: Mapping[Setting, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain values."""
        return {
            "examples": {"that fit something": self.examples[0], "that fit nothing": self.examples[1]},
            "settings": {setting: found.to_dict() for setting, found in self.settings.items()},
            "not there": {
                setting: {
                    "accuracy": _plain(found),
                    "by change": {
                        change: _plain(part) for change, part in self.absent_by_change.get(setting, {}).items()
                    },
                    **({"unanswered": number} if (number := self.absent_unanswered.get(setting)) else {}),
                }
                for setting, found in self.absent.items()
            },
            "strange answers": dict(self.strange),
        }


def evaluate_answers(
    examples: Sequence[Example],
    answers: Iterable[Answer],
    scenes: GraphTable,
    *,
    seed: int = 0,
    judge: Callable[[Sequence[Choice]], Iterable[Verdict]] | None = None,
) -> tuple[Evaluation, list[Verdict]]:
    """Evaluate the answers of a model, and judge every example in every setting that was answered.

    Args:
        examples: all that were asked; splits of which none was answered are left out.
        answers: what the model said; answers to other examples are counted and left alone.
        scenes: the graphs of the images.
        seed: of the choice among equal scores.
        judge: judges choices by several workers, see `judge_answers`.

    Raises:
        BrokenDataset: when not one answer is to any of the examples.
    """
    strange: Counter[str] = Counter()
    verdicts = judge_answers(examples, answers, scenes, seed=seed, strange=strange, judge=judge)
    if not verdicts:
        raise BrokenDataset(f"none of the answers is to one of these {len(examples):,} examples; are the ids the same?")
    known = {example.id: example for example in examples}
    there = [verdict for verdict in verdicts if known[verdict.id].is_there]
    absent = [verdict for verdict in verdicts if not known[verdict.id].is_there]
    settled = {
        setting: _settle([v for v in there if v.setting == setting], known)
        for setting in SETTINGS
        if any(v.setting == setting for v in there)
    }
    denied: dict[Setting, Estimate] = {}
    by_change: dict[Setting, dict[str, Estimate]] = {}
    unanswered: dict[Setting, int] = {}
    for setting in SETTINGS:
        some = [v for v in absent if v.setting == setting]
        if silent := sum(v.outcome == "unanswered" for v in some):
            unanswered[setting] = silent
        if some:
            is_right = np.array([v.outcome == "said not there" for v in some])
            changes = [known[v.id].change or "unknown" for v in some]
            denied[setting], by_change[setting] = share(is_right), _by_group(is_right, changes)
    asked = {verdict.id for verdict in there}, {verdict.id for verdict in absent}
    evaluation = Evaluation((len(asked[0]), len(asked[1])), settled, denied, by_change, dict(strange), unanswered)
    return evaluation, verdicts


def crowd_of(candidates: int) -> str:
    """Return the range that a number of candidates falls into."""
    return next((name for most, name in CROWDS if candidates <= most), LARGE_CROWD)


def _by_group(is_right: np.ndarray, groups: Sequence[str], order: Sequence[str] = ()) -> dict[str, Estimate]:
    """Return the share of right answers in every group that occurs, those of `order` first."""
    names = [*(name for name in order if name in set(groups)), *sorted(set(groups) - set(order))]
    labels = np.array(groups, dtype=object)
    return {name: share(is_right[labels == name]) for name in names}


def _settle(verdicts: Sequence[Verdict], known: Mapping[int, Example]) -> SettingResult:
    is_right = np.array([verdict.outcome == "right" for verdict in verdicts])
    wrong = [verdict for verdict in verdicts if verdict.outcome == "wrong object"]
    shares: dict[str, float] = {}
    for verdict in wrong:
        for what in verdict.misreadings:
            shares[what] = shares.get(what, 0.0) + 1 / len(verdict.misreadings)
    counts = Counter(verdict.outcome for verdict in verdicts)
    crowds = [name for _, name in CROWDS] + [LARGE_CROWD]
    return SettingResult(
        accuracy=share(is_right),
        chance=float(np.mean([1 / max(verdict.candidates, 1) for verdict in verdicts])),
        outcomes={outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]},
        by_form=_by_group(is_right, [known[v.id].form or "unknown" for v in verdicts], FORMS),
        by_length=_by_group(is_right, [known[v.id].length for v in verdicts], LENGTHS),
        by_candidates=_by_group(is_right, [crowd_of(v.candidates) for v in verdicts], crowds),
        places=dict(Counter(verdict.place for verdict in wrong).most_common()),
        categories=dict(
            Counter("same category" if v.is_same_category else "another category" for v in wrong).most_common()
        ),
        misreadings=dict(sorted(shares.items(), key=lambda share: (-share[1], share[0]))),
        overlapping=_overlapping(verdicts),
    )


def _overlapping(verdicts: Sequence[Verdict]) -> float | None:
    if all(verdict.overlaps is None for verdict in verdicts):
        return None
    return float(np.mean([bool(verdict.overlaps) for verdict in verdicts]))


def _plain(found: Estimate) -> dict[str, Any]:
    values = found._asdict()
    return {name: value if isinstance(value, int) else _round(value) for name, value in values.items()}


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 6)
