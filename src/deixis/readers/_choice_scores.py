"""Scores of answers to questions with choices, also where each question was asked in several orders.

Where answers of one example are given in several orders, it counts as right only if it is right in each of them. How
often it is right in single orders, how often the same choice is made in all of them, and how often the choice that is
shown first, stands beside it.

Two images and two sentences are four questions. The text score counts examples where each image gets its sentence, the
image score those where each sentence gets its image, the group score those where both hold (Thrush and others 2022).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.judge.uncertainty import plain_estimates, share
from deixis.readers._choice_answers import NO_SUCH, TIE, UNREADABLE
from deixis.report.output import TextTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.readers._choice_answers import ChoiceAnswer, Choices


Result: TypeAlias = Literal["right", "right in part", "wrong", "tie", "no such choice", "unreadable", "unanswered"]
OUTCOMES: tuple[Result, ...] = ("right", "right in part", "wrong", TIE, NO_SUCH, UNREADABLE, "unanswered")  # type: ignore[assignment]
MEASURES = {
    "accuracy": "the choice is the right one, in every order in which it was asked for",
    "group_score": "of two images and two sentences, all are matched rightly, both ways",
    "text_score": "each image gets its sentence",
    "image_score": "each sentence gets its image",
}
MOST_VALUES = 24  # of a fact by which scores are given
MOST_SHOWN = 12  # of these in a table; files and JSON have all
ORDINALS = ("first", "second", "third")
SCORED_CHANCE = 1 / 6  # that four scores drawn at random match two images and two sentences both ways


class JudgedChoice(NamedTuple):
    """One answer beside its question.

    Attributes:
        asked: the question.
        answer: what was answered, None for nothing.
        run: where it was asked: a file, or an order.
    """

    asked: Choices
    answer: ChoiceAnswer | None
    run: str = ""

    @property
    def outcome(self) -> Result:
        """What came of it."""
        if self.answer is None:
            return "unanswered"
        if self.answer.choice < 0:
            return self.answer.fault  # type: ignore[return-value]
        return "right" if self.answer.choice == self.asked.right else "wrong"

    @property
    def place(self) -> int | None:
        """The place in which the choice was shown; None where that is not known."""
        if self.answer is None or self.answer.choice < 0 or not self.answer.order:
            return None
        return self.answer.order.index(self.answer.choice)

    @property
    def order(self) -> str:
        """The order in which it was asked: where the right choice stood, or the name of the run."""
        if self.answer is None or not self.answer.order:
            return self.run
        place = self.answer.order.index(self.asked.right)
        return f"right one {ORDINALS[place] if place < len(ORDINALS) else f'in place {place + 1}'}"


class ChoiceVerdict(NamedTuple):
    """The judgement on all answers to one example.

    Attributes:
        id: of the example.
        split: where it belongs, `a+b` for two sets.
        judged: every answer, as many of each question.
        misreading: how the wrong choice differs from the right one.
        text: what was asked about.
    """

    id: str
    split: str
    judged: tuple[JudgedChoice, ...]
    misreading: tuple[str, ...] = ()
    text: str = ""

    @property
    def outcome(self) -> Result:
        """What came of it: right where all answers are."""
        found = [one.outcome for one in self.judged]
        if "right" in found:
            return "right" if set(found) == {"right"} else "right in part"
        return "wrong" if "wrong" in found else min(found, key=OUTCOMES.index)

    @property
    def chosen(self) -> int:
        """The number of the choice, -1 where there is none or there are several."""
        found = {-1 if one.answer is None else one.answer.choice for one in self.judged if not one.asked.asked}
        return found.pop() if len(found) == 1 else -1

    def is_right(self, measure: str) -> bool:
        """Return whether it counts as right by a measure."""
        return all(one.outcome == "right" for one in self._judged_by(measure))

    def chance(self, measure: str) -> float:
        """How likely a random choice is right by a measure, in every order."""
        some = self._judged_by(measure)
        if measure == "group_score" and len(some) == 4 and all(one.answer and one.answer.is_scored for one in some):
            return SCORED_CHANCE
        return float(np.prod([1 / len(one.asked.texts) for one in some]))

    def _judged_by(self, measure: str) -> list[JudgedChoice]:
        wanted = {"text_score": "image", "image_score": "sentence"}.get(measure, "")  # an image asks for its text
        return [one for one in self.judged if one.asked.asked.startswith(wanted)]


def measures_in(verdicts: Sequence[ChoiceVerdict]) -> tuple[str, ...]:
    """The measures that answers to these questions have, the main one first."""
    kinds = {one.asked.asked.partition(" ")[0] for verdict in verdicts for one in verdict.judged}
    if "" in kinds:
        return ("accuracy",)
    if len(kinds) > 1:
        return ("group_score", "text_score", "image_score")
    return ("text_score",) if "image" in kinds else ("image_score",)


def score_choices(verdicts: Sequence[ChoiceVerdict], measures: Sequence[str]) -> dict[str, Any]:
    """Return the measures of some verdicts, as `evaluation.json` holds them."""
    found = {name: share(np.array([verdict.is_right(name) for verdict in verdicts])) for name in measures}
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    missed = Counter(name for verdict in verdicts for name in verdict.misreading)
    return {
        "examples": len(verdicts),
        **plain_estimates({"": found})[""],
        "chance": round(float(np.mean([verdict.chance(measures[0]) for verdict in verdicts])), 6),
        **_order_scores(verdicts),
        "outcomes": {name: outcomes[name] for name in OUTCOMES if outcomes[name]},
        "misreadings": dict(missed.most_common()),
    }


def _order_scores(verdicts: Sequence[ChoiceVerdict]) -> dict[str, Any]:
    """Scores of single orders, and whether places are chosen; empty where no order is known and there is only one."""
    judged = [one for verdict in verdicts for one in verdict.judged]
    runs = _runs_of(verdicts)
    places = [one.place for one in judged if one.place is not None]
    if len(runs) < 2 and not places:
        return {}
    labels = _labels(runs)
    rows: dict[str, list[bool]] = {}
    for one in judged:
        rows.setdefault(labels.get(one.run, one.order), []).append(one.outcome == "right")
    estimates = {name: share(np.array(rows[name])) for name in sorted(rows)}
    found: dict[str, Any] = {"orders": plain_estimates({"": estimates})[""]}
    if places:
        found |= plain_estimates({"": {"first place": share(np.array([place == 0 for place in places]))}})[""]
    if len(runs) > 1:
        found["mean of orders"] = round(float(np.mean([one.mean for one in estimates.values()])), 6)
        same = share(np.array(list(_agreements(verdicts, "choice"))))
        place = share(np.array(list(_agreements(verdicts, "place"))))
        found |= plain_estimates({"": {"same choice": same, "same place": place}})[""]
    return found


def _runs_of(verdicts: Sequence[ChoiceVerdict]) -> dict[str, list[JudgedChoice]]:
    runs: dict[str, list[JudgedChoice]] = {}
    for verdict in verdicts:
        for one in verdict.judged:
            runs.setdefault(one.run, []).append(one)
    return runs


def _labels(runs: Mapping[str, Sequence[JudgedChoice]]) -> dict[str, str]:
    """The order of every run in which it is the same for all answers, by which answers that are missing count, too."""
    found = {}
    for run, judged in runs.items():
        names = {one.order for one in judged if one.answer is not None}
        if len(names) == 1:
            found[run] = names.pop()
    return found


def _agreements(verdicts: Sequence[ChoiceVerdict], what: str) -> Iterator[bool]:
    """For every question with a choice in each run: whether the same choice was made, or the one in the same place."""
    for verdict in verdicts:
        for asked in dict.fromkeys(one.asked for one in verdict.judged):
            mine = [one for one in verdict.judged if one.asked == asked]
            chosen = [one.answer.choice if one.answer is not None else -1 for one in mine]
            if -1 not in chosen and what == "choice":
                yield len(set(chosen)) == 1
            elif -1 not in chosen and all(one.place is not None for one in mine):
                yield len({one.place for one in mine}) == 1


def score_facts(
    verdicts: Sequence[ChoiceVerdict], facts: Sequence[Mapping[str, Any]], measures: Sequence[str]
) -> dict[str, Any]:
    """Scores by the values of every fact that has a few of them, as the type of a foil."""
    values: dict[str, dict[str, list[ChoiceVerdict]]] = {}
    for verdict, known in zip(verdicts, facts, strict=True):
        for name, value in known.items():
            if isinstance(value, str | int):
                values.setdefault(name, {}).setdefault(str(value), []).append(verdict)
    return {
        name: {value: score_choices(some, measures) for value, some in sorted(groups.items())}
        for name, groups in values.items()
        if 1 < len(groups) <= MOST_VALUES
    }


# -------------------------------------------------------------------------------- for people


def score_tables(values: Mapping[str, Any], measures: Sequence[str]) -> Iterator[str | TextTable]:
    """Yield the lines and tables of results."""
    yield f"{values['model'] or values['predictions']['answers']} on {values['data']}; in %, with 95 % interval"
    scores = {**values["splits"], **({"all": values["overall"]} if len(values["splits"]) > 1 else {})}
    yield _table("split", scores, measures)
    for name, groups in values["facts"].items():
        if len(groups) > MOST_SHOWN:
            yield f"{name.replace('_', ' ')}: {len(groups)} values, whose scores --json and --out tell"
            continue
        yield _table(name.replace("_", " "), groups, measures)
    overall = values["overall"]
    if orders := overall.get("orders"):
        more = {name: overall[name] for name in ("same choice", "same place", "first place") if name in overall}
        told = [(name, f"{one['rows']:,}", *_cells(one)) for name, one in {**orders, **more}.items()]
        yield TextTable(("by order", "answers", "%", "95 %"), told, (1, 2, 3))
    if set(overall["outcomes"]) != {"right"}:
        counted = [(name, f"{count:,}") for name, count in overall["outcomes"].items()]
        yield TextTable(("outcome", "examples"), counted, (1,))
    if overall["misreadings"]:
        missed = [(name, f"{count:,}") for name, count in overall["misreadings"].items()]
        yield TextTable(("wrong choice, by its difference", "examples"), missed, (1,))


def _table(what: str, scores: Mapping[str, Any], measures: Sequence[str]) -> TextTable:
    heads = (what, "examples", *(name for one in measures for name in (_head(one), "95 %")), "chance")
    rows = [
        (
            name,
            f"{one['examples']:,}",
            *(cell for measure in measures for cell in _cells(one[measure])),
            _percent(one["chance"]),
        )
        for name, one in scores.items()
    ]
    return TextTable(heads, rows, range(1, len(heads)))


_HEADS = {"accuracy": "right", "group_score": "group score", "text": "text score", "image": "image score"}


def _head(measure: str) -> str:
    return "right" if measure == "accuracy" else measure.replace("_", " ")


def _cells(found: Mapping[str, Any]) -> tuple[str, str]:
    if found["mean"] is None:
        return "–", "–"
    return _percent(found["mean"]), f"{100 * found['low']:.1f}–{100 * found['high']:.1f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def in_split(verdict: ChoiceVerdict, split: str) -> bool:
    """Return whether an example belongs to a split."""
    return split in names_in_split(verdict.split)
