"""Evaluation of plans in grid worlds: scores, and the misreadings behind wrong plans.

| measure | a plan counts as right when |
|---|---|
| exact | it is the recorded plan, action by action |
| exact_cut_30 | its first 30 actions are those of the recorded plan: what the GCN-LSTM's released evaluator counts |
| tokens_right | (a mean of shares) its actions are right in their place, out of the longer of the two plans |
| got_there | carried out, it leaves the agent and every object where the recorded plan leaves them |
| right_target | the object that it makes for is the target |

The definitions stand in `plan_verdicts` and `plan_misreadings`. Whatever was not answered, or holds anything that is no
action, is wrong by every measure and also counted apart. Intervals are Wilson's, at 95 %: they say how sure a score is
of this one model on examples like these, not how much another training of it would differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis._deprecation import rename_field
from deixis.errors import BrokenDataset
from deixis.expression.patterns import PATTERNS
from deixis.judge.request import ANSWERED, NOT_ASKED
from deixis.judge.uncertainty import Estimate, wilson
from deixis.worlds.grid.actions import MANNERS, VERBS
from deixis.worlds.grid.judging import POINTING
from deixis.worlds.grid.judging._misreadings import MISREADINGS, NO_REASON, names_of
from deixis.worlds.grid.judging.verdicts import CUT, UNRECORDED, ExampleArrays, Plans, Verdicts, judge_all, take_plans
from deixis.worlds.grid.roles import KINDS
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deixis.worlds.grid.data._commands import Command


__all__ = [
    "CHOICES",
    "GROUPINGS",
    "MEASURES",
    "PlanEvaluation",
    "Score",
    "SplitEvaluation",
    "align_plans",
    "evaluate_plans",
    "merge_splits",
    "outcomes_of",
]

FORMAT, KIND = 1, "plans evaluation"
EXACT_CUT = f"exact_cut_{CUT}"
MEASURES = ("exact", EXACT_CUT, "got_there", "right_target")
CHOICES = ("right target", "wrong object", "no object", "no plan", "unanswered")
GROUPINGS = ("pattern", "verb", "manner", "length", "clauses", "words", "relation")
LENGTHS = ((0, "0"), (5, "1 to 5"), (10, "6 to 10"), (20, "11 to 20"), (29, "21 to 29"), (49, "30 to 49"))
LONGEST = "over 49"
WORDS = ((5, "up to 5"), (10, "6 to 10"), (15, "11 to 15"), (20, "16 to 20"), (25, "21 to 25"))
MOST_WORDS = "over 25"
NONE = "none"
UNREAD = "unread"  # in place of the verb, manner and pattern of a text that is no command
OF_A_FILE = (
    "format",
    "kind",
    "split",
    "data",
    "data_name",
    "examples",
    "model",
    "decode_limit",
)  # facts told elsewhere
OTHER_DATA = "plans were made for data with another digest"


class Score(NamedTuple):
    """Number of examples, number of right plans by each measure, and the mean share of right actions.

    Attributes:
        examples: how many.
        right: how many of them by each of `MEASURES`.
        tokens: the mean share; not a number where there are no examples.
    """

    examples: int
    right: tuple[int, ...]
    tokens: float

    def estimate(self, measure: str) -> Estimate:
        """Return the share of plans that are right by one of `MEASURES`, with its interval."""
        return wilson(self.right[MEASURES.index(measure)], self.examples)

    def to_dict(self) -> dict[str, Any]:
        """Return the shares with their intervals, as plain values."""
        estimates = {measure: self.estimate(measure) for measure in MEASURES}
        return {
            "examples": self.examples,
            **{measure: _plain(found.mean) for measure, found in estimates.items()},
            "tokens_right": _plain(self.tokens),
            "intervals": {measure: [_plain(found.low), _plain(found.high)] for measure, found in estimates.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Score:
        """Return the inverse of `to_dict`."""
        examples, tokens = int(values["examples"]), values["tokens_right"]
        if examples >= 1 << 53:
            raise ValueError(f"{examples} examples are more than can be")
        shares = [values[measure] or 0.0 for measure in MEASURES]
        if not all(0 <= share <= 1 for share in (*shares, tokens or 0.0)):
            raise ValueError("a share lies between 0 and 1")
        right = tuple(round(share * examples) for share in shares)
        return cls(examples, right, math.nan if tokens is None else float(tokens))


@rename_field("missed", "misreadings", since="0.3.0", until="0.5.0")
@dataclass(frozen=True, slots=True, kw_only=True)
class SplitEvaluation:
    """The results on one split.

    Attributes:
        score: over all its examples.
        choices: how often each of `CHOICES` came of it.
        roles: of wrong objects, why they are in the world: as a distractor of some kind, or because they are mentioned.
        misreadings: those that explain wrong objects; several that explain one equally well share it.
        by: the scores of parts, by each of `GROUPINGS` and the name of the part; an example counts for each relation
            that its command names.
    """

    score: Score
    choices: Mapping[str, int]
    roles: Mapping[str, int]
    misreadings: Mapping[str, float]
    by: Mapping[str, Mapping[str, Score]]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain values."""
        return {
            **self.score.to_dict(),
            "choices": dict(self.choices),
            "wrong_objects_by_role": dict(self.roles),
            "wrong_objects_by_misreading": dict(self.misreadings),
            "by": {what: {name: part.to_dict() for name, part in parts.items()} for what, parts in self.by.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SplitEvaluation:
        """Return the inverse of `to_dict`."""
        return cls(
            score=Score.from_dict(values),
            choices=dict(values["choices"]),
            roles=dict(values["wrong_objects_by_role"]),
            misreadings=dict(values["wrong_objects_by_misreading"]),
            by={
                what: {name: Score.from_dict(part) for name, part in parts.items()}
                for what, parts in values["by"].items()
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEvaluation:
    """The results of a model, with what it takes to know what they are results of.

    Attributes:
        data: the name of the dataset.
        digest: of its content; empty where none is recorded.
        model: the name of the model; empty where nobody said.
        decode_limit: how many actions the model could say; None where nobody said.
        splits: the results by split.
        facts: whatever else is recorded about the predictions: checkpoint, seed, updates, selection, training.
        strange: how many answers were to examples that are not asked, or second answers to one.
        faults: how often something in the predictions could not be read, by what it is.
    """

    data: str
    digest: str
    model: str
    decode_limit: int | None
    splits: Mapping[str, SplitEvaluation]
    facts: Mapping[str, Any] = field(default_factory=dict)
    strange: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_pointed(self) -> bool:
        """True if objects were pointed at, so that only the target can be right and there are no plans."""
        return self.facts.get("task") == POINTING

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain values, the content of `evaluation.json`."""
        return {
            "format": FORMAT,
            "kind": KIND,
            "data": self.data,
            "digest": self.digest,
            "model": self.model,
            "decode_limit": self.decode_limit,
            "predictions": dict(self.facts),
            "strange_answers": dict(self.strange),
            "faults": dict(self.faults),
            "splits": {name: found.to_dict() for name, found in self.splits.items()},
        }

    @classmethod
    def from_dict(cls, values: Any) -> PlanEvaluation:
        """Return the inverse of `to_dict`.

        Raises:
            BrokenDataset: when the values are not those of an evaluation of plans.
        """
        if not isinstance(values, dict) or values.get("kind") != KIND or values.get("format") != FORMAT:
            raise BrokenDataset(f"this is no evaluation of plans: 'kind' should be {KIND!r} and 'format' {FORMAT}")
        try:
            limit = values["decode_limit"]
            return cls(
                data=str(values["data"]),
                digest=str(values["digest"]),
                model=str(values["model"]),
                decode_limit=None if limit is None else int(limit),
                splits={name: SplitEvaluation.from_dict(found) for name, found in values["splits"].items()},
                facts=dict(values.get("predictions", {})),
                strange=dict(values.get("strange_answers", {})),
                faults=dict(values.get("faults", {})),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BrokenDataset(f"this evaluation of plans is not as `deixis evaluate` writes it: {error!r}") from error


def evaluate_plans(
    asked: Mapping[str, ExampleArrays],
    plans: Mapping[str, Plans],
    *,
    data: str = "",
    digest: str = "",
    judge: Callable[..., Verdicts] = judge_all,
) -> tuple[PlanEvaluation, dict[str, Verdicts]]:
    """Return the results of a model, and the judgement on every example.

    Args:
        asked: the examples by split.
        plans: what the model answered, by split; the same plans may stand under several. A split of which no example
            was answered is left out; examples of the others that were not answered count as wrong.
        data: the name of the dataset.
        digest: of its content.
        judge: does what `judge_all` does, perhaps elsewhere.

    Raises:
        BrokenDataset: when not one plan is to any of the examples.
    """
    verdicts: dict[str, Verdicts] = {}
    for split in asked:
        if split in plans:
            fitting, is_given = align_plans(asked[split], plans[split])
            if is_given.any():
                verdicts[split] = judge(asked[split], fitting, is_given=is_given)
    if not verdicts:
        count = sum(map(len, asked.values()))
        raise BrokenDataset(f"none of the plans is to one of these {count:,} examples; are the ids the same?")
    different = list({id(one): one for one in (plans[split] for split in verdicts)}.values())
    known = different[0].facts
    limit = known.get("decode_limit")
    evaluation = PlanEvaluation(
        data=data,
        digest=digest,
        model=str(known.get("model") or ""),
        decode_limit=limit if isinstance(limit, int) else None,
        splits={split: _settle(asked[split], found) for split, found in verdicts.items()},
        facts={name: value for name, value in known.items() if name not in OF_A_FILE},
        strange=_strange(asked, plans, verdicts),
        faults=_faults(different, digest),
    )
    return evaluation, verdicts


def align_plans(asked: ExampleArrays, plans: Plans) -> tuple[Plans, np.ndarray]:
    """Return one plan for each example, the first of several, and bool [example], whether there was one."""
    if np.array_equal(asked.ids, plans.ids):
        return plans, np.ones(len(asked), bool)
    order = np.argsort(plans.ids, kind="stable")
    known = plans.ids[order]
    place = np.searchsorted(known, asked.ids)
    is_given = np.zeros(len(asked), bool)
    inside = place < len(known)
    is_given[inside] = known[place[inside]] == asked.ids[inside]
    rows = np.full(len(asked), -1, np.int64)
    rows[is_given] = order[place[is_given]]
    return take_plans(plans, rows), is_given


def merge_splits(found: Iterable[SplitEvaluation]) -> SplitEvaluation:
    """Merge the results on several splits, counting an example of two of them twice."""
    found = list(found)
    return SplitEvaluation(
        score=_add_scores([one.score for one in found]),
        choices=_sum_counts([one.choices for one in found], CHOICES),
        roles=_sum_counts([one.roles for one in found], (*KINDS, UNRECORDED)),
        misreadings=_sum_counts([one.misreadings for one in found], (*MISREADINGS, NO_REASON)),
        by={
            what: {
                name: _add_scores([one.by[what][name] for one in found if name in one.by.get(what, {})])
                for name in dict.fromkeys(name for one in found for name in one.by.get(what, {}))
            }
            for what in GROUPINGS
        },
    )


# -------------------------------------------------------------------------------- inside


def _settle(asked: ExampleArrays, verdicts: Verdicts) -> SplitEvaluation:
    is_wrong = verdicts.is_wrong_object
    choices = np.bincount(outcomes_of(verdicts), minlength=len(CHOICES)).tolist()
    role = np.bincount(verdicts.role[is_wrong] + 1, minlength=len(KINDS) + 1).tolist()
    roles = dict(zip((UNRECORDED, *KINDS), role, strict=True))
    return SplitEvaluation(
        score=_scores(verdicts, np.arange(len(asked)), np.zeros(len(asked), np.int64), 1)[0],
        choices=dict(zip(CHOICES, choices, strict=True)),
        roles={name: roles[name] for name in (*KINDS, UNRECORDED) if roles[name]},
        misreadings=_shares(verdicts.misread[is_wrong]),
        by={what: _parts(asked, verdicts, what) for what in GROUPINGS},
    )


def outcomes_of(verdicts: Verdicts) -> np.ndarray:
    """Return int64 [example]: a number of `CHOICES`."""
    return np.select(
        [~verdicts.is_given, ~verdicts.is_plan, verdicts.is_right_target, verdicts.is_wrong_object],
        [CHOICES.index(name) for name in ("unanswered", "no plan", "right target", "wrong object")],
        CHOICES.index("no object"),
    )


def _shares(misread: np.ndarray) -> dict[str, float]:
    """Return how often each misreading explains a choice, with shares where several explain one choice."""
    shares = dict.fromkeys((*MISREADINGS, NO_REASON), 0.0)
    for bits, count in zip(*(column.tolist() for column in np.unique(misread, return_counts=True)), strict=True):
        names = names_of(bits)
        for name in names:
            shares[name] += count / len(names)
    return {name: share for name, share in shares.items() if share}


def _parts(asked: ExampleArrays, verdicts: Verdicts, what: str) -> dict[str, Score]:
    """Return the scores of all parts that have examples, in their usual order."""
    if what == "relation":
        names = (*(relation.name for relation in GRID.relations), NONE)
        said = [command.relations or (NONE,) for command in asked.commands]
        named = [[name in some for name in names] for some in said]
        rows, parts = np.nonzero(np.array(named, bool).reshape(-1, len(names))[asked.which])
    elif what == "length":
        names, rows = (*(name for _, name in LENGTHS), LONGEST), np.arange(len(asked))
        parts = np.searchsorted([most for most, _ in LENGTHS], asked.plans.length)
    else:
        labels = [_label(command, what) for command in asked.commands]
        names, rows = tuple(dict.fromkeys(labels)), np.arange(len(asked))
        numbers = {name: number for number, name in enumerate(names)}
        parts = np.array([numbers[label] for label in labels], np.int64)[asked.which]
    scores = dict(zip(names, _scores(verdicts, rows, parts, len(names)), strict=True))
    return {name: scores[name] for name in sorted(names, key=_order(what)) if scores[name].examples}


def _scores(verdicts: Verdicts, rows: np.ndarray, parts: np.ndarray, count: int) -> list[Score]:
    """Return the scores of so many parts: example `rows[n]` belongs to part `parts[n]`."""
    sizes = np.bincount(parts, minlength=count)
    columns = (verdicts.exact, verdicts.exact_cut, verdicts.got_there, verdicts.is_right_target)
    right = np.array([np.bincount(parts[column[rows]], minlength=count) for column in columns])
    sums = np.bincount(parts, weights=verdicts.tokens[rows], minlength=count)
    tokens = np.divide(sums, sizes, out=np.full(count, np.nan), where=sizes > 0)
    return [
        Score(size, tuple(counts), token)
        for size, counts, token in zip(sizes.tolist(), right.T.tolist(), tokens.tolist(), strict=True)
    ]


def _label(command: Command, what: str) -> str:
    """Return the name of the part that a command belongs to."""
    match what:
        case "clauses":
            return str(len(command.relations))
        case "words":
            count = len(command.text.split())
            return next((name for most, name in WORDS if count <= most), MOST_WORDS)
    return (str(getattr(command, what)) or NONE) if command.is_read else UNREAD


def _order(what: str) -> Any:
    usual: dict[str, tuple[str, ...]] = {
        "pattern": tuple(PATTERNS),
        "verb": tuple(VERBS),
        "manner": (NONE, *MANNERS[1:]),
        "relation": (*(relation.name for relation in GRID.relations), NONE),
        "length": (*(name for _, name in LENGTHS), LONGEST),
        "words": (*(name for _, name in WORDS), MOST_WORDS),
    }
    known = {name: place for place, name in enumerate(usual.get(what, ()))}
    return lambda name: (known.get(name, len(known)), len(name), name)


def _strange(
    asked: Mapping[str, ExampleArrays], plans: Mapping[str, Plans], judged: Mapping[str, Verdicts]
) -> dict[str, int]:
    """Answers that count for nothing, each file of plans by itself."""
    found = dict.fromkeys((NOT_ASKED, ANSWERED), 0)
    splits: dict[int, list[str]] = {}
    for split in judged:
        splits.setdefault(id(plans[split]), []).append(split)
    for some in splits.values():
        ids, copies = np.unique(plans[some[0]].ids, return_counts=True)
        known = np.unique(np.concatenate([asked[split].ids for split in some]))
        in_order = len(some) == 1 and np.array_equal(asked[some[0]].ids, plans[some[0]].ids)
        is_asked = np.isin(ids, known, assume_unique=True)
        found[NOT_ASKED] += int(copies[~is_asked].sum())
        found[ANSWERED] += 0 if in_order else int((copies[is_asked] - 1).sum())
    return {what: count for what, count in found.items() if count}


def _faults(plans: Iterable[Plans], digest: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in plans:
        if digest and one.facts.get("data", digest) not in ("", digest):
            found[OTHER_DATA] = found.get(OTHER_DATA, 0) + 1
        for what, (count, _) in one.faults.items():
            found[what] = found.get(what, 0) + count
    return found


def _add_scores(scores: Sequence[Score]) -> Score:
    examples = sum(score.examples for score in scores)
    tokens = sum(score.tokens * score.examples for score in scores if score.examples)
    right = tuple(sum(counts) for counts in zip(*(score.right for score in scores), strict=True))
    return Score(examples, right or (0,) * len(MEASURES), tokens / examples if examples else math.nan)


def _sum_counts(counts: Sequence[Mapping[str, Any]], order: Sequence[str]) -> dict[str, Any]:
    found = {name: sum(one.get(name, 0) for one in counts) for name in order}
    return {name: count for name, count in found.items() if count or name in CHOICES}


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
